/* kernel/bytes/tune.h: every measured number of the engine of bytes. Card: NVIDIA H200, CUDA 13.0; record:
 * bench/results/history/2026-11-24-h200-bytes.md, -bands.md, -colours.md, and 2026-11-25-h100-edges.md. */
#ifndef CMK_KERNEL_BYTES_TUNE_H
#define CMK_KERNEL_BYTES_TUNE_H

enum {
    cmk_bytes_columns_least_ = 3, /* of a filter: with fewer, FMAs are as fast */
    /* FMAs of the other way for a byte read or written up to which it is as fast; FMAs of an output up to which it is
     * faster where rows are not aligned; and outputs times FMAs from which it is slower, though its warps begin sooner:
     * than the products of small filters, and than bands; half as many where rows are not aligned */
    cmk_bytes_light_ = 4,
    cmk_bytes_loose_ = 10,
    cmk_bytes_products_least_ = 160000000,
    cmk_bands_products_least_ = 35000000,
    cmk_bytes_large_ = 6, /* taps below 2 to this: halves say all that an integer can show of them */
    cmk_bytes_range_ = 15 /* powers of two between the largest and the least tap that halves say enough of */
};

/* Steps that are loaded ahead, at least, and at edges; and registers of a thread beside those of sums, taps and rows:
 * of one channel, of that with wide windows, of several channels, where ptxas has more addresses. */
enum {
    cmk_bytes_ahead_ = 2,
    cmk_bytes_ahead_anywhere_ = 2,
    cmk_bytes_registers_grey_ = 50,
    cmk_bytes_registers_wide_ = 24,
    cmk_bytes_registers_ = 70
};

/* Rows of a warp, at most, of one channel where more than two steps are under way, and of others; and as many as take
 * the time that it needs to begin. Longer ones end further apart. What part of them a warp of the frame has, where a
 * row takes several times as long: where rows are aligned, and where they begin anywhere. */
enum {
    cmk_bytes_length_most_ = 48,
    cmk_bytes_length_grey_ = 96,
    cmk_bytes_length_begins_ = 14,
    cmk_bytes_frame_ = 4,
    cmk_bytes_frame_loose_ = 2,
    cmk_bands_length_most_ = 256,
    cmk_bands_length_begins_ = 32,
    cmk_bands_frame_ = 8
};

/* Bands: registers of a thread beside those of tiles, half of the taps and a row; columns times channels of a side that
 * leave registers enough; and from what range of taps on halves do not say enough of them, in powers of two: of their
 * sum, down times across, and between the sum and the least. */
enum { cmk_bands_registers_ = 72, cmk_bands_reach_most_ = 32, cmk_bands_large_ = 6, cmk_bands_range_ = 10 };

#endif
