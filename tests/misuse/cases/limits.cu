/* compiles */
#include <cmk/cmk.h>

#define ONE(k) 1.0f
#define ONE_OF_BOX(r, c) 1.0f
#define SAMPLE(d) (float)(d)

CMK_TABLE(CONSTANT, double, whole, [8191]);
CMK_TABLE_VALUES(CONSTANT, float, single, [1], 1.0f);
CMK_TABLE_VALUES(LITERAL, float, ones, [65], 1.0f);
CMK_DEFINE_STENCIL1D(identity, float, 0, CMK_STENCIL_1D, single, CMK_EDGE_ZERO);
CMK_DEFINE_STENCIL1D(widest, double, 32, CMK_STENCIL_1D, ones, CMK_EDGE_CLAMP);

__global__ void bodies(float *out)
{
    float sum = 0.0f;
    CMK_STENCIL_1D(sum, 64, ONE, SAMPLE);
    CMK_STENCIL_1D_SYMMETRIC(sum, 0, ONE, SAMPLE);
    CMK_STENCIL_2D_BOX(sum, 0, ONE_OF_BOX, ONE_OF_BOX);
    out[0] = sum + (float)CMK_TABLE_AT(whole, 8190) + CMK_TABLE_AT(single, 0);
}

__global__ void tiles(float *out)
{
    CMK_TILE(float, largest, 128, 95, 1);
    CMK_TILE_SET(largest, 127, 94, 1.0f);
    out[0] = CMK_TILE_GET(largest, 127, 94);
}

int main(void)
{
    float *out, milliseconds;
    CMK_CHECK(cudaMalloc((void **)&out, 4 * sizeof(float)));
    CMK_CHECK_TIME(milliseconds, 99, CMK_LAUNCH(bodies, 1, 1, 0, 0, out));
    CMK_CHECK_TIME(milliseconds, 1, CMK_LAUNCH(tiles, dim3(1, 1), 1, 0, 0, out));
    CMK_CHECK(identity(out, out + 2, 2, single, 0));
    return widest(0, 0, 0, ones, 0) != cudaSuccess || milliseconds < 0.0f;
}
