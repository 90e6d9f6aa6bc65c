/* kernel/image/march.h: how outputs of an image are summed. There are two ways. Marching: a warp goes down `length`
 * rows; `step` rows at a time arrive in a ring of its own in shared memory, `stages` steps deep. Each row adds to all
 * outputs that it reaches, ROWS - 1 + step rows of sums in registers. Direct, for small filters: no shared memory. */
#ifndef CMK_KERNEL_IMAGE_MARCH_H
#define CMK_KERNEL_IMAGE_MARCH_H

#include "../../table.h"
#include "../../tile.h"
#include "fill.h"

/* the outputs of a lane that it stores at once */
typedef struct {
    unsigned char bytes[64];
} __attribute__((aligned(16))) cmk_image_outputs_;

enum { cmk_conv2d_direct_window_ = 24 }; /* elements of a window of the direct way, at most */

/* the element of the table for row r and column c of the correlation */
CMK_DEVICE_ int cmk_image_tap_(cmk_image_sizes_ k, int r, int c)
{
    const int at = r * k.columns + c;
    return k.flipped ? k.rows * k.columns - 1 - at : at;
}

/* elements of a window, whole chunks, that the first columns of the filter need */
CMK_DEVICE_ int cmk_image_until_(cmk_image_sizes_ k, int columns)
{
    return columns == 0 ? 0 : cmk_image_up_(k.left - k.reach + (columns - 1) * k.channels + k.lanes, k.lanes);
}

/* rows of a part of a rolled filter */
CMK_DEVICE_ int cmk_image_part_rows_(cmk_image_sizes_ k)
{
    const int parts = (k.rows + cmk_conv2d_rolled_part_ - 1) / cmk_conv2d_rolled_part_;
    return (k.rows + parts - 1) / parts;
}

#define CMK_SUM_ float
#define CMK_SUM_ROUND_ rintf
#include "sums.inc"
#undef CMK_SUM_
#undef CMK_SUM_ROUND_

#define CMK_SUM_ double
#define CMK_SUM_ROUND_ rint
#include "sums.inc"
#undef CMK_SUM_
#undef CMK_SUM_ROUND_

#define CMK_SUM_ int
#define CMK_SUM_ROUND_ (int)
#include "sums.inc"
#undef CMK_SUM_
#undef CMK_SUM_ROUND_

/* ---- What a definition declares for the engine */

/* IN to SUM where a chunk is read, SUM to OUT where it is written; an integer OUT is rounded and saturated. What stands
 * for the outside, and whether it is more than a zero. An element of a table. */
/* clang-format off */
#define CMK_IMAGE_CONVERTERS_(name, IN, SUM, OUT, OUTSIDE)                                                             \
    CMK_DEVICE_ void name##_widen_(void *cmk_sum_, const void *cmk_in_)                                                \
    { *(SUM *)cmk_sum_ = (SUM) * (const IN *)cmk_in_; }                                                                \
    CMK_DEVICE_ void name##_narrow_(void *cmk_out_, const void *cmk_sum_)                                              \
    {                                                                                                                  \
        const int cmk_signed_ = !((OUT)-1 > (OUT)0), cmk_bits_ = CMK_NUMBER_(OUT) == 1 ? 8 * (int)sizeof(OUT) : 0;     \
        const SUM cmk_value_ = *(const SUM *)cmk_sum_;                                                                 \
        *(OUT *)cmk_out_ = (OUT)CMK_CALL_OF_(cmk_image_saturate_, SUM)(cmk_value_, cmk_bits_, cmk_signed_);            \
    }                                                                                                                  \
    CMK_DEVICE_ int name##_outside_(IN *cmk_in_) { *cmk_in_ = (IN)(OUTSIDE); return (OUTSIDE) != 0; }
