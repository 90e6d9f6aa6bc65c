/* kernel/point/steps.h: several steps of a grid in one pass over memory: what the levels of a strip do.
 *
 * A layer is a row of a 2D grid, or a plane of a 3D one. A level is a step, or a stage of one. For one column of a 2D
 * grid, far from every edge and with a reach of one row, a pass of LEVELS steps equals this C:
 *
 *   float window[LEVELS][3] = {{0}};
 *   for (int layer = top - LEVELS; layer < end + LEVELS; ++layer) {
 *       float value = u[layer];
 *       for (int level = 0; level < LEVELS; ++level) {
 *           window[level][0] = window[level][1];
 *           window[level][1] = window[level][2];
 *           window[level][2] = value;
 *           value = update(window[level]);
 *       }
 *       if (layer - LEVELS >= top) to[layer - LEVELS] = value;
 *   }
 *
 * What a level sets is the layer that arrives at the next level. When row n arrives, a thread holds in registers:
 *
 *   level 0   windows[0].u   rows n-2 to n,   as they are in memory   sets row n-1 after 1 step
 *   level 1   windows[1].u   rows n-3 to n-1, after 1 step            sets row n-2 after 2 steps
 *   level 2   windows[2].u   rows n-4 to n-2, after 2 steps           sets row n-3 after 3 steps, and stores it
 *
 * With float, lane t of a warp has columns 4 t to 4 t + 3 of the strip in each of these rows. What is beside them comes
 * from the lanes beside it. In 3D a thread has two or four rows of a plane. What is above and below these comes by
 * shared memory, where each level leaves the layer that it updates next. Edges are made anew at each level, from what
 * the level has inside. Only where an axis wraps, what is beyond its end is computed a second time.
 *
 * The path, for a definition `name`; all threads of a strip go it together:
 *
 *   host      name_steps, cmk_point_call_of_, cmk_point_begin_pass_ (call.h), cmk_point_plan_pass_ (passes.h)
 *   strip     name_steps_kernel, cmk_point_strip_of_ (strip.h), name_strip_: cmk_point_begin_, name_bring_, name_cycle_
 *   layer     name_cycle_: name_level_ for each level, then cmk_point_end_layer_
 *   level 0   name_meet_ with cmk_point_meet_, name_bring_ with cmk_point_bring_
 *   level     name_advance_ with cmk_point_advance_ and cmk_point_leap_, name_meet_ for the next level, name_evaluate_
 *   last      name_store_ with cmk_point_store_ (window.h), name_leave_ with cmk_point_leave_
 *
 * In all functions here, which each thread of a strip calls where no other caller is named:
 *
 *   f          a cmk_point_field_ (grid.h), constant at compile time: `count` fields of one name, whose elements have
 *              `size` bytes, their shape (point.h, a star from 0x1000 on) and their edge (edge.h)
 *   d          a cmk_point_definition_ (grid.h), constant. d.reach is the largest reach of all fields
 *   p          a cmk_point_place_ (../../point.h): the thread's first point in the layer that the level updates. p.tile
 *              has the thread's rows and the lanes of its vector, and the block's wide x teams threads, all constant.
 *              p.inside, far from every edge, and p.level.near_layers are constant too where nvcc compiles
 *   windows    the arrays of f.count fields in registers, in `bytes` bytes; `values` are the layer that arrives
 *   z, y, x    of cmk_point_at_, a byte in a window, and of cmk_point_offset_: a plane, a row and a column from p on
 *   layout     a cmk_point_layout_ (window.h), known at run time: the field's pitches in elements, and outside
 *   outside    the address of v, the field's value outside; a sample is turned about it where it becomes 2 v - sample
 *   lag        the layers from the one that a level updates to the one that arrives: cmk_point_lag_ (strip.h)
 *   vector     p.tile.lanes * f.size bytes, 16 for each field that a stage sets: others forbid a pass (d.lost of
 *              grid.h). Rows in shared memory begin at multiples of 16 bytes, as a row is whole vectors
 *   mode       of one side of an axis (edge.h). CMK_EDGE_MIRROR_ODD and the greater CMK_EDGE_REFLECT_ODD are the odd
 *              ones. An assertion of point.h lets only fields of float and double have them, of 4 and 8 bytes.
 *              cmk_point_turn_ (window.h) turns an element of these sizes, and leaves others as they are
 *   windows hold the layers up to lag: cmk_point_level_2d_ and cmk_point_level_3d_ (grid.h) forbid a pass where they
 *   have no room. CMK_WITHIN_BEGIN_ and CMK_WITHIN_END_ (base.h) turn off gcc's -Wstringop-overflow between them
 *   modes      low and high are those of an axis, by CMK_EDGE_LOW_ and HIGH_ of CMK_EDGE_PLANE, ROW or COLUMN(f.edge).
 *              WRAP: the strip has what is beyond. CMK_POINT_ROWS_OF_ and the like: the reach of a SHAPE, 0 to 8
 *   p.level    at_left, at_right, at_top, at_bottom: the thread has the first column, the last one, in 3D the first
 *              row, the last one
 *   strip.h    cmk_point_rings_bytes_, cmk_point_meeting_bytes_: bytes of a block's rings; of what one level leaves.
 *              All are cmk_point_strip_shared_. cmk_point_strip_threads_, _wide_: threads of a block; those side by
 *              side
 *   copies     cmk_point_copy_piece_ (ring.h) starts one to shared memory. cmk_load_plain_value_ and _store_value_ move
 *              1 to 16 bytes at once. cmk_point_pass_on_ (window.h) copies elements of windows. cmk_point_part_,
 *              cmk_point_pointer_at_: array or pointer k of f.count. cmk_point_held_: 16 bytes
 *   base.h     CMK_INLINED_: an inlined device function. CMK_FOLDED_: a constant for constant arguments. CMK_UNROLL
 *              unrolls the next loop. cmk_point_leaps_ (grid.h): f is a LEAPFROG
 *
 * Before and behind mean at lower and at higher indices. A level before in time is the one that a LEAPFROG reads. Lines
 * (line.h) use cmk_point_folded_, cmk_point_replace_ and cmk_point_leave_ too. */
