/* kernel/point/window.h: the windows of a thread: what is around its points, read from global memory with every edge;
 * and what an update set, written back.
 *
 * All of it goes by bytes, so that it serves fields of any type.
 *
 * In all functions here, which each thread calls for itself:
 *   f         cmk_point_field_ (grid.h), known at compile time: f.count fields of one name; f.size and f.alignment are
 *             bytes of an element, f.shape and f.edge a SHAPE and an EDGE of point.h
 *   p         cmk_point_place_ (point.h): the thread's tile, at p->plane, p->row, p->column of the grid. dims, way and
 *             the planes, rows and lanes of p->tile are known at compile time. sure: all points are of the part. The
 *             way is that of a tile, of a ring in shared memory, which is a march, or of a pass of several steps
 *   layout    cmk_point_layout_ (below): the pitches in elements, and the address of the value outside
 *   z, y, x   planes, rows and columns from the tile's first point, below 0 before it; in a window they are known at
 *             compile time, and 0, 0, 0 is the tile's first point
 *   window    the window of one field, an array in registers; windows, those of all f.count fields, `bytes` bytes long
 *   from, to  addresses in bytes; in functions that fill a window, from is element (0, 0, 0) of the field in memory
 *   outside   the address of the value that stands for the outside of the grid. A sample is turned about it by an odd
 *             edge: it becomes 2 * outside - sample. odd is 1 there
 *   CMK_TURN_ (base.h) names the turn of a loop for the counters of the CPU backend, -1 for none. The numbers are only
 *             names, which differ from turn to turn
 *   lanes     of p->tile, 1 to 16. With more than 1 every element has 1, 2, 4 or 8 bytes, and a vector, lanes * f.size,
 *             has 2, 4, 8 or 16 (grid.h). Rows that are not aligned have more than 1. With 1 an element has any size
 *   edges     CMK_EDGE_PLANE, ROW and COLUMN(f.edge) are the edges of one axis, CMK_EDGE_LOW_ and HIGH_ the modes of
 *             its sides. Modes from CMK_EDGE_MIRROR_ODD on are the odd ones, which only float and double have
 *   others    cmk_point_index_ (point.h) is the element of a window at an offset, cmk_point_output_ the number of a
 *             point among the thread's, below cmk_point_most_. CMK_POINT_UP_(a, b) is a rounded up to a multiple of b
 *   f.shape   from 0x1000 on a star; CMK_POINT_PLANES_OF_, ROWS_OF_ and COLUMNS_OF_ give its reach, 0 to 8 each
 *   p.way     cmk_point_in_tile_, cmk_point_in_ring_ for a march, or cmk_point_in_pass_. p.inside: none of the points
 *             reaches an edge
 *   grid.h    cmk_point_move_ moves a place. cmk_point_mine_row_: bit x is 1 where point x of the row is of the part
 *   loops     CMK_UNROLL unrolls the next one completely, CMK_NO_UNROLL not at all. CMK_INLINED_: an inlined device
 *             function
 *
 * Vectors of aligned rows are at multiples of their bytes (grid.h). Each buffer is at a multiple of f.alignment, else
 * the call is refused (refuse.h), so that elements go in pieces of that. It must be at most 16; no check says so.
 */
#ifndef CMK_KERNEL_POINT_WINDOW_H
#define CMK_KERNEL_POINT_WINDOW_H

#include "../../edge.h"
#include "../../load.h"
#include "grid.h"

/* Runs `move`, which reads or writes memory of field f. Meanwhile the CPU backend knows the field's name, for what it
 * says of a failure. For nvcc it is `move` alone. */
#if defined(__CUDACC__)
#define CMK_POINT_NAMED_(f, move) move
#else
#define CMK_POINT_NAMED_(f, move) (cmk_host_name_field_((f).name), move, cmk_host_name_field_(NULL))
#endif

/* The pitches of a field, in elements from row to row and from plane to plane, and the value that stands for the
 * outside. */
typedef struct {
    cmk_i64 row_pitch, plane_pitch;
    const void *outside;
} cmk_point_layout_;

/* Returns a field made of constants that are passed one by one. A compiler has these in registers before it has a
 * constant struct there. */
CMK_INLINED_ cmk_point_field_ cmk_point_field_of_(int size, int alignment, int count, int shape, int edge, int written,
                                                  int kind, const char *name)
{
    const cmk_point_field_ f = {size, alignment, count, shape, edge, written, kind, 0, name};
    return f;
}

/* Returns the layout of a field from the members of a grid: its pitches, in elements, and the address of its
 * field_outside. */
CMK_INLINED_ cmk_point_layout_ cmk_point_layout_of_(size_t row_pitch, size_t plane_pitch, const void *outside)
{
    const cmk_point_layout_ layout = {(cmk_i64)row_pitch, (cmk_i64)plane_pitch, outside};
    return layout;
}

/* Returns the offset of point (z, y, x) of the tile from the first element of the field, in elements. In a pass, far
 * from edges, p->at is that of the first point. Where planes go through shared memory, 32 bits hold the offset in a
 * plane and the pitch of planes. */
