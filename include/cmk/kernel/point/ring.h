/* kernel/point/ring.h: a block that goes along the planes of a 3D grid. The planes of a field with neighbours arrive in
 * a ring in shared memory, cmk_point_ahead_ of them under way, with every edge; from there a thread reads into its
 * windows, whose planes move by one in registers: of a box all of an arriving plane, of a star the thread's own points,
 * and what is beside them when the plane is that of the points. Fields without neighbours come by loads, a plane ahead.
 */
#ifndef CMK_KERNEL_POINT_RING_H
#define CMK_KERNEL_POINT_RING_H

#include "../../fill.h"
#include "../../tile.h"
#include "window.h"

/* the march of a block: its first plane and the end; planes read before the first point; the steps done */
typedef struct {
    char *memory;
    int first, end, lag, step, inside; /* inside: along rows and columns */
} cmk_point_march_;

CMK_DEVICE_ cmk_point_march_ cmk_point_march_of_(const cmk_point_task_ *task, cmk_point_definition_ d,
                                                 const cmk_point_place_ *p, char *memory)
{
    const int end = p->plane + task->deep;
    const cmk_point_march_ march = {memory,
                                    p->plane,
                                    end < task->planes.end ? end : task->planes.end,
                                    2 * CMK_POINT_PLANES_OF_(d.reach),
                                    0,
                                    cmk_point_inside_rows_(task, d, p)};
    return march;
}

CMK_DEVICE_ int cmk_point_ringed_(cmk_point_field_ f)
{
    return f.shape % 0x1000 != 0;
}

/* From where a thread copies, the same in all planes: a vector in each of some rows of its warp, and one of those
 * beside them, which all threads of the block share: bytes in a plane of the field, and of the ring. */
enum { cmk_point_vectors_most_ = 5 };
typedef struct {
    cmk_i64 from[cmk_point_vectors_most_];
    int to[cmk_point_vectors_most_];
    unsigned needed, whole, outside; /* a bit for each: whether there is one; in memory as it is; nowhere */
} cmk_point_lines_;

/* of vector i of the thread, the row and the column from the first of the ring */
CMK_DEVICE_ int cmk_point_line_row_(cmk_point_ring_ ring, int lanes, int i)
{
    const int thread = (int)threadIdx.y * 32 + (int)threadIdx.x, beside = 2 * ring.left / lanes;
    if (i < ring.each) return (int)threadIdx.y + i * cmk_point_ring_warps_;
    return beside > 0 ? thread / beside : ring.rows;
}

CMK_DEVICE_ int cmk_point_line_column_(cmk_point_ring_ ring, int lanes, int i)
{
    const int thread = (int)threadIdx.y * 32 + (int)threadIdx.x, beside = 2 * ring.left / lanes;
    const int side = beside > 0 ? thread % beside * lanes : 0;
    if (i < ring.each) return ring.left + (int)threadIdx.x * lanes;
    return side < ring.left ? side : side + 32 * lanes;
}

/* the row and the column of the grid for the first of the ring */
CMK_DEVICE_ int cmk_point_ring_row_(cmk_point_field_ f, const cmk_point_place_ *p)
{
    return p->row - (int)threadIdx.y * p->tile_rows - CMK_POINT_ROWS_OF_(f.shape);
}

CMK_DEVICE_ int cmk_point_ring_column_(const cmk_point_place_ *p, cmk_point_ring_ ring)
{
    return p->column - (int)threadIdx.x * p->lanes - ring.left;
}

/* an element that no copy brings: the outside, or a sample turned about it */
CMK_DEVICE_ void cmk_point_put_(char *to, const char *from, cmk_point_field_ f, const void *outside)
{
    char value[16];
    if (from == NULL) {
        memcpy(value, outside, (size_t)f.size);
    } else {
        cmk_point_load_(value, from, f.size, f);
        cmk_point_turn_(value, outside, f.size);
    }
    cmk_load_store_value_(to, value, f.size);
}

/* Where vector i of a thread comes from: its elements, and whether they lie as a vector in memory, or nowhere. */
typedef struct {
    cmk_point_source_ row, column[16];
    int vector, outside;
} cmk_point_sources_;

