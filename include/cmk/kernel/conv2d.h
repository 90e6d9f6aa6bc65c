/* conv2d.h: complete 2D convolutions of images: filters of 1 x 1 to 33 x 33, any anchor, edge, size and pitch.
 *
 *   CMK_DEFINE_CONV2D(name, T, ROWS, COLUMNS, TABLE, EDGE);      at file scope
 *   CMK_DEFINE_CONV2D_AS(name, HOW, (IN, SUM, OUT, CHANNELS), (ROWS, COLUMNS), (ROW, COLUMN), TABLE, (EDGE, OUTSIDE));
 *   cudaError_t name(const IN *in, size_t in_pitch, OUT *out, size_t out_pitch, size_t rows, size_t columns,
 *                    TABLE_table table, cudaStream_t stream);
 *   cudaError_t name_region(const IN *in, size_t in_pitch, OUT *out, size_t out_pitch, size_t rows, size_t columns,
 *                           size_t row, size_t column, size_t region_rows, size_t region_columns, TABLE_table table,
 *                           cudaStream_t stream);
 *   cudaError_t name_batch(const IN *in, size_t in_pitch, size_t in_step, OUT *out, size_t out_pitch, size_t out_step,
 *                          size_t rows, size_t columns, size_t count, TABLE_table table, cudaStream_t stream);
 *
 * The definition makes these functions. For every row y < rows and column x < columns of an image they compute a sum
 * over r < ROWS and c < COLUMNS:
 *   CORRELATION   out(y, x) = sum of table[r][c] in(y + r - ROW, x + c - COLUMN)
 *   CONVOLUTION   out(y, x) = sum of table[r][c] in(y - r + ROW, x - c + COLUMN)
 * The first form computes correlations of images of one channel. T, float or double, is the type of in, of out and of
 * the sums. The anchor is the element (ROWS / 2, COLUMNS / 2). Where EDGE puts a value outside, it is zero.
 *   HOW             CORRELATION or CONVOLUTION. With _IN_ORDER behind it, products are added one at a time, always in
 *                   the order of the pixels, row by row, each by CMK_FMA: without tensor cores, and with the same bits
 *                   by every compiler, on every card, in every region. With _FAST behind it, tensor cores round the
 *                   taps to half where IN is half, bfloat16 or bytes
 *   IN, OUT         float, double, half, bfloat16, or an integer of 8 or 16 bits. An integer OUT is rounded to the
 *                   nearest, ties to even, and saturated
 *   SUM             float, double or int: the type of products and sums, which must stay in its range. int needs a
 *                   TABLE of integers
 *   CHANNELS        1 to 4 interleaved values of a pixel, each filtered alike
 *   ROWS, COLUMNS   1 to 33
 *   ROW, COLUMN     the anchor, an element of the filter
 *   TABLE           the name of a table of table.h, from any source, of ROWS x COLUMNS elements in row order
 *   EDGE            an edge of edge.h, or CMK_EDGE_AXES; a constant
 *   OUTSIDE         the value, one of IN, in place of the zero of CMK_EDGE_ZERO
 * The parameter columns counts pixels. A pitch goes from row to row, and a step from image to image of a batch of count
 * images; both count elements. A region is region_rows x region_columns pixels of the image from (row, column) on. Its
 * row r begins at out[r * out_pitch]. What lies around it is read from the image.
 *
 * The call returns before the kernel has run. It launches nothing and returns cudaErrorInvalidValue for a null or
 * misaligned pointer, a pitch below the width, ranges of in and out that overlap, or a region that is not inside the
 * image. So it does for images of a batch that share an element of out, and for rows or columns * CHANNELS above
 * 2,147,418,112. The function name_why of plan.h says which it is. A size of 0 is allowed and launches nothing. A call
 * is fastest where pitch and step are multiples of 16 bytes. Zeros outside cost nothing where rows begin and end at
 * such multiples too. A filter of up to 5 x 5 of floats or doubles is as good as fast over other rows where those of in
 * and of out begin equally far behind such a multiple, as with dense images of one width. Most filters of floats on
 * tensor cores take up to a quarter longer over any other rows.
 *
 * Tensor cores of sm_80 and later compute large images of bytes (kernel/bytes/): IN has 8 bits, OUT is an integer, and
 * SUM is float. The filter has up to 9 rows, and in a row up to 2 elements to each side of the anchor, or 4 with 1
 * channel. A sum about half way between two integers may then be rounded to another one than a sum in order
 * (docs/accuracy.md).
 *
 * In code for sm_90a (nvcc -arch=sm_90a), tensor cores compute filters of 81 taps and more with SUM float, where the
 * image is so large that this is faster (kernel/tensor/). Code for sm_90 does not have the instructions. An output is
 * then off by no more than taps x 2^-24 x the sum of |tap x pixel|, the bound of a sum of floats in any order.
 * Infinities, NaN, denormals and pixels of any range come out as they would without tensor cores (docs/accuracy.md).
 * PARAMETER and LITERAL tables may be used too: each block splits the taps when it begins. The first call on an H100
 * that tensor cores would take, in a program without code for sm_90a, says so on stderr, once. Two macros change
 * this, if they are defined before the header is included:
 *   #define CMK_TENSOR_NOTE 0       nothing is said on stderr
 *   #define CMK_TENSOR 1            tensor cores take small images and filters of 16 taps too, and the CPU backend
 *                                   computes as they do
 *
 *   CMK_TABLE_VALUES(CONSTANT, float, weights, [3][3], {1, 2, 1}, {2, 4, 2}, {1, 2, 1});
 *   CMK_DEFINE_CONV2D(smooth, float, 3, 3, weights, CMK_EDGE_CLAMP);
 *   CMK_CHECK(smooth(in, columns, out, columns, rows, columns, weights, stream)); */
