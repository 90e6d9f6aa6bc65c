/* kernel/tensor/tune.h: every number of the tensor engine that was measured, or that a card has. Card: NVIDIA H200,
 * CUDA 13.0. */
#ifndef CMK_KERNEL_TENSOR_TUNE_H
#define CMK_KERNEL_TENSOR_TUNE_H

enum {
    cmk_tensor_columns_ = 512,  /* of a group: 64 rows of A, 8 outputs each */
    cmk_tensor_slots_one_ = 22, /* rows of outputs under way whose products fit in registers at once */
    /* registers of each thread; of those that multiply, where they need more, and which they need beside sums and
     * products */
    cmk_tensor_registers_ = 128,
    cmk_tensor_registers_more_ = 168,
    cmk_tensor_registers_many_ = 216,
    cmk_tensor_registers_most_ = 232,
    cmk_tensor_other_registers_ = 48,
    cmk_tensor_stages_ = 4, /* steps written for a group, 2 where shared memory ends */
    cmk_tensor_ahead_ = 4,  /* steps that a warp has copied ahead, less where it ends, but not less than */
    cmk_tensor_ahead_least_ = 2,
    cmk_tensor_shared_most_ = 225 * 1024, /* beside the notes */
    /* powers of two between the largest and the least pixel, or tap, whose halves still say enough of the least: of
     * pixels in two halves, of short floats in one, of taps */
    cmk_tensor_range_ = 26,
    cmk_tensor_range_short_ = 28,
    cmk_tensor_range_taps_ = 15,
    cmk_tensor_tiny_ = 32, /* of 2^-24: halves below have too few bits for two products, 2^-25 of 2^-14 is cut off */
    /* Clocks of a step beside its products; of one with ends that come one by one, or all of it; of 16 bytes of taps of
     * all that a block writes; steps that each group needs to begin; and of a launch. FMAs a clock of an SM that the
     * other way reaches in large images; the side of an image in which it takes twice as long, as its warps do not end
     * together; those of a byte for a bit of the memory's width; and the least products of a filter.
     * Record: bench/results/history/2026-11-25-h200-sizes.md. */
    cmk_tensor_step_clocks_ = 350,
    cmk_tensor_ends_clocks_ = 100,
    cmk_tensor_loose_clocks_ = 650,
    cmk_tensor_table_clocks_ = 2,
    cmk_tensor_begin_steps_ = 6,
    cmk_tensor_launch_clocks_ = 20000,
    cmk_tensor_other_fmas_ = 110,
    cmk_tensor_other_ends_ = 1800,
    cmk_tensor_memory_clocks_of_ = 4,
    cmk_tensor_least_products_ = 81,
    cmk_tensor_least_taps_ = 16 /* of which the error stays below that of a sum of floats */
};

#endif
