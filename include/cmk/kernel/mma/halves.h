/* kernel/mma/halves.h: floats as halves. It finds the largest and the least of some numbers, and the power of two that
 * brings them into the range of halves, and splits a number into two halves. A thread of any
 * engine of tensor cores calls each for itself.
 *
 * In all functions here:
 *
 *   cmk_mma_bits_(value)   the bits of a float, and cmk_mma_float_(bits) the float that has these bits (warp.h)
 *   cmk_mma_halves_(first, second)   two floats as halves, rounded to the nearest, in 32 bits, the first in the lower
 *                ones. cmk_mma_half_(pair, which) is half 0 or 1 of a pair as a float (warp.h)
 *   CMK_TENSOR_WARP_HAS_   1 where the code has mma.sync (code.h). CMK_DEVICE_ is an inlined device function (base.h)
 *   exponents    as the bits of a float have them: 127 more than the power of two, 255 for infinity and NaN, 23 bits
 *                up */
#ifndef CMK_KERNEL_MMA_HALVES_H
#define CMK_KERNEL_MMA_HALVES_H

#include "warp.h"

#if CMK_TENSOR_WARP_HAS_

/* The least exponent, as the bits of a float have it, of which sweep/ makes a scale and its inverse: 2^-63. Both are
 * normal floats then. */
enum { cmk_halves_exponent_least_ = 64 };

/* The range of some numbers: the largest and the least but 0, as bits without the sign, doubled; least is 1 less than
 * that. */
typedef struct {
    unsigned most, least;
} cmk_halves_range_;
/* A range that is empty; and a number that a thread adds to its range. A NaN counts as more than infinity. Twice the
 * bits have no sign; of 0 they are 0, and 1 less than that is the largest number, so that 0 is never the least. */
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

/* The power of two that brings a number to 2^14 to 2^15, and its inverse. `bits` are those of the number without its
 * sign, not doubled. Numbers below 2^-97 (0x0f000000) get the scale of that one. Both are normal floats for all bits,
 * those of infinity and NaN too, so that the caller may ask later whether the number is in range. Exponents are 30, of
 * 2^-97, to 255. So 268 = 127 + 14 + 127 less that is from 13 to 238, and that less 14 from 16 to 241. */
CMK_DEVICE_ void cmk_halves_scale_(unsigned bits, float *scale, float *inverse)
{
    const unsigned exponent = bits < 0x0f000000u ? 30u : bits >> 23;
    *scale = cmk_mma_float_((268u - exponent) << 23);
    *inverse = cmk_mma_float_((exponent - 14u) << 23);
}

/* Splits two numbers into halves, each high + low / 2^11. The pairs *high and *low have the first number in the lower
 * bits. Both numbers must be in the range of halves. The rest of each, which is exact as a float, is multiplied by 2048
 * = 2^11, as a half has 11 bits. It is at most 2^-11 of the number, or 2^-25, so that the product is in that range too.
 */
CMK_DEVICE_ void cmk_halves_split_(unsigned *high, unsigned *low, float first, float second)
{
    *high = cmk_mma_halves_(first, second);
    *low = cmk_mma_halves_((first - cmk_mma_half_(*high, 0)) * 2048.0f, (second - cmk_mma_half_(*high, 1)) * 2048.0f);
}

/* Half `part` of two taps, each high + low: 0 is high, 1 is low, and 2 is high / 2^11. The taps are both, times their
 * scale. A pixel's high half meets parts 0 and 1, and its low half part 2. */
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
