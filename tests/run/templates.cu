/* Kernels that are templates: arguments given, deduced, in part; overloads, defaults, pointers, packs, macros. */
#include <cuda_runtime.h>
#include "check.h"

#define COUNT 100
#define GO(kernel, ...) kernel<<<(COUNT + 31) / 32, 32>>>(__VA_ARGS__)

template <typename T, int FACTOR> __global__ void scale(T *x, T offset, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i] = x[i] * FACTOR + offset;
}

template <int TIMES, class T> __global__ void add(T *x, const T *other, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count && other) x[i] += TIMES * other[i];
    if (i < count && !other) x[i] += TIMES;
}

__global__ void twice(float *x, int count = COUNT)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i] *= 2;
}

__global__ void twice(double *x, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i] *= 2;
}

struct affine {
    float factor, offset;
    __host__ __device__ float operator()(float x) const
    {
        return factor * x + offset;
    }
};

template <class F> __global__ void apply(F f, float *x, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i] = f(x[i]);
}

template <class... A> void launch(void (*kernel)(A...), dim3 grid, dim3 block, A... arguments)
{
    kernel<<<grid, block>>>(arguments...);
}

int main()
{
    float *x, host[COUNT];
    double *wide;
    CHECK(cudaMalloc((void **)&x, sizeof host));
    CHECK(cudaMalloc((void **)&wide, COUNT * sizeof *wide));
    for (int i = 0; i < COUNT; i++) host[i] = (float)i;
    CHECK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(wide, 0, COUNT * sizeof *wide));

    dim3 block(32), grid((COUNT + block.x - 1) / block.x);
    scale<float, 3><<<grid, block>>>(x, 1.0f, COUNT);                /* 3 i + 1 */
    add<2><<<grid, block, 0, 0>>>(x, (const float *)nullptr, COUNT); /* 3 i + 3 */
    add<1, float><<<grid, block>>>(x, 0, COUNT);                     /* 3 i + 4 */
    add<1, float><<<grid, block>>>(x, x, COUNT);                     /* 6 i + 8 */
    twice<<<grid, block>>>(x);                                       /* 12 i + 16 */
    twice<<<grid, block>>>(wide, COUNT);
    apply<<<grid, block>>>(affine{0.5f, -8.0f}, x, COUNT); /* 6 i */
    GO(apply, affine{1.0f, 2.0f}, x, COUNT);               /* 6 i + 2 */
    launch(scale<float, 2>, grid, block, x, -4.0f, COUNT); /* 12 i */
    void (*const chosen[])(float *, float, int) = {scale<float, 1>, scale<float, 5>};
    chosen[1]<<<grid, block>>>(x, 0.0f, COUNT); /* 60 i */
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    int right = 1;
    for (int i = 0; i < COUNT; i++) right &= near_enough("templates", i, host[i], 60.0 * i);

    scale<float, 3><<<grid, 2048>>>(x, 1.0f, COUNT); /* too many threads: the error of the launch is the last one */
    if (cudaGetLastError() == cudaSuccess || cudaGetLastError() != cudaSuccess) right = 0;
    CHECK(cudaFree(x));
    puts(right ? "right" : "wrong");
    return !right;
}
