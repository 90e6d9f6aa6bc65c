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
 * The definition makes these functions. They compute out(z, y, x) = the sum over p, r, c of
 *         table[p][r][c] * in(z + p - PLANES / 2, y + r - ROWS / 2, x + c - COLUMNS / 2)
 * The second form computes the same with sums that are always in this order, without tensor cores. A product and a sum
 * are rounded once, so that the bits are the same by every compiler and on every card.
 *   T                        float or double; the sums have this type too
 *   PLANES, ROWS, COLUMNS    1 to 7
 *   TABLE                    the name of a table of table.h, of PLANES x ROWS x COLUMNS elements, from any source;
 *                            table is that name, or a slot of it
 *   EDGE                     an edge of edge.h, or CMK_EDGE_AXES_3D, which has one for each axis
 *
 *   CMK_DEFINE_SEPARABLE3D(name, T, RADIUS, (THROUGH, DOWN, ACROSS), EDGE);
 *   cudaError_t name(const T *in, size_t in_pitch, size_t in_step, T *out, size_t out_pitch, size_t out_step,
 *                    size_t planes, size_t rows, size_t columns, THROUGH_table through, DOWN_table down,
 *                    ACROSS_table across, cudaStream_t stream);
 *
 * This definition makes the same functions, name_region among them, with three tables in place of one. The product
 * through[p] * down[r] * across[c] stands in place of table[p][r][c]. THROUGH, DOWN and ACROSS are tables of
 * 2 RADIUS + 1 elements, and may be the same one. RADIUS is 1 to 8.
 *
 * Element (z, y, x) of in is in[z * in_step + y * in_pitch + x]. What lies between the rows is neither read nor
 * written. A region is region_planes x region_rows x region_columns points of the volume from (plane, row, column) on.
 * Its point (z, y, x) is out[z * out_step + y * out_pitch + x]. What lies around it, such as the ghosts of a rank of
 * grid.h, is read from the volume. Except on tensor cores, the bits of a point are the same in every region. Any size,
 * pitch, step and alignment of T is allowed. A call is fastest where rows have a multiple of 512 bytes, and all begin,
 * in the region, at multiples of 16 bytes.
 *
 * The call returns before the kernel has run. It launches nothing and returns cudaErrorInvalidValue for a null or
 * misaligned pointer, a pitch below columns, ranges of in and out that overlap, or a region that is not inside the
 * volume. So it does for planes, rows or columns above 2^31 - 1, for sizes whose bytes exceed the address space, and
 * for output planes that share an element. The function name_why of plan.h says which it is. A size of 0 is allowed and
 * launches nothing. A block takes up to 95,000 bytes of shared memory. Where the device has less, the call returns
 * cudaErrorLaunchOutOfResources.
 *
 * In code for sm_90a (nvcc -arch=sm_90a), tensor cores compute filters of float with 125 taps and more, of at least 3
 * planes, 5 rows and 3 columns (kernel/planes/). Code for sm_90 does not have the instructions. The volume must be so
 * large that this is faster, and have less than 2^31 elements from end to end. An output is then off by no more than
 * taps x 2^-24 x the sum of |tap x sample|, the bound of a sum of floats in any order. Infinities, NaN, denormals and
 * samples of any range come out as they would without tensor cores (docs/accuracy.md). With CMK_TENSOR defined as 1
 * before the header is included, tensor cores take small volumes and filters too, and the CPU backend computes as they
 * do.
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
enum { cmk_volume_convolve_int_ }; /* CMK_CALL_OF_ names it, but no sums of volumes are int */

/* CMK_DEFINE_CONV3D(blur, float, (3, 3, 3), weights, EDGE); generates
 *
 *   enum { blur_edge_ = 0 };                                          EDGE
 *   cmk_volume_filter_ blur_filter_(void);       the sizes of its tiles, and what volume/tune.h says
 *   float blur_tap_(const void *const *tables, int number, int i);      of weights
 *   __global__ void blur_kernel(const float *in, float *out, cmk_volume_ volume, weights_table table);
 *   cmk_planes_sizes_ blur_planes_(void);        the same for tensor cores
 *   __global__ void blur_planes_kernel(...);     by tensor cores
 *   cudaError_t blur_region(...);  cudaError_t blur(...);
 *
 * CMK_DEFINE_SEPARABLE3D generates the same without the two lines of tensor cores. The kernel calls
 * cmk_volume_convolve_. */
