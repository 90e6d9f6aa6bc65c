/* Dynamic shared memory: of a block, of file scope, of two types under one name; more of it than a launch has by
 * itself. */
#include <cuda_runtime.h>
#include "check.h"

enum { COUNT = 64, LARGE = 60000 };

extern __shared__ int whole[];

__global__ void reverse(int *x)
{
    whole[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = whole[blockDim.x - 1 - threadIdx.x];
}

__device__ int first_of(const int *whole)
{
    return whole[0];
}

template <typename T> __global__ void running(T *x)
{
    extern __shared__ __align__(16) unsigned char bytes[];
    T *const sums = reinterpret_cast<T *>(bytes);
    sums[threadIdx.x] = x[threadIdx.x];
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        __syncthreads();
        const T before = threadIdx.x >= step ? sums[threadIdx.x - step] : T(0);
        __syncthreads();
        sums[threadIdx.x] += before;
    }
    x[threadIdx.x] = sums[threadIdx.x];
}

__global__ void rows(double *x)
{
    extern __shared__ double bytes[][4];
    bytes[threadIdx.x][0] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = bytes[threadIdx.x ^ 1][0];
    __syncthreads();
    if (threadIdx.x == 0) whole[0] = 7, x[0] += first_of(whole) - 7;
}

int main()
{
    int host[COUNT], *x;
    double wide[COUNT], *y;
    for (int i = 0; i < COUNT; i++) host[i] = i * i;
    for (int i = 0; i < COUNT; i++) wide[i] = 1.0 / (i + 1);
    CHECK(cudaMalloc(&x, sizeof host));
    CHECK(cudaMalloc(&y, sizeof wide));
    CHECK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(y, wide, sizeof wide, cudaMemcpyHostToDevice));
    reverse<<<1, COUNT, COUNT * sizeof(int)>>>(x);
    running<<<1, COUNT, COUNT * sizeof(double)>>>(y);
    CHECK(cudaFuncSetAttribute(running<int>, cudaFuncAttributeMaxDynamicSharedMemorySize, LARGE));
    running<<<1, COUNT, LARGE>>>(x);
    rows<<<1, COUNT, COUNT * 4 * sizeof(double)>>>(y);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(wide, y, sizeof wide, cudaMemcpyDeviceToHost));
    int right = 1;
    double sum = 0.0, sums[COUNT + 1] = {0};
    for (int i = 0; i < COUNT; i++) sums[i + 1] = sums[i] + 1.0 / (i + 1);
    for (int i = 0; i < COUNT; i++) {
        sum += (COUNT - 1 - i) * (COUNT - 1 - i);
        right &= near_enough("sums of integers", i, host[i], sum);
        right &= near_enough("sums of doubles", i, wide[i], sums[(i ^ 1) + 1]);
    }
    puts(right ? "right" : "wrong");
    return !right;
}
