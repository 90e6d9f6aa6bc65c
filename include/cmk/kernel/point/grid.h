/* kernel/point/grid.h: what a launch of stencil2d.h and stencil3d.h has to do, and which part of it a thread does.
 *
 * A thread has a tile: a vector of `lanes` columns in some rows of a 2D grid or planes of a 3D one. The tiles of a warp
 * lie side by side, those of a block's warps below one another.
 * In 3D there is a second way, through shared memory: a block goes along the planes, `deep` of them (ring.h). */
#ifndef CMK_KERNEL_POINT_GRID_H
#define CMK_KERNEL_POINT_GRID_H

#include "../../point.h"
#include "tune.h"

/* the first members of a name_grid; the last two are the address and the bytes of the memory of name_prepare, or 0 */
#define CMK_POINT_SIZES_                                                                                               \
    size_t planes, rows, columns, plane_pitch, row_pitch;                                                              \
    size_t first_plane, end_plane, first_row, end_row, first_column, end_column, first_step;                           \
    cmk_i64 origin_plane, origin_row, origin_column;                                                                   \
    size_t global_planes, global_rows, global_columns, deep_ghosts, prepared_, prepared_bytes_
typedef struct {
    CMK_POINT_SIZES_;
} cmk_point_sizes_;

/* the constants of a field: bytes of an element and their alignment, how many fields; whether the launch writes what it
 * reads, so that the read-only path may not be taken; cmk_point_KIND_... */
typedef struct {
    int size, alignment, count, shape, edge, written, kind;
    const char *name; /* for the CPU backend */
} cmk_point_field_;

CMK_FOLDED_ cmk_point_field_ cmk_point_constants_of_(size_t size, size_t alignment, int count, int shape, int edge,
                                                     int kind, const char *name)
{
    const cmk_point_field_ f = {(int)size, (int)alignment, count, shape, edge, kind == cmk_point_KIND_SAME, kind, name};
    return f;
}

CMK_FOLDED_ int cmk_point_leaps_(cmk_point_field_ f)
{
    return f.kind == cmk_point_KIND_LEAPFROG;
}

/* from first to end - 1, of an axis of count */
typedef struct {
    int first, end, count;
} cmk_point_axis_;

/* the blocks of a launch: across columns, down rows; and, behind them, images in 2D, planes in 3D */
typedef struct {
    cmk_point_axis_ planes, rows, columns;
    unsigned across, down;
    int start, deep;    /* the first column of the first block; planes of a block */
    int wide, teams;    /* its threads side by side, and such rows of it */
    int aligned, rings; /* whether the kernel of aligned rows takes it; whether planes go through shared memory, */
    int shared;         /* of which a block has so many bytes */
    int all;            /* of a pass of several steps: whether it writes all of the grid; */
    int above, below;   /* in 2D, rows near an edge, */
    int edge_deep;      /* those of a chunk of them, */
    unsigned beside;    /* and the chunks of a strip at a side */
    int steps;          /* along lines, how many they are */
    cmk_i64 time;
    /* the points that a pass of several steps updates, of which it writes the part: that, or all, with deep ghosts */
    cmk_point_axis_ live_planes, live_rows, live_columns;
    /* what an update sees: sizes, and where the grid begins in them; and what is updated, from there */
    cmk_point_global_ global;
    cmk_point_axis_ seen_planes, seen_rows, seen_columns;
} cmk_point_task_;

/* the constants of a definition: reach is of all fields, as a SHAPE; bytes of shared memory for the ring of planes;
 * words of a thread's own columns in all windows of a 2D tile; bytes that a march keeps for two rows of a thread */
typedef struct {
    int dims, reach, lanes, shared, words, kept;
    int around; /* by bits, whether a field wraps along planes, rows, columns */
    int alone;  /* whether it has fields without neighbours; */
    int narrow; /* with them, of elements aligned by less than 4 bytes, which no asynchronous copy takes alone */
    /* words that a level of a pass of several steps keeps; whether a window cannot hold them; by bits, whether there
     * are fields that wrap, or that do not: along rows, columns and, in 3D, planes */
    int level_words, lost, wraps;
    int leaps;       /* whether a field of a line has two levels in time */
    int flow, meets; /* bytes of a thread's vectors in a row that arrives for it; of those that others read, in 3D */
    int tuned_steps, tuned_blocks; /* by CMK_TUNED_name, of a pass and of an SM; 0: by the model */
} cmk_point_definition_;

