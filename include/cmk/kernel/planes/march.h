/* kernel/planes/march.h: groups of four warps that go down the rows of a volume, a step of one row of all planes at a
 * time. The products of a step start from zero, as tensor cores cut off what they add, and are added by FMAs to the
 * rows of outputs that wait in registers; these move on by a row in doing so. Meanwhile the next step is converted.
 * Steps of which halves do not say enough go by FMAs alone. */
#ifndef CMK_KERNEL_PLANES_MARCH_H
#define CMK_KERNEL_PLANES_MARCH_H

#include "rows.h"

enum { cmk_planes_products_most_ = 8 * cmk_planes_slots_most_ };

/* what a definition says of its taps */
typedef struct {
    const void *const *tables;
    float (*tap)(const void *const *tables, int number, int i);
} cmk_planes_parts_;

#if CMK_TENSOR_HAS_

CMK_DEVICE_ float cmk_planes_tap_(const cmk_planes_work_ *w, cmk_planes_sizes_ s, int plane, int row, int column)
{
    const int is = plane >= 0 && plane < s.planes && column >= 0 && column < s.columns;
    return is ? CMK_LOAD(&w->taps[(plane * s.columns + column) * s.tap_rows + row]) : 0.0f;
}

/* of the row of taps of a slot, of which 0 holds the oldest outputs: its scale, and whether halves say enough */
CMK_DEVICE_ void cmk_planes_scale_taps_(const cmk_planes_work_ *w, cmk_planes_sizes_ s, int slot)
{
    const float share = (float)(s.planes * s.rows * s.columns) * cmk_mma_float_((127u + cmk_planes_range_taps_) << 23);
    unsigned most = 0, least = ~0u;
    float up, back;
    for (int i = 0; i < s.planes * s.columns; ++i) {
        const float tap = cmk_planes_tap_(w, s, i / s.columns, s.rows - 1 - slot, i % s.columns);
        const unsigned bits = cmk_mma_bits_(tap) & 0x7fffffffu;
        most = bits > most ? bits : most;
        least = bits - 1 < least ? bits - 1 : least;
    }
    cmk_halves_scale_(most, &up, &back);
    const float most_tap = cmk_mma_float_(most) * up,
                least_tap = least == ~0u ? most_tap : cmk_mma_float_(least + 1) * up;
    w->notes->back[0][slot] = most == 0 ? 1.0f : back;
    w->notes->back[1][slot] = 1.0f;
    w->notes->enough[slot] = most == 0 || (most < 0x7f800000u && most >= 0x0f000000u && least_tap * share >= most_tap);
}

/* 8 halves of k, the first or the others, of a column of B of a pair and a slot; part: 0 high, 1 low, 2 high / 2^11 */
CMK_DEVICE_ void cmk_planes_write_taps_(const cmk_planes_work_ *w, cmk_planes_sizes_ s, char *to, int part, int half,
                                        int pair, int slot, int column)
{
    const float up = 1.0f / w->notes->back[0][slot];
    unsigned halves[4];
    CMK_UNROLL
    for (int i = 0; i < 4; ++i) {
        float taps[2];
        CMK_UNROLL
        for (int e = 0; e < 2; ++e)
            taps[e] = up * cmk_planes_tap_(w, s, 2 * pair + e - column / s.outputs, s.rows - 1 - slot,
                                           2 * i + half - column % s.outputs);
        halves[i] = cmk_halves_of_taps_(taps, part);
    }
    cmk_load_store_value_(to, halves, 16);
}

/* The taps of a block: as floats, their scales, and the matrices B. All threads of the block call. */
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
    w->least_back = w->most_back = w->notes->back[0][0];
    unsigned enough = 1;
    CMK_NO_UNROLL
    for (int slot = 0; slot < s.rows; ++slot) {
        const float back = w->notes->back[0][slot];
        w->least_back = back < w->least_back ? back : w->least_back;
        w->most_back = back > w->most_back ? back : w->most_back;
        enough &= w->notes->enough[slot];
    }
    if (!enough) w->least_back = 0.0f;
    cmk_mma_show_();
    __syncthreads();
}

/* starts the products of a step: corrections first, while sums are small */
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
            cmk_mma_matrix_(w->table, (part * 2 * s.kinds + kind) * s.rows * 128, s.part_bytes), part < 2 || kind > 0);
    cmk_mma_end_();
}

