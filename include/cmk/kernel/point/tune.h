/* kernel/point/tune.h: the numbers of stencil2d.h and stencil3d.h that were found by trying, on an NVIDIA H200 by CUDA
 * 13.0 where none is said to be of ptxas: bench/results/history/2026-11-22-h200-stencils.md, 2026-11-22-h200-widths.md,
 * 2026-11-23-h200-selects.md and, of several steps in a pass, 2026-11-23-h200-steps.md. */
#ifndef CMK_KERNEL_POINT_TUNE_H
#define CMK_KERNEL_POINT_TUNE_H

enum {
    cmk_point_warps_2d_ = 4, /* of a block, one above the other */
    cmk_point_warps_3d_ = 8,
    cmk_point_warps_many_ = 16, /* of windows of many words */
    cmk_point_ring_threads_ = 256,
    /* Where a thread keeps no more bytes from plane to plane than those of a star of reach 1, so that registers suffice
     * for a warp more: rows of 576 then have as full blocks as rows of 512. */
    cmk_point_ring_threads_more_ = 288,
    cmk_point_kept_few_ = 96,
    /* Of these side by side: up to so many planes of reach what divides a grid best, even numbers of 16 bytes, so that
     * sectors are not cut; of others, which have no registers for it, and where rows begin with no vector, the least.
     * The most is that of a reach of 1, half of it of others. */
    cmk_point_ring_wide_ = 32,
    cmk_point_ring_widest_ = 128,
    cmk_point_ring_vary_ = 2,
    cmk_point_ring_teams_ = cmk_point_ring_threads_ / cmk_point_ring_wide_,
    cmk_point_ring_least_ = cmk_point_ring_threads_ / cmk_point_ring_widest_,
    cmk_point_ahead_ = 2,            /* planes under way to shared memory */
    cmk_point_drift_reach_ = 2,      /* planes of reach up to which `drift` of card.h holds, beyond them `drift_far` */
    cmk_point_shared_most_ = 113000, /* bytes of a block: two blocks an SM; one */
    cmk_point_shared_alone_ = 227 * 1024,
    /* where ptxas for sm_90 has no spills, or the fewest: bytes that a thread with two rows may keep from plane to
     * plane; from which reach of planes on it has four, and a block the whole SM; planes of the unrolled loop, all of a
     * window, or so many */
    cmk_point_kept_most_ = 320,
    cmk_point_deep_ = 4,
    cmk_point_cycle_most_ = 5,
    cmk_point_cycle_far_ = 2,
    /* A launch that does a border first: planes that a short block takes to start; by which share of the time, in
     * hundredths, its short blocks are to be done where they only use places that are free: 2026-11-25-h100-gpus.md. */
    cmk_point_border_start_ = 2,
    cmk_point_border_late_ = 80,
    /* Parts that are better done without shared memory: of no more columns, or rows, of which a block 32 threads wide
     * has so many times as many: 2026-11-25-h100-gpus.md. */
    cmk_point_thin_share_ = 4,
    cmk_point_thin_columns_ = 16,
    /* Blocks of an SM, by which ptxas bounds the registers of a thread: with fewer it would hold loads of many rows.
     * Near is 2D of a reach up to cmk_point_near_, of elements up to 4 bytes. For want of spills: of rows that begin
     * with no vector, unless the reach is as short and no element smaller, and of windows of more than cmk_point_few_
     * words, of more than cmk_point_many_, which have half of the rows, and of twice as many or, in 3D, of many. */
    cmk_point_blocks_near_ = 6,
    cmk_point_blocks_far_ = 5,
    cmk_point_blocks_unaligned_ = 4,
    cmk_point_blocks_more_ = 2,
    cmk_point_blocks_many_ = 3,
    cmk_point_blocks_most_ = 1,
    cmk_point_blocks_3d_ = 4,
    cmk_point_blocks_ring_ = 2, /* but of four rows a thread */
    cmk_point_near_ = 2,
    cmk_point_few_ = 64,
    cmk_point_many_ = 128,
    /* Several steps in a pass: words of the windows of all levels that it may have with three blocks of an SM, and
     * where there is one field of words alone; with two blocks, where these are few steps, and how many steps then;
     * columns lost at each side of a strip, of which others are computed twice; waves of warps of a launch. */
    cmk_point_level_words_ = 72,
    cmk_point_level_words_alone_ = 84,
    cmk_point_blocks_steps_ = 3,
    cmk_point_steps_few_ = 5,
    cmk_point_level_words_broad_ = 216,
    cmk_point_steps_broad_ = 7,
    cmk_point_blocks_broad_ = 2,
    cmk_point_lost_most_ = 8,
    cmk_point_lost_alone_ = 12,
    cmk_point_level_words_most_ = 256, /* that tuning may take: the registers of a thread */
    cmk_point_waves_most_ = 5,
    /* Chunks of rows near an edge, whose loops take twice as long, three times with two blocks of an SM: hundredths of
     * the rows of others. The last wave of warps takes so many hundredths longer where chunks are long, half of that
     * where they are of so many rows. */
    cmk_point_near_share_ = 50,
    cmk_point_near_share_broad_ = 33,
    cmk_point_last_wave_ = 25,
    cmk_point_last_wave_rows_ = 600,
    /* Along lines: words of a thread's own elements, and vectors of these at the most; of how many columns one may be
     * lost at each side; blocks of an SM; of how many columns of a warp a line must have one. */
    cmk_point_line_words_ = 48,
    cmk_point_line_vectors_most_ = 16,
    cmk_point_line_lost_ = 16,
    cmk_point_blocks_line_ = 4,
    cmk_point_line_part_ = 8,
    /* In 3D: threads of a block side by side and in all, rows of each; the words of the windows; columns lost. */
    cmk_point_strip_wide_3d_ = 16,
    cmk_point_strip_threads_3d_ = 512,
    cmk_point_strip_rows_3d_ = 2,
    cmk_point_strip_blocks_3d_ = 1,
    cmk_point_level_words_3d_ = 72,
    cmk_point_lost_most_3d_ = 4,
    cmk_point_steps_unaligned_3d_ = 4, /* the least that pay where rows begin with no vector */
    cmk_point_chunks_most_ = 256,
    /* What chunks of planes take, in hundredths of a wave of blocks: one wave, of which those at the sides take longer;
     * of several, the last, in which not all go on. Found by trying, as passes of 2026-11-23-h200-steps3d.md were
     * fastest. */
    cmk_point_one_wave_3d_ = 115,
    cmk_point_last_wave_3d_ = 70,
    /* In 2D: a margin of rows near the top and the bottom that count as near an edge. No record has its tries. */
    cmk_point_near_more_ = 8
};

