/* a program with a kernel of its own, which shares device memory with a library */
#include <cmk/cmk.h>

#define COUNT 100

#if defined(__cplusplus)
extern "C"
#endif
    int
    library_add_one(float *data, int count);

__global__ void set_to_one(float *data, int count)
{
    const int i = (int)(blockIdx.x * 32 + threadIdx.x);
    if (i < count) CMK_STORE(&data[i], 1.0f);
}

int main(void)
{
    float *data, result[COUNT];
    int wrong = 0;
    CMK_CHECK(cudaMalloc((void **)&data, sizeof result));
    CMK_CHECK(CMK_LAUNCH(set_to_one, (COUNT + 31) / 32, 32, 0, 0, data, COUNT));
    if (!library_add_one(data, COUNT)) return 1;
    CMK_CHECK(cudaMemcpy(result, data, sizeof result, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; ++i) wrong += !(result[i] >= 2.0f && result[i] <= 2.0f);
    CMK_CHECK(cudaFree(data));
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
