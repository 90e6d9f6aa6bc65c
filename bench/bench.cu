/* bench: times the kernels on random data, each verified at every point before it is timed.
 *
 *   usage: bench [CSV]      prints the table; CSV is a file to append it to as well
 *
 * Rows, limits and shares: bench.h. */
#include "bench.h"

#define COUNT ((size_t)1 << 28) /* 1 GiB a buffer: many times any L2 cache */
#define MOST_TAPS 65
#define SHIFT 16 /* elements of room for shifted buffers */

CMK_TABLE(CONSTANT, float, weights, [MOST_TAPS]);
#define WEIGHT(k) CMK_TABLE_AT(weights, k)

static float host_weights[MOST_TAPS];

/* ---- verification: the sum in double, written from the formula; errors in units of the sum of |weight * sample| */

__global__ void compare(const float *x, const float *result, long long count, int radius, int sign)
{
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count;
         i += (long long)gridDim.x * blockDim.x) {
        double sum = sign > 0 ? (double)WEIGHT(0) * x[i] : 0.0, scale = fabs(sum) + 1e-30;
        for (int k = 1; k <= radius; ++k) {
            const double right = i + k < count ? x[i + k] : 0.0, left = i >= k ? x[i - k] : 0.0;
            sum += WEIGHT(k) * (right + sign * left);
            scale += fabs(WEIGHT(k) * right) + fabs(WEIGHT(k) * left);
        }
        note_error(fabs(result[i] - sum) / scale);
    }
}

static float verified(const char *name, const float *x, float *result, size_t count, int radius, int sign)
{
    forget_errors();
    CMK_CHECK(CMK_LAUNCH(compare, 2048, 256, 0, 0, x, result, (long long)count, radius, sign));
    return largest_error(name, 1e-6f);
}

/* ---- the definition */

/* clang-format off */
#define STENCILS(CASE) \
    CASE(1, symmetric, CMK_STENCIL_1D_SYMMETRIC) \
    CASE(2, symmetric, CMK_STENCIL_1D_SYMMETRIC) \
    CASE(4, symmetric, CMK_STENCIL_1D_SYMMETRIC) \
    CASE(4, antisymmetric, CMK_STENCIL_1D_ANTISYMMETRIC) \
    CASE(8, symmetric, CMK_STENCIL_1D_SYMMETRIC) \
    CASE(16, symmetric, CMK_STENCIL_1D_SYMMETRIC) \
    CASE(32, symmetric, CMK_STENCIL_1D_SYMMETRIC)
/* clang-format on */

