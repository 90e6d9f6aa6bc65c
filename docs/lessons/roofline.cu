/* roofline: operations a byte of three kernels, counted, beside what an H200 can do.
 *   build: gcc -O1 -Iinclude -x c docs/lessons/roofline.cu -o roofline -lm -lpthread */
#define CMK_COUNT 1
#include <cmk/cmk.h>

/* of bench/results/history/2026-11-21-h200.md: a copy, in bytes read and written, and independent FMAs, measured */
static const double gigabytes = 4238.8, teraflops = 65.77;

enum { SIDE = 256, WIDE = 32, HIGH = 8 };
#define TAP(...) 0.01f
#define PIXEL(row, column) CMK_LDG(&in[(row)*SIDE + (column)])
#define CLAMPED(row, column) CMK_EDGE_SAMPLE_2D(CMK_EDGE_CLAMP, PIXEL, row, column, SIDE, SIDE)
#define AROUND(dy, dx) CLAMPED(y + (dy), x + (dx))
#define ALONG(d) CLAMPED(y, x + (d))
#define PLACE const int x = (int)(blockIdx.x * WIDE + threadIdx.x), y = (int)(blockIdx.y * HIGH + threadIdx.y)

__global__ void line(const float *in, float *out) /* 5 taps */
{
    PLACE;
    float sum = 0.0f;
    CMK_STENCIL_1D(sum, 2, TAP, ALONG);
    CMK_STORE(&out[y * SIDE + x], sum);
}

__global__ void direct(const float *in, float *out) /* 9 x 9 taps, each pixel from memory */
{
    PLACE;
    float sum = 0.0f;
    CMK_STENCIL_2D_BOX(sum, 4, TAP, AROUND);
    CMK_STORE(&out[y * SIDE + x], sum);
}

#define TO_TILE(r, c) CLAMPED((int)blockIdx.y *HIGH - 4 + (r), (int)blockIdx.x * WIDE - 4 + (c))
#define FROM_TILE(dy, dx) CMK_TILE_GET(tile, (int)threadIdx.y + 4 + (dy), (int)threadIdx.x + 4 + (dx))
__global__ void tiled(const float *in, float *out) /* the same through a tile */
{
    CMK_TILE(float, tile, HIGH + 8, WIDE + 8, 0);
    PLACE;
    float sum = 0.0f;
    CMK_TILE_FILL_SYNC(tile, HIGH + 8, WIDE + 8, TO_TILE);
    CMK_STENCIL_2D_BOX(sum, 4, TAP, FROM_TILE);
    CMK_STORE(&out[y * SIDE + x], sum);
}

static void say(const char *kernel)
{
    const double sectors =
        (double)(cmk_count(kernel, CMK_COUNT_GLOBAL_LOAD_SECTORS) + cmk_count(kernel, CMK_COUNT_GLOBAL_STORE_SECTORS));
    const double intensity = (double)cmk_count(kernel, CMK_COUNT_OPERATIONS_DONE) / (32.0 * sectors);
    const double roof = 0.001 * gigabytes * intensity;
    printf("%-7s %6.2f operations a byte: at most %5.2f TFLOP/s, by %s\n", kernel, intensity,
           roof < teraflops ? roof : teraflops, roof < teraflops ? "bytes" : "FMAs");
}

int main(void)
{
    const dim3 block = dim3(WIDE, HIGH), grid = dim3(SIDE / WIDE, SIDE / HIGH);
    float *in, *out;
    CMK_CHECK(cudaMalloc((void **)&in, SIDE * SIDE * sizeof *in));
    CMK_CHECK(cudaMalloc((void **)&out, SIDE * SIDE * sizeof *out));
    CMK_CHECK(cudaMemset(in, 0, SIDE * SIDE * sizeof *in));
    CMK_CHECK(CMK_LAUNCH(line, grid, block, 0, 0, in, out));
    CMK_CHECK(CMK_LAUNCH(direct, grid, block, 0, 0, in, out));
    CMK_CHECK(CMK_LAUNCH(tiled, grid, block, 0, 0, in, out));
    CMK_CHECK(cudaDeviceSynchronize());
    printf("the roof bends at %.1f operations a byte\n", 1000.0 * teraflops / gigabytes);
    say("line");
    say("direct");
    say("tiled");
    return 0;
}
