/* kernel/planes/sizes.h: the constants of a definition whose volumes tensor cores filter.
 *
 * Each warp goes down the rows of a column of 16 windows, whose outputs lie side by side: 4 each, of filters of 5
 * columns, else 2; each has `deep` output planes. A step is a row of all input planes that these need. Two planes make
 * a pair: a row of the matrix A is a window of 8 columns of both, 16 halves. B has 8 columns for each row of outputs
 * that the step reaches: those of a window's outputs and of 2 planes, or 4; twice, for the first half of the output
 * planes and for the other. It holds the taps between, zeros elsewhere. A sample is the sum of two halves, high + low /
 * 2^11, and so is a tap, high + low: three products, high high + high low + low (high / 2^11), without that of the two
 * low ones. */
#ifndef CMK_KERNEL_PLANES_SIZES_H
#define CMK_KERNEL_PLANES_SIZES_H

#include "../mma/code.h"
#include "tune.h"

enum {
    cmk_planes_group_ = 128, /* threads that multiply together */
    cmk_planes_slots_most_ = 7,
    cmk_planes_pairs_most_ = 7,
    cmk_planes_items_most_ = 7,
    cmk_planes_chunks_most_ = 6
};

typedef struct {
    int on;                          /* whether there is the way at all */
    int planes, rows, columns, edge; /* of the filter */
    int outputs, spread;             /* of a window, side by side; planes of outputs that have 8 columns of B */
    int deep, pairs;                 /* planes of outputs of a warp, and the pairs of planes that they need */
    int later, kinds;                /* pairs until the other half of the outputs begins; pairs of one half */
    int width, lead;                 /* columns of a row as it is copied; before the first output */
    int window, twins;               /* columns of all windows; of these such that there is one 8 windows further */
    int mains, items;                /* of a thread in a step: twins of two planes, first those in whole warps */
    int chunks;                      /* of 16 bytes, of a thread in a step */
    int groups, threads, blocks;     /* of a block; of an SM */
    int step_bytes, halves_bytes, warp_bytes;          /* of a step as it is copied, as halves; of a warp */
    int part_bytes, table_bytes, tap_rows, taps_bytes; /* of half of k of a part of B; of B; taps as floats */
    int shared_bytes;
    int clocks; /* of a step of a group, of an SM: an estimate */
} cmk_planes_sizes_;

/* what a definition says */
typedef struct {
    int is_float, in_order, planes, rows, columns, edge;
} cmk_planes_filter_;

CMK_FOLDED_ cmk_planes_sizes_ cmk_planes_windows_of_(int planes, int rows, int columns)
{
    cmk_planes_sizes_ k = CMK_ZEROS_(cmk_planes_sizes_);
    k.planes = planes;
    k.rows = rows;
    k.columns = columns;
    k.outputs = columns <= 5 ? 4 : 2;
    k.spread = 8 / k.outputs;
    k.later = k.spread / 2;
    k.deep = 2 * k.spread;
    k.pairs = (k.deep + planes) / 2;
    k.kinds = (k.spread + planes) / 2;
    k.lead = 4 * ((columns / 2 + 3) / 4);
    k.window = 15 * k.outputs + 8;
    k.width = (k.lead - columns / 2 + k.window + 3) / 4 * 4;
    k.twins = k.window - 8 * k.outputs;
    k.mains = (k.pairs * 8 * k.outputs + 31) / 32;
    k.items = k.mains + (k.pairs * 8 + 31) / 32;
    k.chunks = (k.pairs * 2 * k.width / 4 + 31) / 32;
    return k;
}

CMK_FOLDED_ cmk_planes_sizes_ cmk_planes_sizes_of_(cmk_planes_filter_ f)
{
    const int rows = f.rows, taps = f.planes * rows * f.columns;
    cmk_planes_sizes_ k = cmk_planes_windows_of_(f.planes, rows, f.columns);
    k.edge = f.edge;
    k.groups = 16 * rows + 8 * k.pairs + 2 * k.items + 24 <= cmk_planes_registers_ ? 3 : 2;
    k.step_bytes = k.pairs * 2 * k.width * 4;
    k.part_bytes = k.kinds * rows * 128;
    k.table_bytes = 3 * 2 * k.part_bytes;
    k.tap_rows = (rows + 3) / 4 * 4;
    k.taps_bytes = (4 * k.tap_rows * f.planes * f.columns + 15) / 16 * 16;
    k.halves_bytes = 16 * k.pairs * k.twins;
    k.warp_bytes =
        cmk_planes_ahead_ * k.step_bytes + k.halves_bytes + (8 * k.pairs + 4 * k.width + k.step_bytes + 15) / 16 * 16;
    k.shared_bytes = k.table_bytes + k.taps_bytes + 4 * k.groups * k.warp_bytes;
    k.clocks = k.kinds * 6 * rows * cmk_planes_product_clocks_ / 10 + cmk_planes_step_clocks_;
    k.threads = cmk_planes_group_ * k.groups;
    k.blocks = 1;
    k.on = !CMK_DEBUG_ && f.is_float && !f.in_order && f.planes >= 3 && rows >= 5 && f.columns >= 3 &&
           taps >= (CMK_TENSOR ? (int)cmk_planes_least_ : (int)cmk_planes_least_taps_);
    return k;
}

#endif
