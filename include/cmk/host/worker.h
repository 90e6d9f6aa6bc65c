/* host/worker.h: what an OS thread needs to run the blocks of a launch, and which CUDA thread of a block it runs next.
 *
 * A block starts on one fiber, which runs the CUDA threads one after the other. When a thread waits, the next fiber
 * goes on with the threads that have not started. A thread that need not wait any more is put into a queue. So a kernel
 * without barriers costs one call for each thread. A kernel with barriers costs two switches for each thread. */
#include "../base.h"
#ifndef CMK_HOST_WORKER_H
#define CMK_HOST_WORKER_H

#define CMK_HOST_THREADS_ 1024u
#define CMK_HOST_FIBERS_ (CMK_HOST_THREADS_ + CMK_HOST_BATCH_)

/* how a kernel is launched: what stands in <<< >>> */
typedef struct cmk_host_config_ {
    uint3 grid_, block_;
    size_t dynamic_bytes_;
    struct CUstream_st *stream_;
} cmk_host_config_;

typedef struct cmk_host_launch_ {
    cmk_host_arguments_ arguments_;
    uintptr_t stack_mark_; /* above the stack arguments of the launch */
    const char *name_;
    cmk_host_range_ module_; /* the program or library that has the launch */
    uint3 grid_;
    uint3 block_;
    unsigned threads_;
    size_t dynamic_bytes_;
    struct CUstream_st *stream_;
    int device_;
    int counts_;            /* whether its accesses are counted (count.h) */
    int cooperative_;       /* all blocks run at the same time, each by an OS thread of its own */
    unsigned grid_arrived_; /* cooperative: blocks that wait at the barrier of the grid */
    unsigned grid_turn_;    /* cooperative: how often this barrier has opened */
    unsigned long long blocks_;
    unsigned long long taken_; /* the next block that no core has taken; all cores share it */
    unsigned long long chunk_;
    unsigned long long stride_; /* coprime to blocks_: the step through them in shuffled order */
    cmk_host_range_ *ranges_;
    size_t range_count_;
    void *kept_; /* for plain.h: freed at the end of the launch */
    void (*drop_kept_)(void *);
    struct cmk_host_launch_ *outer_;
    const cmk_host_fiber_ *fiber_;                      /* in a kernel: of the CUDA thread that launches */
    const char *file_;                                  /* where it launches */
    int line_;                                          /* 0: by an address, from a place that is not known */
    struct cmk_host_launch_ *children_[2], *newest_[2]; /* launched by it, and tail launches; both run after it */
    struct cmk_host_launch_ *sibling_;
} cmk_host_launch_;

typedef struct cmk_host_warp_ {
    uint64_t value_[32];
    uint64_t result_[32];
    uint32_t mask_[32];
    unsigned char source_[32];
    char meeting_[32][2]; /* addresses by which ThreadSanitizer orders the lanes */
    unsigned char turn_[32];
    unsigned meetings_; /* how often lanes have met */
} cmk_host_warp_;