CMK_INLINED_ cmk_i64 cmk_point_offset_(cmk_point_layout_ layout, const cmk_point_place_ *p, int z, int y, int x)
{
    const unsigned row = (unsigned)(p->row + y), column = (unsigned)(p->column + x), plane = (unsigned)(p->plane + z);
    if (p->way == cmk_point_in_pass_ && p->inside) return p->at + z * layout.plane_pitch + y * layout.row_pitch + x;
    if (p->way == cmk_point_in_ring_)
        return (cmk_i64)((size_t)plane * (unsigned)layout.plane_pitch + (row * (unsigned)layout.row_pitch + column));
    return (p->plane + z) * layout.plane_pitch + (p->row + y) * layout.row_pitch + p->column + x;
}

/* Returns the bytes that one access moves of `bytes` bytes: all of a vector, or, of an element, a piece that has the
 * alignment of its type, but no more than 16 bytes. */
CMK_INLINED_ int cmk_point_each_(int bytes, cmk_point_field_ f)
{
    return bytes > f.size ? bytes : f.alignment < 16 ? f.alignment : 16;
}

/* Loads `bytes` bytes of global memory: a vector at once, or an element in pieces, by cmk_point_each_. It goes by the
 * read-only cache unless the launch writes the field, f.written. What is read of such a field may be what another
 * thread writes, and is not used then. cmk_load_value_ and the like (load.h) move 1, 2, 4, 8 or 16 bytes between a
 * local variable and memory that is aligned to that number. */
CMK_INLINED_ void cmk_point_load_(void *to, const void *from, int bytes, cmk_point_field_ f)
{
    const int each = cmk_point_each_(bytes, f);
    CMK_UNROLL
    for (int at = 0; at < bytes; at += each) {
        if (f.written)
            CMK_POINT_NAMED_(f, cmk_load_in_place_value_((char *)to + at, (const char *)from + at, each));
        else
            CMK_POINT_NAMED_(f, cmk_load_value_((char *)to + at, (const char *)from + at, each));
    }
}

/* Stores `bytes` bytes to global memory, by the same pieces. */
CMK_INLINED_ void cmk_point_store_bytes_(void *to, const void *from, int bytes, cmk_point_field_ f)
{
    const int each = cmk_point_each_(bytes, f);
    CMK_UNROLL
    for (int at = 0; at < bytes; at += each)
        CMK_POINT_NAMED_(f, cmk_load_store_value_((char *)to + at, (const char *)from + at, each));
}

/* Copies `count` elements from window to window, one by one. Of several that are copied at once and are of a class, as
 * __half is, nvcc 13.0 copies only the first. */
CMK_INLINED_ void cmk_point_pass_on_(char *to, const char *from, int count, cmk_point_field_ f)
{
    CMK_UNROLL
    for (int at = 0; at < count * f.size; at += f.size) memcpy(to + at, from + at, (size_t)f.size);
}

/* Drops the first `bytes` bytes of `count` words of 32 bits, and moves the others to the front. The bytes are a
 * multiple of `unit`, and less than `vector`, the bytes of a vector: 4, 8 or 16. Of these numbers only `bytes` is not
 * known at compile time. It goes by 8 bytes, by 4 and by fewer, each where `vector` and `unit` allow that many. Callers
 * do not use the last words. */
CMK_INLINED_ void cmk_point_skip_(unsigned *words, int count, int bytes, int vector, int unit)
{
    if (vector > 8) CMK_UNROLL
    for (int i = 0; i + 2 < count; ++i) words[i] = bytes & 8 ? words[i + 2] : words[i];
    if (vector > 4 && unit < 8) CMK_UNROLL
    for (int i = 0; i + 1 < count; ++i) words[i] = bytes & 4 ? words[i + 1] : words[i];
    if (unit < 4) CMK_UNROLL
    for (int i = 0; i + 1 < count; ++i)
        words[i] = (unsigned)(((unsigned long long)words[i + 1] << 32 | words[i]) >> (bytes % 4 * 8));
}

/* The most words of the vectors that hold a row of a window: a vector of doubles, 8 doubles on both sides, and what the
 * first and the last vector hold beyond these. These are 144 bytes in 10 vectors of 16, and larger elements and radii
 * do not come here. */
enum { cmk_point_row_words_ = 40 };

/* Loads `count` elements from `from` on, of a row that is not aligned. It reads the vectors of memory that hold them,
 * of `lanes` elements each, whose other elements belong to the row too: callers stay that far from its ends. A vector
 * has 2, 4, 8 or 16 bytes. `before` is the bytes of the first vector that precede `from`, and `vectors` the most that
 * may hold the row, rounded up, as `before` is at most vector - f.alignment. Vectors of less than 4 bytes, which are no
 * word, go by elements. Elements of less than a word go by words, as it takes fewer instructions to shift a word by
 * bytes than a vector by words. */
CMK_INLINED_ void cmk_point_load_unaligned_(char *to, const char *from, int count, cmk_point_field_ f, int lanes)
{
    const int whole = lanes * f.size, vector = whole > 4 && f.alignment < 4 ? 4 : whole;
    const int bytes = count * f.size, vectors = (bytes + 2 * vector - 1 - f.alignment) / vector;
    const size_t before = (size_t)from % (size_t)vector;
    unsigned words[cmk_point_row_words_];
    if (vector < 4) {
        CMK_UNROLL
        for (int k = 0; k < count; ++k) cmk_point_load_(to + k * f.size, from + k * f.size, f.size, f);
        return;
    }
    CMK_UNROLL
    for (int k = 0; k < vectors; ++k) cmk_point_load_(words + k * (vector / 4), from - before + k * vector, vector, f);
    cmk_point_skip_(words, vectors * vector / 4, (int)before, vector, f.alignment);
    memcpy(to, words, (size_t)bytes);
}

