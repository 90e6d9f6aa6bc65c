/* host/property.h: the properties that the CPU backend gives its devices: cudaGetDeviceProperties and
 * cudaDeviceGetAttribute. */
#include "../base.h"
#ifndef CMK_HOST_PROPERTY_H
#define CMK_HOST_PROPERTY_H

typedef enum cudaComputeMode {
    cudaComputeModeDefault = 0,
    cudaComputeModeExclusive = 1,
    cudaComputeModeProhibited = 2,
    cudaComputeModeExclusiveProcess = 3
} cudaComputeMode;

#define CMK_HOST_ATTRIBUTE_(name_, number_, value_) cudaDevAttr##name_ = number_,
typedef enum cudaDeviceAttr {
#include "attributes.inc"
    cmk_host_attribute_end_ = 1000
} cudaDeviceAttr;
#undef CMK_HOST_ATTRIBUTE_

typedef struct cudaUUID_t {
    char bytes[16];
} cudaUUID_t;

/* The fields of CUDA 12. CUDA 13 has left some of them out. */
typedef struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int clockRate;
    size_t totalConstMem;
    int major;
    int minor;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    int deviceOverlap;
    int multiProcessorCount;
    int kernelExecTimeoutEnabled;
    int integrated;
    int canMapHostMemory;
    int computeMode;
    int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear;
    int maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2];
    int maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap;
    int maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
    int maxSurface1D, maxSurface2D[2], maxSurface3D[3];
    int maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int tccDriver;
    int asyncEngineCount;
    int unifiedAddressing;
    int memoryClockRate;
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio;
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    int cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported;
    int memoryPoolsSupported;
} cudaDeviceProp;

CMK_HOST_C_BEGIN_

static inline size_t cmk_host_total_memory_(void)
{
    return (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}

static inline int cmk_host_core_count_(void)
{
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* The value of an attribute; -1 for one that is unknown. */
static inline int cmk_host_attribute_(cudaDeviceAttr attribute)
{
#define CMK_HOST_ATTRIBUTE_(name_, number_, value_) {number_, value_},
    const int known[][2] = {
#include "attributes.inc"
    };
#undef CMK_HOST_ATTRIBUTE_
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

#define CMK_HOST_PROPERTY_(field, name)                                                                                \
    properties->field = (__typeof__(properties->field))cmk_host_attribute_(cudaDevAttr##name)

/* Sets the limits of what a kernel may use. */
static inline void cmk_host_limits_of_(cudaDeviceProp *properties)
{
    for (int i = 0; i < 3; i++) {
        properties->maxThreadsDim[i] = cmk_host_attribute_((cudaDeviceAttr)(cudaDevAttrMaxBlockDimX + i));
        properties->maxGridSize[i] = cmk_host_attribute_((cudaDeviceAttr)(cudaDevAttrMaxGridDimX + i));
    }
    properties->totalGlobalMem = cmk_host_total_memory_();
    CMK_HOST_PROPERTY_(sharedMemPerBlock, MaxSharedMemoryPerBlock);
    CMK_HOST_PROPERTY_(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin);
    CMK_HOST_PROPERTY_(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor);
    CMK_HOST_PROPERTY_(totalConstMem, TotalConstantMemory);
    CMK_HOST_PROPERTY_(memPitch, MaxPitch);
    CMK_HOST_PROPERTY_(regsPerBlock, MaxRegistersPerBlock);
    CMK_HOST_PROPERTY_(regsPerMultiprocessor, MaxRegistersPerMultiprocessor);
    CMK_HOST_PROPERTY_(warpSize, WarpSize);
    CMK_HOST_PROPERTY_(maxThreadsPerBlock, MaxThreadsPerBlock);
    CMK_HOST_PROPERTY_(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor);
    CMK_HOST_PROPERTY_(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor);
    CMK_HOST_PROPERTY_(multiProcessorCount, MultiProcessorCount);
    CMK_HOST_PROPERTY_(l2CacheSize, L2CacheSize);
    CMK_HOST_PROPERTY_(textureAlignment, TextureAlignment);
    CMK_HOST_PROPERTY_(texturePitchAlignment, TexturePitchAlignment);
}

static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    if (!properties) return cmk_host_result_(cudaErrorInvalidValue);
    if (!cmk_host_is_device_(device)) return cmk_host_result_(cudaErrorInvalidDevice);
    memset(properties, 0, sizeof *properties);
    strcpy(properties->name, "cmk CPU backend");
    cmk_host_limits_of_(properties);
    properties->uuid.bytes[15] = (char)device;
    properties->hostRegisterSupported = 1;
    CMK_HOST_PROPERTY_(major, ComputeCapabilityMajor);
    CMK_HOST_PROPERTY_(minor, ComputeCapabilityMinor);
    CMK_HOST_PROPERTY_(clockRate, ClockRate);
    CMK_HOST_PROPERTY_(memoryClockRate, MemoryClockRate);
    CMK_HOST_PROPERTY_(memoryBusWidth, GlobalMemoryBusWidth);
    CMK_HOST_PROPERTY_(deviceOverlap, GpuOverlap);
    CMK_HOST_PROPERTY_(canMapHostMemory, CanMapHostMemory);
    CMK_HOST_PROPERTY_(concurrentKernels, ConcurrentKernels);
    CMK_HOST_PROPERTY_(asyncEngineCount, AsyncEngineCount);
    CMK_HOST_PROPERTY_(unifiedAddressing, UnifiedAddressing);
    CMK_HOST_PROPERTY_(streamPrioritiesSupported, StreamPrioritiesSupported);
    CMK_HOST_PROPERTY_(globalL1CacheSupported, GlobalL1CacheSupported);
    CMK_HOST_PROPERTY_(localL1CacheSupported, LocalL1CacheSupported);
    CMK_HOST_PROPERTY_(managedMemory, ManagedMemory);
    CMK_HOST_PROPERTY_(hostNativeAtomicSupported, HostNativeAtomicSupported);
    CMK_HOST_PROPERTY_(singleToDoublePrecisionPerfRatio, SingleToDoublePrecisionPerfRatio);
    CMK_HOST_PROPERTY_(concurrentManagedAccess, ConcurrentManagedAccess);
    CMK_HOST_PROPERTY_(computePreemptionSupported, ComputePreemptionSupported);
    CMK_HOST_PROPERTY_(cooperativeLaunch, CooperativeLaunch);
    CMK_HOST_PROPERTY_(memoryPoolsSupported, MemoryPoolsSupported);
    return cudaSuccess;
}

/* Gives the device that has most of what is wanted. They are all the same. */
static inline cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *wanted)
{
    if (!device || !wanted) return cmk_host_result_(cudaErrorInvalidValue);
    *device = 0;
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

CMK_HOST_C_END_

#endif
