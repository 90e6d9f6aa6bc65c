#define FROM_DATA(r, c) data[16 * (r) + (c)]

__global__ void transpose(float *data)
{
    float *const extra = data + 256;
    CMK_TILE(float, square, 16, 16, CMK_TILE_PAD(float, 16, COLUMNS, 16));
    CMK_TILE_DYNAMIC(float, dynamic);
    CMK_TILE_FILL_SYNC(square, 16, 16, FROM_DATA);
    dynamic[threadIdx.x] = CMK_TILE_GET(square, threadIdx.x, 0);
    __syncthreads();
    CMK_TILE_SET(square, 0, threadIdx.x, dynamic[threadIdx.x]);
    __syncthreads();
    extra[threadIdx.x] = CMK_TILE_GET(square, 0, 15 - threadIdx.x);
}

#if !defined(__CUDACC_RTC__)
int main(void)
{
    static float copy[256 + 16];
    float *data;
    for (int which = 0; which < 256; ++which) copy[which] = (float)which;
    if (cudaMalloc((void **)&data, sizeof copy) != cudaSuccess) return 1;
    if (cudaMemcpy(data, copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    if (CMK_LAUNCH(transpose, 1, 16, 16 * sizeof(float), 0, data) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, data, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return copy[256] < 240.0f || copy[256 + 15] > 0.0f;
}
#endif