/* What an OS thread needs to run blocks. */
typedef struct cmk_host_worker_ {
    const cmk_host_launch_ *launch_;
    cmk_host_fiber_ *running_;
    unsigned threads_;  /* in the block */
    unsigned next_;     /* threads that were started */
    unsigned expected_; /* 1 + the rank of the thread started last; 0 at the start of a block */
    uint3 started_;     /* threadIdx of the thread started last */
    unsigned live_;     /* threads that have not exited */
    unsigned arrived_;  /* threads at the barrier */
    unsigned ready_first_;
    unsigned ready_count_;
    unsigned idle_count_;
    int true_count_; /* threads at the barrier whose condition holds */
    int last_count_; /* the same for the barrier before */
    int barrier_line_;
    const char *barrier_file_;
    const char *barrier_here_; /* identifies the barrier on that line */
    unsigned barriers_;
    int left_; /* a thread has failed, and the block is abandoned */
    uint32_t random_;
    cmk_host_fiber_ main_;
    cmk_host_batch_ *batches_;
    void (*entry_)(void);                      /* where a fiber begins */
    char *signal_stack_;                       /* for the handler of fault.h */
    uint32_t waiting_[CMK_HOST_THREADS_ / 32]; /* by warp: lanes in an operation */
    uint32_t exited_[CMK_HOST_THREADS_ / 32];  /* by warp: lanes that have exited */
    const void *awaited_[CMK_HOST_THREADS_];   /* barriers of tensor.h that threads wait for */
    cmk_host_warp_ warps_[CMK_HOST_THREADS_ / 32];
    unsigned short order_[CMK_HOST_THREADS_];
    unsigned short ready_[CMK_HOST_THREADS_]; /* a queue of ranks, in a ring */
    cmk_host_fiber_ *fiber_of_[CMK_HOST_THREADS_];
    cmk_host_fiber_ *idle_[CMK_HOST_FIBERS_];
    void *shadow_[CMK_HOST_THREADS_]; /* ThreadSanitizer's fibers, one for each CUDA thread */
    char meeting_[2];                 /* addresses by which it orders the threads of a block, in turns */
    char end_;                        /* the same for the end of the launch */
    cmk_host_shared_ shared_;
} cmk_host_worker_;

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ __thread cmk_host_worker_ *cmk_host_worker_now_;

CMK_HOST_ONE_ int cmk_host_counting_;     /* whether counters are on (count.h) */
CMK_HOST_ONE_ unsigned cmk_host_helpers_; /* OS threads of the backend itself (pool.h) */

/* Whether a CUDA thread of a kernel is running, and was not left by longjmp. */
static inline int cmk_host_is_in_kernel_(void)
{
    const cmk_host_fiber_ *fiber = cmk_host_kernel_name_ ? cmk_host_worker_now_->running_ : NULL;
    return fiber && (uintptr_t)__builtin_frame_address(0) - (uintptr_t)fiber->low_ < fiber->bytes_;
}

