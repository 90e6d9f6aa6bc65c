/* Plain kernels, one for each rule of what a report counts of plain CUDA (tests/model/plain.py). usage: plain_a
 * lists the kernels; plain_a all|KERNEL runs them, each in one launch. */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

struct pair {
    unsigned x, y;
};
struct triple {
    float x, y, z;
};
struct __align__(8) aligned_pair
{
    float x, y;
};
struct __align__(16) wide
{
    float4 low, high;
};
struct doubles {
    double x, y;
};

__constant__ float weights[64];
__constant__ int2 steps[16];
__device__ float table[1024];

#define T (int)threadIdx.x
#define I (int)(blockIdx.x * blockDim.x + threadIdx.x)

/* ---- Shared memory */
__global__ void shared_rows(const float *in, float *out, int n)
{
    __shared__ float tile[32][32];
    tile[threadIdx.y][T] = in[threadIdx.y * 32 + T];
    __syncthreads();
    out[threadIdx.y * 32 + T] = tile[threadIdx.y][T];
}

__global__ void shared_columns(const float *in, float *out, int n)
{
    __shared__ float tile[32][32];
    tile[threadIdx.y][T] = in[threadIdx.y * 32 + T];
    __syncthreads();
    out[threadIdx.y * 32 + T] = tile[T][threadIdx.y];
}

__global__ void shared_padded(const float *in, float *out, int n)
{
    __shared__ float tile[32][33];
    tile[threadIdx.y][T] = in[threadIdx.y * 32 + T];
    __syncthreads();
    out[threadIdx.y * 32 + T] = tile[T][threadIdx.y];
}

__global__ void shared_struct(const float *in, float *out, int n)
{
    __shared__ triple all[64];
    all[T].x = in[T], all[T].y = in[T + 64], all[T].z = in[T + 128];
    __syncthreads();
    const triple one = all[63 - T];
    out[T] = one.x + 2 * one.y + 3 * one.z;
}

__global__ void shared_quads(const float *in, float *out, int n)
{
    __shared__ float4 all[64];
    all[T] = ((const float4 *)in)[T];
    __syncthreads();
    ((float4 *)out)[T] = all[T * 9 % 64];
}

__global__ void shared_doubles(const float *in, float *out, int n)
{
    __shared__ double all[128];
    all[T] = in[T], all[T + 64] = in[T + 64];
    __syncthreads();
    out[T] = (float)(all[2 * T] + all[T / 2]);
}

__global__ void shared_bytes(const float *in, float *out, int n)
{
    __shared__ unsigned char all[256];
    all[T] = (unsigned char)in[T], all[T + 64] = 1, all[T + 128] = 2, all[T + 192] = 3;
    __syncthreads();
    out[T] = all[T * 3] + all[255 - T];
}

__global__ void shared_dynamic(const float *in, float *out, int n)
{
    extern __shared__ float mine[];
    float *other = mine + blockDim.x;
    mine[T] = in[T];
    other[T * n % 64] = in[T + 64];
    __syncthreads();
    out[T] = mine[T * n % 64] + other[T];
}

__global__ void shared_update(const float *in, float *out, int n)
{
    __shared__ int bins[64];
    bins[T] = 0;
    __syncthreads();
    bins[(T * 5 + n) % 64]++;
    __syncthreads();
    bins[T] += bins[T] * 3;
    __syncthreads();
    out[T] = (float)bins[63 - T] + in[T];
}

__global__ void shared_reduce(const float *in, float *out, int n)
{
    __shared__ float sums[128];
    sums[T] = in[I];
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (T < half) sums[T] += sums[T + half];
        __syncthreads();
    }
    if (T == 0) out[blockIdx.x] = sums[0];
}

/* ---- Global memory */
__global__ void global_square(const float *in, float *out, int n)
{
    if (I < n) out[I] = in[I] * in[I] + in[I];
}

__global__ void global_offset(const float *in, float *out, int n)
{
    if (I < n) out[I + 1] = in[I + 3];
}

__global__ void global_strided(const float *in, float *out, int n)
{
    if (I < n) out[I * 5] = in[I * 8];
}

__global__ void global_pairs(const float *in, float *out, int n)
{
    ((pair *)out)[T + 1] = ((const pair *)in)[T];
}

