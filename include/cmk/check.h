/* check.h: host code that ends the program when a CUDA call fails, and says which call, where and why.
 *
 *   CMK_CHECK(call);                      call is any expression of type cudaError_t, a CMK_LAUNCH among them
 *   CMK_CHECK_TIME(milliseconds, RUNS, call);
 *                                         checks call once, then up to RUNS times more, each timed by events of
 *                                         the default stream, and writes the median to the lvalue milliseconds
 *
 *   CMK_CHECK(cudaMalloc((void **)&in, bytes));
 *   -> k.cu:12: cudaMalloc((void **)&in, bytes): cudaErrorMemoryAllocation: out of memory
 *
 * The exit status is 1. CMK_CHECK evaluates call once; a kernel's own failure shows at the next call that waits
 * for it. CMK_CHECK_TIME stops early, after 1 run or more, when the timed runs have taken one second; RUNS is
 * an integer constant from 1 to 99. */
#ifndef CMK_CHECK_H
#define CMK_CHECK_H

#include "base.h"

#if CMK_HAS_HOST_

#define CMK_CHECK(call) cmk_check_((call), #call, __FILE__, __LINE__)

#define CMK_CHECK_TIME(milliseconds, RUNS, call)                                                             \
    do {                                                                                                     \
        CMK_STATIC_ASSERT((RUNS) >= 1 && (RUNS) <= 99, "cmk: CMK_CHECK_TIME: RUNS must be from 1 to 99");    \
        cmk_check_clock_ cmk_clock_ = {0, 0, {0}, 0, 0};                                                     \
        CMK_CHECK(call);                                                                                     \
        while (cmk_check_next_run_(&cmk_clock_, (RUNS))) CMK_CHECK(call);                                    \
        (milliseconds) = cmk_clock_.sorted[cmk_clock_.runs / 2];                                             \
    } while (0)

static inline void cmk_check_(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s:%d: %s: %s: %s\n", file, line, call, cudaGetErrorName(error), cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

typedef struct {
    cudaEvent_t begin, end;
    float sorted[99], spent; /* milliseconds */
    int runs;
} cmk_check_clock_;

static inline void cmk_check_end_run_(cmk_check_clock_ *clock)
{
    float time;
    int at = clock->runs++;
    CMK_CHECK(cudaEventRecord(clock->end, 0));
    CMK_CHECK(cudaEventSynchronize(clock->end));
    CMK_CHECK(cudaEventElapsedTime(&time, clock->begin, clock->end));
    for (; at > 0 && clock->sorted[at - 1] > time; --at) clock->sorted[at] = clock->sorted[at - 1];
    clock->sorted[at] = time;
    clock->spent += time;
}

/* ends the run under way, if there is one, and begins the next; 0 when there have been enough */
static inline int cmk_check_next_run_(cmk_check_clock_ *clock, int most)
{
    if (clock->begin == 0) {
        CMK_CHECK(cudaEventCreate(&clock->begin));
        CMK_CHECK(cudaEventCreate(&clock->end));
    } else {
        cmk_check_end_run_(clock);
    }
    if (clock->runs < most && clock->spent < 1000.0f) {
        CMK_CHECK(cudaEventRecord(clock->begin, 0));
        __asm__ volatile("" ::: "memory"); /* a host compiler must not move work out of the repeated call */
        return 1;
    }
    CMK_CHECK(cudaEventDestroy(clock->begin));
    CMK_CHECK(cudaEventDestroy(clock->end));
    return 0;
}

#endif

#endif
