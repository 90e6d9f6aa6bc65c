/* kernel/planes/sizes.h: the constants of a definition whose volumes tensor cores filter.
 *
 * Each warp goes down the rows of 16 windows that stand side by side. A window has 4 outputs side by side where the
 * filter has up to 5 columns, else 2, and that in `deep` output planes. A step is a row of all input planes that these
 * need.
 *
 * Two planes make a pair. A row of the matrix A is a window of 8 columns of both planes, which is 16 halves. For each
 * row of outputs that the step reaches, B has 8 columns: the outputs of a window in 2 planes, or in 4. There are two
 * such sets, for the first half of the output planes and for the other. B holds the taps between, and zeros elsewhere.
 *
 * A sample is the sum of two halves, high + low / 2^11. A tap is high + low. Their product is the sum of three: high x
 * high, high x low, and low x (high / 2^11). The product of the two low halves is left out.
 *
 * In all functions here:
 *
 *   f            what the definition says; f.edge as in edge.h, for planes, rows and columns together
 *   s            the constants; all counts of columns and planes are in samples, and bytes are in shared memory.
 *                s.width is a multiple of 4 and s.twins is even. So all parts of shared memory have multiples of 16
 *                bytes, and each begins at such a multiple
 *   CMK_TENSOR   1 asks for tensor cores wherever they are possible (mma/code.h). CMK_DEBUG_: 1 with nvcc -G
 *   rounding     (n + 3) / 4 * 4 and the like round n up, as does (deep + planes) / 2, the pairs of deep + planes - 1
 *                planes
 *   tune.h       has the constants that were measured: cmk_planes_ahead_, the 4 steps of a ring; _registers_, _least_
 *                and _clocks_ names
 *   mma/code.h   cmk_mma_core_bytes_: 128, bytes of 8 rows (or columns of B) of 8 halves. cmk_mma_shared_least_: 48
 *                KB + 16, from which on launchers raise the limit
 *   base.h       CMK_FOLDED_: a host and device function, a constant for constant arguments. CMK_ZEROS_(T): a T of
 *                zeros
 *
 * In kernels all functions are evaluated at compile time, by name_planes_ of conv3d.h. The launcher on the host calls
 * them too. */
#ifndef CMK_KERNEL_PLANES_SIZES_H
#define CMK_KERNEL_PLANES_SIZES_H

#include "../mma/code.h"
#include "tune.h"

enum {
    cmk_planes_group_ = 128, /* threads that multiply together: 4 warps */
    /* Bounds for arrays of a thread, over all definitions: of s.rows, s.pairs, s.items and s.chunks. The compiler
     * refuses a filter of more than 7 planes, rows or columns (CMK_CONV3D_SIDE_, conv3d.h). With 7 planes and up to 5
     * columns s.pairs, s.items and s.chunks are 5, 5 + 2 and 6. With 7 planes and 6 or 7 columns they are 7, 4 + 2 and
     * 5. */
    cmk_planes_slots_most_ = 7,
    cmk_planes_pairs_most_ = 7,
    cmk_planes_items_most_ = 7,
    cmk_planes_chunks_most_ = 6
};

/* The constants of a definition as its functions get them, in kernels all known at compile time. */
typedef struct {
    int on;                          /* whether the definition goes by tensor cores */
    int planes, rows, columns, edge; /* size and edge of the filter */
    int outputs, spread;             /* outputs of a window, side by side; planes of outputs in 8 columns of B */
    int deep, pairs;                 /* planes of outputs of a warp; the pairs of planes that they need */
    int later, kinds;                /* pairs before the other half of the outputs begins; pairs of one half */
    int width, lead;                 /* columns of a row as it is copied; those before the first output */
    int window, twins;               /* columns of all windows; those of them with another 8 windows further */
    int mains, items;                /* items: what a thread converts in a step. mains: those in whole warps */
    int chunks;                      /* chunks of 16 bytes that a thread copies in a step */
    int groups, threads, blocks;     /* groups and threads of a block; blocks of an SM */
    int step_bytes, halves_bytes, warp_bytes;          /* bytes of a step as copied, and as halves; of a warp */
    int part_bytes, table_bytes, tap_rows, taps_bytes; /* bytes of half of k of a part of B; of B; of taps as floats */
    int shared_bytes;
    int clocks; /* clocks of an SM for a step of a group, an estimate */
} cmk_planes_sizes_;

