/* kernel/tensor/tune.h: every number of the tensor engine that was measured, or that a card has. Card: NVIDIA H200,
 * CUDA 13.0. Read by sizes.h, but for the estimates of whether tensor cores pay, which plan.h reads, and the ranges:
 * rows.h has those of pixels, taps.h those of taps. */
#ifndef CMK_KERNEL_TENSOR_TUNE_H
#define CMK_KERNEL_TENSOR_TUNE_H

enum {
    cmk_tensor_columns_ = 512,  /* columns of a group's strip: 64 rows of A, 8 outputs each */
    cmk_tensor_slots_one_ = 22, /* rows of outputs under way, at most, whose products fit in registers at once: 4 floats
                                 * of a thread each */
    /* Registers of each thread; then three numbers for those that multiply, where they need more; then those that they
     * need beside sums and products. An SM has 65536: 128 for each of 512 threads, or 168 for each of 384. */
    cmk_tensor_registers_ = 128,
    cmk_tensor_registers_more_ = 168,
    cmk_tensor_registers_many_ = 216,
    cmk_tensor_registers_most_ = 232,
    cmk_tensor_other_registers_ = 48,
    cmk_tensor_stages_ = 4, /* steps that are written for a group; 2 where shared memory ends */
    cmk_tensor_ahead_ = 4,  /* steps that a producer warp has copied ahead; where shared memory ends, at least: */
    cmk_tensor_ahead_least_ = 2,
    cmk_tensor_shared_most_ = 225 * 1024, /* bytes of shared memory of a block beside the notes: a block of sm_90 may
                                           * have 227 KB, and cmk_tensor_notes_ (taps.h) takes less than 2 */
    /* The powers of two between the largest and the least up to which values are in range: pixels of two halves, short
     * floats of one half, and taps. */
    cmk_tensor_range_ = 26,
    cmk_tensor_range_short_ = 28,
    cmk_tensor_range_taps_ = 15,
    cmk_tensor_tiny_ = 32, /* in 2^-24: less has too few bits for two products, as 2^-25 of 2^-14 is cut off */
    /* Estimates of time, in clocks of an SM, in the order of the names. Of a step: beside its products; more where its
     * ends come one by one; more where all of it does. Then: of 16 bytes of the taps that a block writes; the steps
     * that each group needs to begin; of a launch.
     *
     * The way by FMAs: its FMAs a clock of an SM in large images; the side of an image in which it takes twice as long,
     * as its warps do not end together. Then: the clocks of a byte, times the bits of the memory's width; the least
     * products of a filter. Record: bench/results/history/2026-11-25-h200-sizes.md. */
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
    cmk_tensor_least_taps_ = 16 /* taps from which on the error stays below that of a sum of floats */
};

#endif
