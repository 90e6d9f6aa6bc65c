/* kernel/image/sizes.h: the constants of a definition.
 *
 * A window is the part of a row that the outputs of a lane need, as sums: `left` elements before its own, `right`
 * behind, in chunks of `lanes` elements. A row of the ring begins and ends at a multiple of 32 bytes, in global and in
 * shared memory, so that its copies move whole sectors. */
#ifndef CMK_KERNEL_IMAGE_SIZES_H
#define CMK_KERNEL_IMAGE_SIZES_H

#include "../../base.h"
#include "../../edge.h"
#include "../bytes/sizes.h"
#include "../sweep/sizes.h"
#include "../tensor/sizes.h"
#include "region.h"
#include "tune.h"

/* what a definition says */
typedef struct {
    int in_size, sum_size, out_size, out_bits; /* bytes of an element; bits of an integer out, negative where signed */
    int channels, edge, outside;               /* whether what stands for the outside is more than a zero */
    int separable, rows, columns, row, column; /* of the filter, and its anchor */
    int flipped, table_bytes;                  /* whether the table is turned; of a table in memory, 0 of a LITERAL */
    int in_kind, float_sums, way;              /* for tensor cores: see tensor/sizes.h */
} cmk_image_filter_;

/* the ways of tensor cores that a definition may have, of the engines in bytes/, sweep/ and tensor/ */
enum { cmk_way_none_, cmk_way_bands_, cmk_way_bytes_, cmk_way_sweep_, cmk_way_rows_ };

/* the constants of a definition as its functions get them: in elements unless they are bytes or flags */
typedef struct {
    int in_size, out_size, chunk_bytes, row_bytes; /* of an element, a chunk, a row of the ring */
    int out_bits;                                  /* of an integer out, negative where it is signed */
    int rows, columns, products, separable;        /* of the filter */
    int row, flipped, channels;                    /* rows above an output that it needs; whether the table is turned */
    int lanes, step, stages, pending;              /* of a lane; rows of a step, steps of the ring, rows of sums */
    int reach, beyond, left, window;               /* what the filter needs before and behind; of the window */
    int before, past, skipped, chunks;             /* of a row of the ring: before and behind a strip; chunks */
    int edge, zeros;                               /* whether all outside is zero */
    int direct, rolled;                            /* the way; whether columns are a loop */
    int alone;                                     /* whether all is frame where any is */
    int few, heavy, big;                           /* for the plan: see tune.h */
    int blocks;                                    /* of an SM that the compiler leaves room for */
    int ring_bytes, shared_bytes;                  /* shared memory of a block: its ring, and in all */
    cmk_tensor_sizes_ tensor;
    cmk_bytes_sizes_ bytes;
    cmk_sweep_sizes_ sweep;
    int tensor_way;                    /* the way of tensor cores, one of cmk_way_; of its kernel: */
    int tensor_threads, tensor_blocks; /* threads of a block, blocks of an SM */
} cmk_image_sizes_;

/* Elements of a lane: 16 bytes of float or half, as far as the sums fit in registers, with the elements of windows that
 * are not the lane's own, and the code in the instruction cache. Rolled: 4, 2 with doubles. */
CMK_FOLDED_ int cmk_image_lanes_(cmk_image_filter_ f, int products, int rolled)
{
    const int beside = f.separable ? cmk_separable_beside_ : (f.columns - 1) * f.channels, sums = f.sum_size * f.rows;
    if (rolled) return f.in_size == 8 || f.sum_size == 8 ? 2 : 4;
    if (f.in_size == 8 || sums + beside > cmk_image_most_held_4_ || products > cmk_image_most_products_) return 2;
    return f.in_size == 4 || 2 * sums + beside > cmk_image_most_held_8_ ? 4 : 8;
}

/* elements of a window, whole chunks, that the first columns of the filter need */
CMK_FOLDED_ int cmk_image_until_(cmk_image_sizes_ k, int columns)
{
    return columns == 0 ? 0 : cmk_image_up_(k.left - k.reach + (columns - 1) * k.channels + k.lanes, k.lanes);
}

/* Bytes of sums and windows in registers, in a step of so many rows. A separable kernel uses a window up chunk by
 * chunk; the windows of others are used together, each coefficient once for all; rolled, those of a group of `lanes`
 * columns. */
