/* kernel/tensor/march.h: filters by wgmma. Each group of four warps of a block goes down strips of 512 columns, a step
 * of two rows at a time. Producer warps of its own (rows.h) make halves of these rows, while another group multiplies.
 * A piece, `length` rows of a strip from row piece.y, column piece.x on, equals this. Here in(y, x) is an element or
 * what the edge puts in its place:
 *
 *   for (int y = 0; y < piece.length; ++y)
 *       for (int x = 0; x < 512; ++x) {
 *           float sum = 0.0f;
 *           for (int step = y / 2; step <= (y + f.rows - 1) / 2; ++step) {
 *               float products = 0.0f;
 *               for (int n = s.products - 1; n >= 0; --n)
 *                   for (int r = 2 * step - y; r < 2 * step - y + 2; ++r)
 *                       for (int c = 0; c < f.columns; ++c) {
 *                           const int column = piece.x + x - f.reach + c * f.channels;
 *                           const float p = scale * in(piece.y + y - f.row + r, column);
 *                           products += T(n, r, c) * P(n, p);
 *                       }
 *               sum = products * inverse + sum;
 *           }
 *           out(piece.y + y, piece.x + x) = sum;
 *       }
 *
 * P(0, p) and P(1, p) are p rounded to a half, and P(2, p) is 2^11 times what that is off by, rounded to a half. T is 0
 * beyond the filter. Of a tap times its scale, T(0, r, c) is the high half, T(1, r, c) the low half, and T(2, r, c) the
 * high half over 2^11. `scale` is the scale of the step's pixels, and `inverse` the inverse of all scales. Products
 * start from zero, as tensor cores cut off what they add; FMAs add them to sums. A slot is a row of outputs that a step
 * reaches; rows y and y + 1 are complete with the step. Thread t of a group has these of slot n, where C = 128 (t / 32)
 * + 8 (t % 32 / 4) + 2 (t % 4):
 *
 *   products[4 n + e], of a part of the slots    row y + n, column C + e % 2 + 64 (e / 2), e from 0 to 3
 *   sums[4 n + e]                                the same, of all slots but the last two, before the step
 *   done[4 n + e]                                the same, of slots 0 and 1, after the step
 *
 *   cmk_tensor_convolve_             cmk_tensor_write_table_, then the part of a warp:
 *     cmk_tensor_be_producer_        a producer warp: cmk_tensor_provide_, cmk_tensor_copy_, cmk_tensor_write_
 *     cmk_tensor_be_multiplier_      of each piece: cmk_tensor_go_down_, or cmk_tensor_go_down_kept_ by
 *                                    cmk_tensor_add_step_, where sums stay in accumulators with no FMA
 *       cmk_tensor_part_             cmk_tensor_products_, cmk_tensor_save_, cmk_tensor_add_; the fallback of a
 *                                    step that is not in range: cmk_tensor_products_of_fmas_
 *
 * In all functions here:
 *
 *   s            cmk_tensor_sizes_ (sizes.h), known at compile time. s.pending: the slots; they are multiplied in
 *                s.parts parts, 1 or 2. For each of these B has s.columns columns, 8 a slot. A window is
 *                s.windows blocks of 8 pixels, and begins s.shift pixels before the first that its outputs need
 *   s.f          the filter (rows/filter.h), known at compile time too; in_size and out_size are in bytes; out_bits:
 *                bits of integer outputs, negative where they are signed, 0 for floats; products: its taps
 *   parts        cmk_filter_parts_float_ (rows/filter.h): converts elements by functions that are inlined
 *   task         the kernel's pointers (cmk_image_task_, rows/image.h); region: its parameter (cmk_image_region_)
 *   w            the group at work. A stage is a step as a producer warp wrote it: s.planes x 2 rows of s.width
 *                halves, or where the step goes by FMAs 2 rows of s.width elements, bytes as halves
 *   part, y      a part of the slots; a row of the piece, which the caller counts up by 2 with each step
 *   inverse      the inverse scale of the step's pixels, 0 where it goes by FMAs, alike in all threads of the
 *                group
 *   image        cmk_image_ (rows/image.h): `rows` and `width` are those of the region; pitches are in elements
 *   16 bytes     stages and taps begin at multiples of 16 bytes, and s.tap_rows is a multiple of 4, so that 4 taps
 *                of a column from a multiple of 4 on are aligned
 *   out_whole    (of image) chunks of out are aligned, counted from image->head elements before the region's first.
 *                A piece begins at such a chunk and a thread's pair at an even column, so a pair is aligned
 *   barriers     cmk_mma_await_(barriers, n, phase) waits until phase 0 or 1 of barrier n has ended, and
 *                cmk_mma_arrive_ counts one arrival (mma/group.h)
 *   parts.       widen(&value, element) and narrow(element, &value) convert one element to a float, and back
 *   load.h       cmk_load_plain_value_(to, from, bytes), cmk_load_store_value_(to, from, bytes): one aligned load, or
 *                store, of 1 to 16 bytes. cmk_image_chunk_: 16 bytes. CMK_TURN_: the turn of a loop, for the CPU
 *                backend. CMK_TILE_DYNAMIC(char, shared): the dynamic shared memory (tile.h)
 *   mma/group.h  cmk_mma_at_of_(p), cmk_mma_floats_of_(p), cmk_mma_barriers_of_(p): where a matrix, floats or
 *                barriers lie. cmk_mma_matrix_(at, bytes, lead): the matrix `bytes` further, its next 8 halves along
 *                k `lead` bytes further. cmk_mma_multiply_(d, columns, left, right, adds) starts d = left right, with
 *                adds d + left right, between cmk_mma_begin_ and _end_; cmk_mma_wait_(d, columns) waits for it.
 *                cmk_mma_read_(floats, n): float n. cmk_mma_more_, _fewer_registers_(n): a thread gets n registers,
 *                or leaves as many as these need; with 0 nothing changes
 *   mma/         cmk_mma_half_(pair, 0): the lower half as a float. cmk_mma_integer_(x, least, most): rounded and
 *                saturated, in its last bits. cmk_mma_most_: the largest of all lanes. cmk_fragment_row_(t): t % 32 /
 *                4; _pair_(t): t % 4. __shfl_sync(0xffffffff, x, 0): x of lane 0, so that the compiler knows it alike
 *                in the warp
 *   taps.h       cmk_tensor_table_: the taps, least_inverse and most_inverse of all their inverse scales, the former
 *                0 where not all are in range; notes: scales and barriers; cmk_tensor_room_: the stages of a group;
 *                cmk_tensor_tap_row_(s, slot, d): the row of the filter between row d of a step and a slot. Barriers
 *                are cmk_tensor_full_ + stage, cmk_tensor_empty_ + stage, and cmk_tensor_next_ of a turn
 *   rows.h       cmk_tensor_share_: the rows of a group; cmk_tensor_next_piece_: 0 behind the last.
 *                cmk_tensor_as_are_: whether elements have no scale, as bytes and halves
 *   sizes        cmk_tensor_group_: 128 threads; cmk_tensor_groups_: 2; of columns cmk_tensor_columns_: 512, a warp
 *                cmk_tensor_warp_columns_: 128, cmk_tensor_apart_: 64. cmk_mma_core_bytes_: 128, 8 columns of B of 8
 *                halves. s.table_bytes: all B; s.row_bytes: a row of halves. s.keeps: one product and two parts
 *
 * sums, products, done, part and slot count registers of a thread, so all indices of them are known at compile time.
 * All threads of the group call each function, unless its comment says otherwise. Where it says that a
 * thread calls, the function does something for that thread alone. */
