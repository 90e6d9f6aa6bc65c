/* halo/mpi.h: the exchanges of halo.h by MPI, on a communicator of the user. Compile and link as mpicc does.
 *
 *   cmk_halo_transport cmk_halo_mpi(MPI_Comm comm, int where)
 *       messages go by MPI_Isend and MPI_Irecv. The ranks of the grid are the ranks of comm, one for each process.
 *       connect makes a copy of comm, so that messages of others never meet these. destroy frees it; all ranks call
 *       destroy then
 *           CMK_HALO_STAGED   messages are packed straight into page-locked memory of the host: for every MPI
 *           CMK_HALO_DEVICE   device pointers go to MPI, which must be built for CUDA
 *           CMK_HALO_ASK      DEVICE where MPIX_Query_cuda_support says so, else STAGED
 *
 * MPI knows no streams, so the host waits in end, while the interior is computed. It waits until everything is packed,
 * then until all messages have come and gone, for at most halo->patience seconds. Neither begin nor end can be captured
 * into a graph. A message has less than 2 GB; connect returns an error for more.
 *
 *   CMK_CHECK(cmk_halo_create(&halo, &grid, cmk_halo_mpi(MPI_COMM_WORLD, CMK_HALO_ASK), CMK_HALO_STAR, &u, 1)); */
#ifndef CMK_HALO_MPI_H
#define CMK_HALO_MPI_H

#include "../base.h"
#include "../halo.h"

#if CMK_HAS_HOST_

#include <mpi.h>
#if defined(OPEN_MPI) && OPEN_MPI
#include <mpi-ext.h>
#endif

enum { CMK_HALO_STAGED, CMK_HALO_DEVICE, CMK_HALO_ASK };

/* Of a halo that is connected: its requests, and the message of each. The words of results are reduced on the host, in
 * page-locked memory, as elements of this type, by this operation. */
typedef struct cmk_halo_mpi_ {
    MPI_Comm comm;
    int requests;
    MPI_Request *request;
    cmk_halo_message_ **message;
    unsigned long long *words;
    MPI_Datatype type;
    MPI_Op join;
    int is_left; /* whether a reduction was left that others may still come to: it cannot be cancelled */
} cmk_halo_mpi_;

/* an MPI_Comm is a pointer or an integer */
static inline MPI_Comm cmk_halo_mpi_comm_(const cmk_halo *halo)
{
    MPI_Comm comm;
    memcpy(&comm, &halo->transport.context, sizeof comm);
    return comm;
}

static inline cudaError_t cmk_halo_mpi_said_(cmk_halo *halo, int result, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (result == MPI_SUCCESS) return cudaSuccess;
    (void)MPI_Error_string(result, text, &length);
    return cmk_halo_fail_(halo, cudaErrorUnknown, "%s: %s", call, text);
}

/* waits for one request that is not a message */
static inline cudaError_t cmk_halo_mpi_await_(cmk_halo *halo, MPI_Request *request, int result, const char *call)
{
    const double begun = cmk_halo_seconds_();
    int done = 0;
    while (result == MPI_SUCCESS && !done) {
        result = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done && !(cmk_halo_seconds_() - begun <= halo->patience))
            return cmk_halo_fail_(halo, cudaErrorUnknown, "%s: not all ranks have come within %g s", call,
                                  halo->patience);
    }
    return cmk_halo_mpi_said_(halo, result, call);
}

static inline cudaError_t cmk_halo_mpi_check_(cmk_halo *halo, int ranks)
{
    int size = 0, rank = 0;
    if (ranks != 1) return cmk_halo_fail_(halo, cudaErrorInvalidValue, "%d ranks in a process: MPI has one", ranks);
    (void)MPI_Comm_size(cmk_halo_mpi_comm_(halo), &size);
    (void)MPI_Comm_rank(cmk_halo_mpi_comm_(halo), &rank);
    if (size != halo->grid.ranks || rank != halo->grid.rank)
        return cmk_halo_fail_(halo, cudaErrorInvalidValue,
                              "the grid has %d ranks, the communicator %d, and calls this one %d", halo->grid.ranks,
                              size, rank);
    for (int i = 0; i < halo->send[0].messages; ++i)
        if (halo->send[0].message[i].bytes > 0x7fffffff)
            return cmk_halo_fail_(halo, cudaErrorInvalidValue,
                                  "a message of %zu bytes to rank %d: MPI takes 2147483647 at most; split more axes",
                                  halo->send[0].message[i].bytes, halo->send[0].message[i].peer);
    return cudaSuccess;
}

static inline cudaError_t cmk_halo_mpi_largest_(cmk_halo *halo, int ranks, cmk_i64 *values, int count)
{
    MPI_Request request = MPI_REQUEST_NULL;
    const int result =
        MPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_LONG_LONG, MPI_MAX, cmk_halo_mpi_comm_(halo), &request);
    (void)ranks;
    return cmk_halo_mpi_await_(halo, &request, result, "MPI_Iallreduce");
}

