/* fill.cu: fills of tiles by every transport, against the plain rule: any domain, pitch, alignment, place, number of
 * threads, edge, size of elements, pad and swizzle; rings of tiles; planes of a volume; sources that cannot be. */
#include <cmk/cmk.h>
#include "edge_walk.h"
#include "tap.h"

typedef struct {
    int rows, columns, pitch, top, left, steps, edge; /* edge -1: what is outside is 0 */
} job;

#define AT(row, column) CMK_LDG(&data[(cmk_i64)(row)*j.pitch + (column)])
#define READ(r, c) CMK_EDGE_SAMPLE_2D_OR(j.edge, j.edge, nothing, AT, top + (r), left + (c), j.rows, j.columns)

/* tile n of block b begins at row top + n ROWS / 2, column left + b (COLUMNS - 3); out takes all tiles one by one */
#define FILLS(name, HOW, T, STAGES, ROWS, COLUMNS, PAD, GRAIN)                                                         \
    __global__ void name##_kernel(CMK_FILL_PARAMETER(in), const T *data, T *out, job j)                                \
    {                                                                                                                  \
        const int left = j.left + (int)blockIdx.x * (COLUMNS - 3);                                                     \
        T nothing;                                                                                                     \
        CMK_TILE_3D_AT(T, ring, 0, ROWS, COLUMNS, PAD);                                                                \
        CMK_FILL_PIPE_SYNC(HOW, pipe, STAGES, GRAIN);                                                                  \
        memset(&nothing, 0, sizeof nothing);                                                                           \
        for (int n = 0; n < STAGES - 1 && n < j.steps; ++n)                                                            \
            CMK_FILL(pipe, n, ring[n], ROWS, COLUMNS, in, j.top + n * (ROWS / 2), left);                               \
        for (int n = 0; n < j.steps; ++n) {                                                                            \
            const int top = j.top + n * (ROWS / 2), next = n + STAGES - 1, stage = n % STAGES;                         \
            if (STAGES == 1) {                                                                                         \
                __syncthreads();                                                                                       \
                CMK_FILL(pipe, n, ring[stage], ROWS, COLUMNS, in, top, left);                                          \
            }                                                                                                          \
            CMK_FILL_WAIT_SYNC(pipe, n, STAGES == 1 ? 0 : (next < j.steps ? next : j.steps) - n - 1);                  \
            if (STAGES > 1 && next < j.steps)                                                                          \
                CMK_FILL(pipe, next, ring[next % STAGES], ROWS, COLUMNS, in, j.top + next * (ROWS / 2), left);         \
            if (j.edge >= 0) CMK_FILL_EDGE_SYNC(pipe, ring[stage], ROWS, COLUMNS, in, top, left, READ);                \
            for (int k = (int)(threadIdx.y * blockDim.x + threadIdx.x); k < ROWS * COLUMNS;                            \
                 k += (int)(blockDim.x * blockDim.y)) {                                                                \
                const int r = k / COLUMNS, c = k % COLUMNS;                                                            \
                const int at = GRAIN == 0 ? c : CMK_TILE_SWIZZLE(T, COLUMNS, GRAIN == 0 ? 16 : GRAIN, r, c);           \
                const cmk_i64 tile = (cmk_i64)blockIdx.x * j.steps + n;                                                \
                CMK_STORE(&out[tile * (ROWS * COLUMNS) + k], CMK_TILE_GET(ring[stage], r, at));                        \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static cudaError_t name##_run(const void *data, void *out, job j, int blocks, dim3 block)                          \
    {                                                                                                                  \
        cmk_fill_source source;                                                                                        \
        const cudaError_t error =                                                                                      \
            CMK_FILL_SOURCE(&source, (const T *)data, j.pitch, j.rows, j.columns, ROWS, COLUMNS, GRAIN);               \
        if (error != cudaSuccess) return error;                                                                        \
        return CMK_TILE_LAUNCH(name##_kernel, blocks, block, CMK_TILE_BYTES(T, STAGES * ROWS, COLUMNS, PAD), 0,        \
                               source, (const T *)data, (T *)out, j);                                                  \
    }

#define ALL(name, T, STAGES, ROWS, COLUMNS, PAD, GRAIN)                                                                \
    FILLS(name##_plain, PLAIN, T, STAGES, ROWS, COLUMNS, PAD, GRAIN)                                                   \
    FILLS(name##_async, ASYNC, T, STAGES, ROWS, COLUMNS, PAD, GRAIN)
#define ALL_BULK(name, T, STAGES, ROWS, COLUMNS, GRAIN)                                                                \
    ALL(name, T, STAGES, ROWS, COLUMNS, 0, GRAIN)                                                                      \
    FILLS(name##_bulk, BULK, T, STAGES, ROWS, COLUMNS, 0, GRAIN)

ALL(odd, float, 1, 7, 33, 0, 0)
ALL_BULK(ring, float, 3, 8, 40, 0)
ALL(padded, float, 2, 10, 36, 1, 0)
ALL_BULK(bytes, unsigned char, 2, 8, 64, 0)
ALL(shorts, unsigned short, 4, 5, 50, 2, 0)
ALL(swizzled_4, float, 2, 32, 32, 0, 4)
ALL_BULK(swizzled_32, unsigned char, 3, 32, 32, 16)
ALL_BULK(swizzled_64, float, 2, 16, 16, 16)
ALL_BULK(swizzled_128, double, 2, 8, 16, 16)
ALL_BULK(quads, float4, 8, 4, 8, 0)
ALL_BULK(large, float, 3, 64, 128, 0)

typedef struct {
    const char *name;
    cudaError_t (*run)(const void *, void *, job, int, dim3);
    int size, stages, rows, columns;
} fill;
#define ROW(name, T, STAGES, ROWS, COLUMNS)                                                                            \
    {                                                                                                                  \
#name, name##_run, (int)sizeof(T), STAGES, ROWS, COLUMNS                                                       \
    }
#define ROWS_OF(name, T, STAGES, ROWS, COLUMNS)                                                                        \
    ROW(name##_plain, T, STAGES, ROWS, COLUMNS), ROW(name##_async, T, STAGES, ROWS, COLUMNS)
#define ROWS_OF_BULK(name, T, STAGES, ROWS, COLUMNS)                                                                   \
    ROWS_OF(name, T, STAGES, ROWS, COLUMNS), ROW(name##_bulk, T, STAGES, ROWS, COLUMNS)
static const fill fills[] = {
    ROWS_OF(odd, float, 1, 7, 33),
    ROWS_OF_BULK(ring, float, 3, 8, 40),
    ROWS_OF(padded, float, 2, 10, 36),
    ROWS_OF_BULK(bytes, unsigned char, 2, 8, 64),
    ROWS_OF(shorts, unsigned short, 4, 5, 50),
    ROWS_OF(swizzled_4, float, 2, 32, 32),
    ROWS_OF_BULK(swizzled_32, unsigned char, 3, 32, 32),
    ROWS_OF_BULK(swizzled_64, float, 2, 16, 16),
    ROWS_OF_BULK(swizzled_128, double, 2, 8, 16),
    ROWS_OF_BULK(quads, float4, 8, 4, 8),
    ROWS_OF_BULK(large, float, 3, 64, 128),
};

static unsigned seed = 1;
static int any(int low, int high)
{
    seed = seed * 1664525u + 1013904223u;
    return low + (int)(seed / 65536u % (unsigned)(high - low + 1));
}

enum { most_bytes = 1 << 20, blocks = 3 };
static unsigned char *bytes, *device_in, *device_out, *result;

/* the bytes of data that tile element (row, column) shows; null where it is 0 */
static const unsigned char *expected(const unsigned char *data, job j, int size, int row, int column)
{
    const int edge = j.edge < 0 ? CMK_EDGE_ZERO : j.edge; /* -1: none is named */
    const cmk_i64 y = edge_walk(edge, row, j.rows), x = edge_walk(edge, column, j.columns);
    if (y < 0 || x < 0) return NULL;
    return data + (y * j.pitch + x) * size;
}

static int wrong_elements(const fill *f, job j, const unsigned char *data, int row_step)
{
    static const unsigned char zeros[16] = {0};
    const size_t tile_bytes = (size_t)(f->rows * f->columns * f->size);
    int wrong = 0;
    for (int b = 0; b < blocks; ++b)
        for (int n = 0; n < j.steps; ++n)
            for (int k = 0; k < f->rows * f->columns; ++k) {
                const int row = j.top + n * row_step + k / f->columns;
                const int column = j.left + b * (f->columns - 3) + k % f->columns;
                const unsigned char *value = expected(data, j, f->size, row, column);
                const size_t at = (size_t)(b * j.steps + n) * tile_bytes + (size_t)(k * f->size);
                wrong += memcmp(result + at, value ? value : zeros, (size_t)f->size) != 0;
            }
    return wrong;
}

static void check(const fill *f)
{
    static const int shapes[][2] = {{1, 1}, {7, 1}, {32, 1}, {11, 3}, {32, 4}, {64, 8}};
    static const int edges[] = {-1, CMK_EDGE_CLAMP, CMK_EDGE_WRAP, CMK_EDGE_MIRROR, CMK_EDGE_REFLECT, CMK_EDGE_ZERO};
    int wrong = 0, runs = 0, whole = 0, outside = 0;
    for (int run = 0; run < 72; ++run) {
        job j = {any(1, 4), any(1, 9), 0, 0, 0, any(0, 2 * f->stages + 1), edges[run % 6]};
        const int *const shape = shapes[run / 6 % 6];
        const int aligned = run % 4 < 2, sixteen = 16 / f->size, shift = aligned ? 0 : 1;
        size_t bytes_out;
        if (run % 3 > 0) j.rows = any(1, 90), j.columns = any(1, 300);
        j.pitch = aligned ? (j.columns + sixteen - 1) / sixteen * sixteen : j.columns + any(0, 3);
        j.top = any(-2 * f->rows, j.rows + 3);
        j.left = any(-2 * f->columns, j.columns + 3);
        if (run % 5 == 0) j.top = 0, j.left = 0;
        if (aligned) j.left = j.left / sixteen * sixteen;
        bytes_out = (size_t)(blocks * j.steps * f->rows * f->columns * f->size);
        CMK_CHECK(cudaMemset(device_out, 0xA5, bytes_out + 64));
        wrong += f->run(device_in + shift * f->size, device_out, j, blocks,
                        dim3((unsigned)shape[0], (unsigned)shape[1])) != cudaSuccess;
        CMK_CHECK(cudaMemcpy(result, device_out, bytes_out + 64, cudaMemcpyDeviceToHost));
        wrong += wrong_elements(f, j, bytes + shift * f->size, f->rows / 2);
        for (int k = 0; k < 64; ++k) wrong += result[bytes_out + (size_t)k] != 0xA5;
        whole +=
            j.steps > 0 && j.top >= 0 && j.left >= 0 && j.top + f->rows <= j.rows && j.left + f->columns <= j.columns;
        outside += j.top < 0 || j.left < 0;
        ++runs;
    }
    tap_check(wrong == 0 && outside > 0, "%s: %d domains, %d with a tile inside: %d wrong", f->name, runs, whole,
              wrong);
}

/* tiles of the planes first to first + 4 of a volume */
#define VOLUME(name, HOW)                                                                                              \
    __global__ void name(CMK_FILL_PARAMETER(in), float *out, int first)                                                \
    {                                                                                                                  \
        CMK_TILE_3D(float, planes, 5, 4, 16, 0);                                                                       \
        CMK_FILL_PIPE_SYNC(HOW, pipe, 5, 0);                                                                           \
        for (int n = 0; n < 5; ++n) CMK_FILL_3D(pipe, n, planes[n], 4, 16, in, first + n, -1, -4);                     \
        for (int n = 0; n < 5; ++n) CMK_FILL_WAIT_SYNC(pipe, n, 4 - n);                                                \
        for (int k = (int)threadIdx.x; k < 5 * 64; k += (int)blockDim.x)                                               \
            CMK_STORE(&out[k], CMK_TILE_GET(planes[k / 64], k % 64 / 16, k % 16));                                     \
    }
VOLUME(volume_plain, PLAIN)
VOLUME(volume_async, ASYNC)
VOLUME(volume_bulk, BULK)

static void volumes(void)
{
    void (*const kernels[])(const cmk_fill_source, float *, int) = {volume_plain, volume_async, volume_bulk};
    enum { depth = 3, height = 6, width = 10, pitch = 12, step = 80 };
    static float volume[depth * step + pitch], tiles[5 * 64];
    cmk_fill_source source;
    for (int k = 0; k < depth * step + pitch; ++k) volume[k] = (float)(k + 1);
    CMK_CHECK(cudaMemcpy(device_in, volume, sizeof volume, cudaMemcpyHostToDevice));
    CMK_CHECK(CMK_FILL_SOURCE_3D(&source, (float *)device_in, step, pitch, depth, height, width, 4, 16, 0));
    for (int which = 0; which < 3; ++which)
        for (int first = -2; first < 2; ++first) {
            int wrong = 0;
            CMK_CHECK(CMK_LAUNCH(kernels[which], 1, 64, 0, 0, source, (float *)device_out, first));
            CMK_CHECK(cudaMemcpy(tiles, device_out, sizeof tiles, cudaMemcpyDeviceToHost));
            for (int k = 0; k < 5 * 64; ++k) {
                const int z = first + k / 64, y = k % 64 / 16 - 1, x = k % 16 - 4;
                const int inside = z >= 0 && z < depth && y >= 0 && y < height && x >= 0 && x < width;
                const float value = inside ? volume[z * step + y * pitch + x] : 0.0f;
                wrong += !(tiles[k] == value);
            }
            tap_check(wrong == 0, "planes %d to %d of %d, transport %d: %d wrong", first, first + 4, depth, which,
                      wrong);
        }
}

static void sources(void)
{
    const float *const data = (const float *)device_in;
    cmk_fill_source source, before;
    const size_t most = (size_t)1 << 31;
    memset(&before, 0x5A, sizeof before);
    source = before;
    tap_check(CMK_FILL_SOURCE(&source, (const float *)NULL, 8, 8, 8, 4, 8, 0) == cudaErrorInvalidValue, "null data");
    tap_check(CMK_FILL_SOURCE(&source, (const float *)(device_in + 1), 8, 8, 8, 4, 8, 0) == cudaErrorInvalidValue,
              "misaligned data");
    tap_check(CMK_FILL_SOURCE(&source, data, 7, 8, 8, 4, 8, 0) == cudaErrorInvalidValue, "a pitch below the columns");
    tap_check(CMK_FILL_SOURCE(&source, data, 8, 0, 8, 4, 8, 0) == cudaErrorInvalidValue, "no rows");
    tap_check(CMK_FILL_SOURCE(&source, data, 8, 8, 0, 4, 8, 0) == cudaErrorInvalidValue, "no columns");
    tap_check(CMK_FILL_SOURCE(&source, data, 8, most, 8, 4, 8, 0) == cudaErrorInvalidValue, "2^31 rows");
    tap_check(CMK_FILL_SOURCE_3D(&source, data, 64, 8, 0, 8, 8, 4, 8, 0) == cudaErrorInvalidValue, "no planes");
    tap_check(memcmp(&source, &before, sizeof source) == 0, "a source that is refused stays as it was");
}

int main(void)
{
    tap_need_device();
    bytes = (unsigned char *)malloc(most_bytes);
    result = (unsigned char *)malloc(4 * most_bytes);
    if (bytes == NULL || result == NULL) return 1;
    for (int k = 0; k < most_bytes; ++k) bytes[k] = (unsigned char)any(0, 255);
    CMK_CHECK(cudaMalloc((void **)&device_in, most_bytes));
    CMK_CHECK(cudaMalloc((void **)&device_out, 4 * most_bytes));
    CMK_CHECK(cudaMemcpy(device_in, bytes, most_bytes, cudaMemcpyHostToDevice));
    for (size_t k = 0; k < sizeof fills / sizeof *fills; ++k) check(&fills[k]);
    volumes();
    sources();
    CMK_CHECK(cudaFree(device_in));
    CMK_CHECK(cudaFree(device_out));
    free(bytes);
    free(result);
    return tap_done();
}
