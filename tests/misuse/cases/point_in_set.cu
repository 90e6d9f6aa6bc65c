/* expect: heat_values_ */
/* expect: speed */
/* says: `'heat_values_' has no member named 'speed'` */
/* because: an IN field is only read */
/* do: `SAME`, `NEXT` or `OUT` in the list */
#include <cmk/point.h>

#define HEAT(USES) USES(IN, float, speed) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)

CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(speed, CMK_POINT_AT(u, 0, 1));
}
