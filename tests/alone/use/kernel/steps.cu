#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(VALUE, float, k)
CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(u, CMK_POINT_HERE(u) + k * CMK_POINT_AT(u, 0, 1));
}
CMK_POINT_STENCIL_(heat, HEAT, CMK_POINT_ONE_WAY_, (size_t count), 1, 1, count, 0, count);

#if !defined(__CUDACC_RTC__)
int main(void)
{
    float *given, copy[12] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f};
    if (cudaMalloc((void **)&given, sizeof copy) != cudaSuccess) return 1;
    if (cudaMemcpy(given, copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    heat_grid grid = heat_domain(6);
    grid.u = given;
    grid.u_next = given + 6;
    if (heat_prepare(&grid, 0) != cudaSuccess || heat_release(&grid, 0) != cudaSuccess) return 1;
    if (heat_steps(&grid, 1, 1.0f, 0) != cudaSuccess || grid.u != given + 6) return 1;
    if (cudaMemcpy(copy, given, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return (int)copy[6] != 3 || (int)copy[11] != 12 || (int)heat_inner(6).first_row != 1;
}
#endif
