/* kernel/point/plan.h: host: what a launcher of stencil2d.h and stencil3d.h checks, divides and exchanges.
 *
 * A grid is a struct of a definition. Its fields are described by where their members lie in it, so that all of this is
 * written once. */
#ifndef CMK_KERNEL_POINT_PLAN_H
#define CMK_KERNEL_POINT_PLAN_H

#include "../../grid.h"
#include "../plan.h"
#include "../call/range.h"
#include "../call/depth.h"
#include "steps.h"

#if CMK_HAS_HOST_

/* a field of a grid: where its pointers, those of its second buffers, and its pitches lie; how many it is */
typedef struct {
    const char *name;
    int kind, count;
    size_t size, alignment, pointers, others, row_pitch, plane_pitch;
    size_t spares, other_spares; /* of a pass of several steps, which does not write over what it reads; 0 for none */
} cmk_point_member_;

static inline cmk_point_member_ cmk_point_member_of_(cmk_point_field_ f, size_t pointers, size_t others,
                                                     size_t row_pitch, size_t plane_pitch, size_t spares,
                                                     size_t other_spares)
{
    const cmk_point_member_ member = {f.name, f.kind,    f.count,     (size_t)f.size, (size_t)f.alignment, pointers,
                                      others, row_pitch, plane_pitch, spares,         other_spares};
    return member;
}

/* the part that update cannot leave: radius from both ends */
static inline void cmk_point_shrink_(size_t *first, size_t *end, int radius)
{
    const size_t count = *end;
    *first = count > 2 * (size_t)radius ? (size_t)radius : count;
    *end = count > 2 * (size_t)radius ? count - (size_t)radius : count;
}

static inline cmk_point_sizes_ cmk_point_domain_(size_t planes, size_t rows, size_t columns, size_t plane_pitch,
                                                 size_t row_pitch)
{
    cmk_point_sizes_ sizes;
    memset(&sizes, 0, sizeof sizes);
    sizes.planes = sizes.end_plane = planes;
    sizes.rows = sizes.end_row = rows;
    sizes.columns = sizes.end_column = columns;
    sizes.plane_pitch = plane_pitch;
    sizes.row_pitch = row_pitch;
    return sizes;
}

/* width[axis] where a rank has a neighbour on that side of an axis, else 0 */
static inline int cmk_point_beside_rank_(const cmk_grid *split, int axis, int side, const int width[3])
{
    return cmk_grid_beside_(split, axis, side) >= 0 && width[axis] > 0 ? width[axis] : 0;
}

/* The points of a rank, with ghosts where it has neighbours; rows begin 32 elements apart, or multiples of that. */
static inline cmk_point_sizes_ cmk_point_rank_(const cmk_grid *split, const int ghosts[3])
{
    cmk_point_sizes_ s;
    memset(&s, 0, sizeof s);
    size_t *const counts[] = {&s.planes, &s.rows, &s.columns}, *const globals[] = {&s.global_planes, &s.global_rows,
                                                                                   &s.global_columns};
    size_t *const firsts[] = {&s.first_plane, &s.first_row, &s.first_column};
    size_t *const ends[] = {&s.end_plane, &s.end_row, &s.end_column};
    cmk_i64 *const origins[] = {&s.origin_plane, &s.origin_row, &s.origin_column};
    for (int axis = 0; axis < 3; ++axis) {
        *firsts[axis] = (size_t)cmk_point_beside_rank_(split, axis, -1, ghosts);
        *ends[axis] = *firsts[axis] + (size_t)split->count[axis];
        *counts[axis] = *ends[axis] + (size_t)cmk_point_beside_rank_(split, axis, 1, ghosts);
        *globals[axis] = (size_t)split->global[axis];
        *origins[axis] = split->first[axis] - (cmk_i64)*firsts[axis];
    }
    s.row_pitch = (s.columns + 31) / 32 * 32;
    s.plane_pitch = s.rows * s.row_pitch;
    return s;
}

/* a box of the part, counted from its first point, becomes the part */
static inline void cmk_point_set_part_(void *grid, cmk_box box)
{
    cmk_point_sizes_ s;
    memcpy(&s, grid, sizeof s);
    s.first_plane += (size_t)box.first[0];
    s.first_row += (size_t)box.first[1];
    s.first_column += (size_t)box.first[2];
    s.end_plane = s.first_plane + (size_t)box.count[0];
    s.end_row = s.first_row + (size_t)box.count[1];
    s.end_column = s.first_column + (size_t)box.count[2];
    memcpy(grid, &s, sizeof s);
}

static inline cmk_point_sizes_ cmk_point_inner_(cmk_point_sizes_ sizes, cmk_point_definition_ d)
{
    if (d.dims == 3) cmk_point_shrink_(&sizes.first_plane, &sizes.end_plane, CMK_POINT_PLANES_OF_(d.reach));
    cmk_point_shrink_(&sizes.first_row, &sizes.end_row, CMK_POINT_ROWS_OF_(d.reach));
    cmk_point_shrink_(&sizes.first_column, &sizes.end_column, CMK_POINT_COLUMNS_OF_(d.reach));
    return sizes;
}

static inline size_t *cmk_point_number_(void *grid, size_t at)
{
    return (size_t *)(void *)((char *)grid + at);
}

