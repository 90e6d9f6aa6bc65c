/* kernel/point/steps.h: several steps of a 2D grid in one pass over memory.
 *
 * A warp owns a strip of 32 vectors of columns and goes down the rows. Level l holds in registers the rows around the
 * one that it updates, which is the reach of the rows behind that of level l - 1; what it sets is the row that arrives
 * at level l + 1. Level 0 takes rows from memory, the last one stores them. A stage of a step is a level of its own.
 * What is beside a thread's vector comes from the threads beside it, so that at each level the reach of the columns is
 * lost at both sides of a strip: strips overlap by that. Edges are made anew at each level, from what the same level
 * has of the inside; only where an axis wraps they are what lies there, computed twice. */
#ifndef CMK_KERNEL_POINT_STEPS_H
#define CMK_KERNEL_POINT_STEPS_H

#include "ring.h"

/* how near an edge, of the grid or of the part, the levels of a warp may be: a constant of its way */
enum { cmk_point_clear_, cmk_point_near_columns_, cmk_point_near_rows_ };

/* the rows and columns that a warp goes through */
typedef struct {
    int top, end;      /* the rows of its results */
    int from, until;   /* those that arrive: the first; the end */
    int row;           /* the one that arrives now */
    cmk_i64 at;        /* the thread's first column in it, from the first element */
    int first, last;   /* whether no column is left of the strip; none right of it */
    int column, place; /* the thread's first column, were there no edge; its place in the strip */
    int plane, edge;
    unsigned mine;  /* a bit for each column of the thread whose results are the strip's; */
    unsigned count; /* how many rows of results the thread then has */
} cmk_point_strip_;

CMK_FUNCTION CMK_CONSTEXPR_ int cmk_point_lag_(cmk_point_definition_ d)
{
    return CMK_POINT_ROWS_OF_(d.reach);
}

/* rows of the unrolled loop of a strip, after which windows lie in the same registers again */
CMK_FUNCTION CMK_CONSTEXPR_ int cmk_point_rows_cycle_(cmk_point_definition_ d)
{
    return 2 * cmk_point_lag_(d) + 1;
}

/* Rows arrive in a ring in shared memory, some of them under way; a thread copies its own vectors, and reads them. */
CMK_FUNCTION CMK_CONSTEXPR_ int cmk_point_ring_deep_(cmk_point_definition_ d)
{
    return d.flow <= 3 * 16 ? 8 : 4;
}

CMK_FUNCTION CMK_CONSTEXPR_ int cmk_point_rows_ahead_(cmk_point_definition_ d)
{
    return cmk_point_ring_deep_(d) == 8 ? 5 : 3;
}

/* bytes of the rings of a block */
CMK_FUNCTION CMK_CONSTEXPR_ int cmk_point_rows_shared_(cmk_point_definition_ d)
{
    return d.flow * cmk_point_ring_deep_(d) * 32 * cmk_point_warps_2d_;
}

/* columns that a strip shares with the next one, on each side: of 32 bytes, so that strips begin with sectors */
CMK_FUNCTION CMK_CONSTEXPR_ int cmk_point_halo_(cmk_point_definition_ d, int levels)
{
    return CMK_POINT_UP_(levels * CMK_POINT_COLUMNS_OF_(d.reach), 2 * d.lanes);
}

/* levels of a pass: not more, however few words they are */
enum { cmk_point_most_levels_ = 16, cmk_point_steps_threads_ = 32 * cmk_point_warps_2d_ };

/* steps whose levels are not more than so many words, and lose not more than so many columns at a side of a strip */
CMK_FUNCTION CMK_CONSTEXPR_ int cmk_point_steps_of_(cmk_point_definition_ d, int stages, int words, int lost)
{
    const int columns = CMK_POINT_COLUMNS_OF_(d.reach), levels = cmk_point_most_levels_ / stages;
    const int wide = columns > 0 ? lost / (columns * stages) : levels;
    const int few = d.level_words > 0 ? words / (d.level_words * stages) : 0;
    return cmk_least_(cmk_least_(few, wide), cmk_least_(levels, CMK_STEPS_MOST));
}

/* the same with the registers of two blocks of an SM in place of three: of doubles, whose sums take as many, none */
CMK_FUNCTION CMK_CONSTEXPR_ int cmk_point_more_steps_(cmk_point_definition_ d, int stages)
{
    const int most = cmk_point_steps_of_(d, stages, cmk_point_level_words_broad_, cmk_point_lost_most_);
    return d.lanes < 4 ? 0 : cmk_least_(most, cmk_point_steps_broad_);
}

