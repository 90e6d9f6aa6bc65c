/* conv3d.h: complete convolutions of volumes: any small filter, and separable ones in one pass over memory.
 *
 *   CMK_DEFINE_CONV3D(name, T, (PLANES, ROWS, COLUMNS), TABLE, EDGE);      at file scope
 *   CMK_DEFINE_CONV3D_IN_ORDER(name, T, (PLANES, ROWS, COLUMNS), TABLE, EDGE);
 *   cudaError_t name(const T *in, size_t in_pitch, size_t in_step, T *out, size_t out_pitch, size_t out_step,
 *                    size_t planes, size_t rows, size_t columns, TABLE_table table, cudaStream_t stream);
 *   cudaError_t name_region(const T *in, size_t in_pitch, size_t in_step, T *out, size_t out_pitch, size_t out_step,
 *                           size_t planes, size_t rows, size_t columns, size_t plane, size_t row, size_t column,
 *                           size_t region_planes, size_t region_rows, size_t region_columns, TABLE_table table,
 *                           cudaStream_t stream);
 *
 * defines out(z, y, x) = sum over p, r, c of
 *         table[p][r][c] * in(z + p - PLANES / 2, y + r - ROWS / 2, x + c - COLUMNS / 2)
 * and the second form the same, with sums that are always in this order, without tensor cores.
 *   T                        float or double, also of the sums
 *   PLANES, ROWS, COLUMNS    1 to 7
 *   TABLE                    the name of a table of table.h of PLANES x ROWS x COLUMNS elements, from any source;
 *                            table is that name, or a slot of it
 *   EDGE                     an edge of edge.h, or CMK_EDGE_AXES_3D for one each axis
 *
 *   CMK_DEFINE_SEPARABLE3D(name, T, RADIUS, (THROUGH, DOWN, ACROSS), EDGE);
 *   cudaError_t name(const T *in, size_t in_pitch, size_t in_step, T *out, size_t out_pitch, size_t out_step,
 *                    size_t planes, size_t rows, size_t columns, THROUGH_table through, DOWN_table down,
 *                    ACROSS_table across, cudaStream_t stream);
 *
 * defines the same with through[p] * down[r] * across[c] in place of table[p][r][c]: THROUGH, DOWN and ACROSS are three
 * tables of 2 RADIUS + 1 elements, or one in several places; RADIUS 1 to 8. It has a name_region too, with them.
 *
 * Element (z, y, x) of in is in[z * in_step + y * in_pitch + x]; what lies between the rows is neither read nor
 * written. A region is a part of the volume, of region_planes x region_rows x region_columns points from (plane, row,
 * column) on: out[z * out_step + y * out_pitch + x] is its point (z, y, x), and reads what lies around it in the
 * volume, such as the ghosts of a rank of grid.h. But for tensor cores, the bits of a point are the same in every
 * region. Any size, pitch, step and alignment of T is right; rows of a multiple of 512 bytes that all begin, in the
 * region, at multiples of 16 bytes are fastest. The call returns before the kernel has run. It returns
 * cudaErrorInvalidValue, with nothing launched, for a null or misaligned pointer, a pitch below columns, planes, rows
 * or columns above 2^31 - 1, sizes whose bytes exceed the address space, output planes that share an element, a region
 * that is not inside, and for ranges of in and out that overlap (name_why of plan.h says which it is); a size of 0 is
 * right and launches nothing. A block takes up to 95,000 bytes of shared memory: cudaErrorLaunchOutOfResources where
 * the device has less.
 *
 * Built for sm_90a (-arch=sm_90a; code for sm_90 has not the instructions), filters of float of 125 taps and more, 3
 * planes, 5 rows and 3 columns at least, are done by tensor cores where the volume is large enough that this is
 * faster, and less than 2^31 elements apart from end to end: kernel/planes/. An output is then off by no more than
 * taps x 2^-24 x the sum of |tap x sample|, as it may be by a sum of floats in any order; infinities, no numbers,
 * denormals and samples of any range come out as they would (docs/accuracy.md). CMK_TENSOR, 1 before the header is
 * included, takes them for small volumes and filters too, and has the CPU backend do what they do.
 *
 *   CMK_TABLE_VALUES(CONSTANT, float, gauss, [5], 0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f);
 *   CMK_DEFINE_SEPARABLE3D(smooth, float, 2, (gauss, gauss, gauss), CMK_EDGE_CLAMP);
 *   CMK_CHECK(smooth(in, nx, ny * nx, out, nx, ny * nx, nz, ny, nx, gauss, gauss, gauss, stream)); */
