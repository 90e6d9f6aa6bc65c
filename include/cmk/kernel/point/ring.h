/* kernel/point/ring.h: a block that goes along the planes of a 3D grid, in a single step.
 *
 * For one field, one column of points and a reach of R planes it equals this C:
 *
 *   float window[2 * R + 1] = {0};
 *   for (int plane = first - 2 * R; plane < end; ++plane) {
 *       window[2 * R] = u[plane + R];
 *       if (plane >= first) next[plane] = update(window);
 *       for (int z = 0; z < 2 * R; ++z) window[z] = window[z + 1];
 *   }
 *
 * Planes of a field with neighbours arrive in a ring in shared memory, with every edge. Two planes, cmk_point_ahead_,
 * are on their way. When the points of plane n are next, the ring of a star with R = 1 holds:
 *
 *   plane n                    plane n + 1                    planes n + 2 and n + 3
 *   read beside the points     arrives, read at the points    on their way
 *
 * A thread has 1, 2 or 4 rows of a vector in each plane. Of a star its window, in registers, gets its own points of the
 * plane that arrives, and what is beside them when that plane is the points'. Of a box it gets all of the plane that
 * arrives. Fields without neighbours are loaded with the points.
 *
 * The path of a block, all of whose threads go together: name_kernel, name_run_, cmk_point_chunk_whole_, name_march_.
 * That calls cmk_point_march_of_, cmk_point_find_, name_copy_ for the first planes, and name_march_. For each plane
 * this calls name_arrive_, which waits, turns samples and starts the next copies, both by name_copy_, and reads by
 * cmk_point_receive_; then name_update_, cmk_point_tell_ and name_shift_.
 *
 * In all functions here, which each thread of the block calls for itself:
 *   d         cmk_point_definition_ (grid.h), known at compile time
 *   f         cmk_point_field_ (grid.h), known at compile time: f.count fields of one name, f.size bytes an element
 *   p         cmk_point_place_ (point.h): the thread's tile, p->plane the plane whose points are next. p->tile has rows
 *             and lanes, known at compile time, and of the block wide, the threads side by side, and teams, its rows of
 *             threads. These are constants too, unless the launch chooses them: cmk_point_varies_
 *   ring      cmk_point_ring_ (grid.h): one field's ring. row_bytes, plane_bytes, bytes and lead, which is before a
 *             row, are in bytes; left is the columns that it has before the block's first one, along the planes
 *             that it reaches, and stages those that it holds; each is the most rows that a thread copies
 *   layout    cmk_point_layout_ (window.h): the pitches in elements, and outside, the address of the value outside
 *   memory    shared memory of the block; at, *at: bytes from its start to the rings of a field, which a list follows
 *   later     planes until a plane arrives: 0 or 1 before the march, then cmk_point_ahead_; or cmk_point_arrived_
 *   odd       1 where a sample is turned about the outside, to 2 * outside - sample, as odd edges do (point.h)
 *   CMK_TURN_ (base.h) names the turn of a loop for the counters of the CPU backend, -1 for none
 *   lanes     2 to 16, as there are no rings with 1: elements have 1, 2, 4 or 8 bytes, vectors 2 to 16. Where rows are
 *             not aligned they are at most 4, as fields with neighbours then are aligned by 4 bytes or more (d.narrow)
 *   cmk_fill_of_(written, bytes, to, from, there) (fill.h): starts a copy of 1 to 16 bytes to shared memory, or of
 *             zeros
 *   cmk_load_plain_value_ and cmk_load_store_value_ (load.h): move 1, 2, 4, 8 or 16 bytes from and to shared memory
 *   f.edge    an EDGE of point.h; CMK_EDGE_PLANE, ROW and COLUMN give that of an axis. f.shape: a SHAPE, from 0x1000 on
 *             a star; CMK_POINT_ROWS_OF_ and the like give its reach
 *   source    cmk_point_source_of_(edge, i, count) (window.h): the index `at` that is read for index i of an axis, or
 *             -1 for the outside, and odd
 *   grid.h    cmk_point_ring_of_: a ring. cmk_point_ring_memory_: the bytes of f.count rings and their list.
 *             cmk_point_inside_rows_: whether a tile is of the part, and `reach` more of the grid. cmk_point_all_mine_:
 *             a bit for each point of the part
 *   window.h  cmk_point_at_: a byte in a window. cmk_point_reach_of_: how far it reaches beyond the tile, in columns
 *             whole vectors. cmk_point_part_, cmk_point_pointer_at_: array or pointer k of f.count. cmk_point_ringed_:
 *             f has neighbours. cmk_point_pass_on_: copies elements. cmk_point_element_: reads one, or the outside.
 *             cmk_point_held_: 16 bytes. CMK_POINT_NAMED_(f, move): does move
 *   loops     CMK_UNROLL unrolls the next one completely, CMK_NO_UNROLL not at all. The numbers of CMK_TURN_ only
 *             differ from turn to turn. CMK_INLINED_: an inlined device function
 *
 * Shared memory begins at a multiple of 1024 bytes (tile.h), rings at 128, and the block's first column in a row at 32,
 * so that vectors are aligned there. In global memory they are as grid.h says. Offsets in a plane, and the pitch of
 * planes, fit 32 bits in bytes, else cmk_point_plan_ (divide.h) chooses tiles. Rows and columns of a ring may stand for
 * negative ones of the grid. */
