/* stencil1d/bands.h: a step of a 1D stencil of floats on tensor cores, by mma.sync.
 *
 * Row m of A is the samples of the window of output 16 m, and those behind. B is the taps as a band: for outputs 16 m
 * to 16 m + 7, and, 8 samples further, for the next 8. A sample is the sum of two halves, high + low / 2^11, times a
 * power of two that is its step's; so is a tap. High x high make one sum, high x low and low x high another. Low x low
 * is below the last bit of a float. (PTX ISA, "Matrix Fragments for mma.m16n8k16".)
 *
 * In all functions here, which all lanes of a warp call:
 *
 *   s                  cmk_stencil1d_shape_ (sizes.h), known at compile time. s.radius and s.reach are in samples, the
 *                      reach rounded up to whole sectors; s.halo is the vectors of 4 floats of a step beside its own 64
 *   s.blocks           blocks of 8 samples in a window of 8 outputs, 7 or 9
 *   n                  the number of a block of 8 samples, along k: 0 to s.blocks in the window of 16 outputs that a
 *                      row of A is. Its taps for the first 8 outputs are block n of B, for the next 8 block n - 1
 *   s.half_bytes       bytes of one of the four planes of halves in w->spare: two of high ones, two of low ones
 *   s.sides, s.mirror  sides of the center for which BODY reads taps, 1 or 2; by what a tap is multiplied to give the
 *                      opposite one, where it reads one side
 *   w                  cmk_stencil1d_work_ (ring.h), the state of a warp; w->ring + w->stage has the samples of the
 *                      step
 *   tap, table         the function that reads the definition's table; the address of that table
 *   range              cmk_halves_range_ (mma/halves.h): the largest and the least number but 0, as bits without the
 *                      sign, doubled: the exponent is in bits 24 to 31. least is less by 1. cmk_halves_note_ adds one
 *   CMK_TURN_          for the counters of the CPU backend; it does nothing on a GPU
 *   cmk_halves_split_  makes two pairs of halves, of the high and of the low parts of two numbers
 *   cmk_mma_warp_add_  D = A B, or D + A B; cmk_mma_warp_add_eight_ does so with half the operands (mma/warp.h)
 *   cmk_mma_most_      the largest of the values of a warp; cmk_mma_least_ the least. cmk_mma_float_: the float of bits
 *   cmk_fragment_row_  lane / 4; cmk_fragment_pair_ is lane % 4
 *   CMK_STORE, CMK_LOAD    an ordinary store and load of one element (load.h), here a word of 4 bytes in shared memory.
 *                      cmk_load_plain_value_ and cmk_load_store_value_ load and store n bytes, 4, 8 or 16, at once
 *   ring.h             cmk_stencil1d_lane_: 0 to 31. cmk_stencil1d_place_: where a vector is in planes.
 *                      cmk_stencil1d_wait_: the next step has arrived. cmk_stencil1d_fill_: starts the copies of a
 *                      later one. cmk_stencil1d_put_: stores the outputs, and goes on
 *   others             cmk_halves_no_range_: an empty range. cmk_stencil1d_range_ (tune.h): 26 powers of two.
 *                      CMK_TENSOR_WARP_HAS_ (mma/code.h): 1 in code that has mma.sync. CMK_DEVICE_: an inlined device
 *                      function. CMK_UNROLL unrolls the next loop
 *   bounds             the radius is 21 to 32 (tune.h, stencil1d.h), the reach 24 or 32, and s.halo 12 or 16. So there
 *                      are up to 65 taps, 80 vectors and 9 blocks, and a plane of halves has 320 bytes. Vectors are
 *                      aligned to 16 bytes, as w->ring, stages and planes are multiples of that */
#ifndef CMK_KERNEL_STENCIL1D_BANDS_H
#define CMK_KERNEL_STENCIL1D_BANDS_H

#include "ring.h"

/* The function that reads element i of a definition's table, as a float. With a BODY of the user's there is none, and
 * cmk_stencil1d_no_tap_ stands in its place. Its table is number 1, and i counts from 0. */
typedef float (*cmk_stencil1d_tap_)(const void *const *tables, int number, int i);

