#pragma once
#include "../check.h"
#include <cuda_runtime.h>

__device__ __forceinline__ float warp_sum(float value)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

__global__ void block_sums(const float *x, int count, float *sums)
{
    __shared__ float of_warp[32];
    const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) sum += x[i];
    sum = warp_sum(sum);
    if (lane == 0) of_warp[warp] = sum;
    __syncthreads();
    sum = threadIdx.x < blockDim.x / warpSize ? of_warp[lane] : 0.0f;
    if (warp == 0) sum = warp_sum(sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

static inline float sum_of(const float *x, int count)
{
    const int blocks = 4, threads = 128;
    float *in, *sums, sum;
    CHECK(cudaMalloc((void **)&in, count * sizeof *in));
    CHECK(cudaMalloc((void **)&sums, blocks * sizeof *sums));
    CHECK(cudaMemcpy(in, x, count * sizeof *in, cudaMemcpyHostToDevice));
    block_sums<<<blocks, threads>>>(in, count, sums);
    block_sums<<<1, 32>>>(sums, blocks, sums);
    CHECK(cudaMemcpy(&sum, sums, sizeof sum, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(sums));
    return sum;
}