/* pointer i of those that lie at `at` */
static inline char *cmk_point_pointer_(const void *grid, size_t at, int i)
{
    char *pointer;
    memcpy((void *)&pointer, (const char *)grid + at + (size_t)i * sizeof pointer, sizeof pointer);
    return pointer;
}

/* what the members of a grid are called, of each axis */
typedef struct {
    const char *first, *end, *count, *global, *origin;
} cmk_point_names_;

static inline cmk_point_names_ cmk_point_names_of_(int axis)
{
    static const cmk_point_names_ words[] = {
        {"first_plane", "end_plane", "planes", "global_planes", "origin_plane"},
        {"first_row", "end_row", "rows", "global_rows", "origin_row"},
        {"first_column", "end_column", "columns", "global_columns", "origin_column"}};
    return words[axis];
}

static inline const char *cmk_point_axis_why_(int axis, size_t first, size_t end, size_t count)
{
    const size_t most = 0x7fffffff - 256;
    if (count <= most && first <= end && end <= count) return NULL;
    const cmk_point_names_ names = cmk_point_names_of_(axis);
    if (count > most) return cmk_why_above_(names.count, count, most);
    return first > end ? cmk_why_("%s %zu is above %s %zu", names.first, first, names.end, end)
                       : cmk_why_("%s %zu is above %s %zu", names.end, end, names.count, count);
}

static inline const char *cmk_point_sizes_why_(const cmk_point_sizes_ *s)
{
    const char *why = cmk_point_axis_why_(0, s->first_plane, s->end_plane, s->planes);
    if (why == NULL) why = cmk_point_axis_why_(1, s->first_row, s->end_row, s->rows);
    return why != NULL ? why : cmk_point_axis_why_(2, s->first_column, s->end_column, s->columns);
}

/* what an update sees of an axis, and of a larger grid */
typedef struct {
    size_t count, global;
    cmk_i64 origin;
    int wraps;
    cmk_point_axis_ live;
} cmk_point_view_;

/* The sizes that an update sees along an axis, those of the grid unless a larger one is set, and what is updated, from
 * there, which must be inside, or, along an axis that wraps, not further than a period away. */
static inline const char *cmk_point_global_axis_(int axis, cmk_point_view_ view, cmk_point_axis_ *seen)
{
    const size_t all = view.global == 0 ? view.count : view.global, most = 0x7fffffff - 256;
    if (all <= most && view.origin >= -0x7fffffff && view.origin <= 0x7fffffff) {
        const cmk_i64 period = view.wraps ? (cmk_i64)all : 0;
        seen->first = (int)(view.live.first + view.origin);
        seen->end = (int)(view.live.end + view.origin);
        seen->count = (int)all;
        if (view.live.first + view.origin >= -period && view.live.end + view.origin <= (cmk_i64)all + period)
            return NULL;
    }
    const cmk_point_names_ names = cmk_point_names_of_(axis);
    if (all > most) return cmk_why_above_(names.global, all, most);
    return cmk_why_("%s %lld puts what is updated outside of %s %zu", names.origin, view.origin,
                    view.global == 0 ? names.count : names.global, all);
}

static inline const char *cmk_point_global_set_(const cmk_point_sizes_ *s, cmk_point_definition_ d,
                                                cmk_point_task_ *task)
{
    const cmk_point_view_ planes = {s->planes, s->global_planes, s->origin_plane, d.around & 1, task->live_planes};
    const cmk_point_view_ rows = {s->rows, s->global_rows, s->origin_row, d.around & 2, task->live_rows};
    const cmk_point_view_ columns = {s->columns, s->global_columns, s->origin_column, d.around & 4, task->live_columns};
    const char *why = cmk_point_global_axis_(0, planes, &task->seen_planes);
    if (why == NULL) why = cmk_point_global_axis_(1, rows, &task->seen_rows);
    if (why == NULL) why = cmk_point_global_axis_(2, columns, &task->seen_columns);
    const cmk_point_global_ global = {task->seen_planes.count, task->seen_rows.count, task->seen_columns.count,
                                      (int)s->origin_plane,    (int)s->origin_row,    (int)s->origin_column};
    task->global = global;
    return why;
}

/* whether no point is updated */
static inline int cmk_point_empty_(const cmk_point_sizes_ *s)
{
    return s->first_plane == s->end_plane || s->first_row == s->end_row || s->first_column == s->end_column;
}

/* buffer b of a field: its first one, or of those that take turns the second */
static inline const char *cmk_point_buffer_(const void *grid, const cmk_point_member_ *m, int b)
{
    return cmk_point_pointer_(grid, b < m->count ? m->pointers : m->others, b % m->count);
}

static inline int cmk_point_buffers_(const cmk_point_member_ *m)
{
    return m->others != 0 ? 2 * m->count : m->count;
}

/* whether the launch writes the buffer */
static inline int cmk_point_written_(const cmk_point_member_ *m, int b)
{
    return m->kind == cmk_point_KIND_OUT || m->kind == cmk_point_KIND_SAME || b >= m->count;
}

static inline size_t cmk_point_bytes_(const void *grid, const cmk_point_member_ *m)
{
    cmk_point_sizes_ s;
    memcpy(&s, grid, sizeof s);
    return cmk_range_bytes_(*cmk_point_number_((void *)grid, m->row_pitch),
                            *cmk_point_number_((void *)grid, m->plane_pitch), s.columns, s.rows, s.planes, m->size);
}