/* one without fields */
CMK_FOLDED_ cmk_point_definition_ cmk_point_definition_of_(int dims, int steps, int blocks)
{
    cmk_point_definition_ d = CMK_ZEROS_(cmk_point_definition_);
    d.dims = dims;
    d.lanes = 16;
    d.tuned_steps = steps;
    d.tuned_blocks = blocks;
    return d;
}

/* with vectors of no more elements than 16 bytes hold of this field */
CMK_FOLDED_ cmk_point_definition_ cmk_point_limit_lanes_(cmk_point_definition_ d, cmk_point_field_ f)
{
    if (CMK_POINT_LANES_(f.size) < d.lanes) d.lanes = CMK_POINT_LANES_(f.size);
    return d;
}

/* the planes of a field in shared memory: rows of vectors that hold what a block's points need; stages planes */
typedef struct {
    int along, rows, left, row_bytes, plane_bytes, stages, bytes;
    int lead;  /* bytes before a row, so that 32 bytes of memory are 32 of shared memory: sectors come twice else */
    int each;  /* rows that a thread copies, at the most */
    int loose; /* the most elements of a plane that no vector brings */
} cmk_point_ring_;

/* vectors of a thread: rows of radius 8, and one beside them */
enum { cmk_point_lines_most_ = (4 * cmk_point_ring_least_ + 2 * 8 - 1) / cmk_point_ring_least_ + 2 };

/* of a block of such threads, of which a launch has at least so many teams */
CMK_FOLDED_ cmk_point_ring_ cmk_point_ring_of_(int shape, int size, int lanes, int tile_rows, int wide, int teams,
                                               int least)
{
    cmk_point_ring_ r = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    r.along = CMK_POINT_PLANES_OF_(shape);
    r.rows = teams * tile_rows + 2 * CMK_POINT_ROWS_OF_(shape);
    r.left = CMK_POINT_UP_(CMK_POINT_COLUMNS_OF_(shape), lanes);
    r.lead = CMK_POINT_UP_(r.left * size, 32) - r.left * size;
    r.row_bytes = CMK_POINT_UP_(r.lead + (wide * lanes + 2 * r.left) * size, 32);
    r.plane_bytes = CMK_POINT_UP_(r.rows * r.row_bytes, 128);
    r.stages = (shape >= 0x1000 ? r.along + 1 : 1) + cmk_point_ahead_;
    r.bytes = r.stages * r.plane_bytes;
    r.each = (least * tile_rows + 2 * CMK_POINT_ROWS_OF_(shape) - 1) / least + 1;
    r.loose = r.rows * (2 * CMK_POINT_COLUMNS_OF_(shape) + lanes - 1);
    return r;
}

/* bytes of the rings of count fields, and of their list of loose elements */
CMK_FOLDED_ int cmk_point_ring_memory_(cmk_point_ring_ r, int count)
{
    return CMK_POINT_UP_(count * r.bytes + 8 * (r.loose + 1), 128);
}

/* the most that they are: of the narrowest blocks or of the widest */
CMK_FOLDED_ int cmk_point_ring_most_(int shape, int size, int lanes, int tile_rows, int count, int widest, int threads)
{
    const int narrow = cmk_point_ring_memory_(
        cmk_point_ring_of_(shape, size, lanes, tile_rows, cmk_point_ring_wide_, threads / cmk_point_ring_wide_, 1),
        count);
    const int wide = cmk_point_ring_memory_(
        cmk_point_ring_of_(shape, size, lanes, tile_rows, widest, (threads - 1) / widest + 1, 1), count);
    return narrow > wide ? narrow : wide;
}

/* 1 where a side of an axis wraps, 2 where one does not */
CMK_FOLDED_ int cmk_point_wraps_(int edge)
{
    const int low = CMK_EDGE_LOW_(edge) == CMK_EDGE_WRAP, high = CMK_EDGE_HIGH_(edge) == CMK_EDGE_WRAP;
    return (low || high ? 1 : 0) | (low && high ? 0 : 2);
}

