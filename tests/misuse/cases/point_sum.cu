/* expect: cmk: CMK_POINT: a SUM, MAX or MIN must be float or double */
/* because: a sum of integers might overflow without a word */
/* do: double, which holds integers up to 2^53 */
#include <cmk/kernel/stencil2d.h>

#define LIFE(USES) USES(NEXT, unsigned char, cell, CMK_POINT_BOX(1), CMK_EDGE_ZERO) USES(SUM, int, alive)

CMK_POINT_2D(life, LIFE)
{
    CMK_POINT_SET(cell, CMK_POINT_AT(cell, 0, 1));
    CMK_POINT_ADD(alive, CMK_POINT_HERE(cell));
}
CMK_DEFINE_STENCIL2D(life, LIFE);
