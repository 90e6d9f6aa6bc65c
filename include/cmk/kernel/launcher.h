/* kernel/launcher.h: the host functions of a definition. Its engine makes a plan of a call, name_launch_ launches what
 * the plan comes to, and a launcher is both: all end with the definition's tables, EACH of definition.h, and a stream.
 */
#ifndef CMK_KERNEL_LAUNCHER_H
#define CMK_KERNEL_LAUNCHER_H

#include "../base.h"
#include "../tile.h"
#include "definition.h"

#if CMK_HAS_HOST_

/* of the device at work */
static inline cudaError_t cmk_launcher_attribute_(enum cudaDeviceAttr attribute, int *value)
{
    int device;
    const cudaError_t error = cudaGetDevice(&device);
    return error != cudaSuccess ? error : cudaDeviceGetAttribute(value, attribute, device);
}

/* the launches of a PLAN, of a kernel, until next says that there is none; division is the member that it reads */
#define CMK_LAUNCHER_OF_PLAN_(launch, kernel, PLAN, next, division, FROM, TO, EACH, ...)                               \
    static inline cudaError_t launch(PLAN plan EACH(CMK_DEFINITION_VALUE_, __VA_ARGS__), cudaStream_t stream)          \
    {                                                                                                                  \
        while (next(&plan))                                                                                            \
            plan.error = CMK_TILE_LAUNCH(kernel, plan.grid, plan.block, plan.bytes, stream, (const FROM *)plan.in,     \
                                         (TO *)plan.out, plan.division EACH(CMK_DEFINITION_NAME_, __VA_ARGS__));       \
        return plan.error;                                                                                             \
    }

/* a launcher of these PARAMETERS, which a program need not call: run with ARGUMENTS */
#define CMK_LAUNCHER_(function, run, PARAMETERS, ARGUMENTS, EACH, ...)                                                 \
    __attribute__((unused)) static inline cudaError_t function(                                                        \
        CMK_LIST_ PARAMETERS EACH(CMK_DEFINITION_VALUE_, __VA_ARGS__), cudaStream_t stream)                            \
    {                                                                                                                  \
        return run(CMK_LIST_ ARGUMENTS EACH(CMK_DEFINITION_NAME_, __VA_ARGS__), stream);                               \
    }

/* those of a batch of matrices or images, and of one */
#define CMK_LAUNCHER_OF_BATCH_(name, IN, OUT, plan_of, CONSTANTS, ...)                                                 \
    CMK_LAUNCHER_(name##_batch, name##_launch_,                                                                        \
                  (const IN *in, size_t in_pitch, size_t in_step, OUT *out, size_t out_pitch, size_t out_step,         \
                   size_t rows, size_t columns, size_t count),                                                         \
                  (plan_of(in, in_pitch, in_step, out, out_pitch, out_step, rows, columns, count, CONSTANTS)),         \
                  __VA_ARGS__)                                                                                         \
    CMK_LAUNCHER_(name, name##_batch,                                                                                  \
                  (const IN *in, size_t in_pitch, OUT *out, size_t out_pitch, size_t rows, size_t columns),            \
                  (in, in_pitch, 0, out, out_pitch, 0, rows, columns, 1), __VA_ARGS__)

#endif

#endif
