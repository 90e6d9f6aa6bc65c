/* kernel/bytes/bands.h: separable filters of bytes, by warps that go down strips, a row of tiles at a time. Rows of the
 * image come by a ring in shared memory, a warp's own; sums across stay in registers, as halves. (PTX ISA, "Matrix
 * Fragments for mma.m16n8k16" and "mma.m16n8k8".) */
#ifndef CMK_KERNEL_BYTES_BANDS_H
#define CMK_KERNEL_BYTES_BANDS_H

#include "plain.h"

#if CMK_TENSOR_WARP_HAS_

/* of each tile of a strip, the channels of 16 columns one after another: the sums of those of its rows of tiles that
 * are at hand, row n in sums[n % (2 quads)]. Those of an even row and the next are one operand, registers side by side:
 * a thread has halves of two rows of its column, and of that which is 8 further in the order of the columns. */
typedef struct {
    cmk_bytes_halves_ sums[2 * cmk_bands_quads_most_];
} cmk_bands_tile_;

/* the sums across of a new tile */
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
            const int one = 2 * i * channels + channel, two = one + channels;
            pixels[i] =
                cmk_mma_values_(words[one / 4], one % 4, words[two / 4], two % 4, one / 4 == two / 4, w->is_signed);
        }
        if (!exact) cmk_mma_warp_add_(sums, low, pixels, span > 0);
        cmk_mma_warp_add_(sums, high, pixels, !exact || span > 0);
    }
    CMK_UNROLL
    for (int i = 0; i < 2; ++i) (void)cmk_bytes_halve_(to, i, sums[2 * i], sums[2 * i + 1]);
}

/* Adds to sums down, of row n of tiles, the products of halves, either of the tiles and either of the taps; adds: to
 * what is there */
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

/* The outputs of a tile of row n, turned: of bytes a thread has four columns of a row in to[0], of 16 bits the first
 * and the third in to[0], the others in to[1]. */
CMK_DEVICE_ void cmk_bands_sum_down_(unsigned *to, const cmk_bands_tile_ *tile, const cmk_bytes_work_ *w,
                                     cmk_bytes_sizes_ s, int n, int exact)
{
    float sums[4];
    cmk_bands_add_down_(sums, tile, w, s, n, 1, 0, 0);
    if (!exact) cmk_bands_add_down_(sums, tile, w, s, n, 0, 1, 1);
    cmk_bands_add_down_(sums, tile, w, s, n, 0, 0, 1);
    CMK_UNROLL
    for (int i = 0; i < 4; ++i) sums[i] *= w->scale;
    if (s.f.out_size == 1) {
        const unsigned second = cmk_mma_pack_(sums[1], sums[3], s.f.out_bits, 0);
        to[0] = cmk_mma_turn_(cmk_mma_pack_(sums[0], sums[2], s.f.out_bits, second));
    } else {
        CMK_UNROLL
        for (int i = 0; i < 2; ++i) to[i] = cmk_mma_turn_(cmk_mma_pack_(sums[2 * i], sums[2 * i + 1], s.f.out_bits, 0));
    }
}

/* Words of outputs one after another, of whose channels this thread has four columns each in two words, or eight of
 * bytes. */
CMK_DEVICE_ void cmk_bands_mix_(unsigned *words, unsigned (*from)[2], cmk_bytes_sizes_ s)
{
    const int channels = s.f.channels, size = s.f.out_size;
    CMK_UNROLL
    for (int n = 0; n < 2 * channels; ++n) {
        unsigned pairs[2];
        CMK_UNROLL
        for (int i = 0; i < 2; ++i) { /* of bytes two and two; of 16 bits both */
            const int one = (size == 1 ? 4 * n + 2 * i : 2 * n), two = one + 1;
            const int a = one / channels * size, b = two / channels * size;
            const unsigned first = from[one % channels][a / 4], second = from[two % channels][b / 4];
            const int digits = size == 1 ? (4 + b % 4) * 16 + a % 4 : (0x54 + b % 4 * 17) * 256 + 0x10 + a % 4 * 17;
            pairs[i] = cmk_mma_permute_(first, second, (unsigned)digits);
        }
        words[n] = channels == 1 ? from[0][n] : size == 1 ? cmk_mma_permute_(pairs[0], pairs[1], 0x5410) : pairs[0];
    }
}

