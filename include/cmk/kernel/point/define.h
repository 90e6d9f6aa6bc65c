/* kernel/point/define.h: what CMK_DEFINE_STENCIL2D and CMK_DEFINE_STENCIL3D generate. CMK_DEFINE_STENCIL2D(heat, HEAT):
 *
 *   typedef struct { size_t planes, ...; float *u, *u_next; size_t u_row_pitch, u_plane_pitch; float u_outside; } heat_grid;
 *   cmk_point_definition_ heat_definition_(void);
 *   void heat_fill_(heat_windows_ *, heat_befores_ *, const heat_grid *, cmk_point_place_);
 *   void heat_keep_(...); void heat_store_(...);        what was not set keeps its value; outputs to memory
 *   void heat_tile_(...);                               all points of a thread: fill, update each, store
 *   __global__ void heat_kernel(const heat_grid grid, const cmk_point_task_ task, int stage, const float k);
 *   heat_grid heat_domain(...), heat_inner(...);
 *   cudaError_t heat(heat_grid *, const float k, cudaStream_t), heat_steps(...);
 *
 * What a LIST expands in a function reads that function's parameters: cmk_grid_, cmk_place_, cmk_windows_ and so on. */
#ifndef CMK_KERNEL_POINT_DEFINE_H
#define CMK_KERNEL_POINT_DEFINE_H

#include "../../table.h"
#include "plan.h"
#include "window.h"

#define CMK_POINT_DEFINE_(name, LIST)                                                                                  \
    CMK_POINT_STRUCT_(name##_grid, CMK_POINT_SIZES_, LIST(CMK_POINT_GRID_))                                            \
    CMK_POINT_CONSTANTS_(name, LIST)                                                                                   \
    CMK_POINT_MOVES_(name, LIST)                                                                                       \
    CMK_POINT_TILE_(name, LIST)                                                                                        \
    CMK_POINT_KERNEL_(name, LIST)

/* ---- The grid and the constants. The largest reach of all fields is the size of a union of arrays. */
#define CMK_POINT_GRID_(KIND, ...) CMK_POINT_FIELDS_(KIND, CMK_POINT_GRID_OF_, __VA_ARGS__)
#define CMK_POINT_GRID_OF_(KIND, T, field, AT, N, SHAPE, EDGE)                                                         \
    CMK_POINT_POINTERS_##KIND##_(T, field, AT) size_t field##_row_pitch, field##_plane_pitch;                          \
    T field##_outside;
#define CMK_POINT_POINTERS_IN_(T, field, AT) const T *field AT;
#define CMK_POINT_POINTERS_OUT_(T, field, AT) T *field AT;
#define CMK_POINT_POINTERS_SAME_(T, field, AT) T *field AT;
#define CMK_POINT_POINTERS_NEXT_(T, field, AT) T *field AT, *field##_next AT;
#define CMK_POINT_POINTERS_LEAPFROG_(T, field, AT) T *field AT, *field##_before AT;
#define CMK_POINT_TARGET_OUT_(field) field
#define CMK_POINT_TARGET_SAME_(field) field
#define CMK_POINT_TARGET_NEXT_(field) field##_next
#define CMK_POINT_TARGET_LEAPFROG_(field) field##_before

#define CMK_POINT_CONSTANTS_(name, LIST)                                                                               \
    typedef union {                                                                                                    \
        char none_;                                                                                                    \
        LIST(CMK_POINT_WIDEST_)                                                                                        \
    } name##_widest_;                                                                                                  \
    CMK_FUNCTION cmk_point_definition_ name##_definition_(void)                                                        \
    {                                                                                                                  \
        cmk_point_definition_ d = {name##_dims_, 0, CMK_POINT_LANES_(sizeof(name##_widest_))};                         \
        LIST(CMK_POINT_INCLUDE_)                                                                                       \
        return d;                                                                                                      \
    }
#define CMK_POINT_WIDEST_(KIND, ...) CMK_POINT_FIELDS_(KIND, CMK_POINT_WIDEST_OF_, __VA_ARGS__)
#define CMK_POINT_WIDEST_OF_(KIND, T, field, AT, N, SHAPE, EDGE) T field;
#define CMK_POINT_INCLUDE_(KIND, ...) CMK_POINT_FIELDS_(KIND, CMK_POINT_INCLUDE_OF_, __VA_ARGS__)
#define CMK_POINT_INCLUDE_OF_(KIND, T, field, AT, N, SHAPE, EDGE) d = cmk_point_include_(d, SHAPE, (int)sizeof(T));

/* ---- What a thread does with its points */
#define CMK_POINT_MOVES_(name, LIST)                                                                                   \
    CMK_DEVICE_ void name##_fill_(name##_windows_ *cmk_windows_, name##_befores_ *cmk_befores_,                        \
                                  const name##_grid *cmk_grid_, cmk_point_place_ cmk_place_)                           \
    {                                                                                                                  \
        (void)cmk_befores_;                                                                                            \
        LIST(CMK_POINT_FILL_)                                                                                          \
    }                                                                                                                  \
    CMK_DEVICE_ void name##_keep_(name##_values_ *cmk_values_, name##_sets_ *cmk_sets_,                                \
                                  const name##_windows_ *cmk_windows_, cmk_point_place_ cmk_place_)                    \
    {                                                                                                                  \
        (void)cmk_values_, (void)cmk_sets_, (void)cmk_windows_, (void)cmk_place_;                                      \
        LIST(CMK_POINT_KEEP_)                                                                                          \
    }                                                                                                                  \
    CMK_DEVICE_ void name##_store_(const name##_values_ *cmk_values_, const name##_sets_ *cmk_sets_,                   \
                                   const name##_grid *cmk_grid_, cmk_point_place_ cmk_place_)                          \
    {                                                                                                                  \
        LIST(CMK_POINT_STORE_)                                                                                         \
    }
#define CMK_POINT_FILL_(KIND, ...) CMK_POINT_FIELDS_(KIND, CMK_POINT_FILL_OF_, __VA_ARGS__)
#define CMK_POINT_FILL_OF_(KIND, T, field, AT, N, SHAPE, EDGE)                                                         \
    CMK_POINT_READS_##KIND##_(cmk_point_fill_(&cmk_windows_->field, sizeof cmk_windows_->field, &cmk_grid_->field,     \
                                              CMK_POINT_OF_(T, N, SHAPE, EDGE, cmk_point_rewrites_##KIND##_),          \
                                              CMK_POINT_LAYOUT_(field), cmk_place_);)                                  \
    CMK_POINT_LEAPS_##KIND##_(cmk_point_fill_(&cmk_befores_->field, sizeof cmk_befores_->field,                        \
                                              &cmk_grid_->field##_before, CMK_POINT_OF_(T, N, 0, EDGE, 1),             \
                                              CMK_POINT_LAYOUT_(field), cmk_place_);)
