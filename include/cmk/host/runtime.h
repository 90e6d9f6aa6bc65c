/* host/runtime.h: the calls of the CUDA runtime that programs with their own kernels use, but for streams and events
 * (stream.h), graphs (graph.h) and copies (copy.h).
 *
 * There are one or several devices (device.h), all of them the CPU. Wrong arguments give the error that CUDA gives.
 * Device memory from cudaMalloc is filled with 0xff (NaN, -1): what a kernel reads before it is written shows. What
 * frees memory waits for the devices first. */
#include "../base.h"
#ifndef CMK_HOST_RUNTIME_H
#define CMK_HOST_RUNTIME_H

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

typedef enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost = 1,
    cudaMemoryTypeDevice = 2,
    cudaMemoryTypeManaged = 3
} cudaMemoryType;

typedef struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
} cudaPointerAttributes;

enum { cudaMemAttachGlobal = 1, cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2 };

/* ---- Macros where C++ CUDA has templates or default arguments; 0 stands for an argument left out */
#define cudaMalloc(pointer, bytes) cmk_host_malloc_((void **)(pointer), (bytes), cmk_host_device_)
#define cudaMallocHost(pointer, bytes) cmk_host_malloc_((void **)(pointer), (bytes), cmk_host_pinned_)
#define cudaHostAlloc(pointer, bytes, flags) cmk_host_malloc_((void **)(pointer), (bytes), cmk_host_pinned_)
#define cudaMallocManaged(...) CMK_HOST_MANAGED_(__VA_ARGS__, 0, 0)
#define CMK_HOST_MANAGED_(pointer, bytes, ...) cmk_host_malloc_((void **)(pointer), (bytes), cmk_host_managed_)
#define cudaMallocPitch(pointer, pitch, width, height) cmk_host_malloc_pitch_((void **)(pointer), pitch, width, height)

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
    const cudaError_t error = pointer ? cmk_host_unsafe_() : cudaErrorInvalidValue;
    if (error != cudaSuccess) return cmk_host_result_(error);
    if (bytes > 0) {
        if (bytes > cmk_host_total_memory_() - __atomic_load_n(&cmk_host_allocated_, __ATOMIC_RELAXED))
            return cmk_host_result_(cudaErrorMemoryAllocation);
        size_t whole = (bytes + 255) / 256 * 256;
        memory = cmk_host_memory_take_(bytes);
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

/* Until the device has done what it has, for which host memory is pinned all have. */
static inline void cmk_host_finish_owner_(const void *memory, int all)
{
    cmk_host_range_ range = {0, 0};
    cmk_host_owner_ owner = {cmk_host_device_, 0};
    if (cmk_host_is_idle_()) return;
    const int known = cmk_host_live_at_(memory, &range, &owner);
    if (known) cmk_host_finish_device_(all || owner.kind_ == cmk_host_managed_ ? -1 : owner.device_);
}

static inline cudaError_t cmk_host_free_(void *memory, cmk_host_kind_ kind1, cmk_host_kind_ kind2)
{
    if (!memory) return cudaSuccess;
    const cudaError_t error = cmk_host_unsafe_();
    if (error != cudaSuccess) return cmk_host_result_(error);
    cmk_host_finish_owner_(memory, kind1 == cmk_host_pinned_);
    size_t bytes = cmk_host_live_remove_(memory, kind1);
    if (bytes == 0) bytes = cmk_host_live_remove_(memory, kind2);
    if (bytes == 0) return cmk_host_result_(cudaErrorInvalidValue);
    __atomic_fetch_sub(&cmk_host_allocated_, bytes, __ATOMIC_RELAXED);
    cmk_host_asan_allow_(memory, (bytes + 255) / 256 * 256);
    cmk_host_memory_give_back_(memory, bytes);
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

/* ---- Symbols */
static inline cudaError_t cmk_host_symbol_address_(void **pointer, void *symbol, size_t bytes)
{
    if (!cmk_host_side_is_right_(symbol, bytes, cmk_host_side_device_))
        cmk_host_live_add_(symbol, bytes, cmk_host_symbol_);
    cmk_host_know_(symbol, bytes);
    memcpy(pointer, &symbol, sizeof symbol);
    return cudaSuccess;
}

static inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer)
{
    cmk_host_range_ range;
    cmk_host_owner_ owner;
    void *const address = (void *)(uintptr_t)pointer;
    if (!attributes || !pointer) return cmk_host_result_(cudaErrorInvalidValue);
    memset(attributes, 0, sizeof *attributes);
    attributes->device = -2; /* as CUDA says of memory that it does not know */
    attributes->hostPointer = address;
    if (!cmk_host_live_at_(pointer, &range, &owner)) return cudaSuccess;
    const int device = owner.kind_ == cmk_host_device_ || owner.kind_ == cmk_host_symbol_;
    attributes->type = device                            ? cudaMemoryTypeDevice
                       : owner.kind_ == cmk_host_pinned_ ? cudaMemoryTypeHost
                                                         : cudaMemoryTypeManaged;
    attributes->device = owner.device_;
    attributes->devicePointer = address;
    if (device) attributes->hostPointer = NULL;
    return cudaSuccess;
}

/* ---- The devices */
static inline cudaError_t cudaDeviceSynchronize(void)
{
    const cudaError_t error = cmk_host_unsafe_();
    if (error == cudaSuccess) cmk_host_finish_device_(cmk_host_device_now_);
    return cmk_host_result_(error);
}

/* Frees the memory of the device, as the end of the process does, and what is of no device. */
static inline cudaError_t cudaDeviceReset(void)
{
    cmk_host_finish_device_(-1);
    for (size_t left = cmk_host_live_count_; left > 0; left--) {
        void *memory = (void *)cmk_host_live_[left - 1].low_;
        if (cmk_host_live_owner_[left - 1].device_ != cmk_host_device_now_) continue;
        if (cudaFree(memory) != cudaSuccess) (void)cudaFreeHost(memory);
    }
    (void)cudaGetLastError();
    return cudaSuccess;
}

static inline cudaError_t cudaGetDeviceCount(int *count)
{
    *count = cmk_host_options_read_()->devices_;
    return cudaSuccess;
}

static inline cudaError_t cudaGetDevice(int *device)
{
    *device = cmk_host_device_now_;
    return cudaSuccess;
}

static inline cudaError_t cudaSetDevice(int device)
{
    const int known = cmk_host_is_device_(device);
    if (known) cmk_host_device_now_ = device;
    return cmk_host_result_(known ? cudaSuccess : cudaErrorInvalidDevice);
}

static inline cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (!cmk_host_is_device_(device) || !cmk_host_is_device_(peer)) return cmk_host_result_(cudaErrorInvalidDevice);
    *can = device != peer && !cmk_host_options_now_.apart_;
    return cudaSuccess;
}

