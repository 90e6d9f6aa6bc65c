/* kernel/point/ring.h: a block that goes along the planes of a 3D grid. The planes of a field with neighbours arrive in
 * a ring in shared memory, cmk_point_ahead_ of them under way, with every edge; from there a thread reads into its
 * windows, whose planes move by one in registers: of a box all of an arriving plane, of a star the thread's own points,
 * and what is beside them when the plane is that of the points. Fields without neighbours are loaded with the points.
 */
#ifndef CMK_KERNEL_POINT_RING_H
#define CMK_KERNEL_POINT_RING_H

#include "../../fill.h"
#include "../../tile.h"
#include "window.h"

/* the march of a block: its first plane and the end; whether no point of it reaches an edge along rows and columns */
typedef struct {
    char *memory;
    int first, end, inside;
} cmk_point_march_;

/* whether the points of the block, of which p is the thread's tile, belong to the part, and with reach beside them to
 * the grid: along rows and columns */
CMK_DEVICE_ int cmk_point_inside_block_(const cmk_point_task_ *task, int reach, cmk_point_place_ p)
{
    p.row -= (int)threadIdx.y * p.tile_rows;
    p.tile_rows *= cmk_point_ring_warps_;
    return cmk_point_inside_rows_(task, reach, &p);
}

CMK_DEVICE_ cmk_point_march_ cmk_point_march_of_(const cmk_point_task_ *task, cmk_point_definition_ d,
                                                 const cmk_point_place_ *p, char *memory)
{
    const int end = p->plane + task->deep;
    const cmk_point_march_ march = {memory, p->plane, end < task->planes.end ? end : task->planes.end,
                                    cmk_point_inside_block_(task, d.reach, *p)};
    return march;
}

/* What a thread copies of each plane: a vector in each of some rows of its warp, and one of those beside them, which
 * all threads of the block share. */
