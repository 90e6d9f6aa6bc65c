/* kernel/bytes/march.h: warps that go down strips of an image of bytes, a step of one or two rows at a time. Each step
 * is multiplied by the matrices of all slots, outputs that wait in registers; rows of the image are loaded ahead into
 * registers. No thread waits for another but for the taps. */
#ifndef CMK_KERNEL_BYTES_MARCH_H
#define CMK_KERNEL_BYTES_MARCH_H

#include "warp.h"

#if CMK_TENSOR_WARP_HAS_

/* The halves of A of all products. Grey, windows begin 2 before a word: of two neighbours of four threads the first has
 * the upper halves of the word before it and of this, the second the lower halves of this and of the next. */
CMK_DEVICE_ void cmk_bytes_widen_(unsigned (*halves)[4], const cmk_bytes_rows_ *rows, const cmk_bytes_work_ *w,
                                  cmk_image_sizes_ s)
{
    const int channels = s.bytes.channels, second = cmk_bytes_which_(s.bytes), from = second ? 0 : 2;
    unsigned pairs[5];
    CMK_UNROLL
    for (int n = 0; n < 5; ++n)
        pairs[n] =
            !s.bytes.grey ? 0 : cmk_tensor_bytes_(rows->words[n], from, rows->words[n], from + 1, 1, w->is_signed);
    CMK_UNROLL
    for (int n = 0; n < s.bytes.parts * channels; ++n) CMK_UNROLL
    for (int i = 0; i < 4; ++i) {
        const int window = n / channels * 2 + i % 2, first = i / 2 * 2 * channels + n % channels;
        const unsigned *const words = &rows->words[window * channels];
        if (!s.bytes.grey)
            halves[n][i] = cmk_tensor_bytes_(words[first / 4], first % 4, words[(first + channels) / 4],
                                             (first + channels) % 4, first / 4 == (first + channels) / 4, w->is_signed);
        else if (i < 2)
            halves[n][i] = pairs[window];
        else
            halves[n][i] = second ? pairs[window + 1] : pairs[window > 0 ? window - 1 : 4];
    }
}

/* Adds the products of a step with the taps of slots 0 to last, of which slot 0 begins sums. oldest: where the sums of
 * the last slot of all are, a constant. */
CMK_DEVICE_ void cmk_bytes_add_(float (*sums)[cmk_bytes_values_most_], const cmk_bytes_rows_ *rows,
                                const cmk_bytes_work_ *w, cmk_image_sizes_ s, int oldest, int last)
{
    const int pending = s.bytes.pending;
    unsigned halves[4][4];
    CMK_OPERATIONS_(2 * s.rows * s.columns * s.bytes.values);
    cmk_bytes_widen_(halves, rows, w, s);
    CMK_UNROLL
    for (int low = 0; low < 2; ++low) {
        if (low && w->exact) break;
        CMK_UNROLL
        for (int n = 0; n < s.bytes.values / 4; ++n) CMK_UNROLL
        for (int slot = last; slot >= 0; --slot)
            cmk_tensor_warp_add_(&sums[(oldest + pending - 1 - slot) % pending][4 * n], halves[n],
                                 low ? w->taps[slot].low : w->taps[slot].high, low || slot > 0);
    }
}

/* Two neighbours of four threads have every other pair of 16 outputs, those of a byte two in each of pairs 0 and 2;
 * exchanged, each has 8 that follow one another, as it stores them. */
CMK_DEVICE_ void cmk_bytes_save_eight_(const cmk_bytes_work_ *w, const unsigned *pairs, int size)
{
    const int second = (int)threadIdx.x % 2;
    unsigned words[4];
    CMK_UNROLL
    for (int n = 0; n < size; ++n) {
        const unsigned low = pairs[n], high = pairs[2 + n], own = second ? high : low;
        const unsigned other = __shfl_xor_sync(0xffffffffu, second ? low : high, 1);
        words[2 * n] = size == 2 ? (second ? other : own) : cmk_tensor_permute_(own, other, second ? 0x1054 : 0x5410);
        words[2 * n + 1] =
            size == 2 ? (second ? own : other) : cmk_tensor_permute_(own, other, second ? 0x3276 : 0x7632);
    }
    cmk_load_store_value_(w->target + second * 8 * size, words, 8 * size);
}

/* Writes the outputs of a step that is complete, this thread's of row y of the warp's; whole: all, in whole pairs. Of
 * each two columns that it has the channels follow one another. */
