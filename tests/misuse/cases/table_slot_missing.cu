/* expect c: weights */
/* expect c++: weights */
/* expect cuda: identifier "weights" is undefined */
#include <cmk/table.h>

CMK_TABLE_SLOTS(CONSTANT, float, weights, [5], 2);

__global__ void scale(float *data)
{
    data[threadIdx.x] *= CMK_TABLE_AT(weights, 1);
}
