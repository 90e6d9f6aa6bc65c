/* volume/tune.h: every number of conv3d.h that was measured, on an NVIDIA H200 by CUDA 13.0; rows "conv3d" and
 * "separable3d" of bench/results/2026-11-21-h200-convolution.md.
 *
 *   CMK_VOLUME_EACH_(PLANES, TAPS, SEPARABLE), CMK_VOLUME_BLOCKS_(PLANES, TAPS, SEPARABLE)
 *   CMK_VOLUME_STAGES_(PLANES, EACH, SEPARABLE)
 *
 * of a filter of TAPS elements in PLANES planes; SEPARABLE in as many rows and columns. */
#ifndef CMK_KERNEL_VOLUME_TUNE_H
#define CMK_KERNEL_VOLUME_TUNE_H

enum {
    cmk_volume_warps_ = 8, /* of a block: they share the rows above and below, and one barrier a plane is still cheap */
    cmk_volume_waves_ = 16, /* of all blocks that run at once: more of them cost more planes than they balance */
    cmk_volume_start_ = 2   /* planes' time until the first plane of a block has arrived */
};

/* Rows of a thread: a tap read once and a row of a window serve them all. Fewer where there are many taps: hot loops of
 * more than 32 KB of code, all taps unrolled, run at 80 % of the FMA rate. */
#define CMK_VOLUME_EACH_(PLANES, TAPS, SEPARABLE) ((SEPARABLE) ? 2 : CMK_VOLUME_BOX_EACH_(PLANES, TAPS))
#define CMK_VOLUME_BOX_EACH_(PLANES, TAPS) ((PLANES) > 5 || (TAPS) > 128 ? 1 : (PLANES) > 3 || (TAPS) > 64 ? 3 : 4)

/* Planes in the ring: the least that was fastest; fewer do beside another block of the SM, or where the FMA rate is the
 * limit. */
#define CMK_VOLUME_STAGES_(PLANES, EACH, SEPARABLE)                                                                    \
    (((SEPARABLE) ? (PLANES) == 7 || (PLANES) == 9 : (EACH) > 1) ? 4 : 3)

/* Blocks of an SM: two where the sums leave the registers for them, 128 of a thread. */
#define CMK_VOLUME_BLOCKS_(PLANES, TAPS, SEPARABLE)                                                                    \
    (((SEPARABLE) ? (PLANES) <= 9 : CMK_VOLUME_BOX_EACH_(PLANES, TAPS) == 1) ? 2 : 1)

#endif