/* with the reach of a SHAPE, and where an EDGE wraps */
CMK_FOLDED_ cmk_point_definition_ cmk_point_reaches_(cmk_point_definition_ d, int shape, int edge)
{
    const int planes = CMK_POINT_PLANES_OF_(shape), rows = CMK_POINT_ROWS_OF_(shape);
    const int columns = CMK_POINT_COLUMNS_OF_(shape);
    d.reach += planes > CMK_POINT_PLANES_OF_(d.reach) ? 0x100 * (planes - CMK_POINT_PLANES_OF_(d.reach)) : 0;
    d.reach += rows > CMK_POINT_ROWS_OF_(d.reach) ? 0x10 * (rows - CMK_POINT_ROWS_OF_(d.reach)) : 0;
    d.reach += columns > CMK_POINT_COLUMNS_OF_(d.reach) ? columns - CMK_POINT_COLUMNS_OF_(d.reach) : 0;
    d.alone |= shape % 0x1000 == 0;
    if (planes > 0 && d.dims == 3) d.around |= cmk_point_wraps_(CMK_EDGE_PLANE(edge)) & 1;
    if (rows > 0) d.around |= 2 * (cmk_point_wraps_(CMK_EDGE_ROW(edge)) & 1);
    if (columns > 0) d.around |= 4 * (cmk_point_wraps_(CMK_EDGE_COLUMN(edge)) & 1);
    return d;
}

/* with the fields, and the levels before of those that leap */
CMK_FOLDED_ cmk_point_definition_ cmk_point_include_(cmk_point_definition_ d, cmk_point_field_ f)
{
    const int planes = CMK_POINT_PLANES_OF_(f.shape), rows = CMK_POINT_ROWS_OF_(f.shape);
    const int columns = CMK_POINT_COLUMNS_OF_(f.shape), star = f.shape >= 0x1000;
    const int kept_rows = star ? 2 : 2 + 2 * rows, kept_columns = star ? d.lanes : d.lanes + 2 * columns;
    d.kept += f.count * f.size * kept_rows * kept_columns * (2 * planes + 1);
    if (cmk_point_leaps_(f)) {
        d.kept += f.count * f.size * 2 * d.lanes;
        d.alone = 1;
    }
    return cmk_point_reaches_(d, f.shape, f.edge);
}

/* rows of a thread where planes go through shared memory: as many as have windows that fit in registers */
CMK_FOLDED_ int cmk_point_ring_rows_(cmk_point_definition_ d)
{
    if (d.kept > cmk_point_kept_most_) return 1;
    return CMK_POINT_PLANES_OF_(d.reach) < cmk_point_deep_ ? 2 : 4;
}

/* blocks of an SM that march: four rows of a thread take the registers of all */
CMK_FOLDED_ int cmk_point_ring_blocks_(cmk_point_definition_ d)
{
    return cmk_point_ring_rows_(d) == 4 ? 1 : cmk_point_blocks_ring_;
}

/* whether the width of a block that marches along aligned rows is the launch's to choose; the most that it may be */
CMK_FOLDED_ int cmk_point_varies_(cmk_point_definition_ d)
{
    return CMK_POINT_PLANES_OF_(d.reach) <= cmk_point_ring_vary_;
}

CMK_FOLDED_ int cmk_point_widest_(cmk_point_definition_ d)
{
    if (!cmk_point_varies_(d)) return cmk_point_ring_wide_;
    return CMK_POINT_PLANES_OF_(d.reach) <= 1 && CMK_POINT_ROWS_OF_(d.reach) <= 1 ? cmk_point_ring_widest_
                                                                                  : cmk_point_ring_widest_ / 2;
}

/* the most threads of a block that marches */
CMK_FOLDED_ int cmk_point_ring_most_threads_(cmk_point_definition_ d)
{
    return cmk_point_varies_(d) && d.kept <= cmk_point_kept_few_ ? cmk_point_ring_threads_more_
                                                                 : cmk_point_ring_threads_;
}

/* Planes of a cycle of a march, after which its windows lie in the same registers again, or move by so many planes. */
CMK_FOLDED_ int cmk_point_cycle_(cmk_point_definition_ d)
{
    const int planes = 2 * CMK_POINT_PLANES_OF_(d.reach) + 1;
    return planes <= cmk_point_cycle_most_ ? planes : cmk_point_cycle_far_;
}

/* whether the rows of a 2D grid are lines: no point reads another row */
CMK_FOLDED_ int cmk_point_is_line_(cmk_point_definition_ d)
{
    return d.dims == 2 && CMK_POINT_ROWS_OF_(d.reach) == 0 && CMK_POINT_COLUMNS_OF_(d.reach) > 0;
}

