/* kernel/point/divide.h: on the host: the blocks of a step, which go by tiles, or along planes through shared
 * memory.
 *
 * A tile of a block is the rectangle of columns and rows that its threads' tiles cover (grid.h). With rings, planes go
 * through shared memory (ring.h): a block marches, that is, it goes along `deep` planes with its tile.
 *
 * In all functions here, which the host calls:
 *
 *   s          a cmk_point_sizes_ (grid.h): the sizes of the grid, and its part, first to end - 1 of each axis
 *   d          a cmk_point_definition_ (grid.h): the constants of the definition. d.reach is the largest reach of all
 *              fields, as a SHAPE; d.shared the bytes of the rings; d.lanes the elements of a vector of at most 16
 *              bytes
 *   device     a cmk_plan_device (plan.h), or NULL for the current device
 *   task       a cmk_point_task_ (grid.h), the parameter of the kernel. wide x teams threads are a block, side by side
 *              and in rows. across x down tiles of blocks cover the part. deep: the planes of a block. start: the first
 *              column of the first block, at or before the part's. rings: 1 where blocks march
 *   lanes, tile_rows    the columns and rows of a thread
 *   resident   the blocks that run on the device at once
 *   cmk_point_columns_, cmk_point_tile_rows_    of grid.h: the columns and rows of a thread
 *   cmk_point_wide_, cmk_point_teams_    of grid.h: the threads of a block side by side, and its rows of them
 *   cmk_point_blocks_    of grid.h: the blocks of an SM by the launch bounds, taken as those that run at once
 *   cmk_plan_processors_, cmk_plan_shared_bytes_    of plan.h: the SMs; the most shared memory of a block, in bytes
 *   cmk_depth_, cmk_depth_time_    of ../call/depth.h: the depth with which all is done first; the time of a depth
 *   cmk_point_ring_wide_, cmk_point_ring_teams_    of tune.h: the narrowest block that marches, 32 threads side by side
 *              in 8 rows
 *   cmk_point_widest_, cmk_point_ring_most_threads_    of grid.h: the most threads side by side, 32, 64 or 128, and in
 *              all, 256 or 288, of a block that marches. cmk_point_varies_: whether a launch chooses that width
 *   cmk_point_rings_    of grid.h: whether the definition can march at all. Of a march: cmk_point_ring_rows_, the rows
 *              of a thread, 1, 2 or 4; cmk_point_ring_blocks_, the blocks of an SM. cmk_point_tile_planes_: the planes
 *              of a thread's tile
 *   d.kept, d.narrow    bytes that a thread keeps from plane to plane; whether elements are too little aligned to be
 *              copied
 *   tune.h     cmk_point_kept_few_: the most d.kept with registers to spare. cmk_point_drift_reach_: the planes of
 *              reach up to which card.drift holds. thin_share_, thin_columns_: a fourth of a block's rows, or 16
 *              columns, are thin
 *   refuse.h   cmk_point_sizes_why_, cmk_point_complete_, cmk_point_global_set_: check the sizes; set pitches that are
 *              0 and check buffers; set what an update sees. Each returns why not, or NULL
 *   others     cmk_point_begins_of_ (members.h): where rows begin. CMK_POINT_UP_(a, b): a up to a multiple of b.
 *              task->time: the number of the first step
 *
 * The sizes of a grid that was checked fit an int, and its part has points, so that no count - 1 is below 0. Divisions
 * of (count - 1) / n + 1 round up. Threads beyond the part store nothing. */
#ifndef CMK_KERNEL_POINT_DIVIDE_H
#define CMK_KERNEL_POINT_DIVIDE_H

#include "../card.h"
#include "../plan.h"
#include "../call/depth.h"
#include "refuse.h"

#if CMK_HAS_HOST_

/* Returns an axis of a task. Its indices fit an int, as cmk_point_sizes_why_ (refuse.h) has checked. */
static inline cmk_point_axis_ cmk_point_axis_of_(size_t first, size_t end, size_t count)
{
    const cmk_point_axis_ axis = {(int)first, (int)end, (int)count};
    return axis;
}

/* Begins a task: sets its axes from the sizes of the grid, and the number of the step. The live axes, which a pass
 * updates, are the part too. Tiles are not skewed, and all other members are 0. */
static inline void cmk_point_begin_task_(const cmk_point_sizes_ *s, cmk_point_task_ *task)
{
    memset((void *)task, 0, sizeof *task);
    task->skew = -1;
    task->time = (cmk_i64)s->first_step;
    task->turns = (const cmk_turns *)s->turns_;
    task->planes = cmk_point_axis_of_(s->first_plane, s->end_plane, s->planes);
    task->rows = cmk_point_axis_of_(s->first_row, s->end_row, s->rows);
    task->columns = cmk_point_axis_of_(s->first_column, s->end_column, s->columns);
    task->live_planes = task->planes;
    task->live_rows = task->rows;
    task->live_columns = task->columns;
}

