/* kernel/planes/plan.h: on the host: whether a call goes by tensor cores. It also has the one function that the kernel
 * calls.
 *
 * In all functions here:
 *
 *   s            cmk_planes_sizes_ (sizes.h), in the kernel known at compile time; s.groups: groups of a block; s.rows,
 *                s.planes and s.columns: the size of the filter; s.deep: planes of outputs of a group;
 *                s.outputs: outputs of a window side by side, 4 where the filter has up to 5 columns, else 2
 *   volume       cmk_volume_ (rows/volume.h): the region has planes x rows x columns outputs, the volume
 *                in_planes x in_rows x in_columns samples; pitches and steps are in elements. What this file sets
 *                in it: aligned, across, down, deep and blocks, see cmk_planes_divide_
 *   plan         cmk_volume_plan_ (call/volume.h): the launch that a call comes to, first of FMAs. launches is 0
 *                where the region is empty, so that its planes, rows and columns are 1 or more behind that check.
 *                error: why there is no launch
 *   device       the device that a plan is for: the current one, or one that the caller describes (../plan.h). Then
 *                cmk_plan_is_given_(device) is 1, and is_sm_90a says whether its code is for sm_90a
 *   processors   SMs of the device; cmk_plan_processors_ finds them, and returns an error where it cannot
 *   no           where a function returns 0, or cmk_planes_choose_ returns early, the plan stays as it is: by
 *                FMAs, or with an error that it had
 *   rounding     (x - 1) / n + 1 is x / n rounded up, so that the last strip, planes or rows may be fewer
 *   cmk_depth_   (call/depth.h): the rows of an item with which all groups end first; given the rows, the items side
 *                by side, the rows of the filter, and the groups that run at once. It makes no more items than 16
 *                times these groups, or than strips where those are more
 *   names        CMK_NAME_OF_(stem, T): in C the stem with T behind it, in C++ the stem (base.h). CMK_HAS_HOST_: 0
 *                with NVRTC. CMK_TENSOR_HAS_: 1 where the code has wgmma, CMK_TENSOR as set by the user (mma/code.h).
 *                cmk_planes_group_: 128 threads; the _clocks_ and _fmas_ are measured (tune.h). cmk_planes_parts_ and
 *                cmk_planes_march_ are those of march.h */
#ifndef CMK_KERNEL_PLANES_PLAN_H
#define CMK_KERNEL_PLANES_PLAN_H

#include "../call/depth.h"
#include "../call/volume.h"
#include "march.h"

/* The one call of a kernel, name_planes_kernel of conv3d.h, by all threads of its blocks. It has no body where the
 * device has no wgmma, or the definition does not go this way. in: element 0 of the volume. out: the region's first
 * output. tap: the function that reads tap i of table 1. That of double never has a body: CMK_CALL_OF_ takes one by the
 * type. */
CMK_DEVICE_ void CMK_NAME_OF_(cmk_planes_convolve_, float)(const float *in, float *out, const cmk_volume_ *volume,
                                                           cmk_planes_sizes_ s, const void *const *tables,
                                                           float (*tap)(const void *const *, int, int))
{
    const cmk_planes_parts_ parts = {tables, tap};
    (void)in, (void)out, (void)volume, (void)s, (void)parts;
#if CMK_TENSOR_HAS_
    if (s.on) cmk_planes_march_(in, out, volume, s, parts);
#endif
}
CMK_DEVICE_ void CMK_NAME_OF_(cmk_planes_convolve_, double)(const double *in, double *out, const cmk_volume_ *volume,
                                                            cmk_planes_sizes_ s, const void *const *tables,
                                                            double (*tap)(const void *const *, int, int))
{
    (void)in, (void)out, (void)volume, (void)s, (void)tables, (void)tap;
}
enum { cmk_planes_convolve_int_ }; /* CMK_CALL_OF_ names it, but there are no sums of int */

#if CMK_HAS_HOST_

/* Returns whether the kernel, given by its address, has a body on the device. If so, it has static shared memory
 * (`notes` of march.h), and its blocks may have the threads of a group. On the CPU it has one where CMK_TENSOR is 1. */
static inline int cmk_planes_runs_(size_t kernel, const cmk_plan_device *device)
{
    if (cmk_plan_is_given_(device)) return device->is_sm_90a;
#if defined(__CUDACC__)
    struct cudaFuncAttributes attributes;
    if (cudaFuncGetAttributes(&attributes, (const void *)kernel) == cudaSuccess)
        return attributes.sharedSizeBytes > 0 && attributes.maxThreadsPerBlock >= cmk_planes_group_;
    (void)cudaGetLastError();
    return 0;
#else
    (void)kernel;
    return CMK_TENSOR;
#endif
}

