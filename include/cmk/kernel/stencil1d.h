/* stencil1d.h: a complete 1D stencil, at about the speed of a copy.
 *
 *   CMK_DEFINE_STENCIL1D(name, T, RADIUS, BODY, TABLE, EDGE);      at file scope
 *   cudaError_t name(const T *in, T *out, size_t count, TABLE_table table, cudaStream_t stream);
 *   cudaError_t name_region(const T *in, T *out, size_t count, size_t first, size_t region, TABLE_table table,
 *                           cudaStream_t stream);
 *
 * defines out[i] = BODY over in[i - RADIUS .. i + RADIUS] for every i from 0 to count - 1, and name_region
 * out[i] = BODY over in[first + i - RADIUS .. first + i + RADIUS] for every i from 0 to region - 1: a part of the line
 * of count elements, which reads what lies around it in the line, such as the ghosts of a rank of grid.h.
 *   T             float, double, or another arithmetic type whose size divides 16: of in, out, and the sum
 *   RADIUS        0 to 32
 *   BODY          CMK_STENCIL_1D, CMK_STENCIL_1D_SYMMETRIC, CMK_STENCIL_1D_ANTISYMMETRIC, or one of yours
 *   TABLE         the name of a table of table.h, from any source; table is that name, or a slot of it
 *   EDGE          CMK_EDGE_ZERO, CMK_EDGE_CLAMP or another edge of edge.h, but CMK_EDGE_AXES
 * TABLE has 2 RADIUS + 1 elements for CMK_STENCIL_1D, and RADIUS + 1 for the two others, from the centre outwards; with
 * an integer T its elements are integers, and the sum wraps as T does. A BODY of yours may read any table: it gets the
 * lvalue of the sum, a T that is 0, RADIUS, and the accessors of taps and samples.
 * in and out are device memory. Any count and any alignment of T is right; in + first and out at equal distances from a
 * multiple of 16 bytes are fastest. The call returns before the kernel has run. It returns cudaErrorInvalidValue, with
 * nothing launched, for a null or misaligned pointer, for ranges of count elements of in and of region elements of out
 * that overlap, for a region that is not inside, and for a count whose bytes exceed the address space,
 * cudaErrorInvalidConfiguration for more blocks than a grid has (name_why of plan.h says why); a count or region of 0
 * is right and launches nothing.
 *
 * With T float, RADIUS 21 and more, and a BODY of the three, long lines are summed by tensor cores of sm_80 and later,
 * not in the order of the taps. An output is off by no more than taps x 2^-24 x the sum of |tap x sample|, as it may be
 * by a sum of floats in any order; infinities, no numbers, denormals and samples of any range come out as they would
 * (docs/accuracy.md). A BODY of yours is always expanded as it stands, also one that is another name of these:
 *   #define IN_ORDER(sum, RADIUS, TAP, SAMPLE) CMK_STENCIL_1D(sum, RADIUS, TAP, SAMPLE)
 * CMK_TENSOR, 1 before the header is included, takes tensor cores for short lines too, and has the CPU backend do what
 * they do.
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
 * once in each kernel, in a loop over these. */
