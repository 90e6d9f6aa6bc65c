/* host/pool.h: the blocks of a grid on one or several CPU cores.
 *
 * With CMK_HOST_CORES=N the first launch of several blocks creates N - 1 OS threads that stay. A launch is
 * then offered to all of them; each takes a chunk of blocks when it has none. A host thread that launches
 * while another one's launch has the pool runs its blocks alone. */
#include "../base.h"
#ifndef CMK_HOST_POOL_H
#define CMK_HOST_POOL_H

typedef struct cmk_host_pool_ {
    unsigned helpers_;
    unsigned active_; /* helpers that have not finished the job */
    int busy_;
    unsigned long long jobs_; /* a helper that sees a new number has work */
    cmk_host_launch_ *launch_;
} cmk_host_pool_;

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ pthread_mutex_t cmk_host_pool_lock_ = PTHREAD_MUTEX_INITIALIZER;
CMK_HOST_ONE_ pthread_cond_t cmk_host_pool_work_ = PTHREAD_COND_INITIALIZER;
CMK_HOST_ONE_ pthread_cond_t cmk_host_pool_done_ = PTHREAD_COND_INITIALIZER;
CMK_HOST_ONE_ cmk_host_pool_ cmk_host_pool_now_;
CMK_HOST_ONE_ pthread_once_t cmk_host_worker_once_ = PTHREAD_ONCE_INIT;
CMK_HOST_ONE_ pthread_key_t cmk_host_worker_key_;

/* ---- The worker of an OS thread */
CMK_HOST_ONE_ void cmk_host_worker_free_(void *memory_)
{
    cmk_host_worker_ *worker_ = (cmk_host_worker_ *)memory_;
    cmk_host_free_fibers_(worker_);
    cmk_host_arena_put_();
    free(worker_);
}

CMK_HOST_ONE_ void cmk_host_worker_key_make_(void)
{
    (void)pthread_key_create(&cmk_host_worker_key_, cmk_host_worker_free_);
}

CMK_HOST_HELPER_ cmk_host_worker_ *cmk_host_worker_get_(void)
{
    cmk_host_worker_ *worker_ = cmk_host_worker_now_;
    if (worker_)
        return worker_;
    (void)pthread_once(&cmk_host_worker_once_, cmk_host_worker_key_make_);
    worker_ = (cmk_host_worker_ *)cmk_host_need_(calloc(1, sizeof *worker_), "the state of a CPU core");
    (void)pthread_setspecific(cmk_host_worker_key_, worker_); /* freed when the OS thread ends */
    cmk_host_worker_now_ = worker_;
    cmk_host_shared_now_ = &worker_->shared_;
    return worker_;
}

/* ---- The share of one OS thread in a launch */
CMK_HOST_HELPER_ void cmk_host_share_begin_(cmk_host_worker_ *worker_, const cmk_host_launch_ *launch_)
{
    memset(&cmk_host_view_now_, 0, sizeof cmk_host_view_now_);
    cmk_host_view_now_.all_ = launch_->ranges_;
    cmk_host_view_now_.count_ = launch_->range_count_;
    cmk_host_view_now_.module_ = launch_->module_;
    cmk_host_view_now_.arguments_ = launch_->arguments_.registers_;
    cmk_host_kernel_name_ = launch_->name_;
    gridDim = dim3(launch_->grid_.x, launch_->grid_.y, launch_->grid_.z);
    blockDim = dim3(launch_->block_.x, launch_->block_.y, launch_->block_.z);
    worker_->launch_ = launch_;
    worker_->threads_ = launch_->threads_;
    worker_->random_ = cmk_host_options_now_.seed_ * 2654435761u | 1;
    cmk_host_order_threads_(worker_);
}

/* The n-th block in the order of the run. */
CMK_HOST_HELPER_ unsigned long long cmk_host_nth_block_(
    const cmk_host_launch_ *launch_, unsigned long long position_)
{
    if (cmk_host_options_now_.order_ == cmk_host_order_reverse_)
        return launch_->blocks_ - 1 - position_;
    if (cmk_host_options_now_.order_ == cmk_host_order_shuffle_)
        return (position_ * launch_->stride_ + cmk_host_options_now_.seed_) % launch_->blocks_;
    return position_;
}

CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_share_(cmk_host_launch_ *launch_)
{
    cmk_host_worker_ *worker_ = cmk_host_worker_get_();
    cmk_host_share_begin_(worker_, launch_);
    for (;;) {
        unsigned long long first_ = __atomic_fetch_add(&launch_->taken_, launch_->chunk_, __ATOMIC_RELAXED);
        if (first_ >= launch_->blocks_)
            break;
        unsigned long long left_ = launch_->blocks_ - first_;
        unsigned long long count_ = left_ < launch_->chunk_ ? left_ : launch_->chunk_;
        for (unsigned long long i_ = 0; i_ < count_; i_++)
            cmk_host_run_block_(worker_, cmk_host_nth_block_(launch_, first_ + i_));
    }
#if CMK_HOST_TSAN_
    __tsan_acquire(&worker_->end_);
#endif
    cmk_host_kernel_name_ = NULL;
}

/* ---- The helpers */
CMK_HOST_ONE_ void *cmk_host_helper_(void *unused_)
{
    cmk_host_pool_ *pool_ = &cmk_host_pool_now_;
    unsigned long long seen_ = 0;
    pthread_mutex_lock(&cmk_host_pool_lock_);
    for (;;) {
        while (pool_->jobs_ == seen_)
            pthread_cond_wait(&cmk_host_pool_work_, &cmk_host_pool_lock_);
        seen_ = pool_->jobs_;
        cmk_host_launch_ *launch_ = pool_->launch_;
        pthread_mutex_unlock(&cmk_host_pool_lock_);
        cmk_host_share_(launch_);
        pthread_mutex_lock(&cmk_host_pool_lock_);
        if (--pool_->active_ == 0)
            pthread_cond_signal(&cmk_host_pool_done_);
    }
    return unused_;
}

/* With the lock held, before the first job. */
CMK_HOST_HELPER_ void cmk_host_helpers_start_(void)
{
    pthread_t thread_;
    while (cmk_host_pool_now_.helpers_ + 1 < cmk_host_options_now_.cores_) {
        if (pthread_create(&thread_, NULL, cmk_host_helper_, NULL) != 0)
            break; /* fewer cores do the same work */
        (void)pthread_detach(thread_);
        cmk_host_pool_now_.helpers_++;
    }
}

/* Offers the launch to the helpers; 0 if they are busy or there are none. */
CMK_HOST_HELPER_ int cmk_host_pool_offer_(cmk_host_launch_ *launch_)
{
    cmk_host_pool_ *pool_ = &cmk_host_pool_now_;
    pthread_mutex_lock(&cmk_host_pool_lock_);
    if (pool_->jobs_ == 0)
        cmk_host_helpers_start_();
    int offered_ = !pool_->busy_ && pool_->helpers_ > 0;
    if (offered_) {
        pool_->busy_ = 1;
        pool_->launch_ = launch_;
        pool_->active_ = pool_->helpers_;
        pool_->jobs_++;
        pthread_cond_broadcast(&cmk_host_pool_work_);
    }
    pthread_mutex_unlock(&cmk_host_pool_lock_);
    return offered_;
}

CMK_HOST_HELPER_ void cmk_host_pool_wait_(void)
{
    cmk_host_pool_ *pool_ = &cmk_host_pool_now_;
    pthread_mutex_lock(&cmk_host_pool_lock_);
    while (pool_->active_ > 0)
        pthread_cond_wait(&cmk_host_pool_done_, &cmk_host_pool_lock_);
    pool_->busy_ = 0;
    pthread_mutex_unlock(&cmk_host_pool_lock_);
}

/* ---- The grid */

/* A step below 2^20 that visits every block once; 1 unless the order is shuffled. */
CMK_HOST_HELPER_ unsigned long long cmk_host_stride_(unsigned long long blocks_)
{
    unsigned long long step_ = cmk_host_options_now_.seed_ * 2654435761u % 1048573 | 1;
    if (cmk_host_options_now_.order_ != cmk_host_order_shuffle_ || blocks_ > 1ull << 43)
        return 1;
    for (;; step_ += 2) {
        unsigned long long first_ = blocks_;
        unsigned long long second_ = step_;
        while (second_ > 0) {
            unsigned long long rest_ = first_ % second_;
            first_ = second_;
            second_ = rest_;
        }
        if (first_ == 1)
            return step_;
    }
}

CMK_HOST_HELPER_ void cmk_host_run_grid_(cmk_host_launch_ *launch_)
{
    unsigned cores_ = cmk_host_counting_ ? 1 : cmk_host_options_now_.cores_;
    launch_->ranges_ = cmk_host_live_copy_(&launch_->range_count_);
    launch_->stride_ = cmk_host_stride_(launch_->blocks_);
    launch_->chunk_ = 1 + launch_->blocks_ / (cores_ * 16ull);
    int helped_ = cores_ > 1 && launch_->blocks_ > 1 && cmk_host_pool_offer_(launch_);
    cmk_host_share_(launch_);
    if (helped_)
        cmk_host_pool_wait_();
    free(launch_->ranges_);
}

CMK_HOST_C_END_

#endif
