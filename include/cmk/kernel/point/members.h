/* kernel/point/members.h: on the host: the members of a grid of stencil2d.h and stencil3d.h.
 *
 * A grid is a struct that a definition makes. It has sizes, and for each field its buffers, which change places. Every
 * field is described here by where its members are in the struct, so that all of this is written once.
 *
 * In all functions here, which the host calls:
 *
 *   grid, now      a name_grid, the caller's or a copy; it begins with cmk_point_sizes_ (grid.h), and no more is known
 *                  here
 *   all, members   a cmk_point_member_ for each name of a field, and the number of these names
 *   m              one of them; a name stands for m->count fields, each of which has its own pointers
 *   at             bytes from the start of the struct to a member
 *   b              the number of a buffer of a name: below m->count the fields' own, then their second ones
 *   s, sizes       a cmk_point_sizes_ (grid.h). global_planes and the like are the size of the larger grid that this
 *                  one is a part of, origin_plane and the like the place of its first point there, which may be below 0
 *   split          a cmk_grid (../../grid.h), a rank: along an axis it has count[axis] points, from first[axis] on, of
 *                  global[axis]. A cmk_box has such a first and count too
 *   d.reach        a SHAPE. CMK_POINT_PLANES_OF_ and the like (point.h) are its planes, rows or columns on one side, 0
 *                  to 8 each
 *   m->kind        cmk_point_KIND_OUT (point.h) is only written, cmk_point_KIND_SAME is read and written in place
 *   cmk_range_bytes_    (pitch, step, width, height, count, size) of ../call/range.h: the bytes of `count` matrices,
 *                  `step` elements apart, of height rows of width elements of `size` bytes
 *
 * Members stand at `at` with their own types, so a size_t is aligned there. Pointers to any type are copied by memcpy,
 * as all have the bytes of a void *. cmk_grid_beside_ (../../grid.h) is the rank beside this one, or below 0 where
 * there is none.
 *
 * The second buffers are field_next of a NEXT field and field_before of a LEAPFROG field. Spare buffers are
 * field_spare, and field_before_spare of a LEAPFROG field. Pitches count elements. Along an axis the part is first
 * to end - 1. */
#ifndef CMK_KERNEL_POINT_MEMBERS_H
#define CMK_KERNEL_POINT_MEMBERS_H

#include "../../grid.h"
#include "../../halo/field.h"
#include "../call/range.h"
#include "steps.h"

#if CMK_HAS_HOST_

/* A field of a grid. The members from pointers on are bytes from the start of the struct: to its pointers, to those of
 * its second buffers, or 0, and to its pitches. The count is the number of fields that share the name. The kind is a
 * cmk_point_KIND_... of point.h, the shape a SHAPE, and size and alignment are bytes of an element. */
typedef struct {
    const char *name;
    int kind, count, shape;
    size_t size, alignment, pointers, others, row_pitch, plane_pitch;
    size_t spares, other_spares; /* spare buffers of a pass, which does not write over what it reads; 0 for none */
} cmk_point_member_;

/* Returns a field's description, from its constants f and from where its members are. */
static inline cmk_point_member_ cmk_point_member_of_(cmk_point_field_ f, size_t pointers, size_t others,
                                                     size_t row_pitch, size_t plane_pitch, size_t spares,
                                                     size_t other_spares)
{
    const cmk_point_member_ member = {f.name,   f.kind, f.count,   f.shape,     (size_t)f.size, (size_t)f.alignment,
                                      pointers, others, row_pitch, plane_pitch, spares,         other_spares};
    return member;
}

/* The caller's grid, and the two grids of a launch: it goes from `now` to `to`. Each is a name_grid of this number of
 * bytes. The launch of a stage has `now` alone. The array `all` describes their fields, one for each name. */
typedef struct {
    void *caller, *now, *to;
    size_t bytes;
    const cmk_point_member_ *all;
    int members;
} cmk_point_grids_;

/* Returns the grids of a call. The array has all_bytes bytes, and one member more than there are names of fields, as
 * C has no empty arrays. */
static inline cmk_point_grids_ cmk_point_grids_of_(void *caller, void *now, void *to, size_t bytes,
                                                   const cmk_point_member_ *all, size_t all_bytes)
{
    const cmk_point_grids_ grids = {caller, now, to, bytes, all, (int)(all_bytes / sizeof *all) - 1};
    return grids;
}

