/* stencil1d/plan.h: what a call of a 1D stencil comes to. */
#ifndef CMK_KERNEL_STENCIL1D_PLAN_H
#define CMK_KERNEL_STENCIL1D_PLAN_H

#include "../../base.h"
#include "../range.h"
#include "tune.h"
#include "window.h"

#if CMK_HAS_HOST_

/* a launch, if there is one; error says why there is none */
typedef struct {
    cudaError_t error;
    const void *in;
    void *out;
    cmk_stencil1d_line_ line;
    dim3 grid, block;
    size_t bytes; /* of shared memory */
    int launches; /* that are left */
} cmk_stencil1d_plan_;

static inline cmk_stencil1d_plan_ cmk_stencil1d_plan_of_(const void *in, void *out, size_t count, size_t size,
                                                         int outputs)
{
    const size_t each = (size_t)cmk_stencil1d_threads_ * (size_t)outputs, head = (size_t)out % 16 / size;
    const size_t blocks = count / each + (count % each + head + each - 1) / each;
    const size_t bytes = cmk_range_bytes_(count, 0, count, 1, 1, size);
    const cmk_stencil1d_line_ line = {(cmk_i64)count, (int)head, (size_t)in % 16 == (size_t)out % 16};
    cmk_stencil1d_plan_ plan = {cudaSuccess, in, out, line, dim3((unsigned)blocks), dim3(cmk_stencil1d_threads_), 0, 0};
    if (count == 0) return plan;
    if (!cmk_range_apart_(in, bytes, size, out, bytes, size))
        plan.error = cudaErrorInvalidValue;
    else if (blocks > 0x7fffffff)
        plan.error = cudaErrorInvalidConfiguration;
    else
        plan.launches = 1;
    return plan;
}

/* whether there is a launch left */
static inline int cmk_stencil1d_next_(cmk_stencil1d_plan_ *plan)
{
    return plan->launches-- > 0;
}

#endif

#endif
