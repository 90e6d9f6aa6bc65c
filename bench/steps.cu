/* steps: times name_steps of stencils of kernel/stencil2d.h and stencil3d.h, which does T steps in one pass over
 * memory, beside single steps, on random data. Each row is first compared with as many single steps in every point: how
 * many elements differ, by bits, is said; the program ends where they differ by more than rounding.
 *
 *   usage: steps [CSV [TEXT]]     prints the table; CSV is a file to append it to as well; of rows, those with TEXT in
 *                                 their name only
 *
 * A row is of a step, the T'th part of a pass; its bytes are those that a pass moves at the least. "Copies" says how
 * many times as many points a second are updated as by one pass at the rate of the copy that moves the bytes of single
 * steps: a single step has 1 at the most. T=1: the definition has no passes of several steps, and the row is of a
 * single one. Fields are filled with random numbers before each run, so that they are neither zero nor infinite. */
#include "stencils.h"
#include "updates.h"
#include <algorithm>
#include <cuda_fp16.h>

/* ---- Updates of which bench/stencils.cu has others */
#define STAR_DOUBLE(USES) USES(NEXT, double, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)
#define WAVE_2(USES) USES(LEAPFROG, float, u, CMK_POINT_STAR(2), CMK_EDGE_ZERO)
#define SWELL(USES) USES(LEAPFROG, float, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO) USES(IN, float, velocity)
STAR(star_double, double, 1, STAR_DOUBLE)
WAVE(wave_2, 2, WAVE_2)

/* rows that are lines: no other row is read; a pass is of so many steps that larger sums would overflow */
CMK_TABLE_VALUES(LITERAL, float, line_tap, [5], 0.4f, 0.3f, -0.1f, 0.05f, 0.05f);
#define LINE_TAP(k) CMK_TABLE_AT(line_tap, k)
#define LINE(name, T, R, LIST)                                                                                         \
    CMK_POINT_2D(name, LIST)                                                                                           \
    {                                                                                                                  \
        T sum = LINE_TAP(0) * U(0, 0);                                                                                 \
        CMK_UNROLL                                                                                                     \
        for (int k = 1; k <= R; ++k) sum += LINE_TAP(k) * (U(0, -k) + U(0, k));                                        \
        CMK_POINT_SET(u, sum);                                                                                         \
    }                                                                                                                  \
    CMK_DEFINE_STENCIL2D(name, LIST);
#define LINE_1(USES) USES(NEXT, float, u, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_ZERO)
#define LINE_4(USES) USES(NEXT, float, u, CMK_POINT_REACH(0, 0, 4), CMK_EDGE_ZERO)
#define LINE_DOUBLE(USES) USES(NEXT, double, u, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_ZERO)
LINE(line_1, float, 1, LINE_1)
LINE(line_4, float, 4, LINE_4)
LINE(line_double, double, 1, LINE_DOUBLE)

#define STRING(USES) USES(LEAPFROG, float, u, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_ZERO)
CMK_POINT_2D(string, STRING)
{
    const float around = U(0, -1) - 2.0f * U(0, 0) + U(0, 1);
    CMK_POINT_SET(u, 2.0f * U(0, 0) - CMK_POINT_BEFORE(u) + LINE_TAP(1) * around);
}
CMK_DEFINE_STENCIL2D(string, STRING);

/* half, summed in float, and bytes, rounded */
#define STAR_HALF(USES) USES(NEXT, half, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)
#define STAR_BYTES(USES) USES(NEXT, unsigned char, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)
#define CUBE_HALF(USES) USES(NEXT, half, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)
#define LINE_HALF(USES) USES(NEXT, half, u, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_ZERO)
CMK_POINT_2D(star_half, STAR_HALF)
{
    const float around = (float)U(-1, 0) + (float)U(1, 0) + (float)U(0, -1) + (float)U(0, 1);
    CMK_POINT_SET(u, (half)(0.5f * (float)U(0, 0) + 0.125f * around));
}
CMK_DEFINE_STENCIL2D(star_half, STAR_HALF);
CMK_POINT_2D(star_bytes, STAR_BYTES)
{
    CMK_POINT_SET(u, (unsigned char)((4 * U(0, 0) + U(-1, 0) + U(1, 0) + U(0, -1) + U(0, 1) + 4) >> 3));
}
CMK_DEFINE_STENCIL2D(star_bytes, STAR_BYTES);
CMK_POINT_3D(cube_half, CUBE_HALF)
{
    const float around = (float)V(-1, 0, 0) + (float)V(1, 0, 0) + (float)V(0, -1, 0) + (float)V(0, 1, 0);
    CMK_POINT_SET(u, (half)(0.25f * (float)V(0, 0, 0) + 0.125f * (around + (float)V(0, 0, -1) + (float)V(0, 0, 1))));
}
CMK_DEFINE_STENCIL3D(cube_half, CUBE_HALF);
CMK_POINT_2D(line_half, LINE_HALF)
{
    CMK_POINT_SET(u, (half)(0.5f * (float)U(0, 0) + 0.25f * ((float)U(0, -1) + (float)U(0, 1))));
}
CMK_DEFINE_STENCIL2D(line_half, LINE_HALF);

