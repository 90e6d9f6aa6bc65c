/* point.h: what CMK_DEFINE_STENCIL2D and CMK_DEFINE_STENCIL3D generate; include stencil2d.h or stencil3d.h.
 *
 * CMK_DEFINE_STENCIL2D(heat, HEAT):
 *
 *   typedef struct { size_t planes, ...; float *u, *u_next; size_t u_row_pitch, ...; float u_outside; } heat_grid;
 *   cmk_point_definition_ heat_definition_(void);      the constants of its engine
 *   void heat_fill_(...), heat_store_(...);            fill windows from memory; store what was set
 *   void heat_keep_(...);                              what was not set keeps its value
 *   void heat_copy_(...), heat_arrive_(...), heat_shift_(...);
 *                                                      those of ring.h, for all fields
 *   void heat_update_(...);                            updates the points of a thread whose windows are full
 *   void heat_tiles_(...), heat_march_(...);           the two ways: by tiles, and along planes
 *   __global__ void heat_kernel(const heat_grid grid, const cmk_point_task_ task, int stage, const float k);
 *   __global__ void heat_unaligned_kernel(...);        the same, where rows do not begin with aligned vectors
 *   heat_grid heat_domain(...), heat_inner(...);
 *   cudaError_t heat(heat_grid *, const float k, cudaStream_t), heat_steps(...);
 *   cudaError_t heat_prepare(heat_grid *, cudaStream_t), heat_release(heat_grid *, cudaStream_t);
 *
 * What a LIST expands to in a function uses the names of that function's parameters: cmk_grid_, cmk_place_,
 * cmk_windows_ and so on. */
#ifndef CMK_KERNEL_POINT_H
#define CMK_KERNEL_POINT_H

#include "../table.h"
#include "call/launcher.h"
#include "point/measure.h"
#include "point/passes.h"
#include "point/reduce.h"
#include "point/ring.h"
#include "point/spares.h"

