/* volume/fill.h: the planes of a volume in a ring of tiles, with every edge, by bytes.
 *
 *   cmk_volume_locate_       where a thread is
 *   cmk_volume_find_sync_    where its rows and its elements of the halo come from; with a block barrier
 *   cmk_volume_fill_         starts the copies of a plane into its stage of the ring; every thread commits a group
 *
 * All threads of a block of 32 x cmk_volume_warps_ call all of these. A warp copies whole rows: by 16 bytes where all
 * rows are aligned and the tile ends inside, else by elements. What the filter reads beside the tile, its halo, goes by
 * element. Each plane comes from the same places, which are found once.
 *
 * In all functions here:
 *
 *   f                     cmk_volume_filter_ (plan.h), known at compile time. f.size is the bytes of an element.
 *                         f.before and f.above are the planes and rows of the filter before its middle
 *   f.lanes, f.width      elements of 16 bytes, which a lane copies of a row; columns of outputs of a block
 *   f.height, f.each      rows of outputs of a block, and of a thread: f.height is cmk_volume_warps_, 8, x f.each
 *   f.tile_rows, f.start  rows of the tile of an input plane; its column where the block's outputs begin
 *   f.tile_columns        columns of that tile: f.start of them on each side of the block's f.width
 *   f.row_bytes           bytes of a row of a tile; f.plane_bytes: bytes of a tile
 *   f.reach               columns on each side of these that are copied as halo, whole vectors of 16 bytes
 *   f.planes_at, f.ring   bytes of shared memory before the table of planes, and before the ring of f.stages tiles
 *   t                     cmk_volume_thread_, made by cmk_volume_locate_
 *   volume                the parameter of the kernel, a cmk_volume_ (rows/volume.h): plane, row and column are the
 *                         region's first, in_planes, in_rows and in_columns the size of the volume, and planes, rows
 *                         and columns that of the region. across, down: tiles of a row, and rows of tiles. Pitches
 *                         (row to row) and steps (plane to plane) count elements
 *   in, tile              plane 0, row 0, column 0 of the volume; the tile of one plane, in shared memory
 *   inside                bit i: the thread's row i, or element i of the halo, is in the volume; else zeros come
 *   cmk_edge_find_        the index that an edge of one axis reads for an index, which may be below 0 or beyond the
 *                         end. It is -1 where none is read. CMK_EDGE_PLANE, _ROW, _COLUMN: the edge of an axis
 *                         (edge.h), of f.edge, which may have another edge for each axis
 *   CMK_LOAD, CMK_STORE   an ordinary load and store of an int, here of shared memory (load.h)
 *   CMK_FILL_COMMIT       makes the copies that this thread has started since its last one a group (fill.h)
 *   CMK_DEVICE_           a function that is inlined in its kernel. CMK_UNROLL unrolls the loop behind it, so that
 *                         its counter is a constant; CMK_NO_UNROLL does not
 *   cmk_fill_async_       (n, to, from, inside): starts a copy of n bytes to shared memory, or writes n zeros (fill.h)
 *   t->whole              makes from->row aligned to 16 bytes: volume->aligned says that the region's first element,
 *                         all pitches and all steps are. A lane's columns are then inside the region. In shared memory
 *                         f.ring, f.row_bytes and f.start * f.size are multiples of 16
 *   int                   holds any plane, row or column of the volume: a call is refused with more than 2^31 - 1
 *                         (call/volume.h). cmk_i64 is long long, for products with pitches */
#ifndef CMK_KERNEL_VOLUME_FILL_H
#define CMK_KERNEL_VOLUME_FILL_H

#include "../../base.h"
#include "../../edge.h"
#include "../../fill.h"
#include "../../load.h"
#include "plan.h"

/* Threads of a block, and bounds of a thread's arrays. With 4 rows of outputs of a thread and 7 of the filter, a tile
 * has 38 rows for 8 warps. With radius 8 its halo is 32 rows of 16 elements for 256 threads. tests/kernels/sizes.cu
 * counts both over all definitions. */
enum {
    cmk_volume_threads_ = 32 * cmk_volume_warps_,
    cmk_volume_rows_most_ = 5, /* bounds over all definitions: a thread's rows of a tile; next, its elements of a
                                * halo */
    cmk_volume_halo_most_ = 2
};

/* Where a thread is, in a block of 32 x cmk_volume_warps_ threads. Places are counted in elements from the region's
 * first, but source_plane from the volume's; it may be negative, before the volume. */
