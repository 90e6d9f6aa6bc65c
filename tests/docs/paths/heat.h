/* a call of heat, a stencil in 2D: CALL, which the including file defines, on a grid of 64 x 512 */
#include <cmk/cmk.h>

#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)
CMK_POINT_2D(heat, HEAT)
{
    const float across = CMK_POINT_AT(u, 0, -1) + CMK_POINT_AT(u, 0, 1);
    CMK_POINT_SET(u, 0.25f * (across + CMK_POINT_AT(u, -1, 0) + CMK_POINT_AT(u, 1, 0)));
}
CMK_DEFINE_STENCIL2D(heat, HEAT);

int main(void)
{
    heat_grid grid = heat_domain(64, 512, 512);
    CMK_CHECK(cudaMalloc((void **)&grid.u, 64 * 512 * sizeof *grid.u));
    CMK_CHECK(cudaMalloc((void **)&grid.u_next, 64 * 512 * sizeof *grid.u));
    CMK_CHECK(cudaMemset(grid.u, 0, 64 * 512 * sizeof *grid.u));
    CMK_CHECK(CALL);
    return 0;
}
