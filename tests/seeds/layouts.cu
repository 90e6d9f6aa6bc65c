// Judges the eleven layouts of text 001, of 32 x 32 threads and of 32 x 16, by what must come out of each: the numbers
// of the threads, or the transpose of their matrix. With an argument: a barrier in both branches of an if.
#include "check.h"
#define main main_of_the_text
#include "layouts.cuh"
#undef main

__global__ void diverges()
{
    const unsigned threadID = threadIdx.x;
#include "barrier.cuh"
}

struct Layout {
    const char *name;
    void (*kernel)(int *);
    int rows, bytes, transposes;
};

// setRowReadColPad reads rows, unlike its name, so that it transposes nothing.
const Layout LAYOUTS[] = {
    {"setRowReadRow", setRowReadRow, 32, 0, 0},
    {"setColReadCol", setColReadCol, 32, 0, 0},
    {"setRowReadCol", setRowReadCol, 32, 0, 1},
    {"setColReadRow", setColReadRow, 32, 0, 1},
    {"setRowReadColDyn", setRowReadColDyn, 32, 32 * 32 * 4, 1},
    {"setRowReadColPad", setRowReadColPad, 32, 0, 0},
    {"setRowReadColDynPad", setRowReadColDynPad, 32, 33 * 32 * 4, 1},
    {"setRowReadColRect", setRowReadColRect, 16, 0, 1},
    {"setRowReadColRectPad", setRowReadColRectPad, 16, 0, 1},
    {"setRowReadColRectDyn", setRowReadColRectDyn, 16, 32 * 16 * 4, 1},
    {"setRowReadColRectDynPad", setRowReadColRectDynPad, 16, 34 * 16 * 4, 1},
};

int main(int count, char **)
{
    int result[32 * 32], right = 1;
    int *on_device;
    if (count > 1) {
        diverges<<<1, 64>>>();
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaMalloc(&on_device, sizeof result));
    for (const Layout &layout : LAYOUTS) {
        CHECK(cudaMemset(on_device, 255, sizeof result));
        layout.kernel<<<1, dim3(32, layout.rows), layout.bytes>>>(on_device);
        CHECK(cudaMemcpy(result, on_device, sizeof result, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 32 * 32; i++) {
            const int turned = i % layout.rows * 32 + i / layout.rows;
            const int wanted = i >= 32 * layout.rows ? -1 : layout.transposes ? turned : i;
            if (result[i] != wanted) printf("%s: element %d is %d, not %d\n", layout.name, i, result[i], wanted);
            right &= result[i] == wanted;
        }
    }
    puts(right ? "right" : "wrong");
    return !right;
}
