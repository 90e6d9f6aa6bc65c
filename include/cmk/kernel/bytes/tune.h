/* kernel/bytes/tune.h: every measured number of the engine of bytes. Card: NVIDIA H200, CUDA 13.0; record:
 * bench/results/history/2026-11-24-h200-bytes.md, -bands.md, -colours.md, and 2026-11-25-h100-edges.md.
 *
 * sizes.h, plan.h and kernels use these numbers. Names with cmk_bytes_ are of small filters, or of both kinds; those
 * with cmk_bands_ are of separable filters by bands. A step is the one or two rows that a small filter adds at once. */
#ifndef CMK_KERNEL_BYTES_TUNE_H
#define CMK_KERNEL_BYTES_TUNE_H

enum {
    cmk_bytes_columns_least_ = 3, /* columns of a filter: with fewer, FMAs are as fast */
    /* Where the way by FMAs is taken. cmk_bytes_light_: it is as fast up to this many FMAs for a byte read or written.
     * cmk_bytes_unaligned_: it is faster below this many FMAs of an output where rows are not aligned and there is no
     * ring. The two others: outputs times FMAs of an output from which it is slower than small filters, and than bands,
     * by mma.sync, though its warps begin sooner. Half as many do where rows are not aligned. */
    cmk_bytes_light_ = 4,
    cmk_bytes_unaligned_ = 10,
    cmk_bytes_products_least_ = 160000000,
    cmk_bands_products_least_ = 35000000,
    cmk_bytes_large_ = 6, /* taps below 2 to this are in range: halves show all of them that an integer can show */
    cmk_bytes_range_ = 15 /* larger taps are in range where the largest and the least are fewer powers of two apart */
};

/* The steps that are loaded ahead, at least, and those at edges. The others are registers of a thread beside those of
 * sums, taps and rows: of one channel, of one channel with wide windows, and of several channels, where ptxas keeps
 * more addresses. */
enum {
    cmk_bytes_ahead_ = 2,
    cmk_bytes_ahead_anywhere_ = 2,
    cmk_bytes_registers_grey_ = 50,
    cmk_bytes_registers_wide_ = 24,
    cmk_bytes_registers_ = 70
};

/* The rows of a warp, at most: of one channel where more than two steps are under way cmk_bytes_length_grey_, of others
 * cmk_bytes_length_most_. Longer warps end further apart. The names with begins: rows that take as long as a warp takes
 * to begin. The names with frame: a warp of the frame, where a row takes several times as long, has this part of the
 * rows. It is one part in cmk_bytes_frame_ where rows are aligned, and one in cmk_bytes_frame_unaligned_ where they
 * begin anywhere. */
enum {
    cmk_bytes_length_most_ = 48,
    cmk_bytes_length_grey_ = 96,
    cmk_bytes_length_begins_ = 14,
    cmk_bytes_frame_ = 4,
    cmk_bytes_frame_unaligned_ = 2,
    cmk_bands_length_most_ = 256,
    cmk_bands_length_begins_ = 32,
    cmk_bands_frame_ = 8
};

/* Of bands. cmk_bands_registers_: registers of a thread beside those of tiles, of half of the taps and of a row.
 * cmk_bands_reach_most_: the radius times the channels up to which there are registers enough. Taps are not in range
 * where the exponent of a tap is less by cmk_bands_range_ or more than that of the sum of its table's, and the
 * exponents of the sums down and across add up to more than cmk_bands_large_. */
enum { cmk_bands_registers_ = 72, cmk_bands_reach_most_ = 32, cmk_bands_large_ = 6, cmk_bands_range_ = 10 };

#endif
