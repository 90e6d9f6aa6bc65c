/* kernel/sweep/taps.h: a block at work, and its taps. */
#ifndef CMK_KERNEL_SWEEP_TAPS_H
#define CMK_KERNEL_SWEEP_TAPS_H

#include "../../tile.h"
#include "../mma/fragment.h"
#include "../mma/halves.h"
#include "../rows/copy.h"
#include "sizes.h"

/* what the threads of a block tell one another: of each warp the largest and the least of a step; and of taps */
typedef struct {
    unsigned most[cmk_sweep_warps_], least[cmk_sweep_warps_];
    float back, back_across; /* what makes sums of products sums down, and sums across, but for the elements' part; 0
                                where halves do not say enough of taps */
} cmk_sweep_notes_;

#if CMK_TENSOR_WARP_HAS_

/* a block at work: on outputs of `length` rows from row y, column x on */
typedef struct {
    cmk_image_task_ task;
    cmk_sweep_notes_ *notes;
    int x, y, length;
    int row;                 /* the first of the step to copy next */
    int inside, whole;       /* whether all columns that it reads are in the image, in whole chunks; all that it writes
                                in the region, in whole pairs */
    int stage, slot;         /* of the step that is multiplied, and that is converted next */
    const char *source;      /* this thread's first element of the step to copy next */
    char *target;            /* its first output of the rows that are complete next */
    int plain;               /* whether that goes by FMAs, as it is */
    float up;                /* by what elements are multiplied, */
    unsigned most, least;    /* which is right below the most, from the least on, as a range has them */
    float back, back_across; /* what makes sums of products sums down, and sums across */
    char *shared;
} cmk_sweep_work_;

CMK_DEVICE_ const float *cmk_sweep_taps_(const cmk_sweep_work_ *w, cmk_sweep_sizes_ s, int across)
{
    return (const float *)(const void *)(w->shared + s.taps) + across * cmk_image_up_(s.f.rows, 4);
}

/* The power of two by which taps are multiplied, so that the sum of their magnitudes is 2^14 to 2^15; *back: what makes
 * up for it, 0 where halves do not say enough of them. Of 2^-28 of the sum a tap is the least normal half, 2^-14, below
 * which it is off by 2^-36 whatever it is. Another power of two would be too much for the bound at radius 25 (record:
 * bench/results/history/2026-11-25-h100-separable.md). */
CMK_DEVICE_ float cmk_sweep_scale_taps_(const float *taps, int count, float *back)
{
    cmk_halves_range_ range = cmk_halves_no_range_();
    float sum = 0.0f;
    CMK_NO_UNROLL
    for (int n = 0; n < count; ++n) {
        const float tap = CMK_LOAD(&taps[n]);
        sum += cmk_mma_float_(cmk_mma_bits_(tap) & 0x7fffffffu);
        cmk_halves_note_(&range, tap);
    }
    const unsigned exponent = range.most == 0 ? 127u : cmk_mma_bits_(sum) >> 23;
    *back = 0.0f;
    if (exponent < 64 || exponent > 190 || range.least < ((exponent - 28) << 24) - 1) return 1.0f;
    *back = cmk_mma_float_((exponent - 14) << 23);
    return cmk_mma_float_((268 - exponent) << 23);
}

CMK_DEVICE_ float cmk_sweep_tap_(const float *taps, cmk_sweep_sizes_ s, int n)
{
    return cmk_image_within_(n, 0, s.f.rows) ? CMK_LOAD(&taps[n]) : 0.0f;
}

/* The taps of lane n % 32: across, four registers high and four low, for block n / 32 of 16 columns; down, two high and
 * two low, for tile n / 32 */
