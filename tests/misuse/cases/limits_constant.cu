/* compiles */
#include <cmk/table.h>

CMK_TABLE(CONSTANT, double, whole, [2][4096]);

__global__ void copy(double *out)
{
    out[threadIdx.x] = CMK_TABLE_AT(whole, 1, 4095);
}