CMK_WITHIN_BEGIN_
/* Replaces *value, a float or a double, by 2 x outside - *value. The size is its bytes; other sizes, which have no odd
 * edges, stay. CMK_WITHIN_BEGIN_ and END_ (base.h) turn off a wrong warning of gcc, of an overflow. */
CMK_INLINED_ void cmk_point_turn_(void *value, const void *outside, int size)
{
    if (size == 4)
        *(float *)value = 2.0f * *(const float *)outside - *(const float *)value;
    else if (size == 8)
        *(double *)value = 2.0 * *(const double *)outside - *(const double *)value;
}
CMK_WITHIN_END_

/* Where an element of an axis comes from. The index `at` is from 0 to the axis's count - 1, or -1 for the outside,
 * which is no index. odd is 1 where the sample is turned about the outside. */
typedef struct {
    int at, odd;
} cmk_point_source_;

/* Returns where element i of an axis of `count` elements comes from; the edge is that of one axis. Element i may be far
 * outside. The edge of the side where it is folds it, one reflection or period after the other; two turns are none.
 * Here `beyond` is 1 where mirrors count the outermost element twice; `alone`, where the axis has one element, which
 * then stands for all others, and the mode is no mirror. */
CMK_INLINED_ cmk_point_source_ cmk_point_source_of_(int edge, int i, int count)
{
    const int mode = i < 0 ? CMK_EDGE_LOW_(edge) : CMK_EDGE_HIGH_(edge), odd = mode >= CMK_EDGE_MIRROR_ODD;
    const int beyond = mode == CMK_EDGE_MIRROR || mode == CMK_EDGE_MIRROR_ODD, alone = count == 1 && !beyond;
    cmk_point_source_ source = {i, 0};
    if (i >= 0 && i < count) return source;
    if (mode == CMK_EDGE_ZERO) {
        source.at = -1;
        return source;
    }
    if (mode == CMK_EDGE_CLAMP || alone) {
        source.at = i < 0 ? 0 : count - 1;
        return source;
    }
    CMK_NO_UNROLL
    while (source.at < 0 || source.at >= count) {
        const int low = source.at < 0;
        if (mode == CMK_EDGE_WRAP)
            source.at += low ? count : -count;
        else
            source.at = (low ? 0 : 2 * count - 2) - source.at + (low ? -beyond : beyond);
        source.odd ^= odd;
    }
    return source;
}

/* Returns whether the shape needs the vector at plane z, row y and column x of a window; the tile's first point is at
 * 0. A star needs what is in the tile, or beside it along one axis only. With an x other than 0 it is beside the tile's
 * own columns. */
CMK_INLINED_ int cmk_point_needs_(cmk_point_field_ f, const cmk_point_place_ *p, int z, int y, int x)
{
    const int beside = (z < 0 || z >= p->tile.planes) + (y < 0 || y >= p->tile.rows) + (x != 0);
    return f.shape < 0x1000 || beside <= 1;
}

/* Returns the bytes from the start of a window to the element at plane z, row y and column x of it. */
CMK_INLINED_ int cmk_point_at_(cmk_point_field_ f, const cmk_point_place_ *p, int z, int y, int x)
{
    return cmk_point_index_(f.shape, p, z, y, x) * f.size;
}

/* Returns whether some point of a skewed tile reads the vector at row y of a window whose first element is x columns
 * from the tile's first point. */
CMK_INLINED_ int cmk_point_reads_(cmk_point_field_ f, const cmk_point_place_ *p, int y, int x)
{
    int any = 0;
    CMK_UNROLL
    for (int row = 0; row < p->tile.rows; ++row) {
        const int away = row < y ? y - row : row - y, first = -cmk_point_lean_(&p->tile, row);
        const int beside = f.shape >= 0x1000 && away > 0 ? 0 : CMK_POINT_COLUMNS_OF_(f.shape);
        any |= away <= CMK_POINT_ROWS_OF_(f.shape) && x + p->tile.lanes > first - beside &&
               x < first + p->tile.lanes + beside;
    }
    return any;
}

/* How far a window reaches beyond the tile. Along the columns it is whole vectors. */
typedef struct {
    int planes, rows, columns;
} cmk_point_reach_;

/* Returns how far the window of a field reaches beyond tile p. In 2D it is 0 planes. */
CMK_INLINED_ cmk_point_reach_ cmk_point_reach_of_(cmk_point_field_ f, const cmk_point_place_ *p)
{
    const cmk_point_reach_ reach = {p->dims == 3 ? CMK_POINT_PLANES_OF_(f.shape) : 0, CMK_POINT_ROWS_OF_(f.shape),
                                    cmk_point_left_(f.shape, &p->tile)};
    return reach;
}

/* Fills the window of a tile that stays clear of every edge, and whose rows begin at vectors. The pointer `from` is to
 * element (0, 0, 0) of the field. Vector x of a row begins x columns behind the row's own first point. */
