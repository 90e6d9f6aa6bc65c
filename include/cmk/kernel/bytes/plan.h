/* kernel/bytes/plan.h: the part of the engine of bytes on the host: how strips are divided among warps. A strip is
 * columns of outputs that one warp computes, and a tile is rows of a strip: the work of one warp. Strips and tiles in
 * the frame need elements outside the image, or addresses that are not aligned. All others are inside.
 *
 * In all functions here, which a launcher calls on the host:
 *   call    cmk_image_call_ of call/image.h, as the caller gives it. out_pitch and out_step count elements
 *   s       cmk_bytes_sizes_ of sizes.h, the constants of the definition. Of its members, strip, unaligned_strip,
 *           before and reads count pixels, chunk counts bytes of a load, and pair counts outputs of a store. ring:
 *           whether rows inside come by a ring; ring_bytes: its bytes. bands: whether the filter goes by bands. step:
 *           rows of a step. blocks: blocks of an SM. f: the filter (rows/filter.h), f.products its FMAs of an output
 *   image   cmk_image_ of rows/image.h. left, right and width count elements from the region's first one on; rows
 *           and columns are numbers of rows and of strips. An element of the input is a byte
 *   plan    cmk_image_plan_ of call/image.h. The engine sets the members region.image and bytes of it. plan->call is
 *           the call, with `count` images
 * These members of an image have another meaning here than in rows/image.h. warp.h goes by it:
 *   head                   elements from the first output of strip 0 to the region's first element
 *   before, behind         the number of strips in the frame at the left, and at the right
 *   length, frame_length   the rows of a tile inside, and of a tile in the frame
 *   above                  the tiles of one strip at the edges, which are in the frame from top to bottom
 *   below                  the tiles inside of one other strip, whose first and last tiles are in the frame
 *   sides, frame           the number of all tiles of all images, and of those in the frame
 *
 * cmk_image_over_(a, b) of call/image.h is a / b, rounded up, where a is not negative. cmk_image_up_(a, b) is a rounded
 * up to a multiple of b. By cmk_image_aligned_(first, pitch, step, size, bytes) all rows of all images begin at
 * multiples of `bytes` bytes, or it returns 0. cmk_image_warps_ is 4, the warps of a block. A batch of 0 images, and a
 * region without rows or columns, do not come here. CMK_TENSOR of mma/code.h is 1 where tensor cores are to be taken
 * also where FMAs are as fast, else 0. By cmk_image_describe_(call, f, lanes, bytes) of call/image.h, a thread has
 * `lanes` elements and loads `bytes` bytes at once. By cmk_bytes_strip_(s, aligned) of sizes.h, a strip has s.strip
 * pixels, or s.unaligned_strip of a ring without aligned rows. Of tune.h: with less than cmk_bytes_unaligned_ = 10 FMAs
 * of an output, FMAs are faster where there is neither a ring nor aligned rows. A warp of the frame has one part in
 * cmk_bytes_frame_ = 4, cmk_bytes_frame_unaligned_ = 2 or cmk_bands_frame_ = 8 of the rows. */
#ifndef CMK_KERNEL_BYTES_PLAN_H
#define CMK_KERNEL_BYTES_PLAN_H

#include "../call/image.h"
#include "sizes.h"

#if CMK_HAS_HOST_

/* Describes a call: where words of rows lie, and how pixels divide into strips. The strips of the frame, at the left
 * and the right, have something outside the image, or something that is not in whole words or pairs. Returns the image
 * all but its division into tiles. cmk_bytes_blocks_of_ calls. */
static inline cmk_image_ cmk_bytes_describe_(const cmk_image_call_ *call, const cmk_bytes_sizes_ *s)
{
    const int channels = s->f.channels, size = s->f.out_size;
    int head = 0; /* pixels until in_whole is known; then those of image.head */
    /* One element for a thread: image.head is then the bytes from a multiple of s->chunk to the region's first byte.
     * The loop looks for pixels that have as many bytes, but for whole chunks. Without any, rows are not aligned. All
     * filters have an s->before that is a multiple of 4, so that its remainder adds nothing to head. */
    cmk_image_ image = cmk_image_describe_(call, &s->f, 1, s->chunk);
    while (head < s->chunk && head * channels % s->chunk != image.head) ++head;
    image.in_whole = image.in_whole && head < s->chunk;
    if (!image.in_whole) head = 0;
    image.head = head * channels;
    image.out_whole = cmk_image_aligned_((size_t)call->out - (size_t)(image.head * size), call->out_pitch,
                                         call->out_step, (size_t)size, (size_t)(s->pair * size));
    /* unaligned: whether rows come by a ring and begin anywhere */
    const int aligned = image.in_whole && image.out_whole, unaligned = s->ring && !aligned;
    if (unaligned) image.in_whole = image.out_whole = image.head = head = 0;
    /* A strip is inside where the columns of its outputs are from 0 to the region's width, and where all that it reads
     * is in the image, with whole chunks. Where rows begin anywhere, the first bytes of a strip inside are stored by
     * another strip. All of these count pixels. Strip n has its first output in column n strip - head, and its first
     * word `words` columns before the multiple n strip. It is inside where low <= n strip <= high. It computes s->strip
     * columns also where it stores fewer. spare: what is read
     * before the first word and behind the last: chunks of a ring, or the words beside where words are not aligned.
     * With steps of two rows, threads also read up to 4 pixels before the first word. 16 and 32 are the bytes of one
     * and of two chunks, and 4 those of a word. They are taken as pixels, which have a byte at least. */
    const int strip = cmk_bytes_strip_(*s, aligned), words = head + s->before;
    const int spare = unaligned ? 32 : s->ring ? 16 : aligned ? 0 : 4;
    const int left = image.left / channels + words + 4 * (s->step == 2) + spare;
    const int low = left > head + unaligned ? left : head + unaligned;
    const int right = image.right / channels + words - s->reads - spare;
    const int end = image.width / channels + head - s->strip, high = end < right ? end : right;
    image.columns = (int)cmk_image_over_((cmk_i64)image.width / channels + head, strip);
    image.before = low > 0 ? (low + strip - 1) / strip : 0;
    image.behind = image.columns - 1 - (high < 0 ? -1 : high / strip);
    if (image.before + image.behind > image.columns) {
        image.before = image.columns;
        image.behind = 0;
    }
    return image;
}

