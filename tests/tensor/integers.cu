/* integers [CASES]: with SUM float, filters of bytes whose taps are integers give by tensor cores what they give with
 * SUM int, every bit, where floats hold all their sums: the largest byte times the sum of |taps| is less than 2^24, and
 * of separable ones, which keep sums across in 22 bits, the largest byte times that of |across| less than 2^22. So do
 * those that are fast, where a half holds each tap, and of halves that are integers, infinities among them. */
#if !defined(CMK_TENSOR)
#define CMK_TENSOR 1
#endif
#include "short_floats.h"
#include <cmk/check.h>
#include <cmk/kernel/conv2d.h>
#include <cmk/kernel/separable.h>
#include <math.h>
#include <string.h>
#include "random.h"
#include "tap.h"

enum { ROWS_MOST = 90, COLUMNS_MOST = 700, TAPS_MOST = 24 * 4 };
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
        for (int i = 0; i < cases && wrong == 0; ++i) {                                                                \
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
#define CONV2D(name, WAY, IN, OUT, R, C, most)                                                                         \
    CMK_TABLE(CONSTANT, int, name##_taps, [R][C]);                                                                     \
    CMK_DEFINE_CONV2D_AS(name, WAY, (IN, float, OUT, 1), (R, C), (R / 2, C / 2), name##_taps, (CMK_EDGE_MIRROR, 0));   \
    CMK_DEFINE_CONV2D_AS(name##_whole, CORRELATION, (IN, int, OUT, 1), (R, C), (R / 2, C / 2), name##_taps,            \
                         (CMK_EDGE_MIRROR, 0));                                                                        \
    TEST(name, IN, OUT, draw_taps(taps, (R) * (C), below(2) ? 200 : most),                                             \
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

CONV2D(small, CORRELATION, u8, s16, 5, 5, 65000)
CONV2D(nine, CORRELATION, s8, s16, 9, 9, 65000)
CONV2D(across, CORRELATION, u8, s16, 4, 11, 65000)
CONV2D(down, CORRELATION, s8, s8, 20, 3, 65000)
CONV2D(fast, CORRELATION_FAST, s8, s16, 5, 12, 2000)
CONV2D(fast_down, CORRELATION_FAST, u8, s16, 24, 4, 2000)
SEPARABLE(narrow, u8, s16, 2)
SEPARABLE(middle, u8, u16, 8)
SEPARABLE(longer, s8, s16, 11)

#if TEST_HAS_half
enum { HIGH = 24, WIDE = 3, DOWN = 50, ALONG = 700 };
CMK_TABLE(CONSTANT, float, fast_halves_taps, [HIGH][WIDE]);
CMK_DEFINE_CONV2D_AS(fast_halves, CORRELATION_FAST, (test_half, float, float, 1), (HIGH, WIDE), (0, 0),
                     fast_halves_taps, (CMK_EDGE_ZERO, 0));

/* outputs of so many images that are not the sum */
static size_t fast_halves_test(int cases)
{
    static float taps[HIGH * WIDE], sums[DOWN * ALONG];
    static test_half pixels[DOWN * ALONG];
    size_t wrong = 0;
    void *in, *out;
    CMK_CHECK(cudaMalloc(&in, sizeof pixels));
    CMK_CHECK(cudaMalloc(&out, sizeof sums));
    for (int i = 0; i < cases && wrong == 0; ++i) {
        for (int k = 0; k < HIGH * WIDE; ++k) taps[k] = (float)below(101) - 50.0f;
        for (int k = 0; k < DOWN * ALONG; ++k)
            pixels[k] = (test_half)(i % 2 && below(2000) == 0 ? (below(2) ? INFINITY : -INFINITY) : (float)below(2001));
        CMK_CHECK(CMK_TABLE_UPLOAD(fast_halves_taps, taps, 0, HIGH * WIDE));
        CMK_CHECK(cudaMemcpy(in, pixels, sizeof pixels, cudaMemcpyHostToDevice));
        CMK_CHECK(fast_halves((const test_half *)in, ALONG, (float *)out, ALONG, DOWN, ALONG, fast_halves_taps, 0));
        CMK_CHECK(cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost));
        for (int y = 0; y < DOWN; ++y)
            for (int x = 0; x < ALONG; ++x) {
                float sum = 0.0f;
                for (int r = 0; r < HIGH && y + r < DOWN; ++r)
                    for (int c = 0; c < WIDE && x + c < ALONG; ++c)
                        sum += taps[r * WIDE + c] * (float)pixels[(y + r) * ALONG + x + c];
                const float given = sums[y * ALONG + x];
                wrong += !(given == sum || (isnan(given) && isnan(sum)));
            }
    }
    CMK_CHECK(cudaFree(in));
    CMK_CHECK(cudaFree(out));
    return wrong;
}
#endif

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
    wrong = across_test(cases, in, (s16 *)out, (s16 *)expected);
    tap_check(wrong == 0, "bytes to 16 bits, 4 x 11: %zu outputs differ", wrong);
    wrong = down_test(cases, in, (s8 *)out, (s8 *)expected);
    tap_check(wrong == 0, "signed bytes, 20 x 3: %zu outputs differ", wrong);
    wrong = fast_test(cases, in, (s16 *)out, (s16 *)expected);
    tap_check(wrong == 0, "signed bytes to 16 bits, fast, 5 x 12: %zu outputs differ", wrong);
    wrong = fast_down_test(cases, in, (s16 *)out, (s16 *)expected);
    tap_check(wrong == 0, "bytes to 16 bits, fast, 24 x 4: %zu outputs differ", wrong);
#if TEST_HAS_half
    wrong = fast_halves_test(cases < 20 ? cases : 20);
    tap_check(wrong == 0, "halves, fast, 24 x 3: %zu outputs differ", wrong);
#endif
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
