/* host/pool.h: runs the blocks of a grid on one or several CPU cores.
 *
 * With CMK_HOST_CORES=N the first launch of several blocks creates N - 1 OS threads, which stay. Every launch is then
 * offered to all of them. Each takes a chunk of blocks when it has none. A host thread that launches while the launch
 * of another host thread has the pool runs its blocks alone. */
#include "../base.h"
#ifndef CMK_HOST_POOL_H
#define CMK_HOST_POOL_H

typedef struct cmk_host_pool_ {
    unsigned active_; /* helpers that have not finished the job */
    int busy_;
    unsigned long long jobs_; /* a helper that sees a new number has work */
    cmk_host_launch_ *launch_;
} cmk_host_pool_;

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ pthread_mutex_t cmk_host_pool_lock_ = PTHREAD_MUTEX_INITIALIZER;
CMK_HOST_ONE_ pthread_cond_t cmk_host_pool_work_ = PTHREAD_COND_INITIALIZER;
CMK_HOST_ONE_ pthread_cond_t cmk_host_pool_done_ = PTHREAD_COND_INITIALIZER;
CMK_HOST_ONE_ pthread_once_t cmk_host_pool_once_ = PTHREAD_ONCE_INIT;
CMK_HOST_ONE_ cmk_host_pool_ cmk_host_pool_now_;
CMK_HOST_ONE_ pthread_once_t cmk_host_worker_once_ = PTHREAD_ONCE_INIT;
CMK_HOST_ONE_ pthread_key_t cmk_host_worker_key_;

/* ---- The worker of an OS thread */
CMK_HOST_CALLED_ void cmk_host_worker_free_(void *memory)
{
    cmk_host_worker_ *worker = (cmk_host_worker_ *)memory;
    cmk_host_fault_end_(worker);
    cmk_host_free_fibers_(worker);
    cmk_host_arena_put_();
    free(worker);
}

CMK_HOST_CALLED_ void cmk_host_worker_key_make_(void)
{
    (void)pthread_key_create(&cmk_host_worker_key_, cmk_host_worker_free_);
}

CMK_HOST_HELPER_ cmk_host_worker_ *cmk_host_worker_get_(void)
{
    cmk_host_worker_ *worker = cmk_host_worker_now_;
    if (worker) return worker;
    (void)pthread_once(&cmk_host_worker_once_, cmk_host_worker_key_make_);
    worker = (cmk_host_worker_ *)cmk_host_need_(calloc(1, sizeof *worker), "the state of a CPU core");
    worker->entry_ = cmk_host_fiber_main_;
    (void)pthread_setspecific(cmk_host_worker_key_, worker); /* freed when the OS thread ends */
    cmk_host_worker_now_ = worker;
    cmk_host_fault_begin_(worker);
    cmk_host_shared_now_ = &worker->shared_;
    return worker;
}

/* ---- The share of one OS thread in a launch */
CMK_HOST_HELPER_ void cmk_host_share_begin_(cmk_host_worker_ *worker, const cmk_host_launch_ *launch)
{
    memset(&cmk_host_view_now_, 0, sizeof cmk_host_view_now_);
    cmk_host_view_now_.all_ = launch->ranges_;
    cmk_host_view_now_.count_ = launch->range_count_;
    cmk_host_view_now_.module_ = launch->module_;
    cmk_host_view_now_.arguments_ = launch->arguments_.registers_;
    cmk_host_view_now_.runs_on_ = launch->device_;
    cmk_host_kernel_name_ = launch->name_;
    cmk_host_launch_place_ = cmk_host_origin_of_(launch->file_, launch->line_);
    cmk_host_leave_ = cmk_host_options_now_.returns_ && !launch->cooperative_ ? cmk_host_leave_block_ : NULL;
    gridDim = dim3(launch->grid_.x, launch->grid_.y, launch->grid_.z);
    blockDim = dim3(launch->block_.x, launch->block_.y, launch->block_.z);
    worker->launch_ = launch;
    worker->threads_ = launch->threads_;
    worker->left_ = 0;
    worker->random_ = cmk_host_options_now_.seed_ * 2654435761u | 1;
    cmk_host_order_threads_(worker);
}

/* The number of the n-th block in the order of the run. */
CMK_HOST_HELPER_ unsigned long long cmk_host_nth_block_(const cmk_host_launch_ *launch, unsigned long long position)
{
    if (cmk_host_options_now_.order_ == cmk_host_order_reverse_) return launch->blocks_ - 1 - position;
    if (cmk_host_options_now_.order_ == cmk_host_order_shuffle_)
        return (position * launch->stride_ + cmk_host_options_now_.seed_) % launch->blocks_;
    return position;
}

