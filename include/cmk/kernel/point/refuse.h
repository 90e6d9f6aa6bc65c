/* kernel/point/refuse.h: on the host: why a grid is refused, in the words of its members.
 *
 * In all functions here, which the host calls:
 *
 *   why            the sentence of a call that is refused, by cmk_why_ (../call/why.h), or NULL where nothing is wrong
 *   grid           a name_grid, a copy of the caller's; it begins with cmk_point_sizes_ (grid.h), and no more is known
 *                  here
 *   all, members   a cmk_point_member_ (members.h) for each name of a field, and the number of these names
 *   m, i           one of them, and its index; m->count fields share the name, and m->alignment is in bytes
 *   b              the number of a buffer of a name: below m->count the fields' own, then their second ones; of spare
 *                  buffers, then those of the level before in time
 *   axis           0 for planes, 1 for rows, 2 for columns
 *   first, end, count    of an axis: the part, from first to end - 1, and the size of the grid
 *   task           a cmk_point_task_ (grid.h): live_planes and the like, which are updated, are set; seen_planes and
 *                  the like become the same range in the larger grid, and global its size and this grid's place in it
 *   members.h      cmk_point_buffer_, cmk_point_spare_: pointer b. cmk_point_buffers_, cmk_point_spare_count_: how many
 *                  of them a name has. cmk_point_written_: a launch writes buffer b. cmk_point_fits_: 0 where prepared
 *                  memory is too small for it. cmk_point_sizes_of_: the sizes of a grid. m->kind: a LEAPFROG has a
 *                  level before in time, other kinds a next one
 *   ../call/why.h  cmk_why_above_, cmk_why_pointer_: the sentence for a number above `most`; for a pointer that is NULL
 *                  or not aligned; or NULL
 *
 * Each axis has at most 2^31 - 257 points, as kernels count them by int. A sentence that is not NULL refuses the call:
 * it gets cudaErrorInvalidValue, and nothing more is launched. It holds until the next sentence of this host thread.
 *
 * In members.h, cmk_point_bytes_ returns the bytes of a buffer, from its first element to behind its last, or 0 where
 * they are too many. There cmk_point_number_ returns the address of a pitch. cmk_range_apart_ (../call/range.h) returns
 * whether two ranges of bytes do not overlap. */
#ifndef CMK_KERNEL_POINT_REFUSE_H
#define CMK_KERNEL_POINT_REFUSE_H

#include "../call/why.h"
#include "members.h"

#if CMK_HAS_HOST_

/* The names of a grid's members along an axis. */
typedef struct {
    const char *first, *end, *count, *global, *origin;
} cmk_point_names_;

/* Returns the names for an axis. */
static inline cmk_point_names_ cmk_point_names_of_(int axis)
{
    static const cmk_point_names_ words[] = {
        {"first_plane", "end_plane", "planes", "global_planes", "origin_plane"},
        {"first_row", "end_row", "rows", "global_rows", "origin_row"},
        {"first_column", "end_column", "columns", "global_columns", "origin_column"}};
    return words[axis];
}

/* Returns why the size and the part of an axis are not right: the size is too large, or the part is not inside. The 256
 * leave room in an int for indices behind the end, such as those of a reach of 8 and of a vector that the end cuts. */
static inline const char *cmk_point_axis_why_(int axis, size_t first, size_t end, size_t count)
{
    const size_t most = 0x7fffffff - 256;
    if (count <= most && first <= end && end <= count) return NULL;
    const cmk_point_names_ names = cmk_point_names_of_(axis);
    const char *why = cmk_why_above_(names.count, count, most);
    if (why == NULL) why = cmk_why_below_(names.first, first);
    if (why == NULL) why = cmk_why_below_(names.end, end);
    if (why != NULL) return why;
    return first > end ? cmk_why_("%s %zu is above %s %zu", names.first, first, names.end, end)
                       : cmk_why_("%s %zu is above %s %zu", names.end, end, names.count, count);
}

/* Returns why the sizes of a grid are not right, of the first axis that is not. */
static inline const char *cmk_point_sizes_why_(const cmk_point_sizes_ *s)
{
    const char *why = cmk_point_axis_why_(0, s->first_plane, s->end_plane, s->planes);
    if (why == NULL) why = cmk_point_axis_why_(1, s->first_row, s->end_row, s->rows);
    return why != NULL ? why : cmk_point_axis_why_(2, s->first_column, s->end_column, s->columns);
}

