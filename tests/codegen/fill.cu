/* fill.cu: the transports of fill.h, and conflict-free tiles. */
#include <cmk/cmk.h>

#define FILL(name, HOW, T, ROWS, COLUMNS, PAD, GRAIN)                                                                  \
    extern "C" __global__ void name(CMK_FILL_PARAMETER(in), T *out, int steps)                                         \
    {                                                                                                                  \
        CMK_TILE_3D_AT(T, ring, 0, ROWS, COLUMNS, PAD);                                                                \
        CMK_FILL_PIPE_SYNC(HOW, pipe, 2, GRAIN);                                                                       \
        CMK_FILL(pipe, 0, ring[0], ROWS, COLUMNS, in, 0, (int)blockIdx.x *COLUMNS);                                    \
        for (int n = 0; n < steps; ++n) {                                                                              \
            CMK_FILL_WAIT_SYNC(pipe, n, 0);                                                                            \
            if (n + 1 < steps)                                                                                         \
                CMK_FILL(pipe, n + 1, ring[(n + 1) % 2], ROWS, COLUMNS, in, ROWS * (n + 1),                            \
                         (int)blockIdx.x * COLUMNS);                                                                   \
            for (int r = 0; r < ROWS; ++r)                                                                             \
                CMK_STORE(&out[(n * ROWS + r) * COLUMNS + threadIdx.x], CMK_TILE_GET(ring[n % 2], r, threadIdx.x));    \
        }                                                                                                              \
    }

FILL(plain_16, PLAIN, float, 8, 128, 0, 0)
FILL(async_16, ASYNC, float, 8, 128, 0, 0)
FILL(async_4, ASYNC, float, 8, 128, 1, 0)
FILL(async_swizzled, ASYNC, float, 8, 128, 0, 16)
FILL(bulk, BULK, float, 8, 128, 0, 0)
FILL(bulk_swizzled, BULK, double, 8, 16, 0, 16)
