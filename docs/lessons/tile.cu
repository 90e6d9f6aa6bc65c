/* tile: a blur of 5 x 5 pixels, straight from global memory and through a shared tile.
 *   usage: tile [PICTURE]
 *   build: nvcc -arch=native -Iinclude -o tile docs/lessons/tile.cu
 *      or: gcc -Iinclude -x c docs/lessons/tile.cu -o tile -lm -lpthread */
#define CMK_COUNT 1 /* on the CPU: counts what kernels cost */
#include <cmk/cmk.h>

enum { SIDE = 256, RADIUS = 2, WIDE = 32, HIGH = 8 };
#define EVEN(r, c) (1.0f / 25)
#define PIXEL(row, column) CMK_LDG(&in[(row)*SIDE + (column)])
#define CLAMPED(row, column) CMK_EDGE_SAMPLE_2D(CMK_EDGE_CLAMP, PIXEL, row, column, SIDE, SIDE)

/* each thread loads its 25 pixels */
#define AROUND(dy, dx) CLAMPED(y + (dy), x + (dx))
__global__ void direct(const float *in, float *out)
{
    const int x = (int)(blockIdx.x * WIDE + threadIdx.x), y = (int)(blockIdx.y * HIGH + threadIdx.y);
    float sum = 0.0f;
    CMK_STENCIL_2D_BOX_SYMMETRIC(sum, RADIUS, EVEN, AROUND);
    CMK_STORE(&out[y * SIDE + x], sum);
}

/* the block loads its pixels and a halo once, and reads them from the tile */
#define TO_TILE(r, c) CLAMPED(top - RADIUS + (r), left - RADIUS + (c))
#define FROM_TILE(dy, dx) CMK_TILE_GET(tile, (int)threadIdx.y + RADIUS + (dy), (int)threadIdx.x + RADIUS + (dx))
__global__ void tiled(const float *in, float *out)
{
    CMK_TILE(float, tile, HIGH + 2 * RADIUS, WIDE + 2 * RADIUS, 0);
    const int left = (int)blockIdx.x * WIDE, top = (int)blockIdx.y * HIGH;
    float sum = 0.0f;
    CMK_TILE_FILL_SYNC(tile, HIGH + 2 * RADIUS, WIDE + 2 * RADIUS, TO_TILE);
    CMK_STENCIL_2D_BOX_SYMMETRIC(sum, RADIUS, EVEN, FROM_TILE);
    CMK_STORE(&out[(top + (int)threadIdx.y) * SIDE + left + (int)threadIdx.x], sum);
}

static void say(const char *kernel)
{
    const double pixels = SIDE * SIDE;
    if (cmk_count(kernel, CMK_COUNT_GLOBAL_LOAD_REQUESTS) < 0) return; /* on a GPU its profiler counts */
    printf("%-8s %5.2f requests of global memory a warp of pixels, %6.2f bytes a pixel\n", kernel,
           32.0 * (double)cmk_count(kernel, CMK_COUNT_GLOBAL_LOAD_REQUESTS) / pixels,
           32.0 * (double)cmk_count(kernel, CMK_COUNT_GLOBAL_LOAD_SECTORS) / pixels);
}

int main(int argc, char **argv)
{
    const dim3 block = dim3(WIDE, HIGH), grid = dim3(SIDE / WIDE, SIDE / HIGH);
    const size_t bytes = SIDE * SIDE * sizeof(float);
    float *in, *out[2];
    int differ = 0;
    CMK_CHECK(cudaMallocManaged((void **)&in, bytes, cudaMemAttachGlobal));
    for (int k = 0; k < 2; ++k) CMK_CHECK(cudaMallocManaged((void **)&out[k], bytes, cudaMemAttachGlobal));
    for (int i = 0; i < SIDE * SIDE; ++i) in[i] = (i / SIDE / 16 + i % SIDE / 16) % 2 ? 230.0f : 25.0f;
    CMK_CHECK(CMK_LAUNCH(direct, grid, block, 0, 0, in, out[0]));
    CMK_CHECK(CMK_LAUNCH(tiled, grid, block, 0, 0, in, out[1]));
    CMK_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < SIDE * SIDE; ++i)
        differ += !(out[0][i] - out[1][i] <= 0.001f && out[1][i] - out[0][i] <= 0.001f);
    say("direct");
    say("tiled");
    printf("%d pixels differ\n", differ);

    FILE *const file = argc > 1 ? fopen(argv[1], "wb") : NULL;
    if (file) fprintf(file, "P5\n%d %d\n255\n", SIDE, SIDE);
    for (int i = 0; i < SIDE * SIDE && file; ++i) fputc((int)(out[1][i] + 0.5f), file);
    return differ != 0 || (file && fclose(file) != 0);
}
