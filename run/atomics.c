/* atomics.c: the atomic operations of a program of ./cmk report, which has this file linked to it.
 *
 * With -fsanitize=thread gcc calls a function for each atomic operation of the language. No runtime of a sanitizer is
 * linked (host/count/trace.h), so these are the operations themselves. */
#include <stdint.h>

#define CHANGE(bits, name)                                                                                             \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *at, uint##bits##_t value, int order)          \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        return __atomic_##name(at, value, __ATOMIC_SEQ_CST);                                                           \
    }

#define COMPARE(bits, name)                                                                                            \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile uint##bits##_t *at, uint##bits##_t *old,                \
                                                      uint##bits##_t next, int order, int otherwise)                   \
    {                                                                                                                  \
        (void)order, (void)otherwise;                                                                                  \
        return __atomic_compare_exchange_n(at, old, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                      \
    }

#define ATOMICS(bits)                                                                                                  \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order)                            \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                                  \
    }                                                                                                                  \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t value, int order)                     \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                                 \
    }                                                                                                                  \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *at, uint##bits##_t value, int order)        \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                                                       \
    }                                                                                                                  \
    CHANGE(bits, fetch_add)                                                                                            \
    CHANGE(bits, fetch_sub)                                                                                            \
    CHANGE(bits, fetch_and)                                                                                            \
    CHANGE(bits, fetch_or)                                                                                             \
    CHANGE(bits, fetch_xor)                                                                                            \
    CHANGE(bits, fetch_nand)                                                                                           \
    COMPARE(bits, strong)                                                                                              \
    COMPARE(bits, weak)

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
