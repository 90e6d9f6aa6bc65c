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
 * defines, for every row y < rows and column x < columns of an image, the sum over r < ROWS and c < COLUMNS
 *   CORRELATION   out(y, x) = sum of table[r][c] in(y + r - ROW, x + c - COLUMN)
 *   CONVOLUTION   out(y, x) = sum of table[r][c] in(y - r + ROW, x - c + COLUMN)
 * The first form correlates images of one channel, of T, float or double, in, out and sums, around the element
 * (ROWS / 2, COLUMNS / 2), with zeros outside where EDGE says so.
 *   HOW             CORRELATION or CONVOLUTION; with _IN_ORDER behind it, sums are always in the order of the pixels,
 *                   row by row, a product at a time: without tensor cores, and with the same bits on every card, in
 *                   every region; with _FAST, on tensor cores, the taps of short floats and bytes are rounded to half
 *   IN, OUT         float, double, half, bfloat16, an integer of 8 or 16 bits; an integer OUT is rounded to the
 *                   nearest, ties to even, and saturated
 *   SUM             float, double or int, the type of products and sums, whose range they must not leave; int needs a
 *                   TABLE of integers
 *   CHANNELS        1 to 4 interleaved values of a pixel, each filtered alike
 *   ROWS, COLUMNS   1 to 33
 *   ROW, COLUMN     the anchor, an element of the filter
 *   TABLE           the name of a table of table.h, from any source, of ROWS x COLUMNS elements in row order
 *   EDGE            an edge of edge.h, or CMK_EDGE_AXES; a constant
 *   OUTSIDE         the value, one of IN, in place of the zero of CMK_EDGE_ZERO
 * columns counts pixels; a pitch (from row to row) and a step (from image to image of a batch of count) elements. A
 * region is the part of the image of region_rows x region_columns pixels from (row, column) on: out[r * out_pitch +
 * ...] is its row r, and reads what lies around it in the image.
 *
 * The call returns before the kernel has run. It returns cudaErrorInvalidValue, with nothing launched, for a null or
 * misaligned pointer, a pitch below the width, ranges of in and out that overlap, images of a batch that share an
 * element of out, a region that is not inside, and rows or columns * CHANNELS above 2,147,418,112 (name_why of plan.h
 * says which it is); a size of 0 is right and launches nothing. Fastest where pitch and step are multiples of 16 bytes;
 * zeros outside cost nothing where rows begin and end at such multiples too.
 *
 * Filters of bytes to integers with SUM float go by tensor cores of sm_80 and later where the image is large, if they
 * have up to 9 rows and, of a row, up to 2 elements to each side of the anchor, 4 with 1 channel: kernel/bytes/. What
 * is about half way between two integers may then be rounded otherwise than a sum in order (docs/accuracy.md).
 *
 * Built for sm_90a (-arch=sm_90a; code for sm_90 has not the instructions), filters of 81 taps and more with SUM float
 * are done by tensor cores where the image is large enough that this is faster: kernel/tensor/. An output is then off
 * by no more than taps x 2^-24 x the sum of |tap x pixel|, as it may be by a sum of floats in any order; infinities, no
 * numbers, denormals and pixels of any range come out as they would (docs/accuracy.md). PARAMETER tables and LITERAL
 * ones too: each block splits the taps when it begins. The first call that they would take on an H100, in a program
 * that has no code for sm_90a, says so on stderr, once. Before the header is included,
 *   #define CMK_TENSOR_NOTE 0       says nothing
 *   #define CMK_TENSOR 1            takes tensor cores for small images and filters of 16 taps too, and has the CPU
 *                                   backend do what they do
 *
 *   CMK_TABLE_VALUES(CONSTANT, float, weights, [3][3], {1, 2, 1}, {2, 4, 2}, {1, 2, 1});
 *   CMK_DEFINE_CONV2D(smooth, float, 3, 3, weights, CMK_EDGE_CLAMP);
 *   CMK_CHECK(smooth(in, columns, out, columns, rows, columns, weights, stream)); */
#ifndef CMK_KERNEL_CONV2D_H
#define CMK_KERNEL_CONV2D_H

#include "../table.h"
#include "ways.h"

#define CMK_DEFINE_CONV2D(name, T, ROWS, COLUMNS, TABLE, EDGE)                                                         \
    CMK_DEFINITION_REAL_("CMK_DEFINE_CONV2D", name, T, CMK_IMAGE_SHORT_("CMK_DEFINE_CONV2D"))                          \
    CMK_CONV2D_DEFINE_(name, cmk_conv2d_CORRELATION_, name##_type_, name##_type_, name##_type_, 1, ROWS, COLUMNS,      \
                       (ROWS) / 2, (COLUMNS) / 2, TABLE, EDGE, 0)

