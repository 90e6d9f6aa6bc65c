/* kernel/call/volume.h: a call of a filter of volumes, on the host. It has what is asked for, why it is refused, where
 * its rows are, and the launch that it comes to. Of why.h, cmk_why_above_ is the sentence for a number above `most`, or
 * NULL, and cmk_why_outside_ that for a region that is not inside. A cmk_range_ (range.h) is three words, pointer,
 * pitch, step, columns, channels, rows, count and size. CMK_ZEROS_(T) is a T of zeros. */
#ifndef CMK_KERNEL_CALL_VOLUME_H
#define CMK_KERNEL_CALL_VOLUME_H

#include "../rows/volume.h"
#include "launcher.h"
#include "range.h"

#if CMK_HAS_HOST_

/* What a launcher is asked for. Sizes and places are in planes, rows and columns, pitches and steps in elements. */
typedef struct {
    const void *in;
    void *out;
    size_t in_pitch, in_step, out_pitch, out_step, planes, rows, columns;
    size_t plane, row, column, region_planes, region_rows, region_columns;
} cmk_volume_call_;

/* Returns why the region is not inside the volume, or NULL. An axis has at most 2^31 - 1 points, as volume/fill.h keeps
 * indices of it in an int. */
static inline const char *cmk_volume_why_region_(const cmk_volume_call_ *call)
{
    static const char *const through[] = {"plane", "region_planes", "planes"};
    static const char *const down[] = {"row", "region_rows", "rows"};
    static const char *const across[] = {"column", "region_columns", "columns"};
    const size_t most = 0x7fffffff;
    const char *why = cmk_why_above_("planes", call->planes, most);
    if (why == NULL) why = cmk_why_above_("rows", call->rows, most);
    if (why == NULL) why = cmk_why_above_("columns", call->columns, most);
    if (why == NULL) why = cmk_why_outside_(through, call->plane, call->region_planes, call->planes);
    if (why == NULL) why = cmk_why_outside_(down, call->row, call->region_rows, call->rows);
    if (why == NULL) why = cmk_why_outside_(across, call->column, call->region_columns, call->columns);
    return why;
}

/* Returns why a call is refused, or NULL. Its planes are a batch of matrices of one channel (range.h). `size` is the
 * bytes of an element. */
static inline const char *cmk_volume_why_(const cmk_volume_call_ *call, size_t size)
{
    const char *const columns = call->region_columns == call->columns ? "columns" : "region_columns";
    const cmk_range_ in = {"in",          "in_pitch",    "in_step", "columns",  call->in,     call->in_pitch,
                           call->in_step, call->columns, 1,         call->rows, call->planes, size};
    const cmk_range_ out = {"out",     "out_pitch",       "out_step",          columns,
                            call->out, call->out_pitch,   call->out_step,      call->region_columns,
                            1,         call->region_rows, call->region_planes, size};
    const char *const why = cmk_volume_why_region_(call);
    return why != NULL ? why : cmk_range_why_(&in, &out);
}

/* The plan of a call, on the host: a launch, if there is one. The error says why there is none, and why is the sentence
 * of a call that is refused. */
typedef struct {
    cudaError_t error;
    const char *why;
    const void *in;
    void *out;
    cmk_volume_ volume;
    dim3 grid,
        block;    /* set where volume is divided; all blocks are in x. By FMAs there are volume.blocks of them, by
                   * tensor cores at most as many as SMs, whose groups take the items in turns. 0 without a launch */
    size_t bytes; /* bytes of shared memory */
    int launches; /* the launches that are left */
    int way;      /* 1: tensor cores compute it, by planes/; 0: FMAs, by volume/ */
} cmk_volume_plan_;

/* Returns the volume and the region of a call, the parameter of its kernel (rows/volume.h), all but how the region is
 * divided. `size` is the bytes of an element. It is aligned if the region's first elements of in and out, all pitches
 * and all steps are multiples of 16 bytes. */
static inline cmk_volume_ cmk_volume_describe_(const cmk_volume_call_ *call, size_t size)
{
    const size_t steps = call->in_pitch | call->in_step | call->out_pitch | call->out_step;
    cmk_volume_ volume = CMK_ZEROS_(cmk_volume_);
    volume.in_pitch = (cmk_i64)call->in_pitch;
    volume.in_step = (cmk_i64)call->in_step;
    volume.out_pitch = (cmk_i64)call->out_pitch;
    volume.out_step = (cmk_i64)call->out_step;
    volume.planes = (cmk_i64)call->region_planes;
    volume.rows = (cmk_i64)call->region_rows;
    volume.columns = (cmk_i64)call->region_columns;
    volume.plane = (cmk_i64)call->plane;
    volume.row = (cmk_i64)call->row;
    volume.column = (cmk_i64)call->column;
    volume.in_planes = (cmk_i64)call->planes;
    volume.in_rows = (cmk_i64)call->rows;
    volume.in_columns = (cmk_i64)call->columns;
    volume.aligned = (((size_t)call->in + call->column * size) | (size_t)call->out | steps * size) % 16 == 0;
    return volume;
}

/* Returns whether there is a launch left, and counts it as taken. */
static inline int cmk_volume_next_(cmk_volume_plan_ *plan)
{
    return plan->launches-- > 0;
}

#endif

#endif
