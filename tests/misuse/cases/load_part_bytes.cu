/* expect: cmk: CMK_LOAD_PART: BYTES must be 8 or 16, a multiple of the size of an element */
/* because: a part is one access of 8 or 16 bytes */
/* do: elements of 1, 2, 4, 8 or 16 bytes; others by `CMK_LOAD_AS` */
#include <cmk/load.h>

__global__ void copy(const float *in, float *out)
{
    float v[8];
    CMK_LOAD_PART(PLAIN, 32, v, in, 0, 8);
    CMK_STORE(&out[0], v[0]);
}
