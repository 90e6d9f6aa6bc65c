/* filter_steps: times name_steps of filters (kernel/filter_steps.h), on random data. Each row is first compared, at
 * every point, with as many single steps in double.
 *
 *   usage: filter_steps [CSV [TEXT]]     prints the table; CSV is a file to append it to as well; of rows, those with
 *                                      TEXT in their name only
 *
 * A row is of a step of a call of two passes, and its bytes are those that the passes move. The error is a part of the
 * largest value. */
#include <math.h>
#include <cmk/kernel/filter_steps.h>
#include "bench.h"

static const char *wanted = "";
static double *exact[2]; /* levels of the single steps */
static void *arrays[3];  /* in, out and spare */

typedef struct {
    long long planes, rows, columns;
} shape;

typedef struct {
    int planes, rows, columns;
    double taps[343];
} filter;

/* ---- verification: a step in double, from the formula; the outermost points go on outside */

static __device__ long long clamped(long long i, long long count)
{
    return i < 0 ? 0 : i < count ? i : count - 1;
}

__global__ void step_of(const double *from, double *to, shape s, const filter *f)
{
    for (long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x; k < s.planes * s.rows * s.columns;
         k += (long long)gridDim.x * blockDim.x) {
        const long long z = k / s.columns / s.rows, y = k / s.columns % s.rows, x = k % s.columns;
        double sum = 0.0;
        for (int p = 0; p < f->planes; ++p)
            for (int r = 0; r < f->rows; ++r)
                for (int c = 0; c < f->columns; ++c) {
                    const long long at_z = clamped(z + p - f->planes / 2, s.planes);
                    const long long at_y = clamped(y + r - f->rows / 2, s.rows);
                    const long long at_x = clamped(x + c - f->columns / 2, s.columns);
                    sum +=
                        f->taps[(p * f->rows + r) * f->columns + c] * from[(at_z * s.rows + at_y) * s.columns + at_x];
                }
        to[k] = sum;
    }
}

template <class T> __global__ void widen(const T *from, double *to, long long count)
{
    for (long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x; k < count;
         k += (long long)gridDim.x * blockDim.x)
        to[k] = from[k];
}

__device__ double magnitude_bound; /* of the values that are compared */

template <class T> __global__ void compare(const T *got, const double *expected, long long count)
{
    for (long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x; k < count;
         k += (long long)gridDim.x * blockDim.x)
        note_error(fabs(got[k] - expected[k]) / magnitude_bound);
}

__global__ void find_bound(const double *x, long long count)
{
    double most = 0.0;
    for (long long k = threadIdx.x; k < count; k += blockDim.x * 997ll) most = fmax(most, fabs(x[k]));
    for (int lane = 16; lane > 0; lane /= 2) most = fmax(most, __shfl_down_sync(0xffffffffu, most, lane));
    if (threadIdx.x == 0) magnitude_bound = most;
}

template <class T> static float verified(const char *name, shape s, const filter &f, int steps)
{
    const long long count = s.planes * s.rows * s.columns;
    filter *on_device;
    CMK_CHECK(cudaMalloc((void **)&on_device, sizeof f));
    CMK_CHECK(cudaMemcpy(on_device, &f, sizeof f, cudaMemcpyHostToDevice));
    CMK_CHECK(CMK_LAUNCH(widen<T>, 2112, 256, 0, 0, (const T *)arrays[0], exact[0], count));
    for (int step = 0; step < steps; ++step)
        CMK_CHECK(CMK_LAUNCH(step_of, 4224, 256, 0, 0, exact[step % 2], exact[(step + 1) % 2], s, on_device));
    CMK_CHECK(CMK_LAUNCH(find_bound, 1, 32, 0, 0, exact[steps % 2], count));
    forget_errors();
    CMK_CHECK(CMK_LAUNCH(compare<T>, 2112, 256, 0, 0, (const T *)arrays[1], exact[steps % 2], count));
    CMK_CHECK(cudaFree(on_device));
    return largest_error(name, sizeof(T) == 4 ? 3e-6f : 5e-15f);
}

/* ---- rows */

