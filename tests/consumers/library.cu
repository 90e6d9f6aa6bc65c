/* a shared library with a kernel of its own, which works on device memory of the caller */
#include <cmk/cmk.h>

__global__ void add_one(float *data, int count)
{
    const int i = (int)(blockIdx.x * 32 + threadIdx.x);
    if (i < count) CMK_STORE(&data[i], CMK_LOAD(&data[i]) + 1.0f);
}

#if defined(__cplusplus)
extern "C"
#endif
int library_add_one(float *data, int count);

int library_add_one(float *data, int count)
{
    return CMK_LAUNCH(add_one, (count + 31) / 32, 32, 0, 0, data, count) == cudaSuccess;
}
