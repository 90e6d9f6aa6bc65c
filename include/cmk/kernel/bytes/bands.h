/* kernel/bytes/bands.h: separable filters of bytes. Warps go down strips of an image, a row of tiles at a time, which
 * is 8 rows. Rows of the image come by a ring in shared memory, which each warp has to itself; sums across stay in
 * registers, as halves. The filter equals this, where in(y, x) is an element of the image or what the edge puts in its
 * place, and half() rounds to a half. A tap a[c] across or d[r] down, times its scale, is the sum of its two halves,
 * high and low:
 *
 *   for (int y = 0; y < image.rows; ++y)
 *       for (int x = 0; x < image.width; ++x) {
 *           float sum = 0.0f;
 *           for (int r = 0; r < f.rows; ++r) {
 *               float across = 0.0f;
 *               for (int c = 0; c < f.columns; ++c)
 *                   across += (a[c].low + a[c].high) * in(y - f.row + r, x - f.reach + c * f.channels);
 *               const float high = half(across), low = half(across - high);
 *               sum += low * d[r].high + high * d[r].low + high * d[r].high;
 *           }
 *           out[y][x] = saturate(rintf(scale * sum));
 *       }
 *
 * An mma.sync adds 8 or 16 products to a sum at once. Where each tap is one half, products with the low halves of taps
 * are left out. Thread t has these, where g = t % 32 / 4, p = t % 4, i and e are 0 or 1, and columns and rows are those
 * of a tile (PTX ISA, "Matrix Fragments for mma.m16n8k16" and "mma.m16n8k8"):
 *
 *   rows.words                    row g of the image, 4 pixels from column 4 p on of each block of 16 columns
 *   tile.sums[k].high[i], low[i]  sums across of column 2 g + i, rows 2 p and 2 p + 1, one in each half of the word
 *   sums[2 i + e]                 the output of column 2 g + i, row 2 p + e, before cmk_mma_turn_
 *   to[], after cmk_mma_turn_     row g, columns 4 p to 4 p + 3
 *
 * The path of a warp, where names with bytes are those of march.h, warp.h and plain.h:
 *
 *   cmk_bands_convolve_           the one call of a kernel: cmk_bytes_find_, cmk_bytes_begin_
 *     cmk_bands_write_taps_       the taps of the block as floats in shared memory
 *     cmk_bands_prepare_          the halves of this thread
 *     cmk_bands_go_inside_        inside: cmk_bands_take_, cmk_bytes_copy_, cmk_bands_go_down_
 *     cmk_bands_go_anywhere_      in the frame: cmk_bytes_load_any_, cmk_bands_go_down_
 *     cmk_bytes_go_by_fmas_       the fallback by FMAs, where taps are not in range
 *   cmk_bands_go_down_            cmk_bands_sum_across_, cmk_bands_sum_down_, cmk_bands_order_, cmk_bands_store_
 *
 * In all functions here, which all 32 threads of a warp call together. "Inside" and "frame" are those of plan.h:
 *   s         cmk_bytes_sizes_ of sizes.h, a constant at compile time with all its members. s.spans, s.older,
 *             s.quads and s.tiles count blocks of 16 columns and tiles. s.lead and s.row_bytes are bytes of a row
 *             of the ring, and s.turn is its rows: s.turn / 8 stages of 8 rows. s.before counts columns, which are
 *             pixels. s.f is the filter (rows/filter.h): s.f.row and s.f.rows count rows, s.f.out_size bytes. s.words,
 *             s.values: words that a thread loads, and outputs that it computes, of a row of tiles. s.above: rows that
 *             are loaded before the first output, 4 s.older. s.ring_bytes: bytes of a warp's ring. s.unaligned_strip:
 *             columns of a strip where rows begin anywhere. s.older is 4 at most, and s.spans 3, at radius 16
 *   w         cmk_bytes_work_ of warp.h, the state of a warp in registers. w->taps[2 k] and [2 k + 1] are operand A
 *             of the taps across for block k of 16 columns. w->taps[2 s.spans + i] is B of the taps down for tiles
 *             i and i + 1. w->x: column of the strip's first word. w->length: rows of outputs. w->source, w->target:
 *             what this thread copies, and stores, next. w->inside: all that the warp reads and writes is in the image
 *             and the region. w->whole: all columns that it writes are in the region. w->inverse: of both scales
 *   w->task   cmk_image_task_ of rows/image.h. Pitches and width of task.image count elements
 *   n         the number of a row of tiles, but in cmk_bands_sum_across_; a constant at compile time, once loops
 *             are unrolled
 *   exact     a constant at compile time: 1 where each tap is one half, so that low halves of taps are left out
 *   aligned   a constant at compile time: whether rows of the input and of the output begin at whole chunks
 *   how       which outputs are stored, of the enum of warp.h; a constant at compile time for warps inside
 *
 * Names that end in `most_` bound arrays. sizes.h has them, and tests/kernels/sizes.cu finds that no filter exceeds
 * one. Rows of a ring begin at multiples of 16 bytes, and a load from it is of 4 `each` bytes at a multiple of as many.
 *   cmk_mma_values_(a, i, b, j, same, is_signed)   of mma/warp.h: byte i of a and byte j of b as two halves. same:
 *             whether a and b are one word
 *   cmk_mma_permute_(a, b, digits): four bytes; each hexadecimal digit, the lowest first, selects one: 0 to 3 of a, 4
 *             to 7 of b. 0x5410 are the lower halves of both words, 0x7632 the upper ones
 *   cmk_mma_pack_(a, b, bits, above): two sums as integers, rounded, ties to even, and saturated; a is in the lower
 *             bits. Over two bytes stands the lower half of above. cmk_mma_turn_: transposes an 8 x 8 matrix of pairs
 *   cmk_mma_warp_add_(d, a, b, adds): d = A B, or d + A B where adds is 1; cmk_mma_warp_add_eight_: of 8 products,
 *             where b is one word. cmk_mma_bits_: the bits of a float; cmk_mma_float_: the float of bits, where n << 23
 *             are those of 2^(n - 127). cmk_mma_least_: the least of a warp
 *   cmk_bytes_halve_(to, i, a, b)   of warp.h: splits a and b into pair i of halves; returns whether one half is exact.
 *             cmk_bytes_halves_ has two pairs. cmk_bytes_rows_: a thread's words of a step. cmk_bytes_row_(s), here
 *             t % 32 / 4: its row of 8. cmk_bytes_item_(s, n): the byte in a strip of its words of block n.
 *             cmk_bytes_output_(s): its first output's column in the strip. cmk_bytes_store_unaligned_(to, words,
 *             count, behind, at, end): stores words from byte `at` of the strip on, none from `end` on. Stores are of
 *             cmk_bytes_whole_, by aligned chunks, or cmk_bytes_words_, where rows begin anywhere
 *   cmk_fragment_row_(t): t % 32 / 4; cmk_fragment_pair_(t): t % 4. cmk_image_within_(a, b, c): b <= a < c
 *   cmk_load_plain_value_(to, from, size): loads as one word; cmk_load_store_value_ stores. CMK_LOAD, CMK_STORE: of one
 *             float of shared memory. CMK_FILL_COMMIT(ASYNC): this thread's copies become a group, and
 *             CMK_FILL_ARRIVED(ASYNC, n) waits for all its groups but the newest n
 *
 * On a GPU CMK_TURN_ and CMK_OPERATIONS_ do nothing. By them the counters of the CPU backend learn which turn of a loop
 * a thread is in, -1 for none, and the floating-point operations that it does. A block has cmk_image_threads_ = 128
 * threads and cmk_image_warps_ = 4 warps. CMK_TILE_DYNAMIC(T, name): T *name is its dynamic shared memory. CMK_UNROLL
 * unrolls the next loop. CMK_TENSOR_WARP_HAS_: whether the compiled code has mma.sync (mma/code.h). */
