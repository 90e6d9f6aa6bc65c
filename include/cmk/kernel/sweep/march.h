/* kernel/sweep/march.h: blocks that go down strips of 32 columns a warp, a step of 16 rows at a time. Products of a
 * step start from zero, as tensor cores cut off what they add, and are added by FMAs to the outputs that wait in
 * registers. (PTX ISA, "Matrix Fragments for mma.m16n8k16".) */
#ifndef CMK_KERNEL_SWEEP_MARCH_H
#define CMK_KERNEL_SWEEP_MARCH_H

#include "rows.h"

#if CMK_TENSOR_WARP_HAS_

/* Of each tile of a warp: sums across of a step, of its first 8 rows and the others, and outputs under way, 8 rows
 * each. Thread t has rows 2 (t % 4) and the next, of column 2 (t % 32 / 4) and then of the next. */
typedef struct {
    float across[2][4];
    float sums[cmk_sweep_pending_most_][4];
} cmk_sweep_tile_;

/* three products of halves, added or from zero */
CMK_DEVICE_ void cmk_sweep_multiply_(float *high, float *low, const unsigned *a_high, const unsigned *a_low,
                                     const unsigned *b_high, const unsigned *b_low, int adds)
{
    cmk_mma_warp_add_(low, a_high, b_low, adds);
    cmk_mma_warp_add_(low, a_low, b_high, 1);
    cmk_mma_warp_add_(high, a_high, b_high, adds);
}

/* sums across of rows 8 n and behind of a step */
CMK_DEVICE_ void cmk_sweep_sum_across_(cmk_sweep_tile_ *tiles, const cmk_sweep_work_ *w, cmk_sweep_sizes_ s, int n)
{
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    const char *const rows = w->shared + w->stage * s.stage_bytes + 2 * warp * 1024 + n * 512;
    float high[2][4], low[2][4];
    unsigned pixels[2][4];
    cmk_load_plain_value_(pixels[0], rows + lane * 16, 16);
    CMK_UNROLL
    for (int span = 0; span < s.spans; ++span) {
        const char *const taps = w->shared + s.across + span * 1024 + lane * 16;
        unsigned a[2][4];
        cmk_load_plain_value_(a[0], taps, 16);
        cmk_load_plain_value_(a[1], taps + 512, 16);
        cmk_load_plain_value_(pixels[(span + 1) % 2], rows + (span + 1) * 1024 + lane * 16, 16);
        CMK_UNROLL
        for (int tile = 0; tile < 2; ++tile) {
            const unsigned *const b = pixels[(span + tile) % 2];
            cmk_sweep_multiply_(high[tile], low[tile], a[0], a[1], b, b + 2, span > 0);
        }
    }
    CMK_UNROLL
    for (int tile = 0; tile < 2; ++tile) CMK_UNROLL
    for (int i = 0; i < 4; ++i) tiles[tile].across[n][i] = low[tile][i] * (1.0f / 2048.0f) + high[tile][i];
}

/* stores the outputs that are complete, from row y of the work on */
CMK_DEVICE_ void cmk_sweep_save_(float (*done)[2][4], const cmk_sweep_work_ *w, cmk_sweep_sizes_ s,
                                 cmk_filter_parts_float_ parts, int y)
{
    const cmk_image_ *const image = w->task.image;
    const int size = s.f.out_size;
    cmk_image_chunk_ pairs[8];
    CMK_UNROLL
    for (int i = 0; i < 16; ++i)
        parts.narrow(&pairs[i / 2].bytes[i % 2 * size], &done[i / 2 % 2][i / 8][i % 2 * 2 + i / 4 % 2]);
    if (w->whole && y >= 0 && y + 16 <= w->length) {
        CMK_UNROLL
        for (int i = 0; i < 8; ++i) {
            CMK_TURN_(i);
            cmk_load_store_value_(w->target + ((i / 4 * 8 + i / 2 % 2) * image->out_pitch + i % 2 * 16) * size,
                                  pairs[i].bytes, 2 * size);
        }
    } else if (y > -16) {
        const int thread = cmk_mma_thread_(), row = y + 2 * cmk_fragment_pair_(thread);
        const int column = w->x + thread / 32 * 32 + 2 * cmk_fragment_row_(thread);
        CMK_UNROLL
        for (int i = 0; i < 16; ++i) {
            const int below = i / 8 * 8 + i / 4 % 2, beside = i / 2 % 2 * 16 + i % 2;
            CMK_TURN_(i);
            if (cmk_image_within_(row + below, 0, w->length) && cmk_image_within_(column + beside, 0, image->width))
                cmk_load_store_value_(w->target + (below * image->out_pitch + beside) * size,
                                      &pairs[i / 2].bytes[i % 2 * size], size);
        }
    }
    CMK_TURN_(-1);
}

