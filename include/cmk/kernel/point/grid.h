/* kernel/point/grid.h: single steps of stencil2d.h and stencil3d.h: the work of a launch and the part of a thread.
 *
 * A launch does one stage of a step. With one field u, of KIND NEXT, it equals this C, where update is the text that
 * follows CMK_POINT_2D or CMK_POINT_3D:
 *
 *   for (size_t z = first_plane; z < end_plane; ++z)
 *       for (size_t y = first_row; y < end_row; ++y)
 *           for (size_t x = first_column; x < end_column; ++x)
 *               u_next[z * plane_pitch + y * row_pitch + x] = update(u, z, y, x);
 *   float *const old = u;
 *   u = u_next;
 *   u_next = old;
 *
 * In 2D the planes are independent images. Where update sets nothing, u_next gets the value of u. The host exchanges
 * the two pointers after the launch (call.h).
 *
 * A thread has a tile. In 2D it is a vector of `lanes` columns in 4 rows, or in 2 where windows are large. In 3D it is
 * a vector in 8, 4 or 1 planes of one row. The tiles of a warp stand side by side, those of the block's warps below one
 * another. With float, `lanes` is 4, and a 2D block of 4 warps has 128 columns in 16 rows:
 *
 *   columns       0..3      4..7    ...  124..127
 *   rows  0..3    lane 0    lane 1  ...  lane 31     warp 0
 *   rows  4..7    lane 0    lane 1  ...  lane 31     warp 1, and so on to warp 3
 *
 * The thread's window is an array in registers. With CMK_POINT_STAR(1) it has 6 rows of 3 vectors; 4 stay empty:
 *
 *   row -1      -                window[ 4.. 7]   -
 *   row  0      window[12..15]   window[16..19]   window[20..23]      and so on to row 3
 *   row  4      -                window[64..67]   -
 *
 * What update sets at row y and column x of the tile is values[y * lanes + x].
 *
 * The path of a step, for a definition `name`:
 *
 *   host      name, cmk_point_call_of_, cmk_point_begin_launch_ (call.h), cmk_point_plan_, cmk_point_divide_ (divide.h)
 *   thread    name_kernel, name_run_, cmk_point_locate_, name_tiles_, cmk_point_together_, name_tile_
 *   tile      name_fill_ with cmk_point_fill_ (window.h), name_evaluate_, name_store_ with cmk_point_store_ (window.h)
 *   point     cmk_point_visit_, name_point_, which is update, name_keep_ with cmk_point_keep_ (window.h)
 *
 * In 3D a block may go along `deep` planes instead, which arrive in shared memory: name_march_ (ring.h). That is a
 * march. The larger grid, which an update sees, is the one that this grid is a part of, as with ranks, or this grid.
 *
 * In all functions here:
 *   d         cmk_point_definition_ (below): constants of the definition, known at compile time
 *   f         cmk_point_field_ (below): constants of one of its fields, known at compile time
 *   task      cmk_point_task_ (below): what the launch has to do, a parameter of the kernel
 *   p         cmk_point_place_ (point.h): the thread's tile, or a point of it. plane, row and column are indices in
 *             the grid, and planes, rows and columns its size. Known at compile time are dims, way, z, y, x and, of
 *             p->tile, planes, rows and lanes; so are wide and teams, the threads of the block, unless a launch
 *             chooses them. The way says how fields come to a thread: by a tile, a ring of a march, or a pass
 *   aligned   1 in name_kernel and 0 in name_unaligned_kernel, known at compile time in both
 *   rings     1 where planes go through shared memory: a constant in a kernel, and task->rings on the host
 *   shape     a SHAPE of point.h: the reach in planes, rows and columns, 4 bits each, and 0x1000 more for a star. Each
 *             reach is from 0 to 8, as an assertion of the definition says. CMK_POINT_PLANES_OF_, ROWS_OF_ and
 *             COLUMNS_OF_ (point.h) return it for an axis
 *   lanes     elements of a vector, the least CMK_POINT_LANES_(size) of all fields. That is 16 / size where size
 *             divides 16, else 1. With lanes > 1 each element has 1, 2, 4 or 8 bytes, and a vector 2, 4, 8 or 16
 *   others    CMK_POINT_UP_(a, b) is a rounded up to a multiple of b; CMK_ZEROS_(T) is a T of zeros. Constants that are
 *             not defined here, such as cmk_point_few_, stand in tune.h, and in point.h cmk_point_rows_, planes_ and
 *             most_, the most rows, planes and points of a tile. cmk_point_output_ there is a point's number among the
 *             thread's
 *   p->       sure: all points are of the part. inside: none reads beyond an edge. near_edge: windows are loaded with
 *             their edges. tile.aligned, tile.cut: rows begin at a vector; their end cuts one. level.held: a bit for
 *             each point that keeps its value in a pass
 *   edge      an EDGE of point.h; CMK_EDGE_PLANE, ROW and COLUMN give that of an axis, CMK_EDGE_LOW_ and HIGH_ the
 *             modes of its sides
 *   kind      cmk_point_KIND_IN is only read, OUT only written, SAME is both in place; a LEAPFROG has two levels in
 *             time
 *   march     by tune.h, without cmk_point_: ring_wide_, ring_widest_, the least and the most threads side by side;
 *             ring_teams_, ring_least_, the most and the fewest rows of them; ring_threads_, or _more_, all; ring_vary_
 *             and deep_, planes of reach up to which a launch chooses the width, and from which a thread has four rows;
 *             kept_few_, kept_most_, bytes kept with registers for more threads, or for two rows; ahead_, planes on
 *             their way; cycle_most_, cycle_far_, unrolled planes
 *   tune.h    also: shared_most_, shared_alone_: bytes of a block where an SM has two, or one. few_, many_: words of
 *             windows. near_: rows of reach. warps_...: warps of a block. blocks_...: blocks of an SM. strip_rows_3d_,
 *             _far_: rows of a thread in a pass
 *   base.h    CMK_FOLDED_: a host and device function, a constant for constant arguments. CMK_INLINED_: an inlined
 *             device function. CMK_UNROLL unrolls the next loop
 *
 * Indices fit an int, as a call is refused where an axis has more than 2^31 - 257 points (refuse.h). With aligned rows
 * every vector is at a multiple of its bytes: cmk_point_set_begins_ (members.h) has checked buffers and pitches, and
 * tiles begin at task->start, where rows of all fields have a vector. Of other rows in 2D that begin alike in all
 * fields each row of a tile begins at the vector below: tiles are skewed, or go by rows. */
#ifndef CMK_KERNEL_POINT_GRID_H
#define CMK_KERNEL_POINT_GRID_H

#include "../../point.h"
#include "../../until.h"
#include "tune.h"

/* These are the first members of every name_grid, in elements. The interface in ../stencil2d.h describes them.
 * prepared_ and prepared_bytes_ are the address and the bytes of the memory that name_prepare allocated, or 0. turns_
 * is the address of the cmk_turns of the name_until whose steps these are, or 0. */
#define CMK_POINT_SIZES_                                                                                               \
    size_t planes, rows, columns, plane_pitch, row_pitch, first_plane, end_plane, first_row, end_row, first_column,    \
        end_column, first_step, global_planes, global_rows, global_columns, prepared_, prepared_bytes_, turns_;        \
    cmk_i64 origin_plane, origin_row, origin_column;                                                                   \
    unsigned deep_ghosts, more_parts
