/* kernel/planes/march.h: filters of volumes on tensor cores: warps that go down the rows of a volume.
 *
 * A step is one row of all planes that a warp needs. For one column of outputs, `rows` of them, it equals this C, up to
 * rounding. Here in(p, n, c) is the sample p - PLANES / 2 planes, n - ROWS / 2 rows and c - COLUMNS / 2 columns from
 * the first output:
 *
 *   float sums[ROWS] = {0};
 *   for (int n = 0; n < rows + ROWS - 1; ++n)
 *       for (int slot = 0; slot < ROWS; ++slot) {
 *           float sum = 0.0f;
 *           for (int p = 0; p < PLANES; ++p)
 *               for (int c = 0; c < COLUMNS; ++c) sum += table[p][ROWS - 1 - slot][c] * in(p, n, c);
 *           if (slot < ROWS - 1) sum += sums[slot];
 *           if (slot > 0)
 *               sums[slot - 1] = sum;
 *           else if (n >= ROWS - 1)
 *               out[(n - ROWS + 1) * out_pitch] = sum;
 *       }
 *
 * The two inner loops are products of matrices, which four warps multiply together (wgmma). They start from zero, as
 * tensor cores cut off what they add. FMAs then add them to the rows of outputs that wait in registers, slot 0 the
 * oldest, and move these on by a row. Meanwhile the next step is converted to halves. A step whose values are not in
 * range is computed by FMAs alone.
 *
 * A warp has 16 windows side by side, of 4 outputs each where the filter has up to 5 columns. Lane 4 r + q then has:
 *
 *   q          0               1                   2               3
 *   plane      z               z                   z + 1           z + 1
 *   columns    4 r, 4 r + 1    4 r + 2, 4 r + 3    4 r, 4 r + 1    4 r + 2, 4 r + 3
 *
 * It also has the same 8 windows further, and all of these 2 planes further. Register sums[8 * slot + i] is the output
 * with i = 4 x (2 planes further) + 2 x (8 windows further) + column % 2. Wider filters have 2 outputs in 8 planes.
 *
 * The path:
 *
 *   host    cmk_volume_plan_call_ (volume/plan.h), cmk_planes_choose_, cmk_planes_divide_ (plan.h)
 *   block   name_planes_kernel, cmk_planes_convolve_ (plan.h), cmk_planes_march_, cmk_planes_write_table_
 *   warp    cmk_planes_begin_, cmk_planes_go_down_, cmk_planes_fill_ and cmk_planes_convert_ (rows.h), cmk_planes_step_
 *   step    cmk_planes_hold_ (rows.h), cmk_planes_products_ or cmk_planes_fmas_, cmk_planes_add_, cmk_planes_save_
 *
 * Three functions are those of rows.h. A look (cmk_planes_look_) finds where a thread's chunks of 16 bytes come from. A
 * fill (cmk_planes_fill_) commits one group of copies, and an empty one from step w->steps on. A conversion
 * (cmk_planes_convert_) waits for all groups but the last cmk_planes_ahead_ - 2. It has a barrier of the warp on both
 * sides of its reads.
 *
 * In all functions here:
 *
 *   s            cmk_planes_sizes_ (sizes.h), known at compile time. The filter has s.planes x s.rows x s.columns
 *                taps, and s.tap_rows is s.rows rounded up to 4. A window has s.outputs outputs side by side, in
 *                s.deep = 2 s.spread planes, in two halves. These need s.pairs pairs of planes: each half
 *                s.kinds, the other from pair s.later on
 *                s.width: columns of a row as it is copied, of which s.lead lie before the first output
 *   w            cmk_planes_work_ (rows.h): a warp and its place; w->volume is the parameter of the kernel. source:
 *                the row to copy next, which may lie before the volume, and is then not read. y: the first row of the
 *                item in the volume; steps: those of the item; lane: of the warp; warp: of its group. in_whole,
 *                out_whole: whether samples go by 16 bytes, outputs by 8; target: the first output of the row that is
 *                complete next. notes, by slot: inverse[0] are the inverse scales of taps, inverse[1] are 1, and
 *                enough says whether they are in range
 *   volume       cmk_volume_ (rows/volume.h): the region has planes x rows x columns outputs and begins at plane,
 *                row, column of a volume of in_planes x in_rows x in_columns samples; pitches go from row to row,
 *                steps from plane to plane, in elements. across x down strips of 64 s.outputs columns in s.deep
 *                planes, each cut into pieces of `deep` rows, make `blocks` items (plan.h). aligned: bit 0 is set
 *                where rows of in begin at multiples of 16 bytes, bit 1 where those of out begin at multiples of 8.
 *                Where CMK_EDGE_COLUMN(s.edge) is CMK_EDGE_ZERO, columns outside are zeros (edge.h)
 *   n, slot      a step of the item, counted from 0; a row of outputs that the step reaches, 0 the oldest
 *   inverse      the inverse scale of the samples of a step, 0 where it goes by FMAs; warps may have different
 *                ones
 *   arrays       s.rows is 5, 6 or 7 here, so s.tap_rows is 8, and arrays of 8 hold a value for each slot. They are
 *                loaded four at a time, and what stands behind the last slot is not used. Bounds of s.rows, s.pairs
 *                and s.chunks over all definitions are cmk_planes_slots_most_, _pairs_most_ and _chunks_most_
 *                (sizes.h). cmk_planes_range_taps_: 14; cmk_planes_group_: 128 threads
 *   16 bytes     w->taps, w->ring and w->halves, and all steps and rows of taps in them, begin at multiples of 16
 *   outputs      a thread's come in pairs. The first of a pair has an even column of the region, so a pair is
 *                aligned to 8 bytes where bit 1 of volume->aligned is set
 *   int          casts of cmk_i64 to int lose nothing, as call/volume.h refuses sizes above 2^31 - 1
 *   cmk_load_    plain_value_(to, from, bytes) and store_value_(to, from, bytes): one load from any memory, and one
 *                store to it, aligned to `bytes`, a constant up to 16 (load.h)
 *   base.h       CMK_LOAD(p), CMK_STORE(p, v) (load.h): a float in shared memory. CMK_TILE_DYNAMIC(char, shared)
 *                (tile.h): the dynamic shared memory, from a multiple of 16 on. CMK_TURN_: the turn of a loop, for
 *                the CPU backend. CMK_FILL_ARRIVED(ASYNC, 0): waits for all copies of the thread (fill.h)
 *   fragments    cmk_fragment_row_(lane) is lane / 4, cmk_fragment_pair_(lane) lane % 4 (mma/fragment.h).
 *                __shfl_sync(0xffffffff, x, 0): x of lane 0, so that the compiler knows it alike in the warp
 *   mma/halves.h cmk_halves_scale_(bits, &scale, &inverse): the power of two that brings a number of these bits to
 *                2^14 to 2^15. cmk_halves_of_taps_(taps, part): half `part` of two taps, in 32 bits. cmk_mma_bits_ is
 *                the bits of a float, and cmk_mma_float_ the float of these bits, so that cmk_mma_float_((127 + n) <<
 *                23) is 2^n
 *   mma/group.h  cmk_mma_matrix_(at, bytes, lead): a matrix in shared memory, its other half of k `lead` bytes
 *                further. cmk_mma_multiply_held_(d, columns, left, right, adds): d = left right, with adds d + left
 *                right. It lies between cmk_mma_begin_ and _end_, and cmk_mma_wait_(d, columns) waits for it.
 *                cmk_mma_show_: what this thread wrote is seen by wgmma behind the next barrier
 *   B            w->table_bytes: where the matrices B begin, and w->table that for wgmma. cmk_mma_core_bytes_: 128,
 *                of a pair and a slot 8 columns of 8 halves. s.part_bytes: one half of k of a part, so that
 *                s.table_bytes has 3 parts x 2 halves of k x s.kinds pairs x s.rows slots x 8 columns of 16 bytes.
 *                Behind B lie s.taps_bytes of taps, and then s.warp_bytes for each warp: cmk_planes_ahead_ steps of
 *                s.step_bytes, s.halves_bytes, and the indices
 *
 * Loops over slots, pairs and registers are unrolled. All threads of a warp call each function together, unless its
 * comment says otherwise. Where it says that a thread calls, the function does something for that thread alone. */
