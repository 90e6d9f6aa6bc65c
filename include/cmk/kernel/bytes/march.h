/* kernel/bytes/march.h: warps that go down strips of an image of bytes, a step of one or two rows at a time. Each step
 * is multiplied by the matrices of all slots, outputs that wait in registers. Rows of the image come by a ring in
 * shared memory, a warp's own, or, of filters with more than 2 pixels to a side, are loaded ahead into registers. No
 * warp waits for another but for the taps. */
#ifndef CMK_KERNEL_BYTES_MARCH_H
#define CMK_KERNEL_BYTES_MARCH_H

#include "plain.h"
#include "save.h"

#if CMK_TENSOR_WARP_HAS_

/* Halves of A of colours: those of item n are of window n, and the upper ones of the window before it. Of a pixel in
 * three bytes, the first of two neighbours of four threads has items two bytes further in their words. */
CMK_DEVICE_ void cmk_bytes_widen_colours_(unsigned (*halves)[4], const cmk_bytes_rows_ *rows, const cmk_bytes_work_ *w,
                                          cmk_bytes_sizes_ k)
{
    const int channels = k.f.channels, first = channels == 3 ? 2 - 2 * cmk_bytes_which_(k) : 0;
    CMK_UNROLL
    for (int n = 0; n < 3; ++n) CMK_UNROLL
    for (int c = 0; c < channels; ++c) {
        const unsigned *const words = &rows->words[n * k.span];
        const unsigned at = (unsigned)(c / 2 * 2);
        const unsigned digits = (at * 0x1111 + (unsigned)channels * 0x1100 + 0x1010) + (unsigned)first * 0x1111;
        const unsigned two = channels == 2 ? words[0] : cmk_mma_permute_(words[0], words[k.span - 1], digits & 0x7777);
        const unsigned pair = cmk_mma_bytes_(two, c % 2, two, c % 2 + 2, 1, w->is_signed);
        if (n < 2) halves[c][n] = pair;
        if (n == 2) halves[c][3] = pair;
        if (n == 1) halves[c][2] = cmk_mma_bytes_again_(two, c % 2, w->is_signed);
    }
}

/* The halves of A of all products but those of colours. Grey, windows begin 2 before a word: of two neighbours of four
 * threads the first has the upper halves of the word before it and of this, the second the lower halves of this and of
 * the next. */
CMK_DEVICE_ void cmk_bytes_widen_(unsigned (*halves)[4], const cmk_bytes_rows_ *rows, const cmk_bytes_work_ *w,
                                  cmk_bytes_sizes_ s)
{
    const int second = cmk_bytes_which_(s), from = second ? 0 : 2;
    unsigned pairs[5];
    CMK_UNROLL
    for (int n = 0; n < 5; ++n)
        pairs[n] = !s.grey ? 0 : cmk_mma_bytes_(rows->words[n], from, rows->words[n], from + 1, 1, w->is_signed);
    CMK_UNROLL
    for (int n = 0; n < s.parts; ++n) CMK_UNROLL
    for (int i = 0; i < 4; ++i) {
        const int window = n * 2 + i % 2, first = i / 2 * 2;
        const unsigned word = rows->words[window];
        if (!s.grey)
            halves[n][i] = cmk_mma_bytes_(word, first, word, first + 1, 1, w->is_signed);
        else if (i < 2)
            halves[n][i] = pairs[window];
        else
            halves[n][i] = second ? pairs[window + 1] : pairs[window > 0 ? window - 1 : 4];
    }
}

/* Adds the products of a step with the taps of slots 0 to last, of which slot 0 begins sums. oldest: where the sums of
 * the last slot of all are, a constant. */
CMK_DEVICE_ void cmk_bytes_add_(float (*sums)[cmk_bytes_values_most_], const cmk_bytes_rows_ *rows,
                                const cmk_bytes_work_ *w, cmk_bytes_sizes_ s, int oldest, int last, int exact)
{
    const int pending = s.pending;
    unsigned halves[4][4];
    CMK_OPERATIONS_(2 * s.f.rows * s.f.columns * s.values);
    if (s.colours)
        cmk_bytes_widen_colours_(halves, rows, w, s);
    else
        cmk_bytes_widen_(halves, rows, w, s);
    CMK_UNROLL
    for (int low = 0; low < 2; ++low) {
        if (low && exact) break;
        CMK_UNROLL
        for (int n = 0; n < s.values / 4; ++n) CMK_UNROLL
        for (int slot = last; slot >= 0; --slot)
            cmk_mma_warp_add_(&sums[(oldest + pending - 1 - slot) % pending][4 * n], halves[n],
                              low ? w->taps[slot].low : w->taps[slot].high, low || slot > 0);
    }
}

