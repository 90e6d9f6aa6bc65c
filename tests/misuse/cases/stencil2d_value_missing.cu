/* expect: too few arguments */
/* expect: heat */
/* says: `too few arguments to function 'heat'` */
/* because: every VALUE and TABLE of the list is an argument of each call, in the list's order, and the stream the last */
/* do: complete the call */
#include <cmk/kernel/stencil2d.h>

#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(VALUE, float, k)

CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(u, k * CMK_POINT_AT(u, 0, 1));
}
CMK_DEFINE_STENCIL2D(heat, HEAT);

int main(void)
{
    heat_grid grid = heat_domain(4, 4, 4);
    return heat(&grid, 0) != cudaSuccess;
}
