/* until: times loops that end on the device (until.h), by name_until of kernel/stencil2d.h and stencil3d.h, each beside
 * as many calls of the same step from the host. A loop is verified first: it ends where a loop on the host ends, which
 * reads the value behind each step, and with the same field. The host's part of a call must end long before the loop.
 *
 *   usage: until [CSV]     prints the table; CSV is a file to append it to as well */
#include "stencils.h"

#define JACOBI(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(MAX, float, change)
CMK_POINT_2D(flat, JACOBI)
{
    const float next = 0.25f * (U(-1, 0) + U(1, 0) + U(0, -1) + U(0, 1));
    CMK_POINT_SET(u, next);
    CMK_POINT_MOST(change, fabsf(next - U(0, 0)));
}
CMK_DEFINE_STENCIL2D(flat, JACOBI);
CMK_POINT_3D(cube, JACOBI)
{
    const float next = (V(-1, 0, 0) + V(1, 0, 0) + V(0, -1, 0) + V(0, 1, 0) + V(0, 0, -1) + V(0, 0, 1)) / 6.0f;
    CMK_POINT_SET(u, next);
    CMK_POINT_MOST(change, fabsf(next - V(0, 0, 0)));
}
CMK_DEFINE_STENCIL3D(cube, JACOBI);

static float *change;
static cmk_turns *turns;

static cmk_until most_turns(size_t most)
{
    return cmk_until_float(most, change, -1.0f, turns);
}

template <class GRID> static GRID with_buffers(GRID grid)
{
    grid.u = (float *)now[0], grid.u_next = (float *)now[1], grid.change = change;
    return grid;
}

/* A loop from the host, and the same one on the device: both must end behind the same step, with the same field. */
static void verify(shape s, size_t steps)
{
    unsigned long long done;
    float most = 1.0f;
    size_t count = 0;
    refresh<float>(2, s);
    flat_grid grid = with_buffers(PLANE_GRID(flat, s));
    for (; most > 0.02f && count < 500; ++count) {
        CMK_CHECK(flat_steps(&grid, steps, 0));
        CMK_CHECK(cudaMemcpy(&most, change, sizeof most, cudaMemcpyDeviceToHost));
    }
    CMK_CHECK(cudaMemcpy(before[1], grid.u, (size_t)(s.rows * s.pitch) * 4, cudaMemcpyDeviceToDevice));
    refresh<float>(1, s);
    CMK_CHECK(cudaMemcpy(before[0], before[1], (size_t)(s.rows * s.pitch) * 4, cudaMemcpyDeviceToDevice));
    grid = with_buffers(PLANE_GRID(flat, s));
    CMK_CHECK(flat_until(&grid, steps, cmk_until_float(500, change, 0.02f, turns), 0));
    CMK_CHECK(cudaMemcpy(&done, &turns->turns, sizeof done, cudaMemcpyDeviceToHost));
    if (done != count) {
        fprintf(stderr, "bench: %llu turns on the device, but %zu from the host\n", done, count);
        exit(EXIT_FAILURE);
    }
    (void)judge("a loop on the device", (const float *)now[0], s, 0.0f, old<float>(0, s));
}

#define ROW(name, text, GRID, bytes, call)                                                                             \
    {                                                                                                                  \
        refresh<float>(2, s);                                                                                          \
        name##_grid grid = with_buffers(GRID(name, s));                                                                \
        time_row(text, s, bytes, 9, 0.0f, [&] { return call; });                                                       \
    }

/* as many steps, or turns of steps, from the host */
template <class STEP> static cudaError_t repeat(int count, STEP step)
{
    cudaError_t error = cudaSuccess;
    for (int k = 0; k < count && error == cudaSuccess; ++k) error = step();
    return error;
}

/* Prints when a call of a loop returns, and when the loop ends. Nothing in between may wait for the device. */
static void time_host(shape s, int count)
{
    refresh<float>(2, s);
    flat_grid grid = with_buffers(PLANE_GRID(flat, s));
    rest();
    const auto begun = std::chrono::steady_clock::now();
    CMK_CHECK(flat_until(&grid, 1, most_turns((size_t)count), 0));
    const std::chrono::duration<double, std::milli> called = std::chrono::steady_clock::now() - begun;
    CMK_CHECK(cudaDeviceSynchronize());
    const std::chrono::duration<double, std::milli> ended = std::chrono::steady_clock::now() - begun;
    printf("a loop of %d turns is launched in %.3f ms, and ends after %.3f ms\n", count, called.count(), ended.count());
    if (called.count() < 0.5 * ended.count()) return;
    fprintf(stderr, "bench: the call has waited for the device\n");
    exit(EXIT_FAILURE);
}

static void rows_2d(shape s, const char *size, int count)
{
    const int fused = cmk_point_passes_of_(flat_definition_(), 1, 1).steps;
    char name[64];
    verify(s, 1);
    verify(s, (size_t)fused);
    ROW(flat, NAMED("5 points, MAX, fixed"), PLANE_GRID, 8.0 * count, repeat(count, [&] { return flat(&grid, 0); }))
    ROW(flat, NAMED("5 points, MAX, until"), PLANE_GRID, 8.0 * count, flat_until(&grid, 1, most_turns(count), 0))
    ROW(flat, NAMED("5 points, MAX, passes, fixed"), PLANE_GRID, 8.0 * fused * count,
        repeat(count, [&] { return flat_steps(&grid, (size_t)fused, 0); }))
    ROW(flat, NAMED("5 points, MAX, passes, until"), PLANE_GRID, 8.0 * fused * count,
        flat_until(&grid, 0, most_turns(count), 0))
}

static void rows_3d(shape s, const char *size, int count)
{
    char name[64];
    ROW(cube, NAMED("7 points, MAX, fixed"), CUBE_GRID, 8.0 * count, repeat(count, [&] { return cube(&grid, 0); }))
    ROW(cube, NAMED("7 points, MAX, until"), CUBE_GRID, 8.0 * count, cube_until(&grid, 1, most_turns(count), 0))
}

int main(int argc, char **argv)
{
    begin(argc, argv, 16384ull * 16384 * 4, "until");
    make_buffers();
    CMK_CHECK(cudaMalloc(&turns, sizeof *turns));
    CMK_CHECK(cudaMalloc(&change, CMK_POINT_RESULT_BYTES));
    CMK_CHECK(cudaMemset(change, 0, CMK_POINT_RESULT_BYTES));
    copy_row("copy", 16384ull * 16384 * 4);
    peak_row();
    rows_2d(dense(1, 16384, 16384), "16384 x 16384", 100);
    time_host(dense(1, 16384, 16384), 100);
    rows_2d(dense(1, 4096, 4096), "4096 x 4096", 1000);
    rows_2d(dense(1, 1024, 1024), "1024 x 1024", 4000);
    rows_3d(dense(512, 512, 512), "512 x 512 x 512", 100);
    rows_3d(dense(128, 128, 128), "128 x 128 x 128", 4000);
    return end();
}
