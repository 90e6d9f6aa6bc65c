/* backend: what a CUDA thread costs on the CPU backend: a 9-point stencil over 2^22 elements with a shared
 * tile, one barrier and every access checked, 256 threads a block. Prints the best of 7 runs. A benchmark:
 * it fails only when the result is wrong. */
#include "cmk/cmk.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define RADIUS 4
#define BLOCK 256

CMK_TABLE(CONSTANT, float, weights, [2 * RADIUS + 1]);

__global__ void stencil(const float *in, float *out, int count)
{
    CMK_TILE(float, tile, 1, BLOCK + 2 * RADIUS, 0);
    int first = (int)blockIdx.x * BLOCK - RADIUS;
    for (int column = (int)threadIdx.x; column < BLOCK + 2 * RADIUS; column += BLOCK) {
        int at = first + column;
        CMK_TILE_SET(tile, 0, column, at >= 0 && at < count ? CMK_LDG(&in[at]) : 0.0f);
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k <= 2 * RADIUS; k++) sum += CMK_TABLE_AT(weights, k) * CMK_TILE_GET(tile, 0, (int)threadIdx.x + k);
    int at = (int)(blockIdx.x * BLOCK + threadIdx.x);
    if (at < count) CMK_STORE(&out[at], sum);
}

__global__ void copy(const float *in, float *out, int count)
{
    int at = (int)(blockIdx.x * BLOCK + threadIdx.x);
    if (at < count) CMK_STORE(&out[at], CMK_LDG(&in[at]));
}

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void check(cudaError_t error)
{
    if (error == cudaSuccess) return;
    printf("%s\n", cudaGetErrorString(error));
    exit(1);
}

static double run(int which, const float *in, float *out, int count)
{
    double start = seconds();
    int blocks = (count + BLOCK - 1) / BLOCK;
    check(which == 0 ? CMK_LAUNCH(stencil, blocks, BLOCK, 0, 0, in, out, count)
                     : CMK_LAUNCH(copy, blocks, BLOCK, 0, 0, in, out, count));
    check(cudaDeviceSynchronize());
    return seconds() - start;
}

static double best_of_7(int which, const float *in, float *out, int count)
{
    double best = 1e9;
    for (int i = 0; i < 7; i++) {
        double time = run(which, in, out, count);
        best = time < best ? time : best;
    }
    return best;
}

static int wrong_elements(const float *result, const float *table, int count)
{
    int wrong = 0;
    for (int i = RADIUS; i < count - RADIUS; i++) {
        float sum = 0;
        for (int k = 0; k <= 2 * RADIUS; k++) sum += table[k] * (float)((i + k - RADIUS) % 101);
        wrong += !(result[i] == sum);
    }
    return wrong;
}

static void print(const char *name, double seconds_each, int count)
{
    printf("%-34s %7.1f ms, %5.1f ns a thread\n", name, seconds_each * 1e3, seconds_each * 1e9 / count);
}

int main(void)
{
    const int count = 1 << 22;
    const float table[2 * RADIUS + 1] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    size_t bytes = (size_t)count * sizeof(float);
    float *host = (float *)malloc(bytes);
    float *in;
    float *out;
    for (int i = 0; i < count; i++) host[i] = (float)(i % 101);
    check(cudaMalloc((void **)&in, bytes));
    check(cudaMalloc((void **)&out, bytes));
    check(cudaMemcpy(in, host, bytes, cudaMemcpyHostToDevice));
    check(CMK_TABLE_UPLOAD(weights, table, 0, 2 * RADIUS + 1));
    print("copy, no barrier", best_of_7(1, in, out, count), count);
    print("9-point stencil, tile and barrier", best_of_7(0, in, out, count), count);
    check(cudaMemcpy(host, out, bytes, cudaMemcpyDeviceToHost));
    int wrong = wrong_elements(host, table, count);
    check(cudaFree(in));
    check(cudaFree(out));
    free(host);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
