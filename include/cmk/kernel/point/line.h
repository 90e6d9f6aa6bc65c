/* kernel/point/line.h: several steps of lines in one pass over memory.
 *
 * Lines are the rows of a 2D grid where no point reads another row. A warp has a part of a line in registers, and does
 * all steps of the pass there; the launch says how many. With float, and only 2 vectors a thread, it has these columns:
 *
 *   lane 0                          lane 1                          ...   lane 31
 *   windows[0].u    windows[1].u    windows[0].u    windows[1].u    ...   windows[1].u
 *   0..3            4..7            8..11           12..15          ...   252..255
 *
 * Before each stage of a step the elements beside a thread's own come from the threads beside it. Edges are made anew,
 * from what the line has inside. Each stage loses the reach of the update at both ends of the part, so that parts
 * overlap by that. Only where a line wraps, the elements beyond its end are computed again.
 *
 * The path: name_steps_kernel, cmk_point_line_of_, name_part_, which loads by name_load_ and calls name_step_ for each
 * step. That calls cmk_point_line_beside_, and name_vector_ for each vector: cmk_point_line_edge_, name_evaluate_, in
 * the last stage name_store_, then cmk_point_line_age_ and cmk_point_line_take_.
 *
 * In all functions here, which each thread of a warp calls:
 *   d         cmk_point_definition_ (grid.h), known at compile time. d.lanes is the elements of a vector; bit 4 of
 *             d.wraps says that the line wraps
 *   f         cmk_point_field_ (grid.h), known at compile time: f.count fields of one name; f.size is bytes
 *   stages    the stages of a step, 1 to 4, known at compile time, as stage is; the number of a step is not
 *   task      cmk_point_task_ (grid.h), a parameter of the kernel. With task->all all of the grid is written
 *   l         cmk_point_stretch_ (below), the thread's part of a line; l->edge is a constant for nvcc
 *   p         cmk_point_place_ (point.h): a vector of the thread, p->column its first column in the grid. p->tile is
 *             one row of d.lanes columns, known at compile time
 *   v, i      vector v of the thread, and element i of its own, both known at compile time and counted from 0
 *   windows   windows in registers, one for each vector, `stride` bytes apart. The f.count fields have `bytes` bytes
 *             in each. The 0, 0 in cmk_point_at_ are plane 0 and row 0, the only ones of a window here. The pointer
 *             `outside` is to the value of the fields outside of the grid
 *   lanes     2 to 16, as there is no pass with 1. A vector of a field that a stage sets has 16 bytes (d.lost), so that
 *             its elements have 1, 2, 4 or 8. The reach is at most a thread's columns (cmk_point_fuses_, strip.h).
 *   others    cmk_point_within_(axis, first, count, radius) (grid.h) says whether these elements are of the part, and
 *             the grid has `radius` more on both sides. cmk_point_span_of_ and cmk_point_span_has_ are in strip.h.
 *             window.h has cmk_point_pass_on_, which copies elements, and cmk_point_part_, the array of field k.
 *             steps.h has cmk_point_folded_ and cmk_point_replace_
 *   task      across: the parts of a line; down: the lines of an image; steps: those of the pass; columns, rows,
 *             planes: the part, first to end - 1 of count; live_columns: the columns that the pass updates
 *   l->columns    a cmk_point_span_ (strip.h): at, the thread's first element; place, the same from the begin of the
 *             warp's part; own to own_end - 1, the elements that are the part's results
 *   strip.h   cmk_point_line_width_, cmk_point_line_vectors_: the columns of a warp's part, the vectors of a thread.
 *             cmk_point_line_halo_: the columns that parts share at each side for some stages. CMK_POINT_COLUMNS_OF_
 *             (point.h): a reach
 *   edge      of l: cmk_point_clear_, no window reaches beyond the line; cmk_point_near_sides_, as l->edge says below;
 *             near_layers_, anything
 *   p->       p->mine, p->level.held: a bit for each element that is written; that keeps its value. p->way says that it
 *             is in a pass
 *   modes     low and high are those of edge.h for the two ends of a line, by CMK_EDGE_LOW_ and HIGH_ of its column
 *             edge
 *   window.h  cmk_point_load_ loads bytes of global memory; cmk_point_offset_ is elements from the field's first;
 *             cmk_point_pointer_at_, pointer k
 *   base.h    CMK_INLINED_: an inlined device function. CMK_UNROLL unrolls the next loop. CMK_ZEROS_(T): a T of zeros.
 *             cmk_least_: the smaller one. CMK_POINT_UP_(a, b): a up to a multiple of b
 *
 * Columns may be negative before the line. They fit an int, as cmk_point_strips_fit_ (passes.h) asks that the line is
 * two widths shorter than 2^31. Parts begin at multiples of the lanes, so that with task->aligned all vectors are
 * aligned; a line that wraps has whole vectors. */
