/* transfer/plan.h: on the host: why a transfer between grids is refused, and the launch that it comes to. Sizes are
 * those of the fine grid; a coarse one has half of them, rounded down. In all functions here:
 *
 *   asked      cmk_batch_ (call/launcher.h), the arguments of the launcher; `count` is the planes, or the matrices
 *   s          cmk_transfer_sizes_ (call.h), the constants of the definition
 *   prolongs   1 where `in` is the coarse grid, 0 where it is the fine one
 *   why.h      cmk_why_above_: the sentence for a number above `most`; cmk_why_: one by a format of printf
 *   range.h    cmk_range_: three words, pointer, pitch, step, columns, channels, rows, count, size of what is read or
 *              written; cmk_range_why_: why not to read one and to write the other
 *   cmk_transfer_wide_ and the like    of tune.h */
#ifndef CMK_KERNEL_TRANSFER_PLAN_H
#define CMK_KERNEL_TRANSFER_PLAN_H

#include "../call/launcher.h"
#include "../call/range.h"
#include "call.h"
#include "tune.h"

#if CMK_HAS_HOST_

/* A call, whose way is `prolongs`, and its launch, if there is one left. */
typedef struct {
    cudaError_t error;
    const char *why;
    cmk_transfer_call_ call;
    dim3 grid, block;
    size_t bytes;
    int way, launches;
} cmk_transfer_plan_;

/* Returns why a size is refused, or NULL: an int counts the points of an axis, and what is somewhat outside. */
static inline const char *cmk_transfer_why_size_(const char *word, size_t points, int taps)
{
    const char *const why = cmk_why_above_(word, points, 0x7fff0000);
    if (why != NULL || taps == 3 || points % 2 == 0) return why;
    return cmk_why_("%s %zu is odd: of cells a coarse one covers two along each axis", word, points);
}

/* Returns why a call is refused whose grids have elements, or NULL. */
static inline const char *cmk_transfer_why_(const cmk_batch_ *asked, cmk_transfer_sizes_ s, int prolongs)
{
    const size_t size = (size_t)s.size, coarse_count = s.dims == 3 ? asked->count / 2 : asked->count;
    const char *const columns[2] = {"columns", "coarse columns"};
    const char *why = cmk_transfer_why_size_("columns", asked->columns, s.taps);
    if (why == NULL) why = cmk_transfer_why_size_("rows", asked->rows, s.taps);
    if (why == NULL && s.dims == 3) why = cmk_transfer_why_size_("planes", asked->count, s.taps);
    if (why == NULL && s.dims == 2) why = cmk_why_above_("count", asked->count, 0x7fff0000);
    if (why != NULL) return why;
    cmk_range_ in = {"in",           "in_pitch",     "in_step", columns[prolongs], asked->in,    asked->in_pitch,
                     asked->in_step, asked->columns, 1,         asked->rows,       asked->count, size};
    cmk_range_ out = {"out",           "out_pitch",    "out_step", columns[!prolongs], asked->out,   asked->out_pitch,
                      asked->out_step, asked->columns, 1,          asked->rows,        asked->count, size};
    cmk_range_ *const coarse = prolongs ? &in : &out;
    coarse->columns /= 2, coarse->rows /= 2, coarse->count = coarse_count;
    return cmk_range_why_(&in, &out);
}

/* Returns the blocks that go along `count` things, of which each takes `each`. */
static inline cmk_i64 cmk_transfer_parts_(cmk_i64 count, cmk_i64 each)
{
    return (count + each - 1) / each;
}

/* Divides a call into blocks. A block has as many threads side by side as a row needs, a power of two up to what a
 * matrix or a volume takes, and the others below them. */
static inline void cmk_transfer_divide_(cmk_transfer_plan_ *plan, cmk_transfer_sizes_ s)
{
    cmk_transfer_call_ *const call = &plan->call;
    const int most = s.dims == 3 ? cmk_transfer_wide_ : cmk_transfer_threads_;
    int wide = 1;
    while (wide < most && wide * s.lanes < call->pairs[2]) wide *= 2;
    const int teams = s.dims == 3 ? cmk_transfer_threads_ / wide : 1;
    const cmk_i64 across = cmk_transfer_parts_(call->pairs[2], (cmk_i64)wide * s.lanes);
    const cmk_i64 tiles = across * cmk_transfer_parts_(call->pairs[1], teams);
    const cmk_i64 deep = tiles * call->pairs[0] / cmk_transfer_blocks_;
    call->deep = deep < 1 ? 1 : deep < cmk_transfer_deep_ ? (int)deep : cmk_transfer_deep_;
    const cmk_i64 blocks = tiles * cmk_transfer_parts_(call->pairs[0], call->deep);
    call->across = (unsigned)across;
    call->down = (unsigned)(tiles / across);
    plan->grid = dim3((unsigned)blocks);
    plan->block = dim3((unsigned)wide, (unsigned)teams);
    plan->launches = 1;
    if (blocks <= 0x7fffffff) return;
    plan->error = cudaErrorInvalidConfiguration;
    plan->why = "the elements need more than 2147483647 blocks";
}

/* Returns the plan of a call. A coarse grid without elements needs no launch. */
static inline cmk_transfer_plan_ cmk_transfer_plan_of_(const cmk_batch_ *asked, cmk_transfer_sizes_ s, int prolongs)
{
    cmk_transfer_plan_ plan = CMK_ZEROS_(cmk_transfer_plan_);
    cmk_transfer_call_ *const call = &plan.call;
    const int flat = s.dims == 2;
    const size_t sizes[3] = {flat ? asked->rows : asked->count, flat ? asked->count : asked->rows, asked->columns};
    const size_t strides[2] = {asked->in_pitch | asked->in_step, asked->out_pitch | asked->out_step};
    const size_t both = (size_t)asked->in % 16 | strides[0] * (size_t)s.size;
    const size_t other = (size_t)asked->out % 16 | strides[1] * (size_t)s.size;
    plan.way = prolongs;
    if (asked->columns < 2 || asked->rows < 2 || asked->count < (flat ? 1 : 2)) return plan;
    plan.why = cmk_transfer_why_(asked, s, prolongs);
    if (plan.why != NULL) plan.error = cudaErrorInvalidValue;
    if (plan.why != NULL) return plan;
    call->in = (const char *)asked->in, call->out = (char *)asked->out;
    call->in_step = (cmk_i64)(flat ? asked->in_pitch : asked->in_step);
    call->in_pitch = (cmk_i64)(flat ? asked->in_step : asked->in_pitch);
    call->out_step = (cmk_i64)(flat ? asked->out_pitch : asked->out_step);
    call->out_pitch = (cmk_i64)(flat ? asked->out_step : asked->out_pitch);
    call->aligned = (prolongs ? other % 16 | both % 8 : both % 16 | other % 8) == 0;
    for (int axis = 0; axis < 3; ++axis) {
        call->fine[axis] = (int)sizes[axis];
        call->pairs[axis] = (int)(flat && axis == 1 ? sizes[axis] : (sizes[axis] + (size_t)prolongs) / 2);
    }
    cmk_transfer_divide_(&plan, s);
    return plan;
}

/* Returns whether there is a launch left, and counts it as taken. */
static inline int cmk_transfer_next_(cmk_transfer_plan_ *plan)
{
    return plan->error == cudaSuccess && plan->launches-- > 0;
}

#endif

#endif
