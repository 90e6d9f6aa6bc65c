/* kernel/image/plan.h: the part of the image engine on the host. It finds the frame, divides the region among warps,
 * and goes through the launches that a call takes.
 *
 * In all functions here, which launchers call on the host:
 *   image   cmk_image_ of rows/image.h, which is what kernels get. columns, before, behind: numbers of columns of
 *           warps, or strips, of 32 s->lanes elements. above, below, length and frame_length: numbers of rows.
 *           left, right, width and head count elements. in_whole, out_whole: chunks of in and of out are aligned;
 *           left_whole, right_whole: image and region both begin, or end, with a chunk
 *   s       cmk_image_sizes_ of sizes.h, the constants of the definition. s->step: rows of a step. s->before,
 *           s->past: elements of a row of the ring before and behind a strip. s->f: the filter (rows/filter.h),
 *           where s->f.row is the rows above an output that it needs. s->direct: the direct way. s->has_unaligned:
 *           there is a kernel for rows that begin anywhere. s->few: memory
 *           alone is waited for. s->big: two codes of this size do not fit in an SM's cache. s->alone: all is frame
 *           where any is. s->blocks: blocks of an SM that the launch bounds leave room for
 *   plan    cmk_image_plan_ of call/image.h, a call with its launch at hand. next_image, next_row: where its next
 *           launch begins; rows_each: rows of a launch, at most; divides: whether it is to be divided still.
 *           kernels: those of call/image.h
 *   call    cmk_image_call_ of call/image.h. Pitches and steps count elements, sizes and places rows and pixels
 *   device  cmk_plan_device of kernel/plan.h, a device that the caller describes, or null for the current one.
 *           cmk_plan_device_of_: a copy, all 0 of null. cmk_plan_is_given_: whether it is described. resident: blocks
 *           of an SM that the caller says, or 0. cmk_plan_processors_ gets the number of SMs, and returns an error
 *   frame   the warps that may need what is outside the image, or chunks that are not aligned; others are inside
 *
 * cmk_image_over_(a, b) of call/image.h is a / b, rounded up, where a is not negative. cmk_image_warps_ is 4, the warps
 * of a block. Rows and columns are counted from the region's first, so that image->top and left are 0 or less. A call
 * with more than 0x7fff0000 rows, or elements of a row, is refused, so that all of these are ints. Of call/image.h:
 * cmk_image_why_ returns the sentence that says why a call is refused, or NULL. cmk_image_describe_(call, f, lanes,
 * bytes) makes an image, all but its division. A thread has `lanes` elements there, and loads `bytes` bytes at once.
 * cmk_image_first_ returns the elements from an image's first to the region's. Of tune.h: a row of the frame takes
 * cmk_image_frame_row_ = 3 where one inside takes cmk_image_inside_row_ = 2. In two waves, a row above or below takes
 * cmk_image_strip_row_. Names with longer are hundredths by which a way takes longer. The time of n blocks of an SM is
 * cmk_image_alone_time_(n, heavy), in hundredths of that of one among all. A thread of the direct way has
 * cmk_image_direct_height_ = 4 rows, and a block cmk_image_threads_ = 128 threads. */
#ifndef CMK_KERNEL_IMAGE_PLAN_H
#define CMK_KERNEL_IMAGE_PLAN_H

#include "../call/image.h"
#include "sizes.h"

#if CMK_HAS_HOST_

/* Returns the rows of a warp. A warp of that many rows reads whole steps: length + halo is a multiple of step. It is
 * the least such length that is not below rows. Where that is above `most`, it is the largest one that is not, which
 * may be 0 or less. All arguments count rows. */
static inline cmk_i64 cmk_image_length_(cmk_i64 rows, cmk_i64 most, cmk_i64 halo, cmk_i64 step)
{
    const cmk_i64 length = cmk_image_over_(rows + halo, step) * step - halo;
    return length <= most ? length : (most + halo) / step * step - halo;
}

/* Sets the skew of an image that goes the direct way, all but where its first row begins, which the launch does. It is
 * 0 where chunks are aligned, where rows of in and of out do not begin alike, and where there is no code for the skew.
 * The local `first` is the elements from in to the region's first one. */
