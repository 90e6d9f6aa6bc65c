/* halo/nccl.h: the exchanges of halo.h by NCCL, on a communicator of the user. Link with -lnccl.
 *
 *   cmk_halo_transport cmk_halo_nccl(ncclComm_t comm)
 *       messages go by ncclSend and ncclRecv, in one group for each exchange. The ranks of the grid are the ranks of
 *       comm, which lives at least as long as the halo. Several ranks of one process have a communicator each
 *   cmk_halo_transport cmk_halo_nccl_registered(ncclComm_t comm)
 *       the same from registered memory (ncclCommRegister of NCCL 2.19; within a machine from NCCL 2.23 on). connect
 *       registers it with comm. NCCL then writes straight to where a message is received, and large faces come sooner
 *
 * What is registered: data and next of each field, from the first point that the part holds to the last, with its
 * ghosts. For messages that are packed, it is the halo's own buffers. Several halos may have fields in one allocation.
 * All ranks allocate data and next by ncclMemAlloc. NCCL ignores memory of cudaMalloc without an error. An exchange
 * between registered memory and memory that is not registered hangs, or is wrong. Free the memory behind
 * cmk_halo_destroy, which all ranks call before one of them ends its communicator. These exchanges are not captured,
 * nor are others on comm: in a graph NCCL itself registers what cmk_halo_nccl sends. Where NCCL registers nothing
 * (NCCL_LOCAL_REGISTER=0), messages go as with cmk_halo_nccl. After an error call ncclCommAbort, and do not call
 * destroy.
 *
 * Everything is in stream order on halo->stream, and may be captured. On one communicator exchanges follow one another.
 * Two halos whose exchanges are under way at the same time need a communicator each. So does whatever else the program
 * does with comm meanwhile.
 *
 * The turns of a loop of until.h may have exchanges and reductions of cmk_halo_nccl, between GPUs of one machine that
 * have peer access. Each rank has a loop, in a process or a host thread of its own. NCCL must add no events to the
 * capture, as a loop on the device does not hold them: comm has graphUsageMode = 1 (ncclConfig_t of NCCL 2.29), or
 * NCCL_GRAPH_MIXING_SUPPORT=0 is in the environment. Otherwise cmk_repeat returns cudaErrorInvalidValue.
 *
 * The host waits in connect and in cmk_halo_wait, for at most halo->patience seconds; an asynchronous error of comm is
 * an error there. Inside a call of NCCL the host waits for ever, for instance in the first call to a rank that never
 * comes, unless comm does not block (ncclConfig_t: blocking = 0). After an error without registered memory, call
 * ncclCommAbort, then destroy.
 *
 *   CMK_CHECK(cmk_halo_create(&halo, &grid, cmk_halo_nccl(comm), CMK_HALO_STAR, &u, 1)); */
#ifndef CMK_HALO_NCCL_H
#define CMK_HALO_NCCL_H

#include "../base.h"
#include "../halo.h"

#if CMK_HAS_HOST_

#include <nccl.h>

static inline ncclComm_t cmk_halo_nccl_comm_(const cmk_halo *halo)
{
    return (ncclComm_t)halo->transport.context;
}

/* What is said beside an error of CUDA in a capture: NCCL may have added nodes that a loop does not hold. */
static inline const char *cmk_halo_nccl_hint_(const cmk_halo *halo, ncclResult_t result)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (result == ncclUnhandledCudaError) (void)cudaStreamIsCapturing(halo->stream, &status);
    return status == cudaStreamCaptureStatusNone ? "" : "; in a loop of until.h comm has graphUsageMode = 1";
}

/* The error of a call of NCCL. If the communicator does not block, the host waits until the call is done. */
static inline cudaError_t cmk_halo_nccl_said_(cmk_halo *halo, ncclResult_t result, const char *call)
{
    const double begun = cmk_halo_seconds_();
    ncclResult_t state = result;
    while (result == ncclInProgress) {
        result = ncclCommGetAsyncError(cmk_halo_nccl_comm_(halo), &state);
        if (result == ncclSuccess) result = state;
        if (result == ncclInProgress && !(cmk_halo_seconds_() - begun <= halo->patience))
            return cmk_halo_fail_(halo, cudaErrorUnknown, "%s has not been done within %g s", call, halo->patience);
    }
    if (result == ncclSuccess) return cudaSuccess;
    return cmk_halo_fail_(halo, cudaErrorUnknown, "%s: %s: %s%s", call, ncclGetErrorString(result),
                          ncclGetLastError(cmk_halo_nccl_comm_(halo)), cmk_halo_nccl_hint_(halo, result));
}

