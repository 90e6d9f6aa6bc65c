#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(VALUE, float, k)
CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(u, CMK_POINT_HERE(u) + k * CMK_POINT_AT(u, 0, 1));
}
enum { heat_dims_ = heat_of_dims_, heat_stages_ = heat_of_stages_ };
CMK_STRUCT_(heat_grid, CMK_POINT_SIZES_; HEAT(CMK_POINT_GRID_))
CMK_POINT_CONSTANTS_(heat, HEAT)
CMK_POINT_MOVES_(heat, HEAT)
CMK_POINT_RINGS_(heat, HEAT)
CMK_POINT_EVALUATE_(heat, HEAT)
CMK_POINT_TILES_(heat, HEAT)
CMK_POINT_PLANES_(heat, HEAT)
CMK_POINT_RUN_(heat, HEAT)
CMK_POINT_KERNEL_(heat_kernel, heat, HEAT, 1)
CMK_POINT_KERNEL_(heat_unaligned_kernel, heat, HEAT, 0)
CMK_POINT_CALLED_(heat, HEAT)
CMK_POINT_PREPARE_(heat)
CMK_POINT_GRIDS_(heat, (size_t count), 1, 1, count, 0, count)

#if !defined(__CUDACC_RTC__)
int main(void)
{
    float *given, copy[12] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f};
    if (cudaMalloc((void **)&given, sizeof copy) != cudaSuccess) return 1;
    if (cudaMemcpy(given, copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    if ((size_t)heat_kernel == (size_t)heat_unaligned_kernel) return 1;
    heat_grid grid = heat_domain(6);
    grid.u = given;
    grid.u_next = given + 6;
    if (heat_prepare(&grid, 0) != cudaSuccess || heat_release(&grid, 0) != cudaSuccess) return 1;
    return grid.u != given || (int)heat_inner(6).first_row != 1;
}
#endif