#define CMK_IMAGE_WEIGHT_(function, SUM, TABLE)                                                                        \
    CMK_DEVICE_ void function(void *cmk_weight_, const void *cmk_from_, int cmk_i_)                                    \
    { *(SUM *)cmk_weight_ = (SUM)TABLE##_get_ CMK_TABLE_READ_(*(const TABLE##_table *)cmk_from_, cmk_i_); }
/* clang-format on */

#define CMK_IMAGE_KERNEL_(name, IN, OUT, ...)                                                                          \
    CMK_STATIC_ __global__ void __launch_bounds__(cmk_image_threads_, name##_blocks_)                                  \
        name##_kernel(const IN *__restrict__ cmk_in_, OUT *__restrict__ cmk_out_,                                      \
                      const CMK_GRID_CONSTANT_ cmk_image_ cmk_region_, __VA_ARGS__)

/* the one call of a kernel; only the marching way has shared memory */
#define CMK_IMAGE_BODY_(name, IN, SUM, parts)                                                                          \
    SUM cmk_sums_[name##_rows_held_ * name##_lanes_], cmk_window_[name##_held_];                                       \
    IN cmk_outside_;                                                                                                   \
    cmk_image_task_ cmk_task_ = {(const char *)cmk_in_, (char *)cmk_out_, &cmk_region_, NULL, NULL, NULL};             \
    if (name##_outside_(&cmk_outside_)) cmk_task_.outside = &cmk_outside_;                                             \
    if (name##_direct_) {                                                                                              \
        CMK_CALL_OF_(cmk_conv2d_direct_, SUM)(cmk_sums_, cmk_window_, cmk_task_, name##_sizes_(), parts);              \
    } else {                                                                                                           \
        CMK_IMAGE_RING_(name, IN, cmk_task_);                                                                          \
        CMK_CALL_OF_(cmk_image_march_down_, SUM)(cmk_sums_, cmk_window_, cmk_task_, name##_sizes_(), parts);           \
    }
#define CMK_IMAGE_RING_(name, IN, task)                                                                                \
    CMK_TILE(unsigned char, cmk_ring_, (int)name##_stages_ *(int)cmk_image_warps_ *(int)name##_step_,                  \
             name##_chunks_ *name##_lanes_ *(int)sizeof(IN), 0);                                                       \
    CMK_TILE(int, cmk_columns_, cmk_image_warps_, name##_chunks_ *name##_lanes_, 0);                                   \
    task.ring = (char *)cmk_ring_;                                                                                     \
    task.columns = (int *)cmk_columns_

/* what both definitions ask of their types; DEFINITION is CONV2D or SEPARABLE */
#define CMK_IMAGE_NEEDS_(DEFINITION, condition, text)                                                                  \
    CMK_STATIC_ASSERT(condition, "cmk: CMK_DEFINE_" DEFINITION ": " text);
#define CMK_IMAGE_SHORT_(DEFINITION)                                                                                   \
    "T must be float or double: CMK_DEFINE_" DEFINITION "_AS has other types of in and out, and one for the sums"
/* clang-format off */
#define CMK_IMAGE_ASSERT_(DEFINITION, IN, SUM, OUT, CHANNELS, EDGE, OUTSIDE)                                           \
    CMK_IMAGE_NEEDS_(DEFINITION, CMK_IMAGE_TYPE_(IN) && CMK_IMAGE_TYPE_(OUT),                                          \
                     "IN and OUT must be float, double, half, bfloat16 or an integer of 8 or 16 bits")                 \
    CMK_IMAGE_NEEDS_(DEFINITION, CMK_IMAGE_SUM_(SUM), "SUM must be float, double or int")                              \
    CMK_IMAGE_NEEDS_(DEFINITION, (CHANNELS) >= 1 && (CHANNELS) <= 4, "CHANNELS must be from 1 to 4")                   \
    CMK_IMAGE_NEEDS_(DEFINITION, CMK_EDGE_VALID_(EDGE), "EDGE must be an edge of edge.h")                              \
    CMK_IMAGE_NEEDS_(DEFINITION, CMK_IMAGE_HOLDS_(IN, OUTSIDE), "OUTSIDE must be a value of IN")
/* clang-format on */
#define CMK_IMAGE_HOLDS_(IN, OUTSIDE)                                                                                  \
    CMK_CHOOSE_(CMK_NUMBER_(IN) == 1,                                                                                  \
                (cmk_i64)(IN)(cmk_i64)(OUTSIDE) == (cmk_i64)(OUTSIDE) && (cmk_i64)(2 * (OUTSIDE)) % 2 == 0, 1)
#define CMK_IMAGE_TYPE_(T) (CMK_NUMBER_(T) == 1 || CMK_NUMBER_(T) >= 4)
#define CMK_IMAGE_SUM_(SUM) (CMK_NUMBER_(SUM) == 2 || CMK_NUMBER_(SUM) >= 5)
#define CMK_IMAGE_TAPS_KEPT_(SUM, ELEMENT) (CMK_NUMBER_(SUM) != 2 || CMK_NUMBER_(ELEMENT) <= 3)

#endif