#ifndef CMK_KERNEL_BYTES_BANDS_H
#define CMK_KERNEL_BYTES_BANDS_H

#include "plain.h"

#if CMK_TENSOR_WARP_HAS_

/* Sums across of a tile, which is one channel of 16 columns; the tiles of the channels follow one another. Row n of
 * tiles is in sums[n % (2 quads)], as long as sums down need it. An even row and the next are one operand A, in
 * registers side by side. In a row of tiles a thread has halves of two rows in each of two columns, 2 (t % 32 / 4) and
 * the next. */
typedef struct {
    cmk_bytes_halves_ sums[2 * cmk_bands_quads_most_];
} cmk_bands_tile_;

/* Computes the sums across of a new tile, number n of the strip's, as halves. Here exact is a compile-time constant:
 * whether each tap is one half. Of the number, n / channels is the tile's place from left to right, and n % channels is
 * its channel. This thread's words of the 8 rows are in rows, as many for each block of 16 columns as there are
 * channels. */
CMK_DEVICE_ void cmk_bands_sum_across_(cmk_bytes_halves_ *to, const cmk_bytes_rows_ *rows, const cmk_bytes_work_ *w,
                                       cmk_bytes_sizes_ s, int n, int exact)
{
    const int channels = s.f.channels, channel = n % channels;
    float sums[4];
    CMK_UNROLL
    for (int span = 0; span < s.spans; ++span) {
        const unsigned *const words = &rows->words[(n / channels + span) * channels];
        const cmk_bytes_halves_ *const first = &w->taps[2 * span], *const second = first + 1;
        const unsigned high[4] = {first->high[0], first->high[1], second->high[0], second->high[1]};
        const unsigned low[4] = {first->low[0], first->low[1], second->low[0], second->low[1]};
        unsigned pixels[2];
        CMK_UNROLL
        for (int i = 0; i < 2; ++i) {
            const int one = 2 * i * channels + channel, two = one + channels; /* numbers of bytes in words */
            pixels[i] =
                cmk_mma_values_(words[one / 4], one % 4, words[two / 4], two % 4, one / 4 == two / 4, w->is_signed);
        }
        if (!exact) cmk_mma_warp_add_(sums, low, pixels, span > 0);
        cmk_mma_warp_add_(sums, high, pixels, !exact || span > 0);
    }
    CMK_UNROLL
    for (int i = 0; i < 2; ++i) (void)cmk_bytes_halve_(to, i, sums[2 * i], sums[2 * i + 1]);
}