#ifndef CMK_KERNEL_POINT_STEPS_H
#define CMK_KERNEL_POINT_STEPS_H

#include "strip.h"

/* Starts the asynchronous copy of the thread's vector in one row of the layer at place p, to shared memory: in one
 * piece of 16 bytes, or, where rows are not aligned, by elements (the 1). Where the grid has no such layer the vector
 * becomes zeros, and `from` is not read. Only near an end of the layers can that be. */
CMK_INLINED_ void cmk_point_order_(char *to, const char *from, cmk_point_field_ f, const cmk_point_place_ *p)
{
    const int layer = p->dims == 3 ? p->plane : p->row, layers = p->dims == 3 ? p->planes : p->rows;
    const int there = !p->level.near_layers || (layer >= 0 && layer < layers);
    if (p->tile.aligned) {
        cmk_point_copy_piece_(to, from, f, p->tile.lanes, there);
        return;
    }
    CMK_UNROLL
    for (int k = 0; k < p->tile.lanes; ++k) cmk_point_copy_piece_(to + k * f.size, from + k * f.size, f, 1, there);
}

/* Returns the bytes from row to row of a field in shared memory. A layer there has, in 2D, a row for each warp of the
 * block, of that warp's strip. In 3D it has the rows of the block's strip. */
CMK_INLINED_ int cmk_point_row_bytes_(cmk_point_field_ f, const cmk_point_place_ *p)
{
    return p->tile.wide * p->tile.lanes * f.size;
}

/* Returns the bytes from layer to layer of a field in shared memory. In a relay a layer is one row, and the gap behind
 * it. */
CMK_INLINED_ int cmk_point_layer_bytes_(cmk_point_field_ f, const cmk_point_place_ *p)
{
    const int gap = p->dims == 2 && p->tile.teams == 1 ? cmk_point_relay_gap_ : 0;
    return p->tile.teams * p->tile.rows * cmk_point_row_bytes_(f, p) + gap;
}

/* Returns the bytes from the start of a layer to the thread's vector in its first row. */
CMK_INLINED_ int cmk_point_own_bytes_(cmk_point_field_ f, const cmk_point_place_ *p)
{
    const int team = p->tile.teams > 1 ? (int)threadIdx.y : 0;
    return team * p->tile.rows * cmk_point_row_bytes_(f, p) + (int)threadIdx.x * p->tile.lanes * f.size;
}

/* Returns where the rings of the thread's level begin in shared memory. Only a relay has those of other levels than the
 * first. */
CMK_INLINED_ int cmk_point_rings_at_(cmk_point_definition_ d, int level)
{
    return cmk_point_relays_(d) ? cmk_point_relay_gap_ + level * cmk_point_rings_bytes_(d) : 0;
}

/* Returns whether the thread copies layers to shared memory: any does, but in a relay those of level 0. */
CMK_INLINED_ int cmk_point_fetches_(cmk_point_definition_ d, const cmk_point_strip_ *s)
{
    return !cmk_point_relays_(d) || s->level == 0;
}

/* Reads the layer that arrives from its ring into values, unless `arrives` is 0, as before the first layer. Then starts
 * the copy of the layer at p, cmk_point_layers_ahead_ layers later. s->layer is the index of the layer that arrives,
 * and `sources` has the field's f.count pointers. In a relay a level first hands on what it set last, and only level 0
 * copies. The offset *at in bytes is that of the field's rings in memory, and becomes that of the next field's.
 * name_bring_ waits for the copies before. A thread reads here what it copied itself, so no barrier is needed; in a
 * relay cmk_point_end_layer_ has one. A ring has cmk_point_ring_deep_ layers, a power of 2. An index of a layer may be
 * negative: the bits that & (deep - 1) keeps are its remainder, from 0 up, all the same. */
