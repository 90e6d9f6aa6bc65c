/* stencil1d/plan.h: on the host: what a call of a 1D stencil comes to. In all functions here `s` has the constants of
 * the definition (sizes.h). A step is s.step outputs, those of the 32 threads of a warp. A group is one step of each
 * warp of a block. `device` is what a plan takes into account (plan.h of kernel/), NULL for the current device.
 * cmk_plan_is_given_ says whether the caller describes a device, and cmk_card_of_ gives the row of card.h for it.
 * CMK_ON_GPU_ is 1 in code of nvcc (base.h), and CMK_TENSOR is 1 to take tensor cores wherever they can be.
 * All divisions into steps, groups and blocks are rounded up; what lies behind the end is not stored.
 *
 *   tune.h             cmk_stencil1d_few_blocks_: blocks up to which a warp has one step; cmk_stencil1d_short_blocks_:
 *                      the most groups of a short line. s.has_short: it has a kernel; cmk_stencil1d_short_of_: its
 *                      constants
 *   card               cmk_card_ (card.h): line_steps and line_tensor_steps of a warp, 0 for s.length. s.length: the
 *                      most steps of a warp; s.tensor: tensor cores may sum; s.warp_bytes: shared memory of a warp
 *   ../call/           cmk_why_outside_ (why.h): why a region is not inside; cmk_range_why_ (range.h): why in or out is
 *                      not right. A cmk_range_ is three words, pointer, pitch, step, columns, channels, rows, count,
 *                      size */
#ifndef CMK_KERNEL_STENCIL1D_PLAN_H
#define CMK_KERNEL_STENCIL1D_PLAN_H

#include "../../base.h"
#include "../card.h"
#include "../plan.h"
#include "../call/range.h"
#include "tune.h"
#include "window.h"

#if CMK_HAS_HOST_

/* A launch, if there is one. The error says why there is none, and why is the sentence of a call that is refused. */
typedef struct {
    cudaError_t error;
    const char *why;
    const void *in;
    void *out;
    cmk_stencil1d_line_ line;
    dim3 grid, block;
    size_t bytes; /* bytes of shared memory */
    int way;      /* 1: the kernel for short lines */
    int launches; /* the launches that are left */
} cmk_stencil1d_plan_;

/* Returns the most steps of a warp with a ring. They are those of card.h for elements of up to 4 bytes and radii beyond
 * cmk_stencil1d_wide_bytes_ bytes, where the row of the card has any. */
static inline int cmk_stencil1d_most_(cmk_stencil1d_shape_ s, const cmk_plan_device *device)
{
    if (s.size > 4 || s.radius * s.size <= cmk_stencil1d_wide_bytes_) return s.length;
    const cmk_card_ card = cmk_card_of_(device);
    const int steps = s.tensor ? card.line_tensor_steps : card.line_steps;
    return steps > 0 ? steps : s.length;
}

/* Divides a line of `groups` groups among the rings of warps. Sets the steps of a warp, which are fewer than `most`
 * where there would be few blocks, and whether tensor cores may sum. on_gpu: whether the call is for a GPU, and not for
 * the CPU backend. Returns the blocks. */
static inline cmk_i64 cmk_stencil1d_divide_(cmk_stencil1d_line_ *line, cmk_stencil1d_shape_ s, cmk_i64 groups, int most,
                                            int on_gpu)
{
    const cmk_i64 length = (groups + cmk_stencil1d_few_blocks_ - 1) / cmk_stencil1d_few_blocks_;
    line->length = length < most && !(CMK_TENSOR && s.tensor) ? (int)length : most;
    line->tensor = CMK_TENSOR || (on_gpu && length >= s.length);
    return (groups + line->length - 1) / line->length;
}

/* Sets the grid of a line of at least one step, and the kernel that it goes by, which is the one for short lines if the
 * definition has one and the groups are few. A grid has at most 2^31 - 1 blocks, and plan->error says if it
 * needs more. Warps of the last blocks may be left without a step. Shared memory stays below 48 KB (sizes.h). */
