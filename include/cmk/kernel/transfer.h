/* transfer.h: restriction and interpolation between a grid and one of half its size, for multigrid.
 *
 *   CMK_DEFINE_TRANSFER2D(name, T, AT, EDGE);      at file scope
 *   cudaError_t name_restrict(const T *in, size_t in_pitch, T *out, size_t out_pitch, size_t rows, size_t columns,
 *                             cudaStream_t stream);
 *   cudaError_t name_restrict_batch(const T *in, size_t in_pitch, size_t in_step, T *out, size_t out_pitch,
 *                                   size_t out_step, size_t rows, size_t columns, size_t count, cudaStream_t stream);
 *   cudaError_t name_prolong(...);  name_prolong_batch(...);      the same
 *
 *   CMK_DEFINE_TRANSFER3D(name, T, AT, EDGE);
 *   cudaError_t name_restrict(const T *in, size_t in_pitch, size_t in_step, T *out, size_t out_pitch, size_t out_step,
 *                             size_t planes, size_t rows, size_t columns, cudaStream_t stream);
 *   cudaError_t name_prolong(...);      the same
 *
 * planes, rows and columns are the sizes of the fine grid. The coarse grid has half of each, rounded down. A batch is
 * `count` such grids. The function
 * name_restrict reads the fine grid in, and writes the coarse grid out by full weighting. The function name_prolong
 * reads the coarse grid in, and adds to the fine grid out what linear interpolation gives, which is a correction. To
 * interpolate and not to add, fill the fine grid with zeros first.
 *   T       float or double; sums have this type too
 *   AT      where coarse points are, along each axis
 *       CELLS                   cell i covers cells 2 i and 2 i + 1. A restriction is the mean of these, 2^d in all.
 *                               Weights of interpolation are 3/4 of the nearer and 1/4 of the other. Sizes are even
 *       POINTS                  point i is point 2 i + 1. Weights of restriction are 1/4, 1/2, 1/4. Points between are
 *                               the mean of two
 *   EDGE    what is read outside of the grid that is read: an edge of edge.h, CMK_EDGE_AXES, CMK_EDGE_AXES_3D, also
 *           with CMK_EDGE_MIRROR_ODD and CMK_EDGE_REFLECT_ODD, as in point.h. The value outside is 0, which is that of
 *           a correction and of a residual wherever the solution is given
 *
 *   the solution                           AT, EDGE
 *   is 0 on the face of the last cell      CELLS, CMK_EDGE_MIRROR_ODD
 *   is insulated there                     CELLS, CMK_EDGE_MIRROR
 *   is 0 one point outside                 POINTS, CMK_EDGE_ZERO; best with odd sizes, as 2^k - 1
 *   is periodic                            either, CMK_EDGE_WRAP; even sizes
 *
 * Pitches and steps count the elements from row to row, and from plane to plane or from grid to grid. What lies between
 * is neither read nor written. Any pitch, step and alignment of T is allowed. A call is fastest where rows of the fine
 * grid begin at multiples of 16 bytes, and those of the coarse one at multiples of 8. Sizes are at most 2,147,418,112.
 *
 * A call returns before the kernel has run. It launches nothing and returns cudaErrorInvalidValue for a null or
 * misaligned pointer, a pitch below the width, odd sizes of cells, sizes whose bytes exceed the address space, or grids
 * that overlap. It returns cudaErrorInvalidConfiguration for more blocks than a grid has. The function name_why of
 * plan.h says which it is. A coarse grid with a size of 0 is allowed and launches nothing.
 *
 *   CMK_DEFINE_TRANSFER3D(cells, float, CELLS, CMK_EDGE_MIRROR_ODD);
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

/* AT: the fine elements along an axis of which a coarse one is made */
enum { cmk_transfer_CELLS_ = 2, cmk_transfer_POINTS_ = 3 };

