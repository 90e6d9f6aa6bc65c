/* kernel/planes/rows.h: the rows of a step on their way to a matrix. They are copied into a ring in shared memory that
 * is the warp's own, some steps ahead. From there they go, as halves, to another place of it, and then to registers.
 *
 * In all functions here:
 *
 *   s            cmk_planes_sizes_ (sizes.h), known at compile time. s.pairs: pairs of planes of a step; s.width:
 *                columns of a row as it is copied, s.lead of them before the first output; s.outputs: outputs of
 *                a window, so that 8 windows begin 8 s.outputs columns apart; s.items: what a thread converts of
 *                a step; s.chunks: chunks of 16 bytes that it copies
 *   w            a warp at work, see below; lane l of it takes chunks or elements l, l + 32, l + 64 ...
 *   n            a step of the item that the warp computes, counted from 0; its place in the ring is n %
 *                cmk_planes_ahead_
 *   volume       w->volume (rows/volume.h): pitches go from row to row, steps from plane to plane, in elements;
 *                in_planes x in_rows x in_columns is its size. s.step_bytes: a step in the ring
 *   samples      of each item of a thread 4: planes 0 and 1 of the pair, then both 8 windows further
 *   16 bytes     w->ring and w->halves begin at multiples of 16 bytes. s.width is a multiple of 4 floats and s.twins
 *                is even, so all rows of both do so too. In the volume chunks are aligned where w->in_whole is set
 *                (cmk_planes_begin_ of march.h)
 *   from         distances are ints, as plan.h gives volumes of more than 0x7fff0000 elements to FMAs. Rows n may be
 *                negative or beyond the last: then cmk_edge_find_(edge, i, count) (edge.h) gives the index that the
 *                edge reads, -1 where it reads none
 *   to, from     cmk_fill_async_(bytes, to, from, inside) (fill.h) starts a copy, or stores zeros and does not read
 *                `from` where inside is 0. cmk_fill_async_shared_ is the same for 16 bytes that are inside
 *   edges        CMK_EDGE_PLANE(e), _ROW(e) and _COLUMN(e) are the parts of the edge s.edge for one axis (edge.h)
 *   load.h       CMK_LOAD(p) and CMK_STORE(p, v): one int or float in shared memory. cmk_load_plain_value_(to, from,
 *                bytes), cmk_load_store_value_(to, from, bytes): one aligned load, or store, of 8 or 16 bytes
 *   CMK_FILL_COMMIT(ASYNC)   the copies of this thread since the last one become a group. CMK_FILL_ARRIVED(ASYNC,
 *                later) waits until all its groups but the last `later` have arrived (fill.h)
 *   mma/         cmk_fragment_row_(lane) is lane / 4, 0 to 7, and cmk_fragment_pair_(lane) lane % 4. cmk_mma_bits_:
 *                the bits of a float. cmk_mma_most_, _least_: of the values of all lanes, as unsigned.
 *                cmk_halves_scale_(bits, &scale, &inverse): the power of two that brings a number to 2^14 to 2^15.
 *                cmk_halves_split_(&high, &low, a, b): a and b, each high + low / 2^11, as two pairs of halves.
 *                cmk_mma_at_: where the matrices B lie
 *   bounds       with at most 7 planes, rows and columns 2 s.pairs is at most 14, fewer than lanes, and arrays of
 *                cmk_planes_items_most_ and _together_ = 3 elements have all that a thread fills (sizes.h, tune.h)
 *
 * All threads of a warp call each function together, unless its comment says that a thread calls, which then does so
 * for itself. Loops over items and chunks are unrolled. CMK_TURN_ names the turn of a loop for the counters of the CPU
 * backend. */
#ifndef CMK_KERNEL_PLANES_ROWS_H
#define CMK_KERNEL_PLANES_ROWS_H

#include "../../edge.h"
#include "../../load.h"
#include "../../tile.h"
#include "../mma/fragment.h"
#include "../mma/group.h"
#include "../mma/halves.h"
#include "../rows/volume.h"
#include "sizes.h"

/* What the threads of a block note of each row of taps, by slot: the inverse scale, then 1 for steps without one; and
 * whether the taps are in range. The 8 are the up to 7 slots, rounded up as 4 floats are loaded at once. */
typedef struct {
    float inverse[2][8];
    unsigned enough[cmk_planes_slots_most_];
} __attribute__((aligned(16))) cmk_planes_notes_;

#if CMK_TENSOR_HAS_

