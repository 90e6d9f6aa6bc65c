/* kernel/tensor/rows.h: rows of an image on their way to a matrix: copied into a ring, a step of two rows at a time,
 * and from there, as halves, into one of two stages. */
#ifndef CMK_KERNEL_TENSOR_ROWS_H
#define CMK_KERNEL_TENSOR_ROWS_H

#include "../image/march.h"
#include "multiply.h"
#include "sizes.h"

enum { cmk_tensor_slots_most_ = 36, cmk_tensor_groups_most_ = 4, cmk_tensor_fours_ = 3 };

/* what the threads of a block tell one another: of each slot the scale of its taps and its inverse; of these inverses
 * the least and the largest; whether halves say enough of all taps; of each group, step and warp the largest and the
 * least pixel */
typedef struct {
    float up[cmk_tensor_slots_most_], back[cmk_tensor_slots_most_];
    unsigned enough[cmk_tensor_slots_most_];
    unsigned most[cmk_tensor_groups_most_][4][4], least[cmk_tensor_groups_most_][4][4];
} cmk_tensor_notes_;

#if CMK_TENSOR_HAS_

/* a group at work: on outputs of `length` rows from row y, column x on */
typedef struct {
    cmk_image_task_ task;
    int group, thread, x, y, length, steps;
    int low, high, ends; /* of a row as it is copied: elements inside, in whole chunks; whether there are others */
    int whole;           /* whether all outputs of a row are the region's, and aligned */
    int now;             /* where the step that is multiplied lies in the ring */
    const char *source;  /* the first column of the step to copy next */
    char *target;        /* this thread's first output of the rows that are complete next */
    char *stages, *raw;
    const float *taps;
    cmk_tensor_at_ table, first, second; /* matrices: of the taps, and of the stages */
    char *table_bytes;
    cmk_tensor_notes_ *notes;
    float least_back, most_back; /* of taps; 0 where halves do not say enough of them */
} cmk_tensor_work_;

/* the step that is copied, so many after the one that is multiplied */
CMK_DEVICE_ char *cmk_tensor_raw_(const cmk_tensor_work_ *w, cmk_image_sizes_ s, int later)
{
    const int at = w->now + later * s.tensor.raw_bytes, all = (s.tensor.ahead + 1) * s.tensor.raw_bytes;
    return w->raw + (at < all ? at : at - all);
}

/* which of the last few items is this thread's: those of another warp than the first */
CMK_DEVICE_ int cmk_tensor_later_(int thread, int warps)
{
    return (thread + 32 * warps) % cmk_tensor_group_;
}

/* starts to copy what of a row is not in whole chunks, an element a thread; from: its column 0;
 * first: its first column */
CMK_DEVICE_ void cmk_tensor_fill_ends_(const cmk_tensor_work_ *w, cmk_image_sizes_ s, char *to, const char *from,
                                       int first)
{
    const cmk_image_ *const image = w->task.image;
    const int size = s.in_size;
    CMK_NO_UNROLL
    for (int n = w->thread; n < w->low + s.tensor.raw_width - w->high; n += cmk_tensor_group_) {
        const int e = n < w->low ? n : n - w->low + w->high, x = first + e;
        const int inside = cmk_image_within_(x, image->left, image->right);
        const int at = inside ? x : cmk_image_column_at_(image, s.edge, s.channels, x);
        CMK_TURN_(n / cmk_tensor_group_);
        if (w->task.outside && at == cmk_image_none_)
            cmk_load_store_value_(to + e * size, w->task.outside, size);
        else
            cmk_fill_async_(size, to + e * size, cmk_image_at_(from, at == cmk_image_none_ ? 0 : at, size),
                            at != cmk_image_none_);
    }
    CMK_TURN_(-1);
}

/* starts to copy the whole chunks of a row; from: its first column */
CMK_DEVICE_ void cmk_tensor_fill_chunks_(const cmk_tensor_work_ *w, cmk_image_sizes_ s, char *to, const char *from,
                                         int inside)
{
    const int chunk = 16 / s.in_size, chunks = s.tensor.raw_width / chunk;
    CMK_UNROLL
    for (int c = 0; c < chunks; c += cmk_tensor_group_) {
        const int n = c + (c > 0 ? cmk_tensor_later_(w->thread, 2) : w->thread);
        const int in = inside && n * chunk >= w->low && n * chunk < w->high;
        CMK_TURN_(c / cmk_tensor_group_);
        if (n < chunks && (in || (s.zeros && !w->ends))) cmk_fill_async_(16, to + n * 16, from + n * 16, in);
    }
    CMK_TURN_(-1);
}

