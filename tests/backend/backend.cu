/* backend.cu: the semantics of CUDA on the CPU backend: launches and their arguments, barriers, shared
 * memory, warps, atomics, the runtime. Also compiles with nvcc, without the checks of wrong calls. */
#include "cmk/cmk.h"
#include "../tap.h"
#include <stdlib.h>
#include <string.h>

#define ENTRIES 4096

static void must(cudaError_t error)
{
    if (error == cudaSuccess) return;
    printf("Bail out! %s\n", cudaGetErrorString(error));
    exit(1);
}

static int *device_ints(int count, int value)
{
    int *memory;
    must(cudaMalloc((void **)&memory, (size_t)count * sizeof(int)));
    must(cudaMemset(memory, value, (size_t)count * sizeof(int)));
    return memory;
}

/* Copies count ints to the host, frees them on the device. */
static void take(int *host, int *device, int count)
{
    must(cudaMemcpy(host, device, (size_t)count * sizeof(int), cudaMemcpyDeviceToHost));
    must(cudaFree(device));
}

/* ---- indices */
__global__ void visit(int *seen)
{
    unsigned in_block = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    atomicAdd(&seen[block * threads + in_block], 1);
}

static void test_indices(dim3 grid, dim3 block)
{
    static int seen[ENTRIES];
    int count = (int)(grid.x * grid.y * grid.z * block.x * block.y * block.z);
    int *device = device_ints(ENTRIES, 0);
    int right = 1;
    must(CMK_LAUNCH(visit, grid, block, 0, 0, device));
    take(seen, device, ENTRIES);
    for (int i = 0; i < ENTRIES; i++) right = right && seen[i] == (i < count);
    tap_check(right, "grid %ux%ux%u of blocks %ux%ux%u: each thread once", grid.x, grid.y, grid.z, block.x, block.y,
              block.z);
}

/* ---- arguments */
typedef struct {
    int v[3];
} bytes12;
typedef struct {
    double v[2];
} bytes16;
typedef struct {
    long long v[3];
} bytes24;
typedef struct {
    int v[100];
} bytes400;
typedef struct {
    int v[1000];
} bytes4000;
typedef struct {
    float a;
    int b;
} mixed8;

__device__ int zero_runs;

__global__ void no_arguments(void)
{
    atomicAdd(&zero_runs, 1);
}

__global__ void ten_ints(int *out, int a, int b, int c, int d, int e, int f, int g, int h, int i, int j)
{
    const int v[10] = {a, b, c, d, e, f, g, h, i, j};
    for (int k = 0; k < 10; k++) CMK_STORE(&out[k], v[k]);
}

__global__ void mixed(double *out, float a, double b, long long c, char d, short e, float f, unsigned char g, double h,
                      double i, double j, float k, double l, float m, long long n, int o, float p)
{
    const double v[16] = {a, b, (double)c, (double)d, (double)e, f,         (double)g, h,
                          i, j, k,         l,         m,         (double)n, (double)o, p};
    for (int q = 0; q < 16; q++) CMK_STORE(&out[q], v[q]);
}

__global__ void structs(double *out, double d1, double d2, double d3, double d4, double d5, double d6, double d7,
                        double d8, bytes12 s12, bytes16 s16, bytes24 s24, mixed8 s8, bytes400 s400, bytes4000 s4000,
                        int last)
{
    double sum = d1 + d2 + d3 + d4 + d5 + d6 + d7 + d8;
    for (int i = 0; i < 3; i++) sum += s12.v[i] + (double)s24.v[i];
    for (int i = 0; i < 100; i++) sum += s400.v[i];
    for (int i = 0; i < 1000; i++) sum += s4000.v[i];
    CMK_STORE(&out[threadIdx.x], sum + s16.v[0] + s16.v[1] + (double)s8.a + s8.b + last);
}

__global__ void struct_sum(int *out, bytes400 s)
{
    int sum = 0;
    for (int i = 0; i < 100; i++) sum += s.v[i];
    s.v[threadIdx.x] = 1000; /* its own copy */
    CMK_STORE(&out[threadIdx.x], sum);
}

static void test_int_arguments(void)
{
    int host[10];
    int *device = device_ints(10, 0);
    int right = 1;
    short narrow = 7;
    must(CMK_LAUNCH(ten_ints, 1, 1, 0, 0, device, 1, 2, 3, 4, 5, 6, narrow, 8, 9.0f, 10));
    take(host, device, 10);
    for (int i = 0; i < 10; i++) right = right && host[i] == i + 1;
    tap_check(right, "ten int arguments, converted to the type of the parameter");
}

