/* host/kernel.h: attributes of a kernel, and launches by its address.
 *
 * cudaLaunchKernel has to know which kernel it launches. Either the call names the kernel, with or without a cast to a
 * pointer before the name. Or it has a pointer, and ./cmk run has seen a cast of the name to a pointer. This is C++: C
 * cannot find the types of the arguments. */
#include "../base.h"
#ifndef CMK_HOST_KERNEL_H
#define CMK_HOST_KERNEL_H

#if defined(__cplusplus)
#include <type_traits>
#include <utility>
#endif

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

/* Gives the largest block, and as many of these blocks as run at the same time. */
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

/* ---- Settings that change nothing here */
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

/* ---- Launches by the address of a kernel. A cast to a pointer before the name is left out. */
#define cudaLaunchKernel(...) cmk_host_launch_kernel_(0, #__VA_ARGS__, CMK_HOST_WITHOUT_CAST_(__VA_ARGS__))
#define cudaLaunchCooperativeKernel(...) cmk_host_launch_kernel_(1, #__VA_ARGS__, CMK_HOST_WITHOUT_CAST_(__VA_ARGS__))
#define CMK_HOST_WITHOUT_CAST_(...) CMK_HOST_CAST_JOIN_(CMK_HOST_BEGINS_(__VA_ARGS__, 0), __VA_ARGS__)
#define CMK_HOST_BEGINS_(first, ...) CMK_HOST_SECOND_(CMK_HOST_CAST_ first, 0, 0)
#define CMK_HOST_CAST_(...) 0, 1, /* where an argument begins with a parenthesis */
#define CMK_HOST_SECOND_(...) CMK_HOST_SECOND_OF_(__VA_ARGS__)
#define CMK_HOST_SECOND_OF_(first, second, ...) second
#define CMK_HOST_CAST_JOIN_(is, ...) CMK_HOST_CAST_PASTE_(is, __VA_ARGS__)
#define CMK_HOST_CAST_PASTE_(is, ...) CMK_HOST_CAST_##is##_(__VA_ARGS__)
#define CMK_HOST_CAST_0_(...) __VA_ARGS__
#define CMK_HOST_CAST_1_(...) CMK_HOST_NOTHING_ __VA_ARGS__
#define CMK_HOST_NOTHING_(...)

/* The name of a kernel, from the text of a call. It is kept, because failures may print it. */
typedef struct cmk_host_name_entry_ {
    struct cmk_host_name_entry_ *next_;
    char text_[1];
} cmk_host_name_entry_;
CMK_HOST_ONE_ cmk_host_name_entry_ *cmk_host_names_;
CMK_HOST_ONE_ pthread_mutex_t cmk_host_names_lock_ = PTHREAD_MUTEX_INITIALIZER;

static inline const char *cmk_host_kernel_in_(const char *words)
{
    const char *begin = *words == '(' ? strchr(words, ')') : NULL;
    begin = begin ? begin + 1 : words;
    begin += strspn(begin, " &");
    const size_t length = strcspn(begin, ",<");
    pthread_mutex_lock(&cmk_host_names_lock_);
    cmk_host_name_entry_ *name = cmk_host_names_;
    while (name && (strncmp(name->text_, begin, length) != 0 || name->text_[length] != 0)) name = name->next_;
    if (!name) {
        name = (cmk_host_name_entry_ *)cmk_host_need_(calloc(1, sizeof *name + length), "a kernel's name");
        memcpy(name->text_, begin, length);
        name->next_ = cmk_host_names_;
        cmk_host_names_ = name;
    }
    pthread_mutex_unlock(&cmk_host_names_lock_);
    return name->text_;
}

template <class... argument, size_t... index>
cudaError_t cmk_host_launch_with_(int cooperative, const char *name, void (*kernel)(argument...),
                                  cmk_host_config_ config, void **arguments, std::index_sequence<index...>)
{
    typedef void (*code)(argument...);
    (void)arguments;
    const code capture = (code)cmk_host_prepare_((cmk_host_code_)kernel, name, config, (uintptr_t)CMK_HOST_STACK_MARK_,
                                                 cmk_host_module_(), __FILE__, 0);
    cmk_host_prepared_()->cooperative_ = cooperative;
    capture(*(typename std::remove_reference<argument>::type *)arguments[index]...);
    return cmk_host_result_(cmk_host_run_(CMK_HOST_COUNTS_, cmk_host_borrows_of_(kernel)));
}