/* all elements of a row that is outside, and for which something else than zeros stands */
CMK_DEVICE_ void cmk_tensor_fill_outside_(const cmk_tensor_work_ *w, cmk_image_sizes_ s, char *to)
{
    CMK_NO_UNROLL
    for (int e = w->thread; e < s.tensor.raw_width; e += cmk_tensor_group_) {
        CMK_TURN_(e / cmk_tensor_group_);
        if (w->task.outside)
            cmk_load_store_value_(to + e * s.in_size, w->task.outside, s.in_size);
        else
            cmk_fill_async_(s.in_size, to + e * s.in_size, w->task.in, 0);
    }
    CMK_TURN_(-1);
}

/* starts to copy row y of a step, of which the edge says what it is */
CMK_DEVICE_ void cmk_tensor_fill_row_(const cmk_tensor_work_ *w, cmk_image_sizes_ s, char *to, int y)
{
    const cmk_image_ *const image = w->task.image;
    const int in = cmk_image_within_(y, image->top, image->bottom), x = w->x - s.tensor.lead - s.tensor.skip;
    const int row = in ? y : cmk_image_row_at_(image, s.edge, y), size = s.in_size;
    const char *const from = w->task.in + (row == cmk_image_none_ ? 0 : row) * image->in_pitch * size;
    if (row == cmk_image_none_) {
        cmk_tensor_fill_outside_(w, s, to);
    } else {
        cmk_tensor_fill_chunks_(w, s, to, from + x * size, 1);
        if (w->ends) cmk_tensor_fill_ends_(w, s, to, from, x);
    }
}

/* starts the copies of a step, if there is one more, so many after the one that is multiplied */
CMK_DEVICE_ void cmk_tensor_fill_(cmk_tensor_work_ *w, cmk_image_sizes_ s, int step, int later)
{
    const cmk_image_ *const image = w->task.image;
    const cmk_i64 pitch = image->in_pitch * s.in_size;
    const int y = w->y - s.row + 2 * step, row_bytes = s.tensor.raw_width * s.in_size;
    char *const to = cmk_tensor_raw_(w, s, later);
    if (step < w->steps && !w->ends && y >= image->top && y < image->bottom - 1) {
        cmk_tensor_fill_chunks_(w, s, to, w->source, 1);
        cmk_tensor_fill_chunks_(w, s, to + row_bytes, w->source + pitch, 1);
    } else if (step < w->steps) {
        CMK_NO_UNROLL
        for (int j = 0; j < 2; ++j) cmk_tensor_fill_row_(w, s, to + j * row_bytes, y + j);
    }
    w->source += 2 * pitch;
    CMK_FILL_COMMIT(ASYNC);
}

/* four pixels of a step, as floats: number u of those of both rows */
CMK_DEVICE_ void cmk_tensor_pixels_(float *pixels, const char *raw, cmk_image_sizes_ s, cmk_image_parts_float_ parts,
                                    int u)
{
    const int row = u >= s.tensor.width / 4,
              at = row * s.tensor.raw_width + s.tensor.skip + 4 * (u - row * (s.tensor.width / 4));
    cmk_image_chunk_ chunk;
    cmk_load_plain_value_(&chunk, raw + at * s.in_size, 4 * s.in_size < 16 ? 4 * s.in_size : 16);
    CMK_UNROLL
    for (int e = 0; e < 4; ++e) parts.widen(&pixels[e], &chunk.bytes[e * s.in_size]);
}

/* the pixels of a step that are a thread's, of both rows: number i of some fours; -1 where there are not so many */
CMK_DEVICE_ int cmk_tensor_four_(const cmk_tensor_work_ *w, cmk_image_sizes_ s, int i, int warps)
{
    const int u = i * cmk_tensor_group_ + (i == 2 ? cmk_tensor_later_(w->thread, warps) : w->thread);
    return u < s.tensor.width / 2 ? u : -1;
}
CMK_DEVICE_ void cmk_tensor_load_(float *pixels, const cmk_tensor_work_ *w, cmk_image_sizes_ s,
                                  cmk_image_parts_float_ parts, int later, int warps)
{
    CMK_UNROLL
    for (int i = 0; i < cmk_tensor_fours_; ++i) {
        const int u = cmk_tensor_four_(w, s, i, warps);
        CMK_UNROLL
        for (int e = 0; e < 4; ++e) pixels[4 * i + e] = 0.0f;
        CMK_TURN_(i);
        if (u >= 0) cmk_tensor_pixels_(&pixels[4 * i], cmk_tensor_raw_(w, s, later), s, parts, u);
    }
    CMK_TURN_(-1);
}

