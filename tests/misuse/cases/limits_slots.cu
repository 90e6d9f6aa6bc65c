/* compiles */
#include <cmk/table.h>

CMK_TABLE_SLOTS(CONSTANT, float, whole, [32], 512);

__global__ void copy(float *out, CMK_TABLE_PARAMETER(whole))
{
    out[threadIdx.x] = CMK_TABLE_AT(whole, 31);
}
