/* kernel/sweep/taps.h: a block at work in the sweep, and its taps in shared memory.
 *
 * cmk_sweep_convolve_ (march.h) calls cmk_sweep_write_taps_ once, at the start of a kernel, and that calls all other
 * functions. The fallback by FMAs calls cmk_sweep_taps_ too. The shared memory of a block has, from s.across on, the
 * taps across as halves, and from s.down on those down. From s.taps on it has the floats down, the floats across, and
 * 15 rows for FMAs down. In all functions here:
 *
 *   s                     cmk_sweep_sizes_ (sizes.h), known at compile time. s.f is the cmk_filter_ of rows/filter.h:
 *                         s.f.row is the radius, and s.f.rows = s.f.columns = 2 radius + 1 the number of taps
 *   s.lead                columns that are copied before a block's first output: the radius, rounded up to 4
 *   s.spans, s.pending    blocks of 16 columns that 16 outputs need; tiles of 8 rows of outputs that a step reaches
 *   s.threads             threads of a block, 32 of each of cmk_sweep_warps_ = 6 warps (tune.h)
 *   w                     the block at work; only w->shared, its dynamic shared memory, and w->notes are used here
 *   tap n                 0 to 2 radius, from the left or from above; 0 stands for a tap beyond them
 *   cmk_image_up_(n, 4)   n rounded up to a multiple of 4: the floats of each table begin at a multiple of 16 bytes, as
 *                         s.across, s.down and s.taps are (sizes.h), and zeros fill up its last four
 *   cmk_halves_split_     makes two pairs of halves, of the high and of the low parts of two numbers; cmk_halves_note_
 *                         adds a number to a range (mma/halves.h)
 *   range.most, least     bits of a float without the sign, doubled, so that the exponent is in bits 24 to 31; least is
 *                         less by 1, and zeros do not count
 *   cmk_mma_bits_         the bits of a float, and cmk_mma_float_ the float of bits; n << 23 are those of 2^(n - 127)
 *   cmk_fragment_row_(t)  t % 32 / 4; cmk_fragment_pair_(t) is t % 4. cmk_image_within_: whether low <= n < high
 *   cmk_halves_exponent_least_   64, of 2^-63; cmk_halves_no_range_: an empty range (mma/halves.h)
 *   cmk_sweep_..._bytes_  of sizes.h: of a block of taps across, 1024; of a matrix of taps down, 512, or half a block;
 *                         of a row of taps for FMAs down, cmk_sweep_plain_bytes_
 *   cmk_load_store_value_ stores n aligned bytes as one word. CMK_LOAD and CMK_STORE move a float of shared memory
 *   CMK_TENSOR_WARP_HAS_  whether the code that is compiled has mma.sync, from sm_80 on (mma/code.h)
 *   CMK_UNROLL            unrolls the next loop, CMK_NO_UNROLL does not. CMK_DEVICE_: inlined in its kernel */
#ifndef CMK_KERNEL_SWEEP_TAPS_H
#define CMK_KERNEL_SWEEP_TAPS_H

#include "../../tile.h"
#include "../mma/fragment.h"
#include "../mma/halves.h"
#include "../rows/copy.h"
#include "sizes.h"

/* What the threads of a block tell one another in shared memory: the largest and the least element of each warp in a
 * step, as cmk_halves_range_ of mma/halves.h has them, and the inverse scales of taps. Those for sums down include the
 * factor 2^15 by which sums across are divided. Each warp writes one element of the arrays. */
typedef struct {
    unsigned most[cmk_sweep_warps_], least[cmk_sweep_warps_];
    float inverse, inverse_across; /* inverse scales of taps, for sums down and across; 0 where taps are not in range */
} cmk_sweep_notes_;

#if CMK_TENSOR_WARP_HAS_

/* A block at work, on outputs of `length` rows from row y, column x on. Each thread has its own copy. Rows and columns
 * are counted from the region's first; a step is 16 rows. */
