/* counts.cu: the counters of count.h: layouts of shared memory whose wavefronts are known, the rules one by one, and
 * the definitions, which have no conflict and move no byte in vain. The GPU's own readings are in tests/model. */
#define CMK_COUNT 1
#include <cmk/cmk.h>
#include "tap.h"

/* ---- The layouts of a tutorial: 32 x 32 and 16 x 32 ints, written and read by rows or columns */
#define LAYOUT(name, TILE, WRITE_ROW, WRITE_COLUMN, READ_ROW, READ_COLUMN)                                             \
    __global__ void name(int *out)                                                                                     \
    {                                                                                                                  \
        const int t = (int)(threadIdx.y * 32 + threadIdx.x);                                                           \
        TILE;                                                                                                          \
        CMK_TILE_SET(tile, WRITE_ROW, WRITE_COLUMN, t);                                                                \
        __syncthreads();                                                                                               \
        CMK_STORE(&out[t], CMK_TILE_GET(tile, READ_ROW, READ_COLUMN));                                                 \
    }
LAYOUT(row_row, CMK_TILE(int, tile, 32, 32, 0), t / 32, t % 32, t / 32, t % 32)
LAYOUT(column_column, CMK_TILE(int, tile, 32, 32, 0), t % 32, t / 32, t % 32, t / 32)
LAYOUT(row_column, CMK_TILE(int, tile, 32, 32, 0), t / 32, t % 32, t % 32, t / 32)
LAYOUT(column_row, CMK_TILE(int, tile, 32, 32, 0), t % 32, t / 32, t / 32, t % 32)
LAYOUT(row_column_dynamic, CMK_TILE_AT(int, tile, 0, 32, 0), t / 32, t % 32, t % 32, t / 32)
LAYOUT(row_column_padded, CMK_TILE(int, tile, 32, 32, 1), t / 32, t % 32, t % 32, t / 32)
LAYOUT(row_column_dynamic_padded, CMK_TILE_AT(int, tile, 0, 32, 1), t / 32, t % 32, t % 32, t / 32)
LAYOUT(rectangle, CMK_TILE(int, tile, 16, 32, 0), t / 32, t % 32, t % 16, t / 16)
LAYOUT(rectangle_1, CMK_TILE(int, tile, 16, 32, 1), t / 32, t % 32, t % 16, t / 16)
LAYOUT(rectangle_padded, CMK_TILE(int, tile, 16, 32, 2), t / 32, t % 32, t % 16, t / 16)
LAYOUT(rectangle_dynamic, CMK_TILE_AT(int, tile, 0, 32, 0), t / 32, t % 32, t % 16, t / 16)
LAYOUT(rectangle_dynamic_padded, CMK_TILE_AT(int, tile, 0, 32, 2), t / 32, t % 32, t % 16, t / 16)

