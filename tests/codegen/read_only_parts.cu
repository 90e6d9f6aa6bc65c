#include <cmk/load.h>

extern "C" __global__ void gather(const float *f, const double *d, const short *s, const signed char *c,
                                  const float4 *v, float *out, int count)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    const float4 four = CMK_LDG(&v[i]);
    float sum =
        four.x * four.y + four.z + four.w + CMK_LDG(&f[i]) * (float)CMK_LDG(&d[i]) + CMK_LDG(&s[i]) + CMK_LDG(&c[i]);
    for (int k = 0; k < count; ++k) sum += CMK_LDG(&f[3 * k]) * CMK_LDG(&f[i + k]);
    CMK_STORE(&out[i], sum);
}
