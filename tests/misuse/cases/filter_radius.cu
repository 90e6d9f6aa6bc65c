/* expect: CMK_FILTER_SYMMETRIC_9_ */
#include <cmk/filter.h>

static __constant__ float gauss[19] = {CMK_FILTER_GAUSS(9, 2.0)};

__global__ void apply(float *out)
{
    out[0] = gauss[9];
}
