/* kernel/point/tune.h: the numbers of stencil2d.h and stencil3d.h that were found by trying. They were measured on an
 * NVIDIA H200 with CUDA 13.0, unless a comment says that they are of ptxas. The records are
 * bench/results/history/2026-11-22-h200-stencils.md, 2026-11-22-h200-widths.md, 2026-11-23-h200-selects.md and, for
 * several steps in a pass, 2026-11-23-h200-steps.md.
 *
 * Comments may leave out cmk_point_ and the last underscore: near_share is cmk_point_near_share_. Most numbers are used
 * at compile time, in grid.h and strip.h, by the constants of a definition; divide.h, border.h and passes.h use others
 * on the host. A window is the elements that a thread holds around its points. A block marches where it goes along the
 * planes of a 3D grid, which pass through shared memory (ring.h). A reach is the planes, rows or columns that an update
 * reads on one side. A pass does several steps. A level is one of them, or a stage of one.
 *
 * An SM of sm_90 has 228 KB of shared memory, and takes 1 KB of it for each block. So it holds two blocks of
 * cmk_point_shared_most_ bytes, or one of cmk_point_shared_alone_, which is 227 KB. */
#ifndef CMK_KERNEL_POINT_TUNE_H
#define CMK_KERNEL_POINT_TUNE_H

