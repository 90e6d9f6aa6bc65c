/* host/queue.h: the work that streams have yet to do, and which of it runs next.
 *
 * A call puts a work into a stream: a job, and a copy of what the job needs. Where no work is left anywhere, it runs at
 * once, before the call returns. A work stays in the queue where it waits for something that has not come: a word in
 * memory, another rank's message. Under CMK_HOST_STREAMS=shuffle it always stays, and runs late. The seed then draws
 * one of the orders that streams, events and the rules of the default stream allow. Calls of the host that wait run
 * what they need, and at times more. A stream is a list of works. Its first work may run when the works that it comes
 * after are done. */
#include "../base.h"
#ifndef CMK_HOST_QUEUE_H
#define CMK_HOST_QUEUE_H

typedef struct CUstream_st *cudaStream_t;

/* What a work does. Only run_ is needed; it also frees what keep_ has made. All other functions are called with the
 * lock held. A work that runs a node of a graph has a copy of what the node has, and is not dropped. */
typedef struct cmk_host_job_ {
    void (*run_)(void *what);
    int (*ready_)(const void *what); /* whether the work can run; otherwise it waits */
    int (*keep_)(void *what);        /* the work runs later: copies what the caller may
                                        change; value: whether the call waits for it */
    void (*drop_)(void *what);       /* the work will not run again: frees what it was given */
    void (*tell_)(const void *what, char *text, size_t bytes); /* writes what it waits for, for a sentence */
    int queues_; /* the work always gets a place in the queue; 2: and may go on beside the host */
} cmk_host_job_;

typedef enum cmk_host_state_ {
    cmk_host_state_queued_,
    cmk_host_state_running_,
    cmk_host_state_done_,
    cmk_host_state_captured_ /* a node of a graph */
} cmk_host_state_;

typedef struct cmk_host_work_ {
    struct cmk_host_work_ *next_; /* in its stream */
    struct cmk_host_stream_ *stream_;
    const cmk_host_job_ *job_;
    void *what_;
    size_t bytes_;
    struct cmk_host_work_ **after_; /* what comes before it, in other streams */
    size_t after_count_;
    cmk_host_state_ state_;
    unsigned references_;
    struct cmk_host_work_ *origin_; /* of a run of a node of a graph: the node */
    struct cmk_host_work_ *copy_;   /* of a node: its run in the launch under way */
    struct cmk_host_graph_ *graph_;
    size_t track_;
    int marked_;
    int waits_;               /* whether its call waits for it */
    unsigned long long seen_; /* the search that has come to it, cmk_host_searches_ */
#if CMK_HOST_RACES_
    cmk_host_clock_ clock_;
#endif
} cmk_host_work_;

typedef struct cmk_host_stream_ {
    struct cmk_host_stream_ *next_;
    cmk_host_work_ *first_, *last_;
    int device_;
    int is_apart_;       /* takes no part in the rules of the default stream */
    int is_implied_;     /* it is a default stream */
    const void *thread_; /* whose default stream it is; null for the legacy one */
    int is_gone_;        /* destroyed, and freed when it is empty */
    uint32_t rank_;      /* of the streams that can run, the highest does */
    struct cmk_host_graph_ *capture_;
    size_t track_; /* its track in the capture */
#if CMK_HOST_RACES_
    cmk_host_clock_ clock_; /* of its last work */
#endif
} cmk_host_stream_;

typedef enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal = 0,
    cudaStreamCaptureModeThreadLocal = 1,
    cudaStreamCaptureModeRelaxed = 2
} cudaStreamCaptureMode;

#define CMK_HOST_TRACKS_ 64

