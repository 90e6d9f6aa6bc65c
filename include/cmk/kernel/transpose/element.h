/* transpose/element.h: the transposes that move single elements: of rows that are not aligned to 16 bytes, and of
 * matrices with few rows or columns. It also has the move of whole rows.
 *
 * In all functions here:
 *
 *   call       cmk_transpose_call_ (call.h), the parameter of the kernel; pitches and steps count elements
 *   size       bytes of an element, 1, 2, 4, 8 or 16, known at compile time, and so is all of a cut
 *   block      cmk_transpose_block_: the tile that the block moves
 *   held       the registers of a thread for its elements
 *   shared     the shared memory of the block, in which rows are those of the output
 *   cmk_transpose_any_width_, _any_threads_    64, the columns of a tile; 256, the threads of a block (tune.h)
 *   cmk_load_value_            loads an element by the read-only cache, as nobody writes `in` meanwhile (load.h);
 *                              cmk_load_plain_value_ and cmk_load_store_value_ load and store one in any memory
 *   alignment  pointers are multiples of an element, or the call is refused (plan.h), and so is every address here
 *   rows       of the input may be below 0 in the tiles at the top; cmk_transpose_exists_ leaves these out
 *   CMK_TURN_  for the counters of the CPU backend; it does nothing on a GPU
 *   CMK_LOAD_16, CMK_STORE_16    (HOW, to, from) of load.h: move 16 bytes of global memory at once; READ_ONLY by that
 *              cache, PLAIN by an ordinary access. cmk_transpose_load_part_, _store_part_ (call.h): the same, by
 *              elements where it is not whole or not aligned
 *   CMK_TILE_DYNAMIC    (T, name) (tile.h): T *name is the dynamic shared memory of the block
 *   others     CMK_DEVICE_: an inlined device function; CMK_FUNCTION: one of host and device. CMK_UNROLL unrolls the
 *              next loop, CMK_NO_UNROLL does not. cmk_transpose_any_loaded_ (tune.h): the rows of a tile */
#ifndef CMK_KERNEL_TRANSPOSE_ELEMENT_H
#define CMK_KERNEL_TRANSPOSE_ELEMENT_H

#include "../../base.h"
#include "../../load.h"
#include "../../tile.h"
#include "call.h"
#include "tune.h"

/* How a block cuts the output. Each of its rows is cut at multiples of 32 bytes, so that no two blocks write into one
 * sector. What is stored of such a row begins `shift` rows higher, 0 to sector - 1. So the tile begins `sector` rows
 * higher, and has as many rows more than a block stores. (Partly written sectors cost a tenth of the bandwidth.) In
 * shared memory a row of the output takes `pitch` elements, 4 bytes or one wider element more than it holds. */
typedef struct {
    int size, sector, loaded, stored, pitch; /* bytes of an element; elements of 32 bytes; rows of the input that a
                                                block loads and that it stores */
} cmk_transpose_cut_;

/* Returns the cut for elements of `size` bytes, for the kernel and for its plan. */
CMK_FUNCTION cmk_transpose_cut_ cmk_transpose_cut_of_(int size)
{
    const int sector = 32 / size, loaded = cmk_transpose_any_loaded_(size);
    const cmk_transpose_cut_ cut = {size, sector, loaded, loaded - sector, loaded + (size < 4 ? 4 / size : 1)};
    return cut;
}

/* The tile of a block; rows and columns are those of the input. */
typedef struct {
    cmk_transpose_cut_ cut;
    cmk_i64 left, first; /* the first column; the first row for a row of the output without a shift */
    cmk_i64 top;         /* the first row of the tile */
    cmk_i64 in, out;     /* elements before row 0, column left of the input; before row left of the output */
} cmk_transpose_block_;

/* Returns the tile of the calling block. Blocks walk down the tiles of a column first, and blockIdx.y is the matrix. */
CMK_DEVICE_ cmk_transpose_block_ cmk_transpose_block_of_(cmk_transpose_call_ call, int size)
{
    cmk_transpose_block_ block;
    block.cut = cmk_transpose_cut_of_(size);
    block.left = (cmk_i64)(blockIdx.x / call.tiles) * cmk_transpose_any_width_;
    block.first = (cmk_i64)(blockIdx.x % call.tiles) * block.cut.stored;
    block.top = block.first - block.cut.sector;
    block.in = blockIdx.y * call.in_step + block.left;
    block.out = blockIdx.y * call.out_step + block.left * call.out_pitch;
    return block;
}

