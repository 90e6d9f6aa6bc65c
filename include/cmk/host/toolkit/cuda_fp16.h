/* host/toolkit/cuda_fp16.h: half and pairs of it, as CUDA's header of this name has them, each operation rounded to the
 * nearest, ties to even. Operators and conversions without a call are C++. */
#include "cuda_runtime.h"
#ifndef CMK_HOST_TOOLKIT_CUDA_FP16_H
#define CMK_HOST_TOOLKIT_CUDA_FP16_H

#include <stdbool.h>

#include "../half.h"

typedef struct __half __half;
typedef struct __half2 __half2;

struct __half {
    unsigned short bits;
#if defined(__cplusplus)
    __half() = default;
    __half(float value) : bits(cmk_host_half_bits_(value))
    {
    }
    __half(double value) : bits(cmk_host_half_bits_(cmk_host_odd_(value)))
    {
    }
    template <class T, class = decltype(T() % 2)> __half(T whole) : __half((double)whole)
    {
    }
    operator float() const
    {
        return cmk_host_half_value_(bits);
    }
#endif
};

struct __attribute__((aligned(4))) __half2 {
    __half x, y;
#if defined(__cplusplus)
    __half2() = default;
    __half2(const __half &low, const __half &high) : x(low), y(high)
    {
    }
#endif
};

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

/* ---- From and to numbers */
static inline __half __ushort_as_half(unsigned short bits)
{
    __half value;
    value.bits = bits;
    return value;
}

static inline __half __short_as_half(short bits)
{
    return __ushort_as_half((unsigned short)bits);
}

static inline unsigned short __half_as_ushort(__half value)
{
    return value.bits;
}

static inline short __half_as_short(__half value)
{
    return (short)value.bits;
}

static inline __half __float2half(float value)
{
    return __ushort_as_half(cmk_host_half_bits_(value));
}

static inline __half __float2half_rn(float value)
{
    return __float2half(value);
}

static inline __half __double2half(double value)
{
    return __float2half(cmk_host_odd_(value));
}

static inline float __half2float(__half value)
{
    return cmk_host_half_value_(value.bits);
}

/* Rounded to the nearest, then a step back where that went the wrong way. */
static inline __half __float2half_rz(float value)
{
    const __half close = __float2half(value);
    return fabsf(__half2float(close)) > fabsf(value) ? __ushort_as_half((unsigned short)(close.bits - 1)) : close;
}

static inline __half __float2half_ru(float value)
{
    const __half close = __float2half(value);
    if (!(__half2float(close) < value)) return close;
    if ((close.bits & 0x7fff) == 0) return __ushort_as_half(1);
    return __ushort_as_half((unsigned short)(close.bits & 0x8000 ? close.bits - 1 : close.bits + 1));
}

static inline __half __float2half_rd(float value)
{
    __half up = __float2half_ru(-value);
    up.bits = (unsigned short)(up.bits ^ 0x8000);
    return (up.bits & 0x7fff) > 0x7c00 ? __float2half(value) : up;
}

#define CMK_HOST_HALF_OF_(name, T)                                                                                     \
    static inline __half name(T value)                                                                                 \
    {                                                                                                                  \
        return __double2half((double)value);                                                                           \
    }
CMK_HOST_HALF_OF_(__int2half_rn, int)
CMK_HOST_HALF_OF_(__uint2half_rn, unsigned)
CMK_HOST_HALF_OF_(__short2half_rn, short)
CMK_HOST_HALF_OF_(__ushort2half_rn, unsigned short)
CMK_HOST_HALF_OF_(__ll2half_rn, long long)
CMK_HOST_HALF_OF_(__ull2half_rn, unsigned long long)
#undef CMK_HOST_HALF_OF_

#define __half2int_rn(value) __float2int_rn(__half2float(value))
#define __half2int_rz(value) __float2int_rz(__half2float(value))
#define __half2int_ru(value) __float2int_ru(__half2float(value))
#define __half2int_rd(value) __float2int_rd(__half2float(value))
#define __half2uint_rn(value) __float2uint_rn(__half2float(value))
#define __half2uint_rz(value) __float2uint_rz(__half2float(value))
#define __half2ll_rn(value) __float2ll_rn(__half2float(value))
#define __half2ll_rz(value) __float2ll_rz(__half2float(value))
#define __half2ull_rz(value) __float2ull_rz(__half2float(value))

#define CMK_SHORT_ __half
#define CMK_SHORT_PAIR_ __half2
#define CMK_SHORT_TO_(value) __float2half(value)
#define CMK_SHORT_FROM_(value) cmk_host_half_value_((value).bits)
#include "../short_float.inc"

/* ---- Pairs */
static inline __half2 __halves2half2(__half low, __half high)
{
    return cmk_host_pair_of_(low, high);
}

static inline __half2 make_half2(__half low, __half high)
{
    return cmk_host_pair_of_(low, high);
}

static inline __half2 __half2half2(__half value)
{
    return cmk_host_pair_of_(value, value);
}

static inline __half2 __floats2half2_rn(float low, float high)
{
    return cmk_host_pair_of_(__float2half(low), __float2half(high));
}

static inline __half2 __float2half2_rn(float value)
{
    return __floats2half2_rn(value, value);
}

static inline __half2 __float22half2_rn(float2 values)
{
    return __floats2half2_rn(values.x, values.y);
}

static inline float2 __half22float2(__half2 pair)
{
    return make_float2(__half2float(pair.x), __half2float(pair.y));
}

static inline __half __low2half(__half2 pair)
{
    return pair.x;
}

static inline __half __high2half(__half2 pair)
{
    return pair.y;
}

static inline __half2 __low2half2(__half2 pair)
{
    return cmk_host_pair_of_(pair.x, pair.x);
}

static inline __half2 __high2half2(__half2 pair)
{
    return cmk_host_pair_of_(pair.y, pair.y);
}

static inline __half2 __lows2half2(__half2 one, __half2 two)
{
    return cmk_host_pair_of_(one.x, two.x);
}

static inline __half2 __highs2half2(__half2 one, __half2 two)
{
    return cmk_host_pair_of_(one.y, two.y);
}

#endif
