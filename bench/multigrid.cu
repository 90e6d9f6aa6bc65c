/* multigrid: times the transfers of kernel/transfer.h, each verified at every point by sums in double, and V-cycles of
 * Poisson's equation in 3D, as in examples/multigrid.cu, until the residual is 1e-10 of the right side.
 *
 *   usage: multigrid [CSV]     prints the table; CSV is a file to append it to as well
 *
 * The bytes of a transfer are those of the fine grid, read or read and written, and those of the coarse one. The bytes
 * of a cycle are the sum of those of its kernels: the time of as many bytes of copies is its bound. */
#include <cmk/kernel/transfer.h>
#include "stencils.h"

static void *fine_buffer, *coarse_buffer, *start; /* start: the fine values before an interpolation */

/* ---- Transfers: of cells with a value of 0 on the faces, of points with 0 outside */
#define TRANSFERS(T)                                                                                                   \
    CMK_DEFINE_TRANSFER2D(cells_2d_##T, T, CELLS, CMK_EDGE_MIRROR_ODD);                                                \
    CMK_DEFINE_TRANSFER2D(points_2d_##T, T, POINTS, CMK_EDGE_ZERO);                                                    \
    CMK_DEFINE_TRANSFER3D(cells_3d_##T, T, CELLS, CMK_EDGE_MIRROR_ODD);                                                \
    CMK_DEFINE_TRANSFER3D(points_3d_##T, T, POINTS, CMK_EDGE_ZERO);
TRANSFERS(float)
TRANSFERS(double)

/* a value of a grid, outside too: cells turn its sign at a face */
template <class T> struct outside {
    const T *values;
    shape s;
    int points;
    __device__ double operator()(long long z, long long y, long long x) const
    {
        const long long sizes[3] = {s.planes, s.rows, s.columns};
        long long at[3] = {z, y, x};
        double sign = 1.0;
        for (int axis = 0; axis < 3; ++axis) {
            if (at[axis] >= 0 && at[axis] < sizes[axis]) continue;
            sign = points ? 0.0 : -sign;
            at[axis] = at[axis] < 0 ? 0 : sizes[axis] - 1;
        }
        return sign * (double)values[(at[0] * s.rows + at[1]) * s.pitch + at[2]];
    }
};

template <class T> struct restricted {
    outside<T> fine;
    int dims;
    __device__ double operator()(long long z, long long y, long long x) const
    {
        const int taps = fine.points ? 3 : 2;
        double sum = 0.0;
        for (int p = 0; p < (dims == 3 ? taps : 1); ++p)
            for (int r = 0; r < taps; ++r)
                for (int c = 0; c < taps; ++c)
                    sum += (dims == 3 ? weight(p) : 1.0) * weight(r) * weight(c) *
                           fine(dims == 3 ? 2 * z + p : 0, 2 * y + r, 2 * x + c);
        return sum;
    }
    __device__ double weight(int tap) const
    {
        return fine.points && tap != 1 ? 0.25 : 0.5;
    }
};

template <class T> struct interpolated {
    outside<T> coarse;
    const T *before;
    shape s;
    int dims;
    __device__ double operator()(long long z, long long y, long long x) const
    {
        double sum = (double)before[(z * s.rows + y) * s.pitch + x];
        for (int k = 0; k < 8; ++k)
            if (dims == 3 || k < 4)
                sum += (dims == 3 ? weight(z, k / 4) : 1.0) * weight(y, k / 2 % 2) * weight(x, k % 2) *
                       coarse(dims == 3 ? place(z, k / 4) : 0, place(y, k / 2 % 2), place(x, k % 2));
        return sum;
    }
    __device__ long long place(long long i, int high) const /* of the lower or the higher neighbour */
    {
        return (i + 1) / 2 - 1 + high;
    }
    __device__ double weight(long long i, int high) const
    {
        if (coarse.points) return i % 2 == 0 ? 0.5 : high ? 0.0 : 1.0;
        return (i % 2 == 0) == (high == 1) ? 0.75 : 0.25;
    }
};

/* The rows of one definition; RESTRICT and PROLONG are the launches. */
template <class T, class RESTRICT, class PROLONG>
static void transfer_rows(const char *what, shape s, int dims, int points, RESTRICT restricts, PROLONG prolongs)
{
    const shape half = dense(dims == 3 ? s.planes / 2 : 1, s.rows / 2, s.columns / 2);
    const double most = sizeof(T) == 4 ? 1e-6 : 1e-14, part = dims == 3 ? 1.0 / 8.0 : 1.0 / 4.0;
    char name[64];
    fill<T>(&fine_buffer, 1, s);
    CMK_CHECK(restricts());
    const outside<T> fine = {(const T *)fine_buffer, s, points}, coarse = {(const T *)coarse_buffer, half, points};
    const restricted<T> means = {fine, dims};
    snprintf(name, sizeof name, "restriction, %s", what);
    float error = judge(name, (const T *)coarse_buffer, half, (float)most, means);
    time_row(name, s, sizeof(T) * (1.0 + part), 0, error, restricts);

    fill<T>(&coarse_buffer, 1, half);
    CMK_CHECK(cudaMemcpy(start, fine_buffer, elements_of(s) * sizeof(T), cudaMemcpyDeviceToDevice));
    CMK_CHECK(prolongs());
    const interpolated<T> lines = {coarse, (const T *)start, s, dims};
    snprintf(name, sizeof name, "interpolation, %s", what);
    error = judge(name, (const T *)fine_buffer, s, (float)most, lines);
    time_row(name, s, sizeof(T) * (2.0 + part), 0, error, prolongs);
}

#define ROWS_2D(name, T, POINTS, text)                                                                                 \
    transfer_rows<T>(                                                                                                  \
        text ", 16384 x 16384", dense(1, 16384, 16384), 2, POINTS,                                                     \
        [] { return name##_restrict((const T *)fine_buffer, 16384, (T *)coarse_buffer, 8192, 16384, 16384, 0); },      \
        [] { return name##_prolong((const T *)coarse_buffer, 8192, (T *)fine_buffer, 16384, 16384, 16384, 0); });
#define ROWS_3D(name, T, POINTS, text)                                                                                 \
    transfer_rows<T>(                                                                                                  \
        text ", 512^3", dense(512, 512, 512), 3, POINTS,                                                               \
        [] {                                                                                                           \
            return name##_restrict((const T *)fine_buffer, 512, 512 * 512, (T *)coarse_buffer, 256, 256 * 256, 512,    \
                                   512, 512, 0);                                                                       \
        },                                                                                                             \
        [] {                                                                                                           \
            return name##_prolong((const T *)coarse_buffer, 256, 256 * 256, (T *)fine_buffer, 512, 512 * 512, 512,     \
                                  512, 512, 0);                                                                        \
        });

/* ---- Cycles: sweeps in single stages, and, as `fused`, two sweeps in a pass where a grid is large enough */
#define CMK_TUNED_fused (2)
#define AROUND (((V(-1, 0, 0) + V(1, 0, 0)) + (V(0, -1, 0) + V(0, 1, 0))) + (V(0, 0, -1) + V(0, 0, 1)))
#define SMOOTH(USES)                                                                                                   \
    USES(NEXT, double, u, CMK_POINT_STAR(1), CMK_EDGE_MIRROR_ODD)                                                      \
    USES(IN, double, f) USES(VALUE, double, square)
#define SWEEP                                                                                                          \
    const double next = (AROUND + square * CMK_POINT_HERE(f)) * (1.0 / 6.0);                                           \
    if (CMK_POINT_COLOUR == CMK_POINT_STAGE) CMK_POINT_SET(u, next);
CMK_POINT_3D_STAGES(single, SMOOTH, 2){SWEEP} CMK_DEFINE_STENCIL3D(single, SMOOTH);
CMK_POINT_3D_STAGES(fused, SMOOTH, 2){SWEEP} CMK_DEFINE_STENCIL3D(fused, SMOOTH);

#define RESIDUAL(USES)                                                                                                 \
    USES(IN, double, u, CMK_POINT_STAR(1), CMK_EDGE_MIRROR_ODD)                                                        \
    USES(IN, double, f) USES(OUT, double, r) USES(MAX, double, largest) USES(VALUE, double, inverse)
CMK_POINT_3D(residual, RESIDUAL)
{
    const double value = CMK_POINT_HERE(f) + inverse * (AROUND - 6.0 * V(0, 0, 0));
    CMK_POINT_SET(r, value);
    CMK_POINT_MOST(largest, fabs(value));
}
CMK_DEFINE_STENCIL3D(residual, RESIDUAL);

static double *u[2][9], *f[9], *r[9], *largest; /* of levels, the finest first */

/* the newest level of u in u[0], behind k sweeps */
static void sweep(int level, size_t n, size_t k, int by_passes)
{
#define SWEEP_BY(name)                                                                                                 \
    {                                                                                                                  \
        name##_grid grid = name##_domain(n, n, n, n * n, n);                                                           \
        grid.u = u[0][level], grid.u_next = u[1][level], grid.f = f[level];                                            \
        CMK_CHECK(name##_steps(&grid, k, 1.0 / (double)(n * n), 0));                                                   \
        u[0][level] = grid.u, u[1][level] = grid.u_next;                                                               \
    }
    if (by_passes) SWEEP_BY(fused) else SWEEP_BY(single)
}

static void residual_of(int level, size_t n)
{
    residual_grid grid = residual_domain(n, n, n, n * n, n);
    grid.u = u[0][level], grid.f = f[level], grid.r = r[level], grid.largest = largest;
    CMK_CHECK(residual(&grid, (double)(n * n), 0));
}

static void cycle(int level, size_t n, int by_passes)
{
    const size_t half = n / 2;
    if (n == 2) return sweep(level, n, 4, by_passes);
    sweep(level, n, 2, by_passes);
    residual_of(level, n);
    CMK_CHECK(cells_3d_double_restrict(r[level], n, n * n, f[level + 1], half, half * half, n, n, n, 0));
    CMK_CHECK(cudaMemsetAsync(u[0][level + 1], 0, half * half * half * sizeof(double), 0));
    cycle(level + 1, half, by_passes);
    CMK_CHECK(cells_3d_double_prolong(u[0][level + 1], half, half * half, u[0][level], n, n * n, n, n, n, 0));
    sweep(level, n, 2, by_passes);
}

/* The bytes of the kernels of a cycle. A stage, or a pass of two sweeps, reads u and f and writes u; passes are made of
 * grids of at least 64 rows. */
static double bytes_of(size_t n, int by_passes)
{
    const double points = (double)(n * n * n), sweeps = by_passes && n >= 64 ? 2.0 * 24.0 : 8.0 * 24.0;
    if (n == 2) return 8.0 * 24.0 * points;
    return (sweeps + 24.0 + 8.0 + 1.0 + 1.0 + 16.0 + 1.0) * points + bytes_of(n / 2, by_passes);
}

static double residual_now(size_t n)
{
    double value;
    residual_of(0, n);
    CMK_CHECK(cudaMemcpy(&value, largest, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

/* from u = 0 to 1e-10 of the right side, a random one */
static void cycle_rows(size_t n, const char *what, int by_passes)
{
    const size_t bytes = n * n * n * sizeof(double);
    const shape s = dense((long long)n, (long long)n, (long long)n);
    char name[64];
    float ms;
    int cycles = 0;
    void *right_side = f[0];
    fill<double>(&right_side, 1, s);
    CMK_CHECK(cudaMemset(u[0][0], 0, bytes));
    const double begun = residual_now(n);
    double now = begun;
    while (now > 1e-10 * begun && cycles < 30) cycle(0, n, by_passes), now = residual_now(n), ++cycles;
    if (!(now <= 1e-10 * begun)) {
        fprintf(stderr, "bench: %s: the residual is %g of the first after %d cycles\n", what, now / begun, cycles);
        exit(EXIT_FAILURE);
    }
    CMK_CHECK_TIME(ms, 31, (cycle(0, n, by_passes), cudaSuccess));
    snprintf(name, sizeof name, "V(2,2), %s, a cycle", what);
    row(name, (double)(n * n * n), bytes_of(n, by_passes) / (double)(n * n * n), 0, ms, (float)(now / begun));
    CMK_CHECK_TIME(ms, 9, ([&] {
                       cudaError_t error = cudaMemsetAsync(u[0][0], 0, bytes, 0);
                       for (int k = 0; k < cycles; ++k) cycle(0, n, by_passes);
                       return error;
                   }()));
    snprintf(name, sizeof name, "V(2,2), %s, %d to 1e-10", what, cycles);
    row(name, (double)(n * n * n), cycles * bytes_of(n, by_passes) / (double)(n * n * n), 0, ms, (float)(now / begun));
}

/* each kernel of the finest level alone: what a cycle is made of */
static void part_rows(size_t n)
{
    const shape s = dense((long long)n, (long long)n, (long long)n);
    const auto done = [](int) { return cudaSuccess; };
    time_row("two sweeps, single stages, 512^3", s, 96, 0, 0.0f, [&] { return done((sweep(0, n, 2, 0), 0)); });
    time_row("two sweeps, a pass, 512^3", s, 24, 0, 0.0f, [&] { return done((sweep(0, n, 2, 1), 0)); });
    time_row("residual and its MAX, 512^3", s, 24, 0, 0.0f, [&] { return done((residual_of(0, n), 0)); });
}

int main(int argc, char **argv)
{
    const size_t most = 16384ull * 16384 * 8, n = 512;
    begin(argc, argv, most / 2, "transfers between grids, and multigrid");
    CMK_CHECK(cudaMalloc(&fine_buffer, most));
    CMK_CHECK(cudaMalloc(&coarse_buffer, most / 4));
    CMK_CHECK(cudaMalloc(&start, most));
    copy_row("copy", most / 2);
    peak_row();
    ROWS_3D(cells_3d_float, float, 0, "cells, float")
    ROWS_3D(cells_3d_double, double, 0, "cells, double")
    ROWS_3D(points_3d_float, float, 1, "points, float")
    ROWS_3D(points_3d_double, double, 1, "points, double")
    ROWS_2D(cells_2d_float, float, 0, "cells, float")
    ROWS_2D(cells_2d_double, double, 0, "cells, double")
    ROWS_2D(points_2d_float, float, 1, "points, float")
    ROWS_2D(points_2d_double, double, 1, "points, double")
    for (size_t level = 0, m = n; m >= 2; ++level, m /= 2) {
        double **const all[] = {&u[0][level], &u[1][level], &f[level], &r[level]};
        for (double **one : all) CMK_CHECK(cudaMalloc((void **)one, m * m * m * sizeof(double)));
    }
    CMK_CHECK(cudaMalloc((void **)&largest, CMK_POINT_RESULT_BYTES));
    CMK_CHECK(cudaMemset(largest, 0, CMK_POINT_RESULT_BYTES));
    cycle_rows(n, "512^3 double, single stages", 0);
    cycle_rows(n, "512^3 double, passes", 1);
    part_rows(n);
    return end();
}
