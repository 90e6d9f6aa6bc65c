/* until.h: a loop that ends on the device. Turns of kernels are repeated until a value in device memory has fallen to a
 * limit, or a flag is set, and the host neither waits nor asks.
 *
 *   cmk_turns                           a struct in device memory (cudaMalloc), written by the loop
 *       turns                           unsigned long long: the turns that are done; complete behind the loop in the
 *                                       order of the stream, and during a turn the number of those before it
 *   cmk_until                           the end of a loop, which one of these makes:
 *   cmk_until cmk_until_float(size_t most, const float *value, float limit, cmk_turns *turns)
 *   cmk_until cmk_until_double(size_t most, const double *value, double limit, cmk_turns *turns)
 *                                       behind the turn after which *value <= limit, or *value is NaN
 *   cmk_until cmk_until_flag(size_t most, const unsigned *flag, cmk_turns *turns)
 *                                       behind the turn after which *flag is not 0. Each of the three also ends behind
 *                                       `most` turns; with 0 no turn is done
 *
 *   cmk_turn                            a pointer to a function of a void *context and a cudaStream_t that returns a
 *                                       cudaError_t: it launches a turn into that stream
 *   cudaError_t cmk_repeat(cmk_until until, cmk_turn turn, void *context, cudaStream_t stream)
 *       repeats what `turn` launches into the stream that it is given. `context` is handed to it. The definitions of
 *       kernel/stencil2d.h and stencil3d.h have name_until, which repeats their steps
 *
 * value and flag are device memory too, at a multiple of their size; a kernel of a turn writes them, such as a MAX of
 * an update. A turn must leave every buffer where it was, as the next one reads the same addresses: a turn of steps
 * whose buffers change places has an even number of them.
 *
 * By nvcc of CUDA 12.4 and later, on a driver that is as new, the turn is captured once, as the body of a conditional
 * node of a graph. It must do what a capture allows, and what such a body may hold: kernels, and copies and settings of
 * memory of one device. Its stream is another one than that of the call. The loop may be part of a graph: the stream of
 * the call may be captured. Elsewhere, so on the CPU backend, `turn` is called once for each turn, and the host reads
 * one word behind each. The result is the same.
 *
 * Errors: cudaErrorInvalidValue for a null pointer or a misaligned one, with nothing launched; what `turn` returns; and
 * cudaErrorStreamCaptureUnsupported in a stream that is captured where there are no conditional nodes.
 *
 *   static cudaError_t halve(void *context, cudaStream_t stream)
 *   {
 *       return CMK_LAUNCH(halve_kernel, 1, 1, 0, stream, (float *)context);
 *   }
 *   CMK_CHECK(cmk_repeat(cmk_until_float(100, x, 1e-6f, turns), halve, x, stream)); */
#ifndef CMK_UNTIL_H
#define CMK_UNTIL_H

#include "base.h"

/* whether a graph can have loops: cudaGraphSetConditional and what belongs to it */
#if defined(__CUDACC__) && CMK_TOOLKIT_ >= 1204
#define CMK_HAS_LOOPS_ 1
#else
#define CMK_HAS_LOOPS_ 0
#endif

/* begun_: the steps that were done when the turns at hand began, of a name_until. over_: 1 when the loop has ended;
 * what is left of its turns does nothing then. */
typedef struct {
    unsigned long long turns, begun_;
    unsigned over_, unused_;
} cmk_turns;

/* Returns whether the loop of these turns has ended; NULL is no loop. Each thread of a kernel calls it. */
CMK_INLINED_ int cmk_turns_over_(const cmk_turns *turns)
{
    return turns != NULL && turns->over_ != 0;
}

#if CMK_HAS_HOST_

/* The end of a loop: `size` is that of the value, 4 or 8, or 0 for none. */
typedef struct {
    size_t most;
    const void *value;
    const unsigned *flag;
    double limit;
    size_t size;
    cmk_turns *turns;
} cmk_until;

typedef cudaError_t (*cmk_turn)(void *context, cudaStream_t stream);