/* ---- Order of the threads */
CMK_HOST_HELPER_ uint32_t cmk_host_random_(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Fills order_: the order of the threads of a block until the next barrier. */
CMK_HOST_QUIET_ void cmk_host_order_threads_(cmk_host_worker_ *worker)
{
    unsigned count = worker->threads_;
    for (unsigned i = 0; i < count; i++) worker->order_[i] = (unsigned short)i;
    if (cmk_host_options_now_.order_ == cmk_host_order_forward_) return;
    for (unsigned i = 0; i < count; i++) worker->order_[i] = (unsigned short)(count - 1 - i);
    if (cmk_host_options_now_.order_ == cmk_host_order_reverse_) return;
    for (unsigned i = count; i > 1; i--) {
        unsigned other = cmk_host_random_(&worker->random_) % i;
        unsigned short rank = worker->order_[i - 1];
        worker->order_[i - 1] = worker->order_[other];
        worker->order_[other] = rank;
    }
}

CMK_HOST_HELPER_ uint3 cmk_host_index_of_(unsigned rank, uint3 size)
{
    uint3 index = {rank % size.x, rank / size.x % size.y, rank / size.x / size.y};
    return index;
}

/* ---- Fibers */
/* Not inlined, because the switch saves the registers that its caller needs, and this would need many. */
CMK_HOST_QUIET_ void cmk_host_more_fibers_(cmk_host_worker_ *worker)
{
    cmk_host_batch_ *batch = cmk_host_batch_new_(worker->entry_);
    batch->next_ = worker->batches_;
    worker->batches_ = batch;
    for (unsigned i = CMK_HOST_BATCH_; i > 0; i--) worker->idle_[worker->idle_count_++] = batch->fibers_[i - 1];
}

CMK_HOST_HELPER_ cmk_host_fiber_ *cmk_host_take_fiber_(cmk_host_worker_ *worker)
{
    if (worker->idle_count_ == 0) cmk_host_more_fibers_(worker);
    return worker->idle_[--worker->idle_count_];
}

CMK_HOST_HELPER_ void cmk_host_free_fibers_(cmk_host_worker_ *worker)
{
    while (worker->batches_) {
        cmk_host_batch_ *batch = worker->batches_;
        worker->batches_ = batch->next_;
        cmk_host_batch_free_(batch);
    }
    worker->idle_count_ = 0;
}

/* ---- The scheduler */

/* The stacks of a block do not fit the first-level cache. This fetches first what a fiber needs that runs soon. */
CMK_HOST_INLINE_ void cmk_host_prefetch_(const cmk_host_fiber_ *fiber)
{
    __builtin_prefetch(fiber, 1);
    __builtin_prefetch((const char *)fiber - 64, 1);
    __builtin_prefetch((const char *)fiber - 128, 1);
}

CMK_HOST_HELPER_ void cmk_host_make_ready_(cmk_host_worker_ *worker, unsigned rank)
{
    unsigned last = (worker->ready_first_ + worker->ready_count_++) % CMK_HOST_THREADS_;
    worker->ready_[last] = (unsigned short)rank;
}

CMK_HOST_HELPER_ cmk_host_fiber_ *cmk_host_next_ready_(cmk_host_worker_ *worker)
{
    unsigned rank = worker->ready_[worker->ready_first_];
    worker->ready_first_ = (worker->ready_first_ + 1) % CMK_HOST_THREADS_;
    worker->ready_count_--;
    if (worker->ready_count_ > 0) cmk_host_prefetch_(worker->fiber_of_[worker->ready_[worker->ready_first_]]);
    return worker->fiber_of_[rank];
}

/* Fails where no thread can go on: then some warp waits for lanes that wait elsewhere. */
__attribute__((noreturn, cold)) CMK_HOST_QUIET_ void cmk_host_fail_deadlock_(const cmk_host_worker_ *worker)
{
    unsigned number = 0;
    while (number < CMK_HOST_THREADS_ / 32 && !worker->waiting_[number]) number++;
    if (number == CMK_HOST_THREADS_ / 32)
        cmk_host_fail_(__FILE__, __LINE__, "deadlock: all threads of the block wait for arrivals at barriers");
    unsigned lane = (unsigned)__builtin_ctz(worker->waiting_[number]);
    const cmk_host_fiber_ *fiber = worker->fiber_of_[number * 32 + lane];
    uint32_t mask = worker->warps_[number].mask_[lane];
    mask = mask ? mask : 0xffffffffu;
    threadIdx = fiber->index_;
    cmk_host_fail_(fiber->file_, fiber->line_,
                   "deadlock: this thread waits for the lanes 0x%08x of its warp, of "
                   "which 0x%08x have come; all threads of the block wait, %u of them at __syncthreads",
                   mask, worker->waiting_[number] & mask, worker->arrived_);
}

/* The fiber to go on with when the running one waits. */
CMK_HOST_INLINE_ cmk_host_fiber_ *cmk_host_next_fiber_(cmk_host_worker_ *worker)
{
    if (worker->ready_count_ > 0) return cmk_host_next_ready_(worker);
    if (worker->next_ < worker->threads_) return cmk_host_take_fiber_(worker);
    if (worker->live_ > 0) cmk_host_fail_deadlock_(worker);
    return &worker->main_;
}

/* The running thread waits here until another thread makes it ready. */
CMK_HOST_QUIET_ void cmk_host_wait_(cmk_host_worker_ *worker)
{
    cmk_host_settle_();
    cmk_host_fiber_ *from = worker->running_;
    cmk_host_fiber_ *to = cmk_host_next_fiber_(worker);
    worker->running_ = to;
    if (from != to) cmk_host_jump_(from, to, cmk_host_resume_thread_);
}

CMK_HOST_C_END_

#endif