static void test_mixed_arguments(void)
{
    double host[16];
    double *device;
    int right = 1;
    must(cudaMalloc((void **)&device, sizeof host));
    must(CMK_LAUNCH(mixed, 1, 1, 0, 0, device, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13.0f, 14LL, 15, 16));
    must(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    must(cudaFree(device));
    for (int i = 0; i < 16; i++) right = right && host[i] == i + 1;
    tap_check(right, "float, double, long long, char arguments in registers and on the stack");
}

static double fill(int *values, int count, int step)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        values[i] = i * step;
        sum += values[i];
    }
    return sum;
}

static void test_struct_arguments(void)
{
    static bytes400 s400;
    static bytes4000 s4000;
    bytes12 s12 = {{1, 2, 3}};
    bytes16 s16 = {{0.5, 0.25}};
    bytes24 s24 = {{10, 20, 1LL << 40}};
    mixed8 s8 = {1.5f, 9};
    double sum = fill(s400.v, 100, 3) + fill(s4000.v, 1000, 7) + 36 + 6 + 0.75 + 30 + 1099511627776.0 + 10.5 + 77;
    double host[40];
    double *device;
    int right = 1;
    must(cudaMalloc((void **)&device, sizeof host));
    must(CMK_LAUNCH(structs, 1, 40, 0, 0, device, 1, 2, 3, 4, 5, 6, 7, 8, s12, s16, s24, s8, s400, s4000, 77));
    must(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    must(cudaFree(device));
    for (int i = 0; i < 40; i++) right = right && host[i] == sum;
    tap_check(right, "structs of 8 to 4000 bytes by value, behind eight doubles");
}

static void test_struct_copies(void)
{
    static bytes400 values;
    int host[64];
    int *device = device_ints(64, 0);
    int sum = (int)fill(values.v, 100, 1);
    int right = 1;
    must(CMK_LAUNCH(struct_sum, 1, 64, 0, 0, device, values));
    take(host, device, 64);
    for (int i = 0; i < 64; i++) right = right && host[i] == sum;
    tap_check(right && values.v[5] == 5, "each thread has its own copy of a struct argument");
}

static void test_no_arguments(void)
{
    int runs = 0;
    must(cudaMemcpyToSymbol(zero_runs, &runs, sizeof runs));
    must(CMK_LAUNCH(no_arguments, 2, 5, 0, 0, ));
    must(cudaMemcpyFromSymbol(&runs, zero_runs, sizeof runs));
    tap_check(runs == 10, "a kernel without arguments ran %d times", runs);
}

static int launches;

static int launch_inside(int *device)
{
    launches++;
    must(CMK_LAUNCH(visit, 1, 1, 0, 0, device));
    return 3;
}

static void test_argument_that_launches(void)
{
    int host[10];
    int *device = device_ints(10, 0);
    int *other = device_ints(1, 0);
    must(CMK_LAUNCH(ten_ints, 1, 1, 0, 0, device, 1, 2, launch_inside(other), 4, 5, 6, 7, 8, 9, 10));
    take(host, device, 10);
    tap_check(launches == 1 && host[2] == 3 && host[9] == 10, "an argument may come from a function that launches");
    take(host, other, 1);
    tap_check(host[0] == 1, "and that launch runs");
}

#if defined(__cplusplus)
template <class T, int FACTOR> __global__ void scaled(T *out, T value)
{
    CMK_STORE(&out[threadIdx.x], value * FACTOR);
}

static void test_templates(void)
{
    int host[4];
    int *device = device_ints(4, 0);
    must(CMK_LAUNCH((scaled<int, 4>), 1, 4, 0, 0, device, 5));
    take(host, device, 4);
    tap_check(host[3] == 20, "a kernel that is a template");
}
#else
static void test_templates(void)
{
    tap_check(1, "a kernel that is a template # SKIP C has none");
}
#endif

/* ---- barriers and shared memory */
__global__ void rotate(int *out, int rounds)
{
    CMK_TILE(int, tile, 1, 96, 0);
    int self = (int)threadIdx.x;
    int value = self;
    for (int i = 0; i < rounds; i++) {
        CMK_TILE_SET(tile, 0, self, value);
        __syncthreads();
        value = CMK_TILE_GET(tile, 0, (self + 1) % 96) + (int)blockIdx.x;
        __syncthreads();
    }
    CMK_STORE(&out[blockIdx.x * 96 + threadIdx.x], value);
}

static void test_barriers(void)
{
    enum { blocks = 5, rounds = 7 };
    int host[blocks * 96];
    int *device = device_ints(blocks * 96, 0);
    int right = 1;
    must(CMK_LAUNCH(rotate, blocks, 96, 0, 0, device, rounds));
    take(host, device, blocks * 96);
    for (int i = 0; i < blocks * 96; i++) right = right && host[i] == (i % 96 + rounds) % 96 + rounds * (i / 96);
    tap_check(right, "barriers in a loop order the threads of a block");
}

/* A barrier waits for the threads that have not returned: those from count on return before the first, warp w after w
 * more rounds. (Lanes of a warp that leave a loop at different turns may wait for one another, on a GPU.) */
__global__ void leave(int *out, int count)
{
    CMK_TILE(int, tile, 1, 128, 0);
    const int self = (int)threadIdx.x;
    int sum = 0;
    if (self >= count) return;
    for (int round = 0; round <= self / 32; round++) {
        const int staying = count - 32 * round;
        CMK_TILE_SET(tile, 0, self, self + round);
        __syncthreads();
        sum += CMK_TILE_GET(tile, 0, count - 1 - (self - 32 * round) % staying);
        sum += __syncthreads_count(self % 2);
    }
    CMK_STORE(&out[threadIdx.x], sum);
}

static void test_barriers_after_exit(void)
{
    enum { count = 104 };
    int host[128];
    int *device = device_ints(128, 0);
    int right = 1;
    must(CMK_LAUNCH(leave, 1, 128, 0, 0, device, count));
    take(host, device, 128);
    for (int i = 0; i < 128; i++) {
        int sum = 0;
        for (int round = 0; i < count && round <= i / 32; round++) {
            const int staying = count - 32 * round;
            sum += count - 1 - (i - 32 * round) % staying + round + staying / 2;
        }
        right = right && host[i] == sum;
    }
    tap_check(right, "a barrier does not wait for threads that have returned");
}

__global__ void reverse_dynamic(const int *in, int *out)
{
    CMK_TILE_DYNAMIC(int, buffer);
    CMK_TILE(int, single, 1, 1, 0);
    CMK_STORE(&buffer[threadIdx.x], CMK_LOAD(&in[blockIdx.x * blockDim.x + threadIdx.x]));
    if (threadIdx.x == 0) CMK_TILE_SET(single, 0, 0, 100);
    __syncthreads();
    int value = CMK_LOAD(&buffer[blockDim.x - 1 - threadIdx.x]) + CMK_TILE_GET(single, 0, 0);
    CMK_STORE(&out[blockIdx.x * blockDim.x + threadIdx.x], value);
}

static void test_dynamic_shared(void)
{
    int host[200];
    int *in = device_ints(200, 0);
    int *out = device_ints(200, 0);
    int right = 1;
    fill(host, 200, 1);
    must(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    must(CMK_LAUNCH(reverse_dynamic, 4, 50, 50 * sizeof(int), 0, in, out));
    take(host, out, 200);
    must(cudaFree(in));
    for (int i = 0; i < 200; i++) right = right && host[i] == i / 50 * 50 + 49 - i % 50 + 100;
    tap_check(right, "dynamic beside static shared memory");
}

/* A tile that is a parameter, with columns of pads, indexed by several integer types. */
static __device__ int row_sum(int (*rows)[9], long long row)
{
    int sum = 0;
    for (unsigned char column = 0; column < 8; column++) sum += CMK_TILE_GET(rows, row, column);
    return sum;
}

__global__ void tile_parameter(int *out)
{
    CMK_TILE(int, tile, 8, 8, 1);
    CMK_TILE_SET(tile, threadIdx.y, threadIdx.x, (int)(threadIdx.y * 8 + threadIdx.x));
    __syncthreads();
    if (threadIdx.x == 0) CMK_STORE(&out[threadIdx.y], row_sum(tile + 1, (long long)threadIdx.y - 1));
}

static void test_tile_parameter(void)
{
    int host[8];
    int *device = device_ints(8, 0);
    int right = 1;
    must(CMK_LAUNCH(tile_parameter, 1, dim3(8, 8), 0, 0, device));
    take(host, device, 8);
    for (int i = 0; i < 8; i++) right = right && host[i] == 8 * 8 * i + 28;
    tap_check(right, "a tile with pads as the parameter of a function");
}

/* The same declaration reached from two kernels and twice in one. */
static __device__ int *shared_counter(void)
{
    CMK_TILE(int, counter, 1, 1, 0);
    return &counter[0][0];
}

__global__ void count_once(int *out)
{
    if (threadIdx.x == 0) CMK_STORE(shared_counter(), 0);
    __syncthreads();
    atomicAdd(shared_counter(), 1);
    __syncthreads();
    if (blockIdx.x == 2) CMK_STORE(&out[threadIdx.x], CMK_LOAD(shared_counter()));
}

__global__ void count_twice(int *out)
{
    if (threadIdx.x == 0) CMK_STORE(shared_counter(), 0);
    __syncthreads();
    atomicAdd(shared_counter(), 2);
    __syncthreads();
    if (blockIdx.x == 2) CMK_STORE(&out[threadIdx.x], CMK_LOAD(shared_counter()));
}

static void test_shared_site(void)
{
    int once[40];
    int twice[40];
    int *device = device_ints(40, 0);
    must(CMK_LAUNCH(count_once, 3, 40, 0, 0, device));
    take(once, device, 40);
    device = device_ints(40, 0);
    must(CMK_LAUNCH(count_twice, 3, 40, 0, 0, device));
    take(twice, device, 40);
    tap_check(once[0] == 40 && once[39] == 40 && twice[0] == 80 && twice[39] == 80,
              "one tile declaration in two kernels");
}

__global__ void keyword_shared(int *out)
{
    __shared__ int values[32];
    values[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&values[1], 10);
    __syncthreads();
    if (blockIdx.x == gridDim.x - 1) CMK_STORE(&out[threadIdx.x], values[(threadIdx.x + 1) % 32]);
}

/* ThreadSanitizer sees blocks that share the memory of the array. */
#if defined(CMK_HOST_TSAN_) && CMK_HOST_TSAN_
#define KEYWORD_BLOCKS 1
#else
#define KEYWORD_BLOCKS 4
#endif

static void test_keyword_shared(void)
{
    int host[32];
    int *device = device_ints(32, 0);
    must(CMK_LAUNCH(keyword_shared, KEYWORD_BLOCKS, 32, 0, 0, device));
    take(host, device, 32);
    tap_check(host[0] == 11 && host[5] == 6 && host[31] == 0, "a plain __shared__ array, with an atomic operation");
}

__global__ void counted_barriers(int *out)
{
    int self = (int)threadIdx.x;
    int below = __syncthreads_count(self < 10);
    int any = __syncthreads_or(self == 7) != 0;
    int all = __syncthreads_and(self >= 0) != 0;
    int none = __syncthreads_or(self < 0) != 0;
    int each = __syncthreads_and(self != 3) != 0;
    CMK_STORE(&out[self], below * 10000 + any * 1000 + all * 100 + none * 10 + each);
}

static void test_counted_barriers(void)
{
    int host[48];
    int *device = device_ints(48, 0);
    must(CMK_LAUNCH(counted_barriers, 1, 48, 0, 0, device));
    take(host, device, 48);
    tap_check(host[0] == 101100 && host[47] == 101100, "__syncthreads_count, _or, _and: %d", host[0]);
}

/* ---- warps */
__global__ void warp_reduce(const int *in, int *out)
{
    int value = CMK_LOAD(&in[threadIdx.x]);
    for (int delta = 16; delta > 0; delta /= 2) value += __shfl_down_sync(0xffffffffu, value, delta);
    if (threadIdx.x % 32 == 0) CMK_STORE(&out[threadIdx.x / 32], value);
}

static void test_warp_reduce(void)
{
    int host[128];
    int *in = device_ints(128, 0);
    int *out = device_ints(4, 0);
    int right = 1;
    fill(host, 128, 1);
    must(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    must(CMK_LAUNCH(warp_reduce, 1, 128, 0, 0, in, out));
    take(host, out, 4);
    must(cudaFree(in));
    for (int i = 0; i < 4; i++) right = right && host[i] == 32 * 32 * i + 496;
    tap_check(right, "a reduction by __shfl_down_sync");
}

__global__ void shuffles(double *out)
{
    int self = (int)threadIdx.x;
    const double mine = self + 0.5;
    CMK_STORE(&out[self], __shfl_sync(0xffffffffu, mine, 3));
    CMK_STORE(&out[32 + self], __shfl_up_sync(0xffffffffu, mine, 2));
    CMK_STORE(&out[64 + self], __shfl_down_sync(0xffffffffu, mine, 2, 8));
    CMK_STORE(&out[96 + self], __shfl_xor_sync(0xffffffffu, mine, 5));
    CMK_STORE(&out[128 + self], __shfl_sync(0xffffffffu, mine, 9, 8));
    CMK_STORE(&out[160 + self], __shfl_up_sync(0xffffffffu, mine, 1, 4));
}

static void test_shuffles(void)
{
    double host[192];
    double *device;
    int right[6] = {1, 1, 1, 1, 1, 1};
    must(cudaMalloc((void **)&device, sizeof host));
    must(CMK_LAUNCH(shuffles, 1, 32, 0, 0, device));
    must(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    must(cudaFree(device));
    for (int i = 0; i < 32; i++) {
        right[0] = right[0] && host[i] == 3.5;
        right[1] = right[1] && host[32 + i] == (i < 2 ? i : i - 2) + 0.5;
        right[2] = right[2] && host[64 + i] == (i % 8 < 6 ? i + 2 : i) + 0.5;
        right[3] = right[3] && host[96 + i] == (i ^ 5) + 0.5;
        right[4] = right[4] && host[128 + i] == i / 8 * 8 + 1.5;
        right[5] = right[5] && host[160 + i] == (i % 4 ? i - 1 : i) + 0.5;
    }
    tap_check(right[0] && right[4], "__shfl_sync, of width 32 and 8");
    tap_check(right[1] && right[5], "__shfl_up_sync, of width 32 and 4");
    tap_check(right[2], "__shfl_down_sync of width 8");
    tap_check(right[3], "__shfl_xor_sync");
}

__global__ void votes(int *out)
{
    int self = (int)threadIdx.x;
    unsigned half = self < 16 ? 0xffffu : 0xff0000u; /* the block has 24 threads */
    unsigned ballot = __ballot_sync(half, self % 3 == 0);
    int any = __any_sync(0xffffffu, self == 20) != 0;
    int all = __all_sync(0xffffffu, self < 24) != 0;
    int most = __all_sync(0xffffffu, self != 2) != 0;
    __syncwarp();
    __syncwarp(half);
    CMK_STORE(&out[self], (int)ballot);
    CMK_STORE(&out[24 + self], any * 100 + all * 10 + most);
}

static void test_votes(void)
{
    int host[48];
    int *device = device_ints(48, 0);
    must(CMK_LAUNCH(votes, 1, 24, 0, 0, device));
    take(host, device, 48);
    tap_check(host[0] == 0x9249 && host[15] == 0x9249 && host[16] == 0x240000,
              "__ballot_sync of two masks in one partial warp: %x %x", (unsigned)host[0], (unsigned)host[16]);
    tap_check(host[24] == 110 && host[47] == 110, "__any_sync and __all_sync");
}

/* Only a part of each warp comes, so that the other part is not on the way when the first goes on. */
__global__ void partial_masks(int *out)
{
    int value = (int)threadIdx.x;
    if (value % 32 >= 16) value = __shfl_xor_sync(0xffff0000u, value, 1);
    if (threadIdx.x % 32 < 4) value += __shfl_sync(0xfu, value, 3);
    CMK_STORE(&out[threadIdx.x], value);
}

static void test_partial_masks(void)
{
    int host[96];
    int *device = device_ints(96, 0);
    int right = 1;
    must(CMK_LAUNCH(partial_masks, 1, 96, 0, 0, device));
    take(host, device, 96);
    for (int i = 0; i < 96; i++)
        right = right && host[i] == (i % 32 >= 16 ? i ^ 1 : i % 32 < 4 ? i + i / 32 * 32 + 3 : i);
    tap_check(right, "shuffles of a part of the warp");
}

__global__ void warp_after_exit(int *out)
{
    if (threadIdx.x % 4 == 3) return;
    __syncwarp();
    CMK_STORE(&out[threadIdx.x], 1);
    __syncwarp();
    atomicAdd(&out[threadIdx.x], 1);
}

static void test_warp_after_exit(void)
{
    int host[40];
    int *device = device_ints(40, 0);
    int right = 1;
    must(CMK_LAUNCH(warp_after_exit, 1, 40, 0, 0, device));
    take(host, device, 40);
    for (int i = 0; i < 40; i++) right = right && host[i] == (i % 4 == 3 ? 0 : 2);
    tap_check(right, "__syncwarp() does not wait for lanes that have exited");
}

/* ---- atomics */
__global__ void atomics(int *ints, unsigned *words, float *number, unsigned long long *wide)
{
    int self = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    atomicAdd(&ints[0], self);
    atomicSub(&ints[1], 1);
    atomicMin(&ints[2], -self);
    atomicMax(&ints[3], self);
    atomicOr(&ints[4], 1 << self % 8);
    atomicAnd(&ints[5], ~(1 << self % 8));
    atomicXor(&ints[6], self);
    if (atomicCAS(&ints[7], 0, self + 1) == 0) atomicExch(&ints[8], self + 1);
    atomicInc(&words[0], 9u);
    atomicDec(&words[1], 9u);
    atomicAdd(number, 0.5f);
    atomicAdd(wide, 1ull << 33);
}

static void test_atomics(void)
{
    int ints[10] = {0, 0, 0, 0, 0, 0xff, 0, 0, 0, 0};
    unsigned words[2] = {0, 0};
    float number = 0;
    unsigned long long wide = 0;
    int *d_ints = device_ints(10, 0);
    unsigned *d_words = (unsigned *)device_ints(2, 0);
    float *d_number = (float *)device_ints(1, 0);
    unsigned long long *d_wide = (unsigned long long *)device_ints(2, 0);
    must(cudaMemcpy(d_ints, ints, sizeof ints, cudaMemcpyHostToDevice));
    must(CMK_LAUNCH(atomics, 4, 25, 0, 0, d_ints, d_words, d_number, d_wide));
    take(ints, d_ints, 10);
    take((int *)words, (int *)d_words, 2);
    take((int *)&number, (int *)d_number, 1);
    take((int *)&wide, (int *)d_wide, 2);
    tap_check(ints[0] == 4950 && ints[1] == -100, "atomicAdd, atomicSub on int");
    tap_check(ints[2] == -99 && ints[3] == 99, "atomicMin, atomicMax");
    tap_check(ints[4] == 0xff && ints[5] == 0 && ints[6] == 0, "atomicOr, atomicAnd, atomicXor");
    tap_check(ints[7] > 0 && ints[7] == ints[8], "atomicCAS, atomicExch: one thread wins");
    tap_check(words[0] == 0 && words[1] == 0, "atomicInc, atomicDec wrap");
    tap_check(number == 50.0f && wide == 100ull << 33, "atomicAdd on float and unsigned long long");
}

/* ---- the runtime */
__constant__ float coefficients[8];

__global__ void read_coefficients(float *out)
{
    CMK_STORE(&out[threadIdx.x], coefficients[threadIdx.x]);
}

static void test_symbols(void)
{
    const float first[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const float second[2] = {30, 40};
    float host[8];
    float *device;
    must(cudaMalloc((void **)&device, sizeof host));
    must(cudaMemcpyToSymbol(coefficients, first, sizeof first));
    must(cudaMemcpyToSymbol(coefficients, second, sizeof second, 2 * sizeof(float), cudaMemcpyHostToDevice));
    must(CMK_LAUNCH(read_coefficients, 1, 8, 0, 0, device));
    must(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    must(cudaFree(device));
    tap_check(host[1] == 2 && host[2] == 30 && host[3] == 40 && host[4] == 5, "cudaMemcpyToSymbol with an offset");
    must(cudaMemcpyFromSymbol(host, coefficients, 2 * sizeof(float), sizeof(float)));
    tap_check(host[0] == 2 && host[1] == 30, "cudaMemcpyFromSymbol with an offset");
    tap_check(cudaMemcpyToSymbol(coefficients, first, sizeof first, 4) == cudaErrorInvalidValue,
              "a copy past the end of a symbol is refused");
    (void)cudaGetLastError();
}

static void test_rectangles(void)
{
    char in[6][10];
    char out[6][10];
    size_t pitch = 0;
    char *device;
    int right = 1;
    memset(out, 'x', sizeof out);
    for (int i = 0; i < 60; i++) in[i / 10][i % 10] = (char)i;
    must(cudaMallocPitch((void **)&device, &pitch, 10, 6));
    must(cudaMemset2D(device, pitch, 99, 10, 6));
    must(cudaMemcpy2D(device, pitch, in, 10, 7, 6, cudaMemcpyHostToDevice));
    must(cudaMemcpy2D(out, 10, device, pitch, 9, 6, cudaMemcpyDeviceToHost));
    must(cudaFree(device));
    for (int i = 0; i < 60; i++) right = right && out[i / 10][i % 10] == (i % 10 < 7 ? i : i % 10 < 9 ? 99 : 'x');
    tap_check(right && pitch % 32 == 0, "cudaMemcpy2D and cudaMemset2D touch the rectangle only");
}

static void test_streams(void)
{
    cudaStream_t stream;
    cudaEvent_t start;
    cudaEvent_t stop;
    float milliseconds = -1;
    int host[4];
    int *device = device_ints(4, 0);
    must(cudaStreamCreate(&stream));
    must(cudaEventCreate(&start));
    must(cudaEventCreateWithFlags(&stop, cudaEventDefault));
    must(cudaEventRecord(start, stream));
    must(CMK_LAUNCH(visit, 1, 4, 0, stream, device));
    must(cudaEventRecord(stop, stream));
    must(cudaStreamWaitEvent(stream, stop, 0));
    must(cudaMemcpyAsync(host, device, sizeof host, cudaMemcpyDeviceToHost, stream));
    must(cudaStreamSynchronize(stream));
    must(cudaEventElapsedTime(&milliseconds, start, stop));
    must(cudaFree(device));
    tap_check(host[3] == 1 && milliseconds >= 0, "a launch in a stream between two events");
    must(cudaEventDestroy(start));
    must(cudaEventDestroy(stop));
    must(cudaStreamDestroy(stream));
}

static void test_managed(void)
{
    int *memory;
    must(cudaMallocManaged((void **)&memory, 8 * sizeof(int), cudaMemAttachGlobal));
    for (int i = 0; i < 8; i++) memory[i] = 0;
    must(CMK_LAUNCH(visit, 2, 4, 0, 0, memory));
    must(cudaDeviceSynchronize());
    tap_check(memory[0] == 1 && memory[7] == 1, "managed memory is read by the host");
    must(cudaFree(memory));
}

/* ---- wrong calls; a GPU would refuse them too, but there an error may break what follows */
#if defined(__CUDACC__)
static void test_errors(void)
{
}
#else
static void refused(cudaError_t got, cudaError_t wanted, const char *what)
{
    cudaError_t peeked = cudaPeekAtLastError();
    cudaError_t last = cudaGetLastError();
    tap_check(got == wanted && peeked == wanted && last == wanted && cudaGetLastError() == cudaSuccess, "%s: %s", what,
              cudaGetErrorName(got));
}

/* A launch hands its error to the caller and leaves none behind. */
static void not_launched(cudaError_t got, cudaError_t wanted, const char *what)
{
    tap_check(got == wanted && cudaGetLastError() == cudaSuccess, "%s: %s", what, cudaGetErrorName(got));
}

static void test_launch_errors(int *device)
{
    not_launched(CMK_LAUNCH(visit, 1, 1025, 0, 0, device), cudaErrorInvalidValue, "1025 threads");
    not_launched(CMK_LAUNCH(visit, 1, dim3(32, 33), 0, 0, device), cudaErrorInvalidValue, "32 x 33 threads");
    not_launched(CMK_LAUNCH(visit, 1, dim3(1, 1, 65), 0, 0, device), cudaErrorInvalidValue, "65 threads in z");
    not_launched(CMK_LAUNCH(visit, 1, 0, 0, 0, device), cudaErrorInvalidValue, "no threads");
    not_launched(CMK_LAUNCH(visit, 0, 1, 0, 0, device), cudaErrorInvalidValue, "no blocks");
    not_launched(CMK_LAUNCH(visit, -1, 1, 0, 0, device), cudaErrorInvalidValue, "-1 blocks");
    not_launched(CMK_LAUNCH(visit, dim3(1, 65536), 1, 0, 0, device), cudaErrorInvalidValue, "65536 blocks in y");
    not_launched(CMK_LAUNCH(visit, dim3(1, 1, 65536), 1, 0, 0, device), cudaErrorInvalidValue, "65536 blocks in z");
    not_launched(CMK_LAUNCH(visit, 1, 1, 49153, 0, device), cudaErrorInvalidValue,
                 "49153 bytes of dynamic shared memory");
}

static void test_shared_opt_in(int *device)
{
    must(cudaFuncSetAttribute(visit, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    must(CMK_LAUNCH(visit, 1, 1, 100000, 0, device));
    tap_check(1, "cudaFuncSetAttribute allows 100000 bytes of dynamic shared memory");
    not_launched(CMK_LAUNCH(visit, 1, 1, 100001, 0, device), cudaErrorInvalidValue, "one byte more");
    refused(cudaFuncSetAttribute(visit, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449), cudaErrorInvalidValue,
            "232449 bytes");
}

static void test_copy_errors(int *device, int *host)
{
    refused(cudaMemcpy(device, host, 17, cudaMemcpyHostToDevice), cudaErrorInvalidValue, "a copy past the end");
    refused(cudaMemcpy(device + 3, host, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue,
            "a copy from inside past the end");
    refused(cudaMemcpy(host, host, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue, "host memory as device memory");
    refused(cudaMemcpy(device, device, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue,
            "device memory as host memory");
    refused(cudaMemcpy(device, host, 4, (cudaMemcpyKind)7), cudaErrorInvalidMemcpyDirection, "kind 7");
    refused(cudaMemset(device, 0, 17), cudaErrorInvalidValue, "cudaMemset past the end");
    refused(cudaMemcpy2D(device, 4, host, 4, 5, 1, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue,
            "a width above the pitch");
    refused(cudaMemcpy2D(device, 8, host, 4, 4, 3, cudaMemcpyHostToDevice), cudaErrorInvalidValue,
            "cudaMemcpy2D past the end");
    must(cudaMemcpy(device, host, 16, cudaMemcpyDefault));
    must(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    tap_check(1, "cudaMemcpyDefault finds the direction; no bytes need no pointers");
}

static void test_handle_errors(int *device)
{
    cudaStream_t stream;
    cudaEvent_t event;
    cudaEvent_t other;
    float milliseconds;
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    must(cudaStreamDestroy(stream));
    refused(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle, "a stream destroyed twice");
    not_launched(CMK_LAUNCH(visit, 1, 1, 0, stream, device), cudaErrorInvalidResourceHandle, "a launch in it");
    must(cudaEventCreate(&event));
    must(cudaEventCreate(&other));
    must(cudaEventRecord(event, NULL));
    refused(cudaEventElapsedTime(&milliseconds, event, other), cudaErrorInvalidResourceHandle,
            "an event that was not recorded");
    must(cudaEventDestroy(event));
    must(cudaEventDestroy(other));
    refused(cudaEventRecord(event, NULL), cudaErrorInvalidResourceHandle, "a destroyed event");
}

static void test_device(void)
{
    cudaDeviceProp properties;
    int count = 0;
    int value = 0;
    must(cudaGetDeviceCount(&count));
    must(cudaGetDeviceProperties(&properties, 0));
    must(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    tap_check(count == 1 && strcmp(properties.name, "cmk CPU backend") == 0 && properties.warpSize == 32 &&
                  properties.maxGridSize[1] == 65535 && properties.maxThreadsDim[2] == 64 && value == 232448,
              "one device: %s", properties.name);
    refused(cudaSetDevice(1), cudaErrorInvalidDevice, "device 1");
}

static void test_errors(void)
{
    int host[16] = {0};
    int local = 0;
    int *device = device_ints(4, 0);
    void *huge;
    test_launch_errors(device);
    test_shared_opt_in(device);
    test_copy_errors(device, host);
    test_handle_errors(device);
    test_device();
    refused(cudaMalloc(&huge, (size_t)1 << 55), cudaErrorMemoryAllocation, "2^55 bytes");
    refused(cudaFree(&local), cudaErrorInvalidValue, "cudaFree of host memory");
    refused(cudaFree(device + 1), cudaErrorInvalidValue, "cudaFree of the middle of an allocation");
    must(cudaFree(device));
    refused(cudaFree(device), cudaErrorInvalidValue, "cudaFree twice");
    must(cudaFree(NULL));
}
#endif

int main(void)
{
    tap_need_device();
    test_partial_masks(); /* first: with threads that no block has had yet */
    test_indices(dim3(7), dim3(33));
    test_indices(dim3(3, 4), dim3(5, 6));
    test_indices(dim3(2, 3, 4), dim3(3, 4, 5));
    test_indices(dim3(4), dim3(1024));
    test_int_arguments();
    test_mixed_arguments();
    test_struct_arguments();
    test_struct_copies();
    test_no_arguments();
    test_argument_that_launches();
    test_templates();
    test_barriers();
    test_barriers_after_exit();
    test_dynamic_shared();
    test_tile_parameter();
    test_shared_site();
    test_keyword_shared();
    test_counted_barriers();
    test_warp_reduce();
    test_shuffles();
    test_votes();
    test_warp_after_exit();
    test_atomics();
    test_symbols();
    test_rectangles();
    test_streams();
    test_managed();
    test_errors();
    return tap_done();
}
