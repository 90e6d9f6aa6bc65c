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
#define LOCAL_BY cmk_halo_nccl_put
#else
#define LOCAL_BY cmk_halo_nccl
#endif
#define LOCAL_GRAPHS 1 /* a graph is of one rank */

static ncclComm_t local_comms[RANKS + 1][RANKS]; /* of so many ranks: they live until the end */

static inline int local_most(void)
{
    int devices = RANKS;
#if defined(__CUDACC__)
    CMK_CHECK(cudaGetDeviceCount(&devices));
#endif
    return devices < RANKS ? devices : RANKS;
}

static inline void local_begin(int ranks)
{
    if (local_comms[ranks][0]) return;
    if (ncclCommInitAll(local_comms[ranks], ranks, NULL) == ncclSuccess) return;
    printf("# no communicator of %d ranks: %s\n", ranks, ncclGetLastError(NULL));
    exit(EXIT_FAILURE);
}

static inline cmk_halo_transport local_transport(int rank, int ranks)
{
    return LOCAL_BY(local_comms[ranks][rank]);
}

#else

#define LOCAL_GRAPHS 0 /* copies go from rank to rank: a graph is of all */

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
