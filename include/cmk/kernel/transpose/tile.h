/* transpose/tile.h: the transposes that move 16 bytes at a time: of rows aligned to 16 bytes, and in place.
 *
 * A block moves a tile, whose first element is in row `top` and column `left`. LANES elements have 16 bytes. It equals:
 *
 *   float shared[WIDTH][HEIGHT];
 *   for (int row = 0; row < HEIGHT; ++row)
 *       for (int column = 0; column < WIDTH; ++column) {
 *           const int chunk = row / LANES ^ column / LANES % 8;
 *           shared[column][chunk * LANES + row % LANES] = in[(top + row) * in_pitch + left + column];
 *       }
 *   for (int column = 0; column < WIDTH; ++column)
 *       for (int row = 0; row < HEIGHT; ++row) {
 *           const int chunk = row / LANES ^ column / LANES % 8;
 *           out[(left + column) * out_pitch + top + row] = shared[column][chunk * LANES + row % LANES];
 *       }
 *
 * The line with `^` is a swizzle. The 32 pieces that a warp writes at once, of 8 chunks by 4 stacks, are then in 32
 * banks, and so are 8 chunks of a row. A stack is some neighbouring rows, so that its elements of a column, a piece,
 * have 4 bytes; of wider elements it is one row. A thread loads 16 bytes of each row of a stack, and writes pieces.
 *
 * With float a tile has 64 x 64 elements, a block 256 threads, and a thread 4 chunks, k = 0 to 3, of 16 bytes each:
 *
 *   load     lane 8 i + j of warp w    held[16 * k]    row 16 k + 4 (w / 2) + i    columns from 32 (w % 2) + 4 j on
 *   store    thread t                  chunk.words     column 16 k + t / 16        rows from 4 (t % 16) on
 *
 * The path, which all threads of a block go together:
 *
 *   host        cmk_transpose_plan_call_, cmk_transpose_plan_batch_, cmk_transpose_next_ (plan.h)
 *   tile        name_kernel, cmk_transpose_tiles_: cmk_transpose_load_, cmk_transpose_turn_, cmk_transpose_store_
 *   in place    name_kernel_square, cmk_transpose_square_: cmk_transpose_pair_, cmk_transpose_load_pair_, then as above
 *
 * Other matrices go by name_kernel_any, name_kernel_thin and name_kernel_swap (element.h).
 *
 * In all functions here:
 *
 *   call         cmk_transpose_call_ (call.h), the parameter of the kernel; pitches and steps count elements
 *   size, tile   bytes of an element; the sizes of a tile, cmk_transpose_tile_. Both are known at compile time
 *   part         cmk_transpose_part_, the tile in the input or in the output, in elements
 *   held         the registers of a thread for its chunks
 *   shared       the shared memory of the block, in chunks: tile.width rows, those of the output
 *   whole        makes all chunks of 16 bytes of a tile aligned and legal: the call is aligned (call.h), a tile begins
 *                at whole chunks, and all of it is in the matrix. Else cmk_transpose_load_part_ looks at each chunk
 *   cmk_transpose_width_, _height_, _edge_, _threads_    columns and rows of a tile, both of them in place, and threads
 *                of a block (tune.h)
 *   cmk_load_store_value_    stores n bytes as one word (load.h): a piece, at a multiple of its size
 *   cmk_transpose_chunk_    of call.h: 16 aligned bytes. cmk_transpose_load_16_ loads one, read-only or not;
 *                cmk_transpose_store_part_ stores one, by elements where it is not whole or not aligned
 *   CMK_LOAD     (load.h) an ordinary load of one element, here of a chunk of shared memory; CMK_STORE_16(PLAIN, to,
 *                from): an ordinary store of 16 bytes to global memory
 *   8 chunks     divide a row of a tile: it has 16, or 8 in place with elements of 1 byte
 *   others       CMK_TILE_DYNAMIC(T, name) (tile.h): T *name is the dynamic shared memory of the block. CMK_DEVICE_: an
 *                inlined device function. CMK_UNROLL unrolls the next loop */