#ifndef CMK_KERNEL_TENSOR_MARCH_H
#define CMK_KERNEL_TENSOR_MARCH_H

#include "rows.h"

/* The most floats of the arrays `products` and `sums` of a thread, 4 for each slot. A part has at most
 * cmk_tensor_slots_one_ = 22 slots, as two parts have half of at most 36 each. */
enum { cmk_tensor_products_most_ = 88, cmk_tensor_sums_most_ = 4 * cmk_tensor_slots_most_ };

#if CMK_TENSOR_HAS_

/* A group at work, as each of its threads has it, with the stage that it multiplies next, and the phase of the barrier
 * of that stage. The taps are floats, s.tap_rows for each column of the filter. There are s.stages stages of
 * s.stage_bytes bytes, and pixels_inverse has for each the inverse scale of its pixels. */
typedef struct {
    cmk_image_task_ task;
    cmk_tensor_piece_ piece;
    const cmk_tensor_notes_ *notes;
    const float *taps;
    const char *stages;
    cmk_mma_at_ table, matrices; /* where the matrices of the taps lie, and those of the stages */
    cmk_mma_barriers_ barriers;
    cmk_mma_floats_ pixels_inverse;
    float taps_inverse; /* the inverse of the scale of all taps, 0 where slots have scales of their own */
    char *target;       /* this thread's first output of the rows that are complete next */
    int column;         /* this thread's first output in a strip */
    int whole, some;    /* whether all outputs of a row are in the region, and aligned; whether some are in it */
    int stage;
    unsigned phase;
    cmk_mma_barriers_ others; /* the barriers of the other group */
    int turns;                /* turns to multiply that are left to both groups */
    unsigned turn;            /* the phase of the next turn */
} cmk_tensor_work_;

