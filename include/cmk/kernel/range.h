/* range.h: what the launchers of matrices, images and volumes check of the memory that they are given. Pitch, from row
 * to row, and step, from matrix to matrix, count elements of size bytes. */
#ifndef CMK_KERNEL_RANGE_H
#define CMK_KERNEL_RANGE_H

#include "../base.h"

#if CMK_HAS_HOST_

/* the bytes from the first element of a batch to behind its last, 0 when they exceed half of the address space, or the
 * pitch is below the width */
static inline size_t cmk_range_bytes_(size_t pitch, size_t step, size_t width, size_t height, size_t count, size_t size)
{
    const double elements = (double)pitch * (double)(height - 1) + (double)step * (double)(count - 1) + (double)width;
    if (elements * (double)size > 9e18 || pitch < width) return 0;
    return (pitch * (height - 1) + step * (count - 1) + width) * size;
}

/* Whether no element belongs to two matrices of a batch that cmk_range_bytes_ has measured. Matrices that follow one
 * another, and those that lie side by side in the rows, are known at once. Of others the matrix that lies m further
 * shares elements with the first where its start is less than a row's width from the start of one of the first's rows:
 * m takes at most about pitch / width values. */
static inline int cmk_range_distinct_(size_t pitch, size_t step, size_t width, size_t height, size_t count)
{
    const size_t end = pitch * (height - 1) + width;
    if (count < 2 || step >= end) return 1;
    if (step < width) return 0;
    if (pitch - width >= step * (count - 1)) return 1;
    for (size_t start = step, m = 1; m < count && start < end; ++m, start += step)
        if (start % pitch < width || pitch - start % pitch < width) return 0;
    return 1;
}

/* the same bytes of a batch that is written: 0 also where an element belongs to two of its matrices */
static inline size_t cmk_range_written_(size_t pitch, size_t step, size_t width, size_t height, size_t count,
                                        size_t size)
{
    const size_t bytes = cmk_range_bytes_(pitch, step, width, height, count, size);
    return bytes != 0 && cmk_range_distinct_(pitch, step, width, height, count) ? bytes : 0;
}

/* whether a region of so many, from first on, is inside so many */
static inline int cmk_range_inside_(size_t first, size_t region, size_t count)
{
    return first <= count && region <= count - first;
}

/* whether in and out are aligned to their elements, and the bytes read and written, both more than 0, do not overlap */
static inline int cmk_range_apart_(const void *in, size_t read, size_t in_size, const void *out, size_t written,
                                   size_t out_size)
{
    const size_t from = (size_t)in, to = (size_t)out;
    return from != 0 && to != 0 && from % in_size == 0 && to % out_size == 0 && read > 0 && written > 0 &&
           (from > to ? from - to >= written : to - from >= read);
}

#endif

#endif
