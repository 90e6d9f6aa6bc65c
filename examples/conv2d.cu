/* conv2d: one convolution by five kernels, each a step up from the one before: checked, and timed beside its limits.
 *   usage: conv2d [SIDE]     of a square image of floats: 8192, on the CPU 192; 7 x 7 taps, others by -DRADIUS=1 to 7
 *   build: nvcc -O3 -arch=native -Iinclude -o conv2d examples/conv2d.cu
 *      or: gcc -O2 -Iinclude -x c examples/conv2d.cu -o conv2d -lm -lpthread */
#include <math.h>
#include <cmk/cmk.h>

#ifndef RADIUS
#define RADIUS 3
#endif
#define TAPS (2 * RADIUS + 1)
#define HALO ((RADIUS + 3) / 4 * 4) /* columns beside the outputs of a wide tile: whole vectors of 4 */

CMK_TABLE(GLOBAL, float, far_filter, [TAPS][TAPS]);
CMK_TABLE(CONSTANT, float, filter, [TAPS][TAPS]);
#define FAR_FILTER(r, c) CMK_TABLE_AT(far_filter, r, c)
#define FILTER(r, c) CMK_TABLE_AT(filter, r, c)

#define PIXEL(row, column) CMK_LDG(&in[(cmk_i64)(row)*side + (column)])
#define FROM_IMAGE(dy, dx) CMK_EDGE_SAMPLE_2D(CMK_EDGE_ZERO, PIXEL, y + (dy), x + (dx), side, side)

/* 1: a thread a pixel, 32 x 8 a block. For each tap it loads a pixel and the tap. */
__global__ void basic(const float *in, float *out, int side)
{
    const int x = (int)(blockIdx.x * 32 + threadIdx.x), y = (int)(blockIdx.y * 8 + threadIdx.y);
    float sum = 0.0f;
    if (x >= side || y >= side) return;
    CMK_STENCIL_2D_BOX(sum, RADIUS, FAR_FILTER, FROM_IMAGE);
    CMK_STORE(&out[(cmk_i64)y * side + x], sum);
}

/* 2: the taps in constant memory, which costs no load */
__global__ void constant(const float *in, float *out, int side)
{
    const int x = (int)(blockIdx.x * 32 + threadIdx.x), y = (int)(blockIdx.y * 8 + threadIdx.y);
    float sum = 0.0f;
    if (x >= side || y >= side) return;
    CMK_STENCIL_2D_BOX(sum, RADIUS, FILTER, FROM_IMAGE);
    CMK_STORE(&out[(cmk_i64)y * side + x], sum);
}

/* 3: a block loads its pixels and their halo once, into shared memory; edges are treated there, not at every tap */
#define TO_TILE(r, c) FROM_IMAGE((r)-RADIUS - (int)threadIdx.y, (c)-RADIUS - (int)threadIdx.x)
#define FROM_TILE(dy, dx) CMK_TILE_GET(tile, (int)threadIdx.y + RADIUS + (dy), (int)threadIdx.x + RADIUS + (dx))
__global__ void tiled(const float *in, float *out, int side)
{
    CMK_TILE(float, tile, 8 + 2 * RADIUS, 32 + 2 * RADIUS, 0);
    const int x = (int)(blockIdx.x * 32 + threadIdx.x), y = (int)(blockIdx.y * 8 + threadIdx.y);
    float sum = 0.0f;
    CMK_TILE_FILL_SYNC(tile, 8 + 2 * RADIUS, 32 + 2 * RADIUS, TO_TILE);
    CMK_STENCIL_2D_BOX(sum, RADIUS, FILTER, FROM_TILE);
    if (x < side && y < side) CMK_STORE(&out[(cmk_i64)y * side + x], sum);
}