/* An MPI_User_function: joins the words of `*count` results of a rank to those of another. */
static inline void cmk_halo_mpi_join_(void *from, void *to, int *count, MPI_Datatype *type)
{
    const unsigned long long *const one = (const unsigned long long *)from;
    unsigned long long *const other = (unsigned long long *)to;
    (void)type;
    for (int i = 0; i < *count * cmk_halo_words_; ++i) {
        const int is_top = (unsigned)(i % cmk_halo_words_ - cmk_halo_tops_) < (unsigned)cmk_halo_tops_words_;
        other[i] = !is_top ? other[i] + one[i] : one[i] > other[i] ? one[i] : other[i];
    }
}

static inline cudaError_t cmk_halo_mpi_open_(cmk_halo *halo, int ranks)
{
    const size_t most = (size_t)(halo->send[0].messages + halo->receive[0].messages + 1);
    cmk_halo_mpi_ *const mpi = (cmk_halo_mpi_ *)calloc(1, sizeof *mpi);
    MPI_Request request = MPI_REQUEST_NULL;
    (void)ranks;
    halo->of_transport = mpi;
    if (!mpi) return cudaErrorMemoryAllocation;
    mpi->comm = MPI_COMM_NULL, mpi->type = MPI_DATATYPE_NULL, mpi->join = MPI_OP_NULL;
    mpi->request = (MPI_Request *)malloc(most * sizeof *mpi->request);
    mpi->message = (cmk_halo_message_ **)malloc(most * sizeof *mpi->message);
    if (!mpi->request || !mpi->message) return cudaErrorMemoryAllocation;
    const int result = MPI_Comm_idup(cmk_halo_mpi_comm_(halo), &mpi->comm, &request);
    const cudaError_t error = cmk_halo_mpi_await_(halo, &request, result, "MPI_Comm_idup");
    if (error != cudaSuccess) return error;
    (void)MPI_Type_contiguous(cmk_halo_words_, MPI_UNSIGNED_LONG_LONG, &mpi->type);
    (void)MPI_Type_commit(&mpi->type);
    (void)MPI_Op_create(cmk_halo_mpi_join_, 1, &mpi->join);
    return cmk_halo_mpi_said_(halo, MPI_Comm_set_errhandler(mpi->comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

/* ---- Messages */

static inline cudaError_t cmk_halo_mpi_post_(cmk_halo *halo, const cmk_halo_way_ *way, int receive)
{
    cmk_halo_mpi_ *const mpi = (cmk_halo_mpi_ *)halo->of_transport;
    int result = MPI_SUCCESS;
    for (int i = 0; i < way->messages && result == MPI_SUCCESS; ++i) {
        cmk_halo_message_ *const m = &way->message[i];
        MPI_Request *const request = &mpi->request[mpi->requests];
        if (m->peer == halo->grid.rank) continue;
        if (receive)
            result = MPI_Irecv(m->memory, (int)m->bytes, MPI_BYTE, m->peer, m->tag, mpi->comm, request);
        else
            result = MPI_Isend(m->memory, (int)m->bytes, MPI_BYTE, m->peer, m->tag, mpi->comm, request);
        if (result == MPI_SUCCESS) mpi->message[mpi->requests++] = m;
    }
    return cmk_halo_mpi_said_(halo, result, receive ? "MPI_Irecv" : "MPI_Isend");
}

/* MPI knows no streams: when the host gets here, what is to be sent may not be written yet, and ghosts may still be
 * read. */
static inline cudaError_t cmk_halo_mpi_start_(cmk_halo *halo, int ranks)
{
    (void)halo, (void)ranks;
    return cudaSuccess;
}

/* waits until what is sent is packed, and nothing reads ghosts any more */
static inline cudaError_t cmk_halo_mpi_packed_(cmk_halo *halo)
{
    const double begun = cmk_halo_seconds_();
    cudaError_t error;
    while ((error = cudaEventQuery(halo->packed)) == cudaErrorNotReady)
        if (!(cmk_halo_seconds_() - begun <= halo->patience)) return cmk_halo_late_(halo);
    return error;
}

static inline cudaError_t cmk_halo_mpi_finish_(cmk_halo *halo, int ranks)
{
    cmk_halo_mpi_ *const mpi = (cmk_halo_mpi_ *)halo->of_transport;
    int result = MPI_SUCCESS, left = 1;
    cudaError_t error = cmk_halo_mpi_packed_(halo);
    (void)ranks;
    mpi->requests = 0;
    if (error == cudaSuccess) error = cmk_halo_mpi_post_(halo, &halo->receive[halo->other], 1);
    if (error == cudaSuccess) error = cmk_halo_mpi_post_(halo, &halo->send[halo->other], 0);
    for (const double begun = cmk_halo_seconds_(); error == cudaSuccess && left;) {
        left = 0;
        for (int i = 0; i < mpi->requests && result == MPI_SUCCESS; ++i) {
            int done = 0;
            if (mpi->message[i]->pending) result = MPI_Test(&mpi->request[i], &done, MPI_STATUS_IGNORE);
            mpi->message[i]->pending &= !done;
            left |= mpi->message[i]->pending;
        }
        error = cmk_halo_mpi_said_(halo, result, "MPI_Test");
        if (error == cudaSuccess && left && !(cmk_halo_seconds_() - begun <= halo->patience))
            error = cmk_halo_late_(halo);
    }
    return error;
}

/* ---- Results */

/* copies the words of all results to the host, or back */
static inline cudaError_t cmk_halo_mpi_copy_(cmk_halo *halo, const cmk_result *results, int count, int back)
{
    const cmk_halo_mpi_ *const mpi = (const cmk_halo_mpi_ *)halo->of_transport;
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < count && error == cudaSuccess; ++i) {
        unsigned long long *const here = mpi->words + i * cmk_halo_words_, *const there =
                                                                               cmk_halo_words_of_(&results[i]);
        error = cudaMemcpyAsync(back ? there : here, back ? here : there, cmk_halo_words_ * sizeof *here,
                                cudaMemcpyDefault, halo->stream);
    }
    return error;
}

/* The words come when the stream gets here, and the host waits for that, and for all ranks. The copy back has ended
 * before the next call copies here, as that waits for the stream too. */
static inline cudaError_t cmk_halo_mpi_reduce_(cmk_halo *halo, int ranks, const cmk_result *results, int count)
{
    cmk_halo_mpi_ *const mpi = (cmk_halo_mpi_ *)halo->of_transport;
    const size_t bytes = (size_t)CMK_HALO_RESULTS * (size_t)cmk_halo_words_ * sizeof *mpi->words;
    MPI_Request request = MPI_REQUEST_NULL;
    cudaError_t error = mpi->words ? cudaSuccess : cudaHostAlloc((void **)&mpi->words, bytes, cudaHostAllocDefault);
    (void)ranks;
    if (error == cudaSuccess) error = cmk_halo_mpi_copy_(halo, results, count, 0);
    if (error == cudaSuccess) error = cudaEventRecord(halo->packed, halo->stream);
    if (error == cudaSuccess) error = cmk_halo_mpi_packed_(halo);
    if (error != cudaSuccess) return error;
    const int result = MPI_Iallreduce(MPI_IN_PLACE, mpi->words, count, mpi->type, mpi->join, mpi->comm, &request);
    error = cmk_halo_mpi_await_(halo, &request, result, "MPI_Iallreduce");
    mpi->is_left |= error != cudaSuccess;
    return error == cudaSuccess ? cmk_halo_mpi_copy_(halo, results, count, 1) : error;
}

/* Cancels requests that will not end any more. MPI may have been finalized before. What a reduction uses that was left
 * is not freed. */
static inline void cmk_halo_mpi_close_(cmk_halo *halo)
{
    cmk_halo_mpi_ *const mpi = (cmk_halo_mpi_ *)halo->of_transport;
    int ended = 0;
    (void)MPI_Finalized(&ended);
    for (int i = 0; i < mpi->requests && !ended; ++i) {
        if (!mpi->message[i]->pending) continue;
        (void)MPI_Cancel(&mpi->request[i]);
        (void)MPI_Request_free(&mpi->request[i]);
    }
    ended |= mpi->is_left;
    if (!ended && mpi->comm != MPI_COMM_NULL) (void)MPI_Comm_free(&mpi->comm);
    if (!ended && mpi->type != MPI_DATATYPE_NULL) (void)MPI_Type_free(&mpi->type);
    if (!ended && mpi->join != MPI_OP_NULL) (void)MPI_Op_free(&mpi->join);
    if (!mpi->is_left) (void)cudaFreeHost(mpi->words);
    free(mpi->request), free(mpi->message), free(mpi);
}

static inline cmk_halo_transport cmk_halo_mpi(MPI_Comm comm, int where)
{
    cmk_halo_transport transport;
    memset(&transport, 0, sizeof transport);
    transport.name = "MPI";
    memcpy(&transport.context, &comm, sizeof comm);
    transport.staged = where != CMK_HALO_DEVICE;
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
    if (where == CMK_HALO_ASK && MPIX_Query_cuda_support()) transport.staged = 0;
#endif
    transport.accept = cmk_halo_mpi_check_;
    transport.largest = cmk_halo_mpi_largest_;
    transport.open = cmk_halo_mpi_open_;
    transport.start = cmk_halo_mpi_start_;
    transport.finish = cmk_halo_mpi_finish_;
    transport.reduce = cmk_halo_mpi_reduce_;
    transport.close = cmk_halo_mpi_close_;
    return transport;
}

#endif

#endif