/* steps of a pass at the most: 1 before the header is included keeps all steps apart, and compiles faster */
#ifndef CMK_STEPS_MOST
#define CMK_STEPS_MOST 256
#endif

/* What a definition was tuned to, by ./cmk tune or by hand, before it: #define CMK_TUNED_heat (STEPS, BLOCKS), or
 * (STEPS): steps of a pass, of which it takes as many as it can have; blocks of an SM, by which ptxas bounds registers;
 * 0 is what the model says. Where nobody defines the name, it is left as it stands. */
#define CMK_POINT_TUNED_(DO, name, tuned) CMK_POINT_TUNED_OF_(DO, #name, CMK_POINT_TUNED_IS_ tuned)
#define CMK_POINT_TUNED_IS_(...) 0, __VA_ARGS__
#define CMK_POINT_TUNED_OF_(DO, text, ...) DO(text, __VA_ARGS__, 0, 0, 0, 0)
#define CMK_POINT_TUNED_RIGHT_(text, is, ...) (CMK_POINT_TUNED_SAID_(text, #is) && CMK_POINT_TUNED_TO_(__VA_ARGS__, 0))
#define CMK_POINT_TUNED_SAID_(text, is) (sizeof(is) == 2 || sizeof(is) == sizeof("CMK_POINT_TUNED_IS_ CMK_TUNED_" text))
#define CMK_POINT_TUNED_TO_(steps, blocks, more, ...) ((unsigned)(steps) <= 16 && (unsigned)(blocks) <= 16 && !(more))
#if defined(CMK_TUNE_STEPS) /* ./cmk tune tries numbers */
#define CMK_POINT_TUNED_AS_(...) CMK_TUNE_STEPS, CMK_TUNE_BLOCKS
#else
#define CMK_POINT_TUNED_AS_(text, is, steps, blocks, ...) steps, blocks
#endif

#endif
