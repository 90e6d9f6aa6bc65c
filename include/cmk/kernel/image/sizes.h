/* kernel/image/sizes.h: the constants of a definition, and what it gives to the engine.
 *
 * A window is the part of a row that the outputs of a lane need, as sums: `left` elements before its own, `right`
 * behind, in chunks of `lanes` elements. A row of the ring begins and ends at a multiple of 32 bytes, in global and in
 * shared memory, so that its copies move whole sectors. */
#ifndef CMK_KERNEL_IMAGE_SIZES_H
#define CMK_KERNEL_IMAGE_SIZES_H

#include "../../base.h"
#include "../../tile.h"
#include "tune.h"

/* the constants of a definition as its functions get them: in elements unless they are bytes or flags */
typedef struct {
    int in_size, out_size, chunk_bytes, row_bytes; /* of an element, a chunk, a row of the ring */
    int rows, columns, products;                   /* of the filter; columns 0: separable */
    int row, flipped, channels;                    /* rows above an output that it needs; whether the table is turned */
    int lanes, step, stages, pending;              /* of a lane; rows of a step, steps of the ring, rows of sums */
    int reach, beyond, left, window;               /* what the filter needs before and behind; of the window */
    int before, past, skipped, chunks;             /* of a row of the ring: before and behind a strip; chunks */
    int edge, zeros;                               /* whether all outside is zero */
    int direct, rolled;                            /* the way; whether columns are a loop */
    int alone;                                     /* whether all is frame where any is */
    int few, heavy, big;                           /* for the plan: see tune.h */
} cmk_image_sizes_;

/* What the engine cannot know: the conversions of one element, IN to SUM and SUM to OUT; the element i of a table as
 * SUM. Every function is inlined where a kernel hands it on. */
typedef struct {
    void (*widen)(void *sum, const void *element);
    void (*narrow)(void *element, const void *sum);
    void (*down)(void *weight, const void *table, int i);
    void (*across)(void *weight, const void *table, int i);
    const void *down_table, *across_table;
} cmk_image_parts_;

#define CMK_IMAGE_UP_(value, multiple) (((value) + (multiple)-1) / (multiple) * (multiple))

/* Elements of a lane: 16 bytes of float or half, as far as the sums fit in registers, with the BESIDE elements of
 * windows that are not the lane's own, and the code in the instruction cache. */
#define CMK_IMAGE_LANES_(name, IN, SUM, ROWS, BESIDE)                                                                  \
    (sizeof(IN) == 8 || sizeof(SUM) * (ROWS) + (BESIDE) > cmk_image_most_held_4_ ||                                    \
             name##_products_ > cmk_image_most_products_                                                               \
         ? 2                                                                                                           \
     : sizeof(IN) == 4 || 2 * sizeof(SUM) * (ROWS) + (BESIDE) > cmk_image_most_held_8_ ? 4                             \
                                                                                       : 8)

/* rows of a step: up to 4, as far as sums and the HELD(name, step) elements of windows fit in registers */
#define CMK_IMAGE_STEP_(name, SUM, ROWS, HELD)                                                                         \
    (CMK_IMAGE_FITS_(name, SUM, ROWS, HELD, 4)   ? 4                                                                   \
     : CMK_IMAGE_FITS_(name, SUM, ROWS, HELD, 3) ? 3                                                                   \
     : CMK_IMAGE_FITS_(name, SUM, ROWS, HELD, 2) ? 2                                                                   \
                                                 : 1)
