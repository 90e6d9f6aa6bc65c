/* expect: ignoring return value */
/* expect: scale */
#include <cmk/base.h>

__global__ void scale(float *data, float factor)
{
    data[threadIdx.x] *= factor;
}

int main(void)
{
    float *data = 0;
    CMK_LAUNCH(scale, 1, 32, 0, 0, data, 2.0f);
    return 0;
}