/* What an update sees along an axis: of the grid, and of the larger grid that it may be a part of. */
typedef struct {
    size_t count, global; /* the size of the grid; that of the larger one, or 0 where there is none */
    cmk_i64 origin;       /* the index of the grid's first point in the larger grid; it may be negative */
    int wraps;            /* not 0 where some field wraps along the axis */
    cmk_point_axis_ live; /* the range that is updated */
} cmk_point_view_;

/* Sets what an update sees along an axis: the size, and the range that is updated in it. The size is that of the grid,
 * unless a larger one is set. The range must be inside, or, along an axis that wraps, at most a period away. It ends at
 * `most`, so that a tile's width beyond it is still an int. Else it returns why not. The origin is at most 2^31 - 1 to
 * either side, so that sums with it cannot overflow in cmk_i64. */
static inline const char *cmk_point_global_axis_(int axis, cmk_point_view_ view, cmk_point_axis_ *seen)
{
    const size_t all = view.global == 0 ? view.count : view.global, most = 0x7fffffff - 256;
    if (all <= most && view.origin >= -0x7fffffff && view.origin <= 0x7fffffff) {
        const cmk_i64 period = view.wraps ? (cmk_i64)all : 0, end = view.live.end + view.origin;
        seen->first = (int)(view.live.first + view.origin);
        seen->end = (int)end;
        seen->count = (int)all;
        if (view.live.first + view.origin >= -period && end <= (cmk_i64)all + period && end <= (cmk_i64)most)
            return NULL;
    }
    const cmk_point_names_ names = cmk_point_names_of_(axis);
    if (all > most) return cmk_why_above_(names.global, all, most);
    return cmk_why_("%s %lld puts what is updated outside of %s %zu", names.origin, view.origin,
                    view.global == 0 ? names.count : names.global, all);
}

/* Sets what an update sees in a task, whose live axes are set, along all axes, or returns why one is not right. Bits 1,
 * 2 and 4 of d.around, a constant of the definition, say that a field wraps along planes, rows and columns. */
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

/* Returns why an axis has too few ghosts. The grid begins at `origin` in a larger one of `global` points, and the part
 * reads `needed` points on both sides. Where the larger grid goes on behind an end of this one, these must be ghosts,
 * as an edge would act there. The sizes have been checked. A part that is not in the larger grid is not asked. */
static inline const char *cmk_point_ghosts_axis_(int axis, size_t first, size_t end, size_t count, cmk_i64 origin,
                                                 size_t global, size_t needed)
{
    const int is_in = global <= 0x7fffffff && origin + (cmk_i64)first >= 0 && origin + (cmk_i64)end <= (cmk_i64)global;
    const int goes_on_before = is_in && origin != 0;
    const int goes_on_behind = is_in && origin + (cmk_i64)count != (cmk_i64)global;
    const cmk_point_names_ names = cmk_point_names_of_(axis);
    if (goes_on_before && first < needed)
        return cmk_why_("%s %zu leaves %zu %s of ghosts, but %zu are read", names.first, first, first, names.count,
                        needed);
    if (goes_on_behind && count - end < needed)
        return cmk_why_("%s %zu leaves %zu %s of ghosts, but %zu are read", names.end, end, count - end, names.count,
                        needed);
    return NULL;
}

/* Returns why a part of a larger grid has too few deep ghosts for `stages` stages, each of which reads as far as the
 * largest SHAPE reaches. A grid without a larger one, and a part without points, need none. Sizes that are not right
 * have a sentence elsewhere. */
static inline const char *cmk_point_ghosts_why_(const cmk_point_sizes_ *s, cmk_point_definition_ d, size_t stages)
{
    const size_t planes = stages * (size_t)CMK_POINT_PLANES_OF_(d.reach);
    const size_t rows = stages * (size_t)CMK_POINT_ROWS_OF_(d.reach);
    const size_t columns = stages * (size_t)CMK_POINT_COLUMNS_OF_(d.reach);
    const char *why = NULL;
    if (cmk_point_sizes_why_(s) != NULL || cmk_point_empty_(s)) return NULL;
    if (d.dims == 3 && s->global_planes != 0)
        why = cmk_point_ghosts_axis_(0, s->first_plane, s->end_plane, s->planes, s->origin_plane, s->global_planes,
                                     planes);
    if (why == NULL && s->global_rows != 0)
        why = cmk_point_ghosts_axis_(1, s->first_row, s->end_row, s->rows, s->origin_row, s->global_rows, rows);
    if (why == NULL && s->global_columns != 0)
        why = cmk_point_ghosts_axis_(2, s->first_column, s->end_column, s->columns, s->origin_column, s->global_columns,
                                     columns);
    return why;
}

