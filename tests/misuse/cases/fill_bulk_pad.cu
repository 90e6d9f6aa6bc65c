/* expect: cmk: CMK_FILL: BULK needs a tile without a pad and rows of a multiple of 16 bytes */
/* because: a tensor copy writes dense rows */
/* do: ASYNC, or a swizzled tile */
#include <cmk/cmk.h>

__global__ void apply(CMK_FILL_PARAMETER(in), float *out)
{
    CMK_TILE(float, tile, 8, 32, 4);
    CMK_FILL_PIPE_SYNC(BULK, pipe, 2, 0);
    CMK_FILL(pipe, 0, tile, 8, 32, in, 0, 0);
    CMK_FILL_WAIT_SYNC(pipe, 0, 0);
    out[0] = (float)CMK_TILE_GET(tile, 0, 0);
}
