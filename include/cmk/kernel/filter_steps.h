/* filter_steps.h: many steps of a filter, each of which takes the output of the one before: steps in time of a linear
 * update, or a blur done again and again. A pass does several of them with one read and one write of memory.
 *
 *   CMK_DEFINE_STENCIL1D_STEPS(name, T, RADIUS, BODY, TABLE, EDGE);      at file scope
 *   cudaError_t name_steps(const T *in, T *out, T *spare, size_t count, size_t steps, TABLE_table table,
 *                          cudaStream_t stream);
 *   CMK_DEFINE_CONV2D_STEPS(name, T, ROWS, COLUMNS, TABLE, EDGE);
 *   cudaError_t name_steps(const T *in, size_t in_pitch, T *out, size_t out_pitch, T *spare, size_t rows,
 *                          size_t columns, size_t steps, TABLE_table table, cudaStream_t stream);
 *   CMK_DEFINE_SEPARABLE_STEPS(name, T, RADIUS, DOWN, ACROSS, EDGE);
 *   cudaError_t name_steps(const T *in, size_t in_pitch, T *out, size_t out_pitch, T *spare, size_t rows,
 *                          size_t columns, size_t steps, DOWN_table down, ACROSS_table across, cudaStream_t stream);
 *   CMK_DEFINE_SEPARABLE3D_STEPS(name, T, RADIUS, (THROUGH, DOWN, ACROSS), EDGE);
 *   cudaError_t name_steps(const T *in, size_t in_pitch, size_t in_step, T *out, size_t out_pitch, size_t out_step,
 *                          T *spare, size_t planes, size_t rows, size_t columns, size_t steps, THROUGH_table through,
 *                          DOWN_table down, ACROSS_table across, cudaStream_t stream);
 *
 * Such a definition makes what the one without _STEPS makes (stencil1d.h, conv2d.h, separable.h, conv3d.h), and
 * name_steps. That function writes to out what `steps` calls of name would give, one after another. 0 steps copy in.
 *   T                          float or double
 *   BODY                       CMK_STENCIL_1D, CMK_STENCIL_1D_SYMMETRIC or CMK_STENCIL_1D_ANTISYMMETRIC
 *   RADIUS, ROWS, COLUMNS      the sizes of a step's filter, as in the other definition
 *   TABLE                      its taps: a table of table.h, from any source. So are THROUGH, DOWN and ACROSS, whose
 *                              products are the taps. table, through, down and across are their arguments
 *   EDGE                       as in the other definition. An axis wraps at both ends, or at none
 *   count                      the elements of a line. An array has `planes` planes, of `rows` rows and `columns`
 *                              columns each
 *   spare                      device memory that is as out is, with its pitch and its step. It is overwritten. A call
 *                              that takes one pass needs none, and then it may be NULL
 *
 * The steps of a pass are one filter, of a larger reach: its taps are the step's, composed. A kernel composes them on
 * the device, in double, and rounds them once. The other definition's ways compute the inside by that filter. What an
 * edge reaches is computed step by step, so that every edge is right to the last point. A pass has these steps, but
 * where single steps are faster it has one:
 *
 *                          float                                   double
 *   STENCIL1D              32 / RADIUS                             32 / RADIUS
 *   SEPARABLE              32 / RADIUS                             16 / RADIUS
 *   SEPARABLE3D            4 / RADIUS                              4 / RADIUS
 *   CONV2D 3x3, 5x5, 7x7   7, 4, 2, by tensor cores of sm_90a      3, 2, 1
 *
 * An output differs from that of single steps by rounding (docs/accuracy.md). So an infinity or a NaN comes out as NaN,
 * in all outputs that a whole pass reaches. To have the bits of single steps, call a definition of _IN_ORDER once for
 * each step.
 *
 * Errors are those of the other definition: cudaErrorInvalidValue, with nothing launched. So it is where `in`, `out`
 * and `spare` overlap, and for a spare of NULL that is needed. name_steps_why returns the sentence. The composed taps
 * lie in constant memory of the definition: calls that are under way at the same time, in several streams, must have
 * the same taps. Make a definition for each stream where they have not.
 *
 *   CMK_TABLE_VALUES(CONSTANT, float, heat, [3], 0.25f, 0.5f, 0.25f);
 *   CMK_DEFINE_SEPARABLE_STEPS(blur, float, 1, heat, heat, CMK_EDGE_CLAMP);
 *   CMK_CHECK(blur_steps(in, columns, out, columns, spare, rows, columns, 100, heat, heat, stream)); */
