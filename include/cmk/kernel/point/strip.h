/* kernel/point/strip.h: several steps of a grid in one pass over memory: how many, and what a warp or a block goes
 * through.
 *
 * A layer is a row of a 2D grid, a plane of a 3D one. A strip is what goes down the layers: in 2D 32 vectors of
 * columns, which are a warp's; in 3D 16 vectors of columns in 64 rows, which are a block's. At each level in time the
 * reach of columns and rows is lost at all sides of a strip, so that strips overlap by that.
 * Where no point reads another row, the rows of a 2D grid are lines: line.h. */
#ifndef CMK_KERNEL_POINT_STRIP_H
#define CMK_KERNEL_POINT_STRIP_H

#include "ring.h"

/* How near an edge, of the grid or of the part, the levels of a strip may be: a constant of its way. Of those that are
 * not, rows that begin with no vector have one of their own in 2D: cmk_point_has_way_. */
enum { cmk_point_clear_, cmk_point_unaligned_, cmk_point_near_sides_, cmk_point_near_layers_ };

/* a strip along columns or rows, for a thread */
typedef struct {
    int at, place;    /* its first element, were there no edge; its place in the strip */
    int first, last;  /* whether none is before the strip; none behind it */
    int own, own_end; /* those whose results are the strip's */
} cmk_point_span_;

typedef struct {
    cmk_point_span_ columns, rows; /* in 2D no rows */
    int top, end;                  /* the layers of its results */
    int from, until;               /* those that arrive: the first; the end */
    int layer;                     /* the one that arrives now */
    cmk_i64 at;                    /* the thread's first point in it, from the first element; */
    cmk_i64 ahead_at, last_at;     /* in 2D, in the layer that is copied then; in that of results */
    int plane, edge, side; /* in 2D, the image; in 3D, the edge of the strip where no end of the planes is near */
    unsigned mine, held;   /* a bit for each point of the thread in a layer: whose results are the strip's; */
    unsigned count;        /* that are not of the part; how many layers of results the thread has */
} cmk_point_strip_;

/* layers from what a level updates to what arrives at it */
CMK_FOLDED_ int cmk_point_lag_(cmk_point_definition_ d)
{
    return d.dims == 3 ? CMK_POINT_PLANES_OF_(d.reach) : CMK_POINT_ROWS_OF_(d.reach);
}

/* layers of the unrolled loop of a strip, after which windows lie in the same registers again */
CMK_FOLDED_ int cmk_point_layers_cycle_(cmk_point_definition_ d)
{
    return 2 * cmk_point_lag_(d) + 1;
}

/* those that a strip goes at once, by how near an edge it is: near an end of the planes, which few are, windows move by
 * copies, in a third of the code */
CMK_FUNCTION CMK_CONSTEXPR_ int cmk_point_layers_at_once_(cmk_point_definition_ d, int edge)
{
    return d.dims == 3 && edge == cmk_point_near_layers_ ? 1 : cmk_point_layers_cycle_(d);
}

/* threads of a block side by side, such rows of it, rows of a thread */
CMK_FOLDED_ int cmk_point_strip_wide_(cmk_point_definition_ d)
{
    return d.dims == 3 ? cmk_point_strip_wide_3d_ : 32;
}

CMK_FOLDED_ int cmk_point_strip_teams_(cmk_point_definition_ d)
{
    return d.dims == 3 ? cmk_point_strip_threads_3d_ / cmk_point_strip_wide_3d_ : cmk_point_warps_2d_;
}

CMK_FOLDED_ int cmk_point_strip_rows_(cmk_point_definition_ d)
{
    return d.dims == 3 ? cmk_point_strip_rows_3d_ : 1;
}

CMK_FOLDED_ int cmk_point_strip_threads_(cmk_point_definition_ d)
{
    return cmk_point_strip_wide_(d) * cmk_point_strip_teams_(d);
}

/* columns of a strip; rows of one in 3D */
CMK_FOLDED_ int cmk_point_strip_width_(cmk_point_definition_ d)
{
    return cmk_point_strip_wide_(d) * d.lanes;
}

CMK_FOLDED_ int cmk_point_strip_height_(cmk_point_definition_ d)
{
    return cmk_point_strip_teams_(d) * cmk_point_strip_rows_(d);
}

/* Layers arrive in a ring in shared memory, so many of them under way; in 3D it also holds the layer that level 0
 * updates, with those between. */
