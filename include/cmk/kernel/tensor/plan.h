/* kernel/tensor/plan.h: the host's part: which way a call takes. */
#ifndef CMK_KERNEL_TENSOR_PLAN_H
#define CMK_KERNEL_TENSOR_PLAN_H

#include "../bytes/plan.h"
#include "../sweep/plan.h"
#include "rows.h"

#if CMK_HAS_HOST_

#include <math.h>
#include <stdio.h>

/* Whether the kernel of tensor cores has a body in this code: that of sm_80 and later, or of sm_90a, where that is
 * needed. The sweep's for sm_100 and later keeps in memory what others have in registers: not there. */
static inline int cmk_tensor_has_body_(const cmk_image_sizes_ *k, int code, int is_sm_90a)
{
    return k->bytes.on ? code >= 80 : k->sweep.on ? code >= 80 && code < 100 : is_sm_90a;
}

#if defined(__CUDACC__)

/* Says once, to who runs it, that a call would be faster in other code. No compiler can: nvcc compiles for sm_90 beside
 * sm_90a, and a pass does not know of the others. */
static inline void cmk_tensor_note_(const cmk_image_sizes_ *k)
{
    static int said;
    int major = 0, minor = 0;
    if (!CMK_TENSOR_NOTE || !k->tensor.on ||
        cmk_plan_fact_(NULL, 0, cudaDevAttrComputeCapabilityMajor, &major) != cudaSuccess ||
        cmk_plan_fact_(NULL, 0, cudaDevAttrComputeCapabilityMinor, &minor) != cudaSuccess || major != 9 || minor != 0)
        return;
    if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        fprintf(stderr, "cmk: a filter of %d x %d is faster by tensor cores, in code for sm_90a: nvcc -arch=sm_90a\n",
                k->rows, k->columns);
}

/* whether it has one on the device at work: of sm_90a's code it has shared memory of its own */
static inline int cmk_tensor_runs_here_(size_t kernel, const cmk_image_sizes_ *k)
{
    struct cudaFuncAttributes attributes;
    if (cudaFuncGetAttributes(&attributes, (const void *)kernel) != cudaSuccess)
        (void)cudaGetLastError();
    else if (attributes.maxThreadsPerBlock >= cmk_tensor_group_ &&
             cmk_tensor_has_body_(k, attributes.ptxVersion, attributes.sharedSizeBytes > 0))
        return 1;
    else
        cmk_tensor_note_(k);
    return 0;
}

#else

static inline int cmk_tensor_runs_here_(size_t kernel, const cmk_image_sizes_ *k)
{
    (void)kernel, (void)k;
    return CMK_TENSOR;
}

#endif

static inline int cmk_tensor_runs_(size_t kernel, const cmk_image_sizes_ *k, const cmk_plan_device *device)
{
    return cmk_plan_is_told_(device) ? cmk_tensor_has_body_(k, device->code, device->is_sm_90a)
                                     : cmk_tensor_runs_here_(kernel, k);
}

/* the clocks of an SM in which so many bytes pass through memory, by its width: asking for its clock takes 0.4 ms */
static inline double cmk_tensor_memory_clocks_(double bytes, const cmk_plan_device *device)
{
    int bits = 0;
    if (cmk_plan_bus_bits_(device, &bits) != cudaSuccess || bits <= 0) return 0.0;
    return bytes * (int)cmk_tensor_memory_clocks_of_ / bits;
}

/* Whether they are sooner done: each group computes the rows above its own too, rows take longer where they are not
 * in whole chunks, and where these do not end with zeros at the left and the right, and none is faster than memory. */
static inline int cmk_tensor_pays_(const cmk_tensor_region_ *region, const cmk_image_sizes_ *i, int processors,
                                   const cmk_plan_device *device)
{
    const cmk_image_ *const image = &region->image;
    const cmk_tensor_sizes_ *const k = &i->tensor;
    const int ends = !image->in_whole                                      ? (int)cmk_tensor_loose_clocks_
                     : i->zeros && image->left_whole && image->right_whole ? 0
                                                                           : (int)cmk_tensor_ends_clocks_;
    const double rows = (double)region->rows, groups = (double)processors * (int)cmk_tensor_groups_;
    const double steps = 0.5 * ((rows > groups ? rows / groups : 1.0) + i->rows);
    const double here =
        steps * (int)cmk_tensor_groups_ * (k->clocks + ends) + k->begin_clocks + (int)cmk_tensor_launch_clocks_;
    const double outputs = rows / region->strips * image->width;
    const double other = (1.0 + (int)cmk_tensor_other_ends_ / sqrt(outputs)) * outputs * i->products /
                         ((double)processors * (int)cmk_tensor_other_fmas_);
    return here < other && cmk_tensor_memory_clocks_(outputs * (i->in_size + i->out_size), device) < other;
}

