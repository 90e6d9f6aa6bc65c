/* expect: cmk: CMK_POINT: STAGES must be from 1 to 4 */
/* because: each stage is a launch over the whole grid */
/* do: a definition for each part of the step, called one after the other */
#include <cmk/point.h>

#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)

CMK_POINT_2D_STAGES(heat, HEAT, 0)
{
    CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 1));
}
