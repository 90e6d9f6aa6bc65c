/* conv2d.h: complete 2D convolutions of images: filters of 1 x 1 to 33 x 33, any anchor, edge, size and pitch.
 *
 *   CMK_DEFINE_CONV2D(name, T, ROWS, COLUMNS, TABLE, EDGE);      at file scope
 *   CMK_DEFINE_CONV2D_AS(name, HOW, IN, SUM, OUT, CHANNELS, ROWS, COLUMNS, ANCHOR_ROW, ANCHOR_COLUMN, TABLE, EDGE,
 *                        OUTSIDE);
 *   cudaError_t name(const IN *in, size_t in_pitch, OUT *out, size_t out_pitch, size_t rows, size_t columns,
 *                    TABLE_table table, cudaStream_t stream);
 *   cudaError_t name_region(const IN *in, size_t in_pitch, OUT *out, size_t out_pitch, size_t rows, size_t columns,
 *                           size_t row, size_t column, size_t region_rows, size_t region_columns, TABLE_table table,
 *                           cudaStream_t stream);
 *   cudaError_t name_batch(const IN *in, size_t in_pitch, size_t in_step, OUT *out, size_t out_pitch, size_t out_step,
 *                          size_t rows, size_t columns, size_t count, TABLE_table table, cudaStream_t stream);
 *
 * defines, for every row y < rows and column x < columns of an image, the sum over r < ROWS and c < COLUMNS
 *   CORRELATION   out(y, x) = sum of table[r][c] in(y + r - ANCHOR_ROW, x + c - ANCHOR_COLUMN)
 *   CONVOLUTION   out(y, x) = sum of table[r][c] in(y - r + ANCHOR_ROW, x - c + ANCHOR_COLUMN)
 * The first form correlates images of one channel, of float or double in, out and sums, around the element
 * (ROWS / 2, COLUMNS / 2).
 *   HOW             CORRELATION or CONVOLUTION
 *   IN, OUT         float, double, half, bfloat16, an integer of 8 or 16 bits; an integer OUT is rounded to the
 *                   nearest, ties to even, and saturated
 *   SUM             float, double or int, the type of products and sums
 *   CHANNELS        1 to 4 interleaved values of a pixel, each filtered alike
 *   ROWS, COLUMNS   1 to 33; the anchor is an element of the filter
 *   TABLE           the name of a table of table.h, from any source, of ROWS x COLUMNS elements in row order
 *   EDGE            an edge of edge.h, or CMK_EDGE_AXES; a constant
 *   OUTSIDE         the value, in IN, in place of the zero of CMK_EDGE_ZERO
 * columns counts pixels; a pitch (from row to row) and a step (from image to image of a batch) elements. A region is a
 * part of the image: out[r * out_pitch + ...] is its row r, and reads what lies around it in the image.
 *
 * The call returns before the kernel has run. It returns cudaErrorInvalidValue, with nothing launched, for a null or
 * misaligned pointer, a pitch below the width, ranges of in and out that overlap, a region that is not inside, and rows
 * or columns * CHANNELS above 2,147,418,112; a size of 0 is right and launches nothing. Fastest where pitch and step
 * are multiples of 16 bytes; zeros outside cost nothing where rows begin and end at such multiples too.
 *
 *   CMK_TABLE_VALUES(CONSTANT, float, weights, [3][3], 1, 2, 1, 2, 4, 2, 1, 2, 1);
 *   CMK_DEFINE_CONV2D(smooth, float, 3, 3, weights, CMK_EDGE_CLAMP);
 *   CMK_CHECK(smooth(in, columns, out, columns, rows, columns, weights, stream)); */
#ifndef CMK_KERNEL_CONV2D_H
#define CMK_KERNEL_CONV2D_H

#include "image.h"

#define CMK_DEFINE_CONV2D(name, T, ROWS, COLUMNS, TABLE, EDGE)                                                         \
    CMK_DEFINE_CONV2D_AS(name, CORRELATION, T, T, T, 1, ROWS, COLUMNS, (ROWS) / 2, (COLUMNS) / 2, TABLE, EDGE, 0)

