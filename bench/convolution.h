/* convolution.h: random arrays and filters, and the row of a convolution, verified at every point; for the programs
 * that measure convolutions.
 *
 *   begin_convolutions(argc, argv, largest, what);
 *       in main, first: begin, for arrays up to largest, and the row of the peak; a text behind the CSV asks for those
 *       rows alone that hold it
 *   array a = dense(planes, rows, columns);      or pitched(rows, columns): rows of a multiple of 512 bytes
 *   fill<IN>(a);
 *       random in, and the row of the copy of as many bytes
 *   kind_rows<IN>(what, kinds, size, a);
 *       fill, and the row of each of an array of kinds
 *   measure<IN, OUT>(name, a, f, operations, outside, launch);
 *       the row of launch(), which filters in, of shape a, to out by f; outside: ZEROS, CLAMPED as NPP does it, which
 *       truncates to bytes, or WRAPPED
 *   measure_ways<IN, OUT>(name, a, f, operations, outside, launch, plan, march);
 *       the same, and where tensor cores take the plan, by this kernel, that of march(plan) too, by FMAs
 *   PLAN(name, a, channels)
 *       the plan of name's call */
#ifndef BENCH_CONVOLUTION_H
#define BENCH_CONVOLUTION_H

#include <type_traits>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "bench.h"

static const char *wanted = ""; /* in the names of rows */

typedef struct {
    size_t planes, rows, columns, pitch, step; /* elements from row to row and from plane to plane */
} array;

static inline array dense(size_t planes, size_t rows, size_t columns)
{
    return {planes, rows, columns, columns, rows * columns};
}

static inline array pitched(size_t rows, size_t columns)
{
    const size_t pitch = (columns + 127) / 128 * 128;
    return {1, rows, columns, pitch, rows * pitch};
}

typedef struct {
    int planes, rows, columns, channels;
    double rounding; /* of a weight, as a part of it */
    double weights[65 * 65];
} filter;

/* the weights of all programs: both signs, 1021 values; average: positive with the sum 1, for bytes, which saturate */
#define WEIGHT(k) ((float)((k)*389 % 1021 - 510) / 1021.0f + 0.0003f)

static inline void weigh(float *weights, int count, bool average)
{
    double sum = 0.0;
    for (int k = 0; k < count; ++k) sum += fabs(WEIGHT(k));
    for (int k = 0; k < count; ++k) weights[k] = average ? (float)(fabs(WEIGHT(k)) / sum) : WEIGHT(k);
}

static inline filter box(int planes, int rows, int columns, const float *weights)
{
    filter f = {planes, rows, columns, 1, 0.0, {0.0}};
    for (int k = 0; k < planes * rows * columns; ++k) f.weights[k] = weights[k];
    return f;
}

/* the product of a filter of each axis; weights: those down and across, of 3 axes those from plane to plane before */
static inline filter product(int axes, int radius, const float *weights)
{
    const int taps = 2 * radius + 1, planes = axes == 3 ? taps : 1;
    const float *down = weights + (axes - 2) * taps, *across = down + taps;
    filter f = {planes, taps, taps, 1, 0.0, {0.0}};
    for (int k = 0; k < planes * taps * taps; ++k)
        f.weights[k] = (axes == 3 ? weights[k / taps / taps] : 1.0) * down[k / taps % taps] * across[k % taps];
    return f;
}

/* ---- verification: the sum in double over the whole filter, from the formula */

enum { ZEROS, CLAMPED, WRAPPED };

static __device__ filter judge;

/* where the sample at i of so many is */
static __device__ long long inside(long long i, long long count, int outside)
{
    return outside == WRAPPED ? (i + count) % count : min(max(i, 0ll), count - 1);
}