static inline void cmk_stencil1d_divide_grid_(cmk_stencil1d_plan_ *plan, cmk_stencil1d_shape_ s,
                                              const cmk_plan_device *device)
{
    const cmk_i64 warps = s.threads / 32, groups = (plan->line.steps + warps - 1) / warps;
    plan->way = s.has_short && groups <= cmk_stencil1d_short_blocks_;
    const cmk_stencil1d_shape_ used = plan->way ? cmk_stencil1d_short_of_(s) : s;
    const cmk_i64 each = used.threads / 32, direct = (plan->line.steps + each - 1) / each;
    const int on_gpu = CMK_ON_GPU_ || cmk_plan_is_given_(device);
    const cmk_i64 blocks =
        used.ring ? cmk_stencil1d_divide_(&plan->line, s, groups, cmk_stencil1d_most_(s, device), on_gpu) : direct;
    if (blocks > 0x7fffffff) {
        plan->error = cudaErrorInvalidConfiguration;
        plan->why = "the elements need more than 2147483647 blocks";
    }
    plan->grid = dim3((unsigned)blocks);
    plan->block = dim3((unsigned)used.threads);
    plan->bytes = used.ring ? (size_t)(warps * s.warp_bytes) : 0;
}

/* Returns why a call is refused, or NULL. The numbers in the two ranges say that a line is one row, whose pitch is its
 * length, of one channel and of a batch of one (call/range.h). Refused are a region that is not inside, a pointer that
 * is NULL or not aligned to an element, more than 9e18 bytes, and ranges of in and out that overlap. */
static inline const char *cmk_stencil1d_why_(const void *in, void *out, size_t count, size_t first, size_t region,
                                             size_t size)
{
    static const char *const words[] = {"first", "region", "count"};
    const cmk_range_ from = {"in", "", "", "count", in, count, 0, count, 1, 1, 1, size};
    const cmk_range_ to = {"out", "", "", "region", out, region, 0, region, 1, 1, 1, size};
    const char *const why = cmk_why_outside_(words, first, region, count);
    return why != NULL ? why : cmk_range_why_(&from, &to);
}

/* Returns the plan of a call, which is refused or is one launch. It computes `region` outputs from element `first` of
 * the `count` of `in` on. Launchers call it; that of a whole line gives first 0 and region count. head is below 16. The
 * steps cover head and region, and are rounded up without a sum that might overflow. */
static inline cmk_stencil1d_plan_ cmk_stencil1d_plan_region_(const void *in, void *out, size_t count, size_t first,
                                                             size_t region, cmk_stencil1d_shape_ s,
                                                             const cmk_plan_device *device)
{
    const size_t size = (size_t)s.size, head = (size_t)out % 16 / size, step = (size_t)s.step;
    const size_t steps = region / step + (region % step + head + step - 1) / step;
    cmk_stencil1d_line_ line = CMK_ZEROS_(cmk_stencil1d_line_);
    cmk_stencil1d_plan_ plan = {cudaSuccess, NULL, NULL, out, line, dim3(1), dim3(1), 0, 0, 0};
    if (region == 0) return plan;
    plan.why = cmk_stencil1d_why_(in, out, count, first, region, size);
    if (plan.why != NULL) {
        plan.error = cudaErrorInvalidValue;
        return plan;
    }
    plan.in = (const char *)in + first * size;
    plan.line.count = (cmk_i64)region;
    plan.line.low = -(cmk_i64)first;
    plan.line.high = (cmk_i64)(count - first);
    plan.line.in_count = (cmk_i64)count;
    plan.line.steps = (cmk_i64)steps;
    plan.line.head = (int)head;
    plan.line.aligned = (size_t)plan.in % 16 == (size_t)out % 16;
    cmk_stencil1d_divide_grid_(&plan, s, device);
    plan.launches = plan.error == cudaSuccess;
    return plan;
}

/* Returns whether there is a launch left. */
static inline int cmk_stencil1d_next_(cmk_stencil1d_plan_ *plan)
{
    return plan->launches-- > 0;
}

#endif

#endif
