#define FROM_DATA(r, c) data[16 * (r) + (c)]
#define PLACE(r) CMK_TILE_SWIZZLE(float, 16, 8, r, 0)

__global__ void transpose(float *data)
{
    float *const extra = data + 256;
    CMK_TILE(float, square, 16, 16, CMK_TILE_PAD(float, 16, COLUMNS, 16));
    CMK_TILE_SWIZZLED(float, twisted, 16, 16, 8);
    CMK_TILE_3D(float, planes, 2, 1, 4, 0);
    CMK_TILE_DYNAMIC(float, dynamic);
    CMK_TILE_AT(float, second, CMK_TILE_BYTES(float, 1, 16, 0), 16, 1);
    CMK_TILE_3D_AT(float, third, CMK_TILE_BYTES(float, 1, 16, 0), 1, 16, 1);
    CMK_TILE_ASSERT_CONFLICT_FREE(square, 16, COLUMNS, 16);
    CMK_TILE_ASSERT_SWIZZLE_CONFLICT_FREE(twisted, 8, COLUMNS, 16);
    CMK_TILE_FILL_SYNC(square, 16, 16, FROM_DATA);
    CMK_TILE_SET(twisted, threadIdx.x, PLACE(threadIdx.x), CMK_TILE_GET(square, threadIdx.x, 0));
    CMK_TILE_SET(planes[1], 0, threadIdx.x % 4, 1.0f);
    CMK_TILE_SET(second, 0, threadIdx.x, 1.0f);
    CMK_TILE_SET(third[0], 0, threadIdx.x, 1.0f);
    dynamic[threadIdx.x] = CMK_TILE_GET(twisted, threadIdx.x, PLACE(threadIdx.x)) +
                           CMK_TILE_GET(planes[1], 0, threadIdx.x % 4) - CMK_TILE_GET(third[0], 0, threadIdx.x);
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
    if (CMK_TILE_LAUNCH(transpose, 1, 16, 256 + 2 * 128, 0, data) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, data, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return copy[256] < 240.0f || copy[256 + 15] > 0.0f;
}
#endif