CMK_FOLDED_ int cmk_image_held_(cmk_image_sizes_ k, int sum_size, int step)
{
    const int chunks = k.window > 64 ? cmk_separable_held_wide_ : cmk_separable_held_;
    const int windows = step * (k.rolled ? cmk_image_until_(k, k.lanes) : k.window);
    return ((k.rows - 1 + step) * k.lanes + (k.separable ? chunks * k.lanes : windows)) * sum_size;
}

/* the rows of a step of which so many stages, for the warps of a block, with the columns of its edges take 48 KB */
CMK_FOLDED_ int cmk_image_room_(cmk_image_sizes_ k, int stages)
{
    return (49152 / (k.chunks * k.lanes) - cmk_image_warps_ * (int)sizeof(int)) /
           (stages * cmk_image_warps_ * k.in_size);
}

/* steps of a ring that is not of few warps */
CMK_FOLDED_ int cmk_image_stages_(cmk_image_sizes_ k, int step)
{
    return step > 2 ? 2 : step == 1 && k.chunk_bytes < 16 ? 4 : 3;
}

CMK_FOLDED_ int cmk_image_is_big_(cmk_image_sizes_ k, int step)
{
    return k.products * k.lanes * step > cmk_image_most_step_fmas_;
}

CMK_FOLDED_ int cmk_image_fits_(cmk_image_sizes_ k, int sum_size, int step)
{
    return !cmk_image_is_big_(k, step) && k.products <= cmk_image_most_step_products_ &&
           cmk_image_held_(k, sum_size, step) <= cmk_image_most_step_bytes_ &&
           step <= cmk_image_room_(k, cmk_image_stages_(k, step));
}

/* Rows of a step: up to 4, rolled up to 8, as far as sums and windows fit in registers and there is room for 2 stages.
 */
CMK_FOLDED_ int cmk_image_step_(cmk_image_sizes_ k, int sum_size)
{
    const int sums = (k.rows - 1) * k.lanes, row = k.lanes + cmk_image_until_(k, k.lanes);
    const int held = (cmk_conv2d_rolled_held_ / sum_size - sums) / row;
    if (k.rolled) return cmk_least_(cmk_conv2d_rolled_step_, cmk_least_(held, cmk_image_room_(k, 2)));
    return cmk_image_fits_(k, sum_size, 4)   ? 4
           : cmk_image_fits_(k, sum_size, 3) ? 3
           : cmk_image_fits_(k, sum_size, 2) ? 2
                                             : 1;
}

/* the blocks of an SM, by the registers that sums and windows need: with fewer, ptxas would keep loads of many rows in
 * registers */
CMK_FOLDED_ int cmk_image_blocks_(cmk_image_sizes_ k, int sum_size)
{
    const int registers = cmk_image_held_(k, sum_size, k.step) / 4 + cmk_image_other_registers_;
    const int most = k.few ? cmk_image_few_blocks_ : cmk_image_registers_ / registers;
    if (k.direct && k.lanes == 8) return cmk_image_direct_blocks_8_;
    if (k.direct) return sum_size == 8 ? cmk_image_direct_blocks_double_ : cmk_image_direct_blocks_;
    return most > 8 ? 8 : most < 1 ? 1 : most;
}

/* the filter, its ways, and the row: of the window and of the ring */
CMK_FOLDED_ cmk_image_sizes_ cmk_image_row_sizes_(cmk_image_filter_ f)
{
    const int column = f.flipped ? f.columns - 1 - f.column : f.column;
    cmk_image_sizes_ k = CMK_ZEROS_(cmk_image_sizes_);
    k.in_size = f.in_size;
    k.out_size = f.out_size;
    k.out_bits = f.out_bits;
    k.rows = f.rows;
    k.columns = f.columns;
    k.products = f.separable ? f.rows + f.columns : f.rows * f.columns;
    k.separable = f.separable;
    k.row = f.flipped ? f.rows - 1 - f.row : f.row;
    k.flipped = f.flipped;
    k.channels = f.channels;
    k.edge = f.edge;
    k.zeros = f.edge == CMK_EDGE_ZERO && !f.outside;
    k.rolled = !f.separable && f.table_bytes > 0 &&
               (f.table_bytes > cmk_conv2d_rolled_bytes_ || k.products > cmk_conv2d_rolled_products_);
    k.lanes = cmk_image_lanes_(f, k.products, k.rolled);
    k.reach = column * f.channels;
    k.beyond = (f.columns - 1 - column) * f.channels;
    k.left = cmk_image_up_(k.reach, k.lanes);
    k.window = k.left + k.lanes + cmk_image_up_(k.beyond, k.lanes);
    k.before = cmk_image_up_(k.left * k.in_size, 32) / k.in_size;
    k.past = cmk_image_up_((k.window - k.left - k.lanes) * k.in_size, 32) / k.in_size;
    k.skipped = (k.before - k.left) / k.lanes;
    k.chunks = 32 + (k.before + k.past) / k.lanes;
    k.chunk_bytes = k.lanes * k.in_size;
    k.row_bytes = k.chunks * k.chunk_bytes;
    return k;
}