/* Stands for the taps of a kernel that does not go by tensor cores, which does not call it. */
CMK_DEVICE_ float cmk_stencil1d_no_tap_(const void *const *tables, int number, int i)
{
    (void)tables;
    return 0.0f * (float)(number + i);
}

#if CMK_TENSOR_WARP_HAS_

/* Returns tap i of 2 radius + 1, from the first on. The definition's table is table number 1 of `tap`. A BODY that
 * reads one side gets the other side's taps from it. */
CMK_DEVICE_ float cmk_stencil1d_tap_at_(cmk_stencil1d_shape_ s, const void *table, cmk_stencil1d_tap_ tap, int i)
{
    const void *const tables[2] = {NULL, table};
    const int away = i - s.radius;
    if (s.sides == 2) return tap(tables, 1, i);
    const float value = tap(tables, 1, away < 0 ? -away : away);
    return away < 0 ? (float)s.mirror * value : away == 0 && s.mirror < 0 ? 0.0f : value;
}

/* Sets the power of two that brings the largest number of a warp to between 2^14 and 2^15. `range` is that of one lane;
 * all lanes call and get the same. Returns the inverse scale, or 0 where the numbers are not in range. That is so for
 * infinities and NaNs, whose exponent is 255, and for a largest number below 2^-97, whose exponent is below 30. It is
 * so too for more than cmk_stencil1d_range_ powers of two between two numbers. Zeros alone are in range. With exponent
 * bits e the scale is 2^(141 - e), whose bits are 268 - e, and those of the inverse e - 14. */
CMK_DEVICE_ float cmk_stencil1d_scale_(cmk_halves_range_ range, float *scale)
{
    const unsigned most = cmk_mma_most_(range.most), least = cmk_mma_least_(range.least);
    const unsigned apart = (unsigned)cmk_stencil1d_range_ << 24, exponent = most == 0 ? 127u : most >> 24;
    const int enough = exponent >= 30 && exponent < 255 && (most < apart || least >= most - apart);
    *scale = cmk_mma_float_((268u - exponent) << 23);
    return most == 0 || enough ? cmk_mma_float_((exponent - 14u) << 23) : 0.0f;
}

/* Returns which of 8 outputs a column of B, 0 to 7, is. The order is such that a lane, and the one two further, have
 * four outputs side by side. */
CMK_DEVICE_ int cmk_stencil1d_column_(int column)
{
    return column / 2 == 1 ? column + 2 : column / 2 == 2 ? column - 2 : column;
}

/* Reads the taps of a warp into w->bands, by way of its spare memory. There it writes both halves of each tap as one
 * word, the low half above, 16 zeros before them, and zeros behind. There are at most 65 taps, three of a lane. `both`
 * has 112 words, in the 1280 bytes of the spare memory, and a lane reads words from 2 to 87. The digits 0x5410 make a
 * pair of two words' lower halves, and 0x7632 of their upper ones (cmk_mma_permute_). All lanes of the warp call it. */
CMK_DEVICE_ void cmk_stencil1d_read_taps_(cmk_stencil1d_work_ *w, cmk_stencil1d_shape_ s, const void *table,
                                          cmk_stencil1d_tap_ tap)
{
    cmk_stencil1d_bands_ *const b = &w->bands;
    const int lane = cmk_stencil1d_lane_(), count = 2 * s.radius + 1;
    unsigned *const both = (unsigned *)(void *)w->spare;
    const unsigned *const from = both + 16 + 2 * cmk_fragment_pair_(lane) -
                                 cmk_stencil1d_column_(cmk_fragment_row_(lane)) - (s.reach - s.radius);
    cmk_halves_range_ range = cmk_halves_no_range_();
    float taps[3], scale;
    CMK_UNROLL
    for (int n = 0; n < 3; ++n) {
        taps[n] = n * 32 + lane < count ? cmk_stencil1d_tap_at_(s, table, tap, n * 32 + lane) : 0.0f;
        cmk_halves_note_(&range, taps[n]);
    }
    b->inverse = cmk_stencil1d_scale_(range, &scale);
    if (lane < 16) CMK_STORE(&both[lane], 0u);
    CMK_UNROLL
    for (int n = 0; n < 3; ++n) {
        unsigned high, low;
        cmk_halves_split_(&high, &low, taps[n] * scale, 0.0f);
        CMK_TURN_(n);
        CMK_STORE(&both[16 + n * 32 + lane], high | low << 16);
    }
    CMK_TURN_(-1);
    __syncwarp();
    CMK_UNROLL
    for (int n = 0; n < s.blocks; ++n) {
        const unsigned first = CMK_LOAD(&from[8 * n]), second = CMK_LOAD(&from[8 * n + 1]);
        b->high[0][n] = b->high[1][n] = cmk_mma_permute_(first, second, 0x5410);
        b->low[0][n] = b->low[1][n] = cmk_mma_permute_(first, second, 0x7632);
    }
}

