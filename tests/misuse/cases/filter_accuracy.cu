/* expect: CMK_FILTER_DERIVATIVE_1_3_ */
#include <cmk/filter.h>

static __constant__ float slope[5] = {CMK_FILTER_DERIVATIVE(1, 3, 0.5)};

__global__ void apply(float *out)
{
    out[0] = slope[0];
}