CMK_INLINED_ void cmk_point_fill_inside_(char *window, const char *from, cmk_point_field_ f, cmk_point_layout_ layout,
                                         cmk_point_place_ p)
{
    const cmk_point_reach_ reach = cmk_point_reach_of_(f, &p);
    CMK_UNROLL
    for (int z = -reach.planes; z < p.tile.planes + reach.planes; ++z) CMK_UNROLL
    for (int y = -reach.rows; y < p.tile.rows + reach.rows; ++y) CMK_UNROLL
    for (int x = -reach.columns; x <= reach.columns; x += p.tile.lanes) {
        const int column = x - cmk_point_lean_(&p.tile, y);
        const cmk_i64 at = cmk_point_offset_(layout, &p, z, y, column);
        if (p.tile.skew > 0 ? !cmk_point_reads_(f, &p, y, column) : !cmk_point_needs_(f, &p, z, y, x)) continue;
        CMK_TURN_((z + 8) * 4096 + (y + 8) * 64 + x + 16);
        cmk_point_load_(window + cmk_point_at_(f, &p, z, y, column), from + at * f.size, p.tile.lanes * f.size, f);
    }
    CMK_TURN_(-1);
}

/* Fills the window of a tile that stays clear of every edge, of rows that are not aligned. Each row is loaded as a
 * whole, with `left` columns on both sides. Of a star only the rows of the tile have these. The x of cmk_point_needs_
 * is p.tile.lanes for what is beside the tile's columns, and 0 for these. A vector has 2, 4, 8 or 16 bytes here. */
CMK_INLINED_ void cmk_point_fill_unaligned_(char *window, const char *from, cmk_point_field_ f,
                                            cmk_point_layout_ layout, cmk_point_place_ p)
{
    const cmk_point_reach_ reach = cmk_point_reach_of_(f, &p);
    CMK_UNROLL
    for (int z = -reach.planes; z < p.tile.planes + reach.planes; ++z) CMK_UNROLL
    for (int y = -reach.rows; y < p.tile.rows + reach.rows; ++y) {
        const int left = cmk_point_needs_(f, &p, z, y, p.tile.lanes) ? CMK_POINT_COLUMNS_OF_(f.shape) : 0;
        if (!cmk_point_needs_(f, &p, z, y, 0)) continue;
        CMK_TURN_((z + 8) * 64 + y + 8);
        cmk_point_load_unaligned_(window + cmk_point_at_(f, &p, z, y, -left),
                                  from + cmk_point_offset_(layout, &p, z, y, -left) * f.size, p.tile.lanes + 2 * left,
                                  f, p.tile.lanes);
    }
    CMK_TURN_(-1);
}

/* The source of a row of a window at an edge: element 0 of a row of the field, or NULL for the outside. The samples of
 * the row are turned about the outside where odd is 1. */
typedef struct {
    const char *from;
    int odd;
} cmk_point_row_;

/* Returns the source of the row at plane z and row y of a window. Two turns, by the plane and by the row, are none. An
 * index of -1 makes `at` an offset that is not used. */
CMK_INLINED_ cmk_point_row_ cmk_point_row_of_(const char *from, cmk_point_field_ f, cmk_point_layout_ layout,
                                              const cmk_point_place_ *p, int z, int y)
{
    cmk_point_source_ plane = {p->plane, 0};
    if (p->dims == 3) plane = cmk_point_source_of_(CMK_EDGE_PLANE(f.edge), p->plane + z, p->planes);
    const cmk_point_source_ row = cmk_point_source_of_(CMK_EDGE_ROW(f.edge), p->row + y, p->rows);
    const cmk_i64 at = plane.at * layout.plane_pitch + row.at * layout.row_pitch;
    const cmk_point_row_ r = {plane.at < 0 || row.at < 0 ? NULL : from + at * f.size, plane.odd ^ row.odd};
    return r;
}

/* Room for an element, or a vector, of up to 16 bytes; the doubles align it for a float or a double in it. */
typedef union {
    double aligned[2];
    char bytes[16];
} cmk_point_held_;

/* Reads one element of row r, from the column of source, turned where one of the two is odd. Where the row or the
 * column is outside, it is the outside value. */
CMK_INLINED_ void cmk_point_element_(char *to, cmk_point_row_ r, cmk_point_field_ f, const void *outside,
                                     cmk_point_source_ source)
{
    if (r.from == NULL || source.at < 0) {
        memcpy(to, outside, (size_t)f.size);
        return;
    }
    cmk_point_load_(to, r.from + (cmk_i64)source.at * f.size, f.size, f);
    if (r.odd ^ source.odd) cmk_point_turn_(to, outside, f.size);
}

/* Reads one element of row r into a window. The window is written in one place only, as nvcc keeps windows in registers
 * only while few places write them. Elements of more than 16 bytes have no room in `value`, and go there directly. */
CMK_INLINED_ void cmk_point_fill_element_(char *to, cmk_point_row_ r, cmk_point_field_ f, const void *outside,
                                          cmk_point_source_ source)
{
    cmk_point_held_ value;
    if (f.size > (int)sizeof value) {
        cmk_point_element_(to, r, f, outside, source);
        return;
    }
    cmk_point_element_(value.bytes, r, f, outside, source);
    memcpy(to, value.bytes, (size_t)f.size);
}

