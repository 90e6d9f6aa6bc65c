/* expect: cmk: CMK_DEFINE_STENCIL3D: the update is one of CMK_POINT_2D */
/* because: the offsets of an update have as many axes as its grid */
/* do: `CMK_POINT_3D`, or `CMK_DEFINE_STENCIL2D` */
#include <cmk/kernel/stencil3d.h>

#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)

CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 1));
}
CMK_DEFINE_STENCIL3D(heat, HEAT);
