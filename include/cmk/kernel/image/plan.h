/* kernel/image/plan.h: the host's part: checks a call, finds the frame, divides the region among warps, and goes
 * through the launches that it takes. */
#ifndef CMK_KERNEL_IMAGE_PLAN_H
#define CMK_KERNEL_IMAGE_PLAN_H

#include "../launcher.h"
#include "../range.h"
#include "region.h"
#include "sizes.h"

#if CMK_HAS_HOST_

/* what a launcher is asked for: sizes and places in rows and pixels, pitches and steps in elements */
typedef struct {
    const void *in;
    void *out;
    size_t in_pitch, in_step, out_pitch, out_step, count;
    size_t rows, columns, row, column, region_rows, region_columns;
} cmk_image_call_;

static inline const char *cmk_image_why_(const cmk_image_call_ *call, const cmk_image_sizes_ *k)
{
    static const char *const down[] = {"row", "region_rows", "rows"};
    static const char *const across[] = {"column", "region_columns", "columns"};
    const size_t limit = 0x7fff0000, channels = (size_t)k->channels;
    const char *why = cmk_why_above_("rows", call->rows, limit);
    if (why == NULL) why = cmk_why_above_("columns", call->columns, limit / channels);
    if (why == NULL) why = cmk_why_outside_(down, call->row, call->region_rows, call->rows);
    if (why == NULL) why = cmk_why_outside_(across, call->column, call->region_columns, call->columns);
    if (why != NULL) return why;
    const cmk_range_ in = {"in",          "in_pitch", "columns",  call->in,    call->in_pitch,    call->in_step,
                           call->columns, channels,   call->rows, call->count, (size_t)k->in_size};
    const cmk_range_ out = {"out",
                            "out_pitch",
                            across[call->region_columns == call->columns ? 2 : 1],
                            call->out,
                            call->out_pitch,
                            call->out_step,
                            call->region_columns,
                            channels,
                            call->region_rows,
                            call->count,
                            (size_t)k->out_size};
    return cmk_range_why_(&in, &out);
}

/* the element of an image where the region begins */
static inline size_t cmk_image_first_(const cmk_image_call_ *call, int channels)
{
    return call->row * call->in_pitch + call->column * (size_t)channels;
}

/* whether all these are multiples of a number of bytes */
static inline int cmk_image_aligned_(size_t first, size_t pitch, size_t step, size_t size, size_t bytes)
{
    return (first | pitch * size | step * size) % bytes == 0;
}

/* describes the call, all but its division */
static inline cmk_image_ cmk_image_describe_(const cmk_image_call_ *call, const cmk_image_sizes_ *k)
{
    const size_t in_size = (size_t)k->in_size, out_size = (size_t)k->out_size, chunk = (size_t)k->chunk_bytes;
    const size_t out_bytes = out_size * (size_t)k->lanes, out_chunk = out_bytes > 16 ? 16 : out_bytes;
    const size_t first = cmk_image_first_(call, k->channels);
    cmk_image_ image;
    memset(&image, 0, sizeof image);
    image.in_pitch = (cmk_i64)call->in_pitch;
    image.in_step = (cmk_i64)call->in_step;
    image.out_pitch = (cmk_i64)call->out_pitch;
    image.out_step = (cmk_i64)call->out_step;
    image.top = -(int)call->row;
    image.bottom = (int)(call->rows - call->row);
    image.left = -(int)call->column * k->channels;
    image.right = (int)(call->columns - call->column) * k->channels;
    image.rows = (int)call->region_rows;
    image.width = (int)call->region_columns * k->channels;
    image.in_whole = cmk_image_aligned_(0, call->in_pitch, call->in_step, in_size, chunk);
    image.head = image.in_whole ? (int)(((size_t)call->in + first * in_size) % chunk / in_size) : 0;
    image.out_whole = cmk_image_aligned_((size_t)call->out - (size_t)image.head * out_size, call->out_pitch,
                                         call->out_step, out_size, out_chunk);
    image.left_whole = image.head == 0 && image.left % k->lanes == 0;
    image.right_whole = (image.right + image.head) % k->lanes == 0 && (image.width + image.head) % k->lanes == 0;
    return image;
}

/* a / b, rounded up */
static inline cmk_i64 cmk_image_over_(cmk_i64 a, cmk_i64 b)
{
    return (a + b - 1) / b;
}