/* The column of a thread's first output in a strip. In each row it has this one and the next, and the two that are
 * cmk_tensor_apart_ further. thread: counted in the group. A warp has 16 rows of A, and each has 8 outputs. */
CMK_DEVICE_ int cmk_tensor_column_(int thread)
{
    return (thread / 32 * 16 + cmk_fragment_row_(thread)) * 8 + 2 * cmk_fragment_pair_(thread);
}

/* Starts the products of a step for a part of the slots, corrections first, while sums are small. adds: whether they
 * are added to products, or start from zero. here: the stage's matrix. A wgmma takes two of the blocks of each
 * window: of row d of the step from block `block` on, or the last block of both rows where s.windows is odd (joint).
 * The number of wgmma for a row of the step is `half`, or 1 for none, as it divides. With `low` the low halves of
 * pixels are taken, two rows on. of_taps counts blocks of 128 bytes in B, whose halves of k are s.pending blocks apart.
 * All threads of the group call. The products are there after cmk_mma_wait_. */
CMK_DEVICE_ void cmk_tensor_products_(float *products, const cmk_tensor_work_ *w, cmk_tensor_sizes_ s, cmk_mma_at_ here,
                                      int part, int adds)
{
    const int half = s.windows / 2 ? s.windows / 2 : 1;
    cmk_mma_begin_();
    CMK_UNROLL
    for (int n = s.products - 1; n >= 0; --n) CMK_UNROLL
    for (int j = 0; j < s.windows; ++j) {
        const int joint = s.windows % 2 && j == s.windows - 1, d = joint ? 0 : j / half;
        const int block = joint ? s.windows - 1 : 2 * (j % half), low = n == 2;
        const int of_taps = (n * s.windows + j) * 2 * s.pending + part * s.pending / s.parts;
        cmk_mma_multiply_(products, s.columns,
                          cmk_mma_matrix_(here, (low * 2 + d) * s.row_bytes + block * 16, joint ? s.row_bytes : 16),
                          cmk_mma_matrix_(w->table, of_taps * cmk_mma_core_bytes_, s.pending * cmk_mma_core_bytes_),
                          adds || n < s.products - 1 || j > 0);
    }
    cmk_mma_end_();
}

/* Loads pixel `at` in row d of a step that was written as it is, bytes as halves. A thread calls. at: from 0 to s.width
 * - 1, which the windows of all 512 outputs reach. */
CMK_DEVICE_ float cmk_tensor_pixel_(const char *stage, cmk_tensor_sizes_ s, cmk_filter_parts_float_ parts, int d,
                                    int at)
{
    const int size = s.f.in_size == 1 ? 2 : s.f.in_size;
    cmk_image_chunk_ element = CMK_ZEROS_(cmk_image_chunk_);
    unsigned short half;
    float value;
    if (s.f.in_size == 1) {
        cmk_load_plain_value_(&half, stage + (d * s.width + at) * size, 2);
        return cmk_mma_half_(half, 0);
    }
    cmk_load_plain_value_(&element, stage + (d * s.width + at) * size, size);
    parts.widen(&value, &element);
    return value;
}

/* Adds the products of four taps, times `scale`, to those of a part, by FMAs: the taps of column c, from row r on.
 * pixels: four for each row of the step, which column c meets in the thread's four outputs of a slot. */
