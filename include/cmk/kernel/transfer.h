/* transfer.h: restriction and interpolation between a grid and one of half its size, for multigrid.
 *
 *   CMK_DEFINE_TRANSFER2D(name, T, AT, EDGE);      at file scope
 *   cudaError_t name_restrict(const T *in, size_t in_pitch, T *out, size_t out_pitch, size_t rows, size_t columns,
 *                             cudaStream_t stream);
 *   cudaError_t name_prolong(const T *in, size_t in_pitch, T *out, size_t out_pitch, size_t rows, size_t columns,
 *                            cudaStream_t stream);
 *
 *   CMK_DEFINE_TRANSFER3D(name, T, AT, EDGE);
 *   cudaError_t name_restrict(const T *in, size_t in_pitch, size_t in_step, T *out, size_t out_pitch, size_t out_step,
 *                             size_t planes, size_t rows, size_t columns, cudaStream_t stream);
 *   cudaError_t name_prolong(...);      the same
 *
 * planes, rows and columns are the sizes of the fine grid. The coarse grid has half of each, rounded down. The function
 * name_restrict reads the fine grid in, and writes the coarse grid out by full weighting. The function name_prolong
 * reads the coarse grid in, and adds to the fine grid out what linear interpolation gives, which is a correction. To
 * interpolate and not to add, fill the fine grid with zeros first.
 *   T       float or double; sums have this type too
 *   AT      where coarse points are, along each axis
 *       CMK_TRANSFER_CELLS      cell i covers cells 2 i and 2 i + 1. A restriction is the mean of these, 2^d in all.
 *                               Weights of interpolation are 3/4 of the nearer and 1/4 of the other. Sizes are even
 *       CMK_TRANSFER_POINTS     point i is point 2 i + 1. Weights of restriction are 1/4, 1/2, 1/4. Points between are
 *                               the mean of two
 *   EDGE    what is read outside of the grid that is read: an edge of edge.h, CMK_EDGE_AXES, CMK_EDGE_AXES_3D, also
 *           with CMK_EDGE_MIRROR_ODD and CMK_EDGE_REFLECT_ODD, as in point.h. The value outside is 0, which is that of
 *           a correction and of a residual wherever the solution is given
 *
 *   the solution                           AT, EDGE
 *   is 0 on the face of the last cell      CMK_TRANSFER_CELLS, CMK_EDGE_MIRROR_ODD
 *   is insulated there                     CMK_TRANSFER_CELLS, CMK_EDGE_MIRROR
 *   is 0 one point outside                 CMK_TRANSFER_POINTS, CMK_EDGE_ZERO; best with odd sizes, as 2^k - 1
 *   is periodic                            either, CMK_EDGE_WRAP; even sizes
 *
 * Pitches and steps count the elements from row to row and from plane to plane. What lies between is neither read nor
 * written. Any pitch, step and alignment of T is allowed. A call is fastest where rows of the fine grid begin at
 * multiples of 16 bytes, and those of the coarse one at multiples of 8. Sizes are at most 2,147,418,112.
 *
 * A call returns before the kernel has run. It launches nothing and returns cudaErrorInvalidValue for a null or
 * misaligned pointer, a pitch below the width, odd sizes of cells, sizes whose bytes exceed the address space, or grids
 * that overlap. It returns cudaErrorInvalidConfiguration for more blocks than a grid has. The function name_why of
 * plan.h says which it is. A coarse grid with a size of 0 is allowed and launches nothing.
 *
 *   CMK_DEFINE_TRANSFER3D(cells, float, CMK_TRANSFER_CELLS, CMK_EDGE_MIRROR_ODD);
 *   CMK_CHECK(cells_restrict(fine, n, n * n, coarse, n / 2, n / 2 * n / 2, n, n, n, stream));
 *   CMK_CHECK(cells_prolong(coarse, n / 2, n / 2 * n / 2, fine, n, n * n, n, n, n, stream)); */
#ifndef CMK_KERNEL_TRANSFER_H
#define CMK_KERNEL_TRANSFER_H

#include "../base.h"
#include "../edge.h"
#include "../load.h"
#include "../tile.h"
#include "call/definition.h"
#include "call/launcher.h"
#include "transfer/march.h"
#include "transfer/plan.h"
#include "transfer/tune.h"

#define CMK_TRANSFER_CELLS 2 /* the fine elements along an axis of which a coarse one is made */
#define CMK_TRANSFER_POINTS 3

/* CMK_DEFINE_TRANSFER2D(cells, float, CMK_TRANSFER_CELLS, EDGE); generates
 *
 *   enum { cells_edge_ = 0, cells_at_ = 2 };                       EDGE and AT
 *   cmk_transfer_sizes_ cells_sizes_(void);                        the constants of its kernels
 *   __global__ void cells_restrict_kernel(cmk_transfer_call_ call);
 *   __global__ void cells_prolong_kernel(cmk_transfer_call_ call);
 *   cudaError_t cells_restrict(...);  cudaError_t cells_prolong(...); */
