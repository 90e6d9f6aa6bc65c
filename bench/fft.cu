/* fft: times large filters by cuFFT on random data, verified at every point before they are timed. cuFFT, which comes
 * with the CUDA toolkit, is the fastest peer of large filters; edges wrap, and the filter's transform is made before.
 *
 *   usage: fft [CSV]        prints the table; CSV is a file to append it to as well
 *   build: nvcc -std=c++17 --extended-lambda -O3 -arch=native -Iinclude -o fft bench/fft.cu -lcufft */
#include "convolution.h"
#include <cufft.h>

static void done(cufftResult result, const char *what)
{
    if (result == CUFFT_SUCCESS) return;
    fprintf(stderr, "fft: %s: result %d\n", what, (int)result);
    exit(EXIT_FAILURE);
}

/* a filter as an image of so many rows and columns, around the first element; what is not of it is 0 */
__global__ void place(float *image, const float *weights, int taps, int rows, int columns)
{
    const int r = (int)blockIdx.x, c = (int)threadIdx.x, half = taps / 2;
    image[(size_t)((r - half + rows) % rows) * columns + (size_t)((c - half + columns) % columns)] =
        weights[r * taps + c];
}

/* by the conjugate of the filter's transform: a correlation */
__global__ void multiply(cufftComplex *spectrum, const cufftComplex *filter_spectrum, size_t count, float scale)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        const cufftComplex a = spectrum[i], b = filter_spectrum[i];
        spectrum[i] = {(a.x * b.x + a.y * b.y) * scale, (a.y * b.x - a.x * b.y) * scale};
    }
}

static void row_of(int n, array a, const char *size)
{
    const size_t count = a.rows * (a.columns / 2 + 1);
    const float scale = 1.0f / (float)(a.rows * a.columns);
    float weights[33 * 33], *device_weights;
    cufftComplex *spectrum, *filter_spectrum;
    cufftHandle forward, back;
    char name[64];
    snprintf(name, sizeof name, "cuFFT: conv2d %dx%d, %s", n, n, size);
    weigh(weights, n * n, false);
    done(cufftPlan2d(&forward, (int)a.rows, (int)a.columns, CUFFT_R2C), "a plan");
    done(cufftPlan2d(&back, (int)a.rows, (int)a.columns, CUFFT_C2R), "a plan");
    CMK_CHECK(cudaMalloc((void **)&device_weights, sizeof weights));
    CMK_CHECK(cudaMalloc((void **)&spectrum, count * sizeof *spectrum));
    CMK_CHECK(cudaMalloc((void **)&filter_spectrum, count * sizeof *filter_spectrum));
    CMK_CHECK(cudaMemcpy(device_weights, weights, (size_t)(n * n) * sizeof *weights, cudaMemcpyHostToDevice));
    CMK_CHECK(cudaMemset(out, 0, a.step * sizeof *out));
    CMK_CHECK(CMK_LAUNCH(place, n, n, 0, 0, out, device_weights, n, (int)a.rows, (int)a.columns));
    done(cufftExecR2C(forward, out, filter_spectrum), "the filter's transform");
    measure<float, float>(name, a, box(1, n, n, weights), 2 * n * n, WRAPPED, [=] {
        done(cufftExecR2C(forward, in, spectrum), "a transform");
        const cudaError_t error = CMK_LAUNCH(multiply, 4096, 256, 0, 0, spectrum, filter_spectrum, count, scale);
        done(cufftExecC2R(back, spectrum, out), "a transform back");
        return error;
    });
    done(cufftDestroy(forward), "a plan");
    done(cufftDestroy(back), "a plan");
    CMK_CHECK(cudaFree(device_weights));
    CMK_CHECK(cudaFree(spectrum));
    CMK_CHECK(cudaFree(filter_spectrum));
}

int main(int argc, char **argv)
{
    const array square = dense(1, 16384, 16384), quarter = dense(1, 8192, 8192);
    begin_convolutions(argc, argv, square, "cuFFT: convolutions of float, wrapped outside");
    fill<float>(square);
    row_of(15, square, "16384^2");
    row_of(33, square, "16384^2");
    fill<float>(quarter);
    row_of(33, quarter, "8192^2");
    return end();
}
