/* padding: plain CUDA, without cmk: a tile of shared memory is written by rows and read by columns.
 *   build: nvcc -arch=native -o padding docs/lessons/padding.cu
 *   without a GPU: ./cmk run docs/lessons/padding.cu
 *   cost of each line: ./cmk report docs/lessons/padding.cu, or with -D PAD=1 */
#include <cuda_runtime.h>
#include <stdio.h>

#ifndef PAD
#define PAD 0
#endif
#define SIDE 32

__global__ void turn(const int *in, int *out)
{
    __shared__ int tile[SIDE][SIDE + PAD];
    const int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[SIDE * y + x];
    __syncthreads();
    out[SIDE * y + x] = tile[x][y];
}

int main()
{
    int *in, *out, wrong = 0;
    cudaMallocManaged(&in, SIDE * SIDE * sizeof *in);
    cudaMallocManaged(&out, SIDE * SIDE * sizeof *out);
    for (int i = 0; i < SIDE * SIDE; ++i) in[i] = i;
    turn<<<1, dim3(SIDE, SIDE)>>>(in, out);
    const cudaError_t error = cudaDeviceSynchronize();
    for (int i = 0; i < SIDE * SIDE; ++i) wrong += out[i] != in[i % SIDE * SIDE + i / SIDE];
    printf("%s, %d elements are wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}
