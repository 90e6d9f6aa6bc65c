/* bench.h: what the programs of the bench share: random data, errors, and the rows of the table.
 *
 *   begin(argc, argv, bytes, what, columns);     in main, first: the CSV to append to, two buffers, the title;
 *                                                columns: what the CSV has behind those of all programs, ",a,b"
 *   return end();                                last: closes the CSV
 *   copy_row(name, bytes); peak_row();           the rows of the limits, which the rows that follow are shares of
 *   forget_errors(); largest_error(name, most);  around a kernel that calls note_error
 *   row(name, points, bytes, operations, ms, error, load, more);
 *                                                more: text behind the line, and the cells of those columns
 *
 * A row declares its bytes and operations a point; GB/s, the share of the copy (cudaMemcpy of as many bytes), TFLOP/s
 * and the share of the FMA peak follow, both measured by the same program. The limit is what would take longer:
 * the larger share is that of the limit. Times are medians of 31, fewer where these take a quarter of a second. */
#ifndef BENCH_H
#define BENCH_H

#include <math.h>
#include <chrono>
#include <thread>
#include <cmk/cmk.h>

static float *in, *out, copy_gbs, peak_tflops;
static FILE *csv;

template <class T> __global__ void random_fill(T *x, size_t count, unsigned seed)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        unsigned h = (unsigned)i * 2654435761u ^ (unsigned)(i >> 32) ^ seed;
        h = (h ^ h >> 16) * 0x85ebca6bu;
        h = (h ^ h >> 13) * 0xc2b2ae35u;
        x[i] = sizeof(T) == 1 ? (T)(float)(h >> 24) : (T)((float)(h >> 8) / 16777216.0f - 0.5f);
    }
}

/* ---- errors */

__device__ unsigned worst_bits; /* of the largest error noted, a positive float */

static __device__ void note_error(double error)
{
    if (!(error <= 0.0)) atomicMax(&worst_bits, error <= 1e30 ? __float_as_uint((float)error) : 0x7f800000u);
}

/* around a comparison: what it notes is forgotten before it, and ends the program after it where it exceeds most */
static void forget_errors(void)
{
    const unsigned zero = 0;
    CMK_CHECK(cudaMemcpyToSymbol(worst_bits, &zero, sizeof zero));
}

static float largest_error(const char *name, float most)
{
    unsigned bits;
    float worst;
    CMK_CHECK(cudaMemcpyFromSymbol(&bits, worst_bits, sizeof bits));
    memcpy(&worst, &bits, sizeof worst);
    if (!(worst <= most)) {
        fprintf(stderr, "bench: %s is wrong by %g\n", name, worst);
        exit(EXIT_FAILURE);
    }
    return worst;
}

/* ---- rows */

typedef struct {
    int megahertz; /* 0 where nobody asked, or nvidia-smi does not say */
    float watts;
} bench_load;

typedef struct {
    char text[96], cells[96];
} bench_more;

static void row(const char *name, double points, double bytes, double operations, float ms, float error,
                bench_load load = bench_load(), bench_more more = bench_more())
{
    const double gbs = bytes * points / ms * 1e-6, tflops = operations * points / ms * 1e-9;
    const double share = bytes > 0.0 ? 100.0 * gbs / copy_gbs : 0.0;
    const double peak = operations > 0.0 ? 100.0 * tflops / peak_tflops : 0.0;
    char clock[32] = "", cells[32] = ",";
    if (load.megahertz > 0) {
        snprintf(clock, sizeof clock, "  %4d MHz %3.0f W", load.megahertz, load.watts);
        snprintf(cells, sizeof cells, "%d,%.0f", load.megahertz, load.watts);
    }
    printf("%-48s %9.4f ms %8.1f GB/s %6.1f %% %7.2f TFLOP/s %6.1f %%  %.1e%s%s\n", name, ms, gbs, share, tflops, peak,
           error, clock, more.text);
    fflush(stdout);
    if (csv != NULL)
        fprintf(csv, "\"%s\",%.0f,%.5f,%.1f,%.2f,%.3f,%.2f,%.2f,%.2g,%s%s\n", name, points, ms, gbs, share, tflops,
                peak, fmax(share, peak), error, cells, more.cells);
}

/* Waits until the GPU has nothing to do, and 0.25 s more, so that it cools. Clocks fall where a GPU is at the limit of
 * its power: without a rest, a row would depend on the rows before it. */
static inline void rest(void)
{
    CMK_CHECK(cudaDeviceSynchronize());
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
}

/* The rate of cudaMemcpy for this many bytes becomes the measure of the rows that follow. */
static void copy_row(const char *name, size_t bytes)
{
    float ms;
    CMK_CHECK_TIME(ms, 31, cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, 0));
    copy_gbs = (float)(2e-6 * (double)bytes / ms);
    row(name, (double)bytes / 4.0, 8, 0, ms, 0.0f);
}

__global__ void fma_chain(float *x, int steps)
{
    float a[16], b = x[threadIdx.x];
    for (int k = 0; k < 16; ++k) a[k] = (float)k + b;
    for (int s = 0; s < steps; ++s)
#pragma unroll
        for (int k = 0; k < 256; ++k) a[k % 16] = a[k % 16] * b + b;
    for (int k = 1; k < 16; ++k) a[0] += a[k];
    x[blockIdx.x * blockDim.x + threadIdx.x] = a[0];
}

/* The rate of independent FMAs becomes the peak of the rows that follow. */
static void peak_row(void)
{
    int processors;
    float ms;
    CMK_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    const double operations = processors * 8.0 * 256 * 1024 * 256;
    CMK_CHECK_TIME(ms, 31, CMK_LAUNCH(fma_chain, processors * 8, 256, 0, 0, out, 1024));
    peak_tflops = (float)(2e-9 * operations / ms);
    row("peak: independent FMAs", operations, 0, 2, ms, 0.0f);
}

static void begin(int argc, char **argv, size_t bytes, const char *what, const char *columns = "")
{
    cudaDeviceProp device;
    char numbers[160];
    CMK_CHECK(cudaGetDeviceProperties(&device, 0));
    (void)cmk_card_text_(numbers, sizeof numbers, cmk_card_of_(NULL));
    if (argc > 2 || (argc == 2 && (csv = fopen(argv[1], "a")) == NULL)) {
        fprintf(stderr, "usage: %s [CSV], a file to append to\n", argv[0]);
        exit(EXIT_FAILURE);
    }
    if (csv != NULL && fseek(csv, 0, SEEK_END) == 0 && ftell(csv) == 0)
        fprintf(csv,
                "kernel,points,milliseconds,GB/s,percent of copy,TFLOP/s,percent of peak,percent of limit,error,"
                "SM MHz,W%s\n",
                columns);
    CMK_CHECK(cudaMalloc((void **)&in, bytes));
    CMK_CHECK(cudaMalloc((void **)&out, bytes));
    printf("%s, CUDA %d.%d, %s; shares are of the copy and of the FMA peak, errors relative\n", device.name,
           CUDART_VERSION / 1000, CUDART_VERSION / 10 % 100, what);
    printf("%s\n", numbers);
}

/* what main returns */
static int end(void)
{
    return csv != NULL && fclose(csv) != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
