/* expect c c++: cmk: a shuffle moves at most 8 bytes */
/* because: a shuffle moves a register, or two */
/* do: the parts of a struct one by one */
#include <cmk/base.h>

typedef long double number;

__global__ void broadcast(number *data)
{
    data[threadIdx.x] = __shfl_sync(0xffffffffu, data[threadIdx.x], 0);
}
