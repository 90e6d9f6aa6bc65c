/* host/stream.h: streams, events, and waits for words in memory. queue.h decides when the work of a stream runs. */
#include "../base.h"
#ifndef CMK_HOST_STREAM_H
#define CMK_HOST_STREAM_H

typedef struct CUevent_st *cudaEvent_t;
typedef void (*cudaHostFn_t)(void *);

enum {
    cudaStreamDefault = 0,
    cudaStreamNonBlocking = 1,
    cudaEventDefault = 0,
    cudaEventBlockingSync = 1,
    cudaEventDisableTiming = 2,
    cudaEventInterprocess = 4,
    cudaEventRecordDefault = 0,
    cudaEventWaitDefault = 0
};

typedef struct cmk_host_event_ {
    struct cmk_host_event_ *next_;
    int device_;
    int timed_;
    int recorded_;
    cmk_host_work_ *record_; /* the last record, if it was queued; it has its time */
    double milliseconds_;    /* the time of a record that was not queued */
#if CMK_HOST_RACES_
    cmk_host_clock_ clock_; /* of the last record */
#endif
} cmk_host_event_;

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ cmk_host_event_ *cmk_host_events_; /* the lock of the queue guards all data here */

static inline double cmk_host_now_(void)
{
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* The link of the list that points to the event, or null. */
static inline cmk_host_event_ **cmk_host_event_link_(const void *wanted)
{
    for (cmk_host_event_ **link = &cmk_host_events_; *link; link = &(*link)->next_)
        if (*link == wanted) return link;
    return NULL;
}

static inline cmk_host_event_ *cmk_host_event_of_(cudaEvent_t handle)
{
    cmk_host_event_ **link = cmk_host_event_link_(handle);
    return link ? *link : NULL;
}

/* ---- Streams */
static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    if (!stream || flags > cudaStreamNonBlocking) return cmk_host_result_(cudaErrorInvalidValue);
    pthread_mutex_lock(&cmk_host_queue_lock_);
    *stream = (cudaStream_t)(void *)cmk_host_stream_new_(cmk_host_device_now_, flags == cudaStreamNonBlocking);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return cudaSuccess;
}

static inline cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

/* Priorities are hints; this backend does not use them. */
static inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    (void)priority;
    return cudaStreamCreateWithFlags(stream, flags);
}

static inline cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return cudaSuccess;
}