#ifndef CMK_KERNEL_FILTER_STEPS_H
#define CMK_KERNEL_FILTER_STEPS_H

#include "../load.h"
#include "../tile.h"
#include "composed/plan.h"
#include "conv2d.h"
#include "conv3d.h"
#include "separable.h"
#include "stencil1d.h"

#define CMK_COMPOSED_T_ float
#include "composed/border.inc"
#undef CMK_COMPOSED_T_
#define CMK_COMPOSED_T_ double
#include "composed/border.inc"
#undef CMK_COMPOSED_T_
enum { cmk_composed_go_make_int_, cmk_composed_go_border_int_ }; /* CMK_CALL_OF_ names them, but no steps are of int */

/* CMK_DEFINE_CONV2D_STEPS(heat, float, 3, 3, weights, EDGE); generates, beside what CMK_DEFINE_CONV2D does,
 *
 *   enum { heat_most_ = 7, heat_inside_ = 0 };              the steps of a pass; the edge of its inside
 *   CMK_TABLE(CONSTANT, float, heat_first_, [225]);         the taps of 7 steps
 *   CMK_CONV2D_DEFINE_(cmk_pass_heat, ...)                  the filter of 7 steps
 *   cmk_composed_filter_ heat_steps_filter_(void);          the constants of composed/sizes.h
 *   static float heat_steps_tap_(...);                      an element of the table
 *   static __device__ float heat_made_[225];                where composed taps are made
 *   __global__ void heat_make_kernel(...);                  makes them
 *   __global__ void heat_border_kernel(...);                computes what an edge reaches
 *   cudaError_t heat_steps(...);                            and heat_steps_why
 *
 * The composed tables of products are heat_first_, heat_second_ and heat_third_. A compiler repeats a line of a macro
 * for each function that it reports, hence no padding. */
