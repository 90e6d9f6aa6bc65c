/* kernel/point/passes.h: on the host: which steps of a call are passes, and the strips of a pass.
 *
 * A layer is a row of a 2D grid, or a plane of a 3D one. A strip (strip.h) goes down the layers, and is cut into chunks
 * of layers, each for one warp in 2D and one block in 3D. Neighbouring strips share columns, and chunks compute layers
 * of their neighbours again. Lines are the rows of a 2D grid where no point reads another row (line.h). The planes of a
 * 2D grid are independent images.
 *
 * In all functions here, which the host calls:
 *
 *   d          a cmk_point_definition_ (grid.h): the constants of the definition. d.lanes are the elements of a vector;
 *              bits 1, 4, 16 of d.wraps say that some field wraps along the rows, the columns, and in 3D the planes
 *   stages     the stages of a step; a pass has passes->steps * stages levels
 *   s          a cmk_point_sizes_ (grid.h): the sizes of the grid, and its part, first to end - 1 of each axis
 *   all, members    a cmk_point_member_ (members.h) for each name of a field, and the number of these names
 *   task       a cmk_point_task_ (grid.h), the parameter of the kernel. across: strips. down: in 2D the chunks of a
 *              strip, in 3D the strips one below the other, along lines the lines. deep: the layers of a chunk. all: 1
 *              where a pass writes the whole grid, as its results change places with spare buffers
 *   lost       layers that a chunk computes beside its own, at one end or, in 3D, at both
 *   resident   the warps in 2D, or blocks in 3D, that run on the device at once
 *   cmk_point_strip_width_, cmk_point_strip_height_    of strip.h: the columns and the rows of a strip, which are more
 *              than twice its halo, as cmk_point_steps_most_ and the limits of tune.h see to
 *   cmk_point_strip_rows_    of strip.h: the rows of a thread
 *   cmk_point_complete_, cmk_point_sizes_why_, cmk_point_spares_why_    of refuse.h: a sentence where the grid is not
 *              right, else NULL. For a pass a sentence means no pass. The single step that follows is refused by it,
 *              but goes on where only spare buffers are wrong
 *   task->     above, below: rows near the top and the bottom edge, in chunks of edge_deep; beside: chunks of a strip
 *              at a side; live_planes and the like: what a pass updates; time: the number of its first step
 *   strip.h    cmk_point_steps_: the steps of a pass, 1 for none. cmk_point_lag_: layers from the one that a level
 *              updates to the one that arrives. cmk_point_layers_cycle_, _ahead_: layers of the unrolled loop, and on
 *              their way. cmk_point_halo_, _rows_: columns and rows that strips share at each side.
 *              cmk_point_strip_wide_, _teams_: threads of a block side by side, rows of them. cmk_point_strip_chunks_:
 *              the chunks that a strip is cut into. cmk_point_line_width_, _halo_: columns of a warp's part of a line,
 *              and shared ones
 *   tune.h     cmk_point_warps_2d_: warps of a block. near_share_, last_wave_, one_wave_3d_ and last_wave_3d_ are
 *              hundredths, the last three of the time of a wave. last_wave_rows_: the rows of a chunk that takes half
 *              of last_wave_. line_part_: a line has at least that part of a warp's columns, as 8 is an eighth
 *   members.h  cmk_point_same_pitches_, _aligned_: all fields have the grid's pitches; all rows begin at whole vectors.
 *              cmk_point_any_spares_: a field has spare buffers. cmk_point_empty_: the part has no points.
 *              cmk_point_sizes_of_, cmk_point_set_sizes_ read and write the sizes of a grid
 *   others     cmk_point_begin_task_ (divide.h) sets the axes of a task. cmk_point_global_set_ (refuse.h): what an
 * update sees. CMK_COLD_: compiled for size. CMK_POINT_UP_(a, b): a up to a multiple of b. CMK_POINT_ROWS_OF_ and the
 * like: a reach. Of plan.h, cmk_plan_shared_bytes_ writes the most bytes of shared memory of a block on the device,
 * cmk_plan_processors_ its SMs
 *
 * Counts of elements fit an int (refuse.h), and products of them are cmk_i64 or double. A grid of blocks has at most
 * 2^31 - 1 of them, 2147483647, which is the limit of CUDA. */