#ifndef CMK_KERNEL_CONV3D_H
#define CMK_KERNEL_CONV3D_H

#include "../base.h"
#include "../edge.h"
#include "../fill.h"
#include "../load.h"
#include "../table.h"
#include "../tile.h"
#include "call/definition.h"
#include "planes/plan.h"
#include "volume/fill.h"
#include "volume/plan.h"
#include "volume/tune.h"

#define CMK_VOLUME_SUM_ float
#define CMK_VOLUME_PARTS_ cmk_volume_parts_float_
#include "volume/sums.inc"
#undef CMK_VOLUME_SUM_
#undef CMK_VOLUME_PARTS_
#define CMK_VOLUME_SUM_ double
#define CMK_VOLUME_PARTS_ cmk_volume_parts_double_
#include "volume/sums.inc"
#undef CMK_VOLUME_SUM_
#undef CMK_VOLUME_PARTS_
enum { cmk_volume_convolve_int_ }; /* CMK_CALL_OF_ names it, but there are no such sums */

/* CMK_DEFINE_CONV3D(blur, float, (3, 3, 3), weights, EDGE); generates
 *
 *   enum { blur_edge_ = 0 };                                          EDGE
 *   cmk_volume_filter_ blur_filter_(void);       the sizes of its tiles, and what volume/tune.h says
 *   float blur_tap_(const void *const *tables, int number, int i);      of weights
 *   __global__ void blur_kernel(const float *in, float *out, cmk_volume_ volume, weights_table table);
 *   cmk_planes_sizes_ blur_planes_(void);        the same of tensor cores
 *   __global__ void blur_planes_kernel(...);     one call, of tensor cores
 *   cudaError_t blur_region(...);  cudaError_t blur(...);
 *
 * and CMK_DEFINE_SEPARABLE3D the same, but for tensor cores. The kernel calls cmk_volume_convolve_. */
