#define CMK_TUNED_mix (3, 2)
#define MIX(USES)                                                                                                      \
    USES(IN, float, speed)                                                                                             \
    USES(INS, short, many, 2, CMK_POINT_BOX(1), CMK_EDGE_SIDES(CMK_EDGE_ZERO, CMK_EDGE_WRAP))                          \
    USES(OUT, double, sum)                                                                                             \
    USES(SAME, float, total)                                                                                           \
    USES(NEXT, float, u, CMK_POINT_STAR(2), CMK_EDGE_REFLECT_ODD)                                                      \
    USES(NEXT, float, w, CMK_POINT_REACH(1, 1, 0), CMK_EDGE_AXES(CMK_EDGE_CLAMP, CMK_EDGE_MIRROR))                     \
    USES(VALUE, float, k)

CMK_POINT_2D_STAGES(mix, MIX, 2)
{
    if (CMK_POINT_STAGE == 1) return;
    CMK_POINT_SET(sum, (double)(CMK_POINT_AT(many[0], -1, 1) + CMK_POINT_HERE(many[1])));
    CMK_POINT_SET(total, CMK_POINT_HERE(total) + CMK_POINT_HERE(speed));
    CMK_POINT_SET(u, k * CMK_POINT_AT(u, 2, 0));
    CMK_POINT_SET(w, 2.0f * CMK_POINT_AT(w, -1, 0) - CMK_POINT_HERE(w));
}
CMK_DEFINE_STENCIL2D(mix, MIX);

#if !defined(__CUDACC_RTC__)
int main(void)
{
    float *memory, copy[64];
    for (int i = 0; i < 64; ++i) copy[i] = i < 24 ? 1.0f : 0.0f;
    if (cudaMalloc((void **)&memory, sizeof copy) != cudaSuccess) return 1;
    if (cudaMemcpy(memory, copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    mix_grid grid = mix_domain(2, 2, 2);
    grid.speed = memory;
    grid.total = memory + 4;
    grid.u = memory + 8;
    grid.w = memory + 12;
    grid.w_next = memory + 16;
    grid.u_next = memory + 20;
    grid.sum = (double *)(void *)(memory + 24);
    grid.many[0] = grid.many[1] = (const short *)(const void *)(memory + 32);
    if (mix_prepare(&grid, 0) != cudaSuccess || mix_release(&grid, 0) != cudaSuccess) return 1;
    if (mix(&grid, 0.5f, 0) != cudaSuccess || grid.u != memory + 8) return 1;
    mix_call call;
    mix_grid other = grid;
    if (mix_steps_plan(&call, NULL, &other, 2, 0, 0.5f) != cudaSuccess || !mix_next(&call)) return 1;
    if (cudaMemcpy(copy, memory, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    if ((int)copy[4] != 2 || (int)(2.0f * copy[20]) != -1 || (int)(2.0f * copy[10]) != 1) return 1;
    return (int)copy[16] != 1 || (int)mix_inner(9, 9, 9).end_row != 7;
}
#endif