#ifndef CMK_KERNEL_PLANES_MARCH_H
#define CMK_KERNEL_PLANES_MARCH_H

#include "rows.h"

enum { cmk_planes_products_most_ = 8 * cmk_planes_slots_most_ }; /* floats of a thread: 8 a slot */

/* The taps of a definition: its tables, and the function that reads tap i of one. Here number is 1, the only table. The
 * function is inlined. */
typedef struct {
    const void *const *tables;
    float (*tap)(const void *const *tables, int number, int i);
} cmk_planes_parts_;

#if CMK_TENSOR_HAS_

/* The tap in this plane, row and column of the filter, from shared memory; 0 where plane or column are beyond it. The
 * row must be one of the filter. A thread calls. */
CMK_DEVICE_ float cmk_planes_tap_(const cmk_planes_work_ *w, cmk_planes_sizes_ s, int plane, int row, int column)
{
    const int is = plane >= 0 && plane < s.planes && column >= 0 && column < s.columns;
    return is ? CMK_LOAD(&w->taps[(plane * s.columns + column) * s.tap_rows + row]) : 0.0f;
}

/* Notes the scale of the row of taps of a slot, and whether these taps are in range. Slot 0 has the oldest outputs. One
 * thread calls for each slot. They are in range where the least, times the number of taps, is at most 2^14 times
 * smaller than the largest. most, least: bits of the largest tap without its sign, and of the least but 0, less 1.
 * 0x7f800000 are the bits of infinity, and 0x0f000000 those of 2^-97. */