/* Returns the rows of a tile with which `strips` strips of `rows` rows are done soonest, in waves of `warps` warps. A
 * length plus the s->early rows is a multiple of s->grain, and lengths go up to s->longest. time counts rows of a warp,
 * and s->begins are those that a warp takes to begin. Of equal times the longest tile is taken. Both divisions round
 * up, as the last tile of a strip, and the last wave, take as long as full ones. s->early is 8 at most, for 9 rows of a
 * filter, and s->grain then 8, so that the shortest length is above 0. */
static inline int cmk_bytes_length_(const cmk_bytes_sizes_ *s, cmk_i64 rows, cmk_i64 strips, cmk_i64 warps)
{
    const int shortest = s->grain > s->early ? s->grain - s->early : 2 * s->grain - s->early;
    cmk_i64 least = 0;
    int best = shortest;
    for (int length = shortest; length <= s->longest; length += s->grain) {
        const cmk_i64 tiles = cmk_image_over_(rows, length) * strips;
        const cmk_i64 time = cmk_image_over_(tiles, warps) * (length + s->begins);
        if (least > 0 && time > least) continue;
        least = time;
        best = length;
    }
    return best;
}

/* The blocks of a plan, or 0 where FMAs are sooner done or there are too many tiles. With 0 the call is not refused: it
 * goes by FMAs. The number of tiles must be an int, as image->sides is one. Sets members of the plan's image. The rows
 * of a tile inside and of the frame are its length and frame_length, the latter whole steps, or with bands pairs of
 * rows of tiles. The number of all tiles is its sides, and that of tiles in the frame its frame. The tiles of a strip
 * at the edges are its above, and those inside of another strip its below. The member bytes of the plan becomes the
 * dynamic shared memory of a block: the rings of its four warps, and cmk_bytes_taps_most_ floats, the taps. Bands have
 * those in static shared memory. ways.h calls it, by the name of the way, where a plan begins. */
static inline cmk_i64 cmk_bytes_blocks_of_(cmk_image_plan_ *plan, const cmk_bytes_sizes_ *s, int processors)
{
    cmk_image_ *const image = &plan->region.image;
    *image = cmk_bytes_describe_(&plan->call, s);
    const cmk_i64 count = (cmk_i64)plan->call.count, rows = image->rows, edges = image->before + image->behind;
    /* inner: strips that are not at the edges; warps: those that all SMs hold at the same time, which is a wave */
    const cmk_i64 inner = image->columns - edges, warps = (cmk_i64)processors * s->blocks * cmk_image_warps_;
    const int products = s->f.products, aligned = image->in_whole && image->out_whole;
    /* FMAs of the call, taken twice where rows are not aligned */
    const double all = (double)count * image->rows * image->width * products * (aligned ? 1 : 2);
    if (!CMK_TENSOR && (all < s->least || (!aligned && !s->ring && products < cmk_bytes_unaligned_))) return 0;
    /* a strip at the edges counts twice here, as its rows take longer; part is from tune.h */
    image->length = cmk_bytes_length_(s, rows, (inner + 2 * edges) * count, warps);
    const int part = s->bands  ? (int)cmk_bands_frame_
                     : aligned ? (int)cmk_bytes_frame_
                               : (int)cmk_bytes_frame_unaligned_;
    image->frame_length = cmk_image_up_((image->length + part - 1) / part, s->bands ? 16 : s->step);
    const cmk_i64 inside = rows - 2 * (cmk_i64)image->frame_length;
    image->above = (int)cmk_image_over_(rows, image->frame_length);
    image->below = inside > 0 ? (int)cmk_image_over_(inside, image->length) : 0;
    /* of one image; 2 inner are the first and the last tile of each other strip */
    const cmk_i64 frame = image->above * edges + 2 * inner, tiles = frame + image->below * inner;
    if (count > 0x7fffffff / tiles) return 0;
    image->frame = (unsigned)(frame * count);
    image->sides = (int)(tiles * count);
    plan->bytes = (size_t)(cmk_image_warps_ * s->ring_bytes) + (s->bands ? 0 : cmk_bytes_taps_most_ * sizeof(float));
    return cmk_image_over_(image->sides, cmk_image_warps_);
}
/* The same for filters by bands: ways.h makes the name of the function from that of the way. */
static inline cmk_i64 cmk_bands_blocks_of_(cmk_image_plan_ *plan, const cmk_bytes_sizes_ *s, int processors)
{
    return cmk_bytes_blocks_of_(plan, s, processors);
}

#endif

#endif
