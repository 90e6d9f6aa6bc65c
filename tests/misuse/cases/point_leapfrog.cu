/* expect: cmk: CMK_POINT: with LEAPFROG STAGES must be 1 */
/* because: its two levels would change places after each stage */
/* do: a SAME field for each level */
#include <cmk/point.h>

#define WAVE(USES)                                                                                                     \
    USES(LEAPFROG, float, p, CMK_POINT_STAR(1), CMK_EDGE_ZERO)                                                         \
    USES(SAME, float, energy)
CMK_POINT_2D_STAGES(wave, WAVE, 2)
{
    if (CMK_POINT_STAGE == 0)
        CMK_POINT_SET(p, CMK_POINT_HERE(p) - CMK_POINT_BEFORE(p));
    else
        CMK_POINT_SET(energy, CMK_POINT_HERE(p));
}
