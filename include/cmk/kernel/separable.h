/* separable.h: complete separable convolutions of images, rows and columns in one pass over memory.
 *
 *   CMK_DEFINE_SEPARABLE(name, T, RADIUS, DOWN, ACROSS, EDGE);      at file scope
 *   CMK_DEFINE_SEPARABLE_AS(name, (IN, SUM, OUT, CHANNELS), RADIUS, (DOWN, ACROSS), (EDGE, OUTSIDE));
 *   CMK_DEFINE_SEPARABLE_IN_ORDER(name, (IN, SUM, OUT, CHANNELS), RADIUS, (DOWN, ACROSS), (EDGE, OUTSIDE));
 *   cudaError_t name(const IN *in, size_t in_pitch, OUT *out, size_t out_pitch, size_t rows, size_t columns,
 *                    DOWN_table down, ACROSS_table across, cudaStream_t stream);
 *   cudaError_t name_region(const IN *in, size_t in_pitch, OUT *out, size_t out_pitch, size_t rows, size_t columns,
 *                           size_t row, size_t column, size_t region_rows, size_t region_columns, DOWN_table down,
 *                           ACROSS_table across, cudaStream_t stream);
 *   cudaError_t name_batch(const IN *in, size_t in_pitch, size_t in_step, OUT *out, size_t out_pitch, size_t out_step,
 *                          size_t rows, size_t columns, size_t count, DOWN_table down, ACROSS_table across,
 *                          cudaStream_t stream);
 *
 * The definition makes these functions. For every row y < rows and column x < columns of an image they compute
 *   out(y, x) = sum of down[r] across[c] in(y + r - RADIUS, x + c - RADIUS)        r, c = 0 .. 2 RADIUS
 * The sums across never leave the registers. The last form adds in order, as _IN_ORDER of conv2d.h asks for: across,
 * then down, without tensor cores, and with the same bits by every compiler, on every card, in every region.
 *   RADIUS          1 to 32
 *   DOWN, ACROSS    the names of tables of table.h, from any source, of 2 RADIUS + 1 elements; both may be one
 * All else is as in conv2d.h: types, CHANNELS, EDGE, OUTSIDE, regions, batches and errors. Tensor cores compute two
 * kinds of filters of large images, whose accuracy is told in docs/accuracy.md. Filters of bytes, as in conv2d.h, have
 * RADIUS 2 to 16 and RADIUS x CHANNELS up to 32. With RADIUS 2 their taps are the products of down and across. The
 * others have SUM float, 1 channel, an OUT that is no integer, and RADIUS 25 or more. They use tensor cores of sm_80 to
 * sm_90.
 *
 * To have two passes, with the sums across in memory, take CMK_DEFINE_CONV2D of 1 x n elements, then one of n x 1.
 *
 *   CMK_TABLE_VALUES(CONSTANT, float, binomial, [5], 1, 4, 6, 4, 1);
 *   CMK_DEFINE_SEPARABLE(smooth, float, 2, binomial, binomial, CMK_EDGE_REFLECT);
 *   CMK_CHECK(smooth(in, columns, out, columns, rows, columns, binomial, binomial, stream)); */
#ifndef CMK_KERNEL_SEPARABLE_H
#define CMK_KERNEL_SEPARABLE_H

#include "../table.h"
#include "ways.h"

