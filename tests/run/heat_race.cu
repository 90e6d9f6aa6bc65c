/* A heat equation in a tile: its second barrier is missing. ./cmk run names the two lines. */
#include <cmk/cmk.h>

enum { COUNT = 64 };

__global__ void heat(const float *in, float *out, int steps)
{
    CMK_TILE(float, tile, 1, COUNT + 2, 0);
    const int t = (int)threadIdx.x;
    CMK_TILE_SET(tile, 0, t + 1, CMK_LOAD(&in[t]));
    if (t < 2) CMK_TILE_SET(tile, 0, (COUNT + 1) * t, 0.0f);
    for (int n = 0; n < steps; ++n) {
        __syncthreads();
        float next = CMK_TILE_GET(tile, 0, t + 1);
        next += 0.25f * (CMK_TILE_GET(tile, 0, t) + CMK_TILE_GET(tile, 0, t + 2) - 2 * next);
        CMK_TILE_SET(tile, 0, t + 1, next); /* the next thread may still read it */
    }
    __syncthreads();
    CMK_STORE(&out[t], CMK_TILE_GET(tile, 0, t + 1));
}

int main(void)
{
    float *in, *out, given[COUNT];
    for (int i = 0; i < COUNT; ++i) given[i] = (float)(i % 7);
    CMK_CHECK(cudaMalloc((void **)&in, sizeof given));
    CMK_CHECK(cudaMalloc((void **)&out, sizeof given));
    CMK_CHECK(cudaMemcpy(in, given, sizeof given, cudaMemcpyHostToDevice));
    CMK_CHECK(CMK_LAUNCH(heat, 1, COUNT, 0, 0, in, out, 3));
    CMK_CHECK(cudaDeviceSynchronize());
    puts("ended");
    return 0;
}
