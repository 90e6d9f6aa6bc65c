/* expect cuda: too much global constant data (0x14000 bytes, 0x10000 max) */
/* says: `File uses too much global constant data (0x14000 bytes, 0x10000 max)` */
/* because: all constants of a module share 64 KB */
/* do: the source GLOBAL for one of the tables */
#include <cmk/table.h>

CMK_TABLE(CONSTANT, float, first, [10240]);
CMK_TABLE(CONSTANT, float, second, [10240]);

__global__ void add(float *sum)
{
    sum[threadIdx.x] = CMK_TABLE_AT(first, threadIdx.x) + CMK_TABLE_AT(second, threadIdx.x);
}
