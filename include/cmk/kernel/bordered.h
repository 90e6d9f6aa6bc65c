/* bordered.h: steps of stencil2d.h and stencil3d.h whose launch does the border of the part first, and counts: what the
 * neighbours of a rank need may travel while all else is computed. See docs/multi-gpu.md.
 *
 *   CMK_DEFINE_BORDERED(name, LIST);       behind CMK_DEFINE_STENCIL2D(name, LIST) or 3D, at file scope
 *
 *   cmk_point_border                       a struct
 *       low[3], high[3]                    the border: planes, rows and columns of the part at its low and its high
 * sides arrived                            unsigned *: a word of device memory, 0 before the first launch count what
 * that has come to once the border of the last launch is stored cmk_point_border cmk_point_border_of(const cmk_grid
 * *split, const int width[3], unsigned *arrived) that of a rank of grid.h: width[axis] wherever it has a neighbour
 *   cudaError_t name_bordered(name_grid *grid, cmk_point_border *border, VALUES and TABLES..., cudaStream_t stream)
 *       a step, as by name, and its errors; without a border, or a word, it is name. Whoever waits for the word to
 * reach border->count (stream.h) sees all points of the border; it may reach that later than they are stored, not
 * before
 *
 * Values of a step are those of name, bit for bit on the CPU. Where blocks go along planes the border's last planes are
 * a chunk of their own, which reads some planes again. The word grows from launch to launch, and around. In a captured
 * graph it must begin with a value that it has in every replay: write it and border.count to 0 at the start.
 *
 *   cmk_point_border border = cmk_point_border_of(&split, ghosts, word);
 *   CMK_CHECK(cmk_halo_follow(&halo, stream));
 *   CMK_CHECK(heat_bordered(&grid, &border, 0.2f, stream));
 *   CMK_CHECK(cmk_stream_wait_value(halo.stream, border.arrived, border.count));
 *   CMK_CHECK(cmk_halo_begin(&halo, level, halo.stream)); */
#ifndef CMK_KERNEL_BORDERED_H
#define CMK_KERNEL_BORDERED_H

#include "point.h"
#include "point/border.h"

