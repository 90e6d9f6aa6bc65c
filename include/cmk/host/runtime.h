/* host/runtime.h: the calls of the CUDA runtime that programs with their own kernels use.
 *
 * There is one device, the CPU. Every call finishes before it returns (stream.h has streams and events). Wrong arguments give the error that CUDA gives. Device memory from
 * cudaMalloc is filled with 0xff (NaN, -1): what a kernel reads before it is written shows. */
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

enum {
    cudaMemAttachGlobal = 1,
    cudaHostAllocDefault = 0,
    cudaHostAllocPortable = 1,
    cudaHostAllocMapped = 2
};

/* ---- Macros where C++ CUDA has templates or default arguments; 0 stands for an argument left out */
#define cudaMalloc(pointer_, bytes_) cmk_host_malloc_((void **)(pointer_), (bytes_), cmk_host_device_)
#define cudaMallocHost(pointer_, bytes_) cmk_host_malloc_((void **)(pointer_), (bytes_), cmk_host_pinned_)
#define cudaHostAlloc(pointer_, bytes_, flags_)                                                              \
    cmk_host_malloc_((void **)(pointer_), (bytes_), cmk_host_pinned_)
#define cudaMallocManaged(...) CMK_HOST_MANAGED_(__VA_ARGS__, 0, 0)
#define CMK_HOST_MANAGED_(pointer_, bytes_, ...)                                                             \
    cmk_host_malloc_((void **)(pointer_), (bytes_), cmk_host_managed_)
#define cudaMallocPitch(pointer_, pitch_, width_, height_)                                                   \
    cmk_host_malloc_pitch_((void **)(pointer_), (pitch_), (width_), (height_))

#define cudaMemcpyToSymbol(symbol_, source_, ...)                                                            \
    CMK_HOST_TO_SYMBOL_(symbol_, source_, __VA_ARGS__, 0, 0, 0, 0)
#define cudaMemcpyToSymbolAsync cudaMemcpyToSymbol
#define CMK_HOST_TO_SYMBOL_(symbol_, source_, bytes_, offset_, kind_, stream_, ...)                          \
    cmk_host_to_symbol_(                                                                                     \
        (void *)&(symbol_), sizeof(symbol_), (source_), (bytes_), (offset_), (int)(kind_), (stream_))
#define cudaMemcpyFromSymbol(to_, symbol_, ...) CMK_HOST_FROM_SYMBOL_(to_, symbol_, __VA_ARGS__, 0, 0, 0, 0)
#define cudaMemcpyFromSymbolAsync cudaMemcpyFromSymbol
#define CMK_HOST_FROM_SYMBOL_(to_, symbol_, bytes_, offset_, kind_, stream_, ...)                            \
    cmk_host_from_symbol_(                                                                                   \
        (to_), (const void *)&(symbol_), sizeof(symbol_), (bytes_), (offset_), (int)(kind_), (stream_))
#define cudaGetSymbolAddress(pointer_, symbol_)                                                              \
    cmk_host_symbol_address_((void **)(pointer_), (void *)&(symbol_), sizeof(symbol_))
#define cudaGetSymbolSize(bytes_, symbol_) (*(bytes_) = sizeof(symbol_), cmk_host_result_(cudaSuccess))
#define cudaFuncSetAttribute(kernel_, attribute_, value_)                                                    \
    cmk_host_set_attribute_((uintptr_t)(kernel_), (attribute_), (value_))
#define cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks_, kernel_, threads_, shared_bytes_)             \
    ((void)(kernel_), cmk_host_occupancy_((blocks_), (threads_), (shared_bytes_)))

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

static inline cudaError_t cmk_host_malloc_(void **pointer_, size_t bytes_, cmk_host_kind_ kind_)
{
    void *memory_ = NULL;
    if (!pointer_)
        return cmk_host_result_(cudaErrorInvalidValue);
    if (bytes_ > 0) {
        if (bytes_ > cmk_host_total_memory_() - __atomic_load_n(&cmk_host_allocated_, __ATOMIC_RELAXED))
            return cmk_host_result_(cudaErrorMemoryAllocation);
        size_t whole_ = (bytes_ + 255) / 256 * 256;
        memory_ = aligned_alloc(256, whole_);
        if (!memory_)
            return cmk_host_result_(cudaErrorMemoryAllocation);
        memset(memory_, 0xff, bytes_);
        cmk_host_asan_forbid_((char *)memory_ + bytes_, whole_ - bytes_);
        __atomic_fetch_add(&cmk_host_allocated_, bytes_, __ATOMIC_RELAXED);
        cmk_host_live_add_(memory_, bytes_, kind_);
    }
    memcpy(pointer_, &memory_, sizeof memory_); /* the pointer may be of any type */
    return cudaSuccess;
}