/* loads the next step, of a warp inside without a ring; neat, a constant: from whole words */
CMK_DEVICE_ void cmk_bytes_load_inside_(cmk_bytes_rows_ *rows, cmk_bytes_work_ *w, cmk_bytes_sizes_ s, int neat)
{
    CMK_UNROLL
    for (int n = 0; n < s.words; ++n)
        cmk_bytes_load_words_(&rows->words[n], s, w->source + cmk_bytes_item_(s, n), !neat);
    w->source += s.step * w->task.image->in_pitch;
}

/* a turn of a warp inside: as many steps as it has loaded, of which each makes place for one of the next turn */
CMK_DEVICE_ void cmk_bytes_turn_(float (*sums)[cmk_bytes_values_most_], cmk_bytes_rows_ *rows, cmk_bytes_work_ *w,
                                 cmk_bytes_sizes_ s, int neat, int loads)
{
    const int pending = s.pending;
    CMK_UNROLL
    for (int n = 0; n < s.ahead; ++n) {
        cmk_bytes_rows_ *const next = &rows[(n + pending - 1) % s.ahead];
        const cmk_bytes_rows_ now = *next;
        if (loads) cmk_bytes_load_inside_(next, w, s, neat);
        cmk_bytes_add_(sums, &now, w, s, n % pending, pending - 1, w->exact);
        cmk_bytes_save_(w, s, sums[n % pending], neat ? cmk_bytes_whole_ : cmk_bytes_part_, 0);
    }
}

/* The steps of a warp inside without a ring: those before its first outputs, and whole turns. Slots move on in name
 * only. */
CMK_DEVICE_ void cmk_bytes_go_inside_(float (*sums)[cmk_bytes_values_most_], cmk_bytes_rows_ *rows, cmk_bytes_work_ *w,
                                      cmk_bytes_sizes_ s, int neat)
{
    CMK_UNROLL
    for (int n = 0; n < s.ahead; ++n) cmk_bytes_load_inside_(&rows[n], w, s, neat);
    CMK_UNROLL
    for (int n = 0; n < s.pending - 1; ++n) {
        const cmk_bytes_rows_ now = rows[n];
        cmk_bytes_load_inside_(&rows[n], w, s, neat);
        cmk_bytes_add_(sums, &now, w, s, (n + 1) % s.pending, n, w->exact);
    }
    CMK_NO_UNROLL
    for (int y = s.turn; y < w->length; y += s.turn) cmk_bytes_turn_(sums, rows, w, s, neat, 1);
    cmk_bytes_turn_(sums, rows, w, s, neat, 0);
}

/* A step's words of this thread from a ring, where its first item is at from, or, where rows begin anywhere, `over`
 * bytes further. */
CMK_DEVICE_ void cmk_bytes_take_(cmk_bytes_rows_ *rows, const char *from, cmk_bytes_sizes_ k, int neat, int over)
{
    const int span = k.span;
    CMK_UNROLL
    for (int n = 0; n < k.words; ++n) {
        const int item = n / span, two = span == 2 && (k.f.channels == 4 || item % 2 == 0);
        const int each = !neat ? 1 : k.grey && n < 4 ? 4 : two ? 2 : 1;
        const char *const at =
            from + (cmk_bytes_item_(k, item) - cmk_bytes_item_(k, 0) + 4 * (n % span)) + (neat ? 0 : over / 4 * 4);
        unsigned next = 0;
        if (n % each) continue;
        CMK_TURN_(n);
        cmk_load_plain_value_(&rows->words[n], at, 4 * each);
        if (!neat) {
            cmk_load_plain_value_(&next, at + 4, 4);
            rows->words[n] = cmk_mma_permute_(rows->words[n], next, 0x3210 + (unsigned)over % 4 * 0x1111);
        }
    }
    CMK_TURN_(-1);
}

/* A warp inside with a ring, of stages of four steps. Slots move on in name only; those of outputs above the first are
 * nobody's. over: where this thread's first row begins, in bytes behind a chunk; neat, exact: constants. */
