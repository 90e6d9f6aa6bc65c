/* kernel/sweep/march.h: separable filters of floats of a large radius. Blocks go down strips, of which each warp has 32
 * columns, a step of 16 rows at a time. A block's work of `length` rows from row w.y, column w.x on equals this. Here
 * in(y, x) is an element or what the edge puts in its place; across(c) and down(r) are taps times a power of two, and
 * down(r) is 0 beyond the filter. H(v) is v rounded to a half, and L(v) is (v - H(v)) * 2048 rounded to a half. Of
 * each step, w.up is the power of two w->scale, and w.back is w->inverse, which undoes it, those of the taps, and the
 * division by 32768:
 *
 *   for (int y = 0; y < w.length; ++y)
 *       for (int x = 0; x < s.strip; ++x) {
 *           float sum = 0.0f;
 *           for (int step = y / 16; step <= (y + 2 * f.row) / 16; ++step) {
 *               float high = 0.0f, low = 0.0f;
 *               for (int r = 16 * step - y; r < 16 * step - y + 16; ++r) {
 *                   float a = 0.0f, b = 0.0f;
 *                   for (int c = 0; c < f.columns; ++c) {
 *                       const float p = w.up * in(w.y + y - f.row + r, w.x + x - f.column + c);
 *                       a += H(across(c)) * H(p);
 *                       b += H(across(c)) * L(p) + L(across(c)) * H(p);
 *                   }
 *                   const float v = (b / 2048 + a) / 32768;
 *                   high += H(v) * H(down(r));
 *                   low += H(v) * L(down(r)) + L(v) * H(down(r));
 *               }
 *               sum = low * (w.back / 2048) + (high * w.back + sum);
 *           }
 *           out(w.y + y, w.x + x) = sum;
 *       }
 *
 * An mma.sync adds 16 products at once. The products of a step start from zero, as tensor cores cut off what they add;
 * FMAs add them to outputs under way, which are those that the following steps still add to. Thread t has these, where
 * g = t % 32 / 4 and p = t % 4, i, d and e are 0 or 1, columns are those of the warp, and row y is the first that is
 * complete next (PTX ISA, "Matrix Fragments for mma.m16n8k16"):
 *
 *   tiles[i].across[n][2 d + e]   the sum across of row 8 n + 2 p + e of the step, column 16 i + 2 g + d
 *   tiles[i].sums[n][2 d + e]     the output under way of row y + 8 n + 2 p + e, column 16 i + 2 g + d
 *
 *   cmk_sweep_convolve_           cmk_sweep_write_taps_, then cmk_sweep_find_ and cmk_sweep_go_down_ for each strip
 *   cmk_sweep_go_down_            of each step: cmk_sweep_meet_, cmk_sweep_copy_, cmk_sweep_add_
 *   cmk_sweep_add_                cmk_sweep_sum_across_, cmk_sweep_convert_, cmk_sweep_sum_down_, cmk_sweep_save_
 *   cmk_sweep_add_by_fmas_        the fallback by FMAs, of a step that is not in range
 *
 * In all functions here, which all threads of a block call unless a comment says otherwise:
 *
 *   s                           cmk_sweep_sizes_ (sizes.h), known at compile time. s.f is the cmk_filter_ of
 *                               rows/filter.h: s.f.row is the radius, s.f.rows = s.f.columns = 2 radius + 1, and
 *                               s.f.in_size and s.f.out_size are bytes of an element
 *   s.lead, s.spans             the radius rounded up to 4; blocks of 16 columns of the image that 16 outputs need
 *   s.pending                   tiles of 8 rows of outputs that a step reaches, an even number
 *   s.ahead, s.all, s.strip     steps that are copied ahead, 2; blocks of 16 columns of a step; columns of a strip, 32
 *                               of each of 6 warps. s.stage_bytes: bytes of a stage, s.all blocks
 *   s.across, s.down, s.taps    bytes of shared memory before the taps across and down as halves, and as floats
 *                               (taps.h)
 *   w                           cmk_sweep_work_ (taps.h), the state of the block, of which each thread has a copy
 *   w->stage, w->plain          which stage, 0 or 1, has the step that is multiplied; whether that goes by FMAs, as
 *                               floats
 *   w->length                   the rows to compute; row y of the work is row w->y + y of the region. w->x, w->row: the
 *                               column of its first output; the first row of the step to copy next
 *   w->shared, w->notes         the dynamic shared memory, and what threads tell one another in shared memory (taps.h)
 *   w->task                     cmk_image_task_ (rows/image.h): pointers of the kernel to the region's first element
 *   parts                       functions of the definition, inlined (rows/filter.h): parts.narrow converts a sum to an
 *                               output
 *   image                       cmk_image_ (rows/image.h). width and rows are the region's; columns left to right - 1
 *                               are the image's. Pitches and in_step, out_step (from image to image) count elements.
 *                               in_whole, out_whole: fours of in and pairs of out are aligned
 *   region                      cmk_image_region_ (rows/image.h): strips of an image, and rows of all of them
 *   tiles                       both tiles of 16 columns of the warp, as far as this thread has them, in registers
 *   y                           the row of the work of sums[0]; it is below 0 at first, and rows below 0 are not stored
 *   cmk_sweep_row_bytes_        64, a row of 16 floats; cmk_sweep_matrix_bytes_ is 512, and cmk_sweep_block_bytes_ 1024
 *                               (sizes.h). All parts of shared memory begin at multiples of 16 bytes, and these and
 *                               lane * 16 keep that, so that loads of 16 bytes from it are aligned
 *   cmk_load_plain_value_       loads n aligned bytes from any memory, as one word; cmk_load_store_value_ stores them
 *                               (load.h). n is the last argument, a power of two up to 16
 *   cmk_mma_warp_add_           D = A B, with `adds` D + A B (mma/warp.h); cmk_halves_split_ makes two pairs of halves
 *   cmk_halves_range_           the largest and the least of some numbers (mma/halves.h): bits of a float without sign,
 *                               doubled, so that the exponent is in bits 24 to 31. least is less by 1, and zeros do not
 *                               count. cmk_halves_no_range_: an empty one; cmk_halves_note_ adds a number to it
 *   cmk_sweep_taps_             the taps as floats, across with 1 (taps.h). Of sizes.h: cmk_sweep_plain_bytes_, bytes
 *                               of a row of taps for FMAs down; cmk_sweep_units_, the quarters that a row of all strips
 *                               is
 *   cmk_sweep_row_, _column_    the row and the first column of what this thread copies of a step (rows.h).
 *                               cmk_sweep_place_(row, n): the byte of four floats in a block that is stored as floats
 *   cmk_fragment_row_(t)        t % 32 / 4; cmk_fragment_pair_(t) is t % 4, and cmk_mma_thread_() is threadIdx.x
 *   cmk_image_within_           whether its first argument is from the second on and below the third; cmk_image_up_
 *                               rounds up to a multiple
 *   CMK_FILL_ARRIVED(ASYNC, n)  waits for all groups of copies of this thread but the newest n (fill.h)
 *   CMK_TILE_DYNAMIC(T, name)   T *name is the dynamic shared memory, which begins at a multiple of 1024 bytes
 *   CMK_TENSOR_WARP_HAS_        whether the compiled code has mma.sync (mma/code.h). CMK_UNROLL unrolls the next loop
 *   CMK_TURN_, CMK_OPERATIONS_  for the counters of the CPU backend; they do nothing on a GPU
 *
 * Loops over i up to 16 or 8 last go through all elements that a thread has in registers, in some order: the tile, the
 * half of a step or the tile n of rows, and the four elements of each. */
