/* bordered.h: steps of stencil2d.h and stencil3d.h that do the border of the part first. The launch then counts up a
 * word. So what the neighbours of a rank need may travel while all else is computed. docs/multi-gpu.md has the loop.
 *
 *   CMK_DEFINE_BORDERED(name, LIST);       behind CMK_DEFINE_STENCIL2D(name, LIST), or 3D, at file scope
 *
 *   cmk_point_border                       a struct
 *       low[3], high[3]                    how many planes, rows and columns of the part are its border, at both sides
 *       arrived                            unsigned *: a word of device memory, 0 before the first launch
 *       count                              the value of the word when the border of the last launch is stored
 *   cmk_point_border cmk_point_border_of(const cmk_grid *split, const int width[3], unsigned *arrived)
 *       the border of a rank of a split of grid.h: width[axis] at each side with a neighbour
 *   cudaError_t name_bordered(name_grid *grid, cmk_point_border *border, VALUES and TABLES..., cudaStream_t stream)
 *       does one step, as name does, with the same errors; without a border, or a word, it is name. A border
 *       narrower than a field reaches that is written is refused, unless it is 0. A stream that waits until the word
 *       has reached border->count (stream.h) sees all points of the border. The word may come late, but never early
 *
 *   cudaError_t name_bordered_steps(name_grid *grid, cmk_point_border *border, size_t steps, VALUES..., stream)
 *       does several steps, as name_steps does. The blocks at both ends of the planes come first and count where the
 *       steps are one pass along planes, the border has planes only, and no field has spare buffers. Else the word is
 *       counted up last, when all is done
 *
 *   name_bordered_call
 *   cudaError_t name_bordered_plan(name_bordered_call *call, const cmk_plan_device *device, name_grid *grid,
 *                                  cmk_point_border *border, VALUES and TABLES...)
 *   cudaError_t name_bordered_steps_plan(name_bordered_call *call, const cmk_plan_device *device, name_grid *grid,
 *                                        cmk_point_border *border, size_t steps, int captured, VALUES...)
 *   int name_bordered_next(name_bordered_call *call)
 *       their launches, as those of name_plan. With several steps, border->count grows by itself where the only launch
 *       is of name_bordered_steps_kernel. Else write count + 1 to the word behind the last launch, and add 1 to count
 *
 * Values are those of name, on the CPU bit for bit. Where blocks go along planes, the last planes of the border are a
 * chunk of their own. It reads some planes again, which costs 1 to 3 % of a step of 512 planes. The word grows from
 * launch to launch, and wraps around. In a captured graph it must begin as it does in every replay: write 0 to it
 * first, and to border.count.
 *
 *   cmk_point_border border = cmk_point_border_of(&split, ghosts, word);
 *   CMK_CHECK(heat_bordered(&grid, &border, 0.2f, stream));
 *   CMK_CHECK(cmk_stream_wait_value(messages, border.arrived, border.count)); */
#ifndef CMK_KERNEL_BORDERED_H
#define CMK_KERNEL_BORDERED_H

#include "point/border.h"
#include "steps.h"

