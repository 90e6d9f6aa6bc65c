/* transpose/tile.h: the transposes that move 16 bytes at a time: of rows aligned to 16 bytes, and in place.
 *
 * A thread loads 16 bytes of each of stack neighbouring rows, and writes them to shared memory as one piece (stack
 * elements of a column) for each of its columns. There a column of the tile is a row of 16-byte chunks, which the
 * second half reads whole and stores. Chunk c of column x lies at c ^ (x / lanes % 8): the 32 pieces that a warp writes
 * at once, of 8 chunks by 4 stacks, then lie in 32 banks, and so do 8 chunks of a row. */
#ifndef CMK_KERNEL_TRANSPOSE_TILE_H
#define CMK_KERNEL_TRANSPOSE_TILE_H

#include "../../base.h"
#include "../../load.h"
#include "../../tile.h"
#include "call.h"
#include "tune.h"

/* the sizes of a tile, constants in each kernel; size is bytes, all else counts elements and threads */
typedef struct {
    int size, lanes, stack; /* lanes have 16 bytes; a stack has 4, or is one wider element */
    int width, height, threads;
} cmk_transpose_tile_;

/* the part of a matrix that is a tile of it: its first row begins at elements behind the first of all; its first column
 * is left, the rows end at columns, and rows are left; whole: all of the tile exists */
typedef struct {
    cmk_i64 at, pitch, left, columns, rows;
    int whole;
} cmk_transpose_part_;

enum { cmk_transpose_held_ = 64 }; /* the most bytes that a thread holds of a tile */

CMK_DEVICE_ cmk_transpose_tile_ cmk_transpose_tile_of_(int size, int width, int height, int threads)
{
    const cmk_transpose_tile_ tile = {size, 16 / size, size < 4 ? 4 / size : 1, width, height, threads};
    return tile;
}

/* the k-th chunk of a row, and the first row of the k-th stack, of this thread: a warp covers 8 chunks of 4 stacks */
CMK_DEVICE_ int cmk_transpose_chunk_of_(cmk_transpose_tile_ tile, int k)
{
    const int task = ((int)threadIdx.x + k * tile.threads) / 32;
    return (int)threadIdx.x % 8 + task % (tile.width / tile.lanes / 8) * 8;
}

CMK_DEVICE_ int cmk_transpose_row_of_(cmk_transpose_tile_ tile, int k)
{
    const int task = ((int)threadIdx.x + k * tile.threads) / 32;
    return ((int)threadIdx.x / 8 % 4 + task / (tile.width / tile.lanes / 8) * 4) * tile.stack;
}

CMK_DEVICE_ int cmk_transpose_stacks_(cmk_transpose_tile_ tile)
{
    return tile.width / tile.lanes * tile.height / tile.stack / tile.threads;
}

/* the chunks of this thread */
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

/* those chunks to shared memory, as pieces */
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

/* from shared memory chunks of the rows of the output */
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

/* Blocks walk down the columns of the input, so that neighbours write neighbouring parts of the same rows. Called by
 * all threads of a block; one barrier. */
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

/* In place, a block takes the tiles (i, j) and (j, i) of tiles x tiles, i <= j, and reads both before it writes either.
 * That triangle folds into a rectangle, tiles | 1 wide and tiles / 2 high, rounded up: its row b holds row b of the
 * triangle and, before it, backwards, the row that is as much shorter. Blocks walk along four such rows at once, so
 * that the parts of a sector that belong to neighbouring tiles meet in the L2 cache. Returns whether there is a pair.
 */
CMK_DEVICE_ int cmk_transpose_pair_(cmk_i64 *pair, cmk_i64 tiles)
{
    const cmk_i64 even = tiles % 2 == 0;
    const cmk_i64 a = blockIdx.x / 4, b = (cmk_i64)blockIdx.y * 4 + blockIdx.x % 4;
    const int own_row = a >= b + even;
    pair[0] = own_row ? b : tiles - even - b;
    pair[1] = own_row ? a - even : tiles - 1 - a;
    return 2 * b < tiles;
}

/* both tiles of a pair are read, or the one on the diagonal */
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

/* Called by all threads of a block; one barrier, behind which both tiles have been
 * read. */
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