/* Adds the products of sums across to the outputs that they reach. These move on by two tiles; the first two, from row
 * y of the work on, are complete. */
CMK_DEVICE_ void cmk_sweep_sum_down_(cmk_sweep_tile_ *tiles, const cmk_sweep_work_ *w, cmk_sweep_sizes_ s,
                                     cmk_filter_parts_float_ parts, int y)
{
    const int lane = (int)threadIdx.x % 32, last = s.pending - 2;
    const float back = w->back, back_low = w->back * (1.0f / 2048.0f);
    float done[2][2][4];
    unsigned a[2][2][4];
    CMK_UNROLL
    for (int tile = 0; tile < 2; ++tile) CMK_UNROLL
    for (int i = 0; i < 4; ++i) {
        const float *const sums = &tiles[tile].across[i / 2][i % 2 * 2];
        cmk_halves_split_(&a[tile][0][i], &a[tile][1][i], sums[0] * (1.0f / 32768.0f), sums[1] * (1.0f / 32768.0f));
    }
    CMK_UNROLL
    for (int n = 0; n < s.pending; ++n) {
        unsigned taps[4];
        if (n % 2 == 0) __syncwarp();
        cmk_load_plain_value_(taps, w->shared + s.down + n * 512 + lane * 16, 16);
        CMK_UNROLL
        for (int tile = 0; tile < 2; ++tile) {
            float high[4], low[4];
            cmk_sweep_multiply_(high, low, a[tile][0], a[tile][1], taps, taps + 2, 0);
            CMK_UNROLL
            for (int i = 0; i < 4; ++i) {
                const float sum =
                    low[i] * back_low + (n < last ? high[i] * back + tiles[tile].sums[n][i] : high[i] * back);
                if (n < 2)
                    done[tile][n][i] = sum;
                else
                    tiles[tile].sums[n - 2][i] = sum;
            }
        }
        if (n == 1) cmk_sweep_save_(done, w, s, parts, y);
    }
}

/* Adds the products of `count` taps across and a window, of which 20 elements of a step as it is are loaded: those of a
 * row, from a block of 16 columns on. */
CMK_DEVICE_ void cmk_sweep_add_taps_(float *sums, float *window, const char *from, const float *taps,
                                     cmk_sweep_sizes_ s, int row, int count)
{
    const int lead = s.lead - s.f.row, ahead = lead > 1 ? 20 : 16;
    CMK_UNROLL
    for (int c = 0; c < count; c += 4) {
        const int next = c + ahead;
        float four[4];
        if (next < lead + count + 15)
            cmk_load_plain_value_(&window[next], from + next / 16 * 1024 + cmk_sweep_place_(row, next / 4), 16);
        cmk_load_plain_value_(four, &taps[c], 16);
        CMK_UNROLL
        for (int i = 0; i < 64; ++i)
            if (c + i / 16 < count) sums[i % 16] += four[i / 16] * window[lead + c + i / 16 + i % 16];
    }
}

/* Sums across by FMAs, of a step as it is. A thread has 16 of one row, which by way of the other stage, which has no
 * step then, go to the threads that have sums of products. */
