/* expect c: weights */
/* expect c++: weights */
/* expect cuda: identifier "weights" is undefined */
/* says: `identifier "weights" is undefined`, `'weights' undeclared` */
/* because: the kernel reads a table with slots that it has not */
/* do: `CMK_TABLE_PARAMETER(weights)`, and a slot in the launch */
#include <cmk/table.h>

CMK_TABLE_SLOTS(CONSTANT, float, weights, [5], 2);

__global__ void scale(float *data)
{
    data[threadIdx.x] *= CMK_TABLE_AT(weights, 1);
}
