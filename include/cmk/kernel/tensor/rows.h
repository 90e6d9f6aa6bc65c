/* kernel/tensor/rows.h: the producer warps of a group. They take its steps in turns. A producer warp copies the two
 * rows of a step into a ring of its own, some steps ahead. Then it finds the scale of their pixels, and writes them as
 * halves into a stage of the group. Steps that are not in range are written as they are. Rows of floats that are not
 * aligned are copied in chunks of 16 bytes too, each as far behind a multiple of 16 bytes as it is in memory, its lead.
 * Then the warp moves their elements back by that, so that all that follows is as with aligned rows. A step is two rows
 * of pixels, a pixel is one element of a row, and a four is four pixels of a row side by side.
 *
 * In all functions here:
 *
 *   s            cmk_tensor_sizes_ (sizes.h), known at compile time; its widths count pixels. Of a window s.lead
 *                lie before its output, and a row as it is copied has s.skip more before these, so that chunks
 *                are aligned
 *   s.f          the filter (rows/filter.h), known at compile time too: an output needs s.f.row rows above its
 *                own, in_size is in bytes, and `zeros` says that all outside is zero
 *   parts        cmk_filter_parts_float_ (rows/filter.h); widen makes a float of an element, inlined
 *   task         the kernel's pointers (cmk_image_task_, rows/image.h): in and out are the region's first
 *                elements of image 0; outside is the element that stands for what is outside, null for zeros
 *   region       the kernel's parameter, alike in all threads; rows: those of all strips of all images
 *   image        its cmk_image_ (rows/image.h); columns count elements, and rows and columns count from the
 *                region's first. The image has rows top to bottom - 1, columns left to right - 1, the region
 *                `width` columns. in_whole: rows and images are multiples of 16 bytes apart. head: then the
 *                elements from a multiple of 16 bytes to the region's first, else 0
 *   p            the producer warp; barrier: the number of one of the group's barriers (taps.h)
 *   raw          a step as it was copied: two rows of s.raw_width elements, each from a multiple of 16 bytes on.
 *                Pixel 0 of its s.width is element s.skip. s.skip is a multiple of 4, and s.skip + s.width is at most
 *                s.raw_width. So 4 pixels from a multiple of 4 on are aligned to their size, 4, 8 or 16 bytes
 *   s.kept       4, or 8 of elements of 1 or 2 bytes. It divides s.width, a multiple of 8, so that no set of
 *                pixels is in both rows. A stage begins at a multiple of 16 bytes too
 *   cmk_image_row_at_, _column_at_   the row or column that the edge reads for one that may be negative, or
 *                cmk_image_none_, which is no index, where it reads none (rows/image.h)
 *   cmk_fill_async_(size, to, from, inside)   starts a copy; stores zeros and does not read where inside is 0
 *   s.           s.f.channels elements make a pixel of an image; s.shift: of s.lead those that nothing needs;
 *                s.planes: halves of a pixel, 1 or 2; s.products: 1 to 3 products of halves; s.adapts: 0 of integers,
 *                else 1; s.raw_bytes, s.stage_bytes, s.row_bytes: a slot, a stage, a row of halves; in_pitch and
 *                in_step: from row to row, and from image to image
 *   rows/        cmk_image_at_(row, i, size): where element i lies, which may be negative. cmk_image_copy_(to, from,
 *                size, inside, outside): starts to copy an element; with inside 0 stores what outside points to, or
 *                zeros where that is null. cmk_image_up_(a, b): a rounded up to a multiple of b, 0 where a < 0.
 *                cmk_image_within_(a, b, c): b <= a < c. cmk_image_chunk_: 16 bytes
 *   load.h       cmk_load_plain_value_(to, from, bytes), cmk_load_store_value_(to, from, bytes): one aligned load, or
 *                store, of 1 to 16 bytes. CMK_FILL_ARRIVED(ASYNC, later) waits until all groups of this thread but
 *                the last `later` have arrived (fill.h)
 *   mma/group.h  cmk_mma_expect_(barriers, n, bytes): arrives at barrier n, whose phase waits for these bytes of
 *                cmk_mma_copy_bulk_ too, which copies multiples of 16 bytes. cmk_mma_arrive_ arrives, and
 *                cmk_mma_await_(barriers, n, phase) waits for the end of a phase, 0 or 1. cmk_mma_show_: what this
 *                thread wrote is seen by wgmma behind the next barrier
 *   two halves   cmk_mma_most_of_two_(first, second): in each 16 bits the larger. cmk_mma_least_of_two_(first,
 *                second): the lesser of first and of second less 1, where 0 less 1 is the largest number
 *                (mma/group.h)
 *   mma/warp.h   cmk_mma_bits_: the bits of a float. cmk_mma_larger_: the larger without signs, NaN where one is.
 *                cmk_mma_most_, _least_: of the values of all lanes, as unsigned. cmk_mma_values_(a, i, b, j, same,
 *                is_signed): bytes i of a and j of b as halves; same: a is b
 *   mma/halves.h cmk_halves_scale_(bits, &scale, &inverse): the power of two that brings a number to 2^14 to 2^15.
 *                cmk_halves_split_(&high, &low, a, b): a and b, each high + low / 2^11, as two pairs of halves
 *   constants    cmk_tensor_columns_: 512, of a strip. cmk_tensor_groups_: 2 in a block. cmk_tensor_registers_most_:
 *                232 for a thread that multiplies, so that these warps have few. cmk_tensor_range_, _range_short_: 26
 *                and 28 powers of two, of two halves and of one. cmk_tensor_tiny_: 32, in 2^-24 (tune.h).
 *                s.registers: of a thread that multiplies
 *   taps.h       cmk_tensor_table_: the taps, with notes: scales and barriers; cmk_tensor_room_(table, s, group): the
 *                stages of a group. cmk_tensor_full_ + stage, cmk_tensor_empty_ + stage: barriers. Slot i of warp w
 *                has w * s.ahead + i; cmk_mma_barriers_of_(p): where barriers lie
 *
 * A chunk has 16 bytes, and a slot is a place for a step in the ring. CMK_TURN_ names the turn of a loop for the
 * counters of the CPU backend. All threads of a producer warp call each function, unless its comment says otherwise. */