CMK_POINT_3D(swell, SWELL)
{
    const float around = V(-1, 0, 0) + V(1, 0, 0) + V(0, -1, 0) + V(0, 1, 0) + V(0, 0, -1) + V(0, 0, 1);
    const float sum = TAP(0) * V(0, 0, 0) + TAP(1) * around;
    CMK_POINT_SET(u, 2.0f * V(0, 0, 0) - CMK_POINT_BEFORE(u) + CMK_POINT_HERE(velocity) * sum);
}
CMK_DEFINE_STENCIL3D(swell, SWELL);

/* ---- The buffers of a grid: each(member) for all its pointers, first those that are compared */
typedef struct {
    const char *name;
    shape s;
    int together, compared;                  /* steps of a pass; fields that are compared */
    double bytes, bytes_of_pass, operations; /* of a point: moved by a single step; by a pass; done by a step */
} steps_case;

static const auto next = [](auto &grid, auto each) { each(grid.u), each(grid.u_next); };
static const auto leapfrog = [](auto &grid, auto each) {
    each(grid.u), each(grid.u_before), each(grid.u_spare), each(grid.u_before_spare);
};
static const auto leapfrog_velocity = [](auto &grid, auto each) { leapfrog(grid, each), each(grid.velocity); };
static const auto two_species = [](auto &grid, auto each) {
    each(grid.u), each(grid.v), each(grid.u_next), each(grid.v_next);
};
static const auto electric = [](auto &grid, auto each) {
    each(grid.ez), each(grid.hx), each(grid.hy), each(grid.ez_spare), each(grid.hx_spare), each(grid.hy_spare);
};
static const auto lattice = [](auto &grid, auto each) {
    for (int k = 0; k < 9; ++k) each(grid.f[k]);
    for (int k = 0; k < 9; ++k) each(grid.f_next[k]);
};

/* a grid like this one, in these buffers, of random numbers */
template <class T, class GRID, class MEMBERS> static GRID grid_in(void **all, GRID grid, MEMBERS members, shape s)
{
    int count = 0;
    members(grid, [&](auto &pointer) { pointer = (T *)all[count++]; });
    fill<T>(all, count, s);
    return grid;
}

template <class GRID, class MEMBERS> static const void *member_of(GRID grid, MEMBERS members, int which)
{
    const void *found = NULL;
    members(grid, [&](const void *pointer) {
        if (which-- == 0) found = pointer;
    });
    return found;
}

/* ---- Comparison */
typedef struct {
    unsigned long long count;
    unsigned most, magnitude; /* the bits of two positive floats: of the largest difference, of the largest value */
} differences;
__device__ differences found;

static __device__ double larger(double most, double x)
{
    return x <= most ? most : x <= 1e30 ? x : (double)INFINITY;
}

template <class T> __global__ void compare_bits(const T *got, const T *expected, shape s)
{
    unsigned long long count = 0;
    double most = 0.0, magnitude = 0.0;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < s.planes * s.rows * s.columns;
         i += (long long)gridDim.x * blockDim.x) {
        const long long at = i / s.columns * s.pitch + i % s.columns;
        unsigned long long got_bits = 0, expected_bits = 0;
        memcpy(&got_bits, &got[at], sizeof(T));
        memcpy(&expected_bits, &expected[at], sizeof(T));
        magnitude = larger(magnitude, fabs((double)expected[at]));
        if (got_bits == expected_bits) continue;
        ++count;
        most = larger(most, fabs((double)got[at] - (double)expected[at]));
    }
    atomicAdd(&found.count, count);
    atomicMax(&found.most, __float_as_uint((float)most));
    atomicMax(&found.magnitude, __float_as_uint((float)magnitude));
}

/* of both grids' fields: the difference is relative to the largest value of the field, which is neither zero nor
 * beyond all numbers */
