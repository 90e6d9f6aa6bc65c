/* expect: cmk: CMK_STENCIL: RADIUS must be from 0 to 64 */
/* because: the body is unrolled completely */
/* do: a loop of your own for larger radii */
#include <cmk/stencil.h>

#define ONE(d) 1.0f

__global__ void apply(float *out)
{
    float sum = 0.0f;
    CMK_STENCIL_1D(sum, 65, ONE, ONE);
    out[0] = sum;
}