/* Fills the row at plane z and row y of a window at an edge. Vectors inside the grid are read at once; of others only
 * the elements that the shape needs are read. The array `columns` has the source of each element of the row, from the
 * leftmost vector on. */
CMK_INLINED_ void cmk_point_fill_row_(char *window, cmk_point_row_ r, cmk_point_field_ f, const void *outside,
                                      const cmk_point_source_ *columns, cmk_point_place_ p, int z, int y)
{
    const int reach = CMK_POINT_COLUMNS_OF_(f.shape), left = CMK_POINT_UP_(reach, p.tile.lanes);
    CMK_UNROLL
    for (int x = -left; x <= left; x += p.tile.lanes) {
        const int column = p.column + x;
        char *const to = window + cmk_point_at_(f, &p, z, y, x);
        if (!cmk_point_needs_(f, &p, z, y, x)) continue;
        CMK_TURN_((z + 8) * 4096 + (y + 8) * 64 + x + 16);
        if (p.tile.aligned && p.tile.lanes > 1 && r.from != NULL && !r.odd && column >= 0 &&
            column <= p.columns - p.tile.lanes) {
            cmk_point_load_(to, r.from + (cmk_i64)column * f.size, p.tile.lanes * f.size, f);
            continue;
        }
        CMK_UNROLL
        for (int k = 0; k < p.tile.lanes; ++k)
            if (x + k >= -reach && x + k < p.tile.lanes + reach)
                cmk_point_fill_element_(to + k * f.size, r, f, outside, columns[left + x + k]);
    }
    CMK_TURN_(-1);
}

/* Fills the window of a tile that may reach any edge, or be partly outside, such as a slice of a tile. The sources of a
 * row's columns are the same for all rows. They are at most 16 lanes, and 16 columns on both sides, as 8 are rounded up
 * to vectors. Sources of columns that the shape does not need are not set. */
CMK_INLINED_ void cmk_point_fill_edge_(char *window, const char *from, cmk_point_field_ f, cmk_point_layout_ layout,
                                       cmk_point_place_ p)
{
    const cmk_point_reach_ reach = cmk_point_reach_of_(f, &p);
    const int needed = CMK_POINT_COLUMNS_OF_(f.shape);
    cmk_point_source_ columns[3 * 16];
    CMK_UNROLL
    for (int x = -needed; x < p.tile.lanes + needed; ++x)
        columns[reach.columns + x] = cmk_point_source_of_(CMK_EDGE_COLUMN(f.edge), p.column + x, p.columns);
    CMK_UNROLL
    for (int z = -reach.planes; z < p.tile.planes + reach.planes; ++z) CMK_UNROLL
    for (int y = -reach.rows; y < p.tile.rows + reach.rows; ++y)
        if (cmk_point_needs_(f, &p, z, y, 0))
            cmk_point_fill_row_(window, cmk_point_row_of_(from, f, layout, &p, z, y), f, layout.outside, columns, p, z,
                                y);
}

/* Where element i of an axis comes from, if the axis is longer than the reach. The index is inside in any case;
 * `outside` and `odd` are 0 or all bits set. No branch is taken, so that loads are in flight together. */
typedef struct {
    int at, outside, odd;
} cmk_point_nearest_;

/* Returns how far the source of element i is from it, in elements; i is outside, on the low side where low is 1, or on
 * the high one. The mode is the edge of that side. Passes of several steps (steps.h) make edges by it too. */
CMK_INLINED_ int cmk_point_way_(int mode, int i, int count, int low)
{
    if (mode == CMK_EDGE_WRAP) return low ? count : -count;
    if (mode == CMK_EDGE_MIRROR || mode == CMK_EDGE_MIRROR_ODD) return (low ? 0 : 2 * count) - 1 - 2 * i;
    if (mode == CMK_EDGE_REFLECT || mode == CMK_EDGE_REFLECT_ODD) return (low ? 0 : 2 * count - 2) - 2 * i;
    return (low ? 0 : count - 1) - i;
}

/* Returns where element i of an axis comes from, without branches; i is outside by less than the axis has elements. The
 * edge is that of one axis. The masks low and high have all bits set where i is outside on that side. */
CMK_INLINED_ cmk_point_nearest_ cmk_point_nearest_of_(int edge, int i, int count)
{
    const int first = CMK_EDGE_LOW_(edge), last = CMK_EDGE_HIGH_(edge), low = -(i < 0), high = -(i >= count);
    const int at = i + (low & cmk_point_way_(first, i, count, 1)) + (high & cmk_point_way_(last, i, count, 0));
    const int outside = (low & -(first == CMK_EDGE_ZERO)) | (high & -(last == CMK_EDGE_ZERO));
    const int odd = (low & -(first >= CMK_EDGE_MIRROR_ODD)) | (high & -(last >= CMK_EDGE_MIRROR_ODD));
    const cmk_point_nearest_ nearest = {at, outside, odd};
    return nearest;
}

CMK_WITHIN_BEGIN_
/* Replaces the bits of value by those of other, where those of mask are set. Both have `size` bytes, up to 16, as the
 * callers' fields have vectors of several elements; the mask is 0 or all bits set. */
