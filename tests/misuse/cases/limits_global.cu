/* compiles */
#include <cmk/table.h>

CMK_TABLE(GLOBAL, float, large, [3][16385]);

__global__ void copy(float *out)
{
    out[threadIdx.x] = CMK_TABLE_AT(large, 2, 16384);
}
