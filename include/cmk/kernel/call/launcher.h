/* kernel/call/launcher.h: the host functions of a definition. Its engine makes a plan of a call. The function name_next
 * shows the launches of a plan one after another, and name_launch_ launches them. A launcher does all three. Its
 * arguments end with the definition's tables, by EACH of definition.h, and a stream.
 *
 * In all macros here `call` is a name_call: its plan is the public one of plan.h, and engine_ the plan of the engine.
 * EACH and what follows it in `...` are the tables. The functions are for the host alone.
 *
 * Of plan.h, cmk_plan_goes_on_ writes the engine's error to the plan and returns whether there is a launch, and
 * cmk_plan_made_ writes its error and why. cmk_plan_show_sizes_ and cmk_plan_show_ write grid, block and bytes; kernel
 * and arguments. CMK_PLAN_ARGUMENT_ is the address and bytes of a value, CMK_PLAN_TEXT_ and CMK_PLAN_FUNCTION_ a
 * kernel's name and address. CMK_LIST_ (base.h) drops parentheses. CMK_TILE_LAUNCH (tile.h) launches with any bytes of
 * shared memory. CMK_REFUSED_ (why.h) may print why. The CMK_DEFINITION_..._ stand in definition.h. */
#ifndef CMK_KERNEL_CALL_LAUNCHER_H
#define CMK_KERNEL_CALL_LAUNCHER_H

#include "../../base.h"
#include "../../tile.h"
#include "../plan.h"
#include "definition.h"
#include "why.h"

#if CMK_HAS_HOST_

/* A call of a definition. PLAN is the engine's; it has the members error, why, grid, block, bytes and way. NEXT is an
 * expression that goes to its next launch, and is 0 where there is none. WAYS(SHOW_, ...) and WAYS(LAUNCH_, ...) show
 * and launch it. They take the kernel of its way, which has COUNT parameters beside the tables. The second macro
 * defines the struct name_call, whose last members follow COUNT. The third defines a function that launches by these
 * statements what is left of a call. A compiler repeats a line of these macros for each function that it reports, hence
 * no padding. */
