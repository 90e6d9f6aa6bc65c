/* kernel/image/sizes.h: the constants of a definition.
 *
 * A window is the part of a row that the outputs of a lane need, as sums: `left` elements before its own, `right`
 * behind, in chunks of `lanes` elements. A row of the ring begins and ends at a multiple of 32 bytes, in global and in
 * shared memory, so that its copies move whole sectors. */
#ifndef CMK_KERNEL_IMAGE_SIZES_H
#define CMK_KERNEL_IMAGE_SIZES_H

#include "../rows/filter.h"
#include "tune.h"

/* the constants of a definition as its functions get them: in elements unless they are bytes or flags */
typedef struct {
    cmk_filter_ f;
    int chunk_bytes, row_bytes;        /* of a chunk, a row of the ring */
    int lanes, step, stages, pending;  /* of a lane; rows of a step, steps of the ring, rows of sums */
    int left, window;                  /* of the window: before the lane's own, and in all */
    int before, past, skipped, chunks; /* of a row of the ring: before and behind a strip; chunks */
    int direct, rolled;                /* the way; whether columns are a loop */
    int alone;                         /* whether all is frame where any is */
    int few, heavy, big;               /* for the plan: see tune.h */
    int blocks;                        /* of an SM that the compiler leaves room for */
    int ring_bytes, shared_bytes;      /* shared memory of a block: its ring, and in all */
} cmk_image_sizes_;

/* Elements of a lane: 16 bytes of float or half, as far as the sums fit in registers, with the elements of windows that
 * are not the lane's own, and the code in the instruction cache. Rolled: 4, 2 with doubles. */
CMK_FOLDED_ int cmk_image_lanes_(cmk_filter_ f, int rolled)
{
    const int beside = f.separable ? cmk_separable_beside_ : (f.columns - 1) * f.channels, sums = f.sum_size * f.rows;
    if (rolled) return f.in_size == 8 || f.sum_size == 8 ? 2 : 4;
    if (f.in_size == 8 || sums + beside > cmk_image_most_held_4_ || f.products > cmk_image_most_products_) return 2;
    return f.in_size == 4 || 2 * sums + beside > cmk_image_most_held_8_ ? 4 : 8;
}

/* elements of a window, whole chunks, that the first columns of the filter need */
CMK_FOLDED_ int cmk_image_until_(cmk_image_sizes_ k, int columns)
{
    return columns == 0 ? 0 : cmk_image_up_(k.left - k.f.reach + (columns - 1) * k.f.channels + k.lanes, k.lanes);
}

/* Bytes of sums and windows in registers, in a step of so many rows. A separable kernel uses a window up chunk by
 * chunk; the windows of others are used together, each coefficient once for all; rolled, those of a group of `lanes`
 * columns. */
CMK_FOLDED_ int cmk_image_held_(cmk_image_sizes_ k, int step)
{
    const int chunks = k.window > 64 ? cmk_separable_held_wide_ : cmk_separable_held_;
    const int windows = step * (k.rolled ? cmk_image_until_(k, k.lanes) : k.window);
    return ((k.f.rows - 1 + step) * k.lanes + (k.f.separable ? chunks * k.lanes : windows)) * k.f.sum_size;
}

/* the rows of a step of which so many stages, for the warps of a block, with the columns of its edges take 48 KB */
CMK_FOLDED_ int cmk_image_room_(cmk_image_sizes_ k, int stages)
{
    return (49152 / (k.chunks * k.lanes) - cmk_image_warps_ * (int)sizeof(int)) /
           (stages * cmk_image_warps_ * k.f.in_size);
}

/* steps of a ring that is not of few warps */
CMK_FOLDED_ int cmk_image_stages_(cmk_image_sizes_ k, int step)
{
    return step > 2 ? 2 : step == 1 && k.chunk_bytes < 16 ? 4 : 3;
}

CMK_FOLDED_ int cmk_image_is_big_(cmk_image_sizes_ k, int step)
{
    return k.f.products * k.lanes * step > cmk_image_most_step_fmas_;
}

CMK_FOLDED_ int cmk_image_fits_(cmk_image_sizes_ k, int step)
{
    return !cmk_image_is_big_(k, step) && k.f.products <= cmk_image_most_step_products_ &&
           cmk_image_held_(k, step) <= cmk_image_most_step_bytes_ &&
           step <= cmk_image_room_(k, cmk_image_stages_(k, step));
}

