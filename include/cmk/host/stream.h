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

static inline cmk_host_handle_ *cmk_host_handle_new_(cmk_host_handle_ **list)
{
    void *memory = cmk_host_need_(calloc(1, sizeof(cmk_host_handle_)), "a stream or an event");
    cmk_host_handle_ *handle = (cmk_host_handle_ *)memory;
    pthread_mutex_lock(&cmk_host_handle_lock_);
    handle->next_ = *list;
    *list = handle;
    pthread_mutex_unlock(&cmk_host_handle_lock_);
    return handle;
}

/* The link that points to the handle, or null. The caller holds the lock. */
static inline cmk_host_handle_ **cmk_host_handle_link_(cmk_host_handle_ **list, const void *wanted)
{
    for (; *list; list = &(*list)->next_) {
        if (*list == wanted) return list;
    }
    return NULL;
}

static inline cmk_host_handle_ *cmk_host_handle_find_(cmk_host_handle_ **list, const void *wanted)
{
    pthread_mutex_lock(&cmk_host_handle_lock_);
    cmk_host_handle_ **link = cmk_host_handle_link_(list, wanted);
    cmk_host_handle_ *handle = link ? *link : NULL;
    pthread_mutex_unlock(&cmk_host_handle_lock_);
    return handle;
}

static inline cudaError_t cmk_host_handle_free_(cmk_host_handle_ **list, const void *wanted)
{
    pthread_mutex_lock(&cmk_host_handle_lock_);
    cmk_host_handle_ **link = cmk_host_handle_link_(list, wanted);
    cmk_host_handle_ *handle = link ? *link : NULL;
    if (link) *link = handle->next_;
    pthread_mutex_unlock(&cmk_host_handle_lock_);
    free(handle);
    return cmk_host_result_(link ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

CMK_HOST_ONE_ int cmk_host_is_stream_(cudaStream_t stream)
{
    if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread) return 1;
    return cmk_host_handle_find_(&cmk_host_streams_, stream) != NULL;
}

/* What every call with a stream ends with when nothing else is wrong. */
static inline cudaError_t cmk_host_on_stream_(cudaStream_t stream)
{
    return cmk_host_result_(cmk_host_is_stream_(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    if (!stream || flags > cudaStreamNonBlocking) return cmk_host_result_(cudaErrorInvalidValue);
    *stream = (cudaStream_t)(void *)cmk_host_handle_new_(&cmk_host_streams_);
    return cudaSuccess;
}

static inline cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

static inline cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return cmk_host_handle_free_(&cmk_host_streams_, stream);
}

static inline cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return cmk_host_on_stream_(stream);
}

static inline cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return cmk_host_on_stream_(stream);
}

static inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    if (!event) return cmk_host_result_(cudaErrorInvalidValue);
    cmk_host_handle_ *handle = cmk_host_handle_new_(&cmk_host_events_);
    handle->timed_ = !(flags & cudaEventDisableTiming);
    *event = (cudaEvent_t)(void *)handle;
    return cudaSuccess;
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

static inline cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return cmk_host_handle_free_(&cmk_host_events_, event);
}

static inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream CMK_HOST_DEFAULT_(0))
{
    struct timespec now;
    cmk_host_handle_ *handle = cmk_host_handle_find_(&cmk_host_events_, event);
    if (!handle) return cmk_host_result_(cudaErrorInvalidResourceHandle);
    (void)timespec_get(&now, TIME_UTC);
    handle->milliseconds_ = 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
    handle->recorded_ = 1;
    return cmk_host_on_stream_(stream);
}

static inline cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    int known = cmk_host_handle_find_(&cmk_host_events_, event) != NULL;
    return cmk_host_result_(known ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

static inline cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return cudaEventSynchronize(event);
}

static inline cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    const cmk_host_handle_ *from = cmk_host_handle_find_(&cmk_host_events_, start);
    const cmk_host_handle_ *to = cmk_host_handle_find_(&cmk_host_events_, end);
    if (!milliseconds) return cmk_host_result_(cudaErrorInvalidValue);
    if (!from || !to || !from->recorded_ || !to->recorded_ || !from->timed_ || !to->timed_)
        return cmk_host_result_(cudaErrorInvalidResourceHandle);
    *milliseconds = (float)(to->milliseconds_ - from->milliseconds_);
    return cudaSuccess;
}

static inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                              unsigned flags CMK_HOST_DEFAULT_(0))
{
    if (flags != cudaEventWaitDefault) return cmk_host_result_(cudaErrorInvalidValue);
    if (!cmk_host_handle_find_(&cmk_host_events_, event)) return cmk_host_result_(cudaErrorInvalidResourceHandle);
    return cmk_host_on_stream_(stream);
}

/* ---- Words in memory (../stream.h) */
static inline cudaError_t cmk_host_wait_value_(cudaStream_t stream, const unsigned *word, unsigned value)
{
    if ((int)(__atomic_load_n(word, __ATOMIC_ACQUIRE) - value) < 0)
        cmk_host_fail_(__FILE__, __LINE__, "a stream waits for %u at %p, and no kernel before has written it", value,
                       (const void *)word);
    return cmk_host_on_stream_(stream);
}

static inline cudaError_t cmk_host_write_value_(cudaStream_t stream, unsigned *word, unsigned value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    return cmk_host_on_stream_(stream);
}

CMK_HOST_C_END_

#endif