#ifndef CMK_KERNEL_POINT_RING_H
#define CMK_KERNEL_POINT_RING_H

#include "../../fill.h"
#include "../../stream.h"
#include "../../tile.h"
#include "window.h"

enum { cmk_point_arrived_ = -1 };

/* The chunk of a block, the planes that it does. They end before `end`. Behind plane told - 1 the block counts up the
 * word `arrived`, for a launch that does a border first (border.h). The member told is -1 for no such plane. */
typedef struct {
    int end, told;
    unsigned *arrived;
} cmk_point_chunk_;

/* The march of a block, its way along the planes: its shared memory, its first plane and the end. Inside is 1 where no
 * point of it comes near an edge along rows and columns. */
typedef struct {
    char *memory;
    int first, end, inside;
    cmk_point_chunk_ chunk;
} cmk_point_march_;

/* Returns the first row of the block; p is the thread's tile. */
CMK_INLINED_ int cmk_point_block_row_(const cmk_point_place_ *p)
{
    return p->row - (int)threadIdx.y * p->tile.rows;
}

/* Returns whether, along rows and columns, the block's points belong to the part, and with `reach` beside them to the
 * grid. The place p is the thread's tile. */
CMK_INLINED_ int cmk_point_inside_block_(const cmk_point_task_ *task, int reach, cmk_point_place_ p)
{
    p.row = cmk_point_block_row_(&p);
    p.tile.rows *= p.tile.teams;
    return cmk_point_inside_rows_(task, reach, &p);
}

/* Returns the chunk of a block of task->deep planes, from p->plane on, which ends with the part. Its launch has no
 * border, so that no word is counted up. A launch with a border calls cmk_point_chunk_inward_ (border.h). */
CMK_INLINED_ cmk_point_chunk_ cmk_point_chunk_whole_(const cmk_point_task_ *task, const cmk_point_place_ *p)
{
    const int end = p->plane + task->deep;
    const cmk_point_chunk_ chunk = {end < task->planes.end ? end : task->planes.end, -1, NULL};
    return chunk;
}

/* Returns the march of a block, whose shared memory begins at `memory`; name_run_ calls it. The thread's place *p
 * gets its compile-time constants, for planes that go through shared memory, and a bit for each of its points that
 * belongs to the part. */
CMK_INLINED_ cmk_point_march_ cmk_point_march_of_(const cmk_point_task_ *task, cmk_point_definition_ d,
                                                  cmk_point_place_ *p, cmk_point_chunk_ chunk, char *memory)
{
    *p = cmk_point_known_(*p, d, 1);
    p->mine = cmk_point_all_mine_(task, p);
    const cmk_point_march_ march = {memory, p->plane, chunk.end, cmk_point_inside_block_(task, d.reach, *p), chunk};
    return march;
}

/* Counts up a word of global memory, once for the block. All threads of a block call it after their stores, as it has a
 * barrier. cmk_stream_arrive (stream.h) adds 1, so that who has waited for the word sees these stores. */
CMK_INLINED_ void cmk_point_count_up_(unsigned *arrived)
{
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) cmk_stream_arrive(arrived);
}

/* Counts up the word where the march has done the last plane of the border; `plane` is the one that it has done. All
 * threads of the block call it, as it may have a barrier. */
CMK_INLINED_ void cmk_point_tell_(const cmk_point_march_ *march, int plane)
{
    if (march->chunk.told >= 0 && plane + 1 == march->chunk.told) cmk_point_count_up_(march->chunk.arrived);
}