static inline void cmk_image_skew_(cmk_image_ *image, const cmk_image_call_ *call, const cmk_image_sizes_ *s)
{
    const size_t lanes = (size_t)s->lanes, first = cmk_image_first_(call, s->f.channels);
    const size_t from = (size_t)call->in / (size_t)s->f.in_size + first, to = (size_t)call->out / (size_t)s->f.out_size;
    const size_t steps = call->count > 1 ? (call->in_step - call->out_step) % lanes : 0;
    if (s->lanes > cmk_conv2d_skew_lanes_ || (from - to) % lanes || (call->in_pitch - call->out_pitch) % lanes || steps)
        return;
    image->skew = (int)(call->in_pitch % lanes);
    image->lead_step = image->skew > 0 ? (int)(call->in_step % lanes) : 0;
}

/* Finds the frame: the columns of warps and the rows that are not inside. Sets columns, before, behind, above and below
 * of the image. An image without aligned chunks, or without a strip inside, is all frame: then before equals columns.
 * In the marching way, zeros outside need no frame above and below, nor at a side where image and region both begin, or
 * end, with a chunk. From row top to bottom - 1, all windows of outputs are in the image. Of a skewed image, strips may
 * begin up to a chunk further left, and rows of a thread another one. plain: the constants of one that is not. */
static inline void cmk_image_frame_(cmk_image_ *image, const cmk_image_sizes_ *plain)
{
    /* wide: elements of a strip. left, right: the columns where strips inside may begin, and must end. head: the most
     * elements by which a strip begins before a multiple of that */
    const cmk_image_sizes_ sizes = image->skew > 0 ? cmk_image_skewed_(*plain) : *plain, *s = &sizes;
    const int wide = 32 * s->lanes, left = image->left + s->before;
    const int head = image->head + (image->skew > 0 ? 2 * s->lanes - 2 : 0);
    const int right = image->right - s->past < image->width ? image->right - s->past : image->width;
    const int top = image->top + s->f.row, bottom = image->bottom - (s->f.rows - 1) + s->f.row;
    const int zeros = s->f.zeros && !s->direct, columns = (int)cmk_image_over_((cmk_i64)image->width + head, wide);
    const int before = zeros && image->left_whole ? 0 : (int)cmk_image_over_((left > 0 ? left : 0) + head, wide);
    const int end = zeros && image->right_whole ? columns : right < 0 ? 0 : (right + image->head) / wide;
    image->columns = columns;
    image->before = columns;
    if (((image->in_whole && image->out_whole) || image->skew > 0) && before < end) {
        image->before = before;
        image->behind = columns - end;
        image->above = zeros || top < 0 ? 0 : top < image->rows ? top : image->rows;
        image->below =
            zeros || bottom >= image->rows ? 0 : image->rows - (bottom > image->above ? bottom : image->above);
    }
}

/* What a division comes to. rows: the rows inside that its longest warp has time for, 0 where no rows are left. blocks:
 * the blocks inside, of one image. */
typedef struct {
    cmk_i64 rows, blocks;
} cmk_image_share_;

/* Divides the region among the warps of `blocks` blocks. A row of the frame takes half as long again as one inside, so
 * that warps of the frame have two thirds of the rows. together: whether all blocks are to end together. Then the warps
 * above and below have as many rows too; otherwise they have no more than they must, and are not counted. Works on one
 * image of a batch. Sets above, below, length, frame_length, sides and frame of the image, and leaves them incomplete
 * where it returns no rows: where the warps above and below would be all warps, or have all rows. */