CMK_DEVICE_ void cmk_tensor_add_taps_(float *products, const cmk_tensor_work_ *w, cmk_tensor_sizes_ s,
                                      const float *pixels, float scale, int part, int c, int r)
{
    const int count = s.columns / 8, first = part * count;
    float taps[4];
    cmk_load_plain_value_(taps, &w->taps[c * s.tap_rows + r], 16);
    CMK_UNROLL
    for (int i = 0; i < 4; ++i) taps[i] *= scale;
    CMK_UNROLL
    for (int n = 0; n < count; ++n) CMK_UNROLL
    for (int d = 0; d < 2; ++d) {
        const int i = cmk_tensor_tap_row_(s, first + n, d) - r;
        CMK_UNROLL
        for (int e = 0; e < 4; ++e)
            if (i >= 0 && i < 4 && r + i < s.f.rows) products[4 * n + e] += taps[i] * pixels[4 * d + e];
    }
}

/* Adds the products of a step, times `scale`, to those of a part, by FMAs, from pixels as they are. A thread's windows
 * move on along the rows, a column of the filter at a time. Of one channel, a pixel that output 1 of a pair needs is
 * the one that output 0 needs next, so it is loaded once. pixels[4 d + e] is for row d of the step and output e. */
CMK_DEVICE_ void cmk_tensor_fmas_(float *products, const cmk_tensor_work_ *w, cmk_tensor_sizes_ s,
                                  cmk_filter_parts_float_ parts, float scale, int part)
{
    const char *const stage = w->stages + w->stage * s.stage_bytes;
    const int first = s.shift + w->column, moves = s.f.channels == 1;
    float pixels[8];
    CMK_UNROLL
    for (int i = 0; i < 4; ++i)
        if (moves) pixels[2 * i + 1] = cmk_tensor_pixel_(stage, s, parts, i / 2, first + i % 2 * cmk_tensor_apart_);
    CMK_NO_UNROLL
    for (int c = 0; c < s.f.columns; ++c) {
        CMK_UNROLL
        for (int i = 0; i < 4; ++i) {
            const int at = first + c * s.f.channels + i % 2 * cmk_tensor_apart_;
            pixels[2 * i] = moves ? pixels[2 * i + 1] : cmk_tensor_pixel_(stage, s, parts, i / 2, at);
            pixels[2 * i + 1] = cmk_tensor_pixel_(stage, s, parts, i / 2, at + 1);
        }
        CMK_UNROLL
        for (int r = 0; r < s.tap_rows; r += 4) cmk_tensor_add_taps_(products, w, s, pixels, scale, part, c, r);
    }
}

/* Computes the products of a step for a part of the slots by FMAs alone, with the scale 1. */
CMK_DEVICE_ void cmk_tensor_products_of_fmas_(float *products, const cmk_tensor_work_ *w, cmk_tensor_sizes_ s,
                                              cmk_filter_parts_float_ parts, int part)
{
    CMK_UNROLL
    for (int n = 0; n < s.columns / 2; ++n) products[n] = 0.0f;
    cmk_tensor_fmas_(products, w, s, parts, 1.0f, part);
}

/* Adds the products of a part to the sums, which move on by two rows; those that are complete go to `done`. inverse:
 * that of the scale of products. The last two slots are new rows, which have no sums yet. A thread calls. */
CMK_DEVICE_ void cmk_tensor_add_(float *done, float *sums, const float *products, cmk_tensor_sizes_ s, float inverse,
                                 int part)
{
    CMK_UNROLL
    for (int n = 0; n < s.columns / 2; ++n) {
        const int at = part * (s.columns / 2) + n, new_row = at >= 4 * (s.pending - 2);
        const float sum = new_row ? products[n] * inverse : products[n] * inverse + sums[at];
        if (at < 8)
            done[at] = sum;
        else
            sums[at - 8] = sum;
    }
}

/* Multiplies products by the inverse scales of their slots, where slots have scales of their own, and by that of the
 * pixels. A thread calls. */
CMK_DEVICE_ void cmk_tensor_apply_inverses_(float *products, const cmk_tensor_work_ *w, cmk_tensor_sizes_ s,
                                            float inverse, int part)
{
    const int count = s.columns / 8;
    CMK_UNROLL
    for (int n = 0; n < 4 * count; ++n) products[n] *= inverse * w->notes->inverse[part * count + n / 4];
}

