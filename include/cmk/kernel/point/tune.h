/* kernel/point/tune.h: every number of stencil2d.h and stencil3d.h that was measured, on an NVIDIA H200 by CUDA 13.0;
 * see bench/results/2026-11-22-h200-stencils.md. */
#ifndef CMK_KERNEL_POINT_TUNE_H
#define CMK_KERNEL_POINT_TUNE_H

enum {
    cmk_point_warps_2d_ = 4, /* of a block, one above the other */
    cmk_point_warps_3d_ = 8,
    cmk_point_ring_warps_ = 8,
    cmk_point_ahead_ = 2,            /* planes under way to shared memory */
    cmk_point_shared_most_ = 110000, /* bytes of a block: two blocks an SM */
    cmk_point_kept_most_ = 320,      /* bytes that a thread with two rows may keep from plane to plane */
    cmk_point_cycle_most_ = 5,       /* planes of the unrolled loop: all of a window, */
    cmk_point_cycle_far_ = 2,        /* or so many */
    /* blocks of an SM, by which ptxas bounds the registers of a thread: with fewer it would hold loads of many rows */
    cmk_point_blocks_near_ = 6, /* 2D, reach up to cmk_point_near_ and elements up to 4 bytes */
    cmk_point_blocks_far_ = 5,
    cmk_point_blocks_many_ = 1, /* windows of more than cmk_point_many_ words */
    cmk_point_blocks_3d_ = 4,
    cmk_point_blocks_ring_ = 2,
    cmk_point_near_ = 2,
    cmk_point_many_ = 128
};

#endif
