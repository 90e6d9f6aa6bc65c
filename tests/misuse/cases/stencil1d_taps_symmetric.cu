/* expect: cmk: CMK_DEFINE_STENCIL1D: TABLE must have RADIUS + 1 elements, from the centre outwards */
/* because: the taps of a symmetric stencil are given once */
/* do: a table with SHAPE [RADIUS + 1] */
#include <cmk/kernel/stencil1d.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [5], 1, 1, 1, 1, 1);

CMK_DEFINE_STENCIL1D(smooth, float, 2, CMK_STENCIL_1D_SYMMETRIC, ones, CMK_EDGE_ZERO);
