/* expect: cmk: CMK_TILE_3D: the tiles exceed the 48 KB of static shared memory */
/* because: PLANES ROWS (COLUMNS + PAD) sizeof(T) is above 49,152 */
/* do: smaller tiles, or `CMK_TILE_3D_AT` and `CMK_TILE_LAUNCH` */
#include <cmk/tile.h>

__global__ void apply(float *out)
{
    CMK_TILE_3D(float, tile, 2, 128, 48, 1);
    CMK_TILE_SET(tile[0], 0, 0, 1);
    out[0] = CMK_TILE_GET(tile[0], 0, 0);
}
