/* kernel/image/sizes.h: the constants of a filter of images that goes by FMAs.
 *
 * A window is the part of a row that the outputs of a lane need, as sums: `left` elements before its own, and others
 * behind, in chunks of `lanes` elements. A row of the ring has whole sectors of 32 bytes: those of the strip, and as
 * many before and behind it as windows need. In shared memory it begins at a multiple of 32 bytes. In global memory it
 * does so where the strip does, and then its copies move whole sectors.
 *
 * All functions here make constants: a launcher calls them on the host, and kernels have their results at compile
 * time. In all of them:
 *   f        cmk_filter_ of rows/filter.h, the filter of a definition. rows, columns: its size. channels: values of
 *            a pixel. reach, beyond: elements before and behind an output that it needs. products: FMAs of an
 *            output. in_size, out_size, sum_size: bytes of an element and of a sum. table_bytes: those of the table,
 *            0 of one that is not in memory. in_order: whether sums must be in the pixels' order
 *   s        the constants that are made, as far as they are set; s.f is f
 *   inside   warps whose outputs need nothing outside the image; others are of the frame (rows/image.h)
 *   measured numbers, of tune.h:
 *            cmk_image_most_products_: FMAs of an output above which a lane has 2 elements. most_held_4_ and 8_: bytes
 *            of sums plus elements of windows, with which it may have 4 and 8. most_step_fmas_, products_ and bytes_:
 *            FMAs of a lane, products of an output, bytes of sums and windows, with which a step has several rows
 *            cmk_separable_held_ and held_wide_: chunks of a window that are in registers at once; beside_: their
 *            elements that are not the lane's own. light_, lightest_, cmk_image_heavy_: FMAs for a byte of memory
 *            cmk_conv2d_rolled_bytes_ and products_: bytes of table and FMAs of an output above which a filter is
 *            rolled. rolled_held_: bytes of its sums and windows in registers. rolled_step_: its rows of a step
 *            cmk_conv2d_direct_side_, beside_, fmas_: of the largest filter of the direct way the rows and columns,
 *            the elements beside the lane's own, the FMAs of a row
 *            cmk_conv2d_unaligned_products_: FMAs of an output of the largest that has a kernel for rows that begin
 *            anywhere
 *            cmk_image_other_registers_: those of a thread beside sums and windows. Names with blocks: blocks of an SM
 *
 * cmk_image_up_(a, b) of rows/image.h is a rounded up to a multiple of b, and cmk_least_ the lesser of two numbers. A
 * block has cmk_image_warps_ = 4 warps, and an SM has cmk_image_registers_ = 512 registers for each thread of a block.
 * A definition has at most 33 x 33 taps, or a radius of 32 where it is separable, and 4 channels. For all of these
 * tests/kernels/sizes.cu checks the shared memory of a block, 48 KB at most, and the sizes of a thread's arrays. */
#ifndef CMK_KERNEL_IMAGE_SIZES_H
#define CMK_KERNEL_IMAGE_SIZES_H

#include "../rows/filter.h"
#include "tune.h"

/* The constants of a definition as its functions get them, all known at compile time: in elements unless they are bytes
 * or flags. */
typedef struct {
    cmk_filter_ f;
    int chunk_bytes, row_bytes;        /* bytes of a chunk, and of a row of the ring */
    int lanes, step, stages, pending;  /* elements of a lane; rows of a step; steps of the ring; rows of sums */
    int left, window;                  /* elements of a window before the lane's own; elements of a window */
    int before, past, skipped, chunks; /* of a ring's row: before and behind a strip; chunks before a window; chunks */
    int has_unaligned, unaligned;      /* whether rows that begin anywhere have a kernel; whether it is that one */
    int direct, rolled;                /* whether it goes the direct way; whether columns are a loop */
    int alone;                         /* whether all is frame where any is */
    int few, heavy, big;               /* flags for the plan: see tune.h */
    int blocks;                        /* blocks of an SM that the compiler leaves room for */
    int ring_bytes, shared_bytes;      /* shared memory of a block: of its ring, and in all */
} cmk_image_sizes_;

/* The elements of a lane, 2, 4 or 8: 16 bytes of float or half, as far as registers and the instruction cache suffice.
 * A chunk of as many elements has 2, 4, 8 or 16 bytes, as elements of 8 bytes have 2 in a lane, those of 4 at most 4.
 * Registers hold the sums, and the elements of windows that are not the lane's own. sums: bytes of the sums of one
 * column; 8 elements have twice those of 4. Rolled, a lane has 4, or 2 with doubles. */
CMK_FOLDED_ int cmk_image_lanes_(cmk_filter_ f, int rolled)
{
    const int beside = f.separable ? cmk_separable_beside_ : (f.columns - 1) * f.channels, sums = f.sum_size * f.rows;
    if (rolled) return f.in_size == 8 || f.sum_size == 8 ? 2 : 4;
    if (f.in_size == 8 || sums + beside > cmk_image_most_held_4_ || f.products > cmk_image_most_products_) return 2;
    return f.in_size == 4 || 2 * sums + beside > cmk_image_most_held_8_ ? 4 : 8;
}

