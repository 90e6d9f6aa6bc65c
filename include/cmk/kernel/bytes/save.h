/* kernel/bytes/save.h: how small filters of bytes store outputs: the sums of a step become integers, in the order of
 * the row.
 *
 * In all functions here, which all threads of a warp call together:
 *   s        cmk_bytes_sizes_ of sizes.h, a constant at compile time. s.grey: one channel and steps of two rows.
 *            s.values: outputs of a thread in a step. s.f.channels: values of a pixel. s.f.out_size: bytes of an
 *            output, and s.f.out_bits its bits, negative where signed. s.step: rows of a step. s.ring: whether rows
 *            inside come by a ring, as they do with steps of two rows. s.before: pixels from a strip's first word to
 *            its first output. s.unaligned_strip: pixels of a strip where rows begin anywhere
 *   w        cmk_bytes_work_ of warp.h, the warp at work. w->target: this thread's first output of the step. w->x: the
 *            column of the strip's first word, in pixels. w->length: rows of outputs. w->inverse: the inverse scale of
 *            sums. Pitches and width of w->task.image count elements
 *   pairs    outputs of this thread, two of a row in each word: bytes in its lower half, 16 bits in both halves
 *   how      how outputs are stored, of the enum of warp.h: cmk_bytes_part_, cmk_bytes_whole_ or cmk_bytes_words_.
 *            It is known at compile time, but for cmk_bytes_go_anywhere_ (march.h), where all of a warp have the same
 *   second   1 for the second of two neighbours among four threads, whose number is odd
 *
 * With cmk_bytes_whole_ the s.pair outputs of a store are aligned to their bytes, as image->out_whole says (plan.h). A
 * thread has at most cmk_bytes_values_most_ = 16 outputs in a step, and so 8 words (tests/kernels/sizes.cu). Functions
 * of other files:
 *   cmk_mma_permute_(a, b, digits)   of mma/warp.h: four bytes; each hexadecimal digit, the lowest first, selects one:
 *            0 to 3 of a, 4 to 7 of b. 0x5410 are the lower halves of both words, 0x7632 the upper ones
 *   cmk_mma_pack_(a, b, bits, above): two sums as integers of `bits` bits, negative where signed. They are rounded,
 *            ties to even, and saturated. a is in the lower bits. Over two bytes stands the lower half of above
 *   cmk_load_store_value_(to, from, size): stores 1, 2, 4, 8 or 16 bytes at a multiple of as many
 *   cmk_bytes_window_(s, n), cmk_bytes_output_(s), cmk_bytes_which_(s)   of warp.h: the column in a strip of the first
 *            output of window n, and of this thread; the number of this thread's words in a window
 *   cmk_bytes_store_unaligned_(to, words, count, behind, at, end)   of warp.h: stores words where rows begin anywhere,
 *            from byte `at` of the strip on, and none from byte `end` on. cmk_image_within_(a, b, c): b <= a < c
 *
 * On a GPU CMK_TURN_ does nothing. By it the counters of the CPU backend learn which turn of a loop a thread is in; -1
 * is none. CMK_UNROLL unrolls the next loop. CMK_TENSOR_WARP_HAS_: whether the compiled code has mma.sync
 * (mma/code.h). */
#ifndef CMK_KERNEL_BYTES_SAVE_H
#define CMK_KERNEL_BYTES_SAVE_H

#include "warp.h"

#if CMK_TENSOR_WARP_HAS_

/* One channel: orders the 16 outputs of two neighbours among four threads. Each of the two has every other pair of
 * outputs; pairs of bytes stand two by two in pairs 0 and 2. After an exchange each has 8 outputs that follow one
 * another. size: bytes of an output. */
CMK_DEVICE_ void cmk_bytes_order_eight_(unsigned *words, const unsigned *pairs, int size)
{
    const int second = (int)threadIdx.x % 2;
    CMK_UNROLL
    for (int n = 0; n < size; ++n) {
        const unsigned low = pairs[n], high = pairs[2 + n], own = second ? high : low;
        const unsigned other = __shfl_xor_sync(0xffffffffu, second ? low : high, 1);
        words[2 * n] = size == 2 ? (second ? other : own) : cmk_mma_permute_(own, other, second ? 0x1054 : 0x5410);
        words[2 * n + 1] = size == 2 ? (second ? own : other) : cmk_mma_permute_(own, other, second ? 0x3276 : 0x7632);
    }
}

/* Several channels: two neighbours among four threads have two pixels each of every four. After an exchange each has
 * four pixels that follow one another. size: bytes of an output. count: the words of two pixels, rounded up. Leaves
 * channels * size words, 8 at most. 3 - size: bytes have a word of two pairs in every other place of pairs. */
CMK_DEVICE_ void cmk_bytes_order_four_(unsigned *words, const unsigned *pairs, int size, int channels)
{
    const int second = (int)threadIdx.x % 2, count = (channels * size + 1) / 2;
    CMK_UNROLL
    for (int n = 0; n < count; ++n) {
        const unsigned low = pairs[n * (3 - size)], high = pairs[channels + n * (3 - size)];
        const unsigned other = __shfl_xor_sync(0xffffffffu, second ? low : high, 1);
        words[n] = second ? other : low;
        words[count + n] = second ? high : other;
    }
    if (channels * size == 3) { /* words hold six bytes and six */
        words[1] = cmk_mma_permute_(words[1], words[2], 0x5410);
        words[2] = cmk_mma_permute_(words[2], words[3], 0x5432);
    }
}