/* Writes the samples of a step as halves: 8 samples to one of two planes, the next 8 to the other, and the low halves
 * to two more. A lane takes vectors lane, 32 + lane and, of the halo, 64 + lane: three, v, as a step has 76 or 80
 * vectors. Its 4 samples become 8 bytes, and 32 vectors fill 128 bytes of each plane. Returns the inverse scale, or 0
 * where they are not in range, and then nothing is written. The step must have arrived, all lanes of the warp call it,
 * and a barrier of the warp must follow before halves are read. */
CMK_DEVICE_ float cmk_stencil1d_halve_(const cmk_stencil1d_work_ *w, cmk_stencil1d_shape_ s)
{
    const int lane = cmk_stencil1d_lane_();
    char *const to = cmk_stencil1d_place_(w->spare, 2, s.half_bytes, lane / 2) + lane % 2 * 8;
    cmk_halves_range_ range = cmk_halves_no_range_();
    float samples[3][4], scale;
    CMK_UNROLL
    for (int v = 0; v < 3; ++v) {
        for (int e = 0; e < 4; ++e) samples[v][e] = 0.0f;
        CMK_TURN_(v);
        if (v < 2 || lane < s.halo) cmk_load_plain_value_(samples[v], w->ring + w->stage + (v * 32 + lane) * 16, 16);
        for (int e = 0; e < 4; ++e) cmk_halves_note_(&range, samples[v][e]);
    }
    CMK_TURN_(-1);
    const float inverse = cmk_stencil1d_scale_(range, &scale);
    if (inverse == 0.0f) return inverse;
    CMK_UNROLL
    for (int v = 0; v < 3; ++v) {
        float *const x = samples[v];
        unsigned high[2], low[2];
        for (int i = 0; i < 2; ++i) cmk_halves_split_(&high[i], &low[i], x[2 * i] * scale, x[2 * i + 1] * scale);
        CMK_TURN_(v);
        if (v < 2 || lane < s.halo) {
            cmk_load_store_value_(to + v * 128, high, 8);
            cmk_load_store_value_(to + v * 128 + 2 * s.half_bytes, low, 8);
        }
    }
    CMK_TURN_(-1);
    return inverse;
}

/* Reads, for each 8 samples n of a window, the lane's pairs of two rows of A: rows[n][0] of row lane / 4, and
 * rows[n][1] of the row 8 further. `halves` is the memory of high or of low halves. A row is 16 samples further than
 * the one before, 16 bytes in each plane, so that 8 rows are 128. */
CMK_DEVICE_ void cmk_stencil1d_rows_(unsigned (*rows)[2], const char *halves, cmk_stencil1d_shape_ s)
{
    CMK_UNROLL
    for (int n = 0; n <= s.blocks; ++n) CMK_UNROLL
    for (int i = 0; i < 2; ++i) {
        CMK_TURN_(2 * n + i);
        cmk_load_plain_value_(&rows[n][i],
                              halves + n % 2 * s.half_bytes + n / 2 * 16 + i * 128 + cmk_stencil1d_lane_() * 4, 4);
    }
    CMK_TURN_(-1);
}

/* Adds the products of rows with taps to two sums, of 8 outputs and of the next 8. With `adds` they come on top of what
 * is there. Here `rows` are as cmk_stencil1d_rows_ read them, and taps[q] as the halves in w->bands. One operand is 16
 * samples: block n, of even number, and the next one. Block 0 has no taps for the second sum, q = 1, which begins with
 * block 1 by itself, by half an instruction. Were n s.blocks, which is odd, rows[n] would also stand for the next,
 * which no instruction reads then. All lanes of the warp call it. */
