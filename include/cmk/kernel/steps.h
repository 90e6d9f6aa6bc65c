/* steps.h: what CMK_DEFINE_STENCIL2D and CMK_DEFINE_STENCIL3D generate beside a kernel of one step. That is name_steps,
 * and a kernel that does several steps in one pass over memory. Include stencil2d.h or stencil3d.h.
 *
 *   void heat_bring_(...), heat_advance_(...), heat_leave_(...);       those of point/steps.h, for all fields
 *   void heat_level_(...);                             what a level does when a layer has arrived at the first one
 *   void heat_cycle_(...), heat_strip_(...);           a warp goes down its rows, a block along its planes
 *   void heat_load_(...);                              that of point/line.h, for all fields
 *   void heat_vector_(...), heat_step_(...), heat_part_(...);
 *                                                      one step of a vector of a line; of all; all steps
 *   __global__ void heat_steps_kernel(const heat_grid grid, const heat_grid to, const cmk_point_task_ task,
 *                                     const float k);  from the buffers of grid to those of to
 *   cudaError_t heat_steps(heat_grid *, size_t steps, const float k, cudaStream_t); */
#ifndef CMK_KERNEL_STEPS_H
#define CMK_KERNEL_STEPS_H

#include "point.h"
#include "point/line.h"
#include "point/steps.h"
#include "point/until.h"

#define CMK_POINT_STEPS_(name, LIST, WAYS)                                                                             \
    CMK_POINT_PASS_(name, LIST)                                                                                        \
    CMK_POINT_LEVEL_(name, LIST)                                                                                       \
    CMK_POINT_CYCLE_(name, LIST)                                                                                       \
    CMK_POINT_STRIP_(name, LIST, WAYS)                                                                                 \
    CMK_POINT_VECTOR_(name, LIST)                                                                                      \
    CMK_POINT_STEP_(name, LIST)                                                                                        \
    CMK_POINT_PART_(name, LIST)                                                                                        \
    CMK_POINT_STEPS_KERNEL_(name, LIST)

/* ---- What is done with each field. cmk_old_ is the place of the level before, of a LEAPFROG field. */
#define CMK_POINT_BRING_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, BRING, __VA_ARGS__)
#define CMK_POINT_BRING_OF_(KIND, T, field, ...)                                                                       \
    CMK_POINT_FLOWS_##KIND##_(                                                                                         \
        CMK_POINT_BRING_IN_(cmk_values_->field, field, CMK_POINT_OF_PASS_(field), field, cmk_new_);)                   \
        CMK_POINT_LEAPS_##KIND##_(                                                                                     \
            CMK_POINT_BRING_IN_(cmk_befores_->field, field##_before, CMK_POINT_OF_(field), field, cmk_old_);)
#define CMK_POINT_BRING_IN_(array, from, OF, field, place)                                                             \
    cmk_point_bring_(CMK_POINT_ARRAY_(array), cmk_memory_, &cmk_at_, &cmk_grid_->from, cmk_strip_, cmk_arrives_,       \
                     cmk_d_, OF, CMK_POINT_LAYOUT_(field), place)
#define CMK_POINT_ADVANCE_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, ADVANCE, __VA_ARGS__)
#define CMK_POINT_ADVANCE_OF_(KIND, T, field, ...)                                                                     \
    CMK_POINT_STAYS_##KIND##_(CMK_POINT_FILL_IN_(cmk_own_->field, field, CMK_POINT_OF_(field), field);)                \
        CMK_POINT_FLOWS_##KIND##_(                                                                                     \
            cmk_point_advance_(CMK_POINT_ARRAY_(cmk_own_->field), CMK_POINT_ARRAY_(cmk_values_->field), &cmk_meeting_, \
                               cmk_d_, CMK_POINT_OF_PASS_(field), CMK_POINT_LAYOUT_(field), cmk_place_);)              \
            CMK_POINT_LEAPS_##KIND##_(cmk_point_leap_(CMK_POINT_ARRAY_(cmk_befores_->field),                           \
                                                      CMK_POINT_ARRAY_(cmk_last_->field), cmk_level_,                  \
                                                      CMK_POINT_OF_(field), cmk_place_);)
