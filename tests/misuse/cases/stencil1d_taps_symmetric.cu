/* expect: cmk: CMK_DEFINE_STENCIL1D: TABLE must have RADIUS + 1 elements, from the centre outwards */
#include <cmk/kernel/stencil1d.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [5], 1, 1, 1, 1, 1);

CMK_DEFINE_STENCIL1D(smooth, float, 2, CMK_STENCIL_1D_SYMMETRIC, ones, CMK_EDGE_ZERO);