#ifndef CMK_KERNEL_SWEEP_MARCH_H
#define CMK_KERNEL_SWEEP_MARCH_H

#include "rows.h"

#if CMK_TENSOR_WARP_HAS_

/* What a thread has of a tile of its warp: sums across of a step, of its first 8 rows and of the others; and outputs
 * under way, 8 rows in each of sums. Thread t has rows 2 (t % 4) and the next of column 2 (t % 32 / 4), then the same
 * rows of the next column. A step reaches s.pending tiles of 8 rows, at most cmk_sweep_pending_most_. Two of them are
 * complete with it, and the others wait in sums; only within a step by FMAs has it all. */
typedef struct {
    float across[2][4];
    float sums[cmk_sweep_pending_most_][4];
} cmk_sweep_tile_;

/* Multiplies the fragments A and B, whose elements are each high + low / 2^11. Sets `high` to the product of the high
 * halves, and `low` to the sum of the two products of a high and a low one, four floats each. The product of low ones
 * is left out. adds: whether products are added to high and low, or start from zero; it is known at compile time. All
 * threads of the warp call. */
CMK_DEVICE_ void cmk_sweep_multiply_(float *high, float *low, const unsigned *a_high, const unsigned *a_low,
                                     const unsigned *b_high, const unsigned *b_low, int adds)
{
    cmk_mma_warp_add_(low, a_high, b_low, adds);
    cmk_mma_warp_add_(low, a_low, b_high, 1);
    cmk_mma_warp_add_(high, a_high, b_high, adds);
}

