/* host/atomic.h: atomic operations of kernels on numbers of 2, 4 or 8 bytes in global memory, in shared memory or in a
 * device variable. Each returns the old value and evaluates its arguments once. */
#include "../base.h"
#ifndef CMK_HOST_ATOMIC_H
#define CMK_HOST_ATOMIC_H

typedef uint16_t __attribute__((may_alias)) cmk_host_half_word_;
typedef uint32_t __attribute__((may_alias)) cmk_host_word_;
typedef uint64_t __attribute__((may_alias)) cmk_host_double_word_;

CMK_HOST_C_BEGIN_

/* Checks the address and returns it; *old becomes the value there. An atomic operation reads and writes. In programs of
 * CUDA alone (toolkit/) plain stores write shared memory too. Then only a build that watches plain accesses (watch.h)
 * knows what has been written. */
CMK_HOST_HELPER_ void *cmk_host_atomic_(volatile void *address, void *old, size_t bytes, const char *file, int line)
{
    cmk_host_global_meeting_();
#if CMK_HOST_WATCH_
    if (cmk_host_spin_look_(address, bytes, 0)) cmk_host_fail_spin_(address, bytes, file, line);
#endif
#if !CMK_HOST_PLAIN_ || CMK_HOST_WATCH_
    (void)cmk_host_readable_(address, bytes, bytes, file, line);
#endif
    void *at = cmk_host_writable_(address, bytes, bytes, file, line);
    if (CMK_HOST_WATCH_) cmk_host_global_look_((uintptr_t)at, bytes, 1, cmk_host_origin_of_(file, line));
    if (CMK_HOST_COUNTS_) cmk_host_count_atomic_((uintptr_t)at, bytes, file, line);
    cmk_host_race_atomic_();
    cmk_host_global_meets_(cmk_host_meets_atomic_);
    if (bytes == 2)
        __atomic_load((cmk_host_half_word_ *)at, (cmk_host_half_word_ *)old, __ATOMIC_RELAXED);
    else if (bytes == 4)
        __atomic_load((cmk_host_word_ *)at, (cmk_host_word_ *)old, __ATOMIC_RELAXED);
    else
        __atomic_load((cmk_host_double_word_ *)at, (cmk_host_double_word_ *)old, __ATOMIC_RELAXED);
    return at;
}

