/* transpose: a matrix of floats transposed by five kernels, each checked and timed beside a copy of as many bytes.
 *   usage: transpose [ROWS COLUMNS]     16384 16384, on the CPU 512 512
 *   build: nvcc -O3 -arch=native -Iinclude -o transpose examples/transpose.cu
 *      or: gcc -O2 -Iinclude -x c examples/transpose.cu -o transpose -lm -lpthread */
#include <cmk/cmk.h>
#if defined(__CUDACC__)
#define SIZE 16384
#else
#define SIZE 512
#endif
#define STOP(...) (fprintf(stderr, "transpose: " __VA_ARGS__), exit(EXIT_FAILURE))

/* A block of 32 x 8 threads moves a tile of 32 x 32. Blocks lie along x, where there may be 2^31 - 1, in the order down
 * the columns of the input: neighbours write into the same rows. */
#define BLOCK_OF_A_TILE                                                                                                \
    const unsigned down = (unsigned)((rows + 31) / 32);                                                                \
    const cmk_i64 top = (cmk_i64)(blockIdx.x % down) * 32, left = (cmk_i64)(blockIdx.x / down) * 32;                   \
    const int x = (int)threadIdx.x;

__global__ void naive(const float *in, float *out, cmk_i64 rows, cmk_i64 columns)
{
    BLOCK_OF_A_TILE
    for (int y = (int)threadIdx.y; y < 32; y += 8)
        if (top + y < rows && left + x < columns)
            CMK_STORE(&out[(left + x) * rows + top + y], CMK_LDG(&in[(top + y) * columns + left + x]));
}

/* Through shared memory a warp reads a row of the input and writes one of the output; the tile is written by rows and
 * read by columns. TILE declares it, COLUMN(row, column) is where an element lies in its row. */
#define TILED(name, TILE, COLUMN)                                                                                      \
    __global__ void name(const float *in, float *out, cmk_i64 rows, cmk_i64 columns)                                   \
    {                                                                                                                  \
        TILE                                                                                                           \
        BLOCK_OF_A_TILE                                                                                                \
        for (int y = (int)threadIdx.y; y < 32; y += 8)                                                                 \
            if (top + y < rows && left + x < columns)                                                                  \
                CMK_TILE_SET(tile, y, COLUMN(y, x), CMK_LDG(&in[(top + y) * columns + left + x]));                     \
        __syncthreads();                                                                                               \
        for (int y = (int)threadIdx.y; y < 32; y += 8)                                                                 \
            if (left + y < columns && top + x < rows)                                                                  \
                CMK_STORE(&out[(left + y) * rows + top + x], CMK_TILE_GET(tile, x, COLUMN(x, y)));                     \
    }

#define GRAIN 4 /* bytes: any two elements of a row may part */
#define UNPADDED_TILE CMK_TILE(float, tile, 32, 32, 0);
#define PADDED_TILE                                                                                                    \
    CMK_TILE(float, tile, 32, 32, CMK_TILE_PAD(float, 32, BOTH, 32));                                                  \
    CMK_TILE_ASSERT_CONFLICT_FREE(tile, 32, BOTH, 32);
#define SWIZZLED_TILE                                                                                                  \
    CMK_TILE_SWIZZLED(float, tile, 32, 32, GRAIN);                                                                     \
    CMK_TILE_ASSERT_SWIZZLE_CONFLICT_FREE(tile, GRAIN, BOTH, 32);
#define IN_ORDER(row, column) (column)
#define SWIZZLED(row, column) CMK_TILE_SWIZZLE(float, 32, GRAIN, row, column)
TILED(tiled, UNPADDED_TILE, IN_ORDER)
TILED(padded, PADDED_TILE, IN_ORDER)
TILED(swizzled, SWIZZLED_TILE, SWIZZLED)

CMK_DEFINE_TRANSPOSE(final, float);

