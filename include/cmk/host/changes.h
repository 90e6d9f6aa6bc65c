/* host/changes.h: changes of an executable graph: other parameters of a node, or those of another graph of the same
 * form. It is for programs that include CUDA's headers by toolkit/.
 *
 * A graph shares its nodes with the executable graphs made of it, and a node does not change. So a change makes a new
 * node, as a graph of its own, which then runs in place of the old one. Launches that were made before are not
 * changed. */
#include "../base.h"
#ifndef CMK_HOST_CHANGES_H
#define CMK_HOST_CHANGES_H

typedef enum cudaGraphExecUpdateResult {
    cudaGraphExecUpdateSuccess = 0,
    cudaGraphExecUpdateError = 1,
    cudaGraphExecUpdateErrorTopologyChanged = 2,
    cudaGraphExecUpdateErrorNodeTypeChanged = 3
} cudaGraphExecUpdateResult;

typedef struct cudaGraphExecUpdateResultInfo {
    cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;

CMK_HOST_C_BEGIN_

/* Makes `work` run in place of the n-th node. The caller holds the lock. */
static inline void cmk_host_change_(cmk_host_executable_ *executable, size_t n, cmk_host_work_ *work)
{
    const cmk_host_graph_ *graph = executable->graph_;
    if (!executable->changed_) {
        void *memory = cmk_host_need_(malloc((graph->count_ + 1) * sizeof *graph->nodes_), "a graph");
        executable->changed_ = (cmk_host_work_ **)memory;
        memcpy(executable->changed_, graph->nodes_, graph->count_ * sizeof *graph->nodes_);
        for (size_t i = 0; i < graph->count_; i++) graph->nodes_[i]->references_++;
    }
    work->references_++;
    cmk_host_release_(executable->changed_[n]);
    executable->changed_[n] = work;
}

/* Whether two works are of one kind, also if they come from two source files, each of which has jobs of its own. */
static inline int cmk_host_are_kin_(const cmk_host_work_ *one, const cmk_host_work_ *two)
{
    return one->bytes_ == two->bytes_ && !one->job_->keep_ == !two->job_->keep_ &&
           !one->job_->drop_ == !two->job_->drop_;
}

/* Replaces a node by the only one of `made`, which must do the same kind of work, and frees `made`. */
static inline cudaError_t cmk_host_change_node_(cudaGraphExec_t handle, cudaGraphNode_t node, cudaGraph_t made,
                                                cudaError_t error)
{
    cmk_host_executable_ *executable = (cmk_host_executable_ *)(void *)handle;
    const cmk_host_graph_ *graph = executable ? executable->graph_ : NULL;
    cmk_host_graph_ *other = (cmk_host_graph_ *)(void *)made;
    size_t n = 0;
    pthread_mutex_lock(&cmk_host_queue_lock_);
    while (graph && n < graph->count_ && (const void *)graph->nodes_[n] != (const void *)node) n++;
    if (error == cudaSuccess &&
        (!graph || n == graph->count_ || !cmk_host_are_kin_(graph->nodes_[n], other->nodes_[0])))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) cmk_host_change_(executable, n, other->nodes_[0]);
    cmk_host_graph_release_(other);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return cmk_host_result_(error);
}

static inline cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                         const cudaHostNodeParams *parameters)
{
    cudaGraph_t made;
    cudaGraphNode_t other;
    (void)cudaGraphCreate(&made, 0);
    return cmk_host_change_node_(executable, node, made, cudaGraphAddHostNode(&other, made, NULL, 0, parameters));
}

static inline cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                           const cudaMemsetParams *parameters)
{
    cudaGraph_t made;
    cudaGraphNode_t other;
    (void)cudaGraphCreate(&made, 0);
    return cmk_host_change_node_(executable, node, made, cudaGraphAddMemsetNode(&other, made, NULL, 0, parameters));
}

static inline cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                           const cudaMemcpy3DParms *parameters)
{
    cudaGraph_t made;
    cudaGraphNode_t other;
    (void)cudaGraphCreate(&made, 0);
    return cmk_host_change_node_(executable, node, made, cudaGraphAddMemcpyNode(&other, made, NULL, 0, parameters));
}

static inline cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void *to,
                                                             const void *from, size_t bytes, cudaMemcpyKind kind)
{
    cudaGraph_t made;
    cudaGraphNode_t other;
    (void)cudaGraphCreate(&made, 0);
    const cudaError_t error = cudaGraphAddMemcpyNode1D(&other, made, NULL, 0, to, from, bytes, kind);
    return cmk_host_change_node_(executable, node, made, error);
}

/* What differs in form between an executable graph and another graph. */
static inline cudaGraphExecUpdateResult cmk_host_form_(const cmk_host_graph_ *graph, const cmk_host_graph_ *other)
{
    if (graph->count_ != other->count_) return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < graph->count_; i++) {
        const cmk_host_work_ *node = graph->nodes_[i], *same = other->nodes_[i];
        if (!cmk_host_are_kin_(node, same)) return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (node->track_ != same->track_ || node->after_count_ != same->after_count_)
            return cudaGraphExecUpdateErrorTopologyChanged;
    }
    return cudaGraphExecUpdateSuccess;
}

static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t graph,
                                              cudaGraphExecUpdateResultInfo *info)
{
    cmk_host_executable_ *executable = (cmk_host_executable_ *)(void *)handle;
    const cmk_host_graph_ *other = (const cmk_host_graph_ *)(void *)graph;
    if (!executable || !other || !info) return cmk_host_result_(cudaErrorInvalidValue);
    memset(info, 0, sizeof *info);
    pthread_mutex_lock(&cmk_host_queue_lock_);
    info->result = cmk_host_form_(executable->graph_, other);
    for (size_t i = 0; info->result == cudaGraphExecUpdateSuccess && i < other->count_; i++)
        cmk_host_change_(executable, i, other->nodes_[i]);
    pthread_mutex_unlock(&cmk_host_queue_lock_);
    return info->result == cudaGraphExecUpdateSuccess ? cudaSuccess : cmk_host_result_(cudaErrorGraphExecUpdateFailure);
}

CMK_HOST_C_END_

#if defined(__cplusplus)
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t *node,
                                       cudaGraphExecUpdateResult *result) /* as CUDA 11 had it */
{
    cudaGraphExecUpdateResultInfo info = {};
    const cudaError_t error = cudaGraphExecUpdate(executable, graph, &info);
    if (node) *node = info.errorNode;
    if (result) *result = info.result;
    return error;
}

inline cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                    const cudaKernelNodeParams *parameters)
{
    cudaGraph_t made;
    cudaGraphNode_t other;
    (void)cudaGraphCreate(&made, 0);
    return cmk_host_change_node_(executable, node, made, cudaGraphAddKernelNode(&other, made, NULL, 0, parameters));
}
#endif

#endif
