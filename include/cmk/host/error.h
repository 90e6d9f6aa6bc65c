/* host/error.h: cudaError_t with CUDA's names and values, and the last error of a host thread. Also the line that is
 * printed for a call that a definition's launcher refuses:
 *
 *   cmk: FUNCTION: sentence */
#include "../base.h"
#ifndef CMK_HOST_ERROR_H
#define CMK_HOST_ERROR_H

#define CMK_HOST_ERROR_(name_, value_, sentence_) name_ = value_,
typedef enum cudaError {
#include "errors.inc"
    cmk_host_error_end_ = 1000
} cudaError_t;
#undef CMK_HOST_ERROR_

CMK_HOST_C_BEGIN_
CMK_HOST_ONE_ __thread cudaError_t cmk_host_last_error_;
/* For CMK_HOST_ERRORS=return: the error of a kernel that was stopped, and its sentence. Every call returns this error
 * until cudaDeviceReset. */
CMK_HOST_ONE_ cudaError_t cmk_host_lasting_error_;
CMK_HOST_ONE_ char cmk_host_stop_[896]; /* CMK_CHECK has room for it */
CMK_HOST_C_END_

static inline cudaError_t cmk_host_lasting_(void)
{
    return __atomic_load_n(&cmk_host_lasting_error_, __ATOMIC_ACQUIRE);
}

typedef struct cmk_host_error_text_ {
    cudaError_t error;
    const char *name, *sentence;
} cmk_host_error_text_;

static inline cmk_host_error_text_ cmk_host_error_text_of_(cudaError_t error)
{
#define CMK_HOST_ERROR_(name_, value_, sentence_) {name_, #name_, sentence_},
    static const cmk_host_error_text_ texts[] = {
#include "errors.inc"
    };
#undef CMK_HOST_ERROR_
    const cmk_host_error_text_ none = {error, "unrecognized error code", "unrecognized error code"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].error == error) return texts[i];
    return none;
}

static inline const char *cudaGetErrorName(cudaError_t error)
{
    return cmk_host_error_text_of_(error).name;
}

static inline const char *cudaGetErrorString(cudaError_t error)
{
    const char *stop = cmk_host_stop_;
    __asm__("" : "+r"(stop)); /* or gcc would expect callers to have room for the whole array */
    return error != cudaSuccess && error == cmk_host_lasting_() ? stop : cmk_host_error_text_of_(error).sentence;
}

static inline cudaError_t cudaPeekAtLastError(void)
{
    const cudaError_t lasting = cmk_host_lasting_();
    return lasting != cudaSuccess ? lasting : cmk_host_last_error_;
}

static inline cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = cudaPeekAtLastError();
    cmk_host_last_error_ = cudaSuccess;
    return error;
}

/* Every runtime call and launch returns through here. */
static inline cudaError_t cmk_host_result_(cudaError_t error)
{
    const cudaError_t lasting = cmk_host_lasting_();
    if (lasting != cudaSuccess) return lasting;
    if (error != cudaSuccess) cmk_host_last_error_ = error;
    return error;
}

#endif
