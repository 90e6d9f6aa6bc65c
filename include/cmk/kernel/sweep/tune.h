/* kernel/sweep/tune.h: every measured number of the sweep. Card: NVIDIA H100, CUDA 13.0; record:
 * bench/results/history/2026-11-24-h100-separable.md; of edges 2026-11-25-h100-separable.md. */
#ifndef CMK_KERNEL_SWEEP_TUNE_H
#define CMK_KERNEL_SWEEP_TUNE_H

enum {
    cmk_sweep_radius_least_ = 25, /* below it a lane of the other way has 4 elements, and is as fast */
    cmk_sweep_radius_right_ = 8,  /* from here on the error is within the bound of a sum of floats */
    cmk_sweep_warps_ = 6,         /* of a block: two blocks of an SM with 168 registers of a thread, without spills */
    cmk_sweep_blocks_ = 2,
    cmk_sweep_ahead_ = 2, /* steps that are copied ahead */
    /* Clocks of a step of a block among two, and FMAs a clock of an SM that the other way reaches; steps that a block's
     * share needs beside its rows and those above and below. */
    cmk_sweep_step_clocks_ = 5800,
    cmk_sweep_other_fmas_ = 80,
    cmk_sweep_begin_steps_ = 2,
    cmk_sweep_margin_ = 120, /* hundredths of that time in which the other way must not be done either */
    /* quarters of the time of a row inside that one of a strip at the left or the right takes: zeros outside, others */
    cmk_sweep_edge_zeros_ = 5,
    cmk_sweep_edge_ = 8
};

#endif