#ifndef CMK_KERNEL_TENSOR_ROWS_H
#define CMK_KERNEL_TENSOR_ROWS_H

#include "taps.h"

/* A bound of s.together, for the pixels that a lane holds: at most s.fours, which is 10 with the widest s.width, 640.
 */
enum { cmk_tensor_fours_most_ = 11 };

#if CMK_TENSOR_HAS_

/* A piece of a group's share: rows of a strip of an image, `length` rows of outputs from row y, column x on, which need
 * `steps` steps. in and out: the region's first element of that image. Among the rows of all strips, at is the one that
 * follows the piece, and end is behind the last of the share. */
typedef struct {
    const char *in;
    char *out;
    cmk_i64 at, end;
    int x, y, length, steps;
} cmk_tensor_piece_;

/* A row as it is copied, whose element 0 is column x. Elements low to high - 1 are whole chunks inside the image. Those
 * before low, and from high to until - 1, are its ends: they come one by one, or are zeros. All that follow are zeros.
 * ends: whether the ends come one by one. */
typedef struct {
    int x, low, high, until, ends;
} cmk_tensor_span_;

/* A producer warp, as each of its threads has it. The ring has s.ahead steps of this warp as they were copied, and the
 * stages are s.stages steps of the group as halves. The number is that of the warp among the group's producer warps.
 * With is_half elements are halves, with is_signed bytes with a sign. In `copied` are the steps that it has copied so
 * far. Number, step and stage are counted from 0; the group has s.producers, and s.stages is a multiple of these. */
typedef struct {
    cmk_image_task_ task;
    const cmk_image_region_ *region;
    cmk_tensor_piece_ piece;
    const char *source; /* column 0 of the first row of the step to copy next */
    char *ring, *stages;
    cmk_mma_barriers_ barriers;        /* the barriers of the group */
    float *pixels_inverse;             /* for each stage, the inverse scale of its pixels, 0 where they go by FMAs */
    float least_inverse, most_inverse; /* the least and the largest inverse scale of taps */
    int lane, number, is_half, is_signed;
    int more, step, copied; /* whether there is a step to copy, and its number in the piece */
    cmk_tensor_span_ span;  /* how rows of the piece are copied */
    int fresh;              /* steps of the ring whose zeros are still those of another piece */
    int quick;              /* whether rows inside have chunks, no more ends than lanes, and no value outside but 0 */
    int end_to, end_from;   /* of this lane's end: its element, -1 for none, and the column that it comes from */
} cmk_tensor_producer_;

/* Whether elements are halves, of which 0x3c00 is one; and whether elements stand as they are, without a scale, as
 * halves and bytes do. Bytes are in memory with the lower one first. Any thread calls. */
CMK_DEVICE_ int cmk_tensor_is_half_(cmk_tensor_sizes_ s, cmk_filter_parts_float_ parts)
{
    const cmk_image_chunk_ one_as_half = {{0x00, 0x3c}};
    float one;
    parts.widen(&one, &one_as_half);
    return s.f.in_size == 2 && one == 1.0f;
}
CMK_DEVICE_ int cmk_tensor_as_are_(cmk_tensor_sizes_ s, cmk_filter_parts_float_ parts)
{
    return s.f.in_size == 1 || cmk_tensor_is_half_(s, parts);
}

/* The share of a group among the rows of all strips: all groups of all blocks have equal shares but for a row. It has
 * no piece yet. A thread of a producer warp or of the group calls. */
CMK_DEVICE_ cmk_tensor_piece_ cmk_tensor_share_(const cmk_image_region_ *region, int group)
{
    const cmk_i64 workers = (cmk_i64)gridDim.x * cmk_tensor_groups_;
    const cmk_i64 worker = (cmk_i64)blockIdx.x * cmk_tensor_groups_ + group;
    cmk_tensor_piece_ piece = CMK_ZEROS_(cmk_tensor_piece_);
    piece.at = region->rows * worker / workers;
    piece.end = region->rows * (worker + 1) / workers;
    return piece;
}

/* Goes on to the next piece of the share, which ends with the share or with the strip. Returns 0 where there is none. A
 * thread of a producer warp or of the group calls. A piece needs s.f.rows - 1 rows more than its length, in whole
 * steps. left: rows of the strip from here to its end. */
CMK_DEVICE_ int cmk_tensor_next_piece_(cmk_tensor_piece_ *piece, cmk_image_task_ task, cmk_tensor_sizes_ s,
                                       const cmk_image_region_ *region)
{
    const cmk_image_ *const image = &region->image;
    const cmk_i64 each = (cmk_i64)region->strips * image->rows, at = piece->at;
    if (at >= piece->end) return 0;
    const cmk_i64 z = at / each, strip = at % each / image->rows, left = image->rows - at % image->rows;
    piece->in = task.in + z * image->in_step * s.f.in_size;
    piece->out = task.out + z * image->out_step * s.f.out_size;
    piece->x = (int)strip * cmk_tensor_columns_ - image->head;
    piece->y = (int)(at % image->rows);
    piece->length = (int)(left < piece->end - at ? left : piece->end - at);
    piece->steps = (piece->length + s.f.rows) / 2;
    piece->at += piece->length;
    return 1;
}

/* Finds which elements of the rows of a piece are copied in chunks, which one by one, and which are zeros. A chunk is
 * one element where rows are not aligned. before, inside: elements up to the image's first, and up to its end, or
 * negative. cut: whether the image begins or ends within a chunk. Behind itself an output needs `beyond` elements.
 * Outputs of the region need `needed` elements, in whole chunks. `inside & -chunk` is rounded down. */