/* These members alone, as the host reads and writes them in any grid: members.h. */
typedef struct {
    CMK_POINT_SIZES_;
} cmk_point_sizes_;

/* the bytes that a thread keeps for a sum (reduce.h) */
enum { cmk_point_sum_bytes_ = 28 };

/* The constants of a field. Size and alignment are bytes of an element. The count is the number of fields that share
 * the name. Shape and edge are its SHAPE and EDGE of point.h, both 0 where it has none. The member written says that
 * the launch writes what it reads, so that the read-only cache may not be used. The kind is a cmk_point_KIND_... of
 * point.h. */
typedef struct {
    int size, alignment, count, shape, edge, written, kind;
    int beside;       /* with deep ghosts, where points beside the part are updated: 1: in steps, 2: in passes */
    const char *name; /* the name in messages of the CPU backend */
} cmk_point_field_;

/* Returns the constants of a field; name_fields_of_ (../point.h) calls it for each one of a definition. A SAME field is
 * written where it is read. */
CMK_FOLDED_ cmk_point_field_ cmk_point_constants_of_(size_t size, size_t alignment, int count, int shape, int edge,
                                                     int kind, int beside, const char *name)
{
    const int aligned = kind >= cmk_point_KIND_SUM ? 8 : (int)alignment;
    const cmk_point_field_ f = {(int)size, aligned, count, shape, edge, kind == cmk_point_KIND_SAME,
                                kind,      beside,  name};
    return f;
}

/* Returns whether f is a reduction. It has values at the points, but no windows, and no memory for each point. */
CMK_FOLDED_ int cmk_point_reduces_(cmk_point_field_ f)
{
    return f.kind >= cmk_point_KIND_SUM;
}

/* Returns whether f is a LEAPFROG, which has a second level in time, the level before. */
CMK_FOLDED_ int cmk_point_leaps_(cmk_point_field_ f)
{
    return f.kind == cmk_point_KIND_LEAPFROG;
}

/* The indices first to end - 1 of an axis of a grid that has `count` of them. The planes, rows and columns of a task
 * are the part. */
typedef struct {
    int first, end, count;
} cmk_point_axis_;

/* What a launch has to do, a parameter of the kernel. The host sets it: divide.h for a single step, passes.h for a
 * pass. Its blocks stand across the columns and down the rows. Behind one another are images in 2D and chunks of planes
 * in 3D. In a pass `across` counts strips, or parts of a line. There `down` counts strips along the rows in 3D, lines,
 * or in 2D the chunks of a strip that is not at a side. */
typedef struct {
    cmk_point_axis_ planes, rows, columns;
    unsigned across, down;
    int start, deep; /* start: the first column of the first block. deep: planes of a block, or rows of a chunk in a
                      * pass in 2D */
    int skew;        /* the skew of tiles where rows are not aligned; -1 where tiles begin anywhere */
    int lead, lead_row, lead_plane; /* element 0 of row y of image z stands lead + y * lead_row + z * lead_plane
                                     * elements behind a vector, modulo the lanes; all 0 where tiles begin anywhere */
    int wide, teams;    /* wide: the threads of a block side by side. teams: its rows of threads. Not set for a pass */
    int aligned, rings; /* aligned: the kernel, or pass, of aligned rows runs. rings: planes go through shared memory */
    int shared;         /* the bytes of shared memory of a block, where planes go through it */
    int all;            /* 1 where a pass of several steps writes all of the grid */
    int above, below;   /* rows near the top and the bottom edge, which are chunks of their own in a pass in 2D */
    int edge_deep;      /* rows of a chunk near an edge, in a pass in 2D */
    unsigned beside;    /* in a pass in 2D the chunks of the first strip, and of the last, of each image, all of
                         * edge_deep rows; 1 or more there. The warps of these strips come first (strip.h) */
    int steps;          /* steps of a pass along lines */
    cmk_i64 time;       /* the number of the first step, which is CMK_POINT_STEP there */
    const cmk_turns *turns; /* the loop of a name_until, whose steps count on in it, or NULL */
    /* The points that a pass of several steps updates. They are the part, or, with deep ghosts, all points along every
     * axis with a reach. The pass writes the part, or with `all` the whole grid. */
    cmk_point_axis_ live_planes, live_rows, live_columns;
    /* What an update sees: the sizes, the place of the grid's first element in them, and the range that is updated. */
    cmk_point_global_ global;
    cmk_point_axis_ seen_planes, seen_rows, seen_columns;
} cmk_point_task_;

/* The constants of a definition, all known at compile time. The dims are 2 or 3. The reach is the largest of all
 * fields, as a SHAPE. The lanes are the elements of a vector, as many as 16 bytes hold of every field. The shared bytes
 * are those of the rings of planes in shared memory. The words are 32-bit words, of a thread's own columns in all
 * windows of a 2D tile. The kept bytes are what a march keeps for two rows of a thread; an element of one byte counts
 * as 4, as nvcc packs halves, but no bytes. */
typedef struct {
    int dims, reach, lanes, shared, words, kept;
    int around; /* a bit each: whether a field wraps along the planes, the rows, the columns */
    int alone;  /* whether some field has no neighbours */
    int narrow; /* whether a field with neighbours is aligned by less than 4 bytes, too little to copy an element */
    int even;   /* as many threads side by side are whole sectors of every field with neighbours, at least 2 */
    /* A level of a pass keeps level_words in registers, and lost is 1 where there can be no pass: a window cannot hold
     * them, a vector has not 16 bytes, or a field with neighbours in 3D is no star. The bits of wraps say whether some
     * field wraps, and whether some field does not: along rows, columns and, in 3D, planes. */
    int level_words, lost, wraps;
    int leaps;       /* whether a field of a line, or of a 2D grid, is a LEAPFROG, with two levels in time */
    int box;         /* whether a field that a stage sets is read as a box, and not as a star, by a pass */
    int flow, meets; /* bytes of a thread's vectors in a row that arrives; in 3D, of those that other threads read */
    int results;     /* the reductions */
    int tuned_steps, tuned_blocks; /* steps of a pass and blocks of an SM by CMK_TUNED_name; 0: by the model */
} cmk_point_definition_;

/* Returns the constants of a definition that has no fields yet. The name_definition_ of ../point.h begins with it. The
 * arguments steps and blocks are those of CMK_TUNED_name. Vectors have 16 elements until cmk_point_limit_lanes_ has
 * seen a field. */
CMK_FOLDED_ cmk_point_definition_ cmk_point_definition_of_(int dims, int steps, int blocks)
{
    cmk_point_definition_ d = CMK_ZEROS_(cmk_point_definition_);
    d.dims = dims;
    d.lanes = 16;
    d.even = 2;
    d.tuned_steps = steps;
    d.tuned_blocks = blocks;
    return d;
}

/* Returns d with vectors of at most as many elements as 16 bytes hold of field f. */
CMK_FOLDED_ cmk_point_definition_ cmk_point_limit_lanes_(cmk_point_definition_ d, cmk_point_field_ f)
{
    if (!cmk_point_reduces_(f) && CMK_POINT_LANES_(f.size) < d.lanes) d.lanes = CMK_POINT_LANES_(f.size);
    return d;
}

/* The ring of a field in shared memory. It has `stages` planes, whose rows hold whole vectors of all that the block's
 * points need. It reaches `along` planes on both sides of the points, and begins `left` columns left of the block's
 * first one. The `rows` are those of a plane of the ring. */
