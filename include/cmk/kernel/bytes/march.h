/* kernel/bytes/march.h: small filters of bytes. Warps go down strips of an image, a step of one or two rows at a time.
 * The filter equals this, where in(y, x) is an element of the image or what the edge puts in its place, and half()
 * rounds to a half:
 *
 *   for (int y = 0; y < image.rows; ++y)
 *       for (int x = 0; x < image.width; ++x) {
 *           float sum = 0.0f;
 *           for (int r = 0; r < f.rows; ++r)
 *               for (int c = 0; c < f.columns; ++c) {
 *                   const float byte = 0x1p-24f * in(y - f.row + r, x - f.reach + c * f.channels);
 *                   const float tap = up * taps[r][c], high = half(tap), low = half(tap - high);
 *                   sum += high * byte;
 *                   sum += low * byte;
 *               }
 *           out[y][x] = saturate(rintf(0x1p24f / up * sum));
 *       }
 *
 * up is the power of two that brings the largest tap to 2^14 to 2^15. Products are exact. An mma.sync adds 16 of them
 * to a sum at once: of each step the products with high halves, then those with low ones. Low halves are left out where
 * all are 0. The outputs of `pending` steps are under way at the same time, each in a slot of registers. Thread t has
 * these of slot k, where g = t % 32 / 4, p = t % 4 and e is 0 or 1:
 *
 *   filter                          register                 row     column of the strip
 *   one channel, steps of 2 rows    sums[k][2 n + e]         p / 2   16 g + 4 n + 2 (p % 2) + e, n from 0 to 3
 *   channel c of several            sums[k][4 c + 2 n + e]   p / 2   8 g + 4 n + 2 (p % 2) + e, n from 0 to 1
 *   one channel, steps of 1 row     sums[k][2 n + e]         0       8 (8 n + g) + 2 p + e, n from 0 to 1
 *
 * No warp waits for another but for the taps. The path of a warp:
 *
 *   cmk_bytes_convolve_           the one call of a kernel
 *     cmk_bytes_find_             the strip and the rows of the warp, by cmk_bytes_locate_
 *     cmk_bytes_begin_            inside, with a ring: starts the first copies
 *     cmk_bytes_write_taps_       the taps of the block as floats in shared memory
 *     cmk_bytes_prepare_          the halves of this thread, by cmk_bytes_scale_ and cmk_bytes_split_
 *     cmk_bytes_go_in_            inside: cmk_bytes_go_by_ring_, or cmk_bytes_go_inside_ where a step is one row
 *     cmk_bytes_go_anywhere_      in the frame
 *     cmk_bytes_go_by_fmas_       the fallback by FMAs, where taps are not in range
 *   of each step: cmk_bytes_take_ from the ring, or words loaded ahead; cmk_bytes_add_; cmk_bytes_save_
 *
 * In all functions here, which all 32 threads of a warp call together. "Inside" and "frame" are those of plan.h:
 *   s         cmk_bytes_sizes_ of sizes.h, a constant at compile time with all its members. s.grey: one channel,
 *             steps of two rows. s.colours: several channels. With neither, windows are wide: 16 pixels of one row.
 *             s.span: words of an item, which a thread loads at one address (cmk_bytes_item_ of warp.h). s.words,
 *             s.values: words that a thread loads and outputs that it computes in a step. s.turn: rows of a pass of
 *             the unrolled loop. s.f: the filter (rows/filter.h). s.step: rows of a step, 2 or 1. s.ahead: steps
 *             that are loaded ahead without a ring. s.early: rows of the first turn that give no outputs. s.lead,
 *             s.row_bytes: bytes of a row of the ring before the strip's first word, and in all. s.parts: products of a
 *             channel. s.stride: pixels from a window to the next. s.shift: its pixels before the first that is needed
 *   w         cmk_bytes_work_ of warp.h, the state of a warp in registers. w->taps[slot]: operand B of a slot.
 *             w->length: its rows of outputs. w->exact: whether each tap is one half. w->source: this thread's first
 *             word of the step to load next. w->inside: all that it reads and writes is in the image and the region.
 *             w->whole: all columns that it writes are in the region, in whole pairs
 *   sums      outputs under way, sums[place][value]. In a step slot 0 begins and slot s.pending - 1 becomes
 *             complete. The place of a slot moves on with each step, as cmk_bytes_add_ has it
 *   rows      the words of this thread for a step, or for each of several steps that are loaded ahead
 *   aligned   a constant at compile time: whether rows of the input and of the output begin at whole chunks
 *
 * Names that end in `most_` bound arrays: 9 slots of 16 values. sizes.h has them, and tests/kernels/sizes.cu finds that
 * no filter exceeds one. Rows of a ring begin at multiples of 16 bytes, and a load from it is of 4 `each` bytes at a
 * multiple of as many.
 *   cmk_mma_bytes_(a, i, b, j, same, is_signed)   of mma/warp.h: byte i of a and byte j of b, as two halves of 2^-24
 *             times their values; same: a is b. cmk_mma_bytes_again_(a, i, is_signed): bytes i and i + 2 of a
 *   cmk_mma_permute_(a, b, digits): four bytes; each hexadecimal digit, the lowest first, selects one: 0 to 3 of a, 4
 *             to 7 of b. 0x3210 is a, and each 0x1111 more begins one byte later
 *   cmk_mma_warp_add_(d, a, b, adds): d = A B, or d + A B where adds is 1. cmk_mma_most_, cmk_mma_least_: the largest
 *             and the least of a warp. cmk_mma_bits_: the bits of a float. cmk_mma_float_: the float of these bits
 *   of warp.h: cmk_bytes_load_words_ loads an item, cmk_bytes_load_any_ a step as the edge has it. cmk_bytes_copy_
 *             starts the copies of 8 rows to a ring. cmk_bytes_row_, cmk_bytes_which_: this thread's row of a step, and
 *             the number of its words in a window. cmk_bytes_halve_(to, i, a, b): splits a and b into pair i of halves;
 *             1 where one half is exact. Stores are cmk_bytes_whole_, by aligned chunks; _words_, where rows begin
 *             anywhere; _part_, one by one those in the region, which alone takes the row's number into account
 *   cmk_fragment_row_(t): t % 32 / 4. cmk_filter_tap_(f, r, c): the index of a tap. CMK_FILL_COMMIT(ASYNC): this
 *             thread's copies become a group. CMK_FILL_ARRIVED(ASYNC, n) waits for all its groups but the newest n
 *   cmk_load_plain_value_(to, from, size): loads aligned bytes as one word. CMK_STORE: of a float of shared memory
 *
 * On a GPU CMK_TURN_ and CMK_OPERATIONS_ do nothing. By them the counters of the CPU backend learn which turn of a loop
 * a thread is in, -1 for none, and the floating-point operations that it does. A block has cmk_image_threads_ = 128
 * threads and cmk_image_warps_ = 4 warps. CMK_TILE_DYNAMIC(T, name): T *name is its dynamic shared memory. CMK_UNROLL
 * unrolls the next loop. CMK_TENSOR_WARP_HAS_: whether the compiled code has mma.sync (mma/code.h). */
