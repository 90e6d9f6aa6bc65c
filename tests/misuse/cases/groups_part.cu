/* expect c++: cmk: the part of a tile is no larger than the tile */
/* because: a tile is divided into smaller ones */
/* do: make the larger tile of the block */
#include "cmk/host/toolkit/cooperative_groups.h"
__global__ void k(int *out)
{
    const auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
    out[threadIdx.x] = (int)cooperative_groups::tiled_partition<16>(tile).thread_rank();
}
