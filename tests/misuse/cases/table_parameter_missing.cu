/* expect cuda: address of a host variable "weights" cannot be directly taken in a device function */
/* because: the kernel reads a PARAMETER table that it has not */
/* do: `CMK_TABLE_PARAMETER(weights)` in its parameter list, `weights` in the launch */
#include <cmk/table.h>

CMK_TABLE(PARAMETER, float, weights, [5]);

__global__ void scale(float *data)
{
    data[threadIdx.x] *= CMK_TABLE_AT(weights, 1);
}