#define DEFINE_STENCIL(RADIUS, FORM, BODY)                                                                             \
    CMK_TABLE(CONSTANT, float, weights_##FORM##_##RADIUS, [(RADIUS) + 1]);                                             \
    CMK_DEFINE_STENCIL1D(stencil_##FORM##_##RADIUS, float, RADIUS, BODY, weights_##FORM##_##RADIUS, CMK_EDGE_ZERO);    \
    static cudaError_t FORM##_##RADIUS(const float *x, float *y, size_t count)                                         \
    {                                                                                                                  \
        return stencil_##FORM##_##RADIUS(x, y, count, weights_##FORM##_##RADIUS, 0);                                   \
    }
STENCILS(DEFINE_STENCIL)

#define UPLOAD_WEIGHTS(RADIUS, FORM, BODY)                                                                             \
    CMK_CHECK(CMK_TABLE_UPLOAD(weights_##FORM##_##RADIUS, host_weights, 0, (RADIUS) + 1));

typedef cudaError_t (*stencil)(const float *, float *, size_t);

static void definition(const char *name, stencil launch, size_t count, int radius, int sign, int in_shift,
                       int out_shift)
{
    float ms, error;
    CMK_CHECK(cudaMemset(out, 0xFF, (COUNT + SHIFT) * sizeof(float)));
    CMK_CHECK(launch(in + in_shift, out + out_shift, count));
    error = verified(name, in + in_shift, out + out_shift, count, radius, sign);
    CMK_CHECK_TIME(ms, 31, launch(in + in_shift, out + out_shift, count));
    row(name, (double)count, 8, sign > 0 ? 3 * radius + 1 : 3 * radius, ms, error);
}

/* ---- what a user would write by hand: one thread a point from global memory, and a tile from parts */

#define AT(i) CMK_LDG(&x[i])
#define FROM_DOMAIN(d) CMK_EDGE_SAMPLE(CMK_EDGE_ZERO, AT, i + (d), count)
#define TO_TILE(c) CMK_EDGE_SAMPLE(CMK_EDGE_ZERO, AT, i - (int)threadIdx.x - 4 + (c), count)
#define FROM_TILE(d) CMK_TILE_GET(tile, 0, (int)threadIdx.x + 4 + (d))

__global__ void direct(const float *x, float *y, cmk_i64 count)
{
    const cmk_i64 i = (cmk_i64)blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    CMK_STENCIL_1D_ANTISYMMETRIC(sum, 4, WEIGHT, FROM_DOMAIN);
    if (i < count) CMK_STORE(&y[i], sum);
}

__global__ void tiled(const float *x, float *y, cmk_i64 count)
{
    CMK_TILE(float, tile, 1, 256 + 8, 0);
    const cmk_i64 i = (cmk_i64)blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    CMK_TILE_FILL_1D_SYNC(tile, (int)blockDim.x + 8, TO_TILE);
    CMK_STENCIL_1D_ANTISYMMETRIC(sum, 4, WEIGHT, FROM_TILE);
    if (i < count) CMK_STORE(&y[i], sum);
}

static void by_hand(const char *name, void (*kernel)(const float *, float *, cmk_i64), unsigned threads)
{
    float ms, error;
    CMK_CHECK(cudaMemset(out, 0xFF, COUNT * sizeof(float)));
    CMK_CHECK(CMK_LAUNCH(kernel, (unsigned)(COUNT / threads), threads, 0, 0, in, out, (cmk_i64)COUNT));
    error = verified(name, in, out, COUNT, 4, -1);
    CMK_CHECK_TIME(ms, 31, CMK_LAUNCH(kernel, (unsigned)(COUNT / threads), threads, 0, 0, in, out, (cmk_i64)COUNT));
    row(name, COUNT, 8, 12, ms, error);
}

/* ---- fills: x[i + 4] - x[i - 4] along the rows of a square, through rings of tiles with a halo of 8 on both sides */

enum { fill_side = 16384, fill_rows = 8, fill_wide = 240, fill_columns = fill_wide + 2 * 8, fill_steps = 8 };

#define FILL(HOW, STAGES)                                                                                              \
    __global__ void __launch_bounds__(256) fill_##HOW##_##STAGES(CMK_FILL_PARAMETER(x), float *y)                      \
    {                                                                                                                  \
        const int left = (int)blockIdx.x * fill_wide, top = (int)blockIdx.y * fill_steps * fill_rows;                  \
        CMK_TILE_3D_AT(float, ring, 0, fill_rows, fill_columns, 0);                                                    \
        CMK_FILL_PIPE_SYNC(HOW, pipe, STAGES, 0);                                                                      \
        for (int n = 0; n < STAGES - 1; ++n)                                                                           \
            CMK_FILL(pipe, n, ring[n], fill_rows, fill_columns, x, top + n * fill_rows, left - 8);                     \
        for (int n = 0; n < fill_steps; ++n) {                                                                         \
            const int next = n + STAGES - 1, started = next < fill_steps ? next : fill_steps;                          \
            CMK_FILL_WAIT_SYNC(pipe, n, started - n - 1);                                                              \
            if (next < fill_steps)                                                                                     \
                CMK_FILL(pipe, next, ring[next % STAGES], fill_rows, fill_columns, x, top + next * fill_rows,          \
                         left - 8);                                                                                    \
            for (int k = (int)threadIdx.x; k < fill_rows * fill_wide / 4; k += 256) {                                  \
                const int r = k / (fill_wide / 4), c = k % (fill_wide / 4) * 4;                                        \
                const float4 a = CMK_LOAD((const float4 *)&ring[n % STAGES][r][c + 4]);                                \
                const float4 b = CMK_LOAD((const float4 *)&ring[n % STAGES][r][c + 12]);                               \
                const float d[4] = {b.x - a.x, b.y - a.y, b.z - a.z, b.w - a.w};                                       \
                if (left + c < fill_side)                                                                              \
                    CMK_STORE_16(PLAIN, &y[(size_t)(top + n * fill_rows + r) * fill_side + left + c], d);              \
            }                                                                                                          \
        }                                                                                                              \
    }
FILL(PLAIN, 2)
FILL(ASYNC, 3)
FILL(BULK, 3)

__global__ void compare_fill(const float *x, const float *y)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < COUNT; i += (size_t)gridDim.x * blockDim.x) {
        const size_t column = i % fill_side;
        const float right = column + 4 < fill_side ? x[i + 4] : 0.0f, left = column >= 4 ? x[i - 4] : 0.0f;
        note_error(y[i] == right - left ? 0.0 : 1.0);
    }
}

static void fill_row(const char *name, void (*kernel)(const cmk_fill_source, float *), int stages)
{
    const dim3 grid = dim3((fill_side + fill_wide - 1) / fill_wide, fill_side / fill_rows / fill_steps);
    const int bytes = (int)CMK_TILE_BYTES(float, stages *fill_rows, fill_columns, 0);
    cmk_fill_source source;
    float ms;
    CMK_CHECK(CMK_FILL_SOURCE(&source, in, fill_side, fill_side, fill_side, fill_rows, fill_columns, 0));
    CMK_CHECK(cudaMemset(out, 0xFF, COUNT * sizeof(float)));
    CMK_CHECK(CMK_TILE_LAUNCH(kernel, grid, 256, bytes, 0, source, out));
    forget_errors();
    CMK_CHECK(CMK_LAUNCH(compare_fill, 2048, 256, 0, 0, in, out));
    largest_error(name, 0.0f);
    CMK_CHECK_TIME(ms, 31, CMK_TILE_LAUNCH(kernel, grid, 256, bytes, 0, source, out));
    row(name, COUNT, 8, 1, ms, 0.0f);
}

/* ---- transposes; each case in two buffers of exactly its size, as a user has them
 *
 * The times depend on where these lie: at 16384^2, on an H200, the same kernel took from 92 to 98 % of a copy for 8
 * bytes and from 92 to 97 % for 16, by the addresses alone. No other order of the blocks, of 13, and no other tile
 * changed that. */

typedef struct {
    float x, y, z, w;
} quad;

/* the kernels for elements of N bytes, without a pitch: rows x columns from in to out, rows x rows in out */
#define TRANSPOSE(N, T)                                                                                                \
    CMK_DEFINE_TRANSPOSE(transpose_##N, T);                                                                            \
    static cudaError_t transposed_##N(size_t rows, size_t columns)                                                     \
    {                                                                                                                  \
        return transpose_##N((const T *)in, columns, (T *)out, rows, rows, columns, 0);                                \
    }                                                                                                                  \
    static cudaError_t in_place_##N(size_t rows, size_t columns)                                                       \
    {                                                                                                                  \
        return transpose_##N##_in_place((T *)out, columns, rows, 0);                                                   \
    }

TRANSPOSE(1, unsigned char)
TRANSPOSE(2, unsigned short)
TRANSPOSE(4, float)
TRANSPOSE(8, double)
TRANSPOSE(16, quad)

typedef cudaError_t (*transpose)(size_t, size_t);

/* the lengths of the axes of the result, slowest first, and the elements of in from one to the next along each */
typedef struct {
    size_t length[3], step[3];
} axes;

__global__ void compare_axes(const unsigned char *x, const unsigned char *y, axes a, size_t size)
{
    const size_t count = a.length[0] * a.length[1] * a.length[2];
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        const size_t plane = i / a.length[2];
        const size_t from =
            plane / a.length[1] * a.step[0] + plane % a.length[1] * a.step[1] + i % a.length[2] * a.step[2];
        for (size_t b = 0; b < size; ++b) note_error(y[i * size + b] == x[from * size + b] ? 0.0 : 1.0);
    }
}

static void check_axes(const char *name, axes a, size_t size)
{
    forget_errors();
    CMK_CHECK(
        CMK_LAUNCH(compare_axes, 2048, 256, 0, 0, (const unsigned char *)in, (const unsigned char *)out, a, size));
    largest_error(name, 0.0f);
}

/* Random bytes in in, poison in out, and the row of their copy. For some milliseconds after an allocation everything is
 * a tenth slower: copies of 100 GB go before. */
static void new_buffers(size_t bytes)
{
    char copy[64];
    CMK_CHECK(cudaFree(in));
    CMK_CHECK(cudaFree(out));
    CMK_CHECK(cudaMalloc((void **)&in, bytes));
    CMK_CHECK(cudaMalloc((void **)&out, bytes));
    CMK_CHECK(CMK_LAUNCH(random_fill, 2048, 256, 0, 0, in, bytes / sizeof(float), 20262u));
    for (size_t copied = 0; copied < 100000000000; copied += bytes)
        CMK_CHECK(cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, 0));
    snprintf(copy, sizeof copy, "copy: %zu bytes", bytes);
    copy_row(copy, bytes);
    CMK_CHECK(cudaMemset(out, 0xFF, bytes));
}

static void transpose_row(const char *name, transpose launch, int in_place, size_t rows, size_t columns, size_t size)
{
    const axes a = {{1, columns, rows}, {0, 1, columns}};
    float ms;
    new_buffers(rows * columns * size);
    if (in_place) CMK_CHECK(cudaMemcpy(out, in, rows * columns * size, cudaMemcpyDeviceToDevice));
    CMK_CHECK(launch(rows, columns));
    check_axes(name, a, size);
    CMK_CHECK_TIME(ms, 31, launch(rows, columns));
    row(name, (double)rows * (double)columns, 2.0 * (double)size, 0, ms, 0.0f);
}

static void volume_row(const char *name, int order, int first, int second, int third)
{
    const size_t length[] = {512, 1024, 1024}, step[] = {1024 * 1024, 1024, 1};
    const axes a = {{length[first], length[second], length[third]}, {step[first], step[second], step[third]}};
    float ms;
    CMK_CHECK(cudaMemset(out, 0xFF, sizeof(float) << 29));
    CMK_CHECK(transpose_4_volume(in, out, 512, 1024, 1024, order, 0));
    check_axes(name, a, sizeof(float));
    CMK_CHECK_TIME(ms, 31, transpose_4_volume(in, out, 512, 1024, 1024, order, 0));
    row(name, 1 << 29, 8, 0, ms, 0.0f);
}

static void transposes(void)
{
    transpose_row("transpose 8192^2, 1 byte", transposed_1, 0, 8192, 8192, 1);
    transpose_row("transpose 8192^2, 2 bytes", transposed_2, 0, 8192, 8192, 2);
    transpose_row("transpose 8192^2, 4 bytes", transposed_4, 0, 8192, 8192, 4);
    transpose_row("transpose 8192^2, 8 bytes", transposed_8, 0, 8192, 8192, 8);
    transpose_row("transpose 8192^2, 16 bytes", transposed_16, 0, 8192, 8192, 16);
    transpose_row("transpose 16384^2, 1 byte", transposed_1, 0, 16384, 16384, 1);
    transpose_row("transpose 16384^2, 2 bytes", transposed_2, 0, 16384, 16384, 2);
    transpose_row("transpose 16384^2, 4 bytes", transposed_4, 0, 16384, 16384, 4);
    transpose_row("transpose 16384^2, 8 bytes", transposed_8, 0, 16384, 16384, 8);
    transpose_row("transpose 16384^2, 16 bytes", transposed_16, 0, 16384, 16384, 16);
    transpose_row("transpose 16381 x 16411, 4 bytes", transposed_4, 0, 16381, 16411, 4);
    transpose_row("transpose in place 16384^2, 1 byte", in_place_1, 1, 16384, 16384, 1);
    transpose_row("transpose in place 16384^2, 2 bytes", in_place_2, 1, 16384, 16384, 2);
    transpose_row("transpose in place 16384^2, 4 bytes", in_place_4, 1, 16384, 16384, 4);
    transpose_row("transpose in place 16384^2, 8 bytes", in_place_8, 1, 16384, 16384, 8);
    transpose_row("transpose in place 16384^2, 16 bytes", in_place_16, 1, 16384, 16384, 16);
    new_buffers(sizeof(float) << 29);
    volume_row("volume 512 x 1024 x 1024, 4 bytes, to ZXY", CMK_TRANSPOSE_ZXY, 0, 2, 1);
    volume_row("volume 512 x 1024 x 1024, 4 bytes, to YZX", CMK_TRANSPOSE_YZX, 1, 0, 2);
    volume_row("volume 512 x 1024 x 1024, 4 bytes, to YXZ", CMK_TRANSPOSE_YXZ, 1, 2, 0);
    volume_row("volume 512 x 1024 x 1024, 4 bytes, to XZY", CMK_TRANSPOSE_XZY, 2, 0, 1);
    volume_row("volume 512 x 1024 x 1024, 4 bytes, to XYZ", CMK_TRANSPOSE_XYZ, 2, 1, 0);
}

int main(int argc, char **argv)
{
    begin(argc, argv, (COUNT + SHIFT) * sizeof(float), "2^28 float unless it says otherwise");
    for (int k = 0; k < MOST_TAPS; ++k) host_weights[k] = 1.0f / (float)(k + 1) - 0.1f;
    CMK_CHECK(CMK_TABLE_UPLOAD(weights, host_weights, 0, MOST_TAPS));
    STENCILS(UPLOAD_WEIGHTS)
    CMK_CHECK(CMK_LAUNCH(random_fill, 2048, 256, 0, 0, in, COUNT + SHIFT, 20261u));
    copy_row("copy: cudaMemcpy", COUNT * sizeof(float));
    peak_row();
    definition("stencil1d r=1 symmetric", symmetric_1, COUNT, 1, 1, 0, 0);
    definition("stencil1d r=2 symmetric", symmetric_2, COUNT, 2, 1, 0, 0);
    definition("stencil1d r=4 symmetric", symmetric_4, COUNT, 4, 1, 0, 0);
    definition("stencil1d r=4 antisymmetric", antisymmetric_4, COUNT, 4, -1, 0, 0);
    definition("stencil1d r=8 symmetric", symmetric_8, COUNT, 8, 1, 0, 0);
    definition("stencil1d r=16 symmetric", symmetric_16, COUNT, 16, 1, 0, 0);
    definition("stencil1d r=32 symmetric", symmetric_32, COUNT, 32, 1, 0, 0);
    definition("stencil1d r=4 antisymmetric, 2^28 - 57", antisymmetric_4, COUNT - 57, 4, -1, 0, 0);
    definition("stencil1d r=4 antisymmetric, both shifted by 3", antisymmetric_4, COUNT, 4, -1, 3, 3);
    definition("stencil1d r=4 antisymmetric, in shifted by 1", antisymmetric_4, COUNT, 4, -1, 1, 0);
    by_hand("r=4 direct from global memory, 256 threads", direct, 256);
    by_hand("r=4 shared tile from parts, 256 threads", tiled, 256);
    by_hand("r=4 shared tile from parts, 32 threads", tiled, 32);
    fill_row("fill PLAIN, 2 stages: difference over 8", fill_PLAIN_2, 2);
    fill_row("fill ASYNC, 3 stages: difference over 8", fill_ASYNC_3, 3);
    fill_row("fill BULK, 3 stages: difference over 8", fill_BULK_3, 3);
    copy_row("copy: again", COUNT * sizeof(float));
    copy_row("copy: 2^24", sizeof(float) << 24);
    definition("stencil1d r=4 antisymmetric, 2^24", antisymmetric_4, (size_t)1 << 24, 4, -1, 0, 0);
    transposes();
    return end();
}
