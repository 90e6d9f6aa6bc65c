/* stencil1d/tune.h: the measured numbers of the 1D stencil, on an NVIDIA H100; the records are
 * bench/results/history/2026-11-24-h100-stencil1d.md and 2026-11-25-h100-suite.md. */
#ifndef CMK_KERNEL_STENCIL1D_TUNE_H
#define CMK_KERNEL_STENCIL1D_TUNE_H

#include "../../base.h"

enum {
    cmk_stencil1d_threads_ = 256,
    cmk_stencil1d_direct_bytes_ = 32, /* of the radius, up to which a thread loads its window itself */
    /* of larger radii, by rings: threads of a block; stages of a ring; vectors of 16 bytes that a thread computes */
    cmk_stencil1d_ring_threads_ = 128,
    cmk_stencil1d_stages_ = 3,
    cmk_stencil1d_vectors_ = 2,
    /* steps of a warp, up to a radius of so many bytes, beyond it, and of one that splits taps into halves first:
     * longer ones leave more of the line under way at once, which memory is slower with */
    cmk_stencil1d_middle_bytes_ = 64,
    cmk_stencil1d_middle_length_ = 2,
    cmk_stencil1d_length_ = 4,
    cmk_stencil1d_tensor_length_ = 4,
    /* of a radius beyond so many bytes, steps as card.h has them, where it has any */
    cmk_stencil1d_wide_bytes_ = 52,
    /* Blocks of a grid up to which a warp has one step. Up to four times as many, which L2 holds, threads load their
     * windows themselves where elements have up to 4 bytes, and the radius so many: they are sooner under way. */
    cmk_stencil1d_few_blocks_ = 1056,
    cmk_stencil1d_short_blocks_ = 4 * 1056,
    cmk_stencil1d_small_bytes_ = 80,
    /* 32-bit registers of an SM over the threads of a block, and those of a thread beside windows and sums, and beside
     * them the taps as halves */
    cmk_stencil1d_registers_ = 512,
    cmk_stencil1d_other_registers_ = 16,
    cmk_stencil1d_band_registers_ = 24,
    cmk_stencil1d_tensor_radius_ = 21, /* of floats, from which FMAs are slower than a copy */
    /* powers of two between the largest and the least sample of a step, or tap, whose halves say enough of the least */
    cmk_stencil1d_range_ = 26
};

#endif