/* whether a buffer begins in the memory of name_prepare; whether so many bytes of it then lie there */
static inline int cmk_point_prepared_(const cmk_point_sizes_ *s, const char *here)
{
    return (size_t)here - s->prepared_ < s->prepared_bytes_;
}

static inline int cmk_point_fits_(const void *grid, const char *here, size_t bytes)
{
    cmk_point_sizes_ s;
    memcpy(&s, grid, sizeof s);
    return !cmk_point_prepared_(&s, here) || bytes <= s.prepared_bytes_ - ((size_t)here - s.prepared_);
}

/* the word of pointer i of a field, of those that `more` tells of, for a sentence */
typedef struct {
    char text[96];
} cmk_point_word_;

static inline cmk_point_word_ cmk_point_word_of_(const cmk_point_member_ *m, const char *more, int i)
{
    cmk_point_word_ word;
    if (m->count > 1)
        snprintf(word.text, sizeof word.text, "%.64s%s[%d]", m->name, more, i);
    else
        snprintf(word.text, sizeof word.text, "%.64s%s", m->name, more);
    return word;
}

/* of buffer b */
static inline cmk_point_word_ cmk_point_buffer_word_(const cmk_point_member_ *m, int b)
{
    const char *const second = m->kind == cmk_point_KIND_LEAPFROG ? "_before" : "_next";
    return cmk_point_word_of_(m, b < m->count ? "" : second, b % m->count);
}

/* why buffer b of a field is none, or of so many bytes is too large */
static inline const char *cmk_point_buffer_why_(const void *grid, const cmk_point_member_ *m, int b, size_t bytes)
{
    const char *const here = cmk_point_buffer_(grid, m, b);
    if (here != NULL && bytes != 0 && (size_t)here % m->alignment == 0 && cmk_point_fits_(grid, here, bytes))
        return NULL;
    const cmk_point_word_ word = cmk_point_buffer_word_(m, b);
    const char *const why = cmk_why_pointer_(word.text, here, m->alignment);
    if (why != NULL) return why;
    return bytes == 0 ? cmk_why_("%s has more bytes than half of the address space", word.text)
                      : cmk_why_("%s has more bytes than the memory that was prepared", word.text);
}

/* the same, and why it shares bytes with one that is written, or is written itself */
static inline const char *cmk_point_among_why_(const void *grid, const cmk_point_member_ *all, int members, int i,
                                               int b)
{
    const char *const here = cmk_point_buffer_(grid, &all[i], b);
    const size_t bytes = cmk_point_bytes_(grid, &all[i]);
    const char *const why = cmk_point_buffer_why_(grid, &all[i], b, bytes);
    if (why != NULL) return why;
    for (int j = 0; j < members; ++j)
        for (int c = 0; c < cmk_point_buffers_(&all[j]); ++c) {
            const char *const there = cmk_point_buffer_(grid, &all[j], c);
            if ((i == j && b == c) || !(cmk_point_written_(&all[i], b) || cmk_point_written_(&all[j], c))) continue;
            if (cmk_range_apart_(here, bytes, there, cmk_point_bytes_(grid, &all[j]))) continue;
            return cmk_why_("%s and %s overlap", cmk_point_buffer_word_(&all[i], b).text,
                            cmk_point_buffer_word_(&all[j], c).text);
        }
    return NULL;
}

/* The pitches that were left 0 are those of the grid; then why one is too small. */
static inline const char *cmk_point_pitches_(void *grid, const cmk_point_member_ *all, int members)
{
    cmk_point_sizes_ s;
    memcpy(&s, grid, sizeof s);
    for (int i = 0; i < members; ++i) {
        size_t *const row = cmk_point_number_(grid, all[i].row_pitch), *const plane =
                                                                           cmk_point_number_(grid, all[i].plane_pitch);
        const int is_own_row = *row != 0, is_own_plane = *plane != 0;
        if (*row == 0) *row = s.row_pitch;
        if (*plane == 0) *plane = s.plane_pitch;
        if (*row < s.columns)
            return cmk_why_("%s%srow_pitch %zu is smaller than columns %zu", is_own_row ? all[i].name : "",
                            is_own_row ? "_" : "", *row, s.columns);
        if (s.planes > 1 && (*plane < s.columns || (*plane - s.columns) / *row < s.rows - 1))
            return cmk_why_("%s%splane_pitch %zu is smaller than rows %zu of row_pitch %zu",
                            is_own_plane ? all[i].name : "", is_own_plane ? "_" : "", *plane, s.rows, *row);
    }
    return NULL;
}

/* The same, and why a buffer is not right. */
static inline const char *cmk_point_complete_(void *grid, const cmk_point_member_ *all, int members)
{
    const char *why = cmk_point_pitches_(grid, all, members);
    for (int i = 0; i < members && why == NULL; ++i)
        for (int b = 0; b < cmk_point_buffers_(&all[i]) && why == NULL; ++b)
            why = cmk_point_among_why_(grid, all, members, i, b);
    return why;
}

/* whether all rows of all buffers begin with a vector of so many elements */
static inline int cmk_point_aligned_(const void *grid, const cmk_point_member_ *all, int members, int lanes)
{
    size_t rest = 0;
    for (int i = 0; i < members; ++i) {
        const size_t vector = all[i].size * (size_t)lanes;
        rest |= (*cmk_point_number_((void *)grid, all[i].row_pitch) |
                 *cmk_point_number_((void *)grid, all[i].plane_pitch)) %
                (size_t)lanes;
        for (int b = 0; b < cmk_point_buffers_(&all[i]); ++b)
            rest |= (size_t)cmk_point_buffer_(grid, &all[i], b) % vector;
    }
    return rest == 0 || lanes == 1;
}

