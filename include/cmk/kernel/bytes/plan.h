/* kernel/bytes/plan.h: the host's part: how strips are divided among warps. */
#ifndef CMK_KERNEL_BYTES_PLAN_H
#define CMK_KERNEL_BYTES_PLAN_H

#include "../call/image.h"
#include "sizes.h"

#if CMK_HAS_HOST_

/* Where words of rows lie, and how pixels divide into strips: those at the left and the right are the frame, of which
 * something is outside, or not in words or pairs. */
static inline cmk_image_ cmk_bytes_describe_(const cmk_image_call_ *call, const cmk_bytes_sizes_ *k)
{
    const int channels = k->f.channels, size = k->f.out_size;
    int head = 0;
    cmk_image_ image = cmk_image_describe_(call, &k->f, 1, k->chunk);
    while (head < k->chunk && head * channels % k->chunk != image.head) ++head;
    image.in_whole = image.in_whole && head < k->chunk;
    head = image.in_whole ? head + k->before % 4 : 0;
    image.head = head * channels;
    image.out_whole = cmk_image_aligned_((size_t)call->out - (size_t)(image.head * size), call->out_pitch,
                                         call->out_step, (size_t)size, (size_t)(k->pair * size));
    const int neat = image.in_whole && image.out_whole, loose = k->ring && !neat;
    if (loose) image.in_whole = image.out_whole = image.head = head = 0;
    /* A strip's columns: of its outputs, from 0 to the region's width, and of what it reads, in the image, with whole
     * chunks. Where rows begin anywhere, another strip stores the first bytes of one inside. */
    const int strip = cmk_bytes_strip_(*k, neat), words = head + k->before;
    const int spare = loose ? 32 : k->ring ? 16 : neat ? 0 : 4;
    const int left = image.left / channels + words + 4 * (k->step == 2) + spare;
    const int low = left > head + loose ? left : head + loose;
    const int right = image.right / channels + words - k->reads - spare;
    const int end = image.width / channels + head - k->strip, high = end < right ? end : right;
    image.columns = (int)cmk_image_over_((cmk_i64)image.width / channels + head, strip);
    image.before = low > 0 ? (low + strip - 1) / strip : 0;
    image.behind = image.columns - 1 - (high < 0 ? -1 : high / strip);
    if (image.before + image.behind > image.columns) {
        image.before = image.columns;
        image.behind = 0;
    }
    return image;
}

/* The rows of a tile with which so many strips are done soonest, as waves of so many warps. */
static inline int cmk_bytes_length_(const cmk_bytes_sizes_ *k, cmk_i64 rows, cmk_i64 strips, cmk_i64 warps)
{
    const int shortest = k->grain > k->early ? k->grain - k->early : 2 * k->grain - k->early;
    cmk_i64 least = 0;
    int best = shortest;
    for (int length = shortest; length <= k->longest; length += k->grain) {
        const cmk_i64 tiles = cmk_image_over_(rows, length) * strips;
        const cmk_i64 time = cmk_image_over_(tiles, warps) * (length + k->begins);
        if (least > 0 && time > least) continue;
        least = time;
        best = length;
    }
    return best;
}

/* The blocks of a plan, 0 where the other way is sooner done, or there are too many tiles: image.length and
 * frame_length are the rows of one, sides the number of all, frame that of those at the edges; above and below how many
 * a strip at the edges has, and another. */
static inline cmk_i64 cmk_bytes_blocks_of_(cmk_image_plan_ *plan, const cmk_bytes_sizes_ *k, int processors)
{
    cmk_image_ *const image = &plan->region.image;
    *image = cmk_bytes_describe_(&plan->call, k);
    const cmk_i64 count = (cmk_i64)plan->call.count, rows = image->rows, edges = image->before + image->behind;
    const cmk_i64 inner = image->columns - edges, warps = (cmk_i64)processors * k->blocks * cmk_image_warps_;
    const int products = k->f.products, neat = image->in_whole && image->out_whole;
    const double all = (double)count * image->rows * image->width * products * (neat ? 1 : 2);
    if (!CMK_TENSOR && (all < k->least || (!neat && !k->ring && products < cmk_bytes_loose_))) return 0;
    image->length = cmk_bytes_length_(k, rows, (inner + 2 * edges) * count, warps);
    const int part = k->bands ? (int)cmk_bands_frame_ : neat ? (int)cmk_bytes_frame_ : (int)cmk_bytes_frame_loose_;
    image->frame_length = cmk_image_up_((image->length + part - 1) / part, k->bands ? 16 : k->step);
    const cmk_i64 inside = rows - 2 * (cmk_i64)image->frame_length;
    image->above = (int)cmk_image_over_(rows, image->frame_length);
    image->below = inside > 0 ? (int)cmk_image_over_(inside, image->length) : 0;
    const cmk_i64 frame = image->above * edges + 2 * inner, tiles = frame + image->below * inner;
    if (count > 0x7fffffff / tiles) return 0;
    image->frame = (unsigned)(frame * count);
    image->sides = (int)(tiles * count);
    plan->bytes = (size_t)(cmk_image_warps_ * k->ring_bytes) + (k->bands ? 0 : cmk_bytes_taps_most_ * sizeof(float));
    return cmk_image_over_(image->sides, cmk_image_warps_);
}
static inline cmk_i64 cmk_bands_blocks_of_(cmk_image_plan_ *plan, const cmk_bytes_sizes_ *k, int processors)
{
    return cmk_bytes_blocks_of_(plan, k, processors);
}

#endif

#endif
