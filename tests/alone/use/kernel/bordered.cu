#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(VALUE, float, k)
CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(u, CMK_POINT_HERE(u) + k * CMK_POINT_AT(u, 0, 1));
}
CMK_POINT_STENCIL_(heat, HEAT, CMK_POINT_ONE_WAY_, (size_t count), 1, 1, count, 0, count);
CMK_DEFINE_BORDERED(heat, HEAT);

#if !defined(__CUDACC_RTC__)
int main(void)
{
    const cmk_i64 global[3] = {1, 1, 6};
    const int parts[3] = {1, 1, 2}, reach[3] = {0, 0, 1};
    float *given, copy[64] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f};
    unsigned *word, count = 0;
    cmk_grid split;
    if (!cmk_grid_split(&split, 0, 2, global, parts, NULL)) return 1;
    if (cudaMalloc((void **)&given, sizeof copy) != cudaSuccess) return 1;
    if (cudaMalloc((void **)&word, sizeof count) != cudaSuccess) return 1;
    if (cudaMemcpy(given, copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    if (cudaMemcpy(word, &count, sizeof count, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    heat_grid grid = heat_of_rank(&split, reach);
    cmk_point_border border = cmk_point_border_of(&split, reach, word);
    grid.u = given;
    grid.u_next = given + 32;
    if (heat_bordered(&grid, &border, 1.0f, 0) != cudaSuccess || grid.u != given + 32) return 1;
    if (heat_flip(&grid, 0) != cudaSuccess) return 1;
    if (heat_part(grid, cmk_grid_owned(&split)).end_column != 3 || heat_domain(6).end_column != 6) return 1;
    if (heat_bordered_steps(&grid, &border, 1, 1.0f, 0) != cudaSuccess || heat_inner(6).first_row != 1) return 1;
    heat_bordered_call call;
    heat_grid other = grid;
    cmk_point_border same = border;
    if (heat_bordered_plan(&call, NULL, &other, &same, 1.0f) != cudaSuccess) return 1;
    if (heat_bordered_steps_plan(&call, NULL, &other, &same, 1, 0, 1.0f) != cudaSuccess) return 1;
    if (!heat_bordered_next(&call) || heat_bordered_next(&call)) return 1;
    if (cudaMemcpy(copy, given, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    if (cudaMemcpy(&count, word, sizeof count, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return (int)copy[32] != 3 || (int)copy[34] != 7 || border.count != 2 || count != 2;
}
#endif