CMK_DEVICE_ void cmk_sweep_sum_across_plainly_(cmk_sweep_tile_ *tiles, const cmk_sweep_work_ *w, cmk_sweep_sizes_ s)
{
    const int thread = cmk_mma_thread_(), row = thread % 16, each = cmk_sweep_window_most_ - 20;
    const char *from = w->shared + w->stage * s.stage_bytes + thread / 16 * 1024;
    char *const to = w->shared + (w->stage ^ 1) * s.stage_bytes + thread / 32 * 2048;
    const float *taps = cmk_sweep_taps_(w, s, 1);
    float sums[16] = {0.0f}, window[cmk_sweep_window_most_];
    CMK_UNROLL
    for (int i = 0; i < 20; i += 4)
        cmk_load_plain_value_(&window[i], from + i / 16 * 1024 + cmk_sweep_place_(row, i / 4), 16);
    CMK_NO_UNROLL
    for (int c = 0; c < s.f.columns / each; ++c, from += each * 64, taps += each) {
        cmk_sweep_add_taps_(sums, window, from, taps, s, row, each);
        CMK_UNROLL
        for (int i = 0; i < 20; ++i) window[i] = window[each + i];
    }
    cmk_sweep_add_taps_(sums, window, from, taps, s, row, s.f.columns % each);
    CMK_UNROLL
    for (int i = 0; i < 8; ++i)
        cmk_load_store_value_(to + row * 128 + (i ^ row % 8) * 16 + thread / 16 % 2 * 8, &sums[2 * i], 8);
    __syncwarp();
    CMK_UNROLL
    for (int i = 0; i < 4; ++i) {
        const int at = i / 2 * 8 + 2 * cmk_fragment_pair_(thread) + i % 2;
        float four[4];
        cmk_load_plain_value_(four, to + at * 128 + (cmk_fragment_row_(thread) ^ at % 8) * 16, 16);
        CMK_UNROLL
        for (int n = 0; n < 4; ++n) tiles[n / 2].across[i / 2][n % 2 * 2 + i % 2] = four[n];
    }
}

/* Adds sums across times taps down by FMAs: of each 8 rows of a step the next two, which begin `behind` rows behind the
 * first of this thread's outputs. */
CMK_DEVICE_ void cmk_sweep_add_rows_(cmk_sweep_tile_ *tiles, float (*x)[2][4], const char *from, cmk_sweep_sizes_ s,
                                     int behind)
{
    const int count = s.pending - 1;
    CMK_UNROLL
    for (int i = -1; i < 2; ++i) { /* how far one of the rows lies behind one of the outputs beside it */
        float taps[cmk_sweep_pending_most_ + 2];
        CMK_UNROLL
        for (int n = 0; n < count; n += 4)
            cmk_load_plain_value_(&taps[n], from + (i + 7) * cmk_sweep_plain_bytes_(s.pending) + n * 4, 16);
        CMK_UNROLL
        for (int n = 0; n < count; ++n) {
            const int at = 2 * s.f.row - 8 * n, all = at >= 7 && at + 7 < s.f.rows;
            if (at + 7 < 0 || (!all && !cmk_image_within_(at + behind + i, 0, s.f.rows))) continue;
            CMK_UNROLL
            for (int k = 0; k < 16; ++k) {
                const int half = k / 8, row = k / 4 % 2, e = k % 4, beside = row - i;
                if (beside >= 0 && beside < 2)
                    tiles[e / 2].sums[half + n][e % 2 * 2 + beside] += taps[n] * x[half][row][e];
            }
        }
    }
}

/* A step by FMAs, or where its sums across are too far from one another those down. One loop has rows of both halves:
 * with two, ptxas spills registers of the other way. */