/* The works of captured streams. Each of the streams is a track (graph.h). */
typedef struct cmk_host_graph_ {
    cudaStreamCaptureMode mode_;
    cmk_host_stream_ *origin_;
    cmk_host_work_ **nodes_; /* in the order of the calls */
    size_t count_;
    size_t tracks_;
    cmk_host_work_ *last_[CMK_HOST_TRACKS_]; /* the last node of each track */
    int device_[CMK_HOST_TRACKS_];
    int is_broken_;
} cmk_host_graph_;

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ pthread_mutex_t cmk_host_queue_lock_ = PTHREAD_MUTEX_INITIALIZER;
CMK_HOST_ONE_ pthread_cond_t cmk_host_queue_moves_ = PTHREAD_COND_INITIALIZER;
CMK_HOST_ONE_ cmk_host_stream_ *cmk_host_streams_;
CMK_HOST_ONE_ size_t cmk_host_queued_;           /* works that are not done */
CMK_HOST_ONE_ size_t cmk_host_running_;          /* of these, works that are running */
CMK_HOST_ONE_ unsigned long long cmk_host_done_; /* works that are done so far */
CMK_HOST_ONE_ uint32_t cmk_host_draws_;          /* the state of random numbers; 0 before the first */
CMK_HOST_ONE_ int cmk_host_haste_;               /* in how many of 4 cases a call runs works of the queue */
CMK_HOST_ONE_ size_t cmk_host_captures_;         /* captures under way */
CMK_HOST_ONE_ unsigned cmk_host_word_waits_;     /* works that wait for a word in memory */
CMK_HOST_ONE_ unsigned long long cmk_host_searches_;

static inline int cmk_host_is_idle_(void)
{
    return __atomic_load_n(&cmk_host_queued_, __ATOMIC_ACQUIRE) == 0;
}

/* ---- Streams. The caller holds the lock. */
static inline uint32_t cmk_host_draw_(void)
{
    if (cmk_host_draws_ == 0) {
        cmk_host_draws_ = (cmk_host_options_read_()->streams_ + 1) * 2654435761u | 1;
        for (int i = 0; i < 8; i++) (void)cmk_host_random_(&cmk_host_draws_);
        cmk_host_haste_ = (int)(cmk_host_random_(&cmk_host_draws_) % 4);
    }
    return cmk_host_random_(&cmk_host_draws_) >> 4;
}

static inline void cmk_host_finish_own_(void);

static inline cmk_host_stream_ *cmk_host_stream_new_(int device, int apart)
{
    if (!cmk_host_streams_) cmk_host_page_get_()->finish_ = cmk_host_finish_own_;
    void *memory = cmk_host_need_(calloc(1, sizeof(cmk_host_stream_)), "a stream");
    cmk_host_stream_ *stream = (cmk_host_stream_ *)memory;
    stream->device_ = device;
    stream->is_apart_ = apart;
    stream->rank_ = cmk_host_draw_();
    stream->next_ = cmk_host_streams_;
    cmk_host_streams_ = stream;
    return stream;
}

/* A default stream of the current device: that of a host thread, or with null the legacy one. */
static inline cmk_host_stream_ *cmk_host_implied_(const void *thread)
{
    for (cmk_host_stream_ *stream = cmk_host_streams_; stream; stream = stream->next_)
        if (stream->is_implied_ && stream->thread_ == thread && stream->device_ == cmk_host_device_now_) return stream;
    cmk_host_stream_ *stream = cmk_host_stream_new_(cmk_host_device_now_, 0);
    stream->is_implied_ = 1;
    stream->thread_ = thread;
    return stream;
}

#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaStreamTailLaunch ((cudaStream_t)0x3)    /* for launches by kernels, as the next */
#define cudaStreamFireAndForget ((cudaStream_t)0x4) /* the same */

/* The stream of a handle; null where there is none. */
static inline cmk_host_stream_ *cmk_host_stream_of_(cudaStream_t handle)
{
    if (!handle || handle == cudaStreamLegacy) return cmk_host_implied_(NULL);
    if (handle == cudaStreamPerThread) return cmk_host_implied_(&cmk_host_device_now_);
    cmk_host_stream_ *stream = cmk_host_streams_;
    while (stream && ((const void *)stream != (const void *)handle || stream->is_gone_)) stream = stream->next_;
    return stream;
}

static inline void cmk_host_stream_free_(cmk_host_stream_ *stream)
{
    cmk_host_stream_ **link = &cmk_host_streams_;
    while (*link != stream) link = &(*link)->next_;
    *link = stream->next_;
#if CMK_HOST_RACES_
    cmk_host_clock_join_(&cmk_host_clock_gone_, &stream->clock_);
#endif
    free(stream);
}

/* ---- Works. The caller holds the lock. */
static inline void cmk_host_release_(cmk_host_work_ *work)
{
    if (!work || --work->references_ > 0) return;
    if (work->job_->drop_ && !work->origin_) work->job_->drop_(work->what_);
    cmk_host_release_(work->origin_);
    for (size_t i = 0; i < work->after_count_; i++) cmk_host_release_(work->after_[i]);
    free(work->after_);
    free(work->what_);
    free(work);
}

