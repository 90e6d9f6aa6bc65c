/* conv2d: times the filters of kernel/conv2d.h on random data, each verified at every point before it is timed.
 *
 *   usage: conv2d [CSV [TEXT]]      prints the table; CSV is a file to append it to as well, TEXT what the names of the
 *                                   rows that are wanted hold
 *
 * Built for sm_90a, filters of 81 taps and more are those of tensor cores; the same by FMAs stand beside them. */
#include "convolution.h"

/* name: the kernel of N x N taps in a constant table, from IN to OUT; name_row: its row, for an array of in */
#define FILTER(name, IN, OUT, N, EDGE) FILTER_AS(name, CORRELATION, 0.0, IN, OUT, N, EDGE)
#define FAST(name, T, N) FILTER_AS(name, CORRELATION_FAST, 0x1p-12, T, T, N, CMK_EDGE_ZERO)
#define FILTER_AS(name, SENSE, ROUNDING, IN, OUT, N, EDGE)                                                             \
    CMK_TABLE(CONSTANT, float, name##_taps, [N][N]);                                                                   \
    CMK_DEFINE_CONV2D_AS(name, SENSE, (IN, float, OUT, 1), (N, N), (N / 2, N / 2), name##_taps, (EDGE, 0));            \
    FILTER_ROW(name, ROUNDING, IN, OUT, N, EDGE, CMK_CHECK(CMK_TABLE_UPLOAD(name##_taps, weights, 0, N *N)))

#define FILTER_ROW(name, ROUNDING, IN, OUT, N, EDGE, UPLOAD)                                                           \
    static void name##_row(const char *text, array a)                                                                  \
    {                                                                                                                  \
        float weights[N * N];                                                                                          \
        weigh(weights, N *N, sizeof(OUT) == 1);                                                                        \
        UPLOAD;                                                                                                        \
        filter f = box(1, N, N, weights);                                                                              \
        f.rounding = ROUNDING;                                                                                         \
        measure_ways<IN, OUT>(                                                                                         \
            text, a, f, 2 * N * N, (EDGE) == CMK_EDGE_CLAMP ? CLAMPED : ZEROS,                                         \
            [=] { return name((const IN *)in, a.pitch, (OUT *)out, a.pitch, a.rows, a.columns, name##_taps, 0); },     \
            WAYS(name, IN, OUT, a, 1, name##_taps));                                                                   \
    }

FILTER(float_3, float, float, 3, CMK_EDGE_ZERO)
FILTER(float_5, float, float, 5, CMK_EDGE_ZERO)
FILTER(float_7, float, float, 7, CMK_EDGE_ZERO)
FILTER(float_9, float, float, 9, CMK_EDGE_ZERO)
FILTER(float_11, float, float, 11, CMK_EDGE_ZERO)
FILTER(float_15, float, float, 15, CMK_EDGE_ZERO)
FILTER(float_21, float, float, 21, CMK_EDGE_ZERO)
FILTER(float_25, float, float, 25, CMK_EDGE_ZERO)
FILTER(float_33, float, float, 33, CMK_EDGE_ZERO)
FILTER(half_3, half, half, 3, CMK_EDGE_ZERO)
FILTER(half_5, half, half, 5, CMK_EDGE_ZERO)
FILTER(half_9, half, half, 9, CMK_EDGE_ZERO)
FILTER(half_15, half, half, 15, CMK_EDGE_ZERO)
FILTER(half_33, half, half, 33, CMK_EDGE_ZERO)
FAST(half_fast_9, half, 9)
FAST(half_fast_15, half, 15)
FAST(half_fast_33, half, 33)
FILTER(bfloat16_3, __nv_bfloat16, __nv_bfloat16, 3, CMK_EDGE_ZERO)
FILTER(bfloat16_5, __nv_bfloat16, __nv_bfloat16, 5, CMK_EDGE_ZERO)
FILTER(byte_3, unsigned char, unsigned char, 3, CMK_EDGE_ZERO)
FILTER(byte_5, unsigned char, unsigned char, 5, CMK_EDGE_ZERO)
FILTER(byte_9, unsigned char, unsigned char, 9, CMK_EDGE_ZERO)
FILTER(byte_15, unsigned char, unsigned char, 15, CMK_EDGE_ZERO)
FAST(byte_fast_15, unsigned char, 15)
FILTER(clamped_3, float, float, 3, CMK_EDGE_CLAMP)
FILTER(clamped_7, float, float, 7, CMK_EDGE_CLAMP)
FILTER(clamped_9, float, float, 9, CMK_EDGE_CLAMP)
FILTER(clamped_15, float, float, 15, CMK_EDGE_CLAMP)
FILTER(clamped_33, float, float, 33, CMK_EDGE_CLAMP)

/* the same weights, known to the compiler */
#define W_5(k) WEIGHT(k), WEIGHT(k + 1), WEIGHT(k + 2), WEIGHT(k + 3), WEIGHT(k + 4)
#define W_15(k) W_5(k), W_5(k + 5), W_5(k + 10)
#define W_75(k) W_15(k), W_15(k + 15), W_15(k + 30), W_15(k + 45), W_15(k + 60)
CMK_TABLE_VALUES(LITERAL, float, literal_15_taps, [15][15], W_75(0), W_75(75), W_75(150));
CMK_DEFINE_CONV2D(literal_15, float, 15, 15, literal_15_taps, CMK_EDGE_ZERO);
FILTER_ROW(literal_15, 0.0, float, float, 15, CMK_EDGE_ZERO, )

static const kind zeros[] = {
    {"3x3", float_3_row},    {"5x5", float_5_row},
    {"7x7", float_7_row},    {"9x9", float_9_row},
    {"11x11", float_11_row}, {"15x15", float_15_row},
    {"21x21", float_21_row}, {"25x25", float_25_row},
    {"33x33", float_33_row}, {"15x15 literal", literal_15_row},
};
static const kind clamped[] = {
    {"3x3 clamped", clamped_3_row},    {"7x7 clamped", clamped_7_row},    {"9x9 clamped", clamped_9_row},
    {"15x15 clamped", clamped_15_row}, {"33x33 clamped", clamped_33_row},
};
static const kind large[] = {{"9x9", float_9_row}, {"15x15", float_15_row}, {"33x33", float_33_row}};

int main(int argc, char **argv)
{
    const array square = dense(1, 16384, 16384), small = dense(1, 4096, 4096), odd = pitched(16381, 16411);
    begin_convolutions(argc, argv, odd, "2D convolutions of float, zeros outside, unless it says otherwise");
    kind_rows<float>("conv2d", zeros, "16384^2", square);
    kind_rows<float>("conv2d", zeros, "8192^2", dense(1, 8192, 8192));
    kind_rows<float>("conv2d", zeros, "4096^2", small);
    kind_rows<float>("conv2d", zeros, "16381 x 16411 pitched", odd);
    kind_rows<float>("conv2d", clamped, "16384^2", square);
    kind_rows<float>("conv2d", clamped, "4096^2", small);
    kind_rows<float>("conv2d", large, "4000 x 3000", dense(1, 3000, 4000));
    kind_rows<float>("conv2d", large, "1080p", dense(1, 1080, 1920));
    kind_rows<float>("conv2d", large, "16381 x 16411, no pitch", dense(1, 16381, 16411));
    fill<half>(square);
    half_3_row("conv2d 3x3 half, 16384^2", square);
    half_5_row("conv2d 5x5 half, 16384^2", square);
    half_9_row("conv2d 9x9 half, 16384^2", square);
    half_15_row("conv2d 15x15 half, 16384^2", square);
    half_33_row("conv2d 33x33 half, 16384^2", square);
    half_fast_9_row("conv2d 9x9 half, one product, 16384^2", square);
    half_fast_15_row("conv2d 15x15 half, one product, 16384^2", square);
    half_fast_33_row("conv2d 33x33 half, one product, 16384^2", square);
    fill<__nv_bfloat16>(square);
    bfloat16_3_row("conv2d 3x3 bfloat16, 16384^2", square);
    bfloat16_5_row("conv2d 5x5 bfloat16, 16384^2", square);
    fill<unsigned char>(square);
    byte_3_row("conv2d 3x3 bytes, 16384^2", square);
    byte_5_row("conv2d 5x5 bytes, 16384^2", square);
    byte_9_row("conv2d 9x9 bytes, 16384^2", square);
    byte_15_row("conv2d 15x15 bytes, 16384^2", square);
    byte_fast_15_row("conv2d 15x15 bytes, one product, 16384^2", square);
    return end();
}