CMK_FOLDED_ int cmk_point_ring_deep_(cmk_point_definition_ d)
{
    if (d.dims == 3) return cmk_point_lag_(d) > 1 ? 8 : 4;
    return d.flow <= 3 * 16 ? 8 : 4;
}

CMK_FOLDED_ int cmk_point_layers_ahead_(cmk_point_definition_ d)
{
    if (d.dims == 3) return cmk_least_(cmk_point_ring_deep_(d) - 1 - cmk_point_lag_(d), 3);
    return cmk_point_ring_deep_(d) == 8 ? 5 : 3;
}

/* Bytes of shared memory of a block: the rings of what arrives; in 3D, for each level but the first, two layers of what
 * threads have for those above and below them. */
CMK_FOLDED_ int cmk_point_rings_bytes_(cmk_point_definition_ d)
{
    return d.flow * cmk_point_ring_deep_(d) * cmk_point_strip_rows_(d) * cmk_point_strip_threads_(d);
}

CMK_FOLDED_ int cmk_point_meeting_bytes_(cmk_point_definition_ d)
{
    return 2 * d.meets * cmk_point_strip_rows_(d) * cmk_point_strip_threads_(d);
}

CMK_FOLDED_ int cmk_point_strip_shared_(cmk_point_definition_ d, int levels)
{
    return cmk_point_rings_bytes_(d) + (levels - 1) * cmk_point_meeting_bytes_(d);
}

/* columns and rows that a strip shares with the next one, on each side: of 32 bytes, so that strips begin with 64 and
 * their own with sectors, but of one field, which gains more from fewer */
CMK_FOLDED_ int cmk_point_halo_(cmk_point_definition_ d, int levels)
{
    const int unit = d.flow == 16 ? d.lanes : 2 * d.lanes;
    return CMK_POINT_UP_(levels * CMK_POINT_COLUMNS_OF_(d.reach), unit);
}

CMK_FOLDED_ int cmk_point_halo_rows_(cmk_point_definition_ d, int levels)
{
    return d.dims == 3 ? CMK_POINT_UP_(levels * CMK_POINT_ROWS_OF_(d.reach), cmk_point_strip_rows_(d)) : 0;
}

/* ---- How many steps. Levels of a pass: not more, however few words they are */
enum { cmk_point_most_levels_ = 16, cmk_point_most_levels_3d_ = 4 };

/* Of lines: vectors of a thread, as many as registers hold, of a window's own elements; columns of a warp; steps by
 * which not more of these are lost than pays, at each side. */
CMK_FOLDED_ int cmk_point_line_vectors_(cmk_point_definition_ d)
{
    const int words = d.level_words > 0 ? d.level_words : 1, most = cmk_point_line_words_ / words;
    return !cmk_point_is_line_(d) || most < 1 ? 1 : cmk_least_(most, cmk_point_line_vectors_most_);
}

CMK_FOLDED_ int cmk_point_line_width_(cmk_point_definition_ d)
{
    return 32 * cmk_point_line_vectors_(d) * d.lanes;
}

CMK_FOLDED_ int cmk_point_line_steps_(cmk_point_definition_ d, int stages)
{
    const int lost = CMK_POINT_COLUMNS_OF_(d.reach) * stages;
    const int steps = cmk_point_line_width_(d) / cmk_point_line_lost_ / (lost > 0 ? lost : 1);
    return cmk_least_(steps < 1 ? 1 : steps, CMK_STEPS_MOST);
}

/* columns that a part of a line shares with the next one, on each side, for so many stages */
CMK_FOLDED_ int cmk_point_line_halo_(cmk_point_definition_ d, int stages)
{
    return CMK_POINT_UP_(stages * CMK_POINT_COLUMNS_OF_(d.reach), d.lanes);
}

/* steps of the unrolled loop, after which two levels in time lie in the same registers again */
CMK_FOLDED_ int cmk_point_line_turns_(cmk_point_definition_ d)
{
    return d.leaps ? 2 : 1;
}

/* steps whose levels are not more than so many words, and lose not more than so many columns at a side of a strip */
CMK_FOLDED_ int cmk_point_steps_of_(cmk_point_definition_ d, int stages, int words, int lost)
{
    const int columns = CMK_POINT_COLUMNS_OF_(d.reach);
    const int levels = cmk_point_most_levels_ / stages;
    const int wide = columns > 0 ? lost / (columns * stages) : levels;
    const int few = d.level_words > 0 ? words / (d.level_words * stages) : 0;
    return cmk_least_(cmk_least_(few, wide), cmk_least_(levels, CMK_STEPS_MOST));
}

