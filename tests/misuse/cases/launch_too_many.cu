/* expect: too many arguments */
/* expect: scale */
#include <cmk/base.h>

__global__ void scale(float *data, float factor)
{
    data[threadIdx.x] *= factor;
}

int main(void)
{
    float *data = 0;
    return CMK_LAUNCH(scale, 1, 32, 0, 0, data, 2.0f, 3) != cudaSuccess;
}
