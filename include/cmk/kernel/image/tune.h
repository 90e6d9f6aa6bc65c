/* kernel/image/tune.h: every measured number of the image engine. Card: NVIDIA H200, CUDA 13.0; record:
 * bench/results/history/2026-11-21-h200-convolution.md, where the alternatives that were slower stand too.
 *
 * A lane is a thread of a warp, and its elements are those of a row that it computes. A step is the rows that a
 * warp takes from its ring at once. The direct way has no ring. Rolled kernels have the filter's columns in a loop.
 * sizes.h and plan.h use these numbers; products are FMAs of an output. They change the speed, and by the rows of a
 * step the order in which products are added. Bounds of arrays in march.h follow from them: tests/kernels/sizes.cu
 * fails where an array does not fit any more. */
#ifndef CMK_KERNEL_IMAGE_TUNE_H
#define CMK_KERNEL_IMAGE_TUNE_H

#include "../../base.h"

enum {
    /* Elements of a lane. Hot loops of more than 32 KB of code run at 80 % of the FMA rate: above
     * cmk_image_most_products_ products a lane has 2 elements. The others are bytes of sums plus elements of windows,
     * at most, with which registers suffice for 4 elements, and for 8. */
    cmk_image_most_products_ = 480,
    cmk_image_most_held_4_ = 220,
    cmk_image_most_held_8_ = 130,
    /* Rows of a step, which are limited by three numbers: FMAs of a lane in 16 KB of code; products whose coefficients
     * stay in uniform registers; bytes of sums and windows in 124 registers. */
    cmk_image_most_step_fmas_ = 1000,
    cmk_image_most_step_products_ = 100,
    cmk_image_most_step_bytes_ = 496,
    /* Blocks of an SM that the compiler must leave room for. The first number is registers of a thread beside those of
     * sums and windows. The others are blocks of the direct way, where more blocks hide more latency: with 8 lanes;
     * with fewer, of sums of 8 bytes or filters of up to 3 rows, which have registers for more loads at once; and with
     * fewer, of others. */
    cmk_image_other_registers_ = 26,
    cmk_image_direct_blocks_8_ = 4,
    cmk_image_direct_blocks_fewer_ = 7,
    cmk_image_direct_blocks_ = 8,
    cmk_image_direct_height_ = 4, /* rows of a thread of the direct way */
    cmk_image_few_blocks_ = 2,    /* blocks of an SM where memory alone is waited for: less halo is read */
    /* Products for a byte read or written. Above the first number the FMA rate is the limit. Up to the second, memory
     * alone is waited for by a separable filter; up to the third, its frame's code is as fast as that of the inside. */
    cmk_image_heavy_ = 9,
    cmk_separable_light_ = 5,
    cmk_separable_lightest_ = 3,
    /* The chunks of a window that a separable kernel holds at once: of windows of up to 64 elements, and of wider ones.
     * Then the elements of these chunks that are not the lane's own. */
    cmk_separable_held_ = 3,
    cmk_separable_held_wide_ = 5,
    cmk_separable_beside_ = 24,
    /* Filters are rolled that have more bytes of table, or more products, than the first two numbers. Tables of more
     * bytes do not stay in the constant cache of 2 KB. A line of 64 bytes that is not there costs an SM about 11
     * clocks: unrolled, 33 x 33 runs at 25 % of the FMA rate. More products, with the loads of their coefficients, are
     * not in 32 KB of code (21 x 21 where all is frame: 39 TFLOP/s). The others are of rolled kernels: bytes of sums
     * and windows in 224 registers, rows of a step, rows of a part of the filter. */
    cmk_conv2d_rolled_bytes_ = 1920,
    cmk_conv2d_rolled_products_ = 400,
    cmk_conv2d_rolled_held_ = 896,
    cmk_conv2d_rolled_step_ = 8,
    cmk_conv2d_rolled_part_ = 13,
    /* The largest filter of the direct way: rows and columns, elements beside those of a lane, FMAs of a row. */
    cmk_conv2d_direct_side_ = 5,
    cmk_conv2d_direct_beside_ = 8,
    cmk_conv2d_direct_fmas_ = 100,
    cmk_conv2d_skew_lanes_ = 4, /* the most elements of a lane of which there is code for each skew */
    /* FMAs of an output up to which a filter that is not separable has a kernel for rows that begin anywhere. Larger
     * ones are for tensor cores, and would take long to compile. Sums and windows must be in cmk_image_most_step_bytes_
     * too: 31 x 3 would spill. */
    cmk_conv2d_unaligned_products_ = 128,
    /* Division among warps. The times of a row of the frame and of one inside are as 3 to 2. In hundredths, this much
     * longer take: one wave; one wave with a frame; all as frame. The last number is the time of a row of the strips
     * above and below, beside 100 waves of blocks. */
    cmk_image_frame_row_ = 3,
    cmk_image_inside_row_ = 2,
    cmk_image_one_wave_longer_ = 2,
    cmk_image_framed_wave_longer_ = 4,
    cmk_image_all_frame_longer_ = 12,
    cmk_image_strip_row_ = 15000
};

/* The time of `blocks` blocks of an SM, in hundredths of that of one among as many as there is room for. Fewer at a
 * time hide less latency, less so where the FMA rate is the limit (heavy). 4 or more, or 0, count as all. */
CMK_FUNCTION int cmk_image_alone_time_(int blocks, int heavy)
{
    if (blocks == 1) return heavy ? 132 : 167;
    if (blocks == 2) return heavy ? 103 : 119;
    if (blocks == 3) return heavy ? 101 : 109;
    return 100;
}

#endif