static inline cmk_image_share_ cmk_image_cut_(cmk_image_ *image, const cmk_image_sizes_ *s, cmk_i64 blocks,
                                              int together)
{
    /* Of columns of warps there are `all`, `edges` in the frame, and `columns` inside. weight: the time of one row of
     * all columns. Rows above and rows below make one of `strips` each, and counted are those whose warps count. Warps
     * in the frame's columns have `side` rows. `sides` are these warps. `frame` is the number of the frame's blocks,
     * and `down` the warps inside of one column: 1 where the frame's leave none, and then there are more blocks than
     * `blocks`. There may be where numbers are rounded up too; the caller estimates with those that there are. All of
     * them fit in an int, as warps are about as many as `blocks` blocks have, and one for each column of warps. */
    const cmk_i64 all = image->columns, edges = image->before + image->behind, columns = all - edges;
    const cmk_i64 warps = cmk_image_warps_ * blocks, frame_row = cmk_image_frame_row_;
    const cmk_i64 weight = (cmk_i64)cmk_image_inside_row_ * columns + frame_row * edges;
    const cmk_i64 strips = columns > 0 ? (image->above > 0) + (image->below > 0) : 0, counted = together ? strips : 0;
    cmk_image_share_ share = {0, 0};
    if (columns > 0 && warps <= counted * all) return share;
    const cmk_i64 side =
        columns > 0 ? cmk_image_over_(image->rows * weight, frame_row * (warps - counted * all) + counted * weight)
                    : cmk_image_over_(image->rows, warps > all ? warps / all : 1);
    if (counted > 0 && image->above > 0 && image->above < side) image->above = (int)side;
    if (counted > 0 && image->below > 0 && image->below < side) image->below = (int)side;
    const cmk_i64 inside = (cmk_i64)image->rows - image->above - image->below;
    if (inside <= 0) return share;
    const cmk_i64 sides = cmk_image_over_(inside, side) * edges;
    cmk_i64 length = 0;
    if (columns > 0) {
        const cmk_i64 frame = cmk_image_over_(sides + counted * all, cmk_image_warps_);
        const cmk_i64 down = cmk_image_warps_ * (blocks - frame) / columns;
        length = cmk_image_length_(cmk_image_over_(inside, down > 0 ? down : 1), inside, s->f.rows - 1, s->step);
        if (length <= 0) return share;
        share.blocks = cmk_image_over_(cmk_image_over_(inside, length) * columns, cmk_image_warps_);
    }
    image->length = (int)length;
    image->frame_length = (int)side;
    image->sides = (int)sides;
    image->frame = (unsigned)cmk_image_over_(sides + strips * all, cmk_image_warps_);
    const cmk_i64 as_inside = frame_row * side / cmk_image_inside_row_;
    share.rows = columns == 0 ? side : as_inside > length ? as_inside : length;
    return share;
}

/* The time of `blocks` blocks of an SM, in hundredths of that of one block among as many as there is room for. room:
 * the blocks that an SM holds at the same time. heavy: whether the FMA rate is the limit (tune.h). Whole waves of
 * `room` blocks come first, then the rest. With 4 or more, latency is hidden as with all. */
static inline cmk_i64 cmk_image_time_(cmk_i64 blocks, int room, int heavy)
{
    const cmk_i64 rest = blocks % room;
    return 100 * (blocks - rest) + rest * cmk_image_alone_time_((int)(rest < 4 ? rest : 4), heavy);
}

/* A way to divide that is to be estimated: `blocks` blocks an SM, all of them at once or in two waves. The GPU has
 * `processors` SMs, and each holds `room` blocks at the same time. With all_frame, all warps go the way of the frame.
 * With framed, the call has a frame. A batch has `count` images. */
typedef struct {
    int processors, room, blocks, all_frame, framed;
    cmk_i64 count;
} cmk_image_way_;

/* The estimated time of a way to divide, or 0 where it leaves no rows. Divides *image that way, and sets *inside to its
 * blocks inside. The unit is a ten-thousandth of the time that a row takes in a block among as many as there is room
 * for. In one wave, all blocks end together. In two, the rows above and below are added, as the end waits for them.
 *
 * `blocks` has three meanings here. way.blocks is the number for an SM. The local `blocks` is the number for one image:
 * those of all SMs, divided by the images of the batch and rounded up. share.blocks is the number inside, of one image.
 * As the local one is rounded up, all images together may have more blocks than way.blocks for each SM, and so exceed a
 * wave. That is not refused. Then `each`, the most blocks that an SM gets, is above way.blocks. The time is that
 * of `each` blocks, with another wave where the SM has no room for them. `steps` counts rows of the image that the
 * longest warp reads, in whole steps, and `strip` rows above or below. */
static inline cmk_i64 cmk_image_estimate_(cmk_image_ *image, const cmk_image_sizes_ *s, cmk_image_way_ way,
                                          cmk_i64 *inside)
{
    const int together = way.blocks <= way.room;
    const cmk_i64 blocks = cmk_image_over_((cmk_i64)way.processors * way.blocks, way.count);
    const cmk_image_share_ share = cmk_image_cut_(image, s, blocks, together);
    if (share.rows <= 0) return 0;
    const cmk_i64 steps = cmk_image_over_(share.rows + s->f.rows - 1, s->step) * s->step;
    const cmk_i64 frame = together ? (cmk_i64)image->frame : cmk_image_over_(image->sides, cmk_image_warps_);
    const cmk_i64 each = cmk_image_over_((frame + share.blocks) * way.count, way.processors);
    const cmk_i64 strip = together ? 0 : image->above > image->below ? image->above : image->below;
    const int wave = !together ? 0 : way.framed ? cmk_image_framed_wave_longer_ : cmk_image_one_wave_longer_;
    const int longer = wave + (way.all_frame && !s->alone ? cmk_image_all_frame_longer_ : 0);
    *inside = share.blocks;
    return steps * cmk_image_time_(each, way.room, s->heavy) * (100 + longer) +
           (strip > 0 ? (strip + s->f.rows - 1) * cmk_image_strip_row_ * way.room : 0);
}

