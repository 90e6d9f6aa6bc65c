/* host/block.h: the threads of one block, from their start to their end. */
#include "../base.h"
#ifndef CMK_HOST_BLOCK_H
#define CMK_HOST_BLOCK_H

CMK_HOST_C_BEGIN_

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
