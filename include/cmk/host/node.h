/* host/node.h: graphs that are made node by node.
 *
 * A node is what a call puts into a stream that is captured for this node alone. It comes behind the nodes that the
 * call says it depends on. Where nothing follows one of these yet, the new node is in the track of that one; otherwise
 * it is in a new track. A node of a kernel needs C++: its parameters have only the address of the kernel (kernel.h). */
#include "../base.h"
#ifndef CMK_HOST_NODE_H
#define CMK_HOST_NODE_H

typedef struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim;
    dim3 blockDim;
    unsigned sharedMemBytes;
    void **kernelParams;
    void **extra;
} cudaKernelNodeParams;

typedef struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned value;
    unsigned elementSize;
    size_t width;
    size_t height;
} cudaMemsetParams;

typedef struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void *userData;
} cudaHostNodeParams;

CMK_HOST_C_BEGIN_

/* The track of a node that comes after other nodes. The caller holds the lock. */
static inline size_t cmk_host_track_behind_(cmk_host_graph_ *graph, const cudaGraphNode_t *others, size_t count)
{
    for (size_t track = 0; track < graph->tracks_; track++)
        for (size_t i = 0; i < count; i++)
            if ((const void *)graph->last_[track] == (const void *)others[i]) return track;
    if (graph->tracks_ == CMK_HOST_TRACKS_) return 0; /* all tracks are in use: the first */
    graph->device_[graph->tracks_] = cmk_host_device_now_;
    return graph->tracks_++;
}

static inline int cmk_host_has_nodes_(const cmk_host_graph_ *graph, const cudaGraphNode_t *nodes, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < graph->count_; j++) found += (const void *)graph->nodes_[j] == (const void *)nodes[i];
    return found == count;
}

/* A stream whose next work becomes a node of the graph; null for a wrong call. */
static inline cmk_host_stream_ *cmk_host_begin_node_(const cudaGraphNode_t *node, cudaGraph_t handle,
                                                     const cudaGraphNode_t *others, size_t count,
                                                     const void *parameters)
{
    cmk_host_graph_ *graph = (cmk_host_graph_ *)(void *)handle;
    if (!node || !graph || !parameters || (count > 0 && !others)) return NULL;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    cmk_host_stream_ *stream = NULL;
    if (cmk_host_has_nodes_(graph, others, count)) {
        stream = cmk_host_stream_new_(cmk_host_device_now_, 1);
        stream->capture_ = graph;
        stream->track_ = cmk_host_track_behind_(graph, others, count);
        __atomic_fetch_add(&cmk_host_captures_, 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return stream;
}

/* Ends the capture. The node is what the stream has put into the graph. */
static inline cudaError_t cmk_host_end_node_(cmk_host_stream_ *stream, cudaError_t error, cudaGraphNode_t *node,
                                             const cudaGraphNode_t *others, size_t count)
{
    if (!stream) return cmk_host_result_(cudaErrorInvalidValue);
    pthread_mutex_lock(&cmk_host_queue_lock_);
    if (error == cudaSuccess) {
        cmk_host_work_ *work = stream->capture_->nodes_[stream->capture_->count_ - 1];
        for (size_t i = 0; i < count; i++) cmk_host_after_(work, (cmk_host_work_ *)(void *)others[i]);
        *node = (cudaGraphNode_t)(void *)work;
    }
    __atomic_fetch_sub(&cmk_host_captures_, 1, __ATOMIC_RELAXED);
    cmk_host_stream_free_(stream);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return error;
}

#define CMK_HOST_STREAM_(stream) ((cudaStream_t)(void *)(stream))

static inline cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *others,
                                                size_t count)
{
    static const cmk_host_job_ mark = {cmk_host_run_mark_, NULL, NULL, NULL, NULL, 1};
    char nothing[1] = "";
    cmk_host_stream_ *stream = cmk_host_begin_node_(node, graph, others, count, nothing);
    const cudaError_t error = stream ? cmk_host_submit_(CMK_HOST_STREAM_(stream), &mark, nothing, 0) : cudaSuccess;
    return cmk_host_end_node_(stream, error, node, others, count);
}

static inline cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *others,
                                               size_t count, const cudaHostNodeParams *p)
{
    cmk_host_stream_ *stream = cmk_host_begin_node_(node, graph, others, count, p);
    const cudaError_t error = stream ? cudaLaunchHostFunc(CMK_HOST_STREAM_(stream), p->fn, p->userData) : cudaSuccess;
    return cmk_host_end_node_(stream, error, node, others, count);
}

static inline cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                 const cudaGraphNode_t *others, size_t count,
                                                 const cudaMemcpy3DParms *p)
{
    cmk_host_stream_ *stream = cmk_host_begin_node_(node, graph, others, count, p);
    const cudaError_t error = stream ? cudaMemcpy3DAsync(p, CMK_HOST_STREAM_(stream)) : cudaSuccess;
    return cmk_host_end_node_(stream, error, node, others, count);
}

static inline cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                                   const cudaGraphNode_t *others, size_t count, void *to,
                                                   const void *from, size_t bytes, cudaMemcpyKind kind)
{
    cmk_host_stream_ *stream = cmk_host_begin_node_(node, graph, others, count, from);
    const cudaError_t error = stream ? cudaMemcpyAsync(to, from, bytes, kind, CMK_HOST_STREAM_(stream)) : cudaSuccess;
    return cmk_host_end_node_(stream, error, node, others, count);
}

/* Fills rows of elements of 1, 2 or 4 bytes. */
static inline cudaError_t cmk_host_fill_elements_(const cudaMemsetParams *p, cudaStream_t stream)
{
    const unsigned size = p->elementSize;
    const size_t width = p->width * size, pitch = p->height > 1 ? p->pitch : width;
    const unsigned value = size == 1 ? p->value % 256 * 0x1010101u : size == 2 ? p->value % 65536 * 0x10001u : p->value;
    if (size != 1 && size != 2 && size != 4) return cmk_host_result_(cudaErrorInvalidValue);
    return cmk_host_fill_in_(p->dst, pitch, value, width, p->height, stream, 0);
}

static inline cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                 const cudaGraphNode_t *others, size_t count, const cudaMemsetParams *p)
{
    cmk_host_stream_ *stream = cmk_host_begin_node_(node, graph, others, count, p);
    const cudaError_t error = stream ? cmk_host_fill_elements_(p, CMK_HOST_STREAM_(stream)) : cudaSuccess;
    return cmk_host_end_node_(stream, error, node, others, count);
}

CMK_HOST_C_END_

#if defined(__cplusplus)
inline cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *others,
                                          size_t count, const cudaKernelNodeParams *p)
{
    cmk_host_stream_ *stream = cmk_host_begin_node_(node, graph, others, count, p);
    const cudaError_t error =
        stream ? cmk_host_launch_noted_(0, "cudaGraphAddKernelNode", p->func, p->gridDim, p->blockDim, p->kernelParams,
                                        p->sharedMemBytes, CMK_HOST_STREAM_(stream))
               : cudaSuccess;
    return cmk_host_end_node_(stream, error, node, others, count);
}
#endif

#endif