typedef struct {
    int along, rows, left, row_bytes, plane_bytes, stages, bytes;
    int lead;    /* bytes before a row, so that a sector of memory is 32 aligned bytes here: else it is read twice */
    int each;    /* the most rows that a thread copies */
    int singles; /* the most elements of a plane that no vector brings */
} cmk_point_ring_;

/* The length of a thread's list of rows: the most rows that it copies, at radius 8, and one vector beside them. It is
 * the member each of a ring with 4 rows a thread, 8 rows of reach on both sides and the fewest rows of threads of a
 * block, plus 1. */
enum { cmk_point_lines_most_ = (4 * cmk_point_ring_least_ + 2 * 8 - 1) / cmk_point_ring_least_ + 2 };

/* Returns the ring of blocks of `wide` x `teams` threads, each with `lanes` columns in tile_rows rows. `least` is the
 * smallest `teams` that a launch may have; only the member each depends on it. Elements have `size` bytes. A star keeps
 * the planes from the points to the one that arrives, a box only that one; both have cmk_point_ahead_ more on their
 * way. Rows are multiples of 32 bytes, planes of 128, and `lead` puts the block's first column at a multiple of 32, so
 * that all vectors are aligned. A row has at most its reach of singles on each side, and lanes - 1 in a vector that the
 * grid's end cuts. */
CMK_FOLDED_ cmk_point_ring_ cmk_point_ring_of_(int shape, int size, int lanes, int tile_rows, int wide, int teams,
                                               int least)
{
    cmk_point_ring_ r = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    r.along = CMK_POINT_PLANES_OF_(shape);
    r.rows = teams * tile_rows + 2 * CMK_POINT_ROWS_OF_(shape);
    r.left = CMK_POINT_UP_(CMK_POINT_COLUMNS_OF_(shape), lanes);
    r.lead = CMK_POINT_UP_(r.left * size, 32) - r.left * size;
    r.row_bytes = CMK_POINT_UP_(r.lead + (wide * lanes + 2 * r.left) * size, 32);
    r.plane_bytes = CMK_POINT_UP_(r.rows * r.row_bytes, 128);
    r.stages = (shape >= 0x1000 ? r.along + 1 : 1) + cmk_point_ahead_;
    r.bytes = r.stages * r.plane_bytes;
    r.each = (least * tile_rows + 2 * CMK_POINT_ROWS_OF_(shape) - 1) / least + 1;
    r.singles = r.rows * (2 * CMK_POINT_COLUMNS_OF_(shape) + lanes - 1);
    return r;
}

/* Returns the bytes of the rings of count fields and of their list of elements that no vector brings. An entry of the
 * list is a cmk_point_single_ (ring.h) of 8 bytes, and one more entry holds their number. The sum is rounded up to 128
 * bytes, where the next field's rings begin. */
CMK_FOLDED_ int cmk_point_ring_memory_(cmk_point_ring_ r, int count)
{
    return CMK_POINT_UP_(count * r.bytes + 8 * (r.singles + 1), 128);
}

/* Returns the larger of two needs of shared memory: that of the narrowest blocks and that of the widest, in bytes. A
 * block has at most `threads` threads, and at most `widest` side by side. The last argument of the rings, 1 for
 * `least`, does not change their bytes. The widest blocks count with their rows of threads rounded up. Blocks of a
 * width between do not need more: the bytes are convex in the width where rows of no field are rounded up to 32 bytes.
 * So cmk_point_divide_rings_ takes multiples of d.even alone. */
CMK_FOLDED_ int cmk_point_ring_most_(int shape, int size, int lanes, int tile_rows, int count, int widest, int threads)
{
    const int narrow = cmk_point_ring_memory_(
        cmk_point_ring_of_(shape, size, lanes, tile_rows, cmk_point_ring_wide_, threads / cmk_point_ring_wide_, 1),
        count);
    const int wide = cmk_point_ring_memory_(
        cmk_point_ring_of_(shape, size, lanes, tile_rows, widest, (threads - 1) / widest + 1, 1), count);
    return narrow > wide ? narrow : wide;
}

/* Returns bit 0 set where a side of an axis wraps, and bit 1 where a side does not. The edge is that of one axis, such
 * as CMK_EDGE_ROW(f.edge). */
CMK_FOLDED_ int cmk_point_wraps_(int edge)
{
    const int low = CMK_EDGE_LOW_(edge) == CMK_EDGE_WRAP, high = CMK_EDGE_HIGH_(edge) == CMK_EDGE_WRAP;
    return (low || high ? 1 : 0) | (low && high ? 0 : 2);
}

/* Returns d with the reach of a SHAPE, and with the axes along which an EDGE wraps. The numbers 0x100, 0x10 and 1 are
 * one plane, row and column of reach in a SHAPE. */
CMK_FOLDED_ cmk_point_definition_ cmk_point_reaches_(cmk_point_definition_ d, int shape, int edge)
{
    const int planes = CMK_POINT_PLANES_OF_(shape), rows = CMK_POINT_ROWS_OF_(shape);
    const int columns = CMK_POINT_COLUMNS_OF_(shape);
    d.reach += planes > CMK_POINT_PLANES_OF_(d.reach) ? 0x100 * (planes - CMK_POINT_PLANES_OF_(d.reach)) : 0;
    d.reach += rows > CMK_POINT_ROWS_OF_(d.reach) ? 0x10 * (rows - CMK_POINT_ROWS_OF_(d.reach)) : 0;
    d.reach += columns > CMK_POINT_COLUMNS_OF_(d.reach) ? columns - CMK_POINT_COLUMNS_OF_(d.reach) : 0;
    d.alone |= shape % 0x1000 == 0;
    if (planes > 0 && d.dims == 3) d.around |= cmk_point_wraps_(CMK_EDGE_PLANE(edge)) & 1;
    if (rows > 0) d.around |= 2 * (cmk_point_wraps_(CMK_EDGE_ROW(edge)) & 1);
    if (columns > 0) d.around |= 4 * (cmk_point_wraps_(CMK_EDGE_COLUMN(edge)) & 1);
    return d;
}

/* Returns d with field f, and with its level before where f is a LEAPFROG. It adds the kept bytes of a thread with two
 * rows. Of a star they are its own vectors of each plane, of a box also what is beside them. */
CMK_FOLDED_ cmk_point_definition_ cmk_point_include_(cmk_point_definition_ d, cmk_point_field_ f)
{
    const int planes = CMK_POINT_PLANES_OF_(f.shape), rows = CMK_POINT_ROWS_OF_(f.shape);
    const int columns = CMK_POINT_COLUMNS_OF_(f.shape), star = f.shape >= 0x1000;
    if (f.kind == cmk_point_KIND_SUM) d.kept += cmk_point_sum_bytes_;
    if (cmk_point_reduces_(f)) ++d.results;
    if (cmk_point_reduces_(f)) return d;
    const int kept_rows = star ? 2 : 2 + 2 * rows, kept_columns = star ? d.lanes : d.lanes + 2 * columns;
    const int size = f.size == 1 ? 4 : f.size;
    d.kept += f.count * size * kept_rows * kept_columns * (2 * planes + 1);
    if (cmk_point_leaps_(f)) {
        d.kept += f.count * size * 2 * d.lanes;
        d.alone = 1;
    }
    return cmk_point_reaches_(d, f.shape, f.edge);
}