#define CMK_DEFINE_STENCIL1D(name, T, RADIUS, BODY, TABLE, EDGE)                                                       \
    CMK_STENCIL1D_DEFINE_(name, T, RADIUS, BODY, TABLE, EDGE, CMK_STENCIL1D_SIDES_##BODY##_, 0, 0, )
#define CMK_STENCIL1D_DEFINE_(...) CMK_STENCIL1D_DEFINE_OF_(__VA_ARGS__)
/* clang-format off */
#define CMK_STENCIL1D_DEFINE_OF_(name, T, RADIUS, BODY, TABLE, EDGE, unknown, SIDES, MIRROR, ...)                      \
    CMK_DEFINITION_BEGIN_(name, CMK_DEFINITION_ONE_, TABLE)                                                            \
    typedef CMK_TYPE_(T) name##_element_;                                                                              \
    enum { name##_edge_ = (EDGE) };                                                                                    \
    CMK_STENCIL1D_ASSERT_(name##_element_, RADIUS, SIDES, TABLE, name##_edge_)                                         \
    CMK_DEFINITION_SIZES_(name##_shape_, cmk_stencil1d_shape_, cmk_stencil1d_filter_, sizeof(name##_element_),         \
                          CMK_NUMBER_(name##_element_), RADIUS, name##_edge_, SIDES, MIRROR)                           \
    CMK_STENCIL1D_TAPS_##SIDES##_(name, TABLE)                                                                         \
    CMK_STENCIL1D_KERNEL_(name##_kernel, name##_shape_(), name##_element_, RADIUS, BODY, TABLE,                        \
                          CMK_STENCIL1D_TAP_##SIDES##_(name))                                                          \
    CMK_STENCIL1D_KERNEL_(name##_short_kernel, cmk_stencil1d_short_of_(name##_shape_()), name##_element_, RADIUS,      \
                          BODY, TABLE, cmk_stencil1d_no_tap_)                                                          \
    CMK_STENCIL1D_LAUNCHERS_(name, name##_element_, TABLE) CMK_SEMICOLON_
/* clang-format on */

#define CMK_STENCIL1D_KERNEL_(kernel, SHAPE, T, RADIUS, BODY, TABLE, tap)                                              \
    CMK_ENTRY_ __global__ void __launch_bounds__((SHAPE).threads, (SHAPE).room)                                        \
        kernel(const T *__restrict__ cmk_in_, T *__restrict__ cmk_out_, cmk_stencil1d_line_ cmk_line_,                 \
               CMK_TABLE_PARAMETER_AS_(TABLE, cmk_table_))                                                             \
    {                                                                                                                  \
        CMK_CONSTEXPR_ const cmk_stencil1d_shape_ cmk_shape_ = SHAPE;                                                  \
        T cmk_window_[CMK_STENCIL1D_WINDOW_(sizeof(T), RADIUS)], cmk_sums_[CMK_STENCIL1D_OUTPUTS_(sizeof(T), RADIUS)]; \
        cmk_stencil1d_work_ cmk_work_ =                                                                                \
            cmk_stencil1d_begin_(cmk_in_, cmk_out_, cmk_line_, cmk_shape_, &cmk_table_, tap);                          \
        do {                                                                                                           \
            if (!cmk_stencil1d_load_(cmk_window_, &cmk_work_, cmk_line_, cmk_shape_)) break;                           \
            CMK_UNROLL                                                                                                 \
            for (int cmk_j_ = 0; cmk_j_ < cmk_shape_.outputs; ++cmk_j_) {                                              \
                cmk_sums_[cmk_j_] = 0;                                                                                 \
                BODY(cmk_sums_[cmk_j_], RADIUS, TABLE##_get_ CMK_TABLE_OF_KERNEL_, CMK_STENCIL1D_SAMPLE_);             \
            }                                                                                                          \
            cmk_stencil1d_store_(&cmk_work_, cmk_sums_, cmk_line_, cmk_shape_);                                        \
        } while (cmk_shape_.ring);                                                                                     \
    }

/* the sample accessor of BODY: offset d from the output */
#define CMK_STENCIL1D_SAMPLE_(d) cmk_window_[cmk_shape_.reach + cmk_j_ + (d)]

/* What is known of a BODY of stencil.h: that it adds products of taps and samples to a T, of how many sides it reads
 * taps, and of one what a tap's opposite is of it. A BODY of the user's, a word that is no macro when it is pasted, has
 * 0 sides and may do as it likes. */
#define CMK_STENCIL1D_SIDES_CMK_STENCIL_1D_ , 2, 0
#define CMK_STENCIL1D_SIDES_CMK_STENCIL_1D_SYMMETRIC_ , 1, 1
#define CMK_STENCIL1D_SIDES_CMK_STENCIL_1D_ANTISYMMETRIC_ , 1, -1

/* the elements of the table of such a BODY, as floats, and the name of the function */
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

#define CMK_STENCIL1D_LAUNCHERS_(name, T, TABLE)                                                                       \
    CMK_LAUNCHER_CALL_(name, cmk_stencil1d_plan_, cmk_stencil1d_next_(&call->engine_), CMK_STENCIL1D_WAYS_, 3,         \
                       CMK_DEFINITION_ONE_, TABLE)                                                                     \
    CMK_LAUNCHER_(                                                                                                     \
        name##_region, name, (const T *in, T *out, size_t count, size_t first, size_t region),                         \
        (call->engine_ = cmk_stencil1d_plan_region_(in, out, count, first, region, name##_shape_(), device)),          \
        CMK_DEFINITION_ONE_, TABLE)                                                                                    \
    CMK_LAUNCHER_(name, name, (const T *in, T *out, size_t count),                                                     \
                  (call->engine_ = cmk_stencil1d_plan_region_(in, out, count, 0, count, name##_shape_(), device)),     \
                  CMK_DEFINITION_ONE_, TABLE)
#define CMK_STENCIL1D_WAYS_(VERB, name, ...)                                                                           \
    CMK_LAUNCHER_##VERB(name##_kernel, 0, name##_element_, name##_element_, line, __VA_ARGS__)                         \
        CMK_LAUNCHER_##VERB(name##_short_kernel, 1, name##_element_, name##_element_, line, __VA_ARGS__)

#else

#define CMK_STENCIL1D_LAUNCHERS_(name, T, TABLE)

#endif

#endif
