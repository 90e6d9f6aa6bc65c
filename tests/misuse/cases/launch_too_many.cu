/* expect: too many arguments */
/* expect: scale */
/* says: `too many arguments to function 'scale'` */
/* because: CMK_LAUNCH calls the kernel by its own prototype */
/* do: correct the call */
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
