/* halo.h: ghosts. A grid of grid.h is split over ranks; before a step each part gets the points around it from its
 * neighbours, while the interior is computed.
 *
 *   cudaError_t cmk_halo_create(cmk_halo *halo, const cmk_grid *grid, cmk_halo_transport transport, int shape,
 *                               const cmk_field *fields, int count)
 *       the plan of an exchange: all fields (1 to CMK_HALO_FIELDS) travel together. shape: CMK_HALO_STAR, the faces, or
 *       CMK_HALO_BOX, edges and corners too. The device is the one at work; memory of the fields stays where it is
 *   cudaError_t cmk_halo_connect(cmk_halo *halo)
 *       collective, once, when the fields are allocated and level 0 is in them: ranks agree that their plans fit, or
 *       all of them return an error; an exchange of level 0 makes the connections, and is done when the call returns
 *   cudaError_t cmk_halo_begin(cmk_halo *halo, cmk_i64 level, cudaStream_t stream)
 *       sends what the fields hold when stream gets there, and receives ghosts
 *   cudaError_t cmk_halo_end(cmk_halo *halo, cudaStream_t stream)
 *       stream goes on when the ghosts of the exchange that was begun have arrived
 *   cudaError_t cmk_halo_follow(cmk_halo *halo, cudaStream_t stream)
 *       what comes next on halo->stream waits for what is on stream so far
 *   cudaError_t cmk_halo_wait(cmk_halo *halo, cudaStream_t stream)
 *       the host waits for stream, as cudaStreamSynchronize does, but for halo->patience seconds at the most, and not
 *       for a transport that has failed: halo->why then names rank, peers, bytes and directions
 *   cudaError_t cmk_halo_destroy(cmk_halo *halo)
 *       waits for the last exchange, no longer than that, and frees what create and connect have made
 *   cmk_halo_connect_all(halos, ranks), cmk_halo_begin_all(halos, ranks, level, streams),
 *   cmk_halo_end_all(halos, ranks, streams), cmk_halo_destroy_all(halos, ranks)
 *       the same for all ranks that this process holds: arrays of halos, of which each was created with its device at
 *       work (one device may have several), and of their streams. An error has its sentence in halos[0].why
 *
 *   cmk_field                       a struct: an array over the owned points and their ghosts
 *       data                        void *: the element of point (0, 0, 0), the first that the part owns
 *       next                        void *: that of a second buffer, where the field has two (NEXT and LEAPFROG fields
 *                                   of stencils): even levels lie in data, odd ones in next. NULL: all lie in data
 *       size                        bytes of an element, 1 to 16
 *       row_pitch, plane_pitch      elements from row to row and from plane to plane
 *       reach[3]                    ghosts that are read along each axis (planes, rows, columns), in points: 0 for none
 *   cmk_halo                        a struct; of its members users read
 *       stream                      where messages travel, of the highest priority
 *       why                         one sentence about the last error
 *       patience                    seconds that the host waits at most: CMK_HALO_PATIENCE, or what is set after create
 *       grid, device
 *
 * A ghost is a point of the grid, or of its periodic continuation, that another part owns, or this one from its other
 * side, no further than reach from the part. There are none where a grid ends: what lies there is not touched, and
 * neither is a point that is no ghost of its shape. Where the outermost axis (planes; rows of a grid of one plane) is
 * the only one that is split or has ghosts, its slabs go as they lie in memory, unpacked, with what is between their
 * rows. Else there is one message a neighbour, packed and unpacked by one small kernel.
 *
 * Parts may have any number of elements, and slabs any number of bytes. A face that is packed has 2^31 - 1 units at
 * most, each the most of 1 to 16 bytes that divides its rows and pitches, and a message of MPI less than 2 GB: more is
 * an error with a sentence, of create or connect.
 *
 * Transports, the same for all ranks of a grid:
 *
 *   cmk_halo_peer()                 here: all ranks are in this process, on any devices; copies in stream order.
 *                                   Devices of neighbours without peer access are an error of connect
 *   cmk_halo_nccl(comm)             halo/nccl.h: ncclSend and ncclRecv, on comm, the user's communicator
 *   cmk_halo_nccl_registered(comm)  the same from memory that NCCL knows; not in a graph, where NCCL does it by itself
 *   cmk_halo_nccl_put(comm)         halo/put.h: ncclPutSignal of NCCL 2.30; levels must alternate
 *   cmk_halo_mpi(comm, where)       halo/mpi.h: MPI_Isend and MPI_Irecv; the host waits in end
 *
 * begin and end never wait on the host, but for MPI, and may be captured into a graph, but for MPI: capture an
 * even number of exchanges, so that a replay begins with the level that the last one ended before. Copies between ranks
 * are captured together, in one graph; NCCL's ranks have a graph each. All ranks begin the same exchanges in the same
 * order; an exchange has ended before the next of its halo begins.
 *
 * The loop, border first, for steps that read level n and write level n + 1; width is the reach at least:
 *   cmk_halo_follow(&halo, stream);
 *   each box of cmk_grid_border(&grid, width, border) is computed on halo.stream;
 *   cmk_halo_begin(&halo, n + 1, halo.stream);
 *   cmk_grid_interior(&grid, width) is computed on stream;
 *   cmk_halo_end(&halo, stream);
 * Where one launch computes all, the border by its first blocks, which count (stream.h): let halo.stream wait for the
 * counter where above it computes. Without overlap: compute on stream, begin and end on stream. Ghosts are written from
 * begin to end; what reads or writes them comes before begin in its stream, or behind end in its.
 *
 *   const cmk_field u = {a, b, sizeof(float), row_pitch, plane_pitch, {1, 1, 1}};
 *   cmk_halo halo;
 *   if (cmk_halo_create(&halo, &grid, cmk_halo_peer(), CMK_HALO_STAR, &u, 1) != cudaSuccess) return puts(halo.why);
 *   if (cmk_halo_connect(&halo) != cudaSuccess) return puts(halo.why);
 *   CMK_CHECK(cmk_halo_begin(&halo, 1, stream));
 *   CMK_CHECK(cmk_halo_end(&halo, stream));
 *   CMK_CHECK(cmk_halo_wait(&halo, stream));
 *   CMK_CHECK(cmk_halo_destroy(&halo)); */
