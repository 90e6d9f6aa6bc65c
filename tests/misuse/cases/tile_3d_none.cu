/* expect: cmk: CMK_TILE_3D: PLANES, ROWS and COLUMNS must be at least 1 */
/* do: integer constants from 1 up */
#include <cmk/tile.h>

__global__ void apply(float *out)
{
    CMK_TILE_3D(float, tile, 0, 8, 32, 0);
    CMK_TILE_SET(tile[0], 0, 0, 1);
    out[0] = CMK_TILE_GET(tile[0], 0, 0);
}
