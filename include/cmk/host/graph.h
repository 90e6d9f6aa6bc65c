/* host/graph.h: graphs that are captured from streams. Graphs that are made node by node are in node.h.
 *
 * A captured stream gives its works to the graph, as nodes. A stream that waits for an event that a captured stream has
 * recorded is captured too, as a track of its own. A launch goes between two works of the stream that it is launched
 * into. It puts a copy of each node into streams of the executable graph, one stream for each track. Two launches never
 * overlap: all tracks begin behind a node of the first track, and lead to its last node. */
#include "../base.h"
#ifndef CMK_HOST_GRAPH_H
#define CMK_HOST_GRAPH_H

typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;

typedef enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone = 0,
    cudaStreamCaptureStatusActive = 1,
    cudaStreamCaptureStatusInvalidated = 2
} cudaStreamCaptureStatus;

typedef struct cmk_host_executable_ {
    cmk_host_graph_ *graph_;
    cmk_host_work_ **changed_; /* what runs in place of the nodes (changes.h); null where all run as they are */
    cmk_host_stream_ *streams_[CMK_HOST_TRACKS_];
} cmk_host_executable_;

CMK_HOST_C_BEGIN_

/* ---- Capture. The caller holds the lock of the queue. */
static inline void cmk_host_join_track_(cmk_host_graph_ *graph, cmk_host_stream_ *stream)
{
    if (graph->tracks_ == CMK_HOST_TRACKS_)
        cmk_host_fail_(__FILE__, __LINE__, "a graph of more than %d streams", CMK_HOST_TRACKS_);
    stream->capture_ = graph;
    stream->track_ = graph->tracks_;
    graph->device_[graph->tracks_++] = stream->device_;
}

/* For a call that no host thread may make during a capture of mode Global: it breaks the capture. */
CMK_HOST_CALLED_ cudaError_t cmk_host_unsafe_(void)
{
    cudaError_t error = cudaSuccess;
    if (__atomic_load_n(&cmk_host_captures_, __ATOMIC_RELAXED) == 0) return error;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    for (cmk_host_stream_ *stream = cmk_host_streams_; stream; stream = stream->next_) {
        if (!stream->capture_ || stream->capture_->mode_ != cudaStreamCaptureModeGlobal) continue;
        stream->capture_->is_broken_ = 1;
        error = cudaErrorStreamCaptureUnsupported;
    }
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return error;
}

/* A stream is about to wait for the record of an event, null for one that has run. Both must be in one capture, or in
 * none. */
static inline cudaError_t cmk_host_join_capture_(cmk_host_stream_ *stream, const cmk_host_work_ *record)
{
    const int captured = record && record->state_ == cmk_host_state_captured_;
    cmk_host_graph_ *graph = captured ? record->graph_ : NULL;
    if (!captured) return stream->capture_ ? cudaErrorStreamCaptureIsolation : cudaSuccess;
    if (!graph || !graph->origin_) return cudaErrorCapturedEvent;
    if (stream->capture_) return stream->capture_ == graph ? cudaSuccess : cudaErrorStreamCaptureMerge;
    if (stream->is_implied_ && !stream->thread_) return cudaErrorStreamCaptureImplicit;
    cmk_host_join_track_(graph, stream);
    return cudaSuccess;
}

static inline cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode)
{
    cudaError_t error = cudaErrorInvalidResourceHandle;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    cmk_host_stream_ *stream = cmk_host_stream_of_(handle);
    if (stream && stream->is_implied_ && !stream->thread_)
        error = cudaErrorStreamCaptureUnsupported;
    else if (stream && stream->capture_)
        error = cudaErrorInvalidValue;
    else if (stream) {
        cmk_host_graph_ *graph = (cmk_host_graph_ *)cmk_host_need_(calloc(1, sizeof *graph), "a graph");
        graph->mode_ = mode;
        graph->origin_ = stream;
        cmk_host_join_track_(graph, stream);
        __atomic_fetch_add(&cmk_host_captures_, 1, __ATOMIC_RELAXED);
        error = cudaSuccess;
    }
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return cmk_host_result_(error);
}

static inline void cmk_host_graph_release_(cmk_host_graph_ *graph)
{
    for (size_t i = graph->count_; i > 0; i--) {
        graph->nodes_[i - 1]->graph_ = NULL;
        cmk_host_release_(graph->nodes_[i - 1]);
    }
    free(graph->nodes_);
    free(graph);
}

/* Makes an empty graph. */
static inline cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags)
{
    if (!graph || flags) return cmk_host_result_(cudaErrorInvalidValue);
    cmk_host_graph_ *made = (cmk_host_graph_ *)cmk_host_need_(calloc(1, sizeof *made), "a graph");
    made->mode_ = cudaStreamCaptureModeRelaxed;
    *graph = (cudaGraph_t)(void *)made;
    return cudaSuccess;
}