/* Returns whether a name is a reduction, whose buffer has CMK_POINT_RESULT_BYTES and no rows. */
static inline int cmk_point_is_result_(const cmk_point_member_ *m)
{
    return m->kind >= cmk_point_KIND_SUM;
}

/* Makes the results of a grid of a launch NULL, so that nothing is added to them. */
static inline void cmk_point_drop_results_(void *now, const cmk_point_member_ *all, int members)
{
    for (int i = 0; i < members; ++i)
        if (cmk_point_is_result_(&all[i])) memset((char *)now + all[i].pointers, 0, sizeof(void *));
}

/* Sets the range of an axis that update cannot leave: no point in it reads beyond an end. It ends `radius` points
 * before both ends, and is empty where the axis, of *end points, is too short. */
static inline void cmk_point_shrink_(size_t *first, size_t *end, int radius)
{
    const size_t count = *end;
    *first = count > 2 * (size_t)radius ? (size_t)radius : count;
    *end = count > 2 * (size_t)radius ? count - (size_t)radius : count;
}

/* Returns the sizes of a grid all of which is updated, for name_domain. All other members are 0. */
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

/* Returns width[axis], in points, where a rank has a neighbour on that side of an axis, else 0. The side is -1 for the
 * low one and 1 for the high one; the axes 0 to 2 are planes, rows and columns. */
static inline int cmk_point_beside_rank_(const cmk_grid *split, int axis, int side, const int width[3])
{
    return cmk_grid_beside_(split, axis, side) >= 0 && width[axis] > 0 ? width[axis] : 0;
}

/* Returns the sizes of a rank's grid, for name_of_rank: its points, which are the part, and ghosts[axis] ghosts on each
 * side where it has a neighbour. Its rows begin multiples of 32 elements apart, which are whole vectors, as a vector
 * has 1, 2, 4, 8 or 16 elements. */
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

/* The sizes that every grid begins with are read, and others are written in their place. A grid is a struct of a
 * definition, and the rest of it is not known here. */
static inline cmk_point_sizes_ cmk_point_sizes_of_(const void *grid)
{
    cmk_point_sizes_ s;
    memcpy(&s, grid, sizeof s);
    return s;
}

/* Writes sizes to the start of a grid. */
static inline void cmk_point_set_sizes_(void *grid, cmk_point_sizes_ s)
{
    memcpy(grid, &s, sizeof s);
}

/* Adds to the number of the next step, which CMK_POINT_STEP returns in an update. */
static inline void cmk_point_count_steps_(void *grid, size_t steps)
{
    cmk_point_sizes_ s = cmk_point_sizes_of_(grid);
    s.first_step += steps;
    cmk_point_set_sizes_(grid, s);
}

/* Makes a box of the part the new part, for name_part. The box is counted from the part's first point. Nothing is
 * checked here: a part that is not inside the grid is refused by the next call (cmk_point_sizes_why_ of refuse.h). */
static inline void cmk_point_set_part_(void *grid, cmk_box box)
{
    cmk_point_sizes_ s = cmk_point_sizes_of_(grid);
    s.first_plane += (size_t)box.first[0];
    s.first_row += (size_t)box.first[1];
    s.first_column += (size_t)box.first[2];
    s.end_plane = s.first_plane + (size_t)box.count[0];
    s.end_row = s.first_row + (size_t)box.count[1];
    s.end_column = s.first_column + (size_t)box.count[2];
    cmk_point_set_sizes_(grid, s);
}

/* Returns sizes whose part has only the points that read nothing outside of the grid, for name_inner. The definition d
 * has the reach, the largest of all fields. In 2D planes are images, and all of them stay. */
static inline cmk_point_sizes_ cmk_point_inner_(cmk_point_sizes_ sizes, cmk_point_definition_ d)
{
    if (d.dims == 3) cmk_point_shrink_(&sizes.first_plane, &sizes.end_plane, CMK_POINT_PLANES_OF_(d.reach));
    cmk_point_shrink_(&sizes.first_row, &sizes.end_row, CMK_POINT_ROWS_OF_(d.reach));
    cmk_point_shrink_(&sizes.first_column, &sizes.end_column, CMK_POINT_COLUMNS_OF_(d.reach));
    return sizes;
}