#define CMK_IMAGE_FITS_(name, SUM, ROWS, HELD, step)                                                                   \
    (!CMK_IMAGE_BIG_(name, step) && name##_products_ <= cmk_image_most_step_products_ &&                               \
     (((ROWS)-1 + (step)) * name##_lanes_ + HELD(name, step)) * (int)sizeof(SUM) <= cmk_image_most_step_bytes_)
#define CMK_IMAGE_BIG_(name, step) (name##_products_ * name##_lanes_ * (step) > cmk_image_most_step_fmas_)

/* the rows of a step of which so many stages, for the warps of a block, with the columns of its edges take 48 KB */
#define CMK_IMAGE_ROOM_(name, IN, stages)                                                                              \
    ((49152 / (name##_chunks_ * name##_lanes_) - 4 * (int)sizeof(int)) / ((stages)*4 * (int)sizeof(IN)))

/* the widths of a window and of a row of the ring */
#define CMK_IMAGE_WIDTHS_(name, IN, CHANNELS, COLUMNS, COLUMN)                                                         \
    name##_reach_ = (COLUMN) * (CHANNELS), name##_left_ = CMK_IMAGE_UP_(name##_reach_, name##_lanes_),                 \
    name##_beyond_ = ((COLUMNS)-1 - (COLUMN)) * (CHANNELS),                                                            \
    name##_right_ = CMK_IMAGE_UP_(name##_beyond_, name##_lanes_),                                                      \
    name##_window_ = name##_left_ + name##_lanes_ + name##_right_,                                                     \
    name##_before_ = CMK_IMAGE_UP_(name##_left_ * (int)sizeof(IN), 32) / (int)sizeof(IN),                              \
    name##_past_ = CMK_IMAGE_UP_(name##_right_ * (int)sizeof(IN), 32) / (int)sizeof(IN),                               \
    name##_skipped_ = (name##_before_ - name##_left_) / name##_lanes_,                                                 \
    name##_chunks_ = 32 + (name##_before_ + name##_past_) / name##_lanes_

/* The steps of the ring. Where light_ says that memory alone is waited for, few_ warps with a ring of more stages,
 * where there is room, read less halo. */
/* clang-format off */
#define CMK_IMAGE_STAGES_(name, IN, ROWS)                                                                              \
    name##_few_ = name##_light_ && name##_step_ > 2 && name##_lanes_ * sizeof(IN) >= 16 &&                             \
                  name##_step_ <= CMK_IMAGE_ROOM_(name, IN, 3),                                                        \
    name##_narrow_ring_ = name##_step_ == 1 && name##_lanes_ * (int)sizeof(IN) < 16,                                   \
    name##_stages_ = name##_step_ > 2 && !name##_few_ ? 2 : name##_narrow_ring_ ? 4 : 3,                               \
    name##_pending_ = (ROWS)-1 + name##_step_, name##_big_ = CMK_IMAGE_BIG_(name, name##_step_)

/* The rows of sums that a thread holds; the blocks of an SM, by the registers that sums and windows need: with fewer,
 * ptxas would keep loads of many rows in registers. */
#define CMK_IMAGE_BLOCKS_(name, SUM, HELD)                                                                             \
    name##_rows_held_ = name##_direct_ ? (int)cmk_image_direct_height_ : (int)name##_pending_,                         \
    name##_registers_ = (name##_pending_ * name##_lanes_ + HELD) * (int)sizeof(SUM) / 4 + cmk_image_other_registers_,  \
    name##_most_ = name##_direct_ ? CMK_IMAGE_DIRECT_BLOCKS_(name##_lanes_, SUM)                                       \
                   : name##_few_ ? cmk_image_few_blocks_ : cmk_image_registers_ / name##_registers_,                   \
    name##_blocks_ = name##_most_ > 8 ? 8 : name##_most_ < 1 ? 1 : name##_most_
#define CMK_IMAGE_DIRECT_BLOCKS_(LANES, SUM)                                                                           \
    (LANES == 8 ? cmk_image_direct_blocks_8_                                                                           \
                : sizeof(SUM) == 8 ? cmk_image_direct_blocks_double_ : cmk_image_direct_blocks_)
/* clang-format on */

/* the constants as a function, for kernel and launcher */
/* clang-format off */
#define CMK_IMAGE_SIZES_(name, IN, OUT, CHANNELS, ROWS, COLUMNS, ROW, EDGE, OUTSIDE)                                   \
    CMK_FUNCTION cmk_image_sizes_ name##_sizes_(void)                                                                  \
    {                                                                                                                  \
        const cmk_image_sizes_ cmk_sizes_ = {                                                                          \
            sizeof(IN), sizeof(OUT), name##_lanes_ * sizeof(IN), name##_chunks_ * name##_lanes_ * sizeof(IN),          \
            ROWS, COLUMNS, name##_products_, ROW, name##_flipped_, CHANNELS, name##_lanes_, name##_step_,              \
            name##_stages_, name##_pending_, name##_reach_, name##_beyond_, name##_left_, name##_window_,              \
            name##_before_, name##_past_, name##_skipped_, name##_chunks_, EDGE,                                       \
            (EDGE) == CMK_EDGE_ZERO && (OUTSIDE) == 0, name##_direct_, name##_rolled_, name##_alone_, name##_few_,     \
            name##_heavy_, name##_big_}; return cmk_sizes_;                                                            \
    }
/* clang-format on */

#endif