/* the same with the registers of two blocks of an SM in place of three: of words, as no others gain by it */
CMK_FOLDED_ int cmk_point_more_steps_(cmk_point_definition_ d, int stages)
{
    const int most = cmk_point_steps_of_(d, stages, cmk_point_level_words_broad_, cmk_point_lost_most_);
    return d.lanes != 4 ? 0 : cmk_least_(most, cmk_point_steps_broad_);
}

/* whether it has these: where a pass is then of half as many steps again, or more */
CMK_FOLDED_ int cmk_point_broad_(cmk_point_definition_ d, int stages)
{
    const int steps = cmk_point_steps_of_(d, stages, cmk_point_level_words_, cmk_point_lost_most_);
    return steps < cmk_point_steps_few_ && 2 * cmk_point_more_steps_(d, stages) >= 3 * steps;
}

/* words of the levels with three blocks of an SM: one field of words leaves more of a thread's registers */
CMK_FOLDED_ int cmk_point_level_words_of_(cmk_point_definition_ d)
{
    return d.flow == 16 && d.lanes == 4 ? cmk_point_level_words_alone_ : cmk_point_level_words_;
}

/* of a 2D grid by the model: of few steps in double a pass takes longer than single ones */
CMK_FOLDED_ int cmk_point_steps_2d_(cmk_point_definition_ d, int stages)
{
    const int words = cmk_point_level_words_of_(d);
    const int lost = words == cmk_point_level_words_ ? cmk_point_lost_most_ : cmk_point_lost_alone_;
    const int most =
        cmk_point_broad_(d, stages) ? cmk_point_more_steps_(d, stages) : cmk_point_steps_of_(d, stages, words, lost);
    return most < (d.lanes < 4 ? 4 : 2) ? 1 : most;
}

/* of a 3D grid, of so many words: as many as fit in shared memory too */
CMK_FOLDED_ int cmk_point_steps_3d_(cmk_point_definition_ d, int stages, int words)
{
    const int meeting = cmk_point_meeting_bytes_(d), room = cmk_point_shared_alone_ - cmk_point_rings_bytes_(d);
    const int levels = room < 0 || meeting == 0 ? 0 : cmk_least_(1 + room / meeting, cmk_point_most_levels_3d_);
    const int wide = cmk_point_lost_most_3d_ / (cmk_point_lag_(d) * stages), few = words / (d.level_words * stages);
    const int most = cmk_least_(cmk_least_(few, wide), cmk_least_(levels / stages, CMK_STEPS_MOST));
    return most < 2 ? 1 : most;
}

/* whether some fields wrap along an axis and others do not */
CMK_FOLDED_ int cmk_point_mixed_(cmk_point_definition_ d)
{
    return (d.wraps & 3) == 3 || (d.wraps & 12) == 12 || (d.wraps & 48) == 48;
}

/* Whether a pass can be of several steps: not where axes are mixed, a window has too little room for what waits in it
 * or its vectors are not of 16 bytes, or what is beside a vector, or above the rows of a thread, is more than the next
 * thread has. In 3D not of more than four elements either, whose sums take longer than single steps. */
CMK_FOLDED_ int cmk_point_fuses_(cmk_point_definition_ d)
{
    const int columns = cmk_point_is_line_(d) ? cmk_point_line_vectors_(d) * d.lanes : d.lanes;
    const int beyond = CMK_POINT_COLUMNS_OF_(d.reach) > columns ||
                       (d.dims == 3 && CMK_POINT_ROWS_OF_(d.reach) > cmk_point_strip_rows_(d));
    const int flat = d.dims == 3 && (cmk_point_lag_(d) == 0 || d.level_words == 0);
    return d.lost == 0 && !beyond && !flat && !cmk_point_mixed_(d) && d.lanes >= 2 && (d.dims == 2 || d.lanes <= 4);
}

/* The most steps that a pass can have: levels are not more words than a thread has registers, and half of a strip is
 * left. */