static inline cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *flags)
{
    if (!flags) return cmk_host_result_(cudaErrorInvalidValue);
    pthread_mutex_lock(&cmk_host_queue_lock_);
    const cmk_host_stream_ *stream = cmk_host_stream_of_(handle);
    if (stream) *flags = stream->is_apart_ ? cudaStreamNonBlocking : cudaStreamDefault;
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return cmk_host_result_(stream ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

static inline cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    unsigned flags = 0;
    if (!priority) return cmk_host_result_(cudaErrorInvalidValue);
    *priority = 0;
    return cudaStreamGetFlags(stream, &flags);
}

/* Work that is in the stream is still done. */
static inline cudaError_t cudaStreamDestroy(cudaStream_t handle)
{
    pthread_mutex_lock(&cmk_host_queue_lock_);
    cmk_host_stream_ *stream = handle ? cmk_host_stream_of_(handle) : NULL;
    const int known = stream && !stream->is_implied_;
    if (known && stream->first_)
        stream->is_gone_ = 1;
    else if (known)
        cmk_host_stream_free_(stream);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return cmk_host_result_(known ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

static inline cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return cmk_host_result_(cmk_host_finish_stream_(stream));
}

static inline cudaError_t cudaStreamQuery(cudaStream_t handle)
{
    pthread_mutex_lock(&cmk_host_queue_lock_);
    cmk_host_stream_ *stream = cmk_host_stream_of_(handle);
    cmk_host_work_ *next = stream && stream->first_ ? cmk_host_any_(-1) : NULL;
    if (next) cmk_host_run_work_(next);
    stream = stream ? cmk_host_stream_of_(handle) : NULL;
    const int busy = stream && stream->first_, captured = stream && stream->capture_;
    if (stream && !busy && !captured) cmk_host_waited_for_(stream, 0);
    if (captured) (void)cmk_host_break_capture_(stream);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    if (captured) return cmk_host_result_(cudaErrorStreamCaptureUnsupported);
    if (busy) return cudaErrorNotReady;
    return cmk_host_result_(stream ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

/* ---- Events */
static inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    if (!event || flags > 7) return cmk_host_result_(cudaErrorInvalidValue);
    cmk_host_event_ *made = (cmk_host_event_ *)cmk_host_need_(calloc(1, sizeof *made), "an event");
    made->device_ = cmk_host_device_now_;
    made->timed_ = !(flags & cudaEventDisableTiming);
    pthread_mutex_lock(&cmk_host_queue_lock_);
    made->next_ = cmk_host_events_;
    cmk_host_events_ = made;
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    *event = (cudaEvent_t)(void *)made;
    return cudaSuccess;
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

#if defined(__cplusplus)
extern "C++" inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}
#endif

static inline cudaError_t cudaEventDestroy(cudaEvent_t handle)
{
    pthread_mutex_lock(&cmk_host_queue_lock_);
    cmk_host_event_ **link = cmk_host_event_link_(handle);
    cmk_host_event_ *event = link ? *link : NULL;
    if (event) {
        *link = event->next_;
        cmk_host_release_(event->record_);
        free(event);
    }
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return cmk_host_result_(event ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

static inline void cmk_host_run_record_(void *what)
{
    const double now = cmk_host_now_();
    memcpy(what, &now, sizeof now);
}

/* Records an event in a stream. The caller holds the lock. */
static inline cudaError_t cmk_host_record_(cmk_host_event_ *event, cmk_host_stream_ *stream)
{
    static const cmk_host_job_ job = {cmk_host_run_record_, NULL, NULL, NULL, NULL, 0};
    double now = cmk_host_now_();
    cudaError_t error = cudaSuccess;
    if (event->device_ != stream->device_) return cudaErrorInvalidResourceHandle;
    cmk_host_work_ *record = cmk_host_queue_(stream, &job, &now, sizeof now, &error);
    if (error != cudaSuccess) {
        cmk_host_release_(record);
        return error;
    }
    cmk_host_release_(event->record_);
    event->record_ = record;
    event->milliseconds_ = now;
    event->recorded_ = 1;
#if CMK_HOST_RACES_
    event->clock_ = stream->clock_;
#endif
    if (record && record->state_ != cmk_host_state_captured_) cmk_host_advance_();
    return error;
}

static inline cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream CMK_HOST_DEFAULT_(0))
{
    cudaError_t error = cudaErrorInvalidResourceHandle;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    cmk_host_event_ *event = cmk_host_event_of_(handle);
    cmk_host_stream_ *found = event ? cmk_host_stream_of_(stream) : NULL;
    if (found) error = cmk_host_record_(event, found);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return cmk_host_result_(error);
}

static inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream CMK_HOST_DEFAULT_(0),
                                                   unsigned flags CMK_HOST_DEFAULT_(0))
{
    return flags > 1 ? cmk_host_result_(cudaErrorInvalidValue) : cudaEventRecord(event, stream);
}

/* The state of an event: cudaErrorNotReady while its record has not run. By cudaSuccess the host has waited for it. */
static inline cudaError_t cmk_host_event_state_(const cmk_host_event_ *event)
{
    if (event->record_ && event->record_->state_ == cmk_host_state_captured_) return cudaErrorCapturedEvent;
    if (event->record_ && event->record_->state_ != cmk_host_state_done_) return cudaErrorNotReady;
#if CMK_HOST_RACES_
    cmk_host_clock_wait_(&event->clock_);
#endif
    return cudaSuccess;
}

static inline cudaError_t cudaEventSynchronize(cudaEvent_t handle)
{
    cudaError_t error = cudaSuccess;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    cmk_host_event_ *event = cmk_host_event_of_(handle);
    cmk_host_work_ *record = event ? event->record_ : NULL;
    if (!event)
        error = cudaErrorInvalidResourceHandle;
    else if (record && record->state_ == cmk_host_state_captured_)
        error = cudaErrorCapturedEvent;
    else if (record) {
        record->references_++;
        cmk_host_finish_(record);
    }
    if (error == cudaSuccess) (void)cmk_host_event_state_(event);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return cmk_host_result_(error);
}

static inline cudaError_t cudaEventQuery(cudaEvent_t handle)
{
    cudaError_t error = cudaErrorInvalidResourceHandle;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    cmk_host_event_ *event = cmk_host_event_of_(handle);
    cmk_host_work_ *next = event && cmk_host_event_state_(event) == cudaErrorNotReady ? cmk_host_any_(-1) : NULL;
    if (next) cmk_host_run_work_(next);
    event = cmk_host_event_of_(handle);
    if (event) error = cmk_host_event_state_(event);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return error == cudaErrorNotReady ? error : cmk_host_result_(error);
}

static inline double cmk_host_event_time_(const cmk_host_event_ *event)
{
    double milliseconds = event->milliseconds_;
    if (event->record_) memcpy(&milliseconds, event->record_->what_, sizeof milliseconds);
    return milliseconds;
}

static inline cudaError_t cmk_host_elapsed_(float *milliseconds, const cmk_host_event_ *from, const cmk_host_event_ *to)
{
    if (!from || !to || !from->recorded_ || !to->recorded_ || !from->timed_ || !to->timed_ ||
        from->device_ != to->device_)
        return cudaErrorInvalidResourceHandle;
    if (cmk_host_event_state_(from) != cudaSuccess) return cmk_host_event_state_(from);
    if (cmk_host_event_state_(to) != cudaSuccess) return cmk_host_event_state_(to);
    *milliseconds = (float)(cmk_host_event_time_(to) - cmk_host_event_time_(from));
    return cudaSuccess;
}

static inline cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    if (!milliseconds) return cmk_host_result_(cudaErrorInvalidValue);
    pthread_mutex_lock(&cmk_host_queue_lock_);
    const cudaError_t error = cmk_host_elapsed_(milliseconds, cmk_host_event_of_(start), cmk_host_event_of_(end));
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return error == cudaErrorNotReady ? error : cmk_host_result_(error);
}

/* Makes a stream wait for a record: it gets a work that comes after the record. The caller holds the lock. */
static inline cudaError_t cmk_host_wait_record_(cmk_host_stream_ *stream, cmk_host_work_ *record)
{
    static const cmk_host_job_ job = {cmk_host_run_nothing_, NULL, NULL, NULL, NULL, 1};
    char nothing = 0;
    cudaError_t error = cmk_host_join_capture_(stream, record);
    if (error != cudaSuccess || !record || record->state_ == cmk_host_state_done_) return error;
    cmk_host_work_ *work = cmk_host_queue_(stream, &job, &nothing, 0, &error);
    if (error == cudaSuccess) cmk_host_after_(work, record);
    cmk_host_release_(work);
    if (!stream->capture_) cmk_host_advance_();
    return error;
}

static inline cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t awaited,
                                              unsigned flags CMK_HOST_DEFAULT_(0))
{
    cudaError_t error = cudaErrorInvalidResourceHandle;
    if (flags != cudaEventWaitDefault) return cmk_host_result_(cudaErrorInvalidValue);
    pthread_mutex_lock(&cmk_host_queue_lock_);
    cmk_host_event_ *event = cmk_host_event_of_(awaited);
    cmk_host_stream_ *stream = event ? cmk_host_stream_of_(handle) : NULL;
    if (stream) error = event->recorded_ ? cmk_host_wait_record_(stream, event->record_) : cudaSuccess;
#if CMK_HOST_RACES_
    if (stream && error == cudaSuccess && !stream->capture_) cmk_host_clock_join_(&stream->clock_, &event->clock_);
#endif
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return cmk_host_result_(error);
}

/* ---- A function of the host, in the order of a stream */
typedef struct cmk_host_call_ {
    cudaHostFn_t function_;
    void *data_;
} cmk_host_call_;

/* A stream calls a function of the host, or has called it. */
static inline void cmk_host_calls_(int begins)
{
#if CMK_HOST_RACES_
    cmk_host_clock_call_(begins);
#endif
    (void)begins;
}

static inline void cmk_host_run_call_(void *what)
{
    const cmk_host_call_ *call = (const cmk_host_call_ *)what;
    cmk_host_calls_(1);
    call->function_(call->data_);
    cmk_host_calls_(0);
}

static inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    static const cmk_host_job_ job = {cmk_host_run_call_, NULL, NULL, NULL, NULL, 0};
    cmk_host_call_ call = {function, data};
    if (!function) return cmk_host_result_(cudaErrorInvalidValue);
    return cmk_host_result_(cmk_host_submit_(stream, &job, &call, sizeof call));
}

