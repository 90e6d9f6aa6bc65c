/* compiles */
#include <cmk/cmk.h>

#if defined(__cplusplus)
extern "C" {
#endif
__global__ void in_c(float *out)
{
    CMK_TILE_AT(float, tile, 0, 32, 0);
    CMK_TILE_SET(tile, 0, threadIdx.x, 1.0f);
    CMK_STORE(&out[threadIdx.x], CMK_TILE_GET(tile, 0, threadIdx.x));
}
#if defined(__cplusplus)
}
#endif
