/* kernel/tensor/sizes.h: the constants of a filter that goes by wgmma on tensor cores.
 *
 * A row of an image in shared memory, as halves, is a matrix A as it stands. Row m of A is the window of outputs 8 m to
 * 8 m + 7, and the windows overlap. A step is two rows of the image, which reach `pending` rows of outputs. In each of
 * these, B has a column for each of the 8 outputs of a window. It holds the taps between the window and that output,
 * and zeros elsewhere. A pixel is the sum of two halves, high + low / 2^11, and a tap is that of two, high + low. There
 * are three products, high high + high low + low (high / 2^11), without that of the two low ones. Pixels that a half
 * holds need one half.
 *
 * In all functions here:
 *
 *   f, s.f       the filter (rows/filter.h), from which all follows. f.in_size and out_size are bytes of an
 *                element; in_kind is CMK_NUMBER_ of base.h: 1 for an integer, 4 for a float of 16 bits, 5 for
 *                float, 6 for double. A pixel of an image has f.channels elements. An output needs f.reach
 *                elements before its own place
 *   s, of        the constants so far; each function adds some to those that it gets
 *   pixel        here always one element of a row; all widths of rows and windows count these
 *   s.lead       pixels from the begin of a row of halves to the strip, a multiple of 4. Nothing needs the first
 *                s.shift of these. A row as it is copied begins s.skip more before them, with a chunk
 *   limits       conv2d.h refuses more than 33 rows or columns, and more than 4 channels. So a filter that is `on` has
 *                s.pending up to 34, s.windows up to 17, and s.width up to 640, a multiple of 8
 *   s.kept       then 4, or 8 of elements of 1 or 2 bytes. s.kept * f.in_size is at most 16 bytes
 *   s.raw_bytes  of a slot; cmk_tensor_move_bytes_ more than its rows have where s.moves
 *   16 bytes     s.raw_width elements, s.stage_bytes, s.table_bytes and s.taps_bytes are multiples of 16 bytes, so
 *                all rows, slots and stages begin at such a multiple. A stage has room for a step as it is, too
 *   cmk_image_up_(a, b)   a rounded up to a multiple of b, and 0 where a is below 0 (rows/image.h)
 *   f.           one_product: one product of halves instead of two, as the user allows; in_order: sums must be in the
 *                order of pixels; separable: two tables of one axis each; float_sums: sums are floats, not int
 *   tune.h       measured: cmk_tensor_columns_, 512 of a strip; slots_one_, 22; registers of a thread, 128 to 232;
 *                stages_, 4; ahead_, 4, and ahead_least_, 2; shared_most_, 225 KB; the least taps, 81
 *                (least_products_) or 16 (least_taps_); clocks
 *   mma/code.h   cmk_mma_core_bytes_: 128, of a block of 8 rows of A or columns of B, 8 halves each.
 *                cmk_mma_shared_least_: 48 KB + 16, from which on launchers raise the limit. CMK_TENSOR: 1 to go this
 *                way where it does not pay, too
 *   base.h       CMK_FOLDED_: a host and device function, a constant for constant arguments. CMK_ZEROS_(T): a T of
 *                zeros
 *
 * In kernels all functions are evaluated at compile time, by cmk_ways_of_ (ways.h). The launcher on the host calls
 * them too. Where `on` is 0 no block uses the other constants. */
#ifndef CMK_KERNEL_TENSOR_SIZES_H
#define CMK_KERNEL_TENSOR_SIZES_H

#include "../mma/code.h"
#include "../rows/filter.h"
#include "tune.h"

/* Threads of a group, its 4 warps, and groups of a block. */
enum { cmk_tensor_group_ = 128, cmk_tensor_groups_ = 2 };

/* Columns of a warp in a strip: 16 rows of A, 8 outputs each. A thread has two such rows, which are 8 rows apart. */
enum { cmk_tensor_warp_columns_ = cmk_tensor_columns_ / 4, cmk_tensor_apart_ = cmk_tensor_warp_columns_ / 2 };

/* Bytes of a slot behind its two rows, where rows may be moved: 16 for the lead of each, and a note of each. With 128
 * rows lie in the same banks of shared memory as without them. */
enum { cmk_tensor_move_bytes_ = 128 };

