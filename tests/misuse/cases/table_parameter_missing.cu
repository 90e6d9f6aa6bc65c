/* expect cuda: address of a host variable "weights" cannot be directly taken in a device function */
#include <cmk/table.h>

CMK_TABLE(PARAMETER, float, weights, [5]);

__global__ void scale(float *data)
{
    data[threadIdx.x] *= CMK_TABLE_AT(weights, 1);
}