/* What a thread copies of each plane of a field. It is pieces of some rows, and one vector beside these rows, which all
 * threads of the block share. A piece is a vector, or, where rows are not aligned, an element; the pieces of a row are
 * then p->tile.wide columns apart, which is 32. A bit for each suffices: of aligned rows there are at most
 * cmk_point_lines_most_ pieces, which is 13, and of others 24, which are 6 rows of 4 lanes. */
typedef struct {
    unsigned from[cmk_point_lines_most_]; /* bytes in a plane of the field, of the first piece of each row */
    int to, beside_to;                    /* bytes in a plane of the ring, of the first piece and of the last */
    unsigned whole, odd;                  /* a bit for each piece: copied from there; of these, in a turned row */
    int slot;                             /* bytes in the ring of the plane that arrives */
    int singles;                          /* how many elements that no piece brings are the thread's */
} cmk_point_lines_;

/* An element that no piece brings, a single. It has its bytes in a plane of the field, and in a plane of the ring, or
 * ~to, which is negative, where the sample is turned about the outside. The threads of a block share a list of them.
 * Entry n is at n + 1, as their number, an int, has the first 8 bytes. The list has room for ring.singles (grid.h). */
typedef struct {
    unsigned from;
    int to;
} cmk_point_single_;

/* Returns the number of the calling thread in its block. */
CMK_INLINED_ int cmk_point_thread_(const cmk_point_place_ *p)
{
    return (int)threadIdx.y * p->tile.wide + (int)threadIdx.x;
}

/* Returns the ring of field f in the block. All of it is known at compile time where the threads of the block are. */
CMK_INLINED_ cmk_point_ring_ cmk_point_ring_at_(cmk_point_field_ f, const cmk_point_place_ *p)
{
    return cmk_point_ring_of_(f.shape, f.size, p->tile.lanes, p->tile.rows, p->tile.wide, p->tile.teams, p->tile.least);
}

/* Returns the elements of a piece: a vector, or one where rows are not aligned. */
CMK_INLINED_ int cmk_point_piece_(const cmk_point_place_ *p)
{
    return p->tile.aligned ? p->tile.lanes : 1;
}

/* Returns the pieces of a thread in a row, without what is beside the rows. */
CMK_INLINED_ int cmk_point_pieces_of_row_(const cmk_point_place_ *p)
{
    return p->tile.lanes / cmk_point_piece_(p);
}

/* Returns the most pieces of a thread in a plane. Of aligned rows there is one more, the vector beside the rows, and it
 * is the last. */
CMK_INLINED_ int cmk_point_pieces_(cmk_point_ring_ ring, const cmk_point_place_ *p)
{
    return ring.each * cmk_point_pieces_of_row_(p) + p->tile.aligned;
}

/* Returns the row of the thread's piece i, from the first of the ring. It is ring.rows or more where the thread has no
 * such piece. A row of the ring has `beside` vectors left and right of the block's points. */
CMK_INLINED_ int cmk_point_line_row_(cmk_point_ring_ ring, const cmk_point_place_ *p, int i)
{
    const int beside = 2 * ring.left / p->tile.lanes, pieces = cmk_point_pieces_of_row_(p);
    if (i < ring.each * pieces) return (int)threadIdx.y + i / pieces * p->tile.teams;
    return beside > 0 ? cmk_point_thread_(p) / beside : ring.rows;
}

/* Returns the column of the thread's piece i, from the first of the ring. The pieces that are beside the rows come
 * first from the left side of a row, then from its right side. */
CMK_INLINED_ int cmk_point_line_column_(cmk_point_ring_ ring, const cmk_point_place_ *p, int i)
{
    const int beside = 2 * ring.left / p->tile.lanes, pieces = cmk_point_pieces_of_row_(p);
    const int side = beside > 0 ? cmk_point_thread_(p) % beside * p->tile.lanes : 0;
    if (i < ring.each * pieces) return ring.left + i % pieces * p->tile.wide + (int)threadIdx.x * cmk_point_piece_(p);
    return side < ring.left ? side : side + p->tile.wide * p->tile.lanes;
}

/* Returns the bytes from the start of a plane of the ring to an element at this row and column of it. */
CMK_INLINED_ int cmk_point_line_(cmk_point_ring_ ring, cmk_point_field_ f, int row, int column)
{
    return row * ring.row_bytes + ring.lead + column * f.size;
}