#define CMK_DEFINE_CONV2D_AS(name, HOW, TYPES, SIZE, ANCHOR, TABLE, OUTSIDE)                                           \
    CMK_CONV2D_GROUPS_(name, cmk_conv2d_##HOW##_, CMK_LIST_ TYPES, CMK_LIST_ SIZE, CMK_LIST_ ANCHOR, TABLE,            \
                       CMK_LIST_ OUTSIDE)
#define CMK_CONV2D_GROUPS_(...) CMK_CONV2D_DEFINE_(__VA_ARGS__)

/* bits: whether the table is turned; 2 and 4 are those of kernel/rows/filter.h */
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
 *   __global__ void smooth_kernel(...);                     one call: small filters direct, others march
 *   __global__ void smooth_tensor_kernel(...);              one call, of tensor cores
 *   cudaError_t smooth_batch(...);  cudaError_t smooth_region(...);  cudaError_t smooth(...); */
#define CMK_CONV2D_DEFINE_(name, HOW, IN, SUM, OUT, CHANNELS, ROWS, COLUMNS, ROW, COLUMN, TABLE, EDGE, OUTSIDE)        \
    CMK_DEFINITION_BEGIN_(name, CMK_DEFINITION_ONE_, TABLE)                                                            \
    typedef CMK_TYPE_(TABLE##_stored_) TABLE##_stored_;                                                                \
    CMK_IMAGE_WORDS_(name, IN, SUM, OUT, EDGE)                                                                         \
    CMK_IMAGE_ASSERT_("CMK_DEFINE_CONV2D", name, CHANNELS, OUTSIDE)                                                    \
    CMK_CONV2D_ASSERT_(name##_sum_, ROWS, COLUMNS, ROW, COLUMN, TABLE)                                                 \
    CMK_DEFINITION_SIZES_(name##_filter_, cmk_filter_, cmk_filter_words_, CMK_IMAGE_BYTES_(name), CHANNELS,            \
                          name##_edge_, (OUTSIDE) != 0, 0, ROWS, COLUMNS, ROW, COLUMN, (HOW)&1,                        \
                          CMK_CONV2D_BYTES_(TABLE), CMK_NUMBER_(name##_in_), CMK_NUMBER_(name##_sum_) == 5, HOW)       \
    CMK_IMAGE_CONVERTERS_(name, name##_in_, name##_sum_, name##_out_)                                                  \
    CMK_DEFINITION_TAPS_(name, name##_sum_, TABLE, TABLE, TABLE)                                                       \
    CMK_WAYS_KERNELS_(name, name##_in_, OUTSIDE, CMK_DEFINITION_ONE_, TABLE)                                           \
    CMK_WAYS_LAUNCHERS_(name, name##_in_, name##_out_, CMK_DEFINITION_ONE_, TABLE)                                     \
    CMK_SEMICOLON_

#define CMK_CONV2D_ASSERT_(SUM, ROWS, COLUMNS, ROW, COLUMN, TABLE)                                                     \
    CMK_NEEDS_("CMK_DEFINE_CONV2D", (ROWS) >= 1 && (ROWS) <= 33 && (COLUMNS) >= 1 && (COLUMNS) <= 33,                  \
               "ROWS and COLUMNS must be from 1 to 33");                                                               \
    CMK_NEEDS_("CMK_DEFINE_CONV2D", (ROW) >= 0 && (ROW) < (ROWS) && (COLUMN) >= 0 && (COLUMN) < (COLUMNS),             \
               "the anchor must be an element of the filter");                                                         \
    CMK_NEEDS_("CMK_DEFINE_CONV2D", CMK_DEFINITION_COUNT_(TABLE) == (size_t)(ROWS) * (COLUMNS),                        \
               "TABLE must have ROWS x COLUMNS elements");                                                             \
    CMK_NEEDS_("CMK_DEFINE_CONV2D", CMK_IMAGE_TAPS_KEPT_(SUM, TABLE##_element_),                                       \
               "SUM int needs a TABLE of integers: fractions would be lost");

/* bytes of a table in memory */
#define CMK_CONV2D_BYTES_(TABLE) ((int)sizeof(TABLE##_stored_) - 1)

#endif
