/* host/barrier.h: __syncthreads and its variants, and fences. A barrier waits for the threads of the block that have
 * not exited. It is an error if they reach different barriers of the source. */
#include "../base.h"
#ifndef CMK_HOST_BARRIER_H
#define CMK_HOST_BARRIER_H

#define __syncthreads() cmk_host_syncthreads_(0, CMK_HOST_HERE_, __FILE__, __LINE__)
#define __syncthreads_count(condition) cmk_host_syncthreads_count_(!!(condition), CMK_HOST_HERE_, __FILE__, __LINE__)
#define __syncthreads_or(condition) (__syncthreads_count(condition) > 0)
#define __syncthreads_and(condition) (__syncthreads_count(!(condition)) == 0)

#define __threadfence() (cmk_host_fence_(), cmk_host_global_meets_(cmk_host_meets_fence_), CMK_HOST_ORDERED_())
#define __threadfence_block() __threadfence()
#define __threadfence_system() __threadfence()

/* An address that only this barrier has, wherever the compiler copies its code to. Two barriers on one line differ
 * too. */
/* clang-format off */
#define CMK_HOST_HERE_ __extension__({ static const char cmk_host_here_ = 0; &cmk_host_here_; })
/* clang-format on */

CMK_HOST_C_BEGIN_

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

/* All threads of the block that have not exited wait, so the queue is empty. It becomes the order of the next phase. */
CMK_HOST_HELPER_ void cmk_host_open_barrier_(cmk_host_worker_ *worker)
{
    worker->arrived_ = 0;
    worker->barriers_++;
    CMK_HOST_ORDERED_();
    if (cmk_host_counting_) cmk_host_count_phase_(worker);
    worker->last_count_ = worker->true_count_;
    worker->true_count_ = 0;
    if (cmk_host_options_now_.order_ == cmk_host_order_shuffle_) cmk_host_order_threads_(worker);
    worker->ready_first_ = 0;
    worker->ready_count_ = worker->live_;
    if (worker->live_ == worker->threads_) {
        cmk_host_copy_(worker->ready_, worker->order_, worker->threads_ * sizeof worker->order_[0]);
        return;
    }
    unsigned count = 0;
    for (unsigned i = 0; i < worker->threads_; i++) {
        unsigned rank = worker->order_[i];
        if (!(worker->exited_[rank / 32] >> rank % 32 & 1)) worker->ready_[count++] = (unsigned short)rank;
    }
}

/* For ThreadSanitizer a barrier orders the threads on both sides by one of two addresses, in turns. With a single
 * address it would see the threads of a phase as ordered by threads that are one barrier ahead. */
CMK_HOST_QUIET_ void cmk_host_syncthreads_(int condition, const char *here, const char *file, int line)
{
    cmk_host_worker_ *worker = cmk_host_worker_now_;
#if CMK_HOST_TSAN_
    char *meeting = &worker->meeting_[worker->barriers_ % 2];
    __tsan_release(meeting);
#endif
    cmk_host_check_barrier_(worker, here, file, line);
    worker->true_count_ += condition;
    if (++worker->arrived_ == worker->live_) cmk_host_open_barrier_(worker);
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

CMK_HOST_C_END_

#endif
