/* expect c++: cmk: a tile has 1, 2, 4, 8, 16 or 32 threads on the CPU backend */
/* because: lanes of a warp exchange values, threads of several warps do not */
/* do: tiles of a warp, and shared memory between them */
#include "cmk/host/toolkit/cooperative_groups.h"
__global__ void k(int *out)
{
    const auto tile = cooperative_groups::tiled_partition<64>(cooperative_groups::this_thread_block());
    out[threadIdx.x] = (int)tile.thread_rank();
}
