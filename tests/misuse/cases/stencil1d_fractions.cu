/* expect: cmk: CMK_DEFINE_STENCIL1D: T must keep the fractions of TABLE: an integer T needs integers */
/* because: 0.25 as an int is 0 */
/* do: T float, or a table of int */
#include <cmk/kernel/stencil1d.h>

CMK_TABLE_VALUES(LITERAL, float, weights, [3], 0.25f, 0.5f, 0.25f);

CMK_DEFINE_STENCIL1D(smooth, int, 1, CMK_STENCIL_1D, weights, CMK_EDGE_ZERO);