CMK_FOLDED_ int cmk_point_steps_most_(cmk_point_definition_ d, int stages)
{
    if (!cmk_point_fuses_(d)) return 1;
    if (cmk_point_is_line_(d)) return cmk_point_line_steps_(d, stages);
    const int most = d.dims == 3 ? cmk_point_steps_3d_(d, stages, cmk_point_level_words_most_)
                                 : cmk_point_steps_of_(d, stages, cmk_point_level_words_most_, 32 * d.lanes / 4);
    return most < 1 ? 1 : most;
}

/* Steps of a pass: what the definition was tuned to, of what it can have; else those of the model, and of lines. */
CMK_FOLDED_ int cmk_point_steps_(cmk_point_definition_ d, int stages)
{
    if (!cmk_point_fuses_(d)) return 1;
    if (cmk_point_is_line_(d)) return cmk_point_line_steps_(d, stages);
    const int model =
        d.dims == 3 ? cmk_point_steps_3d_(d, stages, cmk_point_level_words_3d_) : cmk_point_steps_2d_(d, stages);
    return cmk_least_(d.tuned_steps > 0 ? d.tuned_steps : model, cmk_point_steps_most_(d, stages));
}

/* words of the windows of all levels of a step */
CMK_FOLDED_ int cmk_point_step_words_(cmk_point_definition_ d, int stages)
{
    return d.level_words * stages;
}

/* blocks of an SM, by which ptxas bounds registers: in 2D what the definition was tuned to, or by its words */
CMK_FOLDED_ int cmk_point_strip_blocks_(cmk_point_definition_ d, int stages)
{
    const int words = cmk_point_steps_(d, stages) * cmk_point_step_words_(d, stages);
    if (d.dims == 3) return cmk_point_strip_blocks_3d_;
    if (cmk_point_is_line_(d)) return cmk_point_blocks_line_;
    if (d.tuned_blocks > 0) return d.tuned_blocks;
    return words > cmk_point_level_words_of_(d) || d.lanes > 8 ? cmk_point_blocks_broad_ : cmk_point_blocks_steps_;
}

/* the levels of a strip: lines have none */
CMK_FOLDED_ int cmk_point_levels_(cmk_point_definition_ d, int stages)
{
    return cmk_point_is_line_(d) ? 1 : cmk_point_steps_(d, stages) * stages;
}

/* ---- Strips */

/* whether there is such a way: rows of a 2D grid that begin with no vector have one of their own */
CMK_FOLDED_ int cmk_point_has_way_(cmk_point_definition_ d, int edge)
{
    return edge != cmk_point_unaligned_ || (d.dims == 2 && !cmk_point_is_line_(d));
}

/* what fields do along the layers and, in 3D, along the rows */
CMK_FOLDED_ int cmk_point_layers_wrap_(cmk_point_definition_ d)
{
    return d.wraps & (d.dims == 3 ? 16 : 1);
}

CMK_FOLDED_ int cmk_point_rows_wrap_(cmk_point_definition_ d)
{
    return d.dims == 3 ? d.wraps & 1 : 0;
}

/* the axis of the layers */
CMK_INLINED_ cmk_point_axis_ cmk_point_layers_(const cmk_point_task_ *task, cmk_point_definition_ d)
{
    return d.dims == 3 ? task->planes : task->rows;
}

/* the index of a row or a column on an axis that goes round */
CMK_INLINED_ int cmk_point_round_(int i, int count)
{
    return i < 0 ? i + count : i >= count ? i - count : i;
}

/* Strip i of so many along an axis of count, which has width elements and shares halo at each side. It begins with a
 * multiple of width - 2 halo: reads that begin within 64 bytes cost more than stores that do. */
CMK_INLINED_ cmk_point_span_ cmk_point_span_of_(int i, int strips, int count, int width, int halo, int wraps, int place)
{
    const int useful = width - 2 * halo;
    cmk_point_span_ s;
    s.first = !wraps && i == 0;
    s.last = !wraps && i == strips - 1;
    const int begin = s.last ? count - width : i * useful - (wraps ? halo : 0);
    s.at = begin + place;
    s.place = place;
    s.own = s.first ? 0 : s.last ? i * useful + halo : begin + halo;
    s.own_end = s.last ? count : cmk_least_(begin + width - halo, count);
    return s;
}

/* whether element i of the axis is the strip's, and to be written */
CMK_INLINED_ int cmk_point_span_mine_(const cmk_point_span_ *s, cmk_point_axis_ axis, int all, int i)
{
    return i >= s->own && i < s->own_end && (all || (i >= axis.first && i < axis.end));
}

