/* expect: cmk: CMK_FILL: BULK swizzles rows of 32, 64 or 128 bytes */
/* because: a tensor copy has swizzles of its own */
/* do: ASYNC, or rows of that size */
#include <cmk/cmk.h>

__global__ void apply(CMK_FILL_PARAMETER(in), float *out)
{
    CMK_TILE(double, tile, 8, 32, 0);
    CMK_FILL_PIPE_SYNC(BULK, pipe, 2, 16);
    CMK_FILL(pipe, 0, tile, 8, 32, in, 0, 0);
    CMK_FILL_WAIT_SYNC(pipe, 0, 0);
    out[0] = (float)CMK_TILE_GET(tile, 0, 0);
}
