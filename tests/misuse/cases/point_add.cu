/* expect: heat_shapes_ */
/* says: `'heat_shapes_' has no member named 'u_SUM_'` */
/* because: CMK_POINT_ADD is for a SUM, CMK_POINT_MOST for a MAX and CMK_POINT_LEAST for a MIN */
/* do: `USES(SUM, double, energy)`, and its own word */
#include <cmk/point.h>

#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)

CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 1));
    CMK_POINT_ADD(u, 1.0f);
}
