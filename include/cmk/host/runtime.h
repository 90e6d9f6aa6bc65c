/* host/runtime.h: the calls of the CUDA runtime that programs with their own kernels use.
 *
 * There is one device, the CPU. Every call finishes before it returns (stream.h has streams and events). Wrong
 * arguments give the error that CUDA gives. Device memory from cudaMalloc is filled with 0xff (NaN, -1): what a kernel
 * reads before it is written shows. */
#include "../base.h"
#ifndef CMK_HOST_RUNTIME_H
#define CMK_HOST_RUNTIME_H

typedef enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
} cudaMemcpyKind;

typedef enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
} cudaFuncAttribute;

typedef enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxPitch = 11,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cmk_host_attribute_end_ = 1000
} cudaDeviceAttr;

typedef struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    size_t totalConstMem;
    int major;
    int minor;
    int multiProcessorCount;
    int l2CacheSize;
    int maxThreadsPerMultiProcessor;
    size_t sharedMemPerMultiprocessor;
    size_t sharedMemPerBlockOptin;
} cudaDeviceProp;

enum { cudaMemAttachGlobal = 1, cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2 };

/* ---- Macros where C++ CUDA has templates or default arguments; 0 stands for an argument left out */
#define cudaMalloc(pointer, bytes) cmk_host_malloc_((void **)(pointer), (bytes), cmk_host_device_)
#define cudaMallocHost(pointer, bytes) cmk_host_malloc_((void **)(pointer), (bytes), cmk_host_pinned_)
#define cudaHostAlloc(pointer, bytes, flags) cmk_host_malloc_((void **)(pointer), (bytes), cmk_host_pinned_)
#define cudaMallocManaged(...) CMK_HOST_MANAGED_(__VA_ARGS__, 0, 0)
#define CMK_HOST_MANAGED_(pointer, bytes, ...) cmk_host_malloc_((void **)(pointer), (bytes), cmk_host_managed_)
#define cudaMallocPitch(pointer, pitch, width, height) cmk_host_malloc_pitch_((void **)(pointer), pitch, width, height)

#define CMK_HOST_SYMBOL_(symbol) (void *)&(symbol), sizeof(symbol)
#define cudaMemcpyToSymbol(symbol, source, ...) CMK_HOST_TO_SYMBOL_(symbol, source, __VA_ARGS__, 0, 0, 0, 0)
#define cudaMemcpyToSymbolAsync cudaMemcpyToSymbol
#define CMK_HOST_TO_SYMBOL_(symbol, source, bytes, offset, kind, stream, ...)                                          \
    cmk_host_to_symbol_(CMK_HOST_SYMBOL_(symbol), (source), (bytes), (offset), (int)(kind), (stream))
#define cudaMemcpyFromSymbol(to, symbol, ...) CMK_HOST_FROM_SYMBOL_(to, symbol, __VA_ARGS__, 0, 0, 0, 0)
#define cudaMemcpyFromSymbolAsync cudaMemcpyFromSymbol
#define CMK_HOST_FROM_SYMBOL_(to, symbol, bytes, offset, kind, stream, ...)                                            \
    cmk_host_from_symbol_((to), (const void *)&(symbol), sizeof(symbol), (bytes), (offset), (int)(kind), (stream))
#define cudaGetSymbolAddress(pointer, symbol) cmk_host_symbol_address_((void **)(pointer), CMK_HOST_SYMBOL_(symbol))
#define cudaGetSymbolSize(bytes, symbol) (*(bytes) = sizeof(symbol), cmk_host_result_(cudaSuccess))
#define cudaFuncSetAttribute(kernel, attribute, value) cmk_host_set_attribute_((uintptr_t)(kernel), attribute, value)
#define cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared_bytes)                           \
    ((void)(kernel), cmk_host_occupancy_((blocks), (threads), (shared_bytes)))

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ size_t cmk_host_allocated_; /* bytes in live allocations */