/* Returns the threads of a block of a step. */
static inline dim3 cmk_point_block_(const cmk_point_task_ *task)
{
    const dim3 block = dim3((unsigned)task->wide, (unsigned)task->teams);
    return block;
}

/* Returns by how many columns, at most, rows of skewed tiles begin further left than task->start says: a tile by less
 * than a vector, and a row of it by less than another. */
static inline size_t cmk_point_slack_(cmk_point_definition_ d, const cmk_point_task_ *task)
{
    return !task->aligned && task->skew >= 0 ? 2 * (size_t)d.lanes - 2 : 0;
}

/* Sets the blocks across and down a grid that was checked. A thread has `lanes` columns and `tile_rows` rows, and rows
 * of tiles begin up to `slack` columns further left. */
static inline void cmk_point_divide_tiles_(const cmk_point_sizes_ *s, cmk_point_task_ *task, int lanes, int tile_rows,
                                           size_t slack)
{
    const size_t columns = s->end_column - (size_t)task->start + slack, rows = s->end_row - s->first_row;
    task->across = (unsigned)((columns - 1) / (size_t)(task->wide * lanes) + 1);
    task->down = (unsigned)((rows - 1) / (size_t)(task->teams * tile_rows) + 1);
}

/* Returns the depth in planes at which blocks along planes take twice as long, as they drift apart (card.h), or 0 where
 * they never do. */
static inline int cmk_point_drift_of_(cmk_point_definition_ d, const cmk_plan_device *device)
{
    const cmk_card_ card = cmk_card_of_(device);
    return CMK_POINT_PLANES_OF_(d.reach) <= cmk_point_drift_reach_ ? card.drift : card.drift_far;
}

/* Sets the blocks where planes go through shared memory, and the planes of a block. Of the widths of a block that
 * divide rows evenly, it takes the one with which all is done first. Widths are tried from the widest on, at most four
 * (tries + 1), and each is a multiple of d.even threads: two vectors of 16 bytes are a sector. Where rows are not
 * aligned, or the reach is large, only the least width is tried. The 1 of cmk_point_columns_ and cmk_point_tile_rows_
 * says that blocks march; that of cmk_point_blocks_, for aligned rows, changes nothing then. `window` is the planes
 * that an update reads, and costs are in planes of a block (depth.h). */
static inline cudaError_t cmk_point_divide_rings_(const cmk_point_sizes_ *s, cmk_point_definition_ d,
                                                  const cmk_plan_device *device, cmk_point_task_ *task)
{
    const int lanes = cmk_point_columns_(d, task->aligned, 1), tile_rows = cmk_point_tile_rows_(d, 1);
    const int vectors = (int)((s->end_column - (size_t)task->start - 1) / (size_t)lanes) + 1;
    const int window = 2 * CMK_POINT_PLANES_OF_(d.reach) + 1, tries = task->aligned && cmk_point_varies_(d) ? 3 : 0;
    const cmk_i64 planes = (cmk_i64)(s->end_plane - s->first_plane);
    cmk_i64 least = 0;
    int processors = 0;
    const cudaError_t error = cmk_plan_processors_(device, &processors);
    if (error != cudaSuccess) return error;
    const int resident = cmk_point_blocks_(d, 1) * processors;
    const int drift = cmk_point_drift_of_(d, device);
    for (int i = 0; i <= tries; ++i) {
        cmk_point_task_ laid = *task;
        const int across = (vectors - 1) / cmk_point_widest_(d) + 1 + i;
        const int wide = CMK_POINT_UP_((vectors - 1) / across + 1, d.even), fits = wide <= cmk_point_widest_(d);
        laid.wide = wide < cmk_point_ring_wide_ || !fits || i == tries ? cmk_point_ring_wide_ : wide;
        laid.teams =
            laid.wide == cmk_point_ring_wide_ ? cmk_point_ring_teams_ : cmk_point_ring_most_threads_(d) / laid.wide;
        cmk_point_divide_tiles_(s, &laid, lanes, tile_rows, 0);
        const cmk_i64 tiles = (cmk_i64)laid.across * laid.down;
        laid.deep = (int)cmk_depth_(planes, tiles, window, resident, drift);
        const cmk_i64 cost = cmk_depth_time_(planes, tiles, window, resident, drift, laid.deep);
        if (i == 0 || cost < least) {
            least = cost;
            *task = laid;
        }
        if (laid.wide == cmk_point_ring_wide_) break; /* the next ones are as wide */
    }
    return cudaSuccess;
}

/* Returns whether a part has so few rows or columns that a block along planes would read many more than these. Such a
 * part goes by tiles, with one column a thread. */
static inline int cmk_point_thin_(const cmk_point_sizes_ *s, cmk_point_definition_ d)
{
    return (s->end_row - s->first_row) * cmk_point_thin_share_ <=
               (size_t)(cmk_point_ring_teams_ * cmk_point_ring_rows_(d)) ||
           s->end_column - s->first_column <= cmk_point_thin_columns_;
}