/* whether element i of an axis is not updated */
CMK_INLINED_ int cmk_point_span_held_(cmk_point_axis_ axis, int wraps, int i)
{
    const int place = wraps ? cmk_point_round_(i, axis.count) : i;
    return place < axis.first || place >= axis.end;
}

/* the bits of the points of the thread in a layer */
CMK_INLINED_ void cmk_point_strip_points_(const cmk_point_task_ *task, cmk_point_definition_ d, cmk_point_strip_ *s)
{
    CMK_UNROLL
    for (int k = 0; k < cmk_point_strip_rows_(d) * d.lanes; ++k) {
        const int row = s->rows.at + k / d.lanes, column = s->columns.at + k % d.lanes;
        const int mine_row = d.dims == 2 || cmk_point_span_mine_(&s->rows, task->rows, task->all, row);
        const int held_row = d.dims == 3 && cmk_point_span_held_(task->live_rows, cmk_point_rows_wrap_(d), row);
        const int mine = cmk_point_span_mine_(&s->columns, task->columns, task->all, column);
        const int held = cmk_point_span_held_(task->live_columns, d.wraps & 4, column);
        s->mine |= (mine_row && mine ? 1u : 0u) << k;
        s->held |= (held_row || held ? 1u : 0u) << k;
    }
}

/* chunks of so many rows */
CMK_FUNCTION int cmk_point_chunks_of_(int rows, int deep)
{
    return rows > 0 ? (rows - 1) / deep + 1 : 0;
}

/* those of a strip of a 2D grid, whose rows far from an edge are in chunks of so many */
CMK_FUNCTION int cmk_point_strip_chunks_(const cmk_point_task_ *task, int deep)
{
    const int rows = task->all ? task->rows.count : task->rows.end - task->rows.first;
    return cmk_point_chunks_of_(task->above, task->edge_deep) + cmk_point_chunks_of_(task->below, task->edge_deep) +
           cmk_point_chunks_of_(rows - task->above - task->below, deep);
}

/* of a warp in 2D, its strip, its image, its chunk of rows, and how many rows that is far from an edge; strips at the
 * sides, which take longest, come first, in chunks like those near an edge */
typedef struct {
    int strip, image, chunk, deep;
} cmk_point_share_of_warp_;

CMK_INLINED_ cmk_point_share_of_warp_ cmk_point_share_of_(const cmk_point_task_ *task)
{
    const unsigned warp = (unsigned)__shfl_sync(0xffffffffu, (int)(blockIdx.x * blockDim.y + threadIdx.y), 0);
    const unsigned sides = task->across < 2 ? task->across : 2, between = task->across - sides;
    const unsigned chunks = task->beside * (unsigned)(task->planes.end - task->planes.first);
    cmk_point_share_of_warp_ share = {(int)(warp % sides * (task->across - 1)), (int)(warp / sides / task->beside),
                                      (int)(warp / sides % task->beside), task->edge_deep};
    if (warp >= sides * chunks) {
        const unsigned i = warp - sides * chunks, down = between > 0 ? i / between : 0;
        share.strip = between > 0 ? (int)(i % between) + 1 : 0;
        share.image = between > 0 ? (int)(down / task->down) : task->planes.end - task->planes.first;
        share.chunk = (int)(down % task->down);
        share.deep = task->deep;
    }
    return share;
}

/* The rows of a chunk: first come those near an edge of the rows, above and below, which take longest. */
CMK_INLINED_ void cmk_point_strip_chunk_(const cmk_point_task_ *task, cmk_point_share_of_warp_ share,
                                         cmk_point_strip_ *s)
{
    const int deep = task->edge_deep, above = cmk_point_chunks_of_(task->above, deep), i = share.chunk;
    const int edges = above + cmk_point_chunks_of_(task->below, deep);
    const int top = task->all ? 0 : task->rows.first, end = task->all ? task->rows.count : task->rows.end;
    s->edge = i < edges ? cmk_point_near_layers_ : cmk_point_clear_;
    if (i < above) {
        s->top = top + i * deep;
        s->end = cmk_least_(s->top + deep, top + task->above);
    } else if (i < edges) {
        s->top = end - task->below + (i - above) * deep;
        s->end = cmk_least_(s->top + deep, end);
    } else {
        s->top = top + task->above + (i - edges) * share.deep;
        s->end = cmk_least_(s->top + share.deep, end - task->below);
    }
}