/* Returns the row of the grid that a row of the ring stands for. It may be outside, and negative. */
CMK_INLINED_ int cmk_point_grid_row_(cmk_point_field_ f, const cmk_point_place_ *p, int row)
{
    return cmk_point_block_row_(p) - CMK_POINT_ROWS_OF_(f.shape) + row;
}

/* Returns the column of the grid that a column of the ring stands for. It may be outside, and negative. */
CMK_INLINED_ int cmk_point_grid_column_(cmk_point_ring_ ring, const cmk_point_place_ *p, int column)
{
    return p->column - (int)threadIdx.x * p->tile.lanes - ring.left + column;
}

/* Returns which row of the grid a row of the ring comes from, by the edge of the field: cmk_point_source_
 * (window.h). */
CMK_INLINED_ cmk_point_source_ cmk_point_row_source_(cmk_point_field_ f, const cmk_point_place_ *p, int row)
{
    return cmk_point_source_of_(CMK_EDGE_ROW(f.edge), cmk_point_grid_row_(f, p, row), p->rows);
}

/* Returns the same for a column of the ring. */
CMK_INLINED_ cmk_point_source_ cmk_point_column_source_(cmk_point_ring_ ring, cmk_point_field_ f,
                                                        const cmk_point_place_ *p, int column)
{
    return cmk_point_source_of_(CMK_EDGE_COLUMN(f.edge), cmk_point_grid_column_(ring, p, column), p->columns);
}

/* Returns whether an element of the ring is in reach of points that the block and the grid have. Below and right of the
 * grid's last points a block's points may be outside, and what these alone would read is not needed. */
CMK_INLINED_ int cmk_point_needed_(cmk_point_ring_ ring, cmk_point_field_ f, const cmk_point_place_ *p, int row,
                                   int column)
{
    const int reach = CMK_POINT_COLUMNS_OF_(f.shape), at = column - ring.left;
    const int end = p->columns - p->column + (int)threadIdx.x * p->tile.lanes;
    return cmk_point_grid_row_(f, p, row) < p->rows + CMK_POINT_ROWS_OF_(f.shape) && at >= -reach &&
           at < p->tile.wide * p->tile.lanes + reach && at < end + reach;
}

/* Turns an element in shared memory about the outside. Elements that turn have at most 8 bytes, so that `value` has
 * room. */
CMK_INLINED_ void cmk_point_turn_shared_(char *element, cmk_point_field_ f, const void *outside)
{
    cmk_point_held_ value;
    cmk_load_plain_value_(value.bytes, element, f.size);
    cmk_point_turn_(value.bytes, outside, f.size);
    cmk_load_store_value_(element, value.bytes, f.size);
}

/* Returns whether an edge turns samples, at a side of an axis. The edge is that of a field. */
CMK_FOLDED_ int cmk_point_edge_turns_(int edge)
{
    const int axes[3] = {CMK_EDGE_PLANE(edge), CMK_EDGE_ROW(edge), CMK_EDGE_COLUMN(edge)};
    int turns = 0;
    for (int axis = 0; axis < 3; ++axis)
        turns |= CMK_EDGE_LOW_(axes[axis]) >= CMK_EDGE_MIRROR_ODD || CMK_EDGE_HIGH_(axes[axis]) >= CMK_EDGE_MIRROR_ODD;
    return turns;
}

/* Where a piece comes from: its row, its first element, and whether all of it is there in one piece. */
typedef struct {
    cmk_point_source_ row, column;
    int together;
} cmk_point_sources_;

/* Returns where the piece at a row and a column of the ring comes from. Of aligned rows it is in one piece where its
 * elements stand side by side in the grid, begin at a vector and are not turned along the row. Of other rows it is in
 * one piece where its column is not outside. Its row must not be the value outside. */
CMK_INLINED_ cmk_point_sources_ cmk_point_sources_of_(cmk_point_ring_ ring, cmk_point_field_ f,
                                                      const cmk_point_place_ *p, int row, int column)
{
    cmk_point_sources_ s = {cmk_point_row_source_(f, p, row), cmk_point_column_source_(ring, f, p, column), 0};
    if (!p->tile.aligned) {
        s.together = s.row.at >= 0 && s.column.at == cmk_point_grid_column_(ring, p, column);
        return s;
    }
    s.together = s.row.at >= 0 && s.column.at >= 0 && s.column.at % p->tile.lanes == 0;
    CMK_UNROLL
    for (int k = 0; k < p->tile.lanes; ++k) {
        const cmk_point_source_ source = cmk_point_column_source_(ring, f, p, column + k);
        s.together &= source.at == s.column.at + k && !source.odd;
    }
    return s;
}