CMK_DEVICE_ void cmk_planes_scale_taps_(const cmk_planes_work_ *w, cmk_planes_sizes_ s, int slot)
{
    const float share = (float)(s.planes * s.rows * s.columns) * cmk_mma_float_((127u + cmk_planes_range_taps_) << 23);
    unsigned most = 0, least = ~0u;
    float scale, inverse;
    for (int i = 0; i < s.planes * s.columns; ++i) {
        const float tap = cmk_planes_tap_(w, s, i / s.columns, s.rows - 1 - slot, i % s.columns);
        const unsigned bits = cmk_mma_bits_(tap) & 0x7fffffffu;
        most = bits > most ? bits : most;
        least = bits - 1 < least ? bits - 1 : least;
    }
    cmk_halves_scale_(most, &scale, &inverse);
    const float most_tap = cmk_mma_float_(most) * scale,
                least_tap = least == ~0u ? most_tap : cmk_mma_float_(least + 1) * scale;
    w->notes->inverse[0][slot] = most == 0 ? 1.0f : inverse;
    w->notes->inverse[1][slot] = 1.0f;
    w->notes->enough[slot] = most == 0 || (most < 0x7f800000u && most >= 0x0f000000u && least_tap * share >= most_tap);
}

/* Writes 8 halves of B: for a pair of planes, a slot and a column, the first or the other half of k. Part 0 is high, 1
 * low, 2 high / 2^11. Halves 2 i and 2 i + 1 are for both planes of column 2 i + half of a window; column, 0 to 7, is
 * s.outputs times the plane of an output plus its column in the window. A thread calls. */
CMK_DEVICE_ void cmk_planes_write_taps_(const cmk_planes_work_ *w, cmk_planes_sizes_ s, char *to, int part, int half,
                                        int pair, int slot, int column)
{
    const float scale = 1.0f / w->notes->inverse[0][slot];
    unsigned halves[4];
    CMK_UNROLL
    for (int i = 0; i < 4; ++i) {
        float taps[2];
        CMK_UNROLL
        for (int e = 0; e < 2; ++e)
            taps[e] = scale * cmk_planes_tap_(w, s, 2 * pair + e - column / s.outputs, s.rows - 1 - slot,
                                              2 * i + half - column % s.outputs);
        halves[i] = cmk_halves_of_taps_(taps, part);
    }
    cmk_load_store_value_(to, halves, 16);
}

