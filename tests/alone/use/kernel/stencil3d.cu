CMK_TABLE_VALUES(PARAMETER, float, taps, [2], 0.5f, 0.25f);
#define WAVE(USES)                                                                                                     \
    USES(LEAPFROG, float, u, CMK_POINT_STAR(1), CMK_EDGE_AXES_3D(CMK_EDGE_WRAP, CMK_EDGE_ZERO, CMK_EDGE_MIRROR_ODD))   \
    USES(OUT, float, copy)                                                                                             \
    USES(TABLE, taps)                                                                                                  \
    USES(VALUE, float, k)

CMK_POINT_3D(wave, WAVE)
{
    CMK_POINT_SET(copy, CMK_POINT_HERE(u));
    CMK_POINT_SET(u,
                  k * CMK_TABLE_AT(taps, 0) * CMK_POINT_AT(u, -1, 0, 0) + CMK_TABLE_AT(taps, 1) * CMK_POINT_BEFORE(u));
}
CMK_DEFINE_STENCIL3D(wave, WAVE);

#if !defined(__CUDACC_RTC__)
int main(void)
{
    float *memory, copy[24];
    for (int i = 0; i < 24; ++i) copy[i] = 8.0f;
    if (cudaMalloc((void **)&memory, sizeof copy) != cudaSuccess) return 1;
    if (cudaMemcpy(memory, copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    wave_grid grid = wave_domain(2, 1, 4, 4, 4);
    grid.u = memory;
    grid.u_before = memory + 8;
    grid.copy = memory + 16;
    if (wave_prepare(&grid, 0) != cudaSuccess || wave_release(&grid, 0) != cudaSuccess) return 1;
    if (wave_steps(&grid, 1, taps, 2.0f, 0) != cudaSuccess || grid.u != memory + 8) return 1;
    if (cudaMemcpy(copy, memory, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return (int)copy[8] != 10 || (int)copy[16] != 8 || (int)wave_inner(3, 3, 3, 9, 3).end_plane != 2;
}
#endif