/* Puts an element that no piece brings, at a row and a column of the ring, into the list. One that is outside in every
 * plane, or is not needed, is written to all planes of the rings at once, as the outside. The pointer `memory` is to
 * the field's first ring; `n` is the entry's place in the list, or counts planes. */
CMK_INLINED_ void cmk_point_find_element_(char *memory, cmk_point_field_ f, cmk_point_layout_ layout,
                                          const cmk_point_place_ *p, int at_row, int at_column)
{
    const cmk_point_ring_ ring = cmk_point_ring_at_(f, p);
    const cmk_point_source_ row = cmk_point_row_source_(f, p, at_row);
    const cmk_point_source_ column = cmk_point_column_source_(ring, f, p, at_column);
    const int to = cmk_point_line_(ring, f, at_row, at_column);
    if (row.at >= 0 && column.at >= 0 && cmk_point_needed_(ring, f, p, at_row, at_column)) {
        char *const list = memory + f.count * ring.bytes;
        const cmk_point_single_ single = {(unsigned)((row.at * layout.row_pitch + column.at) * f.size),
                                          row.odd ^ column.odd ? ~to : to};
        const int n = atomicAdd((int *)(void *)list, 1);
        cmk_load_store_value_(list + (n + 1) * (int)sizeof single, &single, (int)sizeof single);
        return;
    }
    CMK_NO_UNROLL
    for (int n = 0; n < f.count * ring.stages; ++n)
        cmk_load_store_value_(memory + n * ring.plane_bytes + to, layout.outside, f.size);
}

/* Finds the elements beside the rows, where pieces are elements. The threads of the block share them. Each takes every
 * wide x teams-th of the 2 * ring.left columns of all rows. */
CMK_INLINED_ void cmk_point_find_beside_(char *memory, cmk_point_field_ f, cmk_point_layout_ layout,
                                         const cmk_point_place_ *p)
{
    const cmk_point_ring_ ring = cmk_point_ring_at_(f, p);
    CMK_NO_UNROLL
    for (int n = cmk_point_thread_(p); n < ring.rows * 2 * ring.left; n += p->tile.wide * p->tile.teams) {
        const int column = n % (2 * ring.left);
        cmk_point_find_element_(memory, f, layout, p, n / (2 * ring.left),
                                column + (column < ring.left ? 0 : p->tile.wide * p->tile.lanes));
    }
}

/* Finds what each thread copies of a field, once before the march; the place p is that of the first points. All threads
 * of a block call it, as it has two barriers. The first is behind the 0 that the list begins with, the second behind
 * the last element of the list. Of the list each thread takes every element whose number, modulo the threads of the
 * block, is its own. The field's memory begins at *at, which becomes that of the next field. Only of a row's first
 * piece the place is kept, as others are a multiple of p->tile.wide elements behind it. The place of a piece that is
 * not copied as a whole is never used. The division for lines->singles rounds up: it counts the numbers thread, thread
 * + the block's threads, and so on. */
CMK_INLINED_ void cmk_point_find_(cmk_point_lines_ *lines, char *memory, int *at, cmk_point_field_ f,
                                  cmk_point_layout_ layout, cmk_point_place_ p)
{
    const cmk_point_ring_ ring = cmk_point_ring_at_(f, &p);
    char *const list = memory + *at + f.count * ring.bytes;
    const int thread = cmk_point_thread_(&p), pieces = cmk_point_pieces_of_row_(&p);
    int count = 0;
    if (!cmk_point_ringed_(f)) return;
    if (thread == 0) cmk_load_store_value_(list, &count, (int)sizeof count);
    __syncthreads();
    memset(lines, 0, sizeof *lines);
    CMK_UNROLL
    for (int i = 0; i < cmk_point_pieces_(ring, &p); ++i) {
        const int row = cmk_point_line_row_(ring, &p, i), column = cmk_point_line_column_(ring, &p, i);
        const cmk_point_sources_ s = cmk_point_sources_of_(ring, f, &p, row, column);
        const int arrives = row < ring.rows, to = cmk_point_line_(ring, f, row, column);
        if (i == 0) lines->to = to;
        lines->beside_to = to;
        if (i % pieces == 0) lines->from[i / pieces] = (unsigned)((s.row.at * layout.row_pitch + s.column.at) * f.size);
        lines->whole |= (arrives && s.together ? 1u : 0u) << i;
        lines->odd |= (arrives && s.together && s.row.odd ? 1u : 0u) << i;
        CMK_NO_UNROLL
        for (int k = 0; arrives && !s.together && k < cmk_point_piece_(&p); ++k)
            cmk_point_find_element_(memory + *at, f, layout, &p, row, column + k);
    }
    if (!p.tile.aligned) cmk_point_find_beside_(memory + *at, f, layout, &p);
    __syncthreads();
    cmk_load_plain_value_(&count, list, (int)sizeof count);
    lines->singles = (count - thread + p.tile.wide * p.tile.teams - 1) / (p.tile.wide * p.tile.teams);
    *at += cmk_point_ring_memory_(ring, f.count);
}