/* Returns whether the matrix has row `row` and column block.left + column. */
CMK_DEVICE_ int cmk_transpose_exists_(cmk_transpose_block_ block, cmk_transpose_call_ call, cmk_i64 row,
                                      unsigned column)
{
    return block.left + column < call.columns && row >= 0 && row < call.rows;
}

/* The rows from an element of a thread to its next one, in the same column: the 256 threads of a block are 4 rows of 64
 * columns. */
enum { cmk_transpose_any_step_ = cmk_transpose_any_threads_ / cmk_transpose_any_width_ };

/* Loads `count` elements of the calling thread to held, one behind the other. The first one is number `begin` of the
 * tile, counted along its rows; the next ones are below it. With `whole` all of them exist; else those that do not are
 * left as they are, and nothing is read at `from`, which may be outside the matrix then. */
CMK_DEVICE_ void cmk_transpose_any_load_(char *held, cmk_transpose_block_ block, cmk_transpose_call_ call,
                                         unsigned begin, int count, int whole)
{
    const int size = block.cut.size, step = cmk_transpose_any_step_;
    const unsigned column = begin % cmk_transpose_any_width_;
    const cmk_i64 first = block.top + begin / cmk_transpose_any_width_;
    cmk_i64 from = block.in + first * call.in_pitch + column;
    CMK_UNROLL
    for (int k = 0; k < count; ++k, from += step * call.in_pitch) {
        CMK_TURN_(begin / cmk_transpose_any_threads_ + (unsigned)k);
        if (whole || cmk_transpose_exists_(block, call, first + k * step, column))
            cmk_load_value_(held + k * size, (const char *)call.in + from * size, size);
    }
}

/* Writes the elements that a thread has loaded to shared memory, where a column of the tile is a row of cut.pitch
 * elements. The block needs a barrier before others read them. */
CMK_DEVICE_ void cmk_transpose_any_put_(char *shared, cmk_transpose_cut_ cut, const char *held, unsigned begin,
                                        int count)
{
    const int column = (int)begin % cmk_transpose_any_width_, first = (int)begin / cmk_transpose_any_width_;
    CMK_UNROLL
    for (int k = 0; k < count; ++k)
        cmk_load_store_value_(shared + (column * cut.pitch + first + k * cmk_transpose_any_step_) * cut.size,
                              held + k * cut.size, cut.size);
}

/* Writes the block's part of the output, from shared memory, behind the barrier. Element m of the part is in row
 * `column` of the output. `start` is the number of that row's first element, counted from address 0, and `shift` is how
 * many elements of its sector come before element block.first. A thread takes four of them in a round, 256 apart; those
 * that do not exist are left out. `at` is below `loaded` in its row of shared memory, as y is below loaded - sector. */
CMK_DEVICE_ void cmk_transpose_any_store_(cmk_transpose_block_ block, cmk_transpose_call_ call, const char *shared,
                                          int whole)
{
    const unsigned size = (unsigned)block.cut.size, sector = (unsigned)block.cut.sector;
    const unsigned stored = (unsigned)block.cut.stored, all = cmk_transpose_any_width_ * stored;
    CMK_NO_UNROLL
    for (unsigned begin = threadIdx.x; begin < all; begin += 4 * cmk_transpose_any_threads_) {
        CMK_UNROLL
        for (int k = 0; k < 4; ++k) {
            const unsigned m = begin + (unsigned)k * cmk_transpose_any_threads_, column = m / stored, y = m % stored;
            const cmk_i64 to = block.out + column * call.out_pitch;
            const size_t start = (size_t)((char *)call.out + to * size) / size;
            const unsigned shift = (unsigned)((start + (size_t)block.first) % sector);
            const cmk_i64 row = block.first - shift + y;
            const unsigned at = column * (unsigned)block.cut.pitch + sector - shift + y;
            char value[16];
            CMK_TURN_(m / cmk_transpose_any_threads_);
            if (m >= all || !(whole || cmk_transpose_exists_(block, call, row, column))) continue;
            cmk_load_plain_value_(value, shared + at * size, block.cut.size);
            cmk_load_store_value_((char *)call.out + (to + row) * size, value, block.cut.size);
        }
    }
}