CMK_DEVICE_ void cmk_bytes_save_(cmk_bytes_work_ *w, cmk_image_sizes_ s, const float *sums, int whole, int y)
{
    const int channels = s.bytes.channels, size = s.out_size, column = w->x + s.bytes.before;
    const int which = cmk_bytes_which_(s.bytes), width = w->task.image->width;
    unsigned pairs[cmk_bytes_values_most_ / 2];
    CMK_UNROLL
    for (int n = s.bytes.values / 2 - 1; n >= 0; --n) {
        const int item = n / channels, i = 2 * (n % channels);
        const float *const from = &sums[item / 2 * channels * 4 + item % 2 * 2];
        pairs[n] = cmk_tensor_pack_(from[i % channels * 4 + i / channels] * w->scale,
                                    from[(i + 1) % channels * 4 + (i + 1) / channels] * w->scale, s.out_bits,
                                    s.bytes.grey && n % 2 == 0 ? pairs[n + 1] : 0);
    }
    if (whole && s.bytes.grey) cmk_bytes_save_eight_(w, pairs, size);
    CMK_UNROLL
    for (int n = 0; n < s.bytes.values / 2; ++n) {
        const int at = (cmk_bytes_window_(s.bytes, n / channels) + 2 * which) * channels + 2 * (n % channels);
        char *const to = w->target + (at - cmk_bytes_window_(s.bytes, 0) * channels) * size;
        CMK_TURN_(n);
        if (whole && s.bytes.grey) break;
        if (whole) {
            cmk_load_store_value_(to, &pairs[n], 2 * size);
        } else {
            CMK_UNROLL
            for (int e = 0; e < 2; ++e)
                if (y < w->length && cmk_image_within_(column * channels + at + e, 0, width))
                    cmk_load_store_value_(to + e * size, (const char *)&pairs[n] + e * size, size);
        }
    }
    CMK_TURN_(-1);
    w->target += s.bytes.step * w->task.image->out_pitch * size;
}

/* a turn of a warp inside: as many steps as it has loaded, of which each makes place for one of the next turn */
CMK_DEVICE_ void cmk_bytes_turn_(float (*sums)[cmk_bytes_values_most_], cmk_bytes_rows_ *rows, cmk_bytes_work_ *w,
                                 cmk_image_sizes_ s, int neat, int loads)
{
    const int pending = s.bytes.pending;
    CMK_UNROLL
    for (int n = 0; n < s.bytes.ahead; ++n) {
        cmk_bytes_rows_ *const next = &rows[(n + pending - 1) % s.bytes.ahead];
        const cmk_bytes_rows_ now = *next;
        if (loads) cmk_bytes_load_inside_(next, w, s, neat);
        cmk_bytes_add_(sums, &now, w, s, n % pending, pending - 1);
        cmk_bytes_save_(w, s, sums[n % pending], neat, 0);
    }
}

/* The steps of a warp inside: those before its first outputs, and whole turns. Slots move on in name only. */
CMK_DEVICE_ void cmk_bytes_go_inside_(float (*sums)[cmk_bytes_values_most_], cmk_bytes_rows_ *rows, cmk_bytes_work_ *w,
                                      cmk_image_sizes_ s, int neat)
{
    const int turn = s.bytes.ahead * s.bytes.step;
    CMK_UNROLL
    for (int n = 0; n < s.bytes.pending - 1; ++n) {
        const cmk_bytes_rows_ now = rows[n];
        cmk_bytes_load_inside_(&rows[n], w, s, neat);
        cmk_bytes_add_(sums, &now, w, s, (n + 1) % s.bytes.pending, n);
    }
    CMK_NO_UNROLL
    for (int y = turn; y < w->length; y += turn) cmk_bytes_turn_(sums, rows, w, s, neat, 1);
    cmk_bytes_turn_(sums, rows, w, s, neat, 0);
}

