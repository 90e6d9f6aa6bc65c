/* expect: cmk: CMK_TILE_ASSERT_SWIZZLE_CONFLICT_FREE: T must have 1, 2, 4, 8 or 16 bytes, and BLOCK_X be a power of two or a multiple of the lanes of a group */
/* because: the lanes of a group would not fill whole rows */
/* do: a block 8, 16, 32 or 64 wide */
#include <cmk/tile.h>

__global__ void apply(float *out)
{
    CMK_TILE_SWIZZLED(float, tile, 32, 32, 4);
    CMK_TILE_ASSERT_SWIZZLE_CONFLICT_FREE(tile, 4, ROWS, 24);
    CMK_TILE_SET(tile, 0, 0, 1);
    out[0] = (float)CMK_TILE_GET(tile, 0, 0);
}