/* ---- Allocation */
static inline size_t cmk_host_total_memory_(void)
{
    return (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}

static inline int cmk_host_core_count_(void)
{
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static inline cudaError_t cmk_host_malloc_(void **pointer, size_t bytes, cmk_host_kind_ kind)
{
    void *memory = NULL;
    if (!pointer) return cmk_host_result_(cudaErrorInvalidValue);
    if (bytes > 0) {
        if (bytes > cmk_host_total_memory_() - __atomic_load_n(&cmk_host_allocated_, __ATOMIC_RELAXED))
            return cmk_host_result_(cudaErrorMemoryAllocation);
        size_t whole = (bytes + 255) / 256 * 256;
        memory = aligned_alloc(256, whole);
        if (!memory) return cmk_host_result_(cudaErrorMemoryAllocation);
        memset(memory, 0xff, bytes);
        cmk_host_asan_forbid_((char *)memory + bytes, whole - bytes);
        __atomic_fetch_add(&cmk_host_allocated_, bytes, __ATOMIC_RELAXED);
        cmk_host_live_add_(memory, bytes, kind);
    }
    memcpy(pointer, &memory, sizeof memory); /* the pointer may be of any type */
    return cudaSuccess;
}

static inline cudaError_t cmk_host_malloc_pitch_(void **pointer, size_t *pitch, size_t width, size_t height)
{
    if (!pitch) return cmk_host_result_(cudaErrorInvalidValue);
    *pitch = (width + 511) / 512 * 512;
    return cmk_host_malloc_(pointer, *pitch * height, cmk_host_device_);
}

static inline cudaError_t cmk_host_free_(void *memory, cmk_host_kind_ kind1, cmk_host_kind_ kind2)
{
    if (!memory) return cudaSuccess;
    size_t bytes = cmk_host_live_remove_(memory, kind1);
    if (bytes == 0) bytes = cmk_host_live_remove_(memory, kind2);
    if (bytes == 0) return cmk_host_result_(cudaErrorInvalidValue);
    __atomic_fetch_sub(&cmk_host_allocated_, bytes, __ATOMIC_RELAXED);
    cmk_host_asan_allow_(memory, (bytes + 255) / 256 * 256);
    free(memory);
    return cudaSuccess;
}

static inline cudaError_t cudaFree(void *memory)
{
    return cmk_host_free_(memory, cmk_host_device_, cmk_host_managed_);
}

static inline cudaError_t cudaFreeHost(void *memory)
{
    return cmk_host_free_(memory, cmk_host_pinned_, cmk_host_pinned_);
}

static inline cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    *total = cmk_host_total_memory_();
    *free = *total - __atomic_load_n(&cmk_host_allocated_, __ATOMIC_RELAXED);
    return cudaSuccess;
}

/* ---- Copies */
typedef enum cmk_host_side_ { cmk_host_side_host_, cmk_host_side_device_, cmk_host_side_any_ } cmk_host_side_;

/* Whether a range may stand on this side of a copy. */
static inline int cmk_host_side_is_right_(const void *start, size_t bytes, cmk_host_side_ side)
{
    int right = side != cmk_host_side_device_;
    if (!start) return 0;
    pthread_mutex_lock(&cmk_host_memory_lock_);
    const cmk_host_range_ *range = cmk_host_find_(cmk_host_live_, cmk_host_live_count_, start, 1);
    if (range) {
        cmk_host_kind_ kind = cmk_host_live_kind_[range - cmk_host_live_];
        int host = kind == cmk_host_managed_ || kind == cmk_host_pinned_;
        right = (host || side != cmk_host_side_host_) && cmk_host_inside_(range, (uintptr_t)start, bytes);
    }
    pthread_mutex_unlock(&cmk_host_memory_lock_);
    return right;
}

static inline cudaError_t cmk_host_check_copy_(const void *to, size_t to_bytes, const void *from, size_t from_bytes,
                                               int kind)
{
    cmk_host_side_ to_side = cmk_host_side_any_;
    cmk_host_side_ from_side = cmk_host_side_any_;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    if (kind != cudaMemcpyDefault) {
        to_side = kind & 1 ? cmk_host_side_device_ : cmk_host_side_host_;
        from_side = kind & 2 ? cmk_host_side_device_ : cmk_host_side_host_;
    }
    if (to_bytes == 0) return cudaSuccess;
    if (!cmk_host_side_is_right_(to, to_bytes, to_side) || !cmk_host_side_is_right_(from, from_bytes, from_side))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                                          cudaStream_t stream CMK_HOST_DEFAULT_(0))
{
    cudaError_t error = cmk_host_check_copy_(to, bytes, from, bytes, (int)kind);
    if (error == cudaSuccess && !cmk_host_is_stream_(stream)) error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && bytes > 0) memmove(to, from, bytes);
    return cmk_host_result_(error);
}