/* The steps of any warp, in little code. */
CMK_DEVICE_ void cmk_bytes_go_anywhere_(float (*sums)[cmk_bytes_values_most_], cmk_bytes_rows_ *rows,
                                        cmk_bytes_work_ *w, cmk_image_sizes_ s)
{
    const int values = s.bytes.values, before = (s.bytes.pending - 1) * s.bytes.step;
    CMK_UNROLL
    for (int n = 0; n < s.bytes.pending * values; ++n) sums[n / values][n % values] = 0.0f;
    CMK_UNROLL
    for (int n = 0; n < cmk_bytes_ahead_anywhere_; ++n) cmk_bytes_load_any_(&rows[n], w, s);
    CMK_NO_UNROLL
    for (int y = -before; y < w->length; y += s.bytes.step) {
        const cmk_bytes_rows_ now = rows[0];
        CMK_UNROLL
        for (int n = 1; n < cmk_bytes_ahead_anywhere_; ++n) rows[n - 1] = rows[n];
        cmk_bytes_load_any_(&rows[cmk_bytes_ahead_anywhere_ - 1], w, s);
        cmk_bytes_add_(sums, &now, w, s, 0, s.bytes.pending - 1);
        if (y >= 0) cmk_bytes_save_(w, s, sums[0], w->whole && y + 1 < w->length, y + cmk_bytes_row_(s.bytes));
        CMK_UNROLL
        for (int n = 0; n < (s.bytes.pending - 1) * values; ++n)
            sums[n / values][n % values] = sums[n / values + 1][n % values];
    }
}

/* the tap of a row and a column, which may be around the filter as far as a window reaches: 0 there */
CMK_DEVICE_ float cmk_bytes_tap_(const float *taps, int r, int c)
{
    return CMK_LOAD(&taps[(r + 1) * cmk_bytes_taps_pitch_ + c + cmk_bytes_taps_before_]);
}

/* The outputs of a warp by plain sums, where halves do not say enough of the taps. */
CMK_DEVICE_ void cmk_bytes_go_plainly_(float *sums, cmk_bytes_work_ *w, cmk_image_sizes_ s, const float *taps)
{
    const cmk_image_ *const image = w->task.image;
    const int channels = s.bytes.channels;
    w->scale = 1.0f;
    CMK_NO_UNROLL
    for (int y = 0; y < w->length; y += s.bytes.step) {
        CMK_UNROLL
        for (int n = 0; n < s.bytes.values; ++n) sums[n] = 0.0f;
        CMK_NO_UNROLL
        for (int i = 0; i < s.rows * s.columns; ++i) {
            const int row =
                cmk_image_row_at_(image, s.edge, w->y + y + cmk_bytes_row_(s.bytes) - s.row + i / s.columns);
            const float tap = cmk_bytes_tap_(taps, i / s.columns, i % s.columns);
            CMK_UNROLL
            for (int n = 0; n < s.bytes.values; ++n) {
                const int item = n / 4 / channels * 2 + n % 4 / 2, which = cmk_bytes_which_(s.bytes);
                const int x = w->x + s.bytes.before + cmk_bytes_window_(s.bytes, item) + 2 * which + n % 2;
                const int at = (x + i % s.columns) * channels - s.reach + n / 4 % channels;
                const int column = cmk_image_column_at_(image, s.edge, channels, at);
                unsigned byte = w->outside;
                CMK_TURN_(n);
                if (row != cmk_image_none_ && column != cmk_image_none_)
                    byte = cmk_bytes_byte_(w->task.in + row * image->in_pitch + column);
                sums[n] += tap * (float)(w->is_signed ? (int)(byte ^ 0x80) - 0x80 : (int)byte);
            }
        }
        cmk_bytes_save_(w, s, sums, 0, y + cmk_bytes_row_(s.bytes));
    }
}

/* the taps of a block as floats, with zeros around them; all its threads call */
CMK_DEVICE_ void cmk_bytes_write_taps_(float *taps, cmk_image_sizes_ s, cmk_image_parts_float_ parts)
{
    CMK_NO_UNROLL
    for (int n = (int)threadIdx.x; n < (s.rows + 3) * cmk_bytes_taps_pitch_; n += cmk_image_threads_) {
        const int r = n / cmk_bytes_taps_pitch_ - 1, c = n % cmk_bytes_taps_pitch_ - cmk_bytes_taps_before_;
        float tap = 0.0f;
        if (r >= 0 && r < s.rows && c >= 0 && c < s.columns)
            tap = s.separable ? parts.tap(parts.tables, 1, r) * parts.tap(parts.tables, 2, c)
                              : parts.tap(parts.tables, 1, cmk_image_tap_(s, r, c));
        CMK_STORE(&taps[n], tap);
    }
    __syncthreads();
}

/* The scale of taps that makes halves of them, and that of sums, the inverse over 2^-24; whether halves say enough: of
 * the least tap, or all that an integer can show. */