/* Rows of a step: up to 4, rolled up to 8, as far as sums and windows fit in registers and there is room for 2 stages.
 */
CMK_FOLDED_ int cmk_image_step_(cmk_image_sizes_ k)
{
    const int sums = (k.f.rows - 1) * k.lanes, row = k.lanes + cmk_image_until_(k, k.lanes);
    const int held = (cmk_conv2d_rolled_held_ / k.f.sum_size - sums) / row;
    if (k.rolled) return cmk_least_(cmk_conv2d_rolled_step_, cmk_least_(held, cmk_image_room_(k, 2)));
    return cmk_image_fits_(k, 4) ? 4 : cmk_image_fits_(k, 3) ? 3 : cmk_image_fits_(k, 2) ? 2 : 1;
}

/* the blocks of an SM, by the registers that sums and windows need: with fewer, ptxas would keep loads of many rows in
 * registers */
CMK_FOLDED_ int cmk_image_blocks_(cmk_image_sizes_ k)
{
    const int registers = cmk_image_held_(k, k.step) / 4 + cmk_image_other_registers_;
    const int most = k.few ? cmk_image_few_blocks_ : cmk_image_registers_ / registers;
    if (k.direct && k.lanes == 8) return cmk_image_direct_blocks_8_;
    if (k.direct) return k.f.sum_size == 8 ? cmk_image_direct_blocks_double_ : cmk_image_direct_blocks_;
    return most > 8 ? 8 : most < 1 ? 1 : most;
}

/* the filter, and the row: of the window and of the ring */
CMK_FOLDED_ cmk_image_sizes_ cmk_image_row_sizes_(cmk_filter_ f)
{
    cmk_image_sizes_ k = CMK_ZEROS_(cmk_image_sizes_);
    k.f = f;
    k.rolled = !f.separable && f.table_bytes > 0 &&
               (f.table_bytes > cmk_conv2d_rolled_bytes_ || f.products > cmk_conv2d_rolled_products_);
    k.lanes = cmk_image_lanes_(f, k.rolled);
    k.left = cmk_image_up_(f.reach, k.lanes);
    k.window = k.left + k.lanes + cmk_image_up_(f.beyond, k.lanes);
    k.before = cmk_image_up_(k.left * f.in_size, 32) / f.in_size;
    k.past = cmk_image_up_((k.window - k.left - k.lanes) * f.in_size, 32) / f.in_size;
    k.skipped = (k.before - k.left) / k.lanes;
    k.chunks = 32 + (k.before + k.past) / k.lanes;
    k.chunk_bytes = k.lanes * f.in_size;
    k.row_bytes = k.chunks * k.chunk_bytes;
    return k;
}

/* Where memory alone is waited for, few warps with a ring of more stages, where there is room, read less halo. The rows
 * of a step share coefficients, so that sums are not in the order of the taps: those that must be have steps of one. */
CMK_FOLDED_ cmk_image_sizes_ cmk_image_sizes_of_(cmk_filter_ f)
{
    const int bytes = f.in_size + f.out_size;
    cmk_image_sizes_ k = cmk_image_row_sizes_(f);
    k.step = f.in_order && !f.separable ? 1 : cmk_image_step_(k);
    k.pending = f.rows - 1 + k.step;
    k.few = f.separable && f.products <= cmk_separable_light_ * bytes && k.step > 2 && k.chunk_bytes >= 16 &&
            k.step <= cmk_image_room_(k, 3);
    k.stages = k.few ? 3 : cmk_image_stages_(k, k.step);
    k.heavy = f.products > cmk_image_heavy_ * bytes;
    k.big = cmk_image_is_big_(k, k.step);
    k.alone =
        f.separable ? f.products <= cmk_separable_lightest_ * bytes : k.rolled || f.products > cmk_image_most_products_;
    k.direct = !f.separable && f.rows <= cmk_conv2d_direct_side_ && f.columns <= cmk_conv2d_direct_side_ &&
               (f.columns - 1) * f.channels <= cmk_conv2d_direct_beside_ &&
               f.products * k.lanes <= cmk_conv2d_direct_fmas_;
    k.blocks = cmk_image_blocks_(k);
    k.ring_bytes = k.stages * cmk_image_warps_ * k.step * k.row_bytes;
    k.shared_bytes = k.direct ? 0 : k.ring_bytes + cmk_image_warps_ * k.chunks * k.lanes * (int)sizeof(int);
    return k;
}

#endif
