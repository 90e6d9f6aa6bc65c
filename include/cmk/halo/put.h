/* halo/put.h: the exchanges of halo.h by ncclPutSignal and ncclWaitSignal of NCCL 2.30 and later. The copy engines move
 * messages while all of the GPU computes. Nothing is declared where <nccl.h> is older. Link with -lnccl.
 *
 *   cmk_halo_transport cmk_halo_nccl_put(ncclComm_t comm)
 *       as cmk_halo_nccl of halo/nccl.h, on a communicator comm whose ncclConfig_t has numRmaCtx = 1
 *
 * A put does not ask its receiver. So two rules hold:
 * Levels alternate: after connect, an exchange of an even level follows one of an odd level, and one of an odd level
 * one of an even level. This also holds from the last exchange of a graph to its first. A begin that breaks this rule
 * is an error.
 * What reads ghosts of one level comes before the next begin, which waits for it. With the border first, only the
 * border reads ghosts.
 *
 * Each neighbour gets one message. Slabs go as they lie in memory where the halo has one field, with next, and no
 * neighbour is both below and above. The field must also have the same place in a page of 4096 bytes on all ranks. Then
 * data and next are inside memory of ncclMemAlloc. Otherwise messages are packed. After an error call ncclCommAbort,
 * and do not call destroy.
 *
 *   CMK_CHECK(cmk_halo_create(&halo, &grid, cmk_halo_nccl_put(comm), CMK_HALO_STAR, &u, 1)); */
#ifndef CMK_HALO_PUT_H
#define CMK_HALO_PUT_H

#include "../base.h"
#include "nccl.h"

#if CMK_HAS_HOST_
#if NCCL_VERSION_CODE >= 23000

/* Of a halo that is connected. Its windows are data and next where slabs go as they lie, otherwise what is sent and
 * what is received. offset has for each message of a level where it begins in the window of its receiver. */
typedef struct cmk_halo_put_ {
    ncclWindow_t window[2];
    size_t *offset[2];
    int last; /* 0 or 1: the last exchange had an even or odd level; -1: none yet */
} cmk_halo_put_;

/* where the window of a level of the field begins, at the start of a page */
static inline char *cmk_halo_put_range_(const cmk_halo *halo, int other, size_t *bytes)
{
    char *const begin = cmk_halo_range_(halo, &halo->field[0], other, bytes);
    const size_t before = (size_t)begin % NCCL_WIN_REQUIRED_ALIGNMENT;
    *bytes += before;
    return begin - before;
}

/* Finds where each message begins in the window of its peer: by making the plan of the peer, whose fields lie as
 * here. */
static inline cudaError_t cmk_halo_put_aim_(const cmk_halo *halo, cmk_halo *there, cmk_halo_draft_ *draft, int other)
{
    cmk_halo_put_ *const put = (cmk_halo_put_ *)halo->of_transport;
    const cmk_halo_way_ *const way = &halo->send[other];
    for (int i = 0; i < way->messages; ++i) {
        size_t bytes = 0;
        memcpy(&there->grid, &halo->grid, sizeof there->grid);
        there->grid.rank = way->message[i].peer;
        cmk_grid_locate_(&there->grid);
        const cudaError_t error = cmk_halo_draft_way_(there, draft, 1, other);
        const char *const begin = halo->direct ? cmk_halo_put_range_(there, other, &bytes) : NULL;
        if (error != cudaSuccess) return error;
        for (int k = 0; k < draft->messages; ++k)
            if (draft->message[k].peer == halo->grid.rank)
                put->offset[other][i] = halo->direct ? (size_t)(draft->message[k].memory - begin)
                                                     : (other ? draft->bytes : 0) + draft->message[k].at;
    }
    return cudaSuccess;
}

static inline cudaError_t cmk_halo_put_open_one_(cmk_halo *halo)
{
    const size_t most = (size_t)(cmk_halo_directions_ * halo->fields);
    cmk_halo_put_ *const put = (cmk_halo_put_ *)calloc(1, sizeof *put);
    cmk_halo *const there = (cmk_halo *)malloc(sizeof *there);
    cmk_halo_draft_ draft;
    cudaError_t error = cudaErrorMemoryAllocation;
    memset(&draft, 0, sizeof draft);
    draft.message = (cmk_halo_message_ *)malloc(most * sizeof *draft.message);
    draft.piece = (cmk_halo_piece_ *)malloc(most * sizeof *draft.piece);
    halo->of_transport = put;
    if (put && there && draft.message && draft.piece) error = cudaSuccess;
    if (error == cudaSuccess) memcpy(there, halo, sizeof *there);
    for (int k = 0; k < 2 && error == cudaSuccess; ++k) {
        put->last = -1;
        put->offset[k] = (size_t *)calloc(most, sizeof **put->offset);
        error = put->offset[k] ? cmk_halo_put_aim_(halo, there, &draft, k) : cudaErrorMemoryAllocation;
    }
    free(draft.message), free(draft.piece), free(there);
    return error;
}