#ifndef CMK_KERNEL_TRANSPOSE_TILE_H
#define CMK_KERNEL_TRANSPOSE_TILE_H

#include "../../base.h"
#include "../../load.h"
#include "../../tile.h"
#include "call.h"
#include "tune.h"

/* The sizes of a tile, constants in each kernel at compile time. The size is in bytes; all others count elements or
 * threads. */
typedef struct {
    int size, lanes, stack; /* lanes have 16 bytes; a stack has 4, or is one wider element */
    int width, height, threads;
} cmk_transpose_tile_;

/* The part of a matrix that is a tile of it. Its first row begins `at` elements behind the start of all, and its first
 * column is `left`. The matrix ends at `columns`, and `rows` rows of it are left. With `whole` all of the tile
 * exists. */
typedef struct {
    cmk_i64 at, pitch, left, columns, rows;
    int whole;
} cmk_transpose_part_;

/* The most bytes that a thread holds of a tile: with the sizes of tune.h they are 64 for elements of 1, 2 and 4 bytes,
 * and 16 to 32 for wider ones. */
enum { cmk_transpose_held_ = 64 };

/* Returns the sizes of a tile of `width` columns and `height` rows of the input, for a block of `threads` threads. */
CMK_DEVICE_ cmk_transpose_tile_ cmk_transpose_tile_of_(int size, int width, int height, int threads)
{
    const cmk_transpose_tile_ tile = {size, 16 / size, size < 4 ? 4 / size : 1, width, height, threads};
    return tile;
}

/* Returns the number of the thread's k-th chunk in the rows of the tile. A warp covers 8 chunks of 4 stacks at once;
 * `task` counts such pieces of work over all warps and k. */
CMK_DEVICE_ int cmk_transpose_chunk_of_(cmk_transpose_tile_ tile, int k)
{
    const int task = ((int)threadIdx.x + k * tile.threads) / 32;
    return (int)threadIdx.x % 8 + task % (tile.width / tile.lanes / 8) * 8;
}

/* Returns the first row in the tile of the thread's k-th stack. */
CMK_DEVICE_ int cmk_transpose_row_of_(cmk_transpose_tile_ tile, int k)
{
    const int task = ((int)threadIdx.x + k * tile.threads) / 32;
    return ((int)threadIdx.x / 8 % 4 + task / (tile.width / tile.lanes / 8) * 4) * tile.stack;
}

/* Returns the stacks of a thread: how many times k counts. No rest is left (tune.h). */
CMK_DEVICE_ int cmk_transpose_stacks_(cmk_transpose_tile_ tile)
{
    return tile.width / tile.lanes * tile.height / tile.stack / tile.threads;
}

/* Loads the chunks of the calling thread to its registers: row r of stack k to held[(k * tile.stack + r) * 16]. Without
 * part.whole, what the matrix does not have is left out. A thread calls it for itself. */
CMK_DEVICE_ void cmk_transpose_load_(char *held, cmk_transpose_tile_ tile, cmk_transpose_part_ part, const void *in,
                                     int read_only)
{
    CMK_UNROLL
    for (int k = 0; k < cmk_transpose_stacks_(tile); ++k) {
        const cmk_i64 column = part.left + cmk_transpose_chunk_of_(tile, k) * tile.lanes;
        CMK_UNROLL
        for (int r = 0; r < tile.stack; ++r) {
            const int row = cmk_transpose_row_of_(tile, k) + r;
            const cmk_i64 at = part.at + row * part.pitch;
            char *const to = held + (k * tile.stack + r) * 16;
            if (part.whole)
                cmk_transpose_load_16_(to, (const char *)in + (at + column) * tile.size, read_only);
            else if (row < part.rows)
                cmk_transpose_load_part_(to, (const char *)in + at * tile.size, column, part.columns, tile.size,
                                         read_only);
        }
    }
}

/* Writes those chunks to shared memory, as pieces of columns, by the swizzle above. A barrier of the block must follow
 * before others read them. chunk % 8 changes the lowest three bits of a chunk's number, and a row of the output has a
 * multiple of 8 chunks, so that it stays in the row. What is left out of `held` is written too, but not stored. A piece
 * has 4, 8 or 16 bytes. */