/* launch(steps) does so many steps of the arrays; most: those of a pass */
template <class T, class LAUNCH>
static void measure(const char *text, shape s, const filter &f, int most, LAUNCH launch)
{
    const double points = (double)s.planes * (double)s.rows * (double)s.columns;
    const int steps = 2 * most;
    bench_more more = {};
    char name[96];
    float ms;
    snprintf(name, sizeof name, "%s, %d steps a pass", text, most);
    if (strstr(name, wanted) == NULL) return;
    CMK_CHECK(CMK_LAUNCH(random_fill<T>, 2112, 256, 0, 0, (T *)arrays[0], (size_t)points, 1u));
    CMK_CHECK(cudaMemset(arrays[1], 0xFF, (size_t)points * sizeof(T)));
    CMK_CHECK(launch(steps));
    const float error = verified<T>(name, s, f, steps);
    rest();
    CMK_CHECK_TIME(ms, 31, launch(steps));
    snprintf(more.text, sizeof more.text, "  %7.0f G points x steps/s", points * steps / ms * 1e-6);
    row(name, points, 2.0 * sizeof(T) / most, 2.0 * f.planes * f.rows * f.columns, ms / (float)steps, error,
        bench_load(), more);
}

/* Taps of magnitudes whose sum is 1, all different. */
static filter general(int planes, int rows, int columns)
{
    filter f = {planes, rows, columns, {0.0}};
    const int count = planes * rows * columns;
    double sum = 0.0;
    for (int k = 0; k < count; ++k) sum += f.taps[k] = 1.0 + (k * 7 + 3) % 11;
    for (int k = 0; k < count; ++k) f.taps[k] = (double)(float)(f.taps[k] / sum);
    return f;
}

static filter product(int axes, const filter &line)
{
    const int taps = line.columns, planes = axes > 2 ? taps : 1, rows = axes > 1 ? taps : 1;
    filter f = {planes, rows, taps, {0.0}};
    for (int k = 0; k < planes * rows * taps; ++k)
        f.taps[k] = (axes > 2 ? line.taps[k / taps / taps] : 1.0) * (axes > 1 ? line.taps[k / taps % taps] : 1.0) *
                    line.taps[k % taps];
    return f;
}