template <class T, class GRID, class MEMBERS>
static float compare_grids(steps_case c, GRID got, GRID expected, MEMBERS members, double most,
                           unsigned long long *count)
{
    float worst = 0.0f;
    *count = 0;
    for (int i = 0; i < c.compared; ++i) {
        differences d = {0, 0, 0};
        float difference, magnitude;
        CMK_CHECK(cudaMemcpyToSymbol(found, &d, sizeof d));
        CMK_CHECK(CMK_LAUNCH(compare_bits<T>, 132 * 16, 256, 0, 0, (const T *)member_of(got, members, i),
                             (const T *)member_of(expected, members, i), c.s));
        CMK_CHECK(cudaMemcpyFromSymbol(&d, found, sizeof d));
        memcpy(&difference, &d.most, sizeof difference);
        memcpy(&magnitude, &d.magnitude, sizeof magnitude);
        *count += d.count;
        worst = fmaxf(worst, difference / magnitude);
        if (!(magnitude > 0.0f && magnitude <= 1e30f && difference <= most * magnitude)) {
            fprintf(stderr, "steps: %s: field %d is wrong by %g, values are up to %g; %llu elements differ\n", c.name,
                    i, difference, magnitude, d.count);
            exit(EXIT_FAILURE);
        }
    }
    return worst;
}

/* ---- Rows */
template <class PREPARE, class RUN> static float median_ms(PREPARE prepare, RUN run)
{
    float ms[31], spent = 0.0f;
    int runs = 0;
    cudaEvent_t begins, ends;
    CMK_CHECK(cudaEventCreate(&begins));
    CMK_CHECK(cudaEventCreate(&ends));
    for (; runs < 31 && spent < 250.0f; spent += ms[runs++]) {
        auto grid = prepare();
        CMK_CHECK(cudaEventRecord(begins, 0));
        CMK_CHECK(run(&grid));
        CMK_CHECK(cudaEventRecord(ends, 0));
        CMK_CHECK(cudaEventSynchronize(ends));
        CMK_CHECK(cudaEventElapsedTime(&ms[runs], begins, ends));
    }
    CMK_CHECK(cudaEventDestroy(begins));
    CMK_CHECK(cudaEventDestroy(ends));
    std::sort(ms, ms + runs);
    return ms[runs / 2];
}

/* the row of a case of which a step took so long in a pass, and alone */
static void report(steps_case c, float ms, float alone_ms, float error, unsigned long long differing)
{
    const double points = (double)(c.s.planes * c.s.rows * c.s.columns);
    const double copies = 1e-6 * c.bytes * points / (ms * copy_gbs);
    const double alone = 1e-6 * c.bytes * points / (alone_ms * copy_gbs);
    bench_more more;
    snprintf(more.text, sizeof more.text, "  T=%-2d %5.2f copies; alone %8.4f ms, %5.2f; %llu differ", c.together,
             copies, alone_ms, alone, differing);
    snprintf(more.cells, sizeof more.cells, ",%d,%.3f,%.0f,%.5f,%.3f,%llu", c.together, copies, c.bytes, alone_ms,
             alone, differing);
    row(c.name, points, c.together > 1 ? c.bytes_of_pass / c.together : c.bytes, c.operations, ms, error, bench_load(),
        more);
}

static const char *only = ""; /* rows with this text in their name */

/* Two passes and a single step are compared; one pass is timed. */
template <class T, class GRID, class MEMBERS, class STEP, class STEPS>
static void steps_row(steps_case c, GRID grid, MEMBERS members, STEP step, STEPS steps)
{
    const double most = sizeof(T) == 8 ? 1e-12 : 1e-5;
    const int count = 2 * c.together + 1;
    unsigned long long differing;
    if (strstr(c.name, only) == NULL) return;
    const auto prepare = [&] { return grid_in<T>(now, grid, members, c.s); };
    GRID expected = grid_in<T>(before, grid, members, c.s), got = prepare();
    for (int i = 0; i < count; ++i) CMK_CHECK(step(&expected));
    CMK_CHECK(steps(&got, (size_t)count));
    const float error = compare_grids<T>(c, got, expected, members, most, &differing);
    const float alone = median_ms(prepare, step);
    const float pass = median_ms(prepare, [&](GRID *now_grid) { return steps(now_grid, (size_t)c.together); });
    report(c, pass / (float)c.together, alone, error, differing);
}

/* nvcc loses the parentheses of a NAMED between braces */
static steps_case case_of(const char *name, shape s, int together, int compared, double bytes, double bytes_of_pass,
                          double operations)
{
    return {name, s, together, compared, bytes, bytes_of_pass, operations};
}