/* Declares once more what an update has declared. Where there is no update, little else is then reported. */
#define CMK_POINT_DECLARED_(name)                                                                                      \
    CMK_AGAIN_(name##_shapes_)                                                                                         \
    CMK_AGAIN_(name##_windows_) CMK_AGAIN_(name##_befores_) CMK_AGAIN_(name##_values_) CMK_AGAIN_(name##_sets_)

/* ---- The grid and the constants */
#define CMK_POINT_GRID_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, GRID, __VA_ARGS__)
#define CMK_POINT_GRID_OF_(KIND, T, field, AT, N, SHAPE, EDGE)                                                         \
    CMK_POINT_POINTERS_##KIND##_(T, field, AT) size_t field##_row_pitch, field##_plane_pitch;                          \
    CMK_TYPE_(T) field##_outside;
#define CMK_POINT_POINTERS_IN_(T, field, AT) const CMK_TYPE_(T) * field AT;
#define CMK_POINT_POINTERS_OUT_(T, field, AT) CMK_TYPE_(T) * field AT;
#define CMK_POINT_POINTERS_SAME_(T, field, AT) CMK_TYPE_(T) * field AT, *field##_spare AT;
#define CMK_POINT_POINTERS_NEXT_(T, field, AT) CMK_TYPE_(T) * field AT, *field##_next AT;
#define CMK_POINT_POINTERS_LEAPFROG_(T, field, AT)                                                                     \
    CMK_TYPE_(T) * field AT, *field##_before AT, *field##_spare AT, *field##_before_spare AT;
#define CMK_POINT_TARGET_OUT_(field) field
#define CMK_POINT_TARGET_SAME_(field) field
#define CMK_POINT_TARGET_NEXT_(field) field##_next
#define CMK_POINT_TARGET_LEAPFROG_(field) field##_before

/* The constants of all fields, by name; in a function they are cmk_fields_. The constants of the definition follow from
 * them. */
#define CMK_POINT_CONSTANTS_(name, LIST)                                                                               \
    CMK_STRUCT_(name##_fields_, char none_; LIST(CMK_POINT_CONSTANT_))                                                 \
    CMK_FOLDED_ name##_fields_ name##_fields_of_(CMK_UNUSED_ const name##_grid *cmk_grid_)                             \
    {                                                                                                                  \
        enum { cmk_beside_ = (name##_of_stages_ > 1) + 2 * ((0 LIST(CMK_POINT_SPARED_)) > 0) };                        \
        name##_fields_ cmk_fields_ = CMK_ZEROS_(name##_fields_);                                                       \
        LIST(CMK_POINT_FIELD_)                                                                                         \
        return cmk_fields_;                                                                                            \
    }                                                                                                                  \
    CMK_STATIC_ASSERT(CMK_POINT_TUNED_(CMK_POINT_TUNED_RIGHT_, name, CMK_TUNED_##name),                                \
                      "cmk: CMK_TUNED_name must be (STEPS, BLOCKS), of a pass and of an SM, from 0 to 16");            \
    CMK_FOLDED_ cmk_point_definition_ name##_definition_(void)                                                         \
    {                                                                                                                  \
        CMK_POINT_ITS_FIELDS_(name)                                                                                    \
        cmk_point_definition_ d =                                                                                      \
            cmk_point_definition_of_(name##_dims_, CMK_POINT_TUNED_(CMK_POINT_TUNED_AS_, name, CMK_TUNED_##name));     \
        LIST(CMK_POINT_LIMIT_)                                                                                         \
        LIST(CMK_POINT_INCLUDE_)                                                                                       \
        LIST(CMK_POINT_SHARE_)                                                                                         \
        return d;                                                                                                      \
    }
#define CMK_POINT_ITS_FIELDS_(name) CMK_UNUSED_ CMK_CONSTEXPR_ const name##_fields_ cmk_fields_ = name##_fields_of_(0);
/* Expands DO for each field, where cmk_fields_ has the constants of all fields. */
#define CMK_POINT_EACH_(name, LIST, DO) CMK_POINT_ITS_FIELDS_(name) LIST(CMK_POINT_##DO##_)
#define CMK_POINT_CONSTANT_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, CONSTANT, __VA_ARGS__)
#define CMK_POINT_CONSTANT_OF_(KIND, T, field, AT, N, SHAPE, EDGE) cmk_point_field_ field;
#define CMK_POINT_FIELD_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, FIELD, __VA_ARGS__)
#define CMK_POINT_FIELD_OF_(KIND, T, field, AT, N, SHAPE, EDGE)                                                        \
    enum { field##_shape_ = (SHAPE), field##_edge_ = (EDGE) };                                                         \
    cmk_fields_.field = cmk_point_constants_of_(CMK_POINT_BYTES_(field), N, field##_shape_, field##_edge_,             \
                                                cmk_point_KIND_##KIND, cmk_beside_, #field);
#define CMK_POINT_SPARED_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, SPARED, __VA_ARGS__)
#define CMK_POINT_SPARED_OF_(KIND, ...) CMK_POINT_SPARES_##KIND##_(+1)
#define CMK_POINT_BYTES_(field) sizeof(CMK_POINT_TYPE_(field)), __alignof__(CMK_POINT_TYPE_(field))
#define CMK_POINT_TYPE_(field) CMK_TYPE_OF_(cmk_grid_->field##_outside)
#define CMK_POINT_LIMIT_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, LIMIT, __VA_ARGS__)
#define CMK_POINT_LIMIT_OF_(KIND, T, field, ...) d = cmk_point_limit_lanes_(d, cmk_fields_.field);
#define CMK_POINT_INCLUDE_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, INCLUDE, __VA_ARGS__)
#define CMK_POINT_INCLUDE_OF_(KIND, T, field, ...) d = cmk_point_include_(d, cmk_fields_.field);
#define CMK_POINT_SHARE_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, SHARE, __VA_ARGS__)
#define CMK_POINT_SHARE_OF_(KIND, T, field, ...) d = cmk_point_share_(d, cmk_fields_.field);

/* ---- What a thread does with its points. Its functions get windows, the grid that it reads, and that which it
 * writes. */
#define CMK_POINT_AROUND_(name) CMK_POINT_WINDOWS_OF_(name), CMK_UNUSED_ name##_befores_ *cmk_befores_
#define CMK_POINT_WINDOWS_OF_(name) CMK_UNUSED_ name##_windows_ *cmk_windows_
#define CMK_POINT_RESULTS_(name) CMK_UNUSED_ name##_values_ *cmk_values_, CMK_UNUSED_ name##_sets_ *cmk_sets_
#define CMK_POINT_RESULTS_TO_(name) CMK_POINT_RESULTS_(name), CMK_POINT_OF_GRID_(name), CMK_POINT_SUMS_
#define CMK_POINT_SUMS_ CMK_UNUSED_ cmk_point_sum_ *cmk_sums_
#define CMK_POINT_FROM_(name) const name##_grid *cmk_grid_, const cmk_point_task_ *cmk_task_, cmk_point_sum_ *cmk_sums_
#define CMK_POINT_GIVEN_ cmk_grid_, cmk_task_, cmk_sums_
#define CMK_POINT_FROM_TO_(name) CMK_POINT_FROM_(name), const name##_grid *cmk_to_
#define CMK_POINT_OF_GRID_(name) CMK_UNUSED_ const name##_grid *cmk_grid_, CMK_POINT_PLACE_
#define CMK_POINT_PLACE_ CMK_UNUSED_ cmk_point_place_ cmk_place_
#define CMK_POINT_AT_PLACE_(name, LIST) CMK_POINT_FROM_(name), CMK_POINT_PLACE_ LIST(CMK_POINT_PARAMETER_)
/* Defines a function that expands DO for each field. The last arguments are its parameters. */
#define CMK_POINT_FUNCTION_(function, name, LIST, DO, ...)                                                             \
    CMK_INLINED_ void function(__VA_ARGS__)                                                                            \
    {                                                                                                                  \
        CMK_POINT_EACH_(name, LIST, DO)                                                                                \
    }
#define CMK_POINT_MOVES_(name, LIST)                                                                                   \
    CMK_FIXED_(cmk_filled_)                                                                                            \
    CMK_POINT_FUNCTION_(name##_fill_, name, LIST, FILL, CMK_OR_INT_(cmk_filled_) CMK_POINT_AROUND_(name),              \
                        CMK_POINT_OF_GRID_(name))                                                                      \
    CMK_POINT_FUNCTION_(name##_keep_, name, LIST, KEEP, CMK_POINT_RESULTS_(name), CMK_POINT_WINDOWS_OF_(name),         \
                        CMK_POINT_PLACE_)                                                                              \
    CMK_POINT_FUNCTION_(name##_store_, name, LIST, STORE, CMK_POINT_RESULTS_TO_(name))
#define CMK_POINT_RINGS_(name, LIST)                                                                                   \
    CMK_STRUCT_(name##_lines_, char none_; LIST(CMK_POINT_LINES_))                                                     \
    CMK_DEVICE_ void name##_copy_(const cmk_point_march_ *cmk_march_, const name##_lines_ *cmk_lines_,                 \
                                  const name##_grid *cmk_grid_, cmk_point_place_ cmk_place_, int cmk_later_)           \
    {                                                                                                                  \
        CMK_UNUSED_ int cmk_ring_ = 0;                                                                                 \
        cmk_place_ = cmk_point_known_(cmk_place_, name##_definition_(), 1);                                            \
        if (cmk_place_.plane + cmk_later_ < cmk_march_->end) {                                                         \
            CMK_POINT_EACH_(name, LIST, COPY)                                                                          \
        }                                                                                                              \
        if (cmk_later_ != cmk_point_arrived_) CMK_FILL_COMMIT(ASYNC);                                                  \
    }                                                                                                                  \
    CMK_POINT_FUNCTION_(name##_shift_, name, LIST, SHIFT, CMK_POINT_WINDOWS_OF_(name), CMK_POINT_PLACE_)
#define CMK_POINT_FILL_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, FILL, __VA_ARGS__)
#define CMK_POINT_FILL_OF_(KIND, T, field, ...)                                                                        \
    CMK_POINT_READS_##KIND##_(CMK_POINT_FILL_IN_(cmk_windows_->field, field, CMK_POINT_OF_(field), field);)            \
        CMK_POINT_LEAPS_##KIND##_(                                                                                     \
            CMK_POINT_FILL_IN_(cmk_befores_->field, field##_before, CMK_POINT_OF_BEFORE_(field), field);)
#define CMK_POINT_FILL_IN_(array, from, OF, field)                                                                     \
    CMK_FIX_(cmk_point_fill_, cmk_filled_, CMK_POINT_ARRAY_(array), &cmk_grid_->from, OF, CMK_POINT_LAYOUT_(field),    \
             cmk_place_)
#define CMK_POINT_LINES_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, LINES, __VA_ARGS__)
#define CMK_POINT_LINES_OF_(KIND, T, field, ...) CMK_POINT_READS_##KIND##_(cmk_point_lines_ field;)
#define CMK_POINT_FIND_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, FIND, __VA_ARGS__)
#define CMK_POINT_FIND_OF_(KIND, T, field, ...)                                                                        \
    CMK_POINT_READS_##KIND##_(cmk_point_find_(&cmk_lines_.field, cmk_memory_, &cmk_ring_, CMK_POINT_OF_(field),        \
                                              CMK_POINT_LAYOUT_(field), cmk_place_);)
#define CMK_POINT_COPY_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, COPY, __VA_ARGS__)
#define CMK_POINT_COPY_OF_(KIND, T, field, ...)                                                                        \
    CMK_POINT_READS_##KIND##_(cmk_point_copy_(cmk_march_, &cmk_ring_, &cmk_lines_->field, &cmk_grid_->field,           \
                                              CMK_POINT_OF_(field), CMK_POINT_LAYOUT_(field), cmk_place_,              \
                                              cmk_later_);)
#define CMK_POINT_RECEIVE_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, RECEIVE, __VA_ARGS__)
#define CMK_POINT_RECEIVE_OF_(KIND, T, field, ...)                                                                     \
    CMK_POINT_READS_##KIND##_(cmk_point_receive_(CMK_POINT_ARRAY_(cmk_windows_->field), cmk_march_, &cmk_ring_,        \
                                                 &cmk_lines_->field, CMK_POINT_OF_(field), cmk_place_, cmk_before_);)
#define CMK_POINT_SHIFT_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, SHIFT, __VA_ARGS__)
#define CMK_POINT_SHIFT_OF_(KIND, T, field, ...)                                                                       \
    CMK_POINT_READS_##KIND##_(                                                                                         \
        cmk_point_shift_(CMK_POINT_ARRAY_(cmk_windows_->field), CMK_POINT_OF_(field), cmk_place_);)
#define CMK_POINT_OF_(field) CMK_POINT_OF_AS_(field, cmk_fields_.field.shape, cmk_fields_.field.written)
/* Constants of a field where they differ. BEFORE is for the level before of a LEAPFROG field: it is read at the point,
 * and written over. PASS is for a pass of several steps, which writes other buffers than it reads. */
#define CMK_POINT_OF_BEFORE_(field) CMK_POINT_OF_AS_(field, 0, 1)
#define CMK_POINT_OF_PASS_(field) CMK_POINT_OF_AS_(field, cmk_fields_.field.shape, 0)
#define CMK_POINT_OF_AS_(field, shape_, written_)                                                                      \
    cmk_point_field_of_(cmk_fields_.field.size, cmk_fields_.field.alignment, cmk_fields_.field.count, shape_,          \
                        cmk_fields_.field.edge, written_, cmk_fields_.field.kind, cmk_fields_.field.name)
#define CMK_POINT_ARRAY_(array) &array, sizeof array
#define CMK_POINT_LAYOUT_(field)                                                                                       \
    cmk_point_layout_of_(cmk_grid_->field##_row_pitch, cmk_grid_->field##_plane_pitch, &cmk_grid_->field##_outside)

#define CMK_POINT_KEEP_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, KEEP, __VA_ARGS__)
#define CMK_POINT_KEEP_OF_(KIND, T, field, ...)                                                                        \
    CMK_POINT_FLOWS_##KIND##_(cmk_point_keep_(CMK_POINT_ARRAY_(cmk_values_->field), (char *)&cmk_sets_->field,         \
                                              CMK_POINT_ARRAY_(cmk_windows_->field), CMK_POINT_OF_(field),             \
                                              cmk_place_);)
/* FLOWS: what is for fields that are read and that a stage may set. STAYS: for those that are only read. */
#define CMK_POINT_FLOWS_SUM_(...)
#define CMK_POINT_STAYS_SUM_(...)
#define CMK_POINT_KEEPS_SUM_(...)
#define CMK_POINT_SPARES_SUM_(...)
#define CMK_POINT_FLOWS_MAX_(...)
#define CMK_POINT_STAYS_MAX_(...)
#define CMK_POINT_KEEPS_MAX_(...)
#define CMK_POINT_SPARES_MAX_(...)
#define CMK_POINT_FLOWS_MIN_(...)
#define CMK_POINT_STAYS_MIN_(...)
#define CMK_POINT_KEEPS_MIN_(...)
#define CMK_POINT_SPARES_MIN_(...)
#define CMK_POINT_FLOWS_IN_(...)
#define CMK_POINT_FLOWS_OUT_(...)
#define CMK_POINT_FLOWS_SAME_(...) __VA_ARGS__
#define CMK_POINT_FLOWS_NEXT_(...) __VA_ARGS__
#define CMK_POINT_FLOWS_LEAPFROG_(...) __VA_ARGS__
#define CMK_POINT_STAYS_IN_(...) __VA_ARGS__
#define CMK_POINT_STAYS_OUT_(...)
#define CMK_POINT_STAYS_SAME_(...)
#define CMK_POINT_STAYS_NEXT_(...)
#define CMK_POINT_STAYS_LEAPFROG_(...)

#define CMK_POINT_KEEPS_IN_(...)
#define CMK_POINT_KEEPS_OUT_(...)
#define CMK_POINT_KEEPS_SAME_(...)
#define CMK_POINT_KEEPS_NEXT_(...) __VA_ARGS__
#define CMK_POINT_KEEPS_LEAPFROG_(...) __VA_ARGS__

#define CMK_POINT_SPARES_IN_(...)
#define CMK_POINT_SPARES_OUT_(...)
#define CMK_POINT_SPARES_SAME_(...) __VA_ARGS__
#define CMK_POINT_SPARES_NEXT_(...)
#define CMK_POINT_SPARES_LEAPFROG_(...) __VA_ARGS__

#define CMK_POINT_STORE_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, STORE, __VA_ARGS__)
#define CMK_POINT_STORE_OF_(KIND, T, field, ...)                                                                       \
    CMK_POINT_WRITES_##KIND##_(cmk_point_store_(&cmk_grid_->CMK_POINT_TARGET_##KIND##_(field),                         \
                                                CMK_POINT_ARRAY_(cmk_values_->field), (const char *)&cmk_sets_->field, \
                                                CMK_POINT_OF_(field), CMK_POINT_LAYOUT_(field), cmk_place_);)          \
        CMK_POINT_REDUCES_##KIND##_(                                                                                   \
            cmk_point_reduce_(cmk_sums_++, cmk_values_->field, cmk_sets_->field, cmk_fields_.field, CMK_POINT_IN_);)
#define CMK_POINT_IN_ cmk_grid_, &cmk_place_

/* ---- Reductions: the pointer to a result, their number, and the end of a kernel (reduce.h). */
#define CMK_POINT_POINTERS_SUM_(T, field, AT) CMK_POINT_RESULT_(CMK_TYPE_(T), field)
#define CMK_POINT_POINTERS_MAX_(T, field, AT) CMK_POINT_RESULT_(CMK_TYPE_(T), field)
#define CMK_POINT_POINTERS_MIN_(T, field, AT) CMK_POINT_RESULT_(CMK_TYPE_(T), field)
#define CMK_POINT_RESULT_(T, field)                                                                                    \
    CMK_POINT_REDUCES_SUM_(T *field; CMK_STATIC_ASSERT(CMK_NUMBER_(T) >= 5, CMK_POINT_RESULT_SAYS_);)
#define CMK_POINT_RESULT_SAYS_ "cmk: CMK_POINT: a SUM, MAX or MIN must be float or double"
#define CMK_POINT_TARGET_SUM_(field) field
#define CMK_POINT_TARGET_MAX_(field) field
#define CMK_POINT_TARGET_MIN_(field) field
#define CMK_POINT_SUM_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, SUM, __VA_ARGS__)
#define CMK_POINT_SUM_OF_(KIND, ...) CMK_POINT_REDUCES_##KIND##_(+1)
#define CMK_POINT_FINISH_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, FINISH, __VA_ARGS__)
#define CMK_POINT_FINISH_OF_(KIND, T, field, ...)                                                                      \
    CMK_POINT_REDUCES_##KIND##_(cmk_point_finish_(cmk_sums_, cmk_grid_.field, cmk_fields_.field, &cmk_end_);)

#define CMK_POINT_EVALUATE_(name, LIST)                                                                                \
    CMK_INLINED_ void name##_evaluate_(CMK_POINT_AROUND_(name), CMK_POINT_RESULTS_(name),                              \
                                       const cmk_point_task_ *cmk_task_, CMK_POINT_PLACE_ LIST(CMK_POINT_PARAMETER_))  \
    {                                                                                                                  \
        CMK_UNROLL                                                                                                     \
        for (int cmk_k_ = 0; cmk_k_ < cmk_point_kept_points_(&cmk_place_); ++cmk_k_) {                                 \
            cmk_point_place_ cmk_point_ = cmk_place_;                                                                  \
            cmk_point_move_to_(&cmk_point_, cmk_k_);                                                                   \
            name##_keep_(cmk_values_, cmk_sets_, cmk_windows_, cmk_point_);                                            \
        }                                                                                                              \
        CMK_UNROLL                                                                                                     \
        for (int cmk_k_ = 0; cmk_k_ < cmk_point_points_(cmk_place_.tile); ++cmk_k_) {                                  \
            cmk_point_place_ cmk_point_ = cmk_place_;                                                                  \
            if (!cmk_point_visit_(cmk_task_, &cmk_point_, cmk_k_)) continue;                                           \
            name##_point_(cmk_windows_, (const name##_shapes_ *)0, cmk_befores_, &cmk_point_, cmk_values_,             \
                          cmk_sets_ LIST(CMK_POINT_ARGUMENT_));                                                        \
            name##_keep_(cmk_values_, cmk_sets_, cmk_windows_, cmk_point_);                                            \
        }                                                                                                              \
    }
#define CMK_POINT_TILES_(name, LIST)                                                                                   \
    CMK_INLINED_ void name##_update_(CMK_POINT_AROUND_(name), CMK_POINT_AT_PLACE_(name, LIST))                         \
    {                                                                                                                  \
        name##_values_ cmk_values_ = CMK_ZEROS_(name##_values_);                                                       \
        name##_sets_ cmk_sets_ = CMK_ZEROS_(name##_sets_);                                                             \
        name##_evaluate_(cmk_windows_, cmk_befores_, &cmk_values_, &cmk_sets_, cmk_task_,                              \
                         cmk_place_ LIST(CMK_POINT_ARGUMENT_));                                                        \
        name##_store_(&cmk_values_, &cmk_sets_, cmk_grid_, cmk_place_, cmk_sums_);                                     \
    }                                                                                                                  \
    CMK_FIXED_(cmk_filled_) CMK_DEVICE_ void name##_tile_(CMK_OR_INT_(cmk_filled_) CMK_POINT_AT_PLACE_(name, LIST))    \
    {                                                                                                                  \
        name##_windows_ cmk_windows_;                                                                                  \
        name##_befores_ cmk_befores_;                                                                                  \
        cmk_place_ = cmk_point_known_(cmk_place_, name##_definition_(), 0);                                            \
        CMK_FIX_(name##_fill_, cmk_filled_, &cmk_windows_, &cmk_befores_, cmk_grid_, cmk_place_);                      \
        name##_update_(&cmk_windows_, &cmk_befores_, CMK_POINT_GIVEN_, cmk_place_ LIST(CMK_POINT_ARGUMENT_));          \
    }                                                                                                                  \
    CMK_FIXED_(cmk_aligned_) CMK_DEVICE_ void name##_tiles_(CMK_OR_INT_(cmk_aligned_) CMK_POINT_AT_PLACE_(name, LIST)) \
    {                                                                                                                  \
        CMK_CONSTEXPR_ const cmk_point_definition_ cmk_d_ = name##_definition_();                                      \
        if (cmk_point_together_(cmk_task_, cmk_d_, &cmk_place_)) {                                                     \
            CMK_POINT_0_TO_3_(CMK_POINT_SKEWED_, name, LIST)                                                           \
            CMK_POINT_PIECES_(cmk_point_bands_(cmk_task_, cmk_d_, &cmk_place_))                                        \
            CMK_POINT_TILE_(name, LIST, cmk_point_filled_whole_(cmk_d_, cmk_aligned_), CMK_POINT_BAND_);               \
            return;                                                                                                    \
        }                                                                                                              \
        CMK_POINT_PIECES_(cmk_point_slices_(cmk_d_, &cmk_place_))                                                      \
        if (cmk_point_any_(cmk_task_, CMK_POINT_SLICE_))                                                               \
            CMK_POINT_TILE_(name, LIST, cmk_point_filled_edge_, CMK_POINT_SLICE_);                                     \
    }
/* One piece after another of a tile: its bands, or its slices. */
#define CMK_POINT_PIECES_(number) CMK_NO_UNROLL for (int cmk_k_ = 0; cmk_k_ < (number); ++cmk_k_)
#define CMK_POINT_BAND_ cmk_point_band_(cmk_task_, cmk_d_, cmk_place_, cmk_k_)
#define CMK_POINT_SLICE_ cmk_point_slice_(cmk_task_, cmk_d_, cmk_place_, cmk_k_)
#define CMK_POINT_TILE_(name, LIST, filled, place)                                                                     \
    CMK_FIX_(name##_tile_, (filled), CMK_POINT_GIVEN_, place LIST(CMK_POINT_ARGUMENT_))
#define CMK_POINT_0_TO_3_(DO, ...) DO(__VA_ARGS__, 0) DO(__VA_ARGS__, 1) DO(__VA_ARGS__, 2) DO(__VA_ARGS__, 3)
/* Updates the tile where it is to have this skew. */
#define CMK_POINT_SKEWED_(name, LIST, SKEW)                                                                            \
    CMK_IF_FIXED_ (!cmk_aligned_ && cmk_point_has_skew_(cmk_d_, SKEW))                                                 \
        if (cmk_task_->skew == (SKEW))                                                                                 \
            CMK_POINT_TILE_(name, LIST, cmk_point_filled_inside_, cmk_point_skewed_(cmk_place_, SKEW));
#define CMK_POINT_PLANES_(name, LIST)                                                                                  \
    CMK_DEVICE_ void name##_arrive_(CMK_POINT_AROUND_(name), name##_lines_ *cmk_lines_,                                \
                                    const cmk_point_march_ *cmk_march_, CMK_POINT_OF_GRID_(name), int cmk_before_)     \
    {                                                                                                                  \
        CMK_UNUSED_ int cmk_ring_ = 0;                                                                                 \
        cmk_place_ = cmk_point_known_(cmk_place_, name##_definition_(), 1);                                            \
        if (!cmk_before_)                                                                                              \
            CMK_FIX_(name##_fill_, cmk_point_filled_ring_, cmk_windows_, cmk_befores_, cmk_grid_, cmk_place_);         \
        CMK_FILL_ARRIVED(ASYNC, cmk_point_ahead_ - 1);                                                                 \
        name##_copy_(cmk_march_, cmk_lines_, cmk_grid_, cmk_place_, cmk_point_arrived_);                               \
        __syncthreads();                                                                                               \
        name##_copy_(cmk_march_, cmk_lines_, cmk_grid_, cmk_place_, cmk_point_ahead_);                                 \
        CMK_POINT_EACH_(name, LIST, RECEIVE)                                                                           \
    }                                                                                                                  \
    CMK_INLINED_ void name##_march_(name##_lines_ *cmk_lines_, const cmk_point_march_ *cmk_march_,                     \
                                    CMK_POINT_AT_PLACE_(name, LIST))                                                   \
    {                                                                                                                  \
        name##_windows_ cmk_windows_ = CMK_ZEROS_(name##_windows_);                                                    \
        name##_befores_ cmk_befores_ = CMK_ZEROS_(name##_befores_);                                                    \
        CMK_CONSTEXPR_ const cmk_point_definition_ cmk_d_ = name##_definition_();                                      \
        CMK_NO_UNROLL                                                                                                  \
        for (; cmk_place_.plane < cmk_march_->first; ++cmk_place_.plane) {                                             \
            name##_arrive_(&cmk_windows_, &cmk_befores_, cmk_lines_, cmk_march_, cmk_grid_, cmk_place_, 1);            \
            name##_shift_(&cmk_windows_, cmk_place_);                                                                  \
        }                                                                                                              \
        CMK_NO_UNROLL                                                                                                  \
        for (;;) CMK_UNROLL                                                                                            \
        for (int cmk_k_ = 0; cmk_k_ < cmk_point_cycle_(cmk_d_); ++cmk_k_, ++cmk_place_.plane) {                        \
            if (cmk_place_.plane >= cmk_march_->end) return;                                                           \
            name##_arrive_(&cmk_windows_, &cmk_befores_, cmk_lines_, cmk_march_, cmk_grid_, cmk_place_, 0);            \
            cmk_place_.inside = cmk_march_->inside && cmk_point_inside_planes_(cmk_task_, cmk_d_, &cmk_place_);        \
            name##_update_(&cmk_windows_, &cmk_befores_, CMK_POINT_GIVEN_, cmk_place_ LIST(CMK_POINT_ARGUMENT_));      \
            cmk_point_tell_(cmk_march_, cmk_place_.plane);                                                             \
            name##_shift_(&cmk_windows_, cmk_place_);                                                                  \
        }                                                                                                              \
    }
/* ---- What a kernel does, for rows that begin with aligned vectors or for others. cmk_inward_ is that of a launch that
 * does a border first (bordered.h), else NULL. */
#define CMK_POINT_RUN_(name, LIST)                                                                                     \
    CMK_FIXED_(cmk_aligned_)                                                                                           \
    CMK_INLINED_ void name##_run_(CMK_OR_INT_(cmk_aligned_) CMK_POINT_FROM_(name),                                     \
                                  const cmk_point_inward_ *cmk_inward_, int cmk_stage_ LIST(CMK_POINT_PARAMETER_))     \
    {                                                                                                                  \
        CMK_CONSTEXPR_ const cmk_point_definition_ cmk_d_ = name##_definition_();                                      \
        const cmk_point_where_ cmk_block_ = cmk_point_block_of_(cmk_task_, cmk_inward_);                               \
        CMK_IF_FIXED_ (cmk_point_marches_(cmk_d_, cmk_aligned_))                                                       \
            if (cmk_aligned_ || cmk_task_->rings) {                                                                    \
                CMK_TILE_DYNAMIC(char, cmk_memory_);                                                                   \
                cmk_point_place_ cmk_place_ = CMK_POINT_LOCATED_(1);                                                   \
                cmk_point_chunk_ cmk_chunk_ = cmk_point_chunk_of_(cmk_task_, cmk_inward_, cmk_block_, &cmk_place_);    \
                const cmk_point_march_ cmk_march_ =                                                                    \
                    cmk_point_march_of_(cmk_task_, cmk_d_, &cmk_place_, cmk_chunk_, cmk_memory_);                      \
                name##_lines_ cmk_lines_;                                                                              \
                CMK_UNUSED_ int cmk_ring_ = 0;                                                                         \
                CMK_POINT_EACH_(name, LIST, FIND)                                                                      \
                cmk_place_.plane -= 2 * CMK_POINT_PLANES_OF_(cmk_d_.reach);                                            \
                for (int cmk_later_ = 0; cmk_later_ < cmk_point_ahead_; ++cmk_later_)                                  \
                    name##_copy_(&cmk_march_, &cmk_lines_, cmk_grid_, cmk_place_, cmk_later_);                         \
                CMK_IF_FIXED_ (cmk_aligned_)                                                                           \
                    if (!cmk_point_is_cut_(cmk_d_, &cmk_place_)) CMK_POINT_MARCH_(name, LIST, 0);                      \
                CMK_IF_FIXED_ (!cmk_aligned_ || cmk_d_.alone)                                                          \
                    if (cmk_point_is_cut_(cmk_d_, &cmk_place_)) CMK_POINT_MARCH_(name, LIST, 1);                       \
                return;                                                                                                \
            }                                                                                                          \
        CMK_IF_FIXED_ (cmk_point_tiles_(cmk_d_, cmk_aligned_)) {                                                       \
            CMK_FIX_(name##_tiles_, cmk_aligned_, CMK_POINT_GIVEN_, CMK_POINT_LOCATED_(0) LIST(CMK_POINT_ARGUMENT_));  \
            if (cmk_block_.border) cmk_point_count_up_(cmk_inward_->arrived);                                          \
        }                                                                                                              \
    }
/* The loop for rows that are cut, 1, or for others, 0, as cmk_point_is_cut_ (grid.h) says. */
#define CMK_POINT_MARCH_(name, LIST, CUT)                                                                              \
    name##_march_(&cmk_lines_, &cmk_march_, CMK_POINT_GIVEN_, cmk_point_cut_(cmk_place_, CUT) LIST(CMK_POINT_ARGUMENT_))
#define CMK_POINT_LOCATED_(RINGS) cmk_point_locate_(cmk_task_, cmk_d_, cmk_block_, cmk_stage_, cmk_aligned_, RINGS)
/* Defines a kernel. PARAMETERS are those behind the grid. The last arguments are its statements; cmk_end_ is made of
 * the two before. */
#define CMK_POINT_ENTRY_(kernel, name, LIST, BOUNDS, PARAMETERS, ONCE, CONCLUDES, ...)                                 \
    CMK_ENTRY_ __global__ void __launch_bounds__ BOUNDS kernel(const CMK_GRID_CONSTANT_ name##_grid cmk_grid_,         \
                                                               CMK_LIST_ PARAMETERS LIST(CMK_POINT_ACCEPT_))           \
    {                                                                                                                  \
        if (cmk_turns_over_(cmk_task_.turns)) return;                                                                  \
        LIST(CMK_POINT_GET_)                                                                                           \
        cmk_point_sum_ cmk_sums_[1 LIST(CMK_POINT_SUM_)];                                                              \
        CMK_UNUSED_ cmk_point_end_ cmk_end_ = {name##_dims_ == 2, ONCE, CONCLUDES, 0};                                 \
        memset((void *)cmk_sums_, 0, sizeof cmk_sums_);                                                                \
        __VA_ARGS__                                                                                                    \
        CMK_POINT_EACH_(name, LIST, FINISH)                                                                            \
    }
#define CMK_POINT_KERNEL_(kernel, name, LIST, ALIGNED)                                                                 \
    CMK_POINT_ENTRY_(kernel, name, LIST, CMK_POINT_BOUNDS_(name, ALIGNED),                                             \
                     (const CMK_GRID_CONSTANT_ cmk_point_task_ cmk_task_, int cmk_stage_), 1,                          \
                     (ALIGNED) && cmk_stage_ == name##_stages_, CMK_POINT_RUN_STAGES_(name, LIST, ALIGNED))
#define CMK_POINT_BOUNDS_(name, ALIGNED)                                                                               \
    (cmk_point_threads_(name##_definition_(), ALIGNED), cmk_point_blocks_(name##_definition_(), ALIGNED))
#define CMK_POINT_RUN_STAGES_(name, LIST, ALIGNED) CMK_POINT_0_TO_3_(CMK_POINT_RUN_STAGE_, name, LIST, ALIGNED)
#define CMK_POINT_RUN_STAGE_(name, LIST, ALIGNED, STAGE)                                                               \
    if (name##_stages_ > (STAGE) && cmk_stage_ == (STAGE))                                                             \
        CMK_FIX_(name##_run_, ALIGNED, &cmk_grid_, &cmk_task_, cmk_sums_, NULL, STAGE LIST(CMK_POINT_ARGUMENT_));
#define CMK_POINT_ACCEPT_(KIND, ...) CMK_POINT_WORDS_(CMK_POINT_LINE_##KIND##_, ACCEPT, __VA_ARGS__)
#define CMK_POINT_ACCEPT_OF_VALUE_(T, value, BY) , CMK_POINT_ACCEPT_##BY##_(T, value)
#define CMK_POINT_ACCEPT_ITSELF_(T, value) T const value
#define CMK_POINT_ACCEPT_POINTER_(T, value) T const *const value##_at_
/* the value that a kernel has a pointer to */
#define CMK_POINT_GET_(KIND, ...) CMK_POINT_WORDS_(CMK_POINT_LINE_##KIND##_, GET, __VA_ARGS__)
#define CMK_POINT_GET_OF_VALUE_(T, value, BY) CMK_POINT_GET_##BY##_(T, value)
#define CMK_POINT_GET_OF_TABLE_(table)
#define CMK_POINT_GET_ITSELF_(T, value)
#define CMK_POINT_GET_POINTER_(T, value) T const value = *value##_at_;
#define CMK_POINT_ACCEPT_OF_TABLE_(table) , CMK_TABLE_PARAMETER(table)

/* ---- The host's functions */
#if CMK_HAS_HOST_

#define CMK_POINT_MEMBER_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, MEMBER, __VA_ARGS__)
#define CMK_POINT_MEMBER_OF_(KIND, T, field, ...)                                                                      \
    *cmk_all_++ =                                                                                                      \
        cmk_point_member_of_(cmk_fields_.field, CMK_POINT_WHERE_(field),                                               \
                             0 CMK_POINT_KEEPS_##KIND##_(+CMK_POINT_WHERE_(CMK_POINT_TARGET_##KIND##_(field))),        \
                             CMK_POINT_WHERE_(field##_row_pitch), CMK_POINT_WHERE_(field##_plane_pitch),               \
                             0 CMK_POINT_SPARES_##KIND##_(+CMK_POINT_WHERE_(field##_spare)),                           \
                             0 CMK_POINT_LEAPS_##KIND##_(+CMK_POINT_WHERE_(field##_before_spare)));
#define CMK_POINT_WHERE_(member) ((size_t)((char *)&cmk_now_->member - (char *)cmk_now_))
#define CMK_POINT_COUNT_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, COUNT, __VA_ARGS__)
#define CMK_POINT_COUNT_OF_(KIND, ...) +1

/* The grids of a call of name, with the members of their fields. The function name_begin_ fills them, and
 * cmk_point_grids_ of point/members.h shows them. */
#define CMK_POINT_GRIDS_OF_(g)                                                                                         \
    cmk_point_grids_of_((g)->caller, &(g)->now, &(g)->to, sizeof(g)->now, (g)->all, sizeof(g)->all)
#define CMK_POINT_CALLED_(name, LIST)                                                                                  \
    CMK_STRUCT_(name##_grids_, name##_grid *caller, now, to; cmk_point_member_ all[1 LIST(CMK_POINT_COUNT_)];)         \
    static inline cmk_point_grids_ name##_begin_(name##_grids_ *cmk_grids_, name##_grid *cmk_caller_)                  \
    {                                                                                                                  \
        CMK_UNUSED_ const name##_grid *const cmk_now_ = &cmk_grids_->now;                                              \
        CMK_UNUSED_ cmk_point_member_ *cmk_all_ = cmk_grids_->all;                                                     \
        CMK_POINT_EACH_(name, LIST, MEMBER)                                                                            \
        cmk_grids_->caller = cmk_caller_;                                                                              \
        if (cmk_caller_ != NULL) cmk_grids_->now = *cmk_caller_;                                                       \
        return CMK_POINT_GRIDS_OF_(cmk_grids_);                                                                        \
    }

/* A call of a launcher of name. Its launches are by KERNELS, whose parameters end with the values and tables of LIST.
 * Where show_pass_ is set there are passes too, by the kernels of steps.h. */
#define CMK_POINT_CALL_(caller, name, KERNELS, LIST)                                                                   \
    CMK_LAUNCHER_STRUCT_(                                                                                              \
        caller, cmk_point_call_, 4 LIST(CMK_POINT_COUNTED_), name##_grids_ grids_; struct {                            \
            char none_;                                                                                                \
            LIST(CMK_POINT_HOLDS_)                                                                                     \
        } values_;                                                                                                     \
        void (*show_pass_)(struct caller##_call *);)                                                                   \
    static inline int caller##_next(caller##_call *call)                                                               \
    {                                                                                                                  \
        if (!cmk_point_show_next_(&call->plan, &call->engine_, CMK_POINT_GRIDS_OF_(&call->grids_))) return 0;          \
        KERNELS(SHOW_, name, LIST)                                                                                     \
        if (call->show_pass_ != NULL) call->show_pass_(call);                                                          \
        return 1;                                                                                                      \
    }                                                                                                                  \
    CMK_UNUSED_ static inline CMK_LAUNCHER_LOOP_(caller##_launch_, caller, KERNELS(LAUNCH_, name, LIST))
/* The values and tables of a call: declared, set, and in the lists of a launch and of its plan. */
#define CMK_POINT_HOLDS_(KIND, ...) CMK_POINT_WORDS_(CMK_POINT_LINE_##KIND##_, HOLDS, __VA_ARGS__)
#define CMK_POINT_HOLDS_OF_VALUE_(T, value, BY) CMK_POINT_TAKE_##BY##_(T, value);
#define CMK_POINT_HOLDS_OF_TABLE_(table) table##_table table;
#define CMK_POINT_HOLD_(KIND, ...) CMK_POINT_WORDS_(CMK_POINT_LINE_##KIND##_, HOLD, __VA_ARGS__)
#define CMK_POINT_HOLD_OF_VALUE_(T, value, BY) cmk_call_->values_.value = value;
#define CMK_POINT_HOLD_OF_TABLE_(table) cmk_call_->values_.table = table;
/* whether the pointer to a value is NULL */
#define CMK_POINT_ABSENT_(KIND, ...) CMK_POINT_WORDS_(CMK_POINT_LINE_##KIND##_, ABSENT, __VA_ARGS__)
#define CMK_POINT_ABSENT_OF_VALUE_(T, value, BY) CMK_POINT_ABSENT_##BY##_(value)
#define CMK_POINT_ABSENT_OF_TABLE_(table)
#define CMK_POINT_ABSENT_ITSELF_(value)
#define CMK_POINT_ABSENT_POINTER_(value) +(value == NULL)
#define CMK_POINT_HELD_(KIND, ...) CMK_POINT_WORDS_(CMK_POINT_LINE_##KIND##_, HELD, __VA_ARGS__)
#define CMK_POINT_HELD_OF_VALUE_(T, value, BY) , call->values_.value
#define CMK_POINT_HELD_OF_TABLE_(table) , call->values_.table
#define CMK_POINT_SHOWN_(KIND, ...) CMK_POINT_WORDS_(CMK_POINT_LINE_##KIND##_, SHOWN, __VA_ARGS__)
#define CMK_POINT_SHOWN_OF_VALUE_(T, value, BY) , CMK_PLAN_ARGUMENT_(call->values_.value)
#define CMK_POINT_SHOWN_OF_TABLE_(table) , cmk_plan_argument_of_(&call->values_.table, CMK_TABLE_PASSED_BYTES_(table))
#define CMK_POINT_COUNTED_(KIND, ...) CMK_POINT_WORDS_(CMK_POINT_LINE_##KIND##_, COUNTED, __VA_ARGS__)
#define CMK_POINT_COUNTED_OF_VALUE_(T, value, BY) +1
#define CMK_POINT_COUNTED_OF_TABLE_(table) +1

/* Shows or launches the launch at hand, if this kernel's WAY is its way. The kernel's parameters begin with these three
 * members and what MORE adds. */
#define CMK_POINT_SHOW_(kernel, WAY, LIST, first, second, third, MORE)                                                 \
    CMK_LAUNCHER_SHOW_OF_(kernel, CMK_POINT_##MORE##KERNEL_(kernel), WAY, CMK_PLAN_ARGUMENT_(call->first),             \
                          CMK_PLAN_ARGUMENT_(call->second),                                                            \
                          CMK_PLAN_ARGUMENT_(call->third) CMK_POINT_##MORE##SHOW_ LIST(CMK_POINT_SHOWN_))
#define CMK_POINT_LAUNCH_(kernel, WAY, LIST, first, second, third, MORE)                                               \
    CMK_LAUNCHER_LAUNCH_OF_(CMK_POINT_##MORE##KERNEL_(kernel), WAY, call->first, call->second,                         \
                            call->third CMK_POINT_##MORE##LAUNCH_ LIST(CMK_POINT_HELD_))
#define CMK_POINT_ALONE_SHOW_
#define CMK_POINT_ALONE_LAUNCH_
#define CMK_POINT_ALONE_KERNEL_(kernel) kernel

/* The kernels of a step, for aligned rows and for others. Their ways (call.h) begin with WAY. */
#define CMK_POINT_BOTH_KERNELS_(VERB, name, LIST, WAY, third)                                                          \
    CMK_POINT_##VERB(name##_kernel, WAY + cmk_point_by_vectors_, LIST, grids_.now, engine_.task, third, ALONE_)        \
        CMK_POINT_##VERB(name##_unaligned_kernel, WAY + cmk_point_by_elements_, LIST, grids_.now, engine_.task, third, \
                         ALONE_)
#define CMK_POINT_KERNELS_(VERB, name, LIST)                                                                           \
    CMK_POINT_BOTH_KERNELS_(VERB, name, LIST, cmk_point_by_vectors_, engine_.stage)

/* Defines the plan of a call of STEPS steps, which has PARAMETERS behind the grid. Where SEVERAL is 1, passes may do
 * them. border is that of bordered.h, or NULL. */
#define CMK_POINT_PLAN_(function, caller, name, LIST, PARAMETERS, STEPS, SEVERAL, captured, border)                    \
    CMK_UNUSED_ static inline cudaError_t function##_plan(                                                             \
        caller##_call *cmk_call_, const cmk_plan_device *cmk_device_,                                                  \
        name##_grid *cmk_grid_ CMK_LIST_ PARAMETERS LIST(CMK_POINT_TAKE_))                                             \
    {                                                                                                                  \
        const cmk_point_asked_ cmk_asked_ = {                                                                          \
            name##_definition_(), name##_stages_, STEPS, captured, CMK_POINT_BEGIN_PASS_##SEVERAL##_, border};         \
        cmk_call_->show_pass_ = CMK_POINT_SHOW_PASS_##SEVERAL##_(caller);                                              \
        LIST(CMK_POINT_HOLD_)                                                                                          \
        return cmk_point_begin_call_(&cmk_call_->plan, &cmk_call_->engine_, &cmk_asked_, 0 LIST(CMK_POINT_ABSENT_),    \
                                     cmk_device_, name##_begin_(&cmk_call_->grids_, cmk_grid_));                       \
    }
#define CMK_POINT_SHOW_PASS_0_(caller) NULL
#define CMK_POINT_SHOW_PASS_1_(caller) caller##_show_pass_
#define CMK_POINT_BEGIN_PASS_0_ NULL
#define CMK_POINT_BEGIN_PASS_1_ cmk_point_begin_pass_

/* Defines a launcher, which has PARAMETERS behind the grid. The function planner_plan plans a call
 * with ARGUMENTS there, and LAUNCH launches it. WATCH is CMK_POINT_MEASURE_ where ./cmk tune measures the calls, else
 * CMK_POINT_NONE_. */
#define CMK_POINT_LAUNCHER_(function, planner, caller, name, LIST, PARAMETERS, ARGUMENTS, LAUNCH, WATCH)               \
    CMK_UNUSED_ static inline cudaError_t function(name##_grid *cmk_grid_ CMK_LIST_ PARAMETERS LIST(CMK_POINT_TAKE_),  \
                                                   cudaStream_t cmk_stream_)                                           \
    {                                                                                                                  \
        caller##_call cmk_call_;                                                                                       \
        WATCH(cmk_point_clock_ cmk_clock_ = cmk_point_start_(cmk_grid_, cmk_stream_);)                                 \
        (void)planner##_plan(&cmk_call_, NULL, cmk_grid_ CMK_LIST_ ARGUMENTS LIST(CMK_POINT_ARGUMENT_));               \
        const cudaError_t cmk_error_ = LAUNCH;                                                                         \
        CMK_REFUSED_(#function, cmk_call_.plan.why);                                                                   \
        WATCH(cmk_point_stop_(&cmk_clock_, #name, &cmk_call_.engine_, cmk_grid_);)                                     \
        return cmk_error_;                                                                                             \
    }
#define CMK_POINT_LAUNCHERS_(name, LIST)                                                                               \
    CMK_POINT_CALL_(name, name, CMK_POINT_KERNELS_, LIST)                                                              \
    CMK_POINT_PLAN_(name, name, name, LIST, (), 1, 0, 0, NULL)                                                         \
    CMK_POINT_LAUNCHER_(name, name, name, name, LIST, (), (), name##_launch_(&cmk_call_, cmk_stream_),                 \
                        CMK_POINT_NONE_)                                                                               \
    CMK_UNUSED_ static inline const char *name##_why(const name##_grid *cmk_grid_ LIST(CMK_POINT_TAKE_))               \
    {                                                                                                                  \
        name##_call cmk_call_;                                                                                         \
        name##_grid cmk_copy_ = cmk_grid_ != NULL ? *cmk_grid_ : CMK_ZEROS_(name##_grid);                              \
        (void)name##_plan(&cmk_call_, NULL, cmk_grid_ != NULL ? &cmk_copy_ : NULL LIST(CMK_POINT_ARGUMENT_));          \
        return cmk_call_.plan.why;                                                                                     \
    }
/* Defines name_prepare and name_release, by point/spares.h. CMK_POINT_ON_GRID_ defines name_flip and name_fields too,
 * by point/members.h. */
#define CMK_POINT_PREPARE_(name)                                                                                       \
    CMK_POINT_ON_GRID_(name, cudaError_t, prepare, cudaStream_t, cmk_given_,                                           \
                       cmk_point_passes_of_(name##_definition_(), name##_stages_, 0))                                  \
    CMK_POINT_ON_GRID_(name, cudaError_t, release, cudaStream_t, cmk_given_)
#define CMK_POINT_ON_GRID_(name, RESULT, verb, GIVEN, ...)                                                             \
    CMK_UNUSED_ static inline RESULT name##_##verb(name##_grid *cmk_grid_, GIVEN cmk_given_)                           \
    {                                                                                                                  \
        name##_grids_ cmk_grids_;                                                                                      \
        const char *cmk_why_ = "grid is NULL";                                                                         \
        const RESULT cmk_is_ = cmk_point_##verb##_(name##_begin_(&cmk_grids_, cmk_grid_), &cmk_why_, __VA_ARGS__);     \
        CMK_REFUSED_(#name "_" #verb, cmk_why_);                                                                       \
        return cmk_is_;                                                                                                \
    }
#define CMK_POINT_TAKE_(KIND, ...) CMK_POINT_WORDS_(CMK_POINT_LINE_##KIND##_, TAKE, __VA_ARGS__)
#define CMK_POINT_TAKE_OF_VALUE_(T, value, BY) , CMK_POINT_TAKE_##BY##_(T, value)
#define CMK_POINT_TAKE_ITSELF_(T, value) T value
#define CMK_POINT_TAKE_POINTER_(T, value) T const *value
#define CMK_POINT_TAKE_OF_TABLE_(table) , table##_table table

/* Defines a function of these PARAMETERS that returns a grid of these sizes. */
#define CMK_POINT_SIZED_(function, name, PARAMETERS, ...)                                                              \
    CMK_UNUSED_ static inline name##_grid function PARAMETERS                                                          \
    {                                                                                                                  \
        name##_grid grid = CMK_ZEROS_(name##_grid);                                                                    \
        cmk_point_set_sizes_(&grid, __VA_ARGS__);                                                                      \
        return grid;                                                                                                   \
    }
/* Defines name_domain and name_inner. PARAMETERS are theirs; the last arguments are those of cmk_point_domain_. */
#define CMK_POINT_GRIDS_(name, PARAMETERS, ...)                                                                        \
    CMK_POINT_SIZED_(name##_domain, name, PARAMETERS, cmk_point_domain_(__VA_ARGS__))                                  \
    CMK_POINT_SIZED_(name##_inner, name, PARAMETERS,                                                                   \
                     cmk_point_inner_(cmk_point_domain_(__VA_ARGS__), name##_definition_()))
/* Defines the functions for ranks. */
#define CMK_POINT_RANKS_(name)                                                                                         \
    CMK_POINT_ON_GRID_(name, cudaError_t, flip, cudaStream_t, cmk_given_, name##_stages_)                              \
    CMK_POINT_ON_GRID_(name, int, fields, cmk_field *, cmk_given_, name##_definition_(), name##_stages_)               \
    CMK_POINT_ON_GRID_(name, int, results, cmk_result *, cmk_given_)                                                   \
    CMK_POINT_SIZED_(name##_of_rank, name, (const cmk_grid *split, const int ghosts[3]),                               \
                     cmk_point_rank_(split, ghosts))                                                                   \
    CMK_UNUSED_ static inline name##_grid name##_part(name##_grid grid, cmk_box box)                                   \
    {                                                                                                                  \
        cmk_point_set_part_(&grid, box);                                                                               \
        return grid;                                                                                                   \
    }

#else

#define CMK_POINT_CALLED_(name, LIST)
#define CMK_POINT_LAUNCHERS_(name, LIST)
#define CMK_POINT_PREPARE_(name)
#define CMK_POINT_GRIDS_(name, PARAMETERS, ...)
#define CMK_POINT_RANKS_(name)

#endif

#endif
