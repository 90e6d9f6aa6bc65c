/* compiles */
#include <cmk/cmk.h>

#if !defined(__CUDACC__)
static float min(float a, float b)
{
    return a < b ? a : b;
}
#endif

__global__ void least(float *out, float a)
{
    out[0] = min(out[0], a);
}