#define CMK_POINT_OF_(T, N, SHAPE, EDGE, WRITTEN)                                                                      \
    cmk_point_field_of_(sizeof(T), __alignof__(T), N, SHAPE, EDGE, WRITTEN)
#define CMK_POINT_LAYOUT_(field)                                                                                       \
    cmk_point_layout_of_(cmk_grid_->field##_row_pitch, cmk_grid_->field##_plane_pitch, &cmk_grid_->field##_outside)
enum {
    cmk_point_rewrites_IN_ = 0,
    cmk_point_rewrites_SAME_ = 1,
    cmk_point_rewrites_NEXT_ = 0,
    cmk_point_rewrites_LEAPFROG_ = 0
};

#define CMK_POINT_KEEP_(KIND, ...) CMK_POINT_FIELDS_(KIND, CMK_POINT_KEEP_OF_, __VA_ARGS__)
#define CMK_POINT_KEEP_OF_(KIND, T, field, AT, N, SHAPE, EDGE)                                                         \
    CMK_POINT_KEEPS_##KIND##_(cmk_point_keep_(&cmk_values_->field, sizeof cmk_values_->field,                          \
                                              (char *)&cmk_sets_->field, &cmk_windows_->field,                         \
                                              sizeof cmk_windows_->field,                                              \
                                              CMK_POINT_OF_(T, N, SHAPE, EDGE, 0), cmk_place_);)
#define CMK_POINT_KEEPS_IN_(...)
#define CMK_POINT_KEEPS_OUT_(...)
#define CMK_POINT_KEEPS_SAME_(...)
#define CMK_POINT_KEEPS_NEXT_(...) __VA_ARGS__
#define CMK_POINT_KEEPS_LEAPFROG_(...) __VA_ARGS__

#define CMK_POINT_STORE_(KIND, ...) CMK_POINT_FIELDS_(KIND, CMK_POINT_STORE_OF_, __VA_ARGS__)
#define CMK_POINT_STORE_OF_(KIND, T, field, AT, N, SHAPE, EDGE)                                                        \
    CMK_POINT_WRITES_##KIND##_(cmk_point_store_(&cmk_grid_->CMK_POINT_TARGET_##KIND##_(field), &cmk_values_->field,    \
                                                sizeof cmk_values_->field, (const char *)&cmk_sets_->field,            \
                                                CMK_POINT_OF_(T, N, SHAPE, EDGE, 1), CMK_POINT_LAYOUT_(field),         \
                                                cmk_place_);)