/* Stores this thread's words, the first or the second half of those of two neighbours among four threads. to: where the
 * first of the two begins. Of three words two go at once, where 8 bytes are aligned. count: the words of this thread, a
 * constant at compile time. Stores are of 16 bytes where count is a multiple of 4, else of 8. */
CMK_DEVICE_ void cmk_bytes_store_whole_(char *to, const unsigned *words, int count)
{
    const int second = (int)threadIdx.x % 2, chunk = count % 4 == 0 ? 16 : 8;
    if (count == 3) {
        const unsigned two[2] = {second ? words[1] : words[0], second ? words[2] : words[1]};
        const unsigned one = second ? words[0] : words[2];
        cmk_load_store_value_(to + 16 * second, two, 8);
        cmk_load_store_value_(to + 8 + 4 * second, &one, 4);
    } else {
        CMK_UNROLL
        for (int n = 0; n < 4 * count / chunk; ++n)
            cmk_load_store_value_(to + second * 4 * count + n * chunk, &words[n * chunk / 4], chunk);
    }
}

/* Stores the outputs of a step of two rows, from pairs, where all of them are in the region. count: the words of this
 * thread after an exchange with its neighbour. With cmk_bytes_words_ rows begin anywhere. Then the two words behind its
 * own come from the next thread of the row. For the first of two neighbours that is lane + 1. For the second it is the
 * first of the same row among the next four threads, lane + 3. at: the byte of its first output in the strip. */
CMK_DEVICE_ void cmk_bytes_save_all_(const cmk_bytes_work_ *w, cmk_bytes_sizes_ s, const unsigned *pairs, int how)
{
    const int channels = s.f.channels, size = s.f.out_size, count = (s.grey ? 2 : channels) * size;
    const int second = (int)threadIdx.x % 2, at = cmk_bytes_output_(s) * channels * size + second * 4 * count;
    unsigned words[8];
    if (s.grey)
        cmk_bytes_order_eight_(words, pairs, size);
    else
        cmk_bytes_order_four_(words, pairs, size, channels);
    if (how == cmk_bytes_whole_) {
        cmk_bytes_store_whole_(w->target, words, count);
    } else {
        const int lane = (int)threadIdx.x % 32;
        unsigned behind[2];
        CMK_UNROLL
        for (int n = 0; n < 2; ++n) behind[n] = __shfl_sync(0xffffffffu, words[n], lane + (second ? 3 : 1));
        cmk_bytes_store_unaligned_(w->target + second * 4 * count, words, count, behind, at,
                                   s.unaligned_strip * channels * size);
    }
}

/* Stores pairs of outputs in row y of the warp's rows, as whole pairs, or one by one those that are in the region. The
 * channels of each two columns that a thread has follow one another. column: the strip's first output, in pixels of the
 * region. at: the element of a strip's row where pair n belongs. y counts only with cmk_bytes_part_. */
CMK_DEVICE_ void cmk_bytes_save_pairs_(const cmk_bytes_work_ *w, cmk_bytes_sizes_ s, const unsigned *pairs, int how,
                                       int y)
{
    const int channels = s.f.channels, size = s.f.out_size, column = w->x + s.before;
    const int which = cmk_bytes_which_(s), width = w->task.image->width;
    CMK_UNROLL
    for (int n = 0; n < s.values / 2; ++n) {
        const int at = (cmk_bytes_window_(s, n / channels) + 2 * which) * channels + 2 * (n % channels);
        char *const to = w->target + (at - cmk_bytes_window_(s, 0) * channels) * size;
        CMK_TURN_(n);
        if (how == cmk_bytes_whole_) {
            cmk_load_store_value_(to, &pairs[n], 2 * size);
            continue;
        }
        CMK_UNROLL
        for (int e = 0; e < 2; ++e)
            if (y < w->length && cmk_image_within_(column * channels + at + e, 0, width))
                cmk_load_store_value_(to + e * size, (const char *)&pairs[n] + e * size, size);
    }
    CMK_TURN_(-1);
}

/* Stores the outputs of a step that is complete, and moves w->target on to the next step. y: this thread's row among
 * the warp's rows, which counts only with cmk_bytes_part_. sums: the s.values sums of the slot. They become integers,
 * after a product with w->inverse. Pair n is elements i and i + 1 of the two columns that a thread has of window
 * `item`, where channels lie side by side. The sums of a channel are 4 apart. Pairs of bytes that
 * cmk_bytes_order_eight_ and _four_ read two by two are put into one word here, from the last pair to the first. */
CMK_DEVICE_ void cmk_bytes_save_(cmk_bytes_work_ *w, cmk_bytes_sizes_ s, const float *sums, int how, int y)
{
    const int channels = s.f.channels, each = s.grey ? 2 : channels;
    unsigned pairs[cmk_bytes_values_most_ / 2];
    CMK_UNROLL
    for (int n = s.values / 2 - 1; n >= 0; --n) {
        const int item = n / channels, i = 2 * (n % channels), at = n % each;
        const float *const from = &sums[item / 2 * channels * 4 + item % 2 * 2];
        pairs[n] = cmk_mma_pack_(from[i % channels * 4 + i / channels] * w->inverse,
                                 from[(i + 1) % channels * 4 + (i + 1) / channels] * w->inverse, s.f.out_bits,
                                 s.ring && at % 2 == 0 && at + 1 < each ? pairs[n + 1] : 0);
    }
    if (s.ring && how >= cmk_bytes_whole_)
        cmk_bytes_save_all_(w, s, pairs, how);
    else
        cmk_bytes_save_pairs_(w, s, pairs, how, y);
    w->target += s.step * w->task.image->out_pitch * s.f.out_size;
}

#endif

#endif
