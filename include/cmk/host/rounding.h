/* host/rounding.h: CUDA's operations and conversions that name a direction of rounding other than to the nearest:
 * __fadd_rz toward zero, __fmul_ru up, __int2float_rd down. It is for programs that include CUDA's headers by toolkit/.
 * The processor rounds so while the operation is carried out. C++. */
#include "../base.h"
#ifndef CMK_HOST_ROUNDING_H
#define CMK_HOST_ROUNDING_H

#if defined(__cplusplus)

#include <fenv.h>

/* Volatile variables keep the operation, and what the compiler knows of its numbers, between the two changes. */
template <class T, class number, class operation>
T cmk_host_rounded_(int mode, operation operate, number first, number second = 0, number third = 0)
{
    const int before = fegetround();
    const volatile number x = first, y = second, z = third;
    (void)fesetround(mode);
    const volatile T result = operate(x, y, z);
    (void)fesetround(before);
    return result;
}

template <class T, class number> T cmk_host_converted_(int mode, number value)
{
    return cmk_host_rounded_<T>(
        mode, [](auto &x, auto &, auto &) { return (T)x; }, value);
}

#define CMK_HOST_WAY_(name) name##rz
#define CMK_HOST_MODE_ FE_TOWARDZERO
#include "rounding.inc"
#undef CMK_HOST_WAY_
#undef CMK_HOST_MODE_
#define CMK_HOST_WAY_(name) name##ru
#define CMK_HOST_MODE_ FE_UPWARD
#include "rounding.inc"
#undef CMK_HOST_WAY_
#undef CMK_HOST_MODE_
#define CMK_HOST_WAY_(name) name##rd
#define CMK_HOST_MODE_ FE_DOWNWARD
#include "rounding.inc"
#undef CMK_HOST_WAY_
#undef CMK_HOST_MODE_

#endif

#endif
