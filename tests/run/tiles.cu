// A product of matrices by tiles in shared memory, and a transpose; no header of CUDA is included: nvcc does that.
#include "check.h"
#include <iostream>

const int TILE = 8, ROWS = 20, INNER = 17, COLUMNS = 26;

__global__ void multiply(const float *a, const float *b, float *c)
{
    __shared__ float left[TILE][TILE + 1], right[TILE][(TILE << 1) - TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < INNER; k += TILE) {
        const int inner_x = k + threadIdx.x, inner_y = k + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < ROWS && inner_x < INNER ? a[row * INNER + inner_x] : 0.0f;
        right[threadIdx.y][threadIdx.x] = column < COLUMNS && inner_y < INNER ? b[inner_y * COLUMNS + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    if (row < ROWS && column < COLUMNS) c[row * COLUMNS + column] = sum;
}

template <typename T, int N>
__global__ void __launch_bounds__(N *N) transpose(const T *in, T *out, int rows, int columns)
{
    __shared__ T tile[N][N + 1];
    const int x = blockIdx.x * N + threadIdx.x, y = blockIdx.y * N + threadIdx.y;
    if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
    __syncthreads();
    const int to_x = blockIdx.y * N + threadIdx.x, to_y = blockIdx.x * N + threadIdx.y;
    if (to_x < rows && to_y < columns) out[to_y * rows + to_x] = tile[threadIdx.x][threadIdx.y];
    if (sizeof tile / sizeof tile[0] != N) out[0] = -1;
}

int main()
{
    static float a[ROWS * INNER], b[INNER * COLUMNS], c[COLUMNS * ROWS];
    float *da, *db, *dc, *turned;
    for (int i = 0; i < ROWS * INNER; i++) a[i] = (float)(i % 7 - 3);
    for (int i = 0; i < INNER * COLUMNS; i++) b[i] = (float)(i % 5) / 4.0f;
    CHECK(cudaMalloc(&da, sizeof a));
    CHECK(cudaMalloc(&db, sizeof b));
    CHECK(cudaMalloc(&dc, sizeof c));
    CHECK(cudaMalloc(&turned, sizeof c));
    CHECK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
    const dim3 grid((COLUMNS + TILE - 1) / TILE, (ROWS + TILE - 1) / TILE);
    multiply<<<grid, dim3(TILE, TILE)>>>(da, db, dc);
    transpose<float, TILE><<<grid, dim3(TILE, TILE)>>>(dc, turned, ROWS, COLUMNS);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(c, turned, sizeof c, cudaMemcpyDeviceToHost));
    int right = 1;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        const int row = i % ROWS, column = i / ROWS;
        double sum = 0.0;
        for (int k = 0; k < INNER; k++) sum += (double)a[row * INNER + k] * b[k * COLUMNS + column];
        right &= near_enough("tiles", i, c[i], sum);
    }
    std::cout << (right ? "right" : "wrong") << std::endl;
    return !right;
}