/* Returns whether the part has no points. A step then launches nothing, and counts as done. */
static inline int cmk_point_empty_(const cmk_point_sizes_ *s)
{
    return s->first_plane == s->end_plane || s->first_row == s->end_row || s->first_column == s->end_column;
}

/* Returns the address of a pitch of a field, at member `at`. */
static inline size_t *cmk_point_number_(void *grid, size_t at)
{
    return (size_t *)(void *)((char *)grid + at);
}

/* Returns pointer i of the array that is `at` bytes from the start of the grid. */
static inline char *cmk_point_pointer_(const void *grid, size_t at, int i)
{
    char *pointer;
    memcpy((void *)&pointer, (const char *)grid + at + (size_t)i * sizeof pointer, sizeof pointer);
    return pointer;
}

/* Returns buffer b of a field: first come its own buffers, then the second ones. */
static inline const char *cmk_point_buffer_(const void *grid, const cmk_point_member_ *m, int b)
{
    return cmk_point_pointer_(grid, b < m->count ? m->pointers : m->others, b % m->count);
}

/* Returns the buffers of a name, without spare ones. */
static inline int cmk_point_buffers_(const cmk_point_member_ *m)
{
    return m->others != 0 ? 2 * m->count : m->count;
}

/* Returns whether a launch writes buffer b of a field: that of an OUT or a SAME field, or a second one. Where a buffer
 * is written and shares bytes with another, the call is refused (cmk_point_among_why_ of refuse.h). */
static inline int cmk_point_written_(const cmk_point_member_ *m, int b)
{
    return m->kind == cmk_point_KIND_OUT || m->kind == cmk_point_KIND_SAME || cmk_point_is_result_(m) || b >= m->count;
}

/* Returns the bytes from the first element of a buffer to behind its last. Returns 0 where they exceed half of the
 * address space, or where the row pitch is below the columns. The pitches are set, and the grid has points. With a 0
 * the call is refused (cmk_point_buffer_why_ of refuse.h). */
static inline size_t cmk_point_bytes_(const void *grid, const cmk_point_member_ *m)
{
    const cmk_point_sizes_ s = cmk_point_sizes_of_(grid);
    if (cmk_point_is_result_(m)) return CMK_POINT_RESULT_BYTES;
    return cmk_range_bytes_(*cmk_point_number_((void *)grid, m->row_pitch),
                            *cmk_point_number_((void *)grid, m->plane_pitch), s.columns, s.rows, s.planes, m->size);
}

/* Returns whether a buffer, `here`, begins in the memory that name_prepare allocated. One comparison is enough, as the
 * difference wraps around to a large number where the buffer begins before. */
static inline int cmk_point_prepared_(const cmk_point_sizes_ *s, const char *here)
{
    return (size_t)here - s->prepared_ < s->prepared_bytes_;
}

/* Returns 0 where a buffer begins in that memory, but fewer than `bytes` bytes follow there. The call is refused then
 * (refuse.h). A buffer of the caller always fits. */
static inline int cmk_point_fits_(const void *grid, const char *here, size_t bytes)
{
    const cmk_point_sizes_ s = cmk_point_sizes_of_(grid);
    return !cmk_point_prepared_(&s, here) || bytes <= s.prepared_bytes_ - ((size_t)here - s.prepared_);
}

/* Returns spare buffer b of a field: below m->count those of its own buffers, then those of the level before. */
static inline const char *cmk_point_spare_(const void *grid, const cmk_point_member_ *m, int b)
{
    return cmk_point_pointer_(grid, b < m->count ? m->spares : m->other_spares, b % m->count);
}

/* Returns the number of spare buffers of a name: none, one for each field, or two for each of a LEAPFROG. */
static inline int cmk_point_spare_count_(const cmk_point_member_ *m)
{
    return m->spares == 0 ? 0 : m->other_spares == 0 ? m->count : 2 * m->count;
}

/* Returns whether some field has spare buffers, so that it is a SAME or a LEAPFROG field. A pass then writes the whole
 * grid, task->all of passes.h. */
static inline int cmk_point_any_spares_(const cmk_point_member_ *all, int members)
{
    int any = 0;
    for (int i = 0; i < members; ++i) any |= all[i].spares != 0;
    return any;
}

