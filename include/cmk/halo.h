/* halo.h: the exchange of ghosts. A grid of grid.h is split over ranks. Before a step each part gets the points around
 * it from its neighbours, while its interior is computed.
 *
 *   cudaError_t cmk_halo_create(cmk_halo *halo, const cmk_grid *grid, cmk_halo_transport transport, int shape,
 *                               const cmk_field *fields, int count)
 *       makes the plan of an exchange, in which all fields (1 to CMK_HALO_FIELDS) travel together. The device is the
 *       current one. The memory of the fields stays where it is
 *   CMK_HALO_STAR, CMK_HALO_BOX
 *       the shape of an exchange: the faces, or the faces, edges and corners
 *   cudaError_t cmk_halo_connect(cmk_halo *halo)
 *       collective: all ranks call it once, when the fields are allocated and hold level 0. The ranks agree that their
 *       plans fit, or all of them return an error. An exchange of level 0 makes the connections, and is done when the
 *       call returns
 *   cudaError_t cmk_halo_begin(cmk_halo *halo, cmk_i64 level, cudaStream_t stream)
 *       sends what the fields hold when stream gets to this point, and receives ghosts
 *   cudaError_t cmk_halo_end(cmk_halo *halo, cudaStream_t stream)
 *       makes stream wait until the ghosts of the exchange that was begun have arrived
 *   cudaError_t cmk_halo_follow(cmk_halo *halo, cudaStream_t stream)
 *       makes what comes next on halo->stream wait for what is on stream so far
 *   cudaError_t cmk_halo_wait(cmk_halo *halo, cudaStream_t stream)
 *       the host waits for stream, as cudaStreamSynchronize does, but at most halo->patience seconds, and not for a
 *       transport that has failed. halo->why then names the rank, its peers, the bytes and the directions
 *   cudaError_t cmk_halo_destroy(cmk_halo *halo)
 *       waits for the last exchange, also at most halo->patience seconds, and frees what create and connect have made
 *   cmk_halo_connect_all(halos, ranks), cmk_halo_begin_all(halos, ranks, level, streams),
 *   cmk_halo_end_all(halos, ranks, streams), cmk_halo_destroy_all(halos, ranks)
 *       the same for all ranks that this process holds. halos is an array of halos, each created while its device was
 *       the current one (one device may have several); streams is an array of their streams. An error has its sentence
 *       in halos[0].why
 *
 *   cmk_halo_reduce, cmk_halo_reduce_all
 *       of halo/reduce.h: the sums and extremes of a step of a stencil over all ranks
 *
 *   cmk_field                       a struct: an array over the owned points and their ghosts. name_fields of a stencil
 *                                   (stencil2d.h) writes those of its grid. By hand, corners, name and held are 0
 *       data                        void *: the element of point (0, 0, 0), the first that the part owns
 *       next                        void *: that of a second buffer, where the field has two (NEXT and LEAPFROG fields
 *                                   of stencils): even levels lie in data, odd ones in next. NULL: all lie in data
 *       size                        bytes of an element, 1 to 16
 *       row_pitch, plane_pitch      elements from row to row and from plane to plane
 *       reach[3]                    ghosts that are read along each axis (planes, rows, columns), in points; 0: none.
 *                                   By hand nobody compares it with the SHAPE of an update
 *       corners                     not 0: points that lie beside along more than one axis are read too, so that
 *                                   CMK_HALO_STAR is refused where ghosts lie along more than one
 *       name                        the name of the field, for sentences in `why`
 *       held                        cmk_box: the points of the memory, from the first owned one on. create refuses a
 *                                   reach or a part that is larger. Where it is empty, nobody knows
 *   cmk_halo                        a struct; these members are for users
 *       stream                      the stream of the messages; it has the highest priority
 *       why                         one sentence about the last error
 *       patience                    seconds that the host waits at most: CMK_HALO_PATIENCE; may be set after create
 *       grid, device
 *
 * A ghost is a point of the grid, or of its periodic continuation, that lies no further than reach from the part.
 * Another part owns it, or along a periodic axis perhaps this part, at its other side. Where the grid ends there are no
 * ghosts: an exchange does not touch what lies there, nor a point that is not a ghost of the shape.
 *
 * Slabs go as they lie in memory, unpacked, with what is between their rows, if only the outermost axis is split or has
 * ghosts. This is the axis of planes, or of rows in a grid of one plane. Otherwise there is one message for each
 * neighbour, which one small kernel packs and unpacks.
 *
 * Parts may have any number of elements, and slabs any number of bytes. A face that is packed has at most 2^31 - 1
 * units. A unit has 1 to 16 bytes: the most that divides the rows and pitches of the face. A message of MPI has less
 * than 2 GB. More is an error, with a sentence, of create or connect.
 *
 * Transports, the same for all ranks of a grid:
 *
 *   cmk_halo_peer()                 here: all ranks are in this process, on any devices; copies in stream order.
 *                                   connect returns an error where devices of neighbours have no peer access
 *   cmk_halo_nccl(comm)             halo/nccl.h: ncclSend and ncclRecv, on comm, the user's communicator
 *   cmk_halo_nccl_registered(comm)  the same from memory that is registered with NCCL; not in a graph
 *   cmk_halo_nccl_put(comm)         halo/put.h: ncclPutSignal of NCCL 2.30; levels must alternate
 *   cmk_halo_mpi(comm, where)       halo/mpi.h: MPI_Isend and MPI_Irecv; the host waits in end
 *
 * With all transports but MPI, begin and end never wait on the host. They may be captured into a graph, except with MPI
 * and with registered memory of NCCL. Capture an even number of exchanges, so that a replay begins with the level
 * behind the last one. Copies of cmk_halo_peer between ranks are captured together, in one graph; with NCCL each rank
 * has a graph. In a graph NCCL registers memory by itself. All ranks begin the same exchanges in the same order. An
 * exchange of a halo has ended before its next one begins.
 *
 * This is the loop, border first, for steps that read level n and write level n + 1. width is at least the reach:
 *   cmk_halo_follow(&halo, stream);
 *   each box of cmk_grid_border(&grid, width, border) is computed on halo.stream;
 *   cmk_halo_begin(&halo, n + 1, halo.stream);
 *   cmk_grid_interior(&grid, width) is computed on stream;
 *   cmk_halo_end(&halo, stream);
 * One launch may also compute all, with the border in its first blocks, which count when they are done (stream.h). Then
 * halo.stream waits for the counter where it computes above. Without overlap, compute on stream, and call begin and end
 * with stream. Ghosts are written between begin and end. What reads or writes them is in stream before begin, or behind
 * end.
 *
 *   const cmk_field u = {a, b, sizeof(float), row_pitch, plane_pitch, {1, 1, 1}, 0, NULL, {{0, 0, 0}, {0, 0, 0}}};
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
#include "halo/field.h"
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

/* adds to halo->why the messages of one way that have not ended */
static inline void cmk_halo_name_(cmk_halo *halo, const cmk_halo_way_ *way, const char *direction, const char *joint)
{
    for (int i = 0; i < way->messages; ++i) {
        const size_t written = strlen(halo->why);
        if (!way->message[i].pending || way->message[i].peer == halo->grid.rank) continue;
        snprintf(halo->why + written, sizeof halo->why - written, "; %s %zu bytes %s rank %d", direction,
                 way->message[i].bytes, joint, way->message[i].peer);
    }
}

/* The error when the host has waited too long. It is about the exchange that was begun last, unless a graph began
 * it. */
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

/* ---- Exchanges of all ranks that the process holds. The current device is the same again behind them. */

/* whether all halos are in the state that a call needs; an error with the sentence where one is not */
static inline cudaError_t cmk_halo_are_(cmk_halo *halos, int ranks, cmk_halo_state_ state, const char *sentence)
{
    for (int r = 0; r < ranks; ++r) {
        halos[r].why[0] = 0;
        if (halos[r].state != state) return cmk_halo_fail_(&halos[r], cudaErrorInvalidValue, "%s", sentence);
    }
    return cudaSuccess;
}

/* how a call ends: after an error, the first halo has a sentence in any case */
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

/* packs messages, and copies what a rank sends to itself */
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

/* All ranks find the largest of their values: of a flag that is set where a rank cannot connect, and of the sums of the
 * plan and their negatives. The sums are the same on all ranks where the largest sum is minus the largest negative. */
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

/* An exchange of level 0 on the halos' own streams. It makes the connections, which an exchange under capture could not
 * make. */
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
        if (error == cudaSuccess) error = cudaDeviceSynchronize(); /* any stream may be filling the fields */
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

/* ---- The same for a process that holds one rank */

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
