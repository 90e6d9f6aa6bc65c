/* Constant memory, streams and a lambda that a kernel is given: a stencil of the parts of a line, one stream each. */
#include <cuda_runtime.h>
#include "check.h"

#define RADIUS 2
#define COUNT 96
#define PARTS 3

__constant__ float taps[2 * RADIUS + 1];
__device__ int calls;

__global__ void stencil(const float *in, float *out, int first, int count)
{
    const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    if (threadIdx.x == 0) atomicAdd(&calls, 1);
    if (i >= first + count) return;
    for (int k = -RADIUS; k <= RADIUS; k++) {
        const int at = i + k;
        if (at >= 0 && at < COUNT) sum += taps[k + RADIUS] * in[at];
    }
    out[i] = sum;
}

template <class F> __global__ void each(float *x, F f)
{
    x[threadIdx.x] = f(x[threadIdx.x], threadIdx.x);
}

int main()
{
    const float weights[2 * RADIUS + 1] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
    float *pinned, *in, *out;
    cudaStream_t streams[PARTS];
    CHECK(cudaMallocHost((void **)&pinned, COUNT * sizeof(float)));
    CHECK(cudaMalloc((void **)&in, COUNT * sizeof(float)));
    CHECK(cudaMalloc((void **)&out, COUNT * sizeof(float)));
    CHECK(cudaMemcpyToSymbol(taps, weights, sizeof weights));
    for (int i = 0; i < COUNT; i++) pinned[i] = (float)(i % 11);
    CHECK(cudaMemcpy(in, pinned, COUNT * sizeof(float), cudaMemcpyHostToDevice));
    for (int part = 0; part < PARTS; part++) {
        const int first = part * (COUNT / PARTS);
        CHECK(cudaStreamCreate(&streams[part]));
        stencil<<<dim3(2, 1, 1), 16, 0, streams[part]>>>(in, out, first, COUNT / PARTS);
        CHECK(cudaMemcpyAsync(pinned + first, out + first, COUNT / PARTS * sizeof(float), cudaMemcpyDeviceToHost,
                              streams[part]));
    }
    CHECK(cudaDeviceSynchronize());
    int right = 1, called = 0;
    for (int i = 0; i < COUNT; i++) {
        double sum = 0.0;
        for (int k = -RADIUS; k <= RADIUS; k++)
            if (i + k >= 0 && i + k < COUNT) sum += (double)weights[k + RADIUS] * ((i + k) % 11);
        right &= near_enough("stencil", i, pinned[i], sum);
    }
    CHECK(cudaMemcpyFromSymbol(&called, calls, sizeof called));
    right &= near_enough("calls", 0, called, 2 * PARTS);
    const float more = 0.5f;
    each<<<1, COUNT>>>(in, [=] __device__(float x, int i) { return x + more * i; });
    CHECK(cudaMemcpy(pinned, in, COUNT * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++) right &= near_enough("lambda", i, pinned[i], i % 11 + 0.5 * i);
    puts(right ? "right" : "wrong");
    return !right;
}