/* Divides a volume among groups: each has a strip of columns, some planes, and as many rows as make all end first. A
 * strip has 64 windows side by side, 16 of each of a group's 4 warps: `across` strips lie side by side, in `down` sets
 * of s.deep planes. An item is `deep` rows of a strip, and there are `blocks` items. The member aligned is 1 where rows
 * of in begin, at the region's first column, at multiples of 16 bytes, plus 2 where those of out begin at multiples
 * of 8. The 0 of cmk_depth_ says that no block gets slower as blocks drift apart. */
static inline void cmk_planes_divide_(cmk_volume_ *volume, const cmk_volume_plan_ *plan, cmk_planes_sizes_ s,
                                      int processors)
{
    const size_t in_steps = (size_t)(volume->in_pitch | volume->in_step);
    const size_t out_steps = (size_t)(volume->out_pitch | volume->out_step);
    volume->aligned = (((size_t)plan->in | (in_steps | (size_t)volume->column) * sizeof(float)) % 16 == 0) |
                      (((size_t)plan->out | out_steps * sizeof(float)) % 8 == 0) << 1;
    volume->across = (unsigned)((volume->columns - 1) / (64 * s.outputs) + 1);
    volume->down = (unsigned)((volume->planes - 1) / s.deep + 1);
    const cmk_i64 strips = (cmk_i64)volume->across * volume->down;
    volume->deep = cmk_depth_(volume->rows, strips, s.rows, s.groups * processors, 0);
    volume->blocks = (unsigned)(strips * ((volume->rows - 1) / volume->deep + 1));
}

/* Returns whether tensor cores end sooner than FMAs, by the estimates of tune.h in clocks of an SM. rounds: the items
 * that a group computes one after another; each has s.rows - 1 steps more than rows. */
static inline int cmk_planes_pays_(const cmk_volume_ *volume, cmk_planes_sizes_ s, int processors)
{
    const double rounds = (double)((volume->blocks - 1) / (unsigned)(s.groups * processors) + 1);
    const int clocks = s.clocks + !(volume->aligned & 1) * (int)cmk_planes_elements_clocks_;
    const double here =
        rounds * (double)(volume->deep + s.rows - 1) * s.groups * clocks + (int)cmk_planes_begin_clocks_;
    const double outputs = (double)volume->planes * (double)volume->rows * (double)volume->columns;
    return here < outputs * s.planes * s.rows * s.columns / ((double)processors * (int)cmk_planes_other_fmas_);
}

/* Makes the plan one of tensor cores, where that is possible and pays, or wherever it is possible where CMK_TENSOR
 * is 1. Tensor cores count elements by int, also those of w->from (rows.h). `most` is 65,535 below the largest int,
 * which leaves room for the rows that a filter reads beyond the end. The launchers of conv3d.h call it with the address
 * of the kernel. A block has s.groups groups, and there are no more blocks than SMs. plan->way 1 is this way. */
static inline void cmk_planes_choose_(cmk_volume_plan_ *plan, cmk_planes_sizes_ s, size_t kernel,
                                      const cmk_plan_device *device)
{
    cmk_volume_ volume = plan->volume;
    const double most = 0x7fff0000, elements = (double)volume.in_step * (double)volume.in_planes;
    int processors = 1;
    if (plan->error != cudaSuccess || plan->launches == 0 || !s.on) return;
    if (elements + (double)volume.in_columns > most || (double)volume.in_rows > most) return;
    if (cmk_plan_processors_(device, &processors) != cudaSuccess) return;
    cmk_planes_divide_(&volume, plan, s, processors);
    if (!CMK_TENSOR && !cmk_planes_pays_(&volume, s, processors)) return;
    if (!cmk_planes_runs_(kernel, device)) return; /* this check takes longest */
    const unsigned blocks = (volume.blocks - 1) / (unsigned)s.groups + 1;
    plan->volume = volume;
    plan->grid = dim3(blocks < (unsigned)processors ? blocks : (unsigned)processors);
    plan->block = dim3((unsigned)s.threads);
    plan->bytes = (size_t)s.shared_bytes;
    plan->way = 1;
}

#endif

#endif
