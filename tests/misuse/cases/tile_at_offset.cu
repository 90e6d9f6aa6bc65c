/* expect: cmk: CMK_TILE_AT: OFFSET must be a multiple of sizeof(T) */
/* do: sums of `CMK_TILE_BYTES` */
#include <cmk/tile.h>

__global__ void apply(float *out)
{
    CMK_TILE_AT(float, tile, 2, 8, 1);
    CMK_TILE_SET(tile, 0, 0, 1);
    out[0] = (float)CMK_TILE_GET(tile, 0, 0);
}