template <class IN, class OUT> __global__ void compare(const IN *x, const OUT *y, array a, int outside)
{
    const long long planes = (long long)a.planes, rows = (long long)a.rows, columns = (long long)a.columns;
    const int channels = judge.channels, least = (OUT)-1 < (OUT)0 ? -32768 : 0, most = sizeof(OUT) == 1 ? 255 : 32767;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < planes * rows * columns;
         i += (long long)gridDim.x * blockDim.x) {
        const long long plane = i / (rows * columns), row = i / columns % rows, column = i % columns;
        double sum = 0.0, scale = 1e-30;
        int k = 0;
        for (int p = 0; p < judge.planes; ++p)
            for (int r = 0; r < judge.rows; ++r)
                for (int c = 0; c < judge.columns; ++c, ++k) {
                    const long long at[] = {plane + p - judge.planes / 2, row + r - judge.rows / 2,
                                            column / channels + c - judge.columns / 2};
                    const long long near[] = {inside(at[0], planes, outside), inside(at[1], rows, outside),
                                              inside(at[2], columns / channels, outside)};
                    if (outside == ZEROS && (at[0] != near[0] || at[1] != near[1] || at[2] != near[2])) continue;
                    const IN sample = x[near[0] * (long long)a.step + near[1] * (long long)a.pitch +
                                        near[2] * channels + column % channels];
                    const double term = judge.weights[k] * (double)(float)sample;
                    sum += term, scale += fabs(term);
                }
        if (std::is_integral<OUT>::value) sum = fmin(fmax(sum, (double)least), (double)most), scale = 255.0;
        note_error(fabs((double)(float)y[plane * a.step + row * a.pitch + column] - sum) / scale);
    }
}

/* the rounding of a result, in the units of compare */
template <class OUT> static double rounding(int outside)
{
    if (std::is_integral<OUT>::value) return (outside == CLAMPED ? 1.0 : 0.5) / 255.0;
    return std::is_same<OUT, half>::value ? 0x1p-11 : std::is_same<OUT, __nv_bfloat16>::value ? 0x1p-8 : 0x1p-24;
}

/* ---- rows */

template <class IN> static void fill(array a)
{
    const size_t count = a.planes * a.step;
    char name[64];
    CMK_CHECK(CMK_LAUNCH(random_fill<IN>, 2048, 256, 0, 0, (IN *)in, count, 20263u));
    snprintf(name, sizeof name, "copy: %zu bytes", a.planes * a.rows * a.columns * sizeof(IN));
    copy_row(name, a.planes * a.rows * a.columns * sizeof(IN));
}

/* What a row at the FMA limit may stand at besides: the power limit, on which its time depends. */
typedef struct {
    bench_load load;
    float burst, sustained; /* milliseconds: after a rest of 0.25 s, and after 0.3 s of load */
} power_state;

/* the median of 7 launches after a rest */
template <class LAUNCH> static float after_rest(LAUNCH launch)
{
    float ms;
    rest();
    CMK_CHECK_TIME(ms, 7, launch());
    return ms;
}

/* Launches of ms milliseconds for 0.3 s, then for 0.1 s, whose mean is `sustained`, and while these run asks nvidia-smi
 * for the SM clock and the power. */
template <class LAUNCH> static power_state under_load(LAUNCH launch, float ms)
{
    power_state state = {{0, 0.0f}, after_rest(launch), 0.0f};
    char bus[32], command[160];
    int count = 0;
    cudaEvent_t first, last;
    CMK_CHECK(cudaEventCreate(&first));
    CMK_CHECK(cudaEventCreate(&last));
    CMK_CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    snprintf(command, sizeof command,
             "nvidia-smi -i %s --query-gpu=clocks.sm,power.draw.instant --format=csv,noheader,nounits 2>&1", bus);
    for (float spent = 0.0f; spent < 300.0f; spent += ms) CMK_CHECK(launch());
    CMK_CHECK(cudaDeviceSynchronize());
    CMK_CHECK(cudaEventRecord(first, 0));
    for (; (float)count * ms < 100.0f; ++count) CMK_CHECK(launch());
    CMK_CHECK(cudaEventRecord(last, 0));
    FILE *pipe = popen(command, "r");
    if (pipe != NULL && fscanf(pipe, "%d, %f", &state.load.megahertz, &state.load.watts) != 2) state.load.megahertz = 0;
    if (pipe != NULL) pclose(pipe);
    CMK_CHECK(cudaEventSynchronize(last));
    CMK_CHECK(cudaEventElapsedTime(&state.sustained, first, last));
    state.sustained /= (float)count;
    CMK_CHECK(cudaEventDestroy(first));
    CMK_CHECK(cudaEventDestroy(last));
    return state;
}