/* BYTES: of a point in a single step; in a pass; OPERATIONS of a step; what follows are the arguments of a call */
#define STEPS_ROW(definition, T, GRID, text, COMPARED, BYTES, IN_PASS, OPERATIONS, members, ...)                       \
    steps_row<T>(                                                                                                      \
        case_of(NAMED(text), s, cmk_point_steps_(definition##_definition_(), definition##_stages_), COMPARED, BYTES,   \
                IN_PASS, OPERATIONS),                                                                                  \
        GRID(definition, s), members, [](definition##_grid *grid) { return definition(grid, __VA_ARGS__); },           \
        [](definition##_grid *grid, size_t steps) { return definition##_steps(grid, steps, __VA_ARGS__); });

static void lines(shape s, const char *size)
{
    char name[64];
    copy_row(NAMED("copy"), elements_of(s) * 4);
    STEPS_ROW(line_1, float, PLANE_GRID, "line r=1", 1, 8, 8, 5, next, 0)
    STEPS_ROW(line_4, float, PLANE_GRID, "line r=4", 1, 8, 8, 17, next, 0)
    STEPS_ROW(line_double, double, PLANE_GRID, "line r=1, double", 1, 16, 16, 5, next, 0)
    STEPS_ROW(string, float, PLANE_GRID, "line, wave", 2, 12, 16, 8, leapfrog, 0)
    STEPS_ROW(line_half, half, PLANE_GRID, "line r=1, half", 1, 4, 4, 5, next, 0)
}

static void images(shape s, const char *size)
{
    char name[64];
    copy_row(NAMED("copy"), elements_of(s) * 4);
    STEPS_ROW(star_1, float, PLANE_GRID, "2D star r=1", 1, 8, 8, 9, next, 0)
    STEPS_ROW(box_1, float, PLANE_GRID, "2D box r=1", 1, 8, 8, 18, next, 0)
    STEPS_ROW(star_2, float, PLANE_GRID, "2D star r=2", 1, 8, 8, 17, next, 0)
    STEPS_ROW(star_4, float, PLANE_GRID, "2D star r=4", 1, 8, 8, 33, next, 0)
    STEPS_ROW(star_double, double, PLANE_GRID, "2D star r=1, double", 1, 16, 16, 9, next, 0)
    STEPS_ROW(gray_scott, float, PLANE_GRID, "Gray-Scott", 2, 16, 16, 20, two_species, 0.04f, 0.06f, 0)
    STEPS_ROW(wave_1, float, PLANE_GRID, "wave r=1", 2, 12, 16, 12, leapfrog, 0)
    STEPS_ROW(wave_2, float, PLANE_GRID, "wave r=2", 2, 12, 16, 20, leapfrog, 0)
    STEPS_ROW(tm, float, PLANE_GRID, "FDTD TM", 3, 36, 24, 11, electric, 0.3f, 0)
    STEPS_ROW(lbm, float, PLANE_GRID, "lattice Boltzmann D2Q9", 9, 72, 72, 150, lattice, 0.7f, 0)
    STEPS_ROW(star_half, half, PLANE_GRID, "2D star r=1, half", 1, 4, 4, 6, next, 0)
    STEPS_ROW(star_bytes, unsigned char, PLANE_GRID, "2D star r=1, bytes", 1, 2, 2, 7, next, 0)
}

static void cubes(shape s, const char *size)
{
    char name[64];
    copy_row(NAMED("copy"), elements_of(s) * 4);
    STEPS_ROW(cube_1, float, CUBE_GRID, "3D star r=1", 1, 8, 8, 13, next, 0)
    STEPS_ROW(cube_2, float, CUBE_GRID, "3D star r=2", 1, 8, 8, 25, next, 0)
    STEPS_ROW(box_27, float, CUBE_GRID, "27 points", 1, 8, 8, 54, next, 0)
    STEPS_ROW(cube_double, double, CUBE_GRID, "3D star r=1, double", 1, 16, 16, 13, next, 0)
    STEPS_ROW(swell, float, CUBE_GRID, "3D wave r=1, velocity", 2, 16, 20, 17, leapfrog_velocity, 0)
    STEPS_ROW(cube_half, half, CUBE_GRID, "3D star r=1, half", 1, 4, 4, 8, next, 0)
}

int main(int argc, char **argv)
{
    const int filtered = argc == 3;
    if (filtered) only = argv[2];
    begin(argc - filtered, argv, field_most * 4, "several steps in a pass",
          ",steps of a pass,copies,bytes alone,milliseconds alone,copies alone,differing");
    make_buffers();
    peak_row();
    lines(dense(1, 1, 1 << 28), "2^28");
    lines(pitched(1, 16381, 16411), "16381 of 16411, pitched");
    lines(dense(1, 1, 1 << 24), "2^24");
    images(dense(1, 16384, 16384), "16384^2");
    images(pitched(1, 16381, 16411), "16381 x 16411 pitched");
    images(dense(1, 16381, 16411), "16381 x 16411");
    images(dense(1, 4096, 4096), "4096^2");
    cubes(dense(512, 512, 512), "512^3");
    cubes(pitched(509, 511, 513), "509 x 511 x 513 pitched");
    cubes(dense(509, 511, 513), "509 x 511 x 513");
    cubes(dense(256, 256, 256), "256^3");
    return end();
}