CMK_INLINED_ void cmk_point_choose_(char *value, const char *other, int size, int mask)
{
    unsigned words[4] = {0, 0, 0, 0}, others[4] = {0, 0, 0, 0};
    memcpy(words, value, (size_t)size);
    memcpy(others, other, (size_t)size);
    CMK_UNROLL
    for (int k = 0; k < (size + 3) / 4; ++k) words[k] = (words[k] & ~(unsigned)mask) | (others[k] & (unsigned)mask);
    memcpy(value, words, (size_t)size);
}

/* Replaces *value by the outside where the mask `without` is set, and turns it about the outside where the mask
 * `turned` is set. No branch is taken. */
CMK_INLINED_ void cmk_point_mend_(char *value, cmk_point_field_ f, const void *outside, int without, int turned)
{
    cmk_point_held_ other;
    cmk_point_choose_(value, (const char *)outside, f.size, without);
    memcpy(other.bytes, value, (size_t)f.size);
    cmk_point_turn_(other.bytes, outside, f.size);
    cmk_point_choose_(value, other.bytes, f.size, turned);
}
CMK_WITHIN_END_

/* Fills one row of a window that may reach an edge, where all points of the tile are of the part. The thread's own
 * columns are one vector. The columns beside it, which may be outside, are read one by one. The cast of p->column keeps
 * its bytes from exceeding an int. Each axis is longer than the reach, so that no index is outside after one fold. Rows
 * are aligned here, as with so large windows a thread has one column in other rows (cmk_point_columns_ of grid.h). */
CMK_INLINED_ void cmk_point_fill_near_row_(char *window, const char *from, cmk_point_field_ f, cmk_point_layout_ layout,
                                           const cmk_point_place_ *p, int z, int y)
{
    const int beside = CMK_POINT_COLUMNS_OF_(f.shape), vector = p->tile.lanes * f.size;
    const cmk_point_nearest_ plane = cmk_point_nearest_of_(CMK_EDGE_PLANE(f.edge), p->plane + z, p->planes);
    const cmk_point_nearest_ row = cmk_point_nearest_of_(CMK_EDGE_ROW(f.edge), p->row + y, p->rows);
    const int without = plane.outside | row.outside, turned = plane.odd ^ row.odd;
    const char *const at = from + (plane.at * layout.plane_pitch + row.at * layout.row_pitch) * f.size;
    cmk_point_held_ values;
    if (16 % f.size != 0 || (size_t)vector > sizeof values) return; /* no vectors: these fields come another way */
    CMK_TURN_((z + 8) * 4096 + (y + 8) * 64 + 16);
    cmk_point_load_(values.bytes, at + (cmk_i64)p->column * f.size, vector, f);
    CMK_UNROLL
    for (int k = 0; k < p->tile.lanes; ++k)
        cmk_point_mend_(values.bytes + k * f.size, f, layout.outside, without, turned);
    memcpy(window + cmk_point_at_(f, p, z, y, 0), values.bytes, (size_t)vector);
    CMK_UNROLL
    for (int k = -beside; k < p->tile.lanes + beside; ++k) {
        const cmk_point_nearest_ column = cmk_point_nearest_of_(CMK_EDGE_COLUMN(f.edge), p->column + k, p->columns);
        cmk_point_held_ value;
        if ((k >= 0 && k < p->tile.lanes) || !cmk_point_needs_(f, p, z, y, p->tile.lanes)) continue;
        CMK_TURN_((z + 8) * 4096 + (y + 8) * 64 + k + 16);
        cmk_point_load_(value.bytes, at + (cmk_i64)column.at * f.size, f.size, f);
        cmk_point_mend_(value.bytes, f, layout.outside, without | column.outside, turned ^ column.odd);
        memcpy(window + cmk_point_at_(f, p, z, y, k), value.bytes, (size_t)f.size);
    }
    CMK_TURN_(-1);
}

/* Fills the window of a tile of one plane and one row that may reach an edge, where p.near_edge is set.
 * That is a constant at compile time, of 3D definitions without rings whose windows have many words. Tiles clear of
 * every edge have it too, so that it is asked before p.sure. It is one loop, as with two
 * nvcc finds too late that all of it is constant. Of a star the planes come first, row 0 among them, then the other
 * rows of plane 0. */
CMK_INLINED_ void cmk_point_fill_near_(char *window, const char *from, cmk_point_field_ f, cmk_point_layout_ layout,
                                       cmk_point_place_ p)
{
    const cmk_point_reach_ reach = cmk_point_reach_of_(f, &p);
    const int star = f.shape >= 0x1000, planes = 2 * reach.planes + 1, rows = 2 * reach.rows + 1;
    CMK_UNROLL
    for (int i = 0; i < (star ? planes + rows - 1 : planes * rows); ++i) {
        const int beside = i - planes - reach.rows;
        const int z = star ? (i < planes ? i - reach.planes : 0) : i / rows - reach.planes;
        const int y = star ? (i < planes ? 0 : beside + (beside >= 0)) : i % rows - reach.rows;
        cmk_point_fill_near_row_(window, from, f, layout, &p, z, y);
    }
}

/* Returns pointer k of those of a field, which stand one after another. */
CMK_INLINED_ char *cmk_point_pointer_at_(const void *pointers, int k)
{
    char *pointer;
    memcpy((void *)&pointer, (const char *)pointers + (size_t)k * sizeof pointer, sizeof pointer);
    return pointer;
}