/* Stores words that follow one another in a row, from column x of a strip's outputs on, of row y of the warp's; whole:
 * all */
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

/* Stores words where rows begin anywhere, those behind them being the first of another thread, of these or of `next`,
 * the words of as many columns further on. */
CMK_DEVICE_ void cmk_bands_store_loose_(const cmk_bytes_work_ *w, cmk_bytes_sizes_ s, const unsigned *words,
                                        const unsigned *next, int x)
{
    const int bytes = s.f.channels * s.f.out_size, which = cmk_fragment_pair_((int)threadIdx.x);
    const int follows = s.f.out_size == 1 ? 0x0132 >> 4 * which & 15 : which + 1;
    unsigned behind[2];
    CMK_UNROLL
    for (int n = 0; n < 2; ++n) behind[n] = __shfl_sync(0xffffffffu, which ? words[n] : next[n], follows, 4);
    cmk_bytes_store_loose_(w->target + x * bytes, words, 2 * s.f.channels, behind, (x + cmk_bytes_output_(s)) * bytes,
                           s.loose * bytes);
}

/* The words of the outputs of two tiles side by side, those of each or, of bytes, of both. Of bytes, two neighbours of
 * four threads exchange four columns, so that each has eight of one tile. */
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

/* Row n of tiles, a constant but for its multiples of 2 quads, and its outputs, of row y of the warp's. exact, a
 * constant: whether each tap is one half. */
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
                cmk_bands_store_loose_(w, s, words[i - 1], words[i], wide * (i - 1));
        }
    }
    const int last = s.tiles / 2 * runs - 1;
    if (how == cmk_bytes_words_) cmk_bands_store_loose_(w, s, words[last], words[last], wide * last);
    if (how) w->target += 8 * w->task.image->out_pitch * s.f.out_size;
}

/* This thread's words of a stage, once the copies of all are there; after it the stage may be written. Where rows begin
 * anywhere this thread's does so `over` bytes behind a chunk. */
CMK_DEVICE_ void cmk_bands_take_(cmk_bytes_rows_ *rows, const char *stage, cmk_bytes_sizes_ s, int neat, int over)
{
    const int channels = s.f.channels, each = channels == 3 || !neat ? 1 : channels;
    const char *const row = stage + s.lead + (neat ? 0 : over / 4 * 4);
    CMK_FILL_ARRIVED(ASYNC, s.turn / 8 - 1);
    __syncwarp();
    CMK_UNROLL
    for (int n = 0; n < s.words; n += each) {
        const int at = cmk_bytes_item_(s, n / channels) + 4 * (n % channels);
        unsigned next = 0;
        CMK_TURN_(n);
        cmk_load_plain_value_(&rows->words[n], row + at, 4 * each);
        if (!neat) {
            cmk_load_plain_value_(&next, row + at + 4, 4);
            rows->words[n] = cmk_mma_permute_(rows->words[n], next, 0x3210 + (unsigned)over % 4 * 0x1111);
        }
    }
    CMK_TURN_(-1);
    __syncwarp();
}

/* the stage of row n of tiles */
CMK_DEVICE_ char *cmk_bands_stage_(char *ring, cmk_bytes_sizes_ s, int n)
{
    return ring + 8 * n % s.turn * s.row_bytes;
}

/* A warp inside: the tiles above its first outputs, and whole turns, in which tiles move on in name only. over: where
 * this thread's first row begins, in bytes behind a chunk; 8 rows further it does so, or 8 bytes from there. */
