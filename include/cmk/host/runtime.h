/* host/runtime.h: calls of the CUDA runtime for programs with kernels of their own. Streams and events are in stream.h,
 * graphs in graph.h and copies in copy.h.
 *
 * There are one or several devices (device.h), all of which are the CPU. Wrong arguments give the error that CUDA
 * gives. Device memory from cudaMalloc is filled with 0xff (NaN, -1), so that a read before the first write shows.
 * Calls that free memory wait for the devices first. */
#include "../base.h"
#ifndef CMK_HOST_RUNTIME_H
#define CMK_HOST_RUNTIME_H

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

enum {
    cudaMemAttachGlobal = 1,
    cudaMemAttachHost = 2,
    cudaMemAttachSingle = 4,
    cudaHostAllocDefault = 0,
    cudaHostAllocPortable = 1,
    cudaHostAllocMapped = 2,
    cudaHostAllocWriteCombined = 4,
    cudaHostRegisterDefault = 0,
    cudaHostRegisterPortable = 1,
    cudaHostRegisterMapped = 2,
    cudaHostRegisterIoMemory = 4,
    cudaHostRegisterReadOnly = 8,
    cudaDeviceScheduleAuto = 0,
    cudaDeviceScheduleSpin = 1,
    cudaDeviceScheduleYield = 2,
    cudaDeviceScheduleBlockingSync = 4,
    cudaDeviceMapHost = 8,
    cudaDeviceLmemResizeToMax = 16,
    cudaCpuDeviceId = -1,
    cudaInvalidDeviceId = -2
};

typedef enum cudaLimit {
    cudaLimitStackSize = 0,
    cudaLimitPrintfFifoSize = 1,
    cudaLimitMallocHeapSize = 2,
    cudaLimitDevRuntimeSyncDepth = 3,
    cudaLimitDevRuntimePendingLaunchCount = 4,
    cudaLimitMaxL2FetchGranularity = 5,
    cudaLimitPersistingL2CacheSize = 6
} cudaLimit;

typedef enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly = 2,
    cudaMemAdviseSetPreferredLocation = 3,
    cudaMemAdviseUnsetPreferredLocation = 4,
    cudaMemAdviseSetAccessedBy = 5,
    cudaMemAdviseUnsetAccessedBy = 6
} cudaMemoryAdvise;

typedef enum cudaMemLocationType {
    cudaMemLocationTypeInvalid = 0,
    cudaMemLocationTypeDevice = 1,
    cudaMemLocationTypeHost = 2
} cudaMemLocationType;

typedef struct cudaMemLocation {
    cudaMemLocationType type;
    int id;
} cudaMemLocation;

typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic = 2,
    cudaMemPoolReuseAllowInternalDependencies = 3,
    cudaMemPoolAttrReleaseThreshold = 4,
    cudaMemPoolAttrReservedMemCurrent = 5,
    cudaMemPoolAttrReservedMemHigh = 6,
    cudaMemPoolAttrUsedMemCurrent = 7,
    cudaMemPoolAttrUsedMemHigh = 8
} cudaMemPoolAttr;

/* ---- In C, macros stand for the templates and default arguments of C++. 0 stands for an argument that is left out. */
#if !defined(__cplusplus)
#define cudaMalloc(pointer, bytes) cmk_host_malloc_((void **)(pointer), (bytes), cmk_host_device_)
#define cudaMallocHost(...) CMK_HOST_PINNED_(__VA_ARGS__, 0, 0)
#define CMK_HOST_PINNED_(pointer, bytes, ...) cmk_host_malloc_((void **)(pointer), (bytes), cmk_host_pinned_)
#define cudaHostAlloc(pointer, bytes, flags) cmk_host_malloc_((void **)(pointer), (bytes), cmk_host_pinned_)
#define cudaMallocManaged(...) CMK_HOST_MANAGED_(__VA_ARGS__, 0, 0)
#define CMK_HOST_MANAGED_(pointer, bytes, ...) cmk_host_malloc_((void **)(pointer), (bytes), cmk_host_managed_)
#define cudaMallocAsync(pointer, bytes, stream) cmk_host_malloc_async_((void **)(pointer), (bytes), (stream))
#define cudaMallocPitch(pointer, pitch, width, height) cmk_host_malloc_pitch_((void **)(pointer), pitch, width, height)
#define cudaHostGetDevicePointer(pointer, memory, flags) cmk_host_pinned_at_((void **)(pointer), (memory), (flags))
#define cudaGetSymbolAddress(pointer, symbol) cmk_host_symbol_address_((void **)(pointer), CMK_HOST_SYMBOL_(symbol))
#define cudaGetSymbolSize(bytes, symbol) (*(bytes) = sizeof(symbol), cmk_host_result_(cudaSuccess))
#endif

CMK_HOST_C_BEGIN_

