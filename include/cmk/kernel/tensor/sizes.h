/* kernel/tensor/sizes.h: the constants of a definition that tensor cores filter.
 *
 * A row of an image in shared memory, as halves, is a matrix A as it stands: row m of A is the window of outputs 8 m to
 * 8 m + 7, and the windows overlap. B has a column for each of these 8 outputs in each of the `pending` rows of outputs
 * that two rows of the image, a step, reach; it holds the taps between the window and that output, zeros elsewhere. A
 * pixel is the sum of two halves, high + low / 2^11, and so is a tap, high + low: three products, high high + high low
 * + low (high / 2^11), without that of the two low ones. Pixels that a half holds need one half. */
#ifndef CMK_KERNEL_TENSOR_SIZES_H
#define CMK_KERNEL_TENSOR_SIZES_H

#include "../mma/code.h"
#include "../rows/filter.h"
#include "tune.h"

/* threads of a group, and groups of a block */
enum { cmk_tensor_group_ = 128, cmk_tensor_groups_ = 2 };

/* the constants of a definition as its functions get them */
typedef struct {
    cmk_filter_ f;
    int on;                                /* whether there is the way at all */
    int products, planes, tap_planes;      /* of halves; halves of a pixel, of a tap */
    int adapts;                            /* whether pixels get a scale from the largest of a step */
    int pending, parts, columns;           /* rows of outputs, in so many parts; columns of B of a part */
    int keeps;                             /* whether sums may stay in the tensor cores, of pixels of one scale */
    int kept;                              /* pixels that a lane takes at once, where these stand as they are */
    int windows;                           /* blocks of 8 pixels of a window */
    int lead, shift, skip;                 /* pixels before an output in its window; of these unneeded; copied before */
    int width, raw_width;                  /* of a row of halves; of one as it is copied */
    int providers, threads, blocks;        /* warps that provide a group with rows; of a block; blocks of an SM */
    int registers;                         /* of a thread that multiplies, where it needs more than others */
    int stages, ahead;                     /* of a group; steps that a warp has copied ahead */
    int fours, together;                   /* of pixels, in a lane's part of a step; which it looks at together */
    int row_bytes, stage_bytes, raw_bytes; /* of a row of halves, those of a step, a step as it is copied */
    int table_bytes, taps_bytes, tap_rows; /* of B; of the taps as floats, columns of so many */
    int group_bytes, shared_bytes;
    int clocks, begin_clocks; /* of a step and of the beginning, of an SM: estimates */
} cmk_tensor_sizes_;

/* rows of outputs: those that a step of two rows reaches, an even number, or of parts of 8 columns each */
CMK_FOLDED_ int cmk_tensor_slots_(int rows)
{
    const int pending = cmk_image_up_(rows + 1, 2);
    return pending <= 32 || pending == 34 ? pending : 36;
}

/* pixels and taps */
CMK_FOLDED_ cmk_tensor_sizes_ cmk_tensor_halves_of_(cmk_filter_ f)
{
    cmk_tensor_sizes_ k = CMK_ZEROS_(cmk_tensor_sizes_);
    k.f = f;
    k.blocks = 1;
    k.planes = f.in_kind == 5 || (f.in_kind == 1 && f.in_size == 2) ? 2 : 1;
    k.products = k.planes == 2 ? 3 : f.one_product ? 1 : 2;
    k.tap_planes = k.products;
    k.adapts = f.in_kind != 1;
    return k;
}

/* the window and the rows of shared memory */
CMK_FOLDED_ cmk_tensor_sizes_ cmk_tensor_windows_of_(cmk_filter_ f)
{
    const int chunk = 16 / f.in_size;
    cmk_tensor_sizes_ k = cmk_tensor_halves_of_(f);
    k.lead = cmk_image_up_(f.reach, 4);
    k.shift = k.lead - f.reach;
    k.skip = cmk_image_up_(k.lead, chunk) - k.lead;
    k.windows = cmk_image_up_((f.columns - 1) * f.channels + 8 + k.shift, 8) / 8;
    k.width = cmk_tensor_columns_ + (k.windows - 1) * 8;
    k.raw_width = cmk_image_up_(k.skip + k.width, chunk);
    k.pending = cmk_tensor_slots_(f.rows);
    k.parts = k.pending <= cmk_tensor_slots_one_ ? 1 : 2;
    k.columns = k.pending * 8 / k.parts;
    k.keeps = k.products == 1 && k.parts == 2;
    k.kept = k.keeps || (f.in_size == 1 && k.products == 2) ? 8 : 4;
    return k;
}