#define CMK_DEFINE_CONV3D(name, T, SHAPE, TABLE, EDGE) CMK_CONV3D_OF_(name, T, 0, EDGE, TABLE, CMK_LIST_ SHAPE)
#define CMK_DEFINE_CONV3D_IN_ORDER(name, T, SHAPE, TABLE, EDGE) CMK_CONV3D_OF_(name, T, 1, EDGE, TABLE, CMK_LIST_ SHAPE)
/* SHAPE has 3 words, or a sentence stops the build; so have TABLES below. */
#define CMK_CONV3D_OF_(...) CMK_CONV3D_12TH_(__VA_ARGS__, 0_, 0_, 0_, , 0_, 0_, 0_, )(__VA_ARGS__)
#define CMK_CONV3D_12TH_(a, b, c, d, e, f, g, h, i, j, k, WHICH, ...) CMK_CONV3D_##WHICH
#define CMK_CONV3D_0_(...) CMK_NEEDS_("CMK_DEFINE_CONV3D", 0, CMK_CONV3D_OF_SAYS_)
#define CMK_CONV3D_OF_SAYS_ "SHAPE must be (PLANES, ROWS, COLUMNS)"
/* clang-format off */
#define CMK_CONV3D_(name, T, IN_ORDER, EDGE, TABLE, PLANES, ROWS, COLUMNS) \
    CMK_DEFINITION_BEGIN_(name, CMK_DEFINITION_ONE_, TABLE) \
    CMK_DEFINITION_REAL_WITH_EDGE_("CMK_DEFINE_CONV3D", name, T, EDGE, CMK_EDGE_VALID_, CMK_CONV3D_EDGE_SAYS_) \
    CMK_NEEDS_("CMK_DEFINE_CONV3D", CMK_CONV3D_SIDE_(PLANES) && CMK_CONV3D_SIDE_(ROWS) && CMK_CONV3D_SIDE_(COLUMNS), \
               "PLANES, ROWS and COLUMNS must be from 1 to 7"); \
    CMK_NEEDS_("CMK_DEFINE_CONV3D", CMK_DEFINITION_COUNT_(TABLE) == (PLANES) * (ROWS) * (COLUMNS), \
               "TABLE must have PLANES x ROWS x COLUMNS elements"); \
    CMK_DEFINITION_TAPS_(name, name##_type_, TABLE, TABLE, TABLE) \
    CMK_CONV3D_DEFINE_(name, PLANES, ROWS, COLUMNS, (0, IN_ORDER), CMK_DEFINITION_ONE_, TABLE) \
    CMK_DEFINITION_SIZES_(name##_planes_, cmk_planes_sizes_, cmk_planes_filter_, CMK_NUMBER_(name##_type_) == 5, \
                          IN_ORDER, PLANES, ROWS, COLUMNS, name##_edge_) \
    CMK_CONV3D_KERNEL_(name, planes_kernel, planes, cmk_planes_sizes_, name##_planes_, CMK_DEFINITION_ONE_, TABLE) \
    CMK_CONV3D_LAUNCHERS_(name, CONV3D, CMK_DEFINITION_ONE_, TABLE)
/* clang-format on */

#define CMK_DEFINE_SEPARABLE3D(name, T, RADIUS, TABLES, EDGE)                                                          \
    CMK_SEPARABLE3D_OPEN_(name, T, EDGE, RADIUS, CMK_LIST_ TABLES)
#define CMK_SEPARABLE3D_OPEN_(...) CMK_SEPARABLE3D_11TH_(__VA_ARGS__, 0_, 0_, 0_, , 0_, 0_, 0_, )(__VA_ARGS__)
#define CMK_SEPARABLE3D_11TH_(a, b, c, d, e, f, g, h, i, j, WHICH, ...) CMK_SEPARABLE3D_##WHICH
#define CMK_SEPARABLE3D_0_(...) CMK_NEEDS_("CMK_DEFINE_SEPARABLE3D", 0, CMK_SEPARABLE3D_OPEN_SAYS_)
#define CMK_SEPARABLE3D_OPEN_SAYS_ "TABLES must be (THROUGH, DOWN, ACROSS)"
#define CMK_SEPARABLE3D_(name, T, EDGE, RADIUS, THROUGH, DOWN, ACROSS)                                                 \
    CMK_DEFINITION_BEGIN_(name, CMK_DEFINITION_THREE_, THROUGH, DOWN, ACROSS)                                          \
    CMK_DEFINITION_REAL_WITH_EDGE_("CMK_DEFINE_SEPARABLE3D", name, T, EDGE, CMK_EDGE_VALID_, CMK_CONV3D_EDGE_SAYS_)    \
    CMK_NEEDS_("CMK_DEFINE_SEPARABLE3D", (RADIUS) >= 1 && (RADIUS) <= 8, "RADIUS must be from 1 to 8");                \
    CMK_NEEDS_("CMK_DEFINE_SEPARABLE3D", CMK_SEPARABLE3D_HAVE_(2 * (RADIUS) + 1, THROUGH, DOWN, ACROSS),               \
               "each table must have 2 RADIUS + 1 elements");                                                          \
    CMK_DEFINITION_TAPS_(name, name##_type_, THROUGH, DOWN, ACROSS)                                                    \
    CMK_CONV3D_DEFINE_(name, 2 * (RADIUS) + 1, 2 * (RADIUS) + 1, 2 * (RADIUS) + 1, (1, 0), CMK_DEFINITION_THREE_,      \
                       THROUGH, DOWN, ACROSS)                                                                          \
    CMK_CONV3D_LAUNCHERS_(name, SEPARABLE3D, CMK_DEFINITION_THREE_, THROUGH, DOWN, ACROSS)

#define CMK_CONV3D_EDGE_SAYS_ "EDGE must be an edge of edge.h, or CMK_EDGE_AXES_3D of three"
#define CMK_CONV3D_SIDE_(count) ((count) >= 1 && (count) <= 7)
#define CMK_SEPARABLE3D_HAVE_(count, a, b, c)                                                                          \
    (CMK_DEFINITION_COUNT_(a) == (count) && CMK_DEFINITION_COUNT_(b) == (count) && CMK_DEFINITION_COUNT_(c) == (count))

/* Defines the sizes and the kernel of FMAs. HOW is (separable, in_order) of volume/plan.h; the last arguments are EACH
 * of call/definition.h and the tables. */
#define CMK_CONV3D_DEFINE_(name, PLANES, ROWS, COLUMNS, HOW, ...)                                                      \
    CMK_DEFINITION_SIZES_(name##_filter_, cmk_volume_filter_, cmk_volume_definition_, sizeof(name##_type_), PLANES,    \
                          ROWS, COLUMNS, CMK_LIST_ HOW, name##_edge_)                                                  \
    CMK_CONV3D_KERNEL_(name, kernel, volume, cmk_volume_filter_, name##_filter_, __VA_ARGS__)

/* Defines a kernel, which only calls its engine. */
/* clang-format off */
#define CMK_CONV3D_KERNEL_(name, kernel, engine, SIZES, sizes, ...) \
    CMK_DEFINITION_KERNEL_(name##_##kernel, (sizes().threads, sizes().blocks), \
        (CMK_DEFINITION_ARRAYS_(name##_type_, name##_type_), cmk_volume_ cmk_division_), \
        (CMK_CONSTEXPR_ const SIZES cmk_sizes_ = sizes(); CMK_CALL_OF_(cmk_##engine##_convolve_, name##_type_) \
         (cmk_in_, cmk_out_, &cmk_division_, cmk_sizes_, cmk_tables_, name##_tap_);), __VA_ARGS__)
/* clang-format on */

#if CMK_HAS_HOST_

/* Shows or launches the kernel of a call's way; VERB is SHOW_ or LAUNCH_. First for CONV3D, then for SEPARABLE3D. */
#define CMK_CONV3D_WAYS_(VERB, name, ...)                                                                              \
    CMK_LAUNCHER_##VERB(name##_kernel, 0, name##_type_, name##_type_, volume, __VA_ARGS__)                             \
        CMK_LAUNCHER_##VERB(name##_planes_kernel, 1, name##_type_, name##_type_, volume, __VA_ARGS__)
#define CMK_SEPARABLE3D_WAYS_(VERB, name, ...)                                                                         \
    CMK_LAUNCHER_##VERB(name##_kernel, 0, name##_type_, name##_type_, volume, __VA_ARGS__)

/* The memory of a call, as the first members of a cmk_volume_call_. */
#define CMK_CONV3D_GIVEN_ in, out, in_pitch, in_step, out_pitch, out_step, planes, rows, columns
/* clang-format off */
#define CMK_CONV3D_LAUNCHERS_(name, KIND, ...) \
    CMK_LAUNCHER_CALL_(name, cmk_volume_plan_, cmk_volume_next_(&call->engine_), CMK_##KIND##_WAYS_, 3, __VA_ARGS__) \
    CMK_LAUNCHER_(name##_region, name, (CMK_LAUNCHER_VOLUME_(name##_type_), size_t plane, size_t row, size_t column, \
                                        size_t region_planes, size_t region_rows, size_t region_columns), \
        (CMK_##KIND##_PLAN_(name, plane, row, column, region_planes, region_rows, region_columns)), __VA_ARGS__) \
    CMK_LAUNCHER_(name, name, (CMK_LAUNCHER_VOLUME_(name##_type_)), \
        (CMK_##KIND##_PLAN_(name, 0, 0, 0, planes, rows, columns)), __VA_ARGS__) CMK_SEMICOLON_
/* clang-format on */
/* Makes the plan of a call of each definition. The last arguments are the region. */
#define CMK_CONV3D_PLAN_(name, ...)                                                                                    \
    CMK_SEPARABLE3D_PLAN_(name, __VA_ARGS__);                                                                          \
    cmk_planes_choose_(&call->engine_, name##_planes_(), CMK_PLAN_FUNCTION_(name##_planes_kernel), device)
#define CMK_SEPARABLE3D_PLAN_(name, ...)                                                                               \
    const cmk_volume_call_ cmk_asked_ = {CMK_CONV3D_GIVEN_, __VA_ARGS__};                                              \
    call->engine_ = cmk_volume_plan_call_(&cmk_asked_, name##_filter_(), device)

#else

#define CMK_CONV3D_LAUNCHERS_(name, KIND, ...) CMK_SEMICOLON_

#endif

#endif
