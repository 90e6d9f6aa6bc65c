/* counting: a test of what a kernel costs, without a GPU: sectors of loads that lie some elements apart.
 *   build: gcc -Iinclude -x c docs/lessons/counting.cu -o counting -lm -lpthread */
#define CMK_COUNT 1
#include <cmk/cmk.h>

__global__ void gather(const float *in, float *out, int stride)
{
    const int i = (int)threadIdx.x;
    CMK_STORE(&out[i], CMK_LDG(&in[i * stride]));
}

int main(void)
{
    float *in, *out;
    CMK_CHECK(cudaMallocManaged((void **)&in, 32 * 32 * sizeof *in, cudaMemAttachGlobal));
    CMK_CHECK(cudaMallocManaged((void **)&out, 32 * sizeof *out, cudaMemAttachGlobal));
    for (int i = 0; i < 32 * 32; ++i) in[i] = (float)i;
    for (int stride = 1; stride <= 32; stride *= 2) {
        cmk_count_clear();
        CMK_CHECK(CMK_LAUNCH(gather, 1, 32, 0, 0, in, out, stride));
        CMK_CHECK(cudaDeviceSynchronize());
        printf("stride %2d: %2lld sectors for %lld bytes\n", stride,
               (long long)cmk_count("gather", CMK_COUNT_GLOBAL_LOAD_SECTORS),
               (long long)cmk_count("gather", CMK_COUNT_GLOBAL_LOAD_BYTES));
        fflush(stdout);
        if (stride == 1 && !cmk_count_clean("gather")) return 1; /* the test of a kernel that must be clean */
    }
    return cmk_count_clean("gather"); /* at stride 32 it is not, and stderr has said where */
}
