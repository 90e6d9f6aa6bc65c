// Judges the six kernels of text 003. Of 0x55555555, 0x77777777, 0x33333333 and 0x11111111 each leaves 0x33333333, from
// wherever it reads them: 0x55555555 or 0x33333333 with the first is 0 or 0x66666666, and the second and third make
// 0x33333333 of both, to which the fourth adds no bit. Where all four words of a step are one word, that word is left,
// so that of data in pieces the last word of a piece is left.
#include "check.h"

typedef unsigned int u32;

#include "loop.cuh"
namespace in_code
{
#include "literal.cuh"
}
namespace in_scalars
{
#include "scalars.cuh"
}
namespace in_global_memory
{
#include "global.cuh"
}
namespace in_array
{
#include "array.cuh"
}

// The text prints no size for its updates but this: 64 KB are the most that constant memory has.
#undef KERNEL_LOOP
#define KERNEL_LOOP 16384
namespace updated
{
__constant__ u32 const_data_gpu[KERNEL_LOOP];
__device__ u32 gmem_data_gpu[KERNEL_LOOP];
#include "updated.cuh"
} // namespace updated

const u32 THREADS = 128, COUNT = 100, PIECES = 3, POISON = 0xFFFFFFFF;

static int all_are(const char *kernel, const u32 *on_device, u32 wanted)
{
    u32 data[THREADS];
    CHECK(cudaMemcpy(data, on_device, sizeof data, cudaMemcpyDeviceToHost));
    for (u32 i = 0; i < THREADS; i++) {
        if (data[i] == (i < COUNT ? wanted : POISON)) continue;
        printf("%s: thread %u has %#x, not %#x\n", kernel, i, data[i], wanted);
        return 0;
    }
    return 1;
}

static int launched(const char *name, void (*kernel)(u32 *, u32), u32 *on_device, u32 wanted)
{
    CHECK(cudaMemset(on_device, 255, THREADS * sizeof(u32)));
    kernel<<<2, THREADS / 2>>>(on_device, COUNT);
    return all_are(name, on_device, wanted);
}

int main()
{
    static u32 piece[KERNEL_LOOP];
    u32 *on_device;
    CHECK(cudaMalloc(&on_device, THREADS * sizeof(u32)));
    int right = launched("literals", in_code::const_test_gpu_literal, on_device, 0x33333333);
    right &= launched("constant scalars", in_scalars::const_test_gpu_const, on_device, 0x33333333);
    right &= launched("global memory", in_global_memory::const_test_gpu_gmem, on_device, 0x33333333);
    right &= launched("a constant array", in_array::const_test_gpu_const, on_device, 0x33333333);
    for (u32 at = 0; at < PIECES; at++) {
        for (u32 i = 0; i < KERNEL_LOOP; i++) piece[i] = (at * KERNEL_LOOP + i) * 2654435761u;
        CHECK(cudaMemcpyToSymbol(updated::const_data_gpu, piece, sizeof piece));
        CHECK(cudaMemcpyToSymbol(updated::gmem_data_gpu, piece, sizeof piece));
        const u32 last = piece[KERNEL_LOOP - 1];
        right &= launched("an update of constant memory", updated::const_test_gpu_const, on_device, last);
        right &= launched("an update of global memory", updated::const_test_gpu_gmem, on_device, last);
    }
    puts(right ? "right" : "wrong");
    return !right;
}
