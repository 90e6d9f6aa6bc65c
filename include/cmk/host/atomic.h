/* host/atomic.h: atomic operations of kernels on int, unsigned, long long, float and double, in global
 * memory, shared memory or a device variable. Each returns the old value and evaluates its arguments once. */
#include "../base.h"
#ifndef CMK_HOST_ATOMIC_H
#define CMK_HOST_ATOMIC_H

/* clang-format off */
#define atomicAdd(address_, value_) CMK_HOST_ATOMIC_(address_, value_, cmk_host_old_ + cmk_host_operand_)
#define atomicSub(address_, value_) CMK_HOST_ATOMIC_(address_, value_, cmk_host_old_ - cmk_host_operand_)
#define atomicExch(address_, value_) CMK_HOST_ATOMIC_(address_, value_, cmk_host_operand_)
#define atomicAnd(address_, value_) CMK_HOST_ATOMIC_(address_, value_, cmk_host_old_ & cmk_host_operand_)
#define atomicOr(address_, value_) CMK_HOST_ATOMIC_(address_, value_, cmk_host_old_ | cmk_host_operand_)
#define atomicXor(address_, value_) CMK_HOST_ATOMIC_(address_, value_, cmk_host_old_ ^ cmk_host_operand_)
#define atomicMin(address_, value_) \
    CMK_HOST_ATOMIC_(address_, value_, cmk_host_operand_ < cmk_host_old_ ? cmk_host_operand_ : cmk_host_old_)
#define atomicMax(address_, value_) \
    CMK_HOST_ATOMIC_(address_, value_, cmk_host_operand_ > cmk_host_old_ ? cmk_host_operand_ : cmk_host_old_)
#define atomicInc(address_, limit_) \
    CMK_HOST_ATOMIC_(address_, limit_, cmk_host_old_ >= cmk_host_operand_ ? 0 : cmk_host_old_ + 1)
#define atomicDec(address_, limit_)                                                         \
    CMK_HOST_ATOMIC_(address_, limit_, cmk_host_old_ == 0 || cmk_host_old_ > cmk_host_operand_ \
                                           ? cmk_host_operand_ : cmk_host_old_ - 1)
#define atomicCAS(address_, wanted_, value_)                                                \
    __extension__({                                                                         \
        __typeof__(*(address_) + 0) cmk_host_wanted_ = (wanted_);                           \
        CMK_HOST_ATOMIC_(address_, value_,                                                  \
                         cmk_host_old_ == cmk_host_wanted_ ? cmk_host_operand_ : cmk_host_old_); \
    })
/* clang-format on */

/* `next` is the new value in terms of cmk_host_old_ and cmk_host_operand_. */
#define CMK_HOST_ATOMIC_(address_, value_, next_)                                                            \
    __extension__({                                                                                          \
        __typeof__(*(address_) + 0) cmk_host_operand_ = (value_);                                            \
        __typeof__(*(address_) + 0) *cmk_host_at_ = (__typeof__(*(address_) + 0) *)cmk_host_atomic_(         \
            (address_), sizeof *(address_), __FILE__, __LINE__);                                             \
        __typeof__(*(address_) + 0) cmk_host_old_;                                                           \
        __typeof__(*(address_) + 0) cmk_host_next_;                                                          \
        __atomic_load(cmk_host_at_, &cmk_host_old_, __ATOMIC_RELAXED);                                       \
        do                                                                                                   \
            cmk_host_next_ = (next_);                                                                        \
        while (!__atomic_compare_exchange(                                                                   \
            cmk_host_at_, &cmk_host_old_, &cmk_host_next_, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));          \
        cmk_host_old_;                                                                                       \
    })

CMK_HOST_C_BEGIN_

/* An atomic operation reads and writes. */
static inline void *cmk_host_atomic_(volatile void *address_, size_t bytes_, const char *file_, int line_)
{
    (void)cmk_host_readable_(address_, bytes_, bytes_, file_, line_);
    return cmk_host_writable_(address_, bytes_, bytes_, file_, line_);
}

CMK_HOST_C_END_

#endif