#define CMK_POINT_MEET_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, MEET, __VA_ARGS__)
#define CMK_POINT_MEET_OF_(KIND, T, field, ...)                                                                        \
    CMK_POINT_FLOWS_##KIND##_(                                                                                         \
        cmk_point_meet_(CMK_POINT_ARRAY_(cmk_own_->field), &cmk_meeting_, cmk_d_, CMK_POINT_OF_(field), cmk_place_);)
#define CMK_POINT_LEAVE_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, LEAVE, __VA_ARGS__)
#define CMK_POINT_LEAVE_OF_(KIND, T, field, ...)                                                                       \
    CMK_POINT_LEAPS_##KIND##_(cmk_point_leave_(&cmk_grid_->field##_before_spare,                                       \
                                               CMK_POINT_ARRAY_(cmk_windows_->field), (const char *)&cmk_sets_->field, \
                                               CMK_POINT_OF_(field), CMK_POINT_LAYOUT_(field), cmk_place_);)

#define CMK_POINT_PASS_(name, LIST)                                                                                    \
    CMK_INLINED_ void name##_bring_(CMK_UNUSED_ name##_values_ *cmk_values_,                                           \
                                    CMK_UNUSED_ name##_befores_ *cmk_befores_, CMK_UNUSED_ char *cmk_memory_,          \
                                    const name##_grid *cmk_grid_, const cmk_point_task_ *cmk_task_,                    \
                                    const cmk_point_strip_ *cmk_strip_, CMK_UNUSED_ int cmk_arrives_)                  \
    {                                                                                                                  \
        CMK_CONSTEXPR_ const cmk_point_definition_ cmk_d_ = name##_definition_();                                      \
        const cmk_i64 cmk_pitch_ = CMK_POINT_LAYER_PITCH_(cmk_d_, cmk_grid_);                                          \
        CMK_UNUSED_ const cmk_point_place_ cmk_new_ = cmk_point_new_(cmk_task_, cmk_d_, cmk_strip_, 0, cmk_pitch_),    \
                                           cmk_old_ = cmk_point_new_(cmk_task_, cmk_d_, cmk_strip_, 1, cmk_pitch_);    \
        CMK_UNUSED_ int cmk_at_ = cmk_point_rings_at_(cmk_d_, cmk_strip_->level);                                      \
        if (cmk_point_fetches_(cmk_d_, cmk_strip_)) CMK_FILL_ARRIVED(ASYNC, cmk_point_layers_later_(cmk_d_));          \
        CMK_POINT_EACH_(name, LIST, BRING)                                                                             \
        if (cmk_point_fetches_(cmk_d_, cmk_strip_)) CMK_FILL_COMMIT(ASYNC);                                            \
    }                                                                                                                  \
    CMK_POINT_FUNCTION_(name##_meet_, name, LIST, MEET, CMK_UNUSED_ name##_windows_ *cmk_own_, CMK_POINT_PLACE_,       \
                        CMK_UNUSED_ cmk_point_meeting_ cmk_meeting_, CMK_UNUSED_ cmk_point_definition_ cmk_d_)         \
    CMK_POINT_FUNCTION_(name##_leave_, name, LIST, LEAVE, CMK_POINT_WINDOWS_OF_(name),                                 \
                        CMK_UNUSED_ const name##_sets_ *cmk_sets_, CMK_POINT_OF_GRID_(name))

/* ---- A level. Values are kept before they are set: what no stage sets, and points outside the part, keep theirs. */
#define CMK_POINT_LEVEL_(name, LIST)                                                                                   \
    CMK_DEVICE_ void name##_level_(name##_windows_ *cmk_windows_, name##_values_ *cmk_values_, char *cmk_memory_,      \
                                   CMK_POINT_FROM_TO_(name), const cmk_point_strip_ *cmk_strip_,                       \
                                   int cmk_level_ LIST(CMK_POINT_PARAMETER_))                                          \
    {                                                                                                                  \
        CMK_CONSTEXPR_ const cmk_point_definition_ cmk_d_ = name##_definition_();                                      \
        const cmk_i64 cmk_pitch_ = CMK_POINT_LAYER_PITCH_(cmk_d_, cmk_grid_);                                          \
        const cmk_point_place_ cmk_place_ =                                                                            \
            cmk_point_level_of_(cmk_task_, cmk_d_, cmk_strip_, name##_stages_, cmk_level_, cmk_pitch_);                \
        CMK_UNUSED_ cmk_point_meeting_ cmk_meeting_ =                                                                  \
            cmk_point_meeting_of_(cmk_memory_, cmk_d_, cmk_level_, cmk_strip_->layer);                                 \
        name##_windows_ *const cmk_own_ = cmk_windows_ + cmk_point_window_(cmk_d_, cmk_level_);                        \
        CMK_UNUSED_ const name##_windows_ *const cmk_last_ = cmk_windows_ + cmk_point_window_(cmk_d_, cmk_level_ - 1); \
        name##_sets_ cmk_sets_ = CMK_ZEROS_(name##_sets_);                                                             \
        name##_befores_ cmk_before_, *const cmk_befores_ = &cmk_before_;                                               \
        if (cmk_level_ == 0 || cmk_point_relays_(cmk_d_)) {                                                            \
            if (name##_dims_ == 3) name##_meet_(cmk_own_, cmk_place_, cmk_meeting_, cmk_d_);                           \
            name##_bring_(cmk_values_, cmk_befores_, cmk_memory_, cmk_grid_, cmk_task_, cmk_strip_, 1);                \
        }                                                                                                              \
        enum { cmk_filled_ = cmk_point_filled_pass_ };                                                                 \
        CMK_POINT_EACH_(name, LIST, ADVANCE)                                                                           \
        if (name##_dims_ == 3 && (cmk_place_.level.early || cmk_place_.level.between))                                 \
            name##_meet_(cmk_own_ + 1, cmk_place_,                                                                     \
                         cmk_point_meeting_of_(cmk_memory_, cmk_d_, cmk_level_ + 1, cmk_strip_->layer), cmk_d_);       \
        name##_evaluate_(cmk_own_, cmk_befores_, cmk_values_, &cmk_sets_, cmk_task_,                                   \
                         cmk_place_ LIST(CMK_POINT_ARGUMENT_));                                                        \
        if (cmk_place_.mine == 0) return;                                                                              \
        name##_store_(cmk_values_, &cmk_sets_, cmk_to_, cmk_place_, cmk_sums_);                                        \
        name##_leave_(cmk_own_, &cmk_sets_, cmk_to_, cmk_place_);                                                      \
    }
#define CMK_POINT_LAYER_PITCH_(d, grid) cmk_point_layer_pitch_(d, (grid)->plane_pitch, (grid)->row_pitch)

/* ---- What is done for each distance from an edge. For nvcc the code stands once for each distance, which is a
 * constant in it. A C compiler takes long for that, so there it stands once, with any distance. So it does in 2D for a
 * strip, where the distance is a constant already: 16 loops, of which 12 are dropped, take long too. */
#define CMK_POINT_ONE_WAY_(WAY, name, LIST) WAY(name, LIST, cmk_edge_)
#if defined(__CUDACC__)
#define CMK_POINT_WAYS_(WAY, name, LIST)                                                                               \
    WAY(name, LIST, cmk_point_clear_)                                                                                  \
    WAY(name, LIST, cmk_point_unaligned_) WAY(name, LIST, cmk_point_near_sides_) WAY(name, LIST, cmk_point_near_layers_)
#else
#define CMK_POINT_WAYS_ CMK_POINT_ONE_WAY_
#endif

/* ---- A strip. It has a loop for each distance from an edge. nvcc keeps no more than 8 KB in registers. */
#if defined(__CUDACC__)
#define CMK_POINT_WINDOWS_(name) cmk_point_thread_levels_(name##_definition_(), name##_stages_)
#else
#define CMK_POINT_WINDOWS_(name) (name##_dims_ == 3 ? cmk_point_most_levels_3d_ : cmk_point_most_levels_)
#endif
#define CMK_POINT_CYCLE_(name, LIST)                                                                                   \
    CMK_DEVICE_ void name##_cycle_(name##_windows_ *cmk_windows_, name##_values_ *cmk_values_, char *cmk_memory_,      \
                                   CMK_POINT_FROM_TO_(name), cmk_point_strip_ *cmk_strip_ LIST(CMK_POINT_PARAMETER_))  \
    {                                                                                                                  \
        CMK_CONSTEXPR_ const cmk_point_definition_ cmk_d_ = name##_definition_();                                      \
        CMK_UNROLL                                                                                                     \
        for (int cmk_k_ = 0; cmk_k_ < cmk_point_layers_at_once_(cmk_d_, cmk_strip_->edge); ++cmk_k_) {                 \
            CMK_UNROLL                                                                                                 \
            for (int cmk_i_ = 0; cmk_i_ < cmk_point_thread_levels_(cmk_d_, name##_stages_); ++cmk_i_)                  \
                name##_level_(cmk_windows_, cmk_values_, cmk_memory_, CMK_POINT_GIVEN_, cmk_to_, cmk_strip_,           \
                              cmk_point_level_at_(cmk_d_, cmk_strip_, cmk_i_) LIST(CMK_POINT_ARGUMENT_));              \
            cmk_point_end_layer_(cmk_strip_, cmk_d_, CMK_POINT_LAYER_PITCH_(cmk_d_, cmk_grid_));                       \
        }                                                                                                              \
    }
#define CMK_POINT_STRIP_(name, LIST, WAYS)                                                                             \
    CMK_DEVICE_ void name##_strip_(CMK_POINT_FROM_TO_(name), cmk_point_strip_ cmk_strip_ LIST(CMK_POINT_PARAMETER_))   \
    {                                                                                                                  \
        CMK_CONSTEXPR_ const cmk_point_definition_ cmk_d_ = name##_definition_();                                      \
        const cmk_i64 cmk_pitch_ = CMK_POINT_LAYER_PITCH_(cmk_d_, cmk_grid_);                                          \
        name##_windows_ cmk_windows_[CMK_POINT_WINDOWS_(name)];                                                        \
        name##_values_ cmk_values_ = CMK_ZEROS_(name##_values_);                                                       \
        name##_befores_ cmk_befores_;                                                                                  \
        CMK_TILE_DYNAMIC(char, cmk_memory_);                                                                           \
        memset((void *)cmk_windows_, 0, sizeof cmk_windows_);                                                          \
        cmk_point_meeting_begin_(cmk_memory_, cmk_d_, cmk_point_levels_(cmk_d_, name##_stages_));                      \
        cmk_point_begin_(&cmk_strip_, cmk_d_, cmk_point_levels_(cmk_d_, name##_stages_),                               \
                         (cmk_i64)cmk_grid_->plane_pitch, (cmk_i64)cmk_grid_->row_pitch);                              \
        for (; cmk_strip_.layer < cmk_strip_.from; cmk_point_end_layer_(&cmk_strip_, cmk_d_, cmk_pitch_))              \
            name##_bring_(&cmk_values_, &cmk_befores_, cmk_memory_, cmk_grid_, cmk_task_, &cmk_strip_, 0);             \
        CMK_NO_UNROLL                                                                                                  \
        while (cmk_strip_.layer < cmk_strip_.until) {                                                                  \
            const int cmk_edge_ =                                                                                      \
                cmk_point_strip_edge_(cmk_task_, cmk_d_, cmk_point_levels_(cmk_d_, name##_stages_), &cmk_strip_);      \
            WAYS(CMK_POINT_CYCLE_IF_, name, LIST)                                                                      \
        }                                                                                                              \
    }
#define CMK_POINT_CYCLE_IF_(name, LIST, EDGE)                                                                          \
    if (cmk_edge_ == (EDGE) && cmk_point_has_way_(name##_definition_(), EDGE))                                         \
        name##_cycle_(cmk_windows_, &cmk_values_, cmk_memory_, CMK_POINT_GIVEN_, cmk_to_,                              \
                      cmk_point_strip_at_(&cmk_strip_, EDGE) LIST(CMK_POINT_ARGUMENT_));

/* ---- A part of a line, in registers */
#define CMK_POINT_LOAD_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, LOAD, __VA_ARGS__)
#define CMK_POINT_LOAD_OF_(KIND, T, field, ...)                                                                        \
    CMK_POINT_READS_##KIND##_(CMK_POINT_LOAD_IN_(cmk_windows_->field,                                                  \
                                                 cmk_point_at_(CMK_POINT_OF_(field), &cmk_place_, 0, 0, 0), field,     \
                                                 CMK_POINT_OF_PASS_(field), field);)                                   \
        CMK_POINT_LEAPS_##KIND##_(                                                                                     \
            CMK_POINT_LOAD_IN_(cmk_befores_->field, 0, field##_before, CMK_POINT_OF_(field), field);)
#define CMK_POINT_LOAD_IN_(array, at, from, OF, field)                                                                 \
    cmk_point_line_load_(CMK_POINT_ARRAY_(array), at, &cmk_grid_->from, OF, CMK_POINT_LAYOUT_(field), cmk_place_)
#define CMK_POINT_BESIDE_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, BESIDE, __VA_ARGS__)
#define CMK_POINT_BESIDE_OF_(KIND, T, field, ...)                                                                      \
    CMK_POINT_READS_##KIND##_(cmk_point_line_beside_(CMK_POINT_ARRAY_(cmk_windows_->field), sizeof *cmk_windows_,      \
                                                     cmk_d_, CMK_POINT_OF_(field), &cmk_place_);)
#define CMK_POINT_MEND_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, MEND, __VA_ARGS__)
#define CMK_POINT_MEND_OF_(KIND, T, field, ...)                                                                        \
    CMK_POINT_READS_##KIND##_(cmk_point_line_edge_(CMK_POINT_ARRAY_(cmk_windows_->field), CMK_POINT_OF_(field),        \
                                                   &cmk_grid_->field##_outside, &cmk_place_);)
#define CMK_POINT_TAKE_OVER_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, TAKE_OVER, __VA_ARGS__)
#define CMK_POINT_TAKE_OVER_OF_(KIND, T, field, ...)                                                                   \
    CMK_POINT_LEAPS_##KIND##_(cmk_point_line_age_(CMK_POINT_ARRAY_(cmk_befores_->field),                               \
                                                  CMK_POINT_ARRAY_(cmk_windows_->field), CMK_POINT_OF_(field),         \
                                                  &cmk_place_);)                                                       \
        CMK_POINT_FLOWS_##KIND##_(cmk_point_line_take_(CMK_POINT_ARRAY_(cmk_windows_->field),                          \
                                                       CMK_POINT_ARRAY_(cmk_values_.field), CMK_POINT_OF_(field),      \
                                                       &cmk_place_);)
