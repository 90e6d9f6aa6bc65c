/* expect: cmk: CMK_POINT: EDGE must be an edge of edge.h */
/* because: a number of another meaning, or a part that is none */
/* do: a word of edge.h, or `CMK_EDGE_SIDES`, `CMK_EDGE_AXES` or `CMK_EDGE_AXES_3D` of them */
#include <cmk/point.h>

#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_SIDES(CMK_EDGE_REFLECT_ODD + 1, CMK_EDGE_CLAMP))

CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 1));
}