/* Converts a pair of this thread's outputs, done[0] and done[1], to what is stored: integers are rounded to the nearest
 * and saturated. least and most are the least and the largest integer of s.f.out_bits bits, at most 16. A pair has at
 * most 16 bytes. A thread calls. */
CMK_DEVICE_ void cmk_tensor_narrow_(cmk_image_chunk_ *pair, const float *done, cmk_tensor_sizes_ s,
                                    cmk_filter_parts_float_ parts)
{
    const int bits = s.f.out_bits < 0 ? -s.f.out_bits - 1 : s.f.out_bits;
    const float most = (float)((1 << bits) - 1), least = s.f.out_bits < 0 ? -most - 1.0f : 0.0f;
    CMK_UNROLL
    for (int e = 0; e < 2; ++e) {
        const unsigned integer = cmk_mma_integer_(done[e], least, most);
        if (s.f.out_bits == 0) parts.narrow(&pair->bytes[e * s.f.out_size], &done[e]);
        CMK_UNROLL
        for (int n = 0; s.f.out_bits != 0 && n < s.f.out_size; ++n)
            pair->bytes[e * s.f.out_size + n] = (unsigned char)(integer >> 8 * n);
    }
}

/* Stores the thread's outputs of a row that begins anywhere, pairs at once where they are aligned. pairs: its two. to:
 * its first output. A thread calls. */
CMK_DEVICE_ void cmk_tensor_save_row_(const cmk_image_chunk_ *pairs, char *to, int size)
{
    const int aligned = (size_t)to / (size_t)size % 2 == 0;
    CMK_UNROLL
    for (int n = 0; n < 2 && aligned; ++n) {
        CMK_TURN_(n);
        cmk_load_store_value_(to + n * cmk_tensor_apart_ * size, &pairs[n], 2 * size);
    }
    CMK_UNROLL
    for (int n = 0; n < 4 && !aligned; ++n) {
        CMK_TURN_(n);
        cmk_load_store_value_(to + (n / 2 * cmk_tensor_apart_ + n % 2) * size, &pairs[n / 2].bytes[n % 2 * size], size);
    }
    CMK_TURN_(-1);
}

/* Stores the thread's outputs of the two rows that are complete, from row y of the piece on, as far as they are the
 * piece's own. w->target goes on by two rows. Of pair n, n / 2 is the row, and n % 2 whether it is the pair that lies
 * cmk_tensor_apart_ further. y may be negative, and x too, in the first strip: such outputs are not stored. Pairs are
 * stored at once where w->whole is set, which means that they are aligned to 2 * size, at most 8 bytes. Else they are
 * in rows that are aligned to them, where all four of a thread's two rows are in the region. A thread calls. */
CMK_DEVICE_ void cmk_tensor_save_(const float *done, cmk_tensor_work_ *w, cmk_tensor_sizes_ s,
                                  cmk_filter_parts_float_ parts, int y)
{
    const cmk_image_ *const image = w->task.image;
    const int x = w->piece.x + w->column, size = s.f.out_size;
    cmk_image_chunk_ pairs[4];
    CMK_UNROLL
    for (int n = 0; n < 4; ++n) cmk_tensor_narrow_(&pairs[n], &done[2 * n], s, parts);
    if (w->whole && y >= 0 && y + 1 < w->piece.length) {
        CMK_UNROLL
        for (int n = 0; n < 4; ++n) {
            CMK_TURN_(n);
            cmk_load_store_value_(w->target + (n / 2 * image->out_pitch + n % 2 * cmk_tensor_apart_) * size, &pairs[n],
                                  2 * size);
        }
    } else if (size < 8 && x >= 0 && x + 66 <= image->width && y >= 0 && y + 1 < w->piece.length) {
        cmk_tensor_save_row_(pairs, w->target, size);
        cmk_tensor_save_row_(pairs + 2, w->target + image->out_pitch * size, size);
    } else if (w->some) {
        CMK_UNROLL
        for (int n = 0; n < 8; ++n) {
            const int row = y + n / 4, column = x + n / 2 % 2 * cmk_tensor_apart_ + n % 2;
            CMK_TURN_(n);
            if (row >= 0 && row < w->piece.length && column >= 0 && column < image->width)
                cmk_load_store_value_(w->target + (n / 4 * image->out_pitch + (column - x)) * size,
                                      &pairs[n / 2].bytes[n % 2 * size], size);
        }
    }
    CMK_TURN_(-1);
    w->target += 2 * image->out_pitch * size;
}

