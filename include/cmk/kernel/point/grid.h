/* kernel/point/grid.h: what a launch of stencil2d.h and stencil3d.h has to do, and which part of it a thread does.
 *
 * A warp has a tile: 32 vectors of `lanes` columns side by side, tile_rows rows and tile_planes planes. Where all that it
 * reads is inside the grid and all that it writes inside the part, each lane has the points of a vector; other tiles, and
 * all where rows begin at no multiple of a vector, go by strips of 32 columns, a lane to each. */
#ifndef CMK_KERNEL_POINT_GRID_H
#define CMK_KERNEL_POINT_GRID_H

#include "../../point.h"
#include "tune.h"

/* the first members of a name_grid */
#define CMK_POINT_SIZES_                                                                                               \
    size_t planes, rows, columns, plane_pitch, row_pitch;                                                              \
    size_t first_plane, end_plane, first_row, end_row, first_column, end_column, first_step
typedef struct {
    CMK_POINT_SIZES_;
} cmk_point_sizes_;

/* from first to end - 1, of an axis of count */
typedef struct {
    int first, end, count;
} cmk_point_axis_;

/* the tiles of a launch: across columns, down rows of blocks, and the first column, a multiple of a vector */
typedef struct {
    cmk_point_axis_ planes, rows, columns;
    unsigned across, down;
    int start, whole; /* whether rows begin with a vector */
    cmk_i64 step;
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

/* whether a tile from first on, and radius beside it, is inside the grid, and it is inside the part */
CMK_DEVICE_ int cmk_point_within_(cmk_point_axis_ axis, int first, int size, int radius)
{
    return first >= axis.first && first <= axis.end - size && first >= radius && first <= axis.count - size - radius;
}

/* the first output of the thread in its warp's tile */
CMK_DEVICE_ cmk_point_place_ cmk_point_locate_(const cmk_point_task_ *task, cmk_point_definition_ d, int stage)
{
    cmk_point_place_ p;
    p.dims = d.dims;
    p.stage = stage;
    p.inside = 1;
    p.lanes = d.lanes;
    p.tile_planes = d.dims == 3 ? cmk_point_planes_3d_ : 1;
    p.tile_rows = d.dims == 3 ? 1 : cmk_point_rows_2d_;
    p.z = p.y = p.x = 0;
    const unsigned down = blockIdx.x / task->across % task->down, deep = blockIdx.x / task->across / task->down;
    p.plane = task->planes.first + (int)deep * p.tile_planes;
    p.row = task->rows.first + ((int)down * CMK_POINT_WARPS_(d.dims) + (int)threadIdx.y) * p.tile_rows;
    p.column = task->start + (int)(blockIdx.x % task->across) * 32 * p.lanes;
    p.planes = task->planes.count;
    p.rows = task->rows.count;
    p.columns = task->columns.count;
    p.step = task->step;
    return p;
}

/* whether width columns from that of the place, with all rows and planes of its tile, are inside with what they read */
CMK_DEVICE_ int cmk_point_inside_(const cmk_point_task_ *task, cmk_point_definition_ d, const cmk_point_place_ *p,
                                  int width)
{
    const int planes = d.dims == 3 ? CMK_POINT_PLANES_OF_(d.reach) : 0;
    const int columns = CMK_POINT_UP_(CMK_POINT_COLUMNS_OF_(d.reach), p->lanes);
    return cmk_point_within_(task->planes, p->plane, p->tile_planes, planes) &&
           cmk_point_within_(task->rows, p->row, p->tile_rows, CMK_POINT_ROWS_OF_(d.reach)) &&
           cmk_point_within_(task->columns, p->column, width, columns);
}

/* the place of output z, y, x of the thread whose first output is at p */
CMK_DEVICE_ cmk_point_place_ cmk_point_move_(cmk_point_place_ p, int z, int y, int x)
{
    p.z = z;
    p.y = y;
    p.x = x;
    p.plane += z;
    p.row += y;
    p.column += x;
    return p;
}

CMK_DEVICE_ int cmk_point_belongs_(const cmk_point_task_ *task, const cmk_point_place_ *p)
{
    return p->inside || (p->plane >= task->planes.first && p->plane < task->planes.end && p->row >= task->rows.first &&
                         p->row < task->rows.end && p->column >= task->columns.first && p->column < task->columns.end);
}

#endif
