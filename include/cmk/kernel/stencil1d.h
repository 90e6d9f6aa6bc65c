/* stencil1d.h: a complete 1D stencil, at the speed of a copy up to a radius of 32 bytes.
 *
 *   CMK_DEFINE_STENCIL1D(name, T, RADIUS, BODY, TABLE, EDGE);      at file scope
 *   cudaError_t name(const T *in, T *out, size_t count, TABLE_table table, cudaStream_t stream);
 *
 * defines out[i] = BODY over in[i - RADIUS .. i + RADIUS] for every i from 0 to count - 1.
 *   T             float, double, or another arithmetic type whose size divides 16: of in, out, and the sum
 *   RADIUS        0 to 32
 *   BODY          CMK_STENCIL_1D, CMK_STENCIL_1D_SYMMETRIC, CMK_STENCIL_1D_ANTISYMMETRIC, or one of yours
 *   TABLE         the name of a table of table.h, from any source; table is that name, or a slot of it
 *   EDGE          CMK_EDGE_ZERO, CMK_EDGE_CLAMP or another edge of edge.h, but CMK_EDGE_AXES
 * TABLE has 2 RADIUS + 1 elements for CMK_STENCIL_1D, and RADIUS + 1 for the two others, from the centre outwards; with
 * an integer T its elements are integers, and the sum wraps as T does. A BODY of yours may read any table: it gets the
 * lvalue of the sum, a T that is 0, RADIUS, and the accessors of taps and samples.
 * in and out are device memory. Any count and any alignment of T is right; in and out at equal distances from
 * a multiple of 16 bytes are fastest. The call returns before the kernel has run. It returns
 * cudaErrorInvalidValue, with nothing launched, for a null or misaligned pointer, for ranges that overlap, and
 * for a count whose bytes exceed the address space, cudaErrorInvalidConfiguration for more blocks than a grid has; a
 * count of 0 is right and launches nothing.
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
#include "definition.h"
#include "launcher.h"
#include "stencil1d/plan.h"
#include "stencil1d/tune.h"
#include "stencil1d/window.h"

/* CMK_DEFINE_STENCIL1D(smooth, float, 4, BODY, weights, EDGE); generates
 *
 *   enum { smooth_outputs_ = 4, smooth_reach_ = 4 };
 *   __global__ void smooth_kernel(const float *in, float *out, cmk_stencil1d_line_ line, weights_table table);
 *   cudaError_t smooth(const float *in, float *out, size_t count, weights_table table, cudaStream_t stream);
 *
 * A thread computes outputs elements from a window that has reach elements more on each side. BODY expands in the
 * kernel once, in a loop over its outputs. */
#define CMK_DEFINE_STENCIL1D(name, T, RADIUS, BODY, TABLE, EDGE)                                                       \
    CMK_STENCIL1D_ASSERT_(T, RADIUS, CMK_STENCIL1D_SECOND_(CMK_STENCIL1D_SIDES_##BODY, 0, ), TABLE, EDGE)              \
    enum { name##_outputs_ = CMK_STENCIL1D_OUTPUTS_(T, RADIUS), name##_reach_ = CMK_STENCIL1D_REACH_(T, RADIUS) };     \
    CMK_STATIC_ __global__ void __launch_bounds__(cmk_stencil1d_threads_)                                              \
        name##_kernel(const T *__restrict__ cmk_in_, T *__restrict__ cmk_out_, cmk_stencil1d_line_ cmk_line_,          \
                      CMK_TABLE_PARAMETER_AS_(TABLE, cmk_table_))                                                      \
    {                                                                                                                  \
        const cmk_stencil1d_shape_ cmk_shape_ = {(int)sizeof(T), name##_outputs_, name##_reach_, EDGE};                \
        T cmk_window_[name##_outputs_ + 2 * name##_reach_], cmk_sums_[name##_outputs_];                                \
        cmk_stencil1d_load_(cmk_window_, cmk_in_, cmk_line_, cmk_shape_);                                              \
        CMK_UNROLL                                                                                                     \
        for (int cmk_j_ = 0; cmk_j_ < name##_outputs_; ++cmk_j_) {                                                     \
            const T *const cmk_centre_ = &cmk_window_[name##_reach_ + cmk_j_];                                         \
            cmk_sums_[cmk_j_] = 0;                                                                                     \
            BODY(cmk_sums_[cmk_j_], RADIUS, TABLE##_get_ CMK_TABLE_OF_KERNEL_, CMK_STENCIL1D_SAMPLE_);                 \
        }                                                                                                              \
        cmk_stencil1d_store_(cmk_out_, cmk_sums_, cmk_line_, cmk_shape_);                                              \
    }                                                                                                                  \
    CMK_STENCIL1D_LAUNCHERS_(name, T, TABLE)                                                                           \
    CMK_SEMICOLON_

/* the sample accessor of BODY: offset d from the output */
#define CMK_STENCIL1D_SAMPLE_(d) cmk_centre_[d]

/* elements of whole vectors of 16 bytes */
#define CMK_STENCIL1D_OUTPUTS_(T, RADIUS) (CMK_STENCIL1D_VECTORS_(RADIUS, (int)sizeof(T)) * 16 / (int)sizeof(T))
#define CMK_STENCIL1D_REACH_(T, RADIUS) (((RADIUS) * (int)sizeof(T) + 15) / 16 * 16 / (int)sizeof(T))

/* What is known of a BODY of stencil.h: that it adds products of taps and samples to a T, and of how many sides it
 * reads taps. A BODY of the user's, a word that is no macro when it is pasted, has 0 sides and may do as it likes. */
#define CMK_STENCIL1D_SIDES_CMK_STENCIL_1D , 2
#define CMK_STENCIL1D_SIDES_CMK_STENCIL_1D_SYMMETRIC , 1
#define CMK_STENCIL1D_SIDES_CMK_STENCIL_1D_ANTISYMMETRIC , 1
#define CMK_STENCIL1D_SECOND_(...) CMK_STENCIL1D_SECOND_OF_(__VA_ARGS__)
#define CMK_STENCIL1D_SECOND_OF_(first, second, ...) second
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
    CMK_LAUNCHER_OF_PLAN_(name##_launch_, name##_kernel, cmk_stencil1d_plan_, cmk_stencil1d_next_, line, T, T,         \
                          CMK_DEFINITION_ONE_, TABLE)                                                                  \
    CMK_LAUNCHER_(name, name##_launch_, (const T *in, T *out, size_t count),                                           \
                  (cmk_stencil1d_plan_of_(in, out, count, sizeof(T), name##_outputs_)), CMK_DEFINITION_ONE_, TABLE)

#else

#define CMK_STENCIL1D_LAUNCHERS_(name, T, TABLE)

#endif

#endif