/* What a definition says: whether its type is float, whether sums must be in the samples' order, its size and edge. */
typedef struct {
    int is_float, in_order, planes, rows, columns, edge;
} cmk_planes_filter_;

/* The constants of windows, pairs, items and chunks of a filter of this size. A warp has 16 windows, whose first output
 * lies columns / 2 behind the window's begin. s.lead is columns / 2 rounded up to 4, so that a row is copied from a
 * multiple of 4 columns on. The 32 lanes take one item each at a time: first of the 8 s.outputs first
 * columns of all pairs, which are s.mains for a lane, then of 8 more columns of each pair, of which 8 - s.outputs are
 * there. The 16th window begins 15 s.outputs columns after the first. s.spread planes of outputs need s.kinds pairs,
 * and the other half of the outputs begins as many planes further, which is s.later pairs. */
CMK_FOLDED_ cmk_planes_sizes_ cmk_planes_windows_of_(int planes, int rows, int columns)
{
    cmk_planes_sizes_ s = CMK_ZEROS_(cmk_planes_sizes_);
    s.planes = planes;
    s.rows = rows;
    s.columns = columns;
    s.outputs = columns <= 5 ? 4 : 2;
    s.spread = 8 / s.outputs;
    s.later = s.spread / 2;
    s.deep = 2 * s.spread;
    s.pairs = (s.deep + planes) / 2;
    s.kinds = (s.spread + planes) / 2;
    s.lead = 4 * ((columns / 2 + 3) / 4);
    s.window = 15 * s.outputs + 8;
    s.width = (s.lead - columns / 2 + s.window + 3) / 4 * 4;
    s.twins = s.window - 8 * s.outputs;
    s.mains = (s.pairs * 8 * s.outputs + 31) / 32;
    s.items = s.mains + (s.pairs * 8 + 31) / 32;
    s.chunks = (s.pairs * 2 * s.width / 4 + 31) / 32;
    return s;
}

/* All constants of a definition: those above, then groups, bytes of shared memory, the estimate, and whether it goes
 * this way. The sum that gives the groups is a count of registers of a thread. It has 16 of a row, its sums and
 * products, 8 of a pair, its halves, and others. B has 3 halves of a tap (high, low, high / 2^11) times 2 halves of k.
 * The clocks are those of 6 wgmma of a pair, each `rows` times 8 columns, which are in tenths. `taps` is the number of
 * taps. In warp_bytes the last term holds w->plane, w->column and w->from of rows.h, an int
 * each. A filter goes this way from 5 rows on, and mma/group.h has products with 8 columns a row for 5, 6 and 7 rows.
 * Then shared_bytes is from 91,840 to 182,048, above cmk_mma_shared_least_. */
CMK_FOLDED_ cmk_planes_sizes_ cmk_planes_sizes_of_(cmk_planes_filter_ f)
{
    const int rows = f.rows, taps = f.planes * rows * f.columns;
    cmk_planes_sizes_ s = cmk_planes_windows_of_(f.planes, rows, f.columns);
    s.edge = f.edge;
    s.groups = 16 * rows + 8 * s.pairs + 2 * s.items + 24 <= cmk_planes_registers_ ? 3 : 2;
    s.step_bytes = s.pairs * 2 * s.width * 4;
    s.part_bytes = s.kinds * rows * cmk_mma_core_bytes_;
    s.table_bytes = 3 * 2 * s.part_bytes;
    s.tap_rows = (rows + 3) / 4 * 4;
    s.taps_bytes = (4 * s.tap_rows * f.planes * f.columns + 15) / 16 * 16;
    s.halves_bytes = 16 * s.pairs * s.twins;
    s.warp_bytes =
        cmk_planes_ahead_ * s.step_bytes + s.halves_bytes + (8 * s.pairs + 4 * s.width + s.step_bytes + 15) / 16 * 16;
    s.shared_bytes = s.table_bytes + s.taps_bytes + 4 * s.groups * s.warp_bytes;
    s.clocks = s.kinds * 6 * rows * cmk_planes_product_clocks_ / 10 + cmk_planes_step_clocks_;
    s.threads = cmk_planes_group_ * s.groups;
    s.blocks = 1;
    s.on = !CMK_DEBUG_ && f.is_float && !f.in_order && f.planes >= 3 && rows >= 5 && f.columns >= 3 &&
           taps >= (CMK_TENSOR ? (int)cmk_planes_least_ : (int)cmk_planes_least_taps_);
    return s;
}

#endif
