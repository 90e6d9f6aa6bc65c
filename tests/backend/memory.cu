/* memory.cu: right accesses to every kind of memory, none of which the CPU backend may stop. The wrong ones are in
 * bugs.cu. */
#include "cmk/cmk.h"
#include "tap.h"

enum { THREADS = 64, ROWS = 3 };

__device__ float declared[THREADS];
static __device__ float own[THREADS];
__device__ int visits;
static __constant__ float weights[3] = {1, 2, 4};
static __device__ const float offsets[2] = {8, 16};
static float on_host[THREADS];

__device__ float weight_of(int i);
__device__ float weight_of(int i)
{
    return CMK_LDG(&weights[i % 3]);
}

__global__ void by_name(float *out)
{
    static const float local[2] = {10, 20}, other[2] = {22, 44};
    const int i = (int)threadIdx.x;
    CMK_STORE(&own[i], CMK_LOAD(&declared[i]) + weight_of(i));
    const float of_function = CMK_LDG(&local[i % 2]) + CMK_LDG(&other[i % 2]);
    CMK_STORE(&out[i], CMK_LOAD(&own[i]) + CMK_LDG(&offsets[i % 2]) + of_function);
    atomicAdd(&visits, 1);
}

__global__ void by_address(float *out, const float *from)
{
    const int i = (int)threadIdx.x;
    CMK_STORE(&out[i], 2 * CMK_LOAD(&from[i]));
}

__global__ void planes(float *out)
{
    CMK_TILE_3D(float, ring, 2, ROWS, THREADS, 1);
    const int i = (int)threadIdx.x;
    for (int plane = 0; plane < 2; ++plane)
        for (int row = 0; row < ROWS; ++row) CMK_TILE_SET(ring[plane], row, i, (float)(plane * ROWS + row));
    __syncthreads();
    float sum = 0;
    for (int row = 0; row < ROWS; ++row) sum += CMK_TILE_GET(ring[row % 2], row, THREADS - 1 - i);
    CMK_STORE(&out[i], sum);
}

/* the lowest bits of where the dynamic shared memory begins: what a swizzle by addresses depends on */
__global__ void dynamic(float *out)
{
    CMK_TILE_DYNAMIC(float, buffer);
    CMK_TILE_AT(float, half, 128, 16, 0);
    const int i = (int)threadIdx.x;
    CMK_STORE(&buffer[i], 1.0f);
    __syncthreads();
    CMK_STORE(&out[i], (float)((size_t)buffer % 1024) + CMK_TILE_GET(half, 0, i % 16));
}

static int all_are(const float *values, float (*wanted)(int))
{
    for (int i = 0; i < THREADS; ++i)
        if (!(values[i] == wanted(i))) return 0;
    return 1;
}

static float sum_of(int i)
{
    return (float)(3 * i) + (float)(1 << i % 3) + (float)(i % 2 ? 80 : 40);
}

static float twice(int i)
{
    return (float)(6 * i);
}

static float sum_of_rows(int i)
{
    return (float)(i * 0 + 0 + (ROWS + 1) + 2);
}

static float one(int i)
{
    return (float)(i * 0 + 1);
}

static void check(float *memory, float (*wanted)(int), const char *text)
{
    float result[THREADS] = {0};
    CMK_CHECK(cudaMemcpy(result, memory, sizeof result, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemset(memory, 0xff, sizeof result));
    tap_check(all_are(result, wanted), "%s", text);
}

int main(void)
{
    float *memory, *address, *pinned, *managed;
    int count = 0;
    tap_need_device();
    for (int i = 0; i < THREADS; ++i) on_host[i] = (float)(3 * i);
    CMK_CHECK(cudaMalloc((void **)&memory, THREADS * sizeof(float)));
    CMK_CHECK(cudaMallocHost((void **)&pinned, THREADS * sizeof(float)));
    CMK_CHECK(cudaMallocManaged((void **)&managed, THREADS * sizeof(float)));
    CMK_CHECK(cudaMemcpyToSymbol(declared, on_host, sizeof on_host, 0, cudaMemcpyHostToDevice));
    CMK_CHECK(CMK_LAUNCH(by_name, 1, THREADS, 0, 0, memory));
    check(memory, sum_of, "variables by name: device, constant, static, of a function");
    CMK_CHECK(cudaMemcpyFromSymbol(&count, visits, sizeof count, 0, cudaMemcpyDeviceToHost));
    tap_check(count == THREADS, "a counter: %d visits", count);
    CMK_CHECK(cudaGetSymbolAddress((void **)&address, declared));
    CMK_CHECK(CMK_LAUNCH(by_address, 1, THREADS, 0, 0, memory, address));
    check(memory, twice, "a device variable by the address of its symbol");
    memcpy(pinned, on_host, sizeof on_host);
    CMK_CHECK(CMK_LAUNCH(by_address, 1, THREADS, 0, 0, memory, pinned));
    check(memory, twice, "memory of cudaMallocHost");
    memcpy(managed, on_host, sizeof on_host);
    CMK_CHECK(CMK_LAUNCH(by_address, 1, THREADS, 0, 0, memory, managed));
    check(memory, twice, "memory of cudaMallocManaged");
    CMK_CHECK(CMK_LAUNCH(planes, 1, THREADS, 0, 0, memory));
    check(memory, sum_of_rows, "all rows of planes");
    CMK_CHECK(CMK_LAUNCH(dynamic, 1, THREADS, THREADS * sizeof(float), 0, memory));
    check(memory, one, "the dynamic shared memory begins at a multiple of 1024");
    CMK_CHECK(cudaFree(memory));
    CMK_CHECK(cudaFreeHost(pinned));
    CMK_CHECK(cudaFree(managed));
    return tap_done();
}