CMK_HOST_ONE_ size_t cmk_host_allocated_; /* bytes in live allocations */

/* ---- Allocation */
CMK_HOST_CALLED_ cudaError_t cmk_host_malloc_(void **pointer, size_t bytes, cmk_host_kind_ kind)
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

CMK_HOST_CALLED_ cudaError_t cmk_host_malloc_pitch_(void **pointer, size_t *pitch, size_t width, size_t height)
{
    if (!pitch) return cmk_host_result_(cudaErrorInvalidValue);
    *pitch = (width + 511) / 512 * 512;
    return cmk_host_malloc_(pointer, *pitch * height, cmk_host_device_);
}

/* Allocates in the order of the stream: the work that is in the stream is done first. */
static inline cudaError_t cmk_host_malloc_async_(void **pointer, size_t bytes, cudaStream_t stream)
{
    const cudaError_t error = cmk_host_result_(cmk_host_finish_stream_(stream));
    return error == cudaSuccess ? cmk_host_malloc_(pointer, bytes, cmk_host_device_) : error;
}

static inline cudaError_t cudaMalloc3D(cudaPitchedPtr *made, cudaExtent extent)
{
    if (!made) return cmk_host_result_(cudaErrorInvalidValue);
    made->xsize = extent.width;
    made->ysize = extent.height;
    return cmk_host_malloc_pitch_(&made->ptr, &made->pitch, extent.width, extent.height * extent.depth);
}

/* Waits until the device of the memory has done its work; for pinned host memory, until all devices have. */
static inline void cmk_host_finish_owner_(const void *memory, int all)
{
    cmk_host_range_ range = {0, 0};
    cmk_host_owner_ owner = {cmk_host_device_, 0};
    if (!CMK_HOST_RACES_ && cmk_host_is_idle_()) return;
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

static inline cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
    const cudaError_t error = cmk_host_result_(cmk_host_finish_stream_(stream));
    return error == cudaSuccess ? cudaFree(memory) : error;
}

/* Memory of the program becomes pinned, until cudaHostUnregister. */
static inline cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags)
{
    cmk_host_range_ range;
    cmk_host_owner_ owner;
    if (!memory || bytes == 0 || flags > 15) return cmk_host_result_(cudaErrorInvalidValue);
    if (cmk_host_live_at_(memory, &range, &owner)) return cmk_host_result_(cudaErrorHostMemoryAlreadyRegistered);
    cmk_host_live_add_(memory, bytes, cmk_host_registered_);
    return cudaSuccess;
}

static inline cudaError_t cudaHostUnregister(void *memory)
{
    cmk_host_finish_owner_(memory, 1);
    return cmk_host_result_(cmk_host_live_remove_(memory, cmk_host_registered_) > 0 ? cudaSuccess
                                                                                    : cudaErrorHostMemoryNotRegistered);
}

/* Gives the address of pinned memory in kernels, which is the same. */
static inline cudaError_t cmk_host_pinned_at_(void **pointer, void *memory, unsigned flags)
{
    cmk_host_range_ range = {0, 0};
    cmk_host_owner_ owner = {cmk_host_device_, 0};
    if (!pointer || !memory || flags || !cmk_host_live_at_(memory, &range, &owner) || owner.kind_ == cmk_host_device_)
        return cmk_host_result_(cudaErrorInvalidValue);
    memcpy(pointer, &memory, sizeof memory);
    return cudaSuccess;
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
    attributes->device = -2; /* CUDA gives this for memory that it does not know */
    attributes->hostPointer = address;
    if (!cmk_host_live_at_(pointer, &range, &owner)) return cudaSuccess;
    const int device = owner.kind_ == cmk_host_device_ || owner.kind_ == cmk_host_symbol_;
    attributes->type = device                             ? cudaMemoryTypeDevice
                       : owner.kind_ == cmk_host_managed_ ? cudaMemoryTypeManaged
                                                          : cudaMemoryTypeHost;
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

/* Frees the memory of the device, as the end of the process does, and memory that belongs to no device. */
static inline cudaError_t cudaDeviceReset(void)
{
    cmk_host_finish_device_(-1);
    __atomic_store_n(&cmk_host_lasting_error_, cudaSuccess, __ATOMIC_RELEASE);
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

/* Gives the current device access to the memory of the peer. */
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

/* ---- Settings that change nothing here */
static inline cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    return cmk_host_result_(flags > 31 ? cudaErrorInvalidValue : cudaSuccess);
}

static inline cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    *flags = cudaDeviceMapHost;
    return cudaSuccess;
}

static inline cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value)
{
    (void)value;
    return cmk_host_result_((int)limit > cudaLimitPersistingL2CacheSize ? cudaErrorUnsupportedLimit : cudaSuccess);
}

