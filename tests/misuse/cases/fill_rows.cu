/* expect: cmk: CMK_FILL: ROWS must be at most the rows of the tile */
/* because: it would write behind the tile */
/* do: those of the tile, or fewer */
#include <cmk/cmk.h>

__global__ void apply(CMK_FILL_PARAMETER(in), float *out)
{
    CMK_TILE_3D(float, ring, 2, 8, 32, 0);
    CMK_FILL_PIPE_SYNC(PLAIN, pipe, 2, 0);
    CMK_FILL(pipe, 0, ring[0], 9, 32, in, 0, 0);
    CMK_FILL_WAIT_SYNC(pipe, 0, 0);
    out[0] = (float)CMK_TILE_GET(ring[0], 0, 0);
}
