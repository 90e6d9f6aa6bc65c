/* transpose.h: transposes of matrices of any size and pitch, in place too, and of volumes; fastest where all rows are
 * aligned to 16 bytes.
 *
 *   CMK_DEFINE_TRANSPOSE(name, T);      at file scope
 *   cudaError_t name(const T *in, size_t in_pitch, T *out, size_t out_pitch, size_t rows, size_t columns,
 *                    cudaStream_t stream);
 *   cudaError_t name_batch(const T *in, size_t in_pitch, size_t in_step, T *out, size_t out_pitch, size_t out_step,
 *                          size_t rows, size_t columns, size_t count, cudaStream_t stream);
 *   cudaError_t name_in_place(T *matrix, size_t pitch, size_t rows, cudaStream_t stream);
 *   cudaError_t name_volume(const T *in, T *out, size_t depth, size_t height, size_t width, int axes,
 *                           cudaStream_t stream);
 *
 * defines out[c * out_pitch + r] = in[r * in_pitch + c] for every row r < rows and column c < columns; of a batch, for
 * count matrices, in_step and out_step elements apart; in place, of a square matrix with as many columns as rows. T has
 * 1, 2, 4, 8 or 16 bytes; pitches count elements. What lies between the rows is neither read nor written.
 *
 * A volume in[z][y][x] of depth z, height y and width x is contiguous, as is out. axes names those of in, the slowest
 * first, in the order that they have in out:
 *   CMK_TRANSPOSE_ZXY      out[z][x][y]
 *   CMK_TRANSPOSE_YZX      out[y][z][x]; moves whole rows
 *   CMK_TRANSPOSE_YXZ      out[y][x][z]
 *   CMK_TRANSPOSE_XZY      out[x][z][y]
 *   CMK_TRANSPOSE_XYZ      out[x][y][z]
 * Of pitched volumes all but YZX are batches: XYZ is count = height matrices of depth rows, in_pitch the elements from
 * plane to plane of in, in_step those from row to row, out_pitch and out_step likewise of out.
 *
 * The call returns before the kernel has run. It returns cudaErrorInvalidValue, with nothing launched, for a null or
 * misaligned pointer, a pitch below the width, sizes whose bytes exceed the address space, other axes, for ranges of in
 * and out that overlap, and for matrices of out that do; cudaErrorInvalidConfiguration for more blocks than a grid has.
 * No rows, columns or matrices is right and launches nothing.
 *
 *   CMK_DEFINE_TRANSPOSE(transpose, float);
 *   CMK_CHECK(transpose(in, columns, out, rows, rows, columns, stream));
 *   CMK_CHECK(transpose_in_place(square, n, n, stream));
 *   CMK_CHECK(transpose_volume(in, out, depth, height, width, CMK_TRANSPOSE_XYZ, stream)); */
#ifndef CMK_KERNEL_TRANSPOSE_H
#define CMK_KERNEL_TRANSPOSE_H

#include "../base.h"
#include "../tile.h"
#include "range.h"
#include "transpose/element.h"
#include "transpose/plan.h"
#include "transpose/tile.h"
#include "transpose/tune.h"

/* CMK_DEFINE_TRANSPOSE(transpose, float); generates
 *
 *   __global__ void transpose_kernel(cmk_transpose_call_ call);      of rows aligned to 16 bytes: 16 bytes on both
 * sides
 *   __global__ void transpose_kernel_any(cmk_transpose_call_ call);  of others: by element, in whole sectors of out
 *   __global__ void transpose_kernel_thin(cmk_transpose_call_ call); of few rows or columns
 *   __global__ void transpose_square(cmk_transpose_call_ call);      in place
 *   __global__ void transpose_swap(cmk_transpose_call_ call);        whole rows
 *   cudaError_t transpose_launch_(cmk_transpose_plan_ plan, cudaStream_t stream);
 *   cudaError_t transpose_batch(...);     cudaError_t transpose(...);
 *   cudaError_t transpose_in_place(...);  cudaError_t transpose_volume(...); */
