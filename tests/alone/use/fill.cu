#define ONE(r, c) (float)((r)*0 + (c)*0 + 1)

#if defined(__CUDACC__)
#define MEMORY __shared__ __align__(128) float
#else
#define MEMORY __shared__ __attribute__((aligned(128))) float
#endif

__global__ void copy_tiles(CMK_FILL_PARAMETER(given), float *taken)
{
    MEMORY plain[2][8], quick[2][8], bulky[2][8];
    CMK_FILL_PIPE_SYNC(PLAIN, simple, 1, 0);
    CMK_FILL_PIPE_SYNC(ASYNC, fast, 2, 0);
    CMK_FILL_PIPE_SYNC(BULK, whole, 8, 0);
    CMK_FILL(simple, 0, plain, 2, 8, given, 0, -4);
    CMK_FILL(fast, 0, quick, 2, 8, given, 0, -4);
    CMK_FILL_3D(whole, 0, bulky, 2, 8, given, 0, 0, -4);
    CMK_FILL_WAIT_SYNC(simple, 0, 0);
    CMK_FILL_WAIT_SYNC(fast, 0, 0);
    CMK_FILL_WAIT_SYNC(whole, 0, 0);
    CMK_FILL_EDGE_SYNC(fast, quick, 2, 8, given, 0, -4, ONE);
    if (threadIdx.x < 8) taken[threadIdx.x] = plain[1][threadIdx.x] + quick[1][threadIdx.x] + bulky[1][threadIdx.x];
}

__global__ void copy_four(const float *given, float *taken)
{
    MEMORY quick[4];
    if (threadIdx.x == 0) {
        CMK_FILL_COPY(ASYNC, 16, quick, given, 1);
        CMK_FILL_COMMIT(ASYNC);
        CMK_FILL_ARRIVED(ASYNC, 0);
    }
    __syncthreads();
    if (threadIdx.x < 4) taken[8 + threadIdx.x] = quick[threadIdx.x];
}

#if !defined(__CUDACC_RTC__)
int main(void)
{
    static float copy[16];
    float *given, *taken;
    cmk_fill_source matrix;
    for (int which = 0; which < 16; ++which) copy[which] = (float)which;
    if (cudaMalloc((void **)&given, sizeof copy) != cudaSuccess) return 1;
    if (cudaMalloc((void **)&taken, sizeof copy) != cudaSuccess) return 1;
    if (cudaMemcpy(given, copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    if (CMK_FILL_SOURCE_3D(&matrix, given, 16, 8, 1, 2, 8, 2, 8, 0) != cudaSuccess) return 1;
    if (CMK_FILL_SOURCE(&matrix, given, 8, 2, 8, 2, 8, 0) != cudaSuccess) return 1;
    if (CMK_LAUNCH(copy_tiles, 1, 32, 0, 0, matrix, taken) != cudaSuccess) return 1;
    if (CMK_LAUNCH(copy_four, 1, 32, 0, 0, given, taken) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, taken, 12 * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    if (copy[11] < 3.0f || copy[11] > 3.0f) return 1;
    return copy[3] < 1.0f || copy[3] > 1.0f || copy[4] < 24.0f || copy[4] > 24.0f;
}
#endif
