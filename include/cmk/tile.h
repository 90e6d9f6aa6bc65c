/* tile.h: tiles in shared memory.
 *
 *   CMK_TILE(T, name, ROWS, COLUMNS, PAD);      a static tile of ROWS x COLUMNS elements (in a kernel); PAD more
 *                                               elements follow each row and are never read
 *   CMK_TILE_DYNAMIC(T, name);                  T *name: the dynamic shared memory of the launch
 *   CMK_TILE_PAD(T, COLUMNS, BLOCK_X)           the PAD that lets a warp read rows without bank conflicts
 *   CMK_TILE_GET(tile, row, column)             the element
 *   CMK_TILE_SET(tile, row, column, value);     writes it
 *   CMK_TILE_FILL_SYNC(tile, ROWS, COLUMNS, READ);
 *                                               tile[r][c] = READ(r, c) everywhere, then a block barrier
 *   CMK_TILE_FILL_1D_SYNC(tile, COLUMNS, READ); tile[0][c] = READ(c), then a block barrier
 *
 * A tile is 16-byte aligned. ROWS, COLUMNS, PAD, BLOCK_X are integer constants; a fill's ROWS and COLUMNS may be
 * run-time values. A fill is called by all threads of the block with the same arguments: of a block of any
 * shape with blockDim.z = 1, the 1D form of a block with blockDim.y = 1. Consecutive threadIdx.x read consecutive
 * columns. READ is a macro or function of tile coordinates: it subtracts the halo and treats the edge. A kernel that
 * fills a tile again puts a __syncthreads() between its last read and the next fill.
 *
 *   #define PIXEL(r, c) CMK_LDG(&in[(y0 + (r)) * pitch + x0 + (c)])
 *   CMK_TILE(float, tile, 8 + 2 * RADIUS, 32 + 2 * RADIUS, CMK_TILE_PAD(float, 32 + 2 * RADIUS, 32));
 *   CMK_TILE_FILL_SYNC(tile, 8 + 2 * RADIUS, 32 + 2 * RADIUS, PIXEL); */
#ifndef CMK_TILE_H
#define CMK_TILE_H

#include "base.h"

/* Shared memory has 32 banks of 4 bytes. A warp of a block that is BLOCK_X = w < 32 threads wide (a power of
 * two) reads 32 / w rows at once. With u = max(sizeof(T), 4) bytes a thread, the rows fall into distinct
 * banks when the row pitch is an odd multiple of u w bytes, and one row alone fills a bank cycle when
 * u w >= 128: PAD makes the pitch u w modulo 2 u w, or is 0. */
#define CMK_TILE_PAD(T, COLUMNS, BLOCK_X)                                                                              \
    (CMK_TILE_SPAN_(T, BLOCK_X) >= 128                                                                                 \
         ? 0                                                                                                           \
         : (3 * CMK_TILE_SPAN_(T, BLOCK_X) - (int)sizeof(T) * (COLUMNS) % (2 * CMK_TILE_SPAN_(T, BLOCK_X))) %          \
               (2 * CMK_TILE_SPAN_(T, BLOCK_X)) / (int)sizeof(T))

/* bytes between the first elements of two threads w apart, with narrow types counted as one bank each */
#define CMK_TILE_SPAN_(T, BLOCK_X) ((int)(sizeof(T) < 4 ? 4 : sizeof(T)) * (BLOCK_X))

#define CMK_TILE(T, name, ROWS, COLUMNS, PAD)                                                                          \
    CMK_STATIC_ASSERT((ROWS) >= 1 && (COLUMNS) >= 1, "cmk: CMK_TILE: ROWS and COLUMNS must be at least 1");            \
    CMK_STATIC_ASSERT((PAD) >= 0, "cmk: CMK_TILE: PAD must not be negative");                                          \
    CMK_STATIC_ASSERT(sizeof(T) * (ROWS) * ((COLUMNS) + (PAD)) <= 49152,                                               \
                      "cmk: CMK_TILE: the tile exceeds the 48 KB of static shared memory");                            \
    CMK_TILE_STORAGE_(T, name, ROWS, COLUMNS, PAD)

#define CMK_TILE_FILL_1D_SYNC(tile, COLUMNS, READ)                                                                     \
    do {                                                                                                               \
        for (int cmk_column_ = (int)threadIdx.x; cmk_column_ < (COLUMNS); cmk_column_ += (int)blockDim.x)              \
            CMK_TILE_SET(tile, 0, cmk_column_, READ(cmk_column_));                                                     \
        __syncthreads();                                                                                               \
    } while (0)

#define CMK_TILE_FILL_SYNC(tile, ROWS, COLUMNS, READ)                                                                  \
    do {                                                                                                               \
        for (int cmk_row_ = (int)threadIdx.y; cmk_row_ < (ROWS); cmk_row_ += (int)blockDim.y)                          \
            for (int cmk_column_ = (int)threadIdx.x; cmk_column_ < (COLUMNS); cmk_column_ += (int)blockDim.x)          \
                CMK_TILE_SET(tile, cmk_row_, cmk_column_, READ(cmk_row_, cmk_column_));                                \
        __syncthreads();                                                                                               \
    } while (0)

#if defined(__CUDACC__)

#define CMK_TILE_STORAGE_(T, name, ROWS, COLUMNS, PAD) __shared__ __align__(16) T name[ROWS][(COLUMNS) + (PAD)]
#define CMK_TILE_DYNAMIC(T, name)                                                                                      \
    extern __shared__ __align__(16) unsigned char cmk_tile_dynamic_[];                                                 \
    T *const name = (T *)cmk_tile_dynamic_
#define CMK_TILE_GET(tile, row, column) ((tile)[row][column])
#define CMK_TILE_SET(tile, row, column, value) ((void)((tile)[row][column] = (value)))

#else

#define CMK_TILE_STORAGE_(T, name, ROWS, COLUMNS, PAD) CMK_HOST_TILE_(T, name, ROWS, COLUMNS, PAD)
#define CMK_TILE_DYNAMIC(T, name) CMK_HOST_TILE_DYNAMIC_(T, name)
#define CMK_TILE_GET(tile, row, column) CMK_HOST_TILE_GET_(tile, row, column)
#define CMK_TILE_SET(tile, row, column, value) CMK_HOST_TILE_SET_(tile, row, column, value)

#endif

#endif
