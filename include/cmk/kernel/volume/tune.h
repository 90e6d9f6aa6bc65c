/* volume/tune.h: every number of conv3d.h that was measured, on an NVIDIA H200 with CUDA 13.0. The records are the rows
 * "conv3d" and "separable3d" of bench/results/history/2026-11-21-h200-convolution.md. CMK_FOLDED_ is a function of host
 * and device whose result is a constant where its arguments are. */
#ifndef CMK_KERNEL_VOLUME_TUNE_H
#define CMK_KERNEL_VOLUME_TUNE_H

#include "../../base.h"

/* The warps of a block. They share the rows above and below, and one barrier a plane is still cheap. The filters have 1
 * to 7 planes, rows and columns, or, if separable, a radius of 1 to 8 (conv3d.h). */
enum { cmk_volume_warps_ = 8 };

/* Returns the rows of outputs of a thread. The arguments are the filter's planes, the number of its taps, and whether
 * it is separable; here and below all are known at compile time. A tap that is read once, and a row of a window, serve
 * them all. They are fewer where there are many taps. With all taps unrolled, hot loops of more than 32 KB of code run
 * at 80 % of the FMA rate. */
CMK_FOLDED_ int cmk_volume_each_(int planes, int taps, int separable)
{
    if (separable) return 2;
    return planes > 5 || taps > 128 ? 1 : planes > 3 || taps > 64 ? 3 : 4;
}

/* Returns the planes in the ring: the fewest that were fastest. Fewer suffice beside another block of the SM, or where
 * the FMA rate is the limit. */
CMK_FOLDED_ int cmk_volume_stages_(int planes, int each, int separable)
{
    return (separable ? planes == 7 || planes == 9 : each > 1) ? 4 : 3;
}

/* Returns the blocks of an SM, for the launch bounds and for dividing a volume. `each` is the rows of a thread. They
 * are two where the sums leave registers for that, which is 128 of a thread. */
CMK_FOLDED_ int cmk_volume_blocks_(int planes, int each, int separable)
{
    return (separable ? planes <= 9 : each == 1) ? 2 : 1;
}

#endif
