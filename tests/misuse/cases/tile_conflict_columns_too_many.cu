/* expect: cmk: CMK_TILE_ASSERT_CONFLICT_FREE: the tile has fewer than COLUMNS */
/* because: COLUMNS is that of another tile */
/* do: the COLUMNS of its CMK_TILE */
#include <cmk/tile.h>

__global__ void apply(float *out)
{
    CMK_TILE(float, tile, 32, 32, 1);
    CMK_TILE_ASSERT_CONFLICT_FREE(tile, 34, COLUMNS, 32);
    CMK_TILE_SET(tile, 0, 0, 1);
    out[0] = (float)CMK_TILE_GET(tile, 0, 0);
}
