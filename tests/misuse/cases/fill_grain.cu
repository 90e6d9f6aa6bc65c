/* expect: cmk: CMK_FILL_PIPE_SYNC: GRAIN must be 0, 4, 8 or 16, of BULK 0 or 16 */
/* because: a fill writes where the tile's GRAIN says; a tensor copy knows 16 only */
/* do: 0, or the GRAIN of the CMK_TILE_SWIZZLED */
#include <cmk/cmk.h>

__global__ void apply(CMK_FILL_PARAMETER(in), float *out)
{
    CMK_TILE(float, tile, 8, 32, 0);
    CMK_FILL_PIPE_SYNC(BULK, pipe, 2, 4);
    CMK_FILL(pipe, 0, tile, 8, 32, in, 0, 0);
    CMK_FILL_WAIT_SYNC(pipe, 0, 0);
    out[0] = (float)CMK_TILE_GET(tile, 0, 0);
}
