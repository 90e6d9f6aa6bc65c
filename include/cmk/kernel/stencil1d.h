/* stencil1d.h: a complete 1D stencil, at about the speed of a copy.
 *
 *   CMK_DEFINE_STENCIL1D(name, T, RADIUS, BODY, TABLE, EDGE);      at file scope
 *   cudaError_t name(const T *in, T *out, size_t count, TABLE_table table, cudaStream_t stream);
 *   cudaError_t name_region(const T *in, T *out, size_t count, size_t first, size_t region, TABLE_table table,
 *                           cudaStream_t stream);
 *
 * The definition makes these functions. The first computes out[i] = BODY over in[i - RADIUS .. i + RADIUS] for every i
 * from 0 to count - 1. The second computes a region of the line of count elements: its out[i] = BODY over
 * in[first + i - RADIUS .. first + i + RADIUS] for every i from 0 to region - 1. What lies around the region in the
 * line, such as the ghosts of a rank of grid.h, is read too.
 *   T             float, double, or another arithmetic type whose size divides 16; in, out and the sum have it
 *   RADIUS        0 to 32
 *   BODY          CMK_STENCIL_1D, CMK_STENCIL_1D_SYMMETRIC, CMK_STENCIL_1D_ANTISYMMETRIC, or one of yours
 *   TABLE         the name of a table of table.h, from any source; table is that name, or a slot of it
 *   EDGE          CMK_EDGE_ZERO, CMK_EDGE_CLAMP or another edge of edge.h, but not CMK_EDGE_AXES
 * TABLE has 2 RADIUS + 1 elements for CMK_STENCIL_1D. It has RADIUS + 1 elements, from the centre outwards, for the two
 * others. With an integer T its elements are integers, and the sum wraps as T does. A BODY of yours may read any table.
 * It gets the lvalue of the sum, which is a T of value 0, then RADIUS, and the accessors of taps and samples.
 *
 * Both in and out are device memory. Any count and any alignment of T is allowed. A call is fastest where in + first
 * and out have the same distance from a multiple of 16 bytes. It returns before the kernel has run. It launches nothing
 * and returns cudaErrorInvalidValue for a null or misaligned pointer, a region that is not inside the line, or a count
 * whose bytes exceed the address space. So it does where the count elements of in overlap the region elements of out.
 * It returns cudaErrorInvalidConfiguration for more blocks than a grid has. The function name_why of plan.h says why. A
 * count or region of 0 is allowed and launches nothing.
 *
 * With T float, RADIUS 21 and more, and one of the three bodies of stencil.h, tensor cores of sm_80 and later sum long
 * lines. They do not add in the order of the taps. An output is then off by no more than taps x 2^-24 x the sum of
 * |tap x sample|, the bound of a sum of floats in any order. Infinities, NaN, denormals and samples of any range come
 * out as they would without tensor cores (docs/accuracy.md). A BODY of yours is always expanded as it stands, even one
 * that is only another name of one of the three:
 *   #define IN_ORDER(sum, RADIUS, TAP, SAMPLE) CMK_STENCIL_1D(sum, RADIUS, TAP, SAMPLE)
 * With CMK_TENSOR defined as 1 before the header is included, tensor cores take short lines too, and the CPU backend
 * computes as they do.
 *
 *   CMK_TABLE_VALUES(CONSTANT, float, weights, [5], 0.2f, 0.16f, 0.12f, 0.08f, 0.04f);
 *   CMK_DEFINE_STENCIL1D(smooth, float, 4, CMK_STENCIL_1D_SYMMETRIC, weights, CMK_EDGE_CLAMP);
 *   CMK_CHECK(smooth(in, out, count, weights, stream)); */
#ifndef CMK_KERNEL_STENCIL1D_H
#define CMK_KERNEL_STENCIL1D_H

#include "../base.h"
#include "../edge.h"
#include "../stencil.h"
#include "../table.h"
#include "call/definition.h"
#include "call/launcher.h"
#include "stencil1d/plan.h"
#include "stencil1d/sizes.h"
#include "stencil1d/window.h"

/* CMK_DEFINE_STENCIL1D(smooth, float, 4, BODY, weights, EDGE); generates
 *
 *   cmk_stencil1d_shape_ smooth_shape_(void);               the constants of stencil1d/sizes.h
 *   static float smooth_tap_(...);                          an element of the table
 *   __global__ void smooth_kernel(const float *in, float *out, cmk_stencil1d_line_ line, weights_table table);
 *   __global__ void smooth_short_kernel(...);               without rings, for short lines
 *   cudaError_t smooth_region(...);  cudaError_t smooth(...);
 *
 * A thread computes several outputs at once, from a window that has `reach` elements more on each side. BODY expands
 * once in each kernel, in a loop over the outputs. */