/* CMK_DEFINE_TRANSFER2D(cells, float, CELLS, EDGE); generates
 *
 *   enum { cells_edge_ = 0 };                       EDGE
 *   cmk_transfer_sizes_ cells_sizes_(void);         the constants of its kernels
 *   __global__ void cells_restrict_kernel(cmk_transfer_call_ call);
 *   __global__ void cells_prolong_kernel(cmk_transfer_call_ call);
 *   cudaError_t cells_restrict_batch(...);  cudaError_t cells_restrict(...);      in 3D the second alone
 *   cudaError_t cells_prolong_batch(...);   cudaError_t cells_prolong(...); */
#define CMK_DEFINE_TRANSFER2D(name, T, AT, EDGE) CMK_TRANSFER_(2, name, T, cmk_transfer_##AT##_, EDGE)
#define CMK_DEFINE_TRANSFER3D(name, T, AT, EDGE) CMK_TRANSFER_(3, name, T, cmk_transfer_##AT##_, EDGE)
#define CMK_TRANSFER_(DIMS, name, T, AT, EDGE)                                                                         \
    CMK_DEFINITION_BEGIN_(name, CMK_DEFINITION_NONE_, )                                                                \
    CMK_DEFINITION_REAL_WITH_EDGE_("CMK_DEFINE_TRANSFER" #DIMS "D", name, T, EDGE, CMK_EDGE_VALID_POINT_,              \
                                   "EDGE must be an edge of edge.h")                                                   \
    CMK_DEFINITION_SIZES_(name##_sizes_, cmk_transfer_sizes_, cmk_transfer_definition_, sizeof(name##_type_), AT,      \
                          DIMS, name##_edge_)                                                                          \
    CMK_TRANSFER_KERNEL_(name, restrict) CMK_TRANSFER_KERNEL_(name, prolong) CMK_TRANSFER_LAUNCHERS_(name, DIMS)
#define CMK_TRANSFER_KERNEL_(name, verb)                                                                               \
    CMK_DEFINITION_KERNEL_(name##_##verb##_kernel, (cmk_transfer_threads_, cmk_transfer_resident_),                    \
                           (const CMK_GRID_CONSTANT_ cmk_transfer_call_ cmk_call_),                                    \
                           (cmk_transfer_##verb##_(&cmk_call_, name##_sizes_());), CMK_DEFINITION_NONE_, )

#if CMK_HAS_HOST_

/* Defines the plans and the launchers of both functions. */
#define CMK_TRANSFER_LAUNCHERS_(name, DIMS)                                                                            \
    CMK_LAUNCHER_CALL_(name, cmk_transfer_plan_, cmk_transfer_next_(&call->engine_), CMK_TRANSFER_BY_, 1,              \
                       CMK_DEFINITION_NONE_, )                                                                         \
    CMK_TRANSFER_LAUNCHER_##DIMS##_(name, restrict, 0) CMK_TRANSFER_LAUNCHER_##DIMS##_(name, prolong, 1) CMK_SEMICOLON_
#define CMK_TRANSFER_LAUNCHER_2_(name, verb, PROLONGS)                                                                 \
    CMK_LAUNCHER_OF_BATCH_(name##_##verb, name, name##_type_, name##_type_, cmk_transfer_plan_of_,                     \
                           CMK_TRANSFER_CONSTANTS_(name, PROLONGS), CMK_DEFINITION_NONE_, )
#define CMK_TRANSFER_LAUNCHER_3_(name, verb, PROLONGS)                                                                 \
    CMK_LAUNCHER_(name##_##verb, name, (CMK_LAUNCHER_VOLUME_(name##_type_)),                                           \
                  (CMK_LAUNCHER_BATCH_(in_step, out_step, planes, cmk_transfer_plan_of_, name##_sizes_(), PROLONGS)),  \
                  CMK_DEFINITION_NONE_, )
#define CMK_TRANSFER_CONSTANTS_(name, PROLONGS) name##_sizes_(), PROLONGS
#define CMK_TRANSFER_BY_(VERB, name, ...)                                                                              \
    CMK_LAUNCHER_##VERB##CALL_(name##_restrict_kernel, 0) CMK_LAUNCHER_##VERB##CALL_(name##_prolong_kernel, 1)

#else

#define CMK_TRANSFER_LAUNCHERS_(name, DIMS) CMK_SEMICOLON_

#endif

#endif