/* whether 32 bits hold the offsets in planes, and their pitch */
static inline int cmk_point_short_(const void *grid, const cmk_point_member_ *all, int members, size_t rows)
{
    for (int i = 0; i < members; ++i)
        if (*cmk_point_number_((void *)grid, all[i].row_pitch) > 0xffffffffu / all[i].size / rows ||
            *cmk_point_number_((void *)grid, all[i].plane_pitch) > 0xffffffffu / all[i].size)
            return 0;
    return 1;
}

static inline cmk_point_axis_ cmk_point_axis_of_(size_t first, size_t end, size_t count)
{
    const cmk_point_axis_ axis = {(int)first, (int)end, (int)count};
    return axis;
}

static inline void cmk_point_axes_(const cmk_point_sizes_ *s, cmk_point_task_ *task)
{
    task->planes = cmk_point_axis_of_(s->first_plane, s->end_plane, s->planes);
    task->rows = cmk_point_axis_of_(s->first_row, s->end_row, s->rows);
    task->columns = cmk_point_axis_of_(s->first_column, s->end_column, s->columns);
    task->live_planes = task->planes;
    task->live_rows = task->rows;
    task->live_columns = task->columns;
}

/* with deep ghosts, a pass updates all points, along axes with neighbours */
static inline void cmk_point_enliven_(cmk_point_definition_ d, cmk_point_task_ *task)
{
    const cmk_point_axis_ planes = cmk_point_axis_of_(0, (size_t)task->planes.count, (size_t)task->planes.count);
    const cmk_point_axis_ rows = cmk_point_axis_of_(0, (size_t)task->rows.count, (size_t)task->rows.count);
    const cmk_point_axis_ columns = cmk_point_axis_of_(0, (size_t)task->columns.count, (size_t)task->columns.count);
    if (d.dims == 3 && CMK_POINT_PLANES_OF_(d.reach) > 0) task->live_planes = planes;
    if (CMK_POINT_ROWS_OF_(d.reach) > 0) task->live_rows = rows;
    if (CMK_POINT_COLUMNS_OF_(d.reach) > 0) task->live_columns = columns;
}

/* the part along an axis, wider by so many ghosts, as far as there are any */
static inline void cmk_point_widen_axis_(size_t *first, size_t *end, size_t count, size_t by)
{
    *first = *first > by ? *first - by : 0;
    *end = count - *end > by ? *end + by : count;
}

/* The part of a grid with deep ghosts, when so many stages follow that need more than it. Returns the sizes as they
 * were. */
static inline cmk_point_sizes_ cmk_point_widen_(void *grid, cmk_point_definition_ d, size_t stages)
{
    cmk_point_sizes_ s, was;
    memcpy(&s, grid, sizeof s);
    was = s;
    if (s.deep_ghosts == 0 || cmk_point_sizes_why_(&s) != NULL) return was;
    const size_t rows = stages * (size_t)CMK_POINT_ROWS_OF_(d.reach),
                 columns = stages * (size_t)CMK_POINT_COLUMNS_OF_(d.reach);
    if (d.dims == 3)
        cmk_point_widen_axis_(&s.first_plane, &s.end_plane, s.planes, stages * (size_t)CMK_POINT_PLANES_OF_(d.reach));
    cmk_point_widen_axis_(&s.first_row, &s.end_row, s.rows, rows);
    cmk_point_widen_axis_(&s.first_column, &s.end_column, s.columns, columns);
    memcpy(grid, &s, sizeof s);
    return was;
}

/* the part of a grid that is as it was */
static inline void cmk_point_narrow_(void *grid, const cmk_point_sizes_ *was)
{
    cmk_point_sizes_ s;
    memcpy(&s, grid, sizeof s);
    s.first_plane = was->first_plane, s.end_plane = was->end_plane;
    s.first_row = was->first_row, s.end_row = was->end_row;
    s.first_column = was->first_column, s.end_column = was->end_column;
    memcpy(grid, &s, sizeof s);
}

static inline dim3 cmk_point_block_(const cmk_point_task_ *task)
{
    const dim3 block = dim3((unsigned)task->wide, (unsigned)task->teams);
    return block;
}

/* the blocks across and down a grid that is right, of so many columns and rows of points a thread */
static inline void cmk_point_lay_(const cmk_point_sizes_ *s, cmk_point_task_ *task, int lanes, int tile_rows)
{
    const size_t columns = s->end_column - (size_t)task->start, rows = s->end_row - s->first_row;
    task->across = (unsigned)((columns - 1) / (size_t)(task->wide * lanes) + 1);
    task->down = (unsigned)((rows - 1) / (size_t)(task->teams * tile_rows) + 1);
}

/* the depth at which blocks along planes take twice as long, or 0, by how fast memory is */
static inline int cmk_point_drift_of_(cmk_point_definition_ d, const cmk_plan_device *device)
{
    const int is_near = CMK_POINT_PLANES_OF_(d.reach) <= cmk_point_drift_wide_reach_;
    if (!cmk_plan_is_wide_(device)) return cmk_point_drift_;
    return is_near ? cmk_point_drift_wide_ : 0;
}