#ifndef CMK_KERNEL_BYTES_MARCH_H
#define CMK_KERNEL_BYTES_MARCH_H

#include "plain.h"
#include "save.h"

#if CMK_TENSOR_WARP_HAS_

/* Makes the halves of A for several channels, of three items. The halves of item n belong to window n, and as its upper
 * halves to the window before it. Where pixels are three bytes, those of the first of two neighbours among four threads
 * begin two bytes further in their words. Register i of A for channel c is halves[c][i]. first: that offset, in bytes.
 *
 * The digits select bytes `at` and the next of a pixel, and the same two of the pixel behind it. With two channels the
 * one word of an item is that already. A digit of 8 would mean a sign. 0x7777 takes that from the only one that may
 * reach 8, whose byte is not used. */
CMK_DEVICE_ void cmk_bytes_widen_colours_(unsigned (*halves)[4], const cmk_bytes_rows_ *rows, const cmk_bytes_work_ *w,
                                          cmk_bytes_sizes_ s)
{
    const int channels = s.f.channels, first = channels == 3 ? 2 - 2 * cmk_bytes_which_(s) : 0;
    CMK_UNROLL
    for (int n = 0; n < 3; ++n) CMK_UNROLL
    for (int c = 0; c < channels; ++c) {
        const unsigned *const words = &rows->words[n * s.span];
        const unsigned at = (unsigned)(c / 2 * 2);
        const unsigned digits = (at * 0x1111 + (unsigned)channels * 0x1100 + 0x1010) + (unsigned)first * 0x1111;
        const unsigned two = channels == 2 ? words[0] : cmk_mma_permute_(words[0], words[s.span - 1], digits & 0x7777);
        const unsigned pair = cmk_mma_bytes_(two, c % 2, two, c % 2 + 2, 1, w->is_signed);
        if (n < 2) halves[c][n] = pair;
        if (n == 2) halves[c][3] = pair;
        if (n == 1) halves[c][2] = cmk_mma_bytes_again_(two, c % 2, w->is_signed);
    }
}