#define CMK_DEFINE_BORDERED(name, LIST)                                                                                \
    CMK_POINT_BORDERED_KERNEL_(name##_bordered_kernel, name, LIST, 1)                                                  \
    CMK_POINT_BORDERED_KERNEL_(name##_bordered_unaligned_kernel, name, LIST, 0)                                        \
    CMK_POINT_BORDERED_LAUNCHER_(name, LIST)                                                                           \
    CMK_SEMICOLON_

/* the last stage of a step */
#define CMK_POINT_BORDERED_KERNEL_(kernel, name, LIST, ALIGNED)                                                        \
    CMK_STATIC_ __global__ void __launch_bounds__(cmk_point_threads_(name##_definition_(), ALIGNED),                   \
                                                  cmk_point_blocks_(name##_definition_(), ALIGNED))                    \
        kernel(const CMK_GRID_CONSTANT_ name##_grid cmk_grid_, const CMK_GRID_CONSTANT_ cmk_point_task_ cmk_task_,     \
               const CMK_GRID_CONSTANT_ cmk_point_inward_ cmk_inward_ LIST(CMK_POINT_ACCEPT_))                         \
    {                                                                                                                  \
        CMK_CONSTEXPR_ const cmk_point_definition_ cmk_d_ = name##_definition_();                                      \
        const int cmk_rings_ = name##_dims_ == 3 && cmk_point_marches_(&cmk_task_, cmk_d_, ALIGNED);                   \
        const cmk_point_where_ cmk_block_ = cmk_point_inward_of_(&cmk_task_, &cmk_inward_, blockIdx.x);                \
        if (cmk_rings_) {                                                                                              \
            cmk_point_place_ cmk_place_ =                                                                              \
                cmk_point_locate_(&cmk_task_, cmk_d_, cmk_block_, name##_stages_ - 1, ALIGNED, 1);                     \
            const cmk_point_chunk_ cmk_chunk_ =                                                                        \
                cmk_point_chunk_inward_(&cmk_task_, &cmk_inward_, cmk_block_, &cmk_place_);                            \
            name##_planes_(&cmk_grid_, &cmk_task_, cmk_place_, cmk_chunk_ LIST(CMK_POINT_ARGUMENT_));                  \
        } else if (cmk_point_tiles_(cmk_d_, ALIGNED)) {                                                                \
            name##_tiles_(&cmk_grid_, &cmk_task_,                                                                      \
                          cmk_point_locate_(&cmk_task_, cmk_d_, cmk_block_, name##_stages_ - 1, ALIGNED, 0)            \
                              LIST(CMK_POINT_ARGUMENT_));                                                              \
            if (cmk_block_.border) cmk_point_count_up_(cmk_inward_.arrived);                                           \
        }                                                                                                              \
    }

#if CMK_HAS_HOST_

#define CMK_POINT_BORDERED_LAUNCHER_(name, LIST)                                                                       \
    CMK_POINT_UNUSED_ static inline cudaError_t name##_bordered(                                                       \
        name##_grid *cmk_grid_, cmk_point_border *cmk_border_ LIST(CMK_POINT_TAKE_), cudaStream_t cmk_stream_)         \
    {                                                                                                                  \
        cmk_point_member_ cmk_all_[1 LIST(CMK_POINT_COUNT_)];                                                          \
        int cmk_members_ = 0;                                                                                          \
        name##_grid cmk_now_;                                                                                          \
        cmk_point_task_ cmk_task_;                                                                                     \
        cmk_point_inward_ cmk_inward_;                                                                                 \
        unsigned cmk_blocks_, cmk_counts_ = 0;                                                                         \
        if (cmk_grid_ == NULL) return cudaErrorInvalidValue;                                                           \
        if (cmk_border_ == NULL || cmk_border_->arrived == NULL)                                                       \
            return name(cmk_grid_ LIST(CMK_POINT_ARGUMENT_), cmk_stream_);                                             \
        LIST(CMK_POINT_MEMBER_)                                                                                        \
        cmk_now_ = *cmk_grid_;                                                                                         \
        cudaError_t cmk_error_ =                                                                                       \
            cmk_point_plan_(&cmk_now_, cmk_all_, cmk_members_, name##_definition_(), &cmk_task_, &cmk_blocks_);        \
        for (int cmk_stage_ = 0; cmk_stage_ < name##_stages_ && cmk_error_ == cudaSuccess && cmk_blocks_ > 0;          \
             ++cmk_stage_) {                                                                                           \
            if (cmk_stage_ < name##_stages_ - 1)                                                                       \
                cmk_error_ = CMK_POINT_LAUNCH_EITHER_(CMK_POINT_LAUNCH_, name##_, name, LIST);                         \
            else                                                                                                       \
                cmk_error_ = cmk_point_plan_border_(&cmk_now_, cmk_border_, name##_definition_(), &cmk_task_,          \
                                                    &cmk_inward_, &cmk_blocks_, &cmk_counts_);                         \
            if (cmk_stage_ == name##_stages_ - 1 && cmk_error_ == cudaSuccess)                                         \
                cmk_error_ = CMK_POINT_LAUNCH_EITHER_(CMK_POINT_LAUNCH_BORDERED_, name##_bordered_, name, LIST);       \
            if (cmk_error_ == cudaSuccess) cmk_point_exchange_(&cmk_now_, cmk_grid_, cmk_all_, cmk_members_);          \
        }                                                                                                              \
        if (cmk_error_ != cudaSuccess) return cmk_error_;                                                              \
        cmk_border_->count += cmk_counts_;                                                                             \
        ++cmk_grid_->first_step;                                                                                       \
        return cudaSuccess;                                                                                            \
    }
#define CMK_POINT_LAUNCH_EITHER_(LAUNCH, prefix, name, LIST)                                                           \
    cmk_task_.aligned ? LAUNCH(prefix##kernel, name, LIST) : LAUNCH(prefix##unaligned_kernel, name, LIST)
#define CMK_POINT_LAUNCH_BORDERED_(kernel, name, LIST)                                                                 \
    CMK_TILE_LAUNCH(kernel, cmk_blocks_, cmk_point_block_(&cmk_task_), (size_t)cmk_task_.shared, cmk_stream_,          \
                    cmk_now_, cmk_task_, cmk_inward_ LIST(CMK_POINT_ARGUMENT_))

#else

#define CMK_POINT_BORDERED_LAUNCHER_(name, LIST)

#endif

#endif