CMK_DEVICE_ cmk_point_sources_ cmk_point_sources_of_(cmk_point_field_ f, const cmk_point_place_ *p, int i)
{
    const cmk_point_ring_ ring = cmk_point_ring_of_(f.shape, f.size, p->lanes, p->tile_rows);
    const int x = cmk_point_ring_column_(p, ring) + cmk_point_line_column_(ring, p->lanes, i);
    cmk_point_sources_ s;
    s.row = cmk_point_source_of_(CMK_EDGE_ROW(f.edge),
                                 cmk_point_ring_row_(f, p) + cmk_point_line_row_(ring, p->lanes, i), p->rows);
    s.vector = s.row.at >= 0 && !s.row.odd;
    s.outside = 1;
    CMK_UNROLL
    for (int k = 0; k < p->lanes; ++k) {
        s.column[k] = cmk_point_source_of_(CMK_EDGE_COLUMN(f.edge), x + k, p->columns);
        s.vector &= s.column[k].at == s.column[0].at + k && !s.column[k].odd;
        s.outside &= s.column[k].at < 0;
    }
    s.vector &= s.column[0].at >= 0 && s.column[0].at % p->lanes == 0;
    s.outside |= s.row.at < 0;
    return s;
}

/* finds them, and writes to all stages of the rings what is outside in every plane: memory is that of the first ring */
CMK_DEVICE_ void cmk_point_find_(cmk_point_lines_ *lines, char *memory, int *at, cmk_point_field_ f,
                                 cmk_point_layout_ layout, cmk_point_place_ p)
{
    const cmk_point_ring_ ring = cmk_point_ring_of_(f.shape, f.size, p.lanes, p.tile_rows);
    if (!cmk_point_ringed_(f)) return;
    lines->needed = lines->whole = lines->outside = 0;
    CMK_UNROLL
    for (int i = 0; i <= ring.each; ++i) {
        const cmk_point_sources_ s = cmk_point_sources_of_(f, &p, i);
        const int row = cmk_point_line_row_(ring, p.lanes, i), needed = row < ring.rows;
        lines->from[i] = (s.row.at * layout.row_pitch + s.column[0].at) * f.size;
        lines->to[i] = row * ring.row_bytes + cmk_point_line_column_(ring, p.lanes, i) * f.size;
        lines->needed |= (unsigned)needed << i;
        lines->whole |= (unsigned)s.vector << i;
        lines->outside |= (unsigned)s.outside << i;
        CMK_NO_UNROLL
        for (int n = 0; needed && s.outside && n < f.count * ring.stages * p.lanes; ++n)
            cmk_point_put_(memory + *at + n / p.lanes * ring.plane_bytes + lines->to[i] + n % p.lanes * f.size, NULL, f,
                           layout.outside);
    }
    *at += f.count * ring.bytes;
}

/* the elements of vector i of the thread where they are no vector; plane is that from which they come, or nothing */
CMK_DEVICE_ void cmk_point_copy_elements_(char *to, const char *plane, cmk_point_field_ f, cmk_point_layout_ layout,
                                          const cmk_point_place_ *p, int i, int odd)
{
    const cmk_point_sources_ s = cmk_point_sources_of_(f, p, i);
    CMK_UNROLL
    for (int k = 0; k < p->lanes; ++k) {
        const int outside = plane == NULL || s.row.at < 0 || s.column[k].at < 0;
        const char *const at = outside ? NULL : plane + (s.row.at * layout.row_pitch + s.column[k].at) * f.size;
        if (outside || (odd ^ s.row.odd ^ s.column[k].odd))
            cmk_point_put_(to + k * f.size, at, f, layout.outside);
        else
            cmk_fill_async_(f.size, to + k * f.size, at, 1);
    }
}

CMK_DEVICE_ void cmk_point_copy_plane_(char *to, const char *plane, cmk_point_field_ f, cmk_point_layout_ layout,
                                       const cmk_point_place_ *p, const cmk_point_lines_ *lines, int odd)
{
    const cmk_point_ring_ ring = cmk_point_ring_of_(f.shape, f.size, p->lanes, p->tile_rows);
    const unsigned whole = plane != NULL && !odd ? lines->whole : 0;
    const unsigned rest = lines->needed & ~lines->outside & ~whole;
    CMK_UNROLL
    for (int i = 0; i <= ring.each; ++i) {
        CMK_TURN_(i);
        if (whole & lines->needed & 1u << i)
            cmk_fill_async_(p->lanes * f.size, to + lines->to[i], plane + lines->from[i], 1);
    }
    if (rest != 0) {
        CMK_UNROLL
        for (int i = 0; i <= ring.each; ++i) {
            CMK_TURN_(64 + i);
            if (rest & 1u << i) cmk_point_copy_elements_(to + lines->to[i], plane, f, layout, p, i, odd);
        }
    }
    CMK_TURN_(-1);
}

/* starts the copy of the plane that arrives in `later` steps; *at is the offset of the field's ring, and becomes that
 * of the next field's */
