/* kernel/tensor/taps.h: the taps of a filter in shared memory: as floats, and as the matrices B, in which slots may
 * have scales of their own.
 *
 * In all functions here:
 *
 *   s            cmk_tensor_sizes_ (sizes.h), known at compile time. s.pending: slots, rows of outputs that a
 *                step of two rows reaches; s.tap_rows: floats of a column of taps; s.tap_planes: halves of a tap,
 *                from 1 to 3; s.windows: blocks of 8 pixels of a window; s.shift: pixels at the begin of a window
 *                that no output needs
 *   s.f          the filter (rows/filter.h), known at compile time too; s.f.channels elements make a pixel of the
 *                image
 *   t            the taps of the block; n, slot: a slot, 0 the oldest; r, c: a row and a column of the filter
 *   most, least  bits of the largest tap without its sign, and of the least but 0, less 1; ~0 where all are 0
 *   16 bytes     t->matrices is the begin of dynamic shared memory. The matrices and the taps have multiples of 128
 *                bytes, so that all 8 halves of a column, and each 4 floats of a column of taps, are aligned to 16
 *   cmk_filter_tap_(f, r, c)   the index in the table of the tap in row r and column c (rows/filter.h)
 *   cmk_halves_scale_(bits, &scale, &inverse)   the power of two that brings a number of these bits to 2^14 to 2^15,
 *                and its inverse (mma/halves.h)
 *   parts        cmk_filter_parts_float_ (rows/filter.h): parts.tap(parts.tables, 1, i) is tap i of the table,
 *                inlined
 *   s.           s.f.rows and s.f.columns, at most 33; s.products: 1 to 3 products of halves; s.taps_bytes,
 *                s.table_bytes, s.group_bytes: bytes of the taps as floats, of B, and of the stages and rings of a
 *                group; s.threads: 384 or 512, so that a thread for each slot is there
 *   mma/         cmk_mma_bits_: the bits of a float; cmk_mma_float_: the float of these bits, so that
 *                cmk_mma_float_((127 + n) << 23) is 2^n (warp.h). cmk_mma_begin_barrier_(b, n): a phase of b ends
 *                with n arrivals; cmk_mma_show_: what this thread wrote is seen by wgmma behind the next barrier of
 *                the block (group.h)
 *   load.h       CMK_LOAD(p), CMK_STORE(p, v): one float in shared memory. cmk_load_store_value_(to, from, 16): one
 *                aligned store
 *   constants    cmk_tensor_groups_: 2, groups of a block (sizes.h). cmk_tensor_range_taps_: 15 powers of two
 *                (tune.h)
 *
 * All threads of a block call cmk_tensor_write_table_ at its beginning. The other functions are its parts, and find
 * taps and stages. A thread calls them for itself. */
#ifndef CMK_KERNEL_TENSOR_TAPS_H
#define CMK_KERNEL_TENSOR_TAPS_H

#include "../../tile.h"
#include "../mma/fragment.h"
#include "../mma/group.h"
#include "../mma/halves.h"
#include "../rows/copy.h"
#include "sizes.h"

/* Bounds of s.pending, s.stages, s.producers and s.ahead, for arrays. In sizes.h cmk_tensor_slots_ gives at most 36,
 * and 34 with the 33 rows that conv2d.h allows. There cmk_tensor_groups_of_ sets at most 4 stages, half of the bound,
 * 2 or 4 producers, and at most cmk_tensor_ahead_ = 4 steps ahead. */
enum {
    cmk_tensor_slots_most_ = 36,
    cmk_tensor_stages_most_ = 8,
    cmk_tensor_producers_most_ = 4,
    cmk_tensor_ahead_most_ = 4
};

/* The barriers of a group. They report whether a step of a ring has arrived, whether a stage is full, whether a stage
 * is empty, and whether it is the group's turn to multiply. Slot i of the ring of producer warp w has number
 * cmk_tensor_arrived_ + w * s.ahead + i; stage i is cmk_tensor_full_ + i and cmk_tensor_empty_ + i. */
enum {
    cmk_tensor_arrived_ = 0,
    cmk_tensor_full_ = cmk_tensor_producers_most_ * cmk_tensor_ahead_most_,
    cmk_tensor_empty_ = cmk_tensor_full_ + cmk_tensor_stages_most_,
    cmk_tensor_next_ = cmk_tensor_empty_ + cmk_tensor_stages_most_,
    cmk_tensor_barriers_most_ = cmk_tensor_next_ + 1
};

#if CMK_TENSOR_HAS_

/* What the threads of a block tell one another. For each slot: the range of its taps, their scale and its inverse, and
 * whether they are in range. For each stage of a group: the inverse of the scale of its pixels, 0 where they are not in
 * range. `most` and `least` are bits of the slot's taps, see above. */