CMK_INLINED_ void cmk_point_bring_(void *values, size_t bytes, char *memory, int *at, const void *sources,
                                   const cmk_point_strip_ *s, int arrives, cmk_point_definition_ d, cmk_point_field_ f,
                                   cmk_point_layout_ layout, cmk_point_place_ p)
{
    const int vector = p.tile.lanes * f.size, deep = cmk_point_ring_deep_(d), stride = cmk_point_layer_bytes_(f, &p);
    const int layer = s->layer, later = layer + cmk_point_layers_ahead_(d), relays = cmk_point_relays_(d);
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) {
        char *const ring = memory + *at + cmk_point_own_bytes_(f, &p);
        const char *const source = cmk_point_pointer_at_(sources, k);
        if (relays && !s->last)
            cmk_load_store_value_(ring + cmk_point_rings_bytes_(d) + ((layer + 1) & (deep - 1)) * stride,
                                  cmk_point_part_(values, bytes, f, k), vector);
        CMK_UNROLL
        for (int y = 0; y < p.tile.rows; ++y) {
            const char *const from = source + cmk_point_offset_(layout, &p, 0, y, 0) * f.size;
            char *const row = ring + y * cmk_point_row_bytes_(f, &p);
            if (arrives)
                cmk_load_plain_value_(cmk_point_part_(values, bytes, f, k) + y * vector,
                                      row + (layer & (deep - 1)) * stride, vector);
            if (cmk_point_fetches_(d, s)) cmk_point_order_(row + (later & (deep - 1)) * stride, from, f, &p);
        }
        *at += deep * stride;
    }
}

/* Fills the 32-bit words beside the thread's own in row y of plane z of a window, from the threads beside it. All
 * threads of the warp call it. The first and the last thread of a strip's row get words that are no neighbours. These
 * are replaced at an edge; elsewhere the strip loses these columns. The words come from one thread at each side, as no
 * field of a pass reaches farther than a vector (cmk_point_fuses_ of strip.h). What a last word has too much is in the
 * window too, as that has whole vectors beside the thread's own. */