/* words in which nvcc keeps an element of a window: it packs none */
CMK_FOLDED_ int cmk_point_words_(int size)
{
    return (size + 3) / 4;
}

/* with what fields that a stage sets, of a pass of several steps, are in a vector of a line */
CMK_FOLDED_ cmk_point_definition_ cmk_point_level_1d_(cmk_point_definition_ d, cmk_point_field_ f)
{
    d.level_words += f.count * cmk_point_words_(f.size) * (1 + cmk_point_leaps_(f)) * d.lanes;
    d.leaps |= cmk_point_leaps_(f);
    return d;
}

/* with what they keep at each level of a 2D grid */
CMK_FOLDED_ cmk_point_definition_ cmk_point_level_2d_(cmk_point_definition_ d, cmk_point_field_ f)
{
    const int rows = CMK_POINT_ROWS_OF_(f.shape), beside = f.shape >= 0x1000 ? 0 : 2 * CMK_POINT_COLUMNS_OF_(f.shape);
    const int lag = CMK_POINT_ROWS_OF_(d.reach);
    d.level_words += f.count * cmk_point_words_(f.size) * (rows + lag) * (d.lanes + beside);
    d.lost |= (cmk_point_leaps_(f) && lag > rows) || lag - rows > cmk_point_rows_ - 1;
    return d;
}

/* the same of a 3D one, for which it must be a star, or no more than the point */
CMK_FOLDED_ cmk_point_definition_ cmk_point_level_3d_(cmk_point_definition_ d, cmk_point_field_ f)
{
    const int planes = CMK_POINT_PLANES_OF_(f.shape), lag = CMK_POINT_PLANES_OF_(d.reach);
    const int rows = cmk_point_strip_rows_3d_ + 2 * planes, room = (cmk_point_planes_ + 2 * planes) * (1 + 2 * planes);
    d.level_words += f.count * cmk_point_words_(f.size) * (planes + lag) * d.lanes * cmk_point_strip_rows_3d_;
    d.lost |= (cmk_point_leaps_(f) && lag > planes) || (planes + lag + 1) * rows > room ||
              (f.shape < 0x1000 && f.shape % 0x1000 != 0);
    if (planes > 0) d.meets += f.count * f.size * d.lanes;
    if (planes > 0) d.wraps |= 16 * cmk_point_wraps_(CMK_EDGE_PLANE(f.edge));
    return d;
}

CMK_FOLDED_ cmk_point_definition_ cmk_point_level_(cmk_point_definition_ d, cmk_point_field_ f)
{
    d.flow += f.count * f.size * d.lanes * (1 + cmk_point_leaps_(f));
    d.lost |= f.size * d.lanes != 16;
    if (CMK_POINT_ROWS_OF_(f.shape) > 0) d.wraps |= cmk_point_wraps_(CMK_EDGE_ROW(f.edge));
    if (CMK_POINT_COLUMNS_OF_(f.shape) > 0) d.wraps |= 4 * cmk_point_wraps_(CMK_EDGE_COLUMN(f.edge));
    if (cmk_point_is_line_(d)) return cmk_point_level_1d_(d, f);
    return d.dims == 3 ? cmk_point_level_3d_(d, f) : cmk_point_level_2d_(d, f);
}

/* with what fields that no stage sets are: each level reads them, and others are under way */
CMK_FOLDED_ cmk_point_definition_ cmk_point_read_at_levels_(cmk_point_definition_ d, cmk_point_field_ f)
{
    const int rows = cmk_point_is_line_(d) ? 1
                     : d.dims == 3         ? cmk_point_strip_rows_3d_
                                           : 2 * (1 + 2 * CMK_POINT_ROWS_OF_(f.shape));
    d.level_words += f.count * cmk_point_words_(f.size) * d.lanes * rows;
    return d;
}

/* with the windows, rings and levels of fields, when all are included */
CMK_FOLDED_ cmk_point_definition_ cmk_point_share_(cmk_point_definition_ d, cmk_point_field_ f)
{
    const int beside = f.shape % 0x1000 != 0;
    d.words += f.count * (cmk_point_rows_ + 2 * CMK_POINT_ROWS_OF_(f.shape)) * d.lanes * f.size / 4;
    d.narrow |= beside && f.alignment < 4;
    if (beside)
        d.shared += cmk_point_ring_most_(f.shape, f.size, d.lanes, cmk_point_ring_rows_(d), f.count,
                                         cmk_point_widest_(d), cmk_point_ring_most_threads_(d));
    if (f.kind == cmk_point_KIND_OUT) return d;
    return f.kind == cmk_point_KIND_IN ? cmk_point_read_at_levels_(d, f) : cmk_point_level_(d, f);
}