#define UPLOAD(T, TABLE, f)                                                                                            \
    T on_host[343];                                                                                                    \
    for (int k = 0; k < 343; ++k) on_host[k] = (T)f.taps[k];                                                           \
    CMK_CHECK(CMK_TABLE_UPLOAD(TABLE, on_host, 0, sizeof(TABLE##_array_) / sizeof(T)));
#define LINE(name, T, R)                                                                                               \
    CMK_TABLE(CONSTANT, T, name##_taps, [2 * R + 1]);                                                                  \
    CMK_DEFINE_STENCIL1D_STEPS(name, T, R, CMK_STENCIL_1D, name##_taps, CMK_EDGE_CLAMP);                               \
    static void name##_row(const char *text, shape s)                                                                  \
    {                                                                                                                  \
        const filter f = general(1, 1, 2 * R + 1);                                                                     \
        UPLOAD(T, name##_taps, f)                                                                                      \
        measure<T>(text, s, f, name##_most_, [=](int steps) {                                                          \
            return name##_steps((const T *)arrays[0], (T *)arrays[1], (T *)arrays[2], s.columns, steps, name##_taps,   \
                                0);                                                                                    \
        });                                                                                                            \
    }
#define IMAGE_ROW(name, T, f, TABLE, COUNT, ...)                                                                       \
    static void name##_row(const char *text, shape s)                                                                  \
    {                                                                                                                  \
        const filter given = f;                                                                                        \
        UPLOAD(T, TABLE, general(1, COUNT, 2 * (name##_reach) + 1))                                                    \
        measure<T>(text, s, given, name##_most_, [=](int steps) {                                                      \
            return name##_steps((const T *)arrays[0], s.columns, (T *)arrays[1], s.columns, (T *)arrays[2], s.rows,    \
                                s.columns, steps, __VA_ARGS__, 0);                                                     \
        });                                                                                                            \
    }
#define BOX(name, T, R)                                                                                                \
    enum { name##_reach = R };                                                                                         \
    CMK_TABLE(CONSTANT, T, name##_taps, [(2 * R + 1) * (2 * R + 1)]);                                                  \
    CMK_DEFINE_CONV2D_STEPS(name, T, 2 * R + 1, 2 * R + 1, name##_taps, CMK_EDGE_CLAMP);                               \
    IMAGE_ROW(name, T, general(1, 2 * R + 1, 2 * R + 1), name##_taps, 2 * R + 1, name##_taps)
#define PRODUCT(name, T, R)                                                                                            \
    enum { name##_reach = R };                                                                                         \
    CMK_TABLE(CONSTANT, T, name##_taps, [2 * R + 1]);                                                                  \
    CMK_DEFINE_SEPARABLE_STEPS(name, T, R, name##_taps, name##_taps, CMK_EDGE_CLAMP);                                  \
    IMAGE_ROW(name, T, product(2, general(1, 1, 2 * R + 1)), name##_taps, 1, name##_taps, name##_taps)
#define VOLUME(name, T, R)                                                                                             \
    CMK_TABLE(CONSTANT, T, name##_taps, [2 * R + 1]);                                                                  \
    CMK_DEFINE_SEPARABLE3D_STEPS(name, T, R, (name##_taps, name##_taps, name##_taps), CMK_EDGE_CLAMP);                 \
    static void name##_row(const char *text, shape s)                                                                  \
    {                                                                                                                  \
        const filter line = general(1, 1, 2 * R + 1);                                                                  \
        UPLOAD(T, name##_taps, line)                                                                                   \
        measure<T>(text, s, product(3, line), name##_most_, [=](int steps) {                                           \
            return name##_steps((const T *)arrays[0], s.columns, s.rows * s.columns, (T *)arrays[1], s.columns,        \
                                s.rows * s.columns, (T *)arrays[2], s.planes, s.rows, s.columns, steps, name##_taps,   \
                                name##_taps, name##_taps, 0);                                                          \
        });                                                                                                            \
    }
LINE(line_1, float, 1)
LINE(line_2, float, 2)
LINE(line_4, float, 4)
LINE(double_line_1, double, 1)
LINE(double_line_2, double, 2)
PRODUCT(blur_1, float, 1)
PRODUCT(blur_2, float, 2)
PRODUCT(blur_4, float, 4)
PRODUCT(double_blur_1, double, 1)
PRODUCT(double_blur_2, double, 2)
BOX(box_1, float, 1)
BOX(box_2, float, 2)
BOX(box_3, float, 3)
BOX(double_box_1, double, 1)
BOX(double_box_2, double, 2)
VOLUME(cube_1, float, 1)
VOLUME(double_cube_1, double, 1)

static void floats(shape s, const char *size)
{
    char name[96];
    const auto text = [&](const char *what) { return snprintf(name, sizeof name, "%s, %s", what, size), name; };
    copy_row(text("copy"), (size_t)(s.rows * s.columns) * sizeof(float));
    blur_1_row(text("separable r=1"), s);
    blur_2_row(text("separable r=2"), s);
    blur_4_row(text("separable r=4"), s);
    box_1_row(text("3x3"), s);
    box_2_row(text("5x5"), s);
    box_3_row(text("7x7"), s);
}

int main(int argc, char **argv)
{
    const shape line = {1, 1, 1 << 28}, double_line = {1, 1, 12288 * 12288}, square = {1, 16384, 16384},
                double_square = {1, 12288, 12288}, odd = {1, 16381, 16411}, small = {1, 1080, 1920},
                cube = {640, 640, 640}, double_cube = {512, 512, 512};
    const size_t most = (size_t)16384 * 16411;
    if (argc == 3) wanted = argv[2], --argc;
    begin(argc, argv, most * sizeof(float), "steps of filters, clamped edges");
    for (auto &array : arrays) CMK_CHECK(cudaMalloc(&array, most * sizeof(double)));
    for (auto &level : exact) CMK_CHECK(cudaMalloc((void **)&level, most * sizeof(double)));
    CMK_CHECK(cudaFree(in));
    CMK_CHECK(cudaFree(out));
    in = (float *)arrays[0], out = (float *)arrays[1];
    peak_row();
    copy_row("copy, 2^28 floats", (size_t)line.columns * sizeof(float));
    line_1_row("line r=1, 2^28 floats", line);
    line_2_row("line r=2, 2^28 floats", line);
    line_4_row("line r=4, 2^28 floats", line);
    floats(square, "16384^2");
    floats(odd, "16381 x 16411");
    floats(small, "1080 x 1920");
    copy_row("copy, 12288^2 doubles", (size_t)double_line.columns * sizeof(double));
    double_line_1_row("line r=1, 12288^2 doubles", double_line);
    double_line_2_row("line r=2, 12288^2 doubles", double_line);
    double_blur_1_row("separable r=1, 12288^2 doubles", double_square);
    double_blur_2_row("separable r=2, 12288^2 doubles", double_square);
    double_box_1_row("3x3, 12288^2 doubles", double_square);
    double_box_2_row("5x5, 12288^2 doubles", double_square);
    copy_row("copy, 640^3 floats", (size_t)262144000 * sizeof(float));
    cube_1_row("separable r=1, 640^3 floats", cube);
    copy_row("copy, 512^3 doubles", (size_t)134217728 * sizeof(double));
    double_cube_1_row("separable r=1, 512^3 doubles", double_cube);
    return end();
}