#ifndef CMK_KERNEL_POINT_LINE_H
#define CMK_KERNEL_POINT_LINE_H

#include "steps.h"

/* A part of a line, for a thread. The span `columns` (strip.h) is the thread's place along the line; `column` is its
 * first column, and is in the grid where the line wraps. The image is `plane`, and the line is its row `row`. The
 * member `edge` says how near an edge the part is, one of cmk_point_clear_ and so on of strip.h. It is near the sides
 * only where all of the line is updated, and the line is not shorter than the part. */
typedef struct {
    cmk_point_span_ columns;
    int plane, row, column, edge;
    cmk_i64 at; /* the thread's first point, in elements from the first of the field */
} cmk_point_stretch_;

/* Returns the calling thread's part of a line; name_steps_kernel calls it. Each warp has one of the task->across parts
 * of one of the task->down lines of an image. The pitches are those of the grid, in elements. Parts divide the line's
 * columns rounded up to vectors, `whole`. The arguments 1, 0 are one row with none beside it. Warps behind the last
 * line get an image behind the last one, where the kernel returns. A thread has width / 32 columns. */
CMK_INLINED_ cmk_point_stretch_ cmk_point_line_of_(const cmk_point_task_ *task, cmk_point_definition_ d, int stages,
                                                   cmk_i64 plane_pitch, cmk_i64 row_pitch)
{
    const cmk_i64 warp = (cmk_i64)blockIdx.x * blockDim.y + threadIdx.y, line = warp / task->across;
    const int width = cmk_point_line_width_(d), radius = CMK_POINT_COLUMNS_OF_(d.reach), count = task->columns.count;
    const int halo = cmk_point_line_halo_(d, task->steps * stages), whole = CMK_POINT_UP_(count, d.lanes);
    cmk_point_stretch_ l = CMK_ZEROS_(cmk_point_stretch_);
    l.columns = cmk_point_span_of_((int)(warp % task->across), (int)task->across, whole, width, halo, d.wraps & 4,
                                   (int)threadIdx.x * (width / 32));
    l.plane = task->planes.first + (int)(line / task->down);
    l.row = (task->all ? 0 : task->rows.first) + (int)(line % task->down);
    const int updated = cmk_point_within_(task->rows, l.row, 1, 0);
    const int all = task->columns.first == 0 && task->columns.end == count && (d.wraps & 4 || whole >= width);
    l.edge = updated && task->aligned && cmk_point_within_(task->columns, l.columns.at - l.columns.place, width, radius)
                 ? cmk_point_clear_
             : updated && all ? cmk_point_near_sides_
                              : cmk_point_near_layers_;
    l.column = d.wraps & 4 && l.edge != cmk_point_clear_ ? (l.columns.at % count + count) % count : l.columns.at;
    l.at = l.plane * plane_pitch + l.row * row_pitch + l.column;
    return l;
}

/* Returns part l with a compile-time constant for how near an edge it is. */
CMK_INLINED_ cmk_point_stretch_ cmk_point_line_near_(cmk_point_stretch_ l, int edge)
{
    l.edge = edge;
    return l;
}

/* Sets which points of a vector in a line are written, in p->mine, and which keep their values, in p->level.held.
 * Points outside the live range keep theirs. That range is the part, or more with deep ghosts. A part of a line near
 * its sides has none of these, as all of the line is updated. */
