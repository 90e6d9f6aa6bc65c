/* expect: cmk: CMK_DEFINE_STENCIL1D: RADIUS must be from 0 to 32 */
#include <cmk/kernel/stencil1d.h>

#define ONE(k) 1.0f

CMK_DEFINE_STENCIL1D(smooth, float, 33, CMK_STENCIL_1D, ONE, CMK_EDGE_ZERO);
