/* compiles */
#include <cmk/table.h>

CMK_TABLE(PARAMETER, float, whole, [8191]);
CMK_TABLE(PARAMETER, float, smaller, [8189]);

__global__ void alone(CMK_TABLE_PARAMETER(whole))
{
    if (CMK_TABLE_AT(whole, 8190) > 0.0f) __syncthreads();
}

__global__ void copy(float *out, CMK_TABLE_PARAMETER(smaller))
{
    out[threadIdx.x] = CMK_TABLE_AT(smaller, threadIdx.x);
}
