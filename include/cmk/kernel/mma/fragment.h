/* kernel/mma/fragment.h: which elements of a fragment of mma.sync thread t of a warp has. With row =
 * cmk_fragment_row_(t) and pair = cmk_fragment_pair_(t) they are (PTX ISA, "Matrix Fragments for mma.m16n8k16"):
 *
 *   register    matrix                           row, or column of B      column, or place along k
 *   d[i]        D, 16 rows of 8 columns          row + i / 2 * 8          2 * pair + i % 2
 *   a[i]        A, 16 rows of 16 along k         row + i % 2 * 8          2 * pair + i / 2 * 8 and the next
 *   b[i]        B, 16 along k by 8 columns       row                      2 * pair + i * 8 and the next
 *
 * i goes from 0 to 3, of b from 0 to 1. d[i] is a float, a[i] and b[i] are two halves each. In a fragment of wgmma the
 * rows of its four warps follow one another. A thread of any engine of tensor cores calls, for itself. CMK_DEVICE_ is
 * an inlined device function (base.h). */
#ifndef CMK_KERNEL_MMA_FRAGMENT_H
#define CMK_KERNEL_MMA_FRAGMENT_H

#include "../../base.h"

/* `row` and `pair` of a thread: 0 to 7 and 0 to 3. thread: its number in its warp, group or block, as only the lane
 * counts (% 32), from 0 on. */
CMK_DEVICE_ int cmk_fragment_row_(int thread)
{
    return thread % 32 / 4;
}
CMK_DEVICE_ int cmk_fragment_pair_(int thread)
{
    return thread % 4;
}

#endif