CMK_DEVICE_ void cmk_sweep_add_plainly_(cmk_sweep_tile_ *tiles, const cmk_sweep_work_ *w, cmk_sweep_sizes_ s,
                                        cmk_filter_parts_float_ parts, int y)
{
    const int last = s.pending - 2, lane = cmk_mma_thread_() % 32;
    const char *const taps = w->shared + s.taps + 8 * cmk_image_up_(s.f.rows, 4);
    float done[2][2][4];
    if (w->plain) {
        cmk_sweep_sum_across_plainly_(tiles, w, s);
    } else {
        CMK_UNROLL
        for (int i = 0; i < 16; ++i) tiles[i / 8].across[i / 4 % 2][i % 4] *= w->back_across;
    }
    CMK_UNROLL
    for (int i = 0; i < 16; ++i) tiles[i % 2].sums[last + i / 8][i / 2 % 4] = 0.0f;
    CMK_NO_UNROLL
    for (int pair = 0; pair < 4; ++pair) {
        const int behind = 2 * (pair - cmk_fragment_pair_(lane));
        float x[2][2][4];
        CMK_UNROLL
        for (int i = 0; i < 16; ++i)
            x[i / 8][i / 4 % 2][i % 4] = __shfl_sync(0xffffffffu, tiles[i / 2 % 2].across[i / 8][i % 2 * 2 + i / 4 % 2],
                                                     cmk_fragment_row_(lane) * 4 + pair);
        cmk_sweep_add_rows_(tiles, x, taps + behind * cmk_sweep_plain_bytes_(s.pending), s, behind);
    }
    CMK_UNROLL
    for (int i = 0; i < 16; ++i) done[i % 2][i / 8][i / 2 % 4] = tiles[i % 2].sums[i / 8][i / 2 % 4];
    cmk_sweep_save_(done, w, s, parts, y);
    CMK_UNROLL
    for (int i = 0; i < 8 * last; ++i) tiles[i % 2].sums[i / 8][i / 2 % 4] = tiles[i % 2].sums[i / 8 + 2][i / 2 % 4];
}

/* whether sums across are too far from one another, among all of a warp */
CMK_DEVICE_ int cmk_sweep_wide_(const cmk_sweep_tile_ *tiles)
{
    cmk_halves_range_ range = cmk_halves_no_range_();
    CMK_UNROLL
    for (int i = 0; i < 16; ++i) cmk_halves_note_(&range, tiles[i / 8].across[i / 4 % 2][i % 4]);
    return __any_sync(0xffffffffu, range.least < (126u << 24) - 1); /* 2^-16, when they are divided by 2^15 */
}

/* A step that is in its stage, and the outputs from row y of the work on that are complete with it. Meanwhile the next
 * is converted; whether halves say enough of that. */
CMK_DEVICE_ int cmk_sweep_add_(cmk_sweep_tile_ *tiles, cmk_sweep_work_ *w, cmk_sweep_sizes_ s,
                               cmk_filter_parts_float_ parts, int y)
{
    int enough, plainly = w->plain;
    CMK_OPERATIONS_(2 * (s.f.rows + s.f.columns) * 16);
    CMK_FILL_ARRIVED(ASYNC, s.ahead - 1);
    if (plainly) {
        enough = 0;
    } else {
        cmk_sweep_sum_across_(tiles, w, s, 0);
        enough = cmk_sweep_convert_(w, s, parts, 1);
        cmk_sweep_sum_across_(tiles, w, s, 1);
        plainly = cmk_sweep_wide_(tiles);
    }
    if (plainly)
        cmk_sweep_add_plainly_(tiles, w, s, parts, y);
    else
        cmk_sweep_sum_down_(tiles, w, s, parts, y);
    w->target += 16 * w->task.image->out_pitch * s.f.out_size;
    return enough;
}

/* Rows of a strip that a block's share of the work is, from `at` to end, in quarters of a row, as which more count at
 * the left and the right. Returns where the share goes on. */
CMK_DEVICE_ cmk_i64 cmk_sweep_share_(cmk_sweep_work_ *w, cmk_sweep_sizes_ s, const cmk_image_region_ *region,
                                     cmk_i64 at, cmk_i64 end, cmk_i64 *z)
{
    const int last = region->strips - 1;
    const cmk_i64 rows = region->image.rows, each = cmk_sweep_units_(region->strips, s.f.zeros) * rows;
    const cmk_i64 edge = cmk_sweep_rate_(1, s.f.zeros) * rows, inner = 4 * rows;
    *z = at / each;
    const cmk_i64 left = at - *z * each, before = left < edge ? 0 : (left - edge) / inner;
    const int strip = left < edge ? 0 : before < last - 1 ? (int)before + 1 : last;
    const cmk_i64 begin = strip > 0 ? edge + (strip - 1) * inner : 0, until = end - *z * each - begin;
    const cmk_i64 rate = cmk_sweep_rate_(strip == 0 || strip == last, s.f.zeros);
    w->x = strip * s.strip;
    w->y = (int)((left - begin + rate - 1) / rate);
    w->length = (int)(until < rate * rows ? (until + rate - 1) / rate : rows) - w->y;
    return until < rate * rows ? end : at - left + begin + rate * rows;
}