CMK_HOST_HELPER_ void cmk_host_share_block_(cmk_host_worker_ *worker, unsigned long long number)
{
    cmk_host_run_block_(worker, number);
    if (__atomic_load_n(&cmk_host_word_waits_, __ATOMIC_RELAXED) > 0) cmk_host_wake_(); /* it may have written one */
}

CMK_HOST_QUIET_ void cmk_host_share_(cmk_host_launch_ *launch)
{
    cmk_host_worker_ *worker = cmk_host_worker_get_();
    cmk_host_share_begin_(worker, launch);
    const cmk_host_scene_ outer = cmk_host_global_begin_(launch->cooperative_);
    for (;;) {
        unsigned long long first = __atomic_fetch_add(&launch->taken_, launch->chunk_, __ATOMIC_RELAXED);
        if (first >= launch->blocks_) break;
        unsigned long long left = launch->blocks_ - first;
        unsigned long long count = left < launch->chunk_ ? left : launch->chunk_;
        for (unsigned long long i = 0; i < count && !worker->left_; i++)
            cmk_host_share_block_(worker, cmk_host_nth_block_(launch, first + i));
        if (worker->left_) __atomic_store_n(&launch->taken_, launch->blocks_, __ATOMIC_RELAXED); /* others stop too */
    }
#if CMK_HOST_TSAN_
    __tsan_acquire(&worker->end_);
#endif
    cmk_host_global_end_(outer);
    cmk_host_kernel_name_ = NULL;
    cmk_host_leave_ = NULL;
}

/* ---- The helpers */
CMK_HOST_CALLED_ void *cmk_host_helper_(void *unused)
{
    cmk_host_pool_ *pool = &cmk_host_pool_now_;
    unsigned long long seen = 0;
    pthread_mutex_lock(&cmk_host_pool_lock_);
    for (;;) {
        while (pool->jobs_ == seen) pthread_cond_wait(&cmk_host_pool_work_, &cmk_host_pool_lock_);
        seen = pool->jobs_;
        cmk_host_launch_ *launch = pool->launch_;
        pthread_mutex_unlock(&cmk_host_pool_lock_);
        cmk_host_share_(launch);
        pthread_mutex_lock(&cmk_host_pool_lock_);
        if (--pool->active_ == 0) pthread_cond_signal(&cmk_host_pool_done_);
    }
    return unused;
}

/* A child of fork() has no helpers, so its pool begins anew. */
CMK_HOST_CALLED_ void cmk_host_pool_forked_(void)
{
    static const pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static const pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    cmk_host_pool_lock_ = lock;
    cmk_host_pool_work_ = condition;
    cmk_host_pool_done_ = condition;
    memset(&cmk_host_pool_now_, 0, sizeof cmk_host_pool_now_);
    cmk_host_helpers_ = 0;
}

CMK_HOST_CALLED_ void cmk_host_pool_watch_(void)
{
    (void)pthread_atfork(NULL, NULL, cmk_host_pool_forked_);
}

/* Starts the helpers, before the first job. The caller holds the lock. */
CMK_HOST_HELPER_ void cmk_host_helpers_start_(void)
{
    pthread_t thread;
    (void)pthread_once(&cmk_host_pool_once_, cmk_host_pool_watch_);
    while (cmk_host_helpers_ + 1 < cmk_host_options_now_.cores_) {
        if (pthread_create(&thread, NULL, cmk_host_helper_, NULL) != 0) break; /* fewer cores do the same work */
        (void)pthread_detach(thread);
        cmk_host_helpers_++;
    }
}

/* Offers the launch to the helpers. Value: 0 where they are busy or there are none. */
CMK_HOST_HELPER_ int cmk_host_pool_offer_(cmk_host_launch_ *launch)
{
    cmk_host_pool_ *pool = &cmk_host_pool_now_;
    pthread_mutex_lock(&cmk_host_pool_lock_);
    if (pool->jobs_ == 0) cmk_host_helpers_start_();
    int offered = !pool->busy_ && cmk_host_helpers_ > 0;
    if (offered) {
        pool->busy_ = 1;
        pool->launch_ = launch;
        pool->active_ = cmk_host_helpers_;
        pool->jobs_++;
        pthread_cond_broadcast(&cmk_host_pool_work_);
    }
    pthread_mutex_unlock(&cmk_host_pool_lock_);
    return offered;
}

