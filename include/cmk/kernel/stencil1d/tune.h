/* stencil1d/tune.h: the measured numbers of the 1D stencil, on an NVIDIA H100. The records are
 * bench/results/history/2026-11-24-h100-stencil1d.md and 2026-11-25-h100-suite.md. A radius has 0 to 32 samples, of 1,
 * 2, 4, 8 or 16 bytes each, so that it has up to 512 bytes (stencil1d.h). */
#ifndef CMK_KERNEL_STENCIL1D_TUNE_H
#define CMK_KERNEL_STENCIL1D_TUNE_H

#include "../../base.h"

enum {
    cmk_stencil1d_threads_ = 256,     /* threads of a block without rings */
    cmk_stencil1d_direct_bytes_ = 32, /* radius in bytes up to which a thread loads its window itself */
    /* With larger radii, by rings: the threads of a block, the stages of a ring, and the vectors of 16 bytes that a
     * thread computes. */
    cmk_stencil1d_ring_threads_ = 128,
    cmk_stencil1d_stages_ = 3,
    cmk_stencil1d_vectors_ = 2,
    /* The steps of a warp. Up to a radius of middle_bytes bytes they are middle_length, beyond it `length`. A warp that
     * splits taps into halves first has tensor_length. More steps leave more of the line on its way at once, which
     * makes memory slower. */
    cmk_stencil1d_middle_bytes_ = 64,
    cmk_stencil1d_middle_length_ = 2,
    cmk_stencil1d_length_ = 4,
    cmk_stencil1d_tensor_length_ = 4,
    /* a radius in bytes beyond which the steps of card.h are taken, if it has any */
    cmk_stencil1d_wide_bytes_ = 52,
    /* The blocks of a grid up to which a warp has one step. Up to four times as many, L2 holds the line. There threads
     * load their windows themselves, if elements have up to 4 bytes and the radius up to small_bytes: their loads start
     * sooner. */
    cmk_stencil1d_few_blocks_ = 1056,
    cmk_stencil1d_short_blocks_ = 4 * 1056,
    cmk_stencil1d_small_bytes_ = 80,
    /* The 32-bit registers of an SM over the threads of a block. Next are those of a thread beside windows and sums,
     * and those that the taps take as halves. */
    cmk_stencil1d_registers_ = 512,
    cmk_stencil1d_other_registers_ = 16,
    cmk_stencil1d_band_registers_ = 24,
    cmk_stencil1d_tensor_radius_ = 21, /* the radius, of floats, from which FMAs are slower than a copy */
    /* Powers of two between the largest and the least sample of a step, or tap. Up to these, halves are exact enough
     * for the least one. */
    cmk_stencil1d_range_ = 26
};

#endif