/* the rows of a strip of an image that are a block's next; where its share goes on */
CMK_DEVICE_ cmk_i64 cmk_sweep_find_(cmk_sweep_work_ *w, cmk_image_task_ task, cmk_sweep_sizes_ s,
                                    const cmk_image_region_ *region, cmk_i64 at, cmk_i64 end)
{
    const cmk_image_ *const image = task.image;
    const int thread = (int)threadIdx.x, column = thread / 32 * 32 + 2 * cmk_fragment_row_(thread);
    cmk_i64 z;
    const cmk_i64 next = cmk_sweep_share_(w, s, region, at, end, &z);
    w->task = task;
    w->task.in += z * image->in_step * s.f.in_size;
    w->task.out += z * image->out_step * s.f.out_size;
    w->x -= image->head;
    w->row = w->y - s.f.row;
    const cmk_i64 first = (w->row + cmk_sweep_row_()) * image->in_pitch + w->x - s.lead + cmk_sweep_column_();
    w->source = w->task.in + first * s.f.in_size;
    w->target =
        w->task.out +
        ((w->y - 2 * s.f.row + 2 * cmk_fragment_pair_(thread)) * image->out_pitch + w->x + column) * s.f.out_size;
    w->inside = image->in_whole && w->x - s.lead >= image->left && w->x - s.lead + 16 * s.all <= image->right;
    w->whole = image->out_whole && w->x >= 0 && w->x + s.strip <= image->width;
    return next;
}

/* the rows that were found */
CMK_DEVICE_ void cmk_sweep_go_down_(cmk_sweep_tile_ *tiles, cmk_sweep_work_ *w, cmk_sweep_sizes_ s,
                                    cmk_filter_parts_float_ parts)
{
    const int begin = -2 * s.f.row;
    CMK_UNROLL
    for (int i = 0; i < 8 * (s.pending - 2); ++i) tiles[i % 2].sums[i / 8][i / 2 % 4] = 0.0f;
    CMK_UNROLL
    for (int n = 0; n < s.ahead; ++n) cmk_sweep_copy_(w, s, 1);
    CMK_FILL_ARRIVED(ASYNC, s.ahead - 1);
    __syncthreads(); /* sums across by FMAs of the rows before may still be on their way through the stage */
    int enough = cmk_sweep_convert_(w, s, parts, 1);
    CMK_NO_UNROLL
    for (int y = begin; y < w->length; y += 16) {
        cmk_sweep_meet_(w, s, parts, enough);
        cmk_sweep_copy_(w, s, y + 16 * s.ahead < w->length);
        enough = cmk_sweep_add_(tiles, w, s, parts, y);
    }
}

/* a block at work on all strips */
CMK_DEVICE_ void cmk_sweep_convolve_(cmk_image_task_ task, const cmk_image_region_ *region, cmk_sweep_sizes_ s,
                                     cmk_filter_parts_float_ parts)
{
    __shared__ cmk_sweep_notes_ notes;
    CMK_TILE_DYNAMIC(char, shared);
    cmk_sweep_tile_ tiles[2];
    cmk_sweep_work_ w;
    w.shared = shared;
    w.notes = &notes;
    w.stage = w.slot = w.plain = 0;
    w.up = 1.0f;
    w.most = w.least = 0;
    w.back = w.back_across = 0.0f;
    cmk_sweep_write_taps_(&w, s, parts);
    const cmk_i64 end = region->rows * (blockIdx.x + 1) / gridDim.x;
    CMK_NO_UNROLL
    for (cmk_i64 at = region->rows * blockIdx.x / gridDim.x; at < end;) {
        at = cmk_sweep_find_(&w, task, s, region, at, end);
        if (w.length > 0) cmk_sweep_go_down_(tiles, &w, s, parts);
    }
}

#endif

#endif