CMK_DEVICE_ cmk_tensor_span_ cmk_tensor_span_of_(const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s)
{
    const cmk_image_ *const image = p->task.image;
    const int x = p->piece.x - s.lead - s.skip, all = s.raw_width;
    const int chunk = image->in_whole ? 16 / s.f.in_size : 1, before = image->left - x, inside = image->right - x;
    const int beyond = (s.f.columns - 1) * s.f.channels - (s.lead - s.shift);
    const int needed = cmk_image_up_(image->width + beyond - x, 16 / s.f.in_size), until = needed < all ? needed : all;
    const int cut = (before > 0 && before % chunk) || (inside < all && inside % chunk);
    const int low = before > 0 ? cmk_image_up_(before, chunk) : 0, high = inside < all ? inside & -chunk : all;
    const cmk_tensor_span_ span = {x, low, high, until > high ? until : high, !s.f.zeros || cut};
    const cmk_tensor_span_ none = {x, until, until, until, 1};
    return low < high ? span : none;
}

/* Whether rows are copied as they lie in chunks, and then moved: floats of rows that are not aligned. */
CMK_DEVICE_ int cmk_tensor_moves_(const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s)
{
    return s.moves && !p->task.image->in_whole;
}

/* The same as cmk_tensor_span_of_ for rows that are moved. Elements low to high - 1 come in chunks that are inside the
 * image. */
CMK_DEVICE_ cmk_tensor_span_ cmk_tensor_span_to_move_(const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s)
{
    const cmk_image_ *const image = p->task.image;
    const int x = p->piece.x - s.lead - s.skip, all = s.raw_width, rest = 3;
    const int low = cmk_image_up_(image->left - x + rest, 1), inside = image->right - x;
    const int needed = image->width + (s.f.columns - 1) * s.f.channels - (s.lead - s.shift) - x;
    const int until = cmk_least_(needed > inside ? needed : inside, all), high = cmk_least_(inside - rest, all);
    const cmk_tensor_span_ span = {x, low, high, until, 1}, none = {x, until, until, until, 1};
    return low < high ? span : none;
}

/* Bytes from a row of a step to the next where rows are moved: there is room for the lead of the first. */
CMK_DEVICE_ int cmk_tensor_below_(cmk_tensor_sizes_ s)
{
    return s.raw_width * s.f.in_size + 16;
}

/* How a row that is moved is copied. lead: elements from a multiple of 16 bytes to its element 0, which lies as far
 * behind the row's place in the ring. The chunks that have an element from span.low to high - 1 are `bytes` from
 * element `begin` on, and begin is from -3. */
typedef struct {
    int lead, begin, bytes;
} cmk_tensor_chunks_;

/* from: column 0 of the row, null for a row that is outside, which has no chunks. */
CMK_DEVICE_ cmk_tensor_chunks_ cmk_tensor_chunks_of_(const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s,
                                                     const char *from)
{
    const int low = p->span.low, high = p->span.high, lead = (int)(((size_t)from / 4 + (size_t)p->span.x) % 4);
    const int begin = (low + lead) & -4, end = (high + lead + 3) & -4;
    const cmk_tensor_chunks_ chunks = {lead, begin - lead, low < high ? (end - begin) * s.f.in_size : 0};
    const cmk_tensor_chunks_ none = CMK_ZEROS_(cmk_tensor_chunks_);
    return from ? chunks : none;
}

/* The note of row j of the step at raw: its lead, and behind which of its elements all become zeros, times 4. */
CMK_DEVICE_ int *cmk_tensor_note_(cmk_tensor_sizes_ s, char *raw, int j)
{
    return (int *)(void *)(raw + s.raw_bytes) - 2 + j;
}

/* Starts to copy the chunks of two rows that are moved, and notes how they lie. One thread calls, and arrives at the
 * barrier, whose phase ends when all these bytes have come. from: column 0 of each row, null for one that is outside.
 * to: the slot of the ring. */
CMK_DEVICE_ void cmk_tensor_copy_to_move_(const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s, char *to,
                                          const char *first, const char *second, int barrier)
{
    const cmk_tensor_chunks_ a = cmk_tensor_chunks_of_(p, s, first), b = cmk_tensor_chunks_of_(p, s, second);
    CMK_STORE(cmk_tensor_note_(s, to, 0), (first ? p->span.until : s.raw_width) * 4 + a.lead);
    CMK_STORE(cmk_tensor_note_(s, to, 1), (second ? p->span.until : s.raw_width) * 4 + b.lead);
    cmk_mma_expect_(p->barriers, barrier, a.bytes + b.bytes);
    if (a.bytes)
        cmk_mma_copy_bulk_(to + (a.lead + a.begin) * 4, cmk_image_at_(first, p->span.x + a.begin, 4), a.bytes,
                           p->barriers, barrier);
    if (b.bytes)
        cmk_mma_copy_bulk_(to + cmk_tensor_below_(s) + (b.lead + b.begin) * 4,
                           cmk_image_at_(second, p->span.x + b.begin, 4), b.bytes, p->barriers, barrier);
}

/* Finds the element among the ends of a row that this lane copies, for all rows of a piece, and whether the piece is
 * quick. */
CMK_DEVICE_ void cmk_tensor_find_end_(cmk_tensor_producer_ *p, cmk_tensor_sizes_ s)
{
    const cmk_image_ *const image = p->task.image;
    const cmk_tensor_span_ span = p->span;
    const int count = span.ends ? span.low + span.until - span.high : 0;
    const int e = p->lane < span.low ? p->lane : p->lane - span.low + span.high, x = span.x + e;
    const int inside = cmk_image_within_(x, image->left, image->right);
    const int at = inside ? x : cmk_image_column_at_(image, s.f.edge, s.f.channels, x);
    p->quick = !p->task.outside && count <= 32 && span.low < span.high;
    p->end_to = p->lane < count ? e : -1;
    p->end_from = at;
}