/* Makes the halves of A for one channel. With steps of two rows, windows begin 2 pixels before a word. Of two
 * neighbours among four threads, the first takes the upper halves of the word before and of this word; the second takes
 * the lower halves of this word and of the next. With steps of one row, a thread's word of a window is used as it
 * stands. Part n of s.parts, 2 or 1, has its four registers of A in halves[n]. A step of two rows has five words, hence
 * pairs[5]. from: the first of the two bytes of each word. In cmk_mma_bytes_ a 1 says that both are of one word. */
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

/* Adds the products of a step and of the taps of slots 0 to last. Slot 0 begins new sums. oldest, a compile-time
 * constant: where the sums of slot s.pending - 1 are. Its outputs are complete after the step, if last is that slot.
 * Products with high halves come first, then those with low ones unless exact. The constant last is less only in the
 * first steps of a warp inside without a ring. There are s.values / 4 products, s.parts of each channel. One channel
 * has 2 parts at most and several have one, so that they are 4 at most, as halves has. */
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

/* Loads the next step of a warp inside without a ring, and moves w->source on to the step after it. `aligned`, a
 * compile-time constant: whether it comes from whole words. */
CMK_DEVICE_ void cmk_bytes_load_inside_(cmk_bytes_rows_ *rows, cmk_bytes_work_ *w, cmk_bytes_sizes_ s, int aligned)
{
    CMK_UNROLL
    for (int n = 0; n < s.words; ++n)
        cmk_bytes_load_words_(&rows->words[n], s, w->source + cmk_bytes_item_(s, n), !aligned);
    w->source += s.step * w->task.image->in_pitch;
}

/* A turn of a warp inside without a ring: adds as many steps as are loaded, s.ahead. A step is one row there, so that
 * s.turn = s.ahead rows of outputs become complete. The number s.ahead is s.pending, or 2 where that is 1 or 2. It is a
 * multiple of s.pending, so that behind a turn each place of sums and of rows has its first meaning again. Where loads
 * is 1, each step makes room for one of the next turn, which is loaded there. rows has s.ahead steps. The oldest is
 * number s.pending - 1 modulo s.ahead, as s.pending - 1 steps went before the first turn. Outputs are stored whole, or
 * one by one where not aligned. */
CMK_DEVICE_ void cmk_bytes_turn_(float (*sums)[cmk_bytes_values_most_], cmk_bytes_rows_ *rows, cmk_bytes_work_ *w,
                                 cmk_bytes_sizes_ s, int aligned, int loads)
{
    const int pending = s.pending;
    CMK_UNROLL
    for (int n = 0; n < s.ahead; ++n) {
        cmk_bytes_rows_ *const next = &rows[(n + pending - 1) % s.ahead];
        const cmk_bytes_rows_ now = *next;
        if (loads) cmk_bytes_load_inside_(next, w, s, aligned);
        cmk_bytes_add_(sums, &now, w, s, n % pending, pending - 1, w->exact);
        /* row 0 of the warp's: it only has to be below w->length, as all rows of a warp inside exist */
        cmk_bytes_save_(w, s, sums[n % pending], aligned ? cmk_bytes_whole_ : cmk_bytes_part_, 0);
    }
}

/* All steps of a warp inside without a ring: those before its first outputs, then whole turns. Slots move on in name
 * only: no register is copied. w->length is a multiple of s.turn, as cmk_bytes_length_ of plan.h makes it. The last
 * turn loads nothing: s.ahead steps, s.pending - 1 more, and w->length - s.turn in turns are the w->length + s.pending
 * - 1 rows that outputs need. The array `rows` has cmk_bytes_ahead_most_ = 9 steps, of a filter of 9 rows (sizes.h). */
