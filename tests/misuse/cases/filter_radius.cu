/* expect: CMK_FILTER_GAUSS_17_ */
/* says: `CMK_FILTER_GAUSS_17_` is undefined */
/* because: the lists of filter.h are of RADIUS 1 to 8, of a Gauss 1 to 16, as plain numbers */
/* do: a table that is uploaded, from `cmk_filter_gauss` or its kin */
#include <cmk/filter.h>

static __constant__ float gauss[35] = {CMK_FILTER_GAUSS(17, 4.0)};

__global__ void apply(float *out)
{
    out[0] = gauss[17];
}