CMK_DEVICE_ void cmk_bytes_go_by_ring_(char *ring, float (*sums)[cmk_bytes_values_most_], cmk_bytes_work_ *w,
                                       cmk_bytes_sizes_ s, int neat, int exact, int over)
{
    const int pending = s.pending, turn = s.turn, row_bytes = s.row_bytes, values = s.values;
    const int further = (int)(2 * w->task.image->in_pitch) & 15, how = neat ? cmk_bytes_whole_ : cmk_bytes_words_;
    char *const to = ring + (int)threadIdx.x % 32 / 4 * row_bytes;
    const char *const from = ring + cmk_bytes_row_(s) * row_bytes + s.lead + cmk_bytes_item_(s, 0);
    CMK_UNROLL
    for (int n = 0; n < pending * values; ++n) sums[n / values][n % values] = 0.0f;
    CMK_NO_UNROLL
    for (int y = -s.early; y < w->length; y += turn) {
        CMK_UNROLL
        for (int step = 0; step < turn / 2; ++step) {
            cmk_bytes_rows_ now;
            if (step % 4 == 0 && step > 0 && y + 2 * step >= w->length) break;
            if (step % 4 == 0) {
                CMK_FILL_ARRIVED(ASYNC, s.turn / 8 - 1);
                __syncwarp();
            }
            cmk_bytes_take_(&now, from + 2 * step * row_bytes, s, neat, over);
            over = (over + further) & 15;
            cmk_bytes_add_(sums, &now, w, s, step % pending, pending - 1, exact);
            if (step >= pending - 1 || y >= 0) cmk_bytes_save_(w, s, sums[step % pending], how, 0);
            if (step % 4 < 3) continue;
            __syncwarp();
            if (y + turn + 2 * step - 6 < w->length) cmk_bytes_copy_(to + step / 4 * 8 * row_bytes, w, s, neat);
            CMK_FILL_COMMIT(ASYNC);
        }
    }
}

/* the steps of any warp, in little code; neat, a constant: whether rows are aligned */
CMK_DEVICE_ void cmk_bytes_go_anywhere_(float (*sums)[cmk_bytes_values_most_], cmk_bytes_work_ *w, cmk_bytes_sizes_ s,
                                        int neat)
{
    cmk_bytes_rows_ rows[cmk_bytes_ahead_anywhere_];
    const int values = s.values, before = (s.pending - 1) * s.step;
    CMK_UNROLL
    for (int n = 0; n < s.pending * values; ++n) sums[n / values][n % values] = 0.0f;
    CMK_UNROLL
    for (int n = 0; n < cmk_bytes_ahead_anywhere_; ++n) cmk_bytes_load_any_(&rows[n], w, s, neat);
    CMK_NO_UNROLL
    for (int y = -before; y < w->length; y += s.step) {
        const cmk_bytes_rows_ now = rows[0];
        CMK_UNROLL
        for (int n = 1; n < cmk_bytes_ahead_anywhere_; ++n) rows[n - 1] = rows[n];
        cmk_bytes_load_any_(&rows[cmk_bytes_ahead_anywhere_ - 1], w, s, neat);
        cmk_bytes_add_(sums, &now, w, s, 0, s.pending - 1, w->exact);
        if (y >= 0)
            cmk_bytes_save_(w, s, sums[0], w->whole && y + 1 < w->length ? cmk_bytes_whole_ : cmk_bytes_part_,
                            y + cmk_bytes_row_(s));
        CMK_UNROLL
        for (int n = 0; n < (s.pending - 1) * values; ++n)
            sums[n / values][n % values] = sums[n / values + 1][n % values];
    }
}

/* the taps of a block as floats, with zeros around them; all its threads call */
CMK_DEVICE_ void cmk_bytes_write_taps_(float *taps, cmk_bytes_sizes_ s, cmk_filter_parts_float_ parts)
{
    CMK_NO_UNROLL
    for (int n = (int)threadIdx.x; n < (s.f.rows + 3) * cmk_bytes_taps_pitch_; n += cmk_image_threads_) {
        const int r = n / cmk_bytes_taps_pitch_ - 1, c = n % cmk_bytes_taps_pitch_ - cmk_bytes_taps_before_;
        float tap = 0.0f;
        if (r >= 0 && r < s.f.rows && c >= 0 && c < s.f.columns)
            tap = s.f.separable ? parts.tap(parts.tables, 1, r) * parts.tap(parts.tables, 2, c)
                                : parts.tap(parts.tables, 1, cmk_filter_tap_(s.f, r, c));
        CMK_STORE(&taps[n], tap);
    }
    __syncthreads();
}

/* The scale of taps that makes halves of them, and that of sums, the inverse over 2^-24; whether halves say enough: of
 * the least tap, or all that an integer can show. */
CMK_DEVICE_ int cmk_bytes_scale_(cmk_bytes_work_ *w, cmk_bytes_sizes_ s, const float *taps, float *up)
{
    unsigned most = 0, least = ~0u;
    CMK_UNROLL
    for (int n = 0; n < s.f.rows * s.f.columns; n += 32) {
        const int lane = n + (int)threadIdx.x % 32, at = lane < s.f.rows * s.f.columns ? lane : 0;
        const unsigned bits = cmk_mma_bits_(cmk_bytes_tap_(taps, at / s.f.columns, at % s.f.columns)) & 0x7fffffffu;
        most = bits > most ? bits : most;
        least = bits - 1 < least ? bits - 1 : least;
    }
    most = cmk_mma_most_(most) >> 23;
    least = (cmk_mma_least_(least) + 1) >> 23;
    const unsigned exponent = most < 64 ? 64 : most;
    *up = cmk_mma_float_((127 + 14 + 127 - exponent) << 23);
    w->scale = cmk_mma_float_((exponent - 14 + 24) << 23);
    return most < 127 + cmk_bytes_large_ || (most < 230 && most - least < cmk_bytes_range_);
}