#ifndef CMK_HALO_H
#define CMK_HALO_H

#include "base.h"
#include "grid.h"
#include "halo/pack.h"
#include "halo/peer.h"
#include "halo/plan.h"

#if CMK_HAS_HOST_

#include <time.h>

/* ---- Creation */

static inline cudaError_t cmk_halo_stream_(cudaStream_t *stream)
{
    int least = 0, greatest = 0;
    const cudaError_t error = cudaDeviceGetStreamPriorityRange(&least, &greatest);
    return error != cudaSuccess ? error : cudaStreamCreateWithPriority(stream, cudaStreamNonBlocking, greatest);
}

static inline cudaError_t cmk_halo_free_(cmk_halo *halo)
{
    cmk_halo_way_ *const ways[4] = {&halo->send[0], &halo->send[1], &halo->receive[0], &halo->receive[1]};
    char *const buffers[2] = {halo->out, halo->in};
    const cudaEvent_t events[4] = {halo->before, halo->packed, halo->sent, halo->done};
    cudaError_t error = cudaSuccess, last;
    for (int i = 0; i < 4; ++i) {
        free(ways[i]->message);
        if ((last = cudaFree(ways[i]->piece)) != cudaSuccess) error = last;
        if (events[i] && (last = cudaEventDestroy(events[i])) != cudaSuccess) error = last;
    }
    for (int i = 0; i < 2; ++i) {
        if (!buffers[i]) continue;
        if (halo->transport.release)
            last = halo->transport.release(buffers[i]);
        else
            last = halo->transport.staged ? cudaFreeHost(buffers[i]) : cudaFree(buffers[i]);
        if (last != cudaSuccess) error = last;
    }
    if (halo->stream && (last = cudaStreamDestroy(halo->stream)) != cudaSuccess) error = last;
    halo->state = cmk_halo_new_;
    return error;
}

static inline cudaError_t cmk_halo_make_(cmk_halo *halo)
{
    cudaEvent_t *const events[4] = {&halo->before, &halo->packed, &halo->sent, &halo->done};
    cudaError_t error = cudaGetDevice(&halo->device);
    if (error == cudaSuccess) error = cmk_halo_stream_(&halo->stream);
    for (int i = 0; i < 4 && error == cudaSuccess; ++i)
        error = cudaEventCreateWithFlags(events[i], cudaEventDisableTiming);
    if (error == cudaSuccess) error = cmk_halo_plan_(halo);
    return error;
}

