/* kernel/point/strip.h: several steps of a grid in one pass over memory: how many steps, and what a warp or a block
 * goes through.
 *
 * A layer is a row of a 2D grid, or a plane of a 3D one. A strip goes down the layers. In 2D it is 32 vectors of
 * columns, and a warp's. In 3D it is 16 vectors of columns in 64 rows, of a box in 32 or 48, and a block's. Each level
 * in time loses the reach of columns and rows at all sides of the strip, so that strips overlap by that.
 *
 * Where no point reads another row, the rows of a 2D grid are lines (line.h). A chunk is the rows or planes of a strip
 * that a warp, or a block, goes through.
 *
 * In all functions here:
 *   d         cmk_point_definition_ (grid.h), known at compile time. d.lanes is the elements of a vector. d.flow and
 *             d.meets are bytes of a thread, d.level_words 32-bit words of a level. The bits 1, 4 and 16 of d.wraps
 *             say that a field wraps along rows, columns, planes; 2, 8 and 32, that a field does not
 *   stages    the stages of a step, 1 to 4, known at compile time
 *   levels    the steps of a pass times its stages, known at compile time, but passes.steps * stages on the host
 *   task      cmk_point_task_ (grid.h), a parameter of the kernel. With task->all a pass writes all of the grid
 *   s         cmk_point_strip_ (below), of the calling thread; s->edge is a constant in the loops of nvcc
 *   p         cmk_point_place_ (point.h): the thread's points in a layer; p.at, an offset, counts elements. p.mine and
 *             p.level.held have bits as those of s. With p.level.whole vectors are aligned, are of the part, and are
 *             stored whole or not at all. With p.level.near_layers they may be near the first or the last layer
 *   pitch     elements from layer to layer
 *   k         a point of the thread in a layer: row k / d.lanes of its rows, column k % d.lanes of its vector. In 2D
 *             there are at most 16, one row of 16 lanes, and in 3D 16, four rows of 4: 32 bits have one for each
 *   CMK_POINT_COLUMNS_OF_ and so on (point.h): the reach, 0 to 8, of a SHAPE along an axis. CMK_POINT_UP_(a, b) is a
 *             rounded up to a multiple of b. cmk_least_(a, b) is the smaller one. cmk_point_within_(axis, first, count,
 *             radius) (grid.h): whether these elements are of the part, and the grid has `radius` more on both sides
 *   threads   by tune.h: cmk_point_warps_2d_ of a block, each a warp; in 3D cmk_point_strip_wide_3d_ of them side by
 *             side, for _tall_3d_ rows. cmk_point_blocks_... and _strip_blocks_3d_: blocks of an SM.
 *             cmk_point_shared_alone_: bytes of shared memory of a block that is alone on an SM
 *   words     32-bit ones of windows that levels may have: cmk_point_level_words_ with blocks_steps_ blocks of an SM,
 *             _alone_ for one field of words, _broad_ with blocks_broad_, _3d_, _most_ by tuning. line_words_: a
 *             thread's own along lines
 *   lost      columns that may be lost at a side: cmk_point_lost_most_, _alone_ for one field of words, _most_3d_;
 *             along lines one of cmk_point_line_lost_
 *   steps     of a pass: CMK_STEPS_MOST at most; steps_broad_ with blocks_broad_ blocks, which is for less than
 *             steps_few_
 *   axis      a cmk_point_axis_ (grid.h): the part, from first to end - 1, of `count` elements
 *   p         is made by cmk_point_place_of_ (grid.h). p.level.at_left, at_right, at_top, at_bottom: the thread has the
 *             first column, the last one, the first row, the last one; p.way: it is in a pass
 *   base.h    CMK_FOLDED_, CMK_FUNCTION: host and device functions, the first a constant for constant arguments.
 *             CMK_CONSTEXPR_ is constexpr, in C nothing. CMK_INLINED_: an inlined device function. CMK_UNROLL unrolls
 *             the next loop
 *
 * Layers, rows and columns may be negative, or beyond the grid, where a strip is; they are indices, in elements. A pass
 * that does not fit is no error: cmk_point_plan_pass_ (passes.h) then does single steps. Constants of other names stand
 * in tune.h. The definition has been found to fuse (cmk_point_fuses_) wherever a strip is. */
#ifndef CMK_KERNEL_POINT_STRIP_H
#define CMK_KERNEL_POINT_STRIP_H

#include "ring.h"

/* How near an edge, of the grid or of the part, the levels of a strip may come. It is a compile-time constant of the
 * code for it. The four are: near none, with aligned rows; near none, with rows that are not aligned; near the sides,
 * in 3D also the first and the last rows; and near the first and last layers too. Far from every edge, rows of a 2D
 * grid that are not aligned have code of their own: cmk_point_has_way_. */
enum { cmk_point_clear_, cmk_point_unaligned_, cmk_point_near_sides_, cmk_point_near_layers_ };

/* A strip along the columns or the rows, for a thread. All counts are of elements. Where the axis wraps, the grid ends
 * at no strip. */
typedef struct {
    int at, place;    /* the thread's first element, which may be outside; its place in the strip */
    int first, last;  /* whether the grid ends where the strip begins; where it ends */
    int own, own_end; /* the range whose results are the strip's */
} cmk_point_span_;

