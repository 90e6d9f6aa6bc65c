/* expect: cmk: CMK_TILE_ASSERT_CONFLICT_FREE: bank conflicts, but none with a PAD of 1 */
/* because: lanes of a warp read different words of one bank */
/* do: that PAD, or `CMK_TILE_PAD` */
#include <cmk/tile.h>

__global__ void apply(float *out)
{
    CMK_TILE(float, tile, 32, 32, 0);
    CMK_TILE_ASSERT_CONFLICT_FREE(tile, 32, COLUMNS, 32);
    CMK_TILE_SET(tile, 0, 0, 1);
    out[0] = (float)CMK_TILE_GET(tile, 0, 0);
}