CMK_INLINED_ void cmk_point_line_points_(const cmk_point_task_ *task, int edge, cmk_point_place_ *p)
{
    const cmk_point_axis_ columns = task->columns, live = task->live_columns;
    const int row_held = p->row < task->rows.first || p->row >= task->rows.end;
    unsigned long long mine = 0;
    CMK_UNROLL
    for (int k = 0; k < p->tile.lanes; ++k) {
        const int column = p->column + k, held = row_held || column < live.first || column >= live.end;
        const int written = task->all || (!row_held && column >= columns.first && column < columns.end);
        mine |= (column < columns.count && written ? 1ull : 0ull) << k;
        p->level.held |= (edge == cmk_point_near_layers_ && held ? 1ull : 0ull) << k;
    }
    p->mine &= mine;
}

/* Returns whether element i of the thread, at this column of `count`, is of the grid, and still has all that the next
 * stage needs after `before` stages. A GPU updates all elements alike, and keeps nothing of those that lack
 * something. */
CMK_INLINED_ int cmk_point_line_has_(cmk_point_definition_ d, const cmk_point_stretch_ *l, int i, int column, int count,
                                     int before)
{
#if defined(__CUDACC__)
    (void)d, (void)l, (void)i, (void)column, (void)count, (void)before;
    return 1;
#else
    const int lost = (before + 1) * CMK_POINT_COLUMNS_OF_(d.reach);
    return column >= 0 && column < count && cmk_point_span_has_(&l->columns, i, lost, cmk_point_line_width_(d));
#endif
}

/* Returns whether the window of vector v may reach beyond an end of the line, if the part ends there. At the high end
 * it is one vector more, as the line may end inside the last vector. `vectors` is the reach in vectors, rounded up. */
CMK_INLINED_ int cmk_point_line_end_(cmk_point_definition_ d, int v)
{
    const int vectors = (CMK_POINT_COLUMNS_OF_(d.reach) - 1) / d.lanes + 1;
    return v < vectors || v >= cmk_point_line_vectors_(d) - vectors - 1;
}

/* Returns the place of vector v of the thread, in a stage of a step of the pass, which are counted from 0. Its
 * near_layers says that cmk_point_line_edge_ is called for its windows. Where the line wraps, `round`, one subtraction
 * brings the column inside, as a thread has fewer columns than a line. */
CMK_INLINED_ cmk_point_place_ cmk_point_line_place_(const cmk_point_task_ *task, cmk_point_definition_ d,
                                                    const cmk_point_stretch_ *l, int v, int step, int stage, int stages)
{
    const int i = v * d.lanes, at = l->columns.at + i, inside = l->edge == cmk_point_clear_;
    const int round = d.wraps & 4 && !inside;
    cmk_point_place_ p = cmk_point_place_of_(task, d);
    p.way = cmk_point_in_pass_;
    p.tile.teams = p.tile.least = 1;
    p.tile.aligned = inside || task->aligned;
    p.tile.wide = 32;
    p.sure = p.inside = p.level.whole = inside;
    p.level.near_layers = l->edge == cmk_point_near_layers_ || (!inside && cmk_point_line_end_(d, v));
    p.tile.planes = p.tile.rows = 1;
    p.tile.lanes = d.lanes;
    p.plane = l->plane;
    p.row = l->row;
    p.column = l->column + i - (round && l->column + i >= p.columns ? p.columns : 0);
    p.at = l->at + i;
    p.stage = stage;
    p.level.between = stage < stages - 1;
    p.time += step;
    p.mine = at >= l->columns.own && at < l->columns.own_end ? ~0ull : 0;
    if (!inside) cmk_point_line_points_(task, l->edge, &p);
    CMK_UNROLL
    for (int k = 0; k < d.lanes; ++k)
        if (!cmk_point_line_has_(d, l, i + k, p.column + k, p.columns, step * stages + stage))
            p.level.held |= 1ull << k;
    return p;
}

/* Loads a vector of each of the f.count fields, at place p, before the first step. Nothing is read outside of the line.
 * The vector goes `at` bytes behind the start of each field in `values`, a window or a level before. The pointers to
 * the fields are at `sources`; the offset 0, 0, 0 is that of the vector's first point. Elements outside stay as they
 * were. The address `from` may be outside there, but nothing is read by it. */