/* the blocks of a plan, or 0 where the other way is sooner done */
static inline cmk_i64 cmk_tensor_blocks_(cmk_image_plan_ *plan, int processors)
{
    const cmk_tensor_sizes_ k = plan->sizes.tensor;
    cmk_image_sizes_ sizes = plan->sizes;
    cmk_tensor_region_ *const region = &plan->tensor;
    sizes.lanes = 16 / sizes.in_size;
    sizes.chunk_bytes = 16;
    region->image = cmk_image_describe_(&plan->call, &sizes);
    region->strips = (int)cmk_image_over_((cmk_i64)region->image.width + region->image.head, cmk_tensor_columns_);
    region->rows = (cmk_i64)region->strips * region->image.rows * (cmk_i64)plan->call.count;
    if (!CMK_TENSOR && !cmk_tensor_pays_(region, &plan->sizes, processors, &plan->device)) return 0;
    const cmk_i64 blocks = cmk_image_over_(region->rows, cmk_tensor_groups_);
    plan->bytes = (size_t)k.shared_bytes;
    return blocks < processors ? blocks : processors;
}

/* Whether tensor cores take a plan; it then is one of theirs, of a single launch. */
static inline int cmk_tensor_takes_(cmk_image_plan_ *plan)
{
    const cmk_image_call_ *const call = &plan->call;
    const cmk_image_sizes_ *const k = &plan->sizes;
    const size_t bytes = plan->bytes; /* of the other way */
    int processors = 1;
    if (plan->error != cudaSuccess || plan->next_image >= call->count || !k->tensor_way) return 0;
    if (cmk_plan_processors_(&plan->device, &processors) != cudaSuccess) return 0;
    const cmk_i64 blocks = k->bytes.on   ? cmk_bytes_blocks_of_(plan, processors)
                           : k->sweep.on ? cmk_sweep_blocks_of_(plan, processors)
                                         : cmk_tensor_blocks_(plan, processors);
    if (blocks <= 0 || blocks > 0x7fffffff || !cmk_tensor_runs_(plan->kernels[1], k, &plan->device)) {
        plan->bytes = bytes;
        return 0; /* to ask takes longest */
    }
    plan->grid = dim3((unsigned)blocks);
    plan->block = dim3((unsigned)k->tensor_threads);
    plan->in = (const char *)call->in + cmk_image_first_(call, k->channels) * (size_t)k->in_size;
    plan->out = (char *)call->out;
    return 1;
}

/* the next launch of a plan of either way; 0 when there is none */
static inline int cmk_tensor_next_launch_(cmk_image_plan_ *plan)
{
    if (!plan->begun) plan->way = cmk_tensor_takes_(plan);
    plan->begun = 1;
    if (!plan->way) return cmk_image_next_launch_(plan);
    const int next = plan->error == cudaSuccess && plan->next_image == 0;
    plan->next_image = plan->call.count;
    return next;
}

/* the host functions of a definition of these tables, which launch what a plan comes to, by one of two kernels */
#define CMK_TENSOR_LAUNCHERS_(name, IN, OUT, ...)                                                                      \
    CMK_LAUNCHER_CALL_(name, cmk_image_plan_, cmk_tensor_next_launch_, CMK_TENSOR_WAYS_, 3, __VA_ARGS__)               \
    CMK_IMAGE_LAUNCHERS_(name, IN, OUT, __VA_ARGS__)
#define CMK_TENSOR_WAYS_(VERB, name, ...)                                                                              \
    CMK_LAUNCHER_##VERB(name##_kernel, 0, char, char, image, __VA_ARGS__)                                              \
        CMK_LAUNCHER_##VERB(name##_tensor_kernel, 1, char, char, tensor, __VA_ARGS__)

#else

#define CMK_TENSOR_LAUNCHERS_(name, IN, OUT, ...)

#endif

#endif