#define CMK_POINT_VECTOR_(name, LIST)                                                                                  \
    CMK_POINT_FUNCTION_(name##_load_, name, LIST, LOAD, CMK_POINT_AROUND_(name), CMK_POINT_OF_GRID_(name))             \
    CMK_DEVICE_ void name##_vector_(CMK_POINT_AROUND_(name), CMK_POINT_FROM_TO_(name), cmk_point_place_ cmk_place_,    \
                                    int cmk_last_ LIST(CMK_POINT_PARAMETER_))                                          \
    {                                                                                                                  \
        name##_values_ cmk_values_ = CMK_ZEROS_(name##_values_);                                                       \
        name##_sets_ cmk_sets_ = CMK_ZEROS_(name##_sets_);                                                             \
        cmk_place_.level.early = !cmk_last_;                                                                           \
        if (cmk_place_.level.near_layers) {                                                                            \
            CMK_POINT_EACH_(name, LIST, MEND)                                                                          \
        }                                                                                                              \
        name##_evaluate_(cmk_windows_, cmk_befores_, &cmk_values_, &cmk_sets_, cmk_task_,                              \
                         cmk_place_ LIST(CMK_POINT_ARGUMENT_));                                                        \
        if (cmk_place_.mine != 0) {                                                                                    \
            name##_store_(&cmk_values_, &cmk_sets_, cmk_to_, cmk_place_, cmk_sums_);                                   \
            name##_leave_(cmk_windows_, &cmk_sets_, cmk_to_, cmk_place_);                                              \
        }                                                                                                              \
        CMK_POINT_EACH_(name, LIST, TAKE_OVER)                                                                         \
    }