#ifndef CMK_KERNEL_POINT_PASSES_H
#define CMK_KERNEL_POINT_PASSES_H

#include "divide.h"

#if CMK_HAS_HOST_

/* The passes of a call of name_steps, each of `steps` steps. Along lines a pass may have one step less than another. */
typedef struct {
    cmk_point_definition_ d;
    int stages, steps;
    int blocks, broad;     /* blocks: of an SM. broad: levels have the registers of two of them, not of three */
    size_t left, together; /* left: the passes that are left. together: along lines, the steps of these */
} cmk_point_passes_;

/* Returns whether a stream is captured, or may be. */
static inline int cmk_point_captured_(cudaStream_t stream)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream, &status) != cudaSuccess || status != cudaStreamCaptureStatusNone;
}

/* Returns the passes of a call of `steps` steps. Steps that do not fill a pass are done singly, but along lines they
 * are divided among the passes. There are no passes where a pass would have one step. */
static inline cmk_point_passes_ cmk_point_passes_of_(cmk_point_definition_ d, int stages, size_t steps)
{
    const int most = cmk_point_steps_(d, stages), lines = cmk_point_is_line_(d);
    cmk_point_passes_ passes = {d,
                                stages,
                                most,
                                cmk_point_strip_blocks_(d, stages),
                                cmk_point_broad_(d, stages),
                                most > 1 ? steps / (size_t)most : 0,
                                lines ? steps : 0};
    if (most > 1 && lines && steps > 1) passes.left = (steps - 1) / (size_t)most + 1;
    return passes;
}

/* Makes the number of passes even, while a stream is captured, so that a replay finds the buffers where they were.
 * Along lines it is one pass more, if there are steps for it. Else it is one less, and its steps are done singly. */
static inline void cmk_point_even_passes_(cmk_point_passes_ *passes, size_t steps)
{
    if (passes->left % 2 == 0) return;
    passes->left = cmk_point_is_line_(passes->d) && steps > passes->left ? passes->left + 1 : passes->left - 1;
}

/* Returns whether the passes of a call are an odd number and its stream is captured. The stream is asked only if they
 * are. Launchers of name_steps and name_bordered_steps ask it. */
static inline int cmk_point_odd_in_graph_(cmk_point_definition_ d, int stages, size_t steps, cudaStream_t stream)
{
    return cmk_point_passes_of_(d, stages, steps).left % 2 == 1 && cmk_point_captured_(stream);
}

/* With deep ghosts, makes a pass update all points, along each axis with a reach. These are the live axes of the task;
 * what the pass writes stays the part. cmk_point_axis_of_ (divide.h) takes the first point, the end and the size. */
static inline void cmk_point_enliven_(cmk_point_definition_ d, cmk_point_task_ *task)
{
    const cmk_point_axis_ planes = cmk_point_axis_of_(0, (size_t)task->planes.count, (size_t)task->planes.count);
    const cmk_point_axis_ rows = cmk_point_axis_of_(0, (size_t)task->rows.count, (size_t)task->rows.count);
    const cmk_point_axis_ columns = cmk_point_axis_of_(0, (size_t)task->columns.count, (size_t)task->columns.count);
    if (d.dims == 3 && CMK_POINT_PLANES_OF_(d.reach) > 0) task->live_planes = planes;
    if (CMK_POINT_ROWS_OF_(d.reach) > 0) task->live_rows = rows;
    if (CMK_POINT_COLUMNS_OF_(d.reach) > 0) task->live_columns = columns;
}

/* Widens the part along an axis of `count` points by `by` points at both sides, as far as the grid goes. The sizes have
 * been checked, so *end is at most count. */
static inline void cmk_point_widen_axis_(size_t *first, size_t *end, size_t count, size_t by)
{
    *first = *first > by ? *first - by : 0;
    *end = count - *end > by ? *end + by : count;
}