/* The constants of a definition as its functions get them, all known at compile time. */
typedef struct {
    cmk_filter_ f;
    int on;                                /* whether the filter can go this way at all */
    int products, planes, tap_planes;      /* products of halves that are added; halves of a pixel; halves of a tap */
    int adapts;                            /* whether pixels get a scale from the largest of a step */
    int pending, parts, columns;           /* rows of outputs under way; parts of these; columns of B of a part */
    int keeps;                             /* whether sums may stay in accumulators, where all pixels have one scale */
    int kept;                              /* pixels that a lane takes at once, where these stand as they are */
    int windows;                           /* blocks of 8 pixels of a window */
    int lead, shift, skip;                 /* pixels of a window before its output; of these unneeded; copied before */
    int width, raw_width;                  /* pixels of a row of halves; of a row as it is copied */
    int moves;                             /* whether rows that are not aligned are moved as they are written */
    int producers, threads, blocks;        /* producer warps of a group; threads of a block; blocks of an SM */
    int registers;                         /* registers of a thread that multiplies, 0 where as many as of others */
    int stages, ahead;                     /* stages of a group; steps that a producer warp has copied ahead */
    int fours, together;                   /* fours of pixels of a lane in a step; those that it looks at together */
    int row_bytes, stage_bytes, raw_bytes; /* bytes of a row of halves, of a step of these, of a step as copied */
    int table_bytes, taps_bytes, tap_rows; /* bytes of all B; bytes of the taps as floats; floats of a column */
    int group_bytes, shared_bytes;
    int clocks, begin_clocks; /* clocks of an SM for a step, and to begin: estimates */
} cmk_tensor_sizes_;

/* Rows of outputs under way: those that a step of two rows reaches, which are the `rows` of the filter and one more.
 * They are rounded up to an even number, 36 at most. B of a part has 8 columns for each of its slots: 16 to 176 in
 * steps of 16, or with two parts 96 to 144 in steps of 8. All these numbers have products in mma/group.h. Of 33 to 36
 * slots it has 34 and 36. */
CMK_FOLDED_ int cmk_tensor_slots_(int rows)
{
    const int pending = cmk_image_up_(rows + 1, 2);
    return pending <= 32 || pending == 34 ? pending : 36;
}

/* The constants of pixels and taps as halves. Floats and integers of 16 bits need two halves a pixel. Integers need no
 * scale that depends on a step. Kinds: 1 is an integer, 5 float. */
CMK_FOLDED_ cmk_tensor_sizes_ cmk_tensor_halves_of_(cmk_filter_ f)
{
    cmk_tensor_sizes_ s = CMK_ZEROS_(cmk_tensor_sizes_);
    s.f = f;
    s.blocks = 1;
    s.planes = f.in_kind == 5 || (f.in_kind == 1 && f.in_size == 2) ? 2 : 1;
    s.products = s.planes == 2 ? 3 : f.one_product ? 1 : 2;
    s.tap_planes = s.products;
    s.adapts = f.in_kind != 1;
    return s;
}

/* Adds the constants of a window, and of rows in shared memory. A chunk is the elements of 16 bytes, which are copied
 * at once. */
CMK_FOLDED_ cmk_tensor_sizes_ cmk_tensor_windows_of_(cmk_filter_ f)
{
    const int chunk = 16 / f.in_size;
    cmk_tensor_sizes_ s = cmk_tensor_halves_of_(f);
    s.lead = cmk_image_up_(f.reach, 4);
    s.shift = s.lead - f.reach;
    s.skip = cmk_image_up_(s.lead, chunk) - s.lead;
    s.windows = cmk_image_up_((f.columns - 1) * f.channels + 8 + s.shift, 8) / 8;
    s.width = cmk_tensor_columns_ + (s.windows - 1) * 8;
    s.raw_width = cmk_image_up_(s.skip + s.width, chunk);
    s.pending = cmk_tensor_slots_(f.rows);
    s.parts = s.pending <= cmk_tensor_slots_one_ ? 1 : 2;
    s.columns = s.pending * 8 / s.parts;
    s.keeps = s.products == 1 && s.parts == 2;
    s.kept = s.keeps || (f.in_size == 1 && s.products == 2) ? 8 : 4;
    return s;
}

/* Adds the constants of threads and their registers, where a group has `producers` producer warps, 2 or 4. A thread
 * that multiplies needs registers for sums, for products of a part, and others. Where `fewest`, which all threads have
 * at launch, are enough, s.registers is 0. A lane has s.fours fours of the 2 s.width pixels of a step, rounded up: at
 * most 10. Of them s.together are held at once: all, or 5 or 3, the fewer the more registers sums take. */
CMK_FOLDED_ cmk_tensor_sizes_ cmk_tensor_threads_of_(cmk_tensor_sizes_ of, int producers)
{
    const int needed = (of.pending - 2) * 4 + of.columns / 2 + cmk_tensor_other_registers_;
    const int fewest = producers == 4 ? (int)cmk_tensor_registers_ : (int)cmk_tensor_registers_more_;
    cmk_tensor_sizes_ s = of;
    s.producers = producers;
    s.threads = cmk_tensor_groups_ * (cmk_tensor_group_ + 32 * producers);
    s.registers = needed <= fewest                       ? 0
                  : needed <= cmk_tensor_registers_more_ ? (int)cmk_tensor_registers_more_
                  : needed <= cmk_tensor_registers_many_ ? (int)cmk_tensor_registers_many_
                                                         : (int)cmk_tensor_registers_most_;
    s.fours = cmk_image_up_(s.width, 64) / 64;
    s.together = s.registers == 0 ? s.fours : s.registers == cmk_tensor_registers_most_ ? 3 : 5;
    return s;
}

