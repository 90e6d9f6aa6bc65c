/* kernel/point/steps.h: several steps of a grid in one pass over memory: what the levels of a strip do.
 *
 * Level l holds in registers the layers around the one that it updates, which is the reach of the layers behind that of
 * level l - 1; what it sets is the layer that arrives at level l + 1. Level 0 takes layers from memory, the last one
 * stores them. A stage of a step is a level of its own. What is beside a thread's vectors comes from the threads beside
 * it; in 3D what is above and below its rows by shared memory, where each level leaves the layer that it updates next.
 * Edges are made anew at each level, from what the same level has of the inside; only where an axis wraps they are what
 * lies there, computed twice. */
#ifndef CMK_KERNEL_POINT_STEPS_H
#define CMK_KERNEL_POINT_STEPS_H

#include "strip.h"

/* Starts the copy of a vector of the layer at p, in which a strip lies; zeros for a layer that there is not. */
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

/* bytes from row to row of a strip in shared memory, and from layer to layer; of the thread's first row */
CMK_INLINED_ int cmk_point_row_bytes_(cmk_point_field_ f, const cmk_point_place_ *p)
{
    return p->tile.wide * p->tile.lanes * f.size;
}

CMK_INLINED_ int cmk_point_layer_bytes_(cmk_point_field_ f, const cmk_point_place_ *p)
{
    return p->tile.teams * p->tile.rows * cmk_point_row_bytes_(f, p);
}

CMK_INLINED_ int cmk_point_own_bytes_(cmk_point_field_ f, const cmk_point_place_ *p)
{
    return (int)threadIdx.y * p->tile.rows * cmk_point_row_bytes_(f, p) + (int)threadIdx.x * p->tile.lanes * f.size;
}

/* The layer that arrives, into values; and the start of the copy of the one at p, so many ahead of it. *at is the
 * offset of the field's rings, and becomes that of the next field's. */
CMK_INLINED_ void cmk_point_bring_(void *values, size_t bytes, char *memory, int *at, const void *sources, int layer,
                                   int arrives, cmk_point_definition_ d, cmk_point_field_ f, cmk_point_layout_ layout,
                                   cmk_point_place_ p)
{
    const int vector = p.tile.lanes * f.size, deep = cmk_point_ring_deep_(d), stride = cmk_point_layer_bytes_(f, &p);
    const int later = layer + cmk_point_layers_ahead_(d);
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) {
        char *const ring = memory + *at + cmk_point_own_bytes_(f, &p);
        const char *const source = cmk_point_pointer_at_(sources, k);
        CMK_UNROLL
        for (int y = 0; y < p.tile.rows; ++y) {
            const char *const from = source + cmk_point_offset_(layout, &p, 0, y, 0) * f.size;
            char *const row = ring + y * cmk_point_row_bytes_(f, &p);
            if (arrives)
                cmk_load_plain_value_(cmk_point_part_(values, bytes, f, k) + y * vector,
                                      row + (layer & (deep - 1)) * stride, vector);
            cmk_point_order_(row + (later & (deep - 1)) * stride, from, f, &p);
        }
        *at += deep * stride;
    }
}

