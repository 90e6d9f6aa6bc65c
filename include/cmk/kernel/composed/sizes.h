/* kernel/composed/sizes.h: a filter whose steps are composed, as its definition says it, and as kernels and host get
 * it. Axes are counted from 0, planes, to 2, columns; a line has the last one alone.
 *
 *   taps       along an axis: `count`; `before` of them stand before the anchor, `after` behind it
 *   a pass     up to `most` steps at once. They reach `steps` times as far as one
 *   wraps      whether an axis has CMK_EDGE_WRAP at both ends, so that it has no border
 *
 * tune.h has the steps of a pass. CMK_FOLDED_ (base.h) is a host and device function that is a constant for constant
 * arguments; CMK_ZEROS_ is a struct of zeros. */
#ifndef CMK_KERNEL_COMPOSED_SIZES_H
#define CMK_KERNEL_COMPOSED_SIZES_H

#include "../../base.h"
#include "../../edge.h"
#include "tune.h"

/* How a table gives the taps of a step: all of them; the products of tables down and across; or those from the centre
 * outwards of a line, whose opposites are the same, or the same with the other sign. */
enum { cmk_composed_all_, cmk_composed_products_, cmk_composed_even_, cmk_composed_odd_ };

/* How a BODY of a line gives them, by its SIDES and its MIRROR (../stencil1d.h). */
CMK_FOLDED_ int cmk_composed_how_(int sides, int mirror)
{
    return sides == 2 ? cmk_composed_all_ : mirror > 0 ? cmk_composed_even_ : cmk_composed_odd_;
}

/* What a definition says. An element has `size` bytes. */
typedef struct {
    int size, axes, how, planes, rows, columns, plane, row, column, edge, most;
} cmk_composed_words_;

typedef struct {
    int size, axes, how, most; /* axes: 1 to 3 */
    int count[3], before[3], after[3];
    int edge[3], wraps[3];
    int at_once; /* rows of outputs that a thread computes at once */
    int quick;   /* whether the steps of a pass are faster than single ones by FMAs too */
    int as_long; /* single steps that take as long as a pass */
    int blocks;  /* of an SM, for which the launch bounds leave registers */
} cmk_composed_filter_;

CMK_FOLDED_ cmk_composed_filter_ cmk_composed_filter_of_(cmk_composed_words_ w)
{
    cmk_composed_filter_ f = CMK_ZEROS_(cmk_composed_filter_);
    f.size = w.size;
    f.axes = w.axes;
    f.how = w.how;
    f.most = w.most;
    f.count[0] = w.planes;
    f.count[1] = w.rows;
    f.count[2] = w.columns;
    f.before[0] = w.plane;
    f.before[1] = w.row;
    f.before[2] = w.column;
    f.edge[0] = CMK_EDGE_PLANE(w.edge);
    f.edge[1] = CMK_EDGE_ROW(w.edge);
    f.edge[2] = CMK_EDGE_COLUMN(w.edge);
    for (int axis = 0; axis < 3; ++axis) {
        f.after[axis] = f.count[axis] - 1 - f.before[axis];
        f.wraps[axis] = f.edge[axis] == CMK_EDGE_WRAP;
    }
    f.quick = w.size == 8 || (w.rows <= (int)cmk_composed_quick_ && w.columns <= (int)cmk_composed_quick_);
    f.as_long = w.axes == 1 ? 1 : (int)cmk_composed_as_long_;
    f.blocks = w.axes == 3 ? 1 : (int)cmk_composed_blocks_;
    f.at_once = w.axes == 3 ? (int)cmk_composed_rows_3d_ : w.rows > 1 ? (int)cmk_composed_rows_at_once_ : 1;
    return f;
}

/* Integer constants. First the taps along an axis of `STEPS` steps of a filter with `count`. Then whether each axis of
 * an edge wraps at both ends or at none. Last the edge of the filter of a pass: it wraps too, or gives zeros, which
 * cost nothing, as outputs beside other edges are computed again. */
#define CMK_COMPOSED_COUNT_(count, STEPS) (((count)-1) * (STEPS) + 1)
/* clang-format off */
#define CMK_COMPOSED_SIDES_(EDGE) ((CMK_EDGE_LOW_(EDGE) == CMK_EDGE_WRAP) == (CMK_EDGE_HIGH_(EDGE) == CMK_EDGE_WRAP))
#define CMK_COMPOSED_WRAPS_(EDGE) ((EDGE) == CMK_EDGE_WRAP ? CMK_EDGE_WRAP : CMK_EDGE_ZERO)
#define CMK_COMPOSED_EACH_(OF, EDGE) OF(CMK_EDGE_PLANE(EDGE)), OF(CMK_EDGE_ROW(EDGE)), OF(CMK_EDGE_COLUMN(EDGE))
#define CMK_COMPOSED_ALL_(a, b, c) ((a) && (b) && (c))
#define CMK_COMPOSED_EDGE_(EDGE) CMK_COMPOSED_USE_(CMK_COMPOSED_ALL_, CMK_COMPOSED_EACH_(CMK_COMPOSED_SIDES_, EDGE))
#define CMK_COMPOSED_INSIDE_(EDGE) CMK_COMPOSED_USE_(CMK_EDGE_AXES_3D, CMK_COMPOSED_EACH_(CMK_COMPOSED_WRAPS_, EDGE))
#define CMK_COMPOSED_USE_(USE, ...) USE(__VA_ARGS__)
/* clang-format on */

