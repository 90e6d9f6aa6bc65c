/* expect: heat_windows_ */
/* expect: w */
/* says: `'heat_windows_' has no member named 'w'` */
/* because: the list has no field of this name that is read */
/* do: correct the name, or the list */
#include <cmk/point.h>

#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)

CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(u, CMK_POINT_AT(w, 0, 1));
}