CMK_DEVICE_ void cmk_bands_go_inside_(char *ring, cmk_bands_tile_ *tiles, cmk_bytes_work_ *w, cmk_bytes_sizes_ s,
                                      int neat, int exact, int over)
{
    const int older = s.older, turn = s.turn, turns = (int)(w->task.image->in_pitch % 2) * 8;
    cmk_bytes_rows_ now;
    CMK_UNROLL
    for (int n = 0; n < older; ++n) {
        cmk_bands_take_(&now, cmk_bands_stage_(ring, s, n), s, neat, n % 2 ? over ^ turns : over);
        cmk_bytes_copy_(cmk_bands_stage_(ring, s, n), w, s, neat);
        CMK_FILL_COMMIT(ASYNC);
        cmk_bands_go_down_(tiles, &now, w, s, n, exact, cmk_bytes_none_, 0);
    }
    CMK_NO_UNROLL
    for (int y = 0; y < w->length; y += turn) {
        CMK_UNROLL
        for (int n = older; n < older + turn / 8; ++n) {
            cmk_bands_take_(&now, cmk_bands_stage_(ring, s, n), s, neat, n % 2 ? over ^ turns : over);
            if (y + turn < w->length) cmk_bytes_copy_(cmk_bands_stage_(ring, s, n), w, s, neat);
            CMK_FILL_COMMIT(ASYNC);
            cmk_bands_go_down_(tiles, &now, w, s, n, exact, neat ? cmk_bytes_whole_ : cmk_bytes_words_, 0);
        }
    }
}

/* any warp, in little code */
CMK_DEVICE_ void cmk_bands_go_anywhere_(cmk_bands_tile_ *tiles, cmk_bytes_work_ *w, cmk_bytes_sizes_ s, int neat)
{
    cmk_bytes_rows_ rows[cmk_bytes_ahead_anywhere_];
    const int older = s.older, row = cmk_bytes_row_(s);
    const cmk_bytes_halves_ zeros = {{0, 0}, {0, 0}};
    CMK_UNROLL
    for (int n = 0; n < s.tiles * s.f.channels; ++n) CMK_UNROLL
    for (int i = 0; i < older; ++i) tiles[n].sums[i] = zeros;
    CMK_UNROLL
    for (int n = 0; n < cmk_bytes_ahead_anywhere_; ++n) cmk_bytes_load_any_(&rows[n], w, s, neat);
    CMK_NO_UNROLL
    for (int y = -8 * older; y < w->length; y += 8) {
        const cmk_bytes_rows_ now = rows[0];
        CMK_UNROLL
        for (int n = 1; n < cmk_bytes_ahead_anywhere_; ++n) rows[n - 1] = rows[n];
        cmk_bytes_load_any_(&rows[cmk_bytes_ahead_anywhere_ - 1], w, s, neat);
        const int whole = neat && w->whole && y + 8 <= w->length;
        const int how = y < 0 ? cmk_bytes_none_ : whole ? cmk_bytes_whole_ : cmk_bytes_part_;
        cmk_bands_go_down_(tiles, &now, w, s, older, 0, how, y + row);
        CMK_UNROLL
        for (int n = 0; n < s.tiles * s.f.channels; ++n) CMK_UNROLL
        for (int i = 0; i < older; ++i) tiles[n].sums[i] = tiles[n].sums[i + 1];
    }
}

/* the taps of a block; all its threads call */
CMK_DEVICE_ void cmk_bands_write_taps_(float *taps, cmk_bytes_sizes_ s, cmk_filter_parts_float_ parts)
{
    for (int n = (int)threadIdx.x; n < s.f.rows; n += cmk_image_threads_) {
        CMK_STORE(&taps[n], parts.tap(parts.tables, 1, n));
        CMK_STORE(&taps[cmk_bands_across_ + n], parts.tap(parts.tables, 2, n));
    }
    __syncthreads();
}

