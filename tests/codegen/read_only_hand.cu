extern "C" __global__ void gather(const float *f, const double *d, const short *s, const signed char *c,
                                  const float4 *v, float *out, int count)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    const float4 four = __ldg(&v[i]);
    float sum = four.x * four.y + four.z + four.w + __ldg(&f[i]) * (float)__ldg(&d[i]) + __ldg(&s[i]) + __ldg(&c[i]);
    for (int k = 0; k < count; ++k) sum += __ldg(&f[3 * k]) * __ldg(&f[i + k]);
    out[i] = sum;
}