/* Returns the bytes from the start of a plane of the ring to the thread's piece i. The piece beside the rows has the
 * row ring.each. */
CMK_INLINED_ int cmk_point_piece_at_(cmk_point_ring_ ring, cmk_point_field_ f, const cmk_point_place_ *p,
                                     const cmk_point_lines_ *lines, int i)
{
    const int pieces = cmk_point_pieces_of_row_(p), row = i / pieces;
    const int at = row < ring.each ? lines->to + row * p->tile.teams * ring.row_bytes : lines->beside_to;
    return at + i % pieces * p->tile.wide * f.size;
}

/* Starts the copy of `count` elements from global to shared memory, a vector at once, or one element in pieces, by
 * cmk_point_each_ (window.h). Where `there` is 0 they become zeros. name_copy_ makes the copies a group, and in a
 * pass name_bring_ does. Both addresses are at multiples of `each`, which is 1, 2, 4, 8 or 16 bytes. */
CMK_INLINED_ void cmk_point_copy_piece_(char *to, const char *from, cmk_point_field_ f, int count, int there)
{
    const int each = cmk_point_each_(count * f.size, f);
    CMK_UNROLL
    for (int at = 0; at < count * f.size; at += each)
        CMK_POINT_NAMED_(f, cmk_fill_of_(f.written, each, to + at, from + at, there));
}

/* Returns element n of the calling thread in the list. Its place `to` is not negative, and *odd says whether the
 * sample is turned in its row or column. */
CMK_INLINED_ cmk_point_single_ cmk_point_listed_(const char *list, const cmk_point_place_ *p, int n, int *odd)
{
    const int at = cmk_point_thread_(p) + n * p->tile.wide * p->tile.teams + 1;
    cmk_point_single_ single;
    cmk_load_plain_value_(&single, list + at * (int)sizeof single, (int)sizeof single);
    *odd = single.to < 0;
    if (*odd) single.to = ~single.to;
    return single;
}

/* Starts the copies of a plane of a field to a plane of its ring at `to`. The pointer `field` is to its element (0, 0,
 * 0), and source says which plane comes, or -1 for the outside, which is written at once. First come the whole pieces,
 * then the thread's elements of the list. */
CMK_INLINED_ void cmk_point_copy_plane_(char *to, const char *list, const char *field, cmk_point_source_ source,
                                        cmk_point_field_ f, cmk_point_layout_ layout, const cmk_point_place_ *p,
                                        const cmk_point_lines_ *lines)
{
    const cmk_point_ring_ ring = cmk_point_ring_at_(f, p);
    const int pieces = cmk_point_pieces_of_row_(p), there = source.at >= 0;
    const unsigned pitch = (unsigned)(layout.plane_pitch * f.size);
    const unsigned whole = there ? lines->whole : 0, empty = lines->whole ^ whole;
    const char *const plane = there ? field + (size_t)(unsigned)source.at * pitch : NULL;
    CMK_UNROLL
    for (int i = 0; i < cmk_point_pieces_(ring, p); ++i) {
        CMK_TURN_(i);
        if (whole & 1u << i)
            cmk_point_copy_piece_(to + cmk_point_piece_at_(ring, f, p, lines, i),
                                  plane + lines->from[i / pieces] + i % pieces * p->tile.wide * f.size, f,
                                  cmk_point_piece_(p), 1);
    }
    CMK_NO_UNROLL
    for (int n = 0; n < lines->singles; ++n) {
        int odd;
        CMK_TURN_(32 + n);
        const cmk_point_single_ single = cmk_point_listed_(list, p, n, &odd);
        if (there)
            cmk_point_copy_piece_(to + single.to, plane + single.from, f, 1, 1);
        else
            cmk_load_store_value_(to + single.to, layout.outside, f.size);
    }
    CMK_NO_UNROLL
    for (int i = 0; empty >> i != 0; ++i) {
        CMK_TURN_(64 + i);
        CMK_NO_UNROLL
        for (int k = 0; empty >> i & 1 && k < cmk_point_piece_(p); ++k)
            cmk_load_store_value_(to + cmk_point_piece_at_(ring, f, p, lines, i) + k * f.size, layout.outside, f.size);
    }
    CMK_TURN_(-1);
}