/* the layers that arrive */
CMK_INLINED_ void cmk_point_strip_arrivals_(cmk_point_definition_ d, int levels, cmk_point_strip_ *s)
{
    s->from = s->top - levels * cmk_point_lag_(d);
    if (!cmk_point_layers_wrap_(d) && s->from < 0) s->from = 0;
    s->until = s->end + levels * cmk_point_lag_(d);
}

/* these, and what of the results is the thread's */
CMK_INLINED_ void cmk_point_strip_bound_(const cmk_point_task_ *task, cmk_point_definition_ d, int levels,
                                         cmk_point_strip_ *s)
{
    cmk_point_strip_arrivals_(d, levels, s);
    cmk_point_strip_points_(task, d, s);
    s->count = s->mine != 0 ? (unsigned)(s->end - s->top) : 0;
}

CMK_INLINED_ cmk_point_strip_ cmk_point_strip_2d_(const cmk_point_task_ *task, cmk_point_definition_ d, int levels)
{
    const int width = cmk_point_strip_width_(d), halo = cmk_point_halo_(d, levels), wraps = d.wraps & 4;
    const cmk_point_share_of_warp_ share = cmk_point_share_of_(task);
    cmk_point_strip_ s = CMK_ZEROS_(cmk_point_strip_);
    s.columns = cmk_point_span_of_(share.strip, (int)task->across, task->columns.count, width, halo, wraps,
                                   (int)threadIdx.x * d.lanes);
    s.plane = task->planes.first + share.image;
    cmk_point_strip_chunk_(task, share, &s);
    if (s.edge == cmk_point_clear_ && !task->aligned) s.edge = cmk_point_unaligned_;
    if (s.edge <= cmk_point_unaligned_ &&
        (s.columns.first || s.columns.last ||
         !cmk_point_within_(task->columns, s.columns.at - s.columns.place, width, 16)))
        s.edge = cmk_point_near_sides_;
    cmk_point_strip_bound_(task, d, levels, &s);
    return s;
}

/* How near an edge a strip is along an axis: not at its sides alone, where some of it is not of the part, or its
 * vectors are none of memory. */
CMK_INLINED_ int cmk_point_span_edge_(const cmk_point_span_ *s, cmk_point_axis_ axis, int width, int radius, int lanes)
{
    const int begin = s->at - s->place, whole = axis.first == 0 && axis.end == axis.count;
    if (begin % lanes != 0 || (!whole && !cmk_point_within_(axis, begin, width, 0))) return cmk_point_near_layers_;
    return s->first || s->last || !cmk_point_within_(axis, begin, width, radius) ? cmk_point_near_sides_
                                                                                 : cmk_point_clear_;
}

/* A strip of a 3D grid and its planes: where it is near an edge of these is seen on the way. */
CMK_INLINED_ cmk_point_strip_ cmk_point_strip_3d_(const cmk_point_task_ *task, cmk_point_definition_ d, int levels,
                                                  unsigned block)
{
    const unsigned tiles = task->across * task->down, tile = block % tiles, chunk = block / tiles;
    const int end = task->all ? task->planes.count : task->planes.end;
    cmk_point_strip_ s = CMK_ZEROS_(cmk_point_strip_);
    s.columns = cmk_point_span_of_((int)(tile % task->across), (int)task->across, task->columns.count,
                                   cmk_point_strip_width_(d), cmk_point_halo_(d, levels), d.wraps & 4,
                                   (int)threadIdx.x * d.lanes);
    s.rows =
        cmk_point_span_of_((int)(tile / task->across), (int)task->down, task->rows.count, cmk_point_strip_height_(d),
                           cmk_point_halo_rows_(d, levels), d.wraps & 1, (int)threadIdx.y * cmk_point_strip_rows_(d));
    s.top = (task->all ? 0 : task->planes.first) + (int)chunk * task->deep;
    s.end = cmk_least_(s.top + task->deep, end);
    const int column_edge = cmk_point_span_edge_(&s.columns, task->columns, cmk_point_strip_width_(d), 16, d.lanes);
    const int row_edge = cmk_point_span_edge_(&s.rows, task->rows, cmk_point_strip_height_(d), 8, 1);
    s.side = !task->aligned ? cmk_point_near_layers_ : column_edge > row_edge ? column_edge : row_edge;
    s.edge = cmk_point_near_layers_;
    cmk_point_strip_bound_(task, d, levels, &s);
    return s;
}