/* A warp at work, on outputs from row y of the volume on, for a number of steps. */
typedef struct {
    const cmk_volume_ *volume;
    const float *in;                 /* element 0 of the volume */
    const float *source;             /* the row to copy next, column 0 of plane 0 of the volume */
    float *out, *target;             /* target: the thread's first output of the row that is complete next */
    int lane, warp, group, y, steps; /* warp: of the group; group: of the block */
    int planes, columns;             /* planes and columns from the warp's first output to the last of the region */
    int in_whole;                    /* whether its samples go by 16 bytes */
    int out_whole;                   /* whether all outputs of a row are the volume's, and aligned by two */
    int *plane, *column; /* the index that the edge reads, for each plane and each column of a step, or -1 */
    int *from;           /* distances from a row of the volume to the chunks of a step, in 16 bytes, or to its
                          * elements */
    char *ring;          /* some steps, each a row of every plane */
    char *halves;        /* [pair][high, low][column] of a step, each with the column 8 windows further */
    const float *taps;   /* taps as floats: [plane][column][row] */
    char *table_bytes;   /* the matrices B: [high, low, high / 2^11][half of k][pair][row][column of B][8] */
    cmk_mma_at_ table;
    cmk_planes_notes_ *notes;
    float least_inverse, most_inverse; /* inverse scales of taps; least is 0 where they are not in range */
} cmk_planes_work_;

/* Finds where the samples of a step come from, for all steps of an item. Its first output is in plane z and column x of
 * the volume. It writes w->plane, w->column and w->from, -1 for what the edge does not read. A chunk lies in one
 * row, as s.width is a multiple of 4, and where w->in_whole is set in_step and the column of each chunk are too. A warp
 * calls it. */
CMK_DEVICE_ void cmk_planes_find_(const cmk_planes_work_ *w, cmk_planes_sizes_ s, cmk_i64 z, cmk_i64 x)
{
    const cmk_volume_ *const volume = w->volume;
    const int each = w->in_whole ? 4 : 1;
    const cmk_i64 step = volume->in_step / each;
    for (int c = w->lane; c < s.width; c += 32)
        CMK_STORE(&w->column[c], (int)cmk_edge_find_(CMK_EDGE_COLUMN(s.edge), x - s.lead + c, volume->in_columns));
    if (w->lane < 2 * s.pairs) {
        const cmk_i64 plane = cmk_edge_find_(CMK_EDGE_PLANE(s.edge), z - s.planes / 2 + w->lane, volume->in_planes);
        CMK_STORE(&w->plane[w->lane], (int)plane);
    }
    __syncwarp();
    CMK_NO_UNROLL
    for (int e = w->lane; e < 2 * s.pairs * s.width / each; e += 32) {
        const int plane = CMK_LOAD(&w->plane[e * each / s.width]), column = CMK_LOAD(&w->column[e * each % s.width]);
        CMK_STORE(&w->from[e], plane >= 0 && column >= 0 ? (int)(plane * step) + column / each : -1);
    }
    __syncwarp();
}

/* Starts to copy the samples of a step by 16 bytes, each chunk `from` after the row. Zeros stand for what is outside.
 * to: the place of the step in the ring. row: column 0 of the row in plane 0. from: of the thread's s.chunks chunks, in
 * 16 bytes, -1 for zeros. */
CMK_DEVICE_ void cmk_planes_fill_chunks_(char *to, const cmk_planes_work_ *w, cmk_planes_sizes_ s, const char *row,
                                         const int *from)
{
    const unsigned zeros[4] = {0, 0, 0, 0};
    CMK_UNROLL
    for (int i = 0; i < s.chunks; ++i) {
        char *const at = to + (w->lane + 32 * i) * 16;
        CMK_TURN_(i);
        if (from[i] >= 0)
            cmk_fill_async_shared_(at, row + (cmk_i64)from[i] * 16);
        else if (w->lane + 32 * i < 2 * s.pairs * s.width / 4)
            cmk_load_store_value_(at, zeros, 16);
    }
    CMK_TURN_(-1);
}

/* Starts to copy the samples of a step by elements, as far as w->from says. With inside 0 all of the row are zeros. to
 * and row: as above. */
CMK_DEVICE_ void cmk_planes_fill_elements_(char *to, const cmk_planes_work_ *w, cmk_planes_sizes_ s, const char *row,
                                           int inside)
{
    const int all = 2 * s.pairs * s.width;
    CMK_NO_UNROLL
    for (int e = w->lane; e < all; e += 32 * cmk_planes_together_) {
        int from[cmk_planes_together_];
        CMK_UNROLL
        for (int i = 0; i < cmk_planes_together_; ++i)
            from[i] = e + 32 * i < all && inside ? CMK_LOAD(&w->from[e + 32 * i]) : -1;
        CMK_UNROLL
        for (int i = 0; i < cmk_planes_together_; ++i) {
            CMK_TURN_(e / 32 + i);
            if (e + 32 * i < all)
                cmk_fill_async_(4, to + (e + 32 * i) * 4, row + (cmk_i64)(from[i] < 0 ? 0 : from[i]) * 4, from[i] >= 0);
        }
    }
    CMK_TURN_(-1);
}