CMK_DEVICE_ int cmk_bytes_scale_(cmk_bytes_work_ *w, cmk_image_sizes_ s, const float *taps, float *up)
{
    unsigned most = 0, least = ~0u;
    CMK_UNROLL
    for (int n = 0; n < (s.rows + 3) * cmk_bytes_taps_pitch_; n += 32) {
        const int at = n + (int)threadIdx.x % 32, last = (s.rows + 3) * cmk_bytes_taps_pitch_ - 1;
        const unsigned bits = cmk_tensor_bits_(CMK_LOAD(&taps[at < last ? at : last])) & 0x7fffffffu;
        most = bits > most ? bits : most;
        least = bits - 1 < least ? bits - 1 : least;
    }
    most = cmk_tensor_most_(most) >> 23;
    least = (cmk_tensor_least_(least) + 1) >> 23;
    const unsigned exponent = most < 64 ? 64 : most;
    *up = cmk_tensor_float_((127 + 14 + 127 - exponent) << 23);
    w->scale = cmk_tensor_float_((exponent - 14 + 24) << 23);
    return most < 127 + cmk_bytes_large_ || (most < 230 && most - least < cmk_bytes_range_);
}

/* the halves of this thread of a slot; whether the second of each is 0 */
CMK_DEVICE_ int cmk_bytes_split_(cmk_bytes_halves_ *split, cmk_image_sizes_ s, const float *taps, float up, int slot)
{
    const int output = (int)threadIdx.x % 32 / 4, which = cmk_bytes_which_(s.bytes);
    const int r = s.bytes.step * slot + cmk_bytes_row_(s.bytes) - output / s.bytes.stride;
    int exact = 1;
    CMK_UNROLL
    for (int i = 0; i < 2; ++i) {
        const int first = !s.bytes.grey ? 4 * which + 2 * i : i == 0 ? 4 - 2 * which : 6 * which;
        const int c = first - output % s.bytes.stride - s.bytes.shift;
        const float one = cmk_bytes_tap_(taps, r, c) * up, two = cmk_bytes_tap_(taps, r, c + 1) * up;
        exact &= cmk_bytes_halve_(split, i, one, two);
    }
    return exact;
}

/* the taps of a block as those of a thread; 0 where halves do not say enough of them */
CMK_DEVICE_ int cmk_bytes_prepare_(cmk_bytes_work_ *w, cmk_image_sizes_ s, const float *taps,
                                   cmk_image_parts_float_ parts)
{
    float up;
    unsigned exact = 1;
    w->is_signed = cmk_bytes_are_signed_(parts);
    if (!cmk_bytes_scale_(w, s, taps, &up)) return 0;
    CMK_UNROLL
    for (int slot = 0; slot < s.bytes.pending; ++slot)
        exact &= (unsigned)cmk_bytes_split_(&w->taps[slot], s, taps, up, slot);
    w->exact = (int)cmk_tensor_least_(exact);
    return 1;
}

/* the one call of a kernel; the rows of warps inside are on their way while taps are split */
CMK_DEVICE_ void cmk_bytes_convolve_(cmk_image_task_ task, cmk_image_sizes_ s, cmk_image_parts_float_ parts)
{
    __shared__ float taps[cmk_bytes_taps_most_];
    const unsigned tile = blockIdx.x * cmk_image_warps_ + threadIdx.x / 32, tiles = (unsigned)task.image->sides;
    float sums[cmk_bytes_pending_most_][cmk_bytes_values_most_];
    cmk_bytes_rows_ rows[cmk_bytes_ahead_most_];
    cmk_bytes_work_ w;
    cmk_bytes_find_(&w, task, s, tile < tiles ? tile : tiles - 1);
    const int neat = task.image->in_whole && task.image->out_whole;
    if (w.inside && neat)
        cmk_bytes_begin_(rows, &w, s, 1);
    else if (w.inside)
        cmk_bytes_begin_(rows, &w, s, 0);
    cmk_bytes_write_taps_(taps, s, parts);
    if (tile >= tiles) return;
    if (!cmk_bytes_prepare_(&w, s, taps, parts))
        cmk_bytes_go_plainly_(sums[0], &w, s, taps);
    else if (w.inside && neat)
        cmk_bytes_go_inside_(sums, rows, &w, s, 1);
    else if (w.inside)
        cmk_bytes_go_inside_(sums, rows, &w, s, 0);
    else
        cmk_bytes_go_anywhere_(sums, rows, &w, s);
}

#endif

#endif