CMK_HOST_HELPER_ void cmk_host_pool_wait_(void)
{
    cmk_host_pool_ *pool = &cmk_host_pool_now_;
    pthread_mutex_lock(&cmk_host_pool_lock_);
    while (pool->active_ > 0) pthread_cond_wait(&cmk_host_pool_done_, &cmk_host_pool_lock_);
    pool->busy_ = 0;
    pthread_mutex_unlock(&cmk_host_pool_lock_);
}

/* ---- Grids whose blocks wait for each other */
CMK_HOST_ONE_ pthread_mutex_t cmk_host_grid_lock_ = PTHREAD_MUTEX_INITIALIZER;
CMK_HOST_ONE_ pthread_cond_t cmk_host_grid_opens_ = PTHREAD_COND_INITIALIZER;

static inline void cmk_host_grid_wait_(cmk_host_launch_ *launch)
{
    pthread_mutex_lock(&cmk_host_grid_lock_);
    const unsigned turn = launch->grid_turn_;
    if (++launch->grid_arrived_ == launch->blocks_) {
        launch->grid_arrived_ = 0;
        launch->grid_turn_++;
        pthread_cond_broadcast(&cmk_host_grid_opens_);
    }
    while (launch->grid_turn_ == turn) pthread_cond_wait(&cmk_host_grid_opens_, &cmk_host_grid_lock_);
    pthread_mutex_unlock(&cmk_host_grid_lock_);
}

/* The barrier of the grid. The first thread of a block waits for the other blocks, between two barriers of its
 * block. */
CMK_HOST_QUIET_ void cmk_host_grid_sync_(const char *file, int line)
{
    cmk_host_worker_ *worker = cmk_host_worker_now_;
    if (!worker->launch_->cooperative_)
        cmk_host_fail_(file, line,
                       "a barrier of the grid in a launch that is not cooperative (cudaLaunchCooperativeKernel)");
    cmk_host_syncthreads_(0, (const char *)(uintptr_t)line, file, line);
    if (worker->running_->rank_ == 0) cmk_host_grid_wait_((cmk_host_launch_ *)(uintptr_t)worker->launch_);
    cmk_host_syncthreads_(0, (const char *)(uintptr_t)line, file, line);
}

static inline void *cmk_host_share_in_thread_(void *launch)
{
    cmk_host_share_((cmk_host_launch_ *)launch);
    return NULL;
}

/* Runs each block on an OS thread of its own. */
static inline void cmk_host_run_together_(cmk_host_launch_ *launch)
{
    const size_t count = (size_t)launch->blocks_ - 1;
    pthread_t *threads = (pthread_t *)cmk_host_need_(malloc((count + 1) * sizeof *threads), "a cooperative launch");
    launch->chunk_ = 1;
    for (size_t i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, cmk_host_share_in_thread_, launch) != 0)
            cmk_host_need_(NULL, "the threads of a cooperative launch");
    cmk_host_share_(launch);
    for (size_t i = 0; i < count; i++) (void)pthread_join(threads[i], NULL);
    free(threads);
}

/* ---- The grid */

/* A step below 2^20 that visits every block once; 1 unless the order is shuffled. */
CMK_HOST_HELPER_ unsigned long long cmk_host_stride_(unsigned long long blocks)
{
    unsigned long long step = cmk_host_options_now_.seed_ * 2654435761u % 1048573 | 1;
    if (cmk_host_options_now_.order_ != cmk_host_order_shuffle_ || blocks > 1ull << 43) return 1;
    for (;; step += 2) {
        unsigned long long first = blocks;
        unsigned long long second = step;
        while (second > 0) {
            unsigned long long rest = first % second;
            first = second;
            second = rest;
        }
        if (first == 1) return step;
    }
}

CMK_HOST_HELPER_ void cmk_host_run_grid_(cmk_host_launch_ *launch)
{
    unsigned cores = cmk_host_counting_ || CMK_HOST_ASAN_ ? 1 : cmk_host_options_now_.cores_;
    launch->taken_ = 0;
    launch->ranges_ = cmk_host_live_copy_(&launch->range_count_, launch->device_);
    launch->stride_ = cmk_host_stride_(launch->blocks_);
    launch->chunk_ = 1 + launch->blocks_ / (cores * 16ull);
    int helped = cores > 1 && launch->blocks_ > 1 && !launch->cooperative_ && cmk_host_pool_offer_(launch);
    if (launch->cooperative_)
        cmk_host_run_together_(launch);
    else
        cmk_host_share_(launch);
    if (helped) cmk_host_pool_wait_();
    free(launch->ranges_);
}

CMK_HOST_C_END_

#endif