#define CMK_POINT_TILE_(name, LIST)                                                                                    \
    CMK_DEVICE_ void name##_tile_(const name##_grid *cmk_grid_, const cmk_point_task_ *cmk_task_,                      \
                                  cmk_point_place_ cmk_place_ LIST(CMK_POINT_PARAMETER_))                              \
    {                                                                                                                  \
        name##_windows_ cmk_windows_;                                                                                  \
        name##_befores_ cmk_befores_;                                                                                  \
        name##_values_ cmk_values_;                                                                                    \
        name##_sets_ cmk_sets_;                                                                                        \
        memset(&cmk_sets_, 0, sizeof cmk_sets_);                                                                       \
        name##_fill_(&cmk_windows_, &cmk_befores_, cmk_grid_, cmk_place_);                                             \
        CMK_UNROLL                                                                                                     \
        for (int z = 0; z < cmk_place_.tile_planes; ++z) CMK_UNROLL                                                    \
        for (int y = 0; y < cmk_place_.tile_rows; ++y) CMK_UNROLL                                                      \
        for (int x = 0; x < cmk_place_.lanes; ++x) {                                                                   \
            const cmk_point_place_ cmk_point_ = cmk_point_move_(cmk_place_, z, y, x);                                  \
            if (!cmk_point_belongs_(cmk_task_, &cmk_point_)) continue;                                                 \
            name##_point_(&cmk_windows_, (const name##_shapes_ *)0, &cmk_befores_, &cmk_point_, &cmk_values_,          \
                          &cmk_sets_ LIST(CMK_POINT_ARGUMENT_));                                                       \
            name##_keep_(&cmk_values_, &cmk_sets_, &cmk_windows_, cmk_point_);                                         \
        }                                                                                                              \
        name##_store_(&cmk_values_, &cmk_sets_, cmk_grid_, cmk_place_);                                                \
    }

