/* Races in shared memory by number, and what is legal: what ./cmk run says of each, by the two lines. */
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include "check.h"

enum { COUNT = 64 };

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
    x[i] = seen + total;
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
    x[i] = seen + word[1] + byte[COUNT - 1 - i];
}

int main(int count, char **words)
{
    int *x;
    CHECK(cudaMalloc((void **)&x, COUNT * sizeof *x));
    if (count > 1)
        race<<<2, COUNT>>>(x, atoi(words[1]));
    else
        legal<<<2, COUNT>>>(x);
    CHECK(cudaDeviceSynchronize());
    puts("ended");
    return 0;
}
