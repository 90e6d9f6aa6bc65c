/* host/worker.h: what an OS thread has to run the blocks of a launch, and which of their threads it runs next.
 *
 * A block starts on one fiber, which runs the threads one after the other. When a thread waits, the next fiber goes on
 * with the threads that have not started; a thread that is let go is put into a queue. So a kernel without barriers
 * costs a call for each thread, and one with barriers two switches for each. */
#include "../base.h"
#ifndef CMK_HOST_WORKER_H
#define CMK_HOST_WORKER_H

#define CMK_HOST_THREADS_ 1024u
#define CMK_HOST_FIBERS_ (CMK_HOST_THREADS_ + CMK_HOST_BATCH_)

typedef struct cmk_host_launch_ {
    cmk_host_arguments_ arguments_;
    uintptr_t stack_mark_; /* above the stack arguments of the launch */
    const char *name_;
    cmk_host_range_ module_; /* where the launch stands */
    uint3 grid_;
    uint3 block_;
    unsigned threads_;
    size_t dynamic_bytes_;
    struct CUstream_st *stream_;
    unsigned long long blocks_;
    unsigned long long taken_; /* the next block that nobody runs, shared by all cores */
    unsigned long long chunk_;
    unsigned long long stride_; /* coprime to blocks_: steps through them in shuffled order */
    cmk_host_range_ *ranges_;
    size_t range_count_;
    struct cmk_host_launch_ *outer_;
} cmk_host_launch_;

typedef struct cmk_host_warp_ {
    uint64_t value_[32];
    uint64_t result_[32];
    uint32_t mask_[32];
    unsigned char source_[32];
    char meeting_[32][2]; /* addresses that ThreadSanitizer orders the lanes by */
    unsigned char turn_[32];
} cmk_host_warp_;

/* What an OS thread needs to run blocks. */
typedef struct cmk_host_worker_ {
    const cmk_host_launch_ *launch_;
    cmk_host_fiber_ *running_;
    unsigned threads_;  /* of the block */
    unsigned next_;     /* threads that were started */
    unsigned expected_; /* the rank after the one started last; 0 at the start of a block */
    uint3 started_;     /* threadIdx of the one started last */
    unsigned live_;     /* threads that have not exited */
    unsigned arrived_;  /* threads at the barrier */
    unsigned ready_first_;
    unsigned ready_count_;
    unsigned idle_count_;
    int true_count_; /* threads at the barrier whose condition holds */
    int last_count_; /* the same for the barrier before */
    int barrier_line_;
    const char *barrier_file_;
    const char *barrier_here_; /* which barrier of that line */
    unsigned barriers_;
    uint32_t random_;
    cmk_host_fiber_ main_;
    cmk_host_batch_ *batches_;
    void (*entry_)(void); /* of a fiber */
    char *signal_stack_; /* fault.h */
    uint32_t waiting_[CMK_HOST_THREADS_ / 32]; /* by warp: lanes in an operation */
    uint32_t exited_[CMK_HOST_THREADS_ / 32];  /* by warp: lanes that have exited */
    cmk_host_warp_ warps_[CMK_HOST_THREADS_ / 32];
    unsigned short order_[CMK_HOST_THREADS_];
    unsigned short ready_[CMK_HOST_THREADS_]; /* a queue of ranks, in a ring */
    cmk_host_fiber_ *fiber_of_[CMK_HOST_THREADS_];
    cmk_host_fiber_ *idle_[CMK_HOST_FIBERS_];
    void *shadow_[CMK_HOST_THREADS_]; /* ThreadSanitizer's fibers, one for each CUDA thread */
    char meeting_[2];                 /* addresses that it orders the threads of a block by, in turns */
    char end_;                        /* the same for the end of the launch */
    cmk_host_shared_ shared_;
} cmk_host_worker_;

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ __thread cmk_host_worker_ *cmk_host_worker_now_;

CMK_HOST_ONE_ int cmk_host_counting_; /* whether counters are on (count.h) */

/* ---- Order of the threads */
CMK_HOST_HELPER_ uint32_t cmk_host_random_(uint32_t *state_)
{
    *state_ ^= *state_ << 13;
    *state_ ^= *state_ >> 17;
    *state_ ^= *state_ << 5;
    return *state_;
}

/* Fills order_ for the threads of a block until the next barrier. */
CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_order_threads_(cmk_host_worker_ *worker_)
{
    unsigned count_ = worker_->threads_;
    for (unsigned i_ = 0; i_ < count_; i_++)
        worker_->order_[i_] = (unsigned short)i_;
    if (cmk_host_options_now_.order_ == cmk_host_order_forward_)
        return;
    for (unsigned i_ = 0; i_ < count_; i_++)
        worker_->order_[i_] = (unsigned short)(count_ - 1 - i_);
    if (cmk_host_options_now_.order_ == cmk_host_order_reverse_)
        return;
    for (unsigned i_ = count_; i_ > 1; i_--) {
        unsigned other_ = cmk_host_random_(&worker_->random_) % i_;
        unsigned short rank_ = worker_->order_[i_ - 1];
        worker_->order_[i_ - 1] = worker_->order_[other_];
        worker_->order_[other_] = rank_;
    }
}