__global__ void global_aligned_pairs(const float *in, float *out, int n)
{
    ((aligned_pair *)out)[T + 1] = ((const aligned_pair *)in)[T];
}

__global__ void global_triples(const float *in, float *out, int n)
{
    ((triple *)out)[T + 1] = ((const triple *)in)[T];
}

__global__ void global_wide(const float *in, float *out, int n)
{
    ((wide *)out)[T + 1] = ((const wide *)in)[T];
}

__global__ void global_pairs_of_doubles(const float *in, float *out, int n)
{
    ((doubles *)out)[T + 1] = ((const doubles *)in)[T];
}

__global__ void global_member(const float *in, float *out, int n)
{
    const triple *all = (const triple *)in;
    out[T] = all[T].y;
    ((float4 *)out)[T + 64].z = all[T + 5].x;
}

__global__ void global_halves(const float *in, float *out, int n)
{
    const unsigned short *from = (const unsigned short *)in;
    unsigned short *to = (unsigned short *)out;
    to[T] = from[2 * T] + from[T + 1];
}

__global__ void global_read_only(const float *__restrict__ in, float *__restrict__ out, int n)
{
    out[I] = __ldg(&in[I]) + in[n - I];
}

__global__ void global_table(const float *in, float *out, int n)
{
    out[I] = table[I * 3 % 1024] + in[I];
}

/* ---- Constant memory */
__global__ void constant_uniform(const float *in, float *out, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++) sum += weights[k] * in[I + k];
    out[I] = sum;
}

__global__ void constant_by_lane(const float *in, float *out, int n)
{
    out[I] = weights[(I * n) % 64] + in[I];
}

/* ---- Branches and loops */
__global__ void branch_parts(const float *in, float *out, int n)
{
    if (T < 20)
        out[I] = in[I + 7];
    else if (T % 2)
        out[I] = 2 * in[I];
    else if (in[2 * I] > 0.5f)
        out[I] = in[I + n];
}

__global__ void branch_return(const float *in, float *out, int n)
{
    if (T % 3 == 0) return;
    const float x = in[I];
    if (x < 0.25f) return;
    out[I] = x + in[I + n];
}

__global__ void loop_lengths(const float *in, float *out, int n)
{
    float sum = 0;
    for (int k = 0; k < T % 9 + n % 3; k++) sum += in[k * 64 + T];
    out[I] = sum;
}

__global__ void loop_skips(const float *in, float *out, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        if ((k + T) % 3 == 0) sum += in[k * 64 + T];
    out[I] = sum;
}

__global__ void loop_breaks(const float *in, float *out, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++) {
        const float x = in[k * 64 + T];
        if (x > 0.9f) break;
        if (x < 0.3f) continue;
        sum += in[k + T];
    }
    out[I] = sum;
}

__global__ void loop_nest(const float *in, float *out, int n)
{
    float sum = 0;
    for (int j = 0; j <= T % 4; j++)
        for (int k = j; k < T % 6; k++) sum += in[(j * 7 + k) * 64 + T];
    out[I] = sum;
}

__global__ void loop_while(const float *in, float *out, int n)
{
    int at = T, count = 0;
    while (in[at] < 0.8f && count < n) at = (at * 5 + 1) % 1024, count++;
    out[I] = (float)at;
}

__noinline__ __device__ float ahead(const float *in, int k)
{
    float sum = in[k];
    for (int j = 0; j < k % 3; j++) sum += in[k + 32 * j];
    return sum;
}

__global__ void call_twice(const float *in, float *out, int n)
{
    float sum = ahead(in, T);
    if (T % 2)
        sum += ahead(in, T + 100);
    else
        sum -= ahead(in, 2 * T + n);
    out[I] = sum;
}

__noinline__ __device__ float one_of(const float *in, int k)
{
    return in[k];
}

__global__ void call_branches(const float *in, float *out, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        if ((T + k) % 3 == 0)
            sum += one_of(in, k * 64 + T);
        else
            sum -= one_of(in, T + k);
    out[I] = sum;
}

