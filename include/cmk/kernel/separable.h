/* separable.h: complete separable convolutions of images, rows and columns in one pass over memory.
 *
 *   CMK_DEFINE_SEPARABLE(name, T, RADIUS, DOWN, ACROSS, EDGE);      at file scope
 *   CMK_DEFINE_SEPARABLE_AS(name, IN, SUM, OUT, CHANNELS, RADIUS, DOWN, ACROSS, EDGE, OUTSIDE);
 *   cudaError_t name(const IN *in, size_t in_pitch, OUT *out, size_t out_pitch, size_t rows, size_t columns,
 *                    DOWN_table down, ACROSS_table across, cudaStream_t stream);
 *   cudaError_t name_region(const IN *in, size_t in_pitch, OUT *out, size_t out_pitch, size_t rows, size_t columns,
 *                           size_t row, size_t column, size_t region_rows, size_t region_columns, DOWN_table down,
 *                           ACROSS_table across, cudaStream_t stream);
 *   cudaError_t name_batch(const IN *in, size_t in_pitch, size_t in_step, OUT *out, size_t out_pitch, size_t out_step,
 *                          size_t rows, size_t columns, size_t count, DOWN_table down, ACROSS_table across,
 *                          cudaStream_t stream);
 *
 * defines, for every row y < rows and column x < columns of an image,
 *   out(y, x) = sum of down[r] across[c] in(y + r - RADIUS, x + c - RADIUS)        r, c = 0 .. 2 RADIUS
 * where the sums across never leave the registers.
 *   RADIUS          1 to 32
 *   DOWN, ACROSS    the names of tables of table.h, from any source, of 2 RADIUS + 1 elements; both may be one
 * All else is as in conv2d.h: types, CHANNELS, EDGE, OUTSIDE, regions, batches and errors. In two passes, with the sums
 * across in memory: CMK_DEFINE_CONV2D of 1 x n elements, then one of n x 1.
 *
 *   CMK_TABLE_VALUES(CONSTANT, float, binomial, [5], 1, 4, 6, 4, 1);
 *   CMK_DEFINE_SEPARABLE(smooth, float, 2, binomial, binomial, CMK_EDGE_REFLECT);
 *   CMK_CHECK(smooth(in, columns, out, columns, rows, columns, binomial, binomial, stream)); */
#ifndef CMK_KERNEL_SEPARABLE_H
#define CMK_KERNEL_SEPARABLE_H

#include "image.h"

#define CMK_DEFINE_SEPARABLE(name, T, RADIUS, DOWN, ACROSS, EDGE)                                                      \
    CMK_DEFINE_SEPARABLE_AS(name, T, T, T, 1, RADIUS, DOWN, ACROSS, EDGE, 0)

/* CMK_DEFINE_SEPARABLE(smooth, float, 2, binomial, binomial, EDGE); generates
 *
 *   enum { smooth_lanes_ = 4, ... };                        the sizes of image.h
 *   typedef struct { float e_[4]; } smooth_chunk_;          what a lane loads at once
 *   static void smooth_fill_(...); ...                      edges and conversions of image.h
 *   __global__ void smooth_kernel(...);                     the marching kernel
 *   cudaError_t smooth_batch(...);  cudaError_t smooth_region(...);  cudaError_t smooth(...); */
