/* A kernel of cmk that is launched as CUDA has it, for ./cmk report. */
#include <cmk/cmk.h>

__global__ void scale(float *x)
{
    CMK_STORE(&x[threadIdx.x], FACTOR * CMK_LOAD(&x[threadIdx.x]));
}

int main(void)
{
    float *x;
    CMK_CHECK(cudaMallocManaged((void **)&x, 32 * sizeof *x, cudaMemAttachGlobal));
    scale<<<1, 32>>>(x);
    CMK_CHECK(cudaDeviceSynchronize());
    return 0;
}