/* Turns the samples of a plane of the ring at `to` that the thread has copied, where their row, their column or the
 * plane is turned, and not two of these. The thread's copies must have arrived, and no other thread reads them yet. */
CMK_INLINED_ void cmk_point_turn_plane_(char *to, const char *list, cmk_point_source_ source, cmk_point_field_ f,
                                        cmk_point_layout_ layout, const cmk_point_place_ *p,
                                        const cmk_point_lines_ *lines)
{
    const cmk_point_ring_ ring = cmk_point_ring_at_(f, p);
    const unsigned turned = source.odd ? lines->whole ^ lines->odd : lines->odd;
    if (source.at < 0) return;
    CMK_NO_UNROLL
    for (int n = 0; n < lines->singles; ++n) {
        int odd;
        CMK_TURN_(32 + n);
        const cmk_point_single_ single = cmk_point_listed_(list, p, n, &odd);
        if (odd != source.odd) cmk_point_turn_shared_(to + single.to, f, layout.outside);
    }
    CMK_NO_UNROLL
    for (int i = 0; turned >> i != 0; ++i) {
        CMK_TURN_(64 + i);
        CMK_NO_UNROLL
        for (int k = 0; turned >> i & 1 && k < cmk_point_piece_(p); ++k)
            cmk_point_turn_shared_(to + cmk_point_piece_at_(ring, f, p, lines, i) + k * f.size, f, layout.outside);
    }
    CMK_TURN_(-1);
}

/* Returns the bytes from the start of a ring to the plane that comes `later` planes after the one at `slot`. A negative
 * number is for planes before it. The slot is in bytes too. It goes round the ring once at most. A box asks for planes
 * further before, and does not use the result. */
CMK_INLINED_ int cmk_point_slot_(cmk_point_ring_ ring, int slot, int later)
{
    const int moved = slot + later * ring.plane_bytes;
    if (later < 0) return moved < 0 ? moved + ring.bytes : moved;
    return moved >= ring.bytes ? moved - ring.bytes : moved;
}

/* Starts the copy of the plane that arrives in `later` planes: plane p.plane + later + ring.along. With the points of a
 * plane the one ring.along planes behind it arrives. Where `later` is cmk_point_arrived_ it instead turns what
 * has arrived with the points of plane p.plane, where an edge turns samples. A field without neighbours has no ring.
 * The offset *at is that of the field's ring, and becomes that of the next field's. The plane may be outside, also at a
 * negative index, and its edge says which plane comes for it. The slot of a copy is one that all threads have read
 * before the last barrier. */
CMK_INLINED_ void cmk_point_copy_(const cmk_point_march_ *march, int *at, const cmk_point_lines_ *lines,
                                  const void *sources, cmk_point_field_ f, cmk_point_layout_ layout, cmk_point_place_ p,
                                  int later)
{
    const cmk_point_ring_ ring = cmk_point_ring_at_(f, &p);
    const int turns = later == cmk_point_arrived_, come = turns ? 0 : later;
    if (!cmk_point_ringed_(f)) return;
    const cmk_point_source_ source =
        cmk_point_source_of_(CMK_EDGE_PLANE(f.edge), p.plane + come + ring.along, p.planes);
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) {
        char *const to = march->memory + *at + k * ring.bytes + cmk_point_slot_(ring, lines->slot, come);
        const char *const list = march->memory + *at + f.count * ring.bytes;
        if (!turns)
            cmk_point_copy_plane_(to, list, cmk_point_pointer_at_(sources, k), source, f, layout, &p, lines);
        else if (cmk_point_edge_turns_(f.edge))
            cmk_point_turn_plane_(to, list, source, f, layout, &p, lines);
    }
    *at += cmk_point_ring_memory_(ring, f.count);
}