/* Reports that this warp no longer needs the stage: its first thread arrives at the barrier, which counts the group's
 * four warps. All threads of the warp call. */
CMK_DEVICE_ void cmk_tensor_release_(const cmk_tensor_work_ *w)
{
    __syncwarp();
    if (w->column % cmk_tensor_warp_columns_ == 0)
        cmk_mma_arrive_(w->barriers, cmk_tensor_empty_ + w->stage); /* the warp's first thread */
}

/* Computes the products of a part of a step, and adds them to the sums. inverse: the inverse of the scale of the step's
 * pixels, 0 where they go by FMAs. With part 0, meanwhile, the rows that were complete before are stored, from row y
 * on. The last part releases the stage. Where slots have scales of their own, products get both inverses first, and
 * nothing is left to apply: inverse becomes 0, and the factor 1. */
CMK_DEVICE_ void cmk_tensor_part_(float *done, float *sums, float *products, cmk_tensor_work_ *w, cmk_tensor_sizes_ s,
                                  cmk_filter_parts_float_ parts, float inverse, int part, int y)
{
    const int last = part == s.parts - 1;
    if (inverse != 0.0f) {
        const cmk_mma_at_ here = cmk_mma_matrix_(w->matrices, w->stage * s.stage_bytes, 0); /* no lead yet */
        cmk_tensor_products_(products, w, s, here, part, 0);                                /* from zero */
        if (part == 0) cmk_tensor_save_(done, w, s, parts, y);
        cmk_mma_wait_(products, s.columns);
    } else {
        if (part == 0) cmk_tensor_save_(done, w, s, parts, y);
        cmk_tensor_products_of_fmas_(products, w, s, parts, part);
    }
    if (last) cmk_tensor_release_(w);
    if (inverse != 0.0f && w->taps_inverse == 0.0f) {
        cmk_tensor_apply_inverses_(products, w, s, inverse, part);
        inverse = 0.0f;
    }
    cmk_tensor_add_(done, sums, products, s, inverse == 0.0f ? 1.0f : inverse * w->taps_inverse, part);
}

/* Goes on to the stage that follows. Its barrier is in the other phase where the stages begin anew. */
CMK_DEVICE_ void cmk_tensor_go_on_(cmk_tensor_work_ *w, cmk_tensor_sizes_ s)
{
    w->stage = w->stage + 1 < s.stages ? w->stage + 1 : 0;
    w->phase ^= w->stage == 0;
}

/* Computes the rows of a piece. y: the first row that is complete before its first step, which is above the piece. A
 * step waits until its stage is full. A step has s.f.products FMAs for each of 8 outputs of a thread, which the CPU
 * backend counts (CMK_OPERATIONS_). All threads of the group call. */
CMK_DEVICE_ void cmk_tensor_go_down_(float *done, float *sums, float *products, cmk_tensor_work_ *w,
                                     cmk_tensor_sizes_ s, cmk_filter_parts_float_ parts, int y)
{
    CMK_NO_UNROLL
    for (int n = 0; n < w->piece.steps; ++n) {
        cmk_mma_await_(w->barriers, cmk_tensor_full_ + w->stage, w->phase);
        const float inverse = cmk_mma_read_(w->pixels_inverse, w->stage);
        CMK_OPERATIONS_(2 * s.f.products * 8);
        CMK_UNROLL
        for (int part = 0; part < s.parts; ++part) {
            cmk_tensor_part_(done, sums, products, w, s, parts, inverse, part, y);
        }
        y += 2;
        cmk_tensor_go_on_(w, s);
    }
    cmk_tensor_save_(done, w, s, parts, y);
}

/* Waits until it is the group's turn to multiply. The groups start their products in turns. If both started at once,
 * both would end at once, and tensor cores would wait for what both do in between. Each turn is a phase of the group's
 * barrier; group 0 has the first. When the group with fewer steps has ended, no more turns are taken. */
