/* finding.cu: one planted bug of each kind that a CUDA kernel has. finding.py runs each under every tool and makes
 * docs/finding-bugs.md of it. The line of a bug carries its name; the comment above a kernel is the title of its
 * section and, after the empty line, what to do. k is 1, out has 63 elements. */
#include "cmk/cmk.h"
#include <stdio.h>
#include <string.h>

static float host_array[64], host_other[64]; /* by chance one begins where a device variable may */
__device__ float device_array[32];

/* A tile read past its end by `CMK_TILE_GET`
 *
 * The backend checks row and column of every access through cmk. Guard the index, or widen the tile by its halo. */
__global__ void shared_get(float *out, int k)
{
    CMK_TILE(float, tile, 4, 8, 0);
    CMK_TILE_SET(tile, threadIdx.y, threadIdx.x, 1.0f);
    __syncthreads();
    CMK_STORE(&out[threadIdx.x + 8 * threadIdx.y],
              CMK_TILE_GET(tile, threadIdx.y, threadIdx.x + k)); /* BUG shared_get */
}

/* A plane of a tile of three dimensions read past its end by `CMK_TILE_GET`
 *
 * Behind the last row of `ring[0]` lies the first of `ring[1]`. The backend knows how many rows a plane has. */
__global__ void plane_get(float *out, int k)
{
    CMK_TILE_3D(float, ring, 3, 4, 8, 0);
    for (int n = 0; n < 3; ++n) CMK_TILE_SET(ring[n], threadIdx.y, threadIdx.x, 1.0f);
    __syncthreads();
    CMK_STORE(&out[threadIdx.x + 8 * threadIdx.y],
              CMK_TILE_GET(ring[0], threadIdx.y + k, threadIdx.x)); /* BUG plane_get */
}

/* A tile read past its end through a plain pointer
 *
 * AddressSanitizer sees the gap behind each tile, not the end of a row within it. Use `CMK_TILE_GET`. */
__global__ void shared_pointer(float *out, int k)
{
    CMK_TILE(float, tile, 1, 32, 0);
    const float *pointer = &tile[0][0];
    CMK_TILE_SET(tile, 0, threadIdx.x, 1.0f);
    __syncthreads();
    out[threadIdx.x] = pointer[threadIdx.x + k]; /* BUG shared_pointer */
}

/* A plain `__shared__` array read past its end
 *
 * UndefinedBehaviorSanitizer knows the bounds of an array, AddressSanitizer of a pointer into it. Use `CMK_TILE`. */
__global__ void shared_array(float *out, int k)
{
    __shared__ float line[32];
    line[threadIdx.x] = 1.0f;
    __syncthreads();
    out[threadIdx.x] = line[threadIdx.x + k]; /* BUG shared_array */
}

/* Global memory read past its end by `CMK_LOAD`
 *
 * The backend knows every allocation, and says how far outside the access is. Guard it: `if (i < count)`. */
__global__ void global_load(float *out, int k)
{
    CMK_STORE(&out[threadIdx.x], CMK_LOAD(&out[threadIdx.x + 31 + k])); /* BUG global_load */
}

/* Global memory written past its end through a plain pointer
 *
 * AddressSanitizer knows the allocations of `cudaMalloc`, to the byte. Or `CMK_STORE`, which every run checks. */
__global__ void global_pointer(float *out, int k)
{
    out[threadIdx.x + 31 + k] = 1.0f; /* BUG global_pointer */
}

/* Memory written by `CMK_STORE` after it was freed
 *
 * The backend knows what was freed last. Free a buffer when the work that uses it has ended. */
__global__ void freed_store(float *out, int k)
{
    CMK_STORE(&out[threadIdx.x + k], 1.0f); /* BUG freed_store */
}

/* A host variable given to a kernel
 *
 * A kernel has what is allocated by `cudaMalloc`, `__device__` or `__constant__`. Copy to one by `cudaMemcpy`. */
