/* expect: cmk_load_by_STREAM_ */
#include <cmk/load.h>

__global__ void copy(const float *in, float *out)
{
    CMK_STORE(&out[0], CMK_LOAD_AS(STREAM, &in[0]));
}
