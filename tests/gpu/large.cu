/* CMK_DEFINE_STENCIL1D past 2^31 elements, every point against the sum in double, computed on the GPU. */
#include <math.h>
#include <cmk/cmk.h>
#include "tap.h"

#define RADIUS 4

CMK_TABLE(CONSTANT, float, weights, [RADIUS + 1]);
CMK_DEFINE_STENCIL1D(derivative, float, RADIUS, CMK_STENCIL_1D_ANTISYMMETRIC, weights, CMK_EDGE_CLAMP);

__device__ unsigned long long wrong;

/* differs from one 2^31 to the next, so that a wrapped index shows */
static __device__ float value(long long i)
{
    return (float)((i * 2654435761ll >> 7) % 1021) + (float)(i >> 31) * 0.25f;
}

__global__ void fill(float *x, long long count)
{
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count;
         i += (long long)gridDim.x * blockDim.x)
        x[i] = value(i);
}

__global__ void check(const float *result, long long count)
{
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count;
         i += (long long)gridDim.x * blockDim.x) {
        double sum = 0.0, scale = 0.0;
        for (int k = 1; k <= RADIUS; ++k) {
            const double right = value(i + k < count ? i + k : count - 1), left = value(i >= k ? i - k : 0);
            sum += CMK_TABLE_AT(weights, k) * (right - left);
            scale += fabs((double)CMK_TABLE_AT(weights, k)) * (right + left);
        }
        if (!(fabs(result[i] - sum) <= (2 * RADIUS + 1) * 5.9604645e-8 * scale)) atomicAdd(&wrong, 1ull);
    }
}

int main(void)
{
    const size_t count = ((size_t)1 << 31) + 1029, bytes = count * sizeof(float);
    const float host_weights[RADIUS + 1] = {0.0f, 0.8f, -0.2f, 0.03809f, -0.00357f};
    unsigned long long host_wrong = 0;
    size_t available, total;
    float *in, *out;
    tap_need_device();
    CMK_CHECK(cudaMemGetInfo(&available, &total));
    if (available < 2 * bytes + ((size_t)1 << 28)) {
        puts("1..0 # SKIP less than 17 GB of free device memory");
        return 0;
    }
    CMK_CHECK(CMK_TABLE_UPLOAD(weights, host_weights, 0, RADIUS + 1));
    CMK_CHECK(cudaMalloc((void **)&in, bytes));
    CMK_CHECK(cudaMalloc((void **)&out, bytes));
    CMK_CHECK(CMK_LAUNCH(fill, 4096, 256, 0, 0, in, (long long)count));
    CMK_CHECK(cudaMemset(out, 0xFF, bytes));
    CMK_CHECK(derivative(in, out, count, weights, 0));
    CMK_CHECK(CMK_LAUNCH(check, 4096, 256, 0, 0, out, (long long)count));
    CMK_CHECK(cudaMemcpyFromSymbol(&host_wrong, wrong, sizeof host_wrong));
    tap_check(host_wrong == 0, "2^31 + 1029 elements: %llu wrong", host_wrong);
    CMK_CHECK(cudaFree(in));
    CMK_CHECK(cudaFree(out));
    return tap_done();
}
