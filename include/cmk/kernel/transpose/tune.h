/* transpose/tune.h: the measured numbers of the transposes, by the size of an element in bytes: 1, 2, 4, 8 or 16. All
 * were measured on an NVIDIA H200 (sm_90); bench/results/2026-11-21-h200.md is the record. */
#ifndef CMK_KERNEL_TRANSPOSE_TUNE_H
#define CMK_KERNEL_TRANSPOSE_TUNE_H

#include "../../base.h"

/* threads of a block of the tiled kernel, and of the one in place */
#define CMK_TRANSPOSE_THREADS_(SIZE) ((SIZE) == 1 ? 1024 : (SIZE) == 2 ? 512 : 256)
#define CMK_TRANSPOSE_SQUARE_THREADS_(SIZE) ((SIZE) == 2 ? 512 : 256)

/* the least number of blocks an SM: 1 lets ptxas take more registers than by itself (0), which was faster but for 1 and
 * 8 bytes; in place, 2 bytes, it would take 66, of which an SM has room for one block */
#define CMK_TRANSPOSE_BLOCKS_(SIZE) ((SIZE) != 1 && (SIZE) != 8)
#define CMK_TRANSPOSE_SQUARE_BLOCKS_(SIZE) ((SIZE) == 2 ? 2 : CMK_TRANSPOSE_BLOCKS_(SIZE))

/* the kernels that move single elements: columns of a tile, threads, the least number of blocks an SM */
enum { cmk_transpose_any_width_ = 64, cmk_transpose_any_threads_ = 256, cmk_transpose_any_blocks_ = 4 };

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