/* Writes the taps of a block to shared memory: as floats, with their scales, and as the matrices B, 16 bytes a thread
 * at a time. In that loop part / 2 is the half of a tap, and part % 2 the half of k. Sets w->least_inverse and
 * w->most_inverse: of all inverse scales, the former 0 where not all taps are in range. All threads of the block call
 * it; it ends with a barrier. */
CMK_DEVICE_ void cmk_planes_write_table_(cmk_planes_work_ *w, cmk_planes_sizes_ s, cmk_planes_parts_ parts)
{
    const int threads = s.groups * cmk_planes_group_, thread = (int)threadIdx.x;
    CMK_NO_UNROLL
    for (int n = thread; n < s.tap_rows * s.planes * s.columns; n += threads) {
        const int row = n % s.tap_rows, plane = n / s.tap_rows / s.columns, column = n / s.tap_rows % s.columns;
        const float tap = row < s.rows ? parts.tap(parts.tables, 1, (plane * s.rows + row) * s.columns + column) : 0.0f;
        CMK_STORE((float *)&w->taps[n], tap);
    }
    __syncthreads();
    if (thread < s.rows) cmk_planes_scale_taps_(w, s, thread);
    __syncthreads();
    CMK_NO_UNROLL
    for (int n = thread; n < 6 * s.kinds * s.rows * 8; n += threads) {
        const int slot = n / 8 % s.rows, pair = n / 8 / s.rows % s.kinds, part = n / 8 / s.rows / s.kinds;
        cmk_planes_write_taps_(w, s, w->table_bytes + n * 16, part / 2, part % 2, pair, slot, n % 8);
    }
    w->least_inverse = w->most_inverse = w->notes->inverse[0][0];
    unsigned enough = 1;
    CMK_NO_UNROLL
    for (int slot = 0; slot < s.rows; ++slot) {
        const float inverse = w->notes->inverse[0][slot];
        w->least_inverse = inverse < w->least_inverse ? inverse : w->least_inverse;
        w->most_inverse = inverse > w->most_inverse ? inverse : w->most_inverse;
        enough &= w->notes->enough[slot];
    }
    if (!enough) w->least_inverse = 0.0f;
    cmk_mma_show_();
    __syncthreads();
}

/* Starts the products of a step, 16 s.rows columns of D in two halves of the output planes. Each half has 4 s.rows
 * floats of a thread. They start from zero, and
 * are in products after cmk_mma_wait_. Corrections, of low halves, come first, while sums are small. held: the matrices
 * A in registers, for each pair 4 of high halves and 4 of low ones (cmk_planes_hold_). All threads of a group
 * call it. */
CMK_DEVICE_ void cmk_planes_products_(float *products, const unsigned *held, const cmk_planes_work_ *w,
                                      cmk_planes_sizes_ s)
{
    cmk_mma_begin_();
    CMK_UNROLL
    for (int part = 2; part >= 0; --part) CMK_UNROLL
    for (int half = 0; half < 2; ++half) CMK_UNROLL
    for (int kind = 0; kind < s.kinds; ++kind)
        cmk_mma_multiply_held_(
            products + half * 4 * s.rows, 8 * s.rows, held + 8 * (kind + half * s.later) + (part == 2 ? 4 : 0),
            cmk_mma_matrix_(w->table, (part * 2 * s.kinds + kind) * s.rows * cmk_mma_core_bytes_, s.part_bytes),
            part < 2 || kind > 0);
    cmk_mma_end_();
}

/* Computes the products of step n by FMAs, from its samples as floats, with taps without a scale. Their place in the
 * ring is the next that a copy goes to, so the warp waits for all its threads at the end. m, plane, column: window,
 * plane and column of the thread's first output. */
