/* expect: cmk: CMK_TILE_ASSERT_SWIZZLE_CONFLICT_FREE: bank conflicts, but none with a GRAIN of 8 */
/* because: a grain moves as a whole */
/* do: that GRAIN */
#include <cmk/tile.h>

__global__ void apply(float *out)
{
    CMK_TILE_SWIZZLED(float, tile, 32, 32, 16);
    CMK_TILE_ASSERT_SWIZZLE_CONFLICT_FREE(tile, 16, COLUMNS_8, 16);
    CMK_TILE_SET(tile, 0, 0, 1);
    out[0] = (float)CMK_TILE_GET(tile, 0, 0);
}