#define CMK_DEFINE_TRANSFER2D(name, T, AT, EDGE) CMK_TRANSFER_("CMK_DEFINE_TRANSFER2D", 2, name, T, AT, EDGE)
#define CMK_DEFINE_TRANSFER3D(name, T, AT, EDGE) CMK_TRANSFER_("CMK_DEFINE_TRANSFER3D", 3, name, T, AT, EDGE)
#define CMK_TRANSFER_(DEFINITION, DIMS, name, T, AT, EDGE)                                                             \
    CMK_DEFINITION_BEGIN_(name, CMK_DEFINITION_NONE_, )                                                                \
    CMK_DEFINITION_REAL_(DEFINITION, name, T, "T must be float or double")                                             \
    enum { name##_edge_ = (EDGE), name##_at_ = (AT) };                                                                 \
    CMK_NEEDS_(DEFINITION, CMK_EDGE_VALID_POINT_(name##_edge_), "EDGE must be an edge of edge.h");                     \
    CMK_NEEDS_(DEFINITION, CMK_TRANSFER_IS_AT_(name##_at_), "AT must be CMK_TRANSFER_CELLS or CMK_TRANSFER_POINTS");   \
    CMK_DEFINITION_SIZES_(name##_sizes_, cmk_transfer_sizes_, cmk_transfer_definition_, sizeof(name##_type_),          \
                          name##_at_, DIMS, name##_edge_)                                                              \
    CMK_TRANSFER_KERNEL_(name, restrict) CMK_TRANSFER_KERNEL_(name, prolong) CMK_TRANSFER_LAUNCHERS_(name, DIMS)
#define CMK_TRANSFER_IS_AT_(AT) ((AT) == CMK_TRANSFER_CELLS || (AT) == CMK_TRANSFER_POINTS)

#define CMK_TRANSFER_KERNEL_(name, verb)                                                                               \
    CMK_ENTRY_ __global__ void __launch_bounds__(cmk_transfer_threads_, cmk_transfer_resident_)                        \
        name##_##verb##_kernel(const CMK_GRID_CONSTANT_ cmk_transfer_call_ cmk_call_)                                  \
    {                                                                                                                  \
        cmk_transfer_##verb##_(&cmk_call_, name##_sizes_());                                                           \
    }

#if CMK_HAS_HOST_

/* Defines the plans and the launchers of both functions. */
#define CMK_TRANSFER_LAUNCHERS_(name, DIMS)                                                                            \
    CMK_LAUNCHER_CALL_(name, cmk_transfer_plan_, cmk_transfer_next_(&call->engine_), CMK_TRANSFER_BY_, 1,              \
                       CMK_DEFINITION_NONE_, )                                                                         \
    CMK_TRANSFER_LAUNCHER_##DIMS##_(name##_restrict, name, 0) CMK_TRANSFER_LAUNCHER_##DIMS##_(name##_prolong, name, 1) \
        CMK_SEMICOLON_
#define CMK_TRANSFER_LAUNCHER_2_(function, name, PROLONGS)                                                             \
    CMK_LAUNCHER_(                                                                                                     \
        function, name,                                                                                                \
        (const name##_type_ *in, size_t in_pitch, name##_type_ *out, size_t out_pitch, size_t rows, size_t columns),   \
        (CMK_LAUNCHER_BATCH_(0, 0, 1, cmk_transfer_plan_of_, name##_sizes_(), PROLONGS)), CMK_DEFINITION_NONE_, )
#define CMK_TRANSFER_LAUNCHER_3_(function, name, PROLONGS)                                                             \
    CMK_LAUNCHER_(function, name,                                                                                      \
                  (const name##_type_ *in, size_t in_pitch, size_t in_step, name##_type_ *out, size_t out_pitch,       \
                   size_t out_step, size_t planes, size_t rows, size_t columns),                                       \
                  (CMK_LAUNCHER_BATCH_(in_step, out_step, planes, cmk_transfer_plan_of_, name##_sizes_(), PROLONGS)),  \
                  CMK_DEFINITION_NONE_, )
#define CMK_TRANSFER_BY_(VERB, name, ...)                                                                              \
    CMK_LAUNCHER_##VERB##CALL_(name##_restrict_kernel, 0) CMK_LAUNCHER_##VERB##CALL_(name##_prolong_kernel, 1)

#else

#define CMK_TRANSFER_LAUNCHERS_(name, DIMS) CMK_SEMICOLON_

#endif

#endif
