/* sanitized.cu: kernels with plain pointers and plain __shared__ arrays that are one element off, for sanitized.py. The
 * line of a bug carries its name. */
#include <cuda_runtime.h>

#include <stdio.h>
#include <string.h>

enum { count = 32 };

__global__ void right(float *values, int off)
{
    __shared__ float line[count];
    line[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = line[count - 1 - threadIdx.x] + (float)off;
}

__global__ void global_past(float *values, int off)
{
    values[threadIdx.x + 1 + off] = 1; /* BUG global_past */
}

__global__ void global_before(float *values, int off)
{
    values[(int)threadIdx.x - 1 + off] += 1; /* BUG global_before */
}

__global__ void shared_past(float *values, int off)
{
    __shared__ float line[count];
    float *last = line + count;
    line[threadIdx.x] = 0;
    if (threadIdx.x == 7) values[0] = last[off]; /* BUG shared_past */
}

__global__ void freed(float *values, int off)
{
    values[threadIdx.x + off] = 1; /* BUG freed */
}

int main(int arguments, char **words)
{
    const char *name = arguments > 1 ? words[1] : "";
    float *values;
    cudaError_t error = cudaMalloc((void **)&values, count * sizeof *values);
    if (error == cudaSuccess) error = cudaMemset(values, 0, count * sizeof *values);
    if (strcmp(name, "freed") == 0) (void)cudaFree(values);
    if (strcmp(name, "right") == 0) error = CMK_LAUNCH(right, 4, count, 0, 0, values, 0);
    if (strcmp(name, "global_past") == 0) error = CMK_LAUNCH(global_past, dim3(1, 2), count, 0, 0, values, 0);
    if (strcmp(name, "global_before") == 0) error = CMK_LAUNCH(global_before, 1, count, 0, 0, values, 0);
    if (strcmp(name, "shared_past") == 0) error = CMK_LAUNCH(shared_past, 1, count, 0, 0, values, 0);
    if (strcmp(name, "freed") == 0) error = CMK_LAUNCH(freed, 1, count, 0, 0, values, 0);
    printf("%s\n", cudaGetErrorName(error));
    return error != cudaSuccess;
}