CMK_DEVICE_ void cmk_bytes_go_inside_(float (*sums)[cmk_bytes_values_most_], cmk_bytes_rows_ *rows, cmk_bytes_work_ *w,
                                      cmk_bytes_sizes_ s, int aligned)
{
    CMK_UNROLL
    for (int n = 0; n < s.ahead; ++n) cmk_bytes_load_inside_(&rows[n], w, s, aligned);
    CMK_UNROLL
    for (int n = 0; n < s.pending - 1; ++n) {
        const cmk_bytes_rows_ now = rows[n];
        cmk_bytes_load_inside_(&rows[n], w, s, aligned);
        cmk_bytes_add_(sums, &now, w, s, (n + 1) % s.pending, n, w->exact);
    }
    CMK_NO_UNROLL
    for (int y = s.turn; y < w->length; y += s.turn) cmk_bytes_turn_(sums, rows, w, s, aligned, 1);
    cmk_bytes_turn_(sums, rows, w, s, aligned, 0);
}

/* Loads this thread's words of a step from a ring. Its first item is at from, or, where rows begin anywhere, `over`
 * bytes further, 0 to 15. each: the words of one load, 4 of them where the words of one channel follow one another.
 * Where not aligned, two words become one by cmk_mma_permute_. */
CMK_DEVICE_ void cmk_bytes_take_(cmk_bytes_rows_ *rows, const char *from, cmk_bytes_sizes_ s, int aligned, int over)
{
    /* A row of the ring that begins anywhere gets at least 16 bytes behind the last word that a thread takes
     * (s.unaligned_chunks of sizes.h), so that `next` never leaves it. */
    const int span = s.span;
    CMK_UNROLL
    for (int n = 0; n < s.words; ++n) {
        const int item = n / span, two = span == 2 && (s.f.channels == 4 || item % 2 == 0);
        const int each = !aligned ? 1 : s.grey && n < 4 ? 4 : two ? 2 : 1;
        const char *const at =
            from + (cmk_bytes_item_(s, item) - cmk_bytes_item_(s, 0) + 4 * (n % span)) + (aligned ? 0 : over / 4 * 4);
        unsigned next = 0;
        if (n % each) continue;
        CMK_TURN_(n);
        cmk_load_plain_value_(&rows->words[n], at, 4 * each);
        if (!aligned) {
            cmk_load_plain_value_(&next, at + 4, 4);
            rows->words[n] = cmk_mma_permute_(rows->words[n], next, 0x3210 + (unsigned)over % 4 * 0x1111);
        }
    }
    CMK_TURN_(-1);
}

/* All steps of a warp inside with a ring, whose stages have four steps. Slots move on in name only: no register is
 * copied. Sums of outputs above the warp's first row are not stored. over: bytes from the begin of a chunk to this
 * thread's first row. Both `aligned` and exact are compile-time constants. The ring is that of the warp, and has s.turn
 * rows, a stage for 8 of them. A turn's first row of outputs is y, below 0 for the s.early rows before the warp's
 * first. A row two further down begins `further` bytes later behind a chunk, modulo 16. At its first step a stage is
 * waited for, with the other s.turn / 8 - 1 groups of copies still on their way. After its fourth step it is filled
 * anew, for the next turn, if the warp has rows there. These begin with the stage's first step, 3 steps or 6 rows
 * before. A group may be empty, so that the count of groups stays. Each time a barrier of the warp stands between. A
 * turn is a multiple of s.pending steps, so that behind it each place of sums has its first meaning again. */
CMK_DEVICE_ void cmk_bytes_go_by_ring_(char *ring, float (*sums)[cmk_bytes_values_most_], cmk_bytes_work_ *w,
                                       cmk_bytes_sizes_ s, int aligned, int exact, int over)
{
    const int pending = s.pending, turn = s.turn, row_bytes = s.row_bytes, values = s.values;
    const int further = (int)(2 * w->task.image->in_pitch) & 15, how = aligned ? cmk_bytes_whole_ : cmk_bytes_words_;
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
            cmk_bytes_take_(&now, from + 2 * step * row_bytes, s, aligned, over);
            over = (over + further) & 15;
            cmk_bytes_add_(sums, &now, w, s, step % pending, pending - 1, exact);
            if (step >= pending - 1 || y >= 0) cmk_bytes_save_(w, s, sums[step % pending], how, 0);
            if (step % 4 < 3) continue;
            __syncwarp();
            if (y + turn + 2 * step - 6 < w->length) cmk_bytes_copy_(to + step / 4 * 8 * row_bytes, w, s, aligned);
            CMK_FILL_COMMIT(ASYNC);
        }
    }
}