/* Widens the part of a grid with deep ghosts to what `stages` stages behind this one need, of steps and passes that
 * follow in the call. Other grids, and grids that are not right, stay. Returns the sizes as they were. */
static inline cmk_point_sizes_ cmk_point_widen_(void *grid, cmk_point_definition_ d, size_t stages)
{
    const cmk_point_sizes_ was = cmk_point_sizes_of_(grid);
    cmk_point_sizes_ s = was;
    if (s.deep_ghosts == 0 || cmk_point_sizes_why_(&s) != NULL) return was;
    const size_t rows = stages * (size_t)CMK_POINT_ROWS_OF_(d.reach),
                 columns = stages * (size_t)CMK_POINT_COLUMNS_OF_(d.reach);
    if (d.dims == 3)
        cmk_point_widen_axis_(&s.first_plane, &s.end_plane, s.planes, stages * (size_t)CMK_POINT_PLANES_OF_(d.reach));
    cmk_point_widen_axis_(&s.first_row, &s.end_row, s.rows, rows);
    cmk_point_widen_axis_(&s.first_column, &s.end_column, s.columns, columns);
    cmk_point_set_sizes_(grid, s);
    return was;
}

/* Returns whether the strips of a pass fit the grid. All fields must have the pitches of the grid. Each axis must be
 * long enough that one strip holds an edge, and, where it wraps, whole vectors, or whole rows of a thread. The part
 * must have half of the grid along each axis, or more, but in 2D may have any images. It must have all images where
 * buffers change places with spare ones. In 3D fewer steps than cmk_point_steps_unaligned_3d_ are faster singly where
 * rows are not aligned, and boxes of words also where rows end within a vector: their last strip is not aligned. Here
 * `lost` is how many layers the grid must exceed. With a reach along them it is above what a chunk reads beside its
 * own, at both ends and on the way. A layer that a chunk reads is then at most one period outside, as cmk_point_round_
 * (strip.h) needs. The bound 0x7fffffff - 2 * line lets an int count the columns of the last part of a line. With a 0
 * the steps are done singly, and name_prepare allocates nothing. */
static inline int cmk_point_strips_fit_(void *grid, const cmk_point_member_ *all, int members,
                                        const cmk_point_passes_ *passes)
{
    const cmk_point_definition_ d = passes->d;
    const cmk_point_sizes_ s = cmk_point_sizes_of_(grid);
    const size_t lost = 4 * (size_t)(passes->steps * passes->stages + 2) * (size_t)cmk_point_lag_(d);
    const size_t planes = s.end_plane - s.first_plane, rows = s.end_row - s.first_row;
    const size_t line = cmk_point_is_line_(d) ? (size_t)cmk_point_line_width_(d) : 0;
    if (!cmk_point_same_pitches_(grid, all, members)) return 0;
    if (line > 0 && (s.columns < line / cmk_point_line_part_ || s.columns > 0x7fffffff - 2 * line)) return 0;
    if (line == 0 && (s.columns < (size_t)cmk_point_strip_width_(d) || (d.dims == 3 ? s.planes : s.rows) <= lost))
        return 0;
    if (d.dims == 3 && passes->steps < cmk_point_steps_unaligned_3d_ &&
        !cmk_point_aligned_(grid, all, members, d.lanes))
        return 0;
    if (cmk_point_is_box_3d_(d) && d.lanes == 4 && s.columns % 4 != 0) return 0;
    if (d.dims == 3 && (s.rows < (size_t)cmk_point_strip_height_(d) || 2 * planes < s.planes)) return 0;
    if (d.wraps & 4 && s.columns % (size_t)d.lanes != 0) return 0;
    if (cmk_point_rows_wrap_(d) && s.rows % (size_t)cmk_point_strip_rows_(d) != 0) return 0;
    if (d.dims == 2 && cmk_point_any_spares_(all, members) && planes < s.planes) return 0;
    return 2 * rows >= s.rows && 2 * (s.end_column - s.first_column) >= s.columns;
}

