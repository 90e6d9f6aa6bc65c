/* expect: cmk: CMK_FILL: ROWS and COLUMNS must be at least 1, and COLUMNS at most the pitch of the tile */
/* do: those of the tile, or fewer */
#include <cmk/cmk.h>

__global__ void apply(CMK_FILL_PARAMETER(in), float *out)
{
    CMK_TILE(float, tile, 8, 30, 1);
    CMK_FILL_PIPE_SYNC(PLAIN, pipe, 2, 0);
    CMK_FILL(pipe, 0, tile, 8, 32, in, 0, 0);
    CMK_FILL_WAIT_SYNC(pipe, 0, 0);
    out[0] = (float)CMK_TILE_GET(tile, 0, 0);
}
