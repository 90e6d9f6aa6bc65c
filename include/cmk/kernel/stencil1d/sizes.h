/* stencil1d/sizes.h: the constants of a 1D stencil.
 *
 * Up to a radius of 32 bytes a thread loads its window itself. With larger radii a warp goes along a stretch of the
 * line. A step is the outputs of its 32 threads. Their samples come by a ring in shared memory, which is the warp's own
 * and `stages` steps deep. A thread's outputs are two vectors of 16 bytes. Vectors of even and of odd number are in
 * planes of their own, so that what the threads of a warp load at once is contiguous. Tensor cores take them in the
 * order of the line.
 *
 * The functions here are folded at compile time where the words of a definition are their arguments. Lengths count
 * elements unless bytes or vectors, of 16 bytes, are named. The reach of a thread is the radius rounded up to whole
 * vectors, or to whole sectors with a ring. The definition asserts a radius of 0 to 32, and that 16 is a multiple of
 * the size (stencil1d.h). So a vector holds whole elements. A plane is a multiple of 64 bytes long, so that vectors
 * in it are aligned to 16.
 *
 * Constants that are not defined here stand in tune.h. cmk_stencil1d_threads_ and ring_threads_ are the threads of a
 * block without and with rings; small_bytes_ and the like are radii in bytes. cmk_stencil1d_registers_ is the 32-bit
 * registers of an SM for each thread of one block. Of these a thread takes those of its window and sums,
 * band_registers_ for taps as halves, and other_registers_. tensor_radius_ is the least radius for tensor cores.
 * CMK_FOLDED_ (base.h) is a host and device function that is a constant for constant arguments. */
#ifndef CMK_KERNEL_STENCIL1D_SIZES_H
#define CMK_KERNEL_STENCIL1D_SIZES_H

#include "../mma/code.h"
#include "tune.h"

/* The most blocks of 8 samples in a window of 8 outputs, which has 8 + radius + reach samples, rounded up by 7: with
 * radius and reach 32 they are (15 + 32 + 32) / 8. */
enum { cmk_stencil1d_blocks_most_ = 9 };

/* What a definition says: the bytes of an element, and its kind by CMK_NUMBER_. The sides are how many of them BODY
 * reads taps for, 0 where that is not known. Where it is one, a tap's opposite is `mirror` times that tap. */
typedef struct {
    int size, kind, radius, edge, sides, mirror;
} cmk_stencil1d_filter_;

/* The constants of a definition, known at compile time. An element has `size` bytes. A thread computes `outputs`, and
 * reads `reach` elements more on each side. Both are whole vectors of 16 bytes. */
typedef struct {
    int size, radius, edge, sides, mirror, outputs, reach;
    int threads, room;            /* threads of a block; blocks of an SM that the compiler leaves room for, or 0: as it
                                   * likes */
    int ring, tensor;             /* whether samples come by a ring; whether tensor cores sum */
    int has_short, off;           /* whether short lines have a kernel without a ring; whether a kernel is not needed */
    int vectors, halo;            /* vectors of a thread's outputs; those of its window beside these */
    int step, length;             /* outputs that a warp computes at once; its steps, at the most */
    int planes;                   /* planes of a ring */
    int stage_bytes, plane_bytes; /* bytes of a plane: those of a stage, and all */
    int spare_bytes, half_bytes;  /* bytes of a plane of outputs, and of one of halves */
    int warp_bytes; /* bytes of shared memory of a warp: its ring, and its spare memory for outputs or halves */
    int blocks;     /* blocks of 8 samples in a window of 8 outputs */
} cmk_stencil1d_shape_;

/* The elements of a thread, as whole vectors, for elements of SIZE bytes. They are macros because a kernel's arrays
 * have these lengths. In their order they are whether there is a ring, the vectors and the elements that a thread
 * computes, and the grain, the elements of 16 or 32 bytes that the reach is a multiple of. Then come n rounded up, the
 * reach, and the elements of a window. With a ring the reach is whole sectors of 32 bytes. */
#define CMK_STENCIL1D_RING_(SIZE, RADIUS) ((RADIUS) * (int)(SIZE) > (int)cmk_stencil1d_direct_bytes_)
#define CMK_STENCIL1D_VECTORS_(SIZE, RADIUS) (CMK_STENCIL1D_RING_(SIZE, RADIUS) ? (int)cmk_stencil1d_vectors_ : 1)
#define CMK_STENCIL1D_OUTPUTS_(SIZE, RADIUS) (CMK_STENCIL1D_VECTORS_(SIZE, RADIUS) * 16 / (int)(SIZE))
#define CMK_STENCIL1D_GRAIN_(SIZE, RADIUS) ((CMK_STENCIL1D_RING_(SIZE, RADIUS) ? 32 : 16) / (int)(SIZE))
#define CMK_STENCIL1D_UP_(n, GRAIN) (((n) + (GRAIN)-1) / (GRAIN) * (GRAIN))
#define CMK_STENCIL1D_REACH_(SIZE, RADIUS) CMK_STENCIL1D_UP_(RADIUS, CMK_STENCIL1D_GRAIN_(SIZE, RADIUS))
#define CMK_STENCIL1D_WINDOW_(S, RADIUS) (CMK_STENCIL1D_OUTPUTS_(S, RADIUS) + 2 * CMK_STENCIL1D_REACH_(S, RADIUS))