/* The word of a pointer for a sentence, such as u_next[2]. cmk_point_word_of_ returns that of pointer i of a name. The
 * text `more` is the end of the member's name, such as _next. The 96 bytes hold 64 characters of the name, 13 of
 * _before_spare, 12 of an index in brackets, and the 0 at the end. */
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

/* Returns the word of buffer b of a name. */
static inline cmk_point_word_ cmk_point_buffer_word_(const cmk_point_member_ *m, int b)
{
    const char *const second = m->kind == cmk_point_KIND_LEAPFROG ? "_before" : "_next";
    return cmk_point_word_of_(m, b < m->count ? "" : second, b % m->count);
}

/* The words of a field's pitches, such as u_row_pitch. */
typedef struct {
    char row[96], plane[96];
} cmk_point_pitch_words_;

/* Returns a buffer of a field as a range of memory, for the sentences of call/range.h. The buffer begins at `start`,
 * and its word is `word`. A pitch of the field that is that of the grid has the grid's word. */
static inline cmk_range_ cmk_point_range_(const void *grid, const cmk_point_member_ *m, const char *start,
                                          const char *word, cmk_point_pitch_words_ *words)
{
    const cmk_point_sizes_ s = cmk_point_sizes_of_(grid);
    const size_t row = *cmk_point_number_((void *)grid, m->row_pitch);
    const size_t plane = *cmk_point_number_((void *)grid, m->plane_pitch);
    const int is_own_row = row != s.row_pitch, is_own_plane = plane != s.plane_pitch;
    snprintf(words->row, sizeof words->row, "%.64s%srow_pitch", is_own_row ? m->name : "", is_own_row ? "_" : "");
    snprintf(words->plane, sizeof words->plane, "%.64s%splane_pitch", is_own_plane ? m->name : "",
             is_own_plane ? "_" : "");
    const cmk_range_ range = {word,      words->row, words->plane, "columns", start,  row, plane,
                              s.columns, 1,          s.rows,       s.planes,  m->size};
    return range;
}

/* Returns why two buffers of fields are refused that overlap. */
static inline const char *cmk_point_overlap_why_(const void *grid, const cmk_point_member_ *first, const char *here,
                                                 cmk_point_word_ word, const cmk_point_member_ *second,
                                                 const char *there, cmk_point_word_ other)
{
    cmk_point_pitch_words_ words[2];
    const cmk_range_ one = cmk_point_range_(grid, first, here, word.text, &words[0]);
    const cmk_range_ two = cmk_point_range_(grid, second, there, other.text, &words[1]);
    return cmk_range_why_overlap_(&one, &two);
}

/* Returns why buffer b of a field is not right by itself: it is NULL, not aligned, or too large with its `bytes`
 * bytes, which are 0 for more than half of the address space. */
static inline const char *cmk_point_buffer_why_(const void *grid, const cmk_point_member_ *m, int b, size_t bytes)
{
    const char *const here = cmk_point_buffer_(grid, m, b);
    if (here != NULL && bytes != 0 && (size_t)here % m->alignment == 0 && cmk_point_fits_(grid, here, bytes))
        return NULL;
    const cmk_point_word_ word = cmk_point_buffer_word_(m, b);
    const char *const why = cmk_why_pointer_(word.text, here, m->alignment);
    if (why != NULL) return why;
    if (bytes != 0) return cmk_why_("%s has more bytes than the memory that was prepared", word.text);
    cmk_point_pitch_words_ words;
    const cmk_range_ range = cmk_point_range_(grid, m, here, word.text, &words);
    return cmk_range_why_large_(&range);
}

/* Returns why buffer b of field i is not right, by itself or as it shares bytes with another one. Two buffers may share
 * bytes if none of them is written. */
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
            return cmk_point_overlap_why_(grid, &all[i], here, cmk_point_buffer_word_(&all[i], b), &all[j], there,
                                          cmk_point_buffer_word_(&all[j], c));
        }
    return NULL;
}

/* Sets the pitches of fields that were left 0 to those of the grid. Then returns why one is too small: that of rows is
 * below the columns, or that of planes is below the rows of a plane, where a plane has elements. The latter is compared
 * by a division, as the product of a row's pitch and the rows may be too large for size_t. */
