#include <cmk/cmk.h>

#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)
CMK_POINT_3D(heat, HEAT)
{
    CMK_POINT_SET(u, 0.5f * (CMK_POINT_AT(u, -1, 0, 0) + CMK_POINT_AT(u, 1, 0, 0)));
}
CMK_DEFINE_STENCIL3D(heat, HEAT);

int main(void)
{
    const size_t bytes = 40 * 64 * 128 * sizeof(float);
    heat_grid grid = heat_domain(40, 64, 128, 64 * 128, 128);
    CMK_CHECK(cudaMalloc((void **)&grid.u, bytes));
    CMK_CHECK(cudaMalloc((void **)&grid.u_next, bytes));
    CMK_CHECK(cudaMemset(grid.u, 0, bytes));
    CMK_CHECK(heat(&grid, 0));
    return 0;
}
