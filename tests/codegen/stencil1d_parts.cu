#include <cmk/cmk.h>

#define RADIUS 4
#define BLOCK 256

CMK_TABLE(CONSTANT, float, coefficients, [RADIUS + 1]);

#define AT(i) CMK_LDG(&in[i])
#define FROM_DOMAIN(column) CMK_EDGE_SAMPLE(CMK_EDGE_ZERO, AT, start - RADIUS + (column), count)
#define FROM_TILE(d) CMK_TILE_GET(tile, 0, (int)threadIdx.x + RADIUS + (d))
#define FROM_CONSTANT(k) CMK_TABLE_AT(coefficients, k)
#define FROM_GLOBAL(k) CMK_LDG(&global[k])

extern "C" __global__ void stencil_1d(const float *in, float *out, cmk_i64 count)
{
    CMK_TILE(float, tile, 1, BLOCK + 2 * RADIUS, 0);
    const cmk_i64 start = (cmk_i64)blockIdx.x * BLOCK, i = start + (cmk_i64)threadIdx.x;
    float sum = 0.0f;
    CMK_TILE_FILL_1D_SYNC(tile, BLOCK + 2 * RADIUS, FROM_DOMAIN);
    CMK_STENCIL_1D_ANTISYMMETRIC(sum, RADIUS, FROM_CONSTANT, FROM_TILE);
    if (i < count) CMK_STORE(&out[i], sum);
}

extern "C" __global__ void stencil_1d_read_only(const float *in, float *out, cmk_i64 count, const float *global)
{
    CMK_TILE(float, tile, 1, BLOCK + 2 * RADIUS, 0);
    const cmk_i64 start = (cmk_i64)blockIdx.x * BLOCK, i = start + (cmk_i64)threadIdx.x;
    float sum = 0.0f;
    CMK_TILE_FILL_1D_SYNC(tile, BLOCK + 2 * RADIUS, FROM_DOMAIN);
    CMK_STENCIL_1D_ANTISYMMETRIC(sum, RADIUS, FROM_GLOBAL, FROM_TILE);
    if (i < count) CMK_STORE(&out[i], sum);
}