CMK_INLINED_ cmk_point_strip_ cmk_point_strip_of_(const cmk_point_task_ *task, cmk_point_definition_ d, int levels)
{
    return d.dims == 3 ? cmk_point_strip_3d_(task, d, levels, blockIdx.x) : cmk_point_strip_2d_(task, d, levels);
}

/* the same, with a constant for its distance from an edge */
CMK_INLINED_ cmk_point_strip_ cmk_point_strip_near_(cmk_point_strip_ s, int edge)
{
    s.edge = edge;
    return s;
}

CMK_INLINED_ cmk_point_strip_ *cmk_point_strip_at_(cmk_point_strip_ *s, int edge)
{
    s->edge = edge;
    return s;
}

/* How near an edge the next cycle of layers is: in 3D of the planes that any level of it reads, or copies ahead. */
CMK_INLINED_ int cmk_point_strip_edge_(const cmk_point_task_ *task, cmk_point_definition_ d, int levels,
                                       const cmk_point_strip_ *s)
{
    const int lag = cmk_point_lag_(d), last = s->layer + cmk_point_layers_cycle_(d) - 1;
    if (d.dims == 2) return s->edge;
    return s->layer < task->planes.first + (levels + 2) * lag ||
                   last + cmk_point_layers_ahead_(d) >= task->planes.count || last - lag >= task->planes.end
               ? cmk_point_near_layers_
               : s->side;
}

/* before the first layer arrives, by so many that their copies are under way then */
CMK_INLINED_ void cmk_point_begin_(cmk_point_strip_ *s, cmk_point_definition_ d, int levels, cmk_i64 plane_pitch,
                                   cmk_i64 row_pitch)
{
    const cmk_i64 pitch = d.dims == 3 ? plane_pitch : row_pitch;
    s->layer = s->from - cmk_point_layers_ahead_(d);
    s->at = d.dims == 3 ? s->layer * plane_pitch + s->rows.at * row_pitch + s->columns.at
                        : s->plane * plane_pitch + s->layer * row_pitch + s->columns.at;
    s->ahead_at = s->at + cmk_point_layers_ahead_(d) * pitch;
    s->last_at = s->at - levels * cmk_point_lag_(d) * pitch;
}

CMK_INLINED_ void cmk_point_down_(cmk_point_strip_ *s, cmk_i64 pitch)
{
    ++s->layer;
    s->at += pitch;
    s->ahead_at += pitch;
    s->last_at += pitch;
}

/* behind a layer: in 3D all threads of the block call it */
CMK_INLINED_ void cmk_point_end_layer_(cmk_point_strip_ *s, cmk_point_definition_ d, cmk_i64 pitch)
{
    cmk_point_down_(s, pitch);
    if (d.dims == 3) __syncthreads();
}

/* elements from layer to layer */
CMK_INLINED_ cmk_i64 cmk_point_layer_pitch_(cmk_point_definition_ d, size_t plane_pitch, size_t row_pitch)
{
    return (cmk_i64)(d.dims == 3 ? plane_pitch : row_pitch);
}

