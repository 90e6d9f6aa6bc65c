/* kernel/image/march.h: filters of images by FMAs, with sums of any type. Marching, a warp goes down `length` rows of a
 * strip. `step` rows at a time arrive in its ring in shared memory, which is `stages` steps deep. Each row adds to all
 * outputs that it reaches, which are ROWS - 1 + step rows of sums in registers. The direct way, for small filters, has
 * no shared memory. Where rows begin anywhere, a kernel of its own marches: its ring is filled, and its outputs are
 * stored, in pieces of 32 elements (fill.h). All equal this, where in(y, x) is an element as SUM, or what the edge puts
 * in its place:
 *
 *   for (int y = 0; y < image.rows; ++y)
 *       for (int x = 0; x < image.width; ++x) {
 *           SUM sum = 0;
 *           for (int r = 0; r < f.rows; ++r)
 *               for (int c = 0; c < f.columns; ++c)
 *                   sum += tap(1, cmk_filter_tap_(f, r, c)) * in(y - f.row + r, x - f.reach + c * f.channels);
 *           out(y, x) = saturate(sum);
 *       }
 *
 * With a step of one row, and in the direct way, products are added in this order; otherwise those of the rows of a
 * step come in another order. A separable filter has this for the loop over r, in this order always:
 *
 *           for (int r = 0; r < f.rows; ++r) {
 *               SUM across = 0;
 *               for (int c = 0; c < f.columns; ++c)
 *                   across += tap(2, c) * in(y - f.row + r, x - f.reach + c * f.channels);
 *               sum += tap(1, r) * across;
 *           }
 *
 * In the step from output row i of its warp on, a lane has these. The first `step` rows of sums are complete with it:
 *
 *   sums[n * lanes + e]         the output of row place.y + i + n, column place.x + e
 *   window[j * s.window + e]    row j of the step, which is row place.y + i + ROWS - 1 - f.row + j of the image, column
 *                               place.x - s.left + e
 *
 * The path of a warp, where the type of sums stands behind names of sums.inc:
 *
 *   cmk_image_go_down_          the one call of a kernel that marches: cmk_image_march_down_, cmk_image_begin_
 *   cmk_image_go_unaligned_     that of the kernel for rows that begin anywhere: the same path
 *     cmk_image_steps_          for each step:
 *       cmk_image_fill_         starts copies, by cmk_image_fill_inside_, cmk_image_fill_frame_, or, where
 *                               rows begin anywhere, cmk_image_fill_pieces_
 *       cmk_image_add_          cmk_conv2d_add_, cmk_separable_add_ or cmk_conv2d_add_rolled_
 *       cmk_image_save_rows_    stores the rows that are complete; there cmk_image_save_unaligned_
 *   cmk_image_go_direct_        the one call of the direct way: cmk_conv2d_direct_, cmk_conv2d_outputs_
 *
 * The structs of these names:
 *   f       cmk_filter_ of rows/filter.h, with f.rows x f.columns taps, of which ROWS is f.rows. f.row: rows above
 *           an output that it needs. f.reach: elements before it
 *   s       cmk_image_sizes_ of sizes.h, a constant at compile time, with f in it. `lanes`, `step` and `stages`
 *           above are its members: elements of a lane, rows of a step, steps of a ring
 *   place   cmk_image_place_ of rows/image.h: x, y of the lane's first output, counted from the region's first
 *           element. place.length: rows of the warp
 *   image   cmk_image_ of rows/image.h. image.width counts elements, as x does
 *
 * cmk_filter_parts_TYPE_ of rows/filter.h: a definition's tables of coefficients, and its functions tap, widen (IN to
 * SUM) and narrow (SUM to OUT). cmk_conv2d_rolled_part_ of tune.h is 13 rows. CMK_DEVICE_ is a function that is inlined
 * in its kernel. */
#ifndef CMK_KERNEL_IMAGE_MARCH_H
#define CMK_KERNEL_IMAGE_MARCH_H

#include "fill.h"

/* The outputs of a lane, up to 8 of up to 8 bytes (cmk_image_lanes_ of sizes.h), in the order in which they are stored.
 * They are aligned for stores of 16 bytes. */
typedef struct {
    unsigned char bytes[64];
} __attribute__((aligned(16))) cmk_image_outputs_;

/* Elements of a window of the direct way, at most. The lane's own are up to 8, and up to cmk_conv2d_direct_beside_ = 8
 * others, in whole chunks before them and behind, are at most 16. */
enum { cmk_conv2d_direct_window_ = 24 };

/* The skew of an image in the direct way, 0 at compile time for lanes of which there is no code for others. */
CMK_DEVICE_ int cmk_conv2d_skew_(const cmk_image_ *image, cmk_image_sizes_ s)
{
    return s.lanes > cmk_conv2d_skew_lanes_ ? 0 : image->skew;
}

/* A thread of the frame, in the direct way. columns: what the edge reads for the elements of a window. inside: whether
 * none of them is outside, and chunks are aligned. Of its first row it has outputs from column `from` to until - 1; in
 * others of a skewed image, rows of warps inside begin further left, and these columns with them. */
typedef struct {
    int columns[cmk_conv2d_direct_window_];
    int inside, from, until;
} cmk_conv2d_frame_;

/* Bounds of the arrays of a thread: its sums, and the windows of a step. tests/kernels/sizes.cu goes through the sizes
 * and types of all definitions, and fails where the largest is not equal to the bound. A larger filter would write
 * behind the arrays, without a report of a compiler. The most sums are 49 rows of 4, of a separable filter of radius
 * 24. The widest windows are 3 rows of 170, of one of radius 21, with 4 channels of doubles and sums of 4 bytes. */
enum { cmk_image_sums_most_ = 196, cmk_image_window_most_ = 510 };

/* The rows of a part of a rolled filter: as few parts as have at most cmk_conv2d_rolled_part_ rows each, of about equal
 * height. The last may be shorter. A rolled filter has its columns in a loop. */
CMK_DEVICE_ int cmk_image_part_rows_(cmk_image_sizes_ s)
{
    const int parts = (s.f.rows + cmk_conv2d_rolled_part_ - 1) / cmk_conv2d_rolled_part_;
    return (s.f.rows + parts - 1) / parts;
}

/* The functions of sums.inc for each type of sums. It takes the type, the parts of a definition for it (rows/filter.h),
 * what rounds a sum to the nearest integer, ties to even, and what adds a product and rounds once. An int needs no
 * rounding. */
#define CMK_SUM_ float
#define CMK_PARTS_ cmk_filter_parts_float_
#define CMK_SUM_ROUND_ rintf
#define CMK_SUM_FMA_ CMK_FMA
#include "sums.inc"
#undef CMK_SUM_
#undef CMK_PARTS_
#undef CMK_SUM_ROUND_
#undef CMK_SUM_FMA_

#define CMK_SUM_ double
#define CMK_PARTS_ cmk_filter_parts_double_
#define CMK_SUM_ROUND_ rint
#define CMK_SUM_FMA_ CMK_FMA
#include "sums.inc"
#undef CMK_SUM_
#undef CMK_PARTS_
#undef CMK_SUM_ROUND_
#undef CMK_SUM_FMA_

#define CMK_SUM_ int
#define CMK_PARTS_ cmk_filter_parts_int_
#define CMK_SUM_ROUND_ (int)
#define CMK_SUM_FMA_(tap, element, sum) ((tap) * (element) + (sum))
#include "sums.inc"
#undef CMK_SUM_
#undef CMK_PARTS_
#undef CMK_SUM_ROUND_
#undef CMK_SUM_FMA_

#endif
