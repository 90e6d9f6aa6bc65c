/* expect: cmk: CMK_TILE: the tile exceeds the 48 KB of static shared memory */
/* because: ROWS (COLUMNS + PAD) sizeof(T) is above 49,152 */
/* do: a smaller tile, or `CMK_TILE_AT` and `CMK_TILE_LAUNCH` */
#include <cmk/tile.h>

__global__ void apply(float *out)
{
    CMK_TILE(float, tile, 128, 96, 1);
    CMK_TILE_SET(tile, 0, 0, 1.0f);
    out[0] = CMK_TILE_GET(tile, 0, 0);
}