CMK_DEVICE_ void cmk_stencil1d_add_(float (*sums)[4], unsigned (*rows)[2],
                                    const unsigned (*taps)[cmk_stencil1d_blocks_most_], cmk_stencil1d_shape_ s,
                                    int adds)
{
    CMK_UNROLL
    for (int n = 0; n <= s.blocks; n += 2) CMK_UNROLL
    for (int q = 0; q < 2; ++q) {
        const int first = n - q, last = first + 1;
        const unsigned both[4] = {rows[n][0], rows[n][1], rows[n + (n < s.blocks)][0], rows[n + (n < s.blocks)][1]};
        if (first >= 0 && last < s.blocks)
            cmk_mma_warp_add_(sums[q], both, &taps[q][first], adds || n > 0);
        else if (last < s.blocks)
            cmk_mma_warp_add_eight_(sums[q], &both[2], taps[q][last], adds);
        else if (first < s.blocks)
            cmk_mma_warp_add_eight_(sums[q], both, taps[q][first], adds || n > 0);
    }
}

/* Computes the outputs of a step, when its halves are there. A lane gets four outputs in each of two rows, which are
 * the vectors that cmk_stencil1d_put_ stores. It exchanges half of its sums with the lane two further: lanes with
 * `second` get outputs of the second 8, the others of the first 8. `inverse` undoes the scales of samples and taps, and
 * 1 / 2048 that of the low halves. All lanes of the warp call it. */
CMK_DEVICE_ void cmk_stencil1d_products_(float (*outputs)[4], const cmk_stencil1d_work_ *w, cmk_stencil1d_shape_ s,
                                         float inverse)
{
    const cmk_stencil1d_bands_ *const b = &w->bands;
    const int second = cmk_stencil1d_lane_() / 2 % 2;
    unsigned rows[cmk_stencil1d_blocks_most_ + 1][2];
    float high[2][4], low[2][4];
    cmk_stencil1d_rows_(rows, w->spare, s);
    cmk_stencil1d_add_(low, rows, b->low, s, 0);
    cmk_stencil1d_add_(high, rows, b->high, s, 0);
    cmk_stencil1d_rows_(rows, w->spare + 2 * s.half_bytes, s);
    cmk_stencil1d_add_(low, rows, b->high, s, 1);
    CMK_UNROLL
    for (int i = 0; i < 4; ++i) {
        const float one = (high[0][i] + low[0][i] * (1.0f / 2048)) * inverse;
        const float next = (high[1][i] + low[1][i] * (1.0f / 2048)) * inverse;
        const float other = __shfl_xor_sync(0xffffffffu, second ? one : next, 2);
        outputs[i / 2][i % 2] = second ? other : one;
        outputs[i / 2][i % 2 + 2] = second ? next : other;
    }
}

/* Does the next step where its samples and the taps are in range, and returns whether they are. Else the step is left
 * to FMAs. An inverse scale outside of 1e-36 to 1e36 counts as out of range. The stage is filled again as soon as all
 * lanes have written their halves. All lanes of the warp call it. */
CMK_DEVICE_ int cmk_stencil1d_multiply_(cmk_stencil1d_work_ *w, cmk_stencil1d_shape_ s)
{
    float outputs[2][4];
    if (w->bands.inverse == 0.0f) return 0;
    cmk_stencil1d_wait_();
    const float inverse = cmk_stencil1d_halve_(w, s) * w->bands.inverse;
    if (!(inverse >= 1e-36f && inverse <= 1e36f)) return 0;
    __syncwarp();
    cmk_stencil1d_fill_(w, s);
    cmk_stencil1d_products_(outputs, w, s, inverse);
    cmk_stencil1d_put_(w, outputs, s);
    return 1;
}

#else

/* Without mma.sync no step goes by tensor cores. */
CMK_DEVICE_ void cmk_stencil1d_read_taps_(cmk_stencil1d_work_ *w, cmk_stencil1d_shape_ s, const void *table,
                                          cmk_stencil1d_tap_ tap)
{
    (void)w, (void)s, (void)table, (void)tap;
}

/* Returns 0: the step is left to FMAs. */
CMK_DEVICE_ int cmk_stencil1d_multiply_(cmk_stencil1d_work_ *w, cmk_stencil1d_shape_ s)
{
    (void)w, (void)s;
    return 0;
}

#endif

#endif
