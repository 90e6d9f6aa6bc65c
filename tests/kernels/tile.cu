/* tile.cu: pads, degrees and swizzles against a walk over the lanes; tiles of one to three dimensions in static and
 * dynamic shared memory, and the launch with more than 48 KB. */
#include <cmk/cmk.h>
#include "tap.h"

/* ---- The model: 32 banks of 4 bytes. A warp is served in groups of 32 lanes of up to 4 bytes, 16 of 8, 8 of 16; a
 * group takes as many wavefronts as there are distinct words in its worst bank. */
typedef struct {
    int size, bytes, by_columns, width; /* bytes of an element and of a lane */
    int grain, columns;                 /* of a swizzled tile; grain 0 elsewhere */
} access_of;

static int swizzled(access_of a, int row, int column)
{
    const int all = a.size * a.columns, line = all < 128 ? all : 128, at = column * a.size;
    const int grain = at / a.grain ^ row / (128 / line) % (line / a.grain);
    return (grain * a.grain + at % a.grain) / a.size;
}

static int wavefronts(access_of a, int pitch, int warp, int group, int row0, int column0)
{
    const int lanes = a.bytes <= 4 ? 32 : 128 / a.bytes;
    int words[32][32], used[32] = {0}, worst = 0;
    for (int lane = group * lanes; lane < (group + 1) * lanes; ++lane) {
        const int thread = 32 * warp + lane, x = thread % a.width, y = thread / a.width, each = a.bytes / a.size;
        const int row = row0 + (a.by_columns ? x : y), column = column0 + each * (a.by_columns ? y : x);
        const int at = a.size * (row * pitch + (a.grain ? swizzled(a, row, column) : column));
        for (int word = at / 4; word <= (at + a.bytes - 1) / 4; ++word) {
            const int bank = word % 32;
            int known = 0;
            for (int u = 0; u < used[bank]; ++u) known = known || words[bank][u] == word;
            if (!known) words[bank][used[bank]++] = word;
            worst = used[bank] > worst ? used[bank] : worst;
        }
    }
    return worst;
}

/* the worst group of three warps, at any row and column */
static int degree(access_of a, int pitch)
{
    const int each = a.bytes / a.size, groups = a.bytes <= 4 ? 1 : a.bytes / 4;
    int worst = 0;
    for (int shift = 0; shift < 4; ++shift)
        for (int group = 0; group < 3 * groups; ++group) {
            const int found = wavefronts(a, pitch, group / groups, group % groups, 3, shift * each);
            worst = found > worst ? found : worst;
        }
    return worst;
}

/* ---- The macros as functions: those of T in five sizes, and of every way */
enum { ways = 6, most = 140, pitches = most + 140 };
typedef int (*of_width)(int, int);
#define OF_WAY(T, WAY)                                                                                                 \
    static int pad_##T##_##WAY(int columns, int width)                                                                 \
    {                                                                                                                  \
        return CMK_TILE_PAD(T, columns, WAY, width);                                                                   \
    }                                                                                                                  \
    static int degree_##T##_##WAY(int pitch, int width)                                                                \
    {                                                                                                                  \
        return CMK_TILE_DEGREE(T, pitch, WAY, width);                                                                  \
    }
#define OF_BOTH(T, WAY)                                                                                                \
    static int pad_##T##_##WAY(int columns, int width)                                                                 \
    {                                                                                                                  \
        return CMK_TILE_PAD(T, columns, WAY, width);                                                                   \
    }
#define OF_TYPE(T)                                                                                                     \
    OF_WAY(T, ROWS)                                                                                                    \
    OF_WAY(T, COLUMNS)                                                                                                 \
    OF_WAY(T, ROWS_8)                                                                                                  \
    OF_WAY(T, COLUMNS_8)                                                                                               \
    OF_WAY(T, ROWS_16)                                                                                                 \
    OF_WAY(T, COLUMNS_16)                                                                                              \
    OF_BOTH(T, BOTH)                                                                                                   \
    OF_BOTH(T, BOTH_8)                                                                                                 \
    OF_BOTH(T, BOTH_16)                                                                                                \
    static const of_width pads_##T[] = {pad_##T##_ROWS,    pad_##T##_COLUMNS,    pad_##T##_BOTH,                       \
                                        pad_##T##_ROWS_8,  pad_##T##_COLUMNS_8,  pad_##T##_BOTH_8,                     \
                                        pad_##T##_ROWS_16, pad_##T##_COLUMNS_16, pad_##T##_BOTH_16};                   \
    static const of_width degrees_##T[] = {degree_##T##_ROWS,      degree_##T##_COLUMNS, degree_##T##_ROWS_8,          \
                                           degree_##T##_COLUMNS_8, degree_##T##_ROWS_16, degree_##T##_COLUMNS_16};