/* the least number of rows, at least rows, that with the halo makes whole steps; the most where that is above most */
static inline cmk_i64 cmk_image_length_(cmk_i64 rows, cmk_i64 most, cmk_i64 halo, cmk_i64 step)
{
    const cmk_i64 length = cmk_image_over_(rows + halo, step) * step - halo;
    return length <= most ? length : (most + halo) / step * step - halo;
}

/* finds the frame: the columns of warps and the rows that are not inside */
static inline void cmk_image_frame_(cmk_image_ *image, const cmk_image_sizes_ *k)
{
    const int wide = 32 * k->lanes, left = image->left + k->before, head = image->head;
    const int right = image->right - k->past < image->width ? image->right - k->past : image->width;
    const int top = image->top + k->row, bottom = image->bottom - (k->rows - 1) + k->row;
    const int zeros = k->zeros && !k->direct, columns = (int)cmk_image_over_((cmk_i64)image->width + head, wide);
    const int before = zeros && image->left_whole ? 0 : (int)cmk_image_over_((left > 0 ? left : 0) + head, wide);
    const int end = zeros && image->right_whole ? columns : right < 0 ? 0 : (right + head) / wide;
    image->columns = columns;
    image->before = columns;
    if (image->in_whole && image->out_whole && before < end) {
        image->before = before;
        image->behind = columns - end;
        image->above = zeros || top < 0 ? 0 : top < image->rows ? top : image->rows;
        image->below =
            zeros || bottom >= image->rows ? 0 : image->rows - (bottom > image->above ? bottom : image->above);
    }
}

/* what a division comes to: the rows inside that its longest warp has time for, 0 where it leaves none; blocks inside
 */
typedef struct {
    cmk_i64 rows, blocks;
} cmk_image_share_;

/* Divides the region among the warps of so many blocks. A row of the frame takes half as long again as one inside, so
 * that its warps have two thirds of the rows. Those above and below have as many where the blocks are to end together;
 * otherwise no more than they must, and are not counted. */
static inline cmk_image_share_ cmk_image_cut_(cmk_image_ *image, const cmk_image_sizes_ *k, cmk_i64 blocks,
                                              int together)
{
    const cmk_i64 all = image->columns, edges = image->before + image->behind, columns = all - edges;
    const cmk_i64 warps = cmk_image_warps_ * blocks, weight = 2 * columns + 3 * edges;
    const cmk_i64 strips = columns > 0 ? (image->above > 0) + (image->below > 0) : 0, counted = together ? strips : 0;
    cmk_image_share_ share = {0, 0};
    if (columns > 0 && warps <= counted * all) return share;
    const cmk_i64 side = columns > 0
                             ? cmk_image_over_(image->rows * weight, 3 * (warps - counted * all) + counted * weight)
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
        length = cmk_image_length_(cmk_image_over_(inside, down > 0 ? down : 1), inside, k->rows - 1, k->step);
        if (length <= 0) return share;
        share.blocks = cmk_image_over_(cmk_image_over_(inside, length) * columns, cmk_image_warps_);
    }
    image->length = (int)length;
    image->frame_length = (int)side;
    image->sides = (int)sides;
    image->frame = (unsigned)cmk_image_over_(sides + strips * all, cmk_image_warps_);
    share.rows = columns == 0 ? side : 3 * side / 2 > length ? 3 * side / 2 : length;
    return share;
}

/* the time of so many blocks of an SM, in hundredths of that of one among as many as there is room for */
static inline cmk_i64 cmk_image_time_(cmk_i64 blocks, int room, int heavy)
{
    const cmk_i64 rest = blocks % room;
    return 100 * (blocks - rest) + rest * cmk_image_alone_time_((int)(rest < 4 ? rest : 4), heavy);
}

/* a way to divide, that is to be estimated: n blocks an SM, all of them at once or in two waves */
typedef struct {
    int processors, room, blocks, all_frame, framed;
    cmk_i64 count;
} cmk_image_way_;

