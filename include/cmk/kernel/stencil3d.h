/* stencil3d.h: complete 3D stencils of an update of point.h, over any fields, edges, sizes and pitches.
 *
 *   CMK_DEFINE_STENCIL3D(name, LIST);      behind CMK_POINT_3D(name, LIST) { ... }, at file scope
 *   name_grid name_domain(size_t planes, size_t rows, size_t columns, size_t plane_pitch, size_t row_pitch)
 *   name_grid name_inner(...)
 *       as in stencil2d.h, for volumes: plane_pitch and row_pitch are elements from plane to plane and from row to row
 *
 * All else is as in stencil2d.h. name_steps does passes of 2 to 4 steps. Fields must be stars of radius 1 or 2, or have
 * no neighbours. One field may be a box of radius 1 in place of all these, if its edges are not odd. The grid must have
 * at least 64 rows, where they wrap a multiple of 2, or with radius 2 of 4, and columns of at least 16 vectors of 16
 * bytes; of floats that are a box, whole vectors. The part must be at least half of the planes too. Spare buffers may
 * be used with any part. Where rows do not begin at multiples of 16 bytes, only passes of 4 steps are made, which take
 * 1.4 to 1.7 times as long.
 *
 *   heat3d_grid grid = heat3d_domain(planes, rows, columns, rows * pitch, pitch);
 *   grid.u = a, grid.u_next = b;
 *   CMK_CHECK(heat3d_steps(&grid, 1000, 0.1f, stream)); */
#ifndef CMK_KERNEL_STENCIL3D_H
#define CMK_KERNEL_STENCIL3D_H

#include "steps.h"

#define CMK_DEFINE_STENCIL3D(name, LIST)                                                                               \
    CMK_NEEDS_("CMK_DEFINE_STENCIL3D", name##_has_an_update_ && (int)name##_of_dims_ == 3,                             \
               "the update is one of CMK_POINT_2D");                                                                   \
    CMK_POINT_STENCIL_(name, LIST, CMK_POINT_WAYS_,                                                                    \
                       (size_t planes, size_t rows, size_t columns, size_t plane_pitch, size_t row_pitch), planes,     \
                       rows, columns, plane_pitch, row_pitch)

#endif