/* ---- The same by the older call, whose function is given the stream */
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);

typedef struct cmk_host_callback_ {
    cudaStreamCallback_t function_;
    cudaStream_t stream_;
    void *data_;
} cmk_host_callback_;

static inline void cmk_host_run_callback_(void *what)
{
    const cmk_host_callback_ *call = (const cmk_host_callback_ *)what;
    cmk_host_calls_(1);
    call->function_(call->stream_, cudaSuccess, call->data_);
    cmk_host_calls_(0);
}

static inline cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *data,
                                                unsigned flags)
{
    static const cmk_host_job_ job = {cmk_host_run_callback_, NULL, NULL, NULL, NULL, 0};
    cmk_host_callback_ call = {function, stream, data};
    if (!function || flags) return cmk_host_result_(cudaErrorInvalidValue);
    return cmk_host_result_(cmk_host_submit_(stream, &job, &call, sizeof call));
}

/* ---- Words in memory (../stream.h) */
typedef struct cmk_host_await_ {
    unsigned *word_;
    unsigned value_;
    int counted_; /* it counts in cmk_host_word_waits_ */
} cmk_host_await_;

CMK_HOST_HELPER_ int cmk_host_ready_word_(const void *what)
{
    const cmk_host_await_ *word = (const cmk_host_await_ *)what;
    return (int)(__atomic_load_n(word->word_, __ATOMIC_ACQUIRE) - word->value_) >= 0;
}

