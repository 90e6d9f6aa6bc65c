/* Plain kernels whose arrays are larger than an L1, and some larger than an L2, for the cache model of a report
 * (tests/model/large.py). usage: large lists the kernels; large all|KERNEL runs them, each in one launch. */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#define I (int)(blockIdx.x * blockDim.x + threadIdx.x)
#define X (int)(blockIdx.x * blockDim.x + threadIdx.x)
#define Y (int)(blockIdx.y * blockDim.y + threadIdx.y)
#define Z (int)(blockIdx.z * blockDim.z + threadIdx.z)

/* ---- Each word once */
__global__ void copy(const float *in, float *out, int n)
{
    if (I < n) out[I] = in[I];
}

__global__ void copy_strided(const float *in, float *out, int n)
{
    if (I < n) out[I] = in[I * 16];
}

__global__ void scale_in_place(const float *in, float *out, int n)
{
    if (I < n) out[I] = 0.5f * out[I];
}

__global__ void partial_writes(const float *in, float *out, int n)
{
    if (I < n) out[I * 8] = (float)I;
}

/* ---- Neighbours */
__global__ void column_walk(const float *in, float *out, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++) sum += in[I * n + k];
    out[I] = sum;
}

__global__ void transpose_naive(const float *in, float *out, int n)
{
    out[X * n + Y] = in[Y * n + X];
}