/* The same where planes go through shared memory, and how many of them a block takes: of the widths of a block that
 * divide rows evenly that by which all is done first. */
static inline cudaError_t cmk_point_lay_rings_(const cmk_point_sizes_ *s, cmk_point_definition_ d,
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
        const int wide = CMK_POINT_UP_((vectors - 1) / across + 1, 2);
        laid.wide = wide < cmk_point_ring_wide_ || i == tries ? cmk_point_ring_wide_ : wide;
        laid.teams =
            laid.wide == cmk_point_ring_wide_ ? cmk_point_ring_teams_ : cmk_point_ring_most_threads_(d) / laid.wide;
        cmk_point_lay_(s, &laid, lanes, tile_rows);
        const cmk_i64 tiles = (cmk_i64)laid.across * laid.down;
        laid.deep = (int)cmk_depth_(planes, tiles, window, resident, drift);
        const cmk_i64 cost = cmk_depth_time_(planes, tiles, window, resident, drift, laid.deep);
        if (i == 0 || cost < least) {
            least = cost;
            *task = laid;
        }
        if (laid.wide == cmk_point_ring_wide_) break; /* those that follow are as wide */
    }
    return cudaSuccess;
}

/* Whether a part has so few rows or columns that a block along planes would read many more than these: it then goes by
 * tiles, a column a thread. */
static inline int cmk_point_thin_(const cmk_point_sizes_ *s, cmk_point_definition_ d)
{
    return (s->end_row - s->first_row) * cmk_point_thin_share_ <=
               (size_t)(cmk_point_ring_teams_ * cmk_point_ring_rows_(d)) ||
           s->end_column - s->first_column <= cmk_point_thin_columns_;
}

/* Bytes of shared memory of a block, of which a device has so many. Where few registers would let one block more run on
 * an SM than a launch is divided for, they are so many that none does. */
static inline int cmk_point_shared_(cmk_point_definition_ d, int most)
{
    const int least = cmk_point_shared_alone_ / (cmk_point_ring_blocks_(d) + 1) + 1;
    return most >= cmk_point_shared_alone_ && d.kept <= cmk_point_kept_few_ && d.shared < least ? least : d.shared;
}

/* the threads of such a block: as many side by side as there are columns, or more, where there are few rows */
static inline void cmk_point_fold_(const cmk_point_sizes_ *s, cmk_point_task_ *task)
{
    const int threads = task->wide * task->teams;
    int wide = 32;
    while (wide > 1 && (size_t)wide / 2 >= s->end_column - s->first_column) wide /= 2;
    while (wide < threads && (size_t)(threads / wide / 2) >= s->end_row - s->first_row) wide *= 2;
    task->wide = wide;
    task->teams = threads / wide;
}

/* of a call that is refused, where why tells of it */
static inline cudaError_t cmk_point_refused_(const char *why)
{
    return why == NULL ? cudaSuccess : cudaErrorInvalidValue;
}

static inline const char *cmk_point_why_blocks_(double blocks)
{
    return blocks > 2147483647.0 ? "the part that is updated needs more than 2147483647 blocks" : NULL;
}

/* the launch of a grid that is right: its blocks, an error where they are too many */
static inline cudaError_t cmk_point_divide_(const cmk_point_sizes_ *s, cmk_point_definition_ d,
                                            const cmk_plan_device *device, cmk_point_task_ *task, unsigned *blocks,
                                            const char **why)
{
    const int lanes = cmk_point_columns_(d, task->aligned, task->rings);
    cudaError_t error = cudaSuccess;
    task->start = (int)(s->first_column / (size_t)lanes * (size_t)lanes);
    task->wide = cmk_point_wide_(d);
    task->teams = cmk_point_teams_(d);
    task->deep = cmk_point_tile_planes_(d, task->rings);
    if (cmk_point_rings_(d) && !task->rings) cmk_point_fold_(s, task);
    if (task->rings)
        error = cmk_point_lay_rings_(s, d, device, task);
    else
        cmk_point_lay_(s, task, lanes, cmk_point_tile_rows_(d, 0));
    const size_t behind = (s->end_plane - s->first_plane - 1) / (size_t)task->deep + 1;
    if (error != cudaSuccess) return error;
    *why = cmk_point_why_blocks_((double)task->across * (double)task->down * (double)behind);
    *blocks = *why == NULL ? (unsigned)(task->across * task->down * behind) : 0;
    return cmk_point_refused_(*why);
}

/* Completes *grid and divides it: *blocks is 0 where there is nothing to do, *why tells of a grid that is refused. */
static inline cudaError_t cmk_point_plan_(void *grid, const cmk_point_member_ *all, int members,
                                          cmk_point_definition_ d, const cmk_plan_device *device, cmk_point_task_ *task,
                                          unsigned *blocks, const char **why)
{
    cmk_point_sizes_ s;
    memcpy(&s, grid, sizeof s);
    *blocks = 0;
    *why = cmk_point_sizes_why_(&s);
    if (*why != NULL || cmk_point_empty_(&s)) return cmk_point_refused_(*why);
    *why = cmk_point_complete_(grid, all, members);
    memset((void *)task, 0, sizeof *task);
    cmk_point_axes_(&s, task);
    if (*why == NULL) *why = cmk_point_global_set_(&s, d, task);
    if (*why != NULL) return cmk_point_refused_(*why);
    task->aligned = cmk_point_aligned_(grid, all, members, d.lanes);
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
    task->time = (cmk_i64)s.first_step;
    return cmk_point_divide_(&s, d, device, task, blocks, why);
}

