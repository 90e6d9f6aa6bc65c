/* kernel/mma/halves.h: floats as halves: which power of two brings numbers into the range of halves, whether halves are
 * exact enough of the least of them, and a number as two halves. */
#ifndef CMK_KERNEL_MMA_HALVES_H
#define CMK_KERNEL_MMA_HALVES_H

#include "warp.h"

#if CMK_TENSOR_WARP_HAS_

/* the largest and the least but 0 of some numbers, as bits without the sign, doubled; of the least 1 less */
typedef struct {
    unsigned most, least;
} cmk_halves_range_;
CMK_DEVICE_ cmk_halves_range_ cmk_halves_no_range_(void)
{
    const cmk_halves_range_ range = {0, ~0u};
    return range;
}
CMK_DEVICE_ void cmk_halves_note_(cmk_halves_range_ *range, float value)
{
    const unsigned bits = 2 * cmk_mma_bits_(value);
    range->most = bits > range->most ? bits : range->most;
    range->least = bits - 1 < range->least ? bits - 1 : range->least;
}

/* the power of two that brings a number of these bits, not doubled, to 2^14 to 2^15, and its inverse */
CMK_DEVICE_ void cmk_halves_scale_(unsigned bits, float *up, float *back)
{
    const unsigned exponent = bits < 0x0f000000u ? 30u : bits >> 23;
    *up = cmk_mma_float_((268u - exponent) << 23);
    *back = cmk_mma_float_((exponent - 14u) << 23);
}

/* two numbers as halves high + low / 2^11 */
CMK_DEVICE_ void cmk_halves_split_(unsigned *high, unsigned *low, float first, float second)
{
    *high = cmk_mma_halves_(first, second);
    *low = cmk_mma_halves_((first - cmk_mma_half_(*high, 0)) * 2048.0f, (second - cmk_mma_half_(*high, 1)) * 2048.0f);
}

/* two taps as halves high + low: part 0, 1 or 2 of high, low, high / 2^11 */
CMK_DEVICE_ unsigned cmk_halves_of_taps_(const float *taps, int part)
{
    const unsigned high = cmk_mma_halves_(taps[0], taps[1]);
    const float first = cmk_mma_half_(high, 0), second = cmk_mma_half_(high, 1);
    return part == 0   ? high
           : part == 1 ? cmk_mma_halves_(taps[0] - first, taps[1] - second)
                       : cmk_mma_halves_(first / 2048.0f, second / 2048.0f);
}

#endif

#endif