static inline cmk_host_work_ *cmk_host_work_new_(const cmk_host_job_ *job, const void *what, size_t bytes)
{
    cmk_host_stay_();
    cmk_host_work_ *work = (cmk_host_work_ *)cmk_host_need_(calloc(1, sizeof *work), "a stream's work");
    work->job_ = job;
    work->what_ = cmk_host_need_(malloc(bytes + 1), "a stream's work");
    work->bytes_ = bytes;
    work->references_ = 1;
    if (bytes > 0) memcpy(work->what_, what, bytes);
    return work;
}

/* Makes `work` come after `before`, unless that is done or null. */
static inline void cmk_host_after_(cmk_host_work_ *work, cmk_host_work_ *before)
{
    if (!before || before->state_ == cmk_host_state_done_) return;
    const size_t bytes = (work->after_count_ + 1) * sizeof *work->after_;
    work->after_ = (cmk_host_work_ **)cmk_host_need_(realloc(work->after_, bytes), "a stream's work");
    work->after_[work->after_count_++] = before;
    before->references_++;
}

/* Whether a work that is put into a stream comes after those of another one, by the rules of the default stream. */
static inline int cmk_host_is_bound_(const cmk_host_stream_ *stream, const cmk_host_stream_ *other)
{
    const int legacy = stream->is_implied_ && !stream->thread_;
    const int bound = legacy ? !other->is_apart_ : other->is_implied_ && !other->thread_;
    return bound && !stream->is_apart_ && other != stream && other->device_ == stream->device_;
}

/* Gives a work that is put into a stream its clock (clock.h); null: one that runs at once. */
static inline void cmk_host_put_clock_(cmk_host_stream_ *stream, cmk_host_work_ *work)
{
#if CMK_HOST_RACES_
    cmk_host_clock_ *const clock = &stream->clock_;
    for (const cmk_host_stream_ *other = cmk_host_streams_; other; other = other->next_)
        if (cmk_host_is_bound_(stream, other)) cmk_host_clock_join_(clock, &other->clock_);
    for (size_t i = 0; work && i < work->after_count_; i++) cmk_host_clock_join_(clock, &work->after_[i]->clock_);
    if (!stream->is_apart_) cmk_host_clock_join_(clock, &cmk_host_clock_gone_);
    cmk_host_clock_put_(clock);
    if (work) work->clock_ = *clock;
#endif
    (void)stream, (void)work;
}

/* Notes that the host has waited for a stream, or with null for all streams of a device. */
static inline void cmk_host_waited_for_(const cmk_host_stream_ *stream, int device)
{
#if CMK_HOST_RACES_
    for (const cmk_host_stream_ *other = cmk_host_streams_; other; other = other->next_) {
        const int all = !stream && (device < 0 || other->device_ == device);
        if (all || other == stream || (stream && cmk_host_is_bound_(stream, other)))
            cmk_host_clock_wait_(&other->clock_);
    }
    if (!stream || (stream->is_implied_ && !stream->thread_)) cmk_host_clock_wait_(&cmk_host_clock_gone_);
#endif
    (void)stream, (void)device;
}

/* Puts a work at the end of a stream, behind what the rules of the default stream ask for. Until the work is done the
 * stream has a reference to it, beside the caller's. */
static inline void cmk_host_put_(cmk_host_stream_ *stream, cmk_host_work_ *work)
{
    for (cmk_host_stream_ *other = cmk_host_streams_; other; other = other->next_)
        if (cmk_host_is_bound_(stream, other)) cmk_host_after_(work, other->last_);
    cmk_host_put_clock_(stream, work);
    work->stream_ = stream;
    work->references_++;
    if (stream->last_)
        stream->last_->next_ = work;
    else
        stream->first_ = work;
    stream->last_ = work;
    __atomic_fetch_add(&cmk_host_queued_, 1, __ATOMIC_RELEASE);
    work->waits_ = work->job_->keep_ ? work->job_->keep_(work->what_) : 0;
}

/* Whether `other` is done before `work` begins, of works that are not done. It may be where something ahead of `work`
 * waits for what is not known, such as a word in memory. A new search begins with a new number. */
