/* kernel/point/window.h: what is around the points of a thread, from global memory into windows, with every edge, by
 * bytes; and what was set, back to memory. */
#ifndef CMK_KERNEL_POINT_WINDOW_H
#define CMK_KERNEL_POINT_WINDOW_H

#include "../../edge.h"
#include "../../load.h"
#include "grid.h"

/* the constants of a field: bytes of an element and their alignment, how many fields; whether the launch writes what it
 * reads, so that the read-only path may not be taken */
typedef struct {
    int size, alignment, count, shape, edge, written;
} cmk_point_field_;

/* of a field: elements from row to row and from plane to plane; what stands for the outside */
typedef struct {
    cmk_i64 row_pitch, plane_pitch;
    const void *outside;
} cmk_point_layout_;

CMK_DEVICE_ cmk_point_field_ cmk_point_field_of_(size_t size, size_t alignment, int count, int shape, int edge,
                                                 int written)
{
    const cmk_point_field_ f = {(int)size, (int)alignment, count, shape, edge, written};
    return f;
}

CMK_DEVICE_ cmk_point_layout_ cmk_point_layout_of_(size_t row_pitch, size_t plane_pitch, const void *outside)
{
    const cmk_point_layout_ layout = {(cmk_i64)row_pitch, (cmk_i64)plane_pitch, outside};
    return layout;
}

/* bytes of a vector, or of an element, which is aligned as its type is */
CMK_DEVICE_ void cmk_point_load_(void *to, const void *from, int bytes, cmk_point_field_ f)
{
    const int each = bytes > f.size ? bytes : f.alignment;
    CMK_UNROLL
    for (int at = 0; at < bytes; at += each) {
        if (f.written)
            cmk_load_plain_value_((char *)to + at, (const char *)from + at, each);
        else
            cmk_load_value_((char *)to + at, (const char *)from + at, each);
    }
}

CMK_DEVICE_ void cmk_point_store_bytes_(void *to, const void *from, int bytes, cmk_point_field_ f)
{
    const int each = bytes > f.size ? bytes : f.alignment;
    CMK_UNROLL
    for (int at = 0; at < bytes; at += each)
        cmk_load_store_value_((char *)to + at, (const char *)from + at, each);
}

/* 2 outside - *value, of a float or double */
CMK_DEVICE_ void cmk_point_turn_(void *value, const void *outside, int size)
{
    if (size == 4)
        *(float *)value = 2.0f * *(const float *)outside - *(const float *)value;
    else
        *(double *)value = 2.0 * *(const double *)outside - *(const double *)value;
}

/* where a neighbour of an axis comes from: -1 for nowhere; odd where the sample is turned about the outside */
typedef struct {
    int at, odd;
} cmk_point_source_;

CMK_DEVICE_ cmk_point_source_ cmk_point_source_of_(int edge, int i, int count)
{
    const int mode = i < 0 ? CMK_EDGE_LOW_(edge) : i >= count ? CMK_EDGE_HIGH_(edge) : CMK_EDGE_CLAMP;
    const int reflects = mode == CMK_EDGE_REFLECT || mode == CMK_EDGE_REFLECT_ODD;
    const int mirrors = mode == CMK_EDGE_MIRROR || mode == CMK_EDGE_MIRROR_ODD;
    const cmk_i64 period = 2 * (cmk_i64)count - 2 * reflects, below = i < 0 ? i : count - 1 - i;
    cmk_point_source_ source = {i, 0};
    if (i >= 0 && i < count) return source;
    source.at = mode == CMK_EDGE_ZERO
                    ? -1
                    : (int)cmk_edge_fold_(reflects  ? CMK_EDGE_REFLECT
                                          : mirrors ? CMK_EDGE_MIRROR
                                                    : mode,
                                          i, count);
    if (mode == CMK_EDGE_MIRROR_ODD || mode == CMK_EDGE_REFLECT_ODD)
        source.odd = period > 0 && cmk_edge_modulo_(below, period) >= count - reflects;
    return source;
}

/* whether the shape needs an element of a window: planes, rows and columns are 1 where it is beside an output */
CMK_DEVICE_ int cmk_point_needs_(int shape, int planes, int rows, int columns)
{
    return shape < 0x1000 || planes + rows + columns >= 2;
}

/* the window of a tile that is inside; from is element (0, 0, 0) */
CMK_DEVICE_ void cmk_point_fill_inside_(char *window, const char *from, cmk_point_field_ f, cmk_point_layout_ layout,
                                        cmk_point_place_ p)
{
    const int planes = p.dims == 3 ? CMK_POINT_PLANES_OF_(f.shape) : 0, rows = CMK_POINT_ROWS_OF_(f.shape);
    const int width = cmk_point_pitch_(f.shape, &p), left = (width - p.lanes) / 2;
    CMK_UNROLL
    for (int z = -planes; z < p.tile_planes + planes; ++z) CMK_UNROLL
    for (int y = -rows; y < p.tile_rows + rows; ++y) CMK_UNROLL
    for (int x = -left; x < p.lanes + left; x += p.lanes) {
        const cmk_i64 at = (cmk_i64)(p.plane + z) * layout.plane_pitch + (cmk_i64)(p.row + y) * layout.row_pitch;
        const int index = cmk_point_index_(f.shape, &p, z, y, x);
        if (!cmk_point_needs_(f.shape, z >= 0 && z < p.tile_planes, y >= 0 && y < p.tile_rows, x == 0)) continue;
        CMK_TURN_((z + planes) * 4096 + (y + rows) * 64 + x + left);
        cmk_point_load_(window + index * f.size, from + (at + p.column + x) * f.size, p.lanes * f.size, f);
    }
    CMK_TURN_(-1);
}