/* a kernel is named as its launch names it */
#define CHECK_LAYOUT(name, ROWS, LOADS, STORES)                                                                        \
    do {                                                                                                               \
        CMK_CHECK(CMK_LAUNCH(name, 1, dim3(32, ROWS), 33 * 32 * 4 + 128, 0, (int *)memory));                           \
        tap_check(cmk_count(#name, CMK_COUNT_SHARED_LOAD_WAVEFRONTS) == LOADS &&                                       \
                      cmk_count(#name, CMK_COUNT_SHARED_STORE_WAVEFRONTS) == STORES,                                   \
                  #name ": %d loads, %d stores", LOADS, STORES);                                                       \
        tap_check(cmk_count(#name, CMK_COUNT_SHARED_LOAD_CONFLICTS) == LOADS - ROWS &&                                 \
                      cmk_count(#name, CMK_COUNT_SHARED_STORE_CONFLICTS) == STORES - ROWS &&                           \
                      cmk_count(#name, CMK_COUNT_SHARED_LOAD_REQUESTS) == ROWS,                                        \
                  #name ": a request a warp, the rest conflicts");                                                     \
    } while (0)

static void layouts(void *memory)
{
    CHECK_LAYOUT(row_row, 32, 32, 32);
    CHECK_LAYOUT(column_column, 32, 1024, 1024);
    CHECK_LAYOUT(row_column, 32, 1024, 32);
    CHECK_LAYOUT(column_row, 32, 32, 1024);
    CHECK_LAYOUT(row_column_dynamic, 32, 1024, 32);
    CHECK_LAYOUT(row_column_padded, 32, 32, 32);
    CHECK_LAYOUT(row_column_dynamic_padded, 32, 32, 32);
    CHECK_LAYOUT(rectangle, 16, 256, 16);
    CHECK_LAYOUT(rectangle_1, 16, 32, 16);
    CHECK_LAYOUT(rectangle_padded, 16, 16, 16);
    CHECK_LAYOUT(rectangle_dynamic, 16, 256, 16);
    CHECK_LAYOUT(rectangle_dynamic_padded, 16, 16, 16);
    tap_check(cmk_count_clean("row_column_padded") && !cmk_count_clean("row_column") && !cmk_count_clean("rectangle_1"),
              "cmk_count_clean: no for a conflict");
    tap_check(cmk_count("row_row", -1) == -1 && cmk_count("row_row", CMK_COUNT_OPERATIONS_DONE + 1) == -1 &&
                  cmk_count("no_row", CMK_COUNT_OPERATIONS_DONE) == -1,
              "no such counter, no such kernel: -1");
}

/* ---- The rules one by one */
#define LINE(name, T, LOAD)                                                                                            \
    __global__ void name(const T *in, T *out, int k)                                                                   \
    {                                                                                                                  \
        const int t = (int)threadIdx.x;                                                                                \
        T value;                                                                                                       \
        CMK_TILE(T, tile, 1, 2048 / sizeof(T), 0);                                                                     \
        for (int j = t; j < (int)(2048 / sizeof(T)); j += (int)blockDim.x) CMK_TILE_SET(tile, 0, j, CMK_LDG(&in[j]));  \
        __syncthreads();                                                                                               \
        value = LOAD;                                                                                                  \
        CMK_STORE(&out[t * k], value);                                                                                 \
    }
LINE(four_bytes, float, CMK_TILE_GET(tile, 0, t *k))
LINE(eight_bytes, double, CMK_TILE_GET(tile, 0, t *k))
LINE(sixteen_bytes, float4, CMK_TILE_GET(tile, 0, t *k))
LINE(one_byte, unsigned char, CMK_TILE_GET(tile, 0, t *k))
LINE(either, float, t % 2 ? CMK_TILE_GET(tile, 0, t *k) : CMK_TILE_GET(tile, 0, t *k + 1))

__global__ void loops(const float *in, float *out, int turns)
{
    float sum = 0.0f;
    for (int k = 0; k < turns + (int)threadIdx.x / 16; ++k) sum += CMK_LDG(&in[32 * k + (int)threadIdx.x]);
    CMK_STORE(&out[threadIdx.x], sum);
}

static cmk_i64 loads_of(const char *name)
{
    return cmk_count(name, CMK_COUNT_SHARED_LOAD_WAVEFRONTS);
}

static void rules(void *in, void *out)
{
    float *const x = (float *)in, *const y = (float *)out;
#define RUN(kernel, T, threads, k)                                                                                     \
    CMK_CHECK((cmk_count_clear(), CMK_LAUNCH(kernel, 1, threads, 0, 0, (T *)in, (T *)out, k)))
    RUN(four_bytes, float, 32, 0);
    tap_check(loads_of("four_bytes") == 1, "one word for all: 1 wavefront");
    RUN(four_bytes, float, 32, 2);
    tap_check(loads_of("four_bytes") == 2 && cmk_count("four_bytes", CMK_COUNT_GLOBAL_STORE_SECTORS) == 8,
              "a stride of 2: 2 wavefronts, 8 sectors");
    tap_check(cmk_count("four_bytes", CMK_COUNT_GLOBAL_STORE_BYTES) == 128 && !cmk_count_clean("four_bytes"),
              "128 of 256 bytes used: not clean");
    RUN(four_bytes, float, 17, 16);
    tap_check(loads_of("four_bytes") == 9, "17 lanes, a stride of 16: 9 in one bank");
    RUN(eight_bytes, double, 32, 1);
    tap_check(loads_of("eight_bytes") == 2 && cmk_count("eight_bytes", CMK_COUNT_SHARED_LOAD_CONFLICTS) == 0,
              "8 bytes: half-warps");
    RUN(eight_bytes, double, 32, 0);
    tap_check(loads_of("eight_bytes") == 1, "8 bytes, one address: the halves merge");
    RUN(sixteen_bytes, float4, 32, 1);
    tap_check(loads_of("sixteen_bytes") == 4, "16 bytes: quarter-warps");
    RUN(sixteen_bytes, float4, 32, 0);
    tap_check(loads_of("sixteen_bytes") == 2, "16 bytes, one address: pairs of quarters merge");
    RUN(one_byte, unsigned char, 32, 1);
    tap_check(loads_of("one_byte") == 1, "bytes of one word do not conflict");
    RUN(one_byte, unsigned char, 16, 128);
    tap_check(loads_of("one_byte") == 16, "bytes 128 apart: one bank");
    RUN(either, float, 32, 1);
    tap_check(loads_of("either") == 2 && cmk_count("either", CMK_COUNT_SHARED_LOAD_REQUESTS) == 2,
              "two accesses on one line: two requests");
    CMK_CHECK(CMK_LAUNCH(loops, 1, 32, 0, 0, x, y, 3));
    tap_check(cmk_count("loops", CMK_COUNT_GLOBAL_LOAD_REQUESTS) == 4 &&
                  cmk_count("loops", CMK_COUNT_GLOBAL_LOAD_SECTORS) == 3 * 4 + 2,
              "a loop: a request a turn, of the lanes that make it");
    tap_check(cmk_count("four_bytes", CMK_COUNT_GLOBAL_LOAD_SECTORS) == -1 && cmk_count("nobody", 0) == -1,
              "-1 for a kernel that has not run since the last clear");
}

/* ---- Constants */
#define EIGHT 1, 1, 1, 1, 1, 1, 1, 1
#define SIXTY_FOUR EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT
CMK_TABLE_VALUES(CONSTANT, float, constants, [64], SIXTY_FOUR);
CMK_TABLE_VALUES(GLOBAL, float, globals, [64], SIXTY_FOUR);
__global__ void of_tables(float *out, int k, CMK_TABLE_PARAMETER(globals))
{
    const int t = (int)threadIdx.x;
    CMK_STORE(&out[t], CMK_TABLE_AT(constants, t / k) + CMK_TABLE_AT(globals, t));
}

/* ---- The definitions */
CMK_DEFINE_TRANSPOSE(bytes, unsigned char);
CMK_DEFINE_TRANSPOSE(shorts, unsigned short);
CMK_DEFINE_TRANSPOSE(floats, float);
CMK_DEFINE_TRANSPOSE(doubles, double);
CMK_DEFINE_TRANSPOSE(quads, float4);
CMK_TABLE_VALUES(CONSTANT, float, weights, [5], 1.0f, 2.0f, 3.0f, 4.0f, 5.0f);
CMK_DEFINE_STENCIL1D(smooth, float, 4, CMK_STENCIL_1D_SYMMETRIC, weights, CMK_EDGE_ZERO);

static void definitions(void *in, void *out)
{
#define TRANSPOSED(name, T)                                                                                            \
    do {                                                                                                               \
        const cmk_i64 moved = 512 * 512 * (cmk_i64)sizeof(T) / 32;                                                     \
        CMK_CHECK(name((const T *)in, 512, (T *)out, 512, 512, 512, 0));                                               \
        tap_check(cmk_count_clean(#name "_kernel") &&                                                                  \
                      cmk_count(#name "_kernel", CMK_COUNT_GLOBAL_LOAD_SECTORS) == moved &&                            \
                      cmk_count(#name "_kernel", CMK_COUNT_GLOBAL_STORE_SECTORS) == moved,                             \
                  "transpose of %d bytes: no conflict, each sector once", (int)sizeof(T));                             \
    } while (0)
    TRANSPOSED(bytes, unsigned char);
    TRANSPOSED(shorts, unsigned short);
    TRANSPOSED(floats, float);
    TRANSPOSED(doubles, double);
    TRANSPOSED(quads, float4);
    CMK_CHECK(smooth((const float *)in, (float *)out, 1 << 16, weights, 0));
    tap_check(cmk_count("smooth_kernel", CMK_COUNT_GLOBAL_STORE_SECTORS) == (1 << 16) / 8 &&
                  cmk_count("smooth_kernel", CMK_COUNT_OPERATIONS_DONE) == (1 << 16) * (3 * 4 + 2),
              "stencil1d: each sector of the output once, 14 operations a point");
    CMK_CHECK(CMK_LAUNCH(of_tables, 1, 64, 0, 0, (float *)out, 8, globals));
    tap_check(cmk_count("of_tables", CMK_COUNT_CONSTANT_REPLAYS) == 2 * 3 &&
                  cmk_count("of_tables", CMK_COUNT_CONSTANT_REQUESTS) == 2 &&
                  cmk_count("of_tables", CMK_COUNT_GLOBAL_LOAD_REQUESTS) == 2,
              "tables: replays of constants, requests of global memory");
}

int main(void)
{
    enum { room = 512 * 512 * 16 };
    void *in, *out;
    CMK_CHECK(cudaMalloc(&in, room));
    CMK_CHECK(cudaMalloc(&out, room));
    CMK_CHECK(cudaMemset(in, 0, room));
    layouts(out);
    rules(in, out);
    definitions(in, out);
    CMK_CHECK(cudaFree(in));
    CMK_CHECK(cudaFree(out));
    return tap_done();
}