/* Reads where the thread's s.chunks chunks of a step come from, -1 for zeros. A thread calls. */
CMK_DEVICE_ void cmk_planes_look_(int *from, const cmk_planes_work_ *w, cmk_planes_sizes_ s)
{
    CMK_UNROLL
    for (int i = 0; i < s.chunks; ++i)
        from[i] = w->lane + 32 * i < 2 * s.pairs * s.width / 4 ? CMK_LOAD(&w->from[w->lane + 32 * i]) : -1;
}

/* Starts to copy step n, which is the next one, into its place of the ring, if there is one more. Its copies become a
 * group (CMK_FILL_COMMIT), an empty one where there is none. from: as cmk_planes_look_ set it; all are -1 behind the
 * call where the edge reads no row. */
CMK_DEVICE_ void cmk_planes_fill_(cmk_planes_work_ *w, cmk_planes_sizes_ s, int n, int *from)
{
    if (n < w->steps) {
        const int at = w->y - s.rows / 2 + n, rows = (int)w->volume->in_rows;
        const char *row = (const char *)w->source;
        char *const to = w->ring + n % cmk_planes_ahead_ * s.step_bytes;
        int inside = 1;
        if (at < 0 || at >= rows) {
            const cmk_i64 y = cmk_edge_find_(CMK_EDGE_ROW(s.edge), at, rows);
            inside = y >= 0;
            row = (const char *)(w->in + (inside ? y : 0) * w->volume->in_pitch);
            CMK_UNROLL
            for (int i = 0; i < s.chunks; ++i) from[i] = inside ? from[i] : -1;
        }
        if (w->in_whole)
            cmk_planes_fill_chunks_(to, w, s, row, from);
        else
            cmk_planes_fill_elements_(to, w, s, row, inside);
    }
    w->source += w->volume->in_pitch;
    CMK_FILL_COMMIT(ASYNC);
}

/* Sets the scale of the warp's samples of a step. Returns the inverse scale, or 0 where they are not in range. That is
 * so for infinities, NaNs, numbers near the ends of the range of floats, and too many powers of two between two
 * numbers. 0x7f800000 are the bits of infinity, and 0x0f000000 those of 2^-97. largest and smallest are bits without
 * the sign: smallest of the least but 0, less 1. Bits are doubled before, which drops the sign: of 0 they are 0, and 1
 * less is the largest number. `range` is cmk_planes_range_ powers of two in such bits. The inverse
 * times those of the taps must be from 1e-36 to 1e36. All threads of the warp get the same. */
CMK_DEVICE_ float cmk_planes_adapt_(const float *samples, const cmk_planes_work_ *w, cmk_planes_sizes_ s, float *scale)
{
    const unsigned range = (unsigned)cmk_planes_range_ << 23;
    unsigned most[2] = {0, 0}, least[4] = {~0u, ~0u, ~0u, ~0u}; /* several, as each comparison waits for the last */
    float inverse;
    CMK_UNROLL
    for (int i = 0; i < 4 * s.items; ++i) {
        const unsigned bits = 2 * cmk_mma_bits_(samples[i]);
        unsigned *const high = &most[i / 2 % 2], *const low = &least[i % 4];
        *high = bits > *high ? bits : *high;
        *low = bits - 1 < *low ? bits - 1 : *low;
    }
    for (int i = 2; i > 0; i /= 2)
        for (int k = 0; k < i; ++k) least[k] = least[k + i] < least[k] ? least[k + i] : least[k];
    const unsigned largest = cmk_mma_most_(most[0] > most[1] ? most[0] : most[1]) / 2;
    const unsigned smallest = cmk_mma_least_(least[0]) / 2;
    cmk_halves_scale_(largest, scale, &inverse);
    const int enough = largest < 0x7f800000u && largest >= 0x0f000000u &&
                       (largest <= range || smallest >= largest - range) && inverse * w->least_inverse >= 1e-36f &&
                       inverse * w->most_inverse <= 1e36f;
    return enough || (largest == 0 && w->least_inverse != 0.0f) ? inverse : 0.0f;
}

/* A thread's item i is a column of a pair of planes, together with the column 8 windows further. The functions return
 * its pair, its column, and whether there is such an item. Items before s.mains are columns 0 to 8 s.outputs - 1 of the
 * pairs. The others are the columns behind, up to s.twins, with 8 lanes for a pair; 8 - s.outputs of these have one. A
 * thread calls. */
