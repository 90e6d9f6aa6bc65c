/* halo.h: ghosts. A grid of grid.h is split over ranks; before a step each part gets the points around it from its
 * neighbours, while the interior is computed.
 *
 *   cudaError_t cmk_halo_create(cmk_halo *halo, const cmk_grid *grid, cmk_halo_transport transport, int shape,
 *                               const cmk_field *fields, int count)
 *       the plan of an exchange: all fields (1 to CMK_HALO_FIELDS) travel together. shape: CMK_HALO_STAR, the faces, or
 *       CMK_HALO_BOX, edges and corners too. The device is the one at work; memory of the fields stays where it is
 *   cudaError_t cmk_halo_connect(cmk_halo *halo)
 *       collective, once, when the fields are allocated and filled: ranks agree that their plans fit, or all of them
 *       return an error; connections are made by an exchange of level 0, which is done when the call returns
 *   cudaError_t cmk_halo_begin(cmk_halo *halo, cmk_i64 level, cudaStream_t stream)
 *       sends what the fields hold when stream gets there, and receives ghosts
 *   cudaError_t cmk_halo_end(cmk_halo *halo, cudaStream_t stream)
 *       stream goes on when the ghosts of the exchange that was begun have arrived
 *   cudaError_t cmk_halo_follow(cmk_halo *halo, cudaStream_t stream)
 *       what comes next on halo->stream waits for what is on stream so far
 *   cudaError_t cmk_halo_wait(cmk_halo *halo, cudaStream_t stream)
 *       the host waits for stream; an error where the transport has failed, or nothing has ended for halo->patience
 *       seconds: halo->why then names rank, peers, bytes and direction
 *   cudaError_t cmk_halo_destroy(cmk_halo *halo)
 *       waits as above, and frees what create and connect have made. Never collective
 *   cmk_halo_connect_all(halos, ranks), cmk_halo_begin_all(halos, ranks, level, streams),
 *   cmk_halo_end_all(halos, ranks, streams), cmk_halo_destroy_all(halos, ranks)
 *       the same for all ranks that this process holds, which may be on one device or on several: arrays of halos, of
 *       which halos[i] was created with its device at work, and of their streams
 *
 *   cmk_field                       a struct, an array over the owned points and their ghosts
 *       data                        void *: the element of point (0, 0, 0), the first that the part owns
 *       next                        void *: where the field has two buffers, as NEXT and LEAPFROG fields of stencils,
 *                                   that element of the second: even levels lie in data, odd ones in next. NULL: all
 *                                   levels lie in data
 *       size                        bytes of an element, 1 to 16
 *       row_pitch, plane_pitch      elements from row to row and from plane to plane
 *       reach[3]                    ghosts that are read along each axis, in points: 0 for none
 *   cmk_halo                        a struct; of its members users read
 *       stream                      where messages travel, of the highest priority
 *       why                         one sentence about the last error
 *       patience                    seconds that the host waits at most; CMK_HALO_PATIENCE after create, may be set
 *       grid, device
 *
 * A ghost is a point of the grid, or of its periodic continuation, that another part owns, or this one from its other
 * side, no further than reach from the part. There are none where a grid ends: what lies there is not touched, and
 * neither is a point that is no ghost of its shape. Where parts along one axis alone have neighbours and that axis is
 * the outermost (planes; rows of a grid of one plane), its slabs go as they lie in memory, unpacked, with what is
 * between their rows. Else there is one message a neighbour, packed and unpacked by one small kernel.
 *
 * Transports, the same for all ranks of a grid:
 *   cmk_halo_peer()                  here: all ranks are in this process, on any devices; copies in stream order. Where
 *                                    two devices of neighbours have no peer access, connect is an error
 *   cmk_halo_nccl(comm)              halo/nccl.h: ncclSend and ncclRecv, on the user's communicator
 *   cmk_halo_mpi(comm, where)        halo/mpi.h: MPI_Isend and MPI_Irecv; the host waits in end
 * begin and end never wait on the host, but for MPI, and may be captured into a graph, but for MPI: replays exchange the
 * levels that were captured, so capture an even number of steps where fields have two buffers. The streams of one
 * process's ranks that copy to one another are captured together. An exchange is begun on all ranks, in the same order
 * of halos and levels, and ended before the next of this halo begins.
 *
 * The loop, border first. width: at least the largest reach; the border is at least as wide as what is sent:
 *   cmk_halo_follow(&halo, stream);
 *   compute each box of cmk_grid_border(&grid, width, border) on halo.stream
 *   cmk_halo_begin(&halo, level + 1, halo.stream);     begin on its own stream: behind the border
 *   compute cmk_grid_interior(&grid, width) on stream
 *   cmk_halo_end(&halo, stream);
 * Where the border is the first blocks of one launch, which count: let halo.stream wait for the counter in place of
 * computing there. Nothing but these three orders an exchange: ghosts are written from begin to end, so what reads them
 * comes before begin's stream or behind end's.
 *
 *   cmk_field u = {a, b, sizeof(float), row_pitch, plane_pitch, {1, 1, 1}};
 *   cmk_halo halo;
 *   CMK_CHECK(cmk_halo_create(&halo, &grid, cmk_halo_peer(), CMK_HALO_STAR, &u, 1));
 *   CMK_CHECK(cmk_halo_connect(&halo));
 *   CMK_CHECK(cmk_halo_begin(&halo, 1, stream));
 *   CMK_CHECK(cmk_halo_end(&halo, stream));
 *   CMK_CHECK(cmk_halo_destroy(&halo)); */
#ifndef CMK_HALO_H
#define CMK_HALO_H

#include "base.h"
#include "grid.h"

#if CMK_HAS_HOST_

#ifndef CMK_HALO_FIELDS
#define CMK_HALO_FIELDS 32 /* of one exchange; a message may be of all of them */
#endif
#ifndef CMK_HALO_PATIENCE
#define CMK_HALO_PATIENCE 60 /* seconds: longer than a first step, shorter than a queue's */
#endif

enum { CMK_HALO_STAR, CMK_HALO_BOX };

typedef struct cmk_field {
    void *data, *next;
    size_t size;
    cmk_i64 row_pitch, plane_pitch;
    int reach[3];
} cmk_field;

#endif

#endif
