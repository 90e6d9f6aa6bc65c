/* check.h: host code that ends the program when a CUDA call fails, and prints which call failed, where and why.
 *
 *   CMK_CHECK(call);                      call is any expression of type cudaError_t, a CMK_LAUNCH among them
 *   CMK_CHECK_TIME(milliseconds, RUNS, call);
 *                                         checks call once, then up to RUNS times more. Each of these runs is timed by
 *                                         events of the default stream, and the median is written to the lvalue
 *                                         milliseconds
 *   cudaError_t cmk_check_exact(void)     cudaErrorInvalidValue where this file is compiled so that products and sums
 *                                         are contracted, or denormals are zeros; CMK_CHECK then names the flag
 *
 *   CMK_CHECK(cudaMalloc((void **)&in, bytes));
 *   -> k.cu:12: cudaMalloc((void **)&in, bytes): cudaErrorMemoryAllocation: out of memory
 *
 *   CMK_CHECK_FAILED(text)                what follows a failed check, unless it was defined before: prints the line
 *                                         text, a const char *, on stderr and ends the program with exit status 1
 *
 * CMK_CHECK evaluates call once. Where call has a sentence about its error, as those of halo.h have, it prints the
 * sentence in place of CUDA's words. A failure of a kernel itself shows at the next call that waits for the kernel.
 * CMK_CHECK_TIME ends early, after at least 1 timed run, when the timed runs have taken a quarter of a second. RUNS is
 * an integer constant from 1 to 99. Your own CMK_CHECK_FAILED may copy the text, which is gone after the check, and may
 * return: the program then goes on behind the check. In C++ it may throw. */
#ifndef CMK_CHECK_H
#define CMK_CHECK_H

#include "base.h"

#if CMK_HAS_HOST_

#define CMK_CHECK(call) cmk_check_((call), #call, __FILE__, __LINE__)

