/* expect: cmk: CMK_TUNED_name must be (STEPS, BLOCKS), of a pass and of an SM, from 0 to 16 */
#define CMK_TUNED_heat (6, 17)
#include <cmk/kernel/stencil2d.h>

#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)

CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 1));
}
CMK_DEFINE_STENCIL2D(heat, HEAT);