/* Divides the region among warps that march, in whatever way takes the least time: with one to all blocks for which an
 * SM has room, or with two waves of them. Fewer and longer warps read less halo; a single wave ends with its slowest
 * block. The codes of frame and inside may be too big to share an SM's cache. Then all is frame, or there are two
 * waves, whose end waits for the rows above and below. Returns the number of blocks of an image, those of the frame
 * first. resident: the blocks for which an SM has room, 0 where the runtime finds none; count: the images of the batch.
 * A way without rows is passed over. All as frame always has rows, so that a way is found. */
static inline cmk_i64 cmk_image_divide_(cmk_image_ *image, const cmk_image_sizes_ *s, int processors, int resident,
                                        cmk_i64 count)
{
    const int framed = image->before + image->behind + image->above + image->below > 0, apart = framed && s->big;
    const int room = s->few && resident > 2 ? 2 : resident > 0 ? resident : 1, most = (s->few ? 1 : 2) * room;
    /* given: the image with its frame, before a division. apart: whether the codes of frame and inside are too big. */
    cmk_image_ given = *image;
    cmk_i64 least = 0, least_inside = 0;
    for (int all_frame = s->alone ? framed : given.before == given.columns; all_frame < 2; ++all_frame) {
        if (all_frame && least > 0 && !apart) break;
        if (all_frame) {
            given.before = given.columns;
            given.behind = given.above = given.below = 0;
        }
        for (int blocks = 1; blocks <= most; blocks += blocks < room ? 1 : room) {
            const cmk_image_way_ way = {processors, room, blocks, all_frame, framed, count};
            cmk_image_ cut = given;
            cmk_i64 inside = 0;
            if (!all_frame && apart && blocks <= room) continue;
            const cmk_i64 time = cmk_image_estimate_(&cut, s, way, &inside);
            if (time > 0 && (least == 0 || time < least)) {
                *image = cut;
                least_inside = inside;
                least = time;
            }
        }
    }
    return image->frame + least_inside;
}

/* The plan of a call, all but its division. It has no launches where a size is 0: next_image is then behind the last. A
 * launcher calls, by ways.h, with the addresses of its kernels: by FMAs, by tensor cores, and by FMAs where rows begin
 * anywhere. The last one takes a call without aligned chunks, unless tensor cores do. The device is null for the
 * current one. A call that is refused has plan.why and plan.error. The grid's x, columns of warps, is that of the
 * direct way. */
static inline cmk_image_plan_ cmk_image_begin_plan_(const cmk_image_call_ *call, cmk_image_sizes_ s, size_t kernel,
                                                    size_t tensor_kernel, size_t unaligned_kernel,
                                                    const cmk_plan_device *device)
{
    cmk_image_plan_ plan = CMK_ZEROS_(cmk_image_plan_);
    plan.call = *call;
    plan.kernels[cmk_image_fma_kernel_] = kernel;
    plan.kernels[cmk_image_tensor_kernel_] = tensor_kernel;
    plan.kernels[cmk_image_unaligned_kernel_] = unaligned_kernel;
    plan.device = cmk_plan_device_of_(device);
    plan.bytes = (size_t)s.shared_bytes;
    plan.block = dim3((unsigned)cmk_image_threads_);
    plan.next_image = call->count;
    if (call->count == 0 || call->region_rows == 0 || call->region_columns == 0) return plan;
    plan.why = cmk_image_why_(call, &s.f);
    if (plan.why != NULL) {
        plan.error = cudaErrorInvalidValue;
        return plan;
    }
    plan.next_image = 0; /* there are launches; the direct way needs no division */
    plan.divides = !s.direct;
    plan.image = cmk_image_describe_(call, &s.f, s.lanes, s.chunk_bytes);
    if (s.has_unaligned && !(plan.image.in_whole && plan.image.out_whole)) {
        plan.way = cmk_image_unaligned_kernel_;
        plan.image.head = 0; /* strips begin with the region */
    }
    if (s.direct) cmk_image_skew_(&plan.image, call, &s);
    /* a launch has at most 65,535 blocks in y; the marching way takes all rows at once */
    plan.rows_each = s.direct ? 65535 * (size_t)cmk_image_warps_ * cmk_image_direct_height_ : call->region_rows;
    cmk_image_frame_(&plan.image, &s);
    plan.grid = dim3((unsigned)plan.image.columns, 1, 1);
    return plan;
}

