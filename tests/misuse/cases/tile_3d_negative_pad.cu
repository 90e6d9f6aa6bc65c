/* expect: cmk: CMK_TILE_3D: PAD must not be negative (CMK_TILE_PAD is -1 where none avoids bank conflicts) */
/* because: two accesses that no pad serves, or a block whose width is no power of two */
/* do: another block, or a dense tile that a fill swizzles */
#include <cmk/tile.h>

__global__ void apply(float *out)
{
    CMK_TILE_3D(float, tile, 2, 8, 32, -1);
    CMK_TILE_SET(tile[0], 0, 0, 1);
    out[0] = CMK_TILE_GET(tile[0], 0, 0);
}