__global__ void host_variable(float *out, int k)
{
    CMK_STORE(&out[threadIdx.x + k], 1.0f); /* BUG host_variable */
}

/* A `__device__` variable written past its end by `CMK_STORE`
 *
 * The backend knows the bounds of variables by the symbols of the program, so a stripped one is not checked. */
__global__ void variable_store(float *out, int k)
{
    CMK_STORE(&device_array[threadIdx.x + k], 1.0f); /* BUG variable_store */
    CMK_STORE(&out[threadIdx.x], 1.0f);
}

/* A pad column read by `CMK_TILE_GET`
 *
 * A pad is no data. The index has left the row; a tile that needs more columns gets them by COLUMNS, not by PAD. */
__global__ void pad_get(float *out, int k)
{
    CMK_TILE(float, tile, 4, 8, 1);
    CMK_TILE_SET(tile, threadIdx.y, threadIdx.x, 1.0f);
    __syncthreads();
    CMK_STORE(&out[threadIdx.x + 8 * threadIdx.y], CMK_TILE_GET(tile, threadIdx.y, threadIdx.x + k)); /* BUG pad_get */
}

/* A pad column read through a plain index
 *
 * Nothing finds it: the pad is memory of the array. On the CPU pads hold 0xff in every byte, so the result is NaN
 * or -1. Use `CMK_TILE_GET`. */
__global__ void pad_plain(float *out, int k)
{
    CMK_TILE(float, tile, 4, 8, 1);
    tile[threadIdx.y][threadIdx.x] = 1.0f;
    __syncthreads();
    out[threadIdx.x + 8 * threadIdx.y] = tile[threadIdx.y][threadIdx.x + k]; /* BUG pad_plain */
}

/* Shared memory read by `CMK_TILE_GET` before anybody wrote it
 *
 * Each byte of a tile knows whether the block wrote it. Fill the whole tile, halo included, or read less of it. */
__global__ void unwritten_get(float *out, int k)
{
    CMK_TILE(float, tile, 1, 34, 0);
    CMK_TILE_SET(tile, 0, threadIdx.x + 1, 1.0f);
    __syncthreads();
    CMK_STORE(&out[threadIdx.x], CMK_TILE_GET(tile, 0, threadIdx.x + 1 + k)); /* BUG unwritten_get */
}

/* Shared memory read through a plain index before anybody wrote it
 *
 * Nothing finds it. On the CPU a tile begins as 0xff in every byte, so the result is NaN or -1. Use `CMK_TILE_GET`
 * and `CMK_TILE_SET`. */
__global__ void unwritten_plain(float *out, int k)
{
    CMK_TILE(float, tile, 1, 34, 0);
    tile[0][threadIdx.x + 1] = 1.0f;
    __syncthreads();
    out[threadIdx.x] = tile[0][threadIdx.x + 1 + k]; /* BUG unwritten_plain */
}

/* A missing barrier between the write of a tile and its read, of what a later thread writes
 *
 * Threads run one after the other, and the element is still unwritten. Put `__syncthreads()` between the two. */
__global__ void barrier_later(float *out, int k)
{
    CMK_TILE(float, tile, 1, 32, 0);
    CMK_TILE_SET(tile, 0, threadIdx.x, 1.0f);
    CMK_STORE(&out[threadIdx.x], CMK_TILE_GET(tile, 0, (threadIdx.x + k) % 32)); /* BUG barrier_later */
}

/* A missing barrier between the write of a tile and its read, of what an earlier thread writes
 *
 * A run in order hides it, `CMK_HOST_ORDER=reverse` does not. Put `__syncthreads()` between the two. */
__global__ void barrier_earlier(float *out, int k)
{
    CMK_TILE(float, tile, 1, 32, 0);
    CMK_TILE_SET(tile, 0, threadIdx.x, 1.0f);
    const int left = threadIdx.x == 0 ? 0 : (int)threadIdx.x - k;
    CMK_STORE(&out[threadIdx.x], CMK_TILE_GET(tile, 0, left)); /* BUG barrier_earlier */
}