#define CMK_POINT_STEP_(name, LIST)                                                                                    \
    CMK_DEVICE_ void name##_step_(CMK_POINT_AROUND_(name), CMK_POINT_FROM_TO_(name),                                   \
                                  const cmk_point_stretch_ *cmk_line_, int cmk_step_,                                  \
                                  int cmk_last_ LIST(CMK_POINT_PARAMETER_))                                            \
    {                                                                                                                  \
        CMK_CONSTEXPR_ const cmk_point_definition_ cmk_d_ = name##_definition_();                                      \
        CMK_UNROLL                                                                                                     \
        for (int cmk_stage_ = 0; cmk_stage_ < name##_stages_; ++cmk_stage_) {                                          \
            const cmk_point_place_ cmk_place_ =                                                                        \
                cmk_point_line_place_(cmk_task_, cmk_d_, cmk_line_, 0, cmk_step_, cmk_stage_, name##_stages_);         \
            CMK_POINT_EACH_(name, LIST, BESIDE)                                                                        \
            CMK_UNROLL                                                                                                 \
            for (int cmk_v_ = 0; cmk_v_ < cmk_point_line_vectors_(cmk_d_); ++cmk_v_)                                   \
                name##_vector_(cmk_windows_ + cmk_v_, cmk_befores_ + cmk_v_, CMK_POINT_GIVEN_, cmk_to_,                \
                               cmk_point_line_place_(cmk_task_, cmk_d_, cmk_line_, cmk_v_, cmk_step_, cmk_stage_,      \
                                                     name##_stages_),                                                  \
                               cmk_last_ LIST(CMK_POINT_ARGUMENT_));                                                   \
        }                                                                                                              \
    }
#define CMK_POINT_PART_(name, LIST)                                                                                    \
    CMK_DEVICE_ void name##_part_(CMK_POINT_FROM_TO_(name), cmk_point_stretch_ cmk_line_ LIST(CMK_POINT_PARAMETER_))   \
    {                                                                                                                  \
        CMK_CONSTEXPR_ const cmk_point_definition_ cmk_d_ = name##_definition_();                                      \
        CMK_CONSTEXPR_ const int cmk_turns_ = cmk_point_line_turns_(name##_definition_());                             \
        int cmk_step_ = 0;                                                                                             \
        name##_windows_ cmk_windows_[CMK_POINT_VECTORS_(name)];                                                        \
        name##_befores_ cmk_befores_[CMK_POINT_VECTORS_(name)];                                                        \
        memset((void *)cmk_windows_, 0, sizeof cmk_windows_);                                                          \
        memset((void *)cmk_befores_, 0, sizeof cmk_befores_);                                                          \
        CMK_UNROLL                                                                                                     \
        for (int cmk_v_ = 0; cmk_v_ < cmk_point_line_vectors_(cmk_d_); ++cmk_v_)                                       \
            name##_load_(cmk_windows_ + cmk_v_, cmk_befores_ + cmk_v_, cmk_grid_,                                      \
                         cmk_point_line_place_(cmk_task_, cmk_d_, &cmk_line_, cmk_v_, 0, 0, name##_stages_));          \
        CMK_NO_UNROLL                                                                                                  \
        for (; cmk_step_ + cmk_turns_ < cmk_task_->steps; cmk_step_ += cmk_turns_) CMK_UNROLL                          \
        for (int cmk_k_ = 0; cmk_k_ < cmk_turns_; ++cmk_k_)                                                            \
            name##_step_(cmk_windows_, cmk_befores_, CMK_POINT_GIVEN_, cmk_to_, &cmk_line_, cmk_step_ + cmk_k_,        \
                         0 LIST(CMK_POINT_ARGUMENT_));                                                                 \
        if (cmk_turns_ > 1 && cmk_step_ + 1 < cmk_task_->steps)                                                        \
            name##_step_(cmk_windows_, cmk_befores_, CMK_POINT_GIVEN_, cmk_to_, &cmk_line_, cmk_step_,                 \
                         0 LIST(CMK_POINT_ARGUMENT_));                                                                 \
        name##_step_(cmk_windows_, cmk_befores_, CMK_POINT_GIVEN_, cmk_to_, &cmk_line_, cmk_task_->steps - 1,          \
                     1 LIST(CMK_POINT_ARGUMENT_));                                                                     \
    }