/* All steps of any warp, in little code. `aligned`, a compile-time constant: whether rows are aligned. There is no
 * ring: words are loaded cmk_bytes_ahead_anywhere_ steps ahead, as the edge has them. Sums are copied one slot down
 * after each step, so that slot s.pending - 1 is always in sums[0]. The first row of a step's outputs is y. It is below
 * 0 before the first outputs that are stored. */
CMK_DEVICE_ void cmk_bytes_go_anywhere_(float (*sums)[cmk_bytes_values_most_], cmk_bytes_work_ *w, cmk_bytes_sizes_ s,
                                        int aligned)
{
    cmk_bytes_rows_ rows[cmk_bytes_ahead_anywhere_];
    const int values = s.values, before = (s.pending - 1) * s.step;
    CMK_UNROLL
    for (int n = 0; n < s.pending * values; ++n) sums[n / values][n % values] = 0.0f;
    CMK_UNROLL
    for (int n = 0; n < cmk_bytes_ahead_anywhere_; ++n) cmk_bytes_load_any_(&rows[n], w, s, aligned);
    CMK_NO_UNROLL
    for (int y = -before; y < w->length; y += s.step) {
        const cmk_bytes_rows_ now = rows[0];
        CMK_UNROLL
        for (int n = 1; n < cmk_bytes_ahead_anywhere_; ++n) rows[n - 1] = rows[n];
        cmk_bytes_load_any_(&rows[cmk_bytes_ahead_anywhere_ - 1], w, s, aligned);
        cmk_bytes_add_(sums, &now, w, s, 0, s.pending - 1, w->exact);
        if (y >= 0)
            cmk_bytes_save_(w, s, sums[0], w->whole && y + 1 < w->length ? cmk_bytes_whole_ : cmk_bytes_part_,
                            y + cmk_bytes_row_(s));
        CMK_UNROLL
        for (int n = 0; n < (s.pending - 1) * values; ++n)
            sums[n / values][n % values] = sums[n / values + 1][n % values];
    }
}

/* Writes the taps of a block as floats into shared memory, with zeros around them. A tap of a separable filter is a
 * product of one down and one across. All threads of the block call, and a barrier of the block ends it. Row r of the
 * filter is row r + 1 of taps, of cmk_bytes_taps_pitch_ = 28 floats, of which cmk_bytes_taps_before_ = 11 stand before
 * the first tap. A row above and two below are zeros too (sizes.h). cmk_bytes_tap_ of plain.h reads them. parts
 * (rows/filter.h): tap(tables, 1, i) is tap i of the table, or of a separable one down; tap(tables, 2, c) is tap c
 * across. */
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

/* Finds the scale that taps have as halves, and that of sums, which is its inverse times 2^24. Returns whether taps are
 * in range: whether halves are exact enough for the least tap, or for all that an integer can show. All threads of the
 * warp call. Each compares some of the taps, and all get the same result. most and least become exponents as floats
 * have them, biased by 127. A tap of 0 does not count as the least. With `most` at the exponent of the largest tap, the
 * scale is 2 to 127 + 14 - most, or that of cmk_halves_exponent_least_ = 64, with which both floats are normal. With
 * 230 and more, which NaN and infinity have too, taps are not in range. Below 2 to cmk_bytes_large_ = 6 they are, or
 * where most and least are less than cmk_bytes_range_ = 15 apart (tune.h). */
CMK_DEVICE_ int cmk_bytes_scale_(cmk_bytes_work_ *w, cmk_bytes_sizes_ s, const float *taps, float *scale)
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
    const unsigned exponent = most < cmk_halves_exponent_least_ ? (unsigned)cmk_halves_exponent_least_ : most;
    *scale = cmk_mma_float_((127 + 14 + 127 - exponent) << 23);
    w->inverse = cmk_mma_float_((exponent - 14 + 24) << 23);
    return most < 127 + cmk_bytes_large_ || (most < 230 && most - least < cmk_bytes_range_);
}

