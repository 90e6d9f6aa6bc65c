/* Right kernels, each with what the backend keeps of a thread: none has a race. threads.py runs them. */
#include <cmk/cmk.h>

enum { SIDE = 32, COUNT = SIDE * SIDE };
CMK_TABLE_VALUES(CONSTANT, float, weights, [3][3], 1, 2, 1, 2, 4, 2, 1, 2, 1);
CMK_DEFINE_CONV2D(blur, float, 3, 3, weights, CMK_EDGE_CLAMP);
CMK_DEFINE_TRANSPOSE(turn, float);
#define PLANE(USES)                                                                                                    \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(SAME, float, sum, CMK_POINT_STAR(0), CMK_EDGE_CLAMP)
CMK_POINT_2D(heat, PLANE)
{
    CMK_POINT_SET(sum, CMK_POINT_HERE(sum) + CMK_POINT_HERE(u));
    CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 1) + CMK_POINT_AT(u, 1, 0) - CMK_POINT_HERE(u));
}
CMK_DEFINE_STENCIL2D(heat, PLANE);

/* in place, in two stages: the windows of a stage hold what other threads write, and do not use it; and two levels */
#define IN_PLACE(USES)                                                                                                 \
    USES(SAME, float, p, CMK_POINT_STAR(1), CMK_EDGE_ZERO) USES(SAME, float, v, CMK_POINT_STAR(1), CMK_EDGE_MIRROR)
#define LEVELS(USES) USES(LEAPFROG, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)
#define STAGES(PLANE)                                                                                                  \
    {                                                                                                                  \
        if (CMK_POINT_STAGE == 0)                                                                                      \
            CMK_POINT_SET(v, CMK_POINT_HERE(v) + CMK_POINT_AT(p, CMK_LIST_ PLANE 0, 1) - CMK_POINT_HERE(p));           \
        else                                                                                                           \
            CMK_POINT_SET(p, CMK_POINT_HERE(p) + CMK_POINT_HERE(v) - CMK_POINT_AT(v, CMK_LIST_ PLANE - 1, 0));         \
    }
CMK_POINT_2D_STAGES(flat, IN_PLACE, 2) STAGES(()) CMK_DEFINE_STENCIL2D(flat, IN_PLACE);
CMK_POINT_3D_STAGES(deep, IN_PLACE, 2) STAGES((0, )) CMK_DEFINE_STENCIL3D(deep, IN_PLACE);
CMK_POINT_2D(wave, LEVELS)
{
    CMK_POINT_SET(u, CMK_POINT_AT(u, 1, 0) - CMK_POINT_BEFORE(u));
}
CMK_DEFINE_STENCIL2D(wave, LEVELS);

__global__ void mirrored(float *data, int *total)
{
    CMK_TILE(float, tile, 1, 64, 1);
    CMK_TILE_SET(tile, 0, threadIdx.x, CMK_LOAD(&data[blockIdx.x * 64 + threadIdx.x]));
    __syncthreads();
    const float other = CMK_TILE_GET(tile, 0, 63 - threadIdx.x);
    __syncwarp();
    CMK_STORE(&data[blockIdx.x * 64 + threadIdx.x], other + __shfl_xor_sync(0xffffffffu, other, 1));
    atomicAdd(total, 1);
}

int main(void)
{
    float *a, *b, *c;
    int *total, counted = 0;
    CMK_CHECK(cudaMalloc((void **)&a, COUNT * sizeof *a));
    CMK_CHECK(cudaMalloc((void **)&b, COUNT * sizeof *b));
    CMK_CHECK(cudaMalloc((void **)&c, COUNT * sizeof *c));
    CMK_CHECK(cudaMalloc((void **)&total, sizeof *total));
    CMK_CHECK(cudaMemset(a, 0, COUNT * sizeof *a));
    CMK_CHECK(cudaMemset(c, 0, COUNT * sizeof *c));
    CMK_CHECK(cudaMemset(total, 0, sizeof *total));
    heat_grid grid = heat_domain(SIDE, SIDE, SIDE);
    grid.u = a, grid.u_next = b, grid.sum = c;
    CMK_CHECK(heat(&grid, 0));
    CMK_CHECK(heat(&grid, 0));
    for (int pitch = SIDE; pitch > SIDE - 2; --pitch) { /* aligned rows, and others */
        flat_grid two = flat_domain(SIDE, pitch, pitch);
        deep_grid three = deep_domain(4, 8, pitch, 8 * pitch, pitch);
        wave_grid levels = wave_domain(SIDE, pitch, pitch);
        two.p = three.p = levels.u = a, two.v = three.v = levels.u_before = b;
        CMK_CHECK(flat_steps(&two, 2, 0));
        CMK_CHECK(deep_steps(&three, 2, 0));
        CMK_CHECK(wave_steps(&levels, 2, 0));
    }
    CMK_CHECK(blur(a, SIDE, b, SIDE, SIDE, SIDE, weights, 0));
    CMK_CHECK(turn(b, SIDE, a, SIDE, SIDE, SIDE, 0));
    CMK_CHECK(CMK_LAUNCH(mirrored, COUNT / 64, 64, 0, 0, a, total));
    CMK_CHECK(cudaMemcpy(&counted, total, sizeof counted, cudaMemcpyDeviceToHost));
    puts(counted == COUNT ? "right" : "wrong");
    return 0;
}