static inline int cmk_host_is_behind_(const cmk_host_work_ *work, const cmk_host_work_ *other)
{
    for (cmk_host_work_ *ahead = work->stream_->first_; ahead; ahead = ahead->next_) {
        if (ahead == other || ahead->job_->ready_) return 1;
        for (size_t i = 0; i < ahead->after_count_ && ahead->seen_ != cmk_host_searches_; i++)
            if (ahead->after_[i]->state_ != cmk_host_state_done_ && cmk_host_is_behind_(ahead->after_[i], other))
                return 1;
        ahead->seen_ = cmk_host_searches_;
        if (ahead == work) break;
    }
    return 0;
}

/* ---- What runs next. The caller holds the lock. */

/* A work that this one comes after and that is not done; null where there is none. */
static inline cmk_host_work_ *cmk_host_before_(const cmk_host_work_ *work)
{
    for (size_t i = 0; i < work->after_count_; i++)
        if (work->after_[i]->state_ != cmk_host_state_done_) return work->after_[i];
    return NULL;
}

static inline int cmk_host_is_ready_(const cmk_host_work_ *work)
{
    return work->state_ == cmk_host_state_queued_ && (!work->job_->ready_ || work->job_->ready_(work->what_));
}

/* A work that can run, on one device or (-1) on any; null where there is none. */
static inline cmk_host_work_ *cmk_host_any_(int device)
{
    cmk_host_stream_ *best = NULL;
    for (cmk_host_stream_ *stream = cmk_host_streams_; stream; stream = stream->next_) {
        const cmk_host_work_ *first = stream->first_;
        if (!first || (device >= 0 && stream->device_ != device) || (best && best->rank_ >= stream->rank_)) continue;
        if (!cmk_host_before_(first) && cmk_host_is_ready_(first)) best = stream;
    }
    if (best && cmk_host_options_now_.late_ && cmk_host_draw_() % 4 == 0) best->rank_ = cmk_host_draw_();
    return best ? best->first_ : NULL;
}

/* What has to run next so that a work gets done; null where that runs already, or waits. */
static inline cmk_host_work_ *cmk_host_next_for_(const cmk_host_work_ *work)
{
    for (;;) {
        cmk_host_work_ *first = work->stream_->first_, *before = cmk_host_before_(first);
        if (!before || first->state_ != cmk_host_state_queued_) return cmk_host_is_ready_(first) ? first : NULL;
        work = before;
    }
}

static inline void cmk_host_end_work_(cmk_host_work_ *work)
{
    cmk_host_stream_ *stream = work->stream_;
    stream->first_ = work->next_;
    if (!stream->first_) stream->last_ = NULL;
    work->state_ = cmk_host_state_done_;
    for (size_t i = 0; i < work->after_count_; i++) cmk_host_release_(work->after_[i]);
    work->after_count_ = 0;
    cmk_host_running_--;
    cmk_host_done_++;
    if (stream->is_gone_ && !stream->first_) cmk_host_stream_free_(stream);
    cmk_host_release_(work);
    __atomic_fetch_sub(&cmk_host_queued_, 1, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&cmk_host_queue_moves_);
}

/* Runs the job of a work; null: of one that runs at once, and was put into a stream last. */
static inline void cmk_host_run_job_(const cmk_host_job_ *job, void *what, const cmk_host_work_ *work)
{
#if CMK_HOST_RACES_
    const cmk_host_clock_ *const clock = work ? &work->clock_ : &cmk_host_clock_next_;
    const cmk_host_clock_ *const outer = cmk_host_clock_begin_(clock, job->ready_ != NULL);
#endif
    (void)work;
    job->run_(what);
#if CMK_HOST_RACES_
    cmk_host_clock_end_(outer);
#endif
}

/* Gives up the lock for 2 ms, or until a work is done. */
static inline void cmk_host_nap_(void)
{
    struct timespec when;
    (void)timespec_get(&when, TIME_UTC);
    when.tv_nsec += 2000000;
    when.tv_sec += when.tv_nsec / 1000000000;
    when.tv_nsec %= 1000000000;
    (void)pthread_cond_timedwait(&cmk_host_queue_moves_, &cmk_host_queue_lock_, &when);
}

/* Runs a work on this OS thread. It gives up the lock while the work runs. */
CMK_HOST_CALLED_ void cmk_host_run_here_(cmk_host_work_ *work)
{
    work->state_ = cmk_host_state_running_;
    cmk_host_running_++;
    const int device = work->stream_->device_;
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    cmk_host_turn_begin_(device);
    cmk_host_run_job_(work->job_, work->what_, work);
    cmk_host_turn_end_();
    pthread_mutex_lock(&cmk_host_queue_lock_);
    cmk_host_end_work_(work);
}

