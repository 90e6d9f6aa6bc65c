/* kernel/point/grid.h: what a launch of stencil2d.h and stencil3d.h has to do, and which part of it a thread does.
 *
 * A thread has a tile: a vector of `lanes` columns, or of one where rows begin at no multiple of a vector, in `deep` rows
 * of a 2D grid or planes of a 3D one. The tiles of a warp lie side by side, those of a block's warps below one another. */
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

/* the blocks of a launch: across columns, down rows; and, behind them, images in 2D, planes in 3D */
typedef struct {
    cmk_point_axis_ planes, rows, columns;
    unsigned across, down;
    int start, whole; /* the first column of a block; whether rows begin with a vector */
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

/* the first point of the thread's tile */
CMK_DEVICE_ cmk_point_place_ cmk_point_locate_(const cmk_point_task_ *task, cmk_point_definition_ d, int stage, int lanes)
{
    const unsigned down = blockIdx.x / task->across % task->down, behind = blockIdx.x / task->across / task->down;
    const int row = (int)down * CMK_POINT_WARPS_(d.dims) + (int)threadIdx.y;
    cmk_point_place_ p;
    p.dims = d.dims;
    p.stage = stage;
    p.inside = 1;
    p.deep = d.dims == 3 ? cmk_point_planes_ : cmk_point_rows_;
    p.lanes = lanes;
    p.m = p.x = 0;
    p.plane = task->planes.first + (int)behind * (d.dims == 3 ? p.deep : 1);
    p.row = task->rows.first + row * (d.dims == 3 ? 1 : p.deep);
    p.column = task->start + ((int)(blockIdx.x % task->across) * 32 + (int)threadIdx.x) * lanes;
    p.planes = task->planes.count;
    p.rows = task->rows.count;
    p.columns = task->columns.count;
    p.time = task->time;
    return p;
}

/* count elements from first on belong to the part, and with radius beside them to the grid */
CMK_DEVICE_ int cmk_point_within_(cmk_point_axis_ axis, int first, int count, int radius)
{
    return first >= axis.first && first <= axis.end - count && first >= radius && first <= axis.count - count - radius;
}

/* whether the tiles of the warp know no edge */
CMK_DEVICE_ int cmk_point_inside_(const cmk_point_task_ *task, cmk_point_definition_ d, const cmk_point_place_ *p)
{
    const int columns = CMK_POINT_UP_(CMK_POINT_COLUMNS_OF_(d.reach), p->lanes);
    const int left = p->column - (int)threadIdx.x * p->lanes, along = cmk_point_along_(d.reach, d.dims);
    return (d.dims == 3 ? cmk_point_within_(task->planes, p->plane, p->deep, along) : 1) &&
           cmk_point_within_(task->rows, p->row, d.dims == 3 ? 1 : p->deep, CMK_POINT_ROWS_OF_(d.reach)) &&
           cmk_point_within_(task->columns, left, 32 * p->lanes, columns);
}

/* the place of the point in row or plane m and column x of the tile at p */
CMK_DEVICE_ cmk_point_place_ cmk_point_move_(cmk_point_place_ p, int m, int x)
{
    p.m = m;
    p.x = x;
    p.plane += p.dims == 3 ? m : 0;
    p.row += p.dims == 3 ? 0 : m;
    p.column += x;
    return p;
}

/* a lower tile, of rows or planes from m on, at an edge */
CMK_DEVICE_ cmk_point_place_ cmk_point_part_of_(cmk_point_place_ p, int m, int deep)
{
    p.plane += p.dims == 3 ? m : 0;
    p.row += p.dims == 3 ? 0 : m;
    p.deep = deep;
    p.inside = 0;
    return p;
}

CMK_DEVICE_ int cmk_point_belongs_(const cmk_point_task_ *task, const cmk_point_place_ *p)
{
    return p->inside || (p->plane < task->planes.end && p->row < task->rows.end && p->column >= task->columns.first &&
                         p->column < task->columns.end);
}

#endif
