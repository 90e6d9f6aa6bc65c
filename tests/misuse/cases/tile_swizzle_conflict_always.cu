/* expect: cmk: CMK_TILE_ASSERT_SWIZZLE_CONFLICT_FREE: bank conflicts with any GRAIN */
/* because: vectors of 16 bytes by columns in rows of 16 bytes, say */
/* do: a pad, or rows of 128 bytes */
#include <cmk/tile.h>

__global__ void apply(float *out)
{
    CMK_TILE_SWIZZLED(float, tile, 32, 32, 4);
    CMK_TILE_ASSERT_SWIZZLE_CONFLICT_FREE(tile, 4, BOTH, 8);
    CMK_TILE_SET(tile, 0, 0, 1);
    out[0] = (float)CMK_TILE_GET(tile, 0, 0);
}
