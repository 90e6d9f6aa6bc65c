/* kernel/sweep/tune.h: every measured number of the sweep. Card: NVIDIA H100, CUDA 13.0; record:
 * bench/results/history/2026-11-24-h100-separable.md; of edges 2026-11-25-h100-separable.md. The radius is that of a
 * separable filter, 1 to 32 (separable.h); a step is 16 rows. cmk_sweep_sizes_of_ (sizes.h) takes radius_least_, or
 * radius_right_ where CMK_TENSOR is 1. cmk_sweep_pays_ (plan.h) compares the times. */
#ifndef CMK_KERNEL_SWEEP_TUNE_H
#define CMK_KERNEL_SWEEP_TUNE_H

enum {
    cmk_sweep_radius_least_ = 25, /* below this radius a lane has 4 elements by FMAs, which are as fast */
    cmk_sweep_radius_right_ = 8,  /* from this radius on the error is within the bound of a sum of floats */
    cmk_sweep_warps_ = 6,  /* warps of a block: an SM holds two blocks with 168 registers of a thread, without spills */
    cmk_sweep_blocks_ = 2, /* those blocks */
    cmk_sweep_ahead_ = 2,  /* steps that are copied ahead */
    /* Clocks of a step of a block, where an SM has two blocks. FMAs a clock of an SM that the way by FMAs reaches.
     * Steps that a block's share needs beside its rows and those above and below. */
    cmk_sweep_step_clocks_ = 5800,
    cmk_sweep_other_fmas_ = 80,
    cmk_sweep_begin_steps_ = 2,
    cmk_sweep_margin_ = 120, /* hundredths of the estimated time that FMAs must take longer than */
    /* The time of a row of a strip at the left or the right, in quarters of that of a row inside: with zeros outside,
     * and with other edges. */
    cmk_sweep_edge_zeros_ = 5,
    cmk_sweep_edge_ = 8
};

#endif
