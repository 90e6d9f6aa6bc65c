/* expect: cmk: CMK_POINT: a SHAPE must reach from 0 to 8 */
/* because: the kernels have rows and planes for 8 on each side */
/* do: a sum of several updates, or conv2d.h, separable.h and conv3d.h if it is linear */
#include <cmk/point.h>

#define WIDE(USES) USES(NEXT, float, u, CMK_POINT_STAR(9), CMK_EDGE_CLAMP)

CMK_POINT_2D(wide, WIDE)
{
    CMK_POINT_SET(u, CMK_POINT_HERE(u));
}
