/* host/rounding.h: CUDA's operations and conversions that name a direction of rounding other than to the nearest:
 * __fadd_rz toward zero, __fmul_ru up, __int2float_rd down. It is for programs that include CUDA's headers by toolkit/.
 * The processor rounds so while the operation is carried out. */
#include "../base.h"
#ifndef CMK_HOST_ROUNDING_H
#define CMK_HOST_ROUNDING_H

#include <fenv.h>

CMK_HOST_C_BEGIN_

/* Volatile variables keep the operation, and what the compiler knows of its operands, between the two changes. */
#define CMK_HOST_ROUNDED_(name, T, mode, OF, value)                                                                    \
    static inline T name(OF first, OF second, OF third)                                                                \
    {                                                                                                                  \
        const int before = fegetround();                                                                               \
        const volatile OF x = first, y = second, z = third;                                                            \
        (void)fesetround(mode);                                                                                        \
        const volatile T result = (T)(value);                                                                          \
        (void)fesetround(before);                                                                                      \
        (void)y, (void)z;                                                                                              \
        return result;                                                                                                 \
    }
#define CMK_HOST_DIRECTIONS_(name, T, OF, value)                                                                       \
    CMK_HOST_ROUNDED_(name##_rz_, T, FE_TOWARDZERO, OF, value)                                                         \
    CMK_HOST_ROUNDED_(name##_ru_, T, FE_UPWARD, OF, value)                                                             \
    CMK_HOST_ROUNDED_(name##_rd_, T, FE_DOWNWARD, OF, value)
#define CMK_HOST_ROUNDED_BOTH_(name, value)                                                                            \
    CMK_HOST_DIRECTIONS_(cmk_host_f##name, float, float, value)                                                        \
    CMK_HOST_DIRECTIONS_(cmk_host_d##name, double, double, value)

CMK_HOST_ROUNDED_BOTH_(add, x + y)
CMK_HOST_ROUNDED_BOTH_(sub, x - y)
CMK_HOST_ROUNDED_BOTH_(mul, x *y)
CMK_HOST_ROUNDED_BOTH_(div, x / y)
CMK_HOST_DIRECTIONS_(cmk_host_fsqrt, float, float, sqrtf(x))
CMK_HOST_DIRECTIONS_(cmk_host_dsqrt, double, double, sqrt(x))
CMK_HOST_DIRECTIONS_(cmk_host_ffma, float, float, fmaf(x, y, z))
CMK_HOST_DIRECTIONS_(cmk_host_dfma, double, double, fma(x, y, z))
CMK_HOST_DIRECTIONS_(cmk_host_ll2float, float, long long, x)
CMK_HOST_DIRECTIONS_(cmk_host_ull2float, float, unsigned long long, x)
CMK_HOST_DIRECTIONS_(cmk_host_ll2double, double, long long, x)
CMK_HOST_DIRECTIONS_(cmk_host_ull2double, double, unsigned long long, x)
CMK_HOST_DIRECTIONS_(cmk_host_double2float, float, double, x)

#define CMK_HOST_ROUNDED_NAMES_(way)                                                                                   \
    CMK_HOST_ROUNDED_NAMES_OF_(f, float, way)                                                                          \
    CMK_HOST_ROUNDED_NAMES_OF_(d, double, way)                                                                         \
    CMK_HOST_ROUNDED_NAME_(__fmaf_##way, float, cmk_host_ffma_##way##_)                                                \
    CMK_HOST_ROUNDED_NAME_(__fma_##way, double, cmk_host_dfma_##way##_)                                                \
    CMK_HOST_CONVERTED_(__int2float_##way, float, int, cmk_host_ll2float_##way##_)                                     \
    CMK_HOST_CONVERTED_(__uint2float_##way, float, unsigned, cmk_host_ll2float_##way##_)                               \
    CMK_HOST_CONVERTED_(__ll2float_##way, float, long long, cmk_host_ll2float_##way##_)                                \
    CMK_HOST_CONVERTED_(__ull2float_##way, float, unsigned long long, cmk_host_ull2float_##way##_)                     \
    CMK_HOST_CONVERTED_(__ll2double_##way, double, long long, cmk_host_ll2double_##way##_)                             \
    CMK_HOST_CONVERTED_(__ull2double_##way, double, unsigned long long, cmk_host_ull2double_##way##_)                  \
    CMK_HOST_CONVERTED_(__double2float_##way, float, double, cmk_host_double2float_##way##_)
#define CMK_HOST_ROUNDED_NAMES_OF_(letter, T, way)                                                                     \
    CMK_HOST_ROUNDED_PAIR_(__##letter##add_##way, T, cmk_host_##letter##add_##way##_)                                  \
    CMK_HOST_ROUNDED_PAIR_(__##letter##sub_##way, T, cmk_host_##letter##sub_##way##_)                                  \
    CMK_HOST_ROUNDED_PAIR_(__##letter##mul_##way, T, cmk_host_##letter##mul_##way##_)                                  \
    CMK_HOST_ROUNDED_PAIR_(__##letter##div_##way, T, cmk_host_##letter##div_##way##_)                                  \
    CMK_HOST_CONVERTED_(__##letter##sqrt_##way, T, T, cmk_host_##letter##sqrt_##way##_)                                \
    static inline T __##letter##rcp_##way(T value)                                                                     \
    {                                                                                                                  \
        return cmk_host_##letter##div_##way##_(1, value, 0);                                                           \
    }
#define CMK_HOST_ROUNDED_NAME_(name, T, function)                                                                      \
    static inline T name(T one, T two, T three)                                                                        \
    {                                                                                                                  \
        return function(one, two, three);                                                                              \
    }
#define CMK_HOST_ROUNDED_PAIR_(name, T, function)                                                                      \
    static inline T name(T one, T two)                                                                                 \
    {                                                                                                                  \
        return function(one, two, 0);                                                                                  \
    }
#define CMK_HOST_CONVERTED_(name, T, OF, function)                                                                     \
    static inline T name(OF value)                                                                                     \
    {                                                                                                                  \
        return function(value, 0, 0);                                                                                  \
    }
CMK_HOST_ROUNDED_NAMES_(rz)
CMK_HOST_ROUNDED_NAMES_(ru)
CMK_HOST_ROUNDED_NAMES_(rd)

CMK_HOST_C_END_

#endif
