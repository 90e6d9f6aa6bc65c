/* kernel/mma/fragment.h: which elements of a fragment a thread of a warp has. Of D, 16 rows of 8 columns, d[i] is of
 * row cmk_fragment_row_ + i / 2 * 8 and of column 2 cmk_fragment_pair_ + i % 2; the halves of a[i], of A, 16 rows of 16
 * of k, are of row cmk_fragment_row_ + i % 2 * 8 and of 2 cmk_fragment_pair_ + i / 2 * 8 of k and the next; those of
 * b[i], of B, 16 of k by 8 columns, of column cmk_fragment_row_ and of 2 cmk_fragment_pair_ + i * 8 of k and the next.
 * (PTX ISA, "Matrix Fragments for mma.m16n8k16".) The rows of a group's fragment follow one another warp by warp. */
#ifndef CMK_KERNEL_MMA_FRAGMENT_H
#define CMK_KERNEL_MMA_FRAGMENT_H

#include "../../base.h"

CMK_DEVICE_ int cmk_fragment_row_(int thread)
{
    return thread % 32 / 4;
}
CMK_DEVICE_ int cmk_fragment_pair_(int thread)
{
    return thread % 4;
}

#endif
