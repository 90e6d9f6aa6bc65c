/* a shared library with a kernel and device data of its own, which works on device memory of the caller */
#include <cmk/cmk.h>

static __device__ float step[2] = {0.0f, 1.0f};

__global__ void add_one(float *data, int count)
{
    const int i = (int)(blockIdx.x * 32 + threadIdx.x);
    if (i < count) CMK_STORE(&data[i], CMK_LOAD(&data[i]) + CMK_LOAD(&step[1]));
}

#if defined(__cplusplus)
extern "C"
#endif
    int
    library_add_one(float *data, int count);

int library_add_one(float *data, int count)
{
    return CMK_LAUNCH(add_one, (count + 31) / 32, 32, 0, 0, data, count) == cudaSuccess;
}
