/* base.h: everything on which the compilers differ, in one place. Every other header includes it.
 *
 *   CMK_VERSION                          major * 10000 + minor * 100 + patch
 *   CMK_FUNCTION                         qualifiers of an inline function that kernels and host code call
 *   CMK_STATIC_ASSERT(condition, text);  stops the build with text (declaration)
 *   CMK_UNROLL                           before a loop of compile-time length: unroll it completely
 *   CMK_LAUNCH(kernel, grid, block, shared_bytes, stream, arguments...)
 *                                        launches; value: the launch's cudaError_t, which must be looked at
 *   cmk_i64                              signed 64-bit integer; indices of data larger than 2^31 elements
 *
 * grid and block are a dim3 or an integer, shared_bytes the dynamic shared memory of one block, stream 0 or
 * a cudaStream_t; each is evaluated once, on the host.
 *
 *   __global__ void twice(float *x, int count) { ... }
 *   CMK_CHECK(CMK_LAUNCH(twice, (count + 255) / 256, 256, 0, 0, x, count));
 *
 * The launch of a kernel without parameters ends with a comma: CMK_LAUNCH(k, 1, 1, 0, 0, ).
 *
 * nvcc, clang in CUDA mode and NVRTC compile for the GPU; any other compiler gets the CPU backend (host/),
 * which gives the same source CUDA's vocabulary and semantics. */
#ifndef CMK_BASE_H
#define CMK_BASE_H

#define CMK_VERSION_MAJOR 0
#define CMK_VERSION_MINOR 1
#define CMK_VERSION_PATCH 0
#define CMK_VERSION (CMK_VERSION_MAJOR * 10000 + CMK_VERSION_MINOR * 100 + CMK_VERSION_PATCH)

typedef long long cmk_i64;

#if defined(__cplusplus)
#define CMK_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define CMK_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

/* ends a definition macro, so that the caller writes the semicolon */
#define CMK_SEMICOLON_ CMK_STATIC_ASSERT(1, "")

#if defined(__CUDACC_RTC__)
#define CMK_HAS_HOST_ 0    /* device code only, no host headers */
#define CMK_KERNEL_STATIC_ /* NVRTC finds kernels by their external names */
#else
#define CMK_HAS_HOST_ 1
#define CMK_KERNEL_STATIC_ static
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif

#if defined(__CUDACC__)

#define CMK_FUNCTION static __host__ __device__ __forceinline__
#define CMK_UNROLL _Pragma("unroll")

#if CMK_HAS_HOST_
#include <cuda_runtime.h>
__attribute__((warn_unused_result)) static inline cudaError_t cmk_launched_(void)
{
    return cudaGetLastError();
}
#define CMK_LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                                                     \
    (kernel<<<(grid), (block), (shared_bytes), (stream)>>>(__VA_ARGS__), cmk_launched_())
#endif

#else

#define CMK_FUNCTION static inline
#define CMK_UNROLL
#include "host/host.h"

#endif

#endif