static inline cudaError_t cmk_host_malloc_pitch_(void **pointer_, size_t *pitch_, size_t width_,
                                                 size_t height_)
{
    if (!pitch_)
        return cmk_host_result_(cudaErrorInvalidValue);
    *pitch_ = (width_ + 511) / 512 * 512;
    return cmk_host_malloc_(pointer_, *pitch_ * height_, cmk_host_device_);
}

static inline cudaError_t cmk_host_free_(void *memory_, cmk_host_kind_ kind1_, cmk_host_kind_ kind2_)
{
    if (!memory_)
        return cudaSuccess;
    size_t bytes_ = cmk_host_live_remove_(memory_, kind1_);
    if (bytes_ == 0)
        bytes_ = cmk_host_live_remove_(memory_, kind2_);
    if (bytes_ == 0)
        return cmk_host_result_(cudaErrorInvalidValue);
    __atomic_fetch_sub(&cmk_host_allocated_, bytes_, __ATOMIC_RELAXED);
    cmk_host_asan_allow_(memory_, (bytes_ + 255) / 256 * 256);
    free(memory_);
    return cudaSuccess;
}

static inline cudaError_t cudaFree(void *memory_)
{
    return cmk_host_free_(memory_, cmk_host_device_, cmk_host_managed_);
}

static inline cudaError_t cudaFreeHost(void *memory_)
{
    return cmk_host_free_(memory_, cmk_host_pinned_, cmk_host_pinned_);
}

static inline cudaError_t cudaMemGetInfo(size_t *free_, size_t *total_)
{
    *total_ = cmk_host_total_memory_();
    *free_ = *total_ - __atomic_load_n(&cmk_host_allocated_, __ATOMIC_RELAXED);
    return cudaSuccess;
}

/* ---- Copies */
typedef enum cmk_host_side_ { cmk_host_side_host_, cmk_host_side_device_, cmk_host_side_any_ } cmk_host_side_;

/* Whether a range may stand on this side of a copy. */
static inline int cmk_host_side_is_right_(const void *start_, size_t bytes_, cmk_host_side_ side_)
{
    int right_ = side_ != cmk_host_side_device_;
    if (!start_)
        return 0;
    pthread_mutex_lock(&cmk_host_memory_lock_);
    const cmk_host_range_ *range_ = cmk_host_find_(cmk_host_live_, cmk_host_live_count_, start_, 1);
    if (range_) {
        cmk_host_kind_ kind_ = cmk_host_live_kind_[range_ - cmk_host_live_];
        int host_ = kind_ == cmk_host_managed_ || kind_ == cmk_host_pinned_;
        right_ =
            (host_ || side_ != cmk_host_side_host_) && cmk_host_inside_(range_, (uintptr_t)start_, bytes_);
    }
    pthread_mutex_unlock(&cmk_host_memory_lock_);
    return right_;
}