CMK_DEVICE_ void cmk_planes_fmas_(float *products, const cmk_planes_work_ *w, cmk_planes_sizes_ s, int n)
{
    const float *const from = (const float *)(const void *)(w->ring + n % cmk_planes_ahead_ * s.step_bytes);
    const int m = cmk_fragment_row_(w->lane), plane = 2 * cmk_fragment_pair_(w->lane) / s.outputs,
              column = 2 * cmk_fragment_pair_(w->lane) % s.outputs;
    CMK_UNROLL
    for (int i = 0; i < 8 * s.rows; ++i) products[i] = 0.0f;
    CMK_NO_UNROLL
    for (int p = 0; p < s.planes; ++p) CMK_NO_UNROLL
    for (int c = 0; c < s.columns; ++c) {
        float taps[8];
        CMK_UNROLL
        for (int r = 0; r < s.tap_rows; r += 4)
            cmk_load_plain_value_(&taps[r], &w->taps[(p * s.columns + c) * s.tap_rows + r], 16);
        CMK_UNROLL
        for (int i = 0; i < 8; ++i) {
            const int k = i / 4 * s.spread + plane + p, x = s.outputs * (m + i / 2 % 2 * 8) + column + i % 2 + c;
            const float sample = CMK_LOAD(&from[k * s.width + x + s.lead - s.columns / 2]);
            CMK_UNROLL
            for (int slot = 0; slot < s.rows; ++slot)
                products[(i / 4 * s.rows + slot) * 4 + i % 4] += taps[s.rows - 1 - slot] * sample;
        }
    }
    __syncwarp();
}

/* Sets the inverse scale of a step's products for each slot: that of the samples times that of the slot's taps. The
 * argument inverse is that of the samples, 0 where they have none; then all are 1. A thread calls. */
CMK_DEVICE_ void cmk_planes_inverses_(float *inverses, const cmk_planes_work_ *w, cmk_planes_sizes_ s, float inverse)
{
    const float *const taps_inverse = w->notes->inverse[inverse == 0.0f];
    CMK_UNROLL
    for (int slot = 0; slot < s.rows; slot += 4) cmk_load_plain_value_(&inverses[slot], &taps_inverse[slot], 16);
    CMK_UNROLL
    for (int slot = 0; slot < s.rows; ++slot) inverses[slot] *= inverse == 0.0f ? 1.0f : inverse;
}

/* Adds the products of a step to the sums, which move on by a row. The row that is complete goes to `done`. The last
 * slot is a new row, which has no sums yet. A thread calls. */
CMK_DEVICE_ void cmk_planes_add_(float *done, float *sums, const float *products, const float *inverses,
                                 cmk_planes_sizes_ s)
{
    CMK_UNROLL
    for (int slot = 0; slot < s.rows; ++slot) {
        CMK_UNROLL
        for (int i = 0; i < 8; ++i) {
            const float product = products[(i / 4 * s.rows + slot) * 4 + i % 4] * inverses[slot];
            const float sum = slot == s.rows - 1 ? product : product + sums[slot * 8 + i];
            if (slot == 0)
                done[i] = sum;
            else
                sums[(slot - 1) * 8 + i] = sum;
        }
    }
}

/* The column and the plane where a thread's outputs begin, among those of the warp. A thread calls. */
CMK_DEVICE_ int cmk_planes_own_column_(const cmk_planes_work_ *w, cmk_planes_sizes_ s)
{
    return cmk_fragment_row_(w->lane) * s.outputs + 2 * cmk_fragment_pair_(w->lane) % s.outputs;
}
CMK_DEVICE_ int cmk_planes_own_plane_(const cmk_planes_work_ *w, cmk_planes_sizes_ s)
{
    return 2 * cmk_fragment_pair_(w->lane) / s.outputs;
}

/* Writes the thread's 8 outputs of the row that is complete, as far as they are the region's, and goes on to the next
 * row. Pair i of them is 8 windows further where i is odd, and s.spread planes further from i = 2 on. */
