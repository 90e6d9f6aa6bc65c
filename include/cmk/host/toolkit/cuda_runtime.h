/* host/toolkit/cuda_runtime.h: what a program gets that includes CUDA's header of this name where there is no CUDA: the
 * CPU backend, and names of CUDA that base.h leaves to the program, such as min and max. The folder is found by its -I
 * only, which must come before that of a CUDA toolkit. docs/cuda-on-a-cpu.md says what is there. */
#if defined(__NVCC__) || defined(__CUDACC_RTC__) || defined(__CUDA__)
#error "cmk: host/toolkit is for compilers without CUDA: leave its -I out where nvcc compiles"
#endif
#undef __CUDACC__ /* programs define it for editors */
#ifndef CMK_HOST_PLAIN_
#define CMK_HOST_PLAIN_ 1 /* plain stores write shared memory (atomic.h) */
#endif
#include "../../base.h"
#ifndef CMK_HOST_TOOLKIT_CUDA_RUNTIME_H
#define CMK_HOST_TOOLKIT_CUDA_RUNTIME_H

#include <limits.h>
#if defined(__cplusplus)
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#endif

#include "../changes.h"
#include "../intrinsics.h"
#include "../ptx.h"
#include "../rounding.h"
#include "../simd.h"
#include "../surface.h"
#include "../texture.h"

/* by which NVIDIA's samples tell that the runtime is there */
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define __CUDA_ARCH__ 900 /* what stands behind a test of it is the part of kernels */
#define __CUDA_ARCH_FEAT_SM90_ALL

#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __managed__ __device__
#define __device_builtin__
#define __cudart_builtin__
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define CUDARTAPI
#define CUDART_CB

/* ---- Vector types that base.h leaves out */
CMK_HOST_VECTORS_(long, long, 16, 16);
CMK_HOST_VECTORS_(unsigned long, ulong, 16, 16);
/* clang-format off */
#define CMK_HOST_ALIGNED_(T, name) CMK_HOST_ALIGNED_TO_(T, name, 16) CMK_HOST_ALIGNED_TO_(T, name, 32)
#define CMK_HOST_ALIGNED_TO_(T, name, n) CMK_HOST_FOUR_(T, name##4_##n##a, n)
#define CMK_HOST_FOUR_(T, name, n) CMK_HOST_VECTOR_(name, n, (T x, y, z, w;), (T x, T y, T z, T w), x, y, z, w)
CMK_HOST_ALIGNED_(long, long)
CMK_HOST_ALIGNED_(unsigned long, ulong)
CMK_HOST_ALIGNED_(long long, longlong)
CMK_HOST_ALIGNED_(unsigned long long, ulonglong)
CMK_HOST_ALIGNED_(double, double)
/* clang-format on */

/* ---- Atomic loads and stores of words, each in order with all others */
#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4
#define __nv_atomic_load_n(pointer, ...) __atomic_load_n((pointer), __ATOMIC_SEQ_CST)
#define __nv_atomic_store_n(pointer, value, ...) __atomic_store_n((pointer), (value), __ATOMIC_SEQ_CST)

/* ---- Names of old, which CUDA 13 has left out in part */
static inline cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

static inline cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

#define cudaThreadSetCacheConfig cudaDeviceSetCacheConfig
#define cudaThreadSetLimit cudaDeviceSetLimit

#endif
