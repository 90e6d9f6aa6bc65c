/* a shared library with a kernel and device data of its own */
#include <cmk/cmk.h>

static __device__ float step[2] = {0.0f, 1.0f};

__global__ void add_one(float *data, int count)
{
    const int i = (int)(blockIdx.x * 32 + threadIdx.x);
    if (i < count) CMK_STORE(&data[i], CMK_LOAD(&data[i]) + CMK_LOAD(&step[1]));
}

#if defined(__cplusplus)
#define SEEN extern "C" __attribute__((visibility("default"))) /* also with -fvisibility=hidden */
#else
#define SEEN __attribute__((visibility("default")))
#endif

SEEN int library_add_one(float *data, int count);
SEEN int library_add_one_to_host(float *values, int count);

/* on device memory of the caller */
int library_add_one(float *data, int count)
{
    return CMK_LAUNCH(add_one, (count + 31) / 32, 32, 0, 0, data, count) == cudaSuccess;
}

/* on host memory of the caller, by device memory of its own */
int library_add_one_to_host(float *values, int count)
{
    const size_t bytes = (size_t)count * sizeof *values;
    float *data = NULL;
    int good = cudaMalloc((void **)&data, bytes) == cudaSuccess;
    good = good && cudaMemcpy(data, values, bytes, cudaMemcpyHostToDevice) == cudaSuccess;
    good = good && library_add_one(data, count);
    good = good && cudaMemcpy(values, data, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
    return cudaFree(data) == cudaSuccess && good;
}