/* Goes on to the next piece of the share, if there is one, and to step p->step of it. */
CMK_DEVICE_ void cmk_tensor_begin_piece_(cmk_tensor_producer_ *p, cmk_tensor_sizes_ s)
{
    const cmk_i64 pitch = p->task.image->in_pitch;
    p->more = cmk_tensor_next_piece_(&p->piece, p->task, s, p->region);
    if (p->more) {
        p->span = cmk_tensor_moves_(p, s) ? cmk_tensor_span_to_move_(p, s) : cmk_tensor_span_of_(p, s);
        p->source = p->piece.in + (p->piece.y - s.f.row + 2 * p->step) * pitch * s.f.in_size;
        p->fresh = s.ahead;
        cmk_tensor_find_end_(p, s);
    }
}

/* Goes on by this many steps of the group to the one to copy next, over the ends of pieces too. */
CMK_DEVICE_ void cmk_tensor_advance_(cmk_tensor_producer_ *p, cmk_tensor_sizes_ s, int steps)
{
    p->step += steps;
    p->source += 2 * steps * p->task.image->in_pitch * s.f.in_size;
    CMK_NO_UNROLL
    while (p->more && p->step >= p->piece.steps) {
        p->step -= p->piece.steps;
        cmk_tensor_begin_piece_(p, s);
    }
}

/* Starts to copy the whole chunks of a row, which count at the barrier. One thread calls. to: element 0 of the row in
 * the ring. from: column 0 of the row. Both are aligned to 16 bytes: in_whole is set, span.low and high are
 * whole chunks, and column span.x is some chunks less image->head from the region's first. */
CMK_DEVICE_ void cmk_tensor_copy_chunks_(const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s, char *to, const char *from,
                                         int barrier)
{
    const cmk_tensor_span_ span = p->span;
    const int size = s.f.in_size, bytes = (span.high - span.low) * size;
    cmk_mma_copy_bulk_(to + span.low * size, cmk_image_at_(from, span.x + span.low, size), bytes, p->barriers, barrier);
}

/* Stores zeros for what of a row is outside, 16 bytes at a time, but for ends that come one by one. to: element 0 of
 * the row in the ring. none: whether all of the row is outside. If not, in_whole is set, so that low and high, the
 * bytes between which nothing is stored, are multiples of 16. */
CMK_DEVICE_ void cmk_tensor_clear_(const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s, char *to, int none)
{
    const cmk_image_chunk_ zeros = CMK_ZEROS_(cmk_image_chunk_);
    const int size = s.f.in_size, low = none || p->span.ends ? 0 : p->span.low * size;
    const int high = none ? 0 : (p->span.ends ? p->span.until : p->span.high) * size;
    CMK_NO_UNROLL
    for (int n = 16 * p->lane; n < low + s.raw_width * size - high; n += 32 * 16)
        cmk_load_store_value_(to + (n < low ? n : n - low + high), &zeros, 16);
}

/* Starts to copy the elements of a row that is neither aligned nor moved, but for its ends; those outside become zeros.
 * Each lane takes four at a time, 32 apart. to: element 0 of the row in the ring. from: column 0 of the row. */
CMK_DEVICE_ void cmk_tensor_copy_elements_(const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s, char *to,
                                           const char *from)
{
    const int size = s.f.in_size;
    const char *const first = cmk_image_at_(from, p->span.x, size);
    const int whole = p->span.low == 0 && p->span.high == s.raw_width;
    CMK_NO_UNROLL
    for (int n = p->lane; n < s.raw_width; n += 4 * 32) {
        const int all = whole && n < s.raw_width - 3 * 32;
        CMK_UNROLL
        for (int e = n; e < n + 4 * 32; e += 32) {
            const int in = all || cmk_image_within_(e, p->span.low, p->span.high);
            const int here = all || (e < s.raw_width && (in || !p->span.ends || e >= p->span.until));
            CMK_TURN_(e / 32);
            if (here) cmk_fill_async_(size, to + e * size, first + e * size, in);
        }
    }
    CMK_TURN_(-1);
}

/* Starts to copy the ends of a row, one by one, from the columns that the edge reads. Where the edge reads none,
 * they are what stands for the outside. An element inside that a chunk has too is written twice alike. to: element 0 of
 * the row in the ring. from: column 0 of the row. */
CMK_DEVICE_ void cmk_tensor_copy_ends_(const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s, char *to, const char *from)
{
    const cmk_image_ *const image = p->task.image;
    const cmk_tensor_span_ span = p->span;
    const int size = s.f.in_size;
    CMK_NO_UNROLL
    for (int n = p->lane; n < span.low + span.until - span.high; n += 32) {
        const int e = n < span.low ? n : n - span.low + span.high, x = span.x + e;
        const int inside = cmk_image_within_(x, image->left, image->right);
        const int at = inside ? x : cmk_image_column_at_(image, s.f.edge, s.f.channels, x);
        CMK_TURN_(n / 32);
        cmk_image_copy_(to + e * size, cmk_image_at_(from, at == cmk_image_none_ ? 0 : at, size), size,
                        at != cmk_image_none_, p->task.outside);
    }
    CMK_TURN_(-1);
}

/* Stores all elements of a row that is outside, where something else than zeros stands for it. to: element 0 of the row
 * in the ring. */
CMK_DEVICE_ void cmk_tensor_copy_outside_(const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s, char *to)
{
    CMK_NO_UNROLL
    for (int e = p->lane; e < s.raw_width; e += 32) {
        CMK_TURN_(e / 32);
        cmk_load_store_value_(to + e * s.f.in_size, p->task.outside, s.f.in_size);
    }
    CMK_TURN_(-1);
}