typedef struct {
    cmk_image_task_ task; /* the pointers of the kernel (rows/image.h), moved to the image at work */
    cmk_sweep_notes_ *notes;
    int x, y, length;
    int row;            /* the first row of the step to copy next */
    int inside, whole;  /* whether all columns that the block reads are in the image, in whole chunks; whether all that
                           it writes are in the region, in whole pairs */
    int stage, slot;    /* the stage of the step that is multiplied; the slot of the step that is converted next */
    const char *source; /* this thread's first element of the step to copy next */
    char *target;       /* this thread's first output of the rows that are complete next */
    int plain;          /* whether the step that is multiplied goes by FMAs, from elements as they are */
    float scale;        /* the scale of elements */
    unsigned most, least; /* the range of this scale, as cmk_halves_range_ has it: below most, and from least on */
    float inverse, inverse_across; /* inverse scales, for sums down and for sums across */
    char *shared;
} cmk_sweep_work_;

/* Returns the taps as floats, in shared memory: those across where `across` is 1, those down where it is 0. */
CMK_DEVICE_ const float *cmk_sweep_taps_(const cmk_sweep_work_ *w, cmk_sweep_sizes_ s, int across)
{
    return (const float *)(const void *)(w->shared + s.taps) + across * cmk_image_up_(s.f.rows, 4);
}

/* Returns the power of two by which taps are multiplied, so that the sum of their magnitudes is 2^14 to 2^15. *inverse
 * is its inverse, or 0 where taps are not in range. A tap of 2^-28 of the sum becomes the least normal half, 2^-14; a
 * smaller one is off by 2^-36 whatever it is. With another power of two the error would be above its bound at radius 25
 * (record: bench/results/history/2026-11-25-h100-separable.md). `count` taps are in shared memory; every thread
 * computes the same. In range are sums of 2^-63 to below 2^64, so that scale and inverse are normal floats, and tables
 * of zeros. No tap but 0 may be below 2^-28 of the power of two of the sum; others go by FMAs. Exponents have a bias of
 * 127: 190 is that of 2^63, and 268 is 2 x 127 + 14. */
CMK_DEVICE_ float cmk_sweep_scale_taps_(const float *taps, int count, float *inverse)
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
    *inverse = 0.0f;
    if (exponent < cmk_halves_exponent_least_ || exponent > 190 || range.least < ((exponent - 28) << 24) - 1)
        return 1.0f;
    *inverse = cmk_mma_float_((exponent - 14) << 23);
    return cmk_mma_float_((268 - exponent) << 23);
}

/* Returns tap n, or 0 where there is none: n may be negative, or beyond the last. */
CMK_DEVICE_ float cmk_sweep_tap_(const float *taps, cmk_sweep_sizes_ s, int n)
{
    return cmk_image_within_(n, 0, s.f.rows) ? CMK_LOAD(&taps[n]) : 0.0f;
}

/* Writes the taps across of lane n % 32, times `scale`, as halves in the order of its registers: four registers of high
 * halves and four of low ones, for block n / 32 of 16 columns. They are operand A, of 16 outputs by 16 columns. A
 * thread calls it for itself. */
CMK_DEVICE_ void cmk_sweep_write_across_(const cmk_sweep_work_ *w, cmk_sweep_sizes_ s, int n, float scale)
{
    const float *const taps = cmk_sweep_taps_(w, s, 1);
    const int lane = n % 32, span = n / 32;
    unsigned words[8];
    CMK_UNROLL
    for (int i = 0; i < 4; ++i) {
        const int output = 2 * cmk_fragment_row_(lane) + i % 2,
                  column = 16 * span + 4 * cmk_fragment_pair_(lane) + i / 2 * 2;
        const int at = column - s.lead - output + s.f.row;
        cmk_halves_split_(&words[i], &words[4 + i], cmk_sweep_tap_(taps, s, at) * scale,
                          cmk_sweep_tap_(taps, s, at + 1) * scale);
    }
    CMK_UNROLL
    for (int i = 0; i < 2; ++i)
        cmk_load_store_value_(w->shared + s.across + span * cmk_sweep_block_bytes_ + i * cmk_sweep_matrix_bytes_ +
                                  lane * 16,
                              &words[4 * i], 16);
}