__global__ void transpose_tiled(const float *in, float *out, int n)
{
    __shared__ float tile[32][33];
    for (int k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = in[(blockIdx.y * 32 + threadIdx.y + k) * n + X];
    __syncthreads();
    for (int k = 0; k < 32; k += 8)
        out[(blockIdx.x * 32 + threadIdx.y + k) * n + blockIdx.y * 32 + threadIdx.x] =
            tile[threadIdx.x][threadIdx.y + k];
}

__device__ void five_points(const float *in, float *out, int n)
{
    const int at = Y * n + X;
    if (X > 0 && X < n - 1 && Y > 0 && Y < (int)(gridDim.y * blockDim.y) - 1)
        out[at] = 0.5f * in[at] + 0.125f * (in[at - 1] + in[at + 1] + in[at - n] + in[at + n]);
}

__global__ void stencil_2d_32x8(const float *in, float *out, int n)
{
    five_points(in, out, n);
}

__global__ void stencil_2d_16x16(const float *in, float *out, int n)
{
    five_points(in, out, n);
}

__global__ void stencil_2d_256x1(const float *in, float *out, int n)
{
    five_points(in, out, n);
}

__global__ void stencil_2d_8x64(const float *in, float *out, int n)
{
    five_points(in, out, n);
}

__global__ void stencil_3d(const float *in, float *out, int n)
{
    const int at = (Z * n + Y) * n + X, plane = n * n;
    if (X > 0 && X < n - 1 && Y > 0 && Y < n - 1 && Z > 0 && Z < n - 1)
        out[at] = 0.4f * in[at] +
                  0.1f * (in[at - 1] + in[at + 1] + in[at - n] + in[at + n] + in[at - plane] + in[at + plane]);
}

/* ---- Products of matrices with n columns; the inner sum has 64 terms */
__global__ void matmul_naive(const float *in, float *out, int n)
{
    const float *a = in, *b = in + n * n;
    float sum = 0;
    for (int k = 0; k < 64; k++) sum += a[Y * n + k] * b[k * n + X];
    out[Y * n + X] = sum;
}

__global__ void matmul_tiled(const float *in, float *out, int n)
{
    __shared__ float tile_a[16][16], tile_b[16][16];
    const float *a = in, *b = in + n * n;
    float sum = 0;
    for (int first = 0; first < 64; first += 16) {
        tile_a[threadIdx.y][threadIdx.x] = a[Y * n + first + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + X];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    out[Y * n + X] = sum;
}

/* ---- Random places of a table of n words */
__device__ unsigned random_of(unsigned i)
{
    i = (i ^ i >> 16) * 0x7feb352du;
    i = (i ^ i >> 15) * 0x846ca68bu;
    return i ^ i >> 16;
}

__global__ void gather(const float *in, float *out, int n)
{
    out[I] = in[random_of(I) % n];
}

__global__ void scatter(const float *in, float *out, int n)
{
    out[random_of(I) % n] = in[I];
}

__global__ void histogram(const float *in, float *out, int n)
{
    atomicAdd(&out[random_of(I) % n], in[I]);
}

/* ---- The same words again: n of 16 bytes */
__device__ float sum_of(float4 word)
{
    return word.x + word.y + word.z + word.w;
}

__device__ void passes_of_block(const float *in, float *out, int n, int passes)
{
    const float4 *own = (const float4 *)in + blockIdx.x * n;
    float sum = 0;
    for (int pass = 0; pass < passes; pass++)
        for (int k = threadIdx.x; k < n; k += blockDim.x) sum += sum_of(own[k]);
    out[I] = sum;
}

__global__ void block_passes_fit(const float *in, float *out, int n)
{
    passes_of_block(in, out, n, 8);
}

__global__ void block_passes_too_large(const float *in, float *out, int n)
{
    passes_of_block(in, out, n, 4);
}

/* a block reads in each pass what other blocks have read before */
__device__ void passes_of_grid(const float *in, float *out, int n, int passes)
{
    float sum = 0;
    for (int pass = 0; pass < passes; pass++) {
        const int block = (blockIdx.x + 37 * pass) % gridDim.x;
        for (int k = block * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x)
            sum += sum_of(((const float4 *)in)[k]);
    }
    out[I] = sum;
}

__global__ void passes_20_mb(const float *in, float *out, int n)
{
    passes_of_grid(in, out, n, 4);
}

__global__ void passes_100_mb(const float *in, float *out, int n)
{
    passes_of_grid(in, out, n, 2);
}

/* clang-format off */
#define KERNELS(K) \
    K(copy, 32768, 256, 8 << 20) K(copy_strided, 4096, 256, 1 << 20) K(scale_in_place, 16384, 256, 4 << 20) \
    K(partial_writes, 16384, 256, 4 << 20) K(column_walk, 256, 256, 64) \
    K(transpose_naive, dim3(64, 256), dim3(32, 8), 2048) K(transpose_tiled, dim3(64, 64), dim3(32, 8), 2048) \
    K(stencil_2d_32x8, dim3(64, 128), dim3(32, 8), 2048) K(stencil_2d_16x16, dim3(128, 64), dim3(16, 16), 2048) \
    K(stencil_2d_256x1, dim3(8, 1024), 256, 2048) K(stencil_2d_8x64, dim3(256, 16), dim3(8, 64), 2048) \
    K(stencil_3d, dim3(4, 32, 32), dim3(32, 4, 4), 128) K(matmul_naive, dim3(32, 16), dim3(32, 16), 1024) \
    K(matmul_tiled, dim3(64, 16), dim3(16, 16), 1024) K(gather, 8192, 256, 30 << 20) \
    K(scatter, 8192, 256, 16 << 20) K(histogram, 8192, 256, 4 << 20) K(block_passes_fit, 264, 1024, 2048) \
    K(block_passes_too_large, 66, 1024, 20480) K(passes_20_mb, 264, 1024, 1310720) \
    K(passes_100_mb, 264, 1024, 6553600)
/* clang-format on */

enum { COUNT = 32 << 20, SHOWN = 1 << 20 };

int main(int count, char **words)
{
    static float host[COUNT];
    float *in, *out;
    if (cudaMalloc(&in, sizeof host) != cudaSuccess || cudaMalloc(&out, sizeof host) != cudaSuccess) return 1;
    for (int k = 0; k < COUNT; k++) host[k] = (float)(k * 5 % 1021) / 1024;
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
#define RUN(name, grid, block, n)                                                                                      \
    if (count < 2) {                                                                                                   \
        puts(#name);                                                                                                   \
    } else if (strcmp(words[1], "all") == 0 || strcmp(words[1], #name) == 0) {                                         \
        cudaMemset(out, 0, SHOWN * sizeof(float));                                                                     \
        name<<<grid, block>>>(in, out, n);                                                                             \
        cudaMemcpy(host, out, SHOWN * sizeof(float), cudaMemcpyDeviceToHost);                                          \
        double sum = 0;                                                                                                \
        for (int k = 0; k < SHOWN; k++) sum += host[k];                                                                \
        printf("%s %.6g\n", #name, sum);                                                                               \
    }
    KERNELS(RUN)
    return cudaDeviceSynchronize() != cudaSuccess;
}
