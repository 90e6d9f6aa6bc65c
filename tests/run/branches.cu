/* Kernels whose partings and bounds are known, for report.py. Only the lines with a mark part a warp. */
#include <cuda_runtime.h>

__global__ void halves(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x;
    if (i >= n) /* MARK ends */
        return;
    if (threadIdx.x % 2) /* MARK odd */
        x = in[i / 2] * 3;
    else
        x = in[i / 3] + 2;
    if (threadIdx.x / 32) out[i + 300] = in[i];
    out[i] = x;
}

__global__ void turns(const float *in, float *out)
{
    float sum = 0;
    for (int k = 0; k < threadIdx.x; ++k) /* MARK turns */
        sum += in[k];
    out[threadIdx.x] = sum;
}

__global__ void halving(float *x)
{
    __shared__ float tile[128];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (threadIdx.x < d) /* MARK halving */
            tile[threadIdx.x] += tile[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) /* MARK first */
        x[0] = tile[0];
}

__device__ __noinline__ float picked(const float *in, int i)
{
    if (i < 4) /* MARK picked */
        return in[i] * in[i + 1];
    return in[2 * i] + 1;
}

__global__ void cases(const float *in, float *out)
{
    const int i = threadIdx.x;
    switch (i % 4) { /* MARK cases */
    case 0:
        out[i] = in[i];
        break;
    case 1:
        out[i + 32] = in[0];
        break;
    case 2:
        out[i] = in[2] * 2;
        break;
    default:
        out[i * 2] = in[i + 5] * in[0];
    }
    out[i] += picked(in, i) + picked(in, i / 2);
}

/* Thread 1 is the first to come to `rest`, by another way than from `past`. */
__global__ void jumps(const float *in, float *out)
{
    const int i = threadIdx.x;
    if (i == 0) { /* MARK zero */
        out[0] = in[0];
    } else {
        out[i] = in[i] * 2;
        if (i > 1) /* MARK past */
            goto rest;
    }
    out[i + 32] = in[i] + 1;
    if (in[1] < i) { /* MARK some */
    rest:
        out[i + 64] = in[2 * i];
    } else {
        out[i + 96] = in[3];
    }
}

__global__ void columns(const float *in, float *out)
{
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void nothing()
{
}

int main()
{
    float *x;
    cudaMalloc(&x, 8192);
    cudaMemset(x, 0, 8192);
    halves<<<4, 64>>>(x, x + 512, 250);
    turns<<<1, 64>>>(x, x + 512);
    halving<<<2, 128>>>(x);
    cases<<<1, 32>>>(x, x + 512);
    jumps<<<1, 32>>>(x, x + 512);
    columns<<<1, dim3(32, 32)>>>(x, x + 1024);
    columns<<<199, dim3(32, 32)>>>(x, x + 1024);
    columns<<<2, dim3(32, 32)>>>(x, x + 1024);
    nothing<<<1, 1>>>();
    return cudaDeviceSynchronize();
}
