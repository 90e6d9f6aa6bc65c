/* Kernels that wait for the host, and the host for them, in memory that both see: by plain reads and by atomic ones, in
 * two streams, with what follows a kernel in its stream. With a word: a kernel for which nobody is left to write. */
#include <cuda_runtime.h>

#include <string.h>

#include "check.h"

enum { ROUNDS = 20 };

struct talk {
    volatile int asked, answered;
    int locked;
};

/* Each round doubles what the host asks. */
__global__ void answers(talk *with)
{
    for (int n = 1; n <= ROUNDS; n++) {
        while (with->asked != n) { // MARK never
        }
        __threadfence_system();
        with->answered = 2 * n;
    }
}

__global__ void waits_for(talk *with, int *sum)
{
    while (atomicAdd(&with->locked, 0) == 0) {
    }
    *sum += 7;
}

__global__ void opens(talk *with)
{
    atomicExch(&with->locked, 1);
}

__global__ void waits_in_block(volatile int *word)
{
    if (threadIdx.x == 0)
        while (*word == 0) { // MARK block
        }
    else
        *word = 1;
}

static int rounds(talk *with)
{
    int right = 1;
    answers<<<1, 1>>>(with);
    for (int n = 1; n <= ROUNDS; n++) {
        with->asked = n;
        while (with->answered != 2 * n) {
        }
    }
    CHECK(cudaDeviceSynchronize());
    right &= near_enough("answered", 0, with->answered, 2 * ROUNDS);
    return right;
}

/* One kernel waits for the next one, in another stream; a copy behind the first is waited for in a loop. */
static int streams(talk *with, int *sum, volatile int *copied)
{
    cudaStream_t one, two;
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    waits_for<<<1, 1, 0, one>>>(with, sum);
    CHECK(cudaMemcpyAsync((void *)copied, sum, sizeof *sum, cudaMemcpyDefault, one));
    if (cudaStreamQuery(one) != cudaErrorNotReady) return 0;
    opens<<<1, 1, 0, two>>>(with);
    while (*copied == 0) {
    }
    CHECK(cudaStreamSynchronize(one));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
    return near_enough("copied", 0, *copied, 7);
}

int main(int count, char **words)
{
    talk *with, *seen;
    int *sum;
    if (count > 1 && strcmp(words[1], "block") == 0) {
        CHECK(cudaMalloc(&sum, sizeof *sum));
        CHECK(cudaMemset(sum, 0, sizeof *sum));
        waits_in_block<<<1, 2>>>(sum);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaHostAlloc(&with, sizeof *with, cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&seen, with, 0));
    CHECK(cudaMallocHost(&sum, 2 * sizeof *sum));
    memset(with, 0, sizeof *with);
    memset(sum, 0, 2 * sizeof *sum);
    if (count > 1) {
        answers<<<1, 1>>>(seen);
        CHECK(cudaDeviceSynchronize());
    }
    const int right = rounds(seen) & streams(seen, sum, sum + 1);
    puts(right ? "right" : "wrong");
    return !right;
}
