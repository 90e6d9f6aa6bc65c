/* expect: cmk: CMK_STENCIL: RADIUS must be from 0 to 64 */
#include <cmk/stencil.h>

#define ONE(r, c) 1.0f

__global__ void apply(float *out)
{
    float sum = 0.0f;
    CMK_STENCIL_2D_BOX(sum, -1, ONE, ONE);
    out[0] = sum;
}