/* Adds to the sums down, for row n of tiles, products of halves: high or low ones of the sums across, and high or low
 * ones of the taps. With adds 0 the sums begin, else they are added to. All of tile_low, taps_low and adds are
 * constants at compile time. Tile i counts from the oldest that is needed, row n - s.older, to the new one, i =
 * s.older. An even row of tiles and the next are one product of 16 rows; a row without its other half of a pair is a
 * product of 8 rows. As n is s.older or more, no index is negative. The 2 s.quads places, an even number, hold all
 * s.older + 1 tiles. */
CMK_DEVICE_ void cmk_bands_add_down_(float *sums, const cmk_bands_tile_ *tile, const cmk_bytes_work_ *w,
                                     cmk_bytes_sizes_ s, int n, int tile_low, int taps_low, int adds)
{
    const int older = s.older, held = 2 * s.quads;
    CMK_UNROLL
    for (int i = 0; i <= older; ++i) {
        const int even = (n - older + i) % 2 == 0, two = even && i < older;
        const cmk_bytes_halves_ *const one = &tile->sums[(n - older + i) % held];
        const cmk_bytes_halves_ *const other = &tile->sums[(n - older + i + two) % held];
        const unsigned *const a = tile_low ? one->low : one->high, *const b = tile_low ? other->low : other->high;
        const unsigned both[4] = {a[0], a[1], b[0], b[1]};
        const cmk_bytes_halves_ *const taps = &w->taps[2 * s.spans + (i < older ? i : i - 1)];
        const unsigned *const tap = taps_low ? taps->low : taps->high;
        if (!even && i > 0) continue;
        if (two)
            cmk_mma_warp_add_(sums, both, tap, adds || i > 0);
        else
            cmk_mma_warp_add_eight_(sums, both, tap[i == older], adds || i > 0);
    }
}

/* Computes the outputs of a tile of row n, transposed. Of bytes, a thread has four columns of a row in to[0]. Of 16
 * bits, it has the first and the third of them in to[0], and the others in to[1]. The three calls add low halves of
 * sums times high ones of taps, then high times low, then high times high. The sums become integers of s.f.out_bits
 * bits, which are negative for a signed OUT. */
CMK_DEVICE_ void cmk_bands_sum_down_(unsigned *to, const cmk_bands_tile_ *tile, const cmk_bytes_work_ *w,
                                     cmk_bytes_sizes_ s, int n, int exact)
{
    float sums[4];
    cmk_bands_add_down_(sums, tile, w, s, n, 1, 0, 0); /* tile_low, taps_low, adds */
    if (!exact) cmk_bands_add_down_(sums, tile, w, s, n, 0, 1, 1);
    cmk_bands_add_down_(sums, tile, w, s, n, 0, 0, 1);
    CMK_UNROLL
    for (int i = 0; i < 4; ++i) sums[i] *= w->inverse;
    if (s.f.out_size == 1) {
        const unsigned second = cmk_mma_pack_(sums[1], sums[3], s.f.out_bits, 0);
        to[0] = cmk_mma_turn_(cmk_mma_pack_(sums[0], sums[2], s.f.out_bits, second));
    } else {
        CMK_UNROLL
        for (int i = 0; i < 2; ++i) to[i] = cmk_mma_turn_(cmk_mma_pack_(sums[2 * i], sums[2 * i + 1], s.f.out_bits, 0));
    }
}

