/* expect: cmk_point_KIND_INPUT */
/* says: `'cmk_point_KIND_INPUT' undeclared` */
/* because: `INPUT` is no kind of a field */
/* do: a word of point.h: `IN`, `OUT`, `SAME`, `NEXT`, `LEAPFROG`, with an S for N fields, `VALUE` or `TABLE` */
#include <cmk/point.h>

#define HEAT(USES) USES(INPUT, float, speed) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)

CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 1));
}