/* 4: 4 x 4 pixels a thread; a row of the tile is read once, for all of them; asynchronous copies of 16 bytes fill it */
#define FILTER_ROW(c) FILTER(r - o, c)
#define FROM_WINDOW(dx) window[HALO + j + (dx)]
__global__ void __launch_bounds__(256, 4) blocked(CMK_FILL_PARAMETER(in), float *out, int side)
{
    CMK_TILE(float, tile, 32 + 2 * RADIUS, 128 + 2 * HALO, 0);
    CMK_FILL_PIPE_SYNC(ASYNC, pipe, 1, 0);
    const int x = 4 * (int)threadIdx.x, y = 4 * (int)threadIdx.y;
    const int left = (int)blockIdx.x * 128, top = (int)blockIdx.y * 32;
    float sum[4][4] = {{0.0f}}, window[4 + 2 * HALO];
    CMK_FILL(pipe, 0, tile, 32 + 2 * RADIUS, 128 + 2 * HALO, in, top - RADIUS, left - HALO);
    CMK_FILL_WAIT_SYNC(pipe, 0, 0);
    CMK_UNROLL
    for (int r = 0; r < 4 + 2 * RADIUS; ++r) {
        CMK_UNROLL
        for (int k = 0; k < 4 + 2 * HALO; ++k) window[k] = CMK_TILE_GET(tile, y + r, x + k);
        CMK_UNROLL
        for (int o = 0; o < 4; ++o) {
            CMK_UNROLL
            for (int j = 0; j < 4; ++j)
                if (r >= o && r - o < TAPS) CMK_STENCIL_1D(sum[o][j], RADIUS, FILTER_ROW, FROM_WINDOW);
        }
    }
    CMK_UNROLL
    for (int o = 0; o < 4; ++o)
        if (top + y + o < side) CMK_STORE_PART(PLAIN, 16, &out[(cmk_i64)(top + y + o) * side], left + x, side, sum[o]);
}

/* 5: for every size, pitch and edge */
CMK_DEFINE_CONV2D(definition, float, TAPS, TAPS, filter, CMK_EDGE_ZERO);

/* ---- the program: reference, limits, times */

/* a plain loop in double; the tolerance is taps x epsilon x the sum of |terms| */
__global__ void compare(const float *in, const float *out, int side, unsigned *wrong)
{
    const int x = (int)(blockIdx.x * 32 + threadIdx.x), y = (int)(blockIdx.y * 8 + threadIdx.y);
    double sum = 0.0, scale = 0.0;
    if (x >= side || y >= side) return;
    for (int k = 0; k < TAPS * TAPS; ++k) {
        const int row = y + k / TAPS - RADIUS, column = x + k % TAPS - RADIUS;
        if (row < 0 || row >= side || column < 0 || column >= side) continue;
        const double term = (double)CMK_TABLE_AT(filter, k) * PIXEL(row, column);
        sum += term;
        scale += fabs(term);
    }
    if (!(fabs(sum - CMK_LOAD(&out[(cmk_i64)y * side + x])) <= scale * TAPS * TAPS * 5.96e-8)) atomicAdd(wrong, 1u);
}

static const char *const names[] = {"basic", "constant", "tiled", "blocked", "definition"};

/* operations for a byte that the text of a kernel loads from global memory: of a block of W x H with ASIDE and ABOVE
 * around it, and of the definition the most there can be */
#define OPS(W, H, ASIDE, ABOVE) (0.5 * TAPS * TAPS * (W) * (H) / ((W) + 2.0 * (ASIDE)) / ((H) + 2.0 * (ABOVE)))
static const double counted[] = {0.25, 0.5, OPS(32, 8, RADIUS, RADIUS), OPS(128, 32, HALO, RADIUS), OPS(1, 1, 0, 0)};

typedef struct {
    int side;
    float *in, *out;
    cmk_fill_source source;
} image;

static cudaError_t run(int kernel, const image *p)
{
    const unsigned side = (unsigned)p->side;
    const size_t n = side;
    const dim3 block = dim3(32, 8), grid = dim3((side + 31) / 32, (side + 7) / 8);
    if (kernel == 0) return CMK_LAUNCH(basic, grid, block, 0, 0, p->in, p->out, p->side);
    if (kernel == 1) return CMK_LAUNCH(constant, grid, block, 0, 0, p->in, p->out, p->side);
    if (kernel == 2) return CMK_LAUNCH(tiled, grid, block, 0, 0, p->in, p->out, p->side);
    if (kernel == 3)
        return CMK_LAUNCH(blocked, dim3((side + 127) / 128, (side + 31) / 32), block, 0, 0, p->source, p->out, p->side);
    return definition(p->in, n, p->out, n, n, n, filter, 0);
}

#if defined(__CUDACC__)
enum { ON_GPU = 1 };
#else
enum { ON_GPU = 0 }; /* times of a CPU say nothing of a GPU's limits */
#endif