/* the halves of this thread of a slot; whether the second of each is 0 */
CMK_DEVICE_ int cmk_bytes_split_(cmk_bytes_halves_ *split, cmk_bytes_sizes_ s, const float *taps, float up, int slot)
{
    const int output = cmk_fragment_row_((int)threadIdx.x), which = cmk_bytes_which_(s);
    const int r = s.step * slot + cmk_bytes_row_(s) - output / s.stride;
    int exact = 1;
    CMK_UNROLL
    for (int i = 0; i < 2; ++i) {
        const int first = s.colours ? 4 * i + 2 * which
                          : !s.grey ? 4 * which + 2 * i
                          : i == 0  ? 4 - 2 * which
                                    : 6 * which;
        const int c = first - output % s.stride - s.shift;
        const float one = cmk_bytes_tap_(taps, r, c) * up, two = cmk_bytes_tap_(taps, r, c + 1) * up;
        exact &= cmk_bytes_halve_(split, i, one, two);
    }
    return exact;
}

/* the taps of a block as those of a thread; 0 where halves do not say enough of them */
CMK_DEVICE_ int cmk_bytes_prepare_(cmk_bytes_work_ *w, cmk_bytes_sizes_ s, const float *taps,
                                   cmk_filter_parts_float_ parts)
{
    float up;
    unsigned exact = 1;
    w->is_signed = cmk_bytes_are_signed_(parts);
    if (!cmk_bytes_scale_(w, s, taps, &up)) return 0;
    CMK_UNROLL
    for (int slot = 0; slot < s.pending; ++slot) exact &= (unsigned)cmk_bytes_split_(&w->taps[slot], s, taps, up, slot);
    w->exact = (int)cmk_mma_least_(exact);
    return 1;
}

/* the outputs of a warp inside */
CMK_DEVICE_ void cmk_bytes_go_in_(char *ring, float (*sums)[cmk_bytes_values_most_], cmk_bytes_work_ *w,
                                  cmk_bytes_sizes_ s, int over)
{
    cmk_bytes_rows_ rows[cmk_bytes_ahead_most_];
    const int neat = w->task.image->in_whole && w->task.image->out_whole;
    if (s.ring && !neat)
        cmk_bytes_go_by_ring_(ring, sums, w, s, 0, 0, over);
    else if (s.ring && w->exact)
        cmk_bytes_go_by_ring_(ring, sums, w, s, 1, 1, 0);
    else if (s.ring)
        cmk_bytes_go_by_ring_(ring, sums, w, s, 1, 0, 0);
    else if (neat)
        cmk_bytes_go_inside_(sums, rows, w, s, 1);
    else
        cmk_bytes_go_inside_(sums, rows, w, s, 0);
}

/* the one call of a kernel; the rows of a ring are on their way while taps are split */
CMK_DEVICE_ void cmk_bytes_convolve_(cmk_image_task_ task, const cmk_image_region_ *region, cmk_bytes_sizes_ s,
                                     cmk_filter_parts_float_ parts)
{
    const unsigned tile = blockIdx.x * cmk_image_warps_ + threadIdx.x / 32, tiles = (unsigned)task.image->sides;
    CMK_TILE_DYNAMIC(char, shared);
    float *const taps = (float *)(void *)(shared + cmk_image_warps_ * s.ring_bytes);
    char *const ring = shared + (int)threadIdx.x / 32 * s.ring_bytes;
    float sums[cmk_bytes_pending_most_][cmk_bytes_values_most_];
    cmk_bytes_work_ w;
    (void)region;
    cmk_bytes_find_(&w, task, s, tile < tiles ? tile : tiles - 1);
    const int over = (int)((size_t)(w.task.in + w.next * task.image->in_pitch + w.x * s.f.channels - s.lead) % 16);
    const int neat = task.image->in_whole && task.image->out_whole;
    if (w.inside && s.ring && neat)
        cmk_bytes_begin_(ring, &w, s, 1);
    else if (w.inside && s.ring)
        cmk_bytes_begin_(ring, &w, s, 0);
    cmk_bytes_write_taps_(taps, s, parts);
    if (tile >= tiles) return;
    if (!cmk_bytes_prepare_(&w, s, taps, parts))
        cmk_bytes_go_plainly_(&w, s, taps);
    else if (w.inside)
        cmk_bytes_go_in_(ring, sums, &w, s, over);
    else if (neat)
        cmk_bytes_go_anywhere_(sums, &w, s, 1);
    else
        cmk_bytes_go_anywhere_(sums, &w, s, 0);
}

#endif

#endif