/* A strip on its way down the layers, for a thread. The member edge says how near an edge it is, as above. */
typedef struct {
    cmk_point_span_ columns, rows; /* where the thread is; 2D has no rows */
    int top, end;                  /* the layers of the strip's results */
    int from, until;               /* the layers that arrive: the first, and the end */
    int layer;                     /* the layer that arrives now */
    cmk_i64 at;                    /* the thread's first point in that layer, in elements from the first */
    cmk_i64 ahead_at, last_at;     /* the same in the layer whose copy starts now, and in that of results; 2D only */
    int level, last;               /* in a relay: the level of the warp; whether it is the last one */
    int plane, edge, side; /* plane: the image, in 2D. side: in 3D, the edge where no end of the planes is near */
    unsigned mine, held;   /* a bit for each point of a layer: it is the strip's result to write; it is not updated */
    unsigned count;        /* the layers of results that the thread has */
} cmk_point_strip_;

/* Returns the layers from the one that a level updates to the one that arrives at it: the reach along the layers. */
CMK_FOLDED_ int cmk_point_lag_(cmk_point_definition_ d)
{
    return d.dims == 3 ? CMK_POINT_PLANES_OF_(d.reach) : CMK_POINT_ROWS_OF_(d.reach);
}

/* Returns whether the levels of a pass over a 2D grid are a relay. Its strip is a block's, and each level has warps of
 * its own. They hand their rows on to the next level by shared memory, so that a thread has the windows of one level
 * only. The first one copies rows of memory to shared memory, and the last one stores results. A relay is faster where
 * windows have many words: the loop of all levels is then as long as one level's. */
CMK_FOLDED_ int cmk_point_relays_(cmk_point_definition_ d)
{
    const int heavy = d.level_words >= cmk_point_relay_words_ || CMK_POINT_COLUMNS_OF_(d.reach) > d.lanes;
    return d.dims == 2 && !cmk_point_is_line_(d) && !d.leaps && d.results == 0 && d.flow == 16 && d.lanes <= 4 &&
           heavy && d.level_words <= cmk_point_relay_most_;
}

/* Returns whether a definition has one field, and reads a box of it; and whether that is a box of planes. In a pass all
 * of a plane then comes to a level by shared memory, with the rows above and below the thread's. */
CMK_FOLDED_ int cmk_point_is_box_(cmk_point_definition_ d)
{
    return d.flow == 16 && d.box;
}
CMK_FOLDED_ int cmk_point_is_box_3d_(cmk_point_definition_ d)
{
    return d.dims == 3 && cmk_point_is_box_(d);
}

/* Returns how many layers later than in a strip of one warp a level gets its layers, for each level before it. In a
 * relay a row is set while one layer arrives, handed on while the next one does, and read while the third does. The
 * planes of a box are handed on when they are set. */
CMK_FOLDED_ int cmk_point_late_(cmk_point_definition_ d)
{
    return cmk_point_relays_(d) ? 2 : cmk_point_is_box_3d_(d);
}

/* Returns the layers from the one that arrives at level 0 to the one that a level updates. */
CMK_FOLDED_ int cmk_point_behind_(cmk_point_definition_ d, int level)
{
    return (level + 1) * cmk_point_lag_(d) + level * cmk_point_late_(d);
}

/* Returns the layers of the unrolled loop of a strip. After them windows are in the same registers again. */
CMK_FOLDED_ int cmk_point_layers_cycle_(cmk_point_definition_ d)
{
    return 2 * cmk_point_lag_(d) + 1;
}

/* Returns the layers of one turn of that loop, by how near an edge the strip is. Near an end of the planes, where few
 * layers are, it is one: windows move by copies, in a third of the code. */
CMK_FUNCTION CMK_CONSTEXPR_ int cmk_point_layers_at_once_(cmk_point_definition_ d, int edge)
{
    return d.dims == 3 && edge == cmk_point_near_layers_ ? 1 : cmk_point_layers_cycle_(d);
}

/* Returns the threads of a block side by side. In 2D they are a warp, or the warps of a relay's strip. */
CMK_FOLDED_ int cmk_point_strip_wide_(cmk_point_definition_ d)
{
    return d.dims == 3 ? cmk_point_strip_wide_3d_ : cmk_point_relays_(d) ? 32 * cmk_point_relay_warps_ : 32;
}

/* Returns the rows that a thread has in a layer. */
CMK_FOLDED_ int cmk_point_strip_rows_(cmk_point_definition_ d)
{
    return d.dims == 3 ? cmk_point_rows_3d_(d) : 1;
}

/* Returns the rows of threads that a layer of a block has. In 2D they are warps, each of which has a chunk of its own,
 * or a part of a line. In a relay a layer is one row. */
CMK_FOLDED_ int cmk_point_strip_teams_(cmk_point_definition_ d)
{
    const int box = d.lanes == 4 ? cmk_point_strip_tall_box_ : cmk_point_strip_tall_doubles_;
    if (d.dims == 3) return (d.box ? box : cmk_point_strip_tall_3d_) / cmk_point_strip_rows_(d);
    return cmk_point_relays_(d) ? 1 : cmk_point_warps_2d_;
}

/* Returns the threads of a block that have a layer. */
CMK_FOLDED_ int cmk_point_strip_threads_(cmk_point_definition_ d)
{
    return cmk_point_strip_wide_(d) * cmk_point_strip_teams_(d);
}

/* Returns the columns of a strip, with those that it shares with the next ones. */
CMK_FOLDED_ int cmk_point_strip_width_(cmk_point_definition_ d)
{
    return cmk_point_strip_wide_(d) * d.lanes;
}

/* Returns the rows of a strip in 3D, with those that it shares with the next ones. */
CMK_FOLDED_ int cmk_point_strip_height_(cmk_point_definition_ d)
{
    return cmk_point_strip_teams_(d) * cmk_point_strip_rows_(d);
}