/* The row of the image that the edge reads for row y, or cmk_image_none_. Rows may be negative. A thread calls. */
CMK_DEVICE_ int cmk_tensor_row_(const cmk_image_ *image, cmk_tensor_sizes_ s, int y)
{
    return cmk_image_within_(y, image->top, image->bottom) ? y : cmk_image_row_at_(image, s.f.edge, y);
}

/* Starts to copy a row that is inside, or that the edge reads, and of rows that are moved only the ends. to: the place
 * of the row in the ring. from: column 0 of the row. */
CMK_DEVICE_ void cmk_tensor_copy_row_(const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s, char *to, const char *from,
                                      int barrier)
{
    const int lead = cmk_tensor_moves_(p, s) ? cmk_tensor_chunks_of_(p, s, from).lead : 0;
    if (p->task.image->in_whole) {
        if (p->lane == 0 && p->span.low < p->span.high) cmk_tensor_copy_chunks_(p, s, to, from, barrier);
        cmk_tensor_clear_(p, s, to, 0); /* the row is not all outside */
    } else if (!s.moves) {
        cmk_tensor_copy_elements_(p, s, to, from);
    }
    if (p->span.ends) cmk_tensor_copy_ends_(p, s, to + lead * s.f.in_size, from);
}

/* Column 0 of row y of the image, or of the one that the edge reads for it, null where it reads none. A thread calls.
 */
CMK_DEVICE_ const char *cmk_tensor_from_(const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s, int y)
{
    const int row = cmk_tensor_row_(p->task.image, s, y);
    return row == cmk_image_none_ ? NULL : p->piece.in + row * p->task.image->in_pitch * s.f.in_size;
}

/* Starts to copy the two rows of a step from row y on, inside or outside. Lane 0 arrives at the barrier, whose phase
 * ends when the bytes of both rows' chunks have come. to: the slot of the ring. */
CMK_DEVICE_ void cmk_tensor_copy_rows_(const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s, char *to, int y, int barrier)
{
    const int moves = cmk_tensor_moves_(p, s), below = moves ? cmk_tensor_below_(s) : s.raw_width * s.f.in_size;
    if (p->lane == 0) {
        const char *const first = cmk_tensor_from_(p, s, y), *const second = cmk_tensor_from_(p, s, y + 1);
        const int each = p->task.image->in_whole ? (p->span.high - p->span.low) * s.f.in_size : 0;
        if (moves)
            cmk_tensor_copy_to_move_(p, s, to, first, second, barrier);
        else
            cmk_mma_expect_(p->barriers, barrier, (first != NULL) * each + (second != NULL) * each);
    }
    CMK_NO_UNROLL
    for (int j = 0; j < 2; ++j) {
        const char *const from = cmk_tensor_from_(p, s, y + j);
        if (from)
            cmk_tensor_copy_row_(p, s, to + j * below, from, barrier);
        else if (p->task.outside)
            cmk_tensor_copy_outside_(p, s, to + j * below);
        else
            cmk_tensor_clear_(p, s, to + j * below, 1); /* all of the row is outside */
    }
}

/* Does the same as cmk_tensor_copy_rows_ for a step whose two rows are inside the image, in a piece that is quick.
 * Nothing is found anew: rows begin at p->source, and each lane copies at most one element of the ends of each. */
CMK_DEVICE_ void cmk_tensor_copy_inside_(cmk_tensor_producer_ *p, cmk_tensor_sizes_ s, char *to, int barrier)
{
    const int size = s.f.in_size, below = s.raw_width * size, in = p->end_from != cmk_image_none_;
    const char *const second = p->source + p->task.image->in_pitch * size;
    if (p->task.image->in_whole) {
        if (p->lane == 0) {
            cmk_mma_expect_(p->barriers, barrier, 2 * (p->span.high - p->span.low) * size);
            cmk_tensor_copy_chunks_(p, s, to, p->source, barrier);
            cmk_tensor_copy_chunks_(p, s, to + below, second, barrier);
        }
        if (p->fresh > 0) {
            --p->fresh;
            cmk_tensor_clear_(p, s, to, 0); /* 0: the row is not all outside */
            cmk_tensor_clear_(p, s, to + below, 0);
        }
    } else if (!s.moves) {
        if (p->lane == 0) cmk_mma_arrive_(p->barriers, barrier);
        cmk_tensor_copy_elements_(p, s, to, p->source);
        cmk_tensor_copy_elements_(p, s, to + below, second);
    }
    if (p->end_to >= 0) {
        const int from = in ? p->end_from : 0;
        cmk_fill_async_(size, to + p->end_to * size, cmk_image_at_(p->source, from, size), in);
        cmk_fill_async_(size, to + below + p->end_to * size, cmk_image_at_(second, from, size), in);
    }
}

/* The same for rows that are moved. */
CMK_DEVICE_ void cmk_tensor_copy_inside_to_move_(const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s, char *to,
                                                 int barrier)
{
    const char *const second = p->source + p->task.image->in_pitch * s.f.in_size;
    if (p->lane == 0) cmk_tensor_copy_to_move_(p, s, to, p->source, second, barrier);
    if (p->end_to >= 0) {
        const int in = p->end_from != cmk_image_none_, from = in ? p->end_from : 0;
        const int a = p->end_to + cmk_tensor_chunks_of_(p, s, p->source).lead;
        const int b = p->end_to + cmk_tensor_chunks_of_(p, s, second).lead;
        cmk_fill_async_(4, to + a * 4, cmk_image_at_(p->source, from, 4), in);
        cmk_fill_async_(4, to + cmk_tensor_below_(s) + b * 4, cmk_image_at_(second, from, 4), in);
    }
}

/* Starts to copy a step into this slot of the ring, if there is one more, and goes on to the warp's next step. What is
 * copied by elements becomes a group (CMK_FILL_COMMIT), an empty one where there is no step. */
