/* expect: cmk: CMK_TILE_AT: COLUMNS must be at least 1, PAD not negative */
/* do: integer constants */
#include <cmk/tile.h>

__global__ void apply(float *out)
{
    CMK_TILE_AT(float, tile, 0, 0, 1);
    CMK_TILE_SET(tile, 0, 0, 1);
    out[0] = (float)CMK_TILE_GET(tile, 0, 0);
}