/* whether planes go through shared memory */
CMK_FOLDED_ int cmk_point_rings_(cmk_point_definition_ d)
{
    return d.dims == 3 && d.lanes > 1 && CMK_POINT_PLANES_OF_(d.reach) > 0 &&
           d.shared <= (cmk_point_ring_blocks_(d) == 1 ? cmk_point_shared_alone_ : cmk_point_shared_most_);
}

/* whether the windows of a 3D tile are many words */
CMK_FOLDED_ int cmk_point_heavy_(cmk_point_definition_ d)
{
    return d.dims == 3 && !cmk_point_rings_(d) && d.words > cmk_point_many_;
}

/* threads of a block: side by side unless a launch chooses, of lines all; such rows, and all at the most */
CMK_FOLDED_ int cmk_point_wide_(cmk_point_definition_ d)
{
    return cmk_point_is_line_(d) ? 32 * cmk_point_warps_2d_ : 32;
}

CMK_FOLDED_ int cmk_point_teams_(cmk_point_definition_ d)
{
    if (cmk_point_is_line_(d)) return 1;
    if (cmk_point_rings_(d)) return cmk_point_ring_teams_;
    if (cmk_point_heavy_(d)) return cmk_point_warps_many_;
    return d.dims == 3 ? cmk_point_warps_3d_ : cmk_point_warps_2d_;
}

CMK_FOLDED_ int cmk_point_threads_(cmk_point_definition_ d, int aligned)
{
    return cmk_point_rings_(d) && aligned ? cmk_point_ring_most_threads_(d) : cmk_point_wide_(d) * cmk_point_teams_(d);
}

/* rows of a tile; planes where a block does not go along them: the fewer, the more windows */
CMK_FOLDED_ int cmk_point_tile_rows_(cmk_point_definition_ d, int rings)
{
    if (rings) return cmk_point_ring_rows_(d);
    if (d.dims == 3 || cmk_point_is_line_(d)) return 1;
    return d.words > cmk_point_many_ ? cmk_point_rows_ / 2 : cmk_point_rows_;
}

CMK_FOLDED_ int cmk_point_tile_planes_(cmk_point_definition_ d, int rings)
{
    if (d.dims == 2 || rings || d.words > cmk_point_many_) return 1;
    return d.words > cmk_point_few_ ? cmk_point_planes_ / 2 : cmk_point_planes_;
}

CMK_FOLDED_ int cmk_point_blocks_(cmk_point_definition_ d, int aligned)
{
    if (cmk_point_rings_(d)) return cmk_point_ring_blocks_(d);
    if (cmk_point_heavy_(d)) return aligned ? cmk_point_blocks_most_ : cmk_point_blocks_more_;
    if (d.words > 2 * cmk_point_many_) return cmk_point_blocks_most_;
    if (d.dims == 3) return cmk_point_blocks_3d_;
    if (d.words > cmk_point_many_) return cmk_point_blocks_many_;
    if (d.words > cmk_point_few_) return cmk_point_blocks_more_;
    const int near_rows = CMK_POINT_ROWS_OF_(d.reach) <= cmk_point_near_;
    if (!aligned) return near_rows && d.lanes <= 4 ? cmk_point_blocks_far_ : cmk_point_blocks_unaligned_;
    return near_rows && d.lanes >= 4 ? cmk_point_blocks_near_ : cmk_point_blocks_far_;
}

/* columns of a thread: one where planes would go through shared memory, but for this grid cannot, and where rows begin
 * with no vector and nvcc would not keep so many windows in registers */
CMK_FOLDED_ int cmk_point_columns_(cmk_point_definition_ d, int aligned, int rings)
{
    const int many = d.dims == 3 && d.words > cmk_point_many_;
    return (cmk_point_rings_(d) && !rings) || (!aligned && many) ? 1 : d.lanes;
}

/* which ways the kernel of rows that begin with vectors, or the other, has: along the planes through shared memory, as
 * a launch of the other may, and by tiles */