/* The elements of a window, in whole chunks, that the first `columns` columns of the filter need. */
CMK_FOLDED_ int cmk_image_until_(cmk_image_sizes_ s, int columns)
{
    return columns == 0 ? 0 : cmk_image_up_(s.left - s.f.reach + (columns - 1) * s.f.channels + s.lanes, s.lanes);
}

/* Bytes of sums and windows in registers, in a step of `step` rows. A separable kernel uses a window up chunk by chunk.
 * The windows of others are used together, each coefficient once for all. Rolled, they are those of a group of `lanes`
 * columns. */
CMK_FOLDED_ int cmk_image_held_(cmk_image_sizes_ s, int step)
{
    const int chunks = s.window > 64 ? cmk_separable_held_wide_ : cmk_separable_held_;
    const int windows = step * (s.rolled ? cmk_image_until_(s, s.lanes) : s.window);
    return ((s.f.rows - 1 + step) * s.lanes + (s.f.separable ? chunks * s.lanes : windows)) * s.f.sum_size;
}

/* The rows of a step for which there is room: `stages` stages for the warps of a block, with the columns of its edges,
 * take at most 48 KB. That is the shared memory that a block has unless its kernel's limit is raised. For each element
 * of a row of the ring, each warp takes an int for its column, and in_size bytes in each of stages x step rows. */
CMK_FOLDED_ int cmk_image_room_(cmk_image_sizes_ s, int stages)
{
    return (49152 / (s.chunks * s.lanes) - cmk_image_warps_ * (int)sizeof(int)) /
           (stages * cmk_image_warps_ * s.f.in_size);
}

/* The steps of a ring that is not of few warps, where a step has `step` rows. */
CMK_FOLDED_ int cmk_image_stages_(cmk_image_sizes_ s, int step)
{
    return step > 2 ? 2 : step == 1 && s.chunk_bytes < 16 ? 4 : 3;
}

/* Whether the code of a step of `step` rows is too big to share an SM's cache with another one of its size. */
CMK_FOLDED_ int cmk_image_is_big_(cmk_image_sizes_ s, int step)
{
    return s.f.products * s.lanes * step > cmk_image_most_step_fmas_;
}

/* Whether a step may have `step` rows: by its code, its coefficients, registers and shared memory. */
CMK_FOLDED_ int cmk_image_fits_(cmk_image_sizes_ s, int step)
{
    return !cmk_image_is_big_(s, step) && s.f.products <= cmk_image_most_step_products_ &&
           cmk_image_held_(s, step) <= cmk_image_most_step_bytes_ &&
           step <= cmk_image_room_(s, cmk_image_stages_(s, step));
}

/* The rows of a step: up to 4, rolled up to 8, as far as sums and windows fit in registers and there is room for 2
 * stages. Elements of sums that stay from step to step are `sums`, and one more row takes `row` elements of sums and
 * windows. Registers suffice for `held` rows of a rolled step. Of all definitions a rolled step has 3 rows at least. A
 * step of 1 row is not asked about, as it always fits in 48 KB. The most is 35,840 bytes, of a separable filter of
 * radius 32 with 4 channels of 8 bytes: 3 stages of 4 rows of 2,560 bytes, and 4 x 320 ints. Beyond the other limits of
 * cmk_image_fits_ it is only slow. */
CMK_FOLDED_ int cmk_image_step_(cmk_image_sizes_ s)
{
    const int sums = (s.f.rows - 1) * s.lanes, row = s.lanes + cmk_image_until_(s, s.lanes);
    const int held = (cmk_conv2d_rolled_held_ / s.f.sum_size - sums) / row;
    if (s.rolled) return cmk_least_(cmk_conv2d_rolled_step_, cmk_least_(held, cmk_image_room_(s, 2)));
    return cmk_image_fits_(s, 4) ? 4 : cmk_image_fits_(s, 3) ? 3 : cmk_image_fits_(s, 2) ? 2 : 1;
}

/* The blocks of an SM, by the registers that sums and windows need. With fewer blocks, ptxas would keep loads of many
 * rows in registers. They are 8 at most, with which a thread still has 64 registers. */
CMK_FOLDED_ int cmk_image_blocks_(cmk_image_sizes_ s)
{
    const int registers = cmk_image_held_(s, s.step) / 4 + cmk_image_other_registers_;
    const int most = s.few ? cmk_image_few_blocks_ : cmk_image_registers_ / registers;
    if (s.direct && s.lanes == 8) return cmk_image_direct_blocks_8_;
    if (s.direct) return s.f.sum_size == 8 || s.f.rows <= 3 ? cmk_image_direct_blocks_fewer_ : cmk_image_direct_blocks_;
    return most > 8 ? 8 : most < 1 ? 1 : most;
}