CMK_INLINED_ void cmk_point_line_load_(void *values, size_t bytes, int at, const void *sources, cmk_point_field_ f,
                                       cmk_point_layout_ layout, cmk_point_place_ p)
{
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) {
        char *const to = cmk_point_part_(values, bytes, f, k) + at;
        const char *const from = cmk_point_pointer_at_(sources, k) + cmk_point_offset_(layout, &p, 0, 0, 0) * f.size;
        if (p.tile.aligned && (p.inside || (p.column >= 0 && p.column <= p.columns - p.tile.lanes))) {
            cmk_point_load_(to, from, p.tile.lanes * f.size, f);
            continue;
        }
        CMK_UNROLL
        for (int x = 0; x < p.tile.lanes; ++x)
            if (p.column + x >= 0 && p.column + x < p.columns)
                cmk_point_load_(to + x * f.size, from + x * f.size, f.size, f);
    }
}

/* Returns the address of element i of a thread's own, in windows that are `stride` bytes apart. The vector is in row 0
 * of plane 0 of its window. */
CMK_INLINED_ char *cmk_point_line_at_(char *windows, size_t stride, cmk_point_field_ f, const cmk_point_place_ *p,
                                      int i)
{
    return windows + (size_t)(i / p->tile.lanes) * stride + cmk_point_at_(f, p, 0, 0, i % p->tile.lanes);
}

/* Copies an element of `size` bytes from the thread after this one, or, with `after` 0, before it, to `to`. All threads
 * of the warp call it. It goes by words of 4 bytes, or by the whole element where that is smaller: the size is 1, 2, 4
 * or 8. The first thread and the last get their own element where there is no other. A part loses it, or an edge
 * replaces it. */
CMK_INLINED_ void cmk_point_from_thread_(char *to, const char *from, int size, int after)
{
    CMK_UNROLL
    for (int at = 0; at < size; at += 4) {
        unsigned word = 0;
        memcpy(&word, from + at, (size_t)cmk_least_(size, 4));
        word = after ? __shfl_down_sync(0xffffffffu, word, 1) : __shfl_up_sync(0xffffffffu, word, 1);
        memcpy(to + at, &word, (size_t)cmk_least_(size, 4));
    }
}

/* Makes what is before the first column of the line, and behind the last, in the window of a vector. It is for one
 * field, after cmk_point_line_beside_. A column of the window is counted from the vector's first one. In the first loop
 * k is the element before the line, 0 next to it, and `first` the columns between the line's start and the vector. In
 * the second k is the element behind the line, at column x of the window. In both `from` is the column that stands for
 * it. The loops try all places where the line may begin or end, so that the columns of a window are constants. Here
 * `first` is whole vectors, as the line begins at one, and first + k is below the reach, the columns that a window has
 * there. A `from` is below -columns only for vectors behind the line, which keep nothing. */
CMK_INLINED_ void cmk_point_edge_line_(char *window, cmk_point_field_ f, const void *outside, const cmk_point_place_ *p)
{
    const int low = CMK_EDGE_LOW_(CMK_EDGE_COLUMN(f.edge)), high = CMK_EDGE_HIGH_(CMK_EDGE_COLUMN(f.edge));
    const int columns = CMK_POINT_COLUMNS_OF_(f.shape), end = p->columns - p->column;
    CMK_UNROLL
    for (int i = 0; i < columns * columns; ++i) {
        const int k = i % columns, first = i / columns, from = cmk_point_folded_(low, k) - first;
        if (low != CMK_EDGE_WRAP && first % p->tile.lanes == 0 && first + k < columns && p->column == first)
            cmk_point_replace_(window + cmk_point_at_(f, p, 0, 0, -1 - k - first),
                               window + cmk_point_at_(f, p, 0, 0, from), f, outside, low);
    }
    CMK_UNROLL
    for (int i = 0; i < (p->tile.lanes + columns) * columns; ++i) {
        const int x = i / columns, k = i % columns, from = x - cmk_point_folded_(high, k) - k - 1;
        if (high != CMK_EDGE_WRAP && x - k == end && from >= -columns)
            cmk_point_replace_(window + cmk_point_at_(f, p, 0, 0, x), window + cmk_point_at_(f, p, 0, 0, from), f,
                               outside, high);
    }
}

