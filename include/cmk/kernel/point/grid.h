/* kernel/point/grid.h: what a launch of stencil2d.h and stencil3d.h has to do, and which part of it a thread does.
 *
 * A warp has 32 vectors side by side, and goes along the march, rows in 2D and planes in 3D, `deep` of them. The warps of
 * a block lie side by side too, in 3D one row below the other. A vector is of `lanes` columns, or of one, where rows
 * begin at no multiple of a vector. */
#ifndef CMK_KERNEL_POINT_GRID_H
#define CMK_KERNEL_POINT_GRID_H

#include "../../point.h"
#include "tune.h"

/* the first members of a name_grid */
#define CMK_POINT_SIZES_                                                                                               \
    size_t planes, rows, columns, plane_pitch, row_pitch;                                                              \
    size_t first_plane, end_plane, first_row, end_row, first_column, end_column, first_step;
typedef struct {
    CMK_POINT_SIZES_
} cmk_point_sizes_;

/* from first to end - 1, of an axis of count */
typedef struct {
    int first, end, count;
} cmk_point_axis_;

/* the blocks of a launch: across columns, down rows of blocks (3D), chunks of the march, images (2D) */
typedef struct {
    cmk_point_axis_ planes, rows, columns;
    unsigned across, down, chunks;
    int deep, start, whole; /* of the march; the first column of a block; whether rows begin with a vector */
    cmk_i64 time;
} cmk_point_task_;

/* the constants of a definition: reach is of all fields, as a SHAPE */
typedef struct {
    int dims, reach, lanes;
} cmk_point_definition_;

#define CMK_POINT_WARPS_(DIMS) ((DIMS) == 3 ? (int)cmk_point_warps_3d_ : (int)cmk_point_warps_2d_)

/* with a field of this SHAPE and of elements of so many bytes */
CMK_FUNCTION cmk_point_definition_ cmk_point_include_(cmk_point_definition_ d, int shape, int size)
{
    const int planes = CMK_POINT_PLANES_OF_(shape), rows = CMK_POINT_ROWS_OF_(shape);
    const int columns = CMK_POINT_COLUMNS_OF_(shape);
    d.reach += planes > CMK_POINT_PLANES_OF_(d.reach) ? 0x100 * (planes - CMK_POINT_PLANES_OF_(d.reach)) : 0;
    d.reach += rows > CMK_POINT_ROWS_OF_(d.reach) ? 0x10 * (rows - CMK_POINT_ROWS_OF_(d.reach)) : 0;
    d.reach += columns > CMK_POINT_COLUMNS_OF_(d.reach) ? columns - CMK_POINT_COLUMNS_OF_(d.reach) : 0;
    if (16 % size != 0) d.lanes = 1;
    return d;
}

/* the first output of the thread */
CMK_DEVICE_ cmk_point_place_ cmk_point_locate_(const cmk_point_task_ *task, cmk_point_definition_ d, int stage, int lanes)
{
    const unsigned x = blockIdx.x % task->across, y = blockIdx.x / task->across % task->down;
    const unsigned z = blockIdx.x / task->across / task->down;
    const int warp = (int)threadIdx.y, first = (int)(z % task->chunks) * task->deep;
    cmk_point_place_ p;
    p.dims = d.dims;
    p.stage = stage;
    p.inside = 1;
    p.step = d.dims == 3 ? cmk_point_step_3d_ : cmk_point_step_2d_;
    p.lanes = lanes;
    p.m = p.x = 0;
    p.plane = task->planes.first + (d.dims == 3 ? first : (int)(z / task->chunks));
    p.row = task->rows.first + (d.dims == 3 ? (int)y * cmk_point_warps_3d_ + warp : first);
    p.column = task->start + ((d.dims == 3 ? (int)x : (int)x * cmk_point_warps_2d_ + warp) * 32 + (int)threadIdx.x) * lanes;
    p.planes = task->planes.count;
    p.rows = task->rows.count;
    p.columns = task->columns.count;
    p.time = task->time;
    return p;
}

/* the end of the chunk in which the march is at p */
CMK_DEVICE_ int cmk_point_end_(const cmk_point_task_ *task, const cmk_point_place_ *p)
{
    const int end = (p->dims == 3 ? p->plane : p->row) + task->deep;
    const int last = p->dims == 3 ? task->planes.end : task->rows.end;
    return end < last ? end : last;
}

/* count elements from first on belong to the part, and with radius beside them, and ahead behind them, to the grid */
CMK_DEVICE_ int cmk_point_within_(cmk_point_axis_ axis, int first, int count, int radius, int ahead)
{
    return first >= axis.first && first <= axis.end - count && first >= radius &&
           first <= axis.count - count - radius - ahead;
}

/* whether a step of the warp knows no edge: with all that it reads, for the next one too */
CMK_DEVICE_ int cmk_point_inside_(const cmk_point_task_ *task, cmk_point_definition_ d, const cmk_point_place_ *p)
{
    const int left = p->column - (int)threadIdx.x * p->lanes;
    const int columns = CMK_POINT_UP_(CMK_POINT_COLUMNS_OF_(d.reach), p->lanes);
    const cmk_point_axis_ march = d.dims == 3 ? task->planes : task->rows;
    return cmk_point_within_(march, d.dims == 3 ? p->plane : p->row, p->step, cmk_point_along_(d.reach, d.dims), p->step) &&
           (d.dims == 2 || cmk_point_within_(task->rows, p->row, 1, CMK_POINT_ROWS_OF_(d.reach), 0)) &&
           cmk_point_within_(task->columns, left, 32 * p->lanes, columns, 0);
}

/* the place m further along the march and x columns right, as an output of the step */
CMK_DEVICE_ cmk_point_place_ cmk_point_move_(cmk_point_place_ p, int m, int x)
{
    p.m = m;
    p.x = x;
    p.plane += p.dims == 3 ? m : 0;
    p.row += p.dims == 3 ? 0 : m;
    p.column += x;
    return p;
}

CMK_DEVICE_ cmk_point_place_ cmk_point_advance_(cmk_point_place_ p)
{
    p.plane += p.dims == 3 ? p.step : 0;
    p.row += p.dims == 3 ? 0 : p.step;
    return p;
}

CMK_DEVICE_ int cmk_point_belongs_(const cmk_point_task_ *task, const cmk_point_place_ *p)
{
    return p->inside || (p->plane < task->planes.end && p->row < task->rows.end && p->column >= task->columns.first &&
                         p->column < task->columns.end);
}

#endif