#if defined(__CUDACC__)
#define CMK_POINT_VECTORS_(name) cmk_point_line_vectors_(name##_definition_())
#else
#define CMK_POINT_VECTORS_(name) cmk_point_line_vectors_most_
#endif
#define CMK_POINT_STEPS_KERNEL_(name, LIST)                                                                            \
    CMK_IF_CALLED_ CMK_POINT_ENTRY_(                                                                                   \
        name##_steps_kernel, name, LIST, CMK_POINT_PASS_BOUNDS_(name),                                                 \
        (const CMK_GRID_CONSTANT_ name##_grid cmk_to_, const CMK_GRID_CONSTANT_ cmk_point_task_ cmk_task_), 0, 0,      \
        CMK_POINT_RUN_PASS_(name, LIST))
#define CMK_POINT_PASS_BOUNDS_(name)                                                                                   \
    (cmk_point_pass_threads_(name##_definition_(), name##_stages_),                                                    \
     cmk_point_strip_blocks_(name##_definition_(), name##_stages_))
#define CMK_POINT_RUN_PASS_(name, LIST)                                                                                \
    CMK_CONSTEXPR_ const cmk_point_definition_ cmk_d_ = name##_definition_();                                          \
    if (cmk_point_steps_(cmk_d_, name##_stages_) < 2) return;                                                          \
    CMK_IF_FIXED_ (cmk_point_is_line_(cmk_d_)) {                                                                       \
        const cmk_point_stretch_ cmk_line_ = cmk_point_line_of_(                                                       \
            &cmk_task_, cmk_d_, name##_stages_, (cmk_i64)cmk_grid_.plane_pitch, (cmk_i64)cmk_grid_.row_pitch);         \
        const int cmk_edge_ = cmk_line_.edge;                                                                          \
        if (cmk_line_.plane < cmk_task_.planes.end) {                                                                  \
            CMK_POINT_WAYS_(CMK_POINT_LINE_IF_, name, LIST)                                                            \
        }                                                                                                              \
    } else {                                                                                                           \
        const cmk_point_strip_ cmk_strip_ =                                                                            \
            cmk_point_strip_of_(&cmk_task_, cmk_d_, cmk_point_levels_(cmk_d_, name##_stages_));                        \
        const int cmk_edge_ = cmk_strip_.edge, cmk_here_ = cmk_strip_.plane < cmk_task_.planes.end;                    \
        if (cmk_here_ && name##_dims_ == 3) CMK_POINT_PASS_ON_(name, LIST, strip, cmk_strip_);                         \
        if (cmk_here_ && name##_dims_ == 2) {                                                                          \
            CMK_POINT_WAYS_(CMK_POINT_STRIP_IF_, name, LIST)                                                           \
        }                                                                                                              \
    }
#define CMK_POINT_STRIP_IF_(name, LIST, EDGE)                                                                          \
    if (cmk_edge_ == (EDGE)) CMK_POINT_PASS_ON_(name, LIST, strip, cmk_point_strip_near_(cmk_strip_, EDGE));
#define CMK_POINT_LINE_IF_(name, LIST, EDGE)                                                                           \
    if (cmk_edge_ == (EDGE) && cmk_point_has_way_(name##_definition_(), EDGE))                                         \
        CMK_POINT_PASS_ON_(name, LIST, part, cmk_point_line_near_(cmk_line_, EDGE));
#define CMK_POINT_PASS_ON_(name, LIST, way, on)                                                                        \
    name##_##way##_(&cmk_grid_, &cmk_task_, cmk_sums_, &cmk_to_, on LIST(CMK_POINT_ARGUMENT_))

/* ---- The host's function: passes of several steps as far as they go, then single steps. */
#if CMK_HAS_HOST_

#define CMK_POINT_PASS_KERNEL_ CMK_CALLED_
#define CMK_POINT_PASS_SHOW_
#define CMK_POINT_PASS_LAUNCH_
#define CMK_POINT_PASSES_(VERB, name, LIST)                                                                            \
    CMK_POINT_##VERB(name##_steps_kernel, cmk_point_by_passes_, LIST, grids_.now, grids_.to, engine_.task, PASS_)

/* What a call of several steps has beside what a call of one step has. */
#define CMK_POINT_CALL_OF_STEPS_(caller, name, KERNELS, PASSES, LIST)                                                  \
    CMK_IF_CALLED_ CMK_UNUSED_ static inline CMK_LAUNCHER_LOOP_(                                                       \
        caller##_launch_steps_, caller, KERNELS(LAUNCH_, name, LIST) PASSES(LAUNCH_, name, LIST))                      \
        CMK_IF_CALLED_ CMK_UNUSED_ static inline void caller##_show_pass_(caller##_call *call)                         \
    {                                                                                                                  \
        PASSES(SHOW_, name, LIST)                                                                                      \
    }

/* Defines name_steps and name_steps_plan. captured: whether the launches are captured in a graph. */
#define CMK_POINT_STEPS_LAUNCHER_(name, LIST)                                                                          \
    CMK_POINT_CALL_OF_STEPS_(name, name, CMK_POINT_KERNELS_, CMK_POINT_PASSES_, LIST)                                  \
    CMK_IF_CALLED_ CMK_POINT_PLAN_(name##_steps, name, name, LIST, (, size_t cmk_steps_, int cmk_captured_),           \
                                   cmk_steps_, 1, cmk_captured_, NULL)                                                 \
    CMK_IF_CALLED_ CMK_POINT_LAUNCHER_(name##_steps, name##_steps, name, name, LIST, (, size_t cmk_steps_),            \
                                       (, cmk_steps_, CMK_POINT_CAPTURED_(name)),                                      \
                                       name##_launch_steps_(&cmk_call_, cmk_stream_), CMK_POINT_MEASURE_)
#define CMK_POINT_CAPTURED_(name) cmk_point_odd_in_graph_(name##_definition_(), name##_stages_, cmk_steps_, cmk_stream_)

/* Defines name_until. */
#define CMK_POINT_UNTIL_LAUNCHER_(name, LIST)                                                                          \
    CMK_IF_CALLED_ CMK_POINT_LAUNCHER_(                                                                                \
        name##_until, name##_steps, name, name, LIST, (, size_t cmk_steps_, cmk_until cmk_until_),                     \
        (, cmk_point_turn_steps_(name##_definition_(), name##_stages_, cmk_steps_), 0),                                \
        cmk_point_until_(&cmk_call_, &cmk_call_.engine_, CMK_POINT_GRIDS_OF_(&cmk_call_.grids_),                       \
                         CMK_CALLED_(name##_launch_steps_), cmk_until_, cmk_stream_),                                  \
        CMK_POINT_NONE_)

#else

#define CMK_POINT_STEPS_LAUNCHER_(name, LIST)
#define CMK_POINT_UNTIL_LAUNCHER_(name, LIST)

#endif

/* Makes all of a definition. SIZES are the parameters of name_domain; the last arguments are those of
 * cmk_point_domain_. */
#define CMK_POINT_STENCIL_(name, LIST, WAYS, SIZES, ...)                                                               \
    CMK_LINE_ enum { name##_is_defined_ = name##_has_an_update_, name##_dims_ = name##_of_dims_ };                     \
    CMK_FILE_SCOPE_(name##_stencil_) enum { name##_stages_ = name##_of_stages_ };                                      \
    CMK_POINT_DECLARED_(name)                                                                                          \
    CMK_STRUCT_(name##_grid, CMK_POINT_SIZES_; LIST(CMK_POINT_GRID_))                                                  \
    CMK_POINT_CONSTANTS_(name, LIST)                                                                                   \
    CMK_POINT_MOVES_(name, LIST)                                                                                       \
    CMK_POINT_RINGS_(name, LIST)                                                                                       \
    CMK_POINT_EVALUATE_(name, LIST)                                                                                    \
    CMK_POINT_TILES_(name, LIST)                                                                                       \
    CMK_POINT_PLANES_(name, LIST)                                                                                      \
    CMK_POINT_RUN_(name, LIST)                                                                                         \
    CMK_POINT_KERNEL_(name##_kernel, name, LIST, 1)                                                                    \
    CMK_POINT_KERNEL_(name##_unaligned_kernel, name, LIST, 0)                                                          \
    CMK_POINT_CALLED_(name, LIST)                                                                                      \
    CMK_POINT_STEPS_(name, LIST, WAYS)                                                                                 \
    CMK_POINT_LAUNCHERS_(name, LIST)                                                                                   \
    CMK_POINT_STEPS_LAUNCHER_(name, LIST)                                                                              \
    CMK_POINT_UNTIL_LAUNCHER_(name, LIST)                                                                              \
    CMK_POINT_PREPARE_(name)                                                                                           \
    CMK_POINT_GRIDS_(name, SIZES, __VA_ARGS__)                                                                         \
    CMK_POINT_RANKS_(name)                                                                                             \
    CMK_SEMICOLON_

#endif
