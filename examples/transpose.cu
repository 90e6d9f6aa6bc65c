/* transpose: a matrix of floats transposed by five kernels, each checked and timed beside a copy of as many bytes.
 *   usage: transpose [ROWS COLUMNS]     16384 16384, on the CPU 512 512
 *   build: nvcc -O3 -arch=native -Iinclude -o transpose examples/transpose.cu
 *      or: gcc -O2 -Iinclude -x c examples/transpose.cu -o transpose -lm -lpthread */
#include <cmk/cmk.h>

/* A block of 32 x 8 threads moves a tile of 32 x 32. Blocks lie along x, where there may be 2^31 - 1, in the order down
 * the columns of the input: neighbours write into the same rows. These are the first row and column of a block's tile.
 */
#define TOP ((cmk_i64)(blockIdx.x % (unsigned)((rows + 31) / 32)) * 32)
#define LEFT ((cmk_i64)(blockIdx.x / (unsigned)((rows + 31) / 32)) * 32)

/* 1: a warp reads a row of the input and writes a column of the output, an element in each sector */
__global__ void naive(const float *in, float *out, cmk_i64 rows, cmk_i64 columns)
{
    const cmk_i64 top = TOP, left = LEFT;
    const int x = (int)threadIdx.x;
    for (int y = (int)threadIdx.y; y < 32; y += 8)
        if (top + y < rows && left + x < columns)
            CMK_STORE(&out[(left + x) * rows + top + y], CMK_LDG(&in[(top + y) * columns + left + x]));
}

/* 2: through shared memory a warp reads a row of the input and writes one of the output; but the tile is read by
 * columns, whose 32 elements are in one bank */
__global__ void tiled(const float *in, float *out, cmk_i64 rows, cmk_i64 columns)
{
    CMK_TILE(float, tile, 32, 32, 0);
    const cmk_i64 top = TOP, left = LEFT;
    const int x = (int)threadIdx.x;
    for (int y = (int)threadIdx.y; y < 32; y += 8)
        if (top + y < rows && left + x < columns)
            CMK_TILE_SET(tile, y, x, CMK_LDG(&in[(top + y) * columns + left + x]));
    __syncthreads();
    for (int y = (int)threadIdx.y; y < 32; y += 8)
        if (left + y < columns && top + x < rows)
            CMK_STORE(&out[(left + y) * rows + top + x], CMK_TILE_GET(tile, x, y));
}

/* 3: with a pad, which the compiler finds and proves */
__global__ void padded(const float *in, float *out, cmk_i64 rows, cmk_i64 columns)
{
    CMK_TILE(float, tile, 32, 32, CMK_TILE_PAD(float, 32, BOTH, 32));
    CMK_TILE_ASSERT_CONFLICT_FREE(tile, 32, BOTH, 32);
    const cmk_i64 top = TOP, left = LEFT;
    const int x = (int)threadIdx.x;
    for (int y = (int)threadIdx.y; y < 32; y += 8)
        if (top + y < rows && left + x < columns)
            CMK_TILE_SET(tile, y, x, CMK_LDG(&in[(top + y) * columns + left + x]));
    __syncthreads();
    for (int y = (int)threadIdx.y; y < 32; y += 8)
        if (left + y < columns && top + x < rows)
            CMK_STORE(&out[(left + y) * rows + top + x], CMK_TILE_GET(tile, x, y));
}

/* 4: with a swizzle: a row's elements lie in another order in each row, and no element is lost to a pad */
#define GRAIN 4 /* bytes: any two elements of a row may part */
#define PLACE(row, column) CMK_TILE_SWIZZLE(float, 32, GRAIN, row, column)
__global__ void swizzled(const float *in, float *out, cmk_i64 rows, cmk_i64 columns)
{
    CMK_TILE_SWIZZLED(float, tile, 32, 32, GRAIN);
    CMK_TILE_ASSERT_SWIZZLE_CONFLICT_FREE(tile, GRAIN, BOTH, 32);
    const cmk_i64 top = TOP, left = LEFT;
    const int x = (int)threadIdx.x;
    for (int y = (int)threadIdx.y; y < 32; y += 8)
        if (top + y < rows && left + x < columns)
            CMK_TILE_SET(tile, y, PLACE(y, x), CMK_LDG(&in[(top + y) * columns + left + x]));
    __syncthreads();
    for (int y = (int)threadIdx.y; y < 32; y += 8)
        if (left + y < columns && top + x < rows)
            CMK_STORE(&out[(left + y) * rows + top + x], CMK_TILE_GET(tile, x, PLACE(x, y)));
}

/* 5: for every size, pitch and alignment */
CMK_DEFINE_TRANSPOSE(final, float);

/* ---- the program: data, comparison, times */

#if defined(__CUDACC__)
enum { ON_GPU = 1, SIZE = 16384 };
#else
enum { ON_GPU = 0, SIZE = 512 }; /* times of a CPU say nothing of a GPU's limits */
#endif
#define STOP(...) (fprintf(stderr, "transpose: " __VA_ARGS__), exit(EXIT_FAILURE))