/* A missing barrier between the write of a plain `__shared__` array and its read
 *
 * Only ThreadSanitizer knows the line; the result depends on the order of the threads. `__syncthreads()`. */
__global__ void barrier_plain(float *out, int k)
{
    __shared__ float line[32];
    line[threadIdx.x] = (float)threadIdx.x;
    out[threadIdx.x] = line[(threadIdx.x + k) % 32]; /* BUG barrier_plain */
}

/* A missing barrier between the reads of a tile and its next fill
 *
 * A fast thread overwrites what a slow one has still to read. Put a second `__syncthreads()` behind the reads. */
__global__ void barrier_refill(float *out, int k)
{
    CMK_TILE(float, tile, 1, 33, 0);
    float sum = 0.0f;
    if (threadIdx.x == 0) CMK_TILE_SET(tile, 0, 32, 0.0f);
    for (int n = 0; n < 2; ++n) {
        CMK_TILE_SET(tile, 0, threadIdx.x, (float)n); /* BUG barrier_refill */
        __syncthreads();
        sum += CMK_TILE_GET(tile, 0, threadIdx.x + k);
    }
    CMK_STORE(&out[threadIdx.x], sum);
}

/* No `__syncwarp` between lanes of a warp
 *
 * Since sm_70 lanes do not run in lockstep. Put `__syncwarp()` between write and read, or shuffle. */
__global__ void warp_sync(float *out, int k)
{
    CMK_TILE(float, tile, 1, 32, 0);
    CMK_TILE_SET(tile, 0, threadIdx.x, 1.0f);
    const int left = threadIdx.x % 2 == 0 ? (int)threadIdx.x : (int)threadIdx.x - k;
    CMK_STORE(&out[threadIdx.x], CMK_TILE_GET(tile, 0, left)); /* BUG warp_sync */
}

/* Two blocks write one element by `CMK_STORE`
 *
 * Blocks run in any order. Let one block write an element; a sum over blocks takes `atomicAdd`. */
__global__ void blocks_store(float *out, int k)
{
    CMK_STORE(&out[threadIdx.x + blockIdx.x * (8 - k)], (float)blockIdx.x); /* BUG blocks_store */
}

/* Two blocks write one element of a `__device__` variable by `CMK_STORE`
 *
 * A variable is shared by all blocks, as memory is. Give each block an element, or use `atomicAdd`. */
__global__ void blocks_variable(float *out, int k)
{
    CMK_STORE(&device_array[threadIdx.x + blockIdx.x * (8 - k)], (float)blockIdx.x); /* BUG blocks_variable */
    CMK_STORE(&out[8 * blockIdx.x + threadIdx.x], 1.0f);
}

/* Two blocks add to one element through a plain pointer
 *
 * One core runs the blocks in turn and the sum is right; on a GPU additions are lost. Use `atomicAdd`. */
__global__ void blocks_plain(float *out, int k)
{
    if (threadIdx.x == 0) out[0] += (float)k; /* BUG blocks_plain */
}

/* A barrier that threads of a block reach on different lines
 *
 * The barrier belongs behind the `if`, once, where all threads of the block pass. */
__global__ void barrier_lines(float *out, int k)
{
    if ((int)threadIdx.x < 4 * k)
        __syncthreads();
    else
        __syncthreads(); /* BUG barrier_lines */
    CMK_STORE(&out[threadIdx.x], 1.0f);
}

/* A deadlock: lanes wait for lanes that wait at a barrier
 *
 * The mask of a warp operation names the lanes that come to it; the others must not be held up elsewhere. */
__global__ void deadlock(float *out, int k)
{
    float sum = 1.0f;
    if ((int)threadIdx.x >= 4 * k)
        __syncthreads();
    else
        sum = __shfl_sync(0xffffffffu, sum, 0); /* BUG deadlock */
    CMK_STORE(&out[threadIdx.x], sum);
}

