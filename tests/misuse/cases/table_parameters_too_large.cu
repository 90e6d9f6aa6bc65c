/* expect cuda: Formal parameter space overflowed (32772 bytes required, max 32764 bytes allowed) */
/* because: a PARAMETER table and the other arguments share the 32,764 bytes */
/* do: a smaller table, or CONSTANT */
#include <cmk/table.h>

CMK_TABLE(PARAMETER, unsigned char, weights, [32764]);

__global__ void widen(CMK_TABLE_PARAMETER(weights), int *out)
{
    out[threadIdx.x] = CMK_TABLE_AT(weights, threadIdx.x);
}