/* the words beside the thread's own in row y of a window, which are those of the threads beside it */
CMK_INLINED_ void cmk_point_beside_(char *window, cmk_point_field_ f, const cmk_point_place_ *p, int y)
{
    const int vector = p->tile.lanes * f.size, bytes = CMK_POINT_COLUMNS_OF_(f.shape) * f.size;
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
CMK_INLINED_ int cmk_point_folded_(int mode, int k)
{
    return cmk_point_way_(mode, -1 - k, 0, 1) - 1 - k;
}

CMK_WITHIN_BEGIN_
/* *to becomes *from, the outside, or the one turned about the other */
CMK_INLINED_ void cmk_point_replace_(char *to, const char *from, cmk_point_field_ f, const void *outside, int mode)
{
    memcpy(to, mode == CMK_EDGE_ZERO ? (const char *)outside : from, (size_t)f.size);
    if (mode >= CMK_EDGE_MIRROR_ODD) cmk_point_turn_(to, outside, f.size);
}
CMK_WITHIN_END_

/* what is beside the first and the last column, in row y */
CMK_INLINED_ void cmk_point_edge_columns_(char *window, cmk_point_field_ f, const void *outside,
                                          const cmk_point_place_ *p, int y)
{
    const int low = CMK_EDGE_LOW_(CMK_EDGE_COLUMN(f.edge)), high = CMK_EDGE_HIGH_(CMK_EDGE_COLUMN(f.edge));
    CMK_UNROLL
    for (int k = 0; k < CMK_POINT_COLUMNS_OF_(f.shape); ++k) {
        const int before = cmk_point_folded_(low, k), behind = p->tile.lanes - 1 - cmk_point_folded_(high, k);
        if (p->level.at_left && low != CMK_EDGE_WRAP)
            cmk_point_replace_(window + cmk_point_at_(f, p, 0, y, -1 - k), window + cmk_point_at_(f, p, 0, y, before),
                               f, outside, low);
        if (p->level.at_right && high != CMK_EDGE_WRAP)
            cmk_point_replace_(window + cmk_point_at_(f, p, 0, y, p->tile.lanes + k),
                               window + cmk_point_at_(f, p, 0, y, behind), f, outside, high);
    }
}

/* row y, which is outside, from row `from` of the window; where both axes turn a sample, it is the sample */
CMK_INLINED_ void cmk_point_edge_row_(char *window, cmk_point_field_ f, const void *outside, const cmk_point_place_ *p,
                                      int mode, int y, int from)
{
    const int beside = f.shape >= 0x1000 ? 0 : CMK_POINT_COLUMNS_OF_(f.shape), turns = mode >= CMK_EDGE_MIRROR_ODD;
    const int low = CMK_EDGE_LOW_(CMK_EDGE_COLUMN(f.edge)), high = CMK_EDGE_HIGH_(CMK_EDGE_COLUMN(f.edge));
    CMK_UNROLL
    for (int x = -beside; x < p->tile.lanes + beside; ++x) {
        char *const to = window + cmk_point_at_(f, p, 0, y, x);
        cmk_point_replace_(to, window + cmk_point_at_(f, p, 0, from, x), f, outside, mode);
        if (turns && x < 0 && low >= CMK_EDGE_MIRROR_ODD && p->level.at_left)
            memcpy(to, window + cmk_point_at_(f, p, 0, from, cmk_point_folded_(low, -1 - x)), (size_t)f.size);
        if (turns && x >= p->tile.lanes && high >= CMK_EDGE_MIRROR_ODD && p->level.at_right)
            memcpy(to,
                   window +
                       cmk_point_at_(f, p, 0, from, p->tile.lanes - 1 - cmk_point_folded_(high, x - p->tile.lanes)),
                   (size_t)f.size);
    }
}

/* the rows above the first, when that is the point's; row `reach` below the point, where that is behind the last */
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

/* In 2D the rows of a window move up by one, and the value becomes the last of them, lag below the point. */
CMK_INLINED_ void cmk_point_advance_row_(char *window, const char *value, int lag, cmk_point_field_ f,
                                         const void *outside, const cmk_point_place_ *p)
{
    const int reach = CMK_POINT_ROWS_OF_(f.shape), columns = CMK_POINT_COLUMNS_OF_(f.shape);
    const int star = f.shape >= 0x1000, fresh = star ? 0 : reach, beside = star ? 0 : columns;
    CMK_UNROLL
    for (int y = -reach; y < lag; ++y)
        cmk_point_pass_on_(window + cmk_point_at_(f, p, 0, y, -beside), window + cmk_point_at_(f, p, 0, y + 1, -beside),
                           p->tile.lanes + 2 * beside, f);
    cmk_point_pass_on_(window + cmk_point_at_(f, p, 0, lag, 0), value, p->tile.lanes, f);
    if (!star && columns > 0) cmk_point_beside_(window, f, p, fresh);
    if (!star && !p->inside) cmk_point_edge_columns_(window, f, outside, p, fresh);
    if (p->level.near_layers) cmk_point_edge_rows_(window, f, outside, p);
    if (star && columns > 0) cmk_point_beside_(window, f, p, 0);
    if (star && !p->inside) cmk_point_edge_columns_(window, f, outside, p, 0);
}

/* ---- In 3D: stars only */

/* where a level takes and leaves what is above and below the threads' rows: of level 0 the ring is there already */
typedef struct {
    char *memory;
    int at, level, layer; /* at is the offset of the next field */
} cmk_point_meeting_;

CMK_INLINED_ cmk_point_meeting_ cmk_point_meeting_of_(char *memory, cmk_point_definition_ d, int level, int layer)
{
    const int before = level == 0 ? 0 : cmk_point_rings_bytes_(d) + (level - 1) * cmk_point_meeting_bytes_(d);
    const cmk_point_meeting_ m = {memory, before, level, layer};
    return m;
}

/* in 3D, all threads of the block: zeros for what they read before anything is left there */
CMK_INLINED_ void cmk_point_meeting_begin_(char *memory, cmk_point_definition_ d, int levels)
{
    const int threads = cmk_point_strip_threads_(d), shared = cmk_point_strip_shared_(d, levels);
    const cmk_point_held_ zeros = CMK_ZEROS_(cmk_point_held_);
    const int thread = (int)threadIdx.y * cmk_point_strip_wide_(d) + (int)threadIdx.x;
    if (d.dims == 2) return;
    CMK_UNROLL
    for (int at = 0; at < shared; at += threads * (int)sizeof zeros)
        cmk_load_store_value_(memory + at + thread * (int)sizeof zeros, zeros.bytes, (int)sizeof zeros);
    __syncthreads();
}

/* whether what is outside by this mode is a row of the inside, as it is */
CMK_FOLDED_ int cmk_point_is_row_(int mode)
{
    return mode != CMK_EDGE_ZERO && mode != CMK_EDGE_WRAP && mode < CMK_EDGE_MIRROR_ODD;
}

/* to the next field, of whose layers there are so many */
CMK_INLINED_ void cmk_point_meet_next_(cmk_point_meeting_ *m, cmk_point_definition_ d, cmk_point_field_ f,
                                       const cmk_point_place_ *p)
{
    const int met = CMK_POINT_ROWS_OF_(f.shape) > 0 ? 2 : 0;
    m->at += f.count * cmk_point_layer_bytes_(f, p) *
             (m->level == 0 ? (1 + cmk_point_leaps_(f)) * cmk_point_ring_deep_(d) : met);
}

/* Rows above and below the thread's own in the layer that a level updates next, which the threads there left one layer
 * ago. Where there is no thread they are rows of the inside, or are replaced. */
CMK_INLINED_ void cmk_point_meet_(void *windows, size_t bytes, cmk_point_meeting_ *m, cmk_point_definition_ d,
                                  cmk_point_field_ f, cmk_point_place_ p)
{
    const int low = CMK_EDGE_LOW_(CMK_EDGE_ROW(f.edge)), high = CMK_EDGE_HIGH_(CMK_EDGE_ROW(f.edge));
    const int vector = p.tile.lanes * f.size, row = cmk_point_row_bytes_(f, &p), stride = cmk_point_layer_bytes_(f, &p);
    const int turns = m->level == 0 ? cmk_point_ring_deep_(d) : 2, last = p.tile.rows - 1;
    const int slot = (m->level == 0 ? m->layer - cmk_point_lag_(d) : m->layer + 1) & (turns - 1);
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
        cmk_load_plain_value_(window + cmk_point_at_(f, &p, 0, -1 - k, 0), from + up, vector);
        cmk_load_plain_value_(window + cmk_point_at_(f, &p, 0, last + 1 + k, 0), from + down, vector);
    }
    cmk_point_meet_next_(m, d, f, &p);
}