CMK_DEVICE_ void cmk_transpose_turn_(cmk_transpose_chunk_ *shared, cmk_transpose_tile_ tile, const char *held)
{
    CMK_UNROLL
    for (int k = 0; k < cmk_transpose_stacks_(tile); ++k) {
        const int chunk = cmk_transpose_chunk_of_(tile, k), row = cmk_transpose_row_of_(tile, k);
        CMK_UNROLL
        for (int lane = 0; lane < tile.lanes; ++lane) {
            cmk_transpose_chunk_ *const to =
                &shared[(chunk * tile.lanes + lane) * (tile.height / tile.lanes) + (row / tile.lanes ^ chunk % 8)];
            char piece[16];
            CMK_UNROLL
            for (int r = 0; r < tile.stack; ++r)
                memcpy(piece + r * tile.size, held + (k * tile.stack + r) * 16 + lane * tile.size, (size_t)tile.size);
            cmk_load_store_value_((char *)to + row % tile.lanes * tile.size, piece, tile.stack * tile.size);
        }
    }
}

/* Stores chunks of the rows of the output, from shared memory, behind the barrier. Here part is a part of the output,
 * and `high` is the chunks of one of its rows in the tile. Chunk m of the tile is chunk `at` of row `row` of the
 * output. */
CMK_DEVICE_ void cmk_transpose_store_(void *out, cmk_transpose_part_ part, cmk_transpose_tile_ tile,
                                      const cmk_transpose_chunk_ *shared)
{
    const int high = tile.height / tile.lanes;
    CMK_UNROLL
    for (int k = 0; k < tile.width * high / tile.threads; ++k) {
        const int m = (int)threadIdx.x + k * tile.threads, row = m / high, at = m % high;
        const cmk_transpose_chunk_ chunk = CMK_LOAD(&shared[row * high + (at ^ row / tile.lanes % 8)]);
        const cmk_i64 to = part.at + row * part.pitch, column = part.left + at * tile.lanes;
        if (part.whole)
            CMK_STORE_16(PLAIN, (char *)out + (to + column) * tile.size, chunk.words);
        else if (row < part.rows)
            cmk_transpose_store_part_((char *)out + to * tile.size, column, part.columns, (const char *)chunk.words,
                                      tile.size);
    }
}

/* Moves a tile: all that a kernel name_kernel does, whose rows are all aligned to 16 bytes. Blocks walk down the
 * columns of the input, so that neighbours write neighbouring parts of the same rows. blockIdx.y is the matrix. The 1
 * in the call of cmk_transpose_load_ says that nobody writes `in` meanwhile. The dynamic shared memory is one tile, of
 * 8 to 64 KB. All threads of a block call it; it has one barrier. */
CMK_DEVICE_ void cmk_transpose_tiles_(cmk_transpose_call_ call, int size)
{
    const cmk_transpose_tile_ tile =
        cmk_transpose_tile_of_(size, cmk_transpose_width_(size), cmk_transpose_height_(size),
                               cmk_transpose_threads_(cmk_transpose_by_tiles_, size));
    const cmk_i64 left = (cmk_i64)(blockIdx.x / call.tiles) * tile.width;
    const cmk_i64 top = (cmk_i64)(blockIdx.x % call.tiles) * tile.height;
    const int whole = left + tile.width <= call.columns && top + tile.height <= call.rows;
    const cmk_transpose_part_ read = {
        blockIdx.y * call.in_step + top * call.in_pitch, call.in_pitch, left, call.columns, call.rows - top, whole};
    const cmk_transpose_part_ written = {
        blockIdx.y * call.out_step + left * call.out_pitch, call.out_pitch, top, call.rows, call.columns - left, whole};
    CMK_TILE_DYNAMIC(cmk_transpose_chunk_, shared);
    char held[cmk_transpose_held_];
    cmk_transpose_load_(held, tile, read, call.in, 1);
    cmk_transpose_turn_(shared, tile, held);
    __syncthreads();
    cmk_transpose_store_(call.out, written, tile, shared);
}