/* Returns whether all fields have the pitches of the grid. Between planes that is asked only if there are several.
 * Pitches that were left 0 have been set to those of the grid before. Only cmk_point_strips_fit_ (passes.h) asks: with
 * a no there is no pass, and the steps are done singly. Far from edges the threads of a pass have one offset for all
 * fields. */
static inline int cmk_point_same_pitches_(void *grid, const cmk_point_member_ *all, int members)
{
    const cmk_point_sizes_ s = cmk_point_sizes_of_(grid);
    for (int i = 0; i < members; ++i)
        if (*cmk_point_number_(grid, all[i].row_pitch) != s.row_pitch ||
            (s.planes > 1 && *cmk_point_number_(grid, all[i].plane_pitch) != s.plane_pitch))
            return 0;
    return 1;
}

/* Where rows begin: element 0 of row y of plane z stands first + y * row + z * plane elements behind a vector, modulo
 * the lanes. With `alike` 0 that is not the same in all buffers, or elements are not at multiples of their bytes. */
typedef struct {
    size_t first, row, plane;
    int alike;
} cmk_point_begins_;

/* Returns where rows of all buffers of all fields begin. Spare buffers are not asked: a pass needs them at multiples of
 * 16 bytes (refuse.h). */
static inline cmk_point_begins_ cmk_point_begins_of_(const void *grid, const cmk_point_member_ *all, int members,
                                                     size_t lanes)
{
    const int several = cmk_point_sizes_of_(grid).planes > 1;
    cmk_point_begins_ begins = {0, 0, 0, -1};
    for (int i = 0; i < members; ++i) {
        const cmk_point_member_ *const m = &all[i];
        if (cmk_point_is_result_(m)) continue;
        const size_t row = *cmk_point_number_((void *)grid, m->row_pitch) % lanes;
        const size_t plane = several ? *cmk_point_number_((void *)grid, m->plane_pitch) % lanes : 0;
        for (int b = 0; b < cmk_point_buffers_(m); ++b) {
            const size_t bytes = (size_t)cmk_point_buffer_(grid, m, b) % (m->size * lanes), first = bytes / m->size;
            if (begins.alike < 0) begins.first = first, begins.row = row, begins.plane = plane, begins.alike = 1;
            begins.alike &= bytes % m->size == 0 && first == begins.first && row == begins.row && plane == begins.plane;
        }
    }
    return begins;
}

/* Returns whether all rows of all buffers are aligned to a vector of `lanes` elements. One element is always aligned.
 * With a no a pass loads by elements (passes.h). */
static inline int cmk_point_aligned_(const void *grid, const cmk_point_member_ *all, int members, int lanes)
{
    const cmk_point_begins_ begins = cmk_point_begins_of_(grid, all, members, (size_t)lanes);
    return lanes == 1 || (begins.alike && (begins.first | begins.row | begins.plane) == 0);
}

/* Sets task->aligned, and where rows begin, as far as the kernels go by it. In 2D, rows that all begin equally far
 * behind a vector are aligned too, as tiles can begin there. Of others tiles are skewed where there is code for the
 * skew, or go by rows. With aligned 0 and skew -1 tiles of rows that are not aligned begin anywhere (window.h). */
static inline void cmk_point_set_begins_(const void *grid, const cmk_point_member_ *all, int members,
                                         cmk_point_definition_ d, cmk_point_task_ *task)
{
    const cmk_point_begins_ begins = cmk_point_begins_of_(grid, all, members, (size_t)d.lanes);
    const int skew = cmk_point_is_line_(d) ? 0 : (int)begins.row;
    task->aligned =
        d.lanes == 1 || (begins.alike && (begins.row | begins.plane) == 0 && (d.dims == 2 || begins.first == 0));
    if (d.dims == 3 || !begins.alike) return;
    if (!task->aligned && !cmk_point_has_skew_(d, skew) && !cmk_point_by_rows_(d)) return;
    if (!task->aligned) task->skew = skew;
    task->lead = (int)begins.first, task->lead_row = (int)begins.row, task->lead_plane = (int)begins.plane;
}

