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

#if defined(BY_PUT) && defined(__CUDACC__)
static inline ncclResult_t local_connect(ncclComm_t *comms, int ranks)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId id;
    config.numRmaCtx = 1;
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

#define LOCAL_GRAPHS 0 /* copies go from rank to rank: a graph is of all */
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

#endif
