/* kernel/planes/tune.h: every number of volumes on tensor cores that was measured, or that a card has. Card: NVIDIA
 * H100, CUDA 13.0; bench/results/history/2026-11-24-h100-volumes.md. */
#ifndef CMK_KERNEL_PLANES_TUNE_H
#define CMK_KERNEL_PLANES_TUNE_H

enum {
    cmk_planes_ahead_ = 4,       /* steps in the ring, that at work among them */
    cmk_planes_together_ = 3,    /* elements that a thread copies at once where they come one by one */
    cmk_planes_registers_ = 150, /* by the count of sizes.h: up to so many three groups are in a block, else two */
    /* powers of two between the largest and the least sample, or tap, whose halves still say enough of the least */
    cmk_planes_range_ = 26,
    cmk_planes_range_taps_ = 14,
    /* Clocks of an SM: of a product of 8 columns, in tenths; that a step of a group takes beside its products, and
     * where elements come one by one;
     * those of the beginning; FMAs a clock of an SM that the other way reaches; taps from which it may be slower. */
    cmk_planes_product_clocks_ = 52,
    cmk_planes_step_clocks_ = 500,
    cmk_planes_elements_clocks_ = 500,
    cmk_planes_begin_clocks_ = 5000,
    cmk_planes_other_fmas_ = 107,
    cmk_planes_least_taps_ = 125,
    cmk_planes_least_ = 45 /* with CMK_TENSOR */
};

#endif