typedef struct {
    float scale[cmk_tensor_slots_most_], inverse[cmk_tensor_slots_most_];
    unsigned most[cmk_tensor_slots_most_], least[cmk_tensor_slots_most_], enough[cmk_tensor_slots_most_];
    float pixels_inverse[cmk_tensor_groups_][cmk_tensor_stages_most_];
    cmk_mma_barrier_ barriers[cmk_tensor_groups_][cmk_tensor_barriers_most_];
} __attribute__((aligned(16))) cmk_tensor_notes_;

/* The taps of a block in shared memory. As floats they are taps[c * s.tap_rows + r]. The matrices B have s.table_bytes
 * bytes. least_inverse, most_inverse: the least and the largest of the inverse scales; least_inverse is 0 where not all
 * taps are in range. */
typedef struct {
    const float *taps;
    char *matrices;
    cmk_tensor_notes_ *notes;
    float least_inverse, most_inverse;
} cmk_tensor_table_;

/* The stages of a group, behind the taps in shared memory; the rings of its producer warps follow. group: 0 or 1. */
CMK_DEVICE_ char *cmk_tensor_room_(const cmk_tensor_table_ *t, cmk_tensor_sizes_ s, int group)
{
    return t->matrices + s.table_bytes + s.taps_bytes + group * s.group_bytes;
}

/* The row of the filter between row d of a step, 0 or 1, and a slot. Slot 0 holds the oldest outputs. It may be a row
 * that the filter does not have: then the row of the step adds nothing to the slot. */
CMK_DEVICE_ int cmk_tensor_tap_row_(cmk_tensor_sizes_ s, int slot, int d)
{
    return s.f.rows - 1 - slot + d;
}

/* The tap in row r and column c, 0 for one that the filter does not have. */
CMK_DEVICE_ float cmk_tensor_tap_(const cmk_tensor_table_ *t, cmk_tensor_sizes_ s, int r, int c)
{
    return r >= 0 && r < s.f.rows && c >= 0 && c < s.f.columns ? CMK_LOAD(&t->taps[c * s.tap_rows + r]) : 0.0f;
}

/* Finds the largest of a slot's taps and the least but 0, as bits without the sign; of the least, 1 less. One thread
 * calls for each slot. */
CMK_DEVICE_ void cmk_tensor_find_range_(const cmk_tensor_table_ *t, cmk_tensor_sizes_ s, int slot)
{
    unsigned most = 0, least = ~0u;
    for (int d = 0; d < 2; ++d)
        for (int c = 0; c < s.f.columns; ++c) {
            const float tap = cmk_tensor_tap_(t, s, cmk_tensor_tap_row_(s, slot, d), c);
            const unsigned bits = cmk_mma_bits_(tap) & 0x7fffffffu;
            most = bits > most ? bits : most;
            least = bits - 1 < least ? bits - 1 : least;
        }
    t->notes->most[slot] = most;
    t->notes->least[slot] = least;
}

/* Whether taps between these bits are in range, with this scale: the largest is from 2^-97 (0x0f000000) to below
 * infinity (0x7f800000). With more than one product, the least times the number of taps is at most 2^15 times smaller
 * than the largest. Composed taps may be smaller: as two halves they are off by 2^-40 of the largest at most. */
CMK_DEVICE_ int cmk_tensor_in_range_(cmk_tensor_sizes_ s, unsigned most, unsigned least, float scale)
{
    const float share = (float)(s.f.rows * s.f.columns) * cmk_mma_float_((127u + cmk_tensor_range_taps_) << 23);
    const float most_tap = cmk_mma_float_(most) * scale,
                least_tap = least == ~0u ? most_tap : cmk_mma_float_(least + 1) * scale;
    return most == 0 || (most < 0x7f800000u && most >= 0x0f000000u &&
                         (s.products == 1 || s.f.composed || least_tap * share >= most_tap));
}

/* Finds the scale of the taps of a slot: that of all taps where they are in range with it, or one of its own. One
 * thread calls for each slot, behind a barrier of the block: it reads the ranges of all slots. */
CMK_DEVICE_ void cmk_tensor_scale_slot_(const cmk_tensor_table_ *t, cmk_tensor_sizes_ s, int slot)
{
    unsigned most = 0, least = ~0u;
    float scale, inverse;
    CMK_NO_UNROLL
    for (int n = 0; n < s.pending; ++n) {
        most = t->notes->most[n] > most ? t->notes->most[n] : most;
        least = t->notes->least[n] < least ? t->notes->least[n] : least;
    }
    cmk_halves_scale_(most, &scale, &inverse);
    if (!cmk_tensor_in_range_(s, most, least, scale)) {
        most = t->notes->most[slot];
        least = t->notes->least[slot];
        cmk_halves_scale_(most, &scale, &inverse);
    }
    t->notes->scale[slot] = most == 0 ? 1.0f : scale;
    t->notes->inverse[slot] = most == 0 ? 1.0f : inverse;
    t->notes->enough[slot] = (unsigned)cmk_tensor_in_range_(s, most, least, scale);
}

