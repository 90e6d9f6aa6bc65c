/* kernel/mma/code.h: which instructions of tensor cores the code that is compiled has, and when they are taken. */
#ifndef CMK_KERNEL_MMA_CODE_H
#define CMK_KERNEL_MMA_CODE_H

#include "../../base.h"

#ifndef CMK_TENSOR
#define CMK_TENSOR 0 /* 1: tensor cores also where they do not pay; on the CPU backend, as they would do it */
#endif
#ifndef CMK_TENSOR_NOTE
#define CMK_TENSOR_NOTE 1 /* 0: a launcher does not report that code for sm_90 lacks tensor cores */
#endif

/* Whether the code that is compiled has wgmma, which is in that for sm_90a, and mma.sync, which is in that for sm_80
 * and later. Code of nvcc -G has neither: no wgmma may be under way where a function is called. On the CPU none is
 * taken unless CMK_TENSOR is 1. CMK_DEBUG_ is 1 with nvcc -G, else 0 (base.h). __CUDA_ARCH__ is ten times the number of
 * the code, 800 for sm_80, and __CUDA_ARCH_FEAT_SM90_ALL is defined for sm_90a. Where nvcc reads the text for the host
 * neither is defined, so that kernels find all functions that they name. Both HAS_ are the bare words 0 and 1, as
 * ways.h makes names of them. */
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

/* The least bytes of dynamic shared memory of a block, as many as make launchers raise the limit. They do so above 48
 * KB of dynamic shared memory (tile.h). What the block declares counts to that limit too, so that somewhat less than 48
 * KB could be refused. Any number above 48 KB would do, and this is a multiple of 16. The engines tensor/ and sweep/
 * ask for at least this; planes/ always needs more. */
enum { cmk_mma_shared_least_ = 48 * 1024 + 16 };

/* Bytes of a core matrix, of which wgmma's A and B consist in shared memory: 8 rows of 8 halves of 2 bytes. */
enum { cmk_mma_core_bytes_ = 128 };

#endif
