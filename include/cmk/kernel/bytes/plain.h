/* kernel/bytes/plain.h: the fallback of filters of bytes: outputs one by one, by FMAs, where taps are not in range.
 *
 * In all functions here:
 *   s       cmk_bytes_sizes_ of sizes.h, a constant at compile time. s.bands: whether taps are those of bands.h,
 *           one row down and one across. s.f: the filter (rows/filter.h). Its anchor is s.f.row in rows and
 *           s.f.reach in elements. s.before, s.strip: pixels from a strip's first word to its first output, and of its
 *           outputs. s.f.channels: elements of a pixel. s.f.out_size: bytes of an output
 *   w       cmk_bytes_work_ of warp.h, the warp at work. w->x: the column of its strip's first word, in pixels.
 *           w->y, w->length: its first row of outputs, and how many. w->task: in and out are to the region's first
 *           element of the image. w->is_signed: whether bytes are. w->outside: the byte for what is outside
 *   taps    the taps of the block in shared memory, as cmk_bytes_write_taps_ or cmk_bands_write_taps_ has written
 *           them, without a scale; a barrier of the block stands behind the writing. With bands those down come
 *           first, at most 33 (s.f.rows)
 *   image   cmk_image_ of rows/image.h. Pitches and width count elements; those of the input are bytes
 * Functions of other files:
 *   cmk_image_row_at_, cmk_image_column_at_   of rows/image.h: the row, or the column in elements, that the edge reads
 *           for one that may be outside. Both are counted from the region's first, so that they may be negative.
 *           cmk_image_none_, which is no index, says that the edge reads none
 *   cmk_mma_pack_(a, b, bits, above)   of mma/warp.h: two sums as integers of `bits` bits, negative where signed,
 *           rounded, ties to even, and saturated; a is in the lower bits. Over two bytes stand bits of above
 *   cmk_load_store_value_(to, from, size): stores an element, which is aligned to its size. CMK_LOAD: of a float of
 *           shared memory. cmk_bytes_byte_(from): a byte of global memory, unsigned (warp.h)
 *   cmk_image_within_(a, b, c): b <= a < c. CMK_NO_UNROLL: the next loop is not unrolled. CMK_TENSOR_WARP_HAS_:
 *           whether the compiled code has mma.sync (mma/code.h)
 *   cmk_bands_across_   48, where the taps across begin behind those down. cmk_bytes_taps_pitch_ = 28: floats of a row
 *           of taps, the first cmk_bytes_taps_before_ = 11 of which are zeros (sizes.h) */
#ifndef CMK_KERNEL_BYTES_PLAIN_H
#define CMK_KERNEL_BYTES_PLAIN_H

#include "warp.h"

#if CMK_TENSOR_WARP_HAS_

/* The tap of row r and column c, which is 0 around the filter, as far as a window reaches there. r may be from -1 to
 * s.f.rows + 1, and c from -cmk_bytes_taps_before_ to 15, whose float is number 26 of a row. Small filters alone; a
 * thread calls. */
CMK_DEVICE_ float cmk_bytes_tap_(const float *taps, int r, int c)
{
    return CMK_LOAD(&taps[(r + 1) * cmk_bytes_taps_pitch_ + c + cmk_bytes_taps_before_]);
}

/* The sum of the output of row y and column x of the region, in elements. With bands it is the sum of sums across times
 * the taps down. A thread calls. What is outside the image is the byte w->outside. A signed byte is its unsigned value
 * with the bit 0x80 turned, less 0x80. */
CMK_DEVICE_ float cmk_bytes_plain_sum_(const cmk_bytes_work_ *w, cmk_bytes_sizes_ s, const float *taps, int y, int x)
{
    const cmk_image_ *const image = w->task.image;
    const int bands = s.bands;
    float sum = 0.0f;
    CMK_NO_UNROLL
    for (int r = 0; r < s.f.rows; ++r) {
        const int row = cmk_image_row_at_(image, s.f.edge, y - s.f.row + r);
        float across = 0.0f;
        CMK_NO_UNROLL
        for (int c = 0; c < s.f.columns; ++c) {
            const int column = cmk_image_column_at_(image, s.f.edge, s.f.channels, x - s.f.reach + c * s.f.channels);
            const float tap = bands ? CMK_LOAD(&taps[cmk_bands_across_ + c]) : cmk_bytes_tap_(taps, r, c);
            unsigned byte = w->outside;
            if (row != cmk_image_none_ && column != cmk_image_none_)
                byte = cmk_bytes_byte_(w->task.in + row * image->in_pitch + column);
            across += tap * (float)(w->is_signed ? (int)(byte ^ 0x80) - 0x80 : (int)byte);
        }
        sum += bands ? CMK_LOAD(&taps[r]) * across : across;
    }
    return sum;
}

/* Computes and stores all outputs of a warp's tile, by FMAs. All threads of the warp call. Each takes every 32nd
 * element of a row from first to end - 1, if it is in the region. The sum becomes one integer of s.f.out_bits bits; the
 * other of a pair is 0 and not stored. */
CMK_DEVICE_ void cmk_bytes_go_by_fmas_(const cmk_bytes_work_ *w, cmk_bytes_sizes_ s, const float *taps)
{
    const cmk_image_ *const image = w->task.image;
    const int first = (w->x + s.before) * s.f.channels, end = first + s.strip * s.f.channels;
    CMK_NO_UNROLL
    for (int y = w->y; y < w->y + w->length; ++y) CMK_NO_UNROLL
    for (int x = first + (int)threadIdx.x % 32; x < end; x += 32) {
        if (!cmk_image_within_(x, 0, image->width)) continue;
        const unsigned out = cmk_mma_pack_(cmk_bytes_plain_sum_(w, s, taps, y, x), 0.0f, s.f.out_bits, 0);
        cmk_load_store_value_(w->task.out + (y * image->out_pitch + x) * s.f.out_size, &out, s.f.out_size);
    }
}

#endif

#endif