typedef struct {
    unsigned from, beside;  /* bytes in a plane of the field, of the first vector and of the last */
    unsigned whole, folded; /* a bit for each: copied from there; from elsewhere, or an element at a time */
    int slot;               /* the plane of the ring that arrives */
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

/* its bytes in a plane of the ring */
CMK_DEVICE_ int cmk_point_line_(cmk_point_ring_ ring, cmk_point_field_ f, int lanes, int i)
{
    return cmk_point_line_row_(ring, lanes, i) * ring.row_bytes + cmk_point_line_column_(ring, lanes, i) * f.size;
}

/* where its row, and element k of it, come from */
CMK_DEVICE_ cmk_point_source_ cmk_point_row_source_(cmk_point_ring_ ring, cmk_point_field_ f, const cmk_point_place_ *p,
                                                    int i)
{
    const int first = p->row - (int)threadIdx.y * p->tile_rows - CMK_POINT_ROWS_OF_(f.shape);
    return cmk_point_source_of_(CMK_EDGE_ROW(f.edge), first + cmk_point_line_row_(ring, p->lanes, i), p->rows);
}

CMK_DEVICE_ cmk_point_source_ cmk_point_column_source_(cmk_point_ring_ ring, cmk_point_field_ f,
                                                       const cmk_point_place_ *p, int i, int k)
{
    const int first = p->column - (int)threadIdx.x * p->lanes - ring.left;
    return cmk_point_source_of_(CMK_EDGE_COLUMN(f.edge), first + cmk_point_line_column_(ring, p->lanes, i) + k,
                                p->columns);
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

/* where vector i of a thread comes from: its row, its first element, and whether the others lie behind it in memory,
 * or are nowhere */
typedef struct {
    cmk_point_source_ row, column;
    int vector, outside;
} cmk_point_sources_;

CMK_DEVICE_ cmk_point_sources_ cmk_point_sources_of_(cmk_point_ring_ ring, cmk_point_field_ f,
                                                     const cmk_point_place_ *p, int i)
{
    cmk_point_sources_ s = {cmk_point_row_source_(ring, f, p, i), cmk_point_column_source_(ring, f, p, i, 0), 0, 1};
    s.vector = s.row.at >= 0 && !s.row.odd && s.column.at >= 0 && s.column.at % p->lanes == 0;
    CMK_UNROLL
    for (int k = 0; k < p->lanes; ++k) {
        const cmk_point_source_ column = cmk_point_column_source_(ring, f, p, i, k);
        s.vector &= column.at == s.column.at + k && !column.odd;
        s.outside &= column.at < 0;
    }
    s.outside |= s.row.at < 0;
    return s;
}

/* finds them, and writes to all planes of the rings what is outside in every plane: memory is that of the first */
CMK_DEVICE_ void cmk_point_find_(cmk_point_lines_ *lines, char *memory, int *at, cmk_point_field_ f,
                                 cmk_point_layout_ layout, cmk_point_place_ p)
{
    const cmk_point_ring_ ring = cmk_point_ring_of_(f.shape, f.size, p.lanes, p.tile_rows);
    const int first = p.row - (int)threadIdx.y * p.tile_rows - CMK_POINT_ROWS_OF_(f.shape);
    if (!cmk_point_ringed_(f)) return;
    lines->whole = lines->folded = 0;
    lines->slot = 0;
    CMK_UNROLL
    for (int i = 0; i <= ring.each; ++i) {
        const cmk_point_sources_ s = cmk_point_sources_of_(ring, f, &p, i);
        const int row = cmk_point_line_row_(ring, p.lanes, i), needed = row < ring.rows;
        const unsigned whole = s.vector && s.row.at == first + row;
        if (i == 0 || i == ring.each)
            *(i == 0 ? &lines->from : &lines->beside) =
                (unsigned)(((first + row) * layout.row_pitch + s.column.at) * f.size);
        lines->whole |= (needed && whole ? 1u : 0u) << i;
        lines->folded |= (needed && !whole && !s.outside ? 1u : 0u) << i;
        CMK_NO_UNROLL
        for (int n = 0; needed && s.outside && n < f.count * ring.stages * p.lanes; ++n)
            cmk_point_put_(memory + *at + n / p.lanes * ring.plane_bytes + cmk_point_line_(ring, f, p.lanes, i) +
                               n % p.lanes * f.size,
                           NULL, f, layout.outside);
    }
    *at += f.count * ring.bytes;
}

/* vector i of the thread where it does not lie in memory as it is; plane is that from which it comes, or nothing */
CMK_DEVICE_ void cmk_point_copy_folded_(char *to, const char *plane, cmk_point_field_ f, cmk_point_layout_ layout,
                                        const cmk_point_place_ *p, int i, int odd)
{
    const cmk_point_ring_ ring = cmk_point_ring_of_(f.shape, f.size, p->lanes, p->tile_rows);
    const cmk_point_sources_ s = cmk_point_sources_of_(ring, f, p, i);
    const cmk_i64 row = s.row.at * layout.row_pitch;
    if (plane != NULL && !odd && s.vector) {
        CMK_POINT_NAMED_(f, cmk_fill_async_(p->lanes * f.size, to, plane + (row + s.column.at) * f.size, 1));
        return;
    }
    CMK_NO_UNROLL
    for (int k = 0; k < p->lanes; ++k) {
        const cmk_point_source_ column = cmk_point_column_source_(ring, f, p, i, k);
        const int outside = plane == NULL || s.row.at < 0 || column.at < 0;
        if (outside || (odd ^ s.row.odd ^ column.odd))
            cmk_point_put_(to + k * f.size, outside ? NULL : plane + (row + column.at) * f.size, f, layout.outside);
        else
            CMK_POINT_NAMED_(f, cmk_fill_async_(f.size, to + k * f.size, plane + (row + column.at) * f.size, 1));
    }
}

/* The loop over what is folded stays a loop: what it computes would be kept in registers from plane to plane. */
CMK_DEVICE_ void cmk_point_copy_plane_(char *to, const char *plane, cmk_point_field_ f, cmk_point_layout_ layout,
                                       const cmk_point_place_ *p, const cmk_point_lines_ *lines, int odd)
{
    const cmk_point_ring_ ring = cmk_point_ring_of_(f.shape, f.size, p->lanes, p->tile_rows);
    const int as_it_is = plane != NULL && !odd;
    const unsigned whole = as_it_is ? lines->whole : 0, rest = lines->folded | (as_it_is ? 0 : lines->whole);
    unsigned from = lines->from;
    CMK_UNROLL
    for (int i = 0; i <= ring.each; ++i) {
        CMK_TURN_(i);
        if (i == ring.each) from = lines->beside;
        if (whole & 1u << i)
            CMK_POINT_NAMED_(
                f, cmk_fill_async_(p->lanes * f.size, to + cmk_point_line_(ring, f, p->lanes, i), plane + from, 1));
        from += (unsigned)(cmk_point_ring_warps_ * layout.row_pitch * f.size);
    }
    CMK_NO_UNROLL
    for (int i = 0; rest >> i != 0; ++i) {
        CMK_TURN_(64 + i);
        if (rest >> i & 1)
            cmk_point_copy_folded_(to + cmk_point_line_(ring, f, p->lanes, i), plane, f, layout, p, i, odd);
    }
    CMK_TURN_(-1);
}

/* a plane of a ring, so many before or behind another */
CMK_DEVICE_ int cmk_point_slot_(cmk_point_ring_ ring, int slot, int later)
{
    const int moved = slot + later;
    return moved < 0 ? moved + ring.stages : moved >= ring.stages ? moved - ring.stages : moved;
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
        const int at_slot = *at + k * ring.bytes + cmk_point_slot_(ring, lines->slot, later) * ring.plane_bytes;
        const char *const from = cmk_point_pointer_at_(sources, k);
        cmk_point_copy_plane_(march->memory + at_slot,
                              plane.at < 0 ? NULL : from + plane.at * layout.plane_pitch * f.size, f, layout, &p, lines,
                              plane.odd);
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

/* what has arrived: of the plane ahead, and of a star what is beside its points */
CMK_DEVICE_ void cmk_point_arrive_(char *window, const char *memory, const cmk_point_lines_ *lines, cmk_point_field_ f,
                                   cmk_point_place_ p, int before)
{
    const cmk_point_ring_ ring = cmk_point_ring_of_(f.shape, f.size, p.lanes, p.tile_rows);
    const cmk_point_reach_ reach = cmk_point_reach_of_(f, &p);
    const char *const ahead = memory + lines->slot * ring.plane_bytes;
    const char *const here = memory + cmk_point_slot_(ring, lines->slot, -ring.along) * ring.plane_bytes;
    const int star = f.shape >= 0x1000;
    CMK_UNROLL
    for (int y = -reach.rows; y < p.tile_rows + reach.rows; ++y) CMK_UNROLL
    for (int x = -reach.columns; x <= reach.columns; x += p.lanes) {
        const int beside = (y < 0 || y >= p.tile_rows) + (x != 0);
        CMK_TURN_((y + 8) * 64 + x + 16);
        if (!star || beside == 0)
            cmk_point_read_(window + cmk_point_at_(f, &p, ring.along, y, x), ahead, f, &p, ring, y, x);
        else if (beside == 1 && !before)
            cmk_point_read_(window + cmk_point_at_(f, &p, 0, y, x), here, f, &p, ring, y, x);
    }
    CMK_TURN_(-1);
}

/* What arrives of a field for the points of the place, a plane ahead, and, but before the first points, what is beside
 * them. The next plane of the ring is then awaited. */
CMK_DEVICE_ void cmk_point_receive_(void *windows, size_t bytes, const cmk_point_march_ *march, int *at,
                                    cmk_point_lines_ *lines, cmk_point_field_ f, cmk_point_place_ p, int before)
{
    const cmk_point_ring_ ring = cmk_point_ring_of_(f.shape, f.size, p.lanes, p.tile_rows);
    if (!cmk_point_ringed_(f)) return;
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k)
        cmk_point_arrive_(cmk_point_part_(windows, bytes, f, k), march->memory + *at + k * ring.bytes, lines, f, p,
                          before);
    lines->slot = cmk_point_slot_(ring, lines->slot, 1);
    *at += f.count * ring.bytes;
}

/* the windows move by a plane */
CMK_DEVICE_ void cmk_point_shift_(void *windows, size_t bytes, cmk_point_field_ f, cmk_point_place_ p)
{
    const cmk_point_reach_ reach = cmk_point_reach_of_(f, &p);
    const int star = f.shape >= 0x1000, rows = star ? 0 : reach.rows, columns = star ? 0 : reach.columns;
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) CMK_UNROLL
    for (int z = -reach.planes; z < reach.planes; ++z) CMK_UNROLL
    for (int y = -rows; y < p.tile_rows + rows; ++y) CMK_UNROLL
    for (int x = -columns; x < p.lanes + columns; ++x) {
        char *const window = cmk_point_part_(windows, bytes, f, k);
        memcpy(window + cmk_point_at_(f, &p, z, y, x), window + cmk_point_at_(f, &p, z + 1, y, x), (size_t)f.size);
    }
}

#endif