CMK_DEVICE_ void cmk_tensor_copy_(cmk_tensor_producer_ *p, cmk_tensor_sizes_ s, int slot)
{
    const cmk_image_ *const image = p->task.image;
    const int y = p->piece.y - s.f.row + 2 * p->step, barrier = p->number * s.ahead + slot;
    char *const to = p->ring + slot * s.raw_bytes;
    if (p->more) {
        if (!p->quick || y < image->top || y + 1 >= image->bottom)
            cmk_tensor_copy_rows_(p, s, to, y, barrier);
        else if (cmk_tensor_moves_(p, s))
            cmk_tensor_copy_inside_to_move_(p, s, to, barrier);
        else
            cmk_tensor_copy_inside_(p, s, to, barrier);
        ++p->copied;
        cmk_tensor_advance_(p, s, s.producers);
    }
    CMK_FILL_COMMIT(ASYNC);
}

/* Moves the elements of both rows of the step at raw back by their leads, so that they lie as those of aligned rows.
 * The step has arrived. Elements behind the ends of a row become zeros. Each lane moves six at a time, which are 32
 * apart. */
CMK_DEVICE_ void cmk_tensor_move_(const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s, char *raw)
{
    CMK_NO_UNROLL
    for (int j = 0; j < 2; ++j) {
        const int note = CMK_LOAD(cmk_tensor_note_(s, raw, j)), until = note / 4;
        const char *const from = raw + j * cmk_tensor_below_(s) + note % 4 * 4;
        char *const to = raw + j * s.raw_width * 4;
        CMK_NO_UNROLL
        for (int begin = 0; begin < s.raw_width; begin += 6 * 32) {
            const int n = begin + p->lane;
            unsigned words[6] = {0, 0, 0, 0, 0, 0};
            CMK_UNROLL
            for (int i = 0; i < 6; ++i) {
                CMK_TURN_(i);
                if (n + 32 * i < until) cmk_load_plain_value_(&words[i], from + (n + 32 * i) * 4, 4);
            }
            __syncwarp();
            CMK_UNROLL
            for (int i = 0; i < 6; ++i) {
                CMK_TURN_(i);
                if (n + 32 * i < s.raw_width) cmk_load_store_value_(to + (n + 32 * i) * 4, &words[i], 4);
            }
            CMK_TURN_(-1);
        }
    }
    __syncwarp();
}

/* Where the four with number u lies in a step as it was copied, which begins at raw. Numbers go through both rows. A
 * lane calls. */
CMK_DEVICE_ const char *cmk_tensor_four_(const char *raw, cmk_tensor_sizes_ s, int u)
{
    const int row = u >= s.width / 4;
    return raw + (s.skip + 4 * u + row * (s.raw_width - s.width)) * s.f.in_size;
}

/* Whether this lane has a four with number n of its own. That is number 32 n + lane of the s.width / 2 of a step. */
CMK_DEVICE_ int cmk_tensor_has_(const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s, int n)
{
    return n * 32 < s.width / 2 && n * 32 + p->lane < s.width / 2;
}

/* Loads s.together fours of a lane, from its own number n on, as floats, of which the range is found together. Behind
 * the lane's last four they are zeros. raw: the step as it was copied, which has arrived. */
CMK_DEVICE_ void cmk_tensor_load_(float *pixels, const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s,
                                  cmk_filter_parts_float_ parts, const char *raw, int n)
{
    CMK_UNROLL
    for (int i = 0; i < s.together; ++i) {
        cmk_image_chunk_ chunk = CMK_ZEROS_(cmk_image_chunk_);
        CMK_TURN_(n + i);
        if (cmk_tensor_has_(p, s, n + i))
            cmk_load_plain_value_(&chunk, cmk_tensor_four_(raw, s, (n + i) * 32 + p->lane), 4 * s.f.in_size);
        CMK_UNROLL
        for (int e = 0; e < 4; ++e) parts.widen(&pixels[4 * i + e], &chunk.bytes[e * s.f.in_size]);
    }
    CMK_TURN_(-1);
}

/* The inverse of the scale of a step's pixels, and *scale, the scale. It is 0 where they are not in range: with
 * infinities or NaN, with numbers near the ends of the range of floats, or with too many powers of two between the
 * largest and the least. In most are the bits of the largest pixel without its sign, in least those of the least but 0,
 * less 1. 0x7f800000 are the bits of infinity, and 0x0f000000 those of 2^-97. The inverse, times those of the taps,
 * must be from 1e-36 to 1e36, and the taps must be in range too. */
CMK_DEVICE_ float cmk_tensor_adapt_(const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s, unsigned most, unsigned least,
                                    float *scale)
{
    const unsigned range = (unsigned)(s.planes == 2 ? cmk_tensor_range_ : cmk_tensor_range_short_) << 23;
    float inverse;
    cmk_halves_scale_(most, scale, &inverse);
    if (most == 0) inverse = 1.0f;
    if (p->least_inverse == 0.0f) return 0.0f;
    if (most != 0 && (most >= 0x7f800000u || most < 0x0f000000u || (most > range && least < most - range))) return 0.0f;
    return inverse * p->least_inverse >= 1e-36f && inverse * p->most_inverse <= 1e36f ? inverse : 0.0f;
}

/* Finds the largest pixel of a step, and the least but 0. Returns what cmk_tensor_adapt_ does. In pixels stay those
 * that this lane loaded last. All threads of the warp call, with the step as it was copied at raw. */