/* the place of the thread's points in the layer that is so many below the one that arrives; pitch is that of layers */
CMK_INLINED_ cmk_point_place_ cmk_point_strip_place_(const cmk_point_task_ *task, cmk_point_definition_ d,
                                                     const cmk_point_strip_ *s, int below, cmk_i64 pitch)
{
    const cmk_point_axis_ layers = cmk_point_layers_(task, d);
    cmk_point_place_ p = cmk_point_place_of_(task, d);
    p.way = cmk_point_in_pass_;
    p.sure = p.inside = s->edge <= cmk_point_unaligned_;
    p.level.near_layers = s->edge == cmk_point_near_layers_;
    p.level.whole = s->edge == cmk_point_clear_ || (d.dims == 3 && s->edge == cmk_point_near_sides_);
    p.tile.aligned = p.level.whole || (!p.inside && task->aligned && s->columns.at % d.lanes == 0);
    p.tile.wide = cmk_point_strip_wide_(d);
    p.tile.teams = p.tile.least = cmk_point_strip_teams_(d);
    p.tile.planes = 1;
    p.tile.rows = cmk_point_strip_rows_(d);
    p.tile.lanes = d.lanes;
    const int layer = s->layer + below, wraps = p.level.near_layers && cmk_point_layers_wrap_(d);
    const int place = wraps ? cmk_point_round_(layer, layers.count) : layer;
    const int row = !p.inside && cmk_point_rows_wrap_(d) ? cmk_point_round_(s->rows.at, task->rows.count) : s->rows.at;
    p.plane = d.dims == 3 ? place : s->plane;
    p.row = d.dims == 3 ? row : place;
    p.column = !p.inside && d.wraps & 4 ? cmk_point_round_(s->columns.at, task->columns.count) : s->columns.at;
    p.at = d.dims == 2 && below == cmk_point_layers_ahead_(d) ? s->ahead_at : s->at + below * pitch;
    p.level.at_left = !p.inside && s->columns.first && s->columns.place == 0;
    p.level.at_right = !p.inside && s->columns.last && s->columns.place == cmk_point_strip_width_(d) - d.lanes;
    p.level.at_top = !p.inside && s->rows.first && s->rows.place == 0;
    p.level.at_bottom = !p.inside && s->rows.last && s->rows.place == cmk_point_strip_height_(d) - p.tile.rows;
    return p;
}

/* the layer that is copied when one arrives; of the level before in time the one that is then read with it */
CMK_INLINED_ cmk_point_place_ cmk_point_new_(const cmk_point_task_ *task, cmk_point_definition_ d,
                                             const cmk_point_strip_ *s, int before, cmk_i64 pitch)
{
    return cmk_point_strip_place_(task, d, s, cmk_point_layers_ahead_(d) - (before ? cmk_point_lag_(d) : 0), pitch);
}

/* whether a level has all that an element of a span needs, from which so many are lost */
CMK_INLINED_ int cmk_point_span_has_(const cmk_point_span_ *s, int k, int lost, int width)
{
    return (s->first || s->place + k >= lost) && (s->last || s->place + k < width - lost);
}

/* whether a level has all that point k of the thread needs: a GPU updates it alike and keeps nothing of it */
CMK_INLINED_ int cmk_point_level_has_(cmk_point_definition_ d, const cmk_point_strip_ *s, int k, int layer, int level,
                                      int levels)
{
#if defined(__CUDACC__)
    (void)d, (void)s, (void)k, (void)layer, (void)level, (void)levels;
    return 1;
#else
    const int more = (levels - 1 - level) * cmk_point_lag_(d);
    const int columns = (level + 1) * CMK_POINT_COLUMNS_OF_(d.reach), rows = (level + 1) * CMK_POINT_ROWS_OF_(d.reach);
    return cmk_point_span_has_(&s->columns, k % d.lanes, columns, cmk_point_strip_width_(d)) &&
           (d.dims == 2 || cmk_point_span_has_(&s->rows, k / d.lanes, rows, cmk_point_strip_height_(d))) &&
           layer >= s->top - more && layer < s->end + more;
#endif
}

/* the place of a level when a layer has arrived at the first one */
CMK_INLINED_ cmk_point_place_ cmk_point_level_of_(const cmk_point_task_ *task, cmk_point_definition_ d,
                                                  const cmk_point_strip_ *s, int stages, int level, cmk_i64 pitch)
{
    const int levels = cmk_point_levels_(d, stages), below = -(level + 1) * cmk_point_lag_(d), layer = s->layer + below;
    const cmk_point_axis_ layers = d.dims == 3 ? task->live_planes : task->live_rows;
    cmk_point_place_ p = cmk_point_strip_place_(task, d, s, below, pitch);
    const int place = d.dims == 3 ? p.plane : p.row;
    if (d.dims == 2 && level == levels - 1) p.at = s->last_at;
    p.stage = level % stages;
    p.time = task->time + level / stages;
    const int in_strip = (unsigned)(layer - s->top) < s->count;
    const int gone = p.level.near_layers && (place < layers.first || place >= layers.end);
    p.mine = in_strip ? p.inside ? ~0ull : s->mine : 0;
    p.level.held = p.level.whole || p.inside ? 0 : gone ? ~0ull : s->held;
    CMK_UNROLL
    for (int k = 0; k < p.tile.rows * d.lanes; ++k)
        if (!cmk_point_level_has_(d, s, k, layer, level, levels)) p.level.held |= 1ull << k;
    return p;
}

#endif