/* Returns the start of array k of a field that has f.count of them one after another, `bytes` bytes together, such as
 * its windows or its values. */
CMK_INLINED_ char *cmk_point_part_(const void *all, size_t bytes, cmk_point_field_ f, int k)
{
    return (char *)all + (size_t)k * (bytes / (size_t)f.count);
}

/* Returns whether points have neighbours in a field, as its SHAPE reaches somewhere. Such a field comes by a ring,
 * where there are rings. */
CMK_INLINED_ int cmk_point_ringed_(cmk_point_field_ f)
{
    return f.shape % 0x1000 != 0;
}

/* Reads what a march needs of a field without neighbours: the vectors of the points themselves, in plane p->plane.
 * Beyond the end of the grid it reads the last vector of the grid again: `left` and `up` are 0, or below 0 by the
 * columns and rows that the point is beyond it. The grid has `lanes` columns or more, else there are no rings. Where
 * the end of the rows cuts vectors, or they are not aligned, p->tile.cut, it reads elements, and the outside beyond the
 * end. */
CMK_INLINED_ void cmk_point_fill_points_(char *window, const char *from, cmk_point_field_ f, cmk_point_layout_ layout,
                                         const cmk_point_place_ *p)
{
    const int last = p->columns - p->tile.lanes, left = p->tile.cut || p->column < last ? 0 : last - p->column;
    CMK_UNROLL
    for (int y = 0; y < p->tile.rows; ++y) {
        const int up = p->row + y < p->rows ? 0 : p->rows - 1 - p->row - y;
        const cmk_point_row_ row = {from + cmk_point_offset_(layout, p, 0, y + up, left) * f.size, 0};
        char *const to = window + cmk_point_at_(f, p, 0, y, 0);
        CMK_TURN_(y);
        if (!p->tile.cut) {
            cmk_point_load_(to, row.from, p->tile.lanes * f.size, f);
            continue;
        }
        CMK_UNROLL
        for (int x = 0; x < p->tile.lanes; ++x) {
            const cmk_point_source_ source = {p->column + x < p->columns ? x : -1, 0};
            cmk_point_fill_element_(to + x * f.size, row, f, layout.outside, source);
        }
    }
    CMK_TURN_(-1);
}

/* Fills the windows of the f.count fields, whose pointers are at `sources`. name_fill_ calls it for each field that is
 * read, and a pass for fields that are only read. How it does so is `filled`, a cmk_point_filled_... of grid.h. Where
 * planes go through rings, fields with neighbours are not filled here, but in ring.h. */
CMK_FIXED_(filled)
CMK_INLINED_ void cmk_point_fill_(CMK_OR_INT_(filled) void *windows, size_t bytes, const void *sources,
                                  cmk_point_field_ f, cmk_point_layout_ layout, cmk_point_place_ p)
{
    if (filled == cmk_point_filled_ring_ && cmk_point_ringed_(f)) return;
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) {
        char *const window = cmk_point_part_(windows, bytes, f, k);
        const char *const from = cmk_point_pointer_at_(sources, k);
        const int here = cmk_point_filled_at_(filled, &p);
        CMK_IF_FIXED_ (cmk_point_fills_(filled, cmk_point_filled_ring_))
            if (here == cmk_point_filled_ring_) cmk_point_fill_points_(window, from, f, layout, &p);
        CMK_IF_FIXED_ (cmk_point_fills_(filled, cmk_point_filled_near_))
            if (here == cmk_point_filled_near_) cmk_point_fill_near_(window, from, f, layout, p);
        CMK_IF_FIXED_ (cmk_point_fills_(filled, cmk_point_filled_inside_))
            if (here == cmk_point_filled_inside_) cmk_point_fill_inside_(window, from, f, layout, p);
        CMK_IF_FIXED_ (cmk_point_fills_(filled, cmk_point_filled_unaligned_))
            if (here == cmk_point_filled_unaligned_) cmk_point_fill_unaligned_(window, from, f, layout, p);
        CMK_IF_FIXED_ (cmk_point_fills_(filled, cmk_point_filled_edge_))
            if (here == cmk_point_filled_edge_) cmk_point_fill_edge_(window, from, f, layout, p);
    }
}

/* Keeps the level's value at point p where an update set none, or may not set any. The values and sets are those of all
 * points of the thread; a set is cmk_point_set_ or cmk_point_kept_ (point.h), or 0, and each of the f.count fields has
 * cmk_point_most_ of them. A field that is written in place keeps its value in memory, so that nothing is done, unless
 * in a pass. A bit of p.level.held is 1 where an update may not set. By cmk_host_check_beside_ the CPU backend stops
 * where the update has also read such a field beside the point. */
CMK_INLINED_ void cmk_point_keep_(void *values, size_t bytes, char *sets, const void *windows, size_t window_bytes,
                                  cmk_point_field_ f, cmk_point_place_ p)
{
    const int output = cmk_point_output_(&p), index = cmk_point_index_(f.shape, &p, 0, 0, 0);
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) {
        char *const value = (char *)values + (size_t)k * (bytes / (size_t)f.count) + output * f.size;
        const char *const window = (const char *)windows + (size_t)k * (window_bytes / (size_t)f.count);
        char *const set = sets + k * cmk_point_most_ + output;
#if !defined(__CUDACC__)
        if (f.written && *set == cmk_point_set_) cmk_host_check_beside_(window, f.name);
#endif
        if (f.written && p.way != cmk_point_in_pass_) continue;
        if (!*set || (p.level.held >> output & 1)) memcpy(value, window + index * f.size, (size_t)f.size);
        *set = cmk_point_kept_;
    }
}