/* the same of a tile one column wide, anywhere */
CMK_DEVICE_ void cmk_point_fill_edge_(char *window, const char *from, cmk_point_field_ f, cmk_point_layout_ layout,
                                      cmk_point_place_ p)
{
    const int planes = p.dims == 3 ? CMK_POINT_PLANES_OF_(f.shape) : 0, rows = CMK_POINT_ROWS_OF_(f.shape);
    const int columns = CMK_POINT_COLUMNS_OF_(f.shape);
    CMK_UNROLL
    for (int z = -planes; z < p.tile_planes + planes; ++z) CMK_UNROLL
    for (int y = -rows; y < p.tile_rows + rows; ++y) CMK_UNROLL
    for (int x = -columns; x <= columns; ++x) {
        const cmk_point_source_ plane = cmk_point_source_of_(p.dims == 3 ? CMK_EDGE_PLANE(f.edge) : CMK_EDGE_CLAMP,
                                                             p.plane + z, p.planes);
        const cmk_point_source_ row = cmk_point_source_of_(CMK_EDGE_ROW(f.edge), p.row + y, p.rows);
        const cmk_point_source_ column = cmk_point_source_of_(CMK_EDGE_COLUMN(f.edge), p.column + x, p.columns);
        char *const to = window + cmk_point_index_(f.shape, &p, z, y, x) * f.size;
        if (!cmk_point_needs_(f.shape, z >= 0 && z < p.tile_planes, y >= 0 && y < p.tile_rows, x == 0)) continue;
        CMK_TURN_((z + planes) * 4096 + (y + rows) * 64 + x + columns);
        if (plane.at < 0 || row.at < 0 || column.at < 0) {
            memcpy(to, layout.outside, (size_t)f.size);
        } else {
            const cmk_i64 at = plane.at * layout.plane_pitch + row.at * layout.row_pitch + column.at;
            cmk_point_load_(to, from + at * f.size, f.size, f);
            if (plane.odd ^ row.odd ^ column.odd) cmk_point_turn_(to, layout.outside, f.size);
        }
    }
    CMK_TURN_(-1);
}

/* sources are f.count pointers, one behind the other, and windows as many windows */
CMK_DEVICE_ void cmk_point_fill_(void *windows, size_t bytes, const void *sources, cmk_point_field_ f,
                                 cmk_point_layout_ layout, cmk_point_place_ p)
{
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) {
        const char *from;
        memcpy((void *)&from, (const char *)sources + (size_t)k * sizeof from, sizeof from);
        char *const window = (char *)windows + (size_t)k * (bytes / (size_t)f.count);
        if (p.inside)
            cmk_point_fill_inside_(window, from, f, layout, p);
        else
            cmk_point_fill_edge_(window, from, f, layout, p);
    }
}

/* what was not set at the point keeps the value that the level has there */
CMK_DEVICE_ void cmk_point_keep_(void *values, size_t bytes, char *sets, const void *windows, size_t window_bytes,
                                 cmk_point_field_ f, cmk_point_place_ p)
{
    const int output = cmk_point_output_(&p), index = cmk_point_index_(f.shape, &p, 0, 0, 0);
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) {
        char *const value = (char *)values + (size_t)k * (bytes / (size_t)f.count) + output * f.size;
        const char *const window = (const char *)windows + (size_t)k * (window_bytes / (size_t)f.count);
        char *const set = sets + k * cmk_point_most_ + output;
        if (!*set) memcpy(value, window + index * f.size, (size_t)f.size);
        *set = 1;
    }
}

/* a row of outputs: as one vector where all were set */
CMK_DEVICE_ void cmk_point_store_row_(char *to, const char *values, const char *sets, cmk_point_field_ f, int lanes)
{
    int all = 1;
    CMK_UNROLL
    for (int x = 0; x < lanes; ++x) all &= sets[x];
    if (all) {
        cmk_point_store_bytes_(to, values, lanes * f.size, f);
        return;
    }
    CMK_UNROLL
    for (int x = 0; x < lanes; ++x)
        if (sets[x]) cmk_point_store_bytes_(to + x * f.size, values + x * f.size, f.size, f);
}

/* targets as sources above */
CMK_DEVICE_ void cmk_point_store_(const void *targets, const void *values, size_t bytes, const char *sets,
                                  cmk_point_field_ f, cmk_point_layout_ layout, cmk_point_place_ p)
{
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) {
        char *to;
        memcpy((void *)&to, (const char *)targets + (size_t)k * sizeof to, sizeof to);
        CMK_UNROLL
        for (int z = 0; z < p.tile_planes; ++z) CMK_UNROLL
        for (int y = 0; y < p.tile_rows; ++y) {
            const cmk_point_place_ row = cmk_point_move_(p, z, y, 0);
            const int first = cmk_point_output_(&row);
            const cmk_i64 at = row.plane * layout.plane_pitch + row.row * layout.row_pitch + row.column;
            CMK_TURN_(z * 64 + y);
            cmk_point_store_row_(to + at * f.size, (const char *)values + (size_t)k * (bytes / (size_t)f.count) + first * f.size,
                                 sets + k * cmk_point_most_ + first, f, p.lanes);
        }
    }
    CMK_TURN_(-1);
}

#endif