/* The layer that a level behind the first updates next is left for the threads above and below; field k. */
CMK_INLINED_ void cmk_point_hand_on_(const char *window, const cmk_point_meeting_ *m, int k, cmk_point_field_ f,
                                     const cmk_point_place_ *p)
{
    const int row = cmk_point_row_bytes_(f, p), stride = cmk_point_layer_bytes_(f, p);
    char *const to = m->memory + m->at + (2 * k + (m->layer & 1)) * stride + cmk_point_own_bytes_(f, p);
    if (m->level == 0) return;
    CMK_UNROLL
    for (int y = 0; y < p->tile.rows; ++y)
        cmk_load_store_value_(to + y * row, window + cmk_point_at_(f, p, 1, y, 0), p->tile.lanes * f.size);
}

/* the planes before the first, when that is the point's; plane `reach` behind the point, where that is behind the last
 */
CMK_INLINED_ void cmk_point_edge_planes_(char *window, cmk_point_field_ f, const void *outside,
                                         const cmk_point_place_ *p)
{
    const int low = CMK_EDGE_LOW_(CMK_EDGE_PLANE(f.edge)), high = CMK_EDGE_HIGH_(CMK_EDGE_PLANE(f.edge));
    const int reach = CMK_POINT_PLANES_OF_(f.shape);
    CMK_UNROLL
    for (int i = 0; i < reach * p->tile.rows * p->tile.lanes; ++i) {
        const int k = i % reach, y = i / reach / p->tile.lanes, x = i / reach % p->tile.lanes;
        const int before = cmk_point_folded_(low, k), behind = reach - 1 - k - cmk_point_folded_(high, k);
        if (low != CMK_EDGE_WRAP && p->plane == 0)
            cmk_point_replace_(window + cmk_point_at_(f, p, -1 - k, y, x), window + cmk_point_at_(f, p, before, y, x),
                               f, outside, low);
        if (high != CMK_EDGE_WRAP && p->plane + reach == p->planes + k)
            cmk_point_replace_(window + cmk_point_at_(f, p, reach, y, x), window + cmk_point_at_(f, p, behind, y, x), f,
                               outside, high);
    }
}