/* Returns the layers of a ring in shared memory, a power of two. In 3D the ring also holds the layer that level 0
 * updates, and those between; a pass has a lag of 1 or 2, by lost_most_3d of tune.h. In 2D it is 8 where a thread's
 * vectors in a row are at most 3, of 16 bytes each, and a block's rings then have at most 48 KB. In a relay it also
 * holds the rows from the updated one to the one that arrives. */
CMK_FOLDED_ int cmk_point_ring_deep_(cmk_point_definition_ d)
{
    if (d.dims == 3) return cmk_point_lag_(d) > 1 ? 8 : 4;
    if (cmk_point_relays_(d)) return cmk_point_lag_(d) > 4 ? 16 : 8;
    return d.flow <= 3 * 16 ? 8 : 4;
}

/* Returns how many layers of the ring are on their way. In 3D the ring has room for these, the lag and the layer that
 * arrives: 2 are on their way with a lag of 1, and 3 with a lag of 2. Of a box, older planes are in windows. */
CMK_FOLDED_ int cmk_point_layers_ahead_(cmk_point_definition_ d)
{
    const int kept = cmk_point_is_box_3d_(d) ? 0 : cmk_point_lag_(d);
    if (d.dims == 3) return cmk_least_(cmk_point_ring_deep_(d) - 1 - kept, 3);
    if (cmk_point_relays_(d)) return cmk_least_(cmk_point_ring_deep_(d) - 1 - cmk_point_lag_(d), 5);
    return cmk_point_ring_deep_(d) == 8 ? 5 : 3;
}

/* Returns how many of them may be on their way still when a thread goes on. In a relay, and of a box in 3D, that is one
 * less, as others read the next layer behind the barrier. */
CMK_FOLDED_ int cmk_point_layers_later_(cmk_point_definition_ d)
{
    return cmk_point_layers_ahead_(d) - (cmk_point_late_(d) > 0 ? 2 : 1);
}

/* Bytes before the rows of a relay in shared memory, between them and behind them, which the threads at the sides of a
 * strip read and do not use: 8 columns of doubles. */
enum { cmk_point_relay_gap_ = 64 };

/* Returns the bytes of a block's rings in shared memory, which hold the layers that arrive. */
CMK_FOLDED_ int cmk_point_rings_bytes_(cmk_point_definition_ d)
{
    const int gaps = cmk_point_relays_(d) ? cmk_point_ring_deep_(d) * cmk_point_relay_gap_ : 0;
    return d.flow * cmk_point_ring_deep_(d) * cmk_point_strip_rows_(d) * cmk_point_strip_threads_(d) + gaps;
}

/* Returns the bytes of shared memory that in 3D each level but the first also has. They are two layers of what threads
 * have for those above and below them. */
CMK_FOLDED_ int cmk_point_meeting_bytes_(cmk_point_definition_ d)
{
    return 2 * d.meets * cmk_point_strip_rows_(d) * cmk_point_strip_threads_(d);
}

/* Returns the bytes of shared memory of a block, of its rings and of all levels. In a relay each level has rings. Where
 * the device has less, there is no pass: cmk_point_pass_runs_ (passes.h). */
CMK_FOLDED_ int cmk_point_strip_shared_(cmk_point_definition_ d, int levels)
{
    if (cmk_point_relays_(d)) return levels * cmk_point_rings_bytes_(d) + cmk_point_relay_gap_;
    return cmk_point_rings_bytes_(d) + (levels - 1) * cmk_point_meeting_bytes_(d);
}

/* Returns the columns that a strip shares with the next one, on each side. They are a multiple of 32 bytes, so that
 * strips begin at multiples of 64 bytes, and their results at sectors. One field alone, with a flow of 16 bytes, gains
 * more from fewer: there it is 16 bytes. */
CMK_FOLDED_ int cmk_point_halo_(cmk_point_definition_ d, int levels)
{
    const int unit = d.flow == 16 ? d.lanes : 2 * d.lanes;
    return CMK_POINT_UP_(levels * CMK_POINT_COLUMNS_OF_(d.reach), unit);
}

/* Returns the rows that a strip shares with the next one in 3D, on each side. They are a multiple of a thread's rows.
 * In 2D it is 0. */
CMK_FOLDED_ int cmk_point_halo_rows_(cmk_point_definition_ d, int levels)
{
    return d.dims == 3 ? CMK_POINT_UP_(levels * CMK_POINT_ROWS_OF_(d.reach), cmk_point_strip_rows_(d)) : 0;
}

/* ---- How many steps. A pass has at most these levels, however few words they are. In 3D lost_most_3d (tune.h) gives
 * no more either. In 2D lost_most and lost_alone give at most 12 where points read other columns. So 16 can only bound
 * other passes and tuned ones. A relay has 5 levels at most, by its words or its reach, whatever tuning asks for. An SM
 * has room for sm_threads threads. */
enum { cmk_point_most_levels_ = 16, cmk_point_most_levels_3d_ = 4, cmk_point_sm_threads_ = 2048 };

/* Returns the vectors of a thread along lines, which are as many as registers hold. Elsewhere it is 1. */
CMK_FOLDED_ int cmk_point_line_vectors_(cmk_point_definition_ d)
{
    const int words = d.level_words > 0 ? d.level_words : 1, most = cmk_point_line_words_ / words;
    return !cmk_point_is_line_(d) || most < 1 ? 1 : cmk_least_(most, cmk_point_line_vectors_most_);
}

/* Returns the columns of a warp along lines: those of the 32 threads that have a part of a line. */
CMK_FOLDED_ int cmk_point_line_width_(cmk_point_definition_ d)
{
    return 32 * cmk_point_line_vectors_(d) * d.lanes;
}