CMK_INLINED_ int cmk_point_marches_(const cmk_point_task_ *task, cmk_point_definition_ d, int aligned)
{
    return cmk_point_rings_(d) && (aligned || (!d.narrow && task->rings));
}

CMK_FOLDED_ int cmk_point_tiles_(cmk_point_definition_ d, int aligned)
{
    return aligned ? !cmk_point_rings_(d) : d.lanes > 1;
}

/* a block of a launch: its tiles along columns, rows and planes; whether it is of the border */
typedef struct {
    unsigned across, down, behind;
    int border;
} cmk_point_where_;

/* a place in the grid of a launch; what is 0 in most is */
CMK_INLINED_ cmk_point_place_ cmk_point_place_of_(const cmk_point_task_ *task, cmk_point_definition_ d)
{
    cmk_point_place_ p = CMK_ZEROS_(cmk_point_place_);
    p.dims = d.dims;
    p.planes = task->planes.count;
    p.rows = task->rows.count;
    p.columns = task->columns.count;
    p.time = task->time;
    p.around = d.around;
    return p;
}

/* the points of a tile; those of a pass, whose values a level may keep */
CMK_INLINED_ int cmk_point_points_(cmk_point_tile_ tile)
{
    return tile.planes * tile.rows * tile.lanes;
}

CMK_INLINED_ int cmk_point_kept_points_(const cmk_point_place_ *p)
{
    return p->way == cmk_point_in_pass_ ? p->tile.rows * p->tile.lanes : 0;
}

/* which block of a launch this is */
CMK_INLINED_ cmk_point_where_ cmk_point_where_of_(const cmk_point_task_ *task)
{
    const cmk_point_where_ block = {blockIdx.x % task->across, blockIdx.x / task->across % task->down,
                                    blockIdx.x / task->across / task->down, 0};
    return block;
}

/* the first point of the thread's tile in a block */
CMK_INLINED_ cmk_point_place_ cmk_point_locate_(const cmk_point_task_ *task, cmk_point_definition_ d,
                                                cmk_point_where_ block, int stage, int aligned, int rings)
{
    const int varies = rings ? aligned && cmk_point_varies_(d) : cmk_point_rings_(d);
    cmk_point_place_ p = cmk_point_place_of_(task, d);
    p.stage = stage;
    p.tile.wide = varies ? (int)blockDim.x : cmk_point_wide_(d);
    p.tile.teams = varies ? (int)blockDim.y : cmk_point_teams_(d);
    p.tile.least = rings && varies ? cmk_point_ring_threads_ / cmk_point_widest_(d) : p.tile.teams;
    p.way = rings ? cmk_point_in_ring_ : cmk_point_in_tile_;
    p.sure = !rings;
    p.inside = 1;
    p.tile.planes = cmk_point_tile_planes_(d, rings);
    p.tile.rows = cmk_point_tile_rows_(d, rings);
    p.tile.lanes = cmk_point_columns_(d, aligned, rings);
    p.tile.aligned = aligned || p.tile.lanes == 1;
    p.plane = task->planes.first + (int)block.behind * (rings ? task->deep : p.tile.planes);
    p.row = task->rows.first + ((int)block.down * p.tile.teams + (int)threadIdx.y) * p.tile.rows;
    p.column = task->start + ((int)block.across * p.tile.wide + (int)threadIdx.x) * p.tile.lanes;
    return p;
}

/* A place of a tile, or of a march, whose constants are known to a function that is called with it and not inlined. */
CMK_INLINED_ cmk_point_place_ cmk_point_known_(cmk_point_place_ p, cmk_point_definition_ d, int rings)
{
    const int most = cmk_point_columns_(d, 1, rings), least = cmk_point_heavy_(d) ? 1 : cmk_point_columns_(d, 0, rings);
    p.dims = d.dims;
    p.around = d.around;
    p.way = rings ? cmk_point_in_ring_ : cmk_point_in_tile_;
    if (most == least) p.tile.lanes = most;
    p.level.near_layers = p.x = p.y = p.z = 0;
    if (!rings && !cmk_point_heavy_(d)) p.near_edge = 0;
    if (!rings) return p;
    p.tile.planes = 1;
    p.tile.rows = cmk_point_ring_rows_(d);
    p.sure = p.near_edge = 0;
    if (cmk_point_varies_(d)) return p;
    p.tile.wide = cmk_point_wide_(d);
    p.tile.least = p.tile.teams = cmk_point_teams_(d);
    return p;
}

