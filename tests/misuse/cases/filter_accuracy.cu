/* expect: CMK_FILTER_DERIVATIVE_1_3_ */
/* says: `CMK_FILTER_DERIVATIVE_1_3_` is undefined */
/* because: the lists of filter.h are of NTH 1 and 2, of ACCURACY 2, 4, 6 and 8, as plain numbers */
/* do: a table that is uploaded, from `cmk_filter_derivative` */
#include <cmk/filter.h>

static __constant__ float slope[5] = {CMK_FILTER_DERIVATIVE(1, 3, 0.5)};

__global__ void apply(float *out)
{
    out[0] = slope[0];
}
