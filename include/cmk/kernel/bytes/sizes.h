/* kernel/bytes/sizes.h: the constants of a small filter of bytes, by products of a warp on tensor cores.
 *
 * A product is D = A B: A has 16 windows of an image, of 16 bytes each, B the taps between a window and its 8 outputs,
 * D these outputs. Windows are two rows of 8 pixels, 4 pixels apart, with 2 x 4 outputs each, where the filter has up
 * to 5 columns; otherwise 16 pixels of a row, 8 apart, with 8 outputs. Rows of a window are a step; each is multiplied
 * by `pending` matrices, one for each step's outputs that it reaches. Pixels of several channels are as many windows.
 * Bytes are halves as they stand, of 2^-24 each; a tap is the sum of two halves. (PTX ISA, "Matrix Fragments for
 * mma.m16n8k16".) */
#ifndef CMK_KERNEL_BYTES_SIZES_H
#define CMK_KERNEL_BYTES_SIZES_H

#include "../../base.h"
#include "../image/tune.h"
#include "tune.h"

enum {
    cmk_bytes_rows_most_ = 9, /* of a filter */
    cmk_bytes_taps_pitch_ = 28,
    cmk_bytes_taps_before_ = 11, /* zeros before a row of taps: as many as a window has, and behind */
    cmk_bytes_taps_most_ = (cmk_bytes_rows_most_ + 3) * cmk_bytes_taps_pitch_,
    cmk_bytes_pending_most_ = 9,
    cmk_bytes_values_most_ = 16, /* outputs of a step of a thread */
    cmk_bytes_words_most_ = 8,   /* that a thread loads for a step */
    cmk_bytes_ahead_most_ = 9    /* steps that it holds */
};

/* the constants of a definition as its functions get them; columns in pixels */
typedef struct {
    int on;              /* whether there is the way at all */
    int grey;            /* whether it is that of one channel and two rows */
    int step, pending;   /* rows of a step; steps of outputs that are under way */
    int stride, parts;   /* from window to window; products side by side, of 16 windows each */
    int strip;           /* columns of a warp */
    int before;          /* from a strip's first word to its first output */
    int shift;           /* pixels of a window before those of its first output */
    int reads;           /* behind a strip's first word, up to the last that it reads */
    int channels, ahead; /* steps that are loaded ahead, a multiple of pending */
    int words, values;   /* that a thread loads and outputs in a step */
    int chunk, pair;     /* bytes of a load, and outputs of a store, where these are aligned */
    int blocks;          /* of an SM that the compiler leaves room for */
} cmk_bytes_sizes_;

/* what a definition says: whether elements of IN are bytes, of OUT integers, and sums floats; whether the other way is
 * as fast; the filter, in pixels; whether it forbids the way */
typedef struct {
    int bytes_in, integers_out, float_sums, light, rows, columns, column, channels, in_order;
} cmk_bytes_filter_;

CMK_FUNCTION CMK_CONSTEXPR_ cmk_bytes_sizes_ cmk_bytes_sizes_of_(cmk_bytes_filter_ f)
{
    const int beyond = f.columns - 1 - f.column, narrow = f.column <= 2 && beyond <= 2, one = f.channels == 1;
    cmk_bytes_sizes_ k = CMK_ZEROS_(cmk_bytes_sizes_);
    k.grey = one && narrow;
    k.step = narrow ? 2 : 1;
    k.pending = f.rows / k.step + k.step - 1;
    k.stride = 8 / k.step;
    k.parts = one ? k.step : 1;
    k.strip = 16 * k.stride * k.parts;
    k.before = k.grey ? 0 : 4 / k.step;
    k.shift = 4 / k.step - f.column;
    k.reads = k.strip + (k.grey ? 4 : 16 / k.step - k.stride);
    k.channels = f.channels;
    k.ahead = k.pending > 2 ? k.pending : k.grey ? (int)cmk_bytes_ahead_grey_ : (int)cmk_bytes_ahead_;
    k.words = k.grey ? 5 : 2 * k.parts * f.channels;
    k.values = 4 * k.parts * f.channels;
    k.chunk = k.grey ? 16 : 4;
    k.pair = k.grey ? 8 : 2;
    const int registers = k.grey ? (int)cmk_bytes_registers_grey_
                          : one  ? (int)cmk_bytes_registers_wide_
                                 : (int)cmk_bytes_registers_;
    const int most = (int)cmk_image_registers_ / (k.pending * (k.values + 4) + k.ahead * k.words + registers);
    k.blocks = most > 8 ? 8 : most;
    k.on = f.bytes_in && f.integers_out && f.float_sums && !f.light && !f.in_order && f.rows <= cmk_bytes_rows_most_ &&
           f.columns >= cmk_bytes_columns_least_ && (narrow || (one && f.column <= 4 && beyond <= 4));
    return k;
}

#endif