/* makes window i of all halos; all ranks make it together */
static inline cudaError_t cmk_halo_put_register_(cmk_halo *halos, int ranks, int i)
{
    ncclResult_t result = ncclGroupStart();
    for (int r = 0; r < ranks; ++r) {
        cmk_halo *const halo = &halos[r];
        size_t bytes = i ? halo->in_bytes : halo->out_bytes;
        char *const begin = halo->direct ? cmk_halo_put_range_(halo, i, &bytes) : i ? halo->in : halo->out;
        if (bytes == 0) continue;
        result = cmk_halo_nccl_first_(result, ncclCommWindowRegister(cmk_halo_nccl_comm_(halo), begin, bytes,
                                                                     &((cmk_halo_put_ *)halo->of_transport)->window[i],
                                                                     NCCL_WIN_COLL_SYMMETRIC));
    }
    result = cmk_halo_nccl_first_(result, ncclGroupEnd());
    cudaError_t error = cmk_halo_nccl_group_said_(halos, ranks, result, "ncclCommWindowRegister");
    for (int r = 0; r < ranks && error == cudaSuccess; ++r)
        if (halos[r].send[0].messages > 0 && !((cmk_halo_put_ *)halos[r].of_transport)->window[i])
            error = cmk_halo_fail_(&halos[r], cudaErrorNotSupported,
                                   "NCCL has no windows here: puts need numRmaCtx = 1 and memory of ncclMemAlloc");
    return error;
}

static inline cudaError_t cmk_halo_put_open_(cmk_halo *halos, int ranks)
{
    cudaError_t error = cudaSuccess;
    for (int r = 0; r < ranks && error == cudaSuccess; ++r) error = cmk_halo_put_open_one_(&halos[r]);
    for (int i = 0; i < 2 && error == cudaSuccess; ++i) error = cmk_halo_put_register_(halos, ranks, i);
    return error;
}

/* ---- Messages */

static inline ncclResult_t cmk_halo_put_post_(const cmk_halo *halo)
{
    const cmk_halo_put_ *const put = (const cmk_halo_put_ *)halo->of_transport;
    const cmk_halo_way_ *const way = &halo->send[halo->other];
    ncclResult_t result = ncclSuccess;
    for (int i = 0; i < way->messages; ++i) {
        const cmk_halo_message_ *const m = &way->message[i];
        if (m->peer == halo->grid.rank) continue;
        result = cmk_halo_nccl_first_(
            result, ncclPutSignal(m->memory, m->bytes, ncclChar, m->peer, put->window[halo->direct ? halo->other : 1],
                                  put->offset[halo->other][i], 0, 0, 0, cmk_halo_nccl_comm_(halo), halo->stream));
    }
    return result;
}

static inline cudaError_t cmk_halo_put_start_(cmk_halo *halos, int ranks)
{
    for (int r = 0; r < ranks; ++r) {
        cmk_halo_put_ *const put = (cmk_halo_put_ *)halos[r].of_transport;
        if (put->last == halos[r].other)
            return cmk_halo_fail_(&halos[r], cudaErrorInvalidValue, "two levels that are both %s follow one another",
                                  put->last ? "odd" : "even");
        put->last = halos[r].other;
    }
    ncclResult_t result = ncclGroupStart();
    for (int r = 0; r < ranks; ++r) result = cmk_halo_nccl_first_(result, cmk_halo_put_post_(&halos[r]));
    result = cmk_halo_nccl_first_(result, ncclGroupEnd());
    return cmk_halo_nccl_group_said_(halos, ranks, result, "ncclPutSignal");
}

/* waits in stream order for one message of each peer */
static inline ncclResult_t cmk_halo_put_await_(const cmk_halo *halo)
{
    const cmk_halo_way_ *const way = &halo->receive[halo->other];
    ncclWaitSignalDesc_t waits[cmk_halo_directions_];
    int count = 0;
    for (int i = 0; i < way->messages; ++i) {
        const ncclWaitSignalDesc_t one = {1, way->message[i].peer, 0, 0};
        if (one.peer != halo->grid.rank) waits[count++] = one;
    }
    return count == 0 ? ncclSuccess : ncclWaitSignal(count, waits, cmk_halo_nccl_comm_(halo), halo->stream);
}

static inline cudaError_t cmk_halo_put_finish_(cmk_halo *halos, int ranks)
{
    ncclResult_t result = ncclGroupStart();
    for (int r = 0; r < ranks; ++r) result = cmk_halo_nccl_first_(result, cmk_halo_put_await_(&halos[r]));
    result = cmk_halo_nccl_first_(result, ncclGroupEnd());
    const cudaError_t error = cmk_halo_nccl_group_said_(halos, ranks, result, "ncclWaitSignal");
    return error == cudaSuccess ? cmk_halo_nccl_finish_(halos, ranks) : error;
}

static inline void cmk_halo_put_close_(cmk_halo *halo)
{
    cmk_halo_put_ *const put = (cmk_halo_put_ *)halo->of_transport;
    for (int i = 0; i < 2; ++i) {
        if (put->window[i]) (void)ncclCommWindowDeregister(cmk_halo_nccl_comm_(halo), put->window[i]);
        free(put->offset[i]);
    }
    free(put);
}

static inline cmk_halo_transport cmk_halo_nccl_put(ncclComm_t comm)
{
    cmk_halo_transport transport = cmk_halo_nccl(comm);
    transport.name = "puts of NCCL";
    transport.one_sided = NCCL_WIN_REQUIRED_ALIGNMENT;
    transport.open = cmk_halo_put_open_;
    transport.start = cmk_halo_put_start_;
    transport.finish = cmk_halo_put_finish_;
    transport.close = cmk_halo_put_close_;
    transport.allocate = cmk_halo_nccl_allocate_;
    transport.release = cmk_halo_nccl_release_;
    return transport;
}

#endif
#endif

#endif