/* Returns the rows of a thread where planes go through shared memory: as many as have windows that fit in registers. */
CMK_FOLDED_ int cmk_point_ring_rows_(cmk_point_definition_ d)
{
    if (d.kept > (d.results > cmk_point_results_few_ ? cmk_point_kept_most_ / 2 : cmk_point_kept_most_)) return 1;
    return CMK_POINT_PLANES_OF_(d.reach) < cmk_point_deep_ ? 2 : 4;
}

/* Returns the blocks of an SM where blocks march along planes. With four rows a thread, one block takes all
 * registers. */
CMK_FOLDED_ int cmk_point_ring_blocks_(cmk_point_definition_ d)
{
    return cmk_point_ring_rows_(d) == 4 ? 1 : cmk_point_blocks_ring_;
}

/* Returns whether a launch chooses the width of a block that marches along aligned rows, and with it its rows of
 * threads. */
CMK_FOLDED_ int cmk_point_varies_(cmk_point_definition_ d)
{
    return CMK_POINT_PLANES_OF_(d.reach) <= cmk_point_ring_vary_;
}

/* Returns the largest such width, in threads. Where a launch does not choose, it is the only one. */
CMK_FOLDED_ int cmk_point_widest_(cmk_point_definition_ d)
{
    if (!cmk_point_varies_(d)) return cmk_point_ring_wide_;
    return CMK_POINT_PLANES_OF_(d.reach) <= 1 && CMK_POINT_ROWS_OF_(d.reach) <= 1 ? cmk_point_ring_widest_
                                                                                  : cmk_point_ring_widest_ / 2;
}

/* Returns the most threads that a block that marches may have. They are more where a thread keeps few bytes from plane
 * to plane, as registers then suffice. */
CMK_FOLDED_ int cmk_point_ring_most_threads_(cmk_point_definition_ d)
{
    return cmk_point_varies_(d) && d.kept <= cmk_point_kept_few_ ? cmk_point_ring_threads_more_
                                                                 : cmk_point_ring_threads_;
}

/* Returns the planes of the unrolled loop of a march. After a whole window of planes, windows are in the same registers
 * again. Larger windows move by this number of planes. */
CMK_FOLDED_ int cmk_point_cycle_(cmk_point_definition_ d)
{
    const int planes = 2 * CMK_POINT_PLANES_OF_(d.reach) + 1;
    return planes <= cmk_point_cycle_most_ ? planes : cmk_point_cycle_far_;
}

/* Returns whether the rows of a 2D grid are lines, as no point reads another row. */
CMK_FOLDED_ int cmk_point_is_line_(cmk_point_definition_ d)
{
    return d.dims == 2 && CMK_POINT_ROWS_OF_(d.reach) == 0 && CMK_POINT_COLUMNS_OF_(d.reach) > 0;
}

/* Returns the 32-bit words of an element in a window, rounded up. nvcc packs no two elements into one. */
CMK_FOLDED_ int cmk_point_words_(int size)
{
    return (size + 3) / 4;
}

/* Returns d with the words of field f in a vector of a line, in a pass of several steps. A stage sets f: it is not IN
 * and not OUT. A LEAPFROG also has the words of its level before. */
CMK_FOLDED_ cmk_point_definition_ cmk_point_level_1d_(cmk_point_definition_ d, cmk_point_field_ f)
{
    d.level_words += f.count * cmk_point_words_(f.size) * (1 + cmk_point_leaps_(f)) * d.lanes;
    d.leaps |= cmk_point_leaps_(f);
    return d;
}

/* Returns d with the words that field f keeps at each level of a pass over a 2D grid. A stage sets f. They are `rows`
 * rows above the updated one and `lag` from it on, without the row that arrives. The window of a LEAPFROG has no room
 * for a larger lag than its own reach. Other windows have room for one that is up to cmk_point_rows_ - 1 rows
 * larger: they are made for a tile of cmk_point_rows_ rows, and a level has one. With d.lost there is no pass. */
CMK_FOLDED_ cmk_point_definition_ cmk_point_level_2d_(cmk_point_definition_ d, cmk_point_field_ f)
{
    const int rows = CMK_POINT_ROWS_OF_(f.shape), beside = f.shape >= 0x1000 ? 0 : 2 * CMK_POINT_COLUMNS_OF_(f.shape);
    const int lag = CMK_POINT_ROWS_OF_(d.reach);
    d.level_words += f.count * cmk_point_words_(f.size) * (rows + lag) * (d.lanes + beside);
    d.leaps |= cmk_point_leaps_(f);
    d.box |= beside > 0;
    d.lost |= (cmk_point_leaps_(f) && lag > rows) || lag - rows > cmk_point_rows_ - 1;
    return d;
}

/* Returns the rows of a thread in a pass over a 3D grid. */
CMK_FOLDED_ int cmk_point_rows_3d_(cmk_point_definition_ d)
{
    return CMK_POINT_PLANES_OF_(d.reach) > 1 ? cmk_point_strip_rows_far_3d_ : cmk_point_strip_rows_3d_;
}

/* Returns d with the words that field f keeps at each level of a pass over a 3D grid. A stage sets f. Of a star they
 * are the thread's own, of a box also those around its rows. A box must reach as many planes as any field of the
 * definition, and may have no odd edge, as a pass would turn a sample at a corner several times. The `room` is the rows
 * of its window of a tile, which must hold all planes that a level needs, each of `rows` rows. Bits 16 and 32 of
 * d.wraps are those of the planes. */
CMK_FOLDED_ cmk_point_definition_ cmk_point_level_3d_(cmk_point_definition_ d, cmk_point_field_ f)
{
    const int planes = CMK_POINT_PLANES_OF_(f.shape), lag = CMK_POINT_PLANES_OF_(d.reach);
    const int reach = CMK_POINT_ROWS_OF_(f.shape), rows = cmk_point_rows_3d_(d) + 2 * reach;
    const int room = (cmk_point_planes_ + 2 * planes) * (1 + 2 * reach);
    const int box = f.shape < 0x1000 && f.shape % 0x1000 != 0;
    const int around = box ? rows * (d.lanes + 2 * CMK_POINT_COLUMNS_OF_(f.shape)) : cmk_point_rows_3d_(d) * d.lanes;
    d.level_words += f.count * cmk_point_words_(f.size) * (planes + lag) * around;
    d.lost |= (cmk_point_leaps_(f) && lag > planes) || (planes + lag + 1) * rows > room ||
              (box && (planes != lag || !CMK_EDGE_VALID_(f.edge)));
    d.box |= box;
    if (planes > 0) d.meets += f.count * f.size * d.lanes;
    if (planes > 0) d.wraps |= 16 * cmk_point_wraps_(CMK_EDGE_PLANE(f.edge));
    return d;
}

/* Returns d with what field f adds to a level of a pass. A stage sets f. Vectors that have not 16 bytes forbid passes.
 * Bits 1 and 2 of d.wraps are those of the rows, and 4 and 8 those of the columns. */