/* so many pointers change places */
static inline void cmk_point_swap_(void *grid, size_t a, size_t b, int count)
{
    char held[sizeof(void *)];
    for (int k = 0; k < count; ++k) {
        char *const first = (char *)grid + a + (size_t)k * sizeof held, *const second =
                                                                            (char *)grid + b + (size_t)k * sizeof held;
        memcpy(held, first, sizeof held);
        memcpy(first, second, sizeof held);
        memcpy(second, held, sizeof held);
    }
}

/* the two buffers of fields with a level in time, in the grid of a launch and in the caller's */
static inline void cmk_point_exchange_(void *now, void *grid, const cmk_point_member_ *all, int members)
{
    for (int i = 0; i < members; ++i) {
        if (all[i].others == 0) continue;
        cmk_point_swap_(now, all[i].pointers, all[i].others, all[i].count);
        cmk_point_swap_(grid, all[i].pointers, all[i].others, all[i].count);
    }
}

/* what a step of so many stages does to a grid */
static inline cudaError_t cmk_point_flip_(void *grid, void *now, const cmk_point_member_ *all, int members,
                                          const char **why, int stages)
{
    cmk_point_sizes_ s;
    *why = NULL;
    for (int stage = 0; stage < stages; ++stage) cmk_point_exchange_(now, grid, all, members);
    memcpy(&s, grid, sizeof s);
    ++s.first_step;
    memcpy(grid, &s, sizeof s);
    return cudaSuccess;
}

/* The same after a pass of several steps, whose results are in the spare buffers of fields that have some; and the
 * number of the next step. */
static inline void cmk_point_exchange_all_(void *grid, const cmk_point_member_ *all, int members, unsigned steps)
{
    cmk_point_sizes_ s;
    memcpy(&s, grid, sizeof s);
    s.first_step += steps;
    memcpy(grid, &s, sizeof s);
    for (int i = 0; i < members; ++i) {
        const cmk_point_member_ *const m = &all[i];
        if (m->spares != 0) cmk_point_swap_(grid, m->pointers, m->spares, m->count);
        if (m->other_spares != 0) cmk_point_swap_(grid, m->others, m->other_spares, m->count);
        if (m->others != 0 && m->spares == 0) cmk_point_swap_(grid, m->pointers, m->others, m->count);
    }
}

/* A grid whose stores go to these spare buffers: of two levels the newer is the one stored over `others`. */
static inline void cmk_point_aim_(void *grid, const cmk_point_member_ *all, int members)
{
    for (int i = 0; i < members; ++i)
        if (all[i].spares != 0)
            cmk_point_swap_(grid, all[i].others != 0 ? all[i].others : all[i].pointers, all[i].spares, all[i].count);
}

/* spare buffer b of a field, and how many it has */
static inline const char *cmk_point_spare_(const void *grid, const cmk_point_member_ *m, int b)
{
    return cmk_point_pointer_(grid, b < m->count ? m->spares : m->other_spares, b % m->count);
}

static inline int cmk_point_spare_count_(const cmk_point_member_ *m)
{
    return m->spares == 0 ? 0 : m->other_spares == 0 ? m->count : 2 * m->count;
}

/* its word */
static inline cmk_point_word_ cmk_point_spare_word_(const cmk_point_member_ *m, int b)
{
    return cmk_point_word_of_(m, b < m->count ? "_spare" : "_before_spare", b % m->count);
}

/* why a spare buffer is not there, begins with no vector, or shares a byte with another buffer */
static inline const char *cmk_point_spare_why_(const void *grid, const cmk_point_member_ *all, int members, int i,
                                               int b)
{
    const char *const here = cmk_point_spare_(grid, &all[i], b);
    const size_t bytes = cmk_point_bytes_(grid, &all[i]);
    if (here == NULL) return "a spare buffer is NULL";
    if ((size_t)here % 16 != 0)
        return cmk_why_("%s %p is not aligned to 16 bytes", cmk_point_spare_word_(&all[i], b).text, (const void *)here);
    if (!cmk_point_fits_(grid, here, bytes))
        return cmk_why_("%s has fewer bytes than the field", cmk_point_spare_word_(&all[i], b).text);
    for (int j = 0; j < members; ++j) {
        const size_t others = cmk_point_bytes_(grid, &all[j]);
        for (int c = 0; c < cmk_point_buffers_(&all[j]); ++c)
            if (!cmk_range_apart_(here, bytes, cmk_point_buffer_(grid, &all[j], c), others))
                return cmk_why_("%s and %s overlap", cmk_point_spare_word_(&all[i], b).text,
                                cmk_point_buffer_word_(&all[j], c).text);
        for (int c = 0; c < cmk_point_spare_count_(&all[j]); ++c)
            if ((i != j || b != c) && !cmk_range_apart_(here, bytes, cmk_point_spare_(grid, &all[j], c), others))
                return cmk_why_("%s and %s overlap", cmk_point_spare_word_(&all[i], b).text,
                                cmk_point_spare_word_(&all[j], c).text);
    }
    return NULL;
}