/* Replaces *old by *next. Value: 1 where *old was still there; otherwise 0, and *old becomes what is there. */
CMK_HOST_HELPER_ int cmk_host_atomic_change_(void *at, void *old, void *next, size_t bytes)
{
    if (bytes == 2)
        return __atomic_compare_exchange((cmk_host_half_word_ *)at, (cmk_host_half_word_ *)old,
                                         (cmk_host_half_word_ *)next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    if (bytes == 4)
        return __atomic_compare_exchange((cmk_host_word_ *)at, (cmk_host_word_ *)old, (cmk_host_word_ *)next, 0,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return __atomic_compare_exchange((cmk_host_double_word_ *)at, (cmk_host_double_word_ *)old,
                                     (cmk_host_double_word_ *)next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

CMK_HOST_C_END_

/* The new value in terms of cmk_old_ and cmk_value_. In C++ the operations are functions, which a program may
 * overload. */
#define CMK_HOST_SUM_ cmk_old_ + cmk_value_
#define CMK_HOST_DIFFERENCE_ cmk_old_ - cmk_value_
#define CMK_HOST_LEAST_ cmk_value_ < cmk_old_ ? cmk_value_ : cmk_old_
#define CMK_HOST_MOST_ cmk_value_ > cmk_old_ ? cmk_value_ : cmk_old_
#define CMK_HOST_INCREMENTED_ cmk_old_ >= cmk_value_ ? 0 : cmk_old_ + 1
#define CMK_HOST_DECREMENTED_ cmk_old_ == 0 || cmk_old_ > cmk_value_ ? cmk_value_ : cmk_old_ - 1

#if defined(__cplusplus)

template <class element> struct cmk_host_same_ {
    typedef element type;
};

/* Replaces *address by next(old, value), where old is what is there, and returns old. */
template <class element, class function>
CMK_HOST_HELPER_ element cmk_host_atomic_do_(volatile element *address, element value, function next, const char *file,
                                             int line)
{
    element old, changed;
    void *const at = cmk_host_atomic_(address, &old, sizeof(element), file, line);
    do changed = next(old, value);
    while (!cmk_host_atomic_change_(at, &old, &changed, sizeof(element)));
    return old;
}

/* clang-format off */
#define CMK_HOST_ATOMIC_(name, next) \
    template <class element> static inline element name(volatile element *address, \
        typename cmk_host_same_<element>::type value, const char *file = __builtin_FILE(), \
        int line = __builtin_LINE()) \
    { return cmk_host_atomic_do_(address, value, [](CMK_UNUSED_ element cmk_old_, CMK_UNUSED_ element cmk_value_) \
                                 { return (element)(next); }, file, line); }
/* clang-format on */
CMK_HOST_ATOMIC_(atomicAdd, CMK_HOST_SUM_)
CMK_HOST_ATOMIC_(atomicSub, CMK_HOST_DIFFERENCE_)
CMK_HOST_ATOMIC_(atomicExch, cmk_value_)
CMK_HOST_ATOMIC_(atomicAnd, cmk_old_ &cmk_value_)
CMK_HOST_ATOMIC_(atomicOr, cmk_old_ | cmk_value_)
CMK_HOST_ATOMIC_(atomicXor, cmk_old_ ^ cmk_value_)
CMK_HOST_ATOMIC_(atomicMin, CMK_HOST_LEAST_)
CMK_HOST_ATOMIC_(atomicMax, CMK_HOST_MOST_)
CMK_HOST_ATOMIC_(atomicInc, CMK_HOST_INCREMENTED_)
CMK_HOST_ATOMIC_(atomicDec, CMK_HOST_DECREMENTED_)

template <class element>
CMK_HOST_HELPER_ element atomicCAS(volatile element *address, typename cmk_host_same_<element>::type wanted,
                                   typename cmk_host_same_<element>::type value, const char *file = __builtin_FILE(),
                                   int line = __builtin_LINE())
{
    return cmk_host_atomic_do_(
        address, value, [wanted](element old, element given) { return old == wanted ? given : old; }, file, line);
}

#else

#define atomicAdd(address, value) CMK_HOST_ATOMIC_(address, value, CMK_HOST_SUM_)
#define atomicSub(address, value) CMK_HOST_ATOMIC_(address, value, CMK_HOST_DIFFERENCE_)
#define atomicExch(address, value) CMK_HOST_ATOMIC_(address, value, cmk_value_)
#define atomicAnd(address, value) CMK_HOST_ATOMIC_(address, value, (cmk_old_ & cmk_value_))
#define atomicOr(address, value) CMK_HOST_ATOMIC_(address, value, cmk_old_ | cmk_value_)
#define atomicXor(address, value) CMK_HOST_ATOMIC_(address, value, cmk_old_ ^ cmk_value_)
#define atomicMin(address, value) CMK_HOST_ATOMIC_(address, value, CMK_HOST_LEAST_)
#define atomicMax(address, value) CMK_HOST_ATOMIC_(address, value, CMK_HOST_MOST_)
#define atomicInc(address, limit) CMK_HOST_ATOMIC_(address, limit, CMK_HOST_INCREMENTED_)
#define atomicDec(address, limit) CMK_HOST_ATOMIC_(address, limit, CMK_HOST_DECREMENTED_)
#define atomicCAS(address, wanted, value)                                                                              \
    __extension__({                                                                                                    \
        __typeof__(*(address) + 0) cmk_wanted_ = (wanted);                                                             \
        CMK_HOST_ATOMIC_(address, value, cmk_old_ == cmk_wanted_ ? cmk_value_ : cmk_old_);                             \
    })

#define CMK_HOST_ATOMIC_(address, value, next)                                                                         \
    __extension__({                                                                                                    \
        __typeof__(*(address) + 0) cmk_value_ = (value), cmk_old_, cmk_next_;                                          \
        void *const cmk_at_ = cmk_host_atomic_((address), &cmk_old_, sizeof cmk_old_, __FILE__, __LINE__);             \
        do cmk_next_ = (next);                                                                                         \
        while (!cmk_host_atomic_change_(cmk_at_, &cmk_old_, &cmk_next_, sizeof cmk_old_));                             \
        cmk_old_;                                                                                                      \
    })

#endif

/* Operations for the block, and for all devices, are the same here. */
#define atomicAdd_block atomicAdd
#define atomicSub_block atomicSub
#define atomicExch_block atomicExch
#define atomicAnd_block atomicAnd
#define atomicOr_block atomicOr
#define atomicXor_block atomicXor
#define atomicMin_block atomicMin
#define atomicMax_block atomicMax
#define atomicInc_block atomicInc
#define atomicDec_block atomicDec
#define atomicCAS_block atomicCAS
#define atomicAdd_system atomicAdd
#define atomicSub_system atomicSub
#define atomicExch_system atomicExch
#define atomicAnd_system atomicAnd
#define atomicOr_system atomicOr
#define atomicXor_system atomicXor
#define atomicMin_system atomicMin
#define atomicMax_system atomicMax
#define atomicInc_system atomicInc
#define atomicDec_system atomicDec
#define atomicCAS_system atomicCAS

#endif
