/* host/half.h: half and bfloat16 as bits, converted from and to floats. They are rounded to the nearest, ties to even.
 * NaN becomes 0x7fff, as on a GPU. */
#include "../base.h"
#ifndef CMK_HOST_HALF_H
#define CMK_HOST_HALF_H

CMK_HOST_C_BEGIN_

CMK_HOST_HELPER_ unsigned cmk_host_float_bits_(float value)
{
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

CMK_HOST_HELPER_ float cmk_host_bits_float_(unsigned bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

CMK_HOST_HELPER_ unsigned short cmk_host_half_bits_(float value)
{
    const unsigned bits = cmk_host_float_bits_(value), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    if (size > 0x7f800000) return 0x7fff;
    if (size >= 0x477ff000) return (unsigned short)(sign | 0x7c00);
    if (size < 0x38800000)
        return (unsigned short)(sign | (unsigned)rint(ldexp((double)cmk_host_bits_float_(size), 24)));
    return (unsigned short)(sign | ((size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13));
}

CMK_HOST_HELPER_ float cmk_host_half_value_(unsigned short half)
{
    const unsigned size = half & 0x7fffu, sign = (half & 0x8000u) << 16;
    if (size >= 0x7c00) return cmk_host_bits_float_(sign | 0x7f800000 | (size & 0x3ff) << 13);
    if (size < 0x400) return (sign ? -1.0f : 1.0f) * (float)size * 0x1p-24f;
    return cmk_host_bits_float_(sign | ((size << 13) + 0x38000000));
}

CMK_HOST_HELPER_ unsigned short cmk_host_bfloat16_bits_(float value)
{
    const unsigned bits = cmk_host_float_bits_(value);
    if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

CMK_HOST_HELPER_ float cmk_host_bfloat16_value_(unsigned short bfloat16)
{
    return cmk_host_bits_float_((unsigned)bfloat16 << 16);
}

/* Rounds a double to a float whose last bit is set where the float is not exact. A shorter float that is rounded from
 * it is then the one nearest to the double. */
CMK_HOST_HELPER_ float cmk_host_odd_(double value)
{
    float close = (float)value;
    const unsigned bits = cmk_host_float_bits_(close);
    if ((double)close == value || value != value || bits & 1) return close;
    const int beyond = fabs((double)close) > fabs(value);
    return cmk_host_bits_float_(beyond ? bits - 1 : bits + 1);
}

/* x * y + z of short floats, rounded in the same way. The product is exact; what the sum loses sets the last bit. */
CMK_HOST_HELPER_ float cmk_host_fused_odd_(double x, double y, double z)
{
    const double product = x * y, sum = product + z, shared = sum - product;
    const double lost = (product - (sum - shared)) + (z - shared);
    unsigned long long bits;
    memcpy(&bits, &sum, sizeof bits);
    if (lost == 0.0 || lost != lost || bits & 1) return cmk_host_odd_(sum);
    bits = (lost > 0.0) == (sum > 0.0) ? bits + 1 : bits - 1;
    double odd;
    memcpy(&odd, &bits, sizeof odd);
    return cmk_host_odd_(odd);
}

CMK_HOST_C_END_

#endif