__global__ void fill(float *in, cmk_i64 count) /* whole numbers of 24 bits that look random */
{
    for (cmk_i64 i = blockIdx.x * 256ll + threadIdx.x; i < count; i += gridDim.x * 256ll) {
        const unsigned long long golden = 0x9e3779b97f4a7c15ull, bits = (unsigned long long)i * golden;
        CMK_STORE(&in[i], (float)((bits ^ bits >> 32) * golden >> 40));
    }
}

__global__ void compare(const float *in, const float *out, cmk_i64 rows, cmk_i64 columns, unsigned *wrong)
{
    for (cmk_i64 i = blockIdx.x * 256ll + threadIdx.x; i < rows * columns; i += gridDim.x * 256ll)
        if (!(CMK_LOAD(&out[i]) == CMK_LOAD(&in[i % rows * columns + i / rows]))) atomicAdd(wrong, 1u);
}

static const char *const names[] = {"copy", "naive", "tiled", "padded", "swizzled", "final"};
static const int degrees[] = {0, 0, CMK_TILE_DEGREE(float, 32, COLUMNS, 32), 1, 1, 0}; /* 1 is asserted above */
static void (*const kernels[])(const float *, float *, cmk_i64, cmk_i64) = {NULL, naive, tiled, padded, swizzled};
static cmk_i64 rows = SIZE, columns = SIZE, blocks;
static size_t bytes;
static float *in, *out, ms, copy_ms;

static cudaError_t run(int kernel)
{
    if (kernel == 0) return cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, 0);
    if (kernel == 5) return final(in, (size_t)columns, out, (size_t)rows, (size_t)rows, (size_t)columns, 0);
    return CMK_LAUNCH(kernels[kernel], (unsigned)blocks, dim3(32, 8), 0, 0, in, out, rows, columns);
}

int main(int argc, char **argv)
{
    unsigned *wrong;
    char more; /* than a number */
    const int good = argc == 1 || (argc == 3 && sscanf(argv[1], "%10lld%c", &rows, &more) == 1 &&
                                   sscanf(argv[2], "%10lld%c", &columns, &more) == 1);
    if (!good || rows < 1 || columns < 1 || rows > 0x7fffffff || columns > 0x7fffffff)
        STOP("usage: transpose [ROWS COLUMNS], each from 1 to 2147483647\n");
    blocks = (rows + 31) / 32 * ((columns + 31) / 32);
    bytes = (size_t)rows * (size_t)columns * sizeof(float);
    if (blocks > 0x7fffffff) STOP("%lld x %lld is too large for one launch\n", rows, columns);
    const unsigned some = bytes < 4096 * 1024 ? (unsigned)bytes / 1024 + 1 : 4096; /* blocks, of 256 */
    CMK_CHECK(cudaMalloc((void **)&in, bytes));
    CMK_CHECK(cudaMalloc((void **)&out, bytes));
    CMK_CHECK(cudaMallocManaged((void **)&wrong, sizeof *wrong, cudaMemAttachGlobal));
    *wrong = 0;
    CMK_CHECK(CMK_LAUNCH(fill, some, 256, 0, 0, in, rows * columns));
    printf("%lld x %lld floats\nkernel           ms      GB/s  %% of the copy  wavefronts\n", rows, columns);
    for (int k = 0; k < 6; ++k) {
        CMK_CHECK(cudaMemset(out, 0xFF, bytes)); /* NaN */
        CMK_CHECK(run(k));
        if (k > 0) CMK_CHECK(CMK_LAUNCH(compare, some, 256, 0, 0, in, out, rows, columns, wrong));
        CMK_CHECK(cudaDeviceSynchronize());
        if (*wrong > 0) STOP("%s: %u wrong elements\n", names[k], *wrong);
        CMK_CHECK_TIME(ms, 31, run(k));
        ms = ms > 1e-6f ? ms : 1e-6f; /* a CPU's clock may stand still */
        copy_ms = k == 0 ? ms : copy_ms;
        printf("%-8s %10.4f %9.1f %14.1f", names[k], ms, 2e-6 * (double)bytes / ms, 100.0f * copy_ms / ms);
        if (degrees[k] > 0) printf(" %11d", degrees[k]);
        printf("\n");
    }
    return EXIT_SUCCESS;
}