/* Reads the vector at row y and column x, counted from the thread's first point, from a plane of the ring into a
 * window. Both may be negative; x is a multiple of the lanes, so that the vector is aligned. */
CMK_INLINED_ void cmk_point_read_(char *to, const char *plane, cmk_point_field_ f, const cmk_point_place_ *p,
                                  cmk_point_ring_ ring, int y, int x)
{
    const int row = (int)threadIdx.y * p->tile.rows + y + CMK_POINT_ROWS_OF_(f.shape);
    const int column = (int)threadIdx.x * p->tile.lanes + x + ring.left;
    cmk_load_plain_value_(to, plane + row * ring.row_bytes + ring.lead + column * f.size, p->tile.lanes * f.size);
}

/* Reads what has arrived of one field into its window: of the plane ahead, and, of a star, what is beside the points in
 * their own plane. With `before`, a constant, the points are before the first ones of the block, and need nothing
 * beside them. In the window 0 is the plane of the points, and ring.along that of the plane ahead. */
CMK_INLINED_ void cmk_point_arrive_(char *window, const char *memory, const cmk_point_lines_ *lines, cmk_point_field_ f,
                                    cmk_point_place_ p, int before)
{
    const cmk_point_ring_ ring = cmk_point_ring_at_(f, &p);
    const cmk_point_reach_ reach = cmk_point_reach_of_(f, &p);
    const char *const ahead = memory + lines->slot;
    const char *const here = memory + cmk_point_slot_(ring, lines->slot, -ring.along);
    const int star = f.shape >= 0x1000;
    CMK_UNROLL
    for (int y = -reach.rows; y < p.tile.rows + reach.rows; ++y) CMK_UNROLL
    for (int x = -reach.columns; x <= reach.columns; x += p.tile.lanes) {
        const int beside = (y < 0 || y >= p.tile.rows) + (x != 0);
        CMK_TURN_((y + 8) * 64 + x + 16);
        if (!star || beside == 0)
            cmk_point_read_(window + cmk_point_at_(f, &p, ring.along, y, x), ahead, f, &p, ring, y, x);
        else if (beside == 1 && !before)
            cmk_point_read_(window + cmk_point_at_(f, &p, 0, y, x), here, f, &p, ring, y, x);
    }
    CMK_TURN_(-1);
}

/* Reads what has arrived of the f.count fields, each with `bytes` / f.count bytes of windows, for the points of place
 * p: the plane ahead, and, unless these are before the first points, what is beside them. Then goes on to the next
 * plane of the ring. name_arrive_ calls it behind the barrier that shows the copies to all threads. */
CMK_INLINED_ void cmk_point_receive_(void *windows, size_t bytes, const cmk_point_march_ *march, int *at,
                                     cmk_point_lines_ *lines, cmk_point_field_ f, cmk_point_place_ p, int before)
{
    const cmk_point_ring_ ring = cmk_point_ring_at_(f, &p);
    if (!cmk_point_ringed_(f)) return;
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k)
        cmk_point_arrive_(cmk_point_part_(windows, bytes, f, k), march->memory + *at + k * ring.bytes, lines, f, p,
                          before);
    lines->slot = cmk_point_slot_(ring, lines->slot, 1);
    *at += cmk_point_ring_memory_(ring, f.count);
}

/* Moves the windows by a plane, when the points of a plane are done: each plane of a window gets what the next one has.
 * Of a star only the thread's own points are moved, as what is beside them is read anew. */
CMK_INLINED_ void cmk_point_shift_(void *windows, size_t bytes, cmk_point_field_ f, cmk_point_place_ p)
{
    const cmk_point_reach_ reach = cmk_point_reach_of_(f, &p);
    const int star = f.shape >= 0x1000, rows = star ? 0 : reach.rows, columns = star ? 0 : reach.columns;
    CMK_UNROLL
    for (int k = 0; k < f.count; ++k) CMK_UNROLL
    for (int z = -reach.planes; z < reach.planes; ++z) CMK_UNROLL
    for (int y = -rows; y < p.tile.rows + rows; ++y) {
        char *const window = cmk_point_part_(windows, bytes, f, k);
        cmk_point_pass_on_(window + cmk_point_at_(f, &p, z, y, -columns),
                           window + cmk_point_at_(f, &p, z + 1, y, -columns), p.tile.lanes + 2 * columns, f);
    }
}

#endif