/* operations: of a point, two a tap; as many roundings to float may stand in its sum; loads: whether to load the GPU
 * with it though it is not at the FMA limit */
template <class IN, class OUT, class LAUNCH>
static void measure(const char *name, array a, const filter &f, int operations, int outside, LAUNCH launch,
                    bool loads = false)
{
    const double points = (double)(a.planes * a.rows * a.columns), bytes = sizeof(IN) + sizeof(OUT);
    const auto kernel = compare<IN, OUT>;
    power_state state = {{0, 0.0f}, 0.0f, 0.0f};
    bench_more more = {"", ",,"};
    float ms, error;
    if (strstr(name, wanted) == NULL) return;
    CMK_CHECK(cudaMemcpyToSymbol(judge, &f, sizeof f));
    CMK_CHECK(cudaMemset(out, 0xFF, a.planes * a.step * sizeof(OUT)));
    CMK_CHECK(launch());
    forget_errors();
    CMK_CHECK(CMK_LAUNCH(kernel, 8192, 256, 0, 0, (const IN *)in, (const OUT *)out, a, outside));
    error = largest_error(name, (float)(operations * 0x1p-24 + rounding<OUT>(outside) + f.rounding));
    CMK_CHECK_TIME(ms, 31, launch());
    if (loads || operations * 1e-3 / peak_tflops > bytes / copy_gbs) {
        state = under_load(launch, ms);
        snprintf(more.text, sizeof more.text, "  burst %.4f, sustained %.4f ms", state.burst, state.sustained);
        snprintf(more.cells, sizeof more.cells, ",%.5f,%.5f", state.burst, state.sustained);
    }
    row(name, points, bytes, operations, ms, error, state.load, more);
}

/* plan, march, takes: a call of these types and tables for an array of in, its launches, and whether tensor cores take
 * it */
#define WAYS(name, IN, OUT, a, channels, ...)                                                                          \
    [=] {                                                                                                              \
        name##_call call;                                                                                              \
        CMK_CHECK(name##_plan(&call, NULL, (const IN *)in, a.pitch, (OUT *)out, a.pitch, a.rows,                       \
                              a.columns / (channels), __VA_ARGS__));                                                   \
        return call;                                                                                                   \
    },                                                                                                                 \
        [](name##_call call) { return name##_launch_(&call, 0); },                                                     \
        [](name##_call call) { return name##_next(&call) && call.engine_.way == cmk_image_tensor_kernel_; }

template <class IN, class OUT, class LAUNCH, class PLAN, class MARCH, class TAKES>
static void measure_ways(const char *name, array a, const filter &f, int operations, int outside, LAUNCH launch,
                         PLAN plan, MARCH march, TAKES takes_it)
{
    char old[96];
    auto call = plan();
    const bool takes = takes_it(call), loads = takes && a.rows * a.columns >= 1u << 27;
    measure<IN, OUT>(name, a, f, operations, outside, launch, loads);
    snprintf(old, sizeof old, "%s, by FMAs", name);
    call.engine_.begun = 1; /* its way is the first */
    if (takes)
        measure<IN, OUT>(
            old, a, f, operations, outside, [=] { return march(call); }, loads);
}

/* a filter and its row, for an array of in; the rows of all kinds of a list, for one array */
struct kind {
    const char *name;
    void (*row)(const char *, array);
};

template <class IN, size_t N> static void kind_rows(const char *what, const kind (&kinds)[N], const char *size, array a)
{
    char name[64];
    fill<IN>(a);
    for (const kind &k : kinds) {
        snprintf(name, sizeof name, "%s %s, %s", what, k.name, size);
        k.row(name, a);
    }
}

static void begin_convolutions(int argc, char **argv, array largest, const char *what)
{
    if (argc == 3) wanted = argv[--argc];
    begin(argc, argv, largest.planes * largest.step * sizeof(float), what, ",burst ms,sustained ms");
    printf("a burst: after a rest of 0.25 s; sustained, clock and power: after 0.3 s of launches; of rows at the FMA\n"
           "limit, and of large images by tensor cores\n");
    peak_row();
}

#endif