/* Bytes of a group in shared memory: its stages, and of each producer warp `ahead` steps as copied. */
CMK_FOLDED_ int cmk_tensor_group_bytes_of_(cmk_tensor_sizes_ s, int stages, int ahead)
{
    return stages * s.stage_bytes + s.producers * ahead * s.raw_bytes;
}

/* Adds whether rows that are not aligned are moved: those of floats, where the group's slots, which take more for that,
 * still fit in `room`. */
CMK_FOLDED_ cmk_tensor_sizes_ cmk_tensor_moves_of_(cmk_tensor_sizes_ of, int room)
{
    cmk_tensor_sizes_ s = of;
    s.raw_bytes = of.raw_bytes + cmk_tensor_move_bytes_;
    s.group_bytes = cmk_tensor_group_bytes_of_(s, s.stages, s.ahead);
    s.moves = 1;
    return s.f.in_size == 4 && s.group_bytes <= room ? s : of;
}

/* Adds the constants of threads and shared memory of a filter whose taps leave `room` bytes to a group. A group has
 * more producer warps where registers and shared memory suffice. s.stages becomes 4, or 2 where these do not fit,
 * always a multiple of s.producers. s.ahead becomes 2 to 4. If even these exceed `room`, s.on will be 0. */
CMK_FOLDED_ cmk_tensor_sizes_ cmk_tensor_groups_of_(cmk_tensor_sizes_ of, int room)
{
    cmk_tensor_sizes_ s = cmk_tensor_threads_of_(of, 4);
    if (s.registers > cmk_tensor_registers_more_ ||
        cmk_tensor_group_bytes_of_(s, cmk_tensor_stages_, cmk_tensor_ahead_least_) > room)
        s = cmk_tensor_threads_of_(of, 2);
    s.stages = cmk_tensor_stages_;
    if (cmk_tensor_group_bytes_of_(s, s.stages, cmk_tensor_ahead_least_) > room) s.stages = s.producers;
    s.ahead = cmk_tensor_ahead_;
    while (s.ahead > cmk_tensor_ahead_least_ && cmk_tensor_group_bytes_of_(s, s.stages, s.ahead) > room) --s.ahead;
    s.group_bytes = cmk_tensor_group_bytes_of_(s, s.stages, s.ahead);
    return cmk_tensor_moves_of_(s, room);
}

/* All constants of a filter: those above, then bytes of shared memory, estimates of time, and whether it goes this way.
 * A step has four clocks for each product, block of a window and slot, beside cmk_tensor_step_clocks_. */
CMK_FOLDED_ cmk_tensor_sizes_ cmk_tensor_sizes_of_(cmk_filter_ f)
{
    cmk_tensor_sizes_ s = cmk_tensor_windows_of_(f);
    s.row_bytes = 2 * s.width;
    s.stage_bytes = s.planes * 2 * s.row_bytes;
    s.raw_bytes = cmk_image_up_(2 * s.raw_width * f.in_size, 16);
    s.table_bytes = s.tap_planes * s.windows * 2 * s.pending * cmk_mma_core_bytes_;
    s.tap_rows = cmk_image_up_(f.rows, 4);
    s.taps_bytes = cmk_image_up_(4 * s.tap_rows * f.columns, 128);
    s = cmk_tensor_groups_of_(s, (cmk_tensor_shared_most_ - s.table_bytes - s.taps_bytes) / cmk_tensor_groups_);
    s.shared_bytes = s.table_bytes + s.taps_bytes + cmk_tensor_groups_ * s.group_bytes;
    s.shared_bytes = s.shared_bytes < cmk_mma_shared_least_ ? (int)cmk_mma_shared_least_ : s.shared_bytes;
    s.clocks = s.products * s.windows * s.pending * 4 + cmk_tensor_step_clocks_;
    s.begin_clocks =
        s.table_bytes / 16 * cmk_tensor_table_clocks_ + cmk_tensor_begin_steps_ * (int)cmk_tensor_groups_ * s.clocks;
    s.on = !f.separable && !f.in_order && f.float_sums && f.in_kind != 6 &&
           f.rows * f.columns >= (CMK_TENSOR ? (int)cmk_tensor_least_taps_ : (int)cmk_tensor_least_products_) &&
           s.shared_bytes <= cmk_tensor_shared_most_;
    return s;
}

#endif
