/* kernel/call/range.h: on the host: what the launchers of matrices, images and volumes check of the memory that they
 * are given. The pitch goes from row to row, and the step from matrix to matrix. Both count elements of `size` bytes.
 * Half of the address space is 9e18 bytes, somewhat below 2^63. cmk_why_ (why.h) makes a sentence by a format of
 * printf; cmk_why_pointer_ makes one for a pointer that is NULL or not aligned. */
#ifndef CMK_KERNEL_CALL_RANGE_H
#define CMK_KERNEL_CALL_RANGE_H

#include "../../base.h"
#include "why.h"

#if CMK_HAS_HOST_

/* Returns the bytes from the first element of a batch to behind its last, of `count` matrices of height rows of width
 * elements. None of these is 0. Returns 0 when they exceed half of the address space, or when the pitch is below the
 * width. */
static inline size_t cmk_range_bytes_(size_t pitch, size_t step, size_t width, size_t height, size_t count, size_t size)
{
    const double elements = (double)pitch * (double)(height - 1) + (double)step * (double)(count - 1) + (double)width;
    if (elements * (double)size > 9e18 || pitch < width) return 0;
    return (pitch * (height - 1) + step * (count - 1) + width) * size;
}

/* Returns whether no element belongs to two matrices of a batch, which cmk_range_bytes_ has measured. This is known at
 * once for matrices that follow one another, and for matrices side by side in the same rows. Of others, matrix m shares
 * elements with matrix 0 where it starts less than a row's width from the start of a row of matrix 0. At most about
 * pitch / width values of m are tried. */
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

/* Returns whether bytes that are read and bytes that are written do not overlap. Both are more than 0. */
static inline int cmk_range_apart_(const void *in, size_t read, const void *out, size_t written)
{
    const size_t from = (size_t)in, to = (size_t)out;
    return from > to ? from - to >= written : to - from >= read;
}

/* A batch of matrices that a call reads or writes, and the words of its arguments. Elements have `size` bytes, and are
 * aligned to as many. A column has `channels` of them. Of a volume, the matrices are its planes; the words are those
 * that the arguments have in the launcher. */
typedef struct {
    const char *word, *pitch_word, *step_word, *columns_word;
    const void *start;
    size_t pitch, step, columns, channels, rows, count, size;
} cmk_range_;

/* Returns why a range is refused that has too many bytes, by what makes them: the pitch, or the step between matrices.
 * A number of more than 2^63 is one below 0 that became a size_t, and is shown as that. */
static inline const char *cmk_range_why_large_(const cmk_range_ *range)
{
    const size_t width = range->columns * range->channels;
    if (range->rows == 1 && range->count == 1)
        return cmk_why_("%s has more bytes than half of the address space, by %s %lld", range->word,
                        range->columns_word, (cmk_i64)range->columns);
    if (cmk_range_bytes_(range->pitch, 0, width, range->rows, 1, range->size) == 0)
        return cmk_why_("%s has more bytes than half of the address space, by %zu rows of %s %lld", range->word,
                        range->rows, range->pitch_word, (cmk_i64)range->pitch);
    return cmk_why_("%s has more bytes than half of the address space, by %zu times %s %lld", range->word, range->count,
                    range->step_word, (cmk_i64)range->step);
}

/* Returns why two ranges are refused that overlap. Rows that followed one another without a gap might not: then a pitch
 * or a step is what is too large for the memory, and the sentence says so. Both ranges have been measured. */
static inline const char *cmk_range_why_overlap_(const cmk_range_ *first, const cmk_range_ *second)
{
    const cmk_range_ *const low = (size_t)first->start <= (size_t)second->start ? first : second, *const high =
                                                                                                      low == first
                                                                                                          ? second
                                                                                                          : first;
    const size_t behind = (size_t)high->start - (size_t)low->start, width = low->columns * low->channels;
    const double dense = (double)width * (double)low->rows * (double)low->count * (double)low->size;
    if ((double)behind < dense) return cmk_why_("%s and %s overlap", first->word, second->word);
    if (low->rows > 1 && low->pitch > width)
        return cmk_why_("%s and %s overlap: %s has %zu rows of %s %zu, and %s is %zu bytes behind it", first->word,
                        second->word, low->word, low->rows, low->pitch_word, low->pitch, high->word, behind);
    return cmk_why_("%s and %s overlap: %s has %zu times %s %zu, and %s is %zu bytes behind it", first->word,
                    second->word, low->word, low->count, low->step_word, low->step, high->word, behind);
}

/* Sets the bytes from the first element to behind the last. Returns why the range is refused if there is no such
 * number, or NULL. */
static inline const char *cmk_range_why_bytes_(const cmk_range_ *range, size_t *bytes)
{
    const size_t width = range->columns * range->channels;
    *bytes = cmk_range_bytes_(range->pitch, range->step, width, range->rows, range->count, range->size);
    if (*bytes != 0) return NULL;
    if (range->pitch >= width) return cmk_range_why_large_(range);
    if (range->channels == 1)
        return cmk_why_("%s %zu is smaller than %s %zu", range->pitch_word, range->pitch, range->columns_word, width);
    return cmk_why_("%s %zu is smaller than %s %zu, of %zu channels", range->pitch_word, range->pitch,
                    range->columns_word, range->columns, range->channels);
}

/* Returns why not to read `in`, which has at least one element, and to write `out`; NULL where nothing is wrong. */
static inline const char *cmk_range_why_(const cmk_range_ *in, const cmk_range_ *out)
{
    size_t read = 0, written = 0;
    const char *why = cmk_why_pointer_(in->word, in->start, in->size);
    if (why == NULL) why = cmk_why_pointer_(out->word, out->start, out->size);
    if (why == NULL) why = cmk_range_why_bytes_(in, &read);
    if (why == NULL) why = cmk_range_why_bytes_(out, &written);
    if (why != NULL) return why;
    if (!cmk_range_distinct_(out->pitch, out->step, out->columns * out->channels, out->rows, out->count))
        return cmk_why_("%s overlaps itself, by %s %zu and %s %zu", out->word, out->pitch_word, out->pitch,
                        out->step_word, out->step);
    if (!cmk_range_apart_(in->start, read, out->start, written)) return cmk_range_why_overlap_(in, out);
    return NULL;
}

#endif

#endif