/* the same by FMAs, from samples as they are, whose place is copied to next */
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

/* the inverses of the scales of a step's products, by slot; back: that of the samples, 0 where they have none */
CMK_DEVICE_ void cmk_planes_scales_(float *scales, const cmk_planes_work_ *w, cmk_planes_sizes_ s, float back)
{
    const float *const taps_back = w->notes->back[back == 0.0f];
    CMK_UNROLL
    for (int slot = 0; slot < s.rows; slot += 4) cmk_load_plain_value_(&scales[slot], &taps_back[slot], 16);
    CMK_UNROLL
    for (int slot = 0; slot < s.rows; ++slot) scales[slot] *= back == 0.0f ? 1.0f : back;
}

/* Adds the products of a step to the sums, which move on by a row: those that are complete are `done`. */
CMK_DEVICE_ void cmk_planes_add_(float *done, float *sums, const float *products, const float *scales,
                                 cmk_planes_sizes_ s)
{
    CMK_UNROLL
    for (int slot = 0; slot < s.rows; ++slot) {
        CMK_UNROLL
        for (int i = 0; i < 8; ++i) {
            const float product = products[(i / 4 * s.rows + slot) * 4 + i % 4] * scales[slot];
            const float sum = slot == s.rows - 1 ? product : product + sums[slot * 8 + i];
            if (slot == 0)
                done[i] = sum;
            else
                sums[(slot - 1) * 8 + i] = sum;
        }
    }
}

/* where a thread's outputs begin in those of the warp */
CMK_DEVICE_ int cmk_planes_own_column_(const cmk_planes_work_ *w, cmk_planes_sizes_ s)
{
    return cmk_fragment_row_(w->lane) * s.outputs + 2 * cmk_fragment_pair_(w->lane) % s.outputs;
}
CMK_DEVICE_ int cmk_planes_own_plane_(const cmk_planes_work_ *w, cmk_planes_sizes_ s)
{
    return 2 * cmk_fragment_pair_(w->lane) / s.outputs;
}

/* writes the row of outputs that is complete */
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

/* Step n, whose samples have this scale's inverse; returns that of the next. Products are always started, as ptxas
 * would wait for each where a branch went around them. */
CMK_DEVICE_ float cmk_planes_step_(float *sums, cmk_planes_work_ *w, cmk_planes_sizes_ s, int n, float back)
{
    float products[cmk_planes_products_most_], done[8], scales[8];
    unsigned held[8 * cmk_planes_pairs_most_];
    int from[cmk_planes_chunks_most_];
    CMK_OPERATIONS_(2 * s.planes * s.rows * s.columns * 8);
    cmk_planes_hold_(held, w, s);
    cmk_planes_look_(from, w, s);
    cmk_planes_products_(products, held, w, s);
    cmk_planes_fill_(w, s, n + cmk_planes_ahead_ - 1, from);
    const float next = n + 1 < w->steps ? cmk_planes_convert_(w, s, n + 1) : 0.0f;
    cmk_planes_scales_(scales, w, s, back);
    cmk_mma_wait_(products, 16 * s.rows);
    if (back == 0.0f) cmk_planes_fmas_(products, w, s, n);
    cmk_planes_add_(done, sums, products, scales, s);
    if (n >= s.rows - 1) cmk_planes_save_(done, w, s);
    return next;
}

/* item `item` of the work of all groups: rows of a strip of columns, of some planes */
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
    float back = cmk_planes_convert_(w, s, 0);
    CMK_NO_UNROLL
    for (int n = 0; n < w->steps; ++n) back = cmk_planes_step_(sums, w, s, n, back);
    CMK_FILL_ARRIVED(ASYNC, 0);
    __syncwarp();
}

/* where a thread is in its block, and what its warp has of shared memory */
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
    for (int i = w.lane; i < s.halves_bytes / 8; i += 32) { /* what is held of a step that goes by FMAs */
        const unsigned zeros[2] = {0, 0};
        cmk_load_store_value_(w.halves + 8 * i, zeros, 8);
    }
    return w;
}

/* a block at work on items of a volume, of as many as it has groups at a time */
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