CMK_INLINED_ void cmk_point_beside_(char *window, cmk_point_field_ f, const cmk_point_place_ *p, int z, int y)
{
    const int vector = p->tile.lanes * f.size, bytes = CMK_POINT_COLUMNS_OF_(f.shape) * f.size;
    const char *const own = window + cmk_point_at_(f, p, z, y, 0);
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

/* Returns which element inside stands for the (k + 1)th element outside, by a mode of edge.h. Inside elements are
 * counted from the outermost one, 0. cmk_point_way_ (window.h) is how far it is from the element outside, -1 - k. It
 * asks for the low side, 1, where the count, 0, is not used. CMK_EDGE_WRAP has no such element, and CMK_EDGE_ZERO needs
 * none; callers drop what they get for them. */
CMK_INLINED_ int cmk_point_folded_(int mode, int k)
{
    return cmk_point_way_(mode, -1 - k, 0, 1) - 1 - k;
}

CMK_WITHIN_BEGIN_
/* Replaces *to by the outside, by *from, or by *from turned about the outside, as the mode of the edge says. It is not
 * CMK_EDGE_WRAP. Both are elements in a window, of f.size bytes; where modes are odd, these are of float or double. */
CMK_INLINED_ void cmk_point_replace_(char *to, const char *from, cmk_point_field_ f, const void *outside, int mode)
{
    memcpy(to, mode == CMK_EDGE_ZERO ? (const char *)outside : from, (size_t)f.size);
    if (mode >= CMK_EDGE_MIRROR_ODD) cmk_point_turn_(to, outside, f.size);
}
CMK_WITHIN_END_

/* Makes what is before the first column and behind the last, in row y of plane z, from the columns inside of row
 * `from`. Only the threads do so that have the first or the last column, or, where a field reaches farther than a
 * vector, one that is j vectors from it. An edge that wraps stays as it is. With `again` so do all but odd edges, whose
 * samples row `from` has turned already: turned again they are the samples as they are. */
CMK_INLINED_ void cmk_point_edge_columns_of_(char *window, cmk_point_field_ f, const void *outside,
                                             const cmk_point_place_ *p, int z, int y, int from, int again)
{
    const int low = CMK_EDGE_LOW_(CMK_EDGE_COLUMN(f.edge)), high = CMK_EDGE_HIGH_(CMK_EDGE_COLUMN(f.edge));
    const int columns = CMK_POINT_COLUMNS_OF_(f.shape), lanes = p->tile.lanes;
    CMK_UNROLL
    for (int i = 0; i < columns * CMK_POINT_UP_(columns, lanes) / lanes; ++i) {
        const int k = i % columns, j = i / columns, away = j * lanes, end = lanes - 1 + away;
        if (away + 1 + k > columns) continue;
        if (p->level.at_left == 1 + j && (again ? low >= CMK_EDGE_MIRROR_ODD : low != CMK_EDGE_WRAP))
            cmk_point_replace_(window + cmk_point_at_(f, p, z, y, -1 - k - away),
                               window + cmk_point_at_(f, p, z, from, cmk_point_folded_(low, k) - away), f, outside,
                               again ? CMK_EDGE_REFLECT : low);
        if (p->level.at_right == 1 + j && (again ? high >= CMK_EDGE_MIRROR_ODD : high != CMK_EDGE_WRAP))
            cmk_point_replace_(window + cmk_point_at_(f, p, z, y, end + 1 + k),
                               window + cmk_point_at_(f, p, z, from, end - cmk_point_folded_(high, k)), f, outside,
                               again ? CMK_EDGE_REFLECT : high);
    }
}

/* The same in a row that is inside. */
CMK_INLINED_ void cmk_point_edge_columns_(char *window, cmk_point_field_ f, const void *outside,
                                          const cmk_point_place_ *p, int z, int y)
{
    cmk_point_edge_columns_of_(window, f, outside, p, z, y, y, 0);
}

/* How many rows and columns around the thread's own a layer of a window has when it arrives: none of a star. A layer of
 * a 2D grid is one row, and only `columns` counts. */
typedef struct {
    int rows, columns;
} cmk_point_around_;

/* Returns them for a field. */
CMK_FOLDED_ cmk_point_around_ cmk_point_around_of_(cmk_point_field_ f)
{
    const int box = f.shape < 0x1000;
    const cmk_point_around_ around = {box ? CMK_POINT_ROWS_OF_(f.shape) : 0, box ? CMK_POINT_COLUMNS_OF_(f.shape) : 0};
    return around;
}

/* Makes row y of a 2D window, which is outside, from row `from` of the window, by the mode of that side. For a box it
 * also makes the columns beside the vector. A sample that both axes turn is the sample again. */
CMK_INLINED_ void cmk_point_edge_row_(char *window, cmk_point_field_ f, const void *outside, const cmk_point_place_ *p,
                                      int mode, int y, int from)
{
    const int box = f.shape < 0x1000, beside = cmk_point_around_of_(f).columns;
    CMK_UNROLL
    for (int x = -beside; x < p->tile.lanes + beside; ++x)
        cmk_point_replace_(window + cmk_point_at_(f, p, 0, y, x), window + cmk_point_at_(f, p, 0, from, x), f, outside,
                           mode);
    if (box && mode >= CMK_EDGE_MIRROR_ODD) cmk_point_edge_columns_of_(window, f, outside, p, 0, y, from, 1);
}

/* In 2D, makes the rows above the first, where the point is in the first row. Also makes row `reach` below the point,
 * where that is behind the last row. It is the (k + 1)th row behind the last, which is row reach - 1 - k then. */
CMK_INLINED_ void cmk_point_edge_rows_(char *window, cmk_point_field_ f, const void *outside, const cmk_point_place_ *p)
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

/* Returns the row of a 2D window of which an update reads the columns beside the vector for the first time: for a box
 * the lowest one, for a star that of the point. */
CMK_FOLDED_ int cmk_point_fresh_(cmk_point_field_ f)
{
    return f.shape >= 0x1000 ? 0 : CMK_POINT_ROWS_OF_(f.shape);
}

/* Fills the columns beside the vector in row y of a 2D window, cmk_point_fresh_: from the threads beside it, or, in a
 * relay, from shared memory, where `from` is the thread's vector in that row. There it reads pieces of up to 16 bytes,
 * for which the window has room. */
CMK_INLINED_ void cmk_point_fill_beside_(char *window, const char *from, cmk_point_definition_ d, cmk_point_field_ f,
                                         const cmk_point_place_ *p, int y)
{
    const int vector = p->tile.lanes * f.size, bytes = CMK_POINT_COLUMNS_OF_(f.shape) * f.size;
    char *const own = window + cmk_point_at_(f, p, 0, y, 0);
    if (!cmk_point_relays_(d)) {
        cmk_point_beside_(window, f, p, 0, y);
        return;
    }
    CMK_UNROLL
    for (int at = 0; at < bytes; at += 16) {
        const int piece = bytes - at > 8 ? 16 : bytes - at > 4 ? 8 : 4;
        cmk_load_plain_value_(own - at - piece, from - at - piece, piece);
        cmk_load_plain_value_(own + vector + at, from + vector + at, piece);
    }
}

/* In 2D the rows of a window move up by one. The value, a vector, becomes the last row, `lag` below the point. Where
 * the field reaches fewer rows than lag, rows wait in the window. Then the columns beside the vector are filled, and
 * edges made. All threads of the warp call it. */
CMK_INLINED_ void cmk_point_advance_row_(char *window, const char *value, const char *from, cmk_point_definition_ d,
                                         cmk_point_field_ f, const void *outside, const cmk_point_place_ *p)
{
    const int reach = CMK_POINT_ROWS_OF_(f.shape), columns = CMK_POINT_COLUMNS_OF_(f.shape), lag = cmk_point_lag_(d);
    const int star = f.shape >= 0x1000, fresh = cmk_point_fresh_(f), beside = cmk_point_around_of_(f).columns;
    CMK_UNROLL
    for (int y = -reach; y < lag; ++y)
        cmk_point_pass_on_(window + cmk_point_at_(f, p, 0, y, -beside), window + cmk_point_at_(f, p, 0, y + 1, -beside),
                           p->tile.lanes + 2 * beside, f);
    cmk_point_pass_on_(window + cmk_point_at_(f, p, 0, lag, 0), value, p->tile.lanes, f);
    if (!star && columns > 0) cmk_point_fill_beside_(window, from, d, f, p, fresh);
    if (!star && !p->inside) cmk_point_edge_columns_(window, f, outside, p, 0, fresh);
    if (p->level.near_layers) cmk_point_edge_rows_(window, f, outside, p);
    if (star && columns > 0) cmk_point_fill_beside_(window, from, d, f, p, 0);
    if (star && !p->inside) cmk_point_edge_columns_(window, f, outside, p, 0, 0);
}

/* ---- Shared memory: in a relay, and in 3D */

/* Where a level leaves, and finds, what is above and below the threads' rows. For level 0 it is in the ring already. In
 * a relay it finds there what is beside the thread's columns. */
typedef struct {
    char *memory;         /* the shared memory of the block */
    int at, level, layer; /* at: the offset of the next field, in bytes. layer: the one that arrives at level 0 */
} cmk_point_meeting_;

/* Returns the meeting of a level, at its first field. The rings of level 0 come first, then each level's two layers.
 * `level` is constant once name_cycle_ is unrolled. name_level_ calls it. */
CMK_INLINED_ cmk_point_meeting_ cmk_point_meeting_of_(char *memory, cmk_point_definition_ d, int level, int layer)
{
    const int before = level == 0 ? 0 : cmk_point_rings_bytes_(d) + (level - 1) * cmk_point_meeting_bytes_(d);
    const cmk_point_meeting_ m = {memory, cmk_point_relays_(d) ? cmk_point_rings_at_(d, level) : before, level, layer};
    return m;
}

/* Returns the thread's vector, in shared memory, of field k of f.count in row cmk_point_fresh_ of a window of a relay.
 * The row that arrives is in slot m->layer of its ring, `lag` below the point. */
CMK_INLINED_ const char *cmk_point_met_(const cmk_point_meeting_ *m, int k, cmk_point_definition_ d, cmk_point_field_ f,
                                        const cmk_point_place_ *p)
{
    const int deep = cmk_point_ring_deep_(d), row = m->layer - cmk_point_lag_(d) + cmk_point_fresh_(f);
    return m->memory + m->at + (k * deep + (row & (deep - 1))) * cmk_point_layer_bytes_(f, p) +
           cmk_point_own_bytes_(f, p);
}

/* In 3D and in a relay, writes zeros to all shared memory of a block, as threads read there before anything is left.
 * All threads of the block call it once, as it ends with a barrier. For the strips of warps it does nothing. Each
 * thread stores 16 bytes at a time. */
CMK_INLINED_ void cmk_point_meeting_begin_(char *memory, cmk_point_definition_ d, int levels)
{
    const int shared = cmk_point_strip_shared_(d, levels), threads = (int)(blockDim.x * blockDim.y);
    const cmk_point_held_ zeros = CMK_ZEROS_(cmk_point_held_);
    const int thread = (int)(threadIdx.y * blockDim.x + threadIdx.x);
    if (d.dims == 2 && !cmk_point_relays_(d)) return;
    CMK_UNROLL
    for (int at = thread * (int)sizeof zeros; at < shared; at += threads * (int)sizeof zeros)
        cmk_load_store_value_(memory + at, zeros.bytes, (int)sizeof zeros);
    __syncthreads();
}

/* Returns whether this mode takes a row inside for one outside, as it is. Odd modes turn it, so cmk_point_edge_ends_
 * makes the row for these and for zeros. */
CMK_FOLDED_ int cmk_point_is_row_(int mode)
{
    return mode != CMK_EDGE_ZERO && mode != CMK_EDGE_WRAP && mode < CMK_EDGE_MIRROR_ODD;
}

/* Moves the offset of a meeting to the next field. Level 0 has a whole ring of this field for each of the f.count, and
 * for a LEAPFROG a second one. Other levels have two layers, or none where no thread reads another's rows. */
CMK_INLINED_ void cmk_point_meet_next_(cmk_point_meeting_ *m, cmk_point_definition_ d, cmk_point_field_ f,
                                       const cmk_point_place_ *p)
{
    const int met = CMK_POINT_PLANES_OF_(f.shape) > 0 ? 2 : 0;
    m->at += f.count * cmk_point_layer_bytes_(f, p) *
             (m->level == 0 || cmk_point_relays_(d) ? (1 + cmk_point_leaps_(f)) * cmk_point_ring_deep_(d) : met);
}

/* Reads the rows above and below the thread's own into the window, in the layer that a level updates next. Of a box
 * they are those of the layer that arrives next at the level, with the thread's own, and take the place of the window's
 * first plane, which is no longer read. It is called before the layers of that level's windows move. The threads there
 * have left these rows at least one layer ago, and cmk_point_end_layer_ has a barrier between. Where there is no thread
 * they are rows inside, or are replaced later. `turns` is the number of layers of the field in shared memory, a power
 * of 2, and `slot` the one that is read, also for a negative layer. Of the locals, `above` and `below` count rows from
 * the grid's outermost one, and `up` and `down` are bytes from the thread's first row. */
CMK_INLINED_ void cmk_point_meet_(void *windows, size_t bytes, cmk_point_meeting_ *m, cmk_point_definition_ d,
                                  cmk_point_field_ f, cmk_point_place_ p)
{
    const int low = CMK_EDGE_LOW_(CMK_EDGE_ROW(f.edge)), high = CMK_EDGE_HIGH_(CMK_EDGE_ROW(f.edge));
    const int vector = p.tile.lanes * f.size, row = cmk_point_row_bytes_(f, &p), stride = cmk_point_layer_bytes_(f, &p);
    const int turns = m->level == 0 ? cmk_point_ring_deep_(d) : 2, last = p.tile.rows - 1;
    const int box = cmk_point_is_box_3d_(d), before = box ? 0 : cmk_point_lag_(d);
    const int z = box ? -CMK_POINT_PLANES_OF_(f.shape) : 0;
    const int slot = (m->level == 0 ? m->layer - before : m->layer + 1) & (turns - 1);
    const int top = (int)threadIdx.y == 0, bottom = (int)threadIdx.y == p.tile.teams - 1;
    const char *const own = m->memory + m->at + cmk_point_own_bytes_(f, &p) + slot * stride;
    CMK_UNROLL
    for (int i = 0; i < f.count * CMK_POINT_ROWS_OF_(f.shape); ++i) {
        const int k = i / f.count, j = i % f.count;
        const int above = cmk_point_is_row_(low) && p.level.at_top ? cmk_point_folded_(low, k) : 0;
        const int below = cmk_point_is_row_(high) && p.level.at_bottom ? cmk_point_folded_(high, k) : 0;
        const int up = (top ? above : -1 - k) * row, down = last * row + (bottom ? -below : 1 + k) * row;
        char *const window = cmk_point_part_(windows, bytes, f, j);
        const char *const from = own + j * turns * stride;
        cmk_load_plain_value_(window + cmk_point_at_(f, &p, z, -1 - k, 0), from + up, vector);
        cmk_load_plain_value_(window + cmk_point_at_(f, &p, z, last + 1 + k, 0), from + down, vector);
    }
    CMK_UNROLL
    for (int y = 0; box && y < p.tile.rows; ++y)
        cmk_load_plain_value_((char *)windows + cmk_point_at_(f, &p, z, y, 0), own + y * row, vector);
    cmk_point_meet_next_(m, d, f, &p);
}

/* Leaves the layer that a level behind the first updates next, of field k of f.count, for the threads above and below.
 * In the window it is plane 1, one behind the point. Of a box it is the value, what the level before has just set.
 * Layers take turns in two slots. Level 0 leaves nothing. */
CMK_INLINED_ void cmk_point_hand_on_(const char *window, const char *value, const cmk_point_meeting_ *m, int k,
                                     cmk_point_definition_ d, cmk_point_field_ f, const cmk_point_place_ *p)
{
    const int row = cmk_point_row_bytes_(f, p), stride = cmk_point_layer_bytes_(f, p), vector = p->tile.lanes * f.size;
    char *const to = m->memory + m->at + (2 * k + (m->layer & 1)) * stride + cmk_point_own_bytes_(f, p);
    if (m->level == 0) return;
    CMK_UNROLL
    for (int y = 0; y < p->tile.rows; ++y)
        cmk_load_store_value_(
            to + y * row, cmk_point_is_box_3d_(d) ? value + y * vector : window + cmk_point_at_(f, p, 1, y, 0), vector);
}

/* Makes the planes before the first, where the point is in the first plane. Also makes plane `reach` behind the point,
 * where that is behind the last plane, as the (k + 1)th; the last is plane reach - 1 - k then. Of a star it makes
 * the thread's own points only, as a star reads no others there. */
CMK_INLINED_ void cmk_point_edge_planes_(char *window, cmk_point_field_ f, const void *outside,
                                         const cmk_point_place_ *p)
{
    const int low = CMK_EDGE_LOW_(CMK_EDGE_PLANE(f.edge)), high = CMK_EDGE_HIGH_(CMK_EDGE_PLANE(f.edge));
    const cmk_point_around_ around = cmk_point_around_of_(f);
    const int reach = CMK_POINT_PLANES_OF_(f.shape), wide = p->tile.lanes + 2 * around.columns;
    CMK_UNROLL
    for (int i = 0; i < reach * (p->tile.rows + 2 * around.rows) * wide; ++i) {
        const int k = i % reach, y = i / reach / wide - around.rows, x = i / reach % wide - around.columns;
        const int before = cmk_point_folded_(low, k), behind = reach - 1 - k - cmk_point_folded_(high, k);
        if (low != CMK_EDGE_WRAP && p->plane == 0)
            cmk_point_replace_(window + cmk_point_at_(f, p, -1 - k, y, x), window + cmk_point_at_(f, p, before, y, x),
                               f, outside, low);
        if (high != CMK_EDGE_WRAP && p->plane + reach == p->planes + k)
            cmk_point_replace_(window + cmk_point_at_(f, p, reach, y, x), window + cmk_point_at_(f, p, behind, y, x), f,
                               outside, high);
    }
}

/* Makes the rows above the first and below the last, in plane z of the window, where they are not rows inside. Only the
 * threads that have the first or the last row do so. */
CMK_INLINED_ void cmk_point_edge_ends_(char *window, cmk_point_field_ f, const void *outside, const cmk_point_place_ *p,
                                       int z)
{
    const int low = CMK_EDGE_LOW_(CMK_EDGE_ROW(f.edge)), high = CMK_EDGE_HIGH_(CMK_EDGE_ROW(f.edge));
    const int beside = cmk_point_around_of_(f).columns, wide = p->tile.lanes + 2 * beside;
    CMK_UNROLL
    for (int i = 0; i < CMK_POINT_ROWS_OF_(f.shape) * wide; ++i) {
        const int k = i / wide, x = i % wide - beside, end = p->tile.rows;
        const int above = cmk_point_folded_(low, k), below = end - 1 - cmk_point_folded_(high, k);
        if (low != CMK_EDGE_WRAP && !cmk_point_is_row_(low) && p->level.at_top)
            cmk_point_replace_(window + cmk_point_at_(f, p, z, -1 - k, x), window + cmk_point_at_(f, p, z, above, x), f,
                               outside, low);
        if (high != CMK_EDGE_WRAP && !cmk_point_is_row_(high) && p->level.at_bottom)
            cmk_point_replace_(window + cmk_point_at_(f, p, z, end + k, x), window + cmk_point_at_(f, p, z, below, x),
                               f, outside, high);
    }
}

/* The planes of a star's window move by one. The value, the thread's rows, becomes the last plane, `lag` behind the
 * point. Then edges are made, and the columns beside the vectors in the point's plane, 0. All threads of the warp call
 * it. */
CMK_INLINED_ void cmk_point_advance_plane_(char *window, const char *value, int lag, cmk_point_field_ f,
                                           const void *outside, const cmk_point_place_ *p)
{
    const int reach = CMK_POINT_PLANES_OF_(f.shape), vector = p->tile.lanes * f.size;
    CMK_UNROLL
    for (int y = 0; y < p->tile.rows; ++y) {
        CMK_UNROLL
        for (int z = -reach; z < lag; ++z)
            cmk_point_pass_on_(window + cmk_point_at_(f, p, z, y, 0), window + cmk_point_at_(f, p, z + 1, y, 0),
                               p->tile.lanes, f);
        cmk_point_pass_on_(window + cmk_point_at_(f, p, lag, y, 0), value + y * vector, p->tile.lanes, f);
    }
    if (p->level.near_layers) cmk_point_edge_planes_(window, f, outside, p);
    if (reach == 0) return;
    if (!p->inside) cmk_point_edge_ends_(window, f, outside, p, 0);
    CMK_UNROLL
    for (int y = 0; y < p->tile.rows; ++y) {
        cmk_point_beside_(window, f, p, 0, y);
        if (!p->inside) cmk_point_edge_columns_(window, f, outside, p, 0, y);
    }
}

/* The planes of a box's window move by one. What cmk_point_meet_ has read in place of the first plane becomes the last
 * one, `reach` behind the point. There the columns beside the vectors are filled, and edges are made: those of columns
 * first, so that rows outside have them too, and those of planes last. All threads of the warp call it. */
CMK_INLINED_ void cmk_point_advance_box_(char *window, cmk_point_field_ f, const void *outside,
                                         const cmk_point_place_ *p)
{
    const int reach = CMK_POINT_PLANES_OF_(f.shape), lanes = p->tile.lanes;
    const cmk_point_around_ around = cmk_point_around_of_(f);
    CMK_UNROLL
    for (int y = -around.rows; y < p->tile.rows + around.rows; ++y) {
        cmk_point_held_ met;
        memcpy(met.bytes, window + cmk_point_at_(f, p, -reach, y, 0), (size_t)(lanes * f.size));
        CMK_UNROLL
        for (int z = -reach; z < reach; ++z)
            cmk_point_pass_on_(window + cmk_point_at_(f, p, z, y, -around.columns),
                               window + cmk_point_at_(f, p, z + 1, y, -around.columns), lanes + 2 * around.columns, f);
        cmk_point_pass_on_(window + cmk_point_at_(f, p, reach, y, 0), met.bytes, lanes, f);
    }
    CMK_UNROLL
    for (int y = -around.rows; y < p->tile.rows + around.rows; ++y) {
        cmk_point_beside_(window, f, p, reach, y);
        if (!p->inside) cmk_point_edge_columns_(window, f, outside, p, reach, y);
    }
    if (!p->inside) cmk_point_edge_ends_(window, f, outside, p, reach);
    if (p->level.near_layers) cmk_point_edge_planes_(window, f, outside, p);
}

/* The layers of the windows of a level move by one, and `values`, what level - 1 set or what arrived, becomes the
 * last. In 3D each thread then leaves the layer that comes next for others. *meeting goes on to the next field. */
CMK_INLINED_ void cmk_point_advance_(void *windows, size_t bytes, const void *values, size_t value_bytes,
                                     cmk_point_meeting_ *meeting, cmk_point_definition_ d, cmk_point_field_ f,
                                     cmk_point_layout_ layout, cmk_point_place_ p)
{
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) {
        char *const window = cmk_point_part_(windows, bytes, f, k);
        const char *const value = cmk_point_part_(values, value_bytes, f, k);
        if (d.dims == 2) {
            cmk_point_advance_row_(window, value, cmk_point_met_(meeting, k, d, f, &p), d, f, layout.outside, &p);
            continue;
        }
        if (cmk_point_is_box_3d_(d))
            cmk_point_advance_box_(window, f, layout.outside, &p);
        else
            cmk_point_advance_plane_(window, value, cmk_point_lag_(d), f, layout.outside, &p);
        if (CMK_POINT_PLANES_OF_(f.shape) > 0) cmk_point_hand_on_(window, value, meeting, k, d, f, &p);
    }
    cmk_point_meet_next_(meeting, d, f, &p);
}