/* Of the device that is set: to the peer's memory. */
static inline cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    const int device = cmk_host_device_now_;
    if (!cmk_host_is_device_(peer) || peer == device) return cmk_host_result_(cudaErrorInvalidDevice);
    if (flags != 0) return cmk_host_result_(cudaErrorInvalidValue);
    if (cmk_host_options_now_.apart_) return cmk_host_result_(cudaErrorPeerAccessUnsupported);
    const unsigned before = __atomic_fetch_or(&cmk_host_peers_[device], 1u << peer, __ATOMIC_ACQ_REL);
    return cmk_host_result_(before >> peer & 1 ? cudaErrorPeerAccessAlreadyEnabled : cudaSuccess);
}

static inline cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    if (!cmk_host_is_device_(peer)) return cmk_host_result_(cudaErrorInvalidDevice);
    cmk_host_finish_device_(cmk_host_device_now_);
    const unsigned before = __atomic_fetch_and(&cmk_host_peers_[cmk_host_device_now_], ~(1u << peer), __ATOMIC_ACQ_REL);
    return cmk_host_result_(before >> peer & 1 ? cudaSuccess : cudaErrorPeerAccessNotEnabled);
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
    if (!cmk_host_is_device_(device)) return cmk_host_result_(cudaErrorInvalidDevice);
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
    if (!cmk_host_is_device_(device)) return cmk_host_result_(cudaErrorInvalidDevice);
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