/* Orders outputs as words that follow one another, with the channels of a pixel side by side. from: for each channel
 * four columns in two words, or eight columns of bytes. Writes 2 s.f.channels words. one and two number elements of the
 * interleaved row; a and b are their bytes within a channel, and digits select bytes for cmk_mma_permute_: of bytes one
 * of each word in the lower half, of 16 bits two of each. */
CMK_DEVICE_ void cmk_bands_mix_(unsigned *words, unsigned (*from)[2], cmk_bytes_sizes_ s)
{
    const int channels = s.f.channels, size = s.f.out_size;
    CMK_UNROLL
    for (int n = 0; n < 2 * channels; ++n) {
        unsigned pairs[2];
        CMK_UNROLL
        for (int i = 0; i < 2; ++i) { /* of bytes two and two, of 16 bits both */
            const int one = (size == 1 ? 4 * n + 2 * i : 2 * n), two = one + 1;
            const int a = one / channels * size, b = two / channels * size;
            const unsigned first = from[one % channels][a / 4], second = from[two % channels][b / 4];
            const int digits = size == 1 ? (4 + b % 4) * 16 + a % 4 : (0x54 + b % 4 * 17) * 256 + 0x10 + a % 4 * 17;
            pairs[i] = cmk_mma_permute_(first, second, (unsigned)digits);
        }
        words[n] = channels == 1 ? from[0][n] : size == 1 ? cmk_mma_permute_(pairs[0], pairs[1], 0x5410) : pairs[0];
    }
}

/* Stores words that follow one another in a row, x columns behind this thread's first output, in row y of the warp's
 * rows. whole: whether all of them are in the region. They are then stored by 8 bytes, which are aligned as
 * image->out_whole says (plan.h), else one by one those that are in the region; y counts only there. column: the
 * region's element where they begin. There are 2 s.f.channels words. */
CMK_DEVICE_ void cmk_bands_store_(const cmk_bytes_work_ *w, cmk_bytes_sizes_ s, const unsigned *words, int x, int whole,
                                  int y)
{
    const int channels = s.f.channels, size = s.f.out_size, width = w->task.image->width;
    const int column = (w->x + s.before + cmk_bytes_output_(s) + x) * channels;
    char *const to = w->target + x * channels * size;
    CMK_UNROLL
    for (int n = 0; n < channels; ++n) {
        CMK_TURN_(n);
        if (whole) cmk_load_store_value_(to + 8 * n, &words[2 * n], 8);
    }
    CMK_UNROLL
    for (int n = 0; n < 8 * channels / size; ++n) {
        CMK_TURN_(n);
        if (!whole && y < w->length && cmk_image_within_(column + n, 0, width))
            cmk_load_store_value_(to + n * size, (const char *)words + n * size, size);
    }
    CMK_TURN_(-1);
}

/* Stores words where rows begin anywhere, from x columns behind this thread's first output on. The words that follow
 * this thread's are the first of another thread among four: its `words`, or its `next`, which are the words of the
 * columns behind those of all four. follows: the number of that thread. All threads of the warp call. Of bytes, the
 * runs of the four follow one another in the order 0, 2, 1, 3, and digit `which` of 0x0132 is the next thread. Thread 0
 * comes after the last, and gives its `next` to that one. */
CMK_DEVICE_ void cmk_bands_store_unaligned_(const cmk_bytes_work_ *w, cmk_bytes_sizes_ s, const unsigned *words,
                                            const unsigned *next, int x)
{
    const int bytes = s.f.channels * s.f.out_size, which = cmk_fragment_pair_((int)threadIdx.x);
    const int follows = s.f.out_size == 1 ? 0x0132 >> 4 * which & 15 : which + 1;
    unsigned behind[2];
    CMK_UNROLL
    for (int n = 0; n < 2; ++n) behind[n] = __shfl_sync(0xffffffffu, which ? words[n] : next[n], follows, 4);
    cmk_bytes_store_unaligned_(w->target + x * bytes, words, 2 * s.f.channels, behind,
                               (x + cmk_bytes_output_(s)) * bytes, s.unaligned_strip * bytes);
}