CMK_DEVICE_ void cmk_tensor_take_turn_(cmk_tensor_work_ *w)
{
    if (w->turns > 0) cmk_mma_await_(w->barriers, cmk_tensor_next_, w->turn);
    w->turn ^= 1;
}
/* Gives the turn to the other group. The first thread of each of the group's four warps arrives at that group's
 * barrier, whose phase ends with the fourth. All threads of the group call. */
CMK_DEVICE_ void cmk_tensor_pass_turn_(cmk_tensor_work_ *w)
{
    if (w->turns > 0 && w->column % cmk_tensor_warp_columns_ == 0) cmk_mma_arrive_(w->others, cmk_tensor_next_);
    --w->turns;
}

/* The number of steps of a group of this block, of all its pieces together. A thread calls. */
CMK_DEVICE_ int cmk_tensor_steps_(cmk_image_task_ task, const cmk_image_region_ *region, cmk_tensor_sizes_ s, int group)
{
    cmk_tensor_piece_ piece = cmk_tensor_share_(region, group);
    int steps = 0;
    CMK_NO_UNROLL
    while (cmk_tensor_next_piece_(&piece, task, s, region)) steps += piece.steps;
    return steps;
}

/* Adds the products of a step to sums that stay in accumulators: 4 s.pending floats, of all slots. scale: the scale of
 * these sums. inverse: 0 where the step goes by FMAs. Meanwhile the rows that were complete before are stored, from row
 * y on. Then the stage is released. All threads of the group call. */
CMK_DEVICE_ void cmk_tensor_add_step_(float *done, float *sums, cmk_tensor_work_ *w, cmk_tensor_sizes_ s,
                                      cmk_filter_parts_float_ parts, float inverse, float scale, int y)
{
    const cmk_mma_at_ here = cmk_mma_matrix_(w->matrices, w->stage * s.stage_bytes, 0); /* no lead yet */
    const int each = s.columns / 2;
    if (cmk_mma_most_(inverse != 0.0f) != 0) { /* ptxas wants to know that a warp takes one way */
        cmk_tensor_take_turn_(w);
        CMK_UNROLL
        for (int part = 0; part < s.parts; ++part) /* 1: added to the sums */
            cmk_tensor_products_(sums + part * each, w, s, here, part, 1);
        cmk_tensor_pass_turn_(w);
        cmk_tensor_save_(done, w, s, parts, y);
        cmk_mma_wait_(sums, s.parts * s.columns);
    } else {
        cmk_tensor_take_turn_(w);
        cmk_tensor_pass_turn_(w);
        cmk_tensor_save_(done, w, s, parts, y);
        CMK_UNROLL
        for (int part = 0; part < s.parts; ++part) cmk_tensor_fmas_(sums + part * each, w, s, parts, scale, part);
    }
    cmk_tensor_release_(w);
}

/* Computes the rows of a piece as cmk_tensor_go_down_ does, but with sums that stay in accumulators, as all pixels and
 * taps have one scale. After each step sums move on by the 8 floats of the two rows that are complete. */
CMK_DEVICE_ void cmk_tensor_go_down_kept_(float *done, float *sums, cmk_tensor_work_ *w, cmk_tensor_sizes_ s,
                                          cmk_filter_parts_float_ parts, int y)
{
    const float inverse = w->taps_inverse;
    CMK_UNROLL
    for (int n = 0; n < 4 * s.pending; ++n) sums[n] = 0.0f;
    CMK_NO_UNROLL
    for (int n = 0; n < w->piece.steps; ++n) {
        cmk_mma_await_(w->barriers, cmk_tensor_full_ + w->stage, w->phase);
        CMK_OPERATIONS_(2 * s.f.products * 8);
        cmk_tensor_add_step_(done, sums, w, s, parts, cmk_mma_read_(w->pixels_inverse, w->stage), 1.0f / inverse, y);
        CMK_UNROLL
        for (int i = 0; i < 8; ++i) done[i] = sums[i] * inverse;
        CMK_UNROLL
        for (int i = 0; i < 4 * s.pending; ++i) sums[i] = i < 4 * s.pending - 8 ? sums[i + 8] : 0.0f;
        y += 2;
        cmk_tensor_go_on_(w, s);
    }
    cmk_tensor_save_(done, w, s, parts, y);
}

