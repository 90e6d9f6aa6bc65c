/* stencil2d.h: complete 2D stencils of an update of point.h, over any fields, edges, sizes and pitches.
 *
 *   CMK_DEFINE_STENCIL2D(name, LIST);      behind CMK_POINT_2D(name, LIST) { ... }, at file scope
 *
 *   name_grid                              a struct: sizes, and members for each field, which is named field here
 *       planes, rows, columns              the grid; planes are independent images
 *       plane_pitch, row_pitch             elements from plane to plane and from row to row, of all fields
 *       first_plane, end_plane, first_row, end_row, first_column, end_column
 *                                          the part that is updated, end not included
 *       first_step                         what CMK_POINT_STEP is in the next step
 *       more_parts                         1: the call leaves its results open, and a later one with 0, of another part
 *                                          or an empty one, has the sums and extremes of both; see halo/reduce.h too
 *       origin_plane, origin_row, origin_column, global_planes, global_rows, global_columns, deep_ghosts
 *                                          for a rank's part of a larger grid: see below; 0 unless set
 *       field                              T *, or const T * of IN: the address of element (0, 0, 0)
 *       field_next                         of NEXT: the second buffer
 *       field_before                       of LEAPFROG: the level before
 *       field_spare                        of SAME and LEAPFROG: another buffer, for name_steps; NULL unless set
 *       field_before_spare                 of LEAPFROG: one more, for name_steps; NULL unless set
 *                                          (all pointers of INS, OUTS, SAMES, NEXTS and LEAPFROGS are arrays of N)
 *       result                             T * of SUM, MAX and MIN: device memory of CMK_POINT_RESULT_BYTES bytes, all
 *                                          zeros before its first call. The first T is the result of the last step:
 *                                          complete behind the call in the order of the stream. Other bytes are the
 *                                          kernels'
 *       field_outside                      T: the value outside; 0 unless set
 *       field_row_pitch, field_plane_pitch
 *                                          where this field has other pitches than the grid; 0 unless set
 *   name_grid name_domain(size_t rows, size_t columns, size_t row_pitch)
 *       a grid of these sizes, of one plane, all of which is updated
 *   name_grid name_inner(...)              the same, but points that would read outside keep their values
 *   name_grid name_of_rank(const cmk_grid *split, const int ghosts[3])
 *       the points of a rank of a split of grid.h, all of which are updated, and ghosts[axis] ghosts at each side
 *       with a neighbour. row_pitch is a multiple of 32. A buffer has planes * plane_pitch elements
 *   name_grid name_part(name_grid grid, cmk_box box)
 *       the same grid, of which only a box of the part is updated; box counts from the first point of the part
 *   int name_fields(name_grid *grid, cmk_field *fields)
 *       writes what an exchange of the ghosts of a grid needs (halo.h), and returns how many fields that are:
 *       CMK_HALO_FIELDS at most are written. They are those that are read beside the point, in the order of LIST, with
 *       their buffers, pitches and reach. An IN field that never changes needs one exchange: give it a halo of its own.
 *       Call it for level 0, when the buffers and deep_ghosts are set, while the part is all that the rank owns
 *   int name_results(name_grid *grid, cmk_result *results)
 *       writes the results of a grid for cmk_halo_reduce (halo/reduce.h), and returns how many they are:
 *       CMK_HALO_RESULTS at most are written
 *   cudaError_t name_flip(name_grid *grid, cudaStream_t stream)
 *       does to a grid what a step does to its pointers and first_step, but computes nothing. Call it once behind a
 *       step of all its boxes, where copies of the grid did the step of each box
 *   cudaError_t name(name_grid *grid, VALUES and TABLES..., cudaStream_t stream)
 *       does one step. VALUES are those of VALUE, and pointers to those of VALUE_OF, which must not be NULL. Then
 *       grid->field is the new level: the two pointers of NEXT and LEAPFROG fields change places
 *   cudaError_t name_steps(name_grid *grid, size_t steps, VALUES and TABLES..., cudaStream_t stream)
 *       does the same as `steps` calls of name, on the CPU and by nvcc -fmad=false with the same bits. Several steps
 *       are done in one pass over memory where that is possible and faster: see below
 *   cudaError_t name_until(name_grid *grid, size_t steps, cmk_until until, VALUES and TABLES..., cudaStream_t stream)
 *       repeats turns of `steps` steps, as name_steps does them, until a value in device memory has fallen or a flag is
 *       set, and the host does not wait: see ../until.h. With steps 0 a turn is one pass. The value may be a result of
 *       the update, such as grid->change. The grid stays as it is, as if its buffers had not changed places: behind the
 *       loop grid->field is the newest level, whatever the number of turns. first_step stays too, but CMK_POINT_STEP
 *       counts on from turn to turn
 *   cudaError_t name_plan(name_call *call, const cmk_plan_device *device, name_grid *grid, VALUES and TABLES...)
 *   cudaError_t name_steps_plan(name_call *call, const cmk_plan_device *device, name_grid *grid, size_t steps,
 *                               int captured, VALUES and TABLES...)
 *       begin the launches of a call on a device: see plan.h. The name_next behind a launch does to the grid what the
 *       launch has done. captured is 1 where the launches are captured in a graph
 *   cudaError_t name_prepare(name_grid *grid, cudaStream_t stream)
 *       allocates the spare buffers that passes of name_steps need, where they are NULL
 *   cudaError_t name_release(name_grid *grid, cudaStream_t stream)
 *       frees them. All pointers are to buffers of the caller again, which hold the newest levels
 *
 * A call returns before the kernel has run. It launches nothing, leaves the grid as it was and returns
 * cudaErrorInvalidValue for a null or misaligned pointer, a pitch below the width, a part that is not inside the grid,
 * or a size above 2^31 - 257. So it does for a buffer that is written and overlaps another, and for a part of a larger
 * grid with fewer ghosts than a SHAPE reaches. The function name_why of plan.h says which it is. A part of size 0 is
 * allowed and launches nothing but what ends its results. Points outside the part are not written: both buffers of a
 * NEXT field must hold them. A captured graph must hold an even number of steps, so that a replay finds the pointers
 * as they were. A call is fastest where rows begin at multiples of 16 bytes.
 *
 * name_steps does passes of cmk_point_steps_ steps, and single steps for what is left. This number is a constant of
 * the definition, from 2 to 16, or up to 96 for lines; 1 means that there are no passes. All steps are single ones
 * unless all of this holds. The elements of all fields have one size, of at most 8 bytes. Along each axis all fields
 * wrap, or none does. All fields have the pitches of the grid. Rows have at least 512 bytes, and where they wrap a
 * multiple of 16 bytes. The part has at least half of the rows and half of the columns. SAME and LEAPFROG fields need
 * a part of all planes, and spare buffers, with which they change places. Where rows do not begin at multiples of 16
 * bytes, a pass takes 1.1 to 1.3 times as long. A pass may evaluate the update of a point again: see CMK_POINT_MINE.
 *
 * Where no field has neighbours in other rows, as with CMK_POINT_REACH(0, 0, radius), rows are lines. There may be any
 * number of them, or one, as in heat_domain(1, n, n). A warp of a pass holds a part of a line in registers: 6144 bytes
 * of one field, and less of each of several. A line must be at least an eighth of such a part. All passes of a call
 * have about as many steps, and no single step is left.
 *
 * nvcc compiles a pass only where name_steps or name_steps_plan is called: for nvcc both are templates whose only
 * parameter has a default. With CMK_C_NAMES 1, and by NVRTC, passes are always compiled, so that a module has their
 * kernel, name_steps_kernel. Two macros set the passes:
 *   #define CMK_STEPS_MOST 1               before the header is included: the most steps of a pass; 1 forbids passes,
 *                                          and compiles faster
 *   #define CMK_TUNED_heat (6, 3)          before the definition of heat: passes of 6 steps, or fewer where 6 are not
 *                                          possible, and 3 blocks of an SM. These take the place of a model's numbers;
 *                                          ./cmk tune finds them
 *
 * Call name_prepare when the buffers, sizes and pitches of a grid are set. They must stay as they are until
 * name_release. It allocates one piece of memory. It allocates none where no spare buffer is missing, or where no pass
 * would be made of the grid as it is. Spare buffers that the caller has set stay. On an error it changes nothing. It
 * returns the error of cudaMalloc, or cudaErrorInvalidValue where name would. It also returns cudaErrorInvalidValue for
 * a wrong spare buffer, and where it has been called before and a spare buffer is missing.
 *
 * Call name_release on the stream of the last step. It copies what is in prepared memory to the caller's buffers, only
 * the columns of each row, and waits for the copy. Then spare buffers that were prepared are NULL. A SAME field has the
 * buffer that it had. The pointers field and field_before of a LEAPFROG field have the two buffers that they had, in
 * either order, as after a step. Where the caller has set spare buffers, a pointer has one of these or of its own. A
 * second name_release does nothing. Neither function may be called for a stream that is captured. A copy of a prepared
 * grid has the same buffers and the same memory: go on with one of the two, and release that one.
 *
 * A rank's part of a larger grid is a grid of its own. It has the rank's points and, on each side with a neighbour,
 * ghosts: copies of the neighbour's points, as many as the reach of an update. A call updates the rank's points, or any
 * box of them. EDGE acts only where the grid ends without ghosts, which is where the larger grid ends. The larger grid
 * has the sizes global_planes, global_rows and global_columns. Element (0, 0, 0) of the rank's grid lies in it at
 * origin_plane, origin_row and origin_column, which may be below 0 where ghosts come first. What an update sees of its
 * place and of sizes is that of the larger grid. Ghosts may be points of the other end of an axis. If such ghosts are
 * updated, the field must wrap along the axis.
 *
 * For several steps between two exchanges, ghosts are needed for all of them: steps * reach, and as many again for each
 * further stage of a step. Set deep_ghosts to 1. name_steps then also updates the points beside the part that the
 * following steps need; its last step updates the part alone. After it ghosts are stale, until they are copied anew.
 * With such ghosts do a single step of several stages by name_steps too. name_fields then gives all fields that are
 * read, each with all ghosts of the grid, and both levels of a LEAPFROG. The level of an exchange is how often the two
 * buffers of a field have changed places: once in a pass of several steps. docs/multi-gpu.md has the whole loop.
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
