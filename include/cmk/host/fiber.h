/* host/fiber.h: stacks of their own for CUDA threads that wait.
 *
 * A fiber is a stack with a page below it that stops an overflow. */
#include "../base.h"
#ifndef CMK_HOST_FIBER_H
#define CMK_HOST_FIBER_H

#if defined(__x86_64__)
#define CMK_HOST_PAGE_ ((size_t)4096)
#else
#define CMK_HOST_PAGE_ ((size_t)65536) /* the largest page size that Linux uses there */
#endif
#if CMK_HOST_ASAN_ || CMK_HOST_TSAN_
#define CMK_HOST_STACK_ ((size_t)512 << 10)
#else
#define CMK_HOST_STACK_ ((size_t)64 << 10) /* reserved; memory is taken by the pages that are touched */
#endif
#define CMK_HOST_BATCH_ 32u

/* Fibers are made in batches: one mapping holds the stacks of all of them. */
typedef struct cmk_host_batch_ {
    struct cmk_host_batch_ *next_;
    char *stacks_;
    cmk_host_fiber_ *fibers_[CMK_HOST_BATCH_];
} cmk_host_batch_;

CMK_HOST_C_BEGIN_

/* Where a new fiber's stack begins. On x86-64 that is as after a call: 8 below a multiple of 16, with a
 * return address that ends a debugger's backtrace. */
CMK_HOST_HELPER_ void *cmk_host_stack_top_(char *top_)
{
    uintptr_t start_ = (uintptr_t)top_ & ~(uintptr_t)63;
#if defined(__x86_64__)
    start_ -= 8;
    *(void **)start_ = NULL;
#endif
    return (void *)start_;
}

/* Neighbours start at different cache lines of their page, so their frames do not displace each other. */
CMK_HOST_HELPER_ cmk_host_fiber_ *cmk_host_fiber_new_(char *low_, unsigned number_, void (*entry_)(void))
{
    char *top_ = low_ + CMK_HOST_STACK_ - 128 - number_ % 16 * 192;
    cmk_host_fiber_ *fiber_ = (cmk_host_fiber_ *)(void *)top_;
    fiber_->low_ = low_;
    fiber_->bytes_ = (size_t)(top_ - low_);
    fiber_->pc_ = entry_;
    fiber_->sp_ = cmk_host_stack_top_(top_);
    return fiber_;
}

CMK_HOST_HELPER_ cmk_host_batch_ *cmk_host_batch_new_(void (*entry_)(void), int guarded_)
{
    size_t step_ = CMK_HOST_STACK_ + CMK_HOST_PAGE_;
    int flags_ = MAP_PRIVATE | CMK_HOST_MAP_ANONYMOUS_ | CMK_HOST_MAP_NORESERVE_;
    cmk_host_batch_ *batch_ = (cmk_host_batch_ *)cmk_host_need_(calloc(1, sizeof *batch_), "fibers");
    void *stacks_ = mmap(NULL, step_ * CMK_HOST_BATCH_, PROT_READ | PROT_WRITE, flags_, -1, 0);
    batch_->stacks_ = (char *)cmk_host_need_(stacks_ == MAP_FAILED ? NULL : stacks_, "the stacks of fibers");
    for (unsigned i_ = 0; i_ < CMK_HOST_BATCH_; i_++) {
        char *guard_ = batch_->stacks_ + step_ * i_;
        if (guarded_)
            (void)mprotect(guard_, CMK_HOST_PAGE_, PROT_NONE);
        batch_->fibers_[i_] = cmk_host_fiber_new_(guard_ + CMK_HOST_PAGE_, i_, entry_);
    }
    return batch_;
}

CMK_HOST_HELPER_ void cmk_host_batch_free_(cmk_host_batch_ *batch_)
{
    munmap(batch_->stacks_, (CMK_HOST_STACK_ + CMK_HOST_PAGE_) * CMK_HOST_BATCH_);
    free(batch_);
}

/* Goes on with another fiber; returns, by way of `resume`, when somebody goes on with this one. For quiet
 * functions only. */
CMK_HOST_INLINE_ void cmk_host_jump_(cmk_host_fiber_ *from_, cmk_host_fiber_ *to_, void (*resume_)(void))
{
    threadIdx = to_->index_;
#if CMK_HOST_ASAN_
    __sanitizer_start_switch_fiber(&from_->fake_stack_, to_->low_, to_->bytes_);
#endif
    cmk_host_switch_(from_, to_, resume_);
#if CMK_HOST_ASAN_
    __sanitizer_finish_switch_fiber(from_->fake_stack_, NULL, NULL);
#endif
#if CMK_HOST_TSAN_
    __tsan_switch_to_fiber(from_->shadow_, 1);
#endif
}

CMK_HOST_C_END_

#endif
