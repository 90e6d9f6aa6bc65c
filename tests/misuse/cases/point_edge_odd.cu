/* expect: cmk: CMK_POINT: an odd EDGE needs a field of float or double */
/* because: 2 v - the sample of an integer may be none of its type */
/* do: a field of float, or `CMK_EDGE_MIRROR` or `CMK_EDGE_REFLECT` */
#include <cmk/point.h>

#define HEAT(USES) USES(NEXT, int, u, CMK_POINT_STAR(1), CMK_EDGE_AXES(CMK_EDGE_MIRROR_ODD, CMK_EDGE_CLAMP))

CMK_POINT_3D(heat, HEAT)
{
    CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 0, 1));
}