/* The constants of the filter and of a row: of the window and of the ring. All others are 0 yet. The ring's row has the
 * 32 chunks of the strip, and those before and behind in whole sectors of 32 bytes. */
CMK_FOLDED_ cmk_image_sizes_ cmk_image_row_sizes_(cmk_filter_ f)
{
    cmk_image_sizes_ s = CMK_ZEROS_(cmk_image_sizes_);
    s.f = f;
    s.rolled = !f.separable && f.table_bytes > 0 &&
               (f.table_bytes > cmk_conv2d_rolled_bytes_ || f.products > cmk_conv2d_rolled_products_);
    s.lanes = cmk_image_lanes_(f, s.rolled);
    s.left = cmk_image_up_(f.reach, s.lanes);
    s.window = s.left + s.lanes + cmk_image_up_(f.beyond, s.lanes);
    s.before = cmk_image_up_(s.left * f.in_size, 32) / f.in_size;
    s.past = cmk_image_up_((s.window - s.left - s.lanes) * f.in_size, 32) / f.in_size;
    s.skipped = (s.before - s.left) / s.lanes;
    s.chunks = 32 + (s.before + s.past) / s.lanes;
    s.chunk_bytes = s.lanes * f.in_size;
    s.row_bytes = s.chunks * s.chunk_bytes;
    return s;
}

/* The constants of the direct way for a skewed image, where a row of a thread may begin up to s.lanes - 1 elements
 * further left, or further right, than another. Its windows have as many elements more, in whole chunks. */
CMK_FOLDED_ cmk_image_sizes_ cmk_image_skewed_(cmk_image_sizes_ s)
{
    s.left = cmk_image_up_(s.f.reach + s.lanes - 1, s.lanes);
    s.before = s.left;
    s.past = cmk_image_up_(s.f.beyond + s.lanes - 1, s.lanes);
    s.window = s.left + s.lanes + s.past;
    return s;
}

/* The elements of a row of the ring that windows need: those of 32 lanes, and what windows have beside these. */
CMK_FOLDED_ int cmk_image_needed_(cmk_image_sizes_ s)
{
    return 31 * s.lanes + s.window;
}

/* The constants of the kernel for rows that begin anywhere. All its warps are frame, and those of a block wait for each
 * other where a step has several rows. */
CMK_FOLDED_ cmk_image_sizes_ cmk_image_unaligned_(cmk_image_sizes_ s)
{
    s.unaligned = 1;
    s.alone = s.step > 1;
    return s;
}

/* All constants. Where memory alone is waited for, few warps with a ring of more stages, where there is room, read less
 * halo. The rows of a step share coefficients, so that sums are not in the order of the taps; those that must be have
 * steps of one row. Outputs of rows that begin anywhere go through the ring, so that they are no larger than its
 * elements. The ints behind the ring are one for each element of a row of the ring, for each of the four warps:
 * the column that the edge reads for that element (cmk_image_find_columns_ of fill.h). The direct way, of filters of up
 * to 5 x 5, has neither: windows come from global memory, and a thread has those columns in registers. */
CMK_FOLDED_ cmk_image_sizes_ cmk_image_sizes_of_(cmk_filter_ f)
{
    const int bytes = f.in_size + f.out_size;
    cmk_image_sizes_ s = cmk_image_row_sizes_(f);
    s.step = f.in_order && !f.separable ? 1 : cmk_image_step_(s);
    s.pending = f.rows - 1 + s.step;
    s.few = f.separable && f.products <= cmk_separable_light_ * bytes && s.step > 2 && s.chunk_bytes >= 16 &&
            s.step <= cmk_image_room_(s, 3);
    s.stages = s.few ? 3 : cmk_image_stages_(s, s.step);
    s.heavy = f.products > cmk_image_heavy_ * bytes;
    s.big = cmk_image_is_big_(s, s.step);
    s.alone =
        f.separable ? f.products <= cmk_separable_lightest_ * bytes : s.rolled || f.products > cmk_image_most_products_;
    s.direct = !f.separable && f.rows <= cmk_conv2d_direct_side_ && f.columns <= cmk_conv2d_direct_side_ &&
               (f.columns - 1) * f.channels <= cmk_conv2d_direct_beside_ &&
               f.products * s.lanes <= cmk_conv2d_direct_fmas_;
    s.has_unaligned = !s.direct && f.in_size >= 4 && f.out_size <= f.in_size &&
                      (f.separable || (f.products <= cmk_conv2d_unaligned_products_ &&
                                       cmk_image_held_(s, s.step) <= cmk_image_most_step_bytes_));
    s.blocks = cmk_image_blocks_(s);
    s.ring_bytes = s.stages * cmk_image_warps_ * s.step * s.row_bytes;
    s.shared_bytes = s.direct ? 0 : s.ring_bytes + cmk_image_warps_ * s.chunks * s.lanes * (int)sizeof(int);
    return s;
}

#endif