static inline cudaError_t cmk_host_check_copy_(const void *to_, size_t to_bytes_, const void *from_,
                                               size_t from_bytes_, int kind_)
{
    cmk_host_side_ to_side_ = cmk_host_side_any_;
    cmk_host_side_ from_side_ = cmk_host_side_any_;
    if (kind_ < cudaMemcpyHostToHost || kind_ > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (kind_ != cudaMemcpyDefault) {
        to_side_ = kind_ & 1 ? cmk_host_side_device_ : cmk_host_side_host_;
        from_side_ = kind_ & 2 ? cmk_host_side_device_ : cmk_host_side_host_;
    }
    if (to_bytes_ == 0)
        return cudaSuccess;
    if (!cmk_host_side_is_right_(to_, to_bytes_, to_side_) ||
        !cmk_host_side_is_right_(from_, from_bytes_, from_side_))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

static inline cudaError_t cudaMemcpyAsync(void *to_, const void *from_, size_t bytes_, cudaMemcpyKind kind_,
                                          cudaStream_t stream_ CMK_HOST_DEFAULT_(0))
{
    cudaError_t error_ = cmk_host_check_copy_(to_, bytes_, from_, bytes_, (int)kind_);
    if (error_ == cudaSuccess && !cmk_host_is_stream_(stream_))
        error_ = cudaErrorInvalidResourceHandle;
    if (error_ == cudaSuccess && bytes_ > 0)
        memmove(to_, from_, bytes_);
    return cmk_host_result_(error_);
}

static inline cudaError_t cudaMemcpy(void *to_, const void *from_, size_t bytes_, cudaMemcpyKind kind_)
{
    return cudaMemcpyAsync(to_, from_, bytes_, kind_, NULL);
}

static inline cudaError_t cudaMemcpy2DAsync(
    void *to_, size_t to_pitch_, const void *from_, size_t from_pitch_, size_t width_, size_t height_,
    cudaMemcpyKind kind_, cudaStream_t stream_ CMK_HOST_DEFAULT_(0))
{
    if (width_ > to_pitch_ || width_ > from_pitch_)
        return cmk_host_result_(cudaErrorInvalidPitchValue);
    int empty_ = width_ == 0 || height_ == 0;
    size_t to_bytes_ = empty_ ? 0 : to_pitch_ * (height_ - 1) + width_;
    size_t from_bytes_ = empty_ ? 0 : from_pitch_ * (height_ - 1) + width_;
    cudaError_t error_ = cmk_host_check_copy_(to_, to_bytes_, from_, from_bytes_, (int)kind_);
    if (error_ == cudaSuccess && !cmk_host_is_stream_(stream_))
        error_ = cudaErrorInvalidResourceHandle;
    for (size_t row_ = 0; error_ == cudaSuccess && !empty_ && row_ < height_; row_++)
        memmove((char *)to_ + row_ * to_pitch_, (const char *)from_ + row_ * from_pitch_, width_);
    return cmk_host_result_(error_);
}

static inline cudaError_t cudaMemcpy2D(void *to_, size_t to_pitch_, const void *from_, size_t from_pitch_,
                                       size_t width_, size_t height_, cudaMemcpyKind kind_)
{
    return cudaMemcpy2DAsync(to_, to_pitch_, from_, from_pitch_, width_, height_, kind_, NULL);
}

static inline cudaError_t cudaMemset2DAsync(void *start_, size_t pitch_, int value_, size_t width_,
                                            size_t height_, cudaStream_t stream_ CMK_HOST_DEFAULT_(0))
{
    if (width_ == 0 || height_ == 0)
        return cmk_host_on_stream_(stream_);
    if (width_ > pitch_)
        return cmk_host_result_(cudaErrorInvalidPitchValue);
    if (!cmk_host_side_is_right_(start_, pitch_ * (height_ - 1) + width_, cmk_host_side_device_))
        return cmk_host_result_(cudaErrorInvalidValue);
    for (size_t row_ = 0; row_ < height_; row_++)
        memset((char *)start_ + row_ * pitch_, value_, width_);
    return cmk_host_on_stream_(stream_);
}

static inline cudaError_t cudaMemset2D(void *start_, size_t pitch_, int value_, size_t width_, size_t height_)
{
    return cudaMemset2DAsync(start_, pitch_, value_, width_, height_, NULL);
}

static inline cudaError_t cudaMemsetAsync(void *start_, int value_, size_t bytes_,
                                          cudaStream_t stream_ CMK_HOST_DEFAULT_(0))
{
    return cudaMemset2DAsync(start_, bytes_, value_, bytes_, 1, stream_);
}

static inline cudaError_t cudaMemset(void *start_, int value_, size_t bytes_)
{
    return cudaMemsetAsync(start_, value_, bytes_, NULL);
}

/* ---- Symbols */

/* What is wrong with a copy of part of a symbol; `side` is where the other end has to be. */
static inline cudaError_t cmk_host_symbol_range_(
    size_t size_, size_t bytes_, size_t offset_, const void *other_, cmk_host_side_ side_,
    cudaStream_t stream_)
{
    if (offset_ > size_ || bytes_ > size_ - offset_)
        return cudaErrorInvalidValue;
    if (bytes_ > 0 && !cmk_host_side_is_right_(other_, bytes_, side_))
        return cudaErrorInvalidValue;
    return cmk_host_is_stream_(stream_) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static inline cmk_host_side_ cmk_host_symbol_side_(int kind_)
{
    if (kind_ == cudaMemcpyDefault)
        return cmk_host_side_any_;
    return kind_ == cudaMemcpyDeviceToDevice ? cmk_host_side_device_ : cmk_host_side_host_;
}

static inline cudaError_t cmk_host_to_symbol_(void *symbol_, size_t size_, const void *from_, size_t bytes_,
                                              size_t offset_, int kind_, cudaStream_t stream_)
{
    cmk_host_side_ side_ = cmk_host_symbol_side_(kind_);
    if (kind_ < cudaMemcpyHostToHost || kind_ > cudaMemcpyDefault || kind_ == cudaMemcpyDeviceToHost)
        return cmk_host_result_(cudaErrorInvalidMemcpyDirection);
    cudaError_t error_ = cmk_host_symbol_range_(size_, bytes_, offset_, from_, side_, stream_);
    if (error_ == cudaSuccess && bytes_ > 0)
        memmove((char *)symbol_ + offset_, from_, bytes_);
    return cmk_host_result_(error_);
}

static inline cudaError_t cmk_host_from_symbol_(void *to_, const void *symbol_, size_t size_, size_t bytes_,
                                                size_t offset_, int kind_, cudaStream_t stream_)
{
    cmk_host_side_ side_ = cmk_host_symbol_side_(kind_);
    if (kind_ < cudaMemcpyHostToHost || kind_ > cudaMemcpyDefault || kind_ == cudaMemcpyHostToDevice)
        return cmk_host_result_(cudaErrorInvalidMemcpyDirection);
    cudaError_t error_ = cmk_host_symbol_range_(size_, bytes_, offset_, to_, side_, stream_);
    if (error_ == cudaSuccess && bytes_ > 0)
        memmove(to_, (const char *)symbol_ + offset_, bytes_);
    return cmk_host_result_(error_);
}

static inline cudaError_t cmk_host_symbol_address_(void **pointer_, void *symbol_, size_t bytes_)
{
    if (!cmk_host_side_is_right_(symbol_, bytes_, cmk_host_side_device_))
        cmk_host_live_add_(symbol_, bytes_, cmk_host_symbol_);
    memcpy(pointer_, &symbol_, sizeof symbol_);
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
    for (size_t left_ = cmk_host_live_count_; left_ > 0; left_--) {
        void *memory_ = (void *)cmk_host_live_[left_ - 1].low_;
        if (cudaFree(memory_) != cudaSuccess)
            (void)cudaFreeHost(memory_);
    }
    (void)cudaGetLastError();
    return cudaSuccess;
}

static inline cudaError_t cudaGetDeviceCount(int *count_)
{
    *count_ = 1;
    return cudaSuccess;
}

static inline cudaError_t cudaGetDevice(int *device_)
{
    *device_ = 0;
    return cudaSuccess;
}

static inline cudaError_t cudaSetDevice(int device_)
{
    return cmk_host_result_(device_ == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

/* Of this device; -1 of one that is unknown. */
static inline int cmk_host_attribute_(cudaDeviceAttr attribute)
{
    static const int known[][2] = {
        {cudaDevAttrMaxThreadsPerBlock, 1024},
        {cudaDevAttrMaxBlockDimX, 1024},
        {cudaDevAttrMaxBlockDimY, 1024},
        {cudaDevAttrMaxBlockDimZ, 64},
        {cudaDevAttrMaxGridDimX, 0x7fffffff},
        {cudaDevAttrMaxGridDimY, 65535},
        {cudaDevAttrMaxGridDimZ, 65535},
        {cudaDevAttrMaxSharedMemoryPerBlock, 49152},
        {cudaDevAttrTotalConstantMemory, 65536},
        {cudaDevAttrWarpSize, 32},
        {cudaDevAttrMaxPitch, 0x7fffffff},
        {cudaDevAttrMaxRegistersPerBlock, 65536},
        {cudaDevAttrClockRate, 1000000},
        {cudaDevAttrMemoryClockRate, 1000000},
        {cudaDevAttrGlobalMemoryBusWidth, 64},
        {cudaDevAttrL2CacheSize, 1 << 20},
        {cudaDevAttrMaxThreadsPerMultiProcessor, 1024},
        {cudaDevAttrComputeCapabilityMajor, 9},
        {cudaDevAttrComputeCapabilityMinor, 0},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, 233472},
        {cudaDevAttrManagedMemory, 1},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, 232448},
    };
    if (attribute == cudaDevAttrMultiProcessorCount)
        return cmk_host_core_count_();
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i][0] == (int)attribute)
            return known[i][1];
    }
    return -1;
}

static inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    if (device != 0)
        return cmk_host_result_(cudaErrorInvalidDevice);
    if (cmk_host_attribute_(attribute) < 0)
        return cmk_host_result_(cudaErrorInvalidValue);
    *value = cmk_host_attribute_(attribute);
    return cudaSuccess;
}

static inline void cmk_host_properties_sizes_(cudaDeviceProp *properties_)
{
    static const cudaDeviceAttr first_[2] = {cudaDevAttrMaxBlockDimX, cudaDevAttrMaxGridDimX};
    for (int i_ = 0; i_ < 3; i_++) {
        properties_->maxThreadsDim[i_] = cmk_host_attribute_((cudaDeviceAttr)((int)first_[0] + i_));
        properties_->maxGridSize[i_] = cmk_host_attribute_((cudaDeviceAttr)((int)first_[1] + i_));
    }
}

static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties_, int device_)
{
    if (device_ != 0)
        return cmk_host_result_(cudaErrorInvalidDevice);
    memset(properties_, 0, sizeof *properties_);
    strcpy(properties_->name, "cmk CPU backend");
    cmk_host_properties_sizes_(properties_);
    properties_->totalGlobalMem = cmk_host_total_memory_();
    properties_->sharedMemPerBlock = CMK_HOST_STATIC_LIMIT_;
    properties_->sharedMemPerBlockOptin = CMK_HOST_SHARED_LIMIT_;
    properties_->sharedMemPerMultiprocessor = CMK_HOST_SHARED_LIMIT_ + 1024;
    properties_->totalConstMem = 65536;
    properties_->regsPerBlock = cmk_host_attribute_(cudaDevAttrMaxRegistersPerBlock);
    properties_->warpSize = warpSize;
    properties_->memPitch = 0x7fffffff;
    properties_->maxThreadsPerBlock = (int)CMK_HOST_THREADS_;
    properties_->maxThreadsPerMultiProcessor = (int)CMK_HOST_THREADS_;
    properties_->multiProcessorCount = cmk_host_core_count_();
    properties_->l2CacheSize = cmk_host_attribute_(cudaDevAttrL2CacheSize);
    properties_->major = cmk_host_attribute_(cudaDevAttrComputeCapabilityMajor);
    properties_->minor = cmk_host_attribute_(cudaDevAttrComputeCapabilityMinor);
    return cudaSuccess;
}

