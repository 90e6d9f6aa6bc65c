/* host/fiber.h: fibers, which are stacks for CUDA threads that wait.
 *
 * A fiber is a stack of 640 KB; CUDA allows a thread 512 KB of locals. Below it lies a guard of 1 MB that stops an
 * overflow. Both are reserved addresses. Memory is used only for pages that are touched. */
#include "../base.h"
#ifndef CMK_HOST_FIBER_H
#define CMK_HOST_FIBER_H

#if defined(__x86_64__)
#define CMK_HOST_PAGE_ ((size_t)4096)
#else
#define CMK_HOST_PAGE_ ((size_t)65536) /* the largest page size that Linux uses there */
#endif
#define CMK_HOST_STACK_ ((size_t)640 << 10)
/* With ThreadSanitizer each block has new stacks, without guards. The distance from stack to stack is an odd number of
 * pages, which spreads them over the sets of the TLB. */
#if CMK_HOST_TSAN_
#define CMK_HOST_GUARD_ CMK_HOST_PAGE_
#else
#define CMK_HOST_GUARD_ (((size_t)1 << 20) + CMK_HOST_PAGE_)
#endif
#define CMK_HOST_GUARDS_ 24000u /* Linux allows a process 65,530 mappings; a guard makes two */
#define CMK_HOST_BATCH_ 32u

/* Fibers are made in batches. One mapping holds the stacks of a batch. */
typedef struct cmk_host_batch_ {
    struct cmk_host_batch_ *next_;
    char *stacks_;
    unsigned guards_; /* guards that are mappings */
    cmk_host_fiber_ *fibers_[CMK_HOST_BATCH_];
} cmk_host_batch_;

CMK_HOST_C_BEGIN_

/* Where the stack of a new fiber begins. On x86-64 it is as after a call: 8 bytes below a multiple of 16, with a return
 * address that ends the backtrace of a debugger. */
CMK_HOST_HELPER_ void *cmk_host_stack_top_(char *top)
{
    uintptr_t start = (uintptr_t)top & ~(uintptr_t)63;
#if defined(__x86_64__)
    start -= 8;
    *(void **)start = NULL;
#endif
    return (void *)start;
}

/* Neighbouring stacks start at different cache lines of their page, so that their frames do not displace each other. */
CMK_HOST_HELPER_ cmk_host_fiber_ *cmk_host_fiber_new_(char *low, unsigned number, void (*entry)(void))
{
    char *top = low + CMK_HOST_STACK_ - 128 - number % 16 * 192;
    cmk_host_fiber_ *fiber = (cmk_host_fiber_ *)(void *)top;
    fiber->low_ = low;
    fiber->bytes_ = (size_t)(top - low);
    fiber->pc_ = entry;
    fiber->sp_ = cmk_host_stack_top_(top);
    return fiber;
}

CMK_HOST_ONE_ unsigned cmk_host_guards_; /* guards of all batches that are mappings */

/* Makes the guard of a stack. Where there are too many for mappings, Linux 6.13 and later have guards without a
 * mapping. */
CMK_HOST_HELPER_ void cmk_host_guard_(cmk_host_batch_ *batch, char *start)
{
    enum { GUARD_INSTALL = 102 };
    if (CMK_HOST_TSAN_) return;
    if (__atomic_add_fetch(&cmk_host_guards_, 1, __ATOMIC_RELAXED) <= CMK_HOST_GUARDS_) {
        (void)mprotect(start, CMK_HOST_GUARD_, PROT_NONE);
        batch->guards_++;
    } else {
        (void)cmk_host_madvise_(start, CMK_HOST_GUARD_, GUARD_INSTALL);
        __atomic_fetch_sub(&cmk_host_guards_, 1, __ATOMIC_RELAXED);
    }
}

CMK_HOST_HELPER_ cmk_host_batch_ *cmk_host_batch_new_(void (*entry)(void))
{
    size_t step = CMK_HOST_STACK_ + CMK_HOST_GUARD_;
    int flags = MAP_PRIVATE | CMK_HOST_MAP_ANONYMOUS_ | CMK_HOST_MAP_NORESERVE_;
    cmk_host_batch_ *batch = (cmk_host_batch_ *)cmk_host_need_(calloc(1, sizeof *batch), "fibers");
    void *stacks = mmap(NULL, step * CMK_HOST_BATCH_, PROT_READ | PROT_WRITE, flags, -1, 0);
    batch->stacks_ = (char *)cmk_host_need_(stacks == MAP_FAILED ? NULL : stacks, "the stacks of fibers");
    for (unsigned i = 0; i < CMK_HOST_BATCH_; i++) {
        char *guard = batch->stacks_ + step * i;
        cmk_host_guard_(batch, guard);
        batch->fibers_[i] = cmk_host_fiber_new_(guard + CMK_HOST_GUARD_, i, entry);
    }
    return batch;
}

CMK_HOST_HELPER_ void cmk_host_batch_free_(cmk_host_batch_ *batch)
{
    const size_t bytes = (CMK_HOST_STACK_ + CMK_HOST_GUARD_) * CMK_HOST_BATCH_;
    cmk_host_asan_allow_(batch->stacks_, bytes); /* frames have not returned, and other memory may come there */
    munmap(batch->stacks_, bytes);
    __atomic_fetch_sub(&cmk_host_guards_, batch->guards_, __ATOMIC_RELAXED);
    free(batch);
}

/* Goes on with another fiber. It returns, through `resume`, when somebody goes on with this fiber. Only quiet functions
 * (CMK_HOST_QUIET_) may call it. */
CMK_HOST_UNSEEN_ CMK_HOST_INLINE_ void cmk_host_jump_(cmk_host_fiber_ *from, cmk_host_fiber_ *to, void (*resume)(void))
{
    threadIdx = to->index_;
#if CMK_HOST_ASAN_
    __sanitizer_start_switch_fiber(&from->fake_stack_, to->low_, to->bytes_);
#endif
    cmk_host_switch_(from, to, resume);
#if CMK_HOST_ASAN_
    __sanitizer_finish_switch_fiber(from->fake_stack_, NULL, NULL);
#endif
#if CMK_HOST_TSAN_
    __tsan_switch_to_fiber(from->shadow_, 1);
#endif
}

CMK_HOST_C_END_

#endif