/* Moves a tile by elements: all that a kernel name_kernel_any does. All cmk_transpose_any_threads_ threads of a block
 * call it; it has one barrier. A thread holds `count` elements at once, so that a tile of more than 4096 elements takes
 * two rounds. With the tiles of tune.h, count is 8, 16 or 17 and no rest is left; 16 elements of 8 bytes, or 8 of 16,
 * fill the 128 bytes of `held`. The 1 or 0 of each call is `whole`, as a constant: whether all of the tile exists. */
CMK_DEVICE_ void cmk_transpose_any_(cmk_transpose_call_ call, int size)
{
    const cmk_transpose_block_ block = cmk_transpose_block_of_(call, size);
    const int all = cmk_transpose_any_width_ * block.cut.loaded;
    const int count = all / cmk_transpose_any_threads_ / (all > 4096 ? 2 : 1);
    const int whole = block.top >= 0 && block.first + block.cut.stored <= call.rows &&
                      block.left + cmk_transpose_any_width_ <= call.columns;
    CMK_TILE_DYNAMIC(char, shared);
    CMK_NO_UNROLL
    for (unsigned begin = threadIdx.x; begin < (unsigned)all; begin += (unsigned)count * cmk_transpose_any_threads_) {
        char held[128];
        if (whole)
            cmk_transpose_any_load_(held, block, call, begin, count, 1);
        else
            cmk_transpose_any_load_(held, block, call, begin, count, 0);
        cmk_transpose_any_put_(shared, block.cut, held, begin, count);
    }
    __syncthreads();
    if (whole)
        cmk_transpose_any_store_(block, call, shared, 1);
    else
        cmk_transpose_any_store_(block, call, shared, 0);
}

/* Moves element `from` of the input to element `to` of the output, both counted from the start of the whole batch. */
CMK_DEVICE_ void cmk_transpose_move_(cmk_transpose_call_ call, cmk_i64 to, cmk_i64 from, int size)
{
    char value[16];
    cmk_load_value_(value, (const char *)call.in + from * size, size);
    cmk_load_store_value_((char *)call.out + to * size, value, size);
}

/* All that a kernel name_kernel_thin does. Moves a matrix of few rows or columns, which would leave most of a tile
 * empty. A thread takes one element of each row or column. Any threads call it; it has no barrier. */
CMK_DEVICE_ void cmk_transpose_thin_(cmk_transpose_call_ call, int size)
{
    const cmk_i64 i = (cmk_i64)blockIdx.x * cmk_transpose_any_threads_ + threadIdx.x;
    const cmk_i64 in = blockIdx.y * call.in_step, out = blockIdx.y * call.out_step;
    if (call.rows < call.columns && i < call.columns)
        for (cmk_i64 row = 0; row < call.rows; ++row)
            cmk_transpose_move_(call, out + i * call.out_pitch + row, in + row * call.in_pitch + i, size);
    if (call.rows >= call.columns && i < call.rows)
        for (cmk_i64 column = 0; column < call.columns; ++column)
            cmk_transpose_move_(call, out + column * call.out_pitch + i, in + i * call.in_pitch + column, size);
}

/* All that a kernel name_kernel_swap does. Moves rows as they are, from in[z][y] to out[y][z]. A thread stores 16
 * aligned bytes of a row. A block calls it in which each threadIdx.y has a row; it has no barrier. x is below 0 in the
 * first chunk of a row that does not begin at 16 bytes. An aligned call has whole chunks in each row: its in_pitch, a
 * multiple of 16 bytes, is the length of a row, as the one caller, cmk_transpose_plan_volume_ (plan.h), sets it. */
CMK_DEVICE_ void cmk_transpose_swap_(cmk_transpose_call_ call, int size)
{
    const cmk_i64 y = blockIdx.z * blockDim.y + threadIdx.y, z = blockIdx.y;
    const char *const from = (const char *)call.in + (z * call.in_step + y * call.in_pitch) * size;
    char *const to = (char *)call.out + (z * call.out_step + y * call.out_pitch) * size;
    const cmk_i64 chunk = (cmk_i64)blockIdx.x * blockDim.x + threadIdx.x;
    const cmk_i64 x = chunk * (16 / size) - (cmk_i64)((size_t)to % 16 / (unsigned)size);
    char held[16];
    if (y >= call.rows || x >= call.columns) return;
    if (call.aligned) {
        CMK_LOAD_16(READ_ONLY, held, from + x * size);
        CMK_STORE_16(PLAIN, to + x * size, held);
    } else {
        cmk_transpose_load_part_(held, from, x, call.columns, size, 1);
        cmk_transpose_store_part_(to, x, call.columns, held, size);
    }
}

#endif