/* the same for a group of calls; each communicator does its own calls of the group */
static inline cudaError_t cmk_halo_nccl_group_said_(cmk_halo *halos, int ranks, ncclResult_t result, const char *call)
{
    cudaError_t error = cudaSuccess;
    for (int r = 0; r < ranks && error == cudaSuccess; ++r) error = cmk_halo_nccl_said_(&halos[r], result, call);
    return error;
}

/* the first of two results that is an error, if there is one */
static inline ncclResult_t cmk_halo_nccl_first_(ncclResult_t before, ncclResult_t result)
{
    return before == ncclSuccess || before == ncclInProgress ? result : before;
}

static inline cudaError_t cmk_halo_nccl_look_(cmk_halo *halo)
{
    ncclResult_t late = ncclSuccess;
    const ncclResult_t result = ncclCommGetAsyncError(cmk_halo_nccl_comm_(halo), &late);
    if (result == ncclSuccess && late == ncclInProgress) return cudaSuccess;
    return cmk_halo_nccl_said_(halo, result == ncclSuccess ? late : result, "the communicator");
}

/* checks that the communicator has the ranks of the grid and the device of the halo */
static inline cudaError_t cmk_halo_nccl_check_one_(cmk_halo *halo)
{
    const ncclComm_t comm = cmk_halo_nccl_comm_(halo);
    int ranks = 0, rank = 0, device = 0;
    ncclResult_t result = ncclCommCount(comm, &ranks);
    if (result == ncclSuccess) result = ncclCommUserRank(comm, &rank);
    if (result == ncclSuccess) result = ncclCommCuDevice(comm, &device);
    if (result != ncclSuccess) return cmk_halo_nccl_said_(halo, result, "ncclCommCount");
    if (ranks != halo->grid.ranks || rank != halo->grid.rank)
        return cmk_halo_fail_(halo, cudaErrorInvalidValue,
                              "the grid has %d ranks, the communicator %d, and calls this one %d", halo->grid.ranks,
                              ranks, rank);
    if (device != halo->device)
        return cmk_halo_fail_(halo, cudaErrorInvalidDevice, "the halo is on device %d, its communicator on %d",
                              halo->device, device);
    return cmk_halo_nccl_look_(halo);
}

static inline cudaError_t cmk_halo_nccl_check_(cmk_halo *halos, int ranks)
{
    cudaError_t error = cudaSuccess;
    for (int r = 0; r < ranks && error == cudaSuccess; ++r) error = cmk_halo_nccl_check_one_(&halos[r]);
    return error;
}

/* ---- The largest values of all ranks. They are found on the device of each communicator, which may not be that of the
 * halo. */

typedef struct cmk_halo_nccl_sum_ {
    int device;
    cmk_i64 *values;
    cudaStream_t stream;
} cmk_halo_nccl_sum_;

static inline cudaError_t cmk_halo_nccl_give_(const cmk_halo *halo, cmk_halo_nccl_sum_ *sum, const cmk_i64 *values,
                                              size_t bytes)
{
    cudaError_t error = cudaErrorInvalidValue;
    if (ncclCommCuDevice(cmk_halo_nccl_comm_(halo), &sum->device) == ncclSuccess) error = cudaSetDevice(sum->device);
    if (error == cudaSuccess) error = cudaStreamCreateWithFlags(&sum->stream, cudaStreamNonBlocking);
    if (error == cudaSuccess) error = cudaMalloc((void **)&sum->values, bytes);
    return error != cudaSuccess ? error
                                : cudaMemcpyAsync(sum->values, values, bytes, cudaMemcpyHostToDevice, sum->stream);
}

static inline cudaError_t cmk_halo_nccl_reduce_(cmk_halo *halos, int ranks, const cmk_halo_nccl_sum_ *sums, int count)
{
    ncclResult_t result = ncclGroupStart();
    for (int r = 0; r < ranks; ++r)
        result = cmk_halo_nccl_first_(result, ncclAllReduce(sums[r].values, sums[r].values, (size_t)count, ncclInt64,
                                                            ncclMax, cmk_halo_nccl_comm_(&halos[r]), sums[r].stream));
    result = cmk_halo_nccl_first_(result, ncclGroupEnd());
    return cmk_halo_nccl_group_said_(halos, ranks, result, "ncclAllReduce");
}