/* Splits this thread's taps of a slot into halves. Returns whether all low halves are 0. They are operand B: `output`
 * is the column of B, one of a window's 8 outputs, which are 8 / s.stride rows of s.stride pixels. r and c: row and
 * column of the filter, which may lie beside it. There cmk_bytes_tap_ gives 0. first: the pixel in a row of the window
 * where pair i begins. */
CMK_DEVICE_ int cmk_bytes_split_(cmk_bytes_halves_ *split, cmk_bytes_sizes_ s, const float *taps, float scale, int slot)
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
        const float one = cmk_bytes_tap_(taps, r, c) * scale, two = cmk_bytes_tap_(taps, r, c + 1) * scale;
        exact &= cmk_bytes_halve_(split, i, one, two);
    }
    return exact;
}

/* Makes halves of the block's taps in this thread's registers. Returns 0 where taps are not in range, which is the same
 * for all threads. All threads of the warp call. Sets w->is_signed, w->inverse, w->taps and w->exact. */
CMK_DEVICE_ int cmk_bytes_prepare_(cmk_bytes_work_ *w, cmk_bytes_sizes_ s, const float *taps,
                                   cmk_filter_parts_float_ parts)
{
    float scale;
    unsigned exact = 1;
    w->is_signed = cmk_bytes_are_signed_(parts);
    if (!cmk_bytes_scale_(w, s, taps, &scale)) return 0;
    CMK_UNROLL
    for (int slot = 0; slot < s.pending; ++slot)
        exact &= (unsigned)cmk_bytes_split_(&w->taps[slot], s, taps, scale, slot);
    w->exact = (int)cmk_mma_least_(exact);
    return 1;
}

/* Computes the outputs of a warp inside. over: bytes from the begin of a chunk to this thread's first row. The
 * constants behind s are `aligned`, and with a ring exact and over. Unaligned rows of a ring are taken as not exact. */
CMK_DEVICE_ void cmk_bytes_go_in_(char *ring, float (*sums)[cmk_bytes_values_most_], cmk_bytes_work_ *w,
                                  cmk_bytes_sizes_ s, int over)
{
    cmk_bytes_rows_ rows[cmk_bytes_ahead_most_];
    const int aligned = w->task.image->in_whole && w->task.image->out_whole;
    if (s.ring && !aligned)
        cmk_bytes_go_by_ring_(ring, sums, w, s, 0, 0, over);
    else if (s.ring && w->exact)
        cmk_bytes_go_by_ring_(ring, sums, w, s, 1, 1, 0);
    else if (s.ring)
        cmk_bytes_go_by_ring_(ring, sums, w, s, 1, 0, 0);
    else if (aligned)
        cmk_bytes_go_inside_(sums, rows, w, s, 1);
    else
        cmk_bytes_go_inside_(sums, rows, w, s, 0);
}

/* The one call of a kernel. The rows of a ring are on their way while taps are split. All threads of the block call. A
 * block has four warps, and each computes one of the task.image->sides tiles (plan.h). Warps behind the last tile end
 * after the barrier in cmk_bytes_write_taps_; there is no barrier of the block after it. region is not used. Dynamic
 * shared memory holds a ring of s.ring_bytes bytes for each warp, then the taps. A 1 or 0 behind s is `aligned`. over:
 * where rows begin anywhere, the bytes from the begin of a chunk to s.lead bytes before the strip's first word, in this
 * thread's row of a step. */
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
    const int aligned = task.image->in_whole && task.image->out_whole;
    if (w.inside && s.ring && aligned)
        cmk_bytes_begin_(ring, &w, s, 1);
    else if (w.inside && s.ring)
        cmk_bytes_begin_(ring, &w, s, 0);
    cmk_bytes_write_taps_(taps, s, parts);
    if (tile >= tiles) return;
    if (!cmk_bytes_prepare_(&w, s, taps, parts))
        cmk_bytes_go_by_fmas_(&w, s, taps);
    else if (w.inside)
        cmk_bytes_go_in_(ring, sums, &w, s, over);
    else if (aligned)
        cmk_bytes_go_anywhere_(sums, &w, s, 1);
    else
        cmk_bytes_go_anywhere_(sums, &w, s, 0);
}

#endif

#endif