static inline cudaError_t cmk_halo_create(cmk_halo *halo, const cmk_grid *grid, cmk_halo_transport transport, int shape,
                                          const cmk_field *fields, int count)
{
    cudaError_t error = cudaSuccess;
    memset(halo, 0, sizeof *halo);
    halo->grid = *grid, halo->transport = transport, halo->shape = shape, halo->patience = CMK_HALO_PATIENCE;
    if (grid->parts[0] < 1) return cmk_halo_fail_(halo, cudaErrorInvalidValue, "the grid is not split");
    if (shape != CMK_HALO_STAR && shape != CMK_HALO_BOX)
        return cmk_halo_fail_(halo, cudaErrorInvalidValue, "shape %d is neither a star nor a box", shape);
    if (count < 1 || count > CMK_HALO_FIELDS)
        return cmk_halo_fail_(halo, cudaErrorInvalidValue, "%d fields are not 1 to CMK_HALO_FIELDS, %d", count,
                              CMK_HALO_FIELDS);
    halo->fields = count;
    for (int i = 0; i < count && error == cudaSuccess; ++i) {
        halo->field[i] = fields[i];
        error = cmk_halo_check_field_(halo, i);
    }
    if (error != cudaSuccess) return error;
    halo->direct = cmk_halo_is_direct_(halo);
    error = cmk_halo_make_(halo);
    halo->state = cmk_halo_created_;
    if (error == cudaSuccess) return cudaSuccess;
    (void)cmk_halo_free_(halo);
    return cmk_halo_said_(halo, error, "cmk_halo_create");
}

/* ---- Waits of the host */

