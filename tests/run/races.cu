/* Races in shared memory and in device memory by number, and what is legal: what ./cmk run says of each, by the two
 * lines. */
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include "check.h"

enum { COUNT = 64 };
__device__ int held[8 * COUNT], lone;

__global__ void race(int *x, int which)
{
    __shared__ int word[COUNT], total;
    __shared__ unsigned char byte[4 * COUNT];
    const int i = threadIdx.x, next = (i + 1) % COUNT;
    int seen = 0;
    word[i] = i; /* FIRST 1 FIRST 2 */
    if (i == 0) total = 0;
    if (which == 1) seen = word[i / 2 * 2];                  /* THEN 1 */
    if (which == 2) seen = i >= 32 ? word[i - 32] : word[i]; /* THEN 2 */
    __syncthreads();
    if (which == 3) seen = word[next];              /* FIRST 3 */
    if (which == 3) word[i] = -1 - i;               /* THEN 3 */
    if (which == 4) total = i;                      /* FIRST 4 THEN 4 */
    if (which == 5) byte[i / 2] = (unsigned char)i; /* FIRST 5 THEN 5 */
    if (which == 6) {
        ((long long *)word)[i / 2] = i; /* FIRST 6 */
        seen = word[(i ^ 2) | 1];       /* THEN 6 */
    }
    __syncthreads();
    if (which == 7) {
        word[i] = 2 * i; /* FIRST 7 */
        __syncwarp();
        seen = word[next]; /* THEN 7 */
    }
    if (which == 8) word[i / 2]++; /* FIRST 8 THEN 8 */
    __syncthreads();
    if (blockIdx.x == 0) x[i] = seen + total;
}

/* in device memory, of 2 blocks of COUNT threads */
__global__ void race_for_device(int *x, int which)
{
    const int i = threadIdx.x, all = blockIdx.x * COUNT + i;
    unsigned char *const byte = (unsigned char *)x;
    int seen = 0;
    if (which == 10) x[i] = all;                            /* FIRST 10 THEN 10 */
    if (which == 11) x[i]++;                                /* FIRST 11 THEN 11 */
    if (which == 12) x[all] = i;                            /* FIRST 12 */
    if (which == 12) seen = x[(all + COUNT) % (2 * COUNT)]; /* THEN 12 */
    if (which == 13) x[all] = all + 1;                      /* FIRST 13 */
    if (which == 13) seen = x[all ^ 32];                    /* THEN 13 */
    if (which == 14) seen = byte[4 * i + 1];                /* FIRST 14 */
    if (which == 15) held[x[4 * COUNT]] += i;               /* FIRST 15 THEN 15 */
    if (which == 16) lone += i;                             /* FIRST 16 THEN 16 */
    __syncthreads();
    if (which == 14 && blockIdx.x == 1) byte[4 * i + 1] = (unsigned char)all; /* THEN 14 */
    x[2 * COUNT + all] = seen;
}

/* nothing of this is a race */
__global__ void legal_by_itself(int *x)
{
    const int i = threadIdx.x, all = blockIdx.x * COUNT + i;
    unsigned char *const byte = (unsigned char *)x;
    byte[2 * i + blockIdx.x] = (unsigned char)(i + 1);
    x[COUNT] = 7;
    x[2 * COUNT + all]++;
}

/* nor of this */
__global__ void legal_for_device(int *x, int *count, int *sum)
{
    __shared__ int is_last;
    const int i = threadIdx.x, all = blockIdx.x * COUNT + i;
    x[all] = i;
    x[all] += 1;
    __syncthreads();
    const int seen = x[all ^ 33];
    __syncthreads();
    x[all] += seen;
    __syncthreads();
    x[all ^ 33]++;
    __threadfence();
    if (i == 0) is_last = atomicAdd(count, 1) == (int)gridDim.x - 1;
    __syncthreads();
    for (int k = 0; is_last && i == 0 && k < 2 * COUNT; k++) *sum += x[k];
}

/* nothing of this is a race */
__global__ void legal(int *x)
{
    namespace groups = cooperative_groups;
    __shared__ int word[COUNT], flag, total, lock;
    __shared__ unsigned char byte[COUNT];
    const int i = threadIdx.x;
    if (i == 0) total = lock = 0;
    flag = 7;
    word[i] = i;
    byte[i] = (unsigned char)i;
    __syncthreads();
    atomicAdd(&total, word[COUNT - 1 - i]);
    __syncthreads();
    for (int half = COUNT / 2; half > 0; half /= 2) {
        if (i < half) word[i] += word[i + half];
        __syncthreads();
    }
    byte[i] += 1;
    __syncwarp();
    int seen = byte[i ^ 1] + word[0] + total + flag;
    __syncwarp();
    byte[i] = 0;
    seen += __shfl_xor_sync(0xffffffffu, seen, 1);
    byte[i ^ 1] = 1;
    groups::this_thread_block().sync();
    while (atomicExch(&lock, 1) == 1) {
    }
    word[1] = word[1] + 1;
    __threadfence();
    atomicExch(&lock, 0);
    __syncthreads();
    if (blockIdx.x == 0) x[i] = seen + word[1] + byte[COUNT - 1 - i];
}

int main(int count, char **words)
{
    const int which = count > 1 ? atoi(words[1]) : 0;
    int *x;
    CHECK(cudaMalloc((void **)&x, 8 * COUNT * sizeof *x));
    CHECK(cudaMemset(x, 0, 8 * COUNT * sizeof *x));
    if (which >= 10) {
        race_for_device<<<2, COUNT>>>(x, which);
    } else if (which > 0) {
        race<<<2, COUNT>>>(x, which);
    } else {
        int *all[] = {x, NULL};
        CHECK(cudaGetSymbolAddress((void **)&all[1], held));
        for (int *memory : all) {
            legal<<<2, COUNT>>>(memory);
            legal_by_itself<<<2, COUNT>>>(memory);
            for (int k = 0; k < 3; k++)
                legal_for_device<<<2, COUNT>>>(memory, memory + 5 * COUNT + k, memory + 6 * COUNT);
        }
    }
    CHECK(cudaDeviceSynchronize());
    puts("ended");
    return 0;
}