/* Makes the words of the outputs of two tiles side by side. Of 16 bits, each tile has its own words. Of bytes, two
 * neighbours among four threads exchange four columns, so that each has eight columns of one tile. pair[i][c]: channel
 * c of tile i, as cmk_bands_sum_down_ gives it. to: s.f.out_size runs of 2 s.f.channels words for cmk_bands_store_. */
CMK_DEVICE_ void cmk_bands_order_(unsigned (*to)[8], cmk_bytes_sizes_ s, unsigned (*pair)[4][2])
{
    const int second = (int)threadIdx.x % 2;
    unsigned words[2][4][2];
    CMK_UNROLL
    for (int n = 0; n < s.f.channels; ++n) {
        if (s.f.out_size == 1) {
            const unsigned first = pair[0][n][0], next = pair[1][n][0], own = second ? next : first;
            const unsigned other = __shfl_xor_sync(0xffffffffu, second ? first : next, 1);
            words[0][n][0] = second ? other : own;
            words[0][n][1] = second ? own : other;
        } else {
            CMK_UNROLL
            for (int i = 0; i < 2; ++i) {
                words[i][n][0] = cmk_mma_permute_(pair[i][n][0], pair[i][n][1], 0x5410);
                words[i][n][1] = cmk_mma_permute_(pair[i][n][0], pair[i][n][1], 0x7632);
            }
        }
    }
    CMK_UNROLL
    for (int i = 0; i < s.f.out_size; ++i) cmk_bands_mix_(to[i], words[i], s);
}

/* Computes row n of tiles and, where `how` is not cmk_bytes_none_, stores its outputs in row y of the warp's rows. n is
 * a compile-time constant but for multiples of 2 s.quads. The true number is n plus such a multiple, and all that n
 * selects is the same for both. With exact, a compile-time constant, each tap is one half. This thread's row is y,
 * which counts only with cmk_bytes_part_. Two tiles side by side, of 32 columns, have `runs` runs of words, each `wide`
 * columns behind the one before. A run that is stored unaligned waits for the next one, whose words follow it. The last
 * run has none behind it, and is given itself. What its stores would take from there is left out, as it is behind the
 * unaligned strip. A run has 2 words for a channel, so at most 8, and there are at most 4 runs. */
CMK_DEVICE_ void cmk_bands_go_down_(cmk_bands_tile_ *tiles, const cmk_bytes_rows_ *rows, cmk_bytes_work_ *w,
                                    cmk_bytes_sizes_ s, int n, int exact, int how, int y)
{
    const int channels = s.f.channels, runs = s.f.out_size, wide = 32 / s.f.out_size;
    unsigned words[cmk_bands_tiles_most_][8];
    CMK_OPERATIONS_(2 * (s.f.rows + s.f.columns) * s.values);
    CMK_UNROLL
    for (int at = 0; at < s.tiles; at += 2) {
        unsigned pair[2][4][2];
        CMK_UNROLL
        for (int i = 0; i < 2 * channels; ++i) {
            cmk_bands_tile_ *const tile = &tiles[at * channels + i];
            cmk_bands_sum_across_(&tile->sums[n % (2 * s.quads)], rows, w, s, at * channels + i, exact);
            if (how) cmk_bands_sum_down_(pair[i / channels][i % channels], tile, w, s, n, exact);
        }
        if (how) cmk_bands_order_(&words[at / 2 * runs], s, pair);
        CMK_UNROLL
        for (int i = at / 2 * runs; how && i < (at / 2 + 1) * runs; ++i) {
            if (how != cmk_bytes_words_)
                cmk_bands_store_(w, s, words[i], wide * i, how == cmk_bytes_whole_, y);
            else if (i > 0)
                cmk_bands_store_unaligned_(w, s, words[i - 1], words[i], wide * (i - 1));
        }
    }
    const int last = s.tiles / 2 * runs - 1;
    if (how == cmk_bytes_words_) cmk_bands_store_unaligned_(w, s, words[last], words[last], wide * last);
    if (how) w->target += 8 * w->task.image->out_pitch * s.f.out_size;
}

/* Loads this thread's words of a stage, once the copies of all threads have arrived. After it the stage may be written.
 * over: where rows begin anywhere, the bytes from the begin of a chunk to this thread's row, which is at stage. The
 * wait leaves the s.turn / 8 - 1 newest groups of copies on their way. Barriers of the warp stand before and after the
 * loads. Two words become one where a row begins inside a word, by cmk_mma_permute_. The words of a block come by one
 * load where they are 1, 2 or 4; three are 12 bytes, which no load has. */