#define CMK_DEFINE_SEPARABLE_AS(name, IN, SUM, OUT, CHANNELS, RADIUS, DOWN, ACROSS, EDGE, OUTSIDE)                     \
    CMK_STATIC_ASSERT((RADIUS) >= 1 && (RADIUS) <= 32, "cmk: CMK_DEFINE_SEPARABLE: RADIUS must be from 1 to 32");      \
    CMK_STATIC_ASSERT((CHANNELS) >= 1 && (CHANNELS) <= 4, "cmk: CMK_DEFINE_SEPARABLE: CHANNELS must be from 1 to 4");  \
    CMK_STATIC_ASSERT(sizeof(IN) <= 8 && 8 % sizeof(IN) == 0 && sizeof(OUT) <= 8 && 8 % sizeof(OUT) == 0,              \
                      "cmk: CMK_DEFINE_SEPARABLE: IN and OUT must be arithmetic types of 1, 2, 4 or 8 bytes");         \
    CMK_STATIC_ASSERT(sizeof(DOWN##_array_) / sizeof(DOWN##_element_) == 2 * (RADIUS) + 1 &&                           \
                          sizeof(ACROSS##_array_) / sizeof(ACROSS##_element_) == 2 * (RADIUS) + 1,                     \
                      "cmk: CMK_DEFINE_SEPARABLE: DOWN and ACROSS must have 2 RADIUS + 1 elements");                   \
    enum {                                                                                                             \
        name##_products_ = 4 * (RADIUS) + 2,                                                                           \
        name##_bytes_ = sizeof(IN) + sizeof(OUT),                                                                      \
        name##_alone_ = name##_products_ <= cmk_separable_lightest_ * name##_bytes_,                                   \
        name##_light_ = name##_products_ <= cmk_separable_light_ * name##_bytes_                                       \
    };                                                                                                                 \
    CMK_IMAGE_SIZES_(name, IN, SUM, CHANNELS, 2 * (RADIUS) + 1, 2 * (RADIUS) + 1, RADIUS, RADIUS,                      \
                     CMK_IMAGE_LANES_(name, IN, SUM, 2 * (RADIUS) + 1, cmk_separable_beside_),                         \
                     CMK_IMAGE_STEP_(name, SUM, 2 * (RADIUS) + 1, CMK_SEPARABLE_HELD_), CMK_SEPARABLE_HELD_, 0);       \
    CMK_IMAGE_CONVERT_(name, IN, SUM, OUT)                                                                             \
    CMK_IMAGE_EDGES_(name, CHANNELS, EDGE, OUTSIDE)                                                                    \
    CMK_IMAGE_FILL_(name, IN, OUTSIDE)                                                                                 \
    CMK_SEPARABLE_KERNEL_(name, IN, SUM, OUT, CHANNELS, RADIUS, DOWN, ACROSS)                                          \
    CMK_IMAGE_LAUNCHERS_(name, IN, OUT, CHANNELS, 2 * (RADIUS) + 1, (DOWN##_table down_, ACROSS##_table across_),      \
                         (down_, across_))                                                                             \
    CMK_SEMICOLON_

/* a window is used up chunk by chunk, so that three chunks are held, of at most 8 elements; more of wide ones; products
 * for a byte read or written with which memory alone is waited for, and with which the frame's code is as fast as that
 * of the inside, on an H200 */
enum { cmk_separable_beside_ = 24, cmk_separable_light_ = 5, cmk_separable_lightest_ = 3 };
#define CMK_SEPARABLE_HELD_(name, step) ((name##_window_ > 64 ? 5 : 3) * name##_lanes_)

#define CMK_SEPARABLE_KERNEL_(name, IN, SUM, OUT, CHANNELS, RADIUS, DOWN, ACROSS)                                      \
    CMK_IMAGE_KERNEL_(name, IN, OUT, CMK_TABLE_PARAMETER_AS_(DOWN, cmk_down_),                                         \
                      CMK_TABLE_PARAMETER_AS_(ACROSS, cmk_across_))                                                    \
    {                                                                                                                  \
        CMK_IMAGE_PLACE_(name, IN, OUT)                                                                                \
        CMK_IMAGE_MARCH_(name, IN, SUM, OUT, 2 * (RADIUS) + 1, CMK_SEPARABLE_ADD_,                                     \
                         (name, SUM, CHANNELS, RADIUS, DOWN, ACROSS))                                                  \
    }

/* Row by row: the sums across, then their products with all of DOWN, one for each output that the row reaches; the last
 * step_ rows of sums begin with their first product. */
#define CMK_SEPARABLE_ADD_(name, SUM, CHANNELS, RADIUS, DOWN, ACROSS)                                                  \
    SUM cmk_window_[name##_step_][name##_window_];                                                                     \
    CMK_IMAGE_WINDOW_(name, stage_, 0, name##_window_)                                                                 \
    CMK_OPERATIONS_(2 * name##_products_ * name##_step_ * name##_lanes_);                                              \
    CMK_UNROLL                                                                                                         \
    for (int j_ = 0; j_ < name##_step_; ++j_) {                                                                        \
        SUM across_[name##_lanes_] = {0};                                                                              \
        CMK_UNROLL                                                                                                     \
        for (int c_ = 0; c_ <= 2 * (RADIUS); ++c_) CMK_UNROLL                                                          \
        for (int e_ = 0; e_ < name##_lanes_; ++e_)                                                                     \
            across_[e_] += (SUM)ACROSS##_get_ CMK_TABLE_READ_(cmk_across_, c_) *                                       \
                           cmk_window_[j_][name##_left_ - name##_reach_ + c_ * (CHANNELS) + e_];                       \
        CMK_UNROLL                                                                                                     \
        for (int r_ = 2 * (RADIUS); r_ >= 0; --r_) CMK_UNROLL                                                          \
        for (int e_ = 0; e_ < name##_lanes_; ++e_) {                                                                   \
            const int k_ = 2 * (RADIUS)-r_ + j_;                                                                       \
            const SUM product_ = (SUM)DOWN##_get_ CMK_TABLE_READ_(cmk_down_, r_) * across_[e_];                        \
            cmk_sums_[k_][e_] = r_ == 0 ? product_ : product_ + cmk_sums_[k_][e_];                                     \
        }                                                                                                              \
    }

#endif