#define CMK_DEFINE_TRANSPOSE(name, T)                                                                                  \
    CMK_STATIC_ASSERT(16 % sizeof(T) == 0, "cmk: CMK_DEFINE_TRANSPOSE: the size of T must be 1, 2, 4, 8 or 16 bytes"); \
    CMK_TRANSPOSE_KERNEL_(name##_kernel, T, tiles, cmk_transpose_by_tiles_)                                            \
    CMK_TRANSPOSE_KERNEL_(name##_kernel_any, T, any, cmk_transpose_by_elements_)                                       \
    CMK_TRANSPOSE_KERNEL_(name##_kernel_thin, T, thin, cmk_transpose_by_lines_)                                        \
    CMK_TRANSPOSE_KERNEL_(name##_square, T, square, cmk_transpose_in_place_)                                           \
    CMK_TRANSPOSE_KERNEL_(name##_swap, T, swap, cmk_transpose_by_rows_)                                                \
    CMK_TRANSPOSE_LAUNCHERS_(name, T)                                                                                  \
    CMK_SEMICOLON_

#define CMK_TRANSPOSE_KERNEL_(kernel, T, function, WAY)                                                                \
    CMK_STATIC_ __global__ void CMK_TRANSPOSE_BOUNDS_(WAY, sizeof(T)) kernel(cmk_transpose_call_ cmk_call_)            \
    {                                                                                                                  \
        cmk_transpose_##function##_(cmk_call_, (int)sizeof(T));                                                        \
    }
#define CMK_TRANSPOSE_BOUNDS_(WAY, SIZE)                                                                               \
    __launch_bounds__(cmk_transpose_threads_(WAY, SIZE), cmk_transpose_blocks_(WAY, SIZE))

#if CMK_HAS_HOST_

/* the launches of a plan, until one fails, and what makes the plans */
#define CMK_TRANSPOSE_LAUNCHERS_(name, T)                                                                              \
    static inline cudaError_t name##_launch_(cmk_transpose_plan_ plan, cudaStream_t stream)                            \
    {                                                                                                                  \
        while (cmk_transpose_next_(&plan)) {                                                                           \
            if (plan.way == cmk_transpose_by_tiles_) CMK_TRANSPOSE_BY_(name##_kernel, plan, stream);                   \
            if (plan.way == cmk_transpose_by_elements_) CMK_TRANSPOSE_BY_(name##_kernel_any, plan, stream);            \
            if (plan.way == cmk_transpose_by_lines_) CMK_TRANSPOSE_BY_(name##_kernel_thin, plan, stream);              \
            if (plan.way == cmk_transpose_in_place_) CMK_TRANSPOSE_BY_(name##_square, plan, stream);                   \
            if (plan.way == cmk_transpose_by_rows_) CMK_TRANSPOSE_BY_(name##_swap, plan, stream);                      \
        }                                                                                                              \
        return plan.error;                                                                                             \
    }                                                                                                                  \
    CMK_LAUNCHER_ name##_batch(const T *in, size_t in_pitch, size_t in_step, T *out, size_t out_pitch,                 \
                               size_t out_step, size_t rows, size_t columns, size_t count, cudaStream_t stream)        \
    {                                                                                                                  \
        const cmk_transpose_batch_ batch = {in_pitch, in_step, out_pitch, out_step, rows, columns, count, sizeof(T)};  \
        return name##_launch_(cmk_transpose_plan_batch_(in, out, batch), stream);                                      \
    }                                                                                                                  \
    CMK_LAUNCHER_OF_ONE_(name, T, T, (cudaStream_t stream), (stream))                                                  \
    CMK_LAUNCHER_ name##_in_place(T *matrix, size_t pitch, size_t rows, cudaStream_t stream)                           \
    {                                                                                                                  \
        return name##_launch_(cmk_transpose_plan_in_place_(matrix, pitch, rows, sizeof(T)), stream);                   \
    }                                                                                                                  \
    CMK_LAUNCHER_ name##_volume(const T *in, T *out, size_t depth, size_t height, size_t width, int axes,              \
                                cudaStream_t stream)                                                                   \
    {                                                                                                                  \
        return name##_launch_(cmk_transpose_plan_volume_(in, out, depth, height, width, axes, sizeof(T)), stream);     \
    }

#define CMK_TRANSPOSE_BY_(kernel, plan, stream)                                                                        \
    (plan).error = CMK_TILE_LAUNCH(kernel, (plan).grid, (plan).block, (plan).bytes, stream, (plan).call)

#else

#define CMK_TRANSPOSE_LAUNCHERS_(name, T)

#endif

#endif