/* whether it has these: where a pass is then of half as many steps again, or more */
CMK_FUNCTION CMK_CONSTEXPR_ int cmk_point_broad_(cmk_point_definition_ d, int stages)
{
    const int steps = cmk_point_steps_of_(d, stages, cmk_point_level_words_, cmk_point_lost_most_);
    return steps < cmk_point_steps_few_ && 2 * cmk_point_more_steps_(d, stages) >= 3 * steps;
}

/* The most steps that a pass can have: 1 where some fields wrap along an axis and others do not, a window has too few
 * rows for what waits in it or its vectors are not of 16 bytes, or what is beside a vector is more than the next one;
 * and of vectors of more than four elements, whose sums take as long as a pass. Levels are not more words than a thread
 * has registers, and half of a strip is left. */
CMK_FUNCTION CMK_CONSTEXPR_ int cmk_point_steps_most_(cmk_point_definition_ d, int stages)
{
    const int cannot = d.dims != 2 || d.lost > 3 || CMK_POINT_COLUMNS_OF_(d.reach) > d.lanes || (d.wraps & 3) == 3 ||
                       (d.wraps & 12) == 12 || d.lanes < 2 || d.lanes > 4;
    const int most = cmk_point_steps_of_(d, stages, cmk_point_level_words_most_, 32 * d.lanes / 4);
    return cannot || most < 1 ? 1 : most;
}

/* Steps of a pass: what the definition was tuned to, of what it can have; else those of the model, which are 1 where
 * they take longer than single ones: few in double. */
CMK_FUNCTION CMK_CONSTEXPR_ int cmk_point_steps_(cmk_point_definition_ d, int stages)
{
    const int most = cmk_point_broad_(d, stages)
                         ? cmk_point_more_steps_(d, stages)
                         : cmk_point_steps_of_(d, stages, cmk_point_level_words_, cmk_point_lost_most_);
    const int steps = d.tuned_steps > 0 ? d.tuned_steps : most < (d.lanes < 4 ? 4 : 2) ? 1 : most;
    return cmk_least_(steps, cmk_point_steps_most_(d, stages));
}

/* words of the windows of all levels of a step */
CMK_FUNCTION CMK_CONSTEXPR_ int cmk_point_step_words_(cmk_point_definition_ d, int stages)
{
    return d.level_words * stages;
}

/* blocks of an SM, by which ptxas bounds registers: what the definition was tuned to, or by its words */
CMK_FUNCTION CMK_CONSTEXPR_ int cmk_point_steps_blocks_(cmk_point_definition_ d, int stages)
{
    const int words = cmk_point_steps_(d, stages) * cmk_point_step_words_(d, stages);
    if (d.tuned_blocks > 0) return d.tuned_blocks;
    return words > cmk_point_level_words_ ? cmk_point_blocks_broad_ : cmk_point_blocks_steps_;
}

CMK_FUNCTION CMK_CONSTEXPR_ int cmk_point_levels_(cmk_point_definition_ d, int stages)
{
    return cmk_point_steps_(d, stages) * stages;
}

/* the index of a row or a column on an axis that goes round */
CMK_DEVICE_ int cmk_point_round_(int i, int count)
{
    return i < 0 ? i + count : i >= count ? i - count : i;
}

/* A bit for each column of the thread that the strip owns. */
CMK_DEVICE_ unsigned cmk_point_strip_mine_(const cmk_point_task_ *task, cmk_point_definition_ d, int halo, int before,
                                           const cmk_point_strip_ *s)
{
    const int end = s->last ? 32 * d.lanes : 32 * d.lanes - halo;
    const int begin = s->first ? 0 : s->last ? before : s->column - s->place + halo;
    unsigned mine = 0;
    CMK_UNROLL
    for (int k = 0; k < d.lanes; ++k) {
        const int column = s->column + k, part = column >= task->columns.first && column < task->columns.end;
        const int own = column >= begin && s->place + k < end && column < task->columns.count;
        mine |= (unsigned)(own && (task->all || part)) << k;
    }
    return mine;
}

/* of a warp, its strip and its chunk of rows, images counted; those at the sides, which take longest, come first */
typedef struct {
    int strip, chunk;
} cmk_point_share_of_warp_;