/* count elements from first on belong to the part, and with radius beside them to the grid */
CMK_INLINED_ int cmk_point_within_(cmk_point_axis_ axis, int first, int count, int radius)
{
    return first >= axis.first && first <= axis.end - count && first >= radius && first <= axis.count - count - radius;
}

/* Whether the tiles of the warp know no edge: along the planes; along rows and columns, where the vectors of a row that
 * begins with none hold other columns too. */
CMK_INLINED_ int cmk_point_inside_planes_(const cmk_point_task_ *task, cmk_point_definition_ d,
                                          const cmk_point_place_ *p)
{
    return d.dims == 2 || cmk_point_within_(task->planes, p->plane, p->tile.planes, CMK_POINT_PLANES_OF_(d.reach));
}

CMK_INLINED_ int cmk_point_inside_rows_(const cmk_point_task_ *task, int reach, const cmk_point_place_ *p)
{
    const int unaligned = p->tile.aligned ? 0 : 2 * (p->tile.lanes - 1);
    const int columns = CMK_POINT_UP_(CMK_POINT_COLUMNS_OF_(reach) + unaligned, p->tile.lanes);
    const int left = p->column - (int)threadIdx.x * p->tile.lanes;
    return cmk_point_within_(task->rows, p->row, p->tile.rows, CMK_POINT_ROWS_OF_(reach)) &&
           cmk_point_within_(task->columns, left, p->tile.wide * p->tile.lanes, columns);
}

CMK_INLINED_ int cmk_point_inside_(const cmk_point_task_ *task, cmk_point_definition_ d, const cmk_point_place_ *p)
{
    return cmk_point_inside_planes_(task, d, p) && cmk_point_inside_rows_(task, d.reach, p);
}

/* to point z, y, x of the tile */
CMK_INLINED_ void cmk_point_move_(cmk_point_place_ *p, int z, int y, int x)
{
    p->z += z;
    p->y += y;
    p->x += x;
    p->plane += z;
    p->row += y;
    p->column += x;
}

/* To its point k. By a pointer: nvcc for sm_100 unrolls the loop over them too late where it copies places. */
CMK_INLINED_ void cmk_point_move_to_(cmk_point_place_ *p, int k)
{
    cmk_point_move_(p, k / p->tile.lanes / p->tile.rows, k / p->tile.lanes % p->tile.rows, k % p->tile.lanes);
}

/* Whether windows of many words are vectors, which are loaded in one way at edges and elsewhere: nvcc keeps two sets of
 * them in registers, no third. */
CMK_INLINED_ int cmk_point_one_way_(cmk_point_definition_ d, const cmk_point_place_ *p)
{
    return cmk_point_heavy_(d) && p->tile.lanes > 1;
}

/* Whether all points of a warp's tiles are loaded together: they know no edge, or, where there is one way, all are of
 * the part, and each axis is longer than the reach, so that an edge folds once. The place says then which it is. */
CMK_INLINED_ int cmk_point_together_(const cmk_point_task_ *task, cmk_point_definition_ d, cmk_point_place_ *p)
{
    const int inside = cmk_point_inside_(task, d, p);
    if (!cmk_point_one_way_(d, p)) return inside;
    p->near_edge = 1;
    p->inside = inside;
    return p->planes > CMK_POINT_PLANES_OF_(d.reach) && p->rows > CMK_POINT_ROWS_OF_(d.reach) &&
           p->columns > CMK_POINT_COLUMNS_OF_(d.reach) &&
           cmk_point_within_(task->planes, p->plane, p->tile.planes, 0) && cmk_point_inside_rows_(task, 0, p);
}

/* columns of a slice of a tile at an edge: a vector or, where windows are many words, a point */
CMK_INLINED_ int cmk_point_slice_lanes_(cmk_point_definition_ d, const cmk_point_place_ *p)
{
    return cmk_point_heavy_(d) ? 1 : p->tile.lanes;
}

CMK_INLINED_ int cmk_point_slices_(cmk_point_definition_ d, const cmk_point_place_ *p)
{
    return p->tile.planes * p->tile.rows * p->tile.lanes / cmk_point_slice_lanes_(d, p);
}

