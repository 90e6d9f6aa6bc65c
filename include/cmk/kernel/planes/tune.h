/* kernel/planes/tune.h: every number of volumes on tensor cores that was measured, or that a card has. The card is an
 * NVIDIA H100, with CUDA 13.0; the record is bench/results/history/2026-11-24-h100-volumes.md. */
#ifndef CMK_KERNEL_PLANES_TUNE_H
#define CMK_KERNEL_PLANES_TUNE_H

enum {
    cmk_planes_ahead_ = 4,       /* steps in the ring, with the one at work; rows.h waits for groups of copies by it */
    cmk_planes_together_ = 3,    /* elements that a thread copies at once, where they come one by one */
    cmk_planes_registers_ = 150, /* up to this count of sizes.h a block has three groups, else two: with
                                  * 384 threads each may have 168 of the 65536 registers of an SM, with 256 255 */
    /* Powers of two between the largest and the least sample of a step (range_), or tap of a slot (range_taps_). Up to
     * these, halves are exact enough for the least one. Of taps the least counts times the number of taps. */
    cmk_planes_range_ = 26,
    cmk_planes_range_taps_ = 14,
    /* Clocks of an SM, and when this way may be the faster one:
     *
     *   product_clocks     of a product of 8 columns, in tenths
     *   step_clocks        of a step of a group, beside its products
     *   elements_clocks    more of a step, where elements come one by one
     *   begin_clocks       of the beginning
     *   other_fmas         FMAs a clock of an SM that the other way reaches
     *   least_taps         from this number of taps on the other way may be slower */
    cmk_planes_product_clocks_ = 52,
    cmk_planes_step_clocks_ = 500,
    cmk_planes_elements_clocks_ = 500,
    cmk_planes_begin_clocks_ = 5000,
    cmk_planes_other_fmas_ = 107,
    cmk_planes_least_taps_ = 125,
    cmk_planes_least_ = 45 /* the least taps where CMK_TENSOR is 1: those of 3 x 5 x 3, the least size (sizes.h) */
};

#endif
