/* expect: cmk: CMK_FILL: an element must have 1, 2, 4, 8 or 16 bytes */
/* because: a copy moves whole words */
/* do: a padded struct */
#include <cmk/cmk.h>

__global__ void apply(CMK_FILL_PARAMETER(in), float *out)
{
    CMK_TILE(float3, tile, 8, 32, 0);
    CMK_FILL_PIPE_SYNC(PLAIN, pipe, 2, 0);
    CMK_FILL(pipe, 0, tile, 8, 32, in, 0, 0);
    CMK_FILL_WAIT_SYNC(pipe, 0, 0);
    out[0] = CMK_TILE_GET(tile, 0, 0).x;
}
