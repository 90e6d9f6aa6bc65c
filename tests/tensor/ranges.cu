/* ranges [CASES]: the cases of cases.h, of images. */
#include "tensor/cases.h"
#include <cmk/kernel/conv2d.h>
#include <cmk/kernel/separable.h>

enum { ROWS_MOST = 160, COLUMNS_MOST = 1300, RADIUS_MOST = 32 };

/* ---- Definitions */
#define DEFINITION(name, IN, OUT, R, C, ROW, COLUMN, EDGE)                                                             \
    CMK_TABLE(CONSTANT, float, name##_taps, [R][C]);                                                                   \
    CMK_DEFINE_CONV2D_AS(name, CORRELATION, (IN, float, OUT, 1), (R, C), (ROW, COLUMN), name##_taps, (EDGE, 0));       \
    static const filter_case name##_filter = FILTER_CASE(1, R, C, 0, ROW, COLUMN, EDGE, 0, IN, OUT);                   \
    static cudaError_t name##_run(const void *in, void *out, const filter_case *c, const float *taps)                  \
    {                                                                                                                  \
        const cudaError_t error = CMK_TABLE_UPLOAD(name##_taps, taps, 0, (R) * (C));                                   \
        if (error != cudaSuccess) return error;                                                                        \
        return name((const IN *)in, c->pitch, (OUT *)out, c->pitch, c->image_rows, c->image_columns, name##_taps, 0);  \
    }
#define SEPARABLE(name, IN, OUT, RADIUS, EDGE)                                                                         \
    CMK_TABLE(CONSTANT, float, name##_down, [2 * RADIUS + 1]);                                                         \
    CMK_TABLE(CONSTANT, float, name##_across, [2 * RADIUS + 1]);                                                       \
    CMK_DEFINE_SEPARABLE_AS(name, (IN, float, OUT, 1), RADIUS, (name##_down, name##_across), (EDGE, 0));               \
    static const filter_case name##_filter =                                                                           \
        FILTER_CASE(1, 2 * RADIUS + 1, 2 * RADIUS + 1, 0, RADIUS, RADIUS, EDGE, 1, IN, OUT);                           \
    static cudaError_t name##_run(const void *in, void *out, const filter_case *c, const float *taps)                  \
    {                                                                                                                  \
        const size_t count = 2 * RADIUS + 1;                                                                           \
        cudaError_t error = CMK_TABLE_UPLOAD(name##_down, taps, 0, count);                                             \
        if (error == cudaSuccess) error = CMK_TABLE_UPLOAD(name##_across, taps + count, 0, count);                     \
        if (error != cudaSuccess) return error;                                                                        \
        return name((const IN *)in, c->pitch, (OUT *)out, c->pitch, c->image_rows, c->image_columns, name##_down,      \
                    name##_across, 0);                                                                                 \
    }

DEFINITION(nine, float, float, 9, 9, 4, 4, CMK_EDGE_ZERO)
DEFINITION(fifteen, float, float, 15, 15, 7, 7, CMK_EDGE_CLAMP)
DEFINITION(even, float, float, 6, 11, 1, 9, CMK_EDGE_WRAP)
DEFINITION(bytes, u8, float, 7, 7, 3, 3, CMK_EDGE_MIRROR)
DEFINITION(small, u8, u8, 5, 5, 2, 2, CMK_EDGE_CLAMP)
DEFINITION(sides, s8, s16, 3, 8, 1, 4, CMK_EDGE_ZERO)
DEFINITION(words, s16, float, 9, 5, 4, 2, CMK_EDGE_REFLECT)
SEPARABLE(narrow, u8, u8, 3, CMK_EDGE_MIRROR)
SEPARABLE(middle, u8, u8, 8, CMK_EDGE_CLAMP)
SEPARABLE(longer, s8, s16, 5, CMK_EDGE_ZERO)
SEPARABLE(wide, u8, u16, 11, CMK_EDGE_WRAP)
SEPARABLE(widest, s8, s8, 16, CMK_EDGE_REFLECT)
SEPARABLE(floats, float, float, 9, CMK_EDGE_CLAMP)
SEPARABLE(longer_floats, float, float, 16, CMK_EDGE_ZERO)
SEPARABLE(longest_floats, float, float, 32, CMK_EDGE_WRAP)
SEPARABLE(integers, s16, float, 11, CMK_EDGE_MIRROR)
#if TEST_HAS_half
DEFINITION(halves, test_half, float, 9, 9, 4, 4, CMK_EDGE_CLAMP)
SEPARABLE(short_floats, test_half, float, 13, CMK_EDGE_REFLECT)
#endif
#if TEST_HAS_bfloat16
DEFINITION(brains, test_bfloat16, float, 8, 8, 0, 7, CMK_EDGE_ZERO)
#endif
#if defined(__CUDACC__) /* of which a CPU takes long */
DEFINITION(twenty, float, float, 21, 21, 10, 10, CMK_EDGE_MIRROR)
DEFINITION(thirty, float, float, 33, 33, 16, 16, CMK_EDGE_ZERO)
DEFINITION(large_halves, test_half, float, 15, 15, 7, 7, CMK_EDGE_ZERO)
DEFINITION(large_bytes, u8, u8, 15, 15, 7, 7, CMK_EDGE_CLAMP)
DEFINITION(large_words, u16, float, 11, 11, 5, 5, CMK_EDGE_ZERO)
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
    c->image_columns = 1 + below(c->separable ? (whole ? 400 : 700) : below(3) ? 40 : COLUMNS_MOST);
    c->pitch = below(c->separable ? 5 : 2) ? (c->image_columns + 15) / 16 * 16 : c->image_columns + below(5);
}

int main(int argc, char **argv)
{
    return run_definitions(definitions, sizeof definitions / sizeof definitions[0], draw_sizes,
                           ROWS_MOST * (COLUMNS_MOST + 16), (ROWS_MOST + 2 * RADIUS_MOST) * COLUMNS_MOST,
                           argc > 1 ? atoi(argv[1]) : 40);
}