#if CMK_HOST_WATCH_
/* ---- Launches beside the host, by OS threads which stay: a kernel may wait for what the host writes (spin.h) */
typedef struct cmk_host_aside_ {
    struct cmk_host_aside_ *next_;
    cmk_host_work_ *work_; /* null: it has nothing to do */
    pthread_cond_t begins_;
    int goes_on_;   /* its launches are looked at as those of the host thread that gives them (clock.h) */
    uint32_t time_; /* of that thread */
    pid_t process_;
} cmk_host_aside_;
CMK_HOST_ONE_ cmk_host_aside_ *cmk_host_first_aside_;

/* Runs what it is given, and then what can run behind that: the host may wait for it in a loop of its own. */
CMK_HOST_CALLED_ void *cmk_host_run_asides_(void *given)
{
    cmk_host_aside_ *aside = (cmk_host_aside_ *)given;
    cmk_host_is_aside_ = 1;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    for (;;) {
        while (!aside->work_) (void)pthread_cond_wait(&aside->begins_, &cmk_host_queue_lock_);
#if CMK_HOST_RACES_
        cmk_host_time_ = aside->time_;
        cmk_host_goes_on_ = aside->goes_on_;
#endif
        for (cmk_host_work_ *work = aside->work_; work; work = cmk_host_options_now_.late_ ? NULL : cmk_host_any_(-1)) {
            cmk_host_run_here_(work);
            cmk_host_spin_end_();
#if CMK_HOST_RACES_
            aside->time_ = cmk_host_time_;
#endif
        }
        aside->work_ = NULL;
        __atomic_fetch_sub(&cmk_host_busy_, 1, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

/* An OS thread that has nothing to do. Those of a process that has forked are not there in the child. */
static inline cmk_host_aside_ *cmk_host_free_aside_(void)
{
    cmk_host_aside_ **link = &cmk_host_first_aside_;
    pthread_t thread;
    if (*link && (*link)->process_ != getpid()) {
        *link = NULL;
        cmk_host_asides_ = cmk_host_busy_ = cmk_host_spinning_ = cmk_host_holding_ = 0;
    }
    while (*link && (*link)->work_) link = &(*link)->next_;
    if (*link) return *link;
    cmk_host_aside_ *aside = (cmk_host_aside_ *)cmk_host_need_(calloc(1, sizeof *aside), "a launch beside the host");
    (void)pthread_cond_init(&aside->begins_, NULL);
    aside->process_ = getpid();
    if (pthread_create(&thread, NULL, cmk_host_run_asides_, aside) != 0) {
        free(aside);
        return NULL;
    }
    (void)pthread_detach(thread);
    cmk_host_asides_++;
    return *link = aside;
}

/* Runs a work beside this thread, which waits until it and all that can run behind it are done, or one spins. Value: 0
 * where this cannot be. */
CMK_HOST_CALLED_ int cmk_host_run_beside_(cmk_host_work_ *work)
{
    cmk_host_aside_ *aside = cmk_host_is_aside_ || work->job_->queues_ != 2 ? NULL : cmk_host_free_aside_();
    if (!aside) return 0;
    aside->work_ = work;
#if CMK_HOST_RACES_
    aside->goes_on_ = cmk_host_is_first_();
    aside->time_ = cmk_host_time_;
#endif
    work->references_++;
    work->state_ = cmk_host_state_running_;
    __atomic_store_n(&cmk_host_spins_, 0, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&cmk_host_busy_, 1, __ATOMIC_SEQ_CST);
    (void)pthread_cond_signal(&aside->begins_);
    while (aside->work_ && !__atomic_load_n(&cmk_host_spins_, __ATOMIC_SEQ_CST)) cmk_host_nap_();
#if CMK_HOST_RACES_
    if (aside->goes_on_ && aside->work_) cmk_host_is_parted_ = cmk_host_is_mixed_ = 1;
    if (aside->goes_on_) cmk_host_time_ = aside->time_;
#endif
    cmk_host_release_(work);
    return 1;
}
#endif

static inline void cmk_host_run_work_(cmk_host_work_ *work)
{
#if CMK_HOST_WATCH_
    if (cmk_host_run_beside_(work)) return;
#endif
    cmk_host_run_here_(work);
}

/* Runs works of the queue in a call that need not wait: all that can run, or under shuffle as many as the seed draws.
 * Above 1024 works it runs all that can run, as a GPU too has room for some thousand works. */
static inline void cmk_host_advance_(void)
{
    for (;;) {
        const int late = cmk_host_options_now_.late_ && cmk_host_queued_ < 1024;
        if (late && (int)(cmk_host_draw_() % 4) >= cmk_host_haste_) return;
        cmk_host_work_ *work = cmk_host_any_(-1);
        if (!work) return;
        cmk_host_run_work_(work);
    }
}

/* ---- Waiting for a work */

/* Whether there is no other host thread that may bring what is waited for. */
static inline int cmk_host_is_alone_(void)
{
#if CMK_HOST_WATCH_
    return cmk_host_os_threads_() == 1 + cmk_host_helpers_ + cmk_host_asides_;
#else
    return cmk_host_os_threads_() == 1 + cmk_host_helpers_;
#endif
}

#define CMK_HOST_PATIENCE_ 60 /* seconds without progress, after which nothing more is expected of other threads */

__attribute__((noreturn, cold)) static inline void cmk_host_fail_waiting_(const cmk_host_work_ *work)
{
    char text[256] = "waits";
    for (const cmk_host_work_ *before = work; before; before = cmk_host_before_(work)) work = before->stream_->first_;
    if (work->job_->tell_) work->job_->tell_(work->what_, text, sizeof text);
    cmk_host_fail_(__FILE__, __LINE__, "deadlock: a stream of device %d %s, and nothing else can run",
                   work->stream_->device_, text);
}

/* Called where nothing that the work needs can run: lets other host threads go on. It gives up the lock meanwhile. */
static inline void cmk_host_hold_(const cmk_host_work_ *work, unsigned long long *seen, int *naps)
{
    *naps = *seen == cmk_host_done_ ? *naps + 1 : 0;
    *seen = cmk_host_done_;
    if (cmk_host_running_ == 0 && *naps > 1 && (cmk_host_is_alone_() || *naps > CMK_HOST_PATIENCE_ * 500))
        cmk_host_fail_waiting_(work);
#if CMK_HOST_WATCH_
    __atomic_fetch_add(&cmk_host_holding_, 1, __ATOMIC_SEQ_CST);
#endif
    cmk_host_nap_();
#if CMK_HOST_WATCH_
    __atomic_fetch_sub(&cmk_host_holding_, 1, __ATOMIC_SEQ_CST);
#endif
}

/* Runs what a work needs, and the work. The caller holds the lock. This takes the caller's reference to the work. */
CMK_HOST_CALLED_ void cmk_host_finish_(cmk_host_work_ *work)
{
    unsigned long long seen = cmk_host_done_;
    int naps = 0;
    const int strict = cmk_host_draw_() % 2 == 0;
    while (work->state_ != cmk_host_state_done_) {
        cmk_host_work_ *next = strict ? cmk_host_next_for_(work) : NULL;
        if (!next) next = cmk_host_any_(-1);
        if (next)
            cmk_host_run_work_(next);
        else
            cmk_host_hold_(work, &seen, &naps);
    }
    cmk_host_release_(work);
}

/* Fails in a kernel. Of calls for streams a kernel may only launch others, which run after it. */
static inline void cmk_host_leave_to_host_(const char *what)
{
    if (cmk_host_is_in_kernel_())
        cmk_host_fail_(__FILE__, __LINE__, "a kernel may launch others, but not %s: that is for the host", what);
}

/* Waits until all streams of this backend, of a device or (-1) of all devices, have done what they have now. */
CMK_HOST_CALLED_ void cmk_host_finish_streams_(int device)
{
    size_t count = 0;
    if (!CMK_HOST_RACES_ && cmk_host_is_idle_()) return;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    for (const cmk_host_stream_ *stream = cmk_host_streams_; stream; stream = stream->next_) count++;
    void *memory = cmk_host_need_(malloc((count + 1) * sizeof(cmk_host_work_ *)), "the works of a device");
    cmk_host_work_ **last = (cmk_host_work_ **)memory;
    count = 0;
    for (const cmk_host_stream_ *stream = cmk_host_streams_; stream; stream = stream->next_) {
        if (!stream->last_ || (device >= 0 && stream->device_ != device)) continue;
        last[count] = stream->last_;
        last[count++]->references_++;
    }
    while (count > 0) cmk_host_finish_(last[--count]);
    cmk_host_waited_for_(NULL, device);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    free(last);
}

static inline void cmk_host_finish_own_(void)
{
    cmk_host_finish_streams_(-1);
}

/* The same of all backends of the process. Unless streams are shuffled, nothing is late in another one. */
CMK_HOST_CALLED_ void cmk_host_finish_device_(int device)
{
    cmk_host_leave_to_host_("wait for them");
    cmk_host_finish_streams_(device);
    if (cmk_host_options_read_()->late_) cmk_host_finish_others_();
}

/* ---- Submitting */

/* Puts the work of a captured stream into its graph, as a node. */
CMK_HOST_CALLED_ cudaError_t cmk_host_capture_work_(cmk_host_stream_ *stream, cmk_host_work_ *work)
{
    cmk_host_graph_ *graph = stream->capture_;
    const size_t bytes = (graph->count_ + 1) * sizeof *graph->nodes_;
    graph->nodes_ = (cmk_host_work_ **)cmk_host_need_(realloc(graph->nodes_, bytes), "a graph");
    graph->nodes_[graph->count_++] = work;
    work->references_++;
    work->state_ = cmk_host_state_captured_;
    work->graph_ = graph;
    work->track_ = stream->track_;
    cmk_host_after_(work, graph->last_[stream->track_]);
    graph->last_[stream->track_] = work;
    return cudaSuccess;
}

/* What is wrong with a work for a stream that is captured, or for a default stream beside captured streams. */
CMK_HOST_CALLED_ cudaError_t cmk_host_capture_error_(const cmk_host_stream_ *stream)
{
    if (cmk_host_captures_ == 0) return cudaSuccess;
    if (stream->capture_) return stream->capture_->is_broken_ ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    for (cmk_host_stream_ *other = cmk_host_streams_; other; other = other->next_) {
        const int bound = other->capture_ && !other->is_apart_ && other->device_ == stream->device_;
        if (!bound || !stream->is_implied_ || stream->thread_) continue;
        other->capture_->is_broken_ = 1;
        return cudaErrorStreamCaptureImplicit;
    }
    return cudaSuccess;
}

/* Breaks the capture, for a call that no captured stream allows. */
CMK_HOST_CALLED_ cudaError_t cmk_host_break_capture_(const cmk_host_stream_ *stream)
{
    stream->capture_->is_broken_ = 1;
    return cudaErrorStreamCaptureUnsupported;
}

/* Puts a job into a stream. Value: its work, or null where the job can run now. The caller holds the lock and gets a
 * reference. */
static inline cmk_host_work_ *cmk_host_queue_(cmk_host_stream_ *stream, const cmk_host_job_ *job, const void *what,
                                              size_t bytes, cudaError_t *error)
{
    const int late = cmk_host_options_read_()->late_ || job->queues_ || cmk_host_queued_ > 0;
    *error = cmk_host_capture_error_(stream);
    if (*error != cudaSuccess) return NULL;
    if (!stream->capture_ && !late && (!job->ready_ || job->ready_(what))) {
        cmk_host_put_clock_(stream, NULL);
        return NULL;
    }
    cmk_host_work_ *work = cmk_host_work_new_(job, what, bytes);
    if (stream->capture_)
        *error = cmk_host_capture_work_(stream, work);
    else
        cmk_host_put_(stream, work);
    return work;
}

/* Whether a job for the default stream runs at once, as most do. This takes no lock. */
static inline int cmk_host_is_at_once_(cudaStream_t handle, const cmk_host_job_ *job)
{
    return !CMK_HOST_RACES_ && !handle && !job->ready_ && !job->queues_ && !cmk_host_options_read_()->late_ &&
           cmk_host_is_idle_() && __atomic_load_n(&cmk_host_captures_, __ATOMIC_RELAXED) == 0;
}

static inline void cmk_host_run_at_once_(const cmk_host_job_ *job, void *what, int device)
{
    cmk_host_turn_begin_(device);
    cmk_host_run_job_(job, what, NULL);
    cmk_host_turn_end_();
    if (job->drop_) job->drop_(what);
}

/* Runs a job, or puts it into a stream with a copy of what it needs. */
CMK_HOST_CALLED_ cudaError_t cmk_host_submit_(cudaStream_t handle, const cmk_host_job_ *job, void *what, size_t bytes)
{
    cudaError_t error = cudaErrorInvalidResourceHandle;
    cmk_host_leave_to_host_("put other work into a stream");
    if (cmk_host_is_at_once_(handle, job)) {
        cmk_host_run_at_once_(job, what, cmk_host_device_now_);
        return cudaSuccess;
    }
    pthread_mutex_lock(&cmk_host_queue_lock_);
    cmk_host_stream_ *stream = cmk_host_stream_of_(handle);
    cmk_host_work_ *work = stream ? cmk_host_queue_(stream, job, what, bytes, &error) : NULL;
    const int device = stream ? stream->device_ : 0, captured = work && work->state_ == cmk_host_state_captured_;
    if (work && !captured) cmk_host_advance_();
    const int waits = work && work->waits_;
    if (waits)
        cmk_host_finish_(work);
    else
        cmk_host_release_(work);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    if (waits && !handle) cmk_host_finish_others_();
    if (work) return error;
    if (error == cudaSuccess)
        cmk_host_run_at_once_(job, what, device);
    else if (job->drop_)
        job->drop_(what);
    return error;
}

static inline void cmk_host_run_nothing_(void *what)
{
    (void)what;
}

/* Waits until a stream has done what it has now. The legacy default stream also comes after others, so it gets a mark
 * to wait for. */
CMK_HOST_CALLED_ cudaError_t cmk_host_finish_stream_(cudaStream_t handle)
{
    static const cmk_host_job_ mark = {cmk_host_run_nothing_, NULL, NULL, NULL, NULL, 1};
    cudaError_t error = cudaErrorInvalidResourceHandle;
    cmk_host_leave_to_host_("wait for them");
    pthread_mutex_lock(&cmk_host_queue_lock_);
    cmk_host_stream_ *stream = cmk_host_stream_of_(handle);
    cmk_host_work_ *last = stream ? stream->last_ : NULL;
    if (last) last->references_++;
    if (stream) error = stream->capture_ ? cmk_host_break_capture_(stream) : cmk_host_capture_error_(stream);
    if (error == cudaSuccess && stream->is_implied_ && !stream->thread_ && cmk_host_queued_ > 0) {
        cmk_host_release_(last);
        last = cmk_host_queue_(stream, &mark, "", 0, &error);
    }
    if (last) cmk_host_finish_(last);
    if (error == cudaSuccess) cmk_host_waited_for_(stream, 0);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    if (!handle && cmk_host_options_now_.late_) cmk_host_finish_others_();
    return error;
}

/* Called when a block of a kernel has ended. Where a stream waits for a word that has now come, an OS thread runs what
 * follows in the stream beside the kernel. So a word that is written too early shows. */
CMK_HOST_CALLED_ void *cmk_host_run_woken_(void *hand)
{
#if CMK_HOST_RACES_
    cmk_host_hand_take_((const cmk_host_hand_ *)hand);
#endif
    pthread_mutex_lock(&cmk_host_queue_lock_);
    for (unsigned left = cmk_host_draw_() % 8 + 1; left > 0; left--) {
        cmk_host_work_ *work = cmk_host_any_(cmk_host_options_now_.devices_ > 1 ? cmk_host_turn_of_ : -1);
        if (!work) break;
        cmk_host_run_work_(work);
    }
    pthread_mutex_unlock(&cmk_host_queue_lock_);
#if CMK_HOST_RACES_
    ((cmk_host_hand_ *)hand)->time_ = cmk_host_time_;
#endif
    return hand;
}

CMK_HOST_CALLED_ void cmk_host_wake_(void)
{
    pthread_t thread;
    int woken = 0;
    if (cmk_host_counting_ || cmk_host_is_idle_()) return;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    for (const cmk_host_stream_ *stream = cmk_host_streams_; stream && !woken; stream = stream->next_)
        woken = stream->first_ && stream->first_->job_->ready_ && !cmk_host_before_(stream->first_) &&
                cmk_host_is_ready_(stream->first_);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    if (!woken) return;
#if CMK_HOST_RACES_
    cmk_host_hand_ hand = cmk_host_hand_over_();
    if (pthread_create(&thread, NULL, cmk_host_run_woken_, &hand) == 0) (void)pthread_join(thread, NULL);
    cmk_host_hand_back_(hand.time_);
#else
    if (pthread_create(&thread, NULL, cmk_host_run_woken_, NULL) == 0) (void)pthread_join(thread, NULL);
#endif
}

CMK_HOST_C_END_

#endif