/* ---- The kernel. In strips: lanes of a vector are as many strips of 32 columns. */
#define CMK_POINT_KERNEL_(name, LIST)                                                                                  \
    CMK_DEVICE_ void name##_stage_(const name##_grid *grid, const cmk_point_task_ *task,                               \
                                   cmk_point_place_ place LIST(CMK_POINT_PARAMETER_))                                  \
    {                                                                                                                  \
        const cmk_point_definition_ d = name##_definition_();                                                          \
        if (task->whole && cmk_point_inside_(task, d, &place, 32 * d.lanes)) {                                         \
            place.column += (int)threadIdx.x * d.lanes;                                                                \
            name##_tile_(grid, task, place LIST(CMK_POINT_ARGUMENT_));                                                 \
            return;                                                                                                    \
        }                                                                                                              \
        place.lanes = 1;                                                                                               \
        CMK_NO_UNROLL                                                                                                  \
        for (int strip = 0; strip < d.lanes; ++strip, place.column += 32) {                                            \
            cmk_point_place_ mine = place;                                                                             \
            mine.column += (int)threadIdx.x;                                                                           \
            mine.inside = 1;                                                                                           \
            if (cmk_point_inside_(task, d, &place, 32)) {                                                              \
                name##_tile_(grid, task, mine LIST(CMK_POINT_ARGUMENT_));                                              \
            } else {                                                                                                   \
                mine.inside = 0;                                                                                       \
                name##_tile_(grid, task, mine LIST(CMK_POINT_ARGUMENT_));                                              \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    CMK_STATIC_ __global__ void __launch_bounds__(32 * CMK_POINT_WARPS_(name##_dims_)) name##_kernel(                  \
        const CMK_GRID_CONSTANT_ name##_grid grid, const CMK_GRID_CONSTANT_ cmk_point_task_ task,                      \
        int stage LIST(CMK_POINT_ACCEPT_))                                                                             \
    {                                                                                                                  \
        CMK_UNROLL                                                                                                     \
        for (int s = 0; s < name##_stages_; ++s)                                                                       \
            if (s == stage)                                                                                            \
                name##_stage_(&grid, &task,                                                                            \
                              cmk_point_locate_(&task, name##_definition_(), s) LIST(CMK_POINT_ARGUMENT_));            \
    }
#define CMK_POINT_ACCEPT_(KIND, ...) CMK_POINT_WORDS_(KIND, CMK_POINT_ACCEPT_OF_, __VA_ARGS__)
#define CMK_POINT_ACCEPT_OF_VALUE_(T, value) , T const value
#define CMK_POINT_ACCEPT_OF_TABLE_(table) , CMK_TABLE_PARAMETER(table)

/* ---- The host's functions */
#if CMK_HAS_HOST_

#define CMK_POINT_MEMBER_(KIND, ...) CMK_POINT_FIELDS_(KIND, CMK_POINT_MEMBER_OF_, __VA_ARGS__)
#define CMK_POINT_MEMBER_OF_(KIND, T, field, AT, N, SHAPE, EDGE)                                                       \
    all[members].kind = cmk_point_##KIND##_, all[members].count = (N), all[members].size = sizeof(T);                  \
    all[members].alignment = __alignof__(T), all[members].pointers = (size_t)((char *)&grid->field - (char *)grid);    \
    all[members].others = 0 CMK_POINT_KEEPS_##KIND##_(+(size_t)((char *)&grid->CMK_POINT_TARGET_##KIND##_(field) -     \
                                                                 (char *)grid));                                       \
    all[members].row_pitch = (size_t)((char *)&grid->field##_row_pitch - (char *)grid);                                \
    all[members++].plane_pitch = (size_t)((char *)&grid->field##_plane_pitch - (char *)grid);
#define CMK_POINT_COUNT_(KIND, ...) CMK_POINT_FIELDS_(KIND, CMK_POINT_COUNT_OF_, __VA_ARGS__)
#define CMK_POINT_COUNT_OF_(KIND, T, field, AT, N, SHAPE, EDGE) +1

#define CMK_POINT_LAUNCHERS_(name, LIST)                                                                               \
    CMK_LAUNCHER_ name(name##_grid *grid LIST(CMK_POINT_TAKE_), cudaStream_t stream)                                   \
    {                                                                                                                  \
        cmk_point_member_ all[1 LIST(CMK_POINT_COUNT_)];                                                               \
        int members = 0;                                                                                               \
        name##_grid now;                                                                                               \
        cmk_point_task_ task;                                                                                          \
        unsigned blocks;                                                                                               \
        if (grid == NULL) return cudaErrorInvalidValue;                                                                \
        LIST(CMK_POINT_MEMBER_)                                                                                        \
        now = *grid;                                                                                                   \
        cudaError_t error = cmk_point_plan_(&now, all, members, name##_definition_(), &task, &blocks);                 \
        for (int stage = 0; stage < name##_stages_ && error == cudaSuccess && blocks > 0; ++stage) {                   \
            error = CMK_LAUNCH(name##_kernel, blocks, dim3(32, (unsigned)CMK_POINT_WARPS_(name##_dims_)), 0, stream,   \
                               now, task, stage LIST(CMK_POINT_ARGUMENT_));                                            \
            if (error == cudaSuccess) cmk_point_exchange_(&now, all, members);                                         \
            if (error == cudaSuccess) cmk_point_exchange_(grid, all, members);                                         \
        }                                                                                                              \
        if (error == cudaSuccess) ++grid->first_step;                                                                  \
        return error;                                                                                                  \
    }                                                                                                                  \
    CMK_LAUNCHER_ name##_steps(name##_grid *grid, size_t steps LIST(CMK_POINT_TAKE_), cudaStream_t stream)             \
    {                                                                                                                  \
        cudaError_t error = cudaSuccess;                                                                               \
        for (size_t step = 0; step < steps && error == cudaSuccess; ++step)                                            \
            error = name(grid LIST(CMK_POINT_ARGUMENT_), stream);                                                      \
        return error;                                                                                                  \
    }
#define CMK_POINT_TAKE_(KIND, ...) CMK_POINT_WORDS_(KIND, CMK_POINT_TAKE_OF_, __VA_ARGS__)
#define CMK_POINT_TAKE_OF_VALUE_(T, value) , T const value
#define CMK_POINT_TAKE_OF_TABLE_(table) , table##_table table

/* a name_grid of these sizes; PARAMETERS and ARGUMENTS are those of the function */
#define CMK_POINT_GRIDS_(name, PARAMETERS, ...)                                                                        \
    __attribute__((unused)) static inline name##_grid name##_domain PARAMETERS                                         \
    {                                                                                                                  \
        const cmk_point_sizes_ sizes = cmk_point_domain_(__VA_ARGS__);                                                 \
        name##_grid grid;                                                                                              \
        memset((void *)&grid, 0, sizeof grid);                                                                         \
        memcpy((void *)&grid, &sizes, sizeof sizes);                                                                   \
        return grid;                                                                                                   \
    }                                                                                                                  \
    __attribute__((unused)) static inline name##_grid name##_inner PARAMETERS                                          \
    {                                                                                                                  \
        const cmk_point_sizes_ sizes = cmk_point_inner_(cmk_point_domain_(__VA_ARGS__), name##_definition_());         \
        name##_grid grid;                                                                                              \
        memset((void *)&grid, 0, sizeof grid);                                                                         \
        memcpy((void *)&grid, &sizes, sizeof sizes);                                                                   \
        return grid;                                                                                                   \
    }

#else

#define CMK_POINT_LAUNCHERS_(name, LIST)
#define CMK_POINT_GRIDS_(name, PARAMETERS, ...)

#endif

#endif