/* A copy of what a graph has now. The nodes do not change, and are shared. The caller holds the lock. */
static inline cmk_host_graph_ *cmk_host_graph_copy_(const cmk_host_graph_ *graph)
{
    cmk_host_graph_ *copy = (cmk_host_graph_ *)cmk_host_need_(malloc(sizeof *copy), "a graph");
    const size_t bytes = graph->count_ * sizeof *copy->nodes_;
    *copy = *graph;
    copy->nodes_ = (cmk_host_work_ **)cmk_host_need_(malloc(bytes + 1), "a graph");
    if (bytes > 0) memcpy(copy->nodes_, graph->nodes_, bytes);
    for (size_t i = 0; i < copy->count_; i++) copy->nodes_[i]->references_++;
    return copy;
}

static inline cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t handle)
{
    const cmk_host_graph_ *graph = (const cmk_host_graph_ *)(void *)handle;
    if (!clone || !graph) return cmk_host_result_(cudaErrorInvalidValue);
    pthread_mutex_lock(&cmk_host_queue_lock_);
    *clone = (cudaGraph_t)(void *)cmk_host_graph_copy_(graph);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return cudaSuccess;
}

/* Gives at most *count of the nodes, and sets *count to how many. Without a place for the nodes, sets it to the number
 * of all. */
static inline cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t *nodes, size_t *count)
{
    const cmk_host_graph_ *graph = (const cmk_host_graph_ *)(void *)handle;
    if (!graph || !count) return cmk_host_result_(cudaErrorInvalidValue);
    if (!nodes || *count > graph->count_) *count = graph->count_;
    for (size_t i = 0; nodes && i < *count; i++) nodes[i] = (cudaGraphNode_t)(void *)graph->nodes_[i];
    return cudaSuccess;
}

/* Whether all tracks lead to the last node of the first track. */
static inline int cmk_host_is_joined_(const cmk_host_graph_ *graph)
{
    int joined = 1;
    for (size_t i = 0; i < graph->count_; i++) graph->nodes_[i]->marked_ = graph->nodes_[i] == graph->last_[0];
    for (size_t i = graph->count_; i > 0; i--) {
        const cmk_host_work_ *node = graph->nodes_[i - 1];
        for (size_t j = 0; j < node->after_count_; j++) node->after_[j]->marked_ |= node->marked_;
    }
    for (size_t track = 0; track < graph->tracks_; track++)
        joined = joined && (!graph->last_[track] || graph->last_[track]->marked_);
    return joined;
}

/* Ends the capture of all its streams. The caller holds the lock. */
static inline cudaError_t cmk_host_end_capture_(cmk_host_stream_ *stream, cudaGraph_t *captured)
{
    cmk_host_graph_ *graph = stream->capture_;
    if (!graph) return cudaErrorInvalidValue;
    if (graph->origin_ != stream) return cudaErrorStreamCaptureUnmatched;
    for (cmk_host_stream_ *each = cmk_host_streams_; each; each = each->next_)
        if (each->capture_ == graph) each->capture_ = NULL;
    graph->origin_ = NULL;
    __atomic_fetch_sub(&cmk_host_captures_, 1, __ATOMIC_RELAXED);
    if (!graph->is_broken_ && cmk_host_is_joined_(graph)) {
        *captured = (cudaGraph_t)(void *)graph;
        return cudaSuccess;
    }
    const cudaError_t error = graph->is_broken_ ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureUnjoined;
    cmk_host_graph_release_(graph);
    return error;
}

static inline cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph)
{
    if (!graph) return cmk_host_result_(cudaErrorInvalidValue);
    *graph = NULL;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    cmk_host_stream_ *stream = cmk_host_stream_of_(handle);
    const cudaError_t error = stream ? cmk_host_end_capture_(stream, graph) : cudaErrorInvalidResourceHandle;
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return cmk_host_result_(error);
}

static inline cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus *status)
{
    if (!status) return cmk_host_result_(cudaErrorInvalidValue);
    *status = cudaStreamCaptureStatusNone;
    if (__atomic_load_n(&cmk_host_captures_, __ATOMIC_RELAXED) == 0) return cudaSuccess;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    const cmk_host_stream_ *stream = cmk_host_stream_of_(handle);
    const cudaError_t error = stream ? cmk_host_capture_error_(stream) : cudaErrorInvalidResourceHandle;
    if (stream && stream->capture_)
        *status = error == cudaSuccess ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated;
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return cmk_host_result_(error == cudaErrorStreamCaptureInvalidated ? cudaSuccess : error);
}

