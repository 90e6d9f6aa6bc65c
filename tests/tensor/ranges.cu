/* ranges [CASES [NAME]]: the cases of cases.h, of images; of the definitions that have NAME in theirs. */
#include "tensor/cases.h"
#include <cmk/kernel/conv2d.h>
#include <cmk/kernel/separable.h>

enum { ROWS_MOST = 160, COLUMNS_MOST = 1300, RADIUS_MOST = 32 };

/* ---- Definitions */
#define DEFINITION(name, IN, OUT, CHANNELS, R, C, ROW, COLUMN, EDGE)                                                   \
    CMK_TABLE(CONSTANT, float, name##_taps, [R][C]);                                                                   \
    CMK_DEFINE_CONV2D_AS(name, CORRELATION, (IN, float, OUT, CHANNELS), (R, C), (ROW, COLUMN), name##_taps,            \
                         (EDGE, 0));                                                                                   \
    static const filter_case name##_filter = FILTER_CASE(1, R, C, 0, ROW, COLUMN, EDGE, 0, IN, OUT, CHANNELS);         \
    static cudaError_t name##_run(const void *in, void *out, const filter_case *c, const float *taps)                  \
    {                                                                                                                  \
        const cudaError_t error = CMK_TABLE_UPLOAD(name##_taps, taps, 0, (R) * (C));                                   \
        if (error != cudaSuccess) return error;                                                                        \
        return name((const IN *)in, c->pitch, (OUT *)out, c->pitch, c->image_rows, c->image_columns, name##_taps, 0);  \
    }
#define SEPARABLE(name, IN, OUT, CHANNELS, RADIUS, EDGE)                                                               \
    CMK_TABLE(CONSTANT, float, name##_down, [2 * RADIUS + 1]);                                                         \
    CMK_TABLE(CONSTANT, float, name##_across, [2 * RADIUS + 1]);                                                       \
    CMK_DEFINE_SEPARABLE_AS(name, (IN, float, OUT, CHANNELS), RADIUS, (name##_down, name##_across), (EDGE, 0));        \
    static const filter_case name##_filter =                                                                           \
        FILTER_CASE(1, 2 * RADIUS + 1, 2 * RADIUS + 1, 0, RADIUS, RADIUS, EDGE, 1, IN, OUT, CHANNELS);                 \
    static cudaError_t name##_run(const void *in, void *out, const filter_case *c, const float *taps)                  \
    {                                                                                                                  \
        const size_t count = 2 * RADIUS + 1;                                                                           \
        cudaError_t error = CMK_TABLE_UPLOAD(name##_down, taps, 0, count);                                             \
        if (error == cudaSuccess) error = CMK_TABLE_UPLOAD(name##_across, taps + count, 0, count);                     \
        if (error != cudaSuccess) return error;                                                                        \
        return name((const IN *)in, c->pitch, (OUT *)out, c->pitch, c->image_rows, c->image_columns, name##_down,      \
                    name##_across, 0);                                                                                 \
    }

DEFINITION(nine, float, float, 1, 9, 9, 4, 4, CMK_EDGE_ZERO)
DEFINITION(fifteen, float, float, 1, 15, 15, 7, 7, CMK_EDGE_CLAMP)
DEFINITION(even, float, float, 1, 6, 11, 1, 9, CMK_EDGE_WRAP)
DEFINITION(bytes, u8, float, 1, 7, 7, 3, 3, CMK_EDGE_MIRROR)
DEFINITION(small, u8, u8, 1, 5, 5, 2, 2, CMK_EDGE_CLAMP)
DEFINITION(sides, s8, s16, 1, 3, 8, 1, 4, CMK_EDGE_ZERO)
DEFINITION(words, s16, float, 1, 9, 5, 4, 2, CMK_EDGE_REFLECT)
SEPARABLE(narrow, u8, u8, 1, 3, CMK_EDGE_MIRROR)
SEPARABLE(middle, u8, u8, 1, 8, CMK_EDGE_CLAMP)
SEPARABLE(longer, s8, s16, 1, 5, CMK_EDGE_ZERO)
SEPARABLE(wide, u8, u16, 1, 11, CMK_EDGE_WRAP)
SEPARABLE(widest, s8, s8, 1, 16, CMK_EDGE_REFLECT)
DEFINITION(rgb, u8, u8, 3, 3, 3, 1, 1, CMK_EDGE_MIRROR)
DEFINITION(two, u8, u16, 2, 4, 5, 1, 2, CMK_EDGE_WRAP)
DEFINITION(four, s8, s8, 4, 5, 3, 2, 1, CMK_EDGE_CLAMP)
SEPARABLE(rgb_bands, u8, u8, 3, 4, CMK_EDGE_ZERO)
SEPARABLE(floats, float, float, 1, 9, CMK_EDGE_CLAMP)
SEPARABLE(longer_floats, float, float, 1, 16, CMK_EDGE_ZERO)
SEPARABLE(longest_floats, float, float, 1, 32, CMK_EDGE_WRAP)
SEPARABLE(integers, s16, float, 1, 11, CMK_EDGE_MIRROR)
#if TEST_HAS_half
DEFINITION(halves, test_half, float, 1, 9, 9, 4, 4, CMK_EDGE_CLAMP)
SEPARABLE(short_floats, test_half, float, 1, 13, CMK_EDGE_REFLECT)
#endif
#if TEST_HAS_bfloat16
DEFINITION(brains, test_bfloat16, float, 1, 8, 8, 0, 7, CMK_EDGE_ZERO)
#endif
#if defined(__CUDACC__) /* of which a CPU takes long */
DEFINITION(twenty, float, float, 1, 21, 21, 10, 10, CMK_EDGE_MIRROR)
DEFINITION(thirty, float, float, 1, 33, 33, 16, 16, CMK_EDGE_ZERO)
DEFINITION(large_halves, test_half, float, 1, 15, 15, 7, 7, CMK_EDGE_ZERO)
DEFINITION(large_bytes, u8, u8, 1, 15, 15, 7, 7, CMK_EDGE_CLAMP)
DEFINITION(large_words, u16, float, 1, 11, 11, 5, 5, CMK_EDGE_ZERO)
#endif

static const definition definitions[] = {
    DEFINED(nine, "float, 9 x 9"),
    DEFINED(fifteen, "float, 15 x 15"),
    DEFINED(even, "float, 6 x 11"),
    DEFINED(bytes, "bytes, 7 x 7"),
    DEFINED(small, "bytes to bytes, 5 x 5"),
    DEFINED(sides, "signed bytes to 16 bits, 3 x 8"),
    DEFINED(words, "16-bit integers, 9 x 5"),
    DEFINED(narrow, "separable, bytes, radius 3"),
    DEFINED(middle, "separable, bytes, radius 8"),
    DEFINED(longer, "separable, signed bytes to 16 bits, radius 5"),
    DEFINED(wide, "separable, bytes to 16 bits, radius 11"),
    DEFINED(widest, "separable, signed bytes, radius 16"),
    DEFINED(rgb, "RGB, 3 x 3"),
    DEFINED(two, "2 channels to 16 bits, 4 x 5"),
    DEFINED(four, "4 channels, signed, 5 x 3"),
    DEFINED(rgb_bands, "separable, RGB, radius 4"),
    DEFINED(floats, "separable, float, radius 9"),
    DEFINED(longer_floats, "separable, float, radius 16"),
    DEFINED(longest_floats, "separable, float, radius 32"),
    DEFINED(integers, "separable, 16-bit integers, radius 11"),
#if TEST_HAS_half
    DEFINED(halves, "half, 9 x 9"),
    DEFINED(short_floats, "separable, half, radius 13"),
#endif
#if TEST_HAS_bfloat16
    DEFINED(brains, "bfloat16, 8 x 8"),
#endif
#if defined(__CUDACC__)
    DEFINED(twenty, "float, 21 x 21"),
    DEFINED(thirty, "float, 33 x 33"),
    DEFINED(large_halves, "half, 15 x 15"),
    DEFINED(large_bytes, "bytes to bytes, 15 x 15"),
    DEFINED(large_words, "unsigned 16-bit integers, 11 x 11"),
#endif
};

static void draw_sizes(filter_case *c)
{
    const int whole = most_of(c->out) > 0.0;
    c->image_rows = 1 + below(c->separable         ? (whole ? ROWS_MOST : 100) /* tiles inside are many rows */
                              : !whole && below(4) ? 12
                                                   : 70);
    c->image_columns = 1 + below(c->separable ? (whole ? 400 : 700)
                                 : below(3)   ? 40
                                              : COLUMNS_MOST) /
                               (size_t)c->channels;
    c->pitch = below(c->separable && !whole ? 5 : 2) ? (width_of(c) + 15) / 16 * 16 : width_of(c) + below(5);
}

int main(int argc, char **argv)
{
    return run_definitions(definitions, sizeof definitions / sizeof definitions[0], draw_sizes,
                           ROWS_MOST * (COLUMNS_MOST + 16), (ROWS_MOST + 2 * RADIUS_MOST) * COLUMNS_MOST,
                           argc > 1 ? atoi(argv[1]) : 40, argc > 2 ? argv[2] : NULL);
}