/* the estimated time of a way, which cuts *image so; its blocks inside; 0 where it leaves no rows */
static inline cmk_i64 cmk_image_estimate_(cmk_image_ *image, const cmk_image_sizes_ *k, cmk_image_way_ way,
                                          cmk_i64 *inside)
{
    const int together = way.blocks <= way.room;
    const cmk_i64 blocks = cmk_image_over_((cmk_i64)way.processors * way.blocks, way.count);
    const cmk_image_share_ share = cmk_image_cut_(image, k, blocks, together);
    if (share.rows <= 0) return 0;
    const cmk_i64 steps = cmk_image_over_(share.rows + k->rows - 1, k->step) * k->step;
    const cmk_i64 frame = together ? (cmk_i64)image->frame : cmk_image_over_(image->sides, cmk_image_warps_);
    const cmk_i64 each = cmk_image_over_((frame + share.blocks) * way.count, way.processors);
    const cmk_i64 strip = together ? 0 : image->above > image->below ? image->above : image->below;
    const int wave = !together ? 0 : way.framed ? cmk_image_framed_wave_longer_ : cmk_image_one_wave_longer_;
    const int longer = wave + (way.all_frame && !k->alone ? cmk_image_all_frame_longer_ : 0);
    *inside = share.blocks;
    return steps * cmk_image_time_(each, way.room, k->heavy) * (100 + longer) +
           (strip > 0 ? (strip + k->rows - 1) * cmk_image_strip_row_ * way.room : 0);
}

/* Divides the region among warps that march: one to all blocks for which an SM has room, or two waves of them, whatever
 * takes the least time. Fewer and longer warps read less halo; a single wave ends with its slowest block. Where the
 * codes of frame and inside are too big to share an SM's cache, all may be frame, or there are two waves, whose end
 * waits for the rows above and below. Returns the number of blocks. */
static inline cmk_i64 cmk_image_divide_(cmk_image_ *image, const cmk_image_sizes_ *k, int processors, int resident,
                                        cmk_i64 count)
{
    const int framed = image->before + image->behind + image->above + image->below > 0, apart = framed && k->big;
    const int room = k->few && resident > 2 ? 2 : resident > 0 ? resident : 1, most = (k->few ? 1 : 2) * room;
    cmk_image_ given = *image;
    cmk_i64 least = 0, least_inside = 0;
    for (int all_frame = k->alone ? framed : given.before == given.columns; all_frame < 2; ++all_frame) {
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
            const cmk_i64 time = cmk_image_estimate_(&cut, k, way, &inside);
            if (time > 0 && (least == 0 || time < least)) {
                *image = cut;
                least_inside = inside;
                least = time;
            }
        }
    }
    return image->frame + least_inside;
}

/* the launches of a call, one after another: at most 65,535 images in z, and rows of as many blocks in y */
typedef struct {
    cudaError_t error; /* why there is none */
    const char *why;   /* of a call that is refused */
    cmk_image_call_ call;
    cmk_image_ image;
    dim3 grid, block;
    const char *in; /* of the launch at hand */
    char *out;
    size_t next_image, next_row, rows_each, bytes; /* bytes of shared memory */
    cmk_image_sizes_ sizes;
    cmk_tensor_region_ tensor; /* for tensor cores */
    int begun, divides;        /* whether its way is chosen; whether it is yet to be divided */
    int way;                   /* by which kernel it goes */
    size_t kernels[2];         /* their addresses: of this engine, of tensor cores */
    cmk_plan_device device;
} cmk_image_plan_;

/* the plan of a call, all but its division; plans nothing for a size of 0 */
static inline cmk_image_plan_ cmk_image_begin_plan_(const cmk_image_call_ *call, cmk_image_sizes_ k, size_t kernel,
                                                    size_t tensor_kernel, const cmk_plan_device *device)
{
    cmk_image_plan_ plan = CMK_ZEROS_(cmk_image_plan_);
    plan.call = *call;
    plan.sizes = k;
    plan.kernels[0] = kernel;
    plan.kernels[1] = tensor_kernel;
    plan.device = cmk_plan_device_of_(device);
    plan.bytes = (size_t)k.shared_bytes;
    plan.block = dim3((unsigned)cmk_image_threads_);
    plan.next_image = call->count;
    if (call->count == 0 || call->region_rows == 0 || call->region_columns == 0) return plan;
    plan.why = cmk_image_why_(call, &k);
    if (plan.why != NULL) {
        plan.error = cudaErrorInvalidValue;
        return plan;
    }
    plan.next_image = 0;
    plan.divides = !k.direct;
    plan.image = cmk_image_describe_(call, &k);
    plan.rows_each = k.direct ? 65535 * (size_t)cmk_image_warps_ * cmk_image_direct_height_ : call->region_rows;
    cmk_image_frame_(&plan.image, &k);
    plan.grid = dim3((unsigned)plan.image.columns, 1, 1);
    return plan;
}

/* the blocks of so many threads that an SM has room for, of this engine's kernel */
static inline cudaError_t cmk_image_resident_(const cmk_image_plan_ *plan, int *resident)
{
    *resident = plan->device.resident > 0 ? plan->device.resident : plan->sizes.blocks;
    if (cmk_plan_is_told_(&plan->device)) return cudaSuccess;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(resident, (const void *)plan->kernels[0], cmk_image_threads_,
                                                         plan->bytes);
}

