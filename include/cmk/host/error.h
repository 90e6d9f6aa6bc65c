/* host/error.h: cudaError_t with CUDA's names and values, and the last error of a host thread. */
#include "../base.h"
#ifndef CMK_HOST_ERROR_H
#define CMK_HOST_ERROR_H

/* name, value, sentence: the errors that the backend returns */
/* clang-format off */
#define CMK_HOST_ERRORS_(each_)                                                   \
    each_(cudaSuccess, 0, "no error")                                             \
    each_(cudaErrorInvalidValue, 1, "invalid argument")                           \
    each_(cudaErrorMemoryAllocation, 2, "out of memory")                          \
    each_(cudaErrorInitializationError, 3, "initialization error")                \
    each_(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")     \
    each_(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")               \
    each_(cudaErrorInvalidSymbol, 13, "invalid device symbol")                    \
    each_(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")            \
    each_(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy") \
    each_(cudaErrorInsufficientDriver, 35, "driver version is insufficient")      \
    each_(cudaErrorInvalidDeviceFunction, 98, "invalid device function")          \
    each_(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")           \
    each_(cudaErrorInvalidDevice, 101, "invalid device ordinal")                  \
    each_(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")         \
    each_(cudaErrorNotReady, 600, "device not ready")                             \
    each_(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered") \
    each_(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch") \
    each_(cudaErrorLaunchFailure, 719, "unspecified launch failure")              \
    each_(cudaErrorNotSupported, 801, "operation not supported")                  \
    each_(cudaErrorUnknown, 999, "unknown error")
/* clang-format on */

#define CMK_HOST_ERROR_ENUM_(name_, value_, sentence_) name_ = value_,
typedef enum cudaError { CMK_HOST_ERRORS_(CMK_HOST_ERROR_ENUM_) cmk_host_error_end_ = 1000 } cudaError_t;

CMK_HOST_C_BEGIN_
CMK_HOST_ONE_ __thread cudaError_t cmk_host_last_error_;
CMK_HOST_C_END_

static inline const char *cudaGetErrorName(cudaError_t error_)
{
#define CMK_HOST_ERROR_NAME_(name_, value_, sentence_)                                                       \
    if ((int)error_ == value_)                                                                               \
        return #name_;
    CMK_HOST_ERRORS_(CMK_HOST_ERROR_NAME_)
    return "unrecognized error code";
}

static inline const char *cudaGetErrorString(cudaError_t error_)
{
#define CMK_HOST_ERROR_SENTENCE_(name_, value_, sentence_)                                                   \
    if ((int)error_ == value_)                                                                               \
        return sentence_;
    CMK_HOST_ERRORS_(CMK_HOST_ERROR_SENTENCE_)
    return "unrecognized error code";
}

static inline cudaError_t cudaPeekAtLastError(void)
{
    return cmk_host_last_error_;
}

static inline cudaError_t cudaGetLastError(void)
{
    cudaError_t error_ = cmk_host_last_error_;
    cmk_host_last_error_ = cudaSuccess;
    return error_;
}

/* Every runtime call and launch returns through here. */
static inline cudaError_t cmk_host_result_(cudaError_t error_)
{
    if (error_ != cudaSuccess)
        cmk_host_last_error_ = error_;
    return error_;
}

#endif