/* A table that is composed: its number; its taps, and those before its anchor, along two axes; the elements of a row
 * and of all rows when `most` steps are composed; and those from its first tap to its last one, in such rows. */
typedef struct {
    int number, rows, columns, row, column, pitch, room, before;
} cmk_composed_table_;

CMK_FOLDED_ int cmk_composed_tables_(cmk_composed_filter_ f)
{
    return f.how == cmk_composed_products_ ? f.axes : 1;
}

/* Returns table n of the composed ones, from 0 on. Products have a table for each axis, of one row. */
CMK_FOLDED_ cmk_composed_table_ cmk_composed_table_of_(cmk_composed_filter_ f, int n)
{
    cmk_composed_table_ t = CMK_ZEROS_(cmk_composed_table_);
    const int products = f.how == cmk_composed_products_, axis = products ? 3 - f.axes + n : 2;
    t.number = n + 1;
    t.rows = products ? 1 : f.count[1];
    t.columns = f.count[axis];
    t.row = products ? 0 : f.before[1];
    t.column = f.before[axis];
    t.pitch = CMK_COMPOSED_COUNT_(t.columns, f.most);
    t.room = CMK_COMPOSED_COUNT_(t.rows, f.most) * t.pitch;
    t.before = (t.rows - 1) * t.pitch + t.columns - 1;
    return t;
}

/* A box of outputs that are computed step by step, and how blocks share it: tiles[axis] tiles of tile[axis] points, the
 * last of which may be smaller. Its first tile is that of block `first`. */
typedef struct {
    cmk_i64 begin[3], end[3];
    int tile[3];
    unsigned tiles[3], first;
} cmk_composed_box_;

/* The most points beyond the edges of an axis that a step reaches, and the most steps of a pass: a step of several has
 * a radius of at most 16, or at most 7 taps (tune.h). */
enum { cmk_composed_beyond_ = 32, cmk_composed_steps_ = 32 };

/* The parameter of the kernel of a border. Pitches and steps count elements. `room`: the elements of one of the two
 * levels in shared memory. */
enum { cmk_composed_boxes_ = 6 };
typedef struct {
    cmk_i64 in_pitch, in_step, out_pitch, out_step, size[3];
    int steps, boxes, room;
    cmk_composed_box_ box[cmk_composed_boxes_];
} cmk_composed_border_;

/* A stretch of indices of an axis, from begin on, up to end. */
typedef struct {
    cmk_i64 begin, end;
} cmk_composed_span_;

/* The indices along an axis of `size` points at which a level is needed, when `left` steps are left until these
 * outputs. Beyond an edge they are as many as a step reaches. What the edge takes for them is among the others: at most
 * f.before points behind its first, where f.before is f.after or one more, and a tile that begins there has two points
 * at least, or all. */
CMK_FUNCTION cmk_composed_span_ cmk_composed_span_of_(cmk_composed_filter_ f, int axis, cmk_composed_span_ outputs,
                                                      int left, cmk_i64 size)
{
    cmk_composed_span_ s = outputs;
    s.begin -= (cmk_i64)left * f.before[axis];
    s.end += (cmk_i64)left * f.after[axis];
    if (!f.wraps[axis] && s.begin < 0) s.begin = -f.before[axis];
    if (!f.wraps[axis] && s.end > size) s.end = size + f.after[axis];
    return s;
}

/* A stretch of indices of a level, which count from its first point. */
typedef struct {
    int begin, end;
} cmk_composed_stretch_;

/* A level that is computed, by all threads of a block. It has `columns` columns from x on, planes from z on, and rows:
 * those inside the array go in `groups`, and those beyond its edges one by one, of which the first `low` are before it.
 * Groups and single rows of a plane are its `items`, and `all` are those of all planes. From item to item of a thread
 * it is more_items items and more_columns columns. A number below 2048, times the inverse, divided by 2^20, is that
 * number divided by `columns`, which is below 512. */
typedef struct {
    int z, x, columns;
    cmk_composed_stretch_ rows;
    int groups, low, items, all, more_items, more_columns, inverse;
} cmk_composed_level_;

/* The tile of a block, in shared memory. Arrays of 3 have a member for each axis. Levels have the same place and size
 * in shared memory, so that a point of all of them has one index. */
typedef struct {
    cmk_composed_span_ outputs[3];       /* indices of the array */
    cmk_i64 base[3];                     /* the index in the array of the first point of a level */
    cmk_composed_stretch_ inside[3];     /* where a level is inside of the array: all of it where the axis wraps */
    int points[3], row, plane;           /* of a level; elements from row to row, and from plane to plane */
    int beyond[3][cmk_composed_beyond_]; /* what the edge takes for points before it, then behind: -1 for a zero */
    cmk_composed_level_ level[cmk_composed_steps_]; /* level[n]: the one behind which n steps are left */
} cmk_composed_tile_;

/* The bytes of a block before its two levels. */
enum { cmk_composed_tile_bytes_ = (sizeof(cmk_composed_tile_) + 127) / 128 * 128 };

#endif
