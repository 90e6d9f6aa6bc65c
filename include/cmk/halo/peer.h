/* halo/peer.h: cmk_halo_peer() of halo.h. It copies between the ranks of one process, in stream order. */
#ifndef CMK_HALO_PEER_H
#define CMK_HALO_PEER_H

#include "../base.h"
#include "plan.h"

#if CMK_HAS_HOST_

enum { cmk_halo_devices_ = 64 }; /* for which it is noted which have access to each other */

/* Lets a device write to the memory of another. CUDA has an error for a second time, so access that is there is left as
 * it is. */
static inline cudaError_t cmk_halo_peer_access_(cmk_halo *from, const cmk_halo *to)
{
    static char given[cmk_halo_devices_][cmk_halo_devices_];
    const int known = from->device < cmk_halo_devices_ && to->device < cmk_halo_devices_;
    int can = 0;
    if (from->device == to->device || (known && given[from->device][to->device])) return cudaSuccess;
    cudaError_t error = cudaDeviceCanAccessPeer(&can, from->device, to->device);
    if (error != cudaSuccess) return error;
    if (!can)
        return cmk_halo_fail_(from, cudaErrorNotSupported,
                              "device %d has no peer access to device %d of rank %d: exchange by cmk_halo_nccl",
                              from->device, to->device, to->grid.rank);
    error = cudaSetDevice(from->device);
    if (error != cudaSuccess) return error;
    error = cudaDeviceEnablePeerAccess(to->device, 0);
    if (error == cudaErrorPeerAccessAlreadyEnabled) error = cudaGetLastError() == error ? cudaSuccess : error;
    if (known && error == cudaSuccess) given[from->device][to->device] = 1;
    return error;
}

static inline cudaError_t cmk_halo_peer_check_(cmk_halo *halos, int ranks)
{
    cudaError_t error = cudaSuccess;
    for (int r = 0; r < ranks; ++r) {
        if (ranks != halos[r].grid.ranks || halos[r].grid.rank != r)
            return cmk_halo_fail_(&halos[r], cudaErrorInvalidValue,
                                  "halo %d of %d: copies need all %d ranks of the grid, in order: cmk_halo_..._all", r,
                                  ranks, halos[r].grid.ranks);
    }
    for (int r = 0; r < ranks; ++r)
        for (int i = 0; i < halos[r].send[0].messages && error == cudaSuccess; ++i)
            error = cmk_halo_peer_access_(&halos[r], &halos[halos[r].send[0].message[i].peer]);
    return error;
}

/* the message at its receiver that belongs to one at its sender; NULL where their plans are not of one exchange */
static inline const cmk_halo_message_ *cmk_halo_peer_match_(const cmk_halo *from, const cmk_halo_message_ *sent,
                                                            const cmk_halo *to)
{
    const cmk_halo_way_ *const way = &to->receive[from->other];
    for (int i = 0; i < way->messages; ++i)
        if (way->message[i].peer == from->grid.rank && way->message[i].tag == sent->tag)
            return way->message[i].bytes == sent->bytes ? &way->message[i] : NULL;
    return NULL;
}

/* copies a message once the receiver's ghosts may be overwritten */
static inline cudaError_t cmk_halo_peer_copy_(cmk_halo *from, const cmk_halo_message_ *sent, const cmk_halo *to)
{
    const cmk_halo_message_ *const got = cmk_halo_peer_match_(from, sent, to);
    if (!got)
        return cmk_halo_fail_(from, cudaErrorInvalidValue, "rank %d does not receive what is sent to it",
                              to->grid.rank);
    const cudaError_t error = cudaStreamWaitEvent(from->stream, to->packed, 0);
    if (error != cudaSuccess) return error;
    return cudaMemcpyAsync(got->memory, sent->memory, sent->bytes, cudaMemcpyDefault, from->stream);
}

static inline cudaError_t cmk_halo_peer_start_(cmk_halo *halos, int ranks)
{
    cudaError_t error = cudaSuccess;
    for (int r = 0; r < ranks; ++r) {
        const cmk_halo_way_ *const way = &halos[r].send[halos[r].other];
        if (error == cudaSuccess) error = cudaSetDevice(halos[r].device);
        for (int i = 0; i < way->messages && error == cudaSuccess; ++i)
            if (way->message[i].peer != r)
                error = cmk_halo_peer_copy_(&halos[r], &way->message[i], &halos[way->message[i].peer]);
        if (error == cudaSuccess) error = cudaEventRecord(halos[r].sent, halos[r].stream);
    }
    return error;
}

static inline cudaError_t cmk_halo_peer_finish_(cmk_halo *halos, int ranks)
{
    cudaError_t error = cudaSuccess;
    for (int r = 0; r < ranks; ++r) {
        const cmk_halo_way_ *const way = &halos[r].receive[halos[r].other];
        for (int i = 0; i < way->messages && error == cudaSuccess; ++i)
            if (way->message[i].peer != r)
                error = cudaStreamWaitEvent(halos[r].stream, halos[way->message[i].peer].sent, 0);
    }
    return error;
}

/* Copies the words of a rank behind those of each other one, once these have been folded. */
static inline cudaError_t cmk_halo_peer_give_(cmk_halo *halos, int ranks, int r, const cmk_result *results, int count)
{
    cudaError_t error = cudaSetDevice(halos[r].device);
    for (int to = 0; to < ranks && error == cudaSuccess; ++to) {
        if (to == r) continue;
        error = cudaStreamWaitEvent(halos[r].stream, halos[to].packed, 0);
        for (int i = 0; i < count && error == cudaSuccess; ++i)
            error =
                cudaMemcpyAsync(cmk_halo_words_of_(&results[to * count + i]) + cmk_halo_words_ * (r < to ? r + 1 : r),
                                cmk_halo_words_of_(&results[r * count + i]),
                                cmk_halo_words_ * sizeof(unsigned long long), cudaMemcpyDefault, halos[r].stream);
    }
    return error == cudaSuccess ? cudaEventRecord(halos[r].sent, halos[r].stream) : error;
}

static inline cudaError_t cmk_halo_peer_reduce_(cmk_halo *halos, int ranks, const cmk_result *results, int count)
{
    cudaError_t error = cudaSuccess;
    if (ranks > cmk_halo_reduced_most_)
        return cmk_halo_fail_(halos, cudaErrorInvalidValue, "copies reduce over %d ranks at most, not %d",
                              cmk_halo_reduced_most_, ranks);
    for (int r = 0; r < ranks && error == cudaSuccess; ++r)
        error = cmk_halo_peer_give_(halos, ranks, r, results, count);
    for (int r = 0; r < ranks; ++r)
        for (int from = 0; from < ranks && error == cudaSuccess; ++from)
            if (from != r) error = cudaStreamWaitEvent(halos[r].stream, halos[from].sent, 0);
    return error;
}

static inline cmk_halo_transport cmk_halo_peer(void)
{
    cmk_halo_transport transport;
    memset(&transport, 0, sizeof transport);
    transport.name = "copies";
    transport.accept = cmk_halo_peer_check_;
    transport.start = cmk_halo_peer_start_;
    transport.finish = cmk_halo_peer_finish_;
    transport.reduce = cmk_halo_peer_reduce_;
    return transport;
}

#endif

#endif
