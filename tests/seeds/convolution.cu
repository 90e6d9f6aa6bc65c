// Judges the convolution of text 002, whose filter is in constant memory, by sums in double. With APART the kernel is
// in apart.cu, and the filter is here.
#include "check.h"
#include "filter.cuh"
#ifdef APART
__global__ void convolution_2D_const_mem_kernel(float *image, float *result, int width, int height);
#else
#include "convolve.cuh"
#endif

const int RADIUS = 2, SIDE = 2 * RADIUS + 1, WIDTH = 48, HEIGHT = 32;

static double convolved(const float *in, float filter[SIDE][SIDE], int row, int column)
{
    double sum = 0.0;
    for (int y = row - RADIUS; y <= row + RADIUS; y++)
        for (int x = column - RADIUS; x <= column + RADIUS; x++)
            if (0 <= y && y < HEIGHT && 0 <= x && x < WIDTH)
                sum += (double)in[y * WIDTH + x] * filter[y - row + RADIUS][x - column + RADIUS];
    return sum;
}

int main()
{
    static float in[HEIGHT * WIDTH], out[HEIGHT * WIDTH];
    float filter[SIDE][SIDE], *image, *result;
    for (int i = 0; i < HEIGHT * WIDTH; i++) in[i] = (float)(i * 29 % 97) / 48.0f - 1.0f;
    for (int i = 0; i < SIDE * SIDE; i++) filter[i / SIDE][i % SIDE] = (float)(i * i % 23) / 16.0f - 0.5f;
    CHECK(cudaMemcpyToSymbol(F, filter, sizeof filter));
    CHECK(cudaMalloc(&image, sizeof in));
    CHECK(cudaMalloc(&result, sizeof out));
    CHECK(cudaMemcpy(image, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(result, 255, sizeof out));
    convolution_2D_const_mem_kernel<<<dim3(WIDTH / 16, HEIGHT / 16), dim3(16, 16)>>>(image, result, WIDTH, HEIGHT);
    CHECK(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost));
    int right = 1;
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        right &= near_enough("convolution", i, out[i], convolved(in, filter, i / WIDTH, i % WIDTH));
    puts(right ? "right" : "wrong");
    return !right;
}