CMK_DEVICE_ float cmk_tensor_look_(float *pixels, const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s,
                                   cmk_filter_parts_float_ parts, const char *raw, float *scale)
{
    float most = 0.0f;
    unsigned least = ~0u;
    CMK_UNROLL
    for (int n = 0; n < s.fours; n += s.together) {
        cmk_tensor_load_(pixels, p, s, parts, raw, n);
        CMK_UNROLL
        for (int i = 0; i < 4 * s.together; ++i) {
            const unsigned doubled = 2 * cmk_mma_bits_(pixels[i]) - 2; /* without the sign; 0 becomes the largest */
            most = cmk_mma_larger_(most, pixels[i]);
            least = doubled < least ? doubled : least;
        }
    }
    return cmk_tensor_adapt_(p, s, cmk_mma_most_(cmk_mma_bits_(most)), cmk_mma_least_(least) / 2, scale);
}

/* Stores a four, x, as halves, in planes: the high halves, and where there are two planes the low ones. to: the place
 * of the four among the high halves of a stage, a multiple of 8 bytes. A lane calls. */
CMK_DEVICE_ void cmk_tensor_halve_(char *to, const float *x, cmk_tensor_sizes_ s, float scale)
{
    unsigned high[2], low[2];
    CMK_UNROLL
    for (int pair = 0; pair < 2; ++pair)
        cmk_halves_split_(&high[pair], &low[pair], x[2 * pair] * scale, x[2 * pair + 1] * scale);
    cmk_load_store_value_(to, high, 8);
    if (s.planes == 2) cmk_load_store_value_(to + 2 * s.row_bytes, low, 8);
}

/* Stores the pixels of the step at raw, times scale, as halves in a stage. pixels: those that this lane looked at last.
 * They are loaded again where nobody looked, or where they are not all of a step. */
CMK_DEVICE_ void cmk_tensor_convert_(float *pixels, const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s,
                                     cmk_filter_parts_float_ parts, char *stage, const char *raw, float scale)
{
    CMK_UNROLL
    for (int n = 0; n < s.fours; n += s.together) {
        if (!s.adapts || s.together < s.fours) cmk_tensor_load_(pixels, p, s, parts, raw, n);
        CMK_UNROLL
        for (int i = 0; i < s.together; ++i) {
            CMK_TURN_(n + i);
            if (cmk_tensor_has_(p, s, n + i))
                cmk_tensor_halve_(stage + ((n + i) * 32 + p->lane) * 8, &pixels[4 * i], s, scale);
        }
        CMK_TURN_(-1);
    }
}

/* Loads the s.kept pixels that a lane keeps at once, number u of those of both rows, from a step as it was copied. A
 * load has all of them, or four where s.skip leaves them unaligned: where s.kept is 8 and s.skip is 4 more than a
 * multiple of 8. So `bytes` is 4, 8 or 16, and the load is aligned to it. words: room for s.kept * size bytes, at most
 * 16. A lane calls. */
CMK_DEVICE_ void cmk_tensor_load_kept_(unsigned *words, cmk_tensor_sizes_ s, const char *raw, int u)
{
    const int size = s.f.in_size, each = s.kept, row = u >= s.width / each;
    const int bytes = s.skip % each != 0 ? 4 * size : each * size;
    const char *const from = raw + (s.skip + each * u + row * (s.raw_width - s.width)) * size;
    CMK_UNROLL
    for (int n = 0; n < each * size; n += bytes) cmk_load_plain_value_(&words[n / 4], from + n, bytes);
}

/* What is found among pairs of halves, 16 bits each without their signs: the largest, and the least but 0, less 1. */
typedef struct {
    unsigned most, least;
} cmk_tensor_span_of_halves_;

/* Stores s.kept pixels, which are in words, as they are, and bytes as halves of their values. Notes the largest and the
 * least of halves in *found. A lane calls. Bytes are s.kept / 4 words, and become s.kept / 2. The store has 8 or 16
 * bytes, and `to` is a multiple of these in the stage. */
CMK_DEVICE_ void cmk_tensor_keep_words_(cmk_tensor_span_of_halves_ *found, char *to, unsigned *words,
                                        cmk_tensor_sizes_ s, int is_signed)
{
    CMK_UNROLL
    for (int n = s.kept / 2 - 1; s.f.in_size == 1 && n >= 0; --n)
        words[n] = cmk_mma_values_(words[n / 2], n % 2 * 2, words[n / 2], n % 2 * 2 + 1, 1, is_signed);
    CMK_UNROLL
    for (int n = 0; s.f.in_size == 2 && n < s.kept / 2; ++n) {
        found->most = cmk_mma_most_of_two_(found->most, words[n] & 0x7fff7fffu);
        found->least = cmk_mma_least_of_two_(found->least, words[n] & 0x7fff7fffu);
    }
    cmk_load_store_value_(to, words, s.kept * (s.f.in_size == 1 ? 2 : s.f.in_size));
}

/* Stores the pixels of a step as they are, and bytes as halves. Returns whether one of them, as a half, is an infinity,
 * NaN, or so small that it has too few bits before those that tensor cores cut off: they take a half that is not normal
 * for 2^-14. 0x7c00 are the bits of an infinity. The step as it was copied is at raw. It has `all` sets of s.kept
 * pixels, of which lane l has number l and each 32nd behind it. A lane loads `together` sets before it stores the
 * first, at most 5, of at most 4 words each, with room for 8. bytes: those of a set in the stage. All threads of the
 * warp call. */
CMK_DEVICE_ int cmk_tensor_keep_(const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s, char *stage, const char *raw)
{
    const int all = 2 * s.width / s.kept, count = cmk_image_up_(all, 32) / 32;
    const int few = s.registers == cmk_tensor_registers_most_;
    const int bytes = s.kept * (s.f.in_size == 1 ? 2 : s.f.in_size);
    const int together = s.f.in_size != 1 || s.kept == 4 ? 1 : few ? 2 : 5;
    const unsigned tiny = s.products == 1 ? 0 : cmk_tensor_tiny_ - 1;
    cmk_tensor_span_of_halves_ found = {0, ~0u};
    unsigned words[5][8];
    CMK_UNROLL
    for (int n = 0; n < count; ++n) {
        const int at = n % together;
        CMK_UNROLL
        for (int i = n; at == 0 && i < n + together && i < count; ++i) {
            CMK_TURN_(i);
            if (i * 32 + p->lane < all) cmk_tensor_load_kept_(words[i - n], s, raw, i * 32 + p->lane);
        }
        CMK_TURN_(n);
        if (n * 32 + p->lane < all)
            cmk_tensor_keep_words_(&found, stage + (n * 32 + p->lane) * bytes, words[at], s, p->is_signed);
    }
    CMK_TURN_(-1);
    return cmk_mma_most_((found.most & 0xffffu) >= 0x7c00u || found.most >= 0x7c000000u ||
                         (found.least & 0xffffu) < tiny || found.least < tiny << 16) != 0;
}

