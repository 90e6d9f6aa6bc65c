/* in_order: what _IN_ORDER promises: the bits of a plain loop over the pixels of a window, row by row, a product at a
 * time, rounded once with its sum, in every region of an image, where without the word tensor cores take it. CMK_TENSOR
 * has the CPU backend and small images take that way too. Bytes have taps of 0.1, with which many a sum is about half
 * way between integers. */
#if !defined(CMK_TENSOR)
#define CMK_TENSOR 1
#endif
#include <cmk/check.h>
#include <cmk/kernel/conv2d.h>
#include <cmk/kernel/separable.h>
#include <math.h>
#include <string.h>
#include "random.h"
#include "tap.h"

enum { ROWS_OF_IMAGE = 67, PIXELS = 608, TAPS_MOST = 21 * 20 };

/* the image of a definition as floats, clamped at its edges */
typedef struct {
    float pixels[ROWS_OF_IMAGE][PIXELS];
    float taps[TAPS_MOST];
} picture;

static float pixel_at(const picture *p, int row, int column)
{
    row = row < 0 ? 0 : row >= ROWS_OF_IMAGE ? ROWS_OF_IMAGE - 1 : row;
    return p->pixels[row][column < 0 ? 0 : column >= PIXELS ? PIXELS - 1 : column];
}

/* output (y, x) of rows x columns taps around (row, column); turned: from the last tap to the first */
static float summed(const picture *p, int rows, int columns, int row, int column, int turned, int y, int x)
{
    float sum = 0.0f;
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
            const int at = r * columns + c, tap = turned ? rows * columns - 1 - at : at;
            sum = fmaf(p->taps[tap], pixel_at(p, y + r - row, x + c - column), sum);
        }
    return sum;
}

/* the same of a separable filter, whose taps are down and then across */
static float summed_twice(const picture *p, int radius, int y, int x)
{
    const int taps = 2 * radius + 1;
    float down = 0.0f;
    for (int r = 0; r < taps; ++r) {
        float across = 0.0f;
        for (int c = 0; c < taps; ++c)
            across = fmaf(p->taps[taps + c], pixel_at(p, y + r - radius, x + c - radius), across);
        down = fmaf(p->taps[r], across, down);
    }
    return down;
}

#define AS_float(sum) (sum)
#define AS_byte(sum) ((byte)fminf(fmaxf(rintf(sum), 0.0f), 255.0f))
typedef unsigned char byte;

/* name_test: of the whole image and of a region, for T, with UPLOAD of p's taps, and tables; SUM is that of (y, x) */
#define TEST(name, T, UPLOAD, SUM, ...)                                                                                \
    static void name##_test(const char *text, picture *p)                                                              \
    {                                                                                                                  \
        static T in[ROWS_OF_IMAGE][PIXELS], out[ROWS_OF_IMAGE][PIXELS];                                                \
        T *given, *taken;                                                                                              \
        size_t wrong = 0;                                                                                              \
        draw(p, sizeof(T) == 1);                                                                                       \
        for (int y = 0; y < ROWS_OF_IMAGE; ++y)                                                                        \
            for (int x = 0; x < PIXELS; ++x) in[y][x] = (T)p->pixels[y][x];                                            \
        UPLOAD;                                                                                                        \
        CMK_CHECK(cudaMalloc((void **)&given, sizeof in));                                                             \
        CMK_CHECK(cudaMalloc((void **)&taken, sizeof in));                                                             \
        CMK_CHECK(cudaMemcpy(given, in, sizeof in, cudaMemcpyHostToDevice));                                           \
        for (int top = 0; top < 12; top += 3) {                                                                        \
            CMK_CHECK(name##_region(given, PIXELS, taken, PIXELS, ROWS_OF_IMAGE, PIXELS, (size_t)top, 0,               \
                                    (size_t)(ROWS_OF_IMAGE - top), PIXELS, __VA_ARGS__, 0));                           \
            CMK_CHECK(cudaMemcpy(out, taken, sizeof out, cudaMemcpyDeviceToHost));                                     \
            for (int y = top; y < ROWS_OF_IMAGE; ++y)                                                                  \
                for (int x = 0; x < PIXELS; ++x) {                                                                     \
                    const T expected = (T)AS_##T(SUM);                                                                 \
                    wrong += memcmp(&out[y - top][x], &expected, sizeof expected) != 0;                                \
                }                                                                                                      \
        }                                                                                                              \
        CMK_CHECK(cudaFree(given));                                                                                    \
        CMK_CHECK(cudaFree(taken));                                                                                    \
        tap_check(wrong == 0, "%s: %zu outputs have other bits than a sum in order", text, wrong);                     \
    }

