/* expect: cmk: CMK_TILE: PAD must not be negative (CMK_TILE_PAD is -1 where none avoids bank conflicts) */
/* because: two accesses that no pad serves, or a block whose width is no power of two */
/* do: `CMK_TILE_SWIZZLED`, or another block */
#include <cmk/tile.h>

__global__ void apply(float *out)
{
    CMK_TILE(float, tile, 8, 32, -1);
    CMK_TILE_SET(tile, 0, 0, 1.0f);
    out[0] = CMK_TILE_GET(tile, 0, 0);
}
