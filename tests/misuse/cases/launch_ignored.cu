/* expect: ignoring return value */
/* expect: scale */
/* says: `ignoring return value of ... warn_unused_result`, `result of call is not used` */
/* because: a launch, an upload and a slot return their error */
/* do: `CMK_CHECK(CMK_LAUNCH(...))` */
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
