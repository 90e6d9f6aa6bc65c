/* transpose/tune.h: the measured numbers of the transposes, by the size of an element in bytes: 1, 2, 4, 8 or 16. All
 * were measured on an NVIDIA H200 (sm_90); the record is bench/results/history/2026-11-21-h200.md. Sizes of tiles are
 * such that a row and a column of one are whole chunks of 16 bytes, 8 of them or a multiple, as the swizzle of tile.h
 * needs, and that threads divide the chunks evenly, up to 64 bytes each. CMK_FOLDED_ and CMK_FUNCTION (base.h) are host
 * and device functions, of which the first is a constant for constant arguments. */
#ifndef CMK_KERNEL_TRANSPOSE_TUNE_H
#define CMK_KERNEL_TRANSPOSE_TUNE_H

#include "../../base.h"

/* The kernels of a definition, in the order of CMK_TRANSPOSE_WAYS_ in transpose.h. */
typedef enum {
    cmk_transpose_by_tiles_,    /* tiles of rows aligned to 16 bytes (tile.h) */
    cmk_transpose_by_elements_, /* tiles of other rows, by single elements (element.h) */
    cmk_transpose_by_lines_,    /* matrices of few rows or few columns (element.h) */
    cmk_transpose_in_place_,    /* square matrices, where they are (tile.h) */
    cmk_transpose_by_rows_      /* rows are swapped, not turned */
} cmk_transpose_way_;

/* For moves of single elements: the columns of a tile, and the threads of a block. */
enum { cmk_transpose_any_width_ = 64, cmk_transpose_any_threads_ = 256 };

/* Returns the threads of a block, for elements of `size` bytes. */
CMK_FOLDED_ int cmk_transpose_threads_(cmk_transpose_way_ way, int size)
{
    if (way == cmk_transpose_by_tiles_) return size == 1 ? 1024 : size == 2 ? 512 : 256;
    return way == cmk_transpose_in_place_ && size == 2 ? 512 : cmk_transpose_any_threads_;
}

/* Returns the least number of blocks of an SM, for ptxas. With 1, ptxas takes more registers than by itself, which is
 * 0. That was faster, except for elements of 1 and of 8 bytes. In place and with 2 bytes it would take 66, which leaves
 * an SM room for one block. */
CMK_FOLDED_ int cmk_transpose_blocks_(cmk_transpose_way_ way, int size)
{
    if (way == cmk_transpose_by_elements_) return 4;
    if (way == cmk_transpose_by_lines_ || way == cmk_transpose_by_rows_) return 0;
    return way == cmk_transpose_in_place_ && size == 2 ? 2 : size != 1 && size != 8;
}

/* A matrix whose columns have at most this number of bytes has few rows; next, one whose rows have at most this number
 * has few columns. */
enum { cmk_transpose_few_rows_ = 32, cmk_transpose_few_columns_ = 64 };

/* Returns the columns of a tile of the kernel that moves 16 bytes at a time. */
CMK_FUNCTION int cmk_transpose_width_(int size)
{
    return 256 / size;
}

/* Returns the rows of such a tile. */
CMK_FUNCTION int cmk_transpose_height_(int size)
{
    return size == 16 ? 32 : 256 / size;
}

/* Returns the rows of a tile of the kernel in place, which are also its columns. */
CMK_FUNCTION int cmk_transpose_edge_(int size)
{
    return size < 4 ? 128 : 256 / size;
}

/* Returns the rows of a tile that moves single elements. A block stores as many fewer as a sector has elements. The
 * threads of a block divide its elements evenly, in one round or two of at most 128 bytes of a thread (element.h). */
CMK_FUNCTION int cmk_transpose_any_loaded_(int size)
{
    return size == 4 ? 136 : size == 8 ? 64 : size == 16 ? 32 : 128;
}

#endif