CMK_DEVICE_ cmk_point_share_of_warp_ cmk_point_share_of_(const cmk_point_task_ *task)
{
    const unsigned warp = (unsigned)__shfl_sync(0xffffffffu, (int)(blockIdx.x * blockDim.y + threadIdx.y), 0);
    const unsigned sides = task->across < 2 ? task->across : 2, between = task->across - sides;
    const unsigned chunks = task->down * (unsigned)(task->planes.end - task->planes.first);
    cmk_point_share_of_warp_ share = {(int)(warp % sides * (task->across - 1)), (int)(warp / sides)};
    if (warp >= sides * chunks) {
        share.strip = between > 0 ? (int)((warp - sides * chunks) % between) + 1 : 0;
        share.chunk = between > 0 ? (int)((warp - sides * chunks) / between) : (int)chunks;
    }
    return share;
}

/* The rows of chunk i: first come those near an edge of the rows, above and below, which take longest. */
CMK_DEVICE_ void cmk_point_strip_rows_(const cmk_point_task_ *task, int i, cmk_point_strip_ *s)
{
    const int deep = task->deep, above = (task->above + deep - 1) / deep, below = (task->below + deep - 1) / deep;
    const int top = task->all ? 0 : task->rows.first, end = task->all ? task->rows.count : task->rows.end;
    s->edge = i < above + below ? cmk_point_near_rows_ : cmk_point_clear_;
    if (i < above) {
        s->top = top + i * deep;
        s->end = cmk_least_(s->top + deep, top + task->above);
    } else if (i < above + below) {
        s->top = end - task->below + (i - above) * deep;
        s->end = cmk_least_(s->top + deep, end);
    } else {
        s->top = top + task->above + (i - above - below) * deep;
        s->end = cmk_least_(s->top + deep, end - task->below);
    }
}

CMK_DEVICE_ cmk_point_strip_ cmk_point_strip_of_(const cmk_point_task_ *task, cmk_point_definition_ d, int levels)
{
    const int width = 32 * d.lanes, halo = cmk_point_halo_(d, levels), useful = width - 2 * halo;
    const int lag = cmk_point_lag_(d), wraps = d.wraps & 4, across = (int)task->across;
    const cmk_point_share_of_warp_ share = cmk_point_share_of_(task);
    cmk_point_strip_ s;
    s.first = !wraps && share.strip == 0;
    s.last = !wraps && share.strip == across - 1;
    const int begin = s.last ? task->columns.count - width : share.strip * useful - (wraps ? halo : 0);
    s.place = (int)threadIdx.x * d.lanes;
    s.column = begin + s.place;
    s.plane = task->planes.first + share.chunk / (int)task->down;
    cmk_point_strip_rows_(task, share.chunk % (int)task->down, &s);
    if (s.edge == cmk_point_clear_ && (s.first || s.last || !cmk_point_within_(task->columns, begin, width, 16)))
        s.edge = cmk_point_near_columns_;
    s.from = s.top - levels * lag;
    if (!(d.wraps & 1) && s.from < 0) s.from = 0;
    s.until = s.end + levels * lag;
    s.mine = cmk_point_strip_mine_(task, d, halo, (share.strip - 1) * useful + width - halo, &s);
    s.count = s.mine != 0 ? (unsigned)(s.end - s.top) : 0;
    return s;
}

/* the same, with a constant for its distance from an edge */
CMK_DEVICE_ cmk_point_strip_ cmk_point_strip_near_(cmk_point_strip_ s, int edge)
{
    s.edge = edge;
    return s;
}

/* before the first row arrives, by so many that their copies are under way then */
CMK_DEVICE_ void cmk_point_begin_(cmk_point_strip_ *s, cmk_point_definition_ d, cmk_i64 plane_pitch, cmk_i64 pitch)
{
    s->row = s->from - cmk_point_rows_ahead_(d);
    s->at = s->plane * plane_pitch + s->row * pitch + s->column;
}

CMK_DEVICE_ void cmk_point_down_(cmk_point_strip_ *s, cmk_i64 pitch)
{
    ++s->row;
    s->at += pitch;
}