/* why the spare buffers are not right, of a grid whose others are */
static inline const char *cmk_point_spares_why_(const void *grid, const cmk_point_member_ *all, int members)
{
    const char *why = NULL;
    for (int i = 0; i < members && why == NULL; ++i)
        for (int b = 0; b < cmk_point_spare_count_(&all[i]) && why == NULL; ++b)
            why = cmk_point_spare_why_(grid, all, members, i, b);
    return why;
}

static inline int cmk_point_any_spares_(const cmk_point_member_ *all, int members)
{
    int any = 0;
    for (int i = 0; i < members; ++i) any |= all[i].spares != 0;
    return any;
}

/* The passes of a call: so many steps each; how many are left. Along lines they have as many steps as another, or one
 * less. */
typedef struct {
    cmk_point_definition_ d;
    int stages, steps;
    int blocks, broad;     /* of an SM; whether levels have the registers of two of them in place of three */
    size_t left, together; /* along lines, of so many steps together */
} cmk_point_passes_;

/* whether a stream is captured, or may be */
static inline int cmk_point_captured_(cudaStream_t stream)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream, &status) != cudaSuccess || status != cudaStreamCaptureStatusNone;
}

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

/* While a stream is captured they are an even number, so that a replay finds the buffers where they were. */
static inline void cmk_point_even_passes_(cmk_point_passes_ *passes, size_t steps)
{
    if (passes->left % 2 == 0) return;
    passes->left = cmk_point_is_line_(passes->d) && steps > passes->left ? passes->left + 1 : passes->left - 1;
}

/* whether the passes of a call are an odd number, and its stream is captured: that is asked for then alone */
static inline int cmk_point_odd_in_graph_(cmk_point_definition_ d, int stages, size_t steps, cudaStream_t stream)
{
    return cmk_point_passes_of_(d, stages, steps).left % 2 == 1 && cmk_point_captured_(stream);
}

/* whether all fields have the pitches of the grid */
static inline int cmk_point_same_pitches_(void *grid, const cmk_point_member_ *all, int members)
{
    cmk_point_sizes_ s;
    memcpy(&s, grid, sizeof s);
    for (int i = 0; i < members; ++i)
        if (*cmk_point_number_(grid, all[i].row_pitch) != s.row_pitch ||
            (s.planes > 1 && *cmk_point_number_(grid, all[i].plane_pitch) != s.plane_pitch))
            return 0;
    return 1;
}

/* Whether the strips of a pass lie on the grid: all fields have its pitches, each axis is long enough to hold an edge
 * in one strip and, where it wraps, whole vectors, or rows of a thread; what is to be updated is most of it, and, where
 * buffers change places with spare ones, of all images. In 3D, where rows begin with no vector, a few single steps are
 * faster. */
static inline int cmk_point_strips_fit_(void *grid, const cmk_point_member_ *all, int members,
                                        const cmk_point_passes_ *passes)
{
    const cmk_point_definition_ d = passes->d;
    cmk_point_sizes_ s;
    memcpy(&s, grid, sizeof s);
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
    if (d.dims == 3 && (s.rows < (size_t)cmk_point_strip_height_(d) || 2 * planes < s.planes)) return 0;
    if (d.wraps & 4 && s.columns % (size_t)d.lanes != 0) return 0;
    if (cmk_point_rows_wrap_(d) && s.rows % (size_t)cmk_point_strip_rows_(d) != 0) return 0;
    if (d.dims == 2 && cmk_point_any_spares_(all, members) && planes < s.planes) return 0;
    return 2 * rows >= s.rows && 2 * (s.end_column - s.first_column) >= s.columns;
}

/* Chunks of a 2D grid: so many rows, or near_share hundredths of them near an edge, where they take longer. Returns
 * the warps of a pass. */
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

/* The rows of a pass, near an edge and between: in as many chunks as are done first, in one wave of warps or some. Each
 * computes some rows more than it has, and the last wave waits for its slowest warps, the longer the longer they are.
 * Returns the warps. */
static inline cmk_i64 cmk_point_lay_rows_(const cmk_point_passes_ *passes, int processors, cmk_point_task_ *task)
{
    const cmk_point_definition_ d = passes->d;
    const int lost = passes->steps * passes->stages * cmk_point_lag_(d);
    const int top = task->all ? 0 : task->rows.first;
    const int end = task->all ? task->rows.count : task->rows.end, rows = end - top;
    const cmk_i64 resident = (cmk_i64)processors * passes->blocks * cmk_point_warps_2d_;
    const cmk_i64 strips = (cmk_i64)task->across * (task->planes.end - task->planes.first);
    const int near_share = passes->broad ? cmk_point_near_share_broad_ : cmk_point_near_share_;
    int best = rows;
    double least = 0.0;
    task->above = task->rows.first - top + 2 * lost + 8;
    task->below = end - task->rows.end + lost + cmk_point_layers_cycle_(d) + cmk_point_layers_ahead_(d) + 8;
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
    return cmk_point_cut_rows_(task, best, near_share);
}

/* the strips along an axis of so many, of which they have width elements and share halo at each side */
static inline unsigned cmk_point_strips_(size_t count, int width, int halo, int wraps)
{
    const size_t useful = (size_t)(width - 2 * halo);
    return (unsigned)((count - (wraps ? 1 : 2 * (size_t)halo + 1)) / useful + 1);
}