typedef struct {
    const cmk_volume_ *volume;
    char *memory; /* shared memory */
    int warp, lane, thread;
    int row;                           /* the first row that the thread computes, from the block's first */
    cmk_i64 first_plane, first_row, x; /* first plane and first row of the block; first column of the thread */
    cmk_i64 left;                      /* the first column of the block */
    cmk_i64 source_plane;              /* the first plane of the volume that the block reads */
    int fills;                         /* input planes that the block goes through */
    int whole;                         /* whether rows go by 16 bytes */
} cmk_volume_thread_;

/* Where a thread copies its rows and its elements of the halo from, in plane 0, and a bit for each that is inside. What
 * is not inside has some place inside too. Of `row`, element i is row t->warp + i * cmk_volume_warps_ of the tile: the
 * first 16 bytes of the lane where t->whole is 1, else column 0 of the volume. This is a struct of its own because the
 * compiler takes a struct with arrays for memory until loops are unrolled. It would compare again and again what that
 * holds. */
typedef struct {
    const char *row[cmk_volume_rows_most_], *halo[cmk_volume_halo_most_];
    int rows_inside, halo_inside;
} cmk_volume_sources_;

/* Returns where the calling thread is. Blocks go through tiles of a row first, then rows of tiles, then chunks of
 * volume->deep planes. The last chunk may have fewer planes, and t.x and rows may be beyond the region's end. memory:
 * the dynamic shared memory of the block. */
CMK_DEVICE_ cmk_volume_thread_ cmk_volume_locate_(const cmk_volume_ *volume, cmk_volume_filter_ f, char *memory)
{
    cmk_volume_thread_ t;
    t.volume = volume;
    t.memory = memory;
    t.warp = (int)threadIdx.y;
    t.lane = (int)threadIdx.x;
    t.thread = t.warp * 32 + t.lane;
    t.row = t.warp * f.each;
    t.left = (cmk_i64)(blockIdx.x % volume->across) * f.width;
    t.first_row = (cmk_i64)(blockIdx.x / volume->across % volume->down) * f.height;
    t.first_plane = (cmk_i64)(blockIdx.x / volume->across / volume->down) * volume->deep;
    t.x = t.left + t.lane * f.lanes;
    t.source_plane = volume->plane + t.first_plane - f.before;
    const cmk_i64 planes = volume->planes - t.first_plane;
    t.fills = (int)(planes < volume->deep ? planes : volume->deep) + f.planes - 1;
    t.whole = volume->aligned && t.left + f.width <= volume->columns;
    return t;
}

/* Rows of a tile, as arrays of chunks of 16 bytes. A row has 32, 36 or 40 of them: those of 32 lanes, and on each side
 * none, one or two sectors of 32 bytes. */
typedef struct {
    char chunks[32][16];
} cmk_volume_row_32_;
typedef struct {
    char chunks[36][16];
} cmk_volume_row_36_;
typedef struct {
    char chunks[40][16];
} cmk_volume_row_40_;

/* Returns where chunk `chunk` of a row of a tile is, as an element of an array of constant length. Where the length is
 * a number that nvcc has yet to find out, it schedules the loads of conv3d 3x3x3 worse, by 3 %. f.row_bytes is that of
 * one of the three structs: a radius of columns is 0 to 64 bytes. */
CMK_DEVICE_ const void *cmk_volume_chunk_(const void *tile, cmk_volume_filter_ f, int row, int chunk)
{
    if (f.row_bytes == sizeof(cmk_volume_row_32_)) return ((const cmk_volume_row_32_ *)tile)[row].chunks[chunk];
    if (f.row_bytes == sizeof(cmk_volume_row_36_)) return ((const cmk_volume_row_36_ *)tile)[row].chunks[chunk];
    return ((const cmk_volume_row_40_ *)tile)[row].chunks[chunk];
}

/* Returns whether the tile has row i of the thread. The rows of a thread are cmk_volume_warps_ apart, and its elements
 * of the halo cmk_volume_threads_. */
CMK_DEVICE_ int cmk_volume_has_row_(const cmk_volume_thread_ *t, cmk_volume_filter_ f, int i)
{
    return (i + 1) * cmk_volume_warps_ <= f.tile_rows || t->warp + i * cmk_volume_warps_ < f.tile_rows;
}

/* Returns whether the halo has element i of the thread. */
CMK_DEVICE_ int cmk_volume_has_halo_(const cmk_volume_thread_ *t, cmk_volume_filter_ f, int i)
{
    const int all = f.tile_rows * 2 * f.reach;
    return (i + 1) * cmk_volume_threads_ <= all || t->thread + i * cmk_volume_threads_ < all;
}

/* Returns the row of the tile where the thread's element i of the halo is. A row of the halo is f.reach columns at the
 * left of the block's, and as many at the right. The reach must not be 0. */
CMK_DEVICE_ int cmk_volume_halo_row_(const cmk_volume_thread_ *t, cmk_volume_filter_ f, int i)
{
    return (t->thread + i * cmk_volume_threads_) / (2 * f.reach);
}

