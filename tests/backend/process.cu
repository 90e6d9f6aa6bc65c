/* process.cu: what a program does around its launches on the CPU backend: large locals, faults, fork, longjmp, handlers
 * of its own. process.py runs one by name and looks at how it ends. */
#include "cmk/cmk.h"
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static jmp_buf outside;

__global__ void few(float *out)
{
    __syncthreads();
    CMK_STORE(&out[blockIdx.x], (float)threadIdx.x);
}

__global__ void locals_500_kb(float *out, int k)
{
    volatile char local[500 << 10];
    local[0] = (char)threadIdx.x;
    local[sizeof local - 1] = (char)k;
    __syncthreads();
    if (local[0] != (char)threadIdx.x || local[sizeof local - 1] != (char)k) return;
    atomicAdd(&out[0], 1.0f);
}

__device__ static int deep(volatile int *before, int depth)
{
    volatile int local[1000];
    local[0] = depth;
    return depth == 0 ? before[0] : deep(local, depth - 1) + local[0];
}

__global__ void recursion(float *out, int k)
{
    volatile int start[1] = {k};
    __syncthreads();
    if (threadIdx.x == 3) CMK_STORE(&out[0], (float)deep(start, 1000000 * k));
}

__global__ void locals_1500_kb(float *out, int k)
{
    volatile char local[1500 << 10];
    for (int i = (int)sizeof local - 1; i >= 0; i -= 1000) local[i] = (char)k;
    __syncthreads();
    CMK_STORE(&out[0], (float)local[0]);
}

__global__ void plain_null(float *out, int k)
{
    volatile int *nothing = NULL;
    __syncthreads();
    if (threadIdx.x == 2) *(nothing + 4 * k) = 5;
    CMK_STORE(&out[0], 1.0f);
}

__global__ void jump(float *out, int k)
{
    CMK_STORE(&out[0], (float)k);
    longjmp(outside, 1);
}

static void handler(int number)
{
    (void)number;
    puts("own handler");
    fflush(stdout);
    _Exit(3);
}

static int is(const char *name, const char *other)
{
    return strcmp(name, other) == 0;
}

static int launch_few(float *memory)
{
    if (CMK_LAUNCH(few, 64, 32, 0, 0, memory) != cudaSuccess) return 1;
    return 0;
}

static int forked(float *memory, int generations)
{
    int status = 0;
    if (launch_few(memory) || launch_few(memory)) return 1;
    if (generations == 0) return 0;
    pid_t child = fork();
    if (child == 0) _Exit(forked(memory, generations - 1));
    if (launch_few(memory) || waitpid(child, &status, 0) != child) return 1;
    return status;
}

static int run(const char *name, float *memory)
{
    float sum = 0.0f;
    if (is(name, "locals_500_kb")) {
        if (cudaMemset(memory, 0, 4) != cudaSuccess) return 1;
        if (CMK_LAUNCH(locals_500_kb, 40, 64, 0, 0, memory, 1) != cudaSuccess) return 1;
        if (cudaMemcpy(&sum, memory, sizeof sum, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
        return sum != 40 * 64;
    }
    if (is(name, "fork")) return forked(memory, 2);
    if (is(name, "longjmp")) {
        if (setjmp(outside) == 0) return CMK_LAUNCH(jump, 1, 4, 0, 0, memory, 1) != cudaSuccess;
        return launch_few(memory);
    }
    if (is(name, "own_handler_before") && signal(SIGSEGV, handler) == SIG_ERR) return 1;
    if (is(name, "own_handler_after") && (launch_few(memory) || signal(SIGSEGV, handler) == SIG_ERR)) return 1;
    if (is(name, "raised")) return launch_few(memory) || raise(SIGSEGV);
    if (is(name, "outside") && launch_few(memory) == 0) *(volatile int *)(size_t)memory[0] = 5;
    if (is(name, "recursion")) return CMK_LAUNCH(recursion, 1, 8, 0, 0, memory, 1) != cudaSuccess;
    if (is(name, "locals_1500_kb")) return CMK_LAUNCH(locals_1500_kb, 1, 8, 0, 0, memory, 1) != cudaSuccess;
    return CMK_LAUNCH(plain_null, 1, 8, 0, 0, memory, 1) != cudaSuccess;
}

int main(int count, char **arguments)
{
    float *memory;
    if (count < 2 || cudaMalloc((void **)&memory, 64 * sizeof(float)) != cudaSuccess) return 2;
    if (cudaMemset(memory, 0, 64 * sizeof(float)) != cudaSuccess) return 2;
    return run(arguments[1], memory);
}
