/* stencil1d/sizes.h: the constants of a 1D stencil.
 *
 * Up to a radius of 32 bytes a thread loads its window itself. Of larger radii a warp goes along a stretch of the line:
 * a step is the outputs of its 32 threads; their samples come by a ring in shared memory, the warp's own, `stages`
 * steps deep. A thread's outputs are two vectors of 16 bytes; vectors of even and of odd number lie in planes of their
 * own, so that what the threads of a warp load at once is contiguous. Tensor cores take them in the order of the line.
 */
#ifndef CMK_KERNEL_STENCIL1D_SIZES_H
#define CMK_KERNEL_STENCIL1D_SIZES_H

#include "../mma/code.h"
#include "tune.h"

/* the CPU backend does what tensor cores do where CMK_TENSOR says so */
#if defined(__CUDACC__)
#define CMK_STENCIL1D_ON_GPU_ 1
#else
#define CMK_STENCIL1D_ON_GPU_ 0
#endif

enum { cmk_stencil1d_blocks_most_ = 9 }; /* of 8 samples, of a window of 8 outputs */

/* what a definition says: bytes and kind (CMK_NUMBER_) of an element; of how many sides BODY reads taps, 0 where that
 * is not known; and of one what a tap's opposite is of it */
typedef struct {
    int size, kind, radius, edge, sides, mirror;
} cmk_stencil1d_filter_;

/* the constants of a definition: an element has size bytes; a thread computes outputs, and reads reach elements more on
 * each side, both whole vectors of 16 bytes */
typedef struct {
    int size, radius, edge, sides, mirror, outputs, reach;
    int threads, room;            /* of a block; blocks of an SM that the compiler leaves room for, 0: as it likes */
    int ring, tensor;             /* whether samples come by a ring; whether tensor cores sum */
    int has_short, off;           /* whether short lines have a kernel without a ring; whether a kernel is not needed */
    int vectors, halo;            /* of a thread's outputs, and of its window beside these */
    int step, length;             /* outputs of a warp at once, and steps of it, at most */
    int planes;                   /* of a ring */
    int stage_bytes, plane_bytes; /* of a plane, those of a stage and all */
    int spare_bytes, half_bytes;  /* of a plane of outputs, and of one of halves */
    int warp_bytes;
    int blocks; /* of 8 samples, of a window of 8 outputs */
} cmk_stencil1d_shape_;

/* elements of whole vectors: of a ring the reach is whole sectors of 32 bytes */
#define CMK_STENCIL1D_RING_(SIZE, RADIUS) ((RADIUS) * (int)(SIZE) > (int)cmk_stencil1d_direct_bytes_)
#define CMK_STENCIL1D_VECTORS_(SIZE, RADIUS) (CMK_STENCIL1D_RING_(SIZE, RADIUS) ? (int)cmk_stencil1d_vectors_ : 1)
#define CMK_STENCIL1D_OUTPUTS_(SIZE, RADIUS) (CMK_STENCIL1D_VECTORS_(SIZE, RADIUS) * 16 / (int)(SIZE))
#define CMK_STENCIL1D_GRAIN_(SIZE, RADIUS) ((CMK_STENCIL1D_RING_(SIZE, RADIUS) ? 32 : 16) / (int)(SIZE))
#define CMK_STENCIL1D_UP_(n, GRAIN) (((n) + (GRAIN)-1) / (GRAIN) * (GRAIN))
#define CMK_STENCIL1D_REACH_(SIZE, RADIUS) CMK_STENCIL1D_UP_(RADIUS, CMK_STENCIL1D_GRAIN_(SIZE, RADIUS))
#define CMK_STENCIL1D_WINDOW_(S, RADIUS) (CMK_STENCIL1D_OUTPUTS_(S, RADIUS) + 2 * CMK_STENCIL1D_REACH_(S, RADIUS))

/* bytes of a plane of so many vectors, behind which the next begins in other banks */
CMK_FOLDED_ int cmk_stencil1d_plane_(int vectors)
{
    return (vectors + 3) / 8 * 128 + 64;
}

/* the rings, the spare memory for outputs or halves, and the blocks of which an SM has room for */
CMK_FOLDED_ cmk_stencil1d_shape_ cmk_stencil1d_ring_of_(cmk_stencil1d_shape_ k)
{
    const int wide = k.size > 4 ? k.size / 4 : 1, window = (2 * k.outputs + 2 * k.reach) * wide;
    const int registers = window + (k.tensor ? (int)cmk_stencil1d_band_registers_ : 0);
    k.threads = (int)cmk_stencil1d_ring_threads_;
    k.length = k.tensor                                                ? (int)cmk_stencil1d_tensor_length_
               : k.radius * k.size <= (int)cmk_stencil1d_middle_bytes_ ? (int)cmk_stencil1d_middle_length_
                                                                       : (int)cmk_stencil1d_length_;
    k.planes = k.tensor ? 1 : k.vectors;
    k.stage_bytes = (32 * k.vectors + k.halo + k.planes - 1) / k.planes * 16;
    k.plane_bytes = cmk_stencil1d_plane_(k.stage_bytes / 16 * cmk_stencil1d_stages_);
    k.spare_bytes = cmk_stencil1d_plane_(32);
    k.half_bytes = cmk_stencil1d_plane_(16 + (k.halo + 3) / 4);
    k.warp_bytes = k.planes * k.plane_bytes + (k.tensor ? 4 * k.half_bytes : k.vectors * k.spare_bytes);
    k.has_short = k.size <= 4 && k.radius * k.size <= (int)cmk_stencil1d_small_bytes_;
    k.room = (int)cmk_stencil1d_registers_ / (registers + (int)cmk_stencil1d_other_registers_);
    return k;
}

CMK_FOLDED_ cmk_stencil1d_shape_ cmk_stencil1d_shape_of_(cmk_stencil1d_filter_ f)
{
    cmk_stencil1d_shape_ k = CMK_ZEROS_(cmk_stencil1d_shape_);
    k.size = f.size;
    k.radius = f.radius;
    k.edge = f.edge;
    k.sides = f.sides;
    k.mirror = f.mirror;
    k.outputs = CMK_STENCIL1D_OUTPUTS_(f.size, f.radius);
    k.reach = CMK_STENCIL1D_REACH_(f.size, f.radius);
    k.vectors = k.outputs * f.size / 16;
    k.halo = 2 * k.reach * f.size / 16;
    k.step = 32 * k.outputs;
    k.blocks = (15 + f.radius + k.reach) / 8;
    k.threads = (int)cmk_stencil1d_threads_;
    k.planes = 1;
    k.ring = CMK_STENCIL1D_RING_(f.size, f.radius);
    k.tensor = !CMK_DEBUG_ && f.kind == 5 && f.sides > 0 && f.radius >= (int)cmk_stencil1d_tensor_radius_;
    return k.ring ? cmk_stencil1d_ring_of_(k) : k;
}

/* those of the kernel for short lines: as of a small radius */
CMK_FOLDED_ cmk_stencil1d_shape_ cmk_stencil1d_short_of_(cmk_stencil1d_shape_ k)
{
    k.off = !k.has_short;
    k.ring = k.tensor = k.room = 0;
    k.threads = (int)cmk_stencil1d_threads_;
    return k;
}

#endif