CMK_FOLDED_ cmk_point_definition_ cmk_point_level_(cmk_point_definition_ d, cmk_point_field_ f)
{
    d.flow += f.count * f.size * d.lanes * (1 + cmk_point_leaps_(f));
    d.lost |= f.size * d.lanes != 16;
    if (CMK_POINT_ROWS_OF_(f.shape) > 0) d.wraps |= cmk_point_wraps_(CMK_EDGE_ROW(f.edge));
    if (CMK_POINT_COLUMNS_OF_(f.shape) > 0) d.wraps |= 4 * cmk_point_wraps_(CMK_EDGE_COLUMN(f.edge));
    if (cmk_point_is_line_(d)) return cmk_point_level_1d_(d, f);
    return d.dims == 3 ? cmk_point_level_3d_(d, f) : cmk_point_level_2d_(d, f);
}

/* Returns d with the words of a field that no stage sets. Each level reads it, while other loads of it are under way.
 * In 2D that is twice the rows of a window of one row. In 3D it is a vector of each row of a thread, along lines one
 * vector. */
CMK_FOLDED_ cmk_point_definition_ cmk_point_read_at_levels_(cmk_point_definition_ d, cmk_point_field_ f)
{
    const int rows = cmk_point_is_line_(d) ? 1
                     : d.dims == 3         ? cmk_point_rows_3d_(d)
                                           : 2 * (1 + 2 * CMK_POINT_ROWS_OF_(f.shape));
    d.level_words += f.count * cmk_point_words_(f.size) * d.lanes * rows;
    return d;
}

/* Returns d with the windows, the ring and the levels of field f. All fields must have been included before, as
 * cmk_point_include_ sets the reach and the kept bytes that it needs. The words are the bytes of a 2D tile's rows, of
 * its own columns, divided by 4. Narrow is set below an alignment of 4 bytes, the least piece that copies of unaligned
 * rows have. Of a vector's bytes `part` is the largest power of 2 that divides them, so that 32 / part threads have
 * whole sectors of 32 bytes. An OUT field adds a vector to each level of a pass, which may store it. */
CMK_FOLDED_ cmk_point_definition_ cmk_point_share_(cmk_point_definition_ d, cmk_point_field_ f)
{
    const int beside = f.shape % 0x1000 != 0, bytes = d.lanes * f.size, part = bytes & -bytes;
    if (cmk_point_reduces_(f)) return d;
    if (beside && part < 32 / d.even) d.even = 32 / part;
    d.words += f.count * (cmk_point_rows_ + 2 * CMK_POINT_ROWS_OF_(f.shape)) * d.lanes * f.size / 4;
    d.narrow |= beside && f.alignment < 4;
    if (beside)
        d.shared += cmk_point_ring_most_(f.shape, f.size, d.lanes, cmk_point_ring_rows_(d), f.count,
                                         cmk_point_widest_(d), cmk_point_ring_most_threads_(d));
    if (f.kind == cmk_point_KIND_OUT) {
        d.level_words += f.count * cmk_point_words_(f.size) * d.lanes;
        return d;
    }
    return f.kind == cmk_point_KIND_IN ? cmk_point_read_at_levels_(d, f) : cmk_point_level_(d, f);
}

/* Returns whether planes go through shared memory. They do where points have neighbours in other planes, vectors have
 * several elements, and the rings fit the bytes of a block where an SM has two, or one. A launch may go by tiles for
 * all that, where its grid or its device forbids rings: task->rings, which cmk_point_plan_ (divide.h) sets. */
CMK_FOLDED_ int cmk_point_rings_(cmk_point_definition_ d)
{
    return d.dims == 3 && d.lanes > 1 && CMK_POINT_PLANES_OF_(d.reach) > 0 &&
           d.shared <= (cmk_point_ring_blocks_(d) == 1 ? cmk_point_shared_alone_ : cmk_point_shared_most_);
}

/* Returns whether the windows of a 3D tile have more than cmk_point_many_ words. */
CMK_FOLDED_ int cmk_point_heavy_(cmk_point_definition_ d)
{
    return d.dims == 3 && !cmk_point_rings_(d) && d.words > cmk_point_many_;
}

/* Returns the threads of a block side by side, unless a launch chooses. Along lines they are all of its threads. */
CMK_FOLDED_ int cmk_point_wide_(cmk_point_definition_ d)
{
    return cmk_point_is_line_(d) ? 32 * cmk_point_warps_2d_ : 32;
}

/* Returns the rows of threads of a block, unless a launch chooses. Each row is cmk_point_wide_ threads. */
CMK_FOLDED_ int cmk_point_teams_(cmk_point_definition_ d)
{
    if (cmk_point_is_line_(d)) return 1;
    if (cmk_point_rings_(d)) return cmk_point_ring_teams_;
    if (cmk_point_heavy_(d)) return cmk_point_warps_many_;
    return d.dims == 3 ? cmk_point_warps_3d_ : cmk_point_warps_2d_;
}

/* Returns the most threads that a block has, for the launch bounds of a kernel. */
CMK_FOLDED_ int cmk_point_threads_(cmk_point_definition_ d, int aligned)
{
    return cmk_point_rings_(d) && aligned ? cmk_point_ring_most_threads_(d) : cmk_point_wide_(d) * cmk_point_teams_(d);
}

/* Returns the rows of a thread's tile. They are fewer where windows are larger. */
CMK_FOLDED_ int cmk_point_tile_rows_(cmk_point_definition_ d, int rings)
{
    if (rings) return cmk_point_ring_rows_(d);
    if (d.dims == 3 || cmk_point_is_line_(d)) return 1;
    return d.words > cmk_point_many_ ? cmk_point_rows_ / 2 : cmk_point_rows_;
}

/* Returns the planes of a thread's tile. They are 1 where a block goes along the planes, and fewer where windows are
 * larger. */
CMK_FOLDED_ int cmk_point_tile_planes_(cmk_point_definition_ d, int rings)
{
    if (d.dims == 2 || rings || d.words > cmk_point_many_) return 1;
    return d.words > cmk_point_few_ ? cmk_point_planes_ / 2 : cmk_point_planes_;
}

/* Returns whether each row of a tile is a tile of its own where rows are not aligned. */
CMK_FOLDED_ int cmk_point_by_rows_(cmk_point_definition_ d)
{
    return d.dims == 2 && d.lanes > cmk_point_skew_lanes_;
}

/* Returns the blocks of an SM in the launch bounds of a kernel, by which ptxas bounds registers. Where blocks march,
 * the host divides the planes for that number. tune.h says for which windows, reach and elements each number is; of 16
 * bytes, 4 lanes are elements of 4. */
CMK_FOLDED_ int cmk_point_blocks_(cmk_point_definition_ d, int aligned)
{
    if (cmk_point_rings_(d)) return cmk_point_ring_blocks_(d);
    if (cmk_point_heavy_(d)) return aligned ? cmk_point_blocks_most_ : cmk_point_blocks_more_;
    if (d.words > 2 * cmk_point_many_) return cmk_point_blocks_most_;
    if (d.dims == 3) return cmk_point_blocks_3d_;
    if (d.words > cmk_point_many_) return aligned ? cmk_point_blocks_many_ : cmk_point_blocks_more_;
    if (d.words > cmk_point_few_) return cmk_point_blocks_more_;
    const int near_rows = CMK_POINT_ROWS_OF_(d.reach) <= cmk_point_near_;
    if (d.results > cmk_point_results_few_) return cmk_point_blocks_reduced_;
    if (!aligned && cmk_point_by_rows_(d)) return cmk_point_blocks_far_;
    if (!aligned && !near_rows) return cmk_point_blocks_many_;
    if (!aligned) return CMK_POINT_ROWS_OF_(d.reach) < cmk_point_near_ ? cmk_point_blocks_far_ : cmk_point_blocks_near_;
    if (d.results > 0 && near_rows && d.lanes >= 4 && 2 * d.words <= cmk_point_few_) return cmk_point_blocks_results_;
    return near_rows && d.lanes >= 4 ? cmk_point_blocks_near_ : cmk_point_blocks_far_;
}