/* the ways of tensor cores */
CMK_FOLDED_ cmk_image_sizes_ cmk_image_tensor_sizes_(cmk_image_sizes_ k, cmk_image_filter_ f)
{
    const int column = f.flipped ? f.columns - 1 - f.column : f.column;
    const cmk_tensor_filter_ t = {f.in_size, f.in_kind, f.float_sums, f.channels, f.rows, f.columns, k.reach, f.way};
    const int light = !CMK_TENSOR && k.products <= cmk_bytes_light_ * (f.in_size + f.out_size);
    const cmk_bytes_filter_ b = {f.in_kind == 1 && f.in_size == 1,
                                 f.out_bits != 0 ? f.out_size : 0,
                                 f.float_sums,
                                 light,
                                 f.rows,
                                 f.columns,
                                 k.row,
                                 column,
                                 f.channels,
                                 f.separable,
                                 f.way & 2};
    k.bytes = cmk_bytes_sizes_of_(b);
    k.tensor = cmk_tensor_sizes_of_(t);
    k.tensor.on = k.tensor.on && !k.bytes.on && !f.separable;
    const cmk_sweep_filter_ w = {f.in_kind,  f.in_size,   f.float_sums, f.out_bits,
                                 f.channels, f.separable, column,       f.way & 2};
    k.sweep = cmk_sweep_sizes_of_(w);
    k.sweep.on = k.sweep.on && !k.bytes.on;
    k.tensor_way = CMK_DEBUG_                    ? cmk_way_none_
                   : k.bytes.on && k.bytes.bands ? cmk_way_bands_
                   : k.bytes.on                  ? cmk_way_bytes_
                   : k.sweep.on                  ? cmk_way_sweep_
                   : k.tensor.on                 ? cmk_way_rows_
                                                 : cmk_way_none_;
    k.tensor_threads = k.bytes.on ? (int)cmk_image_threads_ : k.sweep.on ? k.sweep.threads : k.tensor.threads;
    k.tensor_blocks = k.bytes.on ? k.bytes.blocks : k.sweep.on ? k.sweep.blocks : 1;
    return k;
}

/* Where memory alone is waited for, few warps with a ring of more stages, where there is room, read less halo. The rows
 * of a step share coefficients, so that sums are not in the order of the taps: those that must be have steps of one. */
CMK_FOLDED_ cmk_image_sizes_ cmk_image_sizes_of_(cmk_image_filter_ f)
{
    const int bytes = f.in_size + f.out_size;
    cmk_image_sizes_ k = cmk_image_row_sizes_(f);
    k.step = (f.way & 2) && !f.separable ? 1 : cmk_image_step_(k, f.sum_size);
    k.pending = k.rows - 1 + k.step;
    k.few = k.separable && k.products <= cmk_separable_light_ * bytes && k.step > 2 && k.chunk_bytes >= 16 &&
            k.step <= cmk_image_room_(k, 3);
    k.stages = k.few ? 3 : cmk_image_stages_(k, k.step);
    k.heavy = k.products > cmk_image_heavy_ * bytes;
    k.big = cmk_image_is_big_(k, k.step);
    k.alone =
        k.separable ? k.products <= cmk_separable_lightest_ * bytes : k.rolled || k.products > cmk_image_most_products_;
    k.direct = !k.separable && k.rows <= cmk_conv2d_direct_side_ && k.columns <= cmk_conv2d_direct_side_ &&
               (k.columns - 1) * k.channels <= cmk_conv2d_direct_beside_ &&
               k.products * k.lanes <= cmk_conv2d_direct_fmas_;
    k.blocks = cmk_image_blocks_(k, f.sum_size);
    k.ring_bytes = k.stages * cmk_image_warps_ * k.step * k.row_bytes;
    k.shared_bytes = k.direct ? 0 : k.ring_bytes + cmk_image_warps_ * k.chunks * k.lanes * (int)sizeof(int);
    return cmk_image_tensor_sizes_(k, f);
}

#endif