CMK_DEVICE_ int cmk_planes_item_pair_(const cmk_planes_work_ *w, cmk_planes_sizes_ s, int i)
{
    return i < s.mains ? (w->lane + 32 * i) / (8 * s.outputs) : (w->lane + 32 * (i - s.mains)) / 8;
}
CMK_DEVICE_ int cmk_planes_item_column_(const cmk_planes_work_ *w, cmk_planes_sizes_ s, int i)
{
    return i < s.mains ? w->lane % (8 * s.outputs) : 8 * s.outputs + w->lane % 8;
}
CMK_DEVICE_ int cmk_planes_has_item_(const cmk_planes_work_ *w, cmk_planes_sizes_ s, int i)
{
    return cmk_planes_item_pair_(w, s, i) < s.pairs && cmk_planes_item_column_(w, s, i) < s.twins;
}

/* Loads the samples of step n, which have arrived in the ring, 0 for items that the thread does not have. */
CMK_DEVICE_ void cmk_planes_load_(float *samples, const cmk_planes_work_ *w, cmk_planes_sizes_ s, int n)
{
    const float *const from = (const float *)(const void *)(w->ring + n % cmk_planes_ahead_ * s.step_bytes);
    CMK_UNROLL
    for (int i = 0; i < s.items; ++i) {
        const int at =
            cmk_planes_item_pair_(w, s, i) * 2 * s.width + cmk_planes_item_column_(w, s, i) + s.lead - s.columns / 2;
        CMK_UNROLL
        for (int k = 0; k < 4; ++k) {
            CMK_TURN_(4 * i + k);
            samples[4 * i + k] =
                cmk_planes_has_item_(w, s, i) ? CMK_LOAD(&from[at + k % 2 * s.width + k / 2 * 8 * s.outputs]) : 0.0f;
        }
    }
    CMK_TURN_(-1);
}

/* Writes the samples, times scale, as halves: the high ones, and s.twins columns further the low ones. A column has 8
 * bytes, halves of both planes, then of both 8 windows further; a pair of planes has 2 s.twins columns. */
CMK_DEVICE_ void cmk_planes_write_(const float *samples, const cmk_planes_work_ *w, cmk_planes_sizes_ s, float scale)
{
    CMK_UNROLL
    for (int i = 0; i < s.items; ++i) {
        char *const to =
            w->halves + (cmk_planes_item_pair_(w, s, i) * 2 * s.twins + cmk_planes_item_column_(w, s, i)) * 8;
        unsigned high[2], low[2];
        CMK_UNROLL
        for (int k = 0; k < 2; ++k) {
            const float first = samples[4 * i + 2 * k] * scale, second = samples[4 * i + 2 * k + 1] * scale;
            cmk_halves_split_(&high[k], &low[k], first, second);
        }
        CMK_TURN_(i);
        if (cmk_planes_has_item_(w, s, i)) {
            cmk_load_store_value_(to, high, 8);
            cmk_load_store_value_(to + s.twins * 8, low, 8);
        }
    }
    CMK_TURN_(-1);
}

/* Converts the samples of step n to halves. Returns their inverse scale, or 0 where they have none and go by FMAs. It
 * waits until all groups of copies but the last cmk_planes_ahead_ - 2 have arrived; step n is among these. The warp has
 * read the last step's halves before (cmk_planes_hold_). */
CMK_DEVICE_ float cmk_planes_convert_(const cmk_planes_work_ *w, cmk_planes_sizes_ s, int n)
{
    float samples[4 * cmk_planes_items_most_], scale;
    CMK_FILL_ARRIVED(ASYNC, cmk_planes_ahead_ - 2);
    __syncwarp();
    cmk_planes_load_(samples, w, s, n);
    const float inverse = cmk_planes_adapt_(samples, w, s, &scale);
    if (inverse != 0.0f) cmk_planes_write_(samples, w, s, scale);
    __syncwarp();
    return inverse;
}

/* Reads the thread's part of the matrices A of a step: of each pair of planes the high halves, then the low ones. These
 * are 4 registers each, in the order of left of cmk_mma_multiply_held_. A load of 16 bytes has two columns, the first
 * of which is even, and so is aligned. The last one that a lane reads is column s.twins - 1. */
CMK_DEVICE_ void cmk_planes_hold_(unsigned *held, const cmk_planes_work_ *w, cmk_planes_sizes_ s)
{
    const char *const from = w->halves + (cmk_fragment_row_(w->lane) * s.outputs + 2 * cmk_fragment_pair_(w->lane)) * 8;
    CMK_UNROLL
    for (int i = 0; i < 2 * s.pairs; ++i) cmk_load_plain_value_(&held[4 * i], from + i * s.twins * 8, 16);
}

#endif

#endif