/* Returns the most steps of a pass along lines. The columns that are lost at each side limit their number; `lost` is
 * those of one step. It is 1 at least. */
CMK_FOLDED_ int cmk_point_line_steps_(cmk_point_definition_ d, int stages)
{
    const int lost = CMK_POINT_COLUMNS_OF_(d.reach) * stages;
    const int steps = cmk_point_line_width_(d) / cmk_point_line_lost_ / (lost > 0 ? lost : 1);
    return cmk_least_(steps < 1 ? 1 : steps, CMK_STEPS_MOST);
}

/* Returns the columns that a part of a line shares with the next one, on each side, for a number of stages. */
CMK_FOLDED_ int cmk_point_line_halo_(cmk_point_definition_ d, int stages)
{
    return CMK_POINT_UP_(stages * CMK_POINT_COLUMNS_OF_(d.reach), d.lanes);
}

/* Returns the steps of the unrolled loop along lines. After them two levels in time are in the same registers again.
 * d.leaps: some field has two levels. */
CMK_FOLDED_ int cmk_point_line_turns_(cmk_point_definition_ d)
{
    return d.leaps ? 2 : 1;
}

/* Returns the most steps in 2D whose levels have at most `words` words, and lose at most `lost` columns at a side of a
 * strip. It is rounded down, and may be 0. Where no point reads another column, `wide` sets no limit. */
CMK_FOLDED_ int cmk_point_steps_of_(cmk_point_definition_ d, int stages, int words, int lost)
{
    const int columns = CMK_POINT_COLUMNS_OF_(d.reach);
    const int levels = cmk_point_most_levels_ / stages;
    const int wide = columns > 0 ? lost / (columns * stages) : levels;
    const int few = d.level_words > 0 ? words / (d.level_words * stages) : 0;
    return cmk_least_(cmk_least_(few, wide), cmk_least_(levels, CMK_STEPS_MOST));
}

/* Returns whether a definition has one field, and reads a box of it that reaches more than one row. */
CMK_FOLDED_ int cmk_point_is_wide_(cmk_point_definition_ d)
{
    return cmk_point_is_box_(d) && CMK_POINT_ROWS_OF_(d.reach) > 1;
}

/* Returns the most steps of a pass in 2D with the registers of two blocks of an SM in place of three. It is 0 unless
 * elements are words, or doubles of a box, as no others gain by it. */
CMK_FOLDED_ int cmk_point_more_steps_(cmk_point_definition_ d, int stages)
{
    const int most = cmk_point_steps_of_(d, stages, cmk_point_level_words_broad_, cmk_point_lost_most_);
    const int narrow = d.lanes == 2 ? cmk_point_steps_double_ : cmk_point_steps_broad_;
    const int limit = cmk_point_is_wide_(d) ? cmk_point_steps_wide_ : narrow;
    return d.lanes == 4 || (d.lanes == 2 && cmk_point_is_box_(d)) ? cmk_least_(most, limit) : 0;
}

/* Returns whether a pass has the registers of two blocks of an SM in place of three. It has them where it then has half
 * as many steps again, or more. */
CMK_FOLDED_ int cmk_point_broad_(cmk_point_definition_ d, int stages)
{
    const int steps = cmk_point_steps_of_(d, stages, cmk_point_level_words_, cmk_point_lost_most_);
    return steps < cmk_point_steps_few_ && 2 * cmk_point_more_steps_(d, stages) >= 3 * steps;
}

/* Returns the most words of all levels with three blocks of an SM. One field of words leaves more of a thread's
 * registers free. */
CMK_FOLDED_ int cmk_point_level_words_of_(cmk_point_definition_ d)
{
    return d.flow == 16 && d.lanes == 4 ? cmk_point_level_words_alone_ : cmk_point_level_words_;
}

/* Returns the steps of a pass over a 2D grid, by the model, which is the limits of tune.h. With 1 there is no pass. A
 * pass of few steps takes longer than single steps where elements are doubles. */
CMK_FOLDED_ int cmk_point_steps_2d_(cmk_point_definition_ d, int stages)
{
    const int relay = d.level_words > cmk_point_relay_few_ ? cmk_point_relay_levels_more_ : cmk_point_relay_levels_;
    const int words = cmk_point_level_words_of_(d);
    const int lost = words == cmk_point_level_words_ ? cmk_point_lost_most_ : cmk_point_lost_alone_;
    const int most =
        cmk_point_broad_(d, stages) ? cmk_point_more_steps_(d, stages) : cmk_point_steps_of_(d, stages, words, lost);
    if (cmk_point_relays_(d)) return cmk_least_(relay / stages, CMK_STEPS_MOST);
    return most < (d.lanes < 4 && !cmk_point_is_box_(d) ? 4 : 2) ? 1 : most;
}

/* Returns the steps of a pass over a 3D grid, whose levels have at most `words` words and fit in shared memory. It is 1
 * where there is no pass. Callers have asked cmk_point_fuses_, so that the lag and the words are not 0. */
CMK_FOLDED_ int cmk_point_steps_3d_(cmk_point_definition_ d, int stages, int words)
{
    const int meeting = cmk_point_meeting_bytes_(d), room = cmk_point_shared_alone_ - cmk_point_rings_bytes_(d);
    const int levels = room < 0 || meeting == 0 ? 0 : cmk_least_(1 + room / meeting, cmk_point_most_levels_3d_);
    const int wide = cmk_point_lost_most_3d_ / (cmk_point_lag_(d) * stages), few = words / (d.level_words * stages);
    const int most = cmk_least_(cmk_least_(few, wide), cmk_least_(levels / stages, CMK_STEPS_MOST));
    return most < 2 ? 1 : most;
}

