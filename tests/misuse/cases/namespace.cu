/* compiles */
#include <cmk/cmk.h>
#if defined(__cplusplus)
namespace own
{
#endif

#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)
CMK_TABLE_VALUES(CONSTANT, float, taps, [3], 1, 2, 1);
CMK_DEFINE_STENCIL1D(blur, float, 1, CMK_STENCIL_1D, taps, CMK_EDGE_CLAMP);
CMK_DEFINE_TRANSPOSE(turn, float);
CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 1));
}
CMK_DEFINE_STENCIL2D(heat, HEAT);

#if defined(__cplusplus)
template <class T, int RADIUS> __global__ void smooth(const T *in, T *out, int count)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const auto tap = [](int k) { return (T)CMK_TABLE_AT(taps, k); };
    const auto sample = [=](int d) { return i + d < 0 || i + d >= count ? T(0) : CMK_LOAD(&in[i + d]); };
    T sum = 0;
    CMK_STENCIL_1D(sum, RADIUS, tap, sample);
    if (i < count) CMK_STORE(&out[i], sum);
}

cudaError_t both(const float *in, float *out);
cudaError_t both(const float *in, float *out)
{
    const cudaError_t error = CMK_LAUNCH((smooth<float, 1>), 1, 32, 0, 0, in, out, 32);
    return error == cudaSuccess ? blur(in, out, 32, taps, 0) : error;
}
} // namespace own
#endif
