/* integers [CASES]: with SUM float, filters of bytes whose taps are integers give by tensor cores what they give with
 * SUM int, every bit, where floats hold all their sums: the largest byte times the sum of |taps| is less than 2^24, and
 * of separable ones, which keep sums across in 22 bits, the largest byte times that of |across| less than 2^22. */
#if !defined(CMK_TENSOR)
#define CMK_TENSOR 1
#endif
#include <cmk/check.h>
#include <cmk/kernel/conv2d.h>
#include <cmk/kernel/separable.h>
#include <string.h>
#include "random.h"
#include "tap.h"

enum { ROWS_MOST = 90, COLUMNS_MOST = 700, TAPS_MOST = 9 * 9 };
typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;

/* so many integers whose magnitudes are of the sum most, or a little less */
static void draw_taps(int *taps, int count, int most)
{
    int left = most;
    for (int k = 0; k < count; ++k) {
        const int size = k + 1 < count ? (int)below((size_t)left / (size_t)(count - k) * 2 + 1) : left;
        taps[k] = below(2) ? size : -size;
        left -= size;
    }
}

/* name_test: both sums by a call of name and of name_whole, with UPLOAD of taps, DRAW to draw them, and the tables */
#define TEST(name, IN, OUT, DRAW, UPLOAD, ...)                                                                         \
    static size_t name##_test(int cases, void *in, OUT *out, OUT *expected)                                            \
    {                                                                                                                  \
        static OUT taken[ROWS_MOST * COLUMNS_MOST], given[ROWS_MOST * COLUMNS_MOST];                                   \
        static IN pixels[ROWS_MOST * COLUMNS_MOST];                                                                    \
        size_t wrong = 0;                                                                                              \
        for (int i = 0; i < cases; ++i) {                                                                              \
            int taps[TAPS_MOST];                                                                                       \
            const size_t rows = 1 + below(ROWS_MOST), columns = 16 * (1 + below(COLUMNS_MOST / 16));                   \
            DRAW;                                                                                                      \
            UPLOAD;                                                                                                    \
            for (size_t k = 0; k < rows * columns; ++k) pixels[k] = (IN)below(256);                                    \
            CMK_CHECK(cudaMemcpy(in, pixels, rows *columns, cudaMemcpyHostToDevice));                                  \
            CMK_CHECK(name((const IN *)in, columns, out, columns, rows, columns, __VA_ARGS__, 0));                     \
            CMK_CHECK(name##_whole((const IN *)in, columns, expected, columns, rows, columns, __VA_ARGS__, 0));        \
            CMK_CHECK(cudaMemcpy(taken, out, rows *columns * sizeof(OUT), cudaMemcpyDeviceToHost));                    \
            CMK_CHECK(cudaMemcpy(given, expected, rows *columns * sizeof(OUT), cudaMemcpyDeviceToHost));               \
            for (size_t k = 0; k < rows * columns; ++k) wrong += taken[k] != given[k];                                 \
        }                                                                                                              \
        return wrong;                                                                                                  \
    }
#define CONV2D(name, IN, OUT, R, C)                                                                                    \
    CMK_TABLE(CONSTANT, int, name##_taps, [R][C]);                                                                     \
    CMK_DEFINE_CONV2D_AS(name, CORRELATION, (IN, float, OUT, 1), (R, C), (R / 2, C / 2), name##_taps,                  \
                         (CMK_EDGE_MIRROR, 0));                                                                        \
    CMK_DEFINE_CONV2D_AS(name##_whole, CORRELATION, (IN, int, OUT, 1), (R, C), (R / 2, C / 2), name##_taps,            \
                         (CMK_EDGE_MIRROR, 0));                                                                        \
    TEST(name, IN, OUT, draw_taps(taps, (R) * (C), below(2) ? 200 : 65000),                                            \
         CMK_CHECK(CMK_TABLE_UPLOAD(name##_taps, taps, 0, (R) * (C))), name##_taps)
#define SEPARABLE(name, IN, OUT, RADIUS)                                                                               \
    CMK_TABLE(CONSTANT, int, name##_down, [2 * RADIUS + 1]);                                                           \
    CMK_TABLE(CONSTANT, int, name##_across, [2 * RADIUS + 1]);                                                         \
    CMK_DEFINE_SEPARABLE_AS(name, (IN, float, OUT, 1), RADIUS, (name##_down, name##_across), (CMK_EDGE_MIRROR, 0));    \
    CMK_DEFINE_SEPARABLE_AS(name##_whole, (IN, int, OUT, 1), RADIUS, (name##_down, name##_across),                     \
                            (CMK_EDGE_MIRROR, 0));                                                                     \
    TEST(name, IN, OUT, draw_taps(taps, 2 * RADIUS + 1, 60);                                                           \
         draw_taps(taps + 2 * RADIUS + 1, 2 * RADIUS + 1, 1000),                                                       \
         CMK_CHECK(CMK_TABLE_UPLOAD(name##_down, taps, 0, 2 * RADIUS + 1));                                            \
         CMK_CHECK(CMK_TABLE_UPLOAD(name##_across, taps + 2 * RADIUS + 1, 0, 2 * RADIUS + 1)), name##_down,            \
         name##_across)

CONV2D(small, u8, s16, 5, 5)
CONV2D(nine, s8, s16, 9, 9)
SEPARABLE(narrow, u8, s16, 2)
SEPARABLE(middle, u8, u16, 8)
SEPARABLE(longer, s8, s16, 11)

int main(int argc, char **argv)
{
    const int cases = argc > 1 ? atoi(argv[1]) : 20;
    void *in, *out, *expected;
    tap_need_device();
    CMK_CHECK(cudaMalloc(&in, ROWS_MOST * COLUMNS_MOST));
    CMK_CHECK(cudaMalloc(&out, ROWS_MOST * COLUMNS_MOST * sizeof(s16)));
    CMK_CHECK(cudaMalloc(&expected, ROWS_MOST * COLUMNS_MOST * sizeof(s16)));
    random_state = 11;
    size_t wrong = small_test(cases, in, (s16 *)out, (s16 *)expected);
    tap_check(wrong == 0, "bytes to 16 bits, 5 x 5: %zu outputs differ", wrong);
    wrong = nine_test(cases, in, (s16 *)out, (s16 *)expected);
    tap_check(wrong == 0, "signed bytes to 16 bits, 9 x 9: %zu outputs differ", wrong);
    wrong = narrow_test(cases, in, (s16 *)out, (s16 *)expected);
    tap_check(wrong == 0, "separable, bytes to 16 bits, radius 2: %zu outputs differ", wrong);
    wrong = middle_test(cases, in, (u16 *)out, (u16 *)expected);
    tap_check(wrong == 0, "separable, bytes to unsigned 16 bits, radius 8: %zu outputs differ", wrong);
    wrong = longer_test(cases, in, (s16 *)out, (s16 *)expected);
    tap_check(wrong == 0, "separable, signed bytes to 16 bits, radius 11: %zu outputs differ", wrong);
    CMK_CHECK(cudaFree(in));
    CMK_CHECK(cudaFree(out));
    CMK_CHECK(cudaFree(expected));
    return tap_done();
}