/* CMK_DEFINE_CONV2D(smooth, float, 3, 3, weights, EDGE); generates
 *
 *   enum { smooth_lanes_ = 4, ... };                        the sizes of image.h
 *   typedef struct { float e_[4]; } smooth_chunk_;          what a lane loads at once
 *   static void smooth_load_(...); ...                      windows, edges, conversions of image.h
 *   __global__ void smooth_kernel(...);                     small filters of few channels direct, others marching
 *   cudaError_t smooth_batch(...);  cudaError_t smooth_region(...);  cudaError_t smooth(...); */
#define CMK_DEFINE_CONV2D_AS(name, HOW, IN, SUM, OUT, CHANNELS, ROWS, COLUMNS, ANCHOR_ROW, ANCHOR_COLUMN, TABLE, EDGE, \
                             OUTSIDE)                                                                                  \
    CMK_STATIC_ASSERT((ROWS) >= 1 && (ROWS) <= 33 && (COLUMNS) >= 1 && (COLUMNS) <= 33,                                \
                      "cmk: CMK_DEFINE_CONV2D: ROWS and COLUMNS must be from 1 to 33");                                \
    CMK_STATIC_ASSERT((ANCHOR_ROW) >= 0 && (ANCHOR_ROW) < (ROWS) && (ANCHOR_COLUMN) >= 0 &&                            \
                          (ANCHOR_COLUMN) < (COLUMNS),                                                                 \
                      "cmk: CMK_DEFINE_CONV2D: the anchor must be an element of the filter");                          \
    CMK_STATIC_ASSERT((CHANNELS) >= 1 && (CHANNELS) <= 4, "cmk: CMK_DEFINE_CONV2D: CHANNELS must be from 1 to 4");     \
    CMK_STATIC_ASSERT(sizeof(IN) <= 8 && 8 % sizeof(IN) == 0 && sizeof(OUT) <= 8 && 8 % sizeof(OUT) == 0,              \
                      "cmk: CMK_DEFINE_CONV2D: IN and OUT must be arithmetic types of 1, 2, 4 or 8 bytes");            \
    CMK_STATIC_ASSERT(sizeof(TABLE##_array_) / sizeof(TABLE##_element_) == (size_t)(ROWS) * (COLUMNS),                 \
                      "cmk: CMK_DEFINE_CONV2D: TABLE must have ROWS x COLUMNS elements");                              \
    enum {                                                                                                             \
        name##_flipped_ = cmk_conv2d_##HOW##_,                                                                         \
        name##_channels_ = (CHANNELS),                                                                                 \
        name##_products_ = (ROWS) * (COLUMNS),                                                                         \
        name##_rolled_ = (int)TABLE##_source_ != CMK_TABLE_IS_LITERAL_ &&                                              \
                         (sizeof(TABLE##_array_) > 1920 || name##_products_ > 400),                                    \
        name##_bytes_ = sizeof(IN) + sizeof(OUT),                                                                      \
        name##_alone_ = name##_rolled_ || name##_products_ > 480,                                                      \
        name##_light_ = 0                                                                                              \
    };                                                                                                                 \
    CMK_IMAGE_SIZES_(name, IN, SUM, CHANNELS, ROWS, COLUMNS, name##_flipped_ ? (ROWS)-1 - (ANCHOR_ROW) : (ANCHOR_ROW), \
                     name##_flipped_ ? (COLUMNS)-1 - (ANCHOR_COLUMN) : (ANCHOR_COLUMN),                                \
                     CMK_CONV2D_LANES_(name, IN, SUM, CHANNELS, ROWS, COLUMNS),                                        \
                     CMK_CONV2D_STEP_(name, IN, SUM, ROWS, COLUMNS), CMK_CONV2D_HELD_,                                 \
                     (ROWS) <= 5 && (COLUMNS) <= 5 && ((COLUMNS)-1) * (CHANNELS) <= 8 &&                               \
                         name##_products_ * name##_lanes_ <= 100);                                                     \
    CMK_IMAGE_CONVERT_(name, IN, SUM, OUT)                                                                             \
    CMK_IMAGE_EDGES_(name, CHANNELS, EDGE, OUTSIDE)                                                                    \
    CMK_IMAGE_LOADS_(name, IN, SUM, OUTSIDE)                                                                           \
    CMK_IMAGE_FILL_(name, IN, OUTSIDE)                                                                                 \
    CMK_CONV2D_KERNEL_(name, IN, SUM, OUT, CHANNELS, ROWS, COLUMNS, TABLE)                                             \
    CMK_IMAGE_LAUNCHERS_(name, IN, OUT, CHANNELS, ROWS, (TABLE##_table table_), (table_))                              \
    CMK_SEMICOLON_

enum { cmk_conv2d_CORRELATION_ = 0, cmk_conv2d_CONVOLUTION_ = 1 };

/* The sizes of image.h. The windows of a step are used together, each coefficient once for all. Rolled: 4 elements a
 * lane, 2 with doubles, and up to 8 rows a step, as far as sums and windows fit in 224 registers and there is room
 * for 2 stages. */
#define CMK_CONV2D_LANES_(name, IN, SUM, CHANNELS, ROWS, COLUMNS)                                                      \
    (!name##_rolled_                       ? CMK_IMAGE_LANES_(name, IN, SUM, ROWS, ((COLUMNS)-1) * (CHANNELS))         \
     : sizeof(IN) == 8 || sizeof(SUM) == 8 ? 2                                                                         \
                                           : 4)
#define CMK_CONV2D_STEP_(name, IN, SUM, ROWS, COLUMNS)                                                                 \
    (!name##_rolled_                                                                                                   \
         ? CMK_IMAGE_STEP_(name, SUM, ROWS, CMK_CONV2D_HELD_)                                                          \
         : CMK_TILE_LEAST_(8, CMK_TILE_LEAST_(CMK_CONV2D_HOLD_(name, SUM, ROWS), CMK_IMAGE_ROOM_(name, IN, 2))))
#define CMK_CONV2D_HOLD_(name, SUM, ROWS)                                                                              \
    ((896 / (int)sizeof(SUM) - ((ROWS)-1) * name##_lanes_) / (name##_lanes_ + CMK_CONV2D_HELD_(name, 1)))
#define CMK_CONV2D_HELD_(name, step)                                                                                   \
    ((step) * (name##_rolled_ ? CMK_CONV2D_UNTIL_(name, name##_lanes_) : name##_window_))

/* elements of a window, whole chunks, that the first columns of the filter need */
#define CMK_CONV2D_UNTIL_(name, columns)                                                                               \
    ((columns) == 0 ? 0                                                                                                \
                    : CMK_IMAGE_UP_(name##_left_ - name##_reach_ + ((columns)-1) * name##_channels_ + name##_lanes_,   \
                                    name##_lanes_))

/* The coefficient of row r and column c of the correlation. Both are constants in the unrolled loops, so that literals
 * become operands of the FMAs, constants and parameters come through uniform registers, and no thread loads them; in
 * the rolled ones c is a counter that nothing but the coefficients depends on, so that it is in a uniform register. */
#define CMK_CONV2D_WEIGHT_(name, SUM, ROWS, COLUMNS, TABLE, r, c)                                                      \
    ((SUM)TABLE##_get_ CMK_TABLE_OF_KERNEL_(name##_flipped_ ? (ROWS) * (COLUMNS)-1 - ((r) * (COLUMNS) + (c))           \
                                                            : (r) * (COLUMNS) + (c)))

/* Adds the rows of a step. */
#define CMK_CONV2D_ADD_(name, SUM, CHANNELS, ROWS, COLUMNS, TABLE)                                                     \
    if (name##_rolled_) {                                                                                              \
        CMK_CONV2D_ROLLED_(name, SUM, CHANNELS, ROWS, COLUMNS, TABLE)                                                  \
    } else {                                                                                                           \
        CMK_CONV2D_UNROLLED_(name, SUM, CHANNELS, ROWS, COLUMNS, TABLE)                                                \
    }

/* One coefficient at a time, for all rows of the step and all outputs of the lane; the last step_ rows of sums begin
 * with their first product. */
#define CMK_CONV2D_UNROLLED_(name, SUM, CHANNELS, ROWS, COLUMNS, TABLE)                                                \
    SUM cmk_window_[name##_step_][name##_window_];                                                                     \
    CMK_OPERATIONS_(2 * name##_products_ * name##_step_ * name##_lanes_);                                              \
    CMK_IMAGE_WINDOW_(name, stage_, 0, name##_window_)                                                                 \
    CMK_UNROLL                                                                                                         \
    for (int r_ = (ROWS)-1; r_ >= 0; --r_) CMK_UNROLL                                                                  \
    for (int c_ = 0; c_ < (COLUMNS); ++c_) {                                                                           \
        const SUM weight_ = CMK_CONV2D_WEIGHT_(name, SUM, ROWS, COLUMNS, TABLE, r_, c_);                               \
        CMK_UNROLL                                                                                                     \
        for (int j_ = 0; j_ < name##_step_; ++j_) CMK_UNROLL                                                           \
        for (int e_ = 0; e_ < name##_lanes_; ++e_) {                                                                   \
            const int k_ = (ROWS)-1 - r_ + j_, begins_ = r_ == (ROWS)-1 || j_ == name##_step_ - 1;                     \
            const SUM product_ = weight_ * cmk_window_[j_][name##_left_ - name##_reach_ + c_ * (CHANNELS) + e_];       \
            cmk_sums_[k_][e_] = k_ >= (ROWS)-1 && c_ == 0 && begins_ ? product_ : product_ + cmk_sums_[k_][e_];        \
        }                                                                                                              \
    }

/* More than 400 products with the loads of their coefficients do not fit in 32 KB of code (21 x 21 where all is frame:
 * 39 TFLOP/s), and tables of more than 1,920 bytes not in the constant cache (2 KB on an H200, where a line of 64 bytes
 * that is not there costs an SM about 11 clocks): unrolled, 33 x 33 runs at 25 % of the FMA rate. So that a coefficient
 * serves many FMAs, a step has up to 8 rows; so that its line is still there for the next column, the filter's rows
 * take turns in parts of up to 13, and a part goes through groups of lanes_ columns, in a loop. Parts that reach no row
 * to write, at a warp's first and last steps, are left out. */
#define CMK_CONV2D_ROLLED_(name, SUM, CHANNELS, ROWS, COLUMNS, TABLE)                                                  \
    enum {                                                                                                             \
        parts_ = ((ROWS) + 12) / 13,                                                                                   \
        part_ = ((ROWS) + parts_ - 1) / parts_,                                                                        \
        whole_ = (COLUMNS) / name##_lanes_,                                                                            \
        rest_ = (COLUMNS) % name##_lanes_                                                                              \
    };                                                                                                                 \
    CMK_UNROLL                                                                                                         \
    for (int k_ = (ROWS)-1; k_ < name##_pending_; ++k_) CMK_UNROLL                                                     \
    for (int e_ = 0; e_ < name##_lanes_; ++e_) cmk_sums_[k_][e_] = 0;                                                  \
    CMK_UNROLL                                                                                                         \
    for (int p_ = parts_ - 1; p_ >= 0; --p_)                                                                           \
        if (CMK_CONV2D_NEEDED_(name, ROWS)) {                                                                          \
            CMK_OPERATIONS_(2 * CMK_TILE_LEAST_(part_, (ROWS)-p_ * part_) * (COLUMNS)*name##_step_ * name##_lanes_);   \
            name##_chunk_(*group_)[name##_chunks_] = stage_;                                                           \
            CMK_NO_UNROLL                                                                                              \
            for (int g_ = 0, column_ = 0; g_ < whole_ + (rest_ > 0); ++g_, column_ += name##_lanes_) {                 \
                SUM cmk_window_[name##_step_][CMK_CONV2D_HELD_(name, 1)];                                              \
                CMK_CONV2D_GROUP_(name, SUM, CHANNELS, ROWS, COLUMNS, TABLE, 0, rest_)                                 \
                if (g_ < whole_) {                                                                                     \
                    CMK_CONV2D_GROUP_(name, SUM, CHANNELS, ROWS, COLUMNS, TABLE, rest_, name##_lanes_)                 \
                }                                                                                                      \
                group_ = (name##_chunk_(*)[name##_chunks_])(void *)&group_[0][CHANNELS];                               \
            }                                                                                                          \
        }

/* whether part p_ of the filter reaches a row that the warp has to write */
#define CMK_CONV2D_NEEDED_(name, ROWS)                                                                                 \
    (i_ + (ROWS)-1 - p_ * part_ + name##_step_ - 1 >= place_.done_ && i_ + (ROWS) - (p_ + 1) * part_ < place_.length_)

/* columns low to high - 1 of a group, in the rows of part p_; the loop has constant bounds, so that it is unrolled */
#define CMK_CONV2D_GROUP_(name, SUM, CHANNELS, ROWS, COLUMNS, TABLE, low, high)                                        \
    CMK_IMAGE_WINDOW_(name, group_, CMK_CONV2D_UNTIL_(name, low), CMK_CONV2D_UNTIL_(name, high))                       \
    CMK_UNROLL                                                                                                         \
    for (int r_ = (ROWS)-1; r_ >= 0; --r_)                                                                             \
        if (r_ / part_ == p_) {                                                                                        \
            CMK_UNROLL                                                                                                 \
            for (int c_ = (low); c_ < (high); ++c_) {                                                                  \
                const SUM weight_ = CMK_CONV2D_WEIGHT_(name, SUM, ROWS, COLUMNS, TABLE, r_, column_ + c_);             \
                CMK_UNROLL                                                                                             \
                for (int j_ = 0; j_ < name##_step_; ++j_) CMK_UNROLL                                                   \
                for (int e_ = 0; e_ < name##_lanes_; ++e_)                                                             \
                    cmk_sums_[(ROWS)-1 - r_ + j_][e_] +=                                                               \
                        weight_ * cmk_window_[j_][name##_left_ - name##_reach_ + c_ * (CHANNELS) + e_];                \
            }                                                                                                          \
        }

/* adds row r of the filter times a window to the sums of a row of outputs */
#define CMK_CONV2D_ROW_(name, SUM, CHANNELS, ROWS, COLUMNS, TABLE, r, sums, window)                                    \
    CMK_UNROLL                                                                                                         \
    for (int c_ = 0; c_ < (COLUMNS); ++c_) CMK_UNROLL                                                                  \
    for (int e_ = 0; e_ < name##_lanes_; ++e_)                                                                         \
        (sums)[e_] += CMK_CONV2D_WEIGHT_(name, SUM, ROWS, COLUMNS, TABLE, r, c_) *                                     \
                      (window)[name##_left_ - name##_reach_ + c_ * (CHANNELS) + e_];

/* the rows of outputs of a thread, from windows that LOAD brings once each */
#define CMK_CONV2D_OUTPUTS_(name, IN, SUM, OUT, CHANNELS, ROWS, COLUMNS, TABLE, LOAD, SAVE)                            \
    const IN *source_ = from_ + (y_ * image_.in_pitch_ + place_.x_);                                                   \
    OUT *target_ = to_ + (place_.y_ * image_.out_pitch_ + place_.x_);                                                  \
    SUM sums_[name##_height_][name##_lanes_];                                                                          \
    CMK_UNROLL                                                                                                         \
    for (int k_ = 0; k_ < name##_height_; ++k_) CMK_UNROLL                                                             \
    for (int e_ = 0; e_ < name##_lanes_; ++e_) sums_[k_][e_] = 0;                                                      \
    CMK_UNROLL                                                                                                         \
    for (int i_ = 0; i_ < name##_height_ + (ROWS)-1; ++i_, source_ += image_.in_pitch_) {                              \
        SUM window_[name##_window_];                                                                                   \
        LOAD;                                                                                                          \
        CMK_UNROLL                                                                                                     \
        for (int k_ = 0; k_ < name##_height_; ++k_)                                                                    \
            if (i_ - k_ >= 0 && i_ - k_ < (ROWS)) {                                                                    \
                CMK_CONV2D_ROW_(name, SUM, CHANNELS, ROWS, COLUMNS, TABLE, i_ - k_, sums_[k_], window_)                \
            }                                                                                                          \
    }                                                                                                                  \
    CMK_UNROLL                                                                                                         \
    for (int k_ = 0; k_ < name##_height_; ++k_, target_ += image_.out_pitch_) SAVE;

/* The direct way: a thread has height_ rows of outputs. */
#define CMK_CONV2D_DIRECT_(name, IN, SUM, OUT, CHANNELS, ROWS, COLUMNS, TABLE)                                         \
    const int y_ = place_.y_ - name##_row_;                                                                            \
    const int inside_ = cmk_image_within_((int)blockIdx.x, image_.before_, image_.columns_ - image_.behind_);          \
    CMK_OPERATIONS_(2 * name##_products_ * name##_height_ * name##_lanes_);                                            \
    if (inside_ && place_.y_ >= image_.above_ && place_.y_ + name##_height_ <= image_.rows_ - image_.below_) {         \
        CMK_CONV2D_OUTPUTS_(name, IN, SUM, OUT, CHANNELS, ROWS, COLUMNS, TABLE, name##_load_(window_, source_),        \
                            name##_save_(target_, sums_[k_], 0, name##_lanes_, 1))                                     \
    } else if (place_.y_ < image_.rows_) {                                                                             \
        int columns_[name##_window_];                                                                                  \
        CMK_UNROLL                                                                                                     \
        for (int k_ = 0; k_ < name##_window_; ++k_)                                                                    \
            columns_[k_] = name##_column_at_(&image_, place_.x_ - name##_left_ + k_);                                  \
        CMK_CONV2D_OUTPUTS_(name, IN, SUM, OUT, CHANNELS, ROWS, COLUMNS, TABLE, CMK_CONV2D_LOAD_(name),                \
                            if (place_.y_ + k_ < image_.rows_) name##_save_(                                           \
                                target_, sums_[k_], -place_.x_, image_.width_ - place_.x_, CMK_IMAGE_WHOLE_(name)))    \
        CMK_TURN_(-1);                                                                                                 \
    }
#define CMK_CONV2D_LOAD_(name)                                                                                         \
    CMK_TURN_(i_);                                                                                                     \
    if (name##_zeros_())                                                                                               \
        name##_load_zeros_(window_, source_, &image_, place_.x_, y_ + i_);                                             \
    else                                                                                                               \
        name##_load_edge_(window_, from_, &image_, place_.x_, y_ + i_, inside_, columns_)

#define CMK_CONV2D_KERNEL_(name, IN, SUM, OUT, CHANNELS, ROWS, COLUMNS, TABLE)                                         \
    CMK_IMAGE_KERNEL_(name, IN, OUT, CMK_TABLE_PARAMETER_AS_(TABLE, cmk_table_))                                       \
    {                                                                                                                  \
        CMK_IMAGE_PLACE_(name, IN, OUT)                                                                                \
        if (name##_direct_) {                                                                                          \
            CMK_CONV2D_DIRECT_(name, IN, SUM, OUT, CHANNELS, ROWS, COLUMNS, TABLE)                                     \
        } else {                                                                                                       \
            CMK_IMAGE_MARCH_(name, IN, SUM, OUT, ROWS, CMK_CONV2D_ADD_, (name, SUM, CHANNELS, ROWS, COLUMNS, TABLE))   \
        }                                                                                                              \
    }

#endif