/* Returns whether 32 bits hold every offset in a plane, in bytes, and every pitch of planes, in bytes. Threads that
 * march along planes compute with these (cmk_point_offset_ of window.h). The `rows` are those of the grid, at least 1.
 * cmk_point_plan_ (divide.h) asks: with a no the step goes by tiles. */
static inline int cmk_point_short_(const void *grid, const cmk_point_member_ *all, int members, size_t rows)
{
    for (int i = 0; i < members; ++i)
        if (!cmk_point_is_result_(&all[i]) &&
            (*cmk_point_number_((void *)grid, all[i].row_pitch) > 0xffffffffu / all[i].size / rows ||
             *cmk_point_number_((void *)grid, all[i].plane_pitch) > 0xffffffffu / all[i].size))
            return 0;
    return 1;
}

/* Exchanges `count` pointers at a with those at b, both in bytes from the start of the grid. */
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

/* Exchanges the two buffers of each NEXT and LEAPFROG field, in `now`, the grid of a launch, and in the caller's grid.
 * The host does so behind the launch of each stage. */
static inline void cmk_point_exchange_(void *now, void *grid, const cmk_point_member_ *all, int members)
{
    for (int i = 0; i < members; ++i) {
        if (all[i].others == 0) continue;
        cmk_point_swap_(now, all[i].pointers, all[i].others, all[i].count);
        cmk_point_swap_(grid, all[i].pointers, all[i].others, all[i].count);
    }
}

/* Does to a grid what a step of `stages` stages does to it, but computes nothing. name_flip calls it. Only a grid that
 * is NULL is refused here; *why says so already. */
static inline cudaError_t cmk_point_flip_(cmk_point_grids_ g, const char **why, cudaStream_t stream, int stages)
{
    (void)stream;
    if (g.caller == NULL) return cudaErrorInvalidValue;
    *why = NULL;
    for (int stage = 0; stage < stages; ++stage) cmk_point_exchange_(g.now, g.caller, g.all, g.members);
    cmk_point_count_steps_(g.caller, 1);
    return cudaSuccess;
}

/* Returns the reach of a shape along an axis, in points. The axes 0 to 2 are planes, rows and columns. In 2D planes are
 * independent images. */
static inline int cmk_point_reach_along_(int shape, int dims, int axis)
{
    const int reach[3] = {dims == 3 ? CMK_POINT_PLANES_OF_(shape) : 0, CMK_POINT_ROWS_OF_(shape),
                          CMK_POINT_COLUMNS_OF_(shape)};
    return reach[axis];
}

/* Returns buffer b of a field as an exchange takes it, without its reach. With `swaps` the two buffers of the field
 * change places at every step. The part is all points that the rank owns, and held counts from its first one. */
static inline cmk_field cmk_point_exchanged_(const void *grid, const cmk_point_member_ *m, int b, int swaps)
{
    const cmk_point_sizes_ s = cmk_point_sizes_of_(grid);
    const size_t own_row = *cmk_point_number_((void *)grid, m->row_pitch), row = own_row != 0 ? own_row : s.row_pitch;
    const size_t own_plane = *cmk_point_number_((void *)grid, m->plane_pitch),
                 plane = own_plane != 0 ? own_plane : s.plane_pitch;
    const size_t first = (s.first_plane * plane + s.first_row * row + s.first_column) * m->size;
    const cmk_box held = {{-(cmk_i64)s.first_plane, -(cmk_i64)s.first_row, -(cmk_i64)s.first_column},
                          {(cmk_i64)s.planes, (cmk_i64)s.rows, (cmk_i64)s.columns}};
    const char *const data = cmk_point_buffer_(grid, m, b);
    const char *const next =
        m->others != 0 && swaps ? cmk_point_buffer_(grid, m, (b + m->count) % (2 * m->count)) : NULL;
    cmk_field f;
    memset(&f, 0, sizeof f);
    f.data = data != NULL ? (void *)(data + first) : NULL;
    f.next = next != NULL ? (void *)(next + first) : NULL;
    f.size = m->size, f.row_pitch = (cmk_i64)row, f.plane_pitch = (cmk_i64)plane;
    f.name = m->name, f.held = held;
    return f;
}

/* Sets the reach of a field in an exchange, and returns whether neighbours are read. With `deep` the reach is all
 * ghosts of the grid, as a step updates ghosts too, and reads all around them in the next one. Else it is that of the
 * shape. */