/* Finds the blocks of this engine's kernel for which an SM has room: by the runtime, or, of a device that the caller
 * describes, by what it says or by the launch bounds. Returns the runtime's error. */
static inline cudaError_t cmk_image_resident_(const cmk_image_plan_ *plan, const cmk_image_sizes_ *s, int *resident)
{
    *resident = plan->device.resident > 0 ? plan->device.resident : s->blocks;
    if (cmk_plan_is_given_(&plan->device)) return cudaSuccess;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(resident, (const void *)plan->kernels[plan->way],
                                                         cmk_image_threads_, plan->bytes);
}

/* Divides the image of a plan, once, for the marching way, and sets the grid's x to the number of blocks of an image.
 * An error is left in plan->error, by which no launch follows. */
static inline void cmk_image_divide_plan_(cmk_image_plan_ *plan, const cmk_image_sizes_ *s)
{
    const cmk_image_sizes_ sizes = plan->way == cmk_image_unaligned_kernel_ ? cmk_image_unaligned_(*s) : *s;
    int processors = 1, resident = 1;
    plan->divides = 0;
    plan->error = cmk_plan_processors_(&plan->device, &processors);
    if (plan->error == cudaSuccess) plan->error = cmk_image_resident_(plan, s, &resident);
    plan->grid.x = (unsigned)cmk_image_divide_(&plan->image, &sizes, processors, resident, (cmk_i64)plan->call.count);
}

/* Makes the next launch of a plan. Returns 0 when there is none, and 1 where plan has its grid, in, out and image.
 * ways.h calls, until it returns 0. A launch has up to 65,535 images, as a grid may have in z, and rows_each rows of
 * each. z: its first image. image.start: its first row, which only the direct way uses. */
static inline int cmk_image_next_launch_(cmk_image_plan_ *plan, const cmk_image_sizes_ *s)
{
    const cmk_image_call_ *const call = &plan->call;
    const size_t in_size = (size_t)s->f.in_size, out_size = (size_t)s->f.out_size, z = plan->next_image;
    const size_t first = cmk_image_first_(call, s->f.channels);
    if (plan->error == cudaSuccess && plan->divides) cmk_image_divide_plan_(plan, s);
    if (plan->error != cudaSuccess || z >= call->count) return 0;
    const size_t left = call->region_rows - plan->next_row, rows = left < plan->rows_each ? left : plan->rows_each;
    plan->in = (const char *)call->in + (first + z * call->in_step) * in_size;
    plan->out = (char *)call->out + z * call->out_step * out_size;
    plan->image.start = (int)plan->next_row;
    if (plan->image.skew > 0) plan->image.lead = (int)((size_t)plan->in / in_size % (size_t)s->lanes);
    if (s->direct)
        plan->grid.y = (unsigned)cmk_image_over_((cmk_i64)rows, (int)cmk_image_warps_ * cmk_image_direct_height_);
    plan->grid.z = (unsigned)(call->count - z < 65535 ? call->count - z : 65535);
    plan->next_row += rows;
    if (plan->next_row >= call->region_rows) {
        plan->next_row = 0;
        plan->next_image += 65535;
    }
    return 1;
}

/* The plan of a batch of whole images, for the launchers name and name_batch. batch: a cmk_batch_ of call/launcher.h,
 * whose pitches and steps count elements. The two zeros are the row and the column where the region begins: it is all
 * of the image. */
static inline cmk_image_plan_ cmk_image_plan_batch_(const cmk_batch_ *batch, cmk_image_sizes_ s, size_t kernel,
                                                    size_t tensor_kernel, size_t unaligned_kernel,
                                                    const cmk_plan_device *device)
{
    const cmk_image_call_ call = {batch->in,
                                  batch->out,
                                  batch->in_pitch,
                                  batch->in_step,
                                  batch->out_pitch,
                                  batch->out_step,
                                  batch->count,
                                  batch->rows,
                                  batch->columns,
                                  0,
                                  0,
                                  batch->rows,
                                  batch->columns};
    return cmk_image_begin_plan_(&call, s, kernel, tensor_kernel, unaligned_kernel, device);
}

#endif

#endif
