/* range.h: what the launchers of matrices, images and volumes check of the memory that they are given. */
#ifndef CMK_KERNEL_RANGE_H
#define CMK_KERNEL_RANGE_H

#include "../base.h"

#if CMK_HAS_HOST_

/* the bytes from the first element of a batch to behind its last, 0 when they exceed half of the address space, or the
 * pitch is below the width; pitch from row to row and step from matrix to matrix count elements of size bytes */
static inline size_t cmk_range_bytes_(size_t pitch_, size_t step_, size_t width_, size_t height_, size_t count_,
                                      size_t size_)
{
    const double elements_ =
        (double)pitch_ * (double)(height_ - 1) + (double)step_ * (double)(count_ - 1) + (double)width_;
    if (elements_ * (double)size_ > 9e18 || pitch_ < width_) return 0;
    return (pitch_ * (height_ - 1) + step_ * (count_ - 1) + width_) * size_;
}

/* whether in and out are aligned to their elements, and the bytes read and written, both more than 0, do not overlap */
static inline int cmk_range_apart_(const void *in_, size_t read_, size_t in_size_, const void *out_, size_t written_,
                                   size_t out_size_)
{
    const size_t from_ = (size_t)in_, to_ = (size_t)out_;
    return from_ != 0 && to_ != 0 && from_ % in_size_ == 0 && to_ % out_size_ == 0 && read_ > 0 && written_ > 0 &&
           (from_ > to_ ? from_ - to_ >= written_ : to_ - from_ >= read_);
}

#endif

#endif