CMK_DEVICE_ void cmk_bands_take_(cmk_bytes_rows_ *rows, const char *stage, cmk_bytes_sizes_ s, int aligned, int over)
{
    const int channels = s.f.channels, each = channels == 3 || !aligned ? 1 : channels;
    const char *const row = stage + s.lead + (aligned ? 0 : over / 4 * 4);
    CMK_FILL_ARRIVED(ASYNC, s.turn / 8 - 1);
    __syncwarp();
    CMK_UNROLL
    for (int n = 0; n < s.words; n += each) {
        const int at = cmk_bytes_item_(s, n / channels) + 4 * (n % channels);
        unsigned next = 0;
        CMK_TURN_(n);
        cmk_load_plain_value_(&rows->words[n], row + at, 4 * each);
        if (!aligned) {
            cmk_load_plain_value_(&next, row + at + 4, 4);
            rows->words[n] = cmk_mma_permute_(rows->words[n], next, 0x3210 + (unsigned)over % 4 * 0x1111);
        }
    }
    CMK_TURN_(-1);
    __syncwarp();
}

/* Returns the place in the stage that row n of tiles comes by, where ring is the same place in the first stage. */
CMK_DEVICE_ char *cmk_bands_stage_(char *ring, cmk_bytes_sizes_ s, int n)
{
    return ring + 8 * n % s.turn * s.row_bytes;
}

/* Does all rows of a warp inside: s.older tiles of 8 rows above its first outputs, then turns of s.turn rows. In a turn
 * a tile stays in its registers, and only the code's number for it moves on. All threads of the warp call. ring: this
 * thread's row of the first stage. over: bytes, 0 to 15, from the begin of a chunk to this thread's first row. A row 8
 * further begins as many bytes behind a chunk, or `turns` bytes from there: 8 where the pitch is odd, else 0. */
CMK_DEVICE_ void cmk_bands_go_inside_(char *ring, cmk_bands_tile_ *tiles, cmk_bytes_work_ *w, cmk_bytes_sizes_ s,
                                      int aligned, int exact, int over)
{
    const int older = s.older, turn = s.turn, turns = (int)(w->task.image->in_pitch % 2) * 8;
    cmk_bytes_rows_ now;
    CMK_UNROLL
    for (int n = 0; n < older; ++n) {
        cmk_bands_take_(&now, cmk_bands_stage_(ring, s, n), s, aligned, n % 2 ? over ^ turns : over);
        cmk_bytes_copy_(cmk_bands_stage_(ring, s, n), w, s, aligned);
        CMK_FILL_COMMIT(ASYNC);
        cmk_bands_go_down_(tiles, &now, w, s, n, exact, cmk_bytes_none_, 0);
    }
    CMK_NO_UNROLL
    for (int y = 0; y < w->length; y += turn) {
        CMK_UNROLL
        for (int n = older; n < older + turn / 8; ++n) {
            cmk_bands_take_(&now, cmk_bands_stage_(ring, s, n), s, aligned, n % 2 ? over ^ turns : over);
            if (y + turn < w->length) cmk_bytes_copy_(cmk_bands_stage_(ring, s, n), w, s, aligned);
            CMK_FILL_COMMIT(ASYNC);
            cmk_bands_go_down_(tiles, &now, w, s, n, exact, aligned ? cmk_bytes_whole_ : cmk_bytes_words_, 0);
        }
    }
}

/* All rows of tiles of any warp, in little code. `aligned`, a compile-time constant: whether rows are aligned. There is
 * no ring: words are loaded cmk_bytes_ahead_anywhere_ rows of tiles ahead, each as the edge has it. Sums move down one
 * place after each row of tiles, so that the new row is always number s.older. Low halves are always added. The first
 * row of outputs of a row of tiles is y, below 0 while only sums across are made. */