static inline cudaError_t cmk_halo_nccl_take_(cmk_halo *halo, cmk_halo_nccl_sum_ *sum, cmk_i64 *values, size_t bytes)
{
    cudaError_t error = cudaSetDevice(sum->device);
    if (error == cudaSuccess) error = cmk_halo_await_(halo, sum->stream);
    if (error == cudaSuccess) error = cudaMemcpyAsync(values, sum->values, bytes, cudaMemcpyDeviceToHost, sum->stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(sum->stream);
    if (error == cudaSuccess) error = cudaFree(sum->values);
    return error != cudaSuccess ? error : cudaStreamDestroy(sum->stream);
}

static inline cudaError_t cmk_halo_nccl_largest_(cmk_halo *halos, int ranks, cmk_i64 *values, int count)
{
    const size_t bytes = (size_t)count * sizeof *values;
    cmk_halo_nccl_sum_ *const sums = (cmk_halo_nccl_sum_ *)calloc((size_t)ranks, sizeof *sums);
    cudaError_t error = sums ? cudaSuccess : cudaErrorMemoryAllocation;
    for (int r = 0; r < ranks && error == cudaSuccess; ++r)
        error = cmk_halo_nccl_give_(&halos[r], &sums[r], values, bytes);
    if (error == cudaSuccess) error = cmk_halo_nccl_reduce_(halos, ranks, sums, count);
    for (int r = 0; r < ranks && error == cudaSuccess; ++r)
        error = cmk_halo_nccl_take_(&halos[r], &sums[r], values, bytes);
    free(sums);
    return error;
}

/* ---- Messages. Between two ranks the order of messages matches them, and is the same on both sides. */

static inline ncclResult_t cmk_halo_nccl_post_(const cmk_halo *halo)
{
    const cmk_halo_way_ *const send = &halo->send[halo->other], *const receive = &halo->receive[halo->other];
    const ncclComm_t comm = cmk_halo_nccl_comm_(halo);
    ncclResult_t result = ncclSuccess;
    for (int i = 0; i < send->messages; ++i) {
        const cmk_halo_message_ *const m = &send->message[i];
        if (m->peer == halo->grid.rank) continue;
        result = cmk_halo_nccl_first_(result, ncclSend(m->memory, m->bytes, ncclChar, m->peer, comm, halo->stream));
    }
    for (int i = 0; i < receive->messages; ++i) {
        const cmk_halo_message_ *const m = &receive->message[i];
        if (m->peer == halo->grid.rank) continue;
        result = cmk_halo_nccl_first_(result, ncclRecv(m->memory, m->bytes, ncclChar, m->peer, comm, halo->stream));
    }
    return result;
}

static inline cudaError_t cmk_halo_nccl_start_(cmk_halo *halos, int ranks)
{
    ncclResult_t result = ncclGroupStart();
    for (int r = 0; r < ranks; ++r) result = cmk_halo_nccl_first_(result, cmk_halo_nccl_post_(&halos[r]));
    result = cmk_halo_nccl_first_(result, ncclGroupEnd());
    return cmk_halo_nccl_group_said_(halos, ranks, result, "ncclSend and ncclRecv");
}

static inline cudaError_t cmk_halo_nccl_finish_(cmk_halo *halos, int ranks)
{
    cudaError_t error = cudaSuccess;
    for (int r = 0; r < ranks && error == cudaSuccess; ++r) error = cmk_halo_nccl_look_(&halos[r]);
    return error;
}

/* ---- Results */

/* reduces `count` words in place, from number `first` on */
static inline ncclResult_t cmk_halo_nccl_join_(const cmk_halo *halo, unsigned long long *words, int first, int count,
                                               ncclRedOp_t operation)
{
    return ncclAllReduce(words + first, words + first, (size_t)count, ncclUint64, operation, cmk_halo_nccl_comm_(halo),
                         halo->stream);
}

static inline cudaError_t cmk_halo_nccl_join_all_(cmk_halo *halos, int ranks, const cmk_result *results, int count)
{
    const int behind = cmk_halo_tops_ + cmk_halo_tops_words_;
    ncclResult_t result = ncclGroupStart();
    for (int i = 0; i < ranks * count; ++i) {
        const cmk_halo *const halo = &halos[i / count];
        unsigned long long *const words = cmk_halo_words_of_(&results[i]);
        result = cmk_halo_nccl_first_(result, cmk_halo_nccl_join_(halo, words, 0, cmk_halo_tops_, ncclSum));
        result = cmk_halo_nccl_first_(result,
                                      cmk_halo_nccl_join_(halo, words, cmk_halo_tops_, cmk_halo_tops_words_, ncclMax));
        result =
            cmk_halo_nccl_first_(result, cmk_halo_nccl_join_(halo, words, behind, cmk_halo_words_ - behind, ncclSum));
    }
    result = cmk_halo_nccl_first_(result, ncclGroupEnd());
    return cmk_halo_nccl_group_said_(halos, ranks, result, "ncclAllReduce");
}

static inline cmk_halo_transport cmk_halo_nccl(ncclComm_t comm)
{
    cmk_halo_transport transport;
    memset(&transport, 0, sizeof transport);
    transport.name = "NCCL";
    transport.context = (void *)comm;
    transport.accept = cmk_halo_nccl_check_;
    transport.largest = cmk_halo_nccl_largest_;
    transport.start = cmk_halo_nccl_start_;
    transport.finish = cmk_halo_nccl_finish_;
    transport.reduce = cmk_halo_nccl_join_all_;
    transport.look = cmk_halo_nccl_look_;
    return transport;
}

#if NCCL_VERSION_CODE >= 21900

/* ---- Registered memory. NCCL's kernel writes to where a message is received, without a buffer between. */

static inline cudaError_t cmk_halo_nccl_allocate_(void **memory, size_t bytes)
{
    return ncclMemAlloc(memory, bytes) == ncclSuccess ? cudaSuccess : cudaErrorMemoryAllocation;
}

static inline cudaError_t cmk_halo_nccl_release_(void *memory)
{
    return ncclMemFree(memory) == ncclSuccess ? cudaSuccess : cudaErrorInvalidValue;
}

/* the i-th range of memory that holds messages: data or next of a field; or, if packed, what is sent or received */
static inline char *cmk_halo_nccl_range_(const cmk_halo *halo, int i, size_t *bytes)
{
    const cmk_field *const f = &halo->field[i / 2];
    *bytes = 0;
    if (halo->direct) return i % 2 && !f->next ? NULL : cmk_halo_range_(halo, f, i % 2, bytes);
    if (i < 2) *bytes = i ? halo->in_bytes : halo->out_bytes;
    return i ? halo->in : halo->out;
}

/* registers all ranges; of_transport is an array of their handles, NULL for a range that is missing or that NCCL does
 * not register */
static inline cudaError_t cmk_halo_nccl_register_(cmk_halo *halo)
{
    void **const handles = (void **)calloc(2 * CMK_HALO_FIELDS, sizeof *handles);
    halo->of_transport = handles;
    cudaError_t error = handles ? cudaSetDevice(halo->device) : cudaErrorMemoryAllocation;
    for (int i = 0; i < 2 * halo->fields && error == cudaSuccess; ++i) {
        size_t bytes = 0;
        char *const begin = cmk_halo_nccl_range_(halo, i, &bytes);
        if (bytes == 0) continue;
        error = cmk_halo_nccl_said_(halo, ncclCommRegister(cmk_halo_nccl_comm_(halo), begin, bytes, &handles[i]),
                                    "ncclCommRegister");
    }
    return error;
}

static inline cudaError_t cmk_halo_nccl_open_(cmk_halo *halos, int ranks)
{
    cudaError_t error = cudaSuccess;
    for (int r = 0; r < ranks && error == cudaSuccess; ++r) error = cmk_halo_nccl_register_(&halos[r]);
    return error;
}

static inline void cmk_halo_nccl_close_(cmk_halo *halo)
{
    void **const handles = (void **)halo->of_transport;
    for (int i = 0; i < 2 * halo->fields; ++i)
        if (handles[i]) (void)ncclCommDeregister(cmk_halo_nccl_comm_(halo), handles[i]);
    free(handles);
}

static inline cudaError_t cmk_halo_nccl_start_registered_(cmk_halo *halos, int ranks)
{
    for (int r = 0; r < ranks; ++r) {
        cudaStreamCaptureStatus status;
        const cudaError_t error = cudaStreamIsCapturing(halos[r].stream, &status);
        if (error != cudaSuccess) return error;
        if (status != cudaStreamCaptureStatusNone)
            return cmk_halo_fail_(&halos[r], cudaErrorStreamCaptureUnsupported,
                                  "exchanges of registered memory are not captured: cmk_halo_nccl are, which NCCL "
                                  "registers by itself");
    }
    return cmk_halo_nccl_start_(halos, ranks);
}

static inline cmk_halo_transport cmk_halo_nccl_registered(ncclComm_t comm)
{
    cmk_halo_transport transport = cmk_halo_nccl(comm);
    transport.name = "NCCL, registered";
    transport.open = cmk_halo_nccl_open_;
    transport.start = cmk_halo_nccl_start_registered_;
    transport.close = cmk_halo_nccl_close_;
    transport.allocate = cmk_halo_nccl_allocate_;
    transport.release = cmk_halo_nccl_release_;
    return transport;
}

#endif

#endif

#endif