/* Returns whether along some axis there are fields that wrap and fields that do not. */
CMK_FOLDED_ int cmk_point_mixed_(cmk_point_definition_ d)
{
    return (d.wraps & 3) == 3 || (d.wraps & 12) == 12 || (d.wraps & 48) == 48;
}

/* Returns whether a pass can have several steps. It cannot where fields differ in whether an axis wraps. It cannot
 * where a window has too little room for what waits in it, or its vectors are not of 16 bytes, or have one element. It
 * cannot where what is beside a vector, or above the rows of a thread, is more than the next thread has, but for a
 * relay, which reads it from shared memory. In 3D it cannot either where a vector has more than four elements, as sums
 * of these take longer than single steps. */
CMK_FOLDED_ int cmk_point_fuses_(cmk_point_definition_ d)
{
    const int columns = cmk_point_is_line_(d) ? cmk_point_line_vectors_(d) * d.lanes : d.lanes;
    const int beyond = (!cmk_point_relays_(d) && CMK_POINT_COLUMNS_OF_(d.reach) > columns) ||
                       (d.dims == 3 && CMK_POINT_ROWS_OF_(d.reach) > cmk_point_strip_rows_(d));
    const int flat = d.dims == 3 && (cmk_point_lag_(d) == 0 || d.level_words == 0);
    const int boxes = d.dims == 3 && d.box && !cmk_point_is_box_3d_(d);
    return d.lost == 0 && !beyond && !flat && !boxes && !cmk_point_mixed_(d) && d.lanes >= 2 &&
           (d.dims == 2 || d.lanes <= 4);
}

/* Returns the most steps that a pass can have, whatever tuning asks for. The words of its levels are at most the
 * registers of a thread, and half of a strip is left. */
CMK_FOLDED_ int cmk_point_steps_most_(cmk_point_definition_ d, int stages)
{
    if (!cmk_point_fuses_(d)) return 1;
    if (cmk_point_is_line_(d)) return cmk_point_line_steps_(d, stages);
    const int most = d.dims == 3 ? cmk_point_steps_3d_(d, stages, cmk_point_level_words_most_)
                                 : cmk_point_steps_of_(d, stages, cmk_point_level_words_most_, 32 * d.lanes / 4);
    return most < 1 ? 1 : most;
}

/* Returns the steps of a pass. They are what the definition was tuned to, as far as it can have them, or those of the
 * model. Along lines they are those of lines. With 1 there is no pass. The host and the kernels call it. */
CMK_FOLDED_ int cmk_point_steps_(cmk_point_definition_ d, int stages)
{
    if (!cmk_point_fuses_(d)) return 1;
    if (cmk_point_is_line_(d)) return cmk_point_line_steps_(d, stages);
    const int box = d.lanes == 4 ? cmk_point_level_words_box_ : cmk_point_level_words_doubles_;
    const int words = d.box ? box : cmk_point_level_words_3d_ * cmk_point_strip_rows_(d);
    const int model = d.dims == 3 ? cmk_point_steps_3d_(d, stages, words) : cmk_point_steps_2d_(d, stages);
    return cmk_least_(d.tuned_steps > 0 ? d.tuned_steps : model, cmk_point_steps_most_(d, stages));
}

/* Returns the threads of a block of a pass, for the launch bounds of its kernel. */
CMK_FOLDED_ int cmk_point_pass_threads_(cmk_point_definition_ d, int stages)
{
    return cmk_point_strip_threads_(d) * (cmk_point_relays_(d) ? cmk_point_steps_(d, stages) * stages : 1);
}

/* Returns the words of the windows of all levels of a step. */
CMK_FOLDED_ int cmk_point_step_words_(cmk_point_definition_ d, int stages)
{
    return d.level_words * stages;
}

/* Returns the blocks of an SM in the launch bounds of a pass, by which ptxas bounds registers. In 2D they are what the
 * definition was tuned to, or follow from its words; for elements of 1 byte, 16 lanes, they are as with more words. */
CMK_FOLDED_ int cmk_point_strip_blocks_(cmk_point_definition_ d, int stages)
{
    const int words = cmk_point_steps_(d, stages) * cmk_point_step_words_(d, stages);
    const int most = cmk_point_sm_threads_ / cmk_point_pass_threads_(d, stages);
    if (d.dims == 3) return cmk_point_strip_blocks_3d_;
    if (cmk_point_is_line_(d)) return cmk_point_blocks_line_;
    if (d.tuned_blocks > 0) return cmk_least_(d.tuned_blocks, most);
    if (cmk_point_relays_(d)) return cmk_point_relay_blocks_;
    return words > cmk_point_level_words_of_(d) || d.lanes > 8 ? cmk_point_blocks_broad_ : cmk_point_blocks_steps_;
}

/* Returns the levels of a strip. Lines have none, and get 1. */
CMK_FOLDED_ int cmk_point_levels_(cmk_point_definition_ d, int stages)
{
    return cmk_point_is_line_(d) ? 1 : cmk_point_steps_(d, stages) * stages;
}

/* Returns the levels that a thread has, one by one: all, or in a relay its own. */
CMK_FOLDED_ int cmk_point_thread_levels_(cmk_point_definition_ d, int stages)
{
    return cmk_point_relays_(d) ? 1 : cmk_point_levels_(d, stages);
}

/* Returns which of a thread's windows are those of a level. Level -1 has those of level 0. */
CMK_FOLDED_ int cmk_point_window_(cmk_point_definition_ d, int level)
{
    return cmk_point_relays_(d) || level < 0 ? 0 : level;
}

/* ---- Strips */

