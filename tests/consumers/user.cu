/* a user's program: a table, a kernel of parts, a defined kernel; exit status 0 when all results are right */
#include <cmk/cmk.h>

#define COUNT 1000
#define RADIUS 2
#define WEIGHT(k) CMK_TABLE_AT(weights, k)
#define AROUND(d) in[i + (d)]

CMK_TABLE(CONSTANT, float, weights, [RADIUS + 1]);
CMK_DEFINE_STENCIL1D(smooth, float, RADIUS, CMK_STENCIL_1D_SYMMETRIC, weights, CMK_EDGE_ZERO);

__global__ void smooth_inside(const float *in, float *out, cmk_i64 count)
{
    const cmk_i64 i = (cmk_i64)blockIdx.x * 64 + (cmk_i64)threadIdx.x;
    float sum = 0.0f;
    if (i < RADIUS || i >= count - RADIUS) return;
    CMK_STENCIL_1D_SYMMETRIC(sum, RADIUS, WEIGHT, AROUND);
    out[i] = rsqrtf(sum * sum);
}

static int wrong(const float *result, float expected)
{
    int count = 0;
    for (int i = RADIUS; i < COUNT - RADIUS; ++i) count += !(result[i] >= expected && result[i] <= expected);
    return count;
}

int main(void)
{
    static const float host_weights[RADIUS + 1] = {0.5f, 0.5f, 0.25f};
    static float ones[COUNT], result[COUNT];
    float *in, *out;
    int failures;
    for (int i = 0; i < COUNT; ++i) ones[i] = 1.0f;
    CMK_CHECK(CMK_TABLE_UPLOAD(weights, host_weights, 0, RADIUS + 1));
    CMK_CHECK(cudaMalloc((void **)&in, sizeof ones));
    CMK_CHECK(cudaMalloc((void **)&out, sizeof ones));
    CMK_CHECK(cudaMemcpy(in, ones, sizeof ones, cudaMemcpyHostToDevice));
    CMK_CHECK(smooth(in, out, COUNT, weights, 0));
    CMK_CHECK(cudaMemcpy(result, out, sizeof ones, cudaMemcpyDeviceToHost));
    failures = wrong(result, 2.0f);
    CMK_CHECK(CMK_LAUNCH(smooth_inside, (COUNT + 63) / 64, 64, 0, 0, in, out, COUNT));
    CMK_CHECK(cudaMemcpy(result, out, sizeof ones, cudaMemcpyDeviceToHost));
    failures += wrong(result, 0.5f);
    CMK_CHECK(cudaFree(in));
    CMK_CHECK(cudaFree(out));
    printf("%d wrong\n", failures);
    return failures > 0;
}
