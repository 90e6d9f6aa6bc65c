/* conflict: a matrix of 64 x 64 floats is turned through a shared tile, with bank conflicts and without.
 *   build: nvcc -arch=native -Iinclude -o conflict docs/lessons/conflict.cu
 *      or: gcc -Iinclude -x c docs/lessons/conflict.cu -o conflict -lm -lpthread
 *   cost of each line: ./cmk report docs/lessons/conflict.cu */
#include <cmk/cmk.h>

enum { SIDE = 64 };

/* a warp reads a column of the tile: 32 words of one bank */
__global__ void turn(const float *in, float *out)
{
    CMK_TILE(float, tile, 32, 32, 0);
    const unsigned x = threadIdx.x, y = threadIdx.y, left = 32 * blockIdx.x, top = 32 * blockIdx.y;
    CMK_TILE_SET(tile, y, x, CMK_LDG(&in[(top + y) * SIDE + left + x]));
    __syncthreads();
    CMK_STORE(&out[(left + y) * SIDE + top + x], CMK_TILE_GET(tile, x, y));
}

/* with the pad that the compiler finds, and its proof */
__global__ void mended(const float *in, float *out)
{
    CMK_TILE(float, tile, 32, 32, CMK_TILE_PAD(float, 32, BOTH, 32));
    CMK_TILE_ASSERT_CONFLICT_FREE(tile, 32, BOTH, 32);
    const unsigned x = threadIdx.x, y = threadIdx.y, left = 32 * blockIdx.x, top = 32 * blockIdx.y;
    CMK_TILE_SET(tile, y, x, CMK_LDG(&in[(top + y) * SIDE + left + x]));
    __syncthreads();
    CMK_STORE(&out[(left + y) * SIDE + top + x], CMK_TILE_GET(tile, x, y));
}

int main(void)
{
    const size_t bytes = SIDE * SIDE * sizeof(float);
    float *in, *out[2];
    int wrong = 0;
    CMK_CHECK(cudaMallocManaged((void **)&in, bytes, cudaMemAttachGlobal));
    for (int k = 0; k < 2; ++k) CMK_CHECK(cudaMallocManaged((void **)&out[k], bytes, cudaMemAttachGlobal));
    for (int i = 0; i < SIDE * SIDE; ++i) in[i] = (float)i;
    CMK_CHECK(CMK_LAUNCH(turn, dim3(2, 2), dim3(32, 32), 0, 0, in, out[0]));
    CMK_CHECK(CMK_LAUNCH(mended, dim3(2, 2), dim3(32, 32), 0, 0, in, out[1]));
    CMK_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < SIDE * SIDE; ++i)
        for (int k = 0; k < 2; ++k) wrong += (int)out[k][i] != i % SIDE * SIDE + i / SIDE;
    printf("%d elements are wrong\n", wrong);
    return wrong != 0;
}