__global__ void fill(float *in, cmk_i64 count) /* whole numbers of 24 bits that look random */
{
    const unsigned long long golden = 0x9e3779b97f4a7c15ull;
    for (cmk_i64 i = blockIdx.x * 256ll + threadIdx.x; i < count; i += gridDim.x * 256ll) {
        const unsigned long long bits = (unsigned long long)i * golden;
        CMK_STORE(&in[i], (float)((bits ^ bits >> 32) * golden >> 40));
    }
}

__global__ void compare(const float *in, const float *out, cmk_i64 rows, cmk_i64 columns, unsigned *wrong)
{
    for (cmk_i64 i = blockIdx.x * 256ll + threadIdx.x; i < rows * columns; i += gridDim.x * 256ll)
        if (!(CMK_LOAD(&out[i]) == CMK_LOAD(&in[i % rows * columns + i / rows]))) atomicAdd(wrong, 1u);
}

enum { COPY, NAIVE, TILED, PADDED, SWIZZLED, FINAL, KINDS };
static const char *const names[] = {"copy", "naive", "tiled", "padded", "swizzled", "final"};
static const int degrees[] = {0, 0, CMK_TILE_DEGREE(float, 32, COLUMNS, 32), 1, 1, 0}; /* 1 is asserted above */

static cudaError_t run(int kind, const float *in, float *out, cmk_i64 rows, cmk_i64 columns)
{
    const size_t high = (size_t)rows, wide = (size_t)columns;
    const unsigned blocks = (unsigned)((rows + 31) / 32 * ((columns + 31) / 32));
    const dim3 block = dim3(32, 8);
    if (kind == COPY) return cudaMemcpyAsync(out, in, high * wide * sizeof(float), cudaMemcpyDeviceToDevice, 0);
    if (kind == NAIVE) return CMK_LAUNCH(naive, blocks, block, 0, 0, in, out, rows, columns);
    if (kind == TILED) return CMK_LAUNCH(tiled, blocks, block, 0, 0, in, out, rows, columns);
    if (kind == PADDED) return CMK_LAUNCH(padded, blocks, block, 0, 0, in, out, rows, columns);
    if (kind == SWIZZLED) return CMK_LAUNCH(swizzled, blocks, block, 0, 0, in, out, rows, columns);
    return final(in, wide, out, high, high, wide, 0);
}

static cmk_i64 read_size(const char *text) /* 0 if it is none from 1 to 2^31 - 1 */
{
    const cmk_i64 size = strtoll(text, NULL, 10);
    return text[strspn(text, "0123456789")] == '\0' && size <= 0x7fffffff ? size : 0;
}

int main(int argc, char **argv)
{
    cmk_i64 rows = SIZE, columns = SIZE;
    float *in, *out, ms, copy_ms = 0.0f;
    unsigned *wrong;
    if (argc == 3) {
        rows = read_size(argv[1]);
        columns = read_size(argv[2]);
    }
    if (argc == 2 || argc > 3 || rows == 0 || columns == 0)
        STOP("usage: transpose [ROWS COLUMNS], each from 1 to 2147483647\n");
    if ((rows + 31) / 32 * ((columns + 31) / 32) > 0x7fffffff)
        STOP("%lld x %lld is too large for one launch\n", rows, columns);
    const size_t bytes = (size_t)rows * (size_t)columns * sizeof(float);
    const unsigned blocks = bytes < 4096 * 1024 ? (unsigned)bytes / 1024 + 1 : 4096; /* of 256, to fill and compare */

    CMK_CHECK(cudaMalloc((void **)&in, bytes));
    CMK_CHECK(cudaMalloc((void **)&out, bytes));
    CMK_CHECK(cudaMallocManaged((void **)&wrong, sizeof *wrong, cudaMemAttachGlobal));
    *wrong = 0;
    CMK_CHECK(CMK_LAUNCH(fill, blocks, 256, 0, 0, in, rows * columns));
    printf("%lld x %lld floats\n", rows, columns);
    printf("kernel           ms%s  wavefronts\n", ON_GPU ? "      GB/s  % of the copy" : "");
    for (int kind = COPY; kind < KINDS; ++kind) {
        CMK_CHECK(cudaMemset(out, 0xFF, bytes)); /* NaN */
        CMK_CHECK(run(kind, in, out, rows, columns));
        if (kind != COPY) CMK_CHECK(CMK_LAUNCH(compare, blocks, 256, 0, 0, in, out, rows, columns, wrong));
        CMK_CHECK(cudaDeviceSynchronize());
        if (*wrong > 0) STOP("%s: %u wrong elements\n", names[kind], *wrong);
        CMK_CHECK_TIME(ms, 31, run(kind, in, out, rows, columns));
        if (!(ms > 1e-6f)) ms = 1e-6f; /* a CPU's clock may stand still */
        if (kind == COPY) copy_ms = ms;
        printf("%-8s %10.4f", names[kind], ms);
        if (ON_GPU) printf(" %9.1f %14.1f", 2e-6 * (double)bytes / ms, 100.0f * copy_ms / ms);
        if (degrees[kind] > 0) printf(" %11d", degrees[kind]);
        printf("\n");
    }
    return EXIT_SUCCESS;
}
