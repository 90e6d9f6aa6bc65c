/* host/kernel.h: what may be said and asked of a kernel, and launches by its address.
 *
 * cudaLaunchKernel has to be told which kernel it is: the call names it, with or without a cast to a pointer before it.
 * It is C++: C cannot tell the types of the arguments. */
#include "../base.h"
#ifndef CMK_HOST_KERNEL_H
#define CMK_HOST_KERNEL_H

typedef enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
} cudaFuncAttribute;

typedef enum cudaFuncCache {
    cudaFuncCachePreferNone = 0,
    cudaFuncCachePreferShared = 1,
    cudaFuncCachePreferL1 = 2,
    cudaFuncCachePreferEqual = 3
} cudaFuncCache;

typedef enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault = 0,
    cudaSharedMemBankSizeFourByte = 1,
    cudaSharedMemBankSizeEightByte = 2
} cudaSharedMemConfig;

typedef enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxL1 = 0,
    cudaSharedmemCarveoutMaxShared = 100
} cudaSharedCarveout;

typedef struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes;
    int preferredShmemCarveout;
} cudaFuncAttributes;

enum { cudaOccupancyDefault = 0, cudaOccupancyDisableCachingOverride = 1 };

CMK_HOST_C_BEGIN_

static inline cudaError_t cmk_host_occupancy_(int *blocks, int threads, size_t shared_bytes)
{
    if (threads < 1) return cmk_host_result_(cudaErrorInvalidValue);
    *blocks = shared_bytes > CMK_HOST_SHARED_LIMIT_ ? 0 : 1024 / threads;
    return cudaSuccess;
}

/* The largest block, and as many of them as run at once. */
static inline cudaError_t cmk_host_block_size_(int *grid, int *block, size_t shared_bytes, int limit)
{
    *block = limit > 0 && limit < (int)CMK_HOST_THREADS_ ? limit : (int)CMK_HOST_THREADS_;
    const cudaError_t error = cmk_host_occupancy_(grid, *block, shared_bytes);
    if (error == cudaSuccess) *grid *= cmk_host_core_count_();
    return error;
}

static inline cudaError_t cmk_host_set_attribute_(uintptr_t kernel, cudaFuncAttribute attribute, int value)
{
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 || (size_t)value > CMK_HOST_SHARED_LIMIT_)
        return cmk_host_result_(cudaErrorInvalidValue);
    cmk_host_allow_(kernel, (size_t)value);
    return cudaSuccess;
}

static inline cudaError_t cmk_host_get_attributes_(cudaFuncAttributes *attributes, uintptr_t kernel)
{
    if (!attributes || !kernel) return cmk_host_result_(cudaErrorInvalidValue);
    memset(attributes, 0, sizeof *attributes);
    attributes->maxThreadsPerBlock = (int)CMK_HOST_THREADS_;
    attributes->numRegs = 32;
    attributes->ptxVersion = attributes->binaryVersion = 90;
    attributes->maxDynamicSharedSizeBytes = (int)cmk_host_allowed_bytes_(kernel);
    attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
    return cudaSuccess;
}

/* ---- Wishes that change nothing here */
static inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache wish)
{
    (void)wish;
    return cudaSuccess;
}

static inline cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *wish)
{
    *wish = cudaFuncCachePreferNone;
    return cudaSuccess;
}

static inline cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig wish)
{
    (void)wish;
    return cudaSuccess;
}

static inline cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *wish)
{
    *wish = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

CMK_HOST_C_END_

#if defined(__cplusplus)

template <class kernel> cudaError_t cudaFuncSetAttribute(kernel *what, cudaFuncAttribute attribute, int value)
{
    return cmk_host_set_attribute_((uintptr_t)what, attribute, value);
}

template <class kernel> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, kernel *what)
{
    return cmk_host_get_attributes_(attributes, (uintptr_t)what);
}

template <class kernel> cudaError_t cudaFuncSetCacheConfig(kernel *, cudaFuncCache)
{
    return cudaSuccess;
}

template <class kernel> cudaError_t cudaFuncSetSharedMemConfig(kernel *, cudaSharedMemConfig)
{
    return cudaSuccess;
}

template <class kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, kernel *, int threads, size_t shared_bytes)
{
    return cmk_host_occupancy_(blocks, threads, shared_bytes);
}

template <class kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, kernel *, int threads,
                                                                   size_t shared_bytes, unsigned)
{
    return cmk_host_occupancy_(blocks, threads, shared_bytes);
}

template <class kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, kernel *, size_t shared_bytes = 0, int limit = 0)
{
    return cmk_host_block_size_(grid, block, shared_bytes, limit);
}

template <class kernel, class bytes_of>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, kernel *, bytes_of bytes,
                                                           int limit = 0)
{
    return cmk_host_block_size_(grid, block, (size_t)bytes((int)CMK_HOST_THREADS_), limit);
}

#else

#define cudaFuncSetAttribute(kernel, attribute, value) cmk_host_set_attribute_((uintptr_t)(kernel), attribute, value)
#define cudaFuncGetAttributes(attributes, kernel) cmk_host_get_attributes_((attributes), (uintptr_t)(kernel))
#define cudaFuncSetCacheConfig(kernel, wish) ((void)(kernel), cudaDeviceSetCacheConfig(wish))
#define cudaFuncSetSharedMemConfig(kernel, wish) ((void)(kernel), cudaDeviceSetSharedMemConfig(wish))
#define cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared_bytes)                           \
    ((void)(kernel), cmk_host_occupancy_((blocks), (threads), (shared_bytes)))
#define cudaOccupancyMaxPotentialBlockSize(grid, block, kernel, shared_bytes, limit)                                   \
    ((void)(kernel), cmk_host_block_size_((grid), (block), (shared_bytes), (limit)))

#endif

#endif
