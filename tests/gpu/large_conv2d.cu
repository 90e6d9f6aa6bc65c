/* CMK_DEFINE_CONV2D_AS past 2^31 elements, direct and marching, rows aligned and not: every pixel against the sum in
 * double, which float holds exactly, and every byte between and around the rows, computed on the GPU. */
#include <math.h>
#include <cmk/cmk.h>
#include <cmk/kernel/conv2d.h>
#include "tap.h"

#define ROWS 46400
#define COLUMNS 46351
#define GUARD 4096
#define POISON 0x5A

CMK_TABLE_VALUES(CONSTANT, float, small, [3][3], 0.25f, -0.125f, 0.5f, 0.0625f, -0.25f, 0.375f, 0.125f, -0.125f,
                 0.1875f);
CMK_TABLE(CONSTANT, float, wide, [7][7]);
CMK_DEFINE_CONV2D_AS(direct, CORRELATION, (unsigned char, float, unsigned char, 1), (3, 3), (1, 1), small,
                     (CMK_EDGE_REFLECT, 0));
CMK_DEFINE_CONV2D_AS(march, CORRELATION, (unsigned char, float, unsigned char, 1), (7, 7), (3, 3), wide,
                     (CMK_EDGE_REFLECT, 0));

__device__ unsigned long long wrong;

static __device__ int inside(int i, int count)
{
    return i < 0 ? -i : i < count ? i : 2 * count - 2 - i;
}

static __device__ unsigned char value(int row, int column)
{
    const unsigned hash = (unsigned)row * 2654435761u ^ (unsigned)column * 2246822519u;
    return (unsigned char)((hash ^ hash >> 15) * 3266489917u >> 24);
}

__global__ void fill(unsigned char *x, long long pitch)
{
    for (int row = blockIdx.x; row < ROWS; row += gridDim.x)
        for (int column = threadIdx.x; column < pitch; column += blockDim.x)
            x[row * pitch + column] = value(row, column);
}

/* result: from its first byte, GUARD before the image */
__global__ void check(const unsigned char *result, long long pitch, int radius, int is_wide)
{
    for (int row = blockIdx.x; row < ROWS; row += gridDim.x)
        for (int column = threadIdx.x; column < pitch; column += blockDim.x) {
            double sum = POISON;
            if (column < COLUMNS) {
                sum = 0.0;
                for (int k = 0; k < (2 * radius + 1) * (2 * radius + 1); ++k) {
                    const int r = row + k / (2 * radius + 1) - radius, c = column + k % (2 * radius + 1) - radius;
                    sum += (is_wide ? CMK_TABLE_AT(wide, k) : CMK_TABLE_AT(small, k)) *
                           value(inside(r, ROWS), inside(c, COLUMNS));
                }
            }
            if (result[GUARD + row * pitch + column] != fmin(fmax(rint(sum), 0.0), 255.0)) atomicAdd(&wrong, 1ull);
        }
    if (blockIdx.x == 0)
        for (long long k = threadIdx.x; k < GUARD; k += blockDim.x)
            if (result[k] != POISON || result[GUARD + ROWS * pitch + k] != POISON) atomicAdd(&wrong, 1ull);
}

static unsigned char *in, *out;

static void both(long long pitch)
{
    const size_t bytes = (size_t)pitch * ROWS + 2 * GUARD;
    CMK_CHECK(CMK_LAUNCH(fill, 4096, 256, 0, 0, in, pitch));
    for (int is_wide = 0; is_wide < 2; ++is_wide) {
        unsigned long long host_wrong = 0;
        CMK_CHECK(cudaMemcpyToSymbol(wrong, &host_wrong, sizeof host_wrong));
        CMK_CHECK(cudaMemset(out, POISON, bytes));
        CMK_CHECK(is_wide ? march(in, (size_t)pitch, out + GUARD, (size_t)pitch, ROWS, COLUMNS, wide, 0)
                          : direct(in, (size_t)pitch, out + GUARD, (size_t)pitch, ROWS, COLUMNS, small, 0));
        CMK_CHECK(CMK_LAUNCH(check, 4096, 256, 0, 0, out, pitch, is_wide ? 3 : 1, is_wide));
        CMK_CHECK(cudaMemcpyFromSymbol(&host_wrong, wrong, sizeof host_wrong));
        tap_check(host_wrong == 0, "%s, %d x %d bytes, a row every %lld: %llu wrong", is_wide ? "7 x 7" : "3 x 3", ROWS,
                  COLUMNS, pitch, host_wrong);
    }
}

int main(void)
{
    const size_t bytes = (size_t)ROWS * (COLUMNS + 17) + 2 * GUARD;
    float weights[49];
    size_t available, total;
    tap_need_device();
    CMK_CHECK(cudaMemGetInfo(&available, &total));
    if (available < 2 * bytes + ((size_t)1 << 28)) {
        puts("1..0 # SKIP less than 5 GB of free device memory");
        return 0;
    }
    for (int k = 0; k < 49; ++k) weights[k] = (float)(k * 29 % 49 - 22) / 64.0f;
    CMK_CHECK(CMK_TABLE_UPLOAD(wide, weights, 0, 49));
    CMK_CHECK(cudaMalloc((void **)&in, bytes));
    CMK_CHECK(cudaMalloc((void **)&out, bytes));
    both(COLUMNS + 17);
    both(COLUMNS);
    CMK_CHECK(cudaFree(in));
    CMK_CHECK(cudaFree(out));
    return tap_done();
}