CMK_HOST_HELPER_ uint3 cmk_host_index_of_(unsigned rank_, uint3 size_)
{
    uint3 index_ = {rank_ % size_.x, rank_ / size_.x % size_.y, rank_ / size_.x / size_.y};
    return index_;
}

/* ---- Fibers */
/* Not inlined: the switch saves the registers that its caller needs, and this would need many. */
CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_more_fibers_(cmk_host_worker_ *worker_)
{
    cmk_host_batch_ *batch_ = cmk_host_batch_new_(worker_->entry_);
    batch_->next_ = worker_->batches_;
    worker_->batches_ = batch_;
    for (unsigned i_ = CMK_HOST_BATCH_; i_ > 0; i_--)
        worker_->idle_[worker_->idle_count_++] = batch_->fibers_[i_ - 1];
}

CMK_HOST_HELPER_ cmk_host_fiber_ *cmk_host_take_fiber_(cmk_host_worker_ *worker_)
{
    if (worker_->idle_count_ == 0)
        cmk_host_more_fibers_(worker_);
    return worker_->idle_[--worker_->idle_count_];
}

CMK_HOST_HELPER_ void cmk_host_free_fibers_(cmk_host_worker_ *worker_)
{
    while (worker_->batches_) {
        cmk_host_batch_ *batch_ = worker_->batches_;
        worker_->batches_ = batch_->next_;
        cmk_host_batch_free_(batch_);
    }
    worker_->idle_count_ = 0;
}

/* ---- The scheduler */

/* The stacks of a block exceed the first-level cache: fetches what a fiber soon to run needs first. */
CMK_HOST_INLINE_ void cmk_host_prefetch_(const cmk_host_fiber_ *fiber_)
{
    __builtin_prefetch(fiber_, 1);
    __builtin_prefetch((const char *)fiber_ - 64, 1);
    __builtin_prefetch((const char *)fiber_ - 128, 1);
}

CMK_HOST_HELPER_ void cmk_host_make_ready_(cmk_host_worker_ *worker_, unsigned rank_)
{
    unsigned last_ = (worker_->ready_first_ + worker_->ready_count_++) % CMK_HOST_THREADS_;
    worker_->ready_[last_] = (unsigned short)rank_;
}

CMK_HOST_HELPER_ cmk_host_fiber_ *cmk_host_next_ready_(cmk_host_worker_ *worker_)
{
    unsigned rank_ = worker_->ready_[worker_->ready_first_];
    worker_->ready_first_ = (worker_->ready_first_ + 1) % CMK_HOST_THREADS_;
    worker_->ready_count_--;
    if (worker_->ready_count_ > 0)
        cmk_host_prefetch_(worker_->fiber_of_[worker_->ready_[worker_->ready_first_]]);
    return worker_->fiber_of_[rank_];
}

/* Nothing can go on, so some warp waits for lanes that wait elsewhere. */
__attribute__((noreturn, cold)) CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_fail_deadlock_(
    const cmk_host_worker_ *worker_)
{
    unsigned number_ = 0;
    while (!worker_->waiting_[number_])
        number_++;
    unsigned lane_ = (unsigned)__builtin_ctz(worker_->waiting_[number_]);
    const cmk_host_fiber_ *fiber_ = worker_->fiber_of_[number_ * 32 + lane_];
    uint32_t mask_ = worker_->warps_[number_].mask_[lane_];
    mask_ = mask_ ? mask_ : 0xffffffffu;
    threadIdx = fiber_->index_;
    cmk_host_fail_(
        fiber_->file_, fiber_->line_,
        "deadlock: this thread waits for the lanes 0x%08x of its warp, of "
        "which 0x%08x have come; all threads of the block wait, %u of them at __syncthreads",
        mask_, worker_->waiting_[number_] & mask_, worker_->arrived_);
}

/* The fiber to go on with when the running one waits. */
CMK_HOST_INLINE_ cmk_host_fiber_ *cmk_host_next_fiber_(cmk_host_worker_ *worker_)
{
    if (worker_->ready_count_ > 0)
        return cmk_host_next_ready_(worker_);
    if (worker_->next_ < worker_->threads_)
        return cmk_host_take_fiber_(worker_);
    if (worker_->live_ > 0)
        cmk_host_fail_deadlock_(worker_);
    return &worker_->main_;
}

/* The running thread waits until another one makes it ready. */
CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_wait_(cmk_host_worker_ *worker_)
{
    cmk_host_fiber_ *from_ = worker_->running_;
    cmk_host_fiber_ *to_ = cmk_host_next_fiber_(worker_);
    worker_->running_ = to_;
    if (from_ != to_)
        cmk_host_jump_(from_, to_, cmk_host_resume_thread_);
}

CMK_HOST_C_END_

#endif