/* A warp mask that names a lane which has returned
 *
 * Take the mask before the branch, by `__ballot_sync(0xffffffffu, i < count)`. */
__global__ void warp_exited(float *out, int k)
{
    if ((int)threadIdx.x >= 16 * k) return;
    CMK_STORE(&out[threadIdx.x], __shfl_down_sync(0xffffffffu, 1.0f, 8)); /* BUG warp_exited */
}

/* A warp mask that leaves out its caller
 *
 * Every lane that calls a warp operation is in its mask. */
__global__ void warp_caller(float *out, int k)
{
    CMK_STORE(&out[threadIdx.x], __shfl_sync(0xfffffffeu, 1.0f, k)); /* BUG warp_caller */
}

/* A tile read before its fill has arrived
 *
 * A fill by ASYNC or BULK is there after `CMK_FILL_WAIT_SYNC`, not after a barrier. */
__global__ void fill_early(float *out, int k, CMK_FILL_PARAMETER(matrix))
{
    CMK_TILE(float, tile, 1, 32, 0);
    CMK_FILL_PIPE_SYNC(ASYNC, pipe, 1, 0);
    CMK_FILL(pipe, k - 1, tile, 1, 32, matrix, 0, 0);
    __syncthreads();
    CMK_STORE(&out[threadIdx.x], CMK_TILE_GET(tile, 0, threadIdx.x)); /* BUG fill_early */
    CMK_FILL_WAIT_SYNC(pipe, 0, 0);
}

/* An index of `int` overflows
 *
 * The product is 2^32, the cell 32; wrapped it is cell 0, and the store is in bounds. Rows times pitch is a
 * `cmk_i64`. Products of `threadIdx.x` alone are unsigned and wrap without a report. */
__global__ void index_overflow(float *out, int k)
{
    const int row = 65536 + (int)threadIdx.x, pitch = 65535 + k;
    const int cell = row * pitch / (1 << 27); /* BUG index_overflow */
    CMK_STORE(&out[cell], 1.0f);
}

/* All of it right: no tool says anything. */
__global__ void correct(float *out, int k, CMK_FILL_PARAMETER(matrix))
{
    CMK_TILE(float, tile, 1, 33, 1);
    CMK_TILE(float, filled, 1, 32, 0);
    float sum = (float)k;
    CMK_FILL_PIPE_SYNC(ASYNC, pipe, 1, 0);
    CMK_FILL(pipe, 0, filled, 1, 32, matrix, 0, 0);
    if (threadIdx.x == 0) CMK_TILE_SET(tile, 0, 32, 0.0f);
    for (int n = 0; n < 2; ++n) {
        CMK_TILE_SET(tile, 0, threadIdx.x, (float)n);
        __syncthreads();
        sum += CMK_TILE_GET(tile, 0, threadIdx.x + 1);
        __syncthreads();
    }
    sum += __shfl_xor_sync(0xffffffffu, sum, 16);
    CMK_FILL_WAIT_SYNC(pipe, 0, 0);
    sum += CMK_TILE_GET(filled, 0, 31 - threadIdx.x);
    if (blockIdx.x == 0) out[threadIdx.x] = sum;
    atomicAdd(&out[32 + threadIdx.x / 2], 1.0f);
}

/* The same with a plain array: in one block, since the blocks of a CPU core share it. */
__global__ void correct_plain(float *out, int k)
{
    __shared__ float line[32];
    line[threadIdx.x] = (float)k;
    __syncthreads();
    const float left = line[(threadIdx.x + 31) % 32];
    __syncthreads();
    line[threadIdx.x] = left + (float)threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = line[threadIdx.x ^ 1];
}