enum {
    cmk_point_warps_2d_ = 4, /* warps of a block, one below the other; next in 3D */
    cmk_point_warps_3d_ = 8,
    cmk_point_warps_many_ = 16,    /* warps of a block in 3D, where windows have more than cmk_point_many_ words */
    cmk_point_ring_threads_ = 256, /* threads of a block that marches */
    /* The threads of a block where a thread keeps at most kept_few bytes from plane to plane, as a star of reach 1
     * does. Registers then suffice for one warp more, so that rows of 576 have as full blocks as rows of 512. */
    cmk_point_ring_threads_more_ = 288,
    cmk_point_kept_few_ = 96,
    /* The threads of a block that marches, side by side. Up to ring_vary planes of reach, a launch takes the width that
     * divides its grid best: an even number of 16 bytes, so that sectors are not cut. Larger reaches have no registers
     * for that. They take the least width, as all do where rows are not aligned. The widest block is that of a reach of
     * 1; of other reaches it is half as wide. The narrowest block has ring_teams rows of threads, and the widest
     * ring_least. */
    cmk_point_ring_wide_ = 32,
    cmk_point_ring_widest_ = 128,
    cmk_point_ring_vary_ = 2,
    cmk_point_ring_teams_ = cmk_point_ring_threads_ / cmk_point_ring_wide_,
    cmk_point_ring_least_ = cmk_point_ring_threads_ / cmk_point_ring_widest_,
    cmk_point_ahead_ = 2, /* planes on their way to shared memory */
    /* `drift` of a card is how many planes a chunk may have until it takes twice as long, since blocks side by side
     * drift apart and find less in L2; 0 for never. The host reads it to choose a chunk's planes (divide.h). */
    cmk_point_drift_reach_ = 2,      /* planes of reach up to which `drift` of card.h holds; beyond, `drift_far` */
    cmk_point_shared_most_ = 113000, /* bytes of a block, where an SM has two; next, where it has one */
    cmk_point_shared_alone_ = 227 * 1024,
    /* Found where ptxas for sm_90 has no spills, or the fewest. A thread with two rows may keep kept_most bytes from
     * plane to plane, or half with more than results_few reductions. From a reach of `deep` planes on a thread has four
     * rows, and a block the whole SM. The unrolled loop has all planes of a window up to cycle_most, else cycle_far. */
    cmk_point_kept_most_ = 320,
    cmk_point_deep_ = 4,
    cmk_point_cycle_most_ = 5,
    cmk_point_cycle_far_ = 2,
    /* A launch that does a border first. A short block takes the time of border_start planes to start. Where short
     * blocks only use places that are free, they are to be done by border_late hundredths of the time:
     * 2026-11-25-h100-gpus.md. */
    cmk_point_border_start_ = 2,
    cmk_point_border_late_ = 80,
    /* Parts that are better done without shared memory: those with at most thin_columns columns, and those of whose
     * rows a block 32 threads wide has thin_share times as many. The record is 2026-11-25-h100-gpus.md. */
    cmk_point_thin_share_ = 4,
    cmk_point_thin_columns_ = 16,
    /* The blocks of an SM, by which ptxas bounds the registers of a thread. With fewer blocks it would hold the loads
     * of many rows. The numbers from `reduced` on avoid spills. A word has 32 bits.
     *
     *   near         2D, a reach of up to cmk_point_near_ rows, elements of up to 4 bytes; of rows that are not
     *                aligned, a reach of cmk_point_near_ rows
     *   results      the same with reductions, where windows have at most half of cmk_point_few_ words
     *   far          2D, others; of rows that are not aligned, a smaller reach, or elements of less than 4 bytes
     *   reduced      2D, more than cmk_point_results_few_ reductions
     *   more         windows of more than cmk_point_few_ words; rows that are not aligned, of many words
     *   many         windows of more than cmk_point_many_ words, of which a thread has half of the rows; in 2D rows
     *                that are not aligned, of a larger reach
     *   most         windows of more than twice as many words; in 3D aligned rows, of many words */
    cmk_point_blocks_near_ = 6,
    cmk_point_blocks_results_ = 8,
    cmk_point_blocks_far_ = 5,
    cmk_point_blocks_reduced_ = 4,
    cmk_point_blocks_more_ = 2,
    cmk_point_blocks_many_ = 3,
    cmk_point_blocks_most_ = 1,
    cmk_point_blocks_3d_ = 4,
    cmk_point_blocks_ring_ = 2, /* blocks that march; 1 where a thread has four rows */
    cmk_point_near_ = 2,        /* rows of reach */
    cmk_point_results_few_ = 2, /* reductions */
    cmk_point_few_ = 64,        /* words of a thread's own columns in its windows, as many_ */
    cmk_point_many_ = 128,
    /* Several steps in a pass over a 2D grid. The windows of all levels together may have these numbers of words:
     *
     *   level_words          with blocks_steps blocks of an SM
     *   level_words_alone    the same, where there is one field, and its elements are words
     *   level_words_broad    with blocks_broad blocks, where level_words gives fewer than steps_few steps
     *
     * With blocks_broad blocks a pass has at most steps_broad steps, or steps_double of doubles. It has at most
     * steps_wide of a box that reaches more than one row, as longer loops are fetched with delay. At each side of a
     * strip lost_most columns may be lost, or lost_alone where there is one field of words; another strip computes
     * these too. A launch has at most waves_most waves of warps. */
    cmk_point_level_words_ = 72,
    cmk_point_level_words_alone_ = 84,
    cmk_point_blocks_steps_ = 3,
    cmk_point_steps_few_ = 5,
    cmk_point_level_words_broad_ = 216,
    cmk_point_steps_broad_ = 7,
    cmk_point_steps_double_ = 6,
    cmk_point_steps_wide_ = 3,
    cmk_point_blocks_broad_ = 2,
    cmk_point_lost_most_ = 8,
    cmk_point_lost_alone_ = 12,
    cmk_point_level_words_most_ = 256, /* the most that tuning may take: the registers of a thread */
    cmk_point_waves_most_ = 5,
    /* Relays (strip.h): passes over a 2D grid of one field, whose levels have at least relay_words words, or which
     * reads farther than a vector. A row of a strip is relay_warps warps. A pass has relay_levels levels, or
     * relay_levels_more with levels of more than relay_few words. The blocks of an SM are relay_blocks. With more than
     * relay_most words registers do not suffice. The record is 2026-11-29-h200-relays.md. */
    cmk_point_relay_words_ = 50,
    cmk_point_relay_most_ = 80,
    cmk_point_relay_warps_ = 4,
    cmk_point_relay_levels_ = 3,
    cmk_point_relay_levels_more_ = 2,
    cmk_point_relay_few_ = 36,
    cmk_point_relay_blocks_ = 2,
    /* Chunks of rows near an edge have near_share hundredths of the rows of others, as their loops take twice as long.
     * With two blocks of an SM they take three times as long, but in a relay, and in a box that reaches more than one
     * row, where most of the time is that of products, little longer: near_share_wide. The last wave of warps takes up
     * to last_wave hundredths longer where chunks are long, and half of that where they have last_wave_rows rows. */
    cmk_point_near_share_ = 50,
    cmk_point_near_share_broad_ = 33,
    cmk_point_near_share_wide_ = 75,
    cmk_point_last_wave_ = 25,
    cmk_point_last_wave_rows_ = 600,
    /* Passes of several steps along lines, in a grid of one row (line.h): a warp has a part of the row in registers. A
     * thread has at most line_words words of elements of its own, in at most line_vectors_most vectors.
     * At each side one of line_lost columns may be lost. A line must have at least the line_part-th part of a warp's
     * columns. The number blocks_line is the blocks of an SM. */
    cmk_point_line_words_ = 48,
    cmk_point_line_vectors_most_ = 16,
    cmk_point_line_lost_ = 16,
    cmk_point_blocks_line_ = 4,
    cmk_point_line_part_ = 8,
    /* In 3D: the threads of a block side by side, the rows of a strip, and the rows of a thread; rows_far with a reach
     * of 2 planes. Then follow the blocks of an SM, the words of the windows of all levels in each row of a thread, and
     * the columns that may be lost. Stars of radius 2 are faster with 4 rows, of doubles 1.2 times, and those of radius
     * 1 with 2, by 2 to 12 %: 2026-11-29-h200-relays.md. */
    cmk_point_strip_wide_3d_ = 16,
    cmk_point_strip_tall_3d_ = 64,
    cmk_point_strip_rows_3d_ = 2,
    cmk_point_strip_rows_far_3d_ = 4,
    cmk_point_strip_blocks_3d_ = 1,
    cmk_point_level_words_3d_ = 36,
    /* Boxes in 3D: the rows of a strip, and the words of the windows of all levels, each of words and of doubles. With
     * more rows there are more warps, which hide the delay of shared memory from each other, until registers are
     * spilled. The record is 2026-11-30-h200-boxes3d.md. */
    cmk_point_strip_tall_box_ = 48,
    cmk_point_strip_tall_doubles_ = 32,
    cmk_point_level_words_box_ = 96,
    cmk_point_level_words_doubles_ = 128,
    cmk_point_lost_most_3d_ = 4,
    cmk_point_steps_unaligned_3d_ = 4, /* the least steps that pay where rows are not aligned */
    cmk_point_chunks_most_ = 256,      /* the most chunks of planes that are tried for a pass in 3D */
    /* The time of all chunks of planes, in hundredths of the time of one wave of blocks. A single wave takes one_wave,
     * as the blocks at the sides take longer. Several waves take last_wave more than their number, as in the last one
     * not all blocks go on. Both were found by trying, as passes of 2026-11-23-h200-steps3d.md were fastest. Of boxes,
     * which are bound by products, the number of waves is rounded up, and they take last_wave_box more. */
    cmk_point_one_wave_3d_ = 115,
    cmk_point_last_wave_3d_ = 70,
    cmk_point_last_wave_box_ = 20,
    /* In 2D: this many rows more near the top and the bottom count as near an edge. No record has its tries. */
    cmk_point_near_more_ = 8
};

