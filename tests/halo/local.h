/* local.h: the transport of tests whose ranks are all in this process: copies, or NCCL (-DBY_NCCL), which on GPUs has a
 * rank a device. */
#ifndef LOCAL_H
#define LOCAL_H

#include <cmk/check.h>
#include <cmk/halo.h>

enum { RANKS = 16 };

#if defined(BY_NCCL)

#include <cmk/halo/nccl.h>

#if defined(BY_PUT)
#include <cmk/halo/put.h>
#define LOCAL_BY cmk_halo_nccl_put
#define LOCAL_ONE_SIDED 1
#elif defined(BY_REGISTERED)
#define LOCAL_BY cmk_halo_nccl_registered
#define LOCAL_ONE_SIDED 0
#else
#define LOCAL_BY cmk_halo_nccl
#define LOCAL_ONE_SIDED 0
#endif
#define LOCAL_GRAPHS 1 /* a graph is of one rank */
#define LOCAL_CAPTURE cudaStreamCaptureModeRelaxed

static inline cudaError_t local_allocate(void **memory, size_t bytes)
{
    return ncclMemAlloc(memory, bytes) == ncclSuccess ? cudaSuccess : cudaErrorMemoryAllocation;
}

static inline cudaError_t local_release(void *memory)
{
    return ncclMemFree(memory) == ncclSuccess ? cudaSuccess : cudaErrorInvalidValue;
}

static ncclComm_t local_comms[RANKS + 1][RANKS]; /* of so many ranks: they live until the end */

static inline int local_most(void)
{
    int devices = RANKS;
#if defined(__CUDACC__)
    CMK_CHECK(cudaGetDeviceCount(&devices));
#endif
    return devices < RANKS ? devices : RANKS;
}

#if defined(__CUDACC__) && (defined(BY_PUT) || (defined(IN_LOOPS) && NCCL_VERSION_CODE >= NCCL_VERSION(2, 29, 2)))
static inline ncclResult_t local_connect(ncclComm_t *comms, int ranks)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId id;
#if defined(BY_PUT)
    config.numRmaCtx = 1;
#else
    config.graphUsageMode = 1; /* no nodes of events, which a loop does not hold */
#endif
    ncclResult_t result = ncclGetUniqueId(&id);
    if (result == ncclSuccess) result = ncclGroupStart();
    for (int r = 0; r < ranks && result == ncclSuccess; ++r) {
        CMK_CHECK(cudaSetDevice(r));
        result = ncclCommInitRankConfig(&comms[r], ranks, id, r, &config);
    }
    return result == ncclSuccess ? ncclGroupEnd() : result;
}
#else
static inline ncclResult_t local_connect(ncclComm_t *comms, int ranks)
{
#if defined(__CUDACC__) && defined(IN_LOOPS)
    setenv("NCCL_GRAPH_MIXING_SUPPORT", "0", 1); /* as NCCL has no graphUsageMode yet */
#endif
    return ncclCommInitAll(comms, ranks, NULL);
}
#endif

static inline void local_begin(int ranks)
{
    if (local_comms[ranks][0] || local_connect(local_comms[ranks], ranks) == ncclSuccess) return;
    printf("# no communicator of %d ranks: %s\n", ranks, ncclGetLastError(NULL));
    exit(EXIT_FAILURE);
}

static inline cmk_halo_transport local_transport(int rank, int ranks)
{
    return LOCAL_BY(local_comms[ranks][rank]);
}

#else

#define LOCAL_GRAPHS 0 /* copies go from rank to rank: a graph is of all, and begins with the stream of rank 0 */
#define LOCAL_CAPTURE cudaStreamCaptureModeGlobal
#define LOCAL_ONE_SIDED 0

static inline cudaError_t local_allocate(void **memory, size_t bytes)
{
    return cudaMalloc(memory, bytes);
}

static inline cudaError_t local_release(void *memory)
{
    return cudaFree(memory);
}

static inline int local_most(void)
{
    return RANKS;
}

static inline void local_begin(int ranks)
{
    (void)ranks;
}

static inline cmk_halo_transport local_transport(int rank, int ranks)
{
    (void)rank, (void)ranks;
    return cmk_halo_peer();
}

#endif

/* ---- Graphs of what all ranks launch into their streams. The current device is another one behind these calls. */

/* makes what comes next on `to` wait for what is on `from` */
static inline cudaError_t local_join(cudaStream_t from, int device, cudaStream_t to, int device_to)
{
    cudaEvent_t event;
    CMK_CHECK(cudaSetDevice(device));
    CMK_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    cudaError_t error = cudaEventRecord(event, from);
    CMK_CHECK(cudaSetDevice(device_to));
    if (error == cudaSuccess) error = cudaStreamWaitEvent(to, event, 0);
    CMK_CHECK(cudaEventDestroy(event));
    return error;
}

static inline void local_capture(const cmk_halo *halos, int ranks, const cudaStream_t *streams)
{
    for (int r = 0; r < ranks; ++r) {
        CMK_CHECK(cudaSetDevice(halos[r].device));
        if (LOCAL_GRAPHS || r == 0)
            CMK_CHECK(cudaStreamBeginCapture(streams[r], LOCAL_CAPTURE));
        else
            CMK_CHECK(local_join(streams[0], halos[0].device, streams[r], halos[r].device));
    }
}

/* value: the error of a capture that has failed */
static inline cudaError_t local_captured(const cmk_halo *halos, int ranks, const cudaStream_t *streams,
                                         cudaGraphExec_t *ready)
{
    cudaError_t error = cudaSuccess;
    for (int r = ranks - 1; r >= 0; --r) {
        cudaGraph_t graph = NULL;
        cudaError_t last;
        ready[r] = NULL;
        if (!LOCAL_GRAPHS && r > 0) {
            last = local_join(streams[r], halos[r].device, streams[0], halos[0].device);
        } else {
            CMK_CHECK(cudaSetDevice(halos[r].device));
            last = cudaStreamEndCapture(streams[r], &graph);
            if (last == cudaSuccess) last = cudaGraphInstantiate(&ready[r], graph, 0);
            if (graph) CMK_CHECK(cudaGraphDestroy(graph));
        }
        if (last != cudaSuccess) error = last;
    }
    return error;
}

static inline void local_launch(const cmk_halo *halos, int ranks, const cudaStream_t *streams,
                                const cudaGraphExec_t *ready)
{
    for (int r = 0; r < ranks; ++r) {
        CMK_CHECK(cudaSetDevice(halos[r].device));
        if (ready[r]) CMK_CHECK(cudaGraphLaunch(ready[r], streams[r]));
    }
}

static inline void local_drop(int ranks, const cudaGraphExec_t *ready)
{
    for (int r = 0; r < ranks; ++r)
        if (ready[r]) CMK_CHECK(cudaGraphExecDestroy(ready[r]));
}

#endif