/* Cuts the rows of a 2D grid into chunks of `deep` rows. Near an edge they have near_share hundredths of these, as they
 * take longer there. In the strips at both sides all chunks are such; a task has `beside` of them in each strip.
 * Returns the warps of a pass, of all images. The shares of rows are rounded down, to 1 at least, and chunks up. */
static inline cmk_i64 cmk_point_cut_rows_(cmk_point_task_ *task, int deep, int near_share)
{
    const unsigned sides = task->across < 2 ? task->across : 2;
    const int fewer = (int)((cmk_i64)deep * near_share / 100);
    task->deep = deep;
    task->edge_deep = fewer > 0 ? fewer : 1;
    task->beside = (unsigned)cmk_point_strip_chunks_(task, task->edge_deep);
    task->down = (unsigned)cmk_point_strip_chunks_(task, deep);
    return ((cmk_i64)sides * task->beside + (cmk_i64)(task->across - sides) * task->down) *
           (task->planes.end - task->planes.first);
}

/* Cuts the rows of a pass, near an edge and between, into the chunks that are done first, in up to
 * cmk_point_waves_most_ waves of warps. Each chunk computes `lost` rows more at each end. The last wave waits for its
 * slowest warps, the longer, the longer they are. Of the numbers of waves it takes the one of the least cost, in
 * rows that warps go down one after another. task->above and task->below are the rows that count as near the top and
 * the bottom. They sum up the rows beside the part, `lost`, and cmk_point_near_more_; below also the layers of a cycle
 * and those on their way (strip.h). The loop makes chunks longer by 1/64 and one row until the warps fit the waves.
 * They may exceed the waves where a chunk is the whole strip already; the rest waits then. In a relay a strip is a
 * block's, as many of which count as warps. Returns the blocks. */
static inline cmk_i64 cmk_point_divide_rows_(const cmk_point_passes_ *passes, int processors, cmk_point_task_ *task)
{
    const cmk_point_definition_ d = passes->d;
    const int lost = cmk_point_behind_(d, passes->steps * passes->stages - 1);
    const int together = cmk_point_relays_(d) ? 1 : cmk_point_warps_2d_;
    const int top = task->all ? 0 : task->rows.first;
    const int end = task->all ? task->rows.count : task->rows.end, rows = end - top;
    const cmk_i64 resident = (cmk_i64)processors * passes->blocks * together;
    const cmk_i64 strips = (cmk_i64)task->across * (task->planes.end - task->planes.first);
    const int wide = cmk_point_is_wide_(d) || cmk_point_relays_(d);
    const int near_share = wide            ? cmk_point_near_share_wide_
                           : passes->broad ? cmk_point_near_share_broad_
                                           : cmk_point_near_share_;
    int best = rows;
    double least = 0.0;
    task->above = task->rows.first - top + 2 * lost + cmk_point_near_more_;
    task->below =
        end - task->rows.end + lost + cmk_point_layers_cycle_(d) + cmk_point_layers_ahead_(d) + cmk_point_near_more_;
    if (task->above + task->below >= rows) {
        task->above = rows;
        task->below = 0;
    }
    for (int waves = 1; waves <= cmk_point_waves_most_; ++waves) {
        cmk_i64 deep = rows * strips / (waves * resident);
        deep = deep > 2 * lost ? deep : 2 * lost + 1;
        while (deep < rows && cmk_point_cut_rows_(task, (int)deep, near_share) > waves * resident)
            deep += deep / 64 + 1;
        deep = deep < rows ? deep : rows;
        const double longer =
            0.01 * (int)cmk_point_last_wave_ * (double)deep / (double)(deep + cmk_point_last_wave_rows_);
        const double cost = (double)(deep + 2 * lost) * (waves + longer);
        if (waves == 1 || cost < least) {
            least = cost;
            best = (int)deep;
        }
    }
    return (cmk_point_cut_rows_(task, best, near_share) - 1) / together + 1;
}

/* Returns the strips along an axis of `count` elements. A strip has `width` elements, and shares `halo` of them with
 * the next one at each side. Where the axis does not wrap, the first and the last strip keep their outer halo. The
 * count is then above 2 * halo, as an axis has a whole strip or, along lines, more than one part. */
