/* host/block.h: runs the threads of one block, from their start to their end. */
#include "../base.h"
#ifndef CMK_HOST_BLOCK_H
#define CMK_HOST_BLOCK_H

CMK_HOST_C_BEGIN_

CMK_HOST_HELPER_ void cmk_host_thread_begin_(cmk_host_worker_ *worker)
{
    cmk_host_fiber_ *fiber = worker->running_;
    unsigned rank = worker->order_[worker->next_++];
    uint3 index = worker->started_;
    if (rank == worker->expected_ && index.x + 1 < worker->launch_->block_.x)
        index.x++; /* the usual case, without a division */
    else
        index = cmk_host_index_of_(rank, worker->launch_->block_);
    worker->started_ = index;
    worker->expected_ = rank + 1;
    fiber->index_ = index;
    fiber->rank_ = rank;
    threadIdx = index;
    worker->fiber_of_[rank] = fiber;
#if CMK_HOST_TSAN_
    fiber->shadow_ = worker->shadow_[rank];
    __tsan_switch_to_fiber(fiber->shadow_, 1);
#endif
}

CMK_HOST_HELPER_ void cmk_host_thread_end_(cmk_host_worker_ *worker)
{
    unsigned rank = worker->running_->rank_;
    cmk_host_settle_();
#if CMK_HOST_TSAN_
    __tsan_release(&worker->end_);
#endif
    worker->exited_[rank / 32] |= 1u << rank % 32;
    worker->live_--;
    if (worker->arrived_ > 0 && worker->arrived_ == worker->live_)
        cmk_host_open_barrier_(worker); /* it waits only for the threads that are left */
    if (worker->waiting_[rank / 32]) cmk_host_warp_exit_(worker, rank);
}

/* Where every fiber begins. It runs threads, one after the other, until another fiber has something better to do. */
CMK_HOST_QUIET_ void cmk_host_fiber_main_(void)
{
    cmk_host_worker_ *worker = cmk_host_worker_now_;
    cmk_host_fiber_ *fiber = worker->running_;
#if CMK_HOST_ASAN_
    const void *low;
    size_t bytes;
    __sanitizer_finish_switch_fiber(NULL, &low, &bytes);
    if (!worker->main_.low_) { /* the main stack has started the first fiber */
        worker->main_.low_ = (char *)(uintptr_t)low;
        worker->main_.bytes_ = bytes;
    }
#endif
    for (;;) {
        while (worker->ready_count_ == 0 && worker->next_ < worker->threads_) {
            cmk_host_thread_begin_(worker);
            cmk_host_replay_(&worker->launch_->arguments_);
            cmk_host_thread_end_(worker);
            if (CMK_HOST_TSAN_) break;
        }
        cmk_host_fiber_ *to = cmk_host_next_fiber_(worker);
        if (!CMK_HOST_TSAN_) /* to it, a second thread on this stack would race with the first */
            worker->idle_[worker->idle_count_++] = fiber;
        worker->running_ = to;
        cmk_host_jump_(fiber, to, cmk_host_resume_);
    }
}

CMK_HOST_HELPER_ void cmk_host_block_reset_(cmk_host_worker_ *worker, unsigned long long number)
{
    uint3 grid = worker->launch_->grid_;
    blockIdx.x = (unsigned)(number % grid.x);
    blockIdx.y = (unsigned)(number / grid.x % grid.y);
    blockIdx.z = (unsigned)(number / grid.x / grid.y);
    worker->next_ = 0;
    worker->expected_ = 0;
    worker->started_.x = worker->launch_->block_.x; /* so the index of the first thread is computed in full */
    worker->live_ = worker->threads_;
    memset(worker->exited_, 0, sizeof worker->exited_);
}

/* To ThreadSanitizer each CUDA thread is a thread. Blocks are not ordered among each other, so memory that this core
 * uses again for the next block would look like a race. So each block gets new stacks and a new arena. */
CMK_HOST_HELPER_ void cmk_host_shadows_begin_(cmk_host_worker_ *worker)
{
#if CMK_HOST_TSAN_
    while (worker->idle_count_ <= worker->threads_) cmk_host_more_fibers_(worker);
    worker->main_.shadow_ = __tsan_get_current_fiber();
    for (unsigned i = 0; i < worker->threads_; i++) worker->shadow_[i] = __tsan_create_fiber(0);
#else
    (void)worker;
#endif
}

CMK_HOST_HELPER_ void cmk_host_shadows_end_(cmk_host_worker_ *worker)
{
#if CMK_HOST_TSAN_
    for (unsigned i = 0; i < worker->threads_; i++) __tsan_destroy_fiber(worker->shadow_[i]);
    cmk_host_free_fibers_(worker);
#else
    (void)worker;
#endif
}

/* ---- Blocks that are abandoned when a thread fails, with CMK_HOST_ERRORS=return; not where blocks wait for each
 * other */

/* Makes the failure the error of the launch, and leaves the block, with which nobody goes on. Returns where the caller
 * is not on the stack of a CUDA thread. */
CMK_HOST_QUIET_ void cmk_host_leave_block_(const char *file, int line, const char *format, va_list values)
{
    cmk_host_worker_ *worker = cmk_host_worker_now_;
    cmk_host_fiber_ *fiber = worker->running_;
    if (fiber == &worker->main_ || (uintptr_t)__builtin_frame_address(0) - (uintptr_t)fiber->low_ >= fiber->bytes_)
        return;
    cmk_host_note_stop_(file, line, format, values);
#if CMK_HOST_TSAN_
    __tsan_release(&worker->end_);
#endif
    worker->left_ = 1;
    worker->running_ = &worker->main_;
    cmk_host_jump_(fiber, &worker->main_, cmk_host_resume_);
    abort(); /* nobody comes back */
}

/* Gives back the stacks of a block, none of whose threads goes on. What the kernel has taken of the C library is
 * lost. */
CMK_HOST_HELPER_ void cmk_host_block_drop_(cmk_host_worker_ *worker)
{
    for (cmk_host_batch_ *batch = worker->batches_; batch; batch = batch->next_)
        cmk_host_asan_allow_(batch->stacks_, (CMK_HOST_STACK_ + CMK_HOST_GUARD_) * CMK_HOST_BATCH_);
    cmk_host_free_fibers_(worker);
    worker->ready_first_ = worker->ready_count_ = 0;
    worker->arrived_ = 0;
    worker->true_count_ = 0;
    memset(worker->waiting_, 0, sizeof worker->waiting_);
    memset(worker->awaited_, 0, sizeof worker->awaited_);
    memset(worker->warps_, 0, sizeof worker->warps_);
    cmk_host_forget_besides_();
    cmk_host_name_field_(NULL);
}

CMK_HOST_QUIET_ void cmk_host_run_block_(cmk_host_worker_ *worker, unsigned long long number)
{
    cmk_host_block_reset_(worker, number);
    cmk_host_shared_begin_(worker->launch_->dynamic_bytes_);
    cmk_host_global_block_();
    if (cmk_host_options_now_.order_ == cmk_host_order_shuffle_) cmk_host_order_threads_(worker);
    cmk_host_shadows_begin_(worker);
    worker->running_ = cmk_host_take_fiber_(worker);
    cmk_host_jump_(&worker->main_, worker->running_, cmk_host_resume_);
    cmk_host_shadows_end_(worker);
    if (worker->left_)
        cmk_host_block_drop_(worker);
    else if (cmk_host_counting_)
        cmk_host_count_phase_(worker);
}

CMK_HOST_C_END_

#endif