static inline int cmk_point_set_reach_(cmk_field *f, const cmk_point_sizes_ *s, cmk_point_definition_ d, int shape,
                                       int deep)
{
    const size_t behind[3] = {s->planes - s->end_plane, s->rows - s->end_row, s->columns - s->end_column};
    int any = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const cmk_i64 before = -f->held.first[axis], after = (cmk_i64)behind[axis];
        f->reach[axis] = cmk_point_reach_along_(deep ? d.reach : shape, d.dims, axis);
        any |= f->reach[axis];
        if (deep && f->reach[axis] > 0) f->reach[axis] = (int)(before > after ? before : after);
    }
    f->corners = deep || shape < 0x1000;
    return any != 0;
}

/* Writes the fields of an exchange, for name_fields: those that are read beside the point, or, where ghosts are
 * updated, all that are read, and the level before of a LEAPFROG too. Returns their number; no more than
 * CMK_HALO_FIELDS are written. Only a grid that is NULL is refused here: cmk_halo_create refuses what is wrong. */
static inline int cmk_point_fields_(cmk_point_grids_ g, const char **why, cmk_field *fields, cmk_point_definition_ d,
                                    int stages)
{
    if (g.caller == NULL) return 0;
    const cmk_point_sizes_ s = cmk_point_sizes_of_(g.now);
    const int deep = s.deep_ghosts != 0 || stages > 1;
    int count = 0;
    *why = NULL;
    for (int i = 0; i < g.members; ++i) {
        const cmk_point_member_ *const m = &g.all[i];
        const int buffers = deep && m->kind == cmk_point_KIND_LEAPFROG ? 2 * m->count : m->count;
        for (int b = 0; b < buffers && m->kind != cmk_point_KIND_OUT && !cmk_point_is_result_(m); ++b) {
            cmk_field f = cmk_point_exchanged_(g.caller, m, b, stages % 2);
            if (!cmk_point_set_reach_(&f, &s, d, m->shape, deep)) continue;
            if (count < CMK_HALO_FIELDS) fields[count] = f;
            ++count;
        }
    }
    return count;
}

/* Writes the results of a grid, for name_results. Returns their number; no more than CMK_HALO_RESULTS are written. Only
 * a grid that is NULL is refused here. */
static inline int cmk_point_results_(cmk_point_grids_ g, const char **why, cmk_result *results)
{
    int count = 0;
    if (g.caller == NULL) return 0;
    *why = NULL;
    for (int i = 0; i < g.members; ++i) {
        if (!cmk_point_is_result_(&g.all[i])) continue;
        const cmk_result result = {cmk_point_pointer_(g.caller, g.all[i].pointers, 0), g.all[i].kind,
                                   (int)g.all[i].size, g.all[i].name};
        if (count < CMK_HALO_RESULTS) results[count] = result;
        ++count;
    }
    return count;
}

/* Does to the caller's grid what a pass of several steps does to it. Its results are in the spare buffers of fields
 * that have some, and in the second buffers of NEXT fields. The number of the next step grows by `steps`. */
static inline void cmk_point_exchange_all_(void *grid, const cmk_point_member_ *all, int members, unsigned steps)
{
    cmk_point_count_steps_(grid, steps);
    for (int i = 0; i < members; ++i) {
        const cmk_point_member_ *const m = &all[i];
        if (m->spares != 0) cmk_point_swap_(grid, m->pointers, m->spares, m->count);
        if (m->other_spares != 0) cmk_point_swap_(grid, m->others, m->other_spares, m->count);
        if (m->others != 0 && m->spares == 0) cmk_point_swap_(grid, m->pointers, m->others, m->count);
    }
}

/* Makes the stores of a pass go to the spare buffers, in the copy of the grid that the pass writes. Of the two levels
 * in time of a LEAPFROG the newer is stored over `others`, so these become its spare buffer. The older is stored to
 * field_before_spare as it stands. */
static inline void cmk_point_aim_(void *grid, const cmk_point_member_ *all, int members)
{
    for (int i = 0; i < members; ++i)
        if (all[i].spares != 0)
            cmk_point_swap_(grid, all[i].others != 0 ? all[i].others : all[i].pointers, all[i].spares, all[i].count);
}

#endif

#endif