static inline unsigned cmk_point_strips_(size_t count, int width, int halo, int wraps)
{
    const size_t useful = (size_t)(width - 2 * halo);
    return (unsigned)((count - (wraps ? 1 : 2 * (size_t)halo + 1)) / useful + 1);
}

/* Returns the time of all chunks, in that of one wave of blocks, for a number of waves that may have a fraction. A
 * single wave takes as long as the blocks at the sides. Of several, all but about one block go on at any time. Those of
 * a box, which products bind and not memory, take whole waves. */
static inline double cmk_point_waves_taken_(cmk_point_definition_ d, double waves)
{
    const double whole = (double)(cmk_i64)waves;
    if (waves <= 1.0) return (int)cmk_point_one_wave_3d_ / 100.0;
    if (d.box) return (waves > whole ? whole + 1.0 : whole) + (int)cmk_point_last_wave_box_ / 100.0;
    return waves + (int)cmk_point_last_wave_3d_ / 100.0;
}

/* Returns the planes of a chunk, for a number of tiles: strips that stand side by side and one below the other, a block
 * each. Each chunk costs `lost` planes more than it has. Up to cmk_point_chunks_most_ chunks are tried. */
static inline int cmk_point_deep_planes_(cmk_point_definition_ d, cmk_i64 planes, cmk_i64 tiles, cmk_i64 resident,
                                         int lost)
{
    double least = 0.0;
    int best = 1;
    for (int chunks = 1; chunks <= cmk_point_chunks_most_ && chunks <= planes; ++chunks) {
        const double waves = (double)(tiles * chunks) / (double)resident, deep = (double)((planes - 1) / chunks + 1);
        const double cost = cmk_point_waves_taken_(d, waves) * (deep + lost);
        if (chunks == 1 || cost < least) {
            least = cost;
            best = (int)deep;
        }
    }
    return best;
}

/* Divides lines into parts, one for each warp: task->across of each line, and task->down lines of each image. Returns
 * the blocks, as a double, as they may be too many for an int. It may have a fraction, which the caller cuts off: so
 * the blocks are rounded up. Warps that are left over in the last block have no line, and return. */
static inline double cmk_point_divide_lines_(const cmk_point_sizes_ *s, const cmk_point_passes_ *passes,
                                             cmk_point_task_ *task)
{
    const cmk_point_definition_ d = passes->d;
    const int width = cmk_point_line_width_(d), wraps = (d.wraps & 4) != 0;
    const int halo = cmk_point_line_halo_(d, passes->steps * passes->stages);
    const size_t columns = CMK_POINT_UP_(s->columns, (size_t)d.lanes);
    task->steps = passes->steps;
    task->across = !wraps && columns <= (size_t)width ? 1 : cmk_point_strips_(columns, width, halo, wraps);
    task->down = (unsigned)(task->all ? s->rows : s->end_row - s->first_row);
    const double warps = (double)task->across * task->down * (double)(s->end_plane - s->first_plane);
    return (warps + (int)cmk_point_warps_2d_ - 1) / (int)cmk_point_warps_2d_;
}

/* Divides a grid into the strips and chunks of a pass, or its lines into parts. Returns the blocks, which may be too
 * many for an int. In 3D `lost` is the planes that a chunk computes at both ends, and 3 more, which have no record. */
static inline double cmk_point_divide_strips_(const cmk_point_sizes_ *s, const cmk_point_passes_ *passes,
                                              int processors, cmk_point_task_ *task)
{
    const cmk_point_definition_ d = passes->d;
    const int levels = passes->steps * passes->stages;
    const int lost = levels * cmk_point_lag_(d) + cmk_point_behind_(d, levels - 1) + 3;
    if (cmk_point_is_line_(d)) return cmk_point_divide_lines_(s, passes, task);
    task->across =
        cmk_point_strips_(s->columns, cmk_point_strip_width_(d), cmk_point_halo_(d, levels), (d.wraps & 4) != 0);
    if (d.dims == 2) return (double)cmk_point_divide_rows_(passes, processors, task);
    task->down = cmk_point_strips_(s->rows, cmk_point_strip_height_(d), cmk_point_halo_rows_(d, levels),
                                   cmk_point_rows_wrap_(d) != 0);
    const cmk_i64 planes = (cmk_i64)(task->all ? s->planes : s->end_plane - s->first_plane);
    const cmk_i64 tiles = (cmk_i64)task->across * task->down;
    task->deep = cmk_point_deep_planes_(d, planes, tiles, (cmk_i64)processors * passes->blocks, lost);
    return (double)tiles * (double)((planes - 1) / task->deep + 1);
}

