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
        __typeof__(&cmk_old_) cmk_at_ =                                                                                \
            (__typeof__(&cmk_old_))cmk_host_atomic_((address), sizeof *(address), __FILE__, __LINE__);                 \
        __atomic_load(cmk_at_, &cmk_old_, __ATOMIC_RELAXED);                                                           \
        do cmk_next_ = (next);                                                                                         \
        while (!__atomic_compare_exchange(cmk_at_, &cmk_old_, &cmk_next_, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));     \
        cmk_old_;                                                                                                      \
    })

CMK_HOST_C_BEGIN_

/* An atomic operation reads and writes. */
static inline void *cmk_host_atomic_(volatile void *address, size_t bytes, const char *file, int line)
{
    (void)cmk_host_readable_(address, bytes, bytes, file, line);
    return cmk_host_writable_(address, bytes, bytes, file, line);
}

CMK_HOST_C_END_

#endif