/* Returns the bytes of a plane of `vectors` vectors, at least 16 for each. They are 64 more than a multiple of 128, so
 * that the next plane behind it begins in other banks. */
CMK_FOLDED_ int cmk_stencil1d_plane_(int vectors)
{
    return (vectors + 3) / 8 * 128 + 64;
}

/* Returns the constants with rings: their sizes, the spare memory for outputs or halves, and the blocks that an SM has
 * room for. A stage is rounded up to as many vectors in each plane. A plane of outputs has 32 vectors, one of each
 * lane. One of halves has 16 for a step's own samples, and a fourth of the halo's, rounded up. The memory of the 4
 * warps of a block is 29,696 bytes at most, with 16 bytes and radius 32, so that no limit must be raised. Registers
 * have 32 bits. An element of the window or of the sums takes one, or two or four where it is wider. */
CMK_FOLDED_ cmk_stencil1d_shape_ cmk_stencil1d_ring_of_(cmk_stencil1d_shape_ s)
{
    const int wide = s.size > 4 ? s.size / 4 : 1, window = (2 * s.outputs + 2 * s.reach) * wide;
    const int registers = window + (s.tensor ? (int)cmk_stencil1d_band_registers_ : 0);
    s.threads = (int)cmk_stencil1d_ring_threads_;
    s.length = s.tensor                                                ? (int)cmk_stencil1d_tensor_length_
               : s.radius * s.size <= (int)cmk_stencil1d_middle_bytes_ ? (int)cmk_stencil1d_middle_length_
                                                                       : (int)cmk_stencil1d_length_;
    s.planes = s.tensor ? 1 : s.vectors;
    s.stage_bytes = (32 * s.vectors + s.halo + s.planes - 1) / s.planes * 16;
    s.plane_bytes = cmk_stencil1d_plane_(s.stage_bytes / 16 * cmk_stencil1d_stages_);
    s.spare_bytes = cmk_stencil1d_plane_(32);
    s.half_bytes = cmk_stencil1d_plane_(16 + (s.halo + 3) / 4);
    s.warp_bytes = s.planes * s.plane_bytes + (s.tensor ? 4 * s.half_bytes : s.vectors * s.spare_bytes);
    s.has_short = s.size <= 4 && s.radius * s.size <= (int)cmk_stencil1d_small_bytes_;
    s.room = (int)cmk_stencil1d_registers_ / (registers + (int)cmk_stencil1d_other_registers_);
    return s;
}

/* Returns the constants of a definition. Tensor cores are for float, kind 5, with one of the bodies of stencil.h, and
 * not for code of nvcc -G, where CMK_DEBUG_ is 1. CMK_ZEROS_ is a struct of zeros (base.h). */
CMK_FOLDED_ cmk_stencil1d_shape_ cmk_stencil1d_shape_of_(cmk_stencil1d_filter_ f)
{
    cmk_stencil1d_shape_ s = CMK_ZEROS_(cmk_stencil1d_shape_);
    s.size = f.size;
    s.radius = f.radius;
    s.edge = f.edge;
    s.sides = f.sides;
    s.mirror = f.mirror;
    s.outputs = CMK_STENCIL1D_OUTPUTS_(f.size, f.radius);
    s.reach = CMK_STENCIL1D_REACH_(f.size, f.radius);
    s.vectors = s.outputs * f.size / 16;
    s.halo = 2 * s.reach * f.size / 16;
    s.step = 32 * s.outputs;
    s.blocks = (15 + f.radius + s.reach) / 8;
    s.threads = (int)cmk_stencil1d_threads_;
    s.planes = 1;
    s.ring = CMK_STENCIL1D_RING_(f.size, f.radius);
    s.tensor = !CMK_DEBUG_ && f.kind == 5 && f.sides > 0 && f.radius >= (int)cmk_stencil1d_tensor_radius_;
    return s.ring ? cmk_stencil1d_ring_of_(s) : s;
}

/* Returns the constants of the kernel for short lines, which works as for a small radius. Outputs and reach stay those
 * of the ring, and a room of 0 leaves the registers to the compiler. */
CMK_FOLDED_ cmk_stencil1d_shape_ cmk_stencil1d_short_of_(cmk_stencil1d_shape_ s)
{
    s.off = !s.has_short;
    s.ring = s.tensor = s.room = 0;
    s.threads = (int)cmk_stencil1d_threads_;
    return s;
}

#endif
