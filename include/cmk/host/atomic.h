/* host/atomic.h: atomic operations of kernels on int, unsigned, long long, float and double, in global
 * memory, shared memory or a device variable. Each returns the old value and evaluates its arguments once. */
#include "../base.h"
#ifndef CMK_HOST_ATOMIC_H
#define CMK_HOST_ATOMIC_H

#define atomicAdd(address, value) CMK_HOST_ATOMIC_(address, value, cmk_old_ + cmk_value_)
#define atomicSub(address, value) CMK_HOST_ATOMIC_(address, value, cmk_old_ - cmk_value_)
#define atomicExch(address, value) CMK_HOST_ATOMIC_(address, value, cmk_value_)
#define atomicAnd(address, value) CMK_HOST_ATOMIC_(address, value, (cmk_old_ & cmk_value_))
#define atomicOr(address, value) CMK_HOST_ATOMIC_(address, value, cmk_old_ | cmk_value_)
#define atomicXor(address, value) CMK_HOST_ATOMIC_(address, value, cmk_old_ ^ cmk_value_)
#define atomicMin(address, value) CMK_HOST_ATOMIC_(address, value, cmk_value_ < cmk_old_ ? cmk_value_ : cmk_old_)
#define atomicMax(address, value) CMK_HOST_ATOMIC_(address, value, cmk_value_ > cmk_old_ ? cmk_value_ : cmk_old_)
#define atomicInc(address, limit) CMK_HOST_ATOMIC_(address, limit, cmk_old_ >= cmk_value_ ? 0 : cmk_old_ + 1)
#define atomicDec(address, limit) CMK_HOST_ATOMIC_(address, limit, CMK_HOST_DECREMENTED_)
#define CMK_HOST_DECREMENTED_ cmk_old_ == 0 || cmk_old_ > cmk_value_ ? cmk_value_ : cmk_old_ - 1
#define atomicCAS(address, wanted, value)                                                                              \
    __extension__({                                                                                                    \
        __typeof__(*(address) + 0) cmk_wanted_ = (wanted);                                                             \
        CMK_HOST_ATOMIC_(address, value, cmk_old_ == cmk_wanted_ ? cmk_value_ : cmk_old_);                             \
    })

/* `next` is the new value in terms of cmk_old_ and cmk_value_. */
#define CMK_HOST_ATOMIC_(address, value, next)                                                                         \
    __extension__({                                                                                                    \
        __typeof__(*(address) + 0) cmk_value_ = (value), cmk_old_, cmk_next_;                                          \
        void *const cmk_at_ = cmk_host_atomic_((address), &cmk_old_, sizeof cmk_old_, __FILE__, __LINE__);             \
        do cmk_next_ = (next);                                                                                         \
        while (!cmk_host_atomic_change_(cmk_at_, &cmk_old_, &cmk_next_, sizeof cmk_old_));                             \
        cmk_old_;                                                                                                      \
    })

typedef uint32_t __attribute__((may_alias)) cmk_host_word_;
typedef uint64_t __attribute__((may_alias)) cmk_host_double_word_;

CMK_HOST_C_BEGIN_

/* The address, checked, and in *old what is there, of 4 or 8 bytes. An atomic operation reads and writes. */
static inline void *cmk_host_atomic_(volatile void *address, void *old, size_t bytes, const char *file, int line)
{
    (void)cmk_host_readable_(address, bytes, bytes, file, line);
    void *at = cmk_host_writable_(address, bytes, bytes, file, line);
    if (bytes == 4)
        __atomic_load((cmk_host_word_ *)at, (cmk_host_word_ *)old, __ATOMIC_RELAXED);
    else
        __atomic_load((cmk_host_double_word_ *)at, (cmk_host_double_word_ *)old, __ATOMIC_RELAXED);
    return at;
}

/* Whether *old was there still, which is *next now; else *old becomes what is there. */
static inline int cmk_host_atomic_change_(void *at, void *old, void *next, size_t bytes)
{
    if (bytes == 4)
        return __atomic_compare_exchange((cmk_host_word_ *)at, (cmk_host_word_ *)old, (cmk_host_word_ *)next, 0,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return __atomic_compare_exchange((cmk_host_double_word_ *)at, (cmk_host_double_word_ *)old,
                                     (cmk_host_double_word_ *)next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

CMK_HOST_C_END_

#endif