#define CMK_DEFINE_BORDERED(name, LIST)                                                                                \
    enum { name##_is_bordered_ = name##_is_defined_ };                                                                 \
    CMK_POINT_BORDERED_KERNEL_(name##_bordered_kernel, name, LIST, 1)                                                  \
    CMK_POINT_BORDERED_KERNEL_(name##_bordered_unaligned_kernel, name, LIST, 0)                                        \
    CMK_POINT_BORDERED_STEPS_KERNEL_(name, LIST)                                                                       \
    CMK_POINT_BORDERED_LAUNCHER_(name, LIST)                                                                           \
    CMK_POINT_BORDERED_STEPS_LAUNCHER_(name, LIST)                                                                     \
    CMK_SEMICOLON_

/* Defines a kernel of the last stage of a step. */
#define CMK_POINT_BORDERED_KERNEL_(kernel, name, LIST, ALIGNED)                                                        \
    CMK_POINT_ENTRY_(                                                                                                  \
        kernel, name, LIST, CMK_POINT_BOUNDS_(name, ALIGNED),                                                          \
        (const CMK_GRID_CONSTANT_ cmk_point_task_ cmk_task_, const CMK_GRID_CONSTANT_ cmk_point_inward_ cmk_inward_),  \
        1, 0,                                                                                                          \
        CMK_FIX_(name##_run_, ALIGNED, &cmk_grid_, &cmk_task_, cmk_sums_, &cmk_inward_,                                \
                 name##_stages_ - 1 LIST(CMK_POINT_ARGUMENT_));)

/* Defines the kernel of a pass of several steps. */
#define CMK_POINT_BORDERED_STEPS_KERNEL_(name, LIST)                                                                   \
    CMK_IF_CALLED_ CMK_POINT_ENTRY_(                                                                                   \
        name##_bordered_steps_kernel, name, LIST, CMK_POINT_PASS_BOUNDS_(name),                                        \
        (const CMK_GRID_CONSTANT_ name##_grid cmk_to_, const CMK_GRID_CONSTANT_ cmk_point_task_ cmk_task_,             \
         const CMK_GRID_CONSTANT_ cmk_point_inward_ cmk_inward_),                                                      \
        0, 0, if (name##_dims_ == 2 || cmk_point_steps_(name##_definition_(), name##_stages_) < 2) return;             \
        CMK_CONSTEXPR_ const cmk_point_definition_ cmk_d_ = name##_definition_();                                      \
        const cmk_point_strip_ cmk_strip_ =                                                                            \
            cmk_point_strip_3d_(&cmk_task_, cmk_d_, cmk_point_levels_(cmk_d_, name##_stages_),                         \
                                cmk_point_ends_first_(&cmk_task_, &cmk_inward_, blockIdx.x));                          \
        name##_strip_(&cmk_grid_, &cmk_task_, cmk_sums_, &cmk_to_, cmk_strip_ LIST(CMK_POINT_ARGUMENT_));              \
        if (cmk_point_at_ends_(&cmk_task_, &cmk_inward_, blockIdx.x)) cmk_point_count_up_(cmk_inward_.arrived);)

#if CMK_HAS_HOST_

#define CMK_POINT_BORDERED_KERNELS_(VERB, name, LIST)                                                                  \
    CMK_POINT_KERNELS_(VERB, name, LIST)                                                                               \
    CMK_POINT_BOTH_KERNELS_(VERB, name##_bordered, LIST, cmk_point_by_border_vectors_, engine_.inward)
#define CMK_POINT_BORDERED_PASSES_(VERB, name, LIST)                                                                   \
    CMK_POINT_PASSES_(VERB, name, LIST)                                                                                \
    CMK_POINT_##VERB(name##_bordered_steps_kernel, cmk_point_by_border_passes_, LIST, grids_.now, grids_.to,           \
                     engine_.task, INWARD_)
#define CMK_POINT_INWARD_SHOW_ , CMK_PLAN_ARGUMENT_(call->engine_.inward)
#define CMK_POINT_INWARD_LAUNCH_ , call->engine_.inward
#define CMK_POINT_INWARD_KERNEL_ CMK_CALLED_

#define CMK_POINT_BORDERED_LAUNCHER_(name, LIST)                                                                       \
    CMK_POINT_CALL_(name##_bordered, name, CMK_POINT_BORDERED_KERNELS_, LIST)                                          \
    CMK_POINT_PLAN_(name##_bordered, name##_bordered, name, LIST, (, cmk_point_border * cmk_border_), 1, 0, 0,         \
                    cmk_border_)                                                                                       \
    CMK_POINT_LAUNCHER_(name##_bordered, name##_bordered, name##_bordered, name, LIST,                                 \
                        (, cmk_point_border * cmk_border_), (, cmk_border_),                                           \
                        name##_bordered_launch_(&cmk_call_, cmk_stream_), CMK_POINT_NONE_)

/* Defines the launcher of several steps. */
#define CMK_POINT_BORDERED_STEPS_LAUNCHER_(name, LIST)                                                                 \
    CMK_POINT_CALL_OF_STEPS_(name##_bordered, name, CMK_POINT_BORDERED_KERNELS_, CMK_POINT_BORDERED_PASSES_, LIST)     \
    CMK_IF_CALLED_ CMK_POINT_PLAN_(name##_bordered_steps, name##_bordered, name, LIST,                                 \
                                   (, cmk_point_border * cmk_border_, size_t cmk_steps_, int cmk_captured_),           \
                                   cmk_steps_, 1, cmk_captured_, cmk_border_)                                          \
    CMK_IF_CALLED_ CMK_POINT_LAUNCHER_(name##_bordered_steps, name##_bordered_steps, name##_bordered, name, LIST,      \
                                       (, cmk_point_border * cmk_border_, size_t cmk_steps_),                          \
                                       (, cmk_border_, cmk_steps_, CMK_POINT_CAPTURED_(name)),                         \
                                       cmk_point_count_last_(name##_bordered_launch_steps_(&cmk_call_, cmk_stream_),   \
                                                             &cmk_call_.engine_, cmk_border_, cmk_stream_),            \
                                       CMK_POINT_NONE_)

#else

#define CMK_POINT_BORDERED_LAUNCHER_(name, LIST)
#define CMK_POINT_BORDERED_STEPS_LAUNCHER_(name, LIST)

#endif

#endif