typedef unsigned char size_1;
typedef unsigned short size_2;
typedef float size_4;
typedef double size_8;
typedef float4 size_16;
OF_TYPE(size_1)
OF_TYPE(size_2)
OF_TYPE(size_4)
OF_TYPE(size_8)
OF_TYPE(size_16)
static const of_width *const pads[] = {pads_size_1, pads_size_2, pads_size_4, pads_size_8, pads_size_16};
static const of_width *const degrees[] = {degrees_size_1, degrees_size_2, degrees_size_4, degrees_size_8,
                                          degrees_size_16};
static const int widths[] = {1, 2, 4, 8, 16, 32, 64, 96};

static int run_of(access_of a) /* bytes of a row that a group touches */
{
    const int lanes = a.bytes <= 4 ? 32 : 128 / a.bytes, across = a.width < lanes ? a.width : lanes;
    return a.bytes * (a.by_columns ? lanes / across : across);
}

/* the least pad that all accesses of found[][pitch] have degree 1 with; -1 where no pad of 128 bytes does */
static int least_pad(const int *first, const int *second, int columns, int size)
{
    for (int pad = 0; pad * size <= 128; ++pad)
        if (first[columns + pad] == 1 && second[columns + pad] == 1) return pad;
    return -1;
}

static void against_the_model(int size, const of_width *pad, const of_width *degree_of)
{
    int found[2][pitches], compared = 0, wrong_degrees = 0, wrong_pads = 0, none = 0;
    for (int kind = 0; kind < 3; ++kind)
        for (int w = 0; w < (int)(sizeof widths / sizeof *widths); ++w) {
            access_of a = {size, kind == 0 ? size : 4 << kind, 0, widths[w], 0, 0};
            const int rows = run_of(a);
            if (a.bytes < size) continue;
            for (a.by_columns = 0; a.by_columns < 2; ++a.by_columns)
                for (int pitch = 1; pitch < pitches; ++pitch) {
                    const int fits = pitch * size >= run_of(a) && pitch * size % a.bytes == 0;
                    const int said = degree_of[2 * kind + a.by_columns](pitch, a.width);
                    found[a.by_columns][pitch] = fits ? degree(a, pitch) : 0;
                    wrong_degrees += fits && said != found[a.by_columns][pitch];
                    wrong_degrees += pitch * size % a.bytes != 0 && said != 0;
                    compared += fits;
                }
            for (int columns = 1; columns <= most; ++columns) {
                const int by_rows = columns * size >= rows, by_columns = columns * size >= run_of(a);
                const int both = by_rows && by_columns ? least_pad(found[0], found[1], columns, size) : 0;
                wrong_pads +=
                    by_rows && pad[3 * kind](columns, a.width) != least_pad(found[0], found[0], columns, size);
                wrong_pads +=
                    by_columns && pad[3 * kind + 1](columns, a.width) != least_pad(found[1], found[1], columns, size);
                wrong_pads += by_rows && by_columns && pad[3 * kind + 2](columns, a.width) != both;
                none += both < 0;
            }
        }
    tap_check(wrong_degrees == 0 && compared > 1000, "CMK_TILE_DEGREE: %d accesses of %d bytes: %d wrong", compared,
              size, wrong_degrees);
    tap_check(wrong_pads == 0,
              "CMK_TILE_PAD: %d bytes, 1 to %d columns: %d not the least, or wrong to be none (%d are)", size, most,
              wrong_pads, none);
}

/* ---- Swizzles */
#define SWIZZLED_WAY(T, WAY)                                                                                           \
    static int swizzle_degree_##T##_##WAY(int columns, int grain, int width)                                           \
    {                                                                                                                  \
        return CMK_TILE_SWIZZLE_DEGREE(T, columns, grain, WAY, width);                                                 \
    }
