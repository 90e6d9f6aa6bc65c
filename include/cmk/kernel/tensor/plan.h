/* kernel/tensor/plan.h: the part of the tensor engine on the host: whether tensor cores are sooner done, and how rows
 * are divided among blocks.
 *
 * In all functions here:
 *
 *   s            cmk_tensor_sizes_ (sizes.h) of the definition; s->clocks: clocks of an SM for a step,
 *                s->begin_clocks to begin
 *   region       cmk_image_region_ (rows/image.h): the strips of an image, each of 512 columns, and the rows of
 *                all strips of all images; region->image has the region as `rows` x `width` elements, and `head`:
 *                elements from a multiple of 16 bytes to the first. in_whole: rows are multiples of 16 bytes
 *                apart; left_whole, right_whole: image and region begin, and end, with a chunk of 16 bytes
 *   s->moves     rows that are not multiples of 16 bytes apart take no longer than what their ends take (sizes.h)
 *   plan         cmk_image_plan_ (call/image.h): what is called, and what the launch becomes; plan->bytes: shared
 *                memory
 *   processors   SMs of the device
 *   cmk_image_describe_(call, f, lanes, bytes), cmk_image_over_(a, b)   (call/image.h) the region as kernels get it,
 *                for chunks of `lanes` elements and `bytes` bytes; a / b rounded up. So the last strip may have
 *                fewer than 512 columns, and one group may have no row
 *   int          call/image.h refuses images of more than 0x7fff0000 rows, or elements in a row
 *   0            as a number of blocks: the call goes by FMAs, and is not refused
 *   cmk_plan_bus_bits_(device, &bits)   (../plan.h) the width of the memory of the device at hand, or of the one that
 *                the caller describes
 *   tune.h       cmk_tensor_columns_: 512, of a strip; those with _clocks_, _other_ends_ and _other_fmas_ are
 *                estimates. cmk_tensor_groups_ (sizes.h): 2, groups of a block. CMK_TENSOR (mma/code.h): 0, or 1 to
 *                take tensor cores always
 *   CMK_HAS_HOST_   0 with NVRTC, which has no host (base.h). s->f is the filter (rows/filter.h), in_size and
 *                out_size are bytes of an element, and zeros says that all outside is zero */
#ifndef CMK_KERNEL_TENSOR_PLAN_H
#define CMK_KERNEL_TENSOR_PLAN_H

#include "../call/image.h"
#include "sizes.h"

#if CMK_HAS_HOST_

#include <math.h>

/* The clocks of an SM in which `bytes` bytes pass through memory, from its width: asking for its clock takes 0.4 ms. It
 * is 0 where the width is unknown. */
static inline double cmk_tensor_memory_clocks_(double bytes, const cmk_plan_device *device)
{
    int bits = 0;
    if (cmk_plan_bus_bits_(device, &bits) != cudaSuccess || bits <= 0) return 0.0;
    return bytes * (int)cmk_tensor_memory_clocks_of_ / bits;
}

/* Whether tensor cores are sooner done than FMAs, by the estimates of tune.h in clocks of an SM: `here` against
 * `other`. Each group computes the rows above its own too. Rows take longer where they are not in whole chunks, and
 * where they do not end with zeros at the left and the right. No way is faster than memory. A group has rows / groups
 * rows, at least 1, and a step takes two of them. rows / strips are those of all images. s->f.products is the number of
 * taps. */
static inline int cmk_tensor_pays_(const cmk_image_region_ *region, const cmk_tensor_sizes_ *s, int processors,
                                   const cmk_plan_device *device)
{
    const cmk_image_ *const image = &region->image;
    const int ends = !image->in_whole && !s->moves                           ? (int)cmk_tensor_loose_clocks_
                     : s->f.zeros && image->left_whole && image->right_whole ? 0
                                                                             : (int)cmk_tensor_ends_clocks_;
    const double rows = (double)region->rows, groups = (double)processors * (int)cmk_tensor_groups_;
    const double steps = 0.5 * ((rows > groups ? rows / groups : 1.0) + s->f.rows);
    const double here =
        steps * (int)cmk_tensor_groups_ * (s->clocks + ends) + s->begin_clocks + (int)cmk_tensor_launch_clocks_;
    const double outputs = rows / region->strips * image->width;
    const double other = (1.0 + (int)cmk_tensor_other_ends_ / sqrt(outputs)) * outputs * s->f.products /
                         ((double)processors * (int)cmk_tensor_other_fmas_);
    return here < other && cmk_tensor_memory_clocks_(outputs * (s->f.in_size + s->f.out_size), device) < other;
}

/* The blocks of a plan, or 0 where FMAs are sooner done. Where CMK_TENSOR is 1, that is not asked. Called by
 * cmk_ways_blocks_ (ways.h). It sets plan->region, which the kernel gets, and plan->bytes. The 16 of
 * cmk_image_describe_ are the bytes of a chunk. Strips count from `head` elements before the region, and
 * plan->call.count are the images. There are at most as many blocks as SMs. */
static inline cmk_i64 cmk_tensor_blocks_of_(cmk_image_plan_ *plan, const cmk_tensor_sizes_ *s, int processors)
{
    cmk_image_region_ *const region = &plan->region;
    region->image = cmk_image_describe_(&plan->call, &s->f, 16 / s->f.in_size, 16);
    region->strips = (int)cmk_image_over_((cmk_i64)region->image.width + region->image.head, cmk_tensor_columns_);
    region->rows = (cmk_i64)region->strips * region->image.rows * (cmk_i64)plan->call.count;
    if (!CMK_TENSOR && !cmk_tensor_pays_(region, s, processors, &plan->device)) return 0;
    const cmk_i64 blocks = cmk_image_over_(region->rows, cmk_tensor_groups_);
    plan->bytes = (size_t)s->shared_bytes;
    return blocks < processors ? blocks : processors;
}

#endif

#endif