/* Returns the threads of a block of a pass, side by side and rows of them. */
static inline dim3 cmk_point_pass_block_(const cmk_point_passes_ *passes)
{
    const unsigned wide = (unsigned)cmk_point_strip_wide_(passes->d);
    const dim3 block = dim3(wide, (unsigned)cmk_point_pass_threads_(passes->d, passes->stages) / wide);
    return block;
}

/* Returns the bytes of shared memory of a block of a pass. Lines need none. */
static inline size_t cmk_point_pass_shared_(const cmk_point_passes_ *passes)
{
    if (cmk_point_is_line_(passes->d)) return 0;
    return (size_t)cmk_point_strip_shared_(passes->d, passes->steps * passes->stages);
}

/* Returns whether the device has the shared memory of a block of a pass, and sets *processors to its number of SMs. An
 * error of the runtime counts as no. */
static inline int cmk_point_pass_runs_(const cmk_point_passes_ *passes, const cmk_plan_device *device, int *processors)
{
    int most = 0;
    return cmk_plan_shared_bytes_(device, &most) == cudaSuccess && cmk_point_pass_shared_(passes) <= (size_t)most &&
           cmk_plan_processors_(device, processors) == cudaSuccess;
}

/* Returns whether one more pass is made of a grid, a copy, and divides it: sets *task and *blocks. `steps` are those
 * that are left of the call. A grid that is not right gets no pass, so that the launch of a single step says what is
 * wrong. After a 0 no more passes are tried, as passes->left is 0. cmk_point_begin_pass_ (call.h) calls it. Along lines
 * passes->together is divided among the passes that are left, so that the first ones may have one step more. */
CMK_COLD_ static inline int cmk_point_plan_pass_(void *grid, const cmk_point_member_ *all, int members, size_t steps,
                                                 const cmk_plan_device *device, cmk_point_passes_ *passes,
                                                 cmk_point_task_ *task, unsigned *blocks)
{
    int processors = 0;
    const size_t left = passes->left;
    passes->left = 0;
    if (left > 0 && passes->together > 0) passes->steps = (int)((passes->together - 1) / left + 1);
    if (left > 0) (void)cmk_point_widen_(grid, passes->d, (steps - (size_t)passes->steps) * (size_t)passes->stages);
    const cmk_point_sizes_ s = cmk_point_sizes_of_(grid);
    if (left == 0 || cmk_point_sizes_why_(&s) != NULL || cmk_point_empty_(&s) ||
        cmk_point_complete_(grid, all, members) != NULL || cmk_point_spares_why_(grid, all, members) != NULL ||
        !cmk_point_strips_fit_(grid, all, members, passes) || !cmk_point_pass_runs_(passes, device, &processors))
        return 0;
    cmk_point_begin_task_(&s, task);
    if (s.deep_ghosts != 0) cmk_point_enliven_(passes->d, task);
    if (cmk_point_global_set_(&s, passes->d, task) != NULL) return 0;
    task->all = cmk_point_any_spares_(all, members);
    task->aligned = cmk_point_aligned_(grid, all, members, passes->d.lanes);
    const double all_blocks = cmk_point_divide_strips_(&s, passes, processors, task);
    if (all_blocks > 2147483647.0) return 0;
    passes->left = left - 1;
    if (passes->together > 0) passes->together -= (size_t)passes->steps;
    *blocks = (unsigned)all_blocks;
    return 1;
}

#endif

#endif