static inline cmk_until cmk_until_of_(size_t most, const void *value, size_t size, double limit, cmk_turns *turns)
{
    const cmk_until until = {most, value, NULL, limit, size, turns};
    return until;
}

CMK_UNUSED_ static inline cmk_until cmk_until_float(size_t most, const float *value, float limit, cmk_turns *turns)
{
    return cmk_until_of_(most, value, sizeof *value, limit, turns);
}

CMK_UNUSED_ static inline cmk_until cmk_until_double(size_t most, const double *value, double limit, cmk_turns *turns)
{
    return cmk_until_of_(most, value, sizeof *value, limit, turns);
}

CMK_UNUSED_ static inline cmk_until cmk_until_flag(size_t most, const unsigned *flag, cmk_turns *turns)
{
    cmk_until until = cmk_until_of_(most, NULL, 0, 0.0, turns);
    until.flag = flag;
    return until;
}

/* Returns whether one thread finds the end of a loop. */
CMK_INLINED_ int cmk_until_ends_(const cmk_until *until, unsigned long long turns)
{
    if (turns >= until->most) return 1;
    if (until->flag != NULL) return *until->flag != 0;
    const double value = until->size == sizeof(float) ? *(const float *)until->value : *(const double *)until->value;
    return !(value > until->limit);
}

/* Stands behind each turn, in one thread: counts it, and ends the loop. Where turns are captured, `loop` is their
 * conditional node. With `steps`, the steps of a turn, the captured turns begin anew behind this one. */
CMK_IF_CALLED_ CMK_STATIC_ __global__ void cmk_until_kernel_(cmk_until until, unsigned long long steps,
                                                             unsigned long long loop)
{
    cmk_turns *const turns = until.turns;
    if (cmk_turns_over_(turns)) return;
    const unsigned long long done = turns->turns + 1;
    const int ends = cmk_until_ends_(&until, done);
    turns->turns = done;
    turns->begun_ = steps > 0 ? done * steps : turns->begun_;
    turns->over_ = (unsigned)ends;
#if CMK_HAS_LOOPS_
    if (loop != 0) cudaGraphSetConditional(loop, !ends);
#else
    (void)loop;
#endif
}

/* What is repeated: `together` turns, of `steps` steps each. Where they are more than 1, the kernels of a turn do
 * nothing once the loop has ended. */
typedef struct {
    cmk_until until;
    cmk_turn turn;
    void *context;
    int together;
    size_t steps;
} cmk_repeated_;

/* Launches the turns that stand together, each with its end. */
CMK_IF_CALLED_ static inline cudaError_t cmk_repeat_once_(const cmk_repeated_ *r, unsigned long long loop,
                                                          cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (int k = 0; k < r->together && error == cudaSuccess; ++k) {
        const unsigned long long steps = loop != 0 && k == r->together - 1 ? r->steps : 0;
        error = r->turn(r->context, stream);
        if (error == cudaSuccess)
            error = CMK_LAUNCH(CMK_CALLED_(cmk_until_kernel_), 1, 1, 0, stream, r->until, steps, loop);
    }
    return error;
}

/* Repeats turns from the host, which reads a word behind those that stand together. */
CMK_IF_CALLED_ static inline cudaError_t cmk_repeat_from_host_(const cmk_repeated_ *r, cudaStream_t stream)
{
    unsigned over = 0;
    cudaError_t error = cudaSuccess;
    while (!over && error == cudaSuccess) {
        error = cmk_repeat_once_(r, 0, stream);
        if (error == cudaSuccess)
            error = cudaMemcpyAsync(&over, &r->until.turns->over_, sizeof over, cudaMemcpyDeviceToHost, stream);
        if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    }
    return error;
}

#if CMK_HAS_LOOPS_

/* Before CUDA 13 functions with data of edges have names of their own. */
#if CMK_TOOLKIT_ >= 1300
#define CMK_LOOP_CALL_(function, version) function
#else
#define CMK_LOOP_CALL_(function, version) function##version
#endif

