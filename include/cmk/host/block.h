/* host/block.h: the threads of one block, and __syncthreads.
 *
 * The block starts on one fiber, which runs the threads one after the other. When a thread waits, the next
 * fiber goes on with the threads that have not started; a thread that is let go is put into a queue. So a
 * kernel without barriers costs a call for each thread, and one with barriers two switches for each. */
#include "../base.h"
#ifndef CMK_HOST_BLOCK_H
#define CMK_HOST_BLOCK_H

#define CMK_HOST_THREADS_ 1024u
#define CMK_HOST_FIBERS_ (CMK_HOST_THREADS_ + CMK_HOST_BATCH_)

#define __syncthreads() cmk_host_syncthreads_(0, CMK_HOST_HERE_, __FILE__, __LINE__)
#define __syncthreads_count(condition_)                                                                      \
    cmk_host_syncthreads_count_(!!(condition_), CMK_HOST_HERE_, __FILE__, __LINE__)
#define __syncthreads_or(condition_) (__syncthreads_count(condition_) > 0)
#define __syncthreads_and(condition_) (__syncthreads_count(!(condition_)) == 0)

/* An address that is this barrier's own, wherever the compiler copies its code to: of two on one line too. */
#define CMK_HOST_HERE_                                                                                       \
    __extension__({                                                                                          \
        static const char cmk_host_here_ = 0;                                                                \
        &cmk_host_here_;                                                                                     \
    })

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

/* Where counters are on (count.h): what the threads have asked for since the last barrier is complete. */
CMK_HOST_ONE_ int cmk_host_counting_;
CMK_HOST_ONE_ void cmk_host_count_phase_(const cmk_host_worker_ *worker_);

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
CMK_HOST_ONE_ void cmk_host_fiber_main_(void);

