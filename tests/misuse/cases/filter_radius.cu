/* expect: CMK_FILTER_SYMMETRIC_9_ */
/* says: `CMK_FILTER_SYMMETRIC_9_` is undefined */
/* because: the lists of filter.h are of RADIUS 1 to 8, as plain numbers */
/* do: a table that is uploaded, from `cmk_filter_gauss` or its kin */
#include <cmk/filter.h>

static __constant__ float gauss[19] = {CMK_FILTER_GAUSS(9, 2.0)};

__global__ void apply(float *out)
{
    out[0] = gauss[9];
}