CMK_DEVICE_ void cmk_planes_save_(const float *done, cmk_planes_work_ *w, cmk_planes_sizes_ s)
{
    const cmk_i64 other = s.spread * w->volume->out_step;
    CMK_UNROLL
    for (int i = 0; i < 4; ++i) {
        float *const to = w->target + i / 2 * other + i % 2 * 8 * s.outputs;
        const int columns = w->columns - cmk_planes_own_column_(w, s) - i % 2 * 8 * s.outputs;
        CMK_TURN_(i);
        if (w->out_whole) {
            cmk_load_store_value_(to, &done[2 * i], 8);
        } else if (cmk_planes_own_plane_(w, s) + i / 2 * s.spread < w->planes) {
            if (columns > 0) CMK_STORE(to, done[2 * i]);
            if (columns > 1) CMK_STORE(to + 1, done[2 * i + 1]);
        }
    }
    CMK_TURN_(-1);
    w->target += w->volume->out_pitch;
}

/* Does step n, whose samples have the inverse scale `inverse`, and returns that of the next step. Meanwhile it starts
 * to copy step n + cmk_planes_ahead_ - 1, and converts step n + 1 to halves. Products are always started, as ptxas
 * would wait for each of them where a branch went around them. All threads of a group call it. CMK_OPERATIONS_ counts
 * the FMAs of a thread's 8 outputs, for the CPU backend. */
CMK_DEVICE_ float cmk_planes_step_(float *sums, cmk_planes_work_ *w, cmk_planes_sizes_ s, int n, float inverse)
{
    float products[cmk_planes_products_most_], done[8], inverses[8];
    unsigned held[8 * cmk_planes_pairs_most_];
    int from[cmk_planes_chunks_most_];
    CMK_OPERATIONS_(2 * s.planes * s.rows * s.columns * 8);
    cmk_planes_hold_(held, w, s);
    cmk_planes_look_(from, w, s);
    cmk_planes_products_(products, held, w, s);
    cmk_planes_fill_(w, s, n + cmk_planes_ahead_ - 1, from);
    const float next = n + 1 < w->steps ? cmk_planes_convert_(w, s, n + 1) : 0.0f;
    cmk_planes_inverses_(inverses, w, s, inverse);
    cmk_mma_wait_(products, 16 * s.rows);
    if (inverse == 0.0f) cmk_planes_fmas_(products, w, s, n);
    cmk_planes_add_(done, sums, products, inverses, s);
    if (n >= s.rows - 1) cmk_planes_save_(done, w, s);
    return next;
}

/* Begins item `item` of the work of all groups: some rows of a strip of columns, in some planes. It sets all that
 * depends on the item: x, y and z are the warp's first output in the region, and the warps of a group stand side by
 * side. The first column that is copied, column - s.lead, is a multiple of 4 where volume->column is one. So with bit 0
 * of volume->aligned all chunks are aligned. They are legal where all columns lie in the volume. They are legal too
 * where zeros stand for what is outside, and in_columns is a multiple of 4. w->planes and w->columns may exceed
 * those of a warp. With w->columns at 0 or less no output is stored. */
CMK_DEVICE_ void cmk_planes_begin_(cmk_planes_work_ *w, cmk_planes_sizes_ s, unsigned item)
{
    const cmk_volume_ *const volume = w->volume;
    const cmk_i64 x = (cmk_i64)(item % volume->across) * 64 * s.outputs + w->warp * 16 * s.outputs;
    const cmk_i64 z = (cmk_i64)(item / volume->across % volume->down) * s.deep;
    const cmk_i64 y = (cmk_i64)(item / volume->across / volume->down) * volume->deep, left = volume->rows - y;
    const cmk_i64 column = volume->column + x;
    w->y = (int)(volume->row + y);
    w->steps = (int)(left < volume->deep ? left : volume->deep) + s.rows - 1;
    w->planes = (int)(volume->planes - z);
    w->columns = (int)(volume->columns - x);
    w->out_whole = (volume->aligned & 2) && w->columns >= 16 * s.outputs && w->planes >= s.deep;
    w->in_whole = (volume->aligned & 1) && ((CMK_EDGE_COLUMN(s.edge) == CMK_EDGE_ZERO && volume->in_columns % 4 == 0) ||
                                            (column >= s.lead && column - s.lead + s.width <= volume->in_columns));
    w->source = w->in + (w->y - s.rows / 2) * volume->in_pitch;
    w->target = w->out + (z + cmk_planes_own_plane_(w, s)) * volume->out_step + y * volume->out_pitch + x +
                cmk_planes_own_column_(w, s);
    cmk_planes_find_(w, s, volume->plane + z, column);
}

