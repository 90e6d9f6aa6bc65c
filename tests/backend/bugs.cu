/* bugs.cu: planted bugs, one for each check of the CPU backend. The program runs the one that is named on its
 * command line and must stop with the right report; bugs.py looks. The line of a bug carries its name. */
#include "cmk/cmk.h"
#include <stdio.h>
#include <string.h>

#define WIDTH 8

CMK_TABLE_VALUES(CONSTANT, float, table, [5], 1.0f, 2.0f, 3.0f, 4.0f, 5.0f);
CMK_TABLE_VALUES(GLOBAL, float, matrix, [3][5], 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
CMK_TABLE_VALUES(PARAMETER, float, volume, [2][3][4], 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
                 20, 21, 22, 23, 24);
CMK_TABLE(CONSTANT, float, empty_constant, [5]);
CMK_TABLE(PARAMETER, float, empty_parameter, [5]);
CMK_TABLE(GLOBAL, float, empty_global, [5]);
CMK_TABLE_SLOTS(GLOBAL, float, untaken, [5], 3);
CMK_TABLE_SLOTS(PARAMETER, float, untaken_parameter, [5], 3);

static float host_array[64], host_other[64]; /* by chance one begins where a device variable may */
__device__ float device_array[8];
static __device__ float device_pair[2];
__device__ float device_six[6];

__global__ void tile_column(float *out, int k)
{
    CMK_TILE(float, tile, 4, WIDTH, 0);
    CMK_TILE_SET(tile, threadIdx.y, threadIdx.x, 1.0f);
    __syncthreads();
    CMK_STORE(&out[threadIdx.x], CMK_TILE_GET(tile, threadIdx.y, threadIdx.x + k)); /* BUG tile_column */
}

__global__ void tile_row(float *out, int k)
{
    CMK_TILE(float, tile, 4, WIDTH, 0);
    CMK_TILE(float, other, 4, WIDTH, 0);
    CMK_TILE_SET(tile, threadIdx.y, threadIdx.x, 1.0f);
    CMK_TILE_SET(other, threadIdx.y, threadIdx.x, 1.0f);
    __syncthreads();
    CMK_STORE(&out[threadIdx.x], CMK_TILE_GET(tile, threadIdx.y + k, threadIdx.x)); /* BUG tile_row */
}

__global__ void tile_negative(float *out, int k)
{
    CMK_TILE(double, tile, 4, WIDTH, 0);
    CMK_TILE_SET(tile, threadIdx.y, (int)threadIdx.x - k, 1.0); /* BUG tile_negative */
    CMK_STORE(&out[threadIdx.x], 0.0f);
}

__global__ void tile_pad(float *out, int k)
{
    CMK_TILE(float, tile, 4, WIDTH, 1);
    CMK_TILE_SET(tile, threadIdx.y, threadIdx.x, 1.0f);
    __syncthreads();
    CMK_STORE(&out[threadIdx.x], CMK_TILE_GET(tile, threadIdx.y, threadIdx.x + k)); /* BUG tile_pad */
}

__global__ void tile_unwritten(float *out, int k)
{
    CMK_TILE(float, tile, 4, WIDTH, 0);
    if ((int)threadIdx.x != k + 4) CMK_TILE_SET(tile, threadIdx.y, threadIdx.x, 1.0f);
    __syncthreads();
    CMK_STORE(&out[threadIdx.x], CMK_TILE_GET(tile, threadIdx.y, threadIdx.x)); /* BUG tile_unwritten */
}

__global__ void tile_too_large(float *out, int k)
{
    CMK_TILE(float, first, 100, 100, 0);
    CMK_TILE_SET(first, 0, 0, 1.0f);
    CMK_TILE(float, second, 23, 100, 0); /* BUG tile_too_large */
    CMK_TILE_SET(second, 0, 0, 1.0f);
    CMK_STORE(&out[0], (float)k);
}

__global__ void dynamic_end(float *out, int k)
{
    CMK_TILE_DYNAMIC(float, buffer);
    CMK_STORE(&buffer[threadIdx.x + k], 1.0f); /* BUG dynamic_end */
    CMK_STORE(&out[threadIdx.x], 1.0f);
}

__global__ void global_read_after(float *out, int k)
{
    CMK_STORE(&out[0], CMK_LOAD(&out[threadIdx.x + 56 + k])); /* BUG global_read_after */
}

__global__ void global_write_before(float *out, int k)
{
    CMK_STORE(&out[(int)threadIdx.x - k], 1.0f); /* BUG global_write_before */
}

__global__ void global_freed(float *out, int k)
{
    CMK_STORE(&out[threadIdx.x + k], 1.0f); /* BUG global_freed */
}

__global__ void global_freed_large(float *out, int k)
{
    CMK_STORE(&out[threadIdx.x + k], 1.0f); /* BUG global_freed_large */
}

__global__ void global_reused(float *out, int k)
{
    CMK_STORE(&out[threadIdx.x + 24 + k], 1.0f); /* BUG global_reused */
}

__global__ void global_host_pointer(float *out, int k)
{
    CMK_STORE(&out[threadIdx.x + k], 1.0f); /* BUG global_host_pointer */
}

__global__ void global_peer(float *out, int k)
{
    CMK_STORE(&out[threadIdx.x + k], 1.0f); /* BUG global_peer */
}

__global__ void global_null(float *out, int k)
{
    CMK_STORE(out, (float)k); /* BUG global_null */
}

__global__ void global_misaligned(float *out, int k)
{
    const float4 *vector = (const float4 *)(const void *)(out + k);
    CMK_STORE(&out[0], CMK_LDG(vector).x); /* BUG global_misaligned */
}

__global__ void global_misaligned_16(float *out, int k)
{
    float v[4];
    CMK_LOAD_16(PLAIN, v, out);
    CMK_STORE_16(STREAMING, &out[4 + k], v); /* BUG global_misaligned_16 */
}

__global__ void global_part(float *out, int k)
{
    float v[4];
    CMK_LOAD_PART(PLAIN, 16, v, out, 64 * k, 64 + 4); /* BUG global_part */
    CMK_STORE(&out[0], v[0]);
}

__global__ void global_strided(float *out, int k)
{
    float v[4];
    CMK_LOAD_STRIDED(READ_ONLY, v, 4, &out[threadIdx.x], 20 + k); /* BUG global_strided */
    CMK_STORE(&out[threadIdx.x], v[0] + v[3]);
}

__global__ void atomic_outside(float *out, int k)
{
    atomicAdd(&out[threadIdx.x + 63 + k], 1.0f); /* BUG atomic_outside */
}

__global__ void table_index(float *out, int k)
{
    CMK_STORE(&out[threadIdx.x], CMK_TABLE_AT(table, (int)threadIdx.x - k)); /* BUG table_index */
}

__global__ void barrier_two_lines(float *out, int k)
{
    if ((int)threadIdx.x < 4 * k)
        __syncthreads();
    else
        __syncthreads(); /* BUG barrier_two_lines */
    CMK_STORE(&out[threadIdx.x], 1.0f);
}

#define EITHER_BARRIER(condition)                                                                                      \
    if (condition)                                                                                                     \
        __syncthreads();                                                                                               \
    else                                                                                                               \
        __syncthreads()

__global__ void barrier_macro(float *out, int k)
{
    for (int i = 0; i < 4; ++i) __syncthreads(); /* one barrier, however often it is unrolled */
    EITHER_BARRIER((int)threadIdx.x < 4 * k);    /* BUG barrier_macro */
    CMK_STORE(&out[threadIdx.x], 1.0f);
}

__global__ void deadlock(float *out, int k)
{
    float sum = 1.0f;
    if ((int)threadIdx.x >= 4 * k)
        __syncthreads();
    else
        sum = __shfl_sync(0xffffffffu, sum, 0); /* BUG deadlock */
    CMK_STORE(&out[threadIdx.x], sum);
}

__global__ void warp_caller(float *out, int k)
{
    CMK_STORE(&out[threadIdx.x], __shfl_sync(0xeu, 1.0f, k)); /* BUG warp_caller */
}

__global__ void warp_absent(float *out, int k)
{
    CMK_STORE(&out[threadIdx.x], (float)__ballot_sync(0xffffffffu, k)); /* BUG warp_absent */
}

__global__ void warp_exited(float *out, int k)
{
    if ((int)threadIdx.x > k) return;
    CMK_STORE(&out[threadIdx.x], (float)__ballot_sync(0xffffffffu, k)); /* BUG warp_exited */
}

__global__ void nested_argument(float *out, int k)
{
    const int lane = (int)threadIdx.x - k;
    cudaError_t error =
        CMK_LAUNCH(global_freed, 1, 1, 0, 0, out, __shfl_sync(0xffffffffu, k, lane)); /* BUG nested_argument */
    CMK_STORE(&out[threadIdx.x], (float)error);
}

__global__ void table_flat_index(float *out, int k)
{
    CMK_STORE(&out[threadIdx.x], CMK_TABLE_AT(matrix, (int)threadIdx.x + 11 * k)); /* BUG table_flat_index */
}

__global__ void table_row(float *out, int k)
{
    CMK_STORE(&out[threadIdx.x], CMK_TABLE_AT(matrix, (int)threadIdx.x, k)); /* BUG table_row */
}

__global__ void table_column(float *out, int k)
{
    CMK_STORE(&out[threadIdx.x], CMK_TABLE_AT(matrix, k, (int)threadIdx.x)); /* BUG table_column */
}

__global__ void table_plane(float *out, int k, CMK_TABLE_PARAMETER(volume))
{
    CMK_STORE(&out[threadIdx.x], CMK_TABLE_AT(volume, (int)threadIdx.x, k, k)); /* BUG table_plane */
}

__global__ void table_row_of_plane(float *out, int k, CMK_TABLE_PARAMETER(volume))
{
    CMK_STORE(&out[threadIdx.x], CMK_TABLE_AT(volume, k - 1, k - 2, 3)); /* BUG table_row_of_plane */
}

__global__ void table_column_of_plane(float *out, int k, CMK_TABLE_PARAMETER(volume))
{
    CMK_STORE(&out[threadIdx.x], CMK_TABLE_AT(volume, k, k, (int)threadIdx.x)); /* BUG table_column_of_plane */
}

__global__ void table_unfilled_constant(float *out, int k)
{
    CMK_STORE(&out[threadIdx.x], CMK_TABLE_AT(empty_constant, k)); /* BUG table_unfilled_constant */
}

__global__ void table_unfilled_parameter(float *out, int k, CMK_TABLE_PARAMETER(empty_parameter))
{
    CMK_STORE(&out[threadIdx.x], CMK_TABLE_AT(empty_parameter, k)); /* BUG table_unfilled_parameter */
}

__global__ void table_unfilled_global(float *out, int k, CMK_TABLE_PARAMETER(empty_global))
{
    CMK_STORE(&out[threadIdx.x], CMK_TABLE_AT(empty_global, k)); /* BUG table_unfilled_global */
}

__global__ void table_untaken(float *out, int k, CMK_TABLE_PARAMETER(untaken))
{
    CMK_STORE(&out[threadIdx.x], CMK_TABLE_AT(untaken, k)); /* BUG table_untaken */
}

__global__ void table_untaken_parameter(float *out, int k, CMK_TABLE_PARAMETER(untaken_parameter))
{
    CMK_STORE(&out[threadIdx.x], CMK_TABLE_AT(untaken_parameter, k)); /* BUG table_untaken_parameter */
}

__global__ void fill_early(float *out, int k, CMK_FILL_PARAMETER(matrix_of_8))
{
    CMK_TILE(float, tile, 1, WIDTH, 0);
    CMK_FILL_PIPE_SYNC(ASYNC, pipe, 2, 0);
    CMK_FILL(pipe, k - 1, tile, 1, WIDTH, matrix_of_8, 0, 0);
    __syncthreads();
    CMK_STORE(&out[threadIdx.x], CMK_TILE_GET(tile, 0, threadIdx.x)); /* BUG fill_early */
    CMK_FILL_WAIT_SYNC(pipe, 0, 0);
}

__global__ void fill_later(float *out, int k, CMK_FILL_PARAMETER(matrix_of_8))
{
    CMK_TILE_3D(float, ring, 2, 1, WIDTH, 0);
    CMK_FILL_PIPE_SYNC(ASYNC, pipe, 2, 0);
    CMK_FILL(pipe, 0, ring[0], 1, WIDTH, matrix_of_8, 0, 0);
    CMK_FILL(pipe, 1, ring[1], 1, WIDTH, matrix_of_8, 0, 0);
    CMK_FILL_WAIT_SYNC(pipe, 1, k); /* BUG fill_later */
    CMK_STORE(&out[threadIdx.x], CMK_TILE_GET(ring[1], 0, threadIdx.x));
}

__global__ void fill_too_many(float *out, int k, CMK_FILL_PARAMETER(matrix_of_8))
{
    CMK_TILE_3D(float, ring, 3, 1, WIDTH, 0);
    CMK_FILL_PIPE_SYNC(ASYNC, pipe, 2, 0);
    for (int n = 0; n < 2 + k; ++n) CMK_FILL(pipe, n, ring[n], 1, WIDTH, matrix_of_8, 0, 0); /* BUG fill_too_many */
    CMK_FILL_WAIT_SYNC(pipe, 2, 0);
    CMK_STORE(&out[threadIdx.x], CMK_TILE_GET(ring[1], 0, threadIdx.x));
}

__global__ void fill_misaligned(float *out, int k, CMK_FILL_PARAMETER(matrix_of_8))
{
    CMK_TILE(float, tile, 3, WIDTH, 0);
    CMK_FILL_PIPE_SYNC(BULK, pipe, 1, 0);
    CMK_FILL(pipe, 0, &tile[k], 1, WIDTH, matrix_of_8, 0, 0); /* BUG fill_misaligned */
    CMK_FILL_WAIT_SYNC(pipe, 0, 0);
    CMK_STORE(&out[threadIdx.x], CMK_TILE_GET(tile, k, threadIdx.x));
}

__global__ void plane_row(float *out, int k)
{
    CMK_TILE_3D(float, ring, 3, 4, WIDTH, 1);
    for (int n = 0; n < 3; ++n) CMK_TILE_SET(ring[n], threadIdx.y, threadIdx.x, 1.0f);
    __syncthreads();
    CMK_STORE(&out[threadIdx.x], CMK_TILE_GET(ring[k - 1], threadIdx.y + k, threadIdx.x)); /* BUG plane_row */
}

__global__ void plane_before(float *out, int k)
{
    CMK_TILE_3D_AT(float, ring, 0, 2, 2, 0);
    CMK_TILE_SET(ring[k], -k, threadIdx.x, 1.0f); /* BUG plane_before */
    CMK_STORE(&out[threadIdx.x], 1.0f);
}

__global__ void host_variable(float *out, int k)
{
    CMK_STORE(&out[threadIdx.x + k], 1.0f); /* BUG host_variable */
}

__global__ void variable_end(float *out, int k)
{
    CMK_STORE(&device_array[threadIdx.x + k], 1.0f); /* BUG variable_end */
    CMK_STORE(&out[threadIdx.x], 1.0f);
}

__global__ void variable_behind(float *out, int k)
{
    CMK_STORE(&out[k], CMK_LOAD(&device_pair[31 * k])); /* BUG variable_behind */
}

__global__ void variable_across(float *out, int k)
{
    float v[4];
    CMK_LOAD_16(PLAIN, v, &device_six[4 * k]); /* BUG variable_across */
    CMK_STORE(&out[k], v[0]);
}

CMK_TABLE_VALUES(CONSTANT, float, taps, [3][3], 1, 2, 1, 2, 4, 2, 1, 2, 1);
CMK_DEFINE_CONV2D(freed_output, float, 3, 3, taps, CMK_EDGE_CLAMP); /* BUG freed_output */

/* name, block */
#define BUGS(EACH)                                                                                                     \
    EACH(tile_column, dim3(8, 4))                                                                                      \
    EACH(tile_row, dim3(8, 4))                                                                                         \
    EACH(tile_negative, dim3(8, 4))                                                                                    \
    EACH(tile_pad, dim3(8, 4))                                                                                         \
    EACH(tile_unwritten, dim3(8, 4))                                                                                   \
    EACH(tile_too_large, 1)                                                                                            \
    EACH(dynamic_end, 8)                                                                                               \
    EACH(global_read_after, 8)                                                                                         \
    EACH(global_write_before, 8)                                                                                       \
    EACH(global_freed, 8)                                                                                              \
    EACH(global_freed_large, 8)                                                                                        \
    EACH(global_reused, 8)                                                                                             \
    EACH(global_host_pointer, 8)                                                                                       \
    EACH(global_peer, 8)                                                                                               \
    EACH(global_null, 8)                                                                                               \
    EACH(global_misaligned, 1)                                                                                         \
    EACH(global_misaligned_16, 1)                                                                                      \
    EACH(global_part, 1)                                                                                               \
    EACH(global_strided, 2)                                                                                            \
    EACH(atomic_outside, 8)                                                                                            \
    EACH(table_index, 4)                                                                                               \
    EACH(barrier_two_lines, 8)                                                                                         \
    EACH(barrier_macro, 8)                                                                                             \
    EACH(deadlock, 32)                                                                                                 \
    EACH(warp_caller, 4)                                                                                               \
    EACH(warp_absent, 24)                                                                                              \
    EACH(warp_exited, 32)                                                                                              \
    EACH(nested_argument, 32)                                                                                          \
    EACH(table_flat_index, 8)                                                                                          \
    EACH(table_row, 4)                                                                                                 \
    EACH(table_column, 8)                                                                                              \
    EACH(table_unfilled_constant, 1)                                                                                   \
    EACH(plane_row, dim3(8, 4))                                                                                        \
    EACH(plane_before, 2)                                                                                              \
    EACH(host_variable, 8)                                                                                             \
    EACH(variable_end, 8)                                                                                              \
    EACH(variable_behind, 1)                                                                                           \
    EACH(variable_across, 1)

/* name, block, table */
#define BUGS_OF_TABLES(EACH)                                                                                           \
    EACH(table_plane, 4, volume)                                                                                       \
    EACH(table_row_of_plane, 4, volume)                                                                                \
    EACH(table_column_of_plane, 8, volume)                                                                             \
    EACH(table_unfilled_parameter, 1, empty_parameter)                                                                 \
    EACH(table_unfilled_global, 1, empty_global)                                                                       \
    EACH(table_untaken, 1, fourth)                                                                                     \
    EACH(table_untaken_parameter, 1, never)

#define BUGS_OF_FILLS(EACH)                                                                                            \
    EACH(fill_early, 8, eight)                                                                                         \
    EACH(fill_later, 8, eight)                                                                                         \
    EACH(fill_too_many, 8, eight)                                                                                      \
    EACH(fill_misaligned, 8, eight)

static int is(const char *name, const char *other)
{
    return strcmp(name, other) == 0;
}

/* Sets memory to the last 128 bytes of a live allocation that begins where a freed one began, which was larger by 128
 * bytes. Allocations of this size come from the system, which maps the gap that the freed one left. Returns whether
 * they begin alike. */
static int reuse(float **memory)
{
    const size_t bytes = (size_t)1 << 26;
    float *freed, *live;
    if (cudaMalloc(&freed, bytes) != cudaSuccess || cudaFree(freed) != cudaSuccess) return 0;
    if (cudaMalloc(&live, bytes - 128) != cudaSuccess) return 0;
    *memory = live + (bytes - 256) / sizeof *live;
    return live == freed;
}

/* Returns only when the bug went unnoticed. */
static int plant(const char *name)
{
    float *memory;
    float on_host[64];
    const untaken_table fourth = {{3, 0}};
    const untaken_parameter_table never = {{1.0f}, 0};
    cmk_fill_source eight;
    if (cudaMalloc(&memory, sizeof on_host) != cudaSuccess) return 2;
    if (CMK_FILL_SOURCE(&eight, memory, 8, 8, 8, 1, WIDTH, 0) != cudaSuccess) return 2;
    if (is(name, "global_freed") && cudaFree(memory) != cudaSuccess) return 2;
    if (is(name, "global_freed_large") && /* it lies where the system maps other memory when it is free */
        (cudaMalloc(&memory, 300000) != cudaSuccess || cudaFree(memory) != cudaSuccess))
        return 2;
    if (is(name, "global_reused") && !reuse(&memory)) return 2;
    if (is(name, "global_host_pointer")) memory = on_host;
    if (is(name, "global_peer") &&
        (cudaSetDevice(1) != cudaSuccess || cudaMalloc(&memory, sizeof on_host) != cudaSuccess ||
         cudaSetDevice(0) != cudaSuccess))
        return 2;
    if (is(name, "global_null")) memory = NULL;
    if (is(name, "host_variable")) memory = (size_t)host_array % 1024 ? host_array : host_other;
#define PLANT(kernel, block)                                                                                           \
    if (is(name, #kernel)) return CMK_LAUNCH(kernel, 1, block, 8 * sizeof(float), 0, memory, 1) != cudaSuccess;
    BUGS(PLANT)
#define PLANT_WITH(kernel, block, table)                                                                               \
    if (is(name, #kernel)) return CMK_LAUNCH(kernel, 1, block, 0, 0, memory, 1, table) != cudaSuccess;
    BUGS_OF_TABLES(PLANT_WITH)
    BUGS_OF_FILLS(PLANT_WITH)
    if (is(name, "freed_output"))
        return cudaFree(memory) != cudaSuccess ||
               freed_output(device_array, 4, memory, 4, 2, 4, taps, 0) != cudaSuccess;
    return 2;
}

#define PRINT(kernel, ...) puts(#kernel);

int main(int count, char **arguments)
{
    if (count > 1) return plant(arguments[1]);
    BUGS(PRINT)
    BUGS_OF_TABLES(PRINT)
    BUGS_OF_FILLS(PRINT)
    puts("freed_output");
    return 0;
}
