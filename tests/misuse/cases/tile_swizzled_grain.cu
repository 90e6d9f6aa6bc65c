/* expect: cmk: CMK_TILE_SWIZZLED: GRAIN must be 4, 8 or 16, hold whole elements, and be at most a row, which must have a power of two of bytes */
/* do: a pad for other rows */
#include <cmk/tile.h>

__global__ void apply(float *out)
{
    CMK_TILE_SWIZZLED(float, tile, 32, 48, 16);
    CMK_TILE_SET(tile, 0, 0, 1);
    out[0] = (float)CMK_TILE_GET(tile, 0, 0);
}