/* Returns the columns of a thread. They are 1 in two cases: planes would go through shared memory, but for this grid
 * cannot; or rows are not aligned, and nvcc would not keep the windows in registers. */
CMK_FOLDED_ int cmk_point_columns_(cmk_point_definition_ d, int aligned, int rings)
{
    const int many = d.dims == 3 && d.words > cmk_point_many_;
    return (cmk_point_rings_(d) && !rings) || (!aligned && many) ? 1 : d.lanes;
}

/* Returns whether there is code for tiles of this skew. Of lines, each row is a tile, which has no skew. Tiles of more
 * lanes would need too much code: these go by rows. */
CMK_FOLDED_ int cmk_point_has_skew_(cmk_point_definition_ d, int skew)
{
    if (cmk_point_is_line_(d)) return skew == 0;
    return d.dims == 2 && skew > 0 && skew < d.lanes && d.lanes <= cmk_point_skew_lanes_;
}

/* Returns whether a kernel, that of aligned rows or the other, may go along the planes through shared memory. That of
 * aligned rows then does; the other does where the launch says it, by task->rings. */
CMK_FOLDED_ int cmk_point_marches_(cmk_point_definition_ d, int aligned)
{
    return d.dims == 3 && cmk_point_rings_(d) && (aligned || !d.narrow);
}

/* Returns whether that kernel goes by tiles, where it does not march. With vectors of one element all rows are aligned,
 * so that the other kernel has nothing to do. */
CMK_FOLDED_ int cmk_point_tiles_(cmk_point_definition_ d, int aligned)
{
    return aligned ? !cmk_point_rings_(d) : d.lanes > 1;
}

/* The place of a block in its launch, counted in blocks along columns, rows and planes. `border` is 1 where the block
 * is of the border. */
typedef struct {
    unsigned across, down, behind;
    int border;
} cmk_point_where_;

/* Returns a place with the constants of the definition, the size of the grid and the number of the first step. Its
 * other members are 0, and the caller sets them. */
CMK_INLINED_ cmk_point_place_ cmk_point_place_of_(const cmk_point_task_ *task, cmk_point_definition_ d)
{
    cmk_point_place_ p = CMK_ZEROS_(cmk_point_place_);
    p.dims = d.dims;
    p.planes = task->planes.count;
    p.rows = task->rows.count;
    p.columns = task->columns.count;
    p.time = task->time + (task->turns != NULL ? (cmk_i64)task->turns->begun_ : 0);
    p.around = d.around;
    return p;
}

/* Returns the number of points of a tile, which name_evaluate_ visits one after another. */
CMK_INLINED_ int cmk_point_points_(cmk_point_tile_ tile)
{
    return tile.planes * tile.rows * tile.lanes;
}

/* Returns the number of points whose values a level of a pass may keep. It is 0 where there is no pass. */
CMK_INLINED_ int cmk_point_kept_points_(const cmk_point_place_ *p)
{
    return p->way == cmk_point_in_pass_ ? p->tile.rows * p->tile.lanes : 0;
}

/* Returns which block of the launch the calling block is. The last member, border, is 0, as launches with a border have
 * functions of their own (border.h). */
CMK_INLINED_ cmk_point_where_ cmk_point_where_of_(const cmk_point_task_ *task)
{
    const cmk_point_where_ block = {blockIdx.x % task->across, blockIdx.x / task->across % task->down,
                                    blockIdx.x / task->across / task->down, 0};
    return block;
}

/* Returns by how many elements a row begins behind a vector, so that tiles begin as many columns further left. */
CMK_INLINED_ int cmk_point_lead_(const cmk_point_task_ *task, int lanes, int plane, int row)
{
    const unsigned elements = (unsigned)task->lead + (unsigned)plane * (unsigned)task->lead_plane;
    return (int)((elements + (unsigned)row * (unsigned)task->lead_row) & (unsigned)(lanes - 1));
}

/* Returns the place of the first point of the calling thread's tile. The kernel calls it, and stage, aligned and rings
 * are constants there. The launch chooses the threads of a block in two cases. One is a march along aligned rows with a
 * small reach. The other is a definition with rings whose launch goes by tiles: cmk_point_fold_ (divide.h).
 * p.tile.least is the fewest rows of threads of any launch, those of the widest block. */
CMK_INLINED_ cmk_point_place_ cmk_point_locate_(const cmk_point_task_ *task, cmk_point_definition_ d,
                                                cmk_point_where_ block, int stage, int aligned, int rings)
{
    const int varies = rings ? aligned && cmk_point_varies_(d) : cmk_point_rings_(d);
    cmk_point_place_ p = cmk_point_place_of_(task, d);
    p.stage = stage;
    p.tile.wide = varies ? (int)blockDim.x : cmk_point_wide_(d);
    p.tile.teams = varies ? (int)blockDim.y : cmk_point_teams_(d);
    p.tile.least = rings && varies ? cmk_point_ring_threads_ / cmk_point_widest_(d) : p.tile.teams;
    p.way = rings ? cmk_point_in_ring_ : cmk_point_in_tile_;
    p.sure = !rings;
    p.inside = 1;
    p.tile.planes = cmk_point_tile_planes_(d, rings);
    p.tile.rows = cmk_point_tile_rows_(d, rings);
    p.tile.lanes = cmk_point_columns_(d, aligned, rings);
    p.tile.aligned = aligned || p.tile.lanes == 1;
    p.plane = task->planes.first + (int)block.behind * (rings ? task->deep : p.tile.planes);
    p.row = task->rows.first + ((int)block.down * p.tile.teams + (int)threadIdx.y) * p.tile.rows;
    p.column = task->start + ((int)block.across * p.tile.wide + (int)threadIdx.x) * p.tile.lanes;
    if (!p.tile.aligned && d.dims == 2) p.column -= cmk_point_lead_(task, p.tile.lanes, p.plane, p.row);
    return p;
}

/* Returns the tile at p with this skew, a constant. Its rows begin at vectors. */
CMK_INLINED_ cmk_point_place_ cmk_point_skewed_(cmk_point_place_ p, int skew)
{
    p.tile.aligned = 1;
    p.tile.skew = skew;
    p.tile.lean = skew > 0 ? p.tile.lanes - 1 : 0;
    return p;
}

/* Returns place p with its compile-time constants set anew. A function that is not inlined calls it, so that it knows
 * them. The lanes are set only where the kernels of aligned rows, 1, and of others, 0, have as many. */
CMK_INLINED_ cmk_point_place_ cmk_point_known_(cmk_point_place_ p, cmk_point_definition_ d, int rings)
{
    const int most = cmk_point_columns_(d, 1, rings), least = cmk_point_heavy_(d) ? 1 : cmk_point_columns_(d, 0, rings);
    p.dims = d.dims;
    p.around = d.around;
    p.way = rings ? cmk_point_in_ring_ : cmk_point_in_tile_;
    if (most == least) p.tile.lanes = most;
    p.level.near_layers = p.x = p.y = p.z = 0;
    if (!rings && !cmk_point_heavy_(d)) p.near_edge = 0;
    if (!rings) return p;
    p.tile.planes = 1;
    p.tile.rows = cmk_point_ring_rows_(d);
    p.sure = p.near_edge = 0;
    if (cmk_point_varies_(d)) return p;
    p.tile.wide = cmk_point_wide_(d);
    p.tile.least = p.tile.teams = cmk_point_teams_(d);
    return p;
}