#define SWIZZLED_TYPE(T)                                                                                               \
    SWIZZLED_WAY(T, ROWS)                                                                                              \
    SWIZZLED_WAY(T, COLUMNS)                                                                                           \
    SWIZZLED_WAY(T, ROWS_8)                                                                                            \
    SWIZZLED_WAY(T, COLUMNS_8)                                                                                         \
    SWIZZLED_WAY(T, ROWS_16)                                                                                           \
    SWIZZLED_WAY(T, COLUMNS_16)                                                                                        \
    static int place_##T(int columns, int grain, int row, int column)                                                  \
    {                                                                                                                  \
        return CMK_TILE_SWIZZLE(T, columns, grain, row, column);                                                       \
    }                                                                                                                  \
    static const swizzle_degree swizzle_degrees_##T[] = {                                                              \
        swizzle_degree_##T##_ROWS,      swizzle_degree_##T##_COLUMNS, swizzle_degree_##T##_ROWS_8,                     \
        swizzle_degree_##T##_COLUMNS_8, swizzle_degree_##T##_ROWS_16, swizzle_degree_##T##_COLUMNS_16};
typedef int (*swizzle_degree)(int, int, int);
typedef int (*swizzle_place)(int, int, int, int);
SWIZZLED_TYPE(size_1)
SWIZZLED_TYPE(size_2)
SWIZZLED_TYPE(size_4)
SWIZZLED_TYPE(size_8)
SWIZZLED_TYPE(size_16)
static const swizzle_degree *const swizzle_degrees[] = {swizzle_degrees_size_1, swizzle_degrees_size_2,
                                                        swizzle_degrees_size_4, swizzle_degrees_size_8,
                                                        swizzle_degrees_size_16};
static const swizzle_place places[] = {place_size_1, place_size_2, place_size_4, place_size_8, place_size_16};

/* the worst group of three warps, at rows and columns that are multiples of the block's */
static int degree_swizzled(access_of a)
{
    const int lanes = a.bytes <= 4 ? 32 : 128 / a.bytes, groups = 32 / lanes, across = a.width < 32 ? a.width : 32;
    const int each = a.bytes / a.size, high = a.by_columns ? across : 32 / across, wide = each * 32 / high;
    int worst = 0;
    for (int row = 0; row < 40; row += high)
        for (int column = 0; column + wide <= (a.columns > wide ? a.columns : wide); column += wide)
            for (int group = 0; group < groups; ++group) {
                const int found = wavefronts(a, a.columns, 0, group, row, column);
                worst = found > worst ? found : worst;
            }
    return worst;
}

static void swizzles(int size, swizzle_place place, const swizzle_degree *degree_of)
{
    int compared = 0, wrong_degrees = 0, wrong_places = 0, tensor = 0, wrong_tensor = 0, refused = 0;
    for (int columns = 1; columns * size <= 512; columns *= 2)
        for (int grain = 4; grain <= 16; grain *= 2) {
            access_of a = {size, size, 0, 32, grain, columns};
            if (grain < size || columns * size < grain) {
                wrong_degrees += degree_of[0](columns, grain, 32) != 0;
                continue;
            }
            for (int row = 0; row < 40; ++row) {
                unsigned char taken[512] = {0};
                for (int column = 0; column < columns; ++column) {
                    const int at = place(columns, grain, row, column);
                    wrong_places += at != swizzled(a, row, column) || taken[at]++ != 0;
                    if (grain == 16 && columns * size >= 32 && columns * size <= 128) {
                        const int address = (row * columns + column) * size, bits = columns * size / 16 - 1;
                        wrong_tensor += (row * columns + at) * size != (address ^ (address >> 7 & bits) << 4);
                        ++tensor;
                    }
                }
            }
            for (int kind = 0; kind < 3; ++kind)
                for (int w = 0; w < 7; ++w)
                    for (a.by_columns = 0; a.by_columns < 2; ++a.by_columns) {
                        a.bytes = kind == 0 ? size : 4 << kind;
                        a.width = widths[w];
                        const int said = degree_of[2 * kind + a.by_columns](columns, grain, a.width);
                        const int lanes = a.bytes <= 4 ? 32 : 128 / a.bytes, across = a.width < 32 ? a.width : 32;
                        const int fits = a.bytes * (a.by_columns ? 32 / across : across) <= columns * size;
                        if (a.bytes < size || a.bytes > grain) {
                            wrong_degrees += said != 0;
                            ++refused;
                        } else if (fits || lanes == 32 / across) {
                            wrong_degrees += fits && said != degree_swizzled(a);
                            compared += fits;
                        }
                    }
        }
    tap_check(wrong_places == 0, "CMK_TILE_SWIZZLE: %d bytes: each element of a row has its own place", size);
    tap_check(wrong_tensor == 0 && tensor > 0, "CMK_TILE_SWIZZLE: %d bytes: bits 4 to 6 by bits 7 to 9 of the address",
              size);
    tap_check(wrong_degrees == 0 && compared > 50, "CMK_TILE_SWIZZLE_DEGREE: %d accesses of %d bytes: %d wrong",
              compared, size, wrong_degrees);
    tap_check(refused > 0 || size == 16, "CMK_TILE_SWIZZLE_DEGREE: vectors larger than a grain have none");
}