#define CMK_CHECK_TIME(milliseconds, RUNS, call)                                                                       \
    do {                                                                                                               \
        CMK_STATIC_ASSERT((RUNS) >= 1 && (RUNS) <= 99, "cmk: CMK_CHECK_TIME: RUNS must be from 1 to 99");              \
        cmk_check_clock_ cmk_clock_ = {0, 0, {0}, 0, -1};                                                              \
        while (cmk_check_next_run_(&cmk_clock_, (RUNS))) cmk_check_((call), #call, __FILE__, __LINE__);                \
        (milliseconds) = cmk_clock_.sorted_[cmk_clock_.runs_ / 2];                                                     \
    } while (0)

#ifndef CMK_CHECK_FAILED
#define CMK_CHECK_FAILED(text) (fprintf(stderr, "%s\n", text), exit(EXIT_FAILURE))
#endif

/* What a call says of the error that it returns, until the next check of an OS thread. */
typedef struct {
    cudaError_t error_;
    char why_[400];
} cmk_check_said_;

static inline cmk_check_said_ *cmk_check_last_(void)
{
    static __thread cmk_check_said_ said;
    return &said;
}

static inline cudaError_t cmk_check_say_(cudaError_t error, const char *why)
{
    cmk_check_said_ *const last = cmk_check_last_();
    last->error_ = error;
    snprintf(last->why_, sizeof last->why_, "%s", why);
    return error;
}

static inline void cmk_check_(cudaError_t error, const char *call, const char *file, int line)
{
    char text[2048];
    cmk_check_said_ *const last = cmk_check_last_();
    const int said = error == last->error_;
    last->error_ = cudaSuccess;
    if (error == cudaSuccess) return;
    snprintf(text, sizeof text, "%s:%d: %.1024s: %s: %s", file, line, call, cudaGetErrorName(error),
             said ? last->why_ : cudaGetErrorString(error));
    CMK_CHECK_FAILED(text);
}

/* What plain arithmetic comes to, in bits. 1: a product and a sum are rounded once. 2: denormals are zeros. */
CMK_FUNCTION int cmk_check_arithmetic_(void)
{
    const volatile float one = 1.000244140625f, square = -1.00048828125f, least = 1e-38f;
    const float a = one, b = square, c = least;
    return (a * a + b != 0.0f) + 2 * (c + c == 0.0f);
}

static inline cudaError_t cmk_check_found_(int arithmetic)
{
    if (arithmetic == 0) return cudaSuccess;
    const char *const contracted =
        "products and sums are contracted: compile with nvcc -fmad=false, gcc -ffp-contract=off";
    const char *const flushed = "denormals are zeros: compile without -use_fast_math, -ftz=true, -ffast-math";
    return cmk_check_say_(cudaErrorInvalidValue, arithmetic & 1 ? contracted : flushed);
}

#if defined(__CUDACC__)
/* templates: only a program that calls has the kernel */
template <int = 0> static __global__ void cmk_check_kernel_(int *arithmetic)
{
    *arithmetic = cmk_check_arithmetic_();
}

template <int = 0> static inline cudaError_t cmk_check_exact(void)
{
    int arithmetic = 0, *device = NULL;
    cudaError_t error = cudaMalloc((void **)&device, sizeof *device);
    if (error == cudaSuccess) error = CMK_LAUNCH(cmk_check_kernel_<>, 1, 1, 0, 0, device);
    if (error == cudaSuccess) error = cudaMemcpy(&arithmetic, device, sizeof arithmetic, cudaMemcpyDeviceToHost);
    (void)cudaFree(device);
    return error == cudaSuccess ? cmk_check_found_(arithmetic) : error;
}
#else
static inline cudaError_t cmk_check_exact(void)
{
    return cmk_check_found_(cmk_check_arithmetic_());
}
#endif

typedef struct {
    cudaEvent_t begin_, end_;
    float sorted_[99], spent_; /* milliseconds */
    int runs_;                 /* timed so far; -1 before the first run, which is not timed */
} cmk_check_clock_;

static inline void cmk_check_end_run_(cmk_check_clock_ *stopwatch)
{
    float milliseconds = 0.0f;
    int at = stopwatch->runs_++;
    CMK_CHECK(cudaEventRecord(stopwatch->end_, 0));
    CMK_CHECK(cudaEventSynchronize(stopwatch->end_));
    CMK_CHECK(cudaEventElapsedTime(&milliseconds, stopwatch->begin_, stopwatch->end_));
    for (; at > 0 && stopwatch->sorted_[at - 1] > milliseconds; --at)
        stopwatch->sorted_[at] = stopwatch->sorted_[at - 1];
    stopwatch->sorted_[at] = milliseconds;
    stopwatch->spent_ += milliseconds;
}

/* ends the run under way, if there is one, and begins the next; 0 when there have been enough runs */
static inline int cmk_check_next_run_(cmk_check_clock_ *stopwatch, int most)
{
    if (stopwatch->runs_ < 0) {
        stopwatch->runs_ = 0;
        return 1;
    }
    if (stopwatch->begin_ == 0) {
        CMK_CHECK(cudaEventCreate(&stopwatch->begin_));
        CMK_CHECK(cudaEventCreate(&stopwatch->end_));
        if (stopwatch->begin_ == 0 || stopwatch->end_ == 0) return 0;
    } else {
        cmk_check_end_run_(stopwatch);
    }
    if (stopwatch->runs_ < most && stopwatch->spent_ < 250.0f) {
        CMK_CHECK(cudaEventRecord(stopwatch->begin_, 0));
        __asm__ volatile("" ::: "memory"); /* a host compiler must not move work out of the repeated call */
        return 1;
    }
    CMK_CHECK(cudaEventDestroy(stopwatch->begin_));
    CMK_CHECK(cudaEventDestroy(stopwatch->end_));
    return 0;
}

#endif

#endif
