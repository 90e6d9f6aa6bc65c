/* table: the slope of a line of samples, its coefficients in a table.
 *   build: nvcc -arch=native -Iinclude -o table docs/lessons/table.cu
 *      or: gcc -Iinclude -x c docs/lessons/table.cu -o table -lm -lpthread */
#include <cmk/cmk.h>

/* 1 -8 0 8 -1, over 12; for CONSTANT write LITERAL, PARAMETER or GLOBAL, and nothing else changes */
CMK_TABLE_VALUES(CONSTANT, float, slope, [5], CMK_FILTER_DERIVATIVE(1, 4, 1.0));
#define TAP(k) CMK_TABLE_AT(slope, k)
#define SAMPLE(d) CMK_LDG(&in[i + (d)])

__global__ void differentiate(const float *in, float *out, int count, CMK_TABLE_PARAMETER(slope))
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    float sum = 0.0f;
    if (i < 2 || i >= count - 2) return;
    CMK_STENCIL_1D(sum, 2, TAP, SAMPLE);
    CMK_STORE(&out[i], sum);
}

int main(void)
{
    enum { COUNT = 1000 };
    float *in, *out;
    CMK_CHECK(cudaMallocManaged((void **)&in, COUNT * sizeof *in, cudaMemAttachGlobal));
    CMK_CHECK(cudaMallocManaged((void **)&out, COUNT * sizeof *out, cudaMemAttachGlobal));
    for (int i = 0; i < COUNT; ++i) in[i] = 0.001f * (float)(i * i);
    CMK_CHECK(CMK_LAUNCH(differentiate, 4, 256, 0, 0, in, out, COUNT, slope));
    CMK_CHECK(cudaDeviceSynchronize());
    for (int i = 100; i < 1000; i += 200) printf("x = %3d: slope %.3f, by hand %.3f\n", i, out[i], 0.002 * i);
    return 0;
}
