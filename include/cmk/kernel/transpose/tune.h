/* transpose/tune.h: the measured numbers of the transposes, by the size of an element in bytes: 1, 2, 4, 8 or 16. All
 * were measured on an NVIDIA H200 (sm_90); bench/results/history/2026-11-21-h200.md is the record. */
#ifndef CMK_KERNEL_TRANSPOSE_TUNE_H
#define CMK_KERNEL_TRANSPOSE_TUNE_H

#include "../../base.h"

typedef enum {
    cmk_transpose_by_tiles_,
    cmk_transpose_by_elements_,
    cmk_transpose_by_lines_,
    cmk_transpose_in_place_,
    cmk_transpose_by_rows_ /* which are swapped, not turned */
} cmk_transpose_way_;

/* the ways that move single elements: columns of a tile, threads */
enum { cmk_transpose_any_width_ = 64, cmk_transpose_any_threads_ = 256 };

/* threads of a block */
CMK_FOLDED_ int cmk_transpose_threads_(cmk_transpose_way_ way, int size)
{
    if (way == cmk_transpose_by_tiles_) return size == 1 ? 1024 : size == 2 ? 512 : 256;
    return way == cmk_transpose_in_place_ && size == 2 ? 512 : cmk_transpose_any_threads_;
}

/* The least number of blocks an SM: 1 lets ptxas take more registers than by itself (0), which was faster but for 1 and
 * 8 bytes; in place, 2 bytes, it would take 66, of which an SM has room for one block. */
CMK_FOLDED_ int cmk_transpose_blocks_(cmk_transpose_way_ way, int size)
{
    if (way == cmk_transpose_by_elements_) return 4;
    if (way == cmk_transpose_by_lines_ || way == cmk_transpose_by_rows_) return 0;
    return way == cmk_transpose_in_place_ && size == 2 ? 2 : size != 1 && size != 8;
}

/* bytes of a column or a row up to which a matrix has few rows or few columns */
enum { cmk_transpose_few_rows_ = 32, cmk_transpose_few_columns_ = 64 };

/* columns and rows of a tile */
CMK_FUNCTION int cmk_transpose_width_(int size)
{
    return 256 / size;
}

CMK_FUNCTION int cmk_transpose_height_(int size)
{
    return size == 16 ? 32 : 256 / size;
}

/* rows, and columns, of a tile of the kernel in place */
CMK_FUNCTION int cmk_transpose_edge_(int size)
{
    return size < 4 ? 128 : 256 / size;
}

/* rows of a tile that moves single elements; a block stores a sector less of them */
CMK_FUNCTION int cmk_transpose_any_loaded_(int size)
{
    return size == 4 ? 136 : size == 8 ? 64 : size == 16 ? 32 : 128;
}

#endif