/* Sets which tiles a block moves in place: (i, j) and (j, i) of tiles x tiles, i <= j. It reads both before it writes
 * either. That triangle folds into a rectangle, tiles | 1 wide and tiles / 2 high, rounded up. Its row b has row b of
 * the triangle and, before it, backwards, the row that is as much shorter. Blocks walk along four such rows at once, so
 * that the parts of a sector that belong to neighbouring tiles meet in the L2 cache. The grid has a multiple of four
 * such rows, so that the last blocks may have none. Returns whether there is a pair. */
CMK_DEVICE_ int cmk_transpose_pair_(cmk_i64 *pair, cmk_i64 tiles)
{
    const cmk_i64 even = tiles % 2 == 0;
    const cmk_i64 a = blockIdx.x / 4, b = (cmk_i64)blockIdx.y * 4 + blockIdx.x % 4;
    const int own_row = a >= b + even;
    pair[0] = own_row ? b : tiles - even - b;
    pair[1] = own_row ? a - even : tiles - 1 - a;
    return 2 * b < tiles;
}

/* Loads both tiles of a pair, or the one on the diagonal, to held[0] and held[1]. As the kernel writes this memory too,
 * the loads are not read-only, which the last argument 0 says. A thread calls it for itself. */
CMK_DEVICE_ void cmk_transpose_load_pair_(char (*held)[cmk_transpose_held_], cmk_transpose_tile_ tile,
                                          cmk_transpose_call_ call, const cmk_i64 *pair, int whole)
{
    CMK_UNROLL
    for (int s = 0; s < 2; ++s) {
        const cmk_i64 top = pair[s] * tile.height, left = pair[1 - s] * tile.width;
        const cmk_transpose_part_ read = {top * call.in_pitch, call.in_pitch, left, call.rows, call.rows - top, whole};
        if (s == 0 || pair[0] != pair[1]) cmk_transpose_load_(held[s], tile, read, call.in, 0);
    }
}

/* Moves a pair of tiles in place: all that a kernel name_kernel_square does. chunks: those of 16 bytes of a tile. The 1
 * or 0 of each call is `whole`, as a constant. As pair[0] <= pair[1], the end of tile pair[1] is in the matrix if both
 * are. A block without a pair returns before the barrier, with all its threads. All threads of a block call it; it has
 * one barrier, behind which both tiles have been read. */
CMK_DEVICE_ void cmk_transpose_square_(cmk_transpose_call_ call, int size)
{
    const int edge = cmk_transpose_edge_(size), chunks = edge * edge * size / 16;
    const cmk_transpose_tile_ tile =
        cmk_transpose_tile_of_(size, edge, edge, cmk_transpose_threads_(cmk_transpose_in_place_, size));
    cmk_i64 pair[2];
    char held[2][cmk_transpose_held_];
    CMK_TILE_DYNAMIC(cmk_transpose_chunk_, shared);
    if (!cmk_transpose_pair_(pair, call.tiles)) return;
    const int whole = call.aligned && (pair[1] + 1) * edge <= call.rows;
    if (whole)
        cmk_transpose_load_pair_(held, tile, call, pair, 1);
    else
        cmk_transpose_load_pair_(held, tile, call, pair, 0);
    CMK_UNROLL
    for (int s = 0; s < 2; ++s)
        if (s == 0 || pair[0] != pair[1]) cmk_transpose_turn_(shared + s * chunks, tile, held[s]);
    __syncthreads();
    CMK_UNROLL
    for (int s = 0; s < 2; ++s) {
        const cmk_i64 top = pair[s] * edge, left = pair[1 - s] * edge;
        const cmk_transpose_part_ written = {left * call.in_pitch, call.in_pitch, top, call.rows,
                                             call.rows - left,     whole};
        if (s == 0 || pair[0] != pair[1]) cmk_transpose_store_(call.out, written, tile, shared + s * chunks);
    }
}

#endif