#define CMK_DEFINE_STENCIL1D(name, T, RADIUS, BODY, TABLE, EDGE)                                                       \
    CMK_STENCIL1D_DEFINE_(name, T, RADIUS, BODY, TABLE, EDGE, CMK_STENCIL1D_SIDES_##BODY##_, 0, 0, )
#define CMK_STENCIL1D_DEFINE_(...) CMK_STENCIL1D_DEFINE_OF_(__VA_ARGS__)
/* clang-format off */
#define CMK_STENCIL1D_DEFINE_OF_(name, T, RADIUS, BODY, TABLE, EDGE, unknown, SIDES, MIRROR, ...) \
    CMK_DEFINITION_BEGIN_(name, CMK_DEFINITION_ONE_, TABLE) \
    typedef CMK_TYPE_(T) name##_element_; enum { name##_edge_ = (EDGE) }; \
    CMK_STENCIL1D_ASSERT_(name##_element_, RADIUS, SIDES, TABLE, name##_edge_) \
    CMK_DEFINITION_SIZES_(name##_shape_, cmk_stencil1d_shape_, cmk_stencil1d_filter_, sizeof(name##_element_), \
                          CMK_NUMBER_(name##_element_), RADIUS, name##_edge_, SIDES, MIRROR) \
    CMK_STENCIL1D_TAPS_##SIDES##_(name, TABLE) \
    CMK_STENCIL1D_KERNEL_(name##_kernel, name##_shape_(), name##_element_, RADIUS, BODY, TABLE, \
                          CMK_STENCIL1D_TAP_##SIDES##_(name)) \
    CMK_STENCIL1D_KERNEL_(name##_short_kernel, cmk_stencil1d_short_of_(name##_shape_()), name##_element_, RADIUS, \
                          BODY, TABLE, cmk_stencil1d_no_tap_) \
    CMK_STENCIL1D_LAUNCHERS_(name, name##_element_, TABLE) CMK_SEMICOLON_

#define CMK_STENCIL1D_KERNEL_(kernel, SHAPE, T, RADIUS, BODY, TABLE, tap) \
    CMK_DEFINITION_KERNEL_(kernel, ((SHAPE).threads, (SHAPE).room), \
        (CMK_DEFINITION_ARRAYS_(T, T), cmk_stencil1d_line_ cmk_line_), ( \
        CMK_CONSTEXPR_ const cmk_stencil1d_shape_ cmk_shape_ = SHAPE; \
        T cmk_window_[CMK_STENCIL1D_WINDOW_(sizeof(T), RADIUS)], cmk_sums_[CMK_STENCIL1D_OUTPUTS_(sizeof(T), RADIUS)]; \
        cmk_stencil1d_work_ cmk_work_ = \
            cmk_stencil1d_begin_(cmk_in_, cmk_out_, cmk_line_, cmk_shape_, &cmk_table_, tap); \
        do { \
            if (!cmk_stencil1d_load_(cmk_window_, &cmk_work_, cmk_line_, cmk_shape_)) break; \
            CMK_UNROLL for (int cmk_j_ = 0; cmk_j_ < cmk_shape_.outputs; ++cmk_j_) { \
                cmk_sums_[cmk_j_] = 0; \
                BODY(cmk_sums_[cmk_j_], RADIUS, TABLE##_get_ CMK_TABLE_OF_KERNEL_, CMK_STENCIL1D_SAMPLE_); \
            } \
            cmk_stencil1d_store_(&cmk_work_, cmk_sums_, cmk_line_, cmk_shape_); \
        } while (cmk_shape_.ring);), CMK_DEFINITION_ONE_, TABLE)
/* clang-format on */

/* The accessor of samples of BODY: the element at offset d from the output. */
#define CMK_STENCIL1D_SAMPLE_(d) cmk_window_[cmk_shape_.reach + cmk_j_ + (d)]

/* What is known of a BODY: SIDES, then MIRROR. The three of stencil.h add products of taps and samples to a T. SIDES is
 * the number of sides for which they read taps. Where it is 1, MIRROR is 1 or -1, by which a tap is multiplied to give
 * the opposite one. A BODY of the user's is a word that is no macro when it is pasted. It has 0 sides, and may do as it
 * likes. */
#define CMK_STENCIL1D_SIDES_CMK_STENCIL_1D_ , 2, 0
#define CMK_STENCIL1D_SIDES_CMK_STENCIL_1D_SYMMETRIC_ , 1, 1
#define CMK_STENCIL1D_SIDES_CMK_STENCIL_1D_ANTISYMMETRIC_ , 1, -1

/* Defines the function that returns an element of the table, as float, and names it. A BODY of 0 sides has none. */
#define CMK_STENCIL1D_TAPS_0_(name, TABLE)
#define CMK_STENCIL1D_TAPS_1_(name, TABLE) CMK_DEFINITION_TAPS_(name, float, TABLE, TABLE, TABLE)
#define CMK_STENCIL1D_TAPS_2_(name, TABLE) CMK_DEFINITION_TAPS_(name, float, TABLE, TABLE, TABLE)
#define CMK_STENCIL1D_TAP_0_(name) cmk_stencil1d_no_tap_
#define CMK_STENCIL1D_TAP_1_(name) name##_tap_
#define CMK_STENCIL1D_TAP_2_(name) name##_tap_

#define CMK_STENCIL1D_KEEPS_(T, TAP) (CMK_NUMBER_(T) >= 4 || CMK_NUMBER_(TAP) < 4)
#define CMK_STENCIL1D_ASSERT_(T, RADIUS, SIDES, TABLE, EDGE)                                                           \
    CMK_NEEDS_("CMK_DEFINE_STENCIL1D", (RADIUS) >= 0 && (RADIUS) <= 32, "RADIUS must be from 0 to 32");                \
    CMK_NEEDS_("CMK_DEFINE_STENCIL1D", 16 % sizeof(T) == 0, "the size of T must divide 16 bytes");                     \
    CMK_NEEDS_("CMK_DEFINE_STENCIL1D", CMK_NUMBER_(T) > 0, "T must be an arithmetic type");                            \
    CMK_NEEDS_("CMK_DEFINE_STENCIL1D", CMK_EDGE_VALID_1D_(EDGE), "EDGE must be an edge of one axis, of edge.h");       \
    CMK_NEEDS_("CMK_DEFINE_STENCIL1D", SIDES == 0 || CMK_STENCIL1D_KEEPS_(T, TABLE##_element_),                        \
               "T must keep the fractions of TABLE: an integer T needs integers");                                     \
    CMK_NEEDS_("CMK_DEFINE_STENCIL1D", SIDES != 1 || CMK_DEFINITION_COUNT_(TABLE) == (RADIUS) + 1,                     \
               "TABLE must have RADIUS + 1 elements, from the centre outwards");                                       \
    CMK_NEEDS_("CMK_DEFINE_STENCIL1D", SIDES != 2 || CMK_DEFINITION_COUNT_(TABLE) == 2 * (RADIUS) + 1,                 \
               "TABLE must have 2 RADIUS + 1 elements");

#if CMK_HAS_HOST_

/* clang-format off */
#define CMK_STENCIL1D_LAUNCHERS_(name, T, TABLE) \
    CMK_LAUNCHER_CALL_(name, cmk_stencil1d_plan_, cmk_stencil1d_next_(&call->engine_), CMK_STENCIL1D_WAYS_, 3, \
                       CMK_DEFINITION_ONE_, TABLE) \
    CMK_LAUNCHER_(name##_region, name, (const T *in, T *out, size_t count, size_t first, size_t region), \
        (CMK_STENCIL1D_PLAN_(name, first, region)), CMK_DEFINITION_ONE_, TABLE) \
    CMK_LAUNCHER_(name, name, (const T *in, T *out, size_t count), \
        (CMK_STENCIL1D_PLAN_(name, 0, count)), CMK_DEFINITION_ONE_, TABLE)
#define CMK_STENCIL1D_PLAN_(name, first, region) \
    call->engine_ = cmk_stencil1d_plan_region_(in, out, count, first, region, name##_shape_(), device)
/* clang-format on */
#define CMK_STENCIL1D_WAYS_(VERB, name, ...)                                                                           \
    CMK_LAUNCHER_##VERB(name##_kernel, 0, name##_element_, name##_element_, line, __VA_ARGS__)                         \
        CMK_LAUNCHER_##VERB(name##_short_kernel, 1, name##_element_, name##_element_, line, __VA_ARGS__)

#else

#define CMK_STENCIL1D_LAUNCHERS_(name, T, TABLE)

#endif

#endif
