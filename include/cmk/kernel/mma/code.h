/* kernel/mma/code.h: which products of tensor cores the code that is compiled has, and when they are taken. */
#ifndef CMK_KERNEL_MMA_CODE_H
#define CMK_KERNEL_MMA_CODE_H

#include "../../base.h"

#ifndef CMK_TENSOR
#define CMK_TENSOR 0 /* 1: tensor cores also where they do not pay; on the CPU backend, as they would do it */
#endif
#ifndef CMK_TENSOR_NOTE
#define CMK_TENSOR_NOTE 1 /* 0: a launcher says nothing of tensor cores that code for sm_90 lacks */
#endif

/* Whether the code that is compiled has products of a group, that of sm_90a, and those of a warp, sm_80 and later. That
 * of nvcc -G has none: a product of a group must not be under way where a function is called. On the CPU none is taken
 * unless CMK_TENSOR is 1. */
#if defined(__CUDACC__)
#define CMK_TENSOR_TAKEN_ !CMK_DEBUG_
#else
#define CMK_TENSOR_TAKEN_ CMK_TENSOR
#endif
#if !CMK_TENSOR_TAKEN_ || (defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL))
#define CMK_TENSOR_HAS_ 0
#else
#define CMK_TENSOR_HAS_ 1
#endif
#if !CMK_TENSOR_TAKEN_ || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800)
#define CMK_TENSOR_WARP_HAS_ 0
#else
#define CMK_TENSOR_WARP_HAS_ 1
#endif

/* Shared memory of a block so much that launchers raise the limit, which what the block declares counts to. */
enum { cmk_mma_shared_least_ = 48 * 1024 + 16 };

#endif
