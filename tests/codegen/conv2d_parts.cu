#include <cmk/cmk.h>

#define RADIUS 2
#define SIDE (2 * RADIUS + 1)

CMK_TABLE(CONSTANT, float, weights, [SIDE][SIDE]);

#define AT(row, column) CMK_LDG(&in[(cmk_i64)(row)*width + (column)])
#define FROM_CONSTANT(r, c) CMK_TABLE_AT(weights, r, c)
#define FROM_IMAGE(dy, dx) AT(y + (dy), x + (dx))
#define FROM_TILE(dy, dx) CMK_TILE_GET(tile, (int)threadIdx.y + RADIUS + (dy), (int)threadIdx.x + RADIUS + (dx))
#define TO_TILE(r, c) CMK_EDGE_SAMPLE_2D(CMK_EDGE_ZERO, AT, top + (r), left + (c), height, width)

extern "C" __global__ void conv_constant(const float *in, float *out, int height, int width)
{
    const int x = (int)(blockIdx.x * 32 + threadIdx.x), y = (int)(blockIdx.y * 8 + threadIdx.y);
    float sum = 0.0f;
    if (x < RADIUS || y < RADIUS || x >= width - RADIUS || y >= height - RADIUS) return;
    CMK_STENCIL_2D_BOX(sum, RADIUS, FROM_CONSTANT, FROM_IMAGE);
    CMK_STORE(&out[(cmk_i64)y * width + x], sum);
}

extern "C" __global__ void conv_tiled(const float *in, float *out, int height, int width)
{
    CMK_TILE(float, tile, 8 + 2 * RADIUS, 32 + 2 * RADIUS, CMK_TILE_PAD(float, 32 + 2 * RADIUS, ROWS, 32));
    const int x = (int)(blockIdx.x * 32 + threadIdx.x), y = (int)(blockIdx.y * 8 + threadIdx.y);
    const int top = y - (int)threadIdx.y - RADIUS, left = x - (int)threadIdx.x - RADIUS;
    float sum = 0.0f;
    CMK_TILE_FILL_SYNC(tile, 8 + 2 * RADIUS, 32 + 2 * RADIUS, TO_TILE);
    CMK_STENCIL_2D_BOX(sum, RADIUS, FROM_CONSTANT, FROM_TILE);
    if (x < width && y < height) CMK_STORE(&out[(cmk_i64)y * width + x], sum);
}
