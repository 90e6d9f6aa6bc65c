/* host/toolkit/cuda_bf16.h: bfloat16 and pairs of it, as CUDA's header of this name has them, each operation rounded to
 * the nearest, ties to even. C++: the names of its functions are those of half. */
#include "cuda_runtime.h"
#ifndef CMK_HOST_TOOLKIT_CUDA_BF16_H
#define CMK_HOST_TOOLKIT_CUDA_BF16_H

#if !defined(__cplusplus)
#error "cmk: cuda_bf16.h is C++"
#endif

#include "../half.h"

struct __nv_bfloat16 {
    unsigned short bits;
    __nv_bfloat16() = default;
    __nv_bfloat16(float value) : bits(cmk_host_bfloat16_bits_(value))
    {
    }
    __nv_bfloat16(double value) : bits(cmk_host_bfloat16_bits_(cmk_host_odd_(value)))
    {
    }
    template <class T, class = decltype(T() % 2)> __nv_bfloat16(T whole) : __nv_bfloat16((double)whole)
    {
    }
    operator float() const
    {
        return cmk_host_bfloat16_value_(bits);
    }
};

struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __nv_bfloat162(const __nv_bfloat16 &low, const __nv_bfloat16 &high) : x(low), y(high)
    {
    }
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

/* ---- From and to numbers */
static inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits)
{
    __nv_bfloat16 value;
    value.bits = bits;
    return value;
}

static inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 value)
{
    return value.bits;
}

static inline __nv_bfloat16 __float2bfloat16(float value)
{
    return __nv_bfloat16(value);
}

static inline __nv_bfloat16 __float2bfloat16_rn(float value)
{
    return __nv_bfloat16(value);
}

static inline __nv_bfloat16 __double2bfloat16(double value)
{
    return __nv_bfloat16(value);
}

static inline __nv_bfloat16 __int2bfloat16_rn(int value)
{
    return __nv_bfloat16((double)value);
}

static inline __nv_bfloat16 __uint2bfloat16_rn(unsigned value)
{
    return __nv_bfloat16((double)value);
}

static inline float __bfloat162float(__nv_bfloat16 value)
{
    return cmk_host_bfloat16_value_(value.bits);
}

static inline int __bfloat162int_rz(__nv_bfloat16 value)
{
    return __float2int_rz(__bfloat162float(value));
}

static inline int __bfloat162int_rn(__nv_bfloat16 value)
{
    return __float2int_rn(__bfloat162float(value));
}

#define CMK_SHORT_ __nv_bfloat16
#define CMK_SHORT_PAIR_ __nv_bfloat162
#define CMK_SHORT_TO_(value) __float2bfloat16(value)
#define CMK_SHORT_FROM_(value) cmk_host_bfloat16_value_((value).bits)
#include "../short_float.inc"

/* ---- Pairs */
static inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high)
{
    return __nv_bfloat162(low, high);
}

static inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high)
{
    return __nv_bfloat162(low, high);
}

static inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 value)
{
    return __nv_bfloat162(value, value);
}

static inline __nv_bfloat162 __floats2bfloat162_rn(float low, float high)
{
    return __nv_bfloat162(low, high);
}

static inline __nv_bfloat162 __float2bfloat162_rn(float value)
{
    return __nv_bfloat162(value, value);
}

static inline __nv_bfloat162 __float22bfloat162_rn(float2 values)
{
    return __nv_bfloat162(values.x, values.y);
}

static inline float2 __bfloat1622float2(__nv_bfloat162 pair)
{
    return make_float2(pair.x, pair.y);
}

static inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 pair)
{
    return pair.x;
}

static inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 pair)
{
    return pair.y;
}

#endif
