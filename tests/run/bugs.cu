/* One mistake by each number: what ./cmk run says of plain accesses, by the line. */
#include <cuda_runtime.h>
#include "check.h"

enum { COUNT = 32 };

struct counted {
    int value;
    counted(int wanted) : value(wanted)
    {
    }
    counted(const counted &other) : value(other.value + 1)
    {
    }
};

__device__ float on_device[COUNT], also_on_device[COUNT]; /* behind the first of them no variable of the backend is */
__constant__ float constants[COUNT];
static float on_host[2][COUNT] = {{1.0f}}; /* one of the two begins at no multiple of 1024 */

__global__ void launched(int *out, counted number)
{
    *out = number.value;
}

__global__ void wrong(float *x, float *other, int which)
{
    __shared__ float tile[COUNT];
    __shared__ int count;
    extern __shared__ int more[];
    const int i = threadIdx.x;
    if (which != 5 || i < 16) tile[i] = x[i];
    if (i == 0) count = 0;
    __syncthreads();
    atomicAdd(&count, 1);
    if (which == 0) x[i] = tile[31 - i] + (float)count;
    if (which == 1) x[i + 1] = 0.0f;         /* MARK 1 */
    if (which == 2) x[i] = x[i - 1];         /* MARK 2 */
    if (which == 3) tile[i + 1] = 0.0f;      /* MARK 3 */
    if (which == 4) x[i] = (float)more[i];   /* MARK 4 */
    if (which == 5) x[i] = tile[31 - i];     /* MARK 5 */
    if (which == 6) other[i] = 0.0f;         /* MARK 6 */
    if (which == 16) atomicAdd(&more[i], 1); /* MARK 16 */
    if (which == 7) ((double *)0)[i] = 1.0;  /* MARK 7 */
    if (which == 8) x[100000 * i] = 0.0f;    /* MARK 8 */
    if (which == 9) cudaDeviceSynchronize();
    if (which == 10) cudaMemsetAsync(x, 0, 4);
    if (which == 11) launched<<<1, 1>>>((int *)x, counted(i)); /* MARK 11 */
    if (which == 12) other[i + 1] = 0.0f;                      /* MARK 12 */
    if (which == 13) x[i] = other[i + 1];                      /* MARK 13 */
    if (which == 14) other[i] = 0.0f;                          /* MARK 14 */
    if (which == 15) other[i] = 0.0f;                          /* MARK 15 */
    if (which == 17) x[i] = other[i], other[31 - i] = 1.0f;    /* MARK 17 */
    if (which == 18) atomicAdd(&other[i], 1.0f);               /* MARK 18 */
    if (which == 20) more[i + 1] = 0;                          /* MARK 20 */
    if (which == 21) x[i + 1] = 0.0f;                          /* MARK 21 */
    if (which == 19) {                                         /* right: the host has registered the array */
        other[i] = x[i];
        atomicAdd(&other[i], 1.0f);
    }
}

int main(int count, char **words)
{
    const int which = count > 1 ? atoi(words[1]) : 0;
    float *x, *other;
    CHECK(cudaMalloc((void **)&x, COUNT * sizeof *x));
    CHECK(cudaMalloc((void **)&other, COUNT * sizeof *other));
    if (which == 15) {
        CHECK(cudaSetDevice(1));
        CHECK(cudaMalloc((void **)&x, COUNT * sizeof *x));
    }
    CHECK(cudaMemset(x, 0, COUNT * sizeof *x));
    if (which == 6) CHECK(cudaFree(other));
    if (which == 12) other = on_device < also_on_device ? on_device : also_on_device;
    if (which == 19) {
        CHECK(cudaHostRegister(on_host, sizeof on_host, cudaHostRegisterDefault));
        CHECK(cudaHostGetDevicePointer((void **)&other, on_host[0], 0));
    }
    if (which == 13 || which == 17 || which == 18) CHECK(cudaGetSymbolAddress((void **)&other, constants));
    if (which == 14) other = on_host[(size_t)on_host % 1024 == 0];
    void *arguments[] = {&x, &other, (void *)&which};
    if (which == 21)
        CHECK(cudaLaunchCooperativeKernel(wrong, 1, COUNT, arguments));
    else
        wrong<<<1, COUNT, which == 4 || which == 16 || which == 20 ? COUNT * sizeof(int) : 0>>>(x, other, which);
    CHECK(cudaDeviceSynchronize());
    puts("right");
    return 0;
}