/* the rows above the first, of the thread that has it, and below the last, in the layer of the points, which no row of
 * the inside is */
CMK_INLINED_ void cmk_point_edge_ends_(char *window, cmk_point_field_ f, const void *outside, const cmk_point_place_ *p)
{
    const int low = CMK_EDGE_LOW_(CMK_EDGE_ROW(f.edge)), high = CMK_EDGE_HIGH_(CMK_EDGE_ROW(f.edge));
    CMK_UNROLL
    for (int i = 0; i < CMK_POINT_ROWS_OF_(f.shape) * p->tile.lanes; ++i) {
        const int k = i / p->tile.lanes, x = i % p->tile.lanes, end = p->tile.rows;
        const int above = cmk_point_folded_(low, k), below = end - 1 - cmk_point_folded_(high, k);
        if (low != CMK_EDGE_WRAP && !cmk_point_is_row_(low) && p->level.at_top)
            cmk_point_replace_(window + cmk_point_at_(f, p, 0, -1 - k, x), window + cmk_point_at_(f, p, 0, above, x), f,
                               outside, low);
        if (high != CMK_EDGE_WRAP && !cmk_point_is_row_(high) && p->level.at_bottom)
            cmk_point_replace_(window + cmk_point_at_(f, p, 0, end + k, x), window + cmk_point_at_(f, p, 0, below, x),
                               f, outside, high);
    }
}

/* The planes of a window move by one, and the value becomes the last of them, lag behind the point. */
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
    if (!p->inside) cmk_point_edge_ends_(window, f, outside, p);
    CMK_UNROLL
    for (int y = 0; y < p->tile.rows; ++y) {
        cmk_point_beside_(window, f, p, y);
        if (!p->inside) cmk_point_edge_columns_(window, f, outside, p, y);
    }
}

/* The layers of the windows of a level move by one; *meeting becomes that of the next field. */
CMK_INLINED_ void cmk_point_advance_(void *windows, size_t bytes, const void *values, size_t value_bytes,
                                     cmk_point_meeting_ *meeting, cmk_point_definition_ d, cmk_point_field_ f,
                                     cmk_point_layout_ layout, cmk_point_place_ p)
{
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) {
        char *const window = cmk_point_part_(windows, bytes, f, k);
        const char *const value = cmk_point_part_(values, value_bytes, f, k);
        if (d.dims == 2) {
            cmk_point_advance_row_(window, value, cmk_point_lag_(d), f, layout.outside, &p);
            continue;
        }
        cmk_point_advance_plane_(window, value, cmk_point_lag_(d), f, layout.outside, &p);
        if (CMK_POINT_ROWS_OF_(f.shape) > 0) cmk_point_hand_on_(window, meeting, k, f, &p);
    }
    cmk_point_meet_next_(meeting, d, f, &p);
}

/* The level before, at the point, of a level behind another: the oldest layer of that one's. To level 0 it comes by a
 * ring. */
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

/* The last level but one, to memory: the points of the windows of the last. All values of that one are set. */
CMK_INLINED_ void cmk_point_leave_(const void *targets, const void *windows, size_t bytes, const char *sets,
                                   cmk_point_field_ f, cmk_point_layout_ layout, cmk_point_place_ p)
{
    cmk_point_field_ one = f;
    one.count = 1;
    if ((size_t)(p.tile.lanes * f.size) > sizeof(cmk_point_held_)) return; /* no vectors: not in a pass */
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
