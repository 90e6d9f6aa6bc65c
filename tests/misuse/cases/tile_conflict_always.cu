/* expect: cmk: CMK_TILE_ASSERT_CONFLICT_FREE: bank conflicts with any PAD: a CMK_TILE_SWIZZLED may have none */
/* because: rows and columns, or vectors and columns: no pitch serves both */
/* do: a swizzle */
#include <cmk/tile.h>

__global__ void apply(float *out)
{
    CMK_TILE(float, tile, 32, 32, 1);
    CMK_TILE_ASSERT_CONFLICT_FREE(tile, 32, BOTH, 8);
    CMK_TILE_SET(tile, 0, 0, 1);
    out[0] = (float)CMK_TILE_GET(tile, 0, 0);
}
