/* kernel/call/image.h: a call of a filter of images, on the host. It has what is asked for, why it is refused, where
 * its rows are, and the launches that it comes to.
 *
 * In all functions here, which launchers of images and the plans of their engines call on the host:
 *
 *   call   cmk_image_call_, what the launcher was asked for
 *   f      cmk_filter_ (rows/filter.h), the constants of the definition: bytes of an element of in and of out, channels
 *   image  cmk_image_ (rows/image.h), the parameter of a kernel. A chunk is what a thread loads at once; head is the
 *          elements from a multiple of a chunk to the region's first element
 *   why.h  cmk_why_above_, cmk_why_outside_: the sentence for a number above `most`; for a region that is not inside;
 *          or NULL
 *   range.h    cmk_range_: three words, pointer, pitch, step, columns, channels, rows, count, size of what is read or
 *          written */
#ifndef CMK_KERNEL_CALL_IMAGE_H
#define CMK_KERNEL_CALL_IMAGE_H

#include "../rows/filter.h"
#include "launcher.h"
#include "range.h"

#if CMK_HAS_HOST_

/* What a launcher is asked for. Sizes and places are in rows and pixels, pitches and steps in elements. */
typedef struct {
    const void *in;
    void *out;
    size_t in_pitch, in_step, out_pitch, out_step, count;
    size_t rows, columns, row, column, region_rows, region_columns;
} cmk_image_call_;

/* Returns why a call is refused, or NULL. An image has at most `limit` rows, and a row at most `limit` elements,
 * somewhat less than the largest int, so that kernels count by int what a filter reaches beyond. */
static inline const char *cmk_image_why_(const cmk_image_call_ *call, const cmk_filter_ *f)
{
    static const char *const down[] = {"row", "region_rows", "rows"};
    static const char *const across[] = {"column", "region_columns", "columns"};
    const size_t limit = 0x7fff0000, channels = (size_t)f->channels;
    const char *why = cmk_why_above_("rows", call->rows, limit);
    if (why == NULL) why = cmk_why_above_("columns", call->columns, limit / channels);
    if (why == NULL) why = cmk_why_outside_(down, call->row, call->region_rows, call->rows);
    if (why == NULL) why = cmk_why_outside_(across, call->column, call->region_columns, call->columns);
    if (why != NULL) return why;
    const cmk_range_ in = {"in",          "in_pitch",    "in_step", "columns",  call->in,    call->in_pitch,
                           call->in_step, call->columns, channels,  call->rows, call->count, (size_t)f->in_size};
    const cmk_range_ out = {
        "out",     "out_pitch",       "out_step",     across[call->region_columns == call->columns ? 2 : 1],
        call->out, call->out_pitch,   call->out_step, call->region_columns,
        channels,  call->region_rows, call->count,    (size_t)f->out_size};
    return cmk_range_why_(&in, &out);
}

/* Returns the number of elements from the first of an image to the first of the region. */
static inline size_t cmk_image_first_(const cmk_image_call_ *call, int channels)
{
    return call->row * call->in_pitch + call->column * (size_t)channels;
}

/* Returns whether the first element, the pitch and the step are all multiples of a number of bytes. */
static inline int cmk_image_aligned_(size_t first, size_t pitch, size_t step, size_t size, size_t bytes)
{
    return (first | pitch * size | step * size) % bytes == 0;
}

/* Describes the call of a filter as kernels get it, all but how its region is divided. Threads have `lanes` elements,
 * and load chunk_bytes bytes at once. They store those elements at once, or 16 bytes of them. So out is aligned where
 * the element that is `head` before its first is. Rows and columns of the image are counted from the region's first, so
 * that those before it are negative. */
static inline cmk_image_ cmk_image_describe_(const cmk_image_call_ *call, const cmk_filter_ *f, int lanes,
                                             int chunk_bytes)
{
    const size_t in_size = (size_t)f->in_size, out_size = (size_t)f->out_size, chunk = (size_t)chunk_bytes;
    const size_t out_bytes = out_size * (size_t)lanes, out_chunk = out_bytes > 16 ? 16 : out_bytes;
    const size_t first = cmk_image_first_(call, f->channels);
    cmk_image_ image;
    memset(&image, 0, sizeof image);
    image.in_pitch = (cmk_i64)call->in_pitch;
    image.in_step = (cmk_i64)call->in_step;
    image.out_pitch = (cmk_i64)call->out_pitch;
    image.out_step = (cmk_i64)call->out_step;
    image.top = -(int)call->row;
    image.bottom = (int)(call->rows - call->row);
    image.left = -(int)call->column * f->channels;
    image.right = (int)(call->columns - call->column) * f->channels;
    image.rows = (int)call->region_rows;
    image.width = (int)call->region_columns * f->channels;
    image.in_whole = cmk_image_aligned_(0, call->in_pitch, call->in_step, in_size, chunk);
    image.head = image.in_whole ? (int)(((size_t)call->in + first * in_size) % chunk / in_size) : 0;
    image.out_whole = cmk_image_aligned_((size_t)call->out - (size_t)image.head * out_size, call->out_pitch,
                                         call->out_step, out_size, out_chunk);
    image.left_whole = image.head == 0 && image.left % lanes == 0;
    image.right_whole = (image.right + image.head) % lanes == 0 && (image.width + image.head) % lanes == 0;
    return image;
}

/* Returns a / b, rounded up. */
static inline cmk_i64 cmk_image_over_(cmk_i64 a, cmk_i64 b)
{
    return (a + b - 1) / b;
}

/* The kernels of a filter, as a plan numbers them: by FMAs, by tensor cores, and by FMAs where rows begin anywhere. */
enum { cmk_image_fma_kernel_, cmk_image_tensor_kernel_, cmk_image_unaligned_kernel_, cmk_image_kernels_ };

/* The launches of a call, one after another. Each has at most 65,535 images in z, and the rows of as many blocks in
 * y. */
typedef struct {
    cudaError_t error; /* why there is no launch */
    const char *why;   /* the sentence of a call that is refused */
    cmk_image_call_ call;
    cmk_image_ image;
    dim3 grid, block;
    const char *in; /* the input and the output of the launch at hand */
    char *out;
    size_t next_image, next_row, rows_each, bytes; /* bytes: of shared memory */
    cmk_image_region_ region;                      /* the region for tensor cores */
    int begun, divides;                            /* whether its way is chosen; whether it is not divided yet */
    int way;                                       /* the number of the kernel that it goes by */
    size_t kernels[cmk_image_kernels_];            /* addresses of the kernels */
    cmk_plan_device device;
} cmk_image_plan_;

#endif

#endif