/* the thread's points in the row that is so many below the one that arrives */
CMK_DEVICE_ cmk_point_place_ cmk_point_strip_place_(const cmk_point_task_ *task, cmk_point_definition_ d,
                                                    const cmk_point_strip_ *s, int below, cmk_i64 pitch)
{
    const int row = s->row + below;
    cmk_point_place_ p = cmk_point_place_of_(task, d);
    p.fused = 1;
    p.sure = p.inside = s->edge == cmk_point_clear_;
    p.near_rows = s->edge == cmk_point_near_rows_;
    p.aligned = p.inside || s->column % d.lanes == 0;
    p.wide = 32;
    p.teams = p.least = cmk_point_warps_2d_;
    p.tile_planes = p.tile_rows = 1;
    p.lanes = d.lanes;
    p.plane = s->plane;
    p.row = p.near_rows && d.wraps & 1 ? cmk_point_round_(row, task->rows.count) : row;
    p.column = !p.inside && d.wraps & 4 ? cmk_point_round_(s->column, task->columns.count) : s->column;
    p.at = s->at + below * pitch;
    p.at_left = !p.inside && s->first && s->place == 0;
    p.at_right = !p.inside && s->last && s->place == 31 * d.lanes;
    return p;
}

/* the row that is copied when one arrives; of the level before in time the one that is then read with it */
CMK_DEVICE_ cmk_point_place_ cmk_point_new_(const cmk_point_task_ *task, cmk_point_definition_ d,
                                            const cmk_point_strip_ *s, int before, cmk_i64 pitch)
{
    return cmk_point_strip_place_(task, d, s, cmk_point_rows_ahead_(d) - (before ? cmk_point_lag_(d) : 0), pitch);
}

/* whether a level has all that column k of the thread needs: a GPU updates it alike and keeps nothing of it */
CMK_DEVICE_ int cmk_point_level_has_(cmk_point_definition_ d, const cmk_point_strip_ *s, int k, int row, int level,
                                     int levels)
{
#if defined(__CUDACC__)
    (void)d, (void)s, (void)k, (void)row, (void)level, (void)levels;
    return 1;
#else
    const int lost = (level + 1) * CMK_POINT_COLUMNS_OF_(d.reach), more = (levels - 1 - level) * cmk_point_lag_(d);
    return (s->first || s->place + k >= lost) && (s->last || s->place + k < 32 * d.lanes - lost) &&
           row >= s->top - more && row < s->end + more;
#endif
}

/* the place of a level when a row has arrived at the first one */
CMK_DEVICE_ cmk_point_place_ cmk_point_level_of_(const cmk_point_task_ *task, cmk_point_definition_ d,
                                                 const cmk_point_strip_ *s, int stages, int level, cmk_i64 pitch)
{
    const int levels = cmk_point_levels_(d, stages), below = -(level + 1) * cmk_point_lag_(d), row = s->row + below;
    cmk_point_place_ p = cmk_point_strip_place_(task, d, s, below, pitch);
    p.stage = level % stages;
    p.time = task->time + level / stages;
    p.mine = (unsigned)(row - s->top) < s->count ? p.inside ? ~0ull : s->mine : 0;
    CMK_UNROLL
    for (int k = 0; k < d.lanes; ++k) {
        const int column = d.wraps & 4 ? cmk_point_round_(s->column + k, task->columns.count) : s->column + k;
        const int above = p.near_rows && (p.row < task->rows.first || p.row >= task->rows.end);
        const int beside = !p.inside && (column < task->columns.first || column >= task->columns.end);
        if (above || beside || !cmk_point_level_has_(d, s, k, row, level, levels)) p.held |= 1ull << k;
    }
    return p;
}

/* starts the copy of the vector of the thread in the row at p, of what the grid has of it; zeros for the rest */
CMK_DEVICE_ void cmk_point_order_(char *to, const char *from, cmk_point_field_ f, const cmk_point_place_ *p)
{
    const int row = p->row >= 0 && p->row < p->rows;
    if (p->inside || (p->aligned && row && p->column >= 0 && p->column <= p->columns - p->lanes)) {
        cmk_point_copy_piece_(to, from, f, p->lanes);
        return;
    }
    CMK_UNROLL
    for (int at = 0; at < p->lanes * f.size; at += f.alignment) {
        const int column = p->column + at / f.size;
        CMK_POINT_NAMED_(f,
                         cmk_fill_async_(f.alignment, to + at, from + at, row && column >= 0 && column < p->columns));
    }
}

/* The row that arrives, into values; and the start of the copy of the one at p, so many ahead of it. *at is the offset
 * of the field's rings, and becomes that of the next field's. */
