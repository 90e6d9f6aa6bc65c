static __constant__ float weights_values_[5][5];

extern "C" __global__ void conv_constant(const float *in, float *out, int height, int width)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float sum = 0.0f;
    if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2) return;
    for (int r = 0; r < 5; ++r)
        for (int c = 0; c < 5; ++c)
            sum += weights_values_[r][c] * __ldg(&in[(long long)(y + r - 2) * width + (x + c - 2)]);
    out[(long long)y * width + x] = sum;
}

extern "C" __global__ void conv_tiled(const float *in, float *out, int height, int width)
{
    __shared__ __align__(128) float tile[12][36];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const int top = y - (int)threadIdx.y - 2, left = x - (int)threadIdx.x - 2;
    for (int r = (int)threadIdx.y; r < 12; r += (int)blockDim.y)
        for (int c = (int)threadIdx.x; c < 36; c += (int)blockDim.x)
            tile[r][c] = top + r >= 0 && top + r < height && left + c >= 0 && left + c < width
                             ? __ldg(&in[(long long)(top + r) * width + (left + c)])
                             : 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int r = 0; r < 5; ++r)
        for (int c = 0; c < 5; ++c) sum += weights_values_[r][c] * tile[threadIdx.y + r][threadIdx.x + c];
    if (x < width && y < height) out[(long long)y * width + x] = sum;
}