/* the threads, where so many warps provide a group with rows, and their registers */
CMK_FOLDED_ cmk_tensor_sizes_ cmk_tensor_threads_of_(cmk_tensor_sizes_ of, int providers)
{
    const int needed = (of.pending - 2) * 4 + of.columns / 2 + cmk_tensor_other_registers_;
    const int fewest = providers == 4 ? (int)cmk_tensor_registers_ : (int)cmk_tensor_registers_more_;
    cmk_tensor_sizes_ k = of;
    k.providers = providers;
    k.threads = cmk_tensor_groups_ * (cmk_tensor_group_ + 32 * providers);
    k.registers = needed <= fewest                       ? 0
                  : needed <= cmk_tensor_registers_more_ ? (int)cmk_tensor_registers_more_
                  : needed <= cmk_tensor_registers_many_ ? (int)cmk_tensor_registers_many_
                                                         : (int)cmk_tensor_registers_most_;
    k.fours = cmk_image_up_(k.width, 64) / 64;
    k.together = k.registers == 0 ? k.fours : k.registers == cmk_tensor_registers_most_ ? 3 : 5;
    return k;
}

CMK_FOLDED_ int cmk_tensor_group_bytes_of_(cmk_tensor_sizes_ k, int stages, int ahead)
{
    return stages * k.stage_bytes + k.providers * ahead * k.raw_bytes;
}

/* the threads and shared memory of a filter, of which the taps leave a group so much: more warps that provide rows
 * where registers and shared memory suffice */
CMK_FOLDED_ cmk_tensor_sizes_ cmk_tensor_groups_of_(cmk_tensor_sizes_ of, int room)
{
    cmk_tensor_sizes_ k = cmk_tensor_threads_of_(of, 4);
    if (k.registers > cmk_tensor_registers_more_ ||
        cmk_tensor_group_bytes_of_(k, cmk_tensor_stages_, cmk_tensor_ahead_least_) > room)
        k = cmk_tensor_threads_of_(of, 2);
    k.stages = cmk_tensor_stages_;
    if (cmk_tensor_group_bytes_of_(k, k.stages, cmk_tensor_ahead_least_) > room) k.stages = k.providers;
    k.ahead = cmk_tensor_ahead_;
    while (k.ahead > cmk_tensor_ahead_least_ && cmk_tensor_group_bytes_of_(k, k.stages, k.ahead) > room) --k.ahead;
    k.group_bytes = cmk_tensor_group_bytes_of_(k, k.stages, k.ahead);
    return k;
}

CMK_FOLDED_ cmk_tensor_sizes_ cmk_tensor_sizes_of_(cmk_filter_ f)
{
    cmk_tensor_sizes_ k = cmk_tensor_windows_of_(f);
    k.row_bytes = 2 * k.width;
    k.stage_bytes = k.planes * 2 * k.row_bytes;
    k.raw_bytes = cmk_image_up_(2 * k.raw_width * f.in_size, 16);
    k.table_bytes = k.tap_planes * k.windows * 2 * k.pending * 128;
    k.tap_rows = cmk_image_up_(f.rows, 4);
    k.taps_bytes = cmk_image_up_(4 * k.tap_rows * f.columns, 128);
    k = cmk_tensor_groups_of_(k, (cmk_tensor_shared_most_ - k.table_bytes - k.taps_bytes) / cmk_tensor_groups_);
    k.shared_bytes = k.table_bytes + k.taps_bytes + cmk_tensor_groups_ * k.group_bytes;
    k.shared_bytes = k.shared_bytes < cmk_mma_shared_least_ ? (int)cmk_mma_shared_least_ : k.shared_bytes;
    k.clocks = k.products * k.windows * k.pending * 4 + cmk_tensor_step_clocks_;
    k.begin_clocks =
        k.table_bytes / 16 * cmk_tensor_table_clocks_ + cmk_tensor_begin_steps_ * (int)cmk_tensor_groups_ * k.clocks;
    k.on = !f.separable && !f.in_order && f.float_sums && f.in_kind != 6 &&
           f.rows * f.columns >= (CMK_TENSOR ? (int)cmk_tensor_least_taps_ : (int)cmk_tensor_least_products_) &&
           k.shared_bytes <= cmk_tensor_shared_most_;
    return k;
}

#endif