/* notes the largest pixel of a step, and the least but 0, as bits without the sign, doubled; of the least 1 less */
CMK_DEVICE_ void cmk_tensor_note_(const cmk_tensor_work_ *w, cmk_image_sizes_ s, cmk_image_parts_float_ parts, int step,
                                  int later)
{
    float pixels[4 * cmk_tensor_fours_];
    unsigned most = 0, least = ~0u;
    cmk_tensor_load_(pixels, w, s, parts, later, 3);
    CMK_UNROLL
    for (int i = 0; i < cmk_tensor_fours_; ++i) {
        CMK_UNROLL
        for (int e = 0; e < 4; ++e) {
            const unsigned bits = 2 * cmk_tensor_bits_(pixels[4 * i + e]);
            most = bits > most ? bits : most;
            least = bits - 1 < least ? bits - 1 : least;
        }
    }
    most = cmk_tensor_most_(most);
    least = cmk_tensor_least_(least);
    if (w->thread % 32 == 0) {
        w->notes->most[w->group][step % 4][w->thread / 32] = most;
        w->notes->least[w->group][step % 4][w->thread / 32] = least;
    }
}

/* the power of two that brings a number of these bits to 2^14 to 2^15, and its inverse */
CMK_DEVICE_ void cmk_tensor_scale_(unsigned bits, float *up, float *back)
{
    const unsigned exponent = bits < 0x0f000000u ? 30u : bits >> 23;
    *up = cmk_tensor_float_((268u - exponent) << 23);
    *back = cmk_tensor_float_((exponent - 14u) << 23);
}

/* The scale of a step's pixels; the inverse, 0 where halves do not say enough of them: infinities, no numbers, numbers
 * near the ends of the range of floats, or too many powers of two between two of them. */
CMK_DEVICE_ float cmk_tensor_adapt_(const cmk_tensor_work_ *w, cmk_image_sizes_ s, int step, float *up)
{
    const unsigned range = (unsigned)(s.tensor.planes == 2 ? cmk_tensor_range_ : cmk_tensor_range_short_) << 23;
    unsigned most = 0, least = ~0u;
    float back;
    if (!s.tensor.adapts) {
        *up = s.in_size == 2 ? 0.25f : 1.0f;
        return w->least_back == 0.0f ? 0.0f : s.in_size == 2 ? 4.0f : 1.0f;
    }
    CMK_UNROLL
    for (int warp = 0; warp < 4; ++warp) {
        const unsigned a = w->notes->most[w->group][step % 4][warp];
        const unsigned b = w->notes->least[w->group][step % 4][warp];
        most = a > most ? a : most;
        least = b < least ? b : least;
    }
    most /= 2;
    least /= 2;
    cmk_tensor_scale_(most, up, &back);
    if (most == 0) return w->least_back == 0.0f ? 0.0f : 1.0f;
    if (most >= 0x7f800000u || most < 0x0f000000u || (most > range && least < most - range)) return 0.0f;
    return back * w->least_back >= 1e-36f && back * w->most_back <= 1e36f ? back : 0.0f;
}

/* the pixels of a step as halves */
CMK_DEVICE_ void cmk_tensor_convert_(const cmk_tensor_work_ *w, cmk_image_sizes_ s, cmk_image_parts_float_ parts,
                                     int step, int later, float up)
{
    char *const stage = w->stages + step % 2 * s.tensor.stage_bytes;
    float pixels[4 * cmk_tensor_fours_];
    cmk_tensor_load_(pixels, w, s, parts, later, 1);
    CMK_UNROLL
    for (int i = 0; i < cmk_tensor_fours_; ++i) {
        const int u = cmk_tensor_four_(w, s, i, 1);
        float *const x = &pixels[4 * i];
        if (u >= 0) {
            CMK_TURN_(i);
            CMK_UNROLL
            for (int e = 0; e < 4; ++e) x[e] *= up;
            CMK_UNROLL
            for (int plane = 0; plane < s.tensor.planes; ++plane) {
                unsigned halves[2];
                CMK_UNROLL
                for (int pair = 0; pair < 2; ++pair) {
                    halves[pair] = cmk_tensor_halves_(x[2 * pair], x[2 * pair + 1]);
                    x[2 * pair] = (x[2 * pair] - cmk_tensor_half_(halves[pair], 0)) * 2048.0f;
                    x[2 * pair + 1] = (x[2 * pair + 1] - cmk_tensor_half_(halves[pair], 1)) * 2048.0f;
                }
                cmk_load_store_value_(stage + plane * 2 * s.tensor.row_bytes + u * 8, halves, 8);
            }
        }
    }
    CMK_TURN_(-1);
}

#endif

#endif