static inline double cmk_halo_seconds_(void)
{
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* the messages of one way that have not ended, behind what `why` says already */
static inline void cmk_halo_name_(cmk_halo *halo, const cmk_halo_way_ *way, const char *direction, const char *joint)
{
    for (int i = 0; i < way->messages; ++i) {
        const size_t written = strlen(halo->why);
        if (!way->message[i].pending || way->message[i].peer == halo->grid.rank) continue;
        snprintf(halo->why + written, sizeof halo->why - written, "; %s %zu bytes %s rank %d", direction,
                 way->message[i].bytes, joint, way->message[i].peer);
    }
}

/* what a host that has waited too long says; of the exchange that was begun last, unless a graph has */
static inline cudaError_t cmk_halo_late_(cmk_halo *halo)
{
    const int ended = halo->state != cmk_halo_begun_ && cudaEventQuery(halo->done) == cudaSuccess;
    const int waits = !ended && cudaEventQuery(halo->packed) == cudaErrorNotReady;
    (void)cudaGetLastError();
    if (ended || waits)
        return cmk_halo_fail_(halo, cudaErrorUnknown, "%s, within %g s",
                              ended ? "a stream has not ended, though the last exchange has"
                                    : "an exchange has not begun, as what comes before it has not ended",
                              halo->patience);
    (void)cmk_halo_fail_(halo, cudaErrorUnknown, "an exchange has not ended within %g s", halo->patience);
    cmk_halo_name_(halo, &halo->receive[halo->other], "receives", "from");
    cmk_halo_name_(halo, &halo->send[halo->other], "sends", "to");
    return cudaErrorUnknown;
}

static inline cudaError_t cmk_halo_await_(cmk_halo *halo, cudaStream_t stream)
{
    const double begun = cmk_halo_seconds_();
    for (;;) {
        cudaError_t error = cudaStreamQuery(stream);
        if (error != cudaErrorNotReady) return cmk_halo_said_(halo, error, "cmk_halo_wait");
        error = halo->transport.look ? halo->transport.look(halo) : cudaSuccess;
        if (error != cudaSuccess) return cmk_halo_said_(halo, error, "cmk_halo_wait");
        if (!(cmk_halo_seconds_() - begun <= halo->patience)) return cmk_halo_late_(halo);
    }
}

static inline cudaError_t cmk_halo_wait(cmk_halo *halo, cudaStream_t stream)
{
    halo->why[0] = 0;
    return cmk_halo_await_(halo, stream);
}

/* ---- Exchanges of all ranks that the process holds; the device at work stays what it is */

/* whether all are where a call may be made */
static inline cudaError_t cmk_halo_are_(cmk_halo *halos, int ranks, cmk_halo_state_ state, const char *sentence)
{
    for (int r = 0; r < ranks; ++r) {
        halos[r].why[0] = 0;
        if (halos[r].state != state) return cmk_halo_fail_(&halos[r], cudaErrorInvalidValue, "%s", sentence);
    }
    return cudaSuccess;
}

/* how a call ends: an error has a sentence in the first halo, at the least */
static inline cudaError_t cmk_halo_ends_(cmk_halo *halos, int ranks, cudaError_t error, int device, const char *call)
{
    const cudaError_t last = cudaSetDevice(device);
    if (error == cudaSuccess) error = last;
    for (int r = 1; r < ranks && error != cudaSuccess && !halos[0].why[0]; ++r)
        memcpy(halos[0].why, halos[r].why, sizeof halos[0].why);
    return ranks > 0 ? cmk_halo_said_(&halos[0], error, call) : error;
}

static inline cudaError_t cmk_halo_follow(cmk_halo *halo, cudaStream_t stream)
{
    if (stream == halo->stream) return cudaSuccess;
    const cudaError_t error = cudaEventRecord(halo->before, stream);
    return error == cudaSuccess ? cudaStreamWaitEvent(halo->stream, halo->before, 0) : error;
}

/* packs, and copies what a rank sends to itself */
static inline cudaError_t cmk_halo_begin_one_(cmk_halo *halo, int other, cudaStream_t stream)
{
    cmk_halo_way_ *const send = &halo->send[other], *const receive = &halo->receive[other];
    cudaError_t error = cudaSetDevice(halo->device);
    halo->other = other;
    if (error == cudaSuccess) error = cmk_halo_follow(halo, stream);
    if (error == cudaSuccess) error = cmk_halo_pack_(send->piece, send->pieces, send->blocks, 0, halo->stream);
    for (int i = 0, j = 0; i < send->messages; ++i) {
        send->message[i].pending = 1;
        if (!halo->direct || send->message[i].peer != halo->grid.rank) continue;
        while (receive->message[j].peer != halo->grid.rank) ++j;
        if (error == cudaSuccess)
            error = cudaMemcpyAsync(receive->message[j].memory, send->message[i].memory, send->message[i].bytes,
                                    cudaMemcpyDefault, halo->stream);
        ++j;
    }
    for (int i = 0; i < receive->messages; ++i) receive->message[i].pending = 1;
    return error == cudaSuccess ? cudaEventRecord(halo->packed, halo->stream) : error;
}

static inline cudaError_t cmk_halo_begin_all(cmk_halo *halos, int ranks, cmk_i64 level, const cudaStream_t *streams)
{
    int device = 0;
    cudaError_t error = cmk_halo_are_(halos, ranks, cmk_halo_ready_, "begin comes behind connect, or the end before");
    if (error != cudaSuccess) return error;
    error = cudaGetDevice(&device);
    for (int r = 0; r < ranks && error == cudaSuccess; ++r)
        error = cmk_halo_begin_one_(&halos[r], (int)(level & 1), streams[r]);
    if (error == cudaSuccess) error = halos->transport.start(halos, ranks);
    for (int r = 0; r < ranks && error == cudaSuccess; ++r) halos[r].state = cmk_halo_begun_;
    return cmk_halo_ends_(halos, ranks, error, device, "cmk_halo_begin");
}

static inline cudaError_t cmk_halo_end_one_(cmk_halo *halo, cudaStream_t stream)
{
    const cmk_halo_way_ *const receive = &halo->receive[halo->other];
    cudaError_t error = cudaSetDevice(halo->device);
    if (error == cudaSuccess) error = cmk_halo_pack_(receive->piece, receive->pieces, receive->blocks, 1, halo->stream);
    if (error == cudaSuccess) error = cudaEventRecord(halo->done, halo->stream);
    if (error == cudaSuccess) error = cudaStreamWaitEvent(stream, halo->done, 0);
    if (error == cudaSuccess) halo->state = cmk_halo_ready_;
    return error;
}

static inline cudaError_t cmk_halo_end_all(cmk_halo *halos, int ranks, const cudaStream_t *streams)
{
    int device = 0;
    cudaError_t error = cmk_halo_are_(halos, ranks, cmk_halo_begun_, "end comes behind begin");
    if (error != cudaSuccess) return error;
    error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = halos->transport.finish(halos, ranks);
    for (int r = 0; r < ranks && error == cudaSuccess; ++r) error = cmk_halo_end_one_(&halos[r], streams[r]);
    return cmk_halo_ends_(halos, ranks, error, device, "cmk_halo_end");
}

/* ---- Connection */

/* The largest of all ranks: of whether one cannot connect, and of the sums and their negatives, which are the same
 * where all ranks have the same. */
static inline cudaError_t cmk_halo_agree_(cmk_halo *halos, int ranks, cudaError_t checked)
{
    static const char *const what[cmk_halo_sums_] = {"transport", "grid, parts or periodic axes", "shape",
                                                     "number of fields", "fields: sizes, reach, pitches or places"};
    cmk_i64 sums[cmk_halo_sums_], values[2 * cmk_halo_sums_ + 1];
    for (int r = 0; r < ranks; ++r) {
        cmk_halo_sums_of_(&halos[r], sums);
        for (int k = 0; k < cmk_halo_sums_; ++k) {
            if (r == 0 || sums[k] > values[k]) values[k] = sums[k];
            if (r == 0 || -sums[k] > values[cmk_halo_sums_ + k]) values[cmk_halo_sums_ + k] = -sums[k];
        }
    }
    values[2 * cmk_halo_sums_] = checked != cudaSuccess;
    cudaError_t error = cudaSuccess;
    if (halos->transport.largest) error = halos->transport.largest(halos, ranks, values, 2 * cmk_halo_sums_ + 1);
    if (checked != cudaSuccess || error != cudaSuccess) return checked != cudaSuccess ? checked : error;
    if (values[2 * cmk_halo_sums_])
        return cmk_halo_fail_(halos, cudaErrorInvalidValue, "another rank cannot connect, and says why");
    for (int k = 0; k < cmk_halo_sums_; ++k)
        if (values[k] != -values[cmk_halo_sums_ + k])
            return cmk_halo_fail_(halos, cudaErrorInvalidValue, "the ranks do not have the same %s", what[k]);
    return cudaSuccess;
}

/* an exchange of level 0 from the halos' own streams, which makes the connections that a captured one could not */
static inline cudaError_t cmk_halo_first_(cmk_halo *halos, int ranks)
{
    cudaError_t error = halos->transport.open ? halos->transport.open(halos, ranks) : cudaSuccess;
    cudaStream_t *const streams = (cudaStream_t *)malloc((size_t)ranks * sizeof *streams);
    if (!streams) return cudaErrorMemoryAllocation;
    for (int r = 0; r < ranks && error == cudaSuccess; ++r)
        streams[r] = halos[r].stream, halos[r].state = cmk_halo_ready_;
    if (error == cudaSuccess) error = cmk_halo_begin_all(halos, ranks, 0, streams);
    if (error == cudaSuccess) error = cmk_halo_end_all(halos, ranks, streams);
    for (int r = 0; r < ranks && error == cudaSuccess; ++r) error = cmk_halo_await_(&halos[r], streams[r]);
    free(streams);
    return error;
}

static inline cudaError_t cmk_halo_connect_all(cmk_halo *halos, int ranks)
{
    int device = 0;
    if (ranks < 1) return cudaErrorInvalidValue;
    cudaError_t error = cmk_halo_are_(halos, ranks, cmk_halo_created_, "connect comes once, behind create");
    if (error != cudaSuccess) return error;
    error = cudaGetDevice(&device);
    for (int r = 0; r < ranks && error == cudaSuccess; ++r) {
        error = cudaSetDevice(halos[r].device);
        if (error == cudaSuccess) error = cudaDeviceSynchronize(); /* what fills the fields may be on any stream */
    }
    if (error == cudaSuccess && halos->transport.accept) error = halos->transport.accept(halos, ranks);
    error = cmk_halo_agree_(halos, ranks, error);
    if (error == cudaSuccess) error = cmk_halo_first_(halos, ranks);
    return cmk_halo_ends_(halos, ranks, error, device, "cmk_halo_connect");
}

static inline cudaError_t cmk_halo_destroy_all(cmk_halo *halos, int ranks)
{
    int device = 0;
    cudaError_t error = cudaGetDevice(&device);
    for (int r = 0; r < ranks && error == cudaSuccess; ++r) {
        if (halos[r].state == cmk_halo_new_) continue;
        halos[r].why[0] = 0;
        halos[r].transport.look = NULL; /* a communicator that has failed may be gone */
        error = cudaSetDevice(halos[r].device);
        if (error == cudaSuccess) error = cmk_halo_await_(&halos[r], halos[r].stream);
        if (error != cudaSuccess) break;
        if (halos[r].of_transport && halos[r].transport.close) halos[r].transport.close(&halos[r]);
        error = cmk_halo_free_(&halos[r]);
    }
    return cmk_halo_ends_(halos, ranks, error, device, "cmk_halo_destroy");
}

/* ---- Of the one rank of this process */

static inline cudaError_t cmk_halo_connect(cmk_halo *halo)
{
    return cmk_halo_connect_all(halo, 1);
}

static inline cudaError_t cmk_halo_begin(cmk_halo *halo, cmk_i64 level, cudaStream_t stream)
{
    return cmk_halo_begin_all(halo, 1, level, &stream);
}

static inline cudaError_t cmk_halo_end(cmk_halo *halo, cudaStream_t stream)
{
    return cmk_halo_end_all(halo, 1, &stream);
}

static inline cudaError_t cmk_halo_destroy(cmk_halo *halo)
{
    return cmk_halo_destroy_all(halo, 1);
}

#endif

#endif