CMK_DEVICE_ void cmk_point_bring_(void *values, size_t bytes, char *memory, int *at, const void *sources, int row,
                                  int arrives, cmk_point_definition_ d, cmk_point_field_ f, cmk_point_layout_ layout,
                                  cmk_point_place_ p)
{
    const int vector = p.lanes * f.size, deep = cmk_point_ring_deep_(d), stride = 32 * cmk_point_warps_2d_ * vector;
    const int later = row + cmk_point_rows_ahead_(d), thread = cmk_point_thread_(&p);
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) {
        char *const ring = memory + *at + thread * vector;
        const char *const from = cmk_point_pointer_at_(sources, k) + cmk_point_offset_(layout, &p, 0, 0, 0) * f.size;
        if (arrives)
            cmk_load_plain_value_(cmk_point_part_(values, bytes, f, k), ring + (row & (deep - 1)) * stride, vector);
        cmk_point_order_(ring + (later & (deep - 1)) * stride, from, f, &p);
        *at += deep * stride;
    }
}

/* the words beside the thread's own in row y of a window, which are those of the threads beside it */
CMK_DEVICE_ void cmk_point_beside_(char *window, cmk_point_field_ f, const cmk_point_place_ *p, int y)
{
    const int vector = p->lanes * f.size, bytes = CMK_POINT_COLUMNS_OF_(f.shape) * f.size;
    const char *const own = window + cmk_point_at_(f, p, 0, y, 0);
    CMK_UNROLL
    for (int at = 0; at < CMK_POINT_UP_(bytes, 4); at += 4) {
        unsigned before, behind;
        memcpy(&before, own + vector - 4 - at, 4);
        memcpy(&behind, own + at, 4);
        before = __shfl_up_sync(0xffffffffu, before, 1);
        behind = __shfl_down_sync(0xffffffffu, behind, 1);
        memcpy((char *)own - 4 - at, &before, 4);
        memcpy((char *)own + vector + at, &behind, 4);
    }
}

/* where the outside element k + 1 from an end comes from, counted from the outermost inside */
CMK_DEVICE_ int cmk_point_folded_(int mode, int k)
{
    return cmk_point_way_(mode, -1 - k, 0, 1) - 1 - k;
}

/* *to becomes *from, the outside, or the one turned about the other */
CMK_DEVICE_ void cmk_point_replace_(char *to, const char *from, cmk_point_field_ f, const void *outside, int mode)
{
    memcpy(to, mode == CMK_EDGE_ZERO ? (const char *)outside : from, (size_t)f.size);
    if (mode >= CMK_EDGE_MIRROR_ODD) cmk_point_turn_(to, outside, f.size);
}

/* what is beside the first and the last column, in row y */
CMK_DEVICE_ void cmk_point_edge_columns_(char *window, cmk_point_field_ f, const void *outside,
                                         const cmk_point_place_ *p, int y)
{
    const int low = CMK_EDGE_LOW_(CMK_EDGE_COLUMN(f.edge)), high = CMK_EDGE_HIGH_(CMK_EDGE_COLUMN(f.edge));
    CMK_UNROLL
    for (int k = 0; k < CMK_POINT_COLUMNS_OF_(f.shape); ++k) {
        const int before = cmk_point_folded_(low, k), behind = p->lanes - 1 - cmk_point_folded_(high, k);
        if (p->at_left && low != CMK_EDGE_WRAP)
            cmk_point_replace_(window + cmk_point_at_(f, p, 0, y, -1 - k), window + cmk_point_at_(f, p, 0, y, before),
                               f, outside, low);
        if (p->at_right && high != CMK_EDGE_WRAP)
            cmk_point_replace_(window + cmk_point_at_(f, p, 0, y, p->lanes + k),
                               window + cmk_point_at_(f, p, 0, y, behind), f, outside, high);
    }
}

/* row y, which is outside, from row `from` of the window; where both axes turn a sample, it is the sample */
CMK_DEVICE_ void cmk_point_edge_row_(char *window, cmk_point_field_ f, const void *outside, const cmk_point_place_ *p,
                                     int mode, int y, int from)
{
    const int beside = f.shape >= 0x1000 ? 0 : CMK_POINT_COLUMNS_OF_(f.shape), turns = mode >= CMK_EDGE_MIRROR_ODD;
    const int low = CMK_EDGE_LOW_(CMK_EDGE_COLUMN(f.edge)), high = CMK_EDGE_HIGH_(CMK_EDGE_COLUMN(f.edge));
    CMK_UNROLL
    for (int x = -beside; x < p->lanes + beside; ++x) {
        char *const to = window + cmk_point_at_(f, p, 0, y, x);
        cmk_point_replace_(to, window + cmk_point_at_(f, p, 0, from, x), f, outside, mode);
        if (turns && x < 0 && low >= CMK_EDGE_MIRROR_ODD && p->at_left)
            memcpy(to, window + cmk_point_at_(f, p, 0, from, cmk_point_folded_(low, -1 - x)), (size_t)f.size);
        if (turns && x >= p->lanes && high >= CMK_EDGE_MIRROR_ODD && p->at_right)
            memcpy(to, window + cmk_point_at_(f, p, 0, from, p->lanes - 1 - cmk_point_folded_(high, x - p->lanes)),
                   (size_t)f.size);
    }
}