CMK_DEVICE_ void cmk_point_copy_(const cmk_point_march_ *march, int *at, const cmk_point_lines_ *lines,
                                 const void *sources, cmk_point_field_ f, cmk_point_layout_ layout, cmk_point_place_ p,
                                 int later)
{
    const cmk_point_ring_ ring = cmk_point_ring_of_(f.shape, f.size, p.lanes, p.tile_rows);
    if (!cmk_point_ringed_(f)) return;
    const cmk_point_source_ plane =
        cmk_point_source_of_(CMK_EDGE_PLANE(f.edge), p.plane + later + ring.along, p.planes);
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) {
        char *const to = march->memory + *at + k * ring.bytes + (march->step + later) % ring.stages * ring.plane_bytes;
        const char *const from = cmk_point_pointer_at_(sources, k);
        cmk_point_copy_plane_(to, plane.at < 0 ? NULL : from + plane.at * layout.plane_pitch * f.size, f, layout, &p,
                              lines, plane.odd);
    }
    *at += f.count * ring.bytes;
}

/* from a plane of the ring, the vector at row y and column x of the thread's points */
CMK_DEVICE_ void cmk_point_read_(char *to, const char *plane, cmk_point_field_ f, const cmk_point_place_ *p,
                                 cmk_point_ring_ ring, int y, int x)
{
    const int row = (int)threadIdx.y * p->tile_rows + y + CMK_POINT_ROWS_OF_(f.shape);
    const int column = (int)threadIdx.x * p->lanes + x + ring.left;
    cmk_load_plain_value_(to, plane + row * ring.row_bytes + column * f.size, p->lanes * f.size);
}

/* what has arrived: of a plane ahead, and of a star beside the points */
CMK_DEVICE_ void cmk_point_arrive_(char *window, const char *memory, cmk_point_field_ f, cmk_point_place_ p, int step,
                                   int lags)
{
    const cmk_point_ring_ ring = cmk_point_ring_of_(f.shape, f.size, p.lanes, p.tile_rows);
    const cmk_point_reach_ reach = cmk_point_reach_of_(f, &p);
    const char *const ahead = memory + step % ring.stages * ring.plane_bytes;
    const char *const here = memory + (step + ring.stages - ring.along) % ring.stages * ring.plane_bytes;
    const int star = f.shape >= 0x1000;
    CMK_UNROLL
    for (int y = -reach.rows; y < p.tile_rows + reach.rows; ++y) CMK_UNROLL
    for (int x = -reach.columns; x <= reach.columns; x += p.lanes) {
        const int beside = (y < 0 || y >= p.tile_rows) + (x != 0);
        CMK_TURN_((y + 8) * 64 + x + 16);
        if (!star || beside == 0)
            cmk_point_read_(window + cmk_point_at_(f, &p, ring.along, y, x), ahead, f, &p, ring, y, x);
        else if (beside == 1 && !lags)
            cmk_point_read_(window + cmk_point_at_(f, &p, 0, y, x), here, f, &p, ring, y, x);
    }
    CMK_TURN_(-1);
}

/* the windows of a field for the points of the place, and what arrives ahead */
CMK_DEVICE_ void cmk_point_receive_(void *windows, size_t bytes, const cmk_point_march_ *march, int *at,
                                    const void *sources, cmk_point_field_ f, cmk_point_layout_ layout,
                                    cmk_point_place_ p)
{
    const cmk_point_ring_ ring = cmk_point_ring_of_(f.shape, f.size, p.lanes, p.tile_rows);
    cmk_point_place_ ahead = p;
    ahead.z = 1;
    ahead.plane += 1;
    if (!cmk_point_ringed_(f)) {
        if (ahead.plane >= march->first && ahead.plane < march->end)
            cmk_point_fill_(windows, bytes, sources, f, layout, ahead);
        return;
    }
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k)
        cmk_point_arrive_(cmk_point_part_(windows, bytes, f, k), march->memory + *at + k * ring.bytes, f, p,
                          march->step, p.plane < march->first);
    *at += f.count * ring.bytes;
}

/* the windows move by a plane */
CMK_DEVICE_ void cmk_point_shift_(void *windows, size_t bytes, cmk_point_field_ f, cmk_point_place_ p)
{
    const cmk_point_reach_ reach = cmk_point_reach_of_(f, &p);
    const int star = f.shape >= 0x1000, rows = star ? 0 : reach.rows, columns = star ? 0 : reach.columns;
    const int along = reach.planes, last = cmk_point_ringed_(f) ? along : 1;
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) CMK_UNROLL
    for (int z = -along; z < last; ++z) CMK_UNROLL
    for (int y = -rows; y < p.tile_rows + rows; ++y) CMK_UNROLL
    for (int x = -columns; x < p.lanes + columns; ++x) {
        char *const window = cmk_point_part_(windows, bytes, f, k);
        memcpy(window + cmk_point_at_(f, &p, z, y, x), window + cmk_point_at_(f, &p, z + 1, y, x), (size_t)f.size);
    }
}

#endif