/* Returns whether there is code for this distance from an edge, one of cmk_point_clear_ and so on. Only 2D grids have
 * code of their own for rows that are not aligned. */
CMK_FOLDED_ int cmk_point_has_way_(cmk_point_definition_ d, int edge)
{
    return edge != cmk_point_unaligned_ || (d.dims == 2 && !cmk_point_is_line_(d));
}

/* Returns whether fields wrap along the layers: not 0 where they do. */
CMK_FOLDED_ int cmk_point_layers_wrap_(cmk_point_definition_ d)
{
    return d.wraps & (d.dims == 3 ? 16 : 1);
}

/* Returns whether fields wrap along the rows in 3D: not 0 where they do. In 2D it is 0, as rows are layers there. */
CMK_FOLDED_ int cmk_point_rows_wrap_(cmk_point_definition_ d)
{
    return d.dims == 3 ? d.wraps & 1 : 0;
}

/* Returns the axis of the layers, with the part of it. */
CMK_INLINED_ cmk_point_axis_ cmk_point_layers_(const cmk_point_task_ *task, cmk_point_definition_ d)
{
    return d.dims == 3 ? task->planes : task->rows;
}

/* Returns index i of an axis that wraps, moved inside by a period. It may be at most one period outside. */
CMK_INLINED_ int cmk_point_round_(int i, int count)
{
    return i < 0 ? i + count : i >= count ? i - count : i;
}

/* Returns strip i of `strips` along an axis of `count` elements, for a thread whose first element is at `place` in the
 * strip. The last strip ends with the axis, unless it wraps. A strip has `width` elements, and shares `halo` with the
 * next one at each side. It begins at a multiple of width - 2 halo, or, where the axis wraps, `halo` before one, as
 * reads that begin within 64 bytes cost more than stores that do. The last strip then shares more than `halo`.
 * cmk_point_strips_fit_ (passes.h) asks for `width` elements or more. Only a line may have fewer, and its one part then
 * begins before 0. */
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

/* Returns whether element i of the axis is the strip's, and is to be written: it is of the part, or all is written. */
CMK_INLINED_ int cmk_point_span_mine_(const cmk_point_span_ *s, cmk_point_axis_ axis, int all, int i)
{
    return i >= s->own && i < s->own_end && (all || (i >= axis.first && i < axis.end));
}

/* Returns whether element i of the axis is not updated, as it is outside of the axis's first and end. Where the axis
 * wraps, i may be one period outside. */
CMK_INLINED_ int cmk_point_span_held_(cmk_point_axis_ axis, int wraps, int i)
{
    const int place = wraps ? cmk_point_round_(i, axis.count) : i;
    return place < axis.first || place >= axis.end;
}

/* Sets the bits of the thread's points in a layer, of s->mine and s->held, which are 0 before. They are the same in all
 * layers. The live range is what the pass updates, which with deep ghosts is more than the part. */
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

/* Returns the number of chunks of `deep` rows that `rows` rows are. The last one may have fewer. */
CMK_FUNCTION int cmk_point_chunks_of_(int rows, int deep)
{
    return rows > 0 ? (rows - 1) / deep + 1 : 0;
}

/* Returns the number of chunks of a strip of a 2D grid. Its rows far from an edge are in chunks of `deep` rows. Its
 * rows near the top and the bottom, task->above and task->below, are in chunks of task->edge_deep. The host calls
 * it. */
CMK_FUNCTION int cmk_point_strip_chunks_(const cmk_point_task_ *task, int deep)
{
    const int rows = task->all ? task->rows.count : task->rows.end - task->rows.first;
    return cmk_point_chunks_of_(task->above, task->edge_deep) + cmk_point_chunks_of_(task->below, task->edge_deep) +
           cmk_point_chunks_of_(rows - task->above - task->below, deep);
}

/* What a warp does in 2D: its strip, its image, its chunk of rows, and the rows of a chunk far from an edge. The strips
 * at the sides take longest. They come first, in chunks like those near an edge. */
typedef struct {
    int strip, image, chunk, deep;
} cmk_point_share_of_warp_;

/* Returns what the calling warp does in 2D, or the block of a relay. All threads of the warp call it, as lane 0 gives
 * its number to the others, which makes it uniform. First come the side strips, each in task->beside chunks of each
 * image. The strips between have task->down chunks. A warp that is left over gets an image behind the last one; the
 * kernel returns there. */