/* ---- Launch */
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t handle,
                                               unsigned long long flags CMK_HOST_DEFAULT_(0))
{
    const cmk_host_graph_ *graph = (const cmk_host_graph_ *)(void *)handle;
    if (!executable || !graph || flags > 15) return cmk_host_result_(cudaErrorInvalidValue);
    cmk_host_executable_ *made = (cmk_host_executable_ *)cmk_host_need_(calloc(1, sizeof *made), "a graph");
    pthread_mutex_lock(&cmk_host_queue_lock_);
    made->graph_ = cmk_host_graph_copy_(graph);
    for (size_t i = 0; i < graph->tracks_; i++) made->streams_[i] = cmk_host_stream_new_(graph->device_[i], 1);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    *executable = (cudaGraphExec_t)(void *)made;
    return cudaSuccess;
}

#if defined(__cplusplus) /* as CUDA 11 had it */
extern "C++" inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, cudaGraphNode_t *,
                                                     char *, size_t)
{
    return cudaGraphInstantiate(executable, graph);
}
#endif

/* Puts the nodes of a launch behind start. Value: the end of the launch, a work that is in no stream yet. The caller
 * holds the lock. */
static inline cmk_host_work_ *cmk_host_put_nodes_(const cmk_host_executable_ *executable, cmk_host_work_ *start,
                                                  const cmk_host_job_ *mark)
{
    const cmk_host_graph_ *graph = executable->graph_;
    cmk_host_work_ *end = cmk_host_work_new_(mark, NULL, 0);
    for (size_t i = 0; i < graph->count_; i++) {
        cmk_host_work_ *node = graph->nodes_[i], *runs = executable->changed_ ? executable->changed_[i] : node;
        cmk_host_work_ *copy = node->copy_ = cmk_host_work_new_(runs->job_, runs->what_, runs->bytes_);
        copy->origin_ = runs;
        runs->references_++;
        cmk_host_after_(copy, start);
        for (size_t j = 0; j < node->after_count_; j++) cmk_host_after_(copy, node->after_[j]->copy_);
        cmk_host_put_(executable->streams_[node->track_], copy);
        cmk_host_after_(end, copy);
    }
    for (size_t i = 0; i < graph->count_; i++) cmk_host_release_(graph->nodes_[i]->copy_);
    return end;
}

static inline void cmk_host_run_mark_(void *what)
{
    (void)what;
}

static inline cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream)
{
    static const cmk_host_job_ mark = {cmk_host_run_mark_, NULL, NULL, NULL, NULL, 1};
    cmk_host_executable_ *executable = (cmk_host_executable_ *)(void *)handle;
    cudaError_t error = cudaErrorInvalidResourceHandle;
    if (!executable) return cmk_host_result_(cudaErrorInvalidValue);
    pthread_mutex_lock(&cmk_host_queue_lock_);
    cmk_host_stream_ *found = cmk_host_stream_of_(stream);
    if (found && found->capture_) error = cudaErrorNotSupported; /* no graphs within graphs */
    cmk_host_work_ *start = found && !found->capture_ ? cmk_host_queue_(found, &mark, "", 0, &error) : NULL;
    if (start) {
        cmk_host_work_ *end = cmk_host_put_nodes_(executable, start, &mark);
        cmk_host_put_(found, end);
        cmk_host_release_(end);
        cmk_host_release_(start);
        cmk_host_advance_();
    }
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return cmk_host_result_(error);
}

static inline cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream)
{
    (void)stream;
    return cmk_host_result_(executable ? cudaSuccess : cudaErrorInvalidValue);
}

/* Launches that were made before are still carried out. */
static inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle)
{
    cmk_host_executable_ *executable = (cmk_host_executable_ *)(void *)handle;
    if (!executable) return cmk_host_result_(cudaErrorInvalidValue);
    pthread_mutex_lock(&cmk_host_queue_lock_);
    for (size_t i = 0; i < executable->graph_->tracks_; i++) {
        cmk_host_stream_ *stream = executable->streams_[i];
        if (stream->first_)
            stream->is_gone_ = 1;
        else
            cmk_host_stream_free_(stream);
    }
    for (size_t i = 0; executable->changed_ && i < executable->graph_->count_; i++)
        cmk_host_release_(executable->changed_[i]);
    free(executable->changed_);
    cmk_host_graph_release_(executable->graph_);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    free(executable);
    return cudaSuccess;
}

static inline cudaError_t cudaGraphDestroy(cudaGraph_t handle)
{
    cmk_host_graph_ *graph = (cmk_host_graph_ *)(void *)handle;
    if (!graph) return cmk_host_result_(cudaErrorInvalidValue);
    pthread_mutex_lock(&cmk_host_queue_lock_);
    cmk_host_graph_release_(graph);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return cudaSuccess;
}

CMK_HOST_C_END_

#endif
