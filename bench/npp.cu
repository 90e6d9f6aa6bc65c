/* npp: times the filters of NPP on random data, each verified at every point before it is timed. NPP, which comes with
 * the CUDA toolkit, is the fastest peer of small filters; it clamps at the edges and truncates to bytes.
 *
 *   usage: npp [CSV]        prints the table; CSV is a file to append it to as well
 *   build: nvcc -std=c++17 -O3 -arch=native -Iinclude -o npp bench/npp.cu -lnppif -lnppc */
#include "convolution.h"
#include <npp.h>

static NppStreamContext context;

static cudaError_t done(NppStatus status)
{
    if (status != NPP_SUCCESS) fprintf(stderr, "npp: status %d\n", (int)status);
    return status == NPP_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

/* NPP takes the weights in device memory, the last first */
static void upload(float *device, const float *weights, int count)
{
    float reversed[15 * 15];
    for (int k = 0; k < count; ++k) reversed[k] = weights[count - 1 - k];
    CMK_CHECK(cudaMemcpy(device, reversed, count * sizeof(float), cudaMemcpyHostToDevice));
}

/* call: (source, its step in bytes, result, its step, size, kernel, size of the kernel, its anchor), all as NPP has it,
 * of so many channels */
template <class T, class CALL>
static void filter_row(const char *kind, const char *size, array a, int n, CALL call, int channels = 1)
{
    const NppiSize taps = {n, n};
    const NppiPoint anchor = {n / 2, n / 2};
    const int step = (int)(a.pitch * sizeof(T));
    float weights[15 * 15], *kernel;
    char name[64];
    snprintf(name, sizeof name, "NPP: conv2d %dx%d%s, %s", n, n, kind, size);
    weigh(weights, n * n, sizeof(T) == 1);
    CMK_CHECK(cudaMalloc((void **)&kernel, sizeof weights));
    upload(kernel, weights, n * n);
    filter f = box(1, n, n, weights);
    f.channels = channels;
    measure<T, T>(name, a, f, 2 * n * n, CLAMPED, [=] {
        const NppiSize area = {(int)a.columns / channels, (int)a.rows};
        return done(call((const T *)in, step, area, NppiPoint{0, 0}, (T *)out, step, area, kernel, taps, anchor,
                         NPP_BORDER_REPLICATE, context));
    });
    CMK_CHECK(cudaFree(kernel));
}

static void separable_row(const char *name, array a, int radius)
{
    const int taps = 2 * radius + 1, step = (int)(a.pitch * sizeof(float));
    const NppiSize area = {(int)a.columns, (int)a.rows};
    const NppiPoint origin = {0, 0};
    float weights[2 * 65], *kernel, *between;
    weigh(weights, 2 * taps, false);
    CMK_CHECK(cudaMalloc((void **)&kernel, 2 * taps * sizeof(float)));
    CMK_CHECK(cudaMalloc((void **)&between, a.step * sizeof(float)));
    upload(kernel, weights, taps);
    upload(kernel + taps, weights + taps, taps);
    measure<float, float>(name, a, product(2, radius, weights), 4 * taps, CLAMPED, [=] {
        const NppStatus status = nppiFilterRowBorder_32f_C1R_Ctx(
            in, step, area, origin, between, step, area, kernel + taps, taps, radius, NPP_BORDER_REPLICATE, context);
        if (status != NPP_SUCCESS) return done(status);
        return done(nppiFilterColumnBorder_32f_C1R_Ctx(between, step, area, origin, out, step, area, kernel, taps,
                                                       radius, NPP_BORDER_REPLICATE, context));
    });
    CMK_CHECK(cudaFree(kernel));
    CMK_CHECK(cudaFree(between));
}

static void bytes(const char *size, array grey, array rgb)
{
    fill<unsigned char>(grey);
    for (int n : {3, 5, 7, 9}) filter_row<unsigned char>(" bytes", size, grey, n, nppiFilterBorder32f_8u_C1R_Ctx);
    fill<unsigned char>(rgb);
    for (int n : {3, 5}) filter_row<unsigned char>(" RGB bytes", size, rgb, n, nppiFilterBorder32f_8u_C3R_Ctx, 3);
}

static void floats(const char *size, array a)
{
    fill<float>(a);
    for (int n : {3, 5, 7, 9, 11, 15}) filter_row<float>("", size, a, n, nppiFilterBorder_32f_C1R_Ctx);
}

int main(int argc, char **argv)
{
    const array square = dense(1, 16384, 16384), odd = pitched(16381, 16411);
    cudaDeviceProp device;
    begin_convolutions(argc, argv, odd, "NPP: convolutions of float, clamped outside, unless it says otherwise");
    CMK_CHECK(cudaGetDeviceProperties(&device, 0));
    context.nMultiProcessorCount = device.multiProcessorCount;
    context.nMaxThreadsPerMultiProcessor = device.maxThreadsPerMultiProcessor;
    context.nMaxThreadsPerBlock = device.maxThreadsPerBlock;
    context.nSharedMemPerBlock = device.sharedMemPerBlock;
    context.nCudaDevAttrComputeCapabilityMajor = device.major;
    context.nCudaDevAttrComputeCapabilityMinor = device.minor;
    floats("8192^2", dense(1, 8192, 8192));
    floats("16381 x 16411 pitched", odd);
    floats("16384^2", square);
    separable_row("NPP: separable r=1, 16384^2", square, 1);
    separable_row("NPP: separable r=2, 16384^2", square, 2);
    separable_row("NPP: separable r=4, 16384^2", square, 4);
    separable_row("NPP: separable r=8, 16384^2", square, 8);
    separable_row("NPP: separable r=16, 16384^2", square, 16);
    fill<half>(square);
    const auto half_filter = [](const half *x, int x_step, NppiSize size, NppiPoint from, half *y, int y_step,
                                NppiSize area, const float *kernel, NppiSize taps, NppiPoint anchor,
                                NppiBorderType border, NppStreamContext c) {
        return nppiFilterBorder32f_16f_C1R_Ctx((const Npp16f *)x, x_step, size, from, (Npp16f *)y, y_step, area, kernel,
                                               taps, anchor, border, c);
    };
    for (int n : {3, 5}) filter_row<half>(" half", "16384^2", square, n, half_filter);
    bytes("16384^2", square, {1, 16384, 16383, 16384, (size_t)16384 * 16384});
    bytes("8192^2", dense(1, 8192, 8192), {1, 8192, 8190, 8192, (size_t)8192 * 8192});
    bytes("1080p", dense(1, 1080, 1920), dense(1, 1080, 5760));
    return end();
}