/* clang-format off */
#define CMK_DEFINE_STENCIL1D_STEPS(name, T, RADIUS, BODY, TABLE, EDGE) \
    CMK_DEFINE_STENCIL1D(name, T, RADIUS, BODY, TABLE, EDGE); \
    CMK_DEFINITION_REAL_("CMK_DEFINE_STENCIL1D_STEPS", name, T, "T must be float or double") \
    CMK_NEEDS_("CMK_DEFINE_STENCIL1D_STEPS", CMK_FILTER_STEPS_SIDES_(CMK_STENCIL1D_SIDES_##BODY##_, 0, 0, ) > 0, \
               "BODY must be CMK_STENCIL_1D, CMK_STENCIL_1D_SYMMETRIC or CMK_STENCIL_1D_ANTISYMMETRIC"); \
    CMK_FILTER_STEPS_BEGIN_("CMK_DEFINE_STENCIL1D_STEPS", name, EDGE, CMK_COMPOSED_LINE_(RADIUS), \
        (1, CMK_FILTER_STEPS_HOW_(CMK_STENCIL1D_SIDES_##BODY##_, 0, 0, ), 1, 1, 2 * (RADIUS) + 1, 0, 0, RADIUS)) \
    CMK_FILTER_STEPS_TABLE_(name, first_, RADIUS) \
    CMK_DEFINE_STENCIL1D(cmk_pass_##name, name##_type_, name##_most_ * (RADIUS), CMK_STENCIL_1D, name##_first_, \
                         CMK_EDGE_COLUMN(name##_inside_)); \
    CMK_FILTER_STEPS_(name, LINE, (TABLE, TABLE, TABLE), CMK_FILTER_STEPS_ONE_, CMK_DEFINITION_ONE_, TABLE)
#define CMK_FILTER_STEPS_SIDES_(...) CMK_FILTER_STEPS_SIDES_OF_(__VA_ARGS__)
#define CMK_FILTER_STEPS_SIDES_OF_(unknown, SIDES, ...) SIDES
#define CMK_FILTER_STEPS_HOW_(...) CMK_FILTER_STEPS_HOW_OF_(__VA_ARGS__)
#define CMK_FILTER_STEPS_HOW_OF_(unknown, SIDES, MIRROR, ...) cmk_composed_how_(SIDES, MIRROR)

#define CMK_DEFINE_CONV2D_STEPS(name, T, ROWS, COLUMNS, TABLE, EDGE) \
    CMK_DEFINE_CONV2D(name, T, ROWS, COLUMNS, TABLE, EDGE); \
    CMK_FILTER_STEPS_BEGIN_("CMK_DEFINE_CONV2D_STEPS", name, EDGE, \
        CMK_COMPOSED_BOX_(CMK_NUMBER_(name##_type_), ROWS, COLUMNS), \
        (2, cmk_composed_all_, 1, ROWS, COLUMNS, 0, (ROWS) / 2, (COLUMNS) / 2)) \
    enum { name##_rows_ = ((ROWS)-1) * name##_most_ + 1, name##_columns_ = ((COLUMNS)-1) * name##_most_ + 1 }; \
    CMK_TABLE(CONSTANT, name##_type_, name##_first_, [name##_rows_ * name##_columns_]); \
    CMK_CONV2D_DEFINE_(cmk_pass_##name, 8, name##_type_, name##_type_, name##_type_, 1, name##_rows_, name##_columns_, \
                       (ROWS) / 2 * name##_most_, (COLUMNS) / 2 * name##_most_, name##_first_, name##_inside_, 0); \
    CMK_FILTER_STEPS_(name, BOX, (TABLE, TABLE, TABLE), CMK_FILTER_STEPS_ONE_, CMK_DEFINITION_ONE_, TABLE)

#define CMK_DEFINE_SEPARABLE_STEPS(name, T, RADIUS, DOWN, ACROSS, EDGE) \
    CMK_DEFINE_SEPARABLE(name, T, RADIUS, DOWN, ACROSS, EDGE); \
    CMK_FILTER_STEPS_PRODUCT_("CMK_DEFINE_SEPARABLE_STEPS", name, RADIUS, EDGE, \
        CMK_COMPOSED_PRODUCT_(CMK_NUMBER_(name##_type_), RADIUS), (2, cmk_composed_products_, 1, 2 * (RADIUS) + 1), 0) \
    CMK_DEFINE_SEPARABLE(cmk_pass_##name, name##_type_, name##_most_ * (RADIUS), name##_first_, name##_second_, \
                         name##_inside_); \
    CMK_FILTER_STEPS_(name, IMAGE, (DOWN, ACROSS, ACROSS), CMK_FILTER_STEPS_TWO_, CMK_DEFINITION_TWO_, DOWN, ACROSS)

#define CMK_DEFINE_SEPARABLE3D_STEPS(name, T, RADIUS, TABLES, EDGE) \
    CMK_DEFINE_SEPARABLE3D(name, T, RADIUS, TABLES, EDGE); \
    CMK_FILTER_STEPS_PRODUCT_("CMK_DEFINE_SEPARABLE3D_STEPS", name, RADIUS, EDGE, CMK_COMPOSED_VOLUME_(RADIUS), \
        (3, cmk_composed_products_, 2 * (RADIUS) + 1, 2 * (RADIUS) + 1), RADIUS) \
    CMK_FILTER_STEPS_TABLE_(name, third_, RADIUS) \
    CMK_DEFINE_SEPARABLE3D(cmk_pass_##name, name##_type_, name##_most_ * (RADIUS), \
                           (name##_first_, name##_second_, name##_third_), name##_inside_); \
    CMK_FILTER_STEPS_(name, VOLUME, TABLES, CMK_FILTER_STEPS_THREE_, CMK_DEFINITION_THREE_, CMK_LIST_ TABLES)

/* Declares the steps of a pass, the edge of its inside, and the constants of the filter. SHAPE has the members of
 * cmk_composed_words_ from axes to column. Products have two composed tables, or three. */
#define CMK_FILTER_STEPS_BEGIN_(DEFINITION, name, EDGE, MOST, SHAPE) \
    enum { name##_most_ = (MOST), name##_inside_ = CMK_COMPOSED_INSIDE_(EDGE) }; \
    CMK_NEEDS_(DEFINITION, CMK_COMPOSED_EDGE_(EDGE), "an axis of EDGE must wrap at both ends, or at none"); \
    CMK_DEFINITION_SIZES_(name##_steps_filter_, cmk_composed_filter_, cmk_composed_words_, \
                          sizeof(name##_type_), CMK_LIST_ SHAPE, EDGE, name##_most_)
#define CMK_FILTER_STEPS_PRODUCT_(DEFINITION, name, RADIUS, EDGE, MOST, SHAPE, PLANE) \
    CMK_FILTER_STEPS_BEGIN_(DEFINITION, name, EDGE, MOST, (CMK_LIST_ SHAPE, 2 * (RADIUS) + 1, PLANE, RADIUS, RADIUS)) \
    CMK_FILTER_STEPS_TABLE_(name, first_, RADIUS) CMK_FILTER_STEPS_TABLE_(name, second_, RADIUS)
#define CMK_FILTER_STEPS_TABLE_(name, which, RADIUS) \
    CMK_TABLE(CONSTANT, name##_type_, name##_##which, [2 * name##_most_ * (RADIUS) + 1]);
#define CMK_FILTER_STEPS_ONE_(USE, name) CMK_DEFINITION_ONE_(USE, name##_first_)
#define CMK_FILTER_STEPS_TWO_(USE, name) CMK_DEFINITION_TWO_(USE, name##_first_, name##_second_)
#define CMK_FILTER_STEPS_THREE_(USE, name) CMK_DEFINITION_THREE_(USE, name##_first_, name##_second_, name##_third_)

/* Makes the rest of a definition. TAPS are the tables of name_steps_tap_, COMPOSED is one of the three above, and EACH
 * and what follows it are the tables of a step. */
#define CMK_FILTER_STEPS_(name, KIND, TAPS, COMPOSED, EACH, ...) \
    CMK_FILTER_STEPS_TAPS_(name##_steps, name##_type_, CMK_LIST_ TAPS) \
    CMK_STATIC_ __device__ name##_type_ name##_made_[0 COMPOSED(CMK_FILTER_STEPS_COUNTED_, name)]; \
    CMK_FILTER_STEPS_KERNEL_(name, make, (cmk_to_, cmk_steps_), EACH, __VA_ARGS__) \
    CMK_FILTER_STEPS_KERNEL_(name, border, (cmk_in_, cmk_out_, &cmk_border_), EACH, __VA_ARGS__) \
    CMK_FILTER_STEPS_LAUNCHERS_(name, KIND, COMPOSED, EACH, __VA_ARGS__) CMK_SEMICOLON_
#define CMK_FILTER_STEPS_TAPS_(...) CMK_DEFINITION_TAPS_(__VA_ARGS__)
#define CMK_FILTER_STEPS_KERNEL_(name, kind, ARGUMENTS, EACH, ...) \
    CMK_DEFINITION_KERNEL_(name##_##kind##_kernel, (cmk_composed_threads_, name##_steps_filter_().blocks), \
                           (CMK_FILTER_STEPS_OF_##kind##_(name##_type_)), \
                           (CMK_CONSTEXPR_ const cmk_composed_filter_ cmk_f_ = name##_steps_filter_(); \
                            CMK_CALL_OF_(cmk_composed_go_##kind##_, name##_type_) \
                            (CMK_LIST_ ARGUMENTS, cmk_f_, cmk_tables_, name##_steps_tap_);), EACH, __VA_ARGS__)
#define CMK_FILTER_STEPS_OF_make_(T) T *cmk_to_, int cmk_steps_
#define CMK_FILTER_STEPS_OF_border_(T) CMK_DEFINITION_ARRAYS_(T, T), CMK_FILTER_STEPS_BORDER_ cmk_border_
#define CMK_FILTER_STEPS_BORDER_ const CMK_GRID_CONSTANT_ cmk_composed_border_

/* For EACH: the elements of a table, a table as an argument, and the copy of a composed table from where it is made. */
#define CMK_FILTER_STEPS_COUNTED_(TABLE, parameter) +CMK_DEFINITION_COUNT_(TABLE)
#define CMK_FILTER_STEPS_GIVEN_(TABLE, parameter) , TABLE
#define CMK_FILTER_STEPS_COPY_(TABLE, parameter) \
    CMK_FILTER_STEPS_DO_(work->makes, CMK_TABLE_UPLOAD_ASYNC(TABLE, made, 0, CMK_DEFINITION_COUNT_(TABLE), stream)) \
    if (work->makes) made += CMK_DEFINITION_COUNT_(TABLE);

#if CMK_HAS_HOST_

/* By the kind of a definition: the parameters of name_steps; the members of its cmk_composed_call_; the arguments of
 * name of a pass; the most steps of a pass, which are told at run time of a box. */
#define CMK_FILTER_STEPS_LINE_(T) const T *in, T *out, T *spare, size_t count, size_t steps
#define CMK_FILTER_STEPS_LINE_CALL_ in, out, spare, count, 0, count, 0, {1, 1, count}, steps
#define CMK_FILTER_STEPS_LINE_PASS_ from, to, work->call.size[2]
#define CMK_FILTER_STEPS_LINE_MOST_(name) name##_most_
#define CMK_FILTER_STEPS_IMAGE_(T) \
    const T *in, size_t in_pitch, T *out, size_t out_pitch, T *spare, size_t rows, size_t columns, size_t steps
#define CMK_FILTER_STEPS_IMAGE_CALL_ in, out, spare, in_pitch, 0, out_pitch, 0, {1, rows, columns}, steps
#define CMK_FILTER_STEPS_IMAGE_PASS_ \
    from, work->from_pitch, to, work->call.out_pitch, work->call.size[1], work->call.size[2]
#define CMK_FILTER_STEPS_IMAGE_MOST_(name) name##_most_
#define CMK_FILTER_STEPS_BOX_ CMK_FILTER_STEPS_IMAGE_
#define CMK_FILTER_STEPS_BOX_CALL_ CMK_FILTER_STEPS_IMAGE_CALL_
#define CMK_FILTER_STEPS_BOX_PASS_ CMK_FILTER_STEPS_IMAGE_PASS_
#define CMK_FILTER_STEPS_BOX_MOST_(name) \
    cmk_composed_box_most_(&cmk_asked_, name##_steps_filter_(), CMK_WAYS_CONSTANTS_(cmk_pass_##name))
#define CMK_FILTER_STEPS_VOLUME_(T) CMK_GRIDS_(T, T), T *spare, size_t planes, size_t rows, size_t columns, size_t steps
#define CMK_FILTER_STEPS_VOLUME_CALL_ \
    in, out, spare, in_pitch, in_step, out_pitch, out_step, {planes, rows, columns}, steps
#define CMK_FILTER_STEPS_VOLUME_PASS_ \
    from, work->from_pitch, work->from_step, to, work->call.out_pitch, work->call.out_step, work->call.size[0], \
        work->call.size[1], work->call.size[2]
#define CMK_FILTER_STEPS_VOLUME_MOST_(name) name##_most_

/* Returns the most steps of a pass of a call of a box: those of the filter where the composed one, which has these
 * constants, goes by tensor cores, or is fast without them; else 1. The CPU backend always composes. */
static inline int cmk_composed_box_most_(const cmk_composed_call_ *call, cmk_composed_filter_ f, cmk_image_sizes_ s,
                                         size_t by_fmas, size_t by_tensor_cores, size_t unaligned,
                                         const cmk_plan_device *device)
{
    const size_t rows = call->size[1], columns = call->size[2];
    const cmk_batch_ batch = {call->in, call->out, call->in_pitch, 0, call->out_pitch, 0, rows, columns, 1};
    cmk_image_plan_ plan = cmk_image_plan_batch_(&batch, s, by_fmas, by_tensor_cores, unaligned, device);
    if (f.quick || !CMK_ON_GPU_ || !cmk_ways_next_(&plan, cmk_ways_of_(s.f))) return f.most;
    return plan.way == cmk_image_tensor_kernel_ ? f.most : 1;
}

#define CMK_FILTER_STEPS_LAUNCHERS_(name, KIND, COMPOSED, EACH, ...) \
    CMK_LAUNCHER_STRUCT_(cmk_steps_##name, cmk_composed_work_, 1, EACH(CMK_DEFINITION_MEMBER_, __VA_ARGS__)) \
    CMK_FILTER_STEPS_NEXT_(cmk_steps_##name) \
    static inline CMK_LAUNCHER_LOOP_(cmk_steps_##name##_launch_, cmk_steps_##name, \
        CMK_FILTER_STEPS_PASS_(name, name##_type_, CMK_FILTER_STEPS_##KIND##_PASS_, COMPOSED, EACH, __VA_ARGS__)) \
    CMK_LAUNCHER_(name##_steps, cmk_steps_##name, (CMK_FILTER_STEPS_##KIND##_(name##_type_)), \
        (const cmk_composed_call_ cmk_asked_ = {CMK_FILTER_STEPS_##KIND##_CALL_}; call->engine_ = cmk_composed_begin_( \
         &cmk_asked_, name##_steps_filter_(), CMK_FILTER_STEPS_##KIND##_MOST_(name))), EACH, __VA_ARGS__)
#define CMK_FILTER_STEPS_NEXT_(of) \
    static inline int of##_next(of##_call *call) { return cmk_composed_next_(&call->engine_); }
/* The statements that launch the pass at hand. The last macro is one of them, that is done where nothing has failed. */
#define CMK_FILTER_STEPS_PASS_(name, T, ARGUMENTS, COMPOSED, EACH, ...) \
    cmk_composed_work_ *const work = &call->engine_; \
    const T *const from = (const T *)work->from; \
    T *const to = (T *)work->to, *made = NULL; \
    const unsigned threads = cmk_composed_threads_; \
    const int steps = work->border.steps; \
    CMK_FILTER_STEPS_DO_(work->way == cmk_composed_no_step_, cmk_composed_copy_(work, stream)) \
    CMK_FILTER_STEPS_DO_(work->way == cmk_composed_single_, \
                         name(ARGUMENTS EACH(CMK_DEFINITION_HELD_, __VA_ARGS__), stream)) \
    CMK_FILTER_STEPS_DO_(work->makes, cudaGetSymbolAddress((void **)&made, name##_made_)) \
    CMK_FILTER_STEPS_DO_(work->makes, CMK_TILE_LAUNCH(name##_make_kernel, work->tables, threads, work->make_bytes, \
                         stream, made, steps EACH(CMK_DEFINITION_HELD_, __VA_ARGS__))) \
    COMPOSED(CMK_FILTER_STEPS_COPY_, name) \
    CMK_FILTER_STEPS_DO_(work->inside, cmk_pass_##name(ARGUMENTS COMPOSED(CMK_FILTER_STEPS_GIVEN_, name), stream)) \
    CMK_FILTER_STEPS_DO_(work->blocks > 0, CMK_TILE_LAUNCH(name##_border_kernel, work->blocks, threads, work->bytes, \
                         stream, from, to, work->border EACH(CMK_DEFINITION_HELD_, __VA_ARGS__)))
#define CMK_FILTER_STEPS_DO_(asked, ...) if (work->error == cudaSuccess && (asked)) work->error = __VA_ARGS__;

#else

#define CMK_FILTER_STEPS_LAUNCHERS_(name, KIND, COMPOSED, EACH, ...)

#endif
/* clang-format on */

#endif