/* Returns whether `count` elements of an axis, from `first` on, belong to the part, and, with `radius` more on both
 * sides, to the grid. An index `first` outside of the grid, also a negative one, gives 0. */
CMK_INLINED_ int cmk_point_within_(cmk_point_axis_ axis, int first, int count, int radius)
{
    return first >= axis.first && first <= axis.end - count && first >= radius && first <= axis.count - count - radius;
}

/* Returns whether the thread's tile is of the part, and stays clear of every edge along the planes. */
CMK_INLINED_ int cmk_point_inside_planes_(const cmk_point_task_ *task, cmk_point_definition_ d,
                                          const cmk_point_place_ *p)
{
    return d.dims == 2 || cmk_point_within_(task->planes, p->plane, p->tile.planes, CMK_POINT_PLANES_OF_(d.reach));
}

/* Returns the same along rows and columns, with the reach of a SHAPE, for the tiles of all p->tile.wide threads side by
 * side; `left` is the column of thread 0. Where rows are not aligned, rows of a tile may begin up to `lean` columns
 * further left, and the vectors that hold what they read begin earlier and end later by as many. */
CMK_INLINED_ int cmk_point_inside_rows_(const cmk_point_task_ *task, int reach, const cmk_point_place_ *p)
{
    const int lean = p->tile.aligned ? 0 : p->tile.lanes - 1;
    const int columns = CMK_POINT_UP_(CMK_POINT_COLUMNS_OF_(reach) + lean, p->tile.lanes);
    const int left = p->column - (int)threadIdx.x * p->tile.lanes;
    return cmk_point_within_(task->rows, p->row, p->tile.rows, CMK_POINT_ROWS_OF_(reach)) &&
           cmk_point_within_(task->columns, left - lean, p->tile.wide * p->tile.lanes + lean, columns);
}

/* Returns the same along all axes, with the reach of the definition. */
CMK_INLINED_ int cmk_point_inside_(const cmk_point_task_ *task, cmk_point_definition_ d, const cmk_point_place_ *p)
{
    return cmk_point_inside_planes_(task, d, p) && cmk_point_inside_rows_(task, d.reach, p);
}

/* Moves place p by z planes, y rows and x columns, in the tile and in the grid. In a skewed tile column x of a row is
 * the row's own. */
CMK_INLINED_ void cmk_point_move_(cmk_point_place_ *p, int z, int y, int x)
{
    p->column += cmk_point_lean_(&p->tile, p->y) - cmk_point_lean_(&p->tile, p->y + y);
    p->z += z;
    p->y += y;
    p->x += x;
    p->plane += z;
    p->row += y;
    p->column += x;
}

/* Moves place p from the first point of the tile to point k. Points are numbered along the columns first, then along
 * the rows, then along the planes. The function takes a pointer because nvcc for sm_100, where it copies places,
 * unrolls the loop over the points too late. */
CMK_INLINED_ void cmk_point_move_to_(cmk_point_place_ *p, int k)
{
    cmk_point_move_(p, k / p->tile.lanes / p->tile.rows, k / p->tile.lanes % p->tile.rows, k % p->tile.lanes);
}

/* Returns whether the windows have many words and are vectors. They are then loaded in one way, at edges and elsewhere:
 * nvcc keeps two sets of such windows in registers, but not a third. */
CMK_FOLDED_ int cmk_point_one_way_(cmk_point_definition_ d, int lanes)
{
    return cmk_point_heavy_(d) && lanes > 1;
}

/* How windows are filled from memory (window.h): the points of a thread of a march; a tile near edges, which folds
 * once; one that stays clear of every edge, whose rows begin at vectors; one of other rows; a slice at an edge. In a
 * pass one of the last three, as the place says. */
enum {
    cmk_point_filled_ring_,
    cmk_point_filled_near_,
    cmk_point_filled_inside_,
    cmk_point_filled_unaligned_,
    cmk_point_filled_edge_,
    cmk_point_filled_pass_
};

/* Returns whether windows that are filled so may be filled as `one` says. */
CMK_FOLDED_ int cmk_point_fills_(int filled, int one)
{
    return filled == one || (filled == cmk_point_filled_pass_ && one >= cmk_point_filled_inside_);
}

/* Returns how windows are filled at p. */
CMK_INLINED_ int cmk_point_filled_at_(int filled, const cmk_point_place_ *p)
{
    if (filled != cmk_point_filled_pass_) return filled;
    if (!p->sure) return cmk_point_filled_edge_;
    return p->tile.aligned ? cmk_point_filled_inside_ : cmk_point_filled_unaligned_;
}

/* Returns how the windows of a tile that is loaded together, and is not skewed, are filled. */
CMK_FOLDED_ int cmk_point_filled_whole_(cmk_point_definition_ d, int aligned)
{
    const int lanes = cmk_point_columns_(d, aligned, 0);
    if (cmk_point_one_way_(d, lanes)) return cmk_point_filled_near_;
    return aligned || lanes == 1 ? cmk_point_filled_inside_ : cmk_point_filled_unaligned_;
}

/* Returns whether all points of the warp's tiles are loaded together. They are where the tiles stay clear of every
 * edge. Where there is one way for all, they also are where all points are of the part, and each axis is longer than
 * the reach, so that an edge folds once. There p->near_edge is set, and p->inside says whether the tiles stay clear.
 * Each thread of name_tiles_ calls it. The two 0 at the end are no radius: of the planes, and of rows and columns. */
CMK_INLINED_ int cmk_point_together_(const cmk_point_task_ *task, cmk_point_definition_ d, cmk_point_place_ *p)
{
    const int inside = cmk_point_inside_(task, d, p);
    if (!cmk_point_one_way_(d, p->tile.lanes)) return inside;
    p->near_edge = 1;
    p->inside = inside;
    return p->planes > CMK_POINT_PLANES_OF_(d.reach) && p->rows > CMK_POINT_ROWS_OF_(d.reach) &&
           p->columns > CMK_POINT_COLUMNS_OF_(d.reach) &&
           cmk_point_within_(task->planes, p->plane, p->tile.planes, 0) && cmk_point_inside_rows_(task, 0, p);
}

/* Returns the rows of a band of a tile that stays clear of edges and is not skewed, which a thread updates one band
 * after another. In 2D, a band has fewer rows where rows are not aligned, as their loads need more registers. */
CMK_INLINED_ int cmk_point_band_rows_(cmk_point_definition_ d, const cmk_point_place_ *p)
{
    if (d.dims == 3 || p->tile.aligned) return p->tile.rows;
    return cmk_point_by_rows_(d) ? 1 : p->tile.rows == cmk_point_rows_ ? cmk_point_rows_ / 2 : p->tile.rows;
}

/* Returns the bands of a tile, 0 where tiles are skewed. */
CMK_INLINED_ int cmk_point_bands_(const cmk_point_task_ *task, cmk_point_definition_ d, const cmk_point_place_ *p)
{
    return d.dims == 2 && !cmk_point_by_rows_(d) && task->skew >= 0 ? 0 : p->tile.rows / cmk_point_band_rows_(d, p);
}

