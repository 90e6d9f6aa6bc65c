/* compiles */
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) < (b) ? (b) : (a))
#include <sys/param.h>

#include <cmk/cmk.h>
#include <cmk/host/intrinsics.h>

static __device__ int triple(int a, int b, int c)
{
    return min(min(a, b), MIN(b, c));
}

__global__ void least(int *out, int a, int b, int c)
{
    out[0] = triple(a, b, max(b, c));
}
