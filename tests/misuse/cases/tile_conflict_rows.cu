/* expect: cmk: CMK_TILE_ASSERT_CONFLICT_FREE: bank conflicts, but none with a PAD of 24 */
/* because: lanes of a warp read different words of one bank */
/* do: that PAD, or `CMK_TILE_PAD` */
#include <cmk/tile.h>

__global__ void apply(float *out)
{
    CMK_TILE(float, tile, 24, 24, 1);
    CMK_TILE_ASSERT_CONFLICT_FREE(tile, 24, ROWS, 16);
    CMK_TILE_SET(tile, 0, 0, 1);
    out[0] = (float)CMK_TILE_GET(tile, 0, 0);
}
