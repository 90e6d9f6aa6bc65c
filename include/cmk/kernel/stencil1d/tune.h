/* stencil1d/tune.h: the measured numbers of the 1D stencil, on an NVIDIA H200 (sm_90); bench/results/2026-11-21-h200.md
 * is the record. */
#ifndef CMK_KERNEL_STENCIL1D_TUNE_H
#define CMK_KERNEL_STENCIL1D_TUNE_H

#include "../../base.h"

enum { cmk_stencil1d_threads_ = 256 };

/* vectors of 16 bytes that a thread computes: two where the radius exceeds 32 bytes (float: 86 % of the copy in place
 * of 72 % at radius 16, but 93 % in place of 99 % at radius 4) */
#define CMK_STENCIL1D_VECTORS_(RADIUS, SIZE) ((RADIUS) * (SIZE) > 32 ? 2 : 1)

#endif