/* name, grid, block */
#define BUGS(EACH)                                                                                                     \
    EACH(shared_get, 1, dim3(8, 4))                                                                                    \
    EACH(plane_get, 1, dim3(8, 4))                                                                                     \
    EACH(shared_pointer, 1, 32)                                                                                        \
    EACH(shared_array, 1, 32)                                                                                          \
    EACH(global_load, 1, 32)                                                                                           \
    EACH(global_pointer, 1, 32)                                                                                        \
    EACH(freed_store, 1, 32)                                                                                           \
    EACH(host_variable, 1, 32)                                                                                         \
    EACH(variable_store, 1, 32)                                                                                        \
    EACH(pad_get, 1, dim3(8, 4))                                                                                       \
    EACH(pad_plain, 1, dim3(8, 4))                                                                                     \
    EACH(unwritten_get, 1, 32)                                                                                         \
    EACH(unwritten_plain, 1, 32)                                                                                       \
    EACH(barrier_later, 1, 32)                                                                                         \
    EACH(barrier_earlier, 1, 32)                                                                                       \
    EACH(barrier_plain, 1, 32)                                                                                         \
    EACH(barrier_refill, 1, 32)                                                                                        \
    EACH(warp_sync, 1, 32)                                                                                             \
    EACH(blocks_store, 2, 8)                                                                                           \
    EACH(blocks_variable, 2, 8)                                                                                        \
    EACH(blocks_plain, 2, 32)                                                                                          \
    EACH(barrier_lines, 1, 32)                                                                                         \
    EACH(deadlock, 1, 32)                                                                                              \
    EACH(warp_exited, 1, 32)                                                                                           \
    EACH(warp_caller, 1, 32)                                                                                           \
    EACH(index_overflow, 1, 1)                                                                                         \
    EACH(correct_plain, 1, 32)

#define BUGS_OF_FILLS(EACH)                                                                                            \
    EACH(fill_early, 1, 32)                                                                                            \
    EACH(correct, 3, 32)

#define CHECK(call)                                                                                                    \
    if ((call) != cudaSuccess) return 2

static int plant(const char *name, float *memory, float *matrix)
{
    cmk_fill_source source;
    CHECK(CMK_FILL_SOURCE(&source, matrix, 64, 1, 64, 1, 32, 0));
#define PLANT(kernel, grid, block)                                                                                     \
    if (strcmp(name, #kernel) == 0) return CMK_LAUNCH(kernel, grid, block, 0, 0, memory, 1) != cudaSuccess;
    BUGS(PLANT)
#define PLANT_FILL(kernel, grid, block)                                                                                \
    if (strcmp(name, #kernel) == 0) return CMK_LAUNCH(kernel, grid, block, 0, 0, memory, 1, source) != cudaSuccess;
    BUGS_OF_FILLS(PLANT_FILL)
    return 2;
}

/* Runs the bug that is named and prints the result. Without a name: the names. */
int main(int count, char **arguments)
{
#define PRINT(kernel, grid, block) puts(#kernel);
    float *memory, *matrix, result[63];
    if (count < 2) {
        BUGS(PRINT)
        BUGS_OF_FILLS(PRINT)
        return 0;
    }
    CHECK(cudaMalloc((void **)&memory, sizeof result));
    CHECK(cudaMalloc((void **)&matrix, 64 * sizeof(float)));
    CHECK(cudaMemset(memory, 0, sizeof result));
    CHECK(cudaMemset(matrix, 0, 64 * sizeof(float)));
    if (strcmp(arguments[1], "freed_store") == 0) CHECK(cudaFree(memory));
    float *const host = (size_t)host_array % 1024 ? host_array : host_other;
    CHECK(plant(arguments[1], strcmp(arguments[1], "host_variable") == 0 ? host : memory, matrix));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(result, memory, sizeof result, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 63; ++i) printf("%g%c", (double)result[i], i % 16 == 15 || i == 62 ? '\n' : ' ');
    CHECK(cudaFree(matrix));
    CHECK(cudaFree(memory));
    return 0;
}