/* Returns by how many columns row y of tile p begins further left than row 0, so that it begins at a vector. */
CMK_INLINED_ int cmk_point_lead_row_(const cmk_point_task_ *task, const cmk_point_place_ *p, int y)
{
    return !p->tile.aligned && p->dims == 2 ? y * task->lead_row & (p->tile.lanes - 1) : 0;
}

/* Returns band k of tile p as a tile of its own. */
CMK_INLINED_ cmk_point_place_ cmk_point_band_(const cmk_point_task_ *task, cmk_point_definition_ d, cmk_point_place_ p,
                                              int k)
{
    const int rows = cmk_point_band_rows_(d, &p);
    p.column -= cmk_point_lead_row_(task, &p, k * rows);
    p.row += k * rows;
    p.tile.rows = rows;
    return p;
}

/* Returns the columns of a slice of a tile at an edge. A slice is a vector, or one point where windows have many words.
 * A thread whose tiles are not loaded together updates one slice after another. */
CMK_INLINED_ int cmk_point_slice_lanes_(cmk_point_definition_ d, const cmk_point_place_ *p)
{
    return cmk_point_heavy_(d) ? 1 : p->tile.lanes;
}

/* Returns the slices of a tile. */
CMK_INLINED_ int cmk_point_slices_(cmk_point_definition_ d, const cmk_point_place_ *p)
{
    return p->tile.planes * p->tile.rows * p->tile.lanes / cmk_point_slice_lanes_(d, p);
}

/* Returns slice k of tile p as a tile of its own. Nothing is known of its edges: near_edge, sure and inside are 0. It
 * begins where that row of a skewed tile begins. */
CMK_INLINED_ cmk_point_place_ cmk_point_slice_(const cmk_point_task_ *task, cmk_point_definition_ d, cmk_point_place_ p,
                                               int k)
{
    const int lanes = cmk_point_slice_lanes_(d, &p), across = p.tile.lanes / lanes, y = k / across % p.tile.rows;
    p.plane += k / across / p.tile.rows;
    p.row += y;
    p.column += k % across * lanes - cmk_point_lead_row_(task, &p, y);
    p.tile.planes = p.tile.rows = 1;
    p.tile.lanes = lanes;
    p.tile.aligned |= lanes == 1;
    p.near_edge = p.sure = p.inside = 0;
    return p;
}

/* Returns whether some point of the slice at p belongs to the part. Tiles begin with the part's first plane and row,
 * but up to a vector before its first column. */
CMK_INLINED_ int cmk_point_any_(const cmk_point_task_ *task, cmk_point_place_ p)
{
    return p.plane < task->planes.end && p.row < task->rows.end && p.column + p.tile.lanes > task->columns.first &&
           p.column < task->columns.end;
}

/* Returns whether point p belongs to the part. With p->sure all points of the thread do. */
CMK_INLINED_ int cmk_point_belongs_(const cmk_point_task_ *task, const cmk_point_place_ *p)
{
    return p->sure || (p->plane < task->planes.end && p->row < task->rows.end && p->column >= task->columns.first &&
                       p->column < task->columns.end);
}

/* Returns a bit for each point of a thread that marches: whether the point belongs to the part. Bit k is point k, as in
 * cmk_point_move_to_. A thread has at most 4 rows of 16 lanes, and so 64 points. */
CMK_INLINED_ unsigned long long cmk_point_all_mine_(const cmk_point_task_ *task, const cmk_point_place_ *p)
{
    unsigned long long mine = 0;
    CMK_UNROLL
    for (int k = 0; k < p->tile.rows * p->tile.lanes; ++k) {
        cmk_point_place_ point = *p;
        cmk_point_move_to_(&point, k);
        mine |= (cmk_point_belongs_(task, &point) ? 1ull : 0ull) << k;
    }
    return mine;
}

/* Returns those bits for the row of the tile that begins at p, its first point in the lowest bit. A level of a pass has
 * such bits too. In a tile all are 1, as an update evaluates only points of the part. A row has at most 16 lanes. */
CMK_INLINED_ unsigned cmk_point_mine_row_(const cmk_point_place_ *p)
{
    const unsigned row = (1u << p->tile.lanes) - 1;
    return p->way != cmk_point_in_tile_ ? (unsigned)(p->mine >> cmk_point_output_(p)) & row : row;
}

/* Returns the index from axis.first to axis.end - 1 that is nearest to i. */
CMK_INLINED_ int cmk_point_into_(cmk_point_axis_ axis, int i)
{
    return i < axis.first ? axis.first : i < axis.end ? i : axis.end - 1;
}

/* Moves p to point k of the tile, and returns whether an update evaluates it; name_evaluate_ calls it for each point.
 * On a GPU a thread of a march or a pass evaluates all its points alike. Elsewhere it evaluates the points of the part,
 * and in a pass those that are not held. The place that an update sees is in the larger grid, where task->global has
 * the size and the place of this grid's first element. There it is always in the part: it is the nearest point of it.
 * In 2D nothing is added where there is no larger grid, as nvcc would keep the sums of a tile's rows in registers. By
 * cmk_host_forget_besides_ the CPU backend begins to note which neighbours the update of this point reads, for
 * cmk_point_keep_ (window.h). */
CMK_INLINED_ int cmk_point_visit_(const cmk_point_task_ *task, cmk_point_place_ *p, int k)
{
#if defined(__CUDACC__)
    const int all = p->way != cmk_point_in_tile_;
#else
    const int all = 0;
    cmk_host_forget_besides_();
#endif
    cmk_point_move_to_(p, k);
    if (!all && (p->way == cmk_point_in_pass_ ? (int)(p->level.held >> k & 1) : !cmk_point_belongs_(task, p))) return 0;
    if (p->dims == 3 || (task->global.plane | task->global.row | task->global.column) != 0) {
        p->plane += task->global.plane;
        p->row += task->global.row;
        p->column += task->global.column;
    }
    p->planes = task->global.planes;
    p->rows = task->global.rows;
    p->columns = task->global.columns;
    if (!all || (p->way == cmk_point_in_pass_ && p->inside)) return 1;
    p->plane = cmk_point_into_(task->seen_planes, p->plane);
    p->row = cmk_point_into_(task->seen_rows, p->row);
    p->column = cmk_point_into_(task->seen_columns, p->column);
    return 1;
}

/* Returns whether rows are not aligned, or whether their end cuts a vector that the block reads without a ring. Only
 * fields without neighbours are read so: d.alone. The threads of a block that marches call it before the march. */
CMK_INLINED_ int cmk_point_is_cut_(cmk_point_definition_ d, const cmk_point_place_ *p)
{
    const int left = p->column - (int)threadIdx.x * p->tile.lanes;
    if (!p->tile.aligned) return 1;
    return d.alone && p->columns % p->tile.lanes != 0 && left + p->tile.wide * p->tile.lanes > p->columns;
}

/* Returns place p with a compile-time constant for whether its rows are cut, as cmk_point_is_cut_ says. In name_run_
 * there is code for 0 and for 1. */
CMK_INLINED_ cmk_point_place_ cmk_point_cut_(cmk_point_place_ p, int cut)
{
    p.tile.cut = cut;
    return p;
}

#endif
