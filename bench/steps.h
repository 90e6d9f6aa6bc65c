/* steps.h: the row of name_steps of a stencil of kernel/stencil2d.h or stencil3d.h, which does T steps in one pass over
 * memory, beside single steps, on random data; for bench/steps*.cu. Each row is first compared with as many single
 * steps in every point: how many elements differ, by bits, is said; the program ends where they differ by more than
 * rounding.
 *
 *   begin_steps(argc, argv);
 *       in main, first: begin, the buffers, the row of the peak; a text behind the CSV asks for those rows alone that
 *       have it in their name
 *   STEPS_ROW(definition, T, GRID, text, COMPARED, BYTES, IN_PASS, OPERATIONS, members, ...)
 *       in a function with a shape s and const char *size: the row of definition_steps, whose arguments behind the
 *       steps come last; fields are of T, and COMPARED of them are compared; GRID is as in stencils.h; BYTES of a
 *       point, in a single step and in a pass, and its OPERATIONS in a step
 *   next, leapfrog
 *       members: the buffers of a grid
 *
 * A row is of a step, the T'th part of a pass; its bytes are those that a pass moves at the least. "Copies" says how
 * many times as many points a second are updated as by one pass at the rate of the copy that moves the bytes of single
 * steps: a single step has 1 at the most. T=1: the definition has no passes of several steps, and the row is of a
 * single one. Fields are filled with random numbers before each run, so that they are neither zero nor infinite. */
#ifndef BENCH_STEPS_H
#define BENCH_STEPS_H

#include <algorithm>
#include "stencils.h"

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

/* The median of 31 runs after a rest, or of as many as take 0.25 s: the rate of a burst. */
template <class PREPARE, class RUN> static float median_ms(PREPARE prepare, RUN run)
{
    float ms[31], spent = 0.0f;
    int runs = 0;
    cudaEvent_t begins, ends;
    rest();
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

#define STEPS_ROW(definition, T, GRID, text, COMPARED, BYTES, IN_PASS, OPERATIONS, members, ...)                       \
    steps_row<T>(                                                                                                      \
        case_of(NAMED(text), s, cmk_point_steps_(definition##_definition_(), definition##_stages_), COMPARED, BYTES,   \
                IN_PASS, OPERATIONS),                                                                                  \
        GRID(definition, s), members, [](definition##_grid *grid) { return definition(grid, __VA_ARGS__); },           \
        [](definition##_grid *grid, size_t steps) { return definition##_steps(grid, steps, __VA_ARGS__); });
static void begin_steps(int argc, char **argv)
{
    const int filtered = argc == 3;
    if (filtered) only = argv[2];
    begin(argc - filtered, argv, field_most * 4, "several steps in a pass",
          ",steps of a pass,copies,bytes alone,milliseconds alone,copies alone,differing");
    make_buffers();
    peak_row();
}

#endif
