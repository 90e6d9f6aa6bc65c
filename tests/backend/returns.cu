/* CMK_HOST_ERRORS=return: a kernel that the CPU backend stops is an error of its launch, which lasts until
 * cudaDeviceReset, with the backend's sentence; then right kernels run again. */
#include <cmk/cmk.h>

#include "tap.h"

enum { threads = 64, blocks = 12, turns = CMK_HOST_TSAN_ ? 1 : 30 }; /* ThreadSanitizer makes each block anew */

__global__ void twice(float *x)
{
    CMK_TILE(float, tile, 1, threads, 0);
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    CMK_TILE_SET(tile, 0, threadIdx.x, 2.0f * CMK_LOAD(&x[i]));
    __syncthreads();
    CMK_STORE(&x[i], CMK_TILE_GET(tile, 0, threadIdx.x));
}

/* those that are stopped: threads of all blocks wait at a barrier when the last one fails */
__global__ void outside(float *x)
{
    if (threadIdx.x < threads - 1) __syncthreads();
    CMK_STORE(&x[blocks * threads + (int)threadIdx.x], 1.0f);
}

__global__ void tile_end(float *x)
{
    CMK_TILE(float, tile, 1, threads, 0);
    CMK_TILE_SET(tile, 0, threadIdx.x, 1.0f);
    __syncthreads();
    CMK_STORE(&x[threadIdx.x], CMK_TILE_GET(tile, 0, threadIdx.x + 1));
}

__global__ void unwritten(float *x)
{
    CMK_TILE(float, tile, 1, threads, 0);
    if (threadIdx.x != 5) CMK_TILE_SET(tile, 0, threadIdx.x, 1.0f);
    __syncthreads();
    CMK_STORE(&x[threadIdx.x], CMK_TILE_GET(tile, 0, threadIdx.x));
}

__global__ void divergent(float *x)
{
    if (threadIdx.x % 2 == 0)
        __syncthreads();
    else
        __syncthreads();
    CMK_STORE(&x[threadIdx.x], 1.0f);
}

__global__ void deadlock(float *x)
{
    if (threadIdx.x == 0) __syncwarp();
    __syncthreads();
    CMK_STORE(&x[threadIdx.x], 1.0f);
}

__global__ void mask(float *x)
{
    const float value = __shfl_sync(0x0000fffe, 1.0f, 1);
    CMK_STORE(&x[threadIdx.x], value);
}

typedef void (*kernel)(float *);
static const struct {
    const char *name, *sentence;
    kernel stopped;
} kinds[] = {{"outside", "writes 4 bytes", outside},      {"tile_end", "tile `tile`", tile_end},
             {"unwritten", "which no thread", unwritten}, {"divergent", "divergent barrier", divergent},
             {"deadlock", "deadlock", deadlock},          {"mask", "mask", mask}};

/* a right kernel: whether it does what it should */
static int is_right(void)
{
    static float values[blocks * threads];
    float *x = NULL;
    int wrong = 0;
    for (int i = 0; i < blocks * threads; ++i) values[i] = (float)i;
    if (cudaMalloc((void **)&x, sizeof values) != cudaSuccess) return 0;
    if (cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice) != cudaSuccess) return 0;
    if (CMK_LAUNCH(twice, blocks, threads, 0, 0, x) != cudaSuccess) return 0;
    if (cudaMemcpy(values, x, sizeof values, cudaMemcpyDeviceToHost) != cudaSuccess) return 0;
    for (int i = 0; i < blocks * threads; ++i) wrong += values[i] != (float)(2 * i);
    return cudaFree(x) == cudaSuccess && wrong == 0;
}

/* what a kind comes to: 0 where all is as it should be */
static const char *wrong_with(int kind)
{
    float *x = NULL;
    char begins[64];
    const cudaError_t expected = cudaErrorLaunchFailure;
    if (cudaMalloc((void **)&x, blocks * threads * sizeof *x) != cudaSuccess) return "memory";
    const cudaError_t launched = CMK_LAUNCH(kinds[kind].stopped, blocks, threads, 0, 0, x);
    if (launched != expected && launched != cudaSuccess) return "the launch";
    if (cudaDeviceSynchronize() != expected) return "the wait";
    if (cudaGetLastError() != expected || cudaGetLastError() != expected) return "the last error";
    if (CMK_LAUNCH(twice, blocks, threads, 0, 0, x) != expected) return "another launch";
    if (cudaMemset(x, 0, 4) != expected) return "another call";
    snprintf(begins, sizeof begins, "cmk: kernel kinds[kind].stopped, block (");
    const char *const sentence = cudaGetErrorString(expected);
    if (strncmp(sentence, begins, strlen(begins)) != 0 || !strstr(sentence, "returns.cu:") || strchr(sentence, '\n') ||
        !strstr(sentence, kinds[kind].sentence))
        return sentence;
    if (cudaDeviceReset() != cudaSuccess || cudaGetLastError() != cudaSuccess) return "the reset";
    if (strcmp(cudaGetErrorString(expected), "unspecified launch failure") != 0) return "the sentence lasts";
    return is_right() ? NULL : "a right kernel";
}

int main(void)
{
    enum { kind_count = sizeof kinds / sizeof *kinds };
    for (int kind = 0; kind < kind_count; ++kind) {
        const char *const wrong = wrong_with(kind);
        tap_check(wrong == NULL, "%s: an error of the launch, that lasts", kinds[kind].name);
        if (wrong != NULL) printf("# %s\n", wrong);
    }
    int wrong = 0;
    for (int k = 0; k < turns * kind_count; ++k) wrong += wrong_with(k % kind_count) != NULL;
    tap_check(wrong == 0, "and so %d times more", turns * kind_count);
    tap_check(cmk_host_guards_ < 2000, "stacks are given back");
    return tap_done();
}