/* Computes the item that w has begun: copies its first steps, then does one step after another. It ends when no copy is
 * under way and all lanes are there, as the next item writes to the same memory. All threads of a group call it. */
CMK_DEVICE_ void cmk_planes_go_down_(cmk_planes_work_ *w, cmk_planes_sizes_ s)
{
    float sums[8 * cmk_planes_slots_most_];
    CMK_UNROLL
    for (int i = 0; i < 8 * s.rows; ++i) sums[i] = 0.0f;
    for (int n = 0; n < cmk_planes_ahead_ - 1; ++n) {
        int from[cmk_planes_chunks_most_];
        cmk_planes_look_(from, w, s);
        cmk_planes_fill_(w, s, n, from);
    }
    float inverse = cmk_planes_convert_(w, s, 0); /* step 0 */
    CMK_NO_UNROLL
    for (int n = 0; n < w->steps; ++n) inverse = cmk_planes_step_(sums, w, s, n, inverse);
    CMK_FILL_ARRIVED(ASYNC, 0);
    __syncwarp();
}

/* Returns where a thread is in its block, and what its warp has of shared memory. That holds the matrices B and the
 * taps of the block, then for each warp its ring, its halves, and where its samples come from. It begins with zeros as
 * halves. in: element 0 of the volume. out: the region's first output. All threads of the block call it. */
CMK_DEVICE_ cmk_planes_work_ cmk_planes_locate_(const float *in, float *out, const cmk_volume_ *volume,
                                                cmk_planes_sizes_ s, cmk_planes_notes_ *notes)
{
    CMK_TILE_DYNAMIC(char, shared);
    cmk_planes_work_ w;
    const int warp = __shfl_sync(0xffffffffu, (int)threadIdx.x / 32, 0);
    char *const own = shared + s.table_bytes + s.taps_bytes + warp * s.warp_bytes;
    w.volume = volume;
    w.in = in;
    w.out = out;
    w.lane = (int)(threadIdx.x % 32);
    w.warp = warp % 4;
    w.group = warp / 4;
    w.table_bytes = shared;
    w.table = cmk_mma_at_of_(shared);
    w.taps = (const float *)(const void *)(shared + s.table_bytes);
    w.ring = own;
    w.halves = own + cmk_planes_ahead_ * s.step_bytes;
    w.plane = (int *)(void *)(w.halves + s.halves_bytes);
    w.column = w.plane + 2 * s.pairs;
    w.from = w.column + s.width;
    w.notes = notes;
    for (int i = w.lane; i < s.halves_bytes / 8; i += 32) { /* a step that goes by FMAs holds zeros */
        const unsigned zeros[2] = {0, 0};
        cmk_load_store_value_(w.halves + 8 * i, zeros, 8);
    }
    return w;
}

/* Runs a block on items of a volume, as many at a time as it has groups. All threads of the block call it, once, from
 * cmk_planes_convolve_ (plan.h). */
CMK_DEVICE_ void cmk_planes_march_(const float *in, float *out, const cmk_volume_ *volume, cmk_planes_sizes_ s,
                                   cmk_planes_parts_ parts)
{
    __shared__ cmk_planes_notes_ notes;
    cmk_planes_work_ w = cmk_planes_locate_(in, out, volume, s, &notes);
    cmk_planes_write_table_(&w, s, parts);
    CMK_NO_UNROLL
    for (cmk_i64 item = (cmk_i64)blockIdx.x * s.groups + w.group; item < volume->blocks;
         item += (cmk_i64)gridDim.x * s.groups) {
        cmk_planes_begin_(&w, s, (unsigned)item);
        cmk_planes_go_down_(&w, s);
    }
}

#endif

#endif