/* Not inlined: the switch saves the registers that its caller needs, and this would need many. */
CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_more_fibers_(cmk_host_worker_ *worker_)
{
    cmk_host_batch_ *batch_ = cmk_host_batch_new_(cmk_host_fiber_main_);
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

/* ---- The barrier */
CMK_HOST_HELPER_ void cmk_host_check_barrier_(cmk_host_worker_ *worker, const char *here, const char *file, int line)
{
    if (worker->arrived_ == 0) {
        worker->barrier_here_ = here;
        worker->barrier_file_ = file;
        worker->barrier_line_ = line;
    } else if (worker->barrier_here_ != here && worker->barrier_line_ == line &&
               strcmp(worker->barrier_file_, file) == 0) {
        cmk_host_fail_(file, line,
                       "divergent barrier: this thread waits here, %u threads of the block wait at another "
                       "__syncthreads of this line",
                       worker->arrived_);
    } else if (worker->barrier_here_ != here) {
        cmk_host_fail_(file, line,
                       "divergent barrier: this thread waits here, %u threads of the block wait at the "
                       "__syncthreads of %s:%d",
                       worker->arrived_, worker->barrier_file_, worker->barrier_line_);
    }
}

/* All threads of the block wait that have not exited, so the queue is empty: it becomes the order of the next
 * phase. */
CMK_HOST_HELPER_ void cmk_host_open_barrier_(cmk_host_worker_ *worker)
{
    worker->arrived_ = 0;
    worker->barriers_++;
    if (cmk_host_counting_)
        cmk_host_count_phase_(worker);
    worker->last_count_ = worker->true_count_;
    worker->true_count_ = 0;
    if (cmk_host_options_now_.order_ == cmk_host_order_shuffle_)
        cmk_host_order_threads_(worker);
    worker->ready_first_ = 0;
    worker->ready_count_ = worker->live_;
    if (worker->live_ == worker->threads_) {
        cmk_host_copy_(worker->ready_, worker->order_, worker->threads_ * sizeof worker->order_[0]);
        return;
    }
    unsigned count = 0;
    for (unsigned i = 0; i < worker->threads_; i++) {
        unsigned rank = worker->order_[i];
        if (!(worker->exited_[rank / 32] >> rank % 32 & 1))
            worker->ready_[count++] = (unsigned short)rank;
    }
}

/* Threads on both sides of a barrier are ordered by one of two addresses, in turns: with one, ThreadSanitizer
 * would see the threads of a phase as ordered by those that are a barrier ahead. */
CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_syncthreads_(int condition, const char *here, const char *file, int line)
{
    cmk_host_worker_ *worker = cmk_host_worker_now_;
#if CMK_HOST_TSAN_
    char *meeting = &worker->meeting_[worker->barriers_ % 2];
    __tsan_release(meeting);
#endif
    cmk_host_check_barrier_(worker, here, file, line);
    worker->true_count_ += condition;
    if (++worker->arrived_ == worker->live_)
        cmk_host_open_barrier_(worker);
    cmk_host_wait_(worker);
#if CMK_HOST_TSAN_
    __tsan_acquire(meeting);
#endif
}

CMK_HOST_HELPER_ int cmk_host_syncthreads_count_(int condition, const char *here, const char *file, int line)
{
    cmk_host_syncthreads_(condition, here, file, line);
    return cmk_host_worker_now_->last_count_;
}

/* ---- The life of a thread */
/* A thread has exited while lanes of its warp wait (warp.h). */
CMK_HOST_ONE_ void cmk_host_warp_exit_(cmk_host_worker_ *worker_, unsigned rank_);

CMK_HOST_HELPER_ void cmk_host_thread_begin_(cmk_host_worker_ *worker_)
{
    cmk_host_fiber_ *fiber_ = worker_->running_;
    unsigned rank_ = worker_->order_[worker_->next_++];
    uint3 index_ = worker_->started_;
    if (rank_ == worker_->expected_ && index_.x + 1 < worker_->launch_->block_.x)
        index_.x++; /* the usual case, without a division */
    else
        index_ = cmk_host_index_of_(rank_, worker_->launch_->block_);
    worker_->started_ = index_;
    worker_->expected_ = rank_ + 1;
    fiber_->index_ = index_;
    fiber_->rank_ = rank_;
    threadIdx = index_;
    worker_->fiber_of_[rank_] = fiber_;
#if CMK_HOST_TSAN_
    fiber_->shadow_ = worker_->shadow_[rank_];
    __tsan_switch_to_fiber(fiber_->shadow_, 1);
#endif
}

CMK_HOST_HELPER_ void cmk_host_thread_end_(cmk_host_worker_ *worker)
{
    unsigned rank = worker->running_->rank_;
#if CMK_HOST_TSAN_
    __tsan_release(&worker->end_);
#endif
    worker->exited_[rank / 32] |= 1u << rank % 32;
    worker->live_--;
    if (worker->arrived_ > 0 && worker->arrived_ == worker->live_)
        cmk_host_open_barrier_(worker); /* it waits for the others only */
    if (worker->waiting_[rank / 32])
        cmk_host_warp_exit_(worker, rank);
}

/* Where every fiber begins. It runs threads until another fiber has something better to do. */
CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_fiber_main_(void)
{
    cmk_host_worker_ *worker_ = cmk_host_worker_now_;
    cmk_host_fiber_ *fiber_ = worker_->running_;
#if CMK_HOST_ASAN_
    const void *low_;
    size_t bytes_;
    __sanitizer_finish_switch_fiber(NULL, &low_, &bytes_);
    if (!worker_->main_.low_) { /* the first fiber comes from the main stack */
        worker_->main_.low_ = (char *)(uintptr_t)low_;
        worker_->main_.bytes_ = bytes_;
    }
#endif
    for (;;) {
        while (worker_->ready_count_ == 0 && worker_->next_ < worker_->threads_) {
            cmk_host_thread_begin_(worker_);
            cmk_host_replay_(&worker_->launch_->arguments_);
            cmk_host_thread_end_(worker_);
            if (CMK_HOST_TSAN_)
                break;
        }
        cmk_host_fiber_ *to_ = cmk_host_next_fiber_(worker_);
        if (!CMK_HOST_TSAN_) /* there a second thread on this stack would seem to race with the first */
            worker_->idle_[worker_->idle_count_++] = fiber_;
        worker_->running_ = to_;
        cmk_host_jump_(fiber_, to_, cmk_host_resume_);
    }
}

CMK_HOST_HELPER_ void cmk_host_block_reset_(cmk_host_worker_ *worker_, unsigned long long number_)
{
    uint3 grid_ = worker_->launch_->grid_;
    blockIdx.x = (unsigned)(number_ % grid_.x);
    blockIdx.y = (unsigned)(number_ / grid_.x % grid_.y);
    blockIdx.z = (unsigned)(number_ / grid_.x / grid_.y);
    worker_->next_ = 0;
    worker_->expected_ = 0;
    worker_->started_.x = worker_->launch_->block_.x; /* the first thread's index is computed */
    worker_->live_ = worker_->threads_;
    memset(worker_->exited_, 0, sizeof worker_->exited_);
}

/* Each CUDA thread is a thread to ThreadSanitizer. Blocks are not ordered among each other, so memory that
 * this core uses again for the next block would look like a race: it gets new stacks and a new arena. */
CMK_HOST_HELPER_ void cmk_host_shadows_begin_(cmk_host_worker_ *worker_)
{
#if CMK_HOST_TSAN_
    while (worker_->idle_count_ <= worker_->threads_)
        cmk_host_more_fibers_(worker_);
    worker_->main_.shadow_ = __tsan_get_current_fiber();
    for (unsigned i_ = 0; i_ < worker_->threads_; i_++)
        worker_->shadow_[i_] = __tsan_create_fiber(0);
#else
    (void)worker_;
#endif
}

CMK_HOST_HELPER_ void cmk_host_shadows_end_(cmk_host_worker_ *worker_)
{
#if CMK_HOST_TSAN_
    for (unsigned i_ = 0; i_ < worker_->threads_; i_++)
        __tsan_destroy_fiber(worker_->shadow_[i_]);
    cmk_host_free_fibers_(worker_);
#else
    (void)worker_;
#endif
}

CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_run_block_(cmk_host_worker_ *worker_, unsigned long long number_)
{
    cmk_host_block_reset_(worker_, number_);
    cmk_host_shared_begin_(worker_->launch_->dynamic_bytes_);
    if (cmk_host_options_now_.order_ == cmk_host_order_shuffle_)
        cmk_host_order_threads_(worker_);
    cmk_host_shadows_begin_(worker_);
    worker_->running_ = cmk_host_take_fiber_(worker_);
    cmk_host_jump_(&worker_->main_, worker_->running_, cmk_host_resume_);
    cmk_host_shadows_end_(worker_);
    if (cmk_host_counting_)
        cmk_host_count_phase_(worker_);
}

CMK_HOST_C_END_

#endif