/* Returns the bytes of shared memory of a block, on a device where a block may have `most`. Where a thread has few
 * registers, one block more might run on an SM than the launch is divided for. Then the bytes are enough that none
 * does: one byte more than the share of each, if that number of blocks had cmk_point_shared_alone_ (tune.h), 227 KB,
 * together. */
static inline int cmk_point_shared_(cmk_point_definition_ d, int most)
{
    const int least = cmk_point_shared_alone_ / (cmk_point_ring_blocks_(d) + 1) + 1;
    return most >= cmk_point_shared_alone_ && d.kept <= cmk_point_kept_few_ && d.shared < least ? least : d.shared;
}

/* Sets the threads of a block where planes would go through shared memory, but do not. Each thread then has one column,
 * and their number stays. As many stand side by side as there are columns, up to 32, or more, where there are few rows.
 * The number is a power of 2, and divides the 256 threads that the block has here. */
static inline void cmk_point_fold_(const cmk_point_sizes_ *s, cmk_point_task_ *task)
{
    const int threads = task->wide * task->teams;
    int wide = 32;
    while (wide > 1 && (size_t)wide / 2 >= s->end_column - s->first_column) wide /= 2;
    while (wide < threads && (size_t)(threads / wide / 2) >= s->end_row - s->first_row) wide *= 2;
    task->wide = wide;
    task->teams = threads / wide;
}

/* Divides a grid that was checked into blocks, or returns an error where they are too many, with the reason in *why.
 * task->aligned and task->rings are set. Behind one another are images in 2D, and chunks of planes in 3D. The blocks
 * are multiplied as doubles first, so that the product of integers, of at most 2^31 - 1, cannot overflow. */
static inline cudaError_t cmk_point_divide_(const cmk_point_sizes_ *s, cmk_point_definition_ d,
                                            const cmk_plan_device *device, cmk_point_task_ *task, unsigned *blocks,
                                            const char **why)
{
    const int lanes = cmk_point_columns_(d, task->aligned, task->rings), lead = task->aligned ? task->lead : 0;
    cudaError_t error = cudaSuccess;
    task->start = (int)((s->first_column + (size_t)lead) / (size_t)lanes * (size_t)lanes) - lead;
    task->wide = cmk_point_wide_(d);
    task->teams = cmk_point_teams_(d);
    task->deep = cmk_point_tile_planes_(d, task->rings);
    if (cmk_point_rings_(d) && !task->rings) cmk_point_fold_(s, task);
    if (task->rings)
        error = cmk_point_divide_rings_(s, d, device, task);
    else
        cmk_point_divide_tiles_(s, task, lanes, cmk_point_tile_rows_(d, 0), cmk_point_slack_(d, task));
    const size_t behind = (s->end_plane - s->first_plane - 1) / (size_t)task->deep + 1;
    if (error != cudaSuccess) return error;
    *why = cmk_point_why_blocks_((double)task->across * (double)task->down * (double)behind);
    *blocks = *why == NULL ? (unsigned)(task->across * task->down * behind) : 0;
    return cmk_point_refused_(*why);
}

/* Completes *grid, a copy of the caller's, checks it and divides it for a step. The blocks are 0 where there is nothing
 * to do. Where the grid is refused, *why says why. Sets task->rings, whether planes go through shared memory: they do
 * unless the definition, alignment, size or device forbids it. The size forbids it in three cases: a row is shorter
 * than a vector, a plane has more bytes than 32 bits count (cmk_point_short_), or the part is thin (cmk_point_thin_).
 * cmk_point_begin_launch_ calls it (call.h). */
static inline cudaError_t cmk_point_plan_(void *grid, const cmk_point_member_ *all, int members,
                                          cmk_point_definition_ d, const cmk_plan_device *device, cmk_point_task_ *task,
                                          unsigned *blocks, const char **why)
{
    const cmk_point_sizes_ s = cmk_point_sizes_of_(grid);
    *blocks = 0;
    *why = cmk_point_sizes_why_(&s);
    if (*why != NULL || cmk_point_empty_(&s)) return cmk_point_refused_(*why);
    *why = cmk_point_complete_(grid, all, members);
    cmk_point_begin_task_(&s, task);
    if (*why == NULL) *why = cmk_point_global_set_(&s, d, task);
    if (*why != NULL) return cmk_point_refused_(*why);
    cmk_point_set_begins_(grid, all, members, d, task);
    task->rings = cmk_point_rings_(d) && (task->aligned || !d.narrow) && s.columns >= (size_t)d.lanes &&
                  cmk_point_short_(grid, all, members, s.rows);
    if (task->rings) {
        int most = 0;
        const cudaError_t error = cmk_plan_shared_bytes_(device, &most);
        if (error != cudaSuccess) return error;
        task->rings = d.shared <= most && !cmk_point_thin_(&s, d);
        task->shared = task->rings ? cmk_point_shared_(d, most) : 0;
    }
    if (cmk_point_rings_(d) && !task->rings) task->aligned = 0;
    return cmk_point_divide_(&s, d, device, task, blocks, why);
}

#endif

#endif
