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
 * The definition makes these functions. The first computes out[c * out_pitch + r] = in[r * in_pitch + c] for every row
 * r < rows and column c < columns. With name_batch there are count matrices, in_step and out_step elements apart. With
 * name_in_place a square matrix, of as many columns as rows, is transposed where it is. T has 1, 2, 4, 8 or 16 bytes.
 * Pitches count elements. What lies between the rows is neither read nor written.
 *
 * A volume in[z][y][x] of depth z, height y and width x is contiguous, and so is out. The parameter axes says in which
 * order out has the axes of in, the slowest first:
 *   CMK_TRANSPOSE_ZXY      out[z][x][y]
 *   CMK_TRANSPOSE_YZX      out[y][z][x]; moves whole rows
 *   CMK_TRANSPOSE_YXZ      out[y][x][z]
 *   CMK_TRANSPOSE_XZY      out[x][z][y]
 *   CMK_TRANSPOSE_XYZ      out[x][y][z]
 * Pitched volumes are transposed by name_batch, in all of these orders but YZX. For XYZ take a batch of count = height
 * matrices of depth rows. Then in_pitch counts the elements from plane to plane of in, and in_step those from row to
 * row. Of out, out_pitch and out_step count the same.
 *
 * The call returns before the kernel has run. It launches nothing and returns cudaErrorInvalidValue for a null or
 * misaligned pointer, a pitch below the width, sizes whose bytes exceed the address space, or other axes. So it does
 * where in and out overlap, or matrices of out overlap. It returns cudaErrorInvalidConfiguration for more blocks than a
 * grid has. The function name_why of plan.h says why. A call with 0 rows, columns or matrices is allowed and launches
 * nothing.
 *
 *   CMK_DEFINE_TRANSPOSE(transpose, float);
 *   CMK_CHECK(transpose(in, columns, out, rows, rows, columns, stream));
 *   CMK_CHECK(transpose_in_place(square, n, n, stream));
 *   CMK_CHECK(transpose_volume(in, out, depth, height, width, CMK_TRANSPOSE_XYZ, stream)); */
#ifndef CMK_KERNEL_TRANSPOSE_H
#define CMK_KERNEL_TRANSPOSE_H

#include "../base.h"
#include "../tile.h"
#include "call/launcher.h"
#include "transpose/element.h"
#include "transpose/plan.h"
#include "transpose/tile.h"
#include "transpose/tune.h"

/* CMK_DEFINE_TRANSPOSE(transpose, float); generates
 *
 *   __global__ void transpose_kernel(cmk_transpose_call_ call);      of rows aligned to 16 bytes: by 16 bytes
 *   __global__ void transpose_kernel_any(cmk_transpose_call_ call);  of other rows: by element, in whole sectors of out
 *   __global__ void transpose_kernel_thin(cmk_transpose_call_ call); of few rows or columns
 *   __global__ void transpose_kernel_square(cmk_transpose_call_ call); in place
 *   __global__ void transpose_kernel_swap(cmk_transpose_call_ call); whole rows
 *   cudaError_t transpose_launch_(transpose_call *call, cudaStream_t stream);
 *   cudaError_t transpose_batch(...);     cudaError_t transpose(...);
 *   cudaError_t transpose_in_place(...);  cudaError_t transpose_volume(...); */
/* clang-format off */
#define CMK_DEFINE_TRANSPOSE(name, T) \
    CMK_DEFINITION_BEGIN_(name, CMK_DEFINITION_NONE_, ) \
    typedef CMK_TYPE_(T) name##_element_; \
    CMK_NEEDS_("CMK_DEFINE_TRANSPOSE", 16 % sizeof(name##_element_) == 0, \
               "the size of T must be 1, 2, 4, 8 or 16 bytes"); \
    CMK_TRANSPOSE_WAYS_(CMK_TRANSPOSE_KERNEL_, name, name##_element_) \
    CMK_TRANSPOSE_LAUNCHERS_(name, name##_element_) \
    CMK_SEMICOLON_
/* clang-format on */

/* USE(kernel, function, WAY, ...) for each kernel of a definition: its name, the function that it calls, and its
 * way. */
/* clang-format off */
#define CMK_TRANSPOSE_WAYS_(USE, name, ...) \
    USE(name##_kernel, tiles, cmk_transpose_by_tiles_, __VA_ARGS__) \
    USE(name##_kernel_any, any, cmk_transpose_by_elements_, __VA_ARGS__) \
    USE(name##_kernel_thin, thin, cmk_transpose_by_lines_, __VA_ARGS__) \
    USE(name##_kernel_square, square, cmk_transpose_in_place_, __VA_ARGS__) \
    USE(name##_kernel_swap, swap, cmk_transpose_by_rows_, __VA_ARGS__)
#define CMK_TRANSPOSE_KERNEL_(kernel, function, WAY, T) \
    CMK_DEFINITION_KERNEL_(kernel, (cmk_transpose_threads_(WAY, sizeof(T)), cmk_transpose_blocks_(WAY, sizeof(T))), \
        (cmk_transpose_call_ cmk_call_), (cmk_transpose_##function##_(cmk_call_, (int)sizeof(T));), \
        CMK_DEFINITION_NONE_, )
/* clang-format on */

#if CMK_HAS_HOST_

/* Defines the plans and the launchers. */
/* clang-format off */
#define CMK_TRANSPOSE_LAUNCHERS_(name, T) \
    CMK_LAUNCHER_CALL_(name, cmk_transpose_plan_, cmk_transpose_next_(&call->engine_), CMK_TRANSPOSE_BY_, 1, \
                       CMK_DEFINITION_NONE_, ) \
    CMK_LAUNCHER_OF_BATCH_(name, name, T, T, cmk_transpose_plan_call_, sizeof(T), CMK_DEFINITION_NONE_, ) \
    CMK_LAUNCHER_(name##_in_place, name, (T * matrix, size_t pitch, size_t rows), \
        (call->engine_ = cmk_transpose_plan_in_place_(matrix, pitch, rows, sizeof(T))), CMK_DEFINITION_NONE_, ) \
    CMK_LAUNCHER_(name##_volume, name, (const T *in, T *out, size_t depth, size_t height, size_t width, int axes), \
        (call->engine_ = cmk_transpose_plan_volume_(in, out, depth, height, width, axes, sizeof(T))), \
        CMK_DEFINITION_NONE_, )
/* clang-format on */

#define CMK_TRANSPOSE_BY_(VERB, name, ...) CMK_TRANSPOSE_WAYS_(CMK_TRANSPOSE_##VERB, name, )
#define CMK_TRANSPOSE_SHOW_(kernel, function, WAY, ...) CMK_LAUNCHER_SHOW_CALL_(kernel, WAY)
#define CMK_TRANSPOSE_LAUNCH_(kernel, function, WAY, ...) CMK_LAUNCHER_LAUNCH_CALL_(kernel, WAY)

#else

#define CMK_TRANSPOSE_LAUNCHERS_(name, T)

#endif

#endif