static inline const char *cmk_point_pitches_(void *grid, const cmk_point_member_ *all, int members)
{
    const cmk_point_sizes_ s = cmk_point_sizes_of_(grid);
    const int is_stack = s.planes > 1 && s.rows > 0 && s.columns > 0;
    for (int i = 0; i < members; ++i) {
        size_t *const row = cmk_point_number_(grid, all[i].row_pitch), *const plane =
                                                                           cmk_point_number_(grid, all[i].plane_pitch);
        const int is_own_row = *row != 0, is_own_plane = *plane != 0;
        if (*row == 0) *row = s.row_pitch;
        if (*plane == 0) *plane = s.plane_pitch;
        if (*row < s.columns)
            return cmk_why_("%s%srow_pitch %zu is smaller than columns %zu", is_own_row ? all[i].name : "",
                            is_own_row ? "_" : "", *row, s.columns);
        if (is_stack && (*plane < s.columns || (*plane - s.columns) / *row < s.rows - 1))
            return cmk_why_("%s%splane_pitch %zu is smaller than rows %zu of row_pitch %zu",
                            is_own_plane ? all[i].name : "", is_own_plane ? "_" : "", *plane, s.rows, *row);
    }
    return NULL;
}

/* Completes a grid: sets the pitches that were left 0. Returns why a pitch or a buffer is not right. */
static inline const char *cmk_point_complete_(void *grid, const cmk_point_member_ *all, int members)
{
    const char *why = cmk_point_pitches_(grid, all, members);
    for (int i = 0; i < members && why == NULL; ++i)
        for (int b = 0; b < cmk_point_buffers_(&all[i]) && why == NULL; ++b)
            why = cmk_point_among_why_(grid, all, members, i, b);
    return why;
}

/* Returns the word of spare buffer b of a name. */
static inline cmk_point_word_ cmk_point_spare_word_(const cmk_point_member_ *m, int b)
{
    return cmk_point_word_of_(m, b < m->count ? "_spare" : "_before_spare", b % m->count);
}

/* Returns why spare buffer b of field i is not right. It is NULL, not aligned to 16 bytes, smaller than the field where
 * it is prepared memory, or shares a byte with another buffer. The 16 bytes are a vector of a pass. */
static inline const char *cmk_point_spare_why_(const void *grid, const cmk_point_member_ *all, int members, int i,
                                               int b)
{
    const char *const here = cmk_point_spare_(grid, &all[i], b);
    const size_t bytes = cmk_point_bytes_(grid, &all[i]);
    if (here == NULL || (size_t)here % 16 != 0)
        return cmk_why_pointer_(cmk_point_spare_word_(&all[i], b).text, here, 16);
    if (!cmk_point_fits_(grid, here, bytes))
        return cmk_why_("%s has fewer bytes than the field", cmk_point_spare_word_(&all[i], b).text);
    for (int j = 0; j < members; ++j) {
        const size_t others = cmk_point_bytes_(grid, &all[j]);
        for (int c = 0; c < cmk_point_buffers_(&all[j]); ++c)
            if (!cmk_range_apart_(here, bytes, cmk_point_buffer_(grid, &all[j], c), others))
                return cmk_point_overlap_why_(grid, &all[i], here, cmk_point_spare_word_(&all[i], b), &all[j],
                                              cmk_point_buffer_(grid, &all[j], c), cmk_point_buffer_word_(&all[j], c));
        for (int c = 0; c < cmk_point_spare_count_(&all[j]); ++c)
            if ((i != j || b != c) && !cmk_range_apart_(here, bytes, cmk_point_spare_(grid, &all[j], c), others))
                return cmk_point_overlap_why_(grid, &all[i], here, cmk_point_spare_word_(&all[i], b), &all[j],
                                              cmk_point_spare_(grid, &all[j], c), cmk_point_spare_word_(&all[j], c));
    }
    return NULL;
}

/* Returns why a spare buffer is not right, of a grid whose other buffers are right. */
static inline const char *cmk_point_spares_why_(const void *grid, const cmk_point_member_ *all, int members)
{
    const char *why = NULL;
    for (int i = 0; i < members && why == NULL; ++i)
        for (int b = 0; b < cmk_point_spare_count_(&all[i]) && why == NULL; ++b)
            why = cmk_point_spare_why_(grid, all, members, i, b);
    return why;
}

/* Returns the error of a call: cudaErrorInvalidValue where there is a reason why it is refused. */
static inline cudaError_t cmk_point_refused_(const char *why)
{
    return why == NULL ? cudaSuccess : cudaErrorInvalidValue;
}

/* Returns why a launch of this number of blocks is refused: a grid of CUDA has at most 2^31 - 1, side by side. The
 * number is a double, as it may be too large for an int. */
static inline const char *cmk_point_why_blocks_(double blocks)
{
    return blocks > 2147483647.0 ? "the part that is updated needs more than 2147483647 blocks" : NULL;
}

#endif

#endif