static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    return cudaMemcpyAsync(to, from, bytes, kind, NULL);
}

static inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                            size_t width, size_t height, cudaMemcpyKind kind,
                                            cudaStream_t stream CMK_HOST_DEFAULT_(0))
{
    if (width > to_pitch || width > from_pitch) return cmk_host_result_(cudaErrorInvalidPitchValue);
    int empty = width == 0 || height == 0;
    size_t to_bytes = empty ? 0 : to_pitch * (height - 1) + width;
    size_t from_bytes = empty ? 0 : from_pitch * (height - 1) + width;
    cudaError_t error = cmk_host_check_copy_(to, to_bytes, from, from_bytes, (int)kind);
    if (error == cudaSuccess && !cmk_host_is_stream_(stream)) error = cudaErrorInvalidResourceHandle;
    for (size_t row = 0; error == cudaSuccess && !empty && row < height; row++)
        memmove((char *)to + row * to_pitch, (const char *)from + row * from_pitch, width);
    return cmk_host_result_(error);
}

static inline cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                       size_t height, cudaMemcpyKind kind)
{
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, NULL);
}

static inline cudaError_t cudaMemset2DAsync(void *start, size_t pitch, int value, size_t width, size_t height,
                                            cudaStream_t stream CMK_HOST_DEFAULT_(0))
{
    if (width == 0 || height == 0) return cmk_host_on_stream_(stream);
    if (width > pitch) return cmk_host_result_(cudaErrorInvalidPitchValue);
    if (!cmk_host_side_is_right_(start, pitch * (height - 1) + width, cmk_host_side_device_))
        return cmk_host_result_(cudaErrorInvalidValue);
    for (size_t row = 0; row < height; row++) memset((char *)start + row * pitch, value, width);
    return cmk_host_on_stream_(stream);
}

static inline cudaError_t cudaMemset2D(void *start, size_t pitch, int value, size_t width, size_t height)
{
    return cudaMemset2DAsync(start, pitch, value, width, height, NULL);
}

static inline cudaError_t cudaMemsetAsync(void *start, int value, size_t bytes,
                                          cudaStream_t stream CMK_HOST_DEFAULT_(0))
{
    return cudaMemset2DAsync(start, bytes, value, bytes, 1, stream);
}

static inline cudaError_t cudaMemset(void *start, int value, size_t bytes)
{
    return cudaMemsetAsync(start, value, bytes, NULL);
}

/* ---- Symbols */