static inline cudaError_t cudaDriverGetVersion(int *version_)
{
    *version_ = 13000;
    return cudaSuccess;
}

static inline cudaError_t cudaRuntimeGetVersion(int *version_)
{
    *version_ = 13000;
    return cudaSuccess;
}

static inline cudaError_t cmk_host_occupancy_(int *blocks_, int threads_, size_t shared_bytes_)
{
    if (threads_ < 1)
        return cmk_host_result_(cudaErrorInvalidValue);
    *blocks_ = shared_bytes_ > CMK_HOST_SHARED_LIMIT_ ? 0 : 1024 / threads_;
    return cudaSuccess;
}

static inline cudaError_t cmk_host_set_attribute_(uintptr_t kernel_, cudaFuncAttribute attribute_, int value_)
{
    if (attribute_ == cudaFuncAttributePreferredSharedMemoryCarveout)
        return cudaSuccess;
    if (attribute_ != cudaFuncAttributeMaxDynamicSharedMemorySize || value_ < 0 ||
        (size_t)value_ > CMK_HOST_SHARED_LIMIT_)
        return cmk_host_result_(cudaErrorInvalidValue);
    cmk_host_allow_(kernel_, (size_t)value_);
    return cudaSuccess;
}

CMK_HOST_C_END_

#endif