/* The most steps of a pass. With 1, set before the header is included, all steps are done apart, and it compiles
 * faster. */
#ifndef CMK_STEPS_MOST
#define CMK_STEPS_MOST 256
#endif

/* What a definition was tuned to, by ./cmk tune or by hand. Before the definition stands #define CMK_TUNED_heat (STEPS,
 * BLOCKS), or (STEPS). STEPS are the steps of a pass, of which it takes as many as it can have. BLOCKS are the blocks
 * of an SM, by which ptxas bounds registers. With 0 the model decides. A name that nobody defines is left as it
 * stands.
 *
 * CMK_POINT_TUNED_ runs DO with the text of the name, and then 0, STEPS, BLOCKS and zeros. For a name that nobody
 * defines it runs DO with the two words CMK_POINT_TUNED_IS_ CMK_TUNED_heat in place of that 0, and with zeros. */
#define CMK_POINT_TUNED_(DO, name, tuned) CMK_POINT_TUNED_OF_(DO, #name, CMK_POINT_TUNED_IS_ tuned)
#define CMK_POINT_TUNED_IS_(...) 0, __VA_ARGS__
#define CMK_POINT_TUNED_OF_(DO, text, ...) DO(text, __VA_ARGS__, 0, 0, 0, 0)
/* DO for an assertion: whether it is (STEPS, BLOCKS) or (STEPS), each from 0 to 16 and no third number, or not defined.
 * A negative number is a large unsigned, and so is above 16. Anything else in place of the 0 is a CMK_TUNED_name that
 * has no parentheses. No pass has more than 16 levels (strip.h), and 16 blocks of 128 threads are all that an SM of
 * sm_90 holds. */
#define CMK_POINT_TUNED_RIGHT_(text, is, ...) (CMK_POINT_TUNED_SAID_(text, #is) && CMK_POINT_TUNED_TO_(__VA_ARGS__, 0))
#define CMK_POINT_TUNED_SAID_(text, is) (sizeof(is) == 2 || sizeof(is) == sizeof("CMK_POINT_TUNED_IS_ CMK_TUNED_" text))
#define CMK_POINT_TUNED_TO_(steps, blocks, more, ...) ((unsigned)(steps) <= 16 && (unsigned)(blocks) <= 16 && !(more))
/* DO for the definition: becomes the two arguments STEPS, BLOCKS. */
#if defined(CMK_TUNE_STEPS) /* numbers that ./cmk tune tries */
#define CMK_POINT_TUNED_AS_(...) CMK_TUNE_STEPS, CMK_TUNE_BLOCKS
#else
#define CMK_POINT_TUNED_AS_(text, is, steps, blocks, ...) steps, blocks
#endif

#endif