/* The work of a thread of the group with this number, which multiplies: all pieces of the group's share. The table has
 * the taps that the block has written. With `keeps` sums stay in accumulators, alike in both groups, and only then they
 * take turns. Column x is the thread's first output, and its last is x + 65. Called by cmk_tensor_convolve_. */
CMK_DEVICE_ void cmk_tensor_be_multiplier_(cmk_image_task_ task, const cmk_image_region_ *region, cmk_tensor_sizes_ s,
                                           cmk_filter_parts_float_ parts, const cmk_tensor_table_ *table, int group)
{
    const cmk_image_ *const image = &region->image;
    float sums[cmk_tensor_sums_most_], products[cmk_tensor_products_most_], done[8];
    cmk_tensor_work_ w = CMK_ZEROS_(cmk_tensor_work_);
    w.task = task;
    w.piece = cmk_tensor_share_(region, group);
    w.notes = table->notes;
    w.taps = table->taps;
    w.stages = cmk_tensor_room_(table, s, group);
    w.table = cmk_mma_at_of_(table->matrices);
    w.matrices = cmk_mma_at_of_(w.stages);
    w.barriers = cmk_mma_barriers_of_(table->notes->barriers[group]);
    w.pixels_inverse = cmk_mma_floats_of_(table->notes->pixels_inverse[group]);
    w.taps_inverse = table->least_inverse == table->most_inverse ? table->least_inverse : 0.0f;
    w.column = cmk_tensor_column_((int)threadIdx.x % cmk_tensor_group_);
    const int keeps = s.keeps && w.taps_inverse != 0.0f && cmk_tensor_as_are_(s, parts);
    if (keeps) {
        w.others = cmk_mma_barriers_of_(table->notes->barriers[1 - group]);
        w.turn = group == 0;
        w.turns = cmk_least_(cmk_tensor_steps_(task, region, s, 0), cmk_tensor_steps_(task, region, s, 1));
    }
    CMK_NO_UNROLL
    while (cmk_tensor_next_piece_(&w.piece, task, s, region)) {
        const int x = w.piece.x + w.column, y = -1 - s.f.rows; /* y: the row that is complete before step 0 */
        w.whole = image->out_whole && s.f.out_size < 8 && x >= 0 && x + 66 <= image->width;
        w.some = x < image->width;
        w.target = w.piece.out + ((w.piece.y + y) * image->out_pitch + x) * s.f.out_size;
        CMK_UNROLL
        for (int n = 0; n < 4 * (s.pending - 2); ++n) sums[n] = 0.0f;
        CMK_UNROLL
        for (int n = 0; n < 8; ++n) done[n] = 0.0f;
        if (keeps)
            cmk_tensor_go_down_kept_(done, sums, &w, s, parts, y);
        else
            cmk_tensor_go_down_(done, sums, products, &w, s, parts, y);
    }
}

/* The one call of a kernel (ways.h): a block at work on its share of all strips. Its first 8 warps are the two groups
 * that multiply, the others are their producer warps. Shared memory has the matrices B, then the taps as floats, then
 * the stages and rings of each group. All threads of the block call. The zeros in `empty` are inverses, which
 * cmk_tensor_write_table_ finds. */
CMK_DEVICE_ void cmk_tensor_convolve_(cmk_image_task_ task, const cmk_image_region_ *region, cmk_tensor_sizes_ s,
                                      cmk_filter_parts_float_ parts)
{
    CMK_TILE_DYNAMIC(char, shared);
    __shared__ cmk_tensor_notes_ notes;
    const int warp = __shfl_sync(0xffffffffu, (int)threadIdx.x / 32, 0), first = 4 * cmk_tensor_groups_;
    const cmk_tensor_table_ empty = {(const float *)(const void *)(shared + s.table_bytes), shared, &notes, 0, 0};
    cmk_tensor_table_ table = empty;
    cmk_tensor_write_table_(&table, s, parts);
    if (warp >= first) {
        cmk_mma_fewer_registers_(s.registers);
        cmk_tensor_be_producer_(task, region, s, parts, &table, warp - first);
    } else {
        cmk_mma_more_registers_(s.registers);
        cmk_tensor_be_multiplier_(task, region, s, parts, &table, warp / 4);
    }
}

#endif

#endif