/* Computes the sums across of rows 8 n to 8 n + 7 of a step, n = 0 or 1, times w->scale and the scale of the taps. A is
 * the taps of 16 outputs, and B is 16 columns of 8 rows. Tile 0 of the warp takes block `span` of its columns, while
 * tile 1 takes the one behind it. A lane's 16 bytes of pixels are two words of high halves, then two of low ones. The
 * last block that warp 5 reads is 10 + s.spans, the last of the s.all blocks. All threads of the warp call, behind the
 * barrier of cmk_sweep_meet_. */
CMK_DEVICE_ void cmk_sweep_sum_across_(cmk_sweep_tile_ *tiles, const cmk_sweep_work_ *w, cmk_sweep_sizes_ s, int n)
{
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    const char *const rows =
        w->shared + w->stage * s.stage_bytes + 2 * warp * cmk_sweep_block_bytes_ + n * cmk_sweep_matrix_bytes_;
    float high[2][4], low[2][4];
    unsigned pixels[2][4];
    cmk_load_plain_value_(pixels[0], rows + lane * 16, 16);
    CMK_UNROLL
    for (int span = 0; span < s.spans; ++span) {
        const char *const taps = w->shared + s.across + span * cmk_sweep_block_bytes_ + lane * 16;
        unsigned a[2][4];
        cmk_load_plain_value_(a[0], taps, 16);
        cmk_load_plain_value_(a[1], taps + cmk_sweep_matrix_bytes_, 16);
        cmk_load_plain_value_(pixels[(span + 1) % 2], rows + (span + 1) * cmk_sweep_block_bytes_ + lane * 16, 16);
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

/* Stores the outputs that are complete, 16 rows from row y of the work on. done[tile][n] is as sums[n] of a tile. Two
 * neighbouring columns are stored at once where all pairs of the block are in the region and aligned (w->whole), and
 * all 16 rows are rows of the work. Else each output is stored that belongs to the work and the region. The bits of i,
 * from the lowest on, are the column of a pair, the tile, the row of two, and n. A pair is 4, 8 or 16 bytes, as OUT is
 * a float of 16 bits, float or double. w->target may be outside the image where nothing is stored. */
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

/* Adds the products of sums across and taps down to the outputs that they reach. These move on by two tiles of 8 rows.
 * The first two, from row y of the work on, are complete and stored; the last two begin with this step. A is the sums
 * across as halves, divided by 2^15, and B is the taps of 8 rows of outputs. All threads of the warp call. The barriers
 * of the warp in it order no accesses, as the taps do not change. */
CMK_DEVICE_ void cmk_sweep_sum_down_(cmk_sweep_tile_ *tiles, const cmk_sweep_work_ *w, cmk_sweep_sizes_ s,
                                     cmk_filter_parts_float_ parts, int y)
{
    const int lane = (int)threadIdx.x % 32, last = s.pending - 2;
    const float inverse = w->inverse, inverse_low = w->inverse * (1.0f / 2048.0f);
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
        cmk_load_plain_value_(taps, w->shared + s.down + n * cmk_sweep_matrix_bytes_ + lane * 16, 16);
        CMK_UNROLL
        for (int tile = 0; tile < 2; ++tile) {
            float high[4], low[4];
            cmk_sweep_multiply_(high, low, a[tile][0], a[tile][1], taps, taps + 2, 0);
            CMK_UNROLL
            for (int i = 0; i < 4; ++i) {
                const float sum =
                    low[i] * inverse_low + (n < last ? high[i] * inverse + tiles[tile].sums[n][i] : high[i] * inverse);
                if (n < 2)
                    done[tile][n][i] = sum;
                else
                    tiles[tile].sums[n - 2][i] = sum;
            }
        }
        if (n == 1) cmk_sweep_save_(done, w, s, parts, y);
    }
}

/* Adds the products of `count` taps across and a window to 16 neighbouring sums, by FMAs. The window is of row `row`, 0
 * to 15, of a step of floats, from the block of 16 columns at `from` on. Its first 20 elements are loaded before. Of
 * these the first `lead` are not needed: they are copied so that copies begin at multiples of 4 columns. Here lead is
 * 0 to 3, what s.lead is above the radius. With count up to 32 the last index is 3 + 31 + 15. Loads by fours end at 51,
 * and cmk_sweep_window_most_ is 52. Four taps are read at once, and zeros fill up the last four. A thread calls it for
 * itself; count is a constant once it is inlined. */
CMK_DEVICE_ void cmk_sweep_add_taps_(float *sums, float *window, const char *from, const float *taps,
                                     cmk_sweep_sizes_ s, int row, int count)
{
    const int lead = s.lead - s.f.row, ahead = lead > 1 ? 20 : 16;
    CMK_UNROLL
    for (int c = 0; c < count; c += 4) {
        const int next = c + ahead;
        float four[4];
        if (next < lead + count + 15)
            cmk_load_plain_value_(&window[next],
                                  from + next / 16 * cmk_sweep_block_bytes_ + cmk_sweep_place_(row, next / 4), 16);
        cmk_load_plain_value_(four, &taps[c], 16);
        CMK_UNROLL
        for (int i = 0; i < 4 * 16; ++i)
            if (c + i / 16 < count) sums[i % 16] += four[i / 16] * window[lead + c + i / 16 + i % 16];
    }
}

/* Computes sums across by FMAs, of a step that lies in its stage as floats. A thread computes 16 of them in one row, in
 * rounds of `each` taps, 32, which are two blocks of columns. They go to the threads that would have them from mma.sync
 * by way of the other stage, which holds no step then. There a warp has 16 rows of 32 floats. Chunk g ^ row % 8 of a
 * row has columns 2 g and 2 g + 1 of tile 0, then of tile 1. Only threads of the same warp exchange sums. All threads
 * of the warp call. */
CMK_DEVICE_ void cmk_sweep_sum_across_by_fmas_(cmk_sweep_tile_ *tiles, const cmk_sweep_work_ *w, cmk_sweep_sizes_ s)
{
    const int thread = cmk_mma_thread_(), row = thread % 16, each = cmk_sweep_window_most_ - 20;
    const char *from = w->shared + w->stage * s.stage_bytes + thread / 16 * cmk_sweep_block_bytes_;
    char *const to = w->shared + (w->stage ^ 1) * s.stage_bytes + thread / 32 * 2 * cmk_sweep_block_bytes_;
    const float *taps = cmk_sweep_taps_(w, s, 1);
    float sums[16] = {0.0f}, window[cmk_sweep_window_most_];
    CMK_UNROLL
    for (int i = 0; i < 20; i += 4)
        cmk_load_plain_value_(&window[i], from + i / 16 * cmk_sweep_block_bytes_ + cmk_sweep_place_(row, i / 4), 16);
    CMK_NO_UNROLL
    for (int c = 0; c < s.f.columns / each; ++c, from += each * cmk_sweep_row_bytes_, taps += each) {
        cmk_sweep_add_taps_(sums, window, from, taps, s, row, each);
        CMK_UNROLL
        for (int i = 0; i < 20; ++i) window[i] = window[each + i];
    }
    cmk_sweep_add_taps_(sums, window, from, taps, s, row, s.f.columns % each);
    CMK_UNROLL
    for (int i = 0; i < 8; ++i)
        cmk_load_store_value_(to + row * 2 * cmk_sweep_row_bytes_ + (i ^ row % 8) * 16 + thread / 16 % 2 * 8,
                              &sums[2 * i], 8);
    __syncwarp();
    CMK_UNROLL
    for (int i = 0; i < 4; ++i) {
        const int at = i / 2 * 8 + 2 * cmk_fragment_pair_(thread) + i % 2;
        float four[4];
        cmk_load_plain_value_(four, to + at * 2 * cmk_sweep_row_bytes_ + (cmk_fragment_row_(thread) ^ at % 8) * 16, 16);
        CMK_UNROLL
        for (int n = 0; n < 4; ++n) tiles[n / 2].across[i / 2][n % 2 * 2 + i % 2] = four[n];
    }
}

/* Adds sums across times taps down by FMAs: two rows of each 8 rows of a step. These begin `behind` rows, -6 to 6,
 * behind the first of this thread's outputs. x[half][row][e] is the sum across of those rows, of half 0 or 1 of the
 * step, in the thread's column e % 2 of tile e / 2. At `from` are the taps of `behind`, as cmk_sweep_write_plain_
 * (taps.h) wrote them; taps[n] is for tile n of the outputs that the half reaches, n < s.pending - 1. They are read by
 * fours, which makes 12 of 9. `all`: the filter has that tap for any `behind`. A thread calls it for itself. */
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

/* A step by FMAs: all of it where w->plain is 1. Else only its sums across are too far from one another, and FMAs add
 * the sums down; w->inverse_across then undoes the scales of the sums across. Outputs are stored and move on as in
 * cmk_sweep_sum_down_. One loop has rows of both halves of the step: with two loops, ptxas spills registers of the way
 * by mma.sync. All threads of the warp call: in round `pair` each gets the sums of the thread that has rows 2 pair and
 * the next of its columns. */
CMK_DEVICE_ void cmk_sweep_add_by_fmas_(cmk_sweep_tile_ *tiles, const cmk_sweep_work_ *w, cmk_sweep_sizes_ s,
                                        cmk_filter_parts_float_ parts, int y)
{
    const int last = s.pending - 2, lane = cmk_mma_thread_() % 32;
    const char *const taps = w->shared + s.taps + 8 * cmk_image_up_(s.f.rows, 4);
    float done[2][2][4];
    if (w->plain) {
        cmk_sweep_sum_across_by_fmas_(tiles, w, s);
    } else {
        CMK_UNROLL
        for (int i = 0; i < 16; ++i) tiles[i / 8].across[i / 4 % 2][i % 4] *= w->inverse_across;
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

/* Whether sums across are too far from one another for halves, among all threads of the warp, which call. That is so
 * where one is not 0 and its magnitude is below 2^-1. */
CMK_DEVICE_ int cmk_sweep_wide_(const cmk_sweep_tile_ *tiles)
{
    cmk_halves_range_ range = cmk_halves_no_range_();
    CMK_UNROLL
    for (int i = 0; i < 16; ++i) cmk_halves_note_(&range, tiles[i / 8].across[i / 4 % 2][i % 4]);
    return __any_sync(0xffffffffu, range.least < (126u << 24) - 1); /* 2^-16, when they are divided by 2^15 */
}

/* Adds a step that is in its stage, and stores the outputs from row y of the work on that are complete with it.
 * Meanwhile the next step is converted to the other stage, between the two halves of the sums across. A thread converts
 * what it has copied itself, so that it waits for its own copies alone. Returns whether this thread's elements of the
 * next step are in range; it is 0 where that step is not converted yet. All threads of the block call; warps may differ
 * in whether they go by FMAs. There is no block barrier. A thread has 16 sums of a step, across and down. */
CMK_DEVICE_ int cmk_sweep_add_(cmk_sweep_tile_ *tiles, cmk_sweep_work_ *w, cmk_sweep_sizes_ s,
                               cmk_filter_parts_float_ parts, int y)
{
    int enough, by_fmas = w->plain;
    CMK_OPERATIONS_(2 * (s.f.rows + s.f.columns) * 16);
    CMK_FILL_ARRIVED(ASYNC, s.ahead - 1);
    if (by_fmas) {
        enough = 0;
    } else {
        cmk_sweep_sum_across_(tiles, w, s, 0);
        enough = cmk_sweep_convert_(w, s, parts, 1);
        cmk_sweep_sum_across_(tiles, w, s, 1);
        by_fmas = cmk_sweep_wide_(tiles);
    }
    if (by_fmas)
        cmk_sweep_add_by_fmas_(tiles, w, s, parts, y);
    else
        cmk_sweep_sum_down_(tiles, w, s, parts, y);
    w->target += 16 * w->task.image->out_pitch * s.f.out_size;
    return enough;
}

/* Finds the next rows of a block's share of the work, as far as they are of one strip. The share goes from `at` to end,
 * in quarters of a row. They go through one image after another, and in an image through one strip after another. A row
 * inside counts as 4 quarters, and one of the strips at the left and the right as more (cmk_sweep_rate_ in sizes.h).
 * Sets w->x, w->y and w->length, where x still begins at column 0 of the first strip, and *z, the number of the image.
 * Both ends of a share are rounded up to whole rows, so that shares meet without a gap, and w->length may be 0. `left`
 * is quarters from the begin of the image, and `until` those from the begin of the strip to the share's end. Returns
 * where the share goes on. */
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

/* Sets up the block for the next rows of its share, which are of one strip of an image. Returns where the share goes
 * on. The first strip begins image->head columns before the region, so that all strips begin with a chunk of 4 aligned
 * elements; head is 0 where rows of in are not aligned alike. The first step begins s.f.row rows above the work, and
 * the first outputs that it reaches as many rows higher. The pointers in w->task are to the region's first element of
 * image z. The pointer w->source is to the first element that this thread copies, in the s.all blocks of 16 columns of
 * a step, and w->target to its first output. Both may point outside the image, where nothing is read or written. With
 * in_whole, fours of elements from w->source on are aligned: head, s.lead and columns see to it. */
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

/* Computes the rows that cmk_sweep_find_ found. Copies of s.ahead steps are under way before the first is converted. A
 * block has as many, which are 2: with a radius of 8 or more (tune.h), one row of outputs needs 17 rows, of 16 a step.
 * The arguments 1 say that there is a step to copy, and that it is converted to the stage of the step to come. All
 * threads of the block call, as it has barriers. */
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

/* The one call of a kernel: a block at work on its share of all strips. All threads of the block call. region->rows
 * counts all strips of all images, in quarters of a row (plan.h). The shares of blocks are equal but for rounding down
 * to a quarter. As w.inverse is 0, the first step gets a scale of its own in cmk_sweep_meet_, which sets w.most and
 * w.least, the range of that scale. */
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
    w.scale = 1.0f;
    w.most = w.least = 0;
    w.inverse = w.inverse_across = 0.0f;
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