/* How many planes a chunk has, of so many tiles: of the blocks at work at once all but one or so go on at any time, and
 * each chunk costs some planes more than it has. A single wave of blocks takes as long as those at the sides. */
static inline int cmk_point_deep_planes_(cmk_i64 planes, cmk_i64 tiles, cmk_i64 resident, int lost)
{
    double least = 0.0;
    int best = 1;
    for (int chunks = 1; chunks <= cmk_point_chunks_most_ && chunks <= planes; ++chunks) {
        const double waves = (double)(tiles * chunks) / (double)resident, deep = (double)((planes - 1) / chunks + 1);
        const double cost = (waves <= 1.0 ? 1.15 : waves + 0.7) * (deep + lost);
        if (chunks == 1 || cost < least) {
            least = cost;
            best = (int)deep;
        }
    }
    return best;
}

/* The parts of lines, one a warp: how many blocks they are. */
static inline double cmk_point_lay_lines_(const cmk_point_sizes_ *s, const cmk_point_passes_ *passes,
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

/* the strips and chunks of a pass; how many blocks they are */
static inline double cmk_point_lay_strips_(const cmk_point_sizes_ *s, const cmk_point_passes_ *passes, int processors,
                                           cmk_point_task_ *task)
{
    const cmk_point_definition_ d = passes->d;
    const int levels = passes->steps * passes->stages, lost = 2 * levels * cmk_point_lag_(d) + 3;
    if (cmk_point_is_line_(d)) return cmk_point_lay_lines_(s, passes, task);
    task->across =
        cmk_point_strips_(s->columns, cmk_point_strip_width_(d), cmk_point_halo_(d, levels), (d.wraps & 4) != 0);
    if (d.dims == 2) {
        const cmk_i64 warps = cmk_point_lay_rows_(passes, processors, task);
        return (double)((warps - 1) / cmk_point_warps_2d_ + 1);
    }
    task->down = cmk_point_strips_(s->rows, cmk_point_strip_height_(d), cmk_point_halo_rows_(d, levels),
                                   cmk_point_rows_wrap_(d) != 0);
    const cmk_i64 planes = (cmk_i64)(task->all ? s->planes : s->end_plane - s->first_plane);
    const cmk_i64 tiles = (cmk_i64)task->across * task->down;
    task->deep = cmk_point_deep_planes_(planes, tiles, (cmk_i64)processors * passes->blocks, lost);
    return (double)tiles * (double)((planes - 1) / task->deep + 1);
}

static inline dim3 cmk_point_pass_block_(const cmk_point_passes_ *passes)
{
    const dim3 block = dim3((unsigned)cmk_point_strip_wide_(passes->d), (unsigned)cmk_point_strip_teams_(passes->d));
    return block;
}

static inline size_t cmk_point_pass_shared_(const cmk_point_passes_ *passes)
{
    if (cmk_point_is_line_(passes->d)) return 0;
    return (size_t)cmk_point_strip_shared_(passes->d, passes->steps * passes->stages);
}

/* whether the device has the shared memory of a block of a pass; and its processors */
static inline int cmk_point_pass_runs_(const cmk_point_passes_ *passes, const cmk_plan_device *device, int *processors)
{
    int most = 0;
    return cmk_plan_shared_bytes_(device, &most) == cudaSuccess && cmk_point_pass_shared_(passes) <= (size_t)most &&
           cmk_plan_processors_(device, processors) == cudaSuccess;
}

/* Whether one more pass is made of a grid, which is then divided. It is not of one that is not right, so that a launch
 * of a single step says what is wrong; then no more is tried. */
CMK_COLD_ static inline int cmk_point_plan_pass_(void *grid, const cmk_point_member_ *all, int members, size_t steps,
                                                 const cmk_plan_device *device, cmk_point_passes_ *passes,
                                                 cmk_point_task_ *task, unsigned *blocks)
{
    int processors = 0;
    cmk_point_sizes_ s;
    const size_t left = passes->left;
    passes->left = 0;
    if (left > 0 && passes->together > 0) passes->steps = (int)((passes->together - 1) / left + 1);
    if (left > 0) (void)cmk_point_widen_(grid, passes->d, (steps - (size_t)passes->steps) * (size_t)passes->stages);
    memcpy(&s, grid, sizeof s);
    if (left == 0 || cmk_point_sizes_why_(&s) != NULL || cmk_point_empty_(&s) ||
        cmk_point_complete_(grid, all, members) != NULL || cmk_point_spares_why_(grid, all, members) != NULL ||
        !cmk_point_strips_fit_(grid, all, members, passes) || !cmk_point_pass_runs_(passes, device, &processors))
        return 0;
    memset((void *)task, 0, sizeof *task);
    cmk_point_axes_(&s, task);
    if (s.deep_ghosts != 0) cmk_point_enliven_(passes->d, task);
    if (cmk_point_global_set_(&s, passes->d, task) != NULL) return 0;
    task->all = cmk_point_any_spares_(all, members);
    task->aligned = cmk_point_aligned_(grid, all, members, passes->d.lanes);
    task->time = (cmk_i64)s.first_step;
    const double all_blocks = cmk_point_lay_strips_(&s, passes, processors, task);
    if (all_blocks > 2147483647.0) return 0;
    passes->left = left - 1;
    if (passes->together > 0) passes->together -= (size_t)passes->steps;
    *blocks = (unsigned)all_blocks;
    return 1;
}

#endif

#endif
