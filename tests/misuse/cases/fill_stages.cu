/* expect: cmk: CMK_FILL_PIPE_SYNC: STAGES must be from 1 to 8 */
/* because: each stage is a tile in shared memory */
/* do: 2 to 4 hide the latency */
#include <cmk/cmk.h>

__global__ void apply(CMK_FILL_PARAMETER(in), float *out)
{
    CMK_TILE(float, tile, 8, 32, 0);
    CMK_FILL_PIPE_SYNC(ASYNC, pipe, 9, 0);
    CMK_FILL(pipe, 0, tile, 8, 32, in, 0, 0);
    CMK_FILL_WAIT_SYNC(pipe, 0, 0);
    out[0] = (float)CMK_TILE_GET(tile, 0, 0);
}