/* ---- Storage: two static tiles of 3 and 1 planes, a dynamic tile of 2 dimensions and one of 3 behind it */
enum { wide = 30, high = 70, deep = 3, second = CMK_TILE_BYTES(double, high, wide, 1) };

__global__ void storage(double *out)
{
    CMK_TILE_3D(float, planes, deep, 4, wide, 1);
    CMK_TILE(unsigned char, line, 1, wide, 2);
    CMK_TILE_AT(double, flat, 0, wide, 1);
    CMK_TILE_3D_AT(float4, solid, second, high, wide, 0);
    const int x = (int)threadIdx.x;
    CMK_TILE_SET(line, 0, x, (unsigned char)x);
    for (int z = 0; z < deep; ++z)
        for (int y = 0; y < 4; ++y) CMK_TILE_SET(planes[z], y, x, (float)(1000 * z + 100 * y + x));
    for (int y = 0; y < high; ++y) {
        CMK_TILE_SET(flat, y, x, 100.0 * y + x);
        for (int z = 0; z < deep; ++z) CMK_TILE_SET(solid[z], y, x, make_float4((float)z, (float)y, (float)x, 0.5f));
    }
    __syncthreads();
    for (int y = 0; y < high; ++y) {
        const float4 of_solid = CMK_TILE_GET(solid[y % deep], y, wide - 1 - x);
        double sum = CMK_TILE_GET(flat, y, wide - 1 - x) + CMK_TILE_GET(planes[y % deep], y % 4, wide - 1 - x);
        sum += of_solid.x + of_solid.y + of_solid.z + of_solid.w + CMK_TILE_GET(line, 0, wide - 1 - x);
        CMK_STORE(&out[y * wide + x], sum);
    }
}

static void storages(void)
{
    enum { bytes = second + CMK_TILE_BYTES(float4, deep * high, wide, 0) };
    static double result[high * wide];
    double *out = NULL;
    int wrong = 0;
    CMK_CHECK(cudaMalloc((void **)&out, sizeof result));
    CMK_CHECK(cudaMemset(out, 0xFF, sizeof result));
    tap_check(CMK_TILE_LAUNCH(storage, 1, wide, 1 << 20, 0, out) == cudaErrorLaunchOutOfResources,
              "CMK_TILE_LAUNCH: no device has 1 MB of shared memory");
    tap_check(cudaGetLastError() == cudaSuccess, "CMK_TILE_LAUNCH: the error is not left behind");
    CMK_CHECK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
    for (int k = 0; k < high * wide; ++k) wrong += !(result[k] != result[k]);
    tap_check(wrong == 0, "CMK_TILE_LAUNCH: nothing was launched");
    CMK_CHECK(CMK_TILE_LAUNCH(storage, 1, wide, bytes, 0, out));
    CMK_CHECK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
    for (int k = 0; k < high * wide; ++k) {
        const int y = k / wide, x = wide - 1 - k % wide, z = y % deep;
        wrong += !(result[k] == 100.0 * y + x + 1000.0 * z + 100.0 * (y % 4) + x + z + y + x + 0.5 + x);
    }
    tap_check(wrong == 0, "static and dynamic tiles of 1 to 3 dimensions, %d bytes of them dynamic: %d wrong",
              (int)bytes, wrong);
    CMK_CHECK(cudaFree(out));
}

int main(void)
{
    tap_need_device();
    storages();
    for (int s = 0; s < 5; ++s) against_the_model(1 << s, pads[s], degrees[s]);
    for (int s = 0; s < 5; ++s) swizzles(1 << s, places[s], swizzle_degrees[s]);
    return tap_done();
}