/* Returns the column of the tile where that element is. The reach must not be 0. */
CMK_DEVICE_ int cmk_volume_halo_column_(const cmk_volume_thread_ *t, cmk_volume_filter_ f, int i)
{
    const int beside = (t->thread + i * cmk_volume_threads_) % (2 * f.reach);
    return beside + f.start - f.reach + (beside < f.reach ? 0 : f.width);
}

/* Writes the tables of what the edge reads, or -1 for nothing. There is one for the columns of the tile, and one for
 * the planes before the first and behind the last, f.before of each: an even filter needs fewer behind. Both are
 * indices in the volume, of columns and of planes. The threads that write planes are 16 at most, of a filter of radius
 * 8. All threads of the block call it, as it has a barrier. */
CMK_DEVICE_ void cmk_volume_find_edges_sync_(const cmk_volume_thread_ *t, cmk_volume_filter_ f)
{
    const cmk_volume_ *const volume = t->volume;
    int *const columns_at = (int *)t->memory, *const planes_at = (int *)(t->memory + f.planes_at);
    const cmk_i64 first = volume->column + t->left - f.start;
    for (int c = t->thread; c < f.tile_columns; c += cmk_volume_threads_)
        CMK_STORE(&columns_at[c], (int)cmk_edge_find_(CMK_EDGE_COLUMN(f.edge), first + c, volume->in_columns));
    if (t->thread < 2 * f.before) {
        const cmk_i64 plane = t->thread < f.before ? t->thread - f.before : volume->in_planes + t->thread - f.before;
        CMK_STORE(&planes_at[t->thread], (int)cmk_edge_find_(CMK_EDGE_PLANE(f.edge), plane, volume->in_planes));
    }
    __syncthreads();
}

/* Finds where the thread's rows of the tile come from, by the edge. All lanes of a warp have the same rows. A row that
 * is not read points to row 0, a legal address, and its bit is 0. Here y counts from the volume's first row. */
CMK_DEVICE_ void cmk_volume_find_rows_(cmk_volume_sources_ *from, const cmk_volume_thread_ *t, cmk_volume_filter_ f,
                                       const char *in)
{
    const cmk_volume_ *const volume = t->volume;
    from->rows_inside = 0;
    CMK_UNROLL
    for (int i = 0; i * cmk_volume_warps_ < f.tile_rows; ++i) {
        const cmk_i64 y = volume->row + t->first_row - f.above + t->warp + i * cmk_volume_warps_;
        const cmk_i64 row = cmk_edge_find_(CMK_EDGE_ROW(f.edge), y, volume->in_rows);
        const cmk_i64 column = t->whole ? volume->column + t->x : 0;
        from->rows_inside |= (row >= 0) << i;
        from->row[i] = in + ((row >= 0 ? row : 0) * volume->in_pitch + column) * f.size;
    }
}

/* Finds where the thread's elements of the halo come from, by the edge. Their columns are looked up in the table that
 * cmk_volume_find_edges_sync_ wrote. */
CMK_DEVICE_ void cmk_volume_find_halo_(cmk_volume_sources_ *from, const cmk_volume_thread_ *t, cmk_volume_filter_ f,
                                       const char *in)
{
    const cmk_volume_ *const volume = t->volume;
    const int *const columns_at = (const int *)t->memory;
    from->halo_inside = 0;
    CMK_UNROLL
    for (int i = 0; i * cmk_volume_threads_ < f.tile_rows * 2 * f.reach; ++i) {
        const cmk_i64 y = volume->row + t->first_row - f.above + cmk_volume_halo_row_(t, f, i);
        const cmk_i64 row = cmk_edge_find_(CMK_EDGE_ROW(f.edge), y, volume->in_rows);
        const int column = CMK_LOAD(&columns_at[cmk_volume_halo_column_(t, f, i)]);
        from->halo_inside |= (row >= 0 && column >= 0) << i;
        from->halo[i] = in + ((row >= 0 ? row : 0) * volume->in_pitch + (column >= 0 ? column : 0)) * f.size;
    }
}

/* Writes the tables of edges, and returns where the thread's copies of each plane come from. All threads of the block
 * call it, as it has a barrier. */
CMK_DEVICE_ cmk_volume_sources_ cmk_volume_find_sync_(const cmk_volume_thread_ *t, cmk_volume_filter_ f, const void *in)
{
    cmk_volume_sources_ from;
    cmk_volume_find_edges_sync_(t, f);
    cmk_volume_find_rows_(&from, t, f, (const char *)in);
    cmk_volume_find_halo_(&from, t, f, (const char *)in);
    return from;
}

