/* kernel/point/measure.h: how long the calls of name_steps take, for ./cmk tune.
 *
 * That command defines CMK_TUNE_STEPS and CMK_TUNE_BLOCKS, which then are the numbers of every definition, and names a
 * file by the environment variable CMK_TUNE_REPORT. Each call waits for its end and appends a line to the file. Calls
 * whose grids are lines do neither, as there is nothing to choose for them.
 *
 *   heat 6 3 16 9 41 250 6710886400 102.4
 *   name, steps of a pass, blocks of an SM, the most steps, words of a step's levels; passes, steps and points of the
 *   call, of all its steps; milliseconds
 *
 * The functions here are called by the host, in name_steps. `grid` is the caller's name_grid, which begins with
 * cmk_point_sizes_ (grid.h). `call` is a cmk_point_call_ (call.h), and call->made counts its passes. `name` is that of
 * the definition. Of call->passes (passes.h), d has the constants of the definition, and stages are those of a step.
 * From these, functions of strip.h give the numbers 2 to 5 of the line. cmk_point_captured_ (passes.h) is 1 where the
 * stream is captured, or where an error hides whether it is. The sizes of a grid, by cmk_point_sizes_of_
 * (members.h), have its part, first to end - 1 of each axis. Its rows are lines by cmk_point_is_line_ (grid.h). */
#ifndef CMK_KERNEL_POINT_MEASURE_H
#define CMK_KERNEL_POINT_MEASURE_H

#include "call.h"

#if defined(CMK_TUNE_STEPS) && CMK_HAS_HOST_
/* Expands its arguments where calls are measured, else nothing. */
#define CMK_POINT_MEASURE_(...) __VA_ARGS__

/* The clock of a call of name_steps. */
typedef struct {
    cudaEvent_t begin, end; /* before and behind the launches of the call, in its stream; NULL where not made */
    cudaStream_t stream;
    size_t first_step; /* the number of the call's first step; the grid counts on from it */
    int runs;          /* 1 where the call is measured */
} cmk_point_clock_;

/* Starts a clock, ahead of the launches of a call. It does not run where no file is named, while the stream is
 * captured, or where an event cannot be made. A grid that is NULL is not read. */
static inline cmk_point_clock_ cmk_point_start_(const void *grid, cudaStream_t stream)
{
    cmk_point_clock_ clock;
    memset((void *)&clock, 0, sizeof clock);
    if (grid == NULL) return clock;
    clock.first_step = cmk_point_sizes_of_(grid).first_step;
    clock.stream = stream;
    if (getenv("CMK_TUNE_REPORT") == NULL || cmk_point_captured_(stream)) return clock;
    clock.runs = cudaEventCreate(&clock.begin) == cudaSuccess && cudaEventCreate(&clock.end) == cudaSuccess &&
                 cudaEventRecord(clock.begin, stream) == cudaSuccess;
    return clock;
}

/* Appends the line of a call to the file. The points are those of the part, once for each step that was done, and
 * `milliseconds` is the time of all of them. */
static inline void cmk_point_write_(const cmk_point_clock_ *clock, const char *name, const cmk_point_call_ *call,
                                    const void *grid, double milliseconds)
{
    const cmk_point_passes_ *const p = &call->passes;
    const cmk_point_sizes_ s = cmk_point_sizes_of_(grid);
    const double part = (double)(s.end_plane - s.first_plane) * (double)(s.end_row - s.first_row) *
                        (double)(s.end_column - s.first_column);
    const size_t steps = s.first_step - clock->first_step;
    FILE *const file = fopen(getenv("CMK_TUNE_REPORT"), "a");
    if (file == NULL) return;
    fprintf(file, "%s %d %d %d %d %zu %zu %.0f %.6f\n", name, cmk_point_steps_(p->d, p->stages),
            cmk_point_strip_blocks_(p->d, p->stages), cmk_point_steps_most_(p->d, p->stages),
            cmk_point_step_words_(p->d, p->stages), call->made, steps, (double)steps * part, milliseconds);
    fclose(file);
}

/* Stops the clock behind the launches of a call, waits for their end, and appends the line, but with lines. Then it
 * destroys the events that were made, of a clock that does not run too. */
static inline void cmk_point_stop_(const cmk_point_clock_ *clock, const char *name, const cmk_point_call_ *call,
                                   const void *grid)
{
    float milliseconds = 0.0f;
    if (clock->runs && !cmk_point_is_line_(call->passes.d) &&
        cudaEventRecord(clock->end, clock->stream) == cudaSuccess && cudaEventSynchronize(clock->end) == cudaSuccess &&
        cudaEventElapsedTime(&milliseconds, clock->begin, clock->end) == cudaSuccess)
        cmk_point_write_(clock, name, call, grid, milliseconds);
    if (clock->begin != NULL) (void)cudaEventDestroy(clock->begin);
    if (clock->end != NULL) (void)cudaEventDestroy(clock->end);
}

#else
#define CMK_POINT_MEASURE_(...)
#endif

#endif