/* the rows above the first, when that is the point's; row `reach` below the point, where that is behind the last */
CMK_DEVICE_ void cmk_point_edge_rows_(char *window, cmk_point_field_ f, const void *outside, const cmk_point_place_ *p)
{
    const int low = CMK_EDGE_LOW_(CMK_EDGE_ROW(f.edge)), high = CMK_EDGE_HIGH_(CMK_EDGE_ROW(f.edge));
    const int reach = CMK_POINT_ROWS_OF_(f.shape);
    CMK_UNROLL
    for (int k = 0; k < reach; ++k) {
        if (low != CMK_EDGE_WRAP && p->row == 0)
            cmk_point_edge_row_(window, f, outside, p, low, -1 - k, cmk_point_folded_(low, k));
        if (high != CMK_EDGE_WRAP && p->row + reach == p->rows + k)
            cmk_point_edge_row_(window, f, outside, p, high, reach, reach - 1 - k - cmk_point_folded_(high, k));
    }
}

/* The rows of a window move up by one, and values become the last of them, lag below the point. */
CMK_DEVICE_ void cmk_point_advance_(void *windows, size_t bytes, const void *values, size_t value_bytes, int lag,
                                    cmk_point_field_ f, cmk_point_layout_ layout, cmk_point_place_ p)
{
    const int reach = CMK_POINT_ROWS_OF_(f.shape), columns = CMK_POINT_COLUMNS_OF_(f.shape);
    const int star = f.shape >= 0x1000, fresh = star ? 0 : reach, beside = star ? 0 : columns;
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) {
        char *const window = cmk_point_part_(windows, bytes, f, k);
        CMK_UNROLL
        for (int y = -reach; y < lag; ++y)
            memcpy(window + cmk_point_at_(f, &p, 0, y, -beside), window + cmk_point_at_(f, &p, 0, y + 1, -beside),
                   (size_t)((p.lanes + 2 * beside) * f.size));
        memcpy(window + cmk_point_at_(f, &p, 0, lag, 0), cmk_point_part_(values, value_bytes, f, k),
               (size_t)(p.lanes * f.size));
        if (!star && columns > 0) cmk_point_beside_(window, f, &p, fresh);
        if (!star && !p.inside) cmk_point_edge_columns_(window, f, layout.outside, &p, fresh);
        if (p.near_rows) cmk_point_edge_rows_(window, f, layout.outside, &p);
        if (star && columns > 0) cmk_point_beside_(window, f, &p, 0);
        if (star && !p.inside) cmk_point_edge_columns_(window, f, layout.outside, &p, 0);
    }
}

/* The level before, at the point, of a level behind another: the oldest row of that one's. To level 0 it comes by a
 * ring. */
CMK_DEVICE_ void cmk_point_leap_(void *befores, size_t bytes, const void *windows, size_t window_bytes, int level,
                                 cmk_point_field_ f, cmk_point_place_ p)
{
    const int oldest = cmk_point_at_(f, &p, 0, -CMK_POINT_ROWS_OF_(f.shape), 0);
    if (level == 0) return;
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k)
        memcpy(cmk_point_part_(befores, bytes, f, k), cmk_point_part_(windows, window_bytes, f, k) + oldest,
               (size_t)(p.lanes * f.size));
}

/* The last level but one, to memory: the rows of the points in its windows. All values of the last one are set. */
CMK_DEVICE_ void cmk_point_leave_(const void *targets, const void *windows, size_t bytes, const char *sets,
                                  cmk_point_field_ f, cmk_point_layout_ layout, cmk_point_place_ p)
{
    cmk_point_store_(targets, (const char *)windows + cmk_point_at_(f, &p, 0, 0, 0), bytes, sets, f, layout, p);
}

#endif
