/* expect: cmk: CMK_DEFINE_STENCIL1D: RADIUS must be from 0 to 32 */
/* because: the window lives in registers */
/* do: compose a kernel with a tile */
#include <cmk/kernel/stencil1d.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

CMK_DEFINE_STENCIL1D(smooth, float, 33, CMK_STENCIL_1D, ones, CMK_EDGE_ZERO);