static void stop_with_usage(void)
{
    fprintf(stderr, "usage: conv2d [SIDE], from 1 to 65535\n");
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    image p;
    cudaDeviceProp gpu;
    int clock = 0, end = 0; /* clock: kHz */
    CMK_CHECK(cudaGetDeviceProperties(&gpu, 0));
    CMK_CHECK(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0));
    p.side = strcmp(gpu.name, "cmk CPU backend") == 0 ? 192 : 8192;
    if (argc > 2) stop_with_usage();
    if (argc == 2 && (sscanf(argv[1], "%6d%n", &p.side, &end) != 1 || argv[1][end] != '\0')) stop_with_usage();
    if (p.side < 1 || p.side > 65535) stop_with_usage();

    const int side = p.side;
    const size_t count = (size_t)side * (size_t)side, bytes = count * sizeof(float);
    float *const pixels = (float *)malloc(bytes), taps[TAPS * TAPS], ms, copy_ms;
    unsigned *wrong;
    CMK_CHECK(pixels == NULL ? cudaErrorMemoryAllocation : cudaSuccess);
    for (size_t k = 0; k < count; ++k) pixels[k] = (float)rand() / (float)RAND_MAX - 0.5f;
    for (int k = 0; k < TAPS * TAPS; ++k) taps[k] = (float)rand() / (float)RAND_MAX - 0.5f;
    CMK_CHECK(cudaMalloc((void **)&p.in, bytes));
    CMK_CHECK(cudaMalloc((void **)&p.out, bytes));
    CMK_CHECK(cudaMallocManaged((void **)&wrong, sizeof *wrong, cudaMemAttachGlobal));
    *wrong = 0;
    CMK_CHECK(cudaMemcpy(p.in, pixels, bytes, cudaMemcpyHostToDevice));
    CMK_CHECK(CMK_TABLE_UPLOAD(far_filter, taps, 0, TAPS * TAPS));
    CMK_CHECK(CMK_TABLE_UPLOAD(filter, taps, 0, TAPS * TAPS));
    CMK_CHECK(CMK_FILL_SOURCE(&p.source, p.in, side, side, side, 32 + 2 * RADIUS, 128 + 2 * HALO, 0));

    CMK_CHECK_TIME(copy_ms, 31, cudaMemcpyAsync(p.out, p.in, bytes, cudaMemcpyDeviceToDevice, 0));
    const int lanes = gpu.major * 10 + gpu.minor > 80 ? 128 : 64; /* of an SM: each can begin an FMA at every clock */
    const double peak = 2e-9 * gpu.multiProcessorCount * lanes * clock, work = 2e-9 * TAPS * TAPS * (double)count;
    printf("%d x %d floats, %d x %d taps", side, side, TAPS, TAPS);
    if (ON_GPU) printf("; limits: a copy, %.4f ms, measured; %.1f TFLOP/s, from the clock of the SMs", copy_ms, peak);
    printf("\nkernel             ms  operations/byte%s\n",
           ON_GPU ? "      GB/s  TFLOP/s  % of copy  % of peak  % of its limit" : "");
    for (int kernel = 0; kernel < 5; ++kernel) {
        CMK_CHECK(cudaMemset(p.out, 0xFF, bytes)); /* NaN */
        CMK_CHECK_TIME(ms, 31, run(kernel, &p));
        CMK_CHECK(CMK_LAUNCH(compare, dim3((unsigned)(side + 31) / 32, (unsigned)(side + 7) / 8), dim3(32, 8), 0, 0,
                             p.in, p.out, side, wrong));
        CMK_CHECK(cudaDeviceSynchronize());
        if (*wrong > 0) {
            fprintf(stderr, "conv2d: %s: %u wrong pixels\n", names[kernel], *wrong);
            return EXIT_FAILURE;
        }
        if (!(ms > 1e-6f)) ms = 1e-6f; /* a CPU's clock may stand still */
        const double copied = 100.0 * copy_ms / ms, worked = 100.0 * work / ms / peak;
        printf("%-10s %10.4f %16.2f", names[kernel], ms, counted[kernel]);
        if (ON_GPU)
            printf(" %9.1f %8.2f %10.1f %10.1f %14.1f", 2e-6 * (double)bytes / ms, work / ms, copied, worked,
                   copied > worked ? copied : worked);
        printf("\n");
    }
    return EXIT_SUCCESS;
}