/* Sets befores, the level before in time, at the points of a level behind another one. It is the oldest layer in the
 * windows of that other level, `windows`, as a LEAPFROG field reaches lag layers. To level 0 it comes by a ring. */
CMK_INLINED_ void cmk_point_leap_(void *befores, size_t bytes, const void *windows, size_t window_bytes, int level,
                                  cmk_point_field_ f, cmk_point_place_ p)
{
    const int planes = p.dims == 3 ? CMK_POINT_PLANES_OF_(f.shape) : 0, vector = p.tile.lanes * f.size;
    const int rows = p.dims == 3 ? 0 : CMK_POINT_ROWS_OF_(f.shape);
    if (level == 0) return;
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) CMK_UNROLL
    for (int y = 0; y < p.tile.rows; ++y)
        cmk_point_pass_on_(cmk_point_part_(befores, bytes, f, k) + y * vector,
                           cmk_point_part_(windows, window_bytes, f, k) + cmk_point_at_(f, &p, -planes, y - rows, 0),
                           p.tile.lanes, f);
}

/* For a LEAPFROG field, writes the last level but one in time to memory, at `targets`, f.count pointers. It is in the
 * windows of the last level, at the points. `sets` has a mark for each value, cmk_point_most_ (../../point.h) for each
 * of the f.count fields, and in a pass all are marked. The thread has up to four rows of 16 bytes, and room here for
 * cmk_point_rows_, 4. */
CMK_INLINED_ void cmk_point_leave_(const void *targets, const void *windows, size_t bytes, const char *sets,
                                   cmk_point_field_ f, cmk_point_layout_ layout, cmk_point_place_ p)
{
    cmk_point_field_ one = f;
    one.count = 1;
    if ((size_t)(p.tile.lanes * f.size) > sizeof(cmk_point_held_))
        return; /* no vectors: such fields are not in a pass */
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) {
        cmk_point_held_ values[cmk_point_rows_];
        CMK_UNROLL
        for (int y = 0; y < p.tile.rows; ++y)
            memcpy(values[0].bytes + y * p.tile.lanes * f.size,
                   cmk_point_part_(windows, bytes, f, k) + cmk_point_at_(f, &p, 0, y, 0),
                   (size_t)(p.tile.lanes * f.size));
        cmk_point_store_((const char *)targets + (size_t)k * sizeof(char *), values, sizeof values,
                         sets + k * cmk_point_most_, one, layout, p);
    }
}

#endif