/* Captures the turns that stand together into the body of a loop. */
CMK_IF_CALLED_ static inline cudaError_t cmk_repeat_body_(const cmk_repeated_ *r, unsigned long long loop,
                                                          cudaGraph_t body)
{
    cudaStream_t stream;
    cudaGraph_t ended;
    cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error != cudaSuccess) return error;
    error = cudaStreamBeginCaptureToGraph(stream, body, NULL, NULL, 0, cudaStreamCaptureModeThreadLocal);
    if (error == cudaSuccess) {
        error = cmk_repeat_once_(r, loop, stream);
        const cudaError_t end = cudaStreamEndCapture(stream, &ended);
        if (error == cudaSuccess) error = end;
    }
    const cudaError_t destroyed = cudaStreamDestroy(stream);
    return error != cudaSuccess ? error : destroyed;
}

/* Adds a loop to a stream that is captured. */
CMK_IF_CALLED_ static inline cudaError_t cmk_repeat_in_graph_(const cmk_repeated_ *r, cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status;
    unsigned long long id;
    const cudaGraphNode_t *behind;
    const cudaGraphEdgeData *edges;
    size_t count;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphConditionalHandle loop;
    struct cudaGraphNodeParams made = {};
    cudaError_t error =
        CMK_LOOP_CALL_(cudaStreamGetCaptureInfo, _v3)(stream, &status, &id, &graph, &behind, &edges, &count);
    if (error == cudaSuccess) error = cudaGraphConditionalHandleCreate(&loop, graph, 1, cudaGraphCondAssignDefault);
    if (error != cudaSuccess) return error;
    made.type = cudaGraphNodeTypeConditional;
    made.conditional.handle = loop;
    made.conditional.type = cudaGraphCondTypeWhile;
    made.conditional.size = 1;
    error = CMK_LOOP_CALL_(cudaGraphAddNode, _v2)(&node, graph, behind, edges, count, &made);
    if (error == cudaSuccess)
        error = CMK_LOOP_CALL_(cudaStreamUpdateCaptureDependencies, _v2)(stream, &node, NULL, 1,
                                                                         cudaStreamSetCaptureDependencies);
    return error != cudaSuccess ? error : cmk_repeat_body_(r, loop, made.conditional.phGraph_out[0]);
}

/* A loop that has been launched as a graph of its own. To free such a graph waits until it has run. So it is kept until
 * a later call of the same source file finds that it has. */
typedef struct cmk_loop_ {
    cudaGraphExec_t ready;
    cudaEvent_t ended;
    struct cmk_loop_ *next;
} cmk_loop_;

static inline void cmk_loop_free_(cmk_loop_ *loop)
{
    if (loop->ready != NULL) (void)cudaGraphExecDestroy(loop->ready);
    if (loop->ended != NULL) (void)cudaEventDestroy(loop->ended);
    free(loop);
}

static inline void cmk_loop_keep_(cmk_loop_ **kept, cmk_loop_ *loop)
{
    loop->next = __atomic_load_n(kept, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(kept, &loop->next, loop, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) continue;
}

/* Frees the loops that have run. The query of an event breaks no capture of another host thread in this mode. */
static inline void cmk_loop_sweep_(cmk_loop_ **kept)
{
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
    for (cmk_loop_ *loop = __atomic_exchange_n(kept, NULL, __ATOMIC_ACQUIRE), *next; loop != NULL; loop = next) {
        next = loop->next;
        if (cudaEventQuery(loop->ended) == cudaErrorNotReady)
            cmk_loop_keep_(kept, loop);
        else
            cmk_loop_free_(loop);
    }
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
}

/* Captures a loop as a graph of its own. */
CMK_IF_CALLED_ static inline cudaError_t cmk_loop_capture_(const cmk_repeated_ *r, cudaGraph_t *graph)
{
    cudaStream_t stream;
    cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error != cudaSuccess) return error;
    error = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (error == cudaSuccess) {
        error = cmk_repeat_in_graph_(r, stream);
        const cudaError_t end = cudaStreamEndCapture(stream, graph);
        if (error == cudaSuccess) error = end;
    }
    (void)cudaStreamDestroy(stream);
    return error;
}

