/* expect c: cmk_fill_bulk_TENSOR_ */
/* expect c++: cmk_fill_bulk_TENSOR_ */
/* expect cuda: cmk_fill_bulk_TENSOR_ */
/* says: `cmk_fill_bulk_TENSOR_` is undefined */
/* because: the first word is no transport */
/* do: PLAIN, ASYNC or BULK */
#include <cmk/cmk.h>

__global__ void apply(CMK_FILL_PARAMETER(in), float *out)
{
    CMK_TILE(float, tile, 8, 32, 0);
    CMK_FILL_PIPE_SYNC(TENSOR, pipe, 2, 0);
    CMK_FILL(pipe, 0, tile, 8, 32, in, 0, 0);
    CMK_FILL_WAIT_SYNC(pipe, 0, 0);
    out[0] = CMK_TILE_GET(tile, 0, 0);
}
