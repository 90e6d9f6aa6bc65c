/* expect: heat_shapes_ */
/* expect: is_3d */
/* says: `'heat_shapes_' has no member named 'is_3d'`, or `'is_2d'` */
/* because: an offset has two numbers in 2D, three in 3D */
/* do: `CMK_POINT_AT(field, dy, dx)`, or `CMK_POINT_3D` */
#include <cmk/point.h>

#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)

CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 0, 1));
}