/* slice k, as a tile of its own */
CMK_INLINED_ cmk_point_place_ cmk_point_slice_(cmk_point_definition_ d, cmk_point_place_ p, int k)
{
    const int lanes = cmk_point_slice_lanes_(d, &p), across = p.tile.lanes / lanes;
    p.plane += k / across / p.tile.rows;
    p.row += k / across % p.tile.rows;
    p.column += k % across * lanes;
    p.tile.planes = p.tile.rows = 1;
    p.tile.lanes = lanes;
    p.tile.aligned |= lanes == 1;
    p.near_edge = p.sure = p.inside = 0;
    return p;
}

/* whether a point of such a tile belongs to the part */
CMK_INLINED_ int cmk_point_any_(const cmk_point_task_ *task, cmk_point_place_ p)
{
    return p.plane < task->planes.end && p.row < task->rows.end && p.column + p.tile.lanes > task->columns.first &&
           p.column < task->columns.end;
}

/* whether the point belongs to the part */
CMK_INLINED_ int cmk_point_belongs_(const cmk_point_task_ *task, const cmk_point_place_ *p)
{
    return p->sure || (p->plane < task->planes.end && p->row < task->rows.end && p->column >= task->columns.first &&
                       p->column < task->columns.end);
}

/* of a thread that marches, which points do */
CMK_INLINED_ unsigned long long cmk_point_all_mine_(const cmk_point_task_ *task, const cmk_point_place_ *p)
{
    unsigned long long mine = 0;
    CMK_UNROLL
    for (int k = 0; k < p->tile.rows * p->tile.lanes; ++k) {
        cmk_point_place_ point = *p;
        cmk_point_move_to_(&point, k);
        mine |= (cmk_point_belongs_(task, &point) ? 1ull : 0ull) << k;
    }
    return mine;
}

/* of its row from p on, the first in the lowest bit; without a march an update evaluates no other points */
CMK_INLINED_ unsigned cmk_point_mine_row_(const cmk_point_place_ *p)
{
    const unsigned row = (1u << p->tile.lanes) - 1;
    return p->way != cmk_point_in_tile_ ? (unsigned)(p->mine >> cmk_point_output_(p)) & row : row;
}

/* the index of the part that is nearest to i */
CMK_INLINED_ int cmk_point_into_(cmk_point_axis_ axis, int i)
{
    return i < axis.first ? axis.first : i < axis.end ? i : axis.end - 1;
}

/* Moves to point k of the tile; whether an update evaluates it: on a GPU a thread that marches evaluates all of its own
 * alike. What an update sees of its place is of the larger grid, and always in the part: the nearest point of it.
 * In 2D nothing is added where there is no larger one: nvcc would keep the sums of a tile's rows in registers. */
CMK_INLINED_ int cmk_point_visit_(const cmk_point_task_ *task, cmk_point_place_ *p, int k)
{
#if defined(__CUDACC__)
    const int all = p->way != cmk_point_in_tile_;
#else
    const int all = 0;
    cmk_host_forget_besides_();
#endif
    cmk_point_move_to_(p, k);
    if (!all && (p->way == cmk_point_in_pass_ ? (int)(p->level.held >> k & 1) : !cmk_point_belongs_(task, p))) return 0;
    if (p->dims == 3 || (task->global.plane | task->global.row | task->global.column) != 0) {
        p->plane += task->global.plane;
        p->row += task->global.row;
        p->column += task->global.column;
    }
    p->planes = task->global.planes;
    p->rows = task->global.rows;
    p->columns = task->global.columns;
    if (!all || (p->way == cmk_point_in_pass_ && p->inside)) return 1;
    p->plane = cmk_point_into_(task->seen_planes, p->plane);
    p->row = cmk_point_into_(task->seen_rows, p->row);
    p->column = cmk_point_into_(task->seen_columns, p->column);
    return 1;
}

/* whether rows begin with no vector, or their end cuts vectors that the block reads without a ring */
CMK_INLINED_ int cmk_point_is_cut_(cmk_point_definition_ d, const cmk_point_place_ *p)
{
    const int left = p->column - (int)threadIdx.x * p->tile.lanes;
    if (!p->tile.aligned) return 1;
    return d.alone && p->columns % p->tile.lanes != 0 && left + p->tile.wide * p->tile.lanes > p->columns;
}

/* with a constant for it */
CMK_INLINED_ cmk_point_place_ cmk_point_cut_(cmk_point_place_ p, int cut)
{
    p.tile.cut = cut;
    return p;
}

#endif