CMK_DEVICE_ void cmk_sweep_write_across_(const cmk_sweep_work_ *w, cmk_sweep_sizes_ s, int n, float up)
{
    const float *const taps = cmk_sweep_taps_(w, s, 1);
    const int lane = n % 32, span = n / 32;
    unsigned words[8];
    CMK_UNROLL
    for (int i = 0; i < 4; ++i) {
        const int output = 2 * cmk_fragment_row_(lane) + i % 2,
                  column = 16 * span + 4 * cmk_fragment_pair_(lane) + i / 2 * 2;
        const int at = column - s.lead - output + s.f.row;
        cmk_halves_split_(&words[i], &words[4 + i], cmk_sweep_tap_(taps, s, at) * up,
                          cmk_sweep_tap_(taps, s, at + 1) * up);
    }
    CMK_UNROLL
    for (int i = 0; i < 2; ++i)
        cmk_load_store_value_(w->shared + s.across + span * 1024 + i * 512 + lane * 16, &words[4 * i], 16);
}
CMK_DEVICE_ void cmk_sweep_write_down_(const cmk_sweep_work_ *w, cmk_sweep_sizes_ s, int n, float up)
{
    const float *const taps = cmk_sweep_taps_(w, s, 0);
    const int lane = n % 32, tile = n / 32;
    unsigned words[4];
    CMK_UNROLL
    for (int i = 0; i < 2; ++i) {
        const int row = 2 * cmk_fragment_pair_(lane) + 8 * i,
                  at = row + 2 * s.f.row - 8 * tile - cmk_fragment_row_(lane);
        cmk_halves_split_(&words[i], &words[2 + i], cmk_sweep_tap_(taps, s, at) * up,
                          cmk_sweep_tap_(taps, s, at + 1) * up);
    }
    cmk_load_store_value_(w->shared + s.down + n * 16, words, 16);
}

/* Taps for FMAs down, of a row of pixels and outputs of each tile that a step reaches, where the row lies n - 7 rows
 * further in its half of the step than an output in its tile. */
CMK_DEVICE_ void cmk_sweep_write_plain_(const cmk_sweep_work_ *w, cmk_sweep_sizes_ s, int n)
{
    const float *const taps = cmk_sweep_taps_(w, s, 0);
    const int count = cmk_sweep_plain_bytes_(s.pending) / 4;
    float *const row = (float *)(void *)(w->shared + s.taps) + 2 * cmk_image_up_(s.f.rows, 4) + n * count;
    CMK_NO_UNROLL
    for (int tile = 0; tile < count; ++tile)
        CMK_STORE(&row[tile], cmk_sweep_tap_(taps, s, n - 7 + 2 * s.f.row - 8 * tile));
}

/* the taps of a block; all its threads call */
CMK_DEVICE_ void cmk_sweep_write_taps_(cmk_sweep_work_ *w, cmk_sweep_sizes_ s, cmk_filter_parts_float_ parts)
{
    float *const taps = (float *)(void *)(w->shared + s.taps);
    const int each = cmk_image_up_(s.f.rows, 4);
    float back_down, back_across;
    for (int n = (int)threadIdx.x; n < 2 * each; n += s.threads)
        CMK_STORE(&taps[n], n % each < s.f.rows ? parts.tap(parts.tables, n < each ? 1 : 2, n % each) : 0.0f);
    __syncthreads();
    const float up_down = cmk_sweep_scale_taps_(taps, s.f.rows, &back_down);
    const float up_across = cmk_sweep_scale_taps_(cmk_sweep_taps_(w, s, 1), s.f.rows, &back_across);
    if (threadIdx.x == 0) {
        CMK_STORE(&w->notes->back_across, back_across);
        CMK_STORE(&w->notes->back, back_down * back_across * 32768.0f);
    }
    for (int n = (int)threadIdx.x; n < 32 * s.spans; n += s.threads) cmk_sweep_write_across_(w, s, n, up_across);
    for (int n = (int)threadIdx.x; n < 32 * s.pending; n += s.threads) cmk_sweep_write_down_(w, s, n, up_down);
    if (threadIdx.x < 15) cmk_sweep_write_plain_(w, s, (int)threadIdx.x);
    __syncthreads();
}

#endif

#endif
