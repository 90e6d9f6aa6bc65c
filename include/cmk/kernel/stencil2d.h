/* stencil2d.h: complete 2D stencils of an update of point.h, over any fields, edges, sizes and pitches.
 *
 *   CMK_DEFINE_STENCIL2D(name, LIST);      behind CMK_POINT_2D(name, LIST) { ... }, at file scope
 *
 *   name_grid                              a struct: sizes, and for each field what it needs
 *       planes, rows, columns              the grid; planes are independent images
 *       plane_pitch, row_pitch             elements from plane to plane and from row to row, of all fields
 *       first_plane, end_plane, first_row, end_row, first_column, end_column
 *                                          the part that is updated, end not included
 *       first_step                         what CMK_POINT_STEP is in the next step
 *       origin_plane, origin_row, origin_column, global_planes, global_rows, global_columns, deep_ghosts
 *                                          of a rank's part of a larger grid: see below; 0 unless set
 *       field                              const T * where IN, else T *: the element (0, 0, 0)
 *       field_next                         NEXT: the second buffer
 *       field_before                       LEAPFROG: the level before
 *       field_spare                        SAME and LEAPFROG: another buffer, for name_steps; NULL unless it is set
 *       field_before_spare                 LEAPFROG: another
 *                                          (of INS, OUTS, SAMES, NEXTS and LEAPFROGS all pointers are arrays of N)
 *       field_outside                      T: the value outside, 0 unless set
 *       field_row_pitch, field_plane_pitch
 *                                          where they differ from those of the others; 0 unless set
 *   name_grid name_domain(size_t rows, size_t columns, size_t row_pitch)
 *       a grid of these sizes, of one plane, all of which is updated
 *   name_grid name_inner(...)              the same, but points that would read outside keep their values
 *   name_grid name_of_rank(const cmk_grid *split, const int ghosts[3])
 *       the points of the rank of a split of grid.h, all of which are updated, and ghosts[axis] wherever it has a
 *       neighbour; rows begin multiples of 32 elements apart. Buffers have planes * plane_pitch elements
 *   name_grid name_part(name_grid grid, cmk_box box)
 *       the same grid, of which a box of the part is updated, counted from the first point of the part
 *   cudaError_t name_flip(name_grid *grid, cudaStream_t stream)
 *       what a step does to a grid, without one: behind a step of each of its boxes, by copies of it
 *   cudaError_t name(name_grid *grid, VALUES and TABLES..., cudaStream_t stream)
 *       one step: then grid->field is the new level (the two pointers of NEXT and LEAPFROG fields change places)
 *   cudaError_t name_steps(name_grid *grid, size_t steps, VALUES and TABLES..., cudaStream_t stream)
 *       the same as so many calls of name, on the CPU and by nvcc -fmad=false the same bits; several steps are done in
 *       one pass over memory where that is faster and can be: see below
 *   cudaError_t name_plan(name_call *call, const cmk_plan_device *device, name_grid *grid, VALUES and TABLES...)
 *   cudaError_t name_steps_plan(name_call *call, const cmk_plan_device *device, name_grid *grid, size_t steps,
 *                               int captured, VALUES and TABLES...)
 *       the launches of a call, on a device (plan.h); name_next, behind each, does to the grid what that launch does.
 *       captured: 1 where they are captured in a graph
 *   cudaError_t name_prepare(name_grid *grid, cudaStream_t stream)
 *       allocates the spare buffers that passes of name_steps need and that are NULL
 *   cudaError_t name_release(name_grid *grid, cudaStream_t stream)
 *       frees them; all pointers are the caller's again, with the levels that they have come to
 *
 * A call returns before the kernel has run. It returns cudaErrorInvalidValue, with nothing launched and the grid as it
 * was, for a null or misaligned pointer, a pitch below the width, a part that is not inside, a size above 2^31 - 257,
 * and a buffer that is written and overlaps another (name_why of plan.h says which it is); a part of size 0 is right
 * and launches nothing. Points outside of the part are not written: of a NEXT field both buffers hold them. A captured
 * graph must hold an even number of steps, so that a replay finds the pointers as they were. Fastest where rows begin
 * at multiples of 16 bytes.
 *
 * name_steps does passes of cmk_point_steps_ steps, a constant of the definition from 2 to 16 (1: none; of lines up to
 * 96), and single ones for what is left. It takes floats or doubles, not both; fields of which all wrap along an axis
 * or none; the pitches of the grid for all fields, rows of at least 512 bytes and of whole 16 bytes where they wrap; a
 * part that is at least half of the rows and of the columns; and, for SAME and LEAPFROG fields, a part of all planes,
 * and spare buffers, with which they change places. Else it does single steps. Where rows do not begin with 16 bytes, a
 * pass takes 1.1 to 1.3 times as long. An update may be evaluated again in a pass: see CMK_POINT_MINE.
 *
 * Where no field has neighbours in other rows, CMK_POINT_REACH(0, 0, radius), rows are lines, as many as there are, or
 * one: heat_domain(1, n, n). A warp of a pass has a part of one in registers. Passes of lines are of about as many
 * steps each, and none is left; lines must be at least an eighth of the part of a warp, which is 6144 bytes of one
 * field, and less of more.
 *
 * nvcc compiles a pass where name_steps or name_steps_plan is called, which there is a template with a default; with
 * CMK_C_NAMES 1, and NVRTC, always, so that a module has its kernel, name_steps_kernel.
 *   #define CMK_STEPS_MOST 1               before the header is included: passes of so many steps at the most;
 *                                          1 forbids them, and compiles faster
 *   #define CMK_TUNED_heat (6, 3)          before the definition of heat: passes of 6 steps, or of as many as it can
 *                                          have, and 3 blocks of an SM, in place of a model's: ./cmk tune finds them
 *
 * name_prepare comes when buffers, sizes and pitches of a grid are set; these stay as they are until name_release. It
 * takes one piece of memory, and none where no pass would be made of the grid as it is, or no spare buffer is missing;
 * those that the caller has set stay. It returns, with nothing changed, cudaErrorInvalidValue where name would, for a
 * wrong spare buffer, and when it has been called before and one is missing; or the error of cudaMalloc.
 * name_release, on the stream of the last step, copies what lies in prepared memory to the caller's buffers, of rows
 * their columns only, and waits for it. Then spare buffers that were prepared are NULL; a SAME field has the buffer
 * that it had; of a LEAPFROG field, field and field_before have the two that they had, in either order, as after a step
 * (of fields with spare buffers of the caller's, one of those and these). A second call does nothing. Neither is for a
 * stream that is captured. A copy of a prepared grid has the same buffers and the same memory: go on with one of the
 * two, and release that one.
 *
 * A rank's part of a larger grid is a grid of its own: its points and, on each side where it has a neighbour, ghosts,
 * copies of the neighbour's points, as many as the reach of an update. Updated are the rank's points, or any box of
 * them. EDGE acts only where the grid ends, which is where the larger one ends. That has the sizes global_, and
 * element (0, 0, 0) of this one lies in it at origin_, which may be below 0 where ghosts come first: what an update
 * sees of its place, and of sizes, is of the larger grid. Ghosts may be those of the other end of an axis; a field must
 * wrap along it if they are updated. For several steps between exchanges there are as many times as many ghosts, as
 * many again for each stage more, and deep_ghosts is 1: name_steps then updates, beside the part, what the steps that
 * follow need of them, and its last step the part alone. Ghosts are stale then, until they are copied anew. A single
 * step of several stages is one of name_steps too. docs/multi-gpu.md has the whole loop.
 *
 *   heat_grid grid = heat_domain(rows, columns, pitch);
 *   grid.u = a, grid.u_next = b;
 *   CMK_CHECK(heat_steps(&grid, 1000, 0.2f, stream));        the result is grid.u */
#ifndef CMK_KERNEL_STENCIL2D_H
#define CMK_KERNEL_STENCIL2D_H

#include "steps.h"

#define CMK_DEFINE_STENCIL2D(name, LIST)                                                                               \
    CMK_NEEDS_("CMK_DEFINE_STENCIL2D", name##_has_an_update_ && (int)name##_of_dims_ == 2,                             \
               "the update is one of CMK_POINT_3D");                                                                   \
    CMK_POINT_STENCIL_(name, LIST, CMK_POINT_ONE_WAY_, (size_t rows, size_t columns, size_t row_pitch), 1, rows,       \
                       columns, 0, row_pitch)

#endif