__global__ void local_window(const float *in, float *out, int n)
{
    float window[4] = {in[I], in[I + 64], in[I + 128], in[I + 192]};
    for (int k = 1; k < 4; k++) window[k] += window[k - 1];
    out[I] = window[3] * window[1];
}

__global__ void swap_ends(const float *in, float *out, int n)
{
    const float one = out[T], two = out[127 - T];
    __syncthreads();
    out[T] = two + in[T], out[127 - T] = one;
}

__global__ void store_leaves(const float *__restrict__ in, float *__restrict__ out, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++) {
        sum += in[k * 128 + I];
        out[I] = sum;
    }
}

__global__ void load_leaves(const float *__restrict__ in, float *__restrict__ out, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++) {
        const float factor = in[I];
        sum = (sum + out[(k + 1) * 128 + I]) * factor;
        __syncthreads();
    }
    out[I] = sum;
}

/* clang-format off */
#define KERNELS(X) \
    X(shared_rows, 1, dim3(32, 32), 0) X(shared_columns, 1, dim3(32, 32), 0) X(shared_padded, 1, dim3(32, 32), 0) \
    X(shared_struct, 1, 64, 0) X(shared_quads, 1, 64, 0) X(shared_doubles, 1, 64, 0) X(shared_bytes, 1, 64, 0) \
    X(shared_dynamic, 1, 64, 512) X(shared_update, 1, 64, 0) X(shared_reduce, 4, 128, 0) X(global_square, 4, 96, 0) \
    X(global_offset, 4, 96, 0) X(global_strided, 4, 96, 0) X(global_pairs, 1, 64, 0) \
    X(global_aligned_pairs, 1, 64, 0) X(global_triples, 1, 64, 0) X(global_wide, 1, 64, 0) \
    X(global_pairs_of_doubles, 1, 64, 0) X(global_member, 1, 64, 0) X(global_halves, 1, 64, 0) \
    X(global_read_only, 1, 128, 0) X(global_table, 4, 96, 0) X(constant_uniform, 2, 64, 0) \
    X(constant_by_lane, 2, 64, 0) X(branch_parts, 2, 64, 0) X(branch_return, 2, 64, 0) X(loop_lengths, 2, 64, 0) \
    X(loop_skips, 2, 64, 0) X(loop_breaks, 2, 64, 0) X(loop_nest, 2, 64, 0) X(loop_while, 2, 64, 0) \
    X(call_twice, 2, 64, 0) X(local_window, 2, 64, 0) X(swap_ends, 1, 64, 0) X(call_branches, 2, 64, 0) \
    X(store_leaves, 2, 64, 0) X(load_leaves, 2, 64, 0)
/* clang-format on */

enum { COUNT = 8192 };

/* the number that a kernel gets: how many points of one it has, how long its loop is, or a shift */
static int number_of(const char *name)
{
    return strncmp(name, "global_", 7) == 0 ? 300 : strncmp(name, "shared_", 7) == 0 ? 3 : 20;
}

int main(int count, char **words)
{
    static float host[COUNT];
    float *in, *out;
    unsigned seed = 1;
    if (cudaMalloc(&in, sizeof host) != cudaSuccess || cudaMalloc(&out, sizeof host) != cudaSuccess) return 1;
    for (int k = 0; k < COUNT; k++) {
        seed = seed * 1664525u + 1013904223u;
        host[k] = (float)(seed >> 8) / (1 << 24);
    }
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(weights, host, sizeof weights);
    cudaMemcpyToSymbol(table, host, sizeof table);
#define RUN(name, grid, block, bytes)                                                                                  \
    if (count < 2) {                                                                                                   \
        puts(#name);                                                                                                   \
    } else if (strcmp(words[1], "all") == 0 || strcmp(words[1], #name) == 0) {                                         \
        cudaMemset(out, 0, sizeof host);                                                                               \
        name<<<grid, block, bytes>>>(in, out, number_of(#name));                                                       \
        cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);                                                    \
        double sum = 0;                                                                                                \
        for (int k = 0; k < COUNT; k++) sum += host[k] == host[k] ? host[k] : 0;                                       \
        printf("%s %.6g\n", #name, sum);                                                                               \
    }
    KERNELS(RUN)
    return cudaDeviceSynchronize() != cudaSuccess;
}