/* Returns the plane of the volume that is plane `number` of the block's input, or -1 for none, which is all zeros.
 * number: 0 to t->fills - 1. As the region is inside the volume, planes outside are at most f.before from it, which the
 * table has. */
CMK_DEVICE_ cmk_i64 cmk_volume_plane_at_(const cmk_volume_thread_ *t, cmk_volume_filter_ f, int number)
{
    const int *const planes_at = (const int *)(t->memory + f.planes_at);
    const cmk_i64 plane = t->source_plane + number, planes = t->volume->in_planes;
    if (plane < 0) return CMK_LOAD(&planes_at[(int)plane + f.before]);
    if (plane >= planes) return CMK_LOAD(&planes_at[f.before + (int)(plane - planes)]);
    return plane;
}

/* Starts the copies of the rows of a plane, which is `offset` bytes from plane 0. The pointer `tile` is to column
 * f.start of the tile. A lane copies 16 bytes of each row of its warp, where t->whole is 1. */
CMK_DEVICE_ void cmk_volume_fill_chunks_(const cmk_volume_sources_ *from, const cmk_volume_thread_ *t,
                                         cmk_volume_filter_ f, char *tile, cmk_i64 offset, int inside)
{
    CMK_UNROLL
    for (int i = 0; i * cmk_volume_warps_ < f.tile_rows; ++i)
        if (cmk_volume_has_row_(t, f, i))
            cmk_fill_async_(16, tile + (t->warp + i * cmk_volume_warps_) * f.row_bytes + t->lane * 16,
                            from->row[i] + offset, (inside & 1 << i) != 0);
}

/* The same by single elements, where t->whole is 0. A lane copies each 32nd column of the rows of its warp. */
CMK_DEVICE_ void cmk_volume_fill_elements_(const cmk_volume_sources_ *from, const cmk_volume_thread_ *t,
                                           cmk_volume_filter_ f, char *tile, cmk_i64 offset, int inside)
{
    const int *const columns_at = (const int *)t->memory;
    CMK_NO_UNROLL
    for (int c = t->lane; c < f.width; c += 32) {
        const int column = CMK_LOAD(&columns_at[f.start + c]);
        CMK_UNROLL
        for (int i = 0; i * cmk_volume_warps_ < f.tile_rows; ++i)
            if (cmk_volume_has_row_(t, f, i))
                cmk_fill_async_(f.size, tile + (t->warp + i * cmk_volume_warps_) * f.row_bytes + c * f.size,
                                from->row[i] + offset + (cmk_i64)(column >= 0 ? column : 0) * f.size,
                                column >= 0 && (inside & 1 << i) != 0);
    }
}

/* Starts the copies of the thread's elements of the halo, of a plane that is `offset` bytes from plane 0. Here `tile`
 * points to column 0 of the tile. */
CMK_DEVICE_ void cmk_volume_fill_halo_(const cmk_volume_sources_ *from, const cmk_volume_thread_ *t,
                                       cmk_volume_filter_ f, char *tile, cmk_i64 offset, int inside)
{
    CMK_UNROLL
    for (int i = 0; i * cmk_volume_threads_ < f.tile_rows * 2 * f.reach; ++i)
        if (cmk_volume_has_halo_(t, f, i))
            cmk_fill_async_(
                f.size, tile + cmk_volume_halo_row_(t, f, i) * f.row_bytes + cmk_volume_halo_column_(t, f, i) * f.size,
                from->halo[i] + offset, (inside & 1 << i) != 0);
}

/* Starts the copy of plane `number` of the block's input, if there is one, into stage number % f.stages of the ring.
 * All threads of the block call it and commit a group, also without a copy. What the stage held must have been read by
 * all, which a barrier of the caller sees to. */
CMK_DEVICE_ void cmk_volume_fill_(const cmk_volume_sources_ *from, const cmk_volume_thread_ *t, cmk_volume_filter_ f,
                                  int number)
{
    if (number < t->fills) {
        const cmk_i64 plane = cmk_volume_plane_at_(t, f, number);
        const cmk_i64 offset = plane >= 0 ? plane * t->volume->in_step * f.size : 0;
        const int rows = plane >= 0 ? from->rows_inside : 0, halo = plane >= 0 ? from->halo_inside : 0;
        char *const tile = t->memory + f.ring + number % f.stages * f.plane_bytes;
        if (t->whole)
            cmk_volume_fill_chunks_(from, t, f, tile + f.start * f.size, offset, rows);
        else
            cmk_volume_fill_elements_(from, t, f, tile + f.start * f.size, offset, rows);
        cmk_volume_fill_halo_(from, t, f, tile, offset, halo);
    }
    CMK_FILL_COMMIT(ASYNC);
}

#endif