/* Writes the step at raw into a stage, when this is empty: when phase `phase` of its barrier cmk_tensor_empty_
 * has ended. Returns the inverse of its scale, 0 where it goes by FMAs. Integers of 16 bits have the scale 1/4, as
 * 65535 is above the largest half. All threads of the warp call. */
CMK_DEVICE_ float cmk_tensor_write_(const cmk_tensor_producer_ *p, cmk_tensor_sizes_ s, cmk_filter_parts_float_ parts,
                                    const char *raw, int stage, unsigned phase)
{
    float pixels[4 * cmk_tensor_fours_most_], scale = s.f.in_size == 2 && !s.adapts ? 0.25f : 1.0f,
                                              inverse = 1.0f / scale;
    char *const to = p->stages + stage * s.stage_bytes;
    const int as_are = s.f.in_size == 1 || p->is_half;
    if (p->least_inverse == 0.0f) inverse = 0.0f;
    if (s.adapts && !as_are) inverse = cmk_tensor_look_(pixels, p, s, parts, raw, &scale);
    cmk_mma_await_(p->barriers, cmk_tensor_empty_ + stage, phase);
    if (as_are || inverse == 0.0f) {
        if (cmk_tensor_keep_(p, s, to, raw) && p->is_half) inverse = 0.0f;
    } else {
        cmk_tensor_convert_(pixels, p, s, parts, to, raw, scale);
    }
    return inverse;
}

/* The work of a producer warp: copies, and writes into stages, its steps of the group's share. Of W = s.producers
 * warps, warp w has steps w, w + W, w + 2 W ... of the share, and step i goes to stage i % s.stages. Turn n of the loop
 * writes the warp's step n, and copies its step n + s.ahead - 1. phase and arrived: the phases of the barriers of the
 * stage, and of the slot, that are awaited next. At most s.ahead - 1 groups of copies came after those of the step to
 * write. All threads of the warp call. */
CMK_DEVICE_ void cmk_tensor_provide_(cmk_tensor_producer_ *p, cmk_tensor_sizes_ s, cmk_filter_parts_float_ parts)
{
    int stage = p->number, slot = 0; /* slot: of the step that is copied; the step to write has the slot behind it */
    unsigned phase = 1, arrived = 0; /* 1: each stage is empty at first */
    cmk_tensor_advance_(p, s, p->number);
    CMK_NO_UNROLL
    for (int n = 1 - s.ahead; n < p->copied || n < 0; ++n) {
        cmk_tensor_copy_(p, s, slot);
        slot = slot + 1 < s.ahead ? slot + 1 : 0;
        if (n < 0) continue;
        cmk_mma_await_(p->barriers, p->number * s.ahead + slot, arrived);
        CMK_FILL_ARRIVED(ASYNC, s.ahead - 1);
        __syncwarp();
        if (cmk_tensor_moves_(p, s)) cmk_tensor_move_(p, s, p->ring + slot * s.raw_bytes);
        const float inverse = cmk_tensor_write_(p, s, parts, p->ring + slot * s.raw_bytes, stage, phase);
        if (p->lane == 0) p->pixels_inverse[stage] = inverse;
        cmk_mma_show_();
        __syncwarp();
        if (p->lane == 0) cmk_mma_arrive_(p->barriers, cmk_tensor_full_ + stage);
        arrived ^= slot == s.ahead - 1;
        stage += s.producers;
        phase ^= stage >= s.stages;
        stage -= stage >= s.stages ? s.stages : 0;
    }
}

/* The work of a thread of producer warp `warp`, counted among the producer warps of the block. In all threads of these
 * warps cmk_tensor_convolve_ (march.h) calls it once. The table has the taps that the block has written. As a byte,
 * all_bits is negative where bytes have a sign. */
CMK_DEVICE_ void cmk_tensor_be_producer_(cmk_image_task_ task, const cmk_image_region_ *region, cmk_tensor_sizes_ s,
                                         cmk_filter_parts_float_ parts, const cmk_tensor_table_ *table, int warp)
{
    const int group = warp / s.producers;
    const cmk_image_chunk_ all_bits = {{0xff}};
    float last;
    cmk_tensor_producer_ p = CMK_ZEROS_(cmk_tensor_producer_);
    parts.widen(&last, &all_bits);
    p.task = task;
    p.region = region;
    p.piece = cmk_tensor_share_(region, group);
    p.stages = cmk_tensor_room_(table, s, group);
    p.number = warp % s.producers;
    p.ring = p.stages + s.stages * s.stage_bytes + p.number * s.ahead * s.raw_bytes;
    p.barriers = cmk_mma_barriers_of_(table->notes->barriers[group]);
    p.pixels_inverse = table->notes->pixels_inverse[group];
    p.least_inverse = table->least_inverse;
    p.most_inverse = table->most_inverse;
    p.lane = (int)threadIdx.x % 32;
    p.is_half = cmk_tensor_is_half_(s, parts);
    p.is_signed = s.f.in_size == 1 && last < 0.0f;
    cmk_tensor_begin_piece_(&p, s);
    cmk_tensor_provide_(&p, s, parts);
}

#endif

#endif