#ifndef CMK_KERNEL_CONV2D_H
#define CMK_KERNEL_CONV2D_H

#include "../table.h"
#include "ways.h"

/* clang-format off */
#define CMK_DEFINE_CONV2D(name, T, ROWS, COLUMNS, TABLE, EDGE) \
    CMK_DEFINITION_REAL_("CMK_DEFINE_CONV2D", name, T, CMK_IMAGE_SHORT_("CMK_DEFINE_CONV2D")) \
    CMK_CONV2D_DEFINE_(name, cmk_conv2d_CORRELATION_, name##_type_, name##_type_, name##_type_, 1, ROWS, COLUMNS, \
                       (ROWS) / 2, (COLUMNS) / 2, TABLE, EDGE, 0)
/* clang-format on */

#define CMK_DEFINE_CONV2D_AS(name, HOW, TYPES, SIZE, ANCHOR, TABLE, OUTSIDE)                                           \
    CMK_CONV2D_GROUPS_(name, cmk_conv2d_##HOW##_, CMK_LIST_ TYPES, CMK_LIST_ SIZE, CMK_LIST_ ANCHOR, TABLE,            \
                       CMK_IMAGE_PAIR_ OUTSIDE)
/* The groups have 13 words with the others, or a sentence stops the build. */
#define CMK_CONV2D_GROUPS_(...) CMK_CONV2D_17TH_(__VA_ARGS__, 0_, 0_, 0_, DEFINE_, 0_, 0_, 0_, )(__VA_ARGS__)
#define CMK_CONV2D_17TH_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, WHICH, ...) CMK_CONV2D_##WHICH
#define CMK_CONV2D_0_(...) CMK_NEEDS_("CMK_DEFINE_CONV2D", 0, CMK_CONV2D_GROUPS_SAYS_)
#define CMK_CONV2D_GROUPS_SAYS_ "the groups must be (IN, SUM, OUT, CHANNELS), (ROWS, COLUMNS), (ROW, COLUMN)"

/* HOW in bits. 1: the table is flipped. 2 and 4: those of `how` of kernel/rows/filter.h. */
enum {
    cmk_conv2d_CORRELATION_ = 0,
    cmk_conv2d_CONVOLUTION_ = 1,
    cmk_conv2d_CORRELATION_IN_ORDER_ = 2,
    cmk_conv2d_CONVOLUTION_IN_ORDER_ = 3,
    cmk_conv2d_CORRELATION_FAST_ = 4,
    cmk_conv2d_CONVOLUTION_FAST_ = 5
};

/* CMK_DEFINE_CONV2D(smooth, float, 3, 3, weights, EDGE); generates
 *
 *   cmk_filter_ smooth_filter_(void);                       the constants of kernel/rows/filter.h
 *   static void smooth_widen_(...);  smooth_narrow_(...);   conversions of an element
 *   static float smooth_tap_(...);                          an element of the table
 *   __global__ void smooth_kernel(...);                     by FMAs: small filters direct, others march
 *   __global__ void smooth_tensor_kernel(...);              by tensor cores
 *   __global__ void smooth_unaligned_kernel(...);           by FMAs, where rows begin anywhere
 *   cudaError_t smooth_batch(...);  cudaError_t smooth_region(...);  cudaError_t smooth(...); */
/* clang-format off */
#define CMK_CONV2D_DEFINE_(name, HOW, IN, SUM, OUT, CHANNELS, ROWS, COLUMNS, ROW, COLUMN, TABLE, EDGE, OUTSIDE) \
    CMK_DEFINITION_BEGIN_(name, CMK_DEFINITION_ONE_, TABLE) \
    CMK_AGAIN_(TABLE##_stored_) \
    CMK_IMAGE_BEGIN_("CMK_DEFINE_CONV2D", name, IN, SUM, OUT, CHANNELS, EDGE, OUTSIDE) \
    CMK_CONV2D_ASSERT_(name##_sum_, ROWS, COLUMNS, ROW, COLUMN, TABLE) \
    CMK_IMAGE_DEFINE_(name, HOW, CHANNELS, OUTSIDE, \
                      (0, ROWS, COLUMNS, ROW, COLUMN, (HOW)&1, CMK_CONV2D_BYTES_(TABLE)), (TABLE, TABLE, TABLE), \
                      CMK_DEFINITION_ONE_, TABLE)
/* clang-format on */

#define CMK_CONV2D_ASSERT_(SUM, ROWS, COLUMNS, ROW, COLUMN, TABLE)                                                     \
    CMK_NEEDS_("CMK_DEFINE_CONV2D", (ROWS) >= 1 && (ROWS) <= 33 && (COLUMNS) >= 1 && (COLUMNS) <= 33,                  \
               "ROWS and COLUMNS must be from 1 to 33");                                                               \
    CMK_NEEDS_("CMK_DEFINE_CONV2D", (ROW) >= 0 && (ROW) < (ROWS) && (COLUMN) >= 0 && (COLUMN) < (COLUMNS),             \
               "the anchor must be an element of the filter");                                                         \
    CMK_NEEDS_("CMK_DEFINE_CONV2D", CMK_DEFINITION_COUNT_(TABLE) == (size_t)(ROWS) * (COLUMNS),                        \
               "TABLE must have ROWS x COLUMNS elements");                                                             \
    CMK_NEEDS_("CMK_DEFINE_CONV2D", CMK_IMAGE_TAPS_KEPT_(SUM, TABLE##_element_),                                       \
               "SUM int needs a TABLE of integers: fractions would be lost");

/* The bytes of a table in memory, 0 of a LITERAL one. */
#define CMK_CONV2D_BYTES_(TABLE) ((int)sizeof(TABLE##_stored_) - 1)

#endif