static inline void cmk_image_divide_plan_(cmk_image_plan_ *plan)
{
    int processors = 1, resident = 1;
    plan->divides = 0;
    plan->error = cmk_plan_processors_(&plan->device, &processors);
    if (plan->error == cudaSuccess) plan->error = cmk_image_resident_(plan, &resident);
    plan->grid.x =
        (unsigned)cmk_image_divide_(&plan->image, &plan->sizes, processors, resident, (cmk_i64)plan->call.count);
}

/* the next launch of a plan; 0 when there is none */
static inline int cmk_image_next_launch_(cmk_image_plan_ *plan)
{
    const cmk_image_call_ *const call = &plan->call;
    const size_t in_size = (size_t)plan->sizes.in_size, out_size = (size_t)plan->sizes.out_size, z = plan->next_image;
    const size_t first = cmk_image_first_(call, plan->sizes.channels);
    if (plan->error == cudaSuccess && plan->divides) cmk_image_divide_plan_(plan);
    if (plan->error != cudaSuccess || z >= call->count) return 0;
    const size_t left = call->region_rows - plan->next_row, rows = left < plan->rows_each ? left : plan->rows_each;
    plan->in = (const char *)call->in + (first + z * call->in_step) * in_size;
    plan->out = (char *)call->out + z * call->out_step * out_size;
    plan->image.start = (int)plan->next_row;
    if (plan->sizes.direct)
        plan->grid.y = (unsigned)cmk_image_over_((cmk_i64)rows, (int)cmk_image_warps_ * cmk_image_direct_height_);
    plan->grid.z = (unsigned)(call->count - z < 65535 ? call->count - z : 65535);
    plan->next_row += rows;
    if (plan->next_row >= call->region_rows) {
        plan->next_row = 0;
        plan->next_image += 65535;
    }
    return 1;
}

static inline cmk_image_plan_ cmk_image_plan_batch_(const void *in, size_t in_pitch, size_t in_step, void *out,
                                                    size_t out_pitch, size_t out_step, size_t rows, size_t columns,
                                                    size_t count, cmk_image_sizes_ k, size_t kernel,
                                                    size_t tensor_kernel, const cmk_plan_device *device)
{
    const cmk_image_call_ call = {in,   out,     in_pitch, in_step, out_pitch, out_step, count,
                                  rows, columns, 0,        0,       rows,      columns};
    return cmk_image_begin_plan_(&call, k, kernel, tensor_kernel, device);
}

static inline cmk_image_plan_ cmk_image_plan_region_(const void *in, size_t in_pitch, void *out, size_t out_pitch,
                                                     size_t rows, size_t columns, size_t row, size_t column,
                                                     size_t region_rows, size_t region_columns, cmk_image_sizes_ k,
                                                     size_t kernel, size_t tensor_kernel, const cmk_plan_device *device)
{
    const cmk_image_call_ call = {in,      out, in_pitch, 0,           out_pitch,     0, 1, rows,
                                  columns, row, column,   region_rows, region_columns};
    return cmk_image_begin_plan_(&call, k, kernel, tensor_kernel, device);
}

/* the host functions of a definition of these tables */
#define CMK_IMAGE_LAUNCHERS_(name, IN, OUT, ...)                                                                       \
    CMK_LAUNCHER_OF_BATCH_(name, IN, OUT, cmk_image_plan_batch_, CMK_IMAGE_CONSTANTS_(name), __VA_ARGS__)              \
    CMK_LAUNCHER_(name##_region, name,                                                                                 \
                  (const IN *in, size_t in_pitch, OUT *out, size_t out_pitch, size_t rows, size_t columns, size_t row, \
                   size_t column, size_t region_rows, size_t region_columns),                                          \
                  (in, in_pitch, out, out_pitch, rows, columns, row, column, region_rows, region_columns),             \
                  (cmk_image_plan_region_(in, in_pitch, out, out_pitch, rows, columns, row, column, region_rows,       \
                                          region_columns, CMK_IMAGE_CONSTANTS_(name))),                                \
                  __VA_ARGS__)
#define CMK_IMAGE_CONSTANTS_(name)                                                                                     \
    name##_sizes_(), CMK_PLAN_FUNCTION_(name##_kernel), CMK_PLAN_FUNCTION_(name##_tensor_kernel), device

#else

#define CMK_IMAGE_LAUNCHERS_(name, IN, OUT, ...)

#endif

#endif