CMK_INLINED_ cmk_point_share_of_warp_ cmk_point_share_of_(const cmk_point_task_ *task, cmk_point_definition_ d)
{
    const unsigned warp = cmk_point_relays_(d)
                              ? blockIdx.x
                              : (unsigned)__shfl_sync(0xffffffffu, (int)(blockIdx.x * blockDim.y + threadIdx.y), 0);
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

/* Sets the rows of a chunk in 2D, s->top and s->end, and whether it is near the top or the bottom. The chunks near the
 * top and the bottom come first, as they take longest. */
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

/* Sets the range of layers that arrive. Each level needs a reach of layers more on both sides of the results. Where the
 * layers do not wrap, none arrive above the grid. Below it zeros do, which an edge replaces. */
CMK_INLINED_ void cmk_point_strip_arrivals_(cmk_point_definition_ d, int levels, cmk_point_strip_ *s)
{
    s->from = s->top - levels * cmk_point_lag_(d);
    if (!cmk_point_layers_wrap_(d) && s->from < 0) s->from = 0;
    s->until = s->end + cmk_point_behind_(d, levels - 1);
}

/* Sets the layers that arrive, and which results are the thread's. A thread without a point of its own has no layer of
 * results: s->count is 0. */
CMK_INLINED_ void cmk_point_strip_bound_(const cmk_point_task_ *task, cmk_point_definition_ d, int levels,
                                         cmk_point_strip_ *s)
{
    cmk_point_strip_arrivals_(d, levels, s);
    cmk_point_strip_points_(task, d, s);
    s->count = s->mine != 0 ? (unsigned)(s->end - s->top) : 0;
}

/* Returns the strip of a 2D grid that the calling warp goes down, and how near an edge it is. It is near the sides
 * unless the part has all its columns, and the grid 16 columns more on both sides. All threads of the warp call it. A
 * window reaches at most 16 columns beyond the strip, 8 rounded up to vectors. Of unaligned rows the vectors of memory
 * reach lanes - 1 columns further than the reach. With 16 lanes that may be the next row's elements, which are in the
 * buffer and are not used. */
CMK_INLINED_ cmk_point_strip_ cmk_point_strip_2d_(const cmk_point_task_ *task, cmk_point_definition_ d, int levels)
{
    const int width = cmk_point_strip_width_(d), halo = cmk_point_halo_(d, levels), wraps = d.wraps & 4;
    const cmk_point_share_of_warp_ share = cmk_point_share_of_(task, d);
    cmk_point_strip_ s = CMK_ZEROS_(cmk_point_strip_);
    s.level = cmk_point_relays_(d) ? __shfl_sync(0xffffffffu, (int)threadIdx.y, 0) : 0;
    s.last = s.level == levels - 1;
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

/* Returns how near an edge a strip of `width` elements is along an axis. It is far where it is of the part, and the
 * grid has `radius` elements more on both sides. It is not only near its sides where some of it is not of the part,
 * whatever is beside it (radius 0), or where its vectors, of `lanes` elements, are not aligned. Then it takes the code
 * for near layers, which handles all. */
CMK_INLINED_ int cmk_point_span_edge_(const cmk_point_span_ *s, cmk_point_axis_ axis, int width, int radius, int lanes)
{
    const int begin = s->at - s->place, whole = axis.first == 0 && axis.end == axis.count;
    if (begin % lanes != 0 || (!whole && !cmk_point_within_(axis, begin, width, 0))) return cmk_point_near_layers_;
    return s->first || s->last || !cmk_point_within_(axis, begin, width, radius) ? cmk_point_near_sides_
                                                                                 : cmk_point_clear_;
}

/* Returns a strip of a 3D grid with its planes, for block number `block` of the launch. The column edge asks for 16
 * columns beside the strip in vectors of d.lanes, the row edge for 8 rows, which need no alignment. Whether the planes
 * are near an edge is seen on the way. */
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

/* Returns the strip of the calling thread; name_steps_kernel calls it. A launch with a border calls cmk_point_strip_3d_
 * itself, as it changes the order of blocks. */
CMK_INLINED_ cmk_point_strip_ cmk_point_strip_of_(const cmk_point_task_ *task, cmk_point_definition_ d, int levels)
{
    return d.dims == 3 ? cmk_point_strip_3d_(task, d, levels, blockIdx.x) : cmk_point_strip_2d_(task, d, levels);
}

/* Returns the strip with a compile-time constant for how near an edge it is. In 2D the kernel calls it once. */
CMK_INLINED_ cmk_point_strip_ cmk_point_strip_near_(cmk_point_strip_ s, int edge)
{
    s.edge = edge;
    return s;
}

/* Sets the same constant in place, before each cycle of layers, and returns the strip. */
CMK_INLINED_ cmk_point_strip_ *cmk_point_strip_at_(cmk_point_strip_ *s, int edge)
{
    s->edge = edge;
    return s;
}

/* Returns how near an edge the next cycle of layers is, cmk_point_layers_cycle_ of them. In 2D it is the same for the
 * whole chunk. In 3D it looks at the planes that any level of the cycle reads, or that are copied ahead. */
CMK_INLINED_ int cmk_point_strip_edge_(const cmk_point_task_ *task, cmk_point_definition_ d, int levels,
                                       const cmk_point_strip_ *s)
{
    const int lag = cmk_point_lag_(d), last = s->layer + cmk_point_layers_cycle_(d) - 1;
    if (d.dims == 2) return s->edge;
    return s->layer < task->planes.first + cmk_point_behind_(d, levels - 1) + 2 * lag ||
                   last + cmk_point_layers_ahead_(d) >= task->planes.count || last - lag >= task->planes.end
               ? cmk_point_near_layers_
               : s->side;
}

/* Moves to as many layers before the first one as are on their way when it arrives, and sets the thread's offsets
 * there. name_strip_ calls it before its loops. The pitches are those of the grid. */
CMK_INLINED_ void cmk_point_begin_(cmk_point_strip_ *s, cmk_point_definition_ d, int levels, cmk_i64 plane_pitch,
                                   cmk_i64 row_pitch)
{
    const cmk_i64 pitch = d.dims == 3 ? plane_pitch : row_pitch;
    s->layer = s->from - cmk_point_layers_ahead_(d);
    s->at = d.dims == 3 ? s->layer * plane_pitch + s->rows.at * row_pitch + s->columns.at
                        : s->plane * plane_pitch + s->layer * row_pitch + s->columns.at;
    s->ahead_at = s->at + cmk_point_layers_ahead_(d) * pitch;
    s->last_at = s->at - cmk_point_behind_(d, cmk_point_relays_(d) ? s->level : levels - 1) * pitch;
}

/* Goes on to the next layer, without a barrier. The pitch is that of layers, in elements. */
CMK_INLINED_ void cmk_point_down_(cmk_point_strip_ *s, cmk_i64 pitch)
{
    ++s->layer;
    s->at += pitch;
    s->ahead_at += pitch;
    s->last_at += pitch;
}

/* Ends a layer and goes on to the next, behind the last level. In 3D and in a relay all threads of the block call it,
 * as it has a barrier. */
CMK_INLINED_ void cmk_point_end_layer_(cmk_point_strip_ *s, cmk_point_definition_ d, cmk_i64 pitch)
{
    cmk_point_down_(s, pitch);
    if (d.dims == 3 || cmk_point_relays_(d)) __syncthreads();
}

/* Returns the elements from layer to layer. */
CMK_INLINED_ cmk_i64 cmk_point_layer_pitch_(cmk_point_definition_ d, size_t plane_pitch, size_t row_pitch)
{
    return (cmk_i64)(d.dims == 3 ? plane_pitch : row_pitch);
}

/* Returns how a thread that is `columns` columns from the first or the last one of the grid reads beyond it: 1 for the
 * thread that has that column, 0 for one that reads nothing there. In a relay an update may reach farther than a
 * vector, and the next thread gets 2, and so on. */
CMK_INLINED_ int cmk_point_from_edge_(cmk_point_definition_ d, int columns)
{
    if (!cmk_point_relays_(d)) return columns == 0;
    return columns < CMK_POINT_COLUMNS_OF_(d.reach) ? 1 + columns / d.lanes : 0;
}

/* Returns the place of the thread's points in the layer that is `below` layers below the one that arrives; negative
 * numbers are above it. The pitch is that of layers. The offset p.at serves far from edges. Elsewhere indices along
 * axes that wrap are moved inside, and the thread learns whether it has the first or last column or row. */
CMK_INLINED_ cmk_point_place_ cmk_point_strip_place_(const cmk_point_task_ *task, cmk_point_definition_ d,
                                                     const cmk_point_strip_ *s, int below, cmk_i64 pitch)
{
    const cmk_point_axis_ layers = cmk_point_layers_(task, d);
    const int width = cmk_point_strip_width_(d);
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
    /* cmk_point_edge_columns_ and cmk_point_edge_row_ (steps.h) read both. Lines have places of their own (line.h). */
    p.level.at_left = !p.inside && s->columns.first ? cmk_point_from_edge_(d, s->columns.place) : 0;
    p.level.at_right = !p.inside && s->columns.last ? cmk_point_from_edge_(d, width - d.lanes - s->columns.place) : 0;
    p.level.at_top = !p.inside && s->rows.first && s->rows.place == 0;
    p.level.at_bottom = !p.inside && s->rows.last && s->rows.place == cmk_point_strip_height_(d) - p.tile.rows;
    return p;
}

/* Returns the place of the layer whose copy starts when a layer arrives, for name_bring_. With `before` it is that of
 * the level before in time, which is read together with it: the layer that level 0 updates when that one arrives. */
CMK_INLINED_ cmk_point_place_ cmk_point_new_(const cmk_point_task_ *task, cmk_point_definition_ d,
                                             const cmk_point_strip_ *s, int before, cmk_i64 pitch)
{
    return cmk_point_strip_place_(task, d, s, cmk_point_layers_ahead_(d) - (before ? cmk_point_lag_(d) : 0), pitch);
}

/* Returns whether element k of the thread's in a span of `width` elements has all that a level needs, when `lost`
 * elements are lost at each side. Where the grid ends at a side of the strip, none are lost there. */
CMK_INLINED_ int cmk_point_span_has_(const cmk_point_span_ *s, int k, int lost, int width)
{
    return (s->first || s->place + k >= lost) && (s->last || s->place + k < width - lost);
}

/* Returns whether point k of the thread, in this layer, has all that a level needs. On the CPU a point that lacks some
 * of it is not evaluated. A GPU updates all points alike, and keeps nothing of those that lack something. Here
 * `columns` and `rows` are the elements of the strip that this level and those before have lost at each side, a reach
 * for each. In 2D rows are layers, and `rows` is not used. The number `more` is the layers beside the results that
 * later levels need. */
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

/* Returns level number i of the thread. */
CMK_INLINED_ int cmk_point_level_at_(cmk_point_definition_ d, const cmk_point_strip_ *s, int i)
{
    return cmk_point_relays_(d) ? s->level : i;
}

/* Returns the place of the layer that a level updates, when layer s->layer has arrived at level 0. The level is known
 * at compile time. It sets the stage and the time of the level, which points are written, p.mine, and which keep their
 * values, p.level.held. In a layer outside the live range, which is `gone` by its index `place`, all keep theirs.
 * name_level_ calls it. A level's layer is a lag above that of the level before. By the cast to unsigned a layer above
 * s->top, where the difference is negative, is not one of results. */
CMK_INLINED_ cmk_point_place_ cmk_point_level_of_(const cmk_point_task_ *task, cmk_point_definition_ d,
                                                  const cmk_point_strip_ *s, int stages, int level, cmk_i64 pitch)
{
    const int levels = cmk_point_levels_(d, stages), below = -cmk_point_behind_(d, level), layer = s->layer + below;
    const cmk_point_axis_ layers = d.dims == 3 ? task->live_planes : task->live_rows;
    cmk_point_place_ p = cmk_point_strip_place_(task, d, s, below, pitch);
    const int place = d.dims == 3 ? p.plane : p.row;
    if (d.dims == 2 && (cmk_point_relays_(d) || level == levels - 1)) p.at = s->last_at;
    p.stage = level % stages;
    p.level.between = p.stage < stages - 1;
    p.level.early = level < levels - stages;
    p.time += level / stages;
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