/* Fills what is beside the vectors in all windows of the thread, before each stage. It is in another window of the
 * thread, or in the threads beside it. All threads of the warp call it. First the first window and the last one get
 * what other threads have: k is the element beside the thread's own, 0 next to them. Then each window gets the rest
 * from others of the thread: `before` and `behind` count the thread's own elements, and are below 0, or from `all` on,
 * where another thread has the element. */
CMK_INLINED_ void cmk_point_line_beside_(void *windows, size_t bytes, size_t stride, cmk_point_definition_ d,
                                         cmk_point_field_ f, const cmk_point_place_ *p)
{
    const int columns = CMK_POINT_COLUMNS_OF_(f.shape), lanes = p->tile.lanes, all = cmk_point_line_vectors_(d) * lanes;
    CMK_UNROLL
    for (int j = 0; j < f.count; ++j) {
        char *const first = cmk_point_part_(windows, bytes, f, j), *const last =
                                                                       first + (size_t)(all / lanes - 1) * stride;
        CMK_UNROLL
        for (int k = 0; k < columns; ++k) {
            cmk_point_from_thread_(first + cmk_point_at_(f, p, 0, 0, -1 - k),
                                   cmk_point_line_at_(first, stride, f, p, all - 1 - k), f.size, 0);
            cmk_point_from_thread_(last + cmk_point_at_(f, p, 0, 0, lanes + k),
                                   cmk_point_line_at_(first, stride, f, p, k), f.size, 1);
        }
        CMK_UNROLL
        for (int i = 0; i < all / lanes * columns; ++i) {
            const int v = i / columns, k = i % columns, before = v * lanes - 1 - k, behind = (v + 1) * lanes + k;
            char *const window = first + (size_t)v * stride;
            if (v > 0)
                memcpy(window + cmk_point_at_(f, p, 0, 0, -1 - k),
                       before < 0 ? first + cmk_point_at_(f, p, 0, 0, before)
                                  : cmk_point_line_at_(first, stride, f, p, before),
                       (size_t)f.size);
            if (v < all / lanes - 1)
                memcpy(window + cmk_point_at_(f, p, 0, 0, lanes + k),
                       behind >= all ? last + cmk_point_at_(f, p, 0, 0, lanes + behind - all)
                                     : cmk_point_line_at_(first, stride, f, p, behind),
                       (size_t)f.size);
        }
    }
}

/* Makes what is outside of the line in the window of a vector, for each of the f.count fields. name_vector_ calls it
 * before it updates a vector that may reach beyond an end. */
CMK_INLINED_ void cmk_point_line_edge_(void *windows, size_t bytes, cmk_point_field_ f, const void *outside,
                                       const cmk_point_place_ *p)
{
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) cmk_point_edge_line_(cmk_point_part_(windows, bytes, f, k), f, outside, p);
}

/* Copies the new values of a vector over its own elements in the windows. windows and values have a part for each array
 * of the field, `bytes` and `value_bytes` long. Each thread calls, after cmk_point_line_age_. */
CMK_INLINED_ void cmk_point_line_take_(void *windows, size_t bytes, const void *values, size_t value_bytes,
                                       cmk_point_field_ f, const cmk_point_place_ *p)
{
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k)
        cmk_point_pass_on_(cmk_point_part_(windows, bytes, f, k) + cmk_point_at_(f, p, 0, 0, 0),
                           cmk_point_part_(values, value_bytes, f, k), p->tile.lanes, f);
}

/* Copies a vector's own elements from the windows to befores, which is the level before in time. Each thread calls. */
CMK_INLINED_ void cmk_point_line_age_(void *befores, size_t bytes, const void *windows, size_t window_bytes,
                                      cmk_point_field_ f, const cmk_point_place_ *p)
{
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k)
        cmk_point_pass_on_(cmk_point_part_(befores, bytes, f, k),
                           cmk_point_part_(windows, window_bytes, f, k) + cmk_point_at_(f, p, 0, 0, 0), p->tile.lanes,
                           f);
}

#endif