CMK_IF_CALLED_ static inline cudaError_t cmk_loop_launch_(const cmk_repeated_ *r, cmk_loop_ *loop, cudaStream_t stream)
{
    cudaGraph_t graph = NULL;
    cudaError_t error = cudaEventCreateWithFlags(&loop->ended, cudaEventDisableTiming);
    if (error == cudaSuccess) error = cmk_loop_capture_(r, &graph);
    if (error == cudaSuccess) error = cudaGraphInstantiate(&loop->ready, graph, 0);
    if (graph != NULL) (void)cudaGraphDestroy(graph);
    if (error == cudaSuccess) error = cudaGraphLaunch(loop->ready, stream);
    return error == cudaSuccess ? cudaEventRecord(loop->ended, stream) : error;
}

/* Launches a loop as a graph of its own. */
CMK_IF_CALLED_ static inline cudaError_t cmk_repeat_as_graph_(const cmk_repeated_ *r, cudaStream_t stream)
{
    static cmk_loop_ *kept;
    cmk_loop_ *const loop = (cmk_loop_ *)calloc(1, sizeof *loop);
    if (loop == NULL) return cudaErrorMemoryAllocation;
    cmk_loop_sweep_(&kept);
    const cudaError_t error = cmk_loop_launch_(r, loop, stream);
    if (error == cudaSuccess)
        cmk_loop_keep_(&kept, loop);
    else
        cmk_loop_free_(loop);
    return error == cudaErrorCallRequiresNewerDriver ? cudaErrorNotSupported : error;
}

#else

CMK_UNUSED_ static inline cudaError_t cmk_repeat_in_graph_(const cmk_repeated_ *r, cudaStream_t stream)
{
    (void)r, (void)stream;
    return cudaErrorStreamCaptureUnsupported;
}

CMK_UNUSED_ static inline cudaError_t cmk_repeat_as_graph_(const cmk_repeated_ *r, cudaStream_t stream)
{
    (void)r, (void)stream;
    return cudaErrorNotSupported;
}

#endif

/* Returns whether a pointer is to an object of `size` bytes, at a multiple of them. */
static inline int cmk_until_points_(const void *pointer, size_t size)
{
    return pointer != NULL && (size_t)pointer % size == 0;
}

/* Repeats turns. */
CMK_IF_CALLED_ static inline cudaError_t cmk_repeat_turns_(const cmk_repeated_ *r, cudaStream_t stream)
{
    const cmk_until *const u = &r->until;
    const int has_end =
        u->size > 0 ? cmk_until_points_(u->value, u->size) : cmk_until_points_(u->flag, sizeof *u->flag);
    cudaStreamCaptureStatus status;
    if (r->turn == NULL || !has_end || !cmk_until_points_(u->turns, sizeof u->turns->turns))
        return cudaErrorInvalidValue;
    cudaError_t error = cudaStreamIsCapturing(stream, &status);
    if (error == cudaSuccess) error = cudaMemsetAsync(u->turns, 0, sizeof *u->turns, stream);
    if (error != cudaSuccess || u->most == 0) return error;
    if (status != cudaStreamCaptureStatusNone) return cmk_repeat_in_graph_(r, stream);
    error = cmk_repeat_as_graph_(r, stream);
    if (error != cudaErrorNotSupported) return error;
    (void)cudaGetLastError();
    return cmk_repeat_from_host_(r, stream);
}

CMK_IF_CALLED_ CMK_UNUSED_ static inline cudaError_t cmk_repeat(cmk_until until, cmk_turn turn, void *context,
                                                                cudaStream_t stream)
{
    const cmk_repeated_ repeated = {until, turn, context, 1, 1};
    return cmk_repeat_turns_(&repeated, stream);
}

#endif

#endif