/* clang-format off */
#define CMK_DEFINE_SEPARABLE(name, T, RADIUS, DOWN, ACROSS, EDGE) \
    CMK_DEFINITION_REAL_("CMK_DEFINE_SEPARABLE", name, T, CMK_IMAGE_SHORT_("CMK_DEFINE_SEPARABLE")) \
    CMK_SEPARABLE_DEFINE_(name, 0, name##_type_, name##_type_, name##_type_, 1, RADIUS, DOWN, ACROSS, EDGE, 0)
/* clang-format on */

#define CMK_DEFINE_SEPARABLE_AS(name, TYPES, RADIUS, TABLES, OUTSIDE)                                                  \
    CMK_SEPARABLE_GROUPS_(name, 0, CMK_LIST_ TYPES, RADIUS, CMK_LIST_ TABLES, CMK_IMAGE_PAIR_ OUTSIDE)
#define CMK_DEFINE_SEPARABLE_IN_ORDER(name, TYPES, RADIUS, TABLES, OUTSIDE)                                            \
    CMK_SEPARABLE_GROUPS_(name, 2, CMK_LIST_ TYPES, RADIUS, CMK_LIST_ TABLES, CMK_IMAGE_PAIR_ OUTSIDE)
/* The groups have 11 words with the others, or a sentence stops the build. */
#define CMK_SEPARABLE_GROUPS_(...) CMK_SEPARABLE_15TH_(__VA_ARGS__, 0_, 0_, 0_, DEFINE_, 0_, 0_, 0_, )(__VA_ARGS__)
#define CMK_SEPARABLE_15TH_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, WHICH, ...) CMK_SEPARABLE_##WHICH
#define CMK_SEPARABLE_0_(...) CMK_NEEDS_("CMK_DEFINE_SEPARABLE", 0, CMK_SEPARABLE_GROUPS_SAYS_)
#define CMK_SEPARABLE_GROUPS_SAYS_ "the groups must be (IN, SUM, OUT, CHANNELS), (DOWN, ACROSS)"

/* HOW is `how` of kernel/rows/filter.h. CMK_DEFINE_SEPARABLE(smooth, float, 2, binomial, binomial, EDGE); generates
 *
 *   cmk_filter_ smooth_filter_(void);                       the constants of kernel/rows/filter.h
 *   static void smooth_widen_(...);  smooth_narrow_(...);   conversions of an element
 *   static float smooth_tap_(...);                          an element of a table
 *   __global__ void smooth_kernel(...);                     by FMAs, the marching way
 *   __global__ void smooth_tensor_kernel(...);              by tensor cores
 *   __global__ void smooth_unaligned_kernel(...);           by FMAs, where rows begin anywhere
 *   cudaError_t smooth_batch(...);  cudaError_t smooth_region(...);  cudaError_t smooth(...); */
/* clang-format off */
#define CMK_SEPARABLE_DEFINE_(name, HOW, IN, SUM, OUT, CHANNELS, RADIUS, DOWN, ACROSS, EDGE, OUTSIDE) \
    CMK_DEFINITION_BEGIN_(name, CMK_DEFINITION_TWO_, DOWN, ACROSS) \
    CMK_IMAGE_BEGIN_("CMK_DEFINE_SEPARABLE", name, IN, SUM, OUT, CHANNELS, EDGE, OUTSIDE) \
    CMK_SEPARABLE_ASSERT_(name##_sum_, RADIUS, DOWN, ACROSS) \
    CMK_IMAGE_DEFINE_(name, HOW, CHANNELS, OUTSIDE, \
                      (1, 2 * (RADIUS) + 1, 2 * (RADIUS) + 1, RADIUS, RADIUS, 0, 0), (DOWN, ACROSS, ACROSS), \
                      CMK_DEFINITION_TWO_, DOWN, ACROSS)
/* clang-format on */

#define CMK_SEPARABLE_HAS_(TABLE, RADIUS) (CMK_DEFINITION_COUNT_(TABLE) == 2 * (RADIUS) + 1)
#define CMK_SEPARABLE_ASSERT_(SUM, RADIUS, DOWN, ACROSS)                                                               \
    CMK_NEEDS_("CMK_DEFINE_SEPARABLE", (RADIUS) >= 1 && (RADIUS) <= 32, "RADIUS must be from 1 to 32");                \
    CMK_NEEDS_("CMK_DEFINE_SEPARABLE", CMK_SEPARABLE_HAS_(DOWN, RADIUS) && CMK_SEPARABLE_HAS_(ACROSS, RADIUS),         \
               "DOWN and ACROSS must have 2 RADIUS + 1 elements");                                                     \
    CMK_NEEDS_("CMK_DEFINE_SEPARABLE",                                                                                 \
               CMK_IMAGE_TAPS_KEPT_(SUM, DOWN##_element_) && CMK_IMAGE_TAPS_KEPT_(SUM, ACROSS##_element_),             \
               "SUM int needs tables of integers: fractions would be lost");

#endif
