/* kernel/image/march.h: how outputs of an image are summed. There are two ways. Marching: a warp goes down `length`
 * rows; `step` rows at a time arrive in a ring of its own in shared memory, `stages` steps deep. Each row adds to all
 * outputs that it reaches, ROWS - 1 + step rows of sums in registers. Direct, for small filters: no shared memory. */
#ifndef CMK_KERNEL_IMAGE_MARCH_H
#define CMK_KERNEL_IMAGE_MARCH_H

#include "fill.h"

/* the outputs of a lane that it stores at once */
typedef struct {
    unsigned char bytes[64];
} __attribute__((aligned(16))) cmk_image_outputs_;

enum { cmk_conv2d_direct_window_ = 24 }; /* elements of a window of the direct way, at most */

/* bounds of arrays of a thread, over all definitions (tests/kernels/sizes.cu): sums, and the windows of a step */
enum { cmk_image_sums_most_ = 196, cmk_image_window_most_ = 510 };

/* rows of a part of a rolled filter */
CMK_DEVICE_ int cmk_image_part_rows_(cmk_image_sizes_ k)
{
    const int parts = (k.f.rows + cmk_conv2d_rolled_part_ - 1) / cmk_conv2d_rolled_part_;
    return (k.f.rows + parts - 1) / parts;
}

#define CMK_SUM_ float
#define CMK_PARTS_ cmk_filter_parts_float_
#define CMK_SUM_ROUND_ rintf
#include "sums.inc"
#undef CMK_SUM_
#undef CMK_PARTS_
#undef CMK_SUM_ROUND_

#define CMK_SUM_ double
#define CMK_PARTS_ cmk_filter_parts_double_
#define CMK_SUM_ROUND_ rint
#include "sums.inc"
#undef CMK_SUM_
#undef CMK_PARTS_
#undef CMK_SUM_ROUND_

#define CMK_SUM_ int
#define CMK_PARTS_ cmk_filter_parts_int_
#define CMK_SUM_ROUND_ (int)
#include "sums.inc"
#undef CMK_SUM_
#undef CMK_PARTS_
#undef CMK_SUM_ROUND_

#endif