/* clang-format off */
#define CMK_LAUNCHER_CALL_(name, PLAN, NEXT, WAYS, COUNT, EACH, ...) \
    CMK_LAUNCHER_STRUCT_(name, PLAN, (COUNT)EACH(CMK_DEFINITION_COUNTED_, __VA_ARGS__), \
                         EACH(CMK_DEFINITION_MEMBER_, __VA_ARGS__)) \
    static inline int name##_next(name##_call *call) \
    { \
        if (!cmk_plan_goes_on_(&call->plan, NEXT, &call->engine_.error)) return 0; \
        cmk_plan_show_sizes_(&call->plan, call->engine_.grid, call->engine_.block, call->engine_.bytes); \
        WAYS(SHOW_, name, EACH, __VA_ARGS__) return 1; \
    } \
    static inline CMK_LAUNCHER_LOOP_(name##_launch_, name, WAYS(LAUNCH_, name, EACH, __VA_ARGS__))
#define CMK_LAUNCHER_STRUCT_(name, PLAN, COUNT, ...) \
    CMK_STRUCT_(name##_call, cmk_plan plan; PLAN engine_; void *arguments_[COUNT]; size_t bytes_[COUNT]; __VA_ARGS__)
#define CMK_LAUNCHER_LOOP_(function, name, ...) \
    cudaError_t function(void *call_, cudaStream_t stream) \
    { \
        for (name##_call *const call = (name##_call *)call_; name##_next(call);) { __VA_ARGS__ } \
        return ((name##_call *)call_)->engine_.error; \
    }

/* Shows the launch of a kernel whose parameters are `in` and `out`, as FROM and TO, and a division, which is a member
 * of the plan; the third macro launches it. The second and the fourth take any arguments: as a plan shows them, with
 * the kernel's name as text, and as the kernel takes them. All do so only where WAY is the way of the plan. */
#define CMK_LAUNCHER_SHOW_(kernel, WAY, FROM, TO, division, EACH, ...)                                                 \
    CMK_LAUNCHER_SHOW_OF_(kernel, kernel, WAY, CMK_PLAN_ARGUMENT_(call->engine_.in),                                   \
                          CMK_PLAN_ARGUMENT_(call->engine_.out),                                                       \
                          CMK_PLAN_ARGUMENT_(call->engine_.division) EACH(CMK_DEFINITION_ARGUMENT_, __VA_ARGS__))
#define CMK_LAUNCHER_SHOW_OF_(text, kernel, WAY, ...) \
    if (call->engine_.way == (WAY)) { \
        const cmk_plan_argument_ all[] = {__VA_ARGS__}; \
        cmk_plan_show_(&call->plan, CMK_PLAN_TEXT_(text), CMK_PLAN_FUNCTION_(kernel), all, sizeof all, \
                       call->arguments_, call->bytes_); }
#define CMK_LAUNCHER_LAUNCH_(kernel, WAY, FROM, TO, division, EACH, ...) \
    CMK_LAUNCHER_LAUNCH_OF_(kernel, WAY, (const FROM *)call->engine_.in, (TO *)call->engine_.out, \
                            call->engine_.division EACH(CMK_DEFINITION_HELD_, __VA_ARGS__))
#define CMK_LAUNCHER_LAUNCH_OF_(kernel, WAY, ...) \
    if (call->engine_.way == (WAY)) call->engine_.error = CMK_TILE_LAUNCH(kernel, call->engine_.grid, \
        call->engine_.block, call->engine_.bytes, stream, __VA_ARGS__);

/* The same of a kernel whose only parameter is the call of its engine. */
#define CMK_LAUNCHER_SHOW_CALL_(kernel, WAY) \
    CMK_LAUNCHER_SHOW_OF_(kernel, kernel, WAY, CMK_PLAN_ARGUMENT_(call->engine_.call))
#define CMK_LAUNCHER_LAUNCH_CALL_(kernel, WAY) CMK_LAUNCHER_LAUNCH_OF_(kernel, WAY, call->engine_.call)

/* Defines a launcher of these PARAMETERS, its plan, and why it is refused; a program need not call it. MAKE are the
 * statements by which the engine makes call->engine_ of the parameters and of `device`. PARAMETERS and MAKE are in
 * parentheses. The functions are function_plan, function_why and function itself, whose device is the current one. In
 * the second macro the PARAMETERS have those of the tables too, and the last argument also keeps the tables in the
 * call. */
#define CMK_LAUNCHER_OFFERS_ __attribute__((unused)) static inline
#define CMK_LAUNCHER_(function, name, PARAMETERS, MAKE, EACH, ...) \
    CMK_LAUNCHER_OF_(function, name, (CMK_LIST_ PARAMETERS EACH(CMK_DEFINITION_VALUE_, __VA_ARGS__)), \
                     CMK_LIST_ MAKE; EACH(CMK_DEFINITION_HOLD_, __VA_ARGS__))
#define CMK_LAUNCHER_OF_(function, name, PARAMETERS, ...) \
    CMK_LAUNCHER_OFFERS_ cudaError_t function##_plan(name##_call *call, CMK_UNUSED_ const cmk_plan_device *device, \
                                                     CMK_LIST_ PARAMETERS) \
    { __VA_ARGS__ return cmk_plan_made_(&call->plan, call->engine_.error, call->engine_.why); } \
    CMK_LAUNCHER_OFFERS_ const char *function##_why PARAMETERS \
    { CMK_LAUNCHER_HERE_(name) __VA_ARGS__ return call->engine_.why; } \
    CMK_LAUNCHER_OFFERS_ cudaError_t function(CMK_LIST_ PARAMETERS, cudaStream_t stream) \
    { \
        CMK_LAUNCHER_HERE_(name) __VA_ARGS__ CMK_REFUSED_(#function, call->engine_.why); \
        return name##_launch_(call, stream); \
    }
#define CMK_LAUNCHER_HERE_(name) \
    name##_call cmk_made_, *const call = &cmk_made_; CMK_UNUSED_ const cmk_plan_device *const device = NULL;
/* clang-format on */

/* A batch of `count` matrices or images; one alone has steps of 0. Pitches and steps count elements. */
typedef struct {
    const void *in;
    void *out;
    size_t in_pitch, in_step, out_pitch, out_step, rows, columns, count;
} cmk_batch_;

/* The parameters of a launcher that say where a batch is, or a volume. */
#define CMK_GRIDS_(IN, OUT) const IN *in, size_t in_pitch, size_t in_step, OUT *out, size_t out_pitch, size_t out_step
#define CMK_LAUNCHER_VOLUME_(T) CMK_GRIDS_(T, T), size_t planes, size_t rows, size_t columns

/* Defines the launchers of a batch, and of one. The function plan_of makes the plan of its cmk_batch_ and of constants.
 * A launcher of one calls it with steps of 0 and a count of 1. */
/* clang-format off */
#define CMK_LAUNCHER_OF_BATCH_(function, name, IN, OUT, plan_of, CONSTANTS, ...) \
    CMK_LAUNCHER_(function##_batch, name, (CMK_GRIDS_(IN, OUT), size_t rows, size_t columns, size_t count), \
        (CMK_LAUNCHER_BATCH_(in_step, out_step, count, plan_of, CONSTANTS)), __VA_ARGS__) \
    CMK_LAUNCHER_(function, name, \
        (const IN *in, size_t in_pitch, OUT *out, size_t out_pitch, size_t rows, size_t columns), \
        (CMK_LAUNCHER_BATCH_(0, 0, 1, plan_of, CONSTANTS)), __VA_ARGS__)
/* clang-format on */
#define CMK_LAUNCHER_BATCH_(in_step, out_step, count, plan_of, ...)                                                    \
    const cmk_batch_ cmk_asked_ = {in, out, in_pitch, in_step, out_pitch, out_step, rows, columns, count};             \
    call->engine_ = plan_of(&cmk_asked_, __VA_ARGS__)

#endif

#endif
