/* expect c c++: cmk: a shuffle moves at most 8 bytes */
#include <cmk/base.h>

typedef long double number;

__global__ void broadcast(number *data)
{
    data[threadIdx.x] = __shfl_sync(0xffffffffu, data[threadIdx.x], 0);
}