/* Stores vectors that stand side by side in a row that is not aligned. All threads of a warp call it. Each stores the
 * vector of memory that begins in its own one, `before` bytes behind its start, but for thread 31 where the warp does
 * not have all of that one. The first and the last thread also store the elements that no such vector holds. A vector
 * has 4, 8 or 16 bytes, so that `words` has room for the thread's and the next one's. */
CMK_INLINED_ void cmk_point_store_unaligned_(char *to, const char *values, cmk_point_field_ f,
                                             const cmk_point_place_ *p)
{
    const int lanes = p->tile.lanes, vector = lanes * f.size, count = vector / 4,
              before = (int)((0 - (size_t)to) % (size_t)vector);
    const int thread = (int)(threadIdx.x % 32), is_last = thread == 31 && before > 0;
    unsigned words[8];
    memcpy(words, values, (size_t)vector);
    CMK_UNROLL
    for (int k = 0; k < count; ++k) words[count + k] = __shfl_down_sync(0xffffffffu, words[k], 1);
    cmk_point_skip_(words, 2 * count, before, vector, f.alignment);
    if (!is_last) cmk_point_store_bytes_(to + before, words, vector, f);
    CMK_UNROLL
    for (int x = 0; x < lanes; ++x)
        if ((thread == 0 && x * f.size < before) || (is_last && (x + 1) * f.size > before))
            cmk_point_store_bytes_(to + x * f.size, values + x * f.size, f.size, f);
}

/* Stores a row of outputs, from `to` on. Bits say which of them are of the part, the first one in bit 0. Where all are,
 * and all were set, it is one vector. Where rows are not aligned, all threads of the warp call it, in a march and in a
 * tile with p->sure. Tiles that go by rows then mostly begin at a vector of all fields, which all threads see. With
 * p->level.whole all bits are equal, and fields whose values flow on in a pass are stored as whole rows: there all
 * points are set. Rows that are not aligned go by elements where a vector has 2 bytes, less than a word. */
CMK_INLINED_ void cmk_point_store_row_(char *to, const char *values, const char *sets, unsigned bits,
                                       cmk_point_field_ f, const cmk_point_place_ *p)
{
    const int lanes = p->tile.lanes, in_tile = p->way == cmk_point_in_tile_ && p->sure;
    const int by_rows = in_tile && p->dims == 2 && lanes > cmk_point_skew_lanes_;
    int all = p->level.whole ? (int)(bits & 1) : bits == (1u << lanes) - 1, aligned = p->tile.aligned;
    CMK_UNROLL
    for (int x = 0; x < lanes; ++x) all &= sets[x];
    if (!aligned && (p->way == cmk_point_in_ring_ || in_tile) && lanes * f.size >= 4) {
        if (by_rows) aligned = (size_t)to % (size_t)(lanes * f.size) == 0;
        if (!aligned && __all_sync(0xffffffffu, all)) {
            cmk_point_store_unaligned_(to, values, f, p);
            return;
        }
    }
    if (aligned && all) {
        cmk_point_store_bytes_(to, values, lanes * f.size, f);
        return;
    }
    if (p->level.whole && f.kind != cmk_point_KIND_OUT) return;
    CMK_UNROLL
    for (int x = 0; x < lanes; ++x)
        if (sets[x] && (bits >> x & 1)) cmk_point_store_bytes_(to + x * f.size, values + x * f.size, f.size, f);
}

/* Stores what was set at the points of a tile, or of a level of a pass. OUT fields are stored by each level, as a later
 * one may not set them; others by the last. The targets are pointers, one for each of the f.count fields. name_store_
 * calls it. */
CMK_INLINED_ void cmk_point_store_(const void *targets, const void *values, size_t bytes, const char *sets,
                                   cmk_point_field_ f, cmk_point_layout_ layout, cmk_point_place_ p)
{
    const int is_out = f.kind == cmk_point_KIND_OUT;
    if (cmk_point_reduces_(f) || (!is_out && (p.level.between || p.level.early))) return;
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) CMK_UNROLL
    for (int z = 0; z < p.tile.planes; ++z) CMK_UNROLL
    for (int y = 0; y < p.tile.rows; ++y) {
        cmk_point_place_ row = p;
        cmk_point_move_(&row, z, y, 0);
        const int first = cmk_point_output_(&row);
        const cmk_i64 at = cmk_point_offset_(layout, &p, z, y, -cmk_point_lean_(&p.tile, y));
        CMK_TURN_(z * 8 + y);
        cmk_point_store_row_(cmk_point_pointer_at_(targets, k) + at * f.size,
                             cmk_point_part_(values, bytes, f, k) + first * f.size, sets + k * cmk_point_most_ + first,
                             cmk_point_mine_row_(&row), f, &p);
    }
    CMK_TURN_(-1);
}

#endif
