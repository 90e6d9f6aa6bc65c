#define LITERAL 0
#define CONSTANT 1
#define PARAMETER 2
#define GLOBAL 3

#define VALUE(r, c) 0.37f * (r) + 0.013f * (c) + 0.21f
#define FIVE(r, c) VALUE(r, c), VALUE(r, (c) + 1), VALUE(r, (c) + 2), VALUE(r, (c) + 3), VALUE(r, (c) + 4)
/* clang-format off */
#define ROW_5(r) {FIVE(r, 0)}
#define ROW_15(r) {FIVE(r, 0), FIVE(r, 5), FIVE(r, 10)}
#define FIVE_ROWS(ROW, r) ROW(r), ROW((r) + 1), ROW((r) + 2), ROW((r) + 3), ROW((r) + 4)
#define SMALL {FIVE_ROWS(ROW_5, 0)}
#define LARGE {FIVE_ROWS(ROW_15, 0), FIVE_ROWS(ROW_15, 5), FIVE_ROWS(ROW_15, 10)}
/* clang-format on */

#if WHERE == PARAMETER
struct small_table {
    float values[5][5];
};
struct large_table {
    float values[15][15];
};
#define SMALL_PARAMETER const __grid_constant__ small_table small_filter
#define LARGE_PARAMETER const __grid_constant__ large_table large_filter
#define SMALL_AT(r, c) small_filter.values[r][c]
#define LARGE_AT(r, c) large_filter.values[r][c]
#else
#if WHERE == CONSTANT
static __constant__ float small_filter_values_[5][5] = SMALL;
static __constant__ float large_filter_values_[15][15] = LARGE;
#elif WHERE == GLOBAL
static __device__ float small_filter_values_[5][5] = SMALL;
static __device__ float large_filter_values_[15][15] = LARGE;
#else
static __device__ const float small_filter_values_[5][5] = SMALL;
static __device__ const float large_filter_values_[15][15] = LARGE;
#endif
#define SMALL_PARAMETER int
#define LARGE_PARAMETER int
#if WHERE == GLOBAL
#define SMALL_AT(r, c) __ldg(&small_filter_values_[r][c])
#define LARGE_AT(r, c) __ldg(&large_filter_values_[r][c])
#else
#define SMALL_AT(r, c) small_filter_values_[r][c]
#define LARGE_AT(r, c) large_filter_values_[r][c]
#endif
#endif

extern "C" __global__ void conv_5(const float *in, float *out, int height, int width, SMALL_PARAMETER)
{
    const int x = (int)(blockIdx.x * 32 + threadIdx.x), y = (int)(blockIdx.y * 8 + threadIdx.y);
    float sum = 0.0f;
    if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2) return;
#pragma unroll
    for (int r = 0; r < 5; ++r)
#pragma unroll
        for (int c = 0; c < 5; ++c) sum += SMALL_AT(r, c) * __ldg(&in[(long long)(y + r - 2) * width + (x + c - 2)]);
    out[(long long)y * width + x] = sum;
}

extern "C" __global__ void conv_15(const float *in, float *out, int height, int width, LARGE_PARAMETER)
{
    const int x = (int)(blockIdx.x * 32 + threadIdx.x), y = (int)(blockIdx.y * 8 + threadIdx.y);
    float sum = 0.0f;
    if (x < 7 || y < 7 || x >= width - 7 || y >= height - 7) return;
#pragma unroll
    for (int r = 0; r < 15; ++r)
#pragma unroll
        for (int c = 0; c < 15; ++c) sum += LARGE_AT(r, c) * __ldg(&in[(long long)(y + r - 7) * width + (x + c - 7)]);
    out[(long long)y * width + x] = sum;
}
