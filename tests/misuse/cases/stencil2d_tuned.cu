/* expect: cmk: CMK_TUNED_name must be (STEPS, BLOCKS), of a pass and of an SM, from 0 to 16 */
/* because: its numbers stand in parentheses: steps of a pass, and, if you like, blocks of an SM; 0 is what the model says */
/* do: let `./cmk tune` write the header of your file anew, or write `#define CMK_TUNED_heat (6, 3)` */
#define CMK_TUNED_heat 6, 3
#include <cmk/kernel/stencil2d.h>

#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)

CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 1));
}
CMK_DEFINE_STENCIL2D(heat, HEAT);