static inline int cmk_host_keep_word_(void *what)
{
    ((cmk_host_await_ *)what)->counted_ = 1;
    __atomic_fetch_add(&cmk_host_word_waits_, 1, __ATOMIC_RELEASE);
    return 0;
}

static inline void cmk_host_run_wait_word_(void *what)
{
    cmk_host_fence_(); /* what was written before the word is seen behind it */
    if (((const cmk_host_await_ *)what)->counted_) __atomic_fetch_sub(&cmk_host_word_waits_, 1, __ATOMIC_RELEASE);
}

static inline void cmk_host_run_write_word_(void *what)
{
    const cmk_host_await_ *word = (const cmk_host_await_ *)what;
#if CMK_HOST_RACES_
    cmk_host_clock_part_();
#endif
    __atomic_store_n(word->word_, word->value_, __ATOMIC_RELEASE);
}

CMK_HOST_HELPER_ void cmk_host_tell_word_(const void *what, char *text, size_t bytes)
{
    const cmk_host_await_ *word = (const cmk_host_await_ *)what;
    snprintf(text, bytes, "waits until the word at %p has reached %u, which is %u", (void *)word->word_, word->value_,
             __atomic_load_n(word->word_, __ATOMIC_RELAXED));
}

/* Submits a wait or a write. The word must be device memory. The stream gives the device. */
static inline cudaError_t cmk_host_word_submit_(cudaStream_t stream, const cmk_host_job_ *job, unsigned *word,
                                                unsigned value)
{
    cmk_host_await_ what = {word, value, 0};
    pthread_mutex_lock(&cmk_host_memory_lock_);
    const int known = cmk_host_find_(cmk_host_live_, cmk_host_live_count_, word, sizeof *word) != NULL;
    pthread_mutex_unlock(&cmk_host_memory_lock_);
    return cmk_host_result_(known ? cmk_host_submit_(stream, job, &what, sizeof what) : cudaErrorInvalidValue);
}

static inline cudaError_t cmk_host_wait_value_(cudaStream_t stream, const unsigned *word, unsigned value)
{
    static const cmk_host_job_ job = {
        cmk_host_run_wait_word_, cmk_host_ready_word_, cmk_host_keep_word_, NULL, cmk_host_tell_word_, 0};
    return cmk_host_word_submit_(stream, &job, (unsigned *)(uintptr_t)word, value);
}

static inline cudaError_t cmk_host_write_value_(cudaStream_t stream, unsigned *word, unsigned value)
{
    static const cmk_host_job_ job = {cmk_host_run_write_word_, NULL, NULL, NULL, NULL, 0};
    return cmk_host_word_submit_(stream, &job, word, value);
}

CMK_HOST_C_END_

#endif