/* Writes the taps down of lane n % 32 in the same way: two registers of high halves and two of low ones, for tile n /
 * 32 of 8 rows of outputs. They are operand B, of 16 rows of a step by those 8. A thread calls it for itself. */
CMK_DEVICE_ void cmk_sweep_write_down_(const cmk_sweep_work_ *w, cmk_sweep_sizes_ s, int n, float scale)
{
    const float *const taps = cmk_sweep_taps_(w, s, 0);
    const int lane = n % 32, tile = n / 32;
    unsigned words[4];
    CMK_UNROLL
    for (int i = 0; i < 2; ++i) {
        const int row = 2 * cmk_fragment_pair_(lane) + 8 * i,
                  at = row + 2 * s.f.row - 8 * tile - cmk_fragment_row_(lane);
        cmk_halves_split_(&words[i], &words[2 + i], cmk_sweep_tap_(taps, s, at) * scale,
                          cmk_sweep_tap_(taps, s, at + 1) * scale);
    }
    cmk_load_store_value_(w->shared + s.down + n * 16, words, 16);
}

/* Writes row n, 0 to 14, of the taps for FMAs down: for each tile that a step reaches, the tap of a row of elements and
 * an output. The row lies n - 7 rows further in its half of the step than the output in its tile, which is -7 to 7:
 * hence 15 rows. A thread of the first 15 calls it for itself. */
CMK_DEVICE_ void cmk_sweep_write_plain_(const cmk_sweep_work_ *w, cmk_sweep_sizes_ s, int n)
{
    const float *const taps = cmk_sweep_taps_(w, s, 0);
    const int count = cmk_sweep_plain_bytes_(s.pending) / 4;
    float *const row = (float *)(void *)(w->shared + s.taps) + 2 * cmk_image_up_(s.f.rows, 4) + n * count;
    CMK_NO_UNROLL
    for (int tile = 0; tile < count; ++tile)
        CMK_STORE(&row[tile], cmk_sweep_tap_(taps, s, n - 7 + 2 * s.f.row - 8 * tile));
}

/* Writes the taps of a block into shared memory: as floats, as halves, and for FMAs down. All threads of the block
 * call, as it has barriers. parts.tap gives tap i of table 1, down, or 2, across (rows/filter.h). 32 values of n make a
 * block of taps across, or a tile of those down. Down comes the inverse of both scales, times the 2^15 = 32768 by which
 * sums across are divided. The last barrier shows all of it to the block. */
CMK_DEVICE_ void cmk_sweep_write_taps_(cmk_sweep_work_ *w, cmk_sweep_sizes_ s, cmk_filter_parts_float_ parts)
{
    float *const taps = (float *)(void *)(w->shared + s.taps);
    const int each = cmk_image_up_(s.f.rows, 4);
    float inverse_down, inverse_across;
    for (int n = (int)threadIdx.x; n < 2 * each; n += s.threads)
        CMK_STORE(&taps[n], n % each < s.f.rows ? parts.tap(parts.tables, n < each ? 1 : 2, n % each) : 0.0f);
    __syncthreads();
    const float scale_down = cmk_sweep_scale_taps_(taps, s.f.rows, &inverse_down);
    const float scale_across = cmk_sweep_scale_taps_(cmk_sweep_taps_(w, s, 1), s.f.rows, &inverse_across);
    if (threadIdx.x == 0) {
        CMK_STORE(&w->notes->inverse_across, inverse_across);
        CMK_STORE(&w->notes->inverse, inverse_down * inverse_across * 32768.0f);
    }
    for (int n = (int)threadIdx.x; n < 32 * s.spans; n += s.threads) cmk_sweep_write_across_(w, s, n, scale_across);
    for (int n = (int)threadIdx.x; n < 32 * s.pending; n += s.threads) cmk_sweep_write_down_(w, s, n, scale_down);
    if (threadIdx.x < 15) cmk_sweep_write_plain_(w, s, (int)threadIdx.x);
    __syncthreads();
}

#endif

#endif