/* The exponent of the sum of |tap|, as a float has it, at least 64; wide: whether a tap is less than that by more than
 * halves say */
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
    const int most = (int)(cmk_mma_bits_(sum) >> 23), exponent = most < 64 ? 64 : most;
    *wide |= exponent - (int)((least + 1) >> 23) >= cmk_bands_range_ && least + 1 != 0;
    return exponent;
}

/* The taps of a block as those of a thread; 0 where halves do not say enough of them. Scaled so that a sum across is
 * less than 2^15, and of two taps down. */
CMK_DEVICE_ int cmk_bands_prepare_(cmk_bytes_work_ *w, cmk_bytes_sizes_ s, const float *taps)
{
    const int group = cmk_fragment_row_((int)threadIdx.x), which = cmk_fragment_pair_((int)threadIdx.x);
    int wide = 0;
    unsigned exact = 1;
    const int down = cmk_bands_exponent_(taps, s.f.rows, &wide);
    const int across = cmk_bands_exponent_(taps + cmk_bands_across_, s.f.columns, &wide);
    const float up_across = cmk_mma_float_((unsigned)(127 + 6 + 127 - across) << 23);
    const float up_down = cmk_mma_float_((unsigned)(127 + 14 + 127 - down) << 23);
    if (down > 190 || across > 190 || (wide && down + across > 2 * 127 + cmk_bands_large_)) return 0;
    const int back = down + across - 127 - 20;
    w->scale = cmk_mma_float_((unsigned)(back < 1 ? 1 : back) << 23);
    CMK_UNROLL
    for (int n = 0; n < 4 * s.spans + 2 * s.older; ++n) {
        const int is_across = n < 4 * s.spans, i = is_across ? n : (n + 1) / 2 - 2 * s.spans;
        /* across: word i % 2 of output `column`, pixels 2 (i / 2) and behind of a thread's four; down: rows of tile i,
         * beside those of the next */
        const int column = 4 * (group / 2) + 2 * (group % 2) + i % 2, pixel = 16 * (i / 4) + 4 * which + i / 2 % 2 * 2;
        const int at = is_across ? pixel - s.before - column : 8 * i + 2 * which - group - s.above;
        const int first = at + s.f.row, second = first + 1;
        const float *const from = is_across ? taps + cmk_bands_across_ : taps;
        const float up = is_across ? up_across : up_down;
        const float one = cmk_image_within_(first, 0, s.f.rows) ? CMK_LOAD(&from[first]) * up : 0.0f;
        const float two = cmk_image_within_(second, 0, s.f.rows) ? CMK_LOAD(&from[second]) * up : 0.0f;
        exact &= (unsigned)cmk_bytes_halve_(&w->taps[n / 2], n % 2, one, two);
    }
    w->exact = (int)cmk_mma_least_(exact);
    return 1;
}

/* the one call of a kernel; the rows of warps inside are on their way while taps are split */
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
    const int neat = task.image->in_whole && task.image->out_whole, over = (int)((size_t)w.source % 16);
    if (w.inside && neat)
        cmk_bytes_begin_(ring, &w, s, 1);
    else if (w.inside)
        cmk_bytes_begin_(ring, &w, s, 0);
    cmk_bands_write_taps_(taps, s, parts);
    if (tile >= all) return;
    w.is_signed = cmk_bytes_are_signed_(parts);
    if (!cmk_bands_prepare_(&w, s, taps))
        cmk_bytes_go_plainly_(&w, s, taps);
    else if (w.inside && !neat)
        cmk_bands_go_inside_(own, tiles, &w, s, 0, 0, over);
    else if (w.inside && w.exact)
        cmk_bands_go_inside_(own, tiles, &w, s, 1, 1, 0);
    else if (w.inside)
        cmk_bands_go_inside_(own, tiles, &w, s, 1, 0, 0);
    else if (neat)
        cmk_bands_go_anywhere_(tiles, &w, s, 1);
    else
        cmk_bands_go_anywhere_(tiles, &w, s, 0);
}

#endif

#endif
