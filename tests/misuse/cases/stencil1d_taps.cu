/* expect: cmk: CMK_DEFINE_STENCIL1D: TABLE must have 2 RADIUS + 1 elements */
/* do: a table with SHAPE [2 * RADIUS + 1] */
#include <cmk/kernel/stencil1d.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

CMK_DEFINE_STENCIL1D(smooth, float, 2, CMK_STENCIL_1D, ones, CMK_EDGE_ZERO);