CMK_DEVICE_ void cmk_bands_go_anywhere_(cmk_bands_tile_ *tiles, cmk_bytes_work_ *w, cmk_bytes_sizes_ s, int aligned)
{
    cmk_bytes_rows_ rows[cmk_bytes_ahead_anywhere_];
    const int older = s.older, row = cmk_bytes_row_(s);
    const cmk_bytes_halves_ zeros = {{0, 0}, {0, 0}};
    CMK_UNROLL
    for (int n = 0; n < s.tiles * s.f.channels; ++n) CMK_UNROLL
    for (int i = 0; i < older; ++i) tiles[n].sums[i] = zeros;
    CMK_UNROLL
    for (int n = 0; n < cmk_bytes_ahead_anywhere_; ++n) cmk_bytes_load_any_(&rows[n], w, s, aligned);
    CMK_NO_UNROLL
    for (int y = -8 * older; y < w->length; y += 8) {
        const cmk_bytes_rows_ now = rows[0];
        CMK_UNROLL
        for (int n = 1; n < cmk_bytes_ahead_anywhere_; ++n) rows[n - 1] = rows[n];
        cmk_bytes_load_any_(&rows[cmk_bytes_ahead_anywhere_ - 1], w, s, aligned);
        const int whole = aligned && w->whole && y + 8 <= w->length;
        const int how = y < 0 ? cmk_bytes_none_ : whole ? cmk_bytes_whole_ : cmk_bytes_part_;
        cmk_bands_go_down_(tiles, &now, w, s, older, 0, how, y + row); /* 0: not exact */
        CMK_UNROLL
        for (int n = 0; n < s.tiles * s.f.channels; ++n) CMK_UNROLL
        for (int i = 0; i < older; ++i) tiles[n].sums[i] = tiles[n].sums[i + 1];
    }
}

/* Writes the taps of a block as floats into shared memory: those down from 0 on, those across from cmk_bands_across_
 * on. All threads of the block call, and a barrier of the block ends it. parts (rows/filter.h): tap(tables, 1, n) is
 * tap n down and tap(tables, 2, n) is tap n across. A separable filter has as many of the one as of the other. */
CMK_DEVICE_ void cmk_bands_write_taps_(float *taps, cmk_bytes_sizes_ s, cmk_filter_parts_float_ parts)
{
    for (int n = (int)threadIdx.x; n < s.f.rows; n += cmk_image_threads_) {
        CMK_STORE(&taps[n], parts.tap(parts.tables, 1, n));
        CMK_STORE(&taps[cmk_bands_across_ + n], parts.tap(parts.tables, 2, n));
    }
    __syncthreads();
}

/* The exponent of the sum of |tap| over `count` taps in shared memory, as the bits of a float have it (biased by 127),
 * at least cmk_halves_exponent_least_. Sets *wide where a tap is so much less than the sum that halves are not exact
 * enough for it: by cmk_bands_range_ = 10 powers of two or more (tune.h). A tap of 0 does not count: `least` is the
 * bits less 1, so that 0 becomes the largest. Each thread sums all taps, and all get the same. An infinity or NaN among
 * the taps makes the exponent 255. */
CMK_DEVICE_ int cmk_bands_exponent_(const float *taps, int count, int *wide)
{
    float sum = 0.0f;
    unsigned least = ~0u;
    for (int n = 0; n < count; ++n) {
        const float tap = CMK_LOAD(&taps[n]);
        const unsigned bits = cmk_mma_bits_(tap) & 0x7fffffffu;
        sum += cmk_mma_float_(bits);
        least = bits - 1 < least ? bits - 1 : least;
    }
    const int most = (int)(cmk_mma_bits_(sum) >> 23),
              exponent = most < cmk_halves_exponent_least_ ? (int)cmk_halves_exponent_least_ : most;
    *wide |= exponent - (int)((least + 1) >> 23) >= cmk_bands_range_ && least + 1 != 0;
    return exponent;
}

/* Makes halves of the block's taps in this thread's registers. Returns 0 where taps are not in range, which is the same
 * for all threads. Scales make a sum across less than 2^15, and the sum of |tap| down too. All threads of the warp
 * call. down and across are exponents of floats, biased by 127. w->inverse becomes 1 / (scale across x scale down), or
 * the least normal float where that is less. The sum of |tap| becomes 2^6 to 2^7 across, so that with bytes a sum
 * across is below 2^15, and 2^14 to 2^15 down. Exponents are from 64, by cmk_halves_exponent_least_, to 190, above
 * which the filter goes by FMAs, so that the scales are normal floats. It goes there too where a tap is too small,
 * unless the exponents of both sums, without their biases, add up to at most cmk_bands_large_ = 6 (tune.h). */
