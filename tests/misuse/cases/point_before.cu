/* expect: heat_befores_ */
/* says: `'heat_befores_' has no member named 'u'` */
/* because: only a LEAPFROG field has a level before */
/* do: `USES(LEAPFROG, ...)` */
#include <cmk/point.h>

#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)

CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(u, 2.0f * CMK_POINT_HERE(u) - CMK_POINT_BEFORE(u));
}