/* Writes 8 halves of a column of B: of k-step j of a window, its block h, 0 or 1. plane: which half of the taps
 * (cmk_halves_of_taps_(taps, plane) of mma/halves.h: 0 high, 1 low, 2 high / 2^11, of two taps). Column 8 n + o is for
 * output o of a window in slot n. A k-step takes two blocks of one row of the step, or (joint) the last block of both
 * rows, where s.windows is odd. The tap of pixel `from` is that between it and the output. */
CMK_DEVICE_ void cmk_tensor_write_taps_(const cmk_tensor_table_ *t, cmk_tensor_sizes_ s, char *to, int plane, int j,
                                        int h, int column)
{
    const int joint = s.windows % 2 && j == s.windows - 1, half = s.windows / 2 ? s.windows / 2 : 1;
    const int d = joint ? h : j / half, block = joint ? s.windows - 1 : 2 * (j % half) + h;
    const int slot = column / 8, output = column % 8, r = cmk_tensor_tap_row_(s, slot, d);
    const float scale = t->notes->scale[slot];
    unsigned halves[4];
    CMK_UNROLL
    for (int pair = 0; pair < 4; ++pair) {
        float taps[2];
        CMK_UNROLL
        for (int e = 0; e < 2; ++e) {
            const int from = block * 8 + 2 * pair + e - output - s.shift, c = from / s.f.channels;
            taps[e] = from >= 0 && from % s.f.channels == 0 ? cmk_tensor_tap_(t, s, r, c) * scale : 0.0f;
        }
        halves[pair] = cmk_halves_of_taps_(taps, plane);
    }
    cmk_load_store_value_(to, halves, 16);
}

/* Begins the barriers of a group. One thread calls. A phase of the first two kinds ends when one thread of a producer
 * warp has arrived, and of the others when one of each of a group's 4 warps has. */
CMK_DEVICE_ void cmk_tensor_begin_barriers_(cmk_mma_barrier_ *barriers, cmk_tensor_sizes_ s)
{
    CMK_NO_UNROLL
    for (int n = 0; n < s.producers * s.ahead; ++n) cmk_mma_begin_barrier_(&barriers[cmk_tensor_arrived_ + n], 1);
    CMK_NO_UNROLL
    for (int n = 0; n < s.stages; ++n) {
        cmk_mma_begin_barrier_(&barriers[cmk_tensor_full_ + n], 1);
        cmk_mma_begin_barrier_(&barriers[cmk_tensor_empty_ + n], 4);
    }
    cmk_mma_begin_barrier_(&barriers[cmk_tensor_next_], 4);
}

/* Writes the taps of a block: as floats, then their scales, then the matrices B. The function parts.tap gives them from
 * table 1, the only one here. Begins its barriers too. All threads of the block call, and a barrier of the block ends
 * it. Then t->least_inverse and t->most_inverse are set, alike in all threads. */
CMK_DEVICE_ void cmk_tensor_write_table_(cmk_tensor_table_ *t, cmk_tensor_sizes_ s, cmk_filter_parts_float_ parts)
{
    const int threads = s.threads, thread = (int)threadIdx.x, columns = s.pending * 8;
    CMK_NO_UNROLL
    for (int n = thread; n < s.tap_rows * s.f.columns; n += threads) {
        const int c = n / s.tap_rows, r = n % s.tap_rows;
        CMK_STORE((float *)&t->taps[n], r < s.f.rows ? parts.tap(parts.tables, 1, cmk_filter_tap_(s.f, r, c)) : 0.0f);
    }
    __syncthreads();
    if (thread < s.pending) cmk_tensor_find_range_(t, s, thread);
    __syncthreads();
    if (thread < s.pending) cmk_tensor_scale_slot_(t, s, thread);
    __syncthreads();
    CMK_NO_UNROLL
    for (int n = thread; n < s.tap_planes * s.windows * 2 * columns; n += threads) {
        const int column = n % columns, block = n / columns, j = block / 2 % s.windows;
        cmk_tensor_write_taps_(t, s, t->matrices + n * 16, block / 2 / s.windows, j, block % 2, column);
    }
    t->least_inverse = t->most_inverse = t->notes->inverse[0];
    unsigned enough = 1;
    CMK_NO_UNROLL
    for (int slot = 0; slot < s.pending; ++slot) {
        const float inverse = t->notes->inverse[slot];
        t->least_inverse = inverse < t->least_inverse ? inverse : t->least_inverse;
        t->most_inverse = inverse > t->most_inverse ? inverse : t->most_inverse;
        enough &= t->notes->enough[slot];
    }
    if (!enough) t->least_inverse = 0.0f;
    if (thread < cmk_tensor_groups_) cmk_tensor_begin_barriers_(t->notes->barriers[thread], s);
    cmk_mma_show_();
    __syncthreads();
}

#endif

#endif