template <class... argument>
cudaError_t cmk_host_launch_kernel_(int cooperative, const char *words, void (*kernel)(argument...), dim3 grid,
                                    dim3 block, void **arguments, size_t bytes = 0, cudaStream_t stream = 0)
{
    const cmk_host_config_ config = {cmk_host_size_(grid), cmk_host_size_(block), bytes, stream};
    return cmk_host_launch_with_(cooperative, cmk_host_kernel_in_(words), kernel, config, arguments,
                                 std::index_sequence_for<argument...>());
}

/* ---- Kernels of which a program has only the address. ./cmk run notes the kernels that the program casts to void
 * *. */
typedef cudaError_t (*cmk_host_noted_launch_)(int cooperative, const char *name, const void *kernel,
                                              cmk_host_config_ config, void **arguments);

typedef struct cmk_host_noted_ {
    struct cmk_host_noted_ *next_;
    const void *kernel_;
    const char *name_;
    cmk_host_noted_launch_ launch_;
} cmk_host_noted_;
CMK_HOST_ONE_ cmk_host_noted_ *cmk_host_noted_kernels_;

static inline const cmk_host_noted_ *cmk_host_noted_of_(const void *kernel)
{
    pthread_mutex_lock(&cmk_host_names_lock_);
    const cmk_host_noted_ *noted = cmk_host_noted_kernels_;
    while (noted && noted->kernel_ != kernel) noted = noted->next_;
    pthread_mutex_unlock(&cmk_host_names_lock_);
    return noted;
}

template <class... argument>
cudaError_t cmk_host_noted_launch_of_(int cooperative, const char *name, const void *kernel, cmk_host_config_ config,
                                      void **arguments)
{
    return cmk_host_launch_with_(cooperative, name, (void (*)(argument...))kernel, config, arguments,
                                 std::index_sequence_for<argument...>());
}

/* (void *)value, where value is not a kernel but has the name of one. */
template <class type> void *cmk_host_plain_address_(const char *, type value)
{
    return (void *)value;
}

/* Notes a kernel. Value: its address, as (void *)kernel. */
template <class... argument> void *cmk_host_plain_address_(const char *name, void (*kernel)(argument...))
{
    if (cmk_host_noted_of_((const void *)kernel)) return (void *)kernel;
    cmk_host_noted_ *noted = (cmk_host_noted_ *)cmk_host_need_(calloc(1, sizeof *noted), "a kernel's address");
    noted->kernel_ = (const void *)kernel;
    noted->name_ = name;
    noted->launch_ = cmk_host_noted_launch_of_<argument...>;
    pthread_mutex_lock(&cmk_host_names_lock_);
    noted->next_ = cmk_host_noted_kernels_;
    cmk_host_noted_kernels_ = noted;
    pthread_mutex_unlock(&cmk_host_names_lock_);
    return (void *)kernel;
}

static inline cudaError_t cmk_host_launch_noted_(int cooperative, const char *words, const void *kernel, dim3 grid,
                                                 dim3 block, void **arguments, size_t bytes, cudaStream_t stream)
{
    const cmk_host_noted_ *noted = cmk_host_noted_of_(kernel);
    if (!noted)
        cmk_host_fail_(__FILE__, __LINE__,
                       "%s: a launch by a pointer needs ./cmk run, which notes what a program casts: (void *)kernel",
                       words);
    const cmk_host_config_ config = {cmk_host_size_(grid), cmk_host_size_(block), bytes, stream};
    return noted->launch_(cooperative, noted->name_, kernel, config, arguments);
}

static inline cudaError_t cmk_host_launch_kernel_(int cooperative, const char *words, const void *kernel, dim3 grid,
                                                  dim3 block, void **arguments, size_t bytes = 0,
                                                  cudaStream_t stream = 0)
{
    return cmk_host_launch_noted_(cooperative, words, kernel, grid, block, arguments, bytes, stream);
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