static void draw(picture *p, int bytes)
{
    for (int i = 0; i < TAPS_MOST; ++i) p->taps[i] = bytes ? 0.1f : (float)below(1 << 24) / (1 << 23) - 1.0f;
    for (int i = 0; i < ROWS_OF_IMAGE * PIXELS; ++i)
        p->pixels[i / PIXELS][i % PIXELS] = bytes ? (float)below(40) : (float)below(1 << 24) / (1 << 23) - 1.0f;
}

#define CONV2D(name, HOW, T, R, C, ROW, COLUMN)                                                                        \
    CMK_TABLE(CONSTANT, float, name##_taps, [R][C]);                                                                   \
    CMK_DEFINE_CONV2D_AS(name, HOW, (T, float, T, 1), (R, C), (ROW, COLUMN), name##_taps, (CMK_EDGE_CLAMP, 0));        \
    TEST(name, T, CMK_CHECK(CMK_TABLE_UPLOAD(name##_taps, p->taps, 0, (R) * (C))),                                     \
         summed(p, R, C, cmk_conv2d_##HOW##_ & 1 ? (R)-1 - (ROW) : (ROW),                                              \
                cmk_conv2d_##HOW##_ & 1 ? (C)-1 - (COLUMN) : (COLUMN), cmk_conv2d_##HOW##_ & 1, y, x),                 \
         name##_taps)
#define SEPARABLE(name, T, RADIUS)                                                                                     \
    CMK_TABLE(CONSTANT, float, name##_down, [2 * RADIUS + 1]);                                                         \
    CMK_TABLE(CONSTANT, float, name##_across, [2 * RADIUS + 1]);                                                       \
    CMK_DEFINE_SEPARABLE_IN_ORDER(name, (T, float, T, 1), RADIUS, (name##_down, name##_across), (CMK_EDGE_CLAMP, 0));  \
    TEST(name, T, CMK_CHECK(CMK_TABLE_UPLOAD(name##_down, p->taps, 0, 2 * RADIUS + 1));                                \
         CMK_CHECK(CMK_TABLE_UPLOAD(name##_across, p->taps + 2 * RADIUS + 1, 0, 2 * RADIUS + 1)),                      \
         summed_twice(p, RADIUS, y, x), name##_down, name##_across)

CONV2D(nine, CORRELATION_IN_ORDER, float, 9, 9, 4, 4)
CONV2D(turned, CONVOLUTION_IN_ORDER, float, 21, 20, 3, 15)
CONV2D(small, CORRELATION_IN_ORDER, byte, 5, 5, 2, 2)
SEPARABLE(narrow, byte, 2)
SEPARABLE(middle, byte, 8)
SEPARABLE(floats, float, 16)

int main(void)
{
    static picture p;
    tap_need_device();
    random_state = 7;
    nine_test("conv2d, float, 9 x 9", &p);
    turned_test("conv2d, float, 21 x 20, turned", &p);
    small_test("conv2d, bytes, 5 x 5", &p);
    narrow_test("separable, bytes, radius 2", &p);
    middle_test("separable, bytes, radius 8", &p);
    floats_test("separable, float, radius 16", &p);
    return tap_done();
}
