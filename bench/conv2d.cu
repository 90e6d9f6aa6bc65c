/* conv2d: times the filters of kernel/conv2d.h of floats on random data, each verified at every point before it is
 * timed.
 *
 *   usage: conv2d [CSV [TEXT]]      prints the table; CSV is a file to append it to as well, TEXT what the names of the
 *                                   rows that are wanted hold
 *
 * Built for sm_90a, filters of 81 taps and more are those of tensor cores; the same by FMAs stand beside them. */
#include "filters2d.h"

FILTER(float_3, float, float, 3, CMK_EDGE_ZERO)
FILTER(float_5, float, float, 5, CMK_EDGE_ZERO)
FILTER(float_7, float, float, 7, CMK_EDGE_ZERO)
FILTER(float_9, float, float, 9, CMK_EDGE_ZERO)
FILTER(float_11, float, float, 11, CMK_EDGE_ZERO)
FILTER(float_15, float, float, 15, CMK_EDGE_ZERO)
FILTER(float_21, float, float, 21, CMK_EDGE_ZERO)
FILTER(float_25, float, float, 25, CMK_EDGE_ZERO)
FILTER(float_33, float, float, 33, CMK_EDGE_ZERO)
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
    kind_rows<float>("conv2d", zeros, "16381 x 16411, no pitch", dense(1, 16381, 16411));
    return end();
}