/* What is wrong with a copy of part of a symbol; `side` is where the other end has to be. */
static inline cudaError_t cmk_host_symbol_range_(size_t size, size_t bytes, size_t offset, const void *other,
                                                 cmk_host_side_ side, cudaStream_t stream)
{
    if (offset > size || bytes > size - offset) return cudaErrorInvalidValue;
    if (bytes > 0 && !cmk_host_side_is_right_(other, bytes, side)) return cudaErrorInvalidValue;
    return cmk_host_is_stream_(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static inline cmk_host_side_ cmk_host_symbol_side_(int kind)
{
    if (kind == cudaMemcpyDefault) return cmk_host_side_any_;
    return kind == cudaMemcpyDeviceToDevice ? cmk_host_side_device_ : cmk_host_side_host_;
}

static inline cudaError_t cmk_host_to_symbol_(void *symbol, size_t size, const void *from, size_t bytes, size_t offset,
                                              int kind, cudaStream_t stream)
{
    cmk_host_side_ side = cmk_host_symbol_side_(kind);
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault || kind == cudaMemcpyDeviceToHost)
        return cmk_host_result_(cudaErrorInvalidMemcpyDirection);
    cudaError_t error = cmk_host_symbol_range_(size, bytes, offset, from, side, stream);
    if (error == cudaSuccess && bytes > 0) memmove((char *)symbol + offset, from, bytes);
    return cmk_host_result_(error);
}

static inline cudaError_t cmk_host_from_symbol_(void *to, const void *symbol, size_t size, size_t bytes, size_t offset,
                                                int kind, cudaStream_t stream)
{
    cmk_host_side_ side = cmk_host_symbol_side_(kind);
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault || kind == cudaMemcpyHostToDevice)
        return cmk_host_result_(cudaErrorInvalidMemcpyDirection);
    cudaError_t error = cmk_host_symbol_range_(size, bytes, offset, to, side, stream);
    if (error == cudaSuccess && bytes > 0) memmove(to, (const char *)symbol + offset, bytes);
    return cmk_host_result_(error);
}

static inline cudaError_t cmk_host_symbol_address_(void **pointer, void *symbol, size_t bytes)
{
    if (!cmk_host_side_is_right_(symbol, bytes, cmk_host_side_device_))
        cmk_host_live_add_(symbol, bytes, cmk_host_symbol_);
    memcpy(pointer, &symbol, sizeof symbol);
    return cudaSuccess;
}

/* ---- The device */
static inline cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

/* Frees all memory of the device, as the end of the process does. */
static inline cudaError_t cudaDeviceReset(void)
{
    for (size_t left = cmk_host_live_count_; left > 0; left--) {
        void *memory = (void *)cmk_host_live_[left - 1].low_;
        if (cudaFree(memory) != cudaSuccess) (void)cudaFreeHost(memory);
    }
    (void)cudaGetLastError();
    return cudaSuccess;
}

static inline cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

static inline cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

static inline cudaError_t cudaSetDevice(int device)
{
    return cmk_host_result_(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

/* Of this device; -1 of one that is unknown. */
static inline int cmk_host_attribute_(cudaDeviceAttr attribute)
{
    static const int known[][2] = {
        {cudaDevAttrMaxThreadsPerBlock, (int)CMK_HOST_THREADS_},
        {cudaDevAttrMaxBlockDimX, 1024},
        {cudaDevAttrMaxBlockDimY, 1024},
        {cudaDevAttrMaxBlockDimZ, 64},
        {cudaDevAttrMaxGridDimX, 0x7fffffff},
        {cudaDevAttrMaxGridDimY, 65535},
        {cudaDevAttrMaxGridDimZ, 65535},
        {cudaDevAttrMaxSharedMemoryPerBlock, (int)CMK_HOST_STATIC_LIMIT_},
        {cudaDevAttrTotalConstantMemory, 65536},
        {cudaDevAttrWarpSize, warpSize},
        {cudaDevAttrMaxPitch, 0x7fffffff},
        {cudaDevAttrMaxRegistersPerBlock, 65536},
        {cudaDevAttrClockRate, 1000000},
        {cudaDevAttrMemoryClockRate, 1000000},
        {cudaDevAttrGlobalMemoryBusWidth, 64},
        {cudaDevAttrL2CacheSize, 1 << 20},
        {cudaDevAttrMaxThreadsPerMultiProcessor, (int)CMK_HOST_THREADS_},
        {cudaDevAttrComputeCapabilityMajor, 9},
        {cudaDevAttrComputeCapabilityMinor, 0},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, (int)CMK_HOST_SHARED_LIMIT_ + 1024},
        {cudaDevAttrManagedMemory, 1},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, (int)CMK_HOST_SHARED_LIMIT_},
    };
    if (attribute == cudaDevAttrMultiProcessorCount) return cmk_host_core_count_();
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i][0] == (int)attribute) return known[i][1];
    }
    return -1;
}

static inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    if (device != 0) return cmk_host_result_(cudaErrorInvalidDevice);
    if (cmk_host_attribute_(attribute) < 0) return cmk_host_result_(cudaErrorInvalidValue);
    *value = cmk_host_attribute_(attribute);
    return cudaSuccess;
}

static inline size_t cmk_host_limit_(cudaDeviceAttr attribute)
{
    return (size_t)cmk_host_attribute_(attribute);
}

static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    if (device != 0) return cmk_host_result_(cudaErrorInvalidDevice);
    memset(properties, 0, sizeof *properties);
    strcpy(properties->name, "cmk CPU backend");
    for (int i = 0; i < 3; i++) {
        properties->maxThreadsDim[i] = cmk_host_attribute_((cudaDeviceAttr)(cudaDevAttrMaxBlockDimX + i));
        properties->maxGridSize[i] = cmk_host_attribute_((cudaDeviceAttr)(cudaDevAttrMaxGridDimX + i));
    }
    properties->totalGlobalMem = cmk_host_total_memory_();
    properties->sharedMemPerBlock = cmk_host_limit_(cudaDevAttrMaxSharedMemoryPerBlock);
    properties->sharedMemPerBlockOptin = cmk_host_limit_(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    properties->sharedMemPerMultiprocessor = cmk_host_limit_(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    properties->totalConstMem = cmk_host_limit_(cudaDevAttrTotalConstantMemory);
    properties->memPitch = cmk_host_limit_(cudaDevAttrMaxPitch);
    properties->regsPerBlock = cmk_host_attribute_(cudaDevAttrMaxRegistersPerBlock);
    properties->warpSize = cmk_host_attribute_(cudaDevAttrWarpSize);
    properties->maxThreadsPerBlock = cmk_host_attribute_(cudaDevAttrMaxThreadsPerBlock);
    properties->maxThreadsPerMultiProcessor = cmk_host_attribute_(cudaDevAttrMaxThreadsPerMultiProcessor);
    properties->multiProcessorCount = cmk_host_attribute_(cudaDevAttrMultiProcessorCount);
    properties->l2CacheSize = cmk_host_attribute_(cudaDevAttrL2CacheSize);
    properties->major = cmk_host_attribute_(cudaDevAttrComputeCapabilityMajor);
    properties->minor = cmk_host_attribute_(cudaDevAttrComputeCapabilityMinor);
    return cudaSuccess;
}

static inline cudaError_t cudaDriverGetVersion(int *version)
{
    *version = 13000;
    return cudaSuccess;
}

static inline cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = 13000;
    return cudaSuccess;
}

static inline cudaError_t cmk_host_occupancy_(int *blocks, int threads, size_t shared_bytes)
{
    if (threads < 1) return cmk_host_result_(cudaErrorInvalidValue);
    *blocks = shared_bytes > CMK_HOST_SHARED_LIMIT_ ? 0 : 1024 / threads;
    return cudaSuccess;
}

static inline cudaError_t cmk_host_set_attribute_(uintptr_t kernel, cudaFuncAttribute attribute, int value)
{
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 || (size_t)value > CMK_HOST_SHARED_LIMIT_)
        return cmk_host_result_(cudaErrorInvalidValue);
    cmk_host_allow_(kernel, (size_t)value);
    return cudaSuccess;
}

CMK_HOST_C_END_

#endif