CMK_DEVICE_ int cmk_bands_prepare_(cmk_bytes_work_ *w, cmk_bytes_sizes_ s, const float *taps)
{
    const int group = cmk_fragment_row_((int)threadIdx.x), which = cmk_fragment_pair_((int)threadIdx.x);
    int wide = 0;
    unsigned exact = 1;
    const int down = cmk_bands_exponent_(taps, s.f.rows, &wide);
    const int across = cmk_bands_exponent_(taps + cmk_bands_across_, s.f.columns, &wide);
    const float scale_across = cmk_mma_float_((unsigned)(127 + 6 + 127 - across) << 23);
    const float scale_down = cmk_mma_float_((unsigned)(127 + 14 + 127 - down) << 23);
    if (down > 190 || across > 190 || (wide && down + across > 2 * 127 + cmk_bands_large_)) return 0;
    const int inverse = down + across - 127 - 20;
    w->inverse = cmk_mma_float_((unsigned)(inverse < 1 ? 1 : inverse) << 23);
    CMK_UNROLL
    for (int n = 0; n < 4 * s.spans + 2 * s.older; ++n) {
        const int is_across = n < 4 * s.spans, i = is_across ? n : (n + 1) / 2 - 2 * s.spans;
        /* Taps across: word i % 2 of output `column`, for pixels 2 (i / 2) and the next of a thread's four. Taps down:
         * rows of tile i, beside those of the next tile. */
        const int column = 4 * (group / 2) + 2 * (group % 2) + i % 2, pixel = 16 * (i / 4) + 4 * which + i / 2 % 2 * 2;
        const int at = is_across ? pixel - s.before - column : 8 * i + 2 * which - group - s.above;
        const int first = at + s.f.row, second = first + 1;
        const float *const from = is_across ? taps + cmk_bands_across_ : taps;
        const float scale = is_across ? scale_across : scale_down;
        const float one = cmk_image_within_(first, 0, s.f.rows) ? CMK_LOAD(&from[first]) * scale : 0.0f;
        const float two = cmk_image_within_(second, 0, s.f.rows) ? CMK_LOAD(&from[second]) * scale : 0.0f;
        exact &= (unsigned)cmk_bytes_halve_(&w->taps[n / 2], n % 2, one, two);
    }
    w->exact = (int)cmk_mma_least_(exact);
    return 1;
}

/* The one call of a kernel. The rows of warps inside are on their way while taps are split. All threads of the block
 * call. A block has four warps, and each computes one of the task.image->sides tiles (plan.h). Warps behind the last
 * tile end after the barrier in cmk_bands_write_taps_; there is no barrier of the block after it. The ring is that of
 * the warp, in dynamic shared memory, and `own` is this thread's row of its first stage. This thread copies from `over`
 * bytes behind the begin of a chunk. The constants behind s are `aligned` and exact. The parameter region is not used.
 * A filter has at most 33 taps of each kind, as its radius is at most 16: taps has 48 floats for each.
 */
CMK_DEVICE_ void cmk_bands_convolve_(cmk_image_task_ task, const cmk_image_region_ *region, cmk_bytes_sizes_ s,
                                     cmk_filter_parts_float_ parts)
{
    __shared__ float taps[2 * cmk_bands_across_];
    const unsigned tile = blockIdx.x * cmk_image_warps_ + threadIdx.x / 32, all = (unsigned)task.image->sides;
    CMK_TILE_DYNAMIC(char, shared);
    cmk_bands_tile_ tiles[cmk_bands_tiles_most_];
    cmk_bytes_work_ w;
    (void)region;
    cmk_bytes_find_(&w, task, s, tile < all ? tile : all - 1);
    char *const ring = shared + (int)threadIdx.x / 32 * s.ring_bytes;
    char *const own = ring + cmk_bytes_row_(s) * s.row_bytes;
    const int aligned = task.image->in_whole && task.image->out_whole, over = (int)((size_t)w.source % 16);
    if (w.inside && aligned)
        cmk_bytes_begin_(ring, &w, s, 1);
    else if (w.inside)
        cmk_bytes_begin_(ring, &w, s, 0);
    cmk_bands_write_taps_(taps, s, parts);
    if (tile >= all) return;
    w.is_signed = cmk_bytes_are_signed_(parts);
    if (!cmk_bands_prepare_(&w, s, taps))
        cmk_bytes_go_by_fmas_(&w, s, taps);
    else if (w.inside && !aligned)
        cmk_bands_go_inside_(own, tiles, &w, s, 0, 0, over);
    else if (w.inside && w.exact)
        cmk_bands_go_inside_(own, tiles, &w, s, 1, 1, 0);
    else if (w.inside)
        cmk_bands_go_inside_(own, tiles, &w, s, 1, 0, 0);
    else if (aligned)
        cmk_bands_go_anywhere_(tiles, &w, s, 1);
    else
        cmk_bands_go_anywhere_(tiles, &w, s, 0);
}

#endif

#endif
