/* host/stream.h: streams and events. Every call finishes before it returns, so streams are in order by nature, and an
 * event is the time it was recorded at. */
#include "../base.h"
#ifndef CMK_HOST_STREAM_H
#define CMK_HOST_STREAM_H

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

enum {
    cudaStreamDefault = 0,
    cudaStreamNonBlocking = 1,
    cudaEventDefault = 0,
    cudaEventBlockingSync = 1,
    cudaEventDisableTiming = 2,
    cudaEventWaitDefault = 0
};

#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)

/* A stream or an event. */
typedef struct cmk_host_handle_ {
    struct cmk_host_handle_ *next_;
    double milliseconds_; /* when an event was recorded */
    int recorded_;
    int timed_;
} cmk_host_handle_;

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ pthread_mutex_t cmk_host_handle_lock_ = PTHREAD_MUTEX_INITIALIZER;
CMK_HOST_ONE_ cmk_host_handle_ *cmk_host_streams_;
CMK_HOST_ONE_ cmk_host_handle_ *cmk_host_events_;

static inline cmk_host_handle_ *cmk_host_handle_new_(cmk_host_handle_ **list_)
{
    void *memory_ = cmk_host_need_(calloc(1, sizeof(cmk_host_handle_)), "a stream or an event");
    cmk_host_handle_ *handle_ = (cmk_host_handle_ *)memory_;
    pthread_mutex_lock(&cmk_host_handle_lock_);
    handle_->next_ = *list_;
    *list_ = handle_;
    pthread_mutex_unlock(&cmk_host_handle_lock_);
    return handle_;
}

/* The link that points to the handle, or null. The caller holds the lock. */
static inline cmk_host_handle_ **cmk_host_handle_link_(cmk_host_handle_ **list_, const void *wanted_)
{
    for (; *list_; list_ = &(*list_)->next_) {
        if (*list_ == wanted_)
            return list_;
    }
    return NULL;
}

static inline cmk_host_handle_ *cmk_host_handle_find_(cmk_host_handle_ **list_, const void *wanted_)
{
    pthread_mutex_lock(&cmk_host_handle_lock_);
    cmk_host_handle_ **link_ = cmk_host_handle_link_(list_, wanted_);
    cmk_host_handle_ *handle_ = link_ ? *link_ : NULL;
    pthread_mutex_unlock(&cmk_host_handle_lock_);
    return handle_;
}

static inline cudaError_t cmk_host_handle_free_(cmk_host_handle_ **list_, const void *wanted_)
{
    pthread_mutex_lock(&cmk_host_handle_lock_);
    cmk_host_handle_ **link_ = cmk_host_handle_link_(list_, wanted_);
    cmk_host_handle_ *handle_ = link_ ? *link_ : NULL;
    if (link_)
        *link_ = handle_->next_;
    pthread_mutex_unlock(&cmk_host_handle_lock_);
    free(handle_);
    return cmk_host_result_(link_ ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

CMK_HOST_ONE_ int cmk_host_is_stream_(cudaStream_t stream_)
{
    if (!stream_ || stream_ == cudaStreamLegacy || stream_ == cudaStreamPerThread)
        return 1;
    return cmk_host_handle_find_(&cmk_host_streams_, stream_) != NULL;
}

/* What every call with a stream ends with when nothing else is wrong. */
static inline cudaError_t cmk_host_on_stream_(cudaStream_t stream_)
{
    return cmk_host_result_(cmk_host_is_stream_(stream_) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream_, unsigned flags_)
{
    if (!stream_ || flags_ > cudaStreamNonBlocking)
        return cmk_host_result_(cudaErrorInvalidValue);
    *stream_ = (cudaStream_t)(void *)cmk_host_handle_new_(&cmk_host_streams_);
    return cudaSuccess;
}

static inline cudaError_t cudaStreamCreate(cudaStream_t *stream_)
{
    return cudaStreamCreateWithFlags(stream_, cudaStreamDefault);
}

static inline cudaError_t cudaStreamDestroy(cudaStream_t stream_)
{
    return cmk_host_handle_free_(&cmk_host_streams_, stream_);
}

static inline cudaError_t cudaStreamSynchronize(cudaStream_t stream_)
{
    return cmk_host_on_stream_(stream_);
}

static inline cudaError_t cudaStreamQuery(cudaStream_t stream_)
{
    return cmk_host_on_stream_(stream_);
}

static inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event_, unsigned flags_)
{
    if (!event_)
        return cmk_host_result_(cudaErrorInvalidValue);
    cmk_host_handle_ *handle_ = cmk_host_handle_new_(&cmk_host_events_);
    handle_->timed_ = !(flags_ & cudaEventDisableTiming);
    *event_ = (cudaEvent_t)(void *)handle_;
    return cudaSuccess;
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event_)
{
    return cudaEventCreateWithFlags(event_, cudaEventDefault);
}

static inline cudaError_t cudaEventDestroy(cudaEvent_t event_)
{
    return cmk_host_handle_free_(&cmk_host_events_, event_);
}

static inline cudaError_t cudaEventRecord(cudaEvent_t event_, cudaStream_t stream_ CMK_HOST_DEFAULT_(0))
{
    struct timespec now_;
    cmk_host_handle_ *handle_ = cmk_host_handle_find_(&cmk_host_events_, event_);
    if (!handle_)
        return cmk_host_result_(cudaErrorInvalidResourceHandle);
    (void)timespec_get(&now_, TIME_UTC);
    handle_->milliseconds_ = 1e3 * (double)now_.tv_sec + 1e-6 * (double)now_.tv_nsec;
    handle_->recorded_ = 1;
    return cmk_host_on_stream_(stream_);
}

static inline cudaError_t cudaEventSynchronize(cudaEvent_t event_)
{
    int known_ = cmk_host_handle_find_(&cmk_host_events_, event_) != NULL;
    return cmk_host_result_(known_ ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

static inline cudaError_t cudaEventQuery(cudaEvent_t event_)
{
    return cudaEventSynchronize(event_);
}

static inline cudaError_t cudaEventElapsedTime(float *milliseconds_, cudaEvent_t start_, cudaEvent_t end_)
{
    const cmk_host_handle_ *from_ = cmk_host_handle_find_(&cmk_host_events_, start_);
    const cmk_host_handle_ *to_ = cmk_host_handle_find_(&cmk_host_events_, end_);
    if (!milliseconds_)
        return cmk_host_result_(cudaErrorInvalidValue);
    if (!from_ || !to_ || !from_->recorded_ || !to_->recorded_ || !from_->timed_ || !to_->timed_)
        return cmk_host_result_(cudaErrorInvalidResourceHandle);
    *milliseconds_ = (float)(to_->milliseconds_ - from_->milliseconds_);
    return cudaSuccess;
}

static inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream_, cudaEvent_t event_,
                                              unsigned flags_ CMK_HOST_DEFAULT_(0))
{
    if (flags_ != cudaEventWaitDefault)
        return cmk_host_result_(cudaErrorInvalidValue);
    if (!cmk_host_handle_find_(&cmk_host_events_, event_))
        return cmk_host_result_(cudaErrorInvalidResourceHandle);
    return cmk_host_on_stream_(stream_);
}

CMK_HOST_C_END_

#endif
