/* expect: cmk: CMK_LOAD_STRIDED: COUNT must be at least 1 */
/* do: an integer constant: the elements of the local array */
#include <cmk/load.h>

__global__ void copy(const float *in, float *out)
{
    float v[1] = {0.0f};
    CMK_LOAD_STRIDED(PLAIN, v, 0, in, 32);
    CMK_STORE(&out[0], v[0]);
}