/* Limits. The stack of a thread has a fixed size (fiber.h); the heap of kernels is that of the program. */
static inline cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit)
{
    if ((int)limit > cudaLimitPersistingL2CacheSize) return cmk_host_result_(cudaErrorUnsupportedLimit);
    *value = limit == cudaLimitStackSize ? CMK_HOST_STACK_ : (size_t)8 << 20;
    return cudaSuccess;
}

static inline cudaError_t cmk_host_advise_(const void *memory, size_t bytes)
{
    const int right = bytes > 0 && cmk_host_side_is_right_(memory, bytes, cmk_host_side_device_);
    return cmk_host_result_(right ? cudaSuccess : cudaErrorInvalidValue);
}

static inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    if (!cmk_host_is_device_(device)) return cmk_host_result_(cudaErrorInvalidDevice);
    *pool = (cudaMemPool_t)(uintptr_t)(device + 1);
    return cudaSuccess;
}

static inline cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    return cudaDeviceGetDefaultMemPool(pool, device);
}

static inline cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    const int own = cmk_host_is_device_(device) && pool == (cudaMemPool_t)(uintptr_t)(device + 1);
    return cmk_host_result_(own ? cudaSuccess : cudaErrorInvalidValue);
}

static inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value)
{
    (void)attribute;
    return cmk_host_result_(pool && value ? cudaSuccess : cudaErrorInvalidValue);
}

static inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    (void)bytes;
    return cmk_host_result_(pool ? cudaSuccess : cudaErrorInvalidValue);
}

static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *memory, size_t bytes, unsigned flags)
{
    (void)stream;
    (void)bytes;
    return cmk_host_result_(memory && flags <= 4 ? cudaSuccess : cudaErrorInvalidValue);
}

#if !defined(__cplusplus)
static inline cudaError_t cudaMemAdvise(const void *memory, size_t bytes, cudaMemoryAdvise advice,
                                        cudaMemLocation place)
{
    (void)advice;
    (void)place;
    return cmk_host_advise_(memory, bytes);
}

static inline cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes, cudaMemLocation place, unsigned flags,
                                               cudaStream_t stream)
{
    (void)place;
    (void)flags;
    (void)stream;
    return cmk_host_advise_(memory, bytes);
}
#endif

CMK_HOST_C_END_

#if defined(__cplusplus)

template <class element> cudaError_t cudaMalloc(element **pointer, size_t bytes)
{
    return cmk_host_malloc_((void **)pointer, bytes, cmk_host_device_);
}

static inline cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    return cmk_host_malloc_(pointer, bytes, cmk_host_device_);
}

template <class element> cudaError_t cudaMallocHost(element **pointer, size_t bytes, unsigned = cudaHostAllocDefault)
{
    return cmk_host_malloc_((void **)pointer, bytes, cmk_host_pinned_);
}

template <class element> cudaError_t cudaHostAlloc(element **pointer, size_t bytes, unsigned = cudaHostAllocDefault)
{
    return cmk_host_malloc_((void **)pointer, bytes, cmk_host_pinned_);
}

template <class element> cudaError_t cudaMallocManaged(element **pointer, size_t bytes, unsigned = cudaMemAttachGlobal)
{
    return cmk_host_malloc_((void **)pointer, bytes, cmk_host_managed_);
}

template <class element> cudaError_t cudaMallocAsync(element **pointer, size_t bytes, cudaStream_t stream)
{
    return cmk_host_malloc_async_((void **)pointer, bytes, stream);
}

template <class element> cudaError_t cudaMallocPitch(element **pointer, size_t *pitch, size_t width, size_t height)
{
    return cmk_host_malloc_pitch_((void **)pointer, pitch, width, height);
}

template <class element> cudaError_t cudaHostGetDevicePointer(element **pointer, void *memory, unsigned flags)
{
    return cmk_host_pinned_at_((void **)pointer, memory, flags);
}

template <class element, class variable> cudaError_t cudaGetSymbolAddress(element **pointer, const variable &symbol)
{
    return cmk_host_symbol_address_((void **)pointer, CMK_HOST_SYMBOL_(symbol));
}

template <class variable> cudaError_t cudaGetSymbolSize(size_t *bytes, const variable &)
{
    *bytes = sizeof(variable);
    return cudaSuccess;
}

/* The place is a cudaMemLocation or, as in CUDA 12, the number of a device. */
template <class place> cudaError_t cudaMemAdvise(const void *memory, size_t bytes, cudaMemoryAdvise, place)
{
    return cmk_host_advise_(memory, bytes);
}

static inline cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes, int, cudaStream_t = 0)
{
    return cmk_host_advise_(memory, bytes);
}

static inline cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes, cudaMemLocation, unsigned,
                                               cudaStream_t = 0)
{
    return cmk_host_advise_(memory, bytes);
}

#endif

#endif