#define CMK_DEFINE_CONV3D(name, T, SHAPE, TABLE, EDGE) CMK_CONV3D_OF_(name, T, 0, EDGE, TABLE, CMK_LIST_ SHAPE)
#define CMK_DEFINE_CONV3D_IN_ORDER(name, T, SHAPE, TABLE, EDGE) CMK_CONV3D_OF_(name, T, 1, EDGE, TABLE, CMK_LIST_ SHAPE)
#define CMK_CONV3D_OF_(...) CMK_CONV3D_(__VA_ARGS__)
#define CMK_CONV3D_(name, T, IN_ORDER, EDGE, TABLE, PLANES, ROWS, COLUMNS)                                             \
    CMK_DEFINITION_BEGIN_(name, CMK_DEFINITION_ONE_, TABLE)                                                            \
    CMK_CONV3D_ASSERT_("CMK_DEFINE_CONV3D", name, T, EDGE)                                                             \
    CMK_NEEDS_("CMK_DEFINE_CONV3D", CMK_CONV3D_SIDE_(PLANES) && CMK_CONV3D_SIDE_(ROWS) && CMK_CONV3D_SIDE_(COLUMNS),   \
               "PLANES, ROWS and COLUMNS must be from 1 to 7");                                                        \
    CMK_NEEDS_("CMK_DEFINE_CONV3D", CMK_DEFINITION_COUNT_(TABLE) == (PLANES) * (ROWS) * (COLUMNS),                     \
               "TABLE must have PLANES x ROWS x COLUMNS elements");                                                    \
    CMK_DEFINITION_TAPS_(name, name##_type_, TABLE, TABLE, TABLE)                                                      \
    CMK_CONV3D_DEFINE_(name, name##_type_, PLANES, ROWS, COLUMNS, 0, CMK_DEFINITION_ONE_, TABLE)                       \
    CMK_DEFINITION_SIZES_(name##_planes_, cmk_planes_sizes_, cmk_planes_filter_, CMK_NUMBER_(name##_type_) == 5,       \
                          IN_ORDER, PLANES, ROWS, COLUMNS, name##_edge_)                                               \
    CMK_CONV3D_KERNEL_(name##_planes_kernel, cmk_planes_convolve_, cmk_planes_sizes_, name##_planes_, name##_tap_,     \
                       name##_type_, CMK_DEFINITION_ONE_, TABLE)                                                       \
    CMK_CONV3D_LAUNCHERS_(name, name##_type_, CMK_CONV3D_WAYS_, CMK_CONV3D_PLAN_, CMK_DEFINITION_ONE_, TABLE)

#define CMK_DEFINE_SEPARABLE3D(name, T, RADIUS, TABLES, EDGE)                                                          \
    CMK_SEPARABLE3D_OPEN_(name, T, EDGE, RADIUS, CMK_LIST_ TABLES)
#define CMK_SEPARABLE3D_OPEN_(...) CMK_SEPARABLE3D_(__VA_ARGS__)
#define CMK_SEPARABLE3D_(name, T, EDGE, RADIUS, THROUGH, DOWN, ACROSS)                                                 \
    CMK_DEFINITION_BEGIN_(name, CMK_DEFINITION_THREE_, THROUGH, DOWN, ACROSS)                                          \
    CMK_CONV3D_ASSERT_("CMK_DEFINE_SEPARABLE3D", name, T, EDGE)                                                        \
    CMK_NEEDS_("CMK_DEFINE_SEPARABLE3D", (RADIUS) >= 1 && (RADIUS) <= 8, "RADIUS must be from 1 to 8");                \
    CMK_NEEDS_("CMK_DEFINE_SEPARABLE3D",                                                                               \
               CMK_SEPARABLE3D_HAS_(THROUGH, RADIUS) && CMK_SEPARABLE3D_HAS_(DOWN, RADIUS) &&                          \
                   CMK_SEPARABLE3D_HAS_(ACROSS, RADIUS),                                                               \
               "each table must have 2 RADIUS + 1 elements");                                                          \
    CMK_DEFINITION_TAPS_(name, name##_type_, THROUGH, DOWN, ACROSS)                                                    \
    CMK_CONV3D_DEFINE_(name, name##_type_, 2 * (RADIUS) + 1, 2 * (RADIUS) + 1, 2 * (RADIUS) + 1, 1,                    \
                       CMK_DEFINITION_THREE_, THROUGH, DOWN, ACROSS)                                                   \
    CMK_CONV3D_LAUNCHERS_(name, name##_type_, CMK_SEPARABLE3D_WAYS_, CMK_SEPARABLE3D_PLAN_, CMK_DEFINITION_THREE_,     \
                          THROUGH, DOWN, ACROSS)

/* what both definitions ask; a misspelt T or EDGE is told of here, and not wherever it is used */
#define CMK_CONV3D_ASSERT_(DEFINITION, name, T, EDGE)                                                                  \
    CMK_DEFINITION_REAL_(DEFINITION, name, T, "T must be float or double")                                             \
    enum { name##_edge_ = (EDGE) };                                                                                    \
    CMK_NEEDS_(DEFINITION, CMK_EDGE_VALID_(name##_edge_),                                                              \
               "EDGE must be an edge of edge.h, or CMK_EDGE_AXES_3D of three");
#define CMK_CONV3D_SIDE_(count) ((count) >= 1 && (count) <= 7)
#define CMK_SEPARABLE3D_HAS_(TABLE, RADIUS) (CMK_DEFINITION_COUNT_(TABLE) == 2 * (RADIUS) + 1)

/* the sizes and the kernel of FMAs, of EACH table of call/definition.h */
#define CMK_CONV3D_DEFINE_(name, T, PLANES, ROWS, COLUMNS, SEPARABLE, ...)                                             \
    CMK_DEFINITION_SIZES_(name##_filter_, cmk_volume_filter_, cmk_volume_definition_, sizeof(T), PLANES, ROWS,         \
                          COLUMNS, SEPARABLE, name##_edge_)                                                            \
    CMK_CONV3D_KERNEL_(name##_kernel, cmk_volume_convolve_, cmk_volume_filter_, name##_filter_, name##_tap_, T,        \
                       __VA_ARGS__)

/* a kernel that is one call of an engine */
#define CMK_CONV3D_KERNEL_(kernel, engine, SIZES, sizes, tap, T, EACH, ...)                                            \
    CMK_ENTRY_ __global__ void __launch_bounds__(sizes().threads, sizes().blocks)                                      \
        kernel(const T *__restrict__ cmk_in_, T *__restrict__ cmk_out_,                                                \
               cmk_volume_ cmk_division_ EACH(CMK_DEFINITION_PARAMETER_, __VA_ARGS__))                                 \
    {                                                                                                                  \
        const void *const cmk_tables_[4] = {NULL EACH(CMK_DEFINITION_ADDRESS_, __VA_ARGS__)};                          \
        CMK_CONSTEXPR_ const SIZES cmk_sizes_ = sizes();                                                               \
        CMK_CALL_OF_(engine, T)(cmk_in_, cmk_out_, &cmk_division_, cmk_sizes_, cmk_tables_, tap);                      \
    }

#if CMK_HAS_HOST_

/* the kernels of the two definitions */
#define CMK_CONV3D_WAYS_(VERB, name, ...)                                                                              \
    CMK_LAUNCHER_##VERB(name##_kernel, 0, name##_type_, name##_type_, volume, __VA_ARGS__)                             \
        CMK_LAUNCHER_##VERB(name##_planes_kernel, 1, name##_type_, name##_type_, volume, __VA_ARGS__)
#define CMK_SEPARABLE3D_WAYS_(VERB, name, ...)                                                                         \
    CMK_LAUNCHER_##VERB(name##_kernel, 0, name##_type_, name##_type_, volume, __VA_ARGS__)

/* the memory of a call: parameters, and what a call says of it */
#define CMK_CONV3D_MEMORY_(T)                                                                                          \
    const T *in, size_t in_pitch, size_t in_step, T *out, size_t out_pitch, size_t out_step, size_t planes,            \
        size_t rows, size_t columns
#define CMK_CONV3D_GIVEN_ in, out, in_pitch, in_step, out_pitch, out_step, planes, rows, columns
#define CMK_CONV3D_LAUNCHERS_(name, T, WAYS, MADE, ...)                                                                \
    CMK_LAUNCHER_CALL_(name, cmk_volume_plan_, cmk_volume_next_(&call->engine_), WAYS, 3, __VA_ARGS__)                 \
    CMK_LAUNCHER_(name##_region, name,                                                                                 \
                  (CMK_CONV3D_MEMORY_(T), size_t plane, size_t row, size_t column, size_t region_planes,               \
                   size_t region_rows, size_t region_columns),                                                         \
                  (MADE(name, plane, row, column, region_planes, region_rows, region_columns)), __VA_ARGS__)           \
    CMK_LAUNCHER_(name, name, (CMK_CONV3D_MEMORY_(T)), (MADE(name, 0, 0, 0, planes, rows, columns)), __VA_ARGS__)      \
    CMK_SEMICOLON_
/* their plans, of a region */
#define CMK_CONV3D_PLAN_(name, ...)                                                                                    \
    CMK_SEPARABLE3D_PLAN_(name, __VA_ARGS__);                                                                          \
    cmk_planes_choose_(&call->engine_, name##_planes_(), CMK_PLAN_FUNCTION_(name##_planes_kernel), device)
#define CMK_SEPARABLE3D_PLAN_(name, ...)                                                                               \
    const cmk_volume_call_ cmk_asked_ = {CMK_CONV3D_GIVEN_, __VA_ARGS__};                                              \
    call->engine_ = cmk_volume_plan_call_(&cmk_asked_, name##_filter_(), device)

#else

#define CMK_CONV3D_LAUNCHERS_(name, T, WAYS, MADE, ...) CMK_SEMICOLON_

#endif

#endif
