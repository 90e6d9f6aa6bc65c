/* kernel/point/until.h: on the host: name_until, steps that are repeated until a value in device memory has fallen.
 * What repeats them is cmk_repeat_turns_ of ../../until.h.
 *
 * A turn is the launches of name_steps. Its buffers change places, so the turn behind it has other addresses. So turns
 * stand together in an even number, and behind them all buffers are in their places again. Once the loop has ended, the
 * kernels of the turns that are left do nothing. Where the number of turns is odd, the newest levels then are in the
 * other buffers, and a last kernel exchanges what the two hold.
 *
 * In all functions here, which the host calls:
 *
 *   t          a cmk_point_turns_, below
 *   g          a cmk_point_grids_ (members.h); g.all describes the fields, one member for each name
 *   grid       a grid of g, or a copy of one
 *   m          a member of g.all */
#ifndef CMK_KERNEL_POINT_UNTIL_H
#define CMK_KERNEL_POINT_UNTIL_H

#include "call.h"

#if CMK_HAS_HOST_

enum { cmk_point_turns_together_ = 8 };

/* The turns of a call: the name_call, what launches all that is left of it, its engine and its grids, and what each of
 * its turns asks for. `kept` is the caller's grid as it was, and `once` the grid behind one turn. */
typedef struct {
    void *call;
    cmk_turn launch;
    cmk_point_call_ *engine;
    cmk_point_grids_ g;
    cmk_point_asked_ asked;
    char *kept, *once;
} cmk_point_turns_;

/* Two buffers, from their first element on. There are rows x planes rows of `words` words, each of `word` bytes, 4
 * or 1. Pitches are in bytes. */
typedef struct {
    char *first, *second;
    size_t row_pitch, plane_pitch, words, rows, planes, word;
} cmk_point_two_;

typedef unsigned __attribute__((may_alias)) cmk_point_four_bytes_;

/* Exchanges what two buffers hold where the turns are an odd number. All threads of blocks of one row call it. */
CMK_IF_CALLED_ CMK_STATIC_ __global__ void cmk_point_exchange_kernel_(cmk_point_two_ two, const cmk_turns *turns)
{
    if (turns->turns % 2 == 0) return;
    for (size_t row = blockIdx.x; row < two.rows * two.planes; row += gridDim.x) {
        const size_t at = row / two.rows * two.plane_pitch + row % two.rows * two.row_pitch;
        for (size_t i = threadIdx.x; i < two.words; i += blockDim.x) {
            char *const a = two.first + at + i * two.word, *const b = two.second + at + i * two.word;
            if (two.word == 4) {
                const cmk_point_four_bytes_ held = *(cmk_point_four_bytes_ *)(void *)a;
                *(cmk_point_four_bytes_ *)(void *)a = *(cmk_point_four_bytes_ *)(void *)b;
                *(cmk_point_four_bytes_ *)(void *)b = held;
            } else {
                const char held = *a;
                *a = *b;
                *b = held;
            }
        }
    }
}

/* Returns where pointer i of a name is in its grid, in bytes: first its buffers, then the second ones, then spare ones.
 * Returns 0 where there are fewer. */
static inline size_t cmk_point_where_is_(const cmk_point_member_ *m, int i)
{
    const size_t all[] = {m->pointers, m->others, m->spares, m->other_spares};
    int kind = 0;
    for (; kind < 4; ++kind) {
        if (all[kind] == 0) continue;
        if (i < m->count) return all[kind] + (size_t)i * sizeof(void *);
        i -= m->count;
    }
    return 0;
}

/* Returns pointer i of a name. */
static inline char *cmk_point_pointer_of_(const void *grid, const cmk_point_member_ *m, int i)
{
    return cmk_point_pointer_(grid, cmk_point_where_is_(m, i), 0);
}

/* Returns whether all buffers of two grids are in the same places. */
static inline int cmk_point_same_places_(const void *a, const void *b, const cmk_point_member_ *all, int members)
{
    for (int k = 0; k < members; ++k)
        for (int i = 0; cmk_point_where_is_(&all[k], i) != 0; ++i)
            if (cmk_point_pointer_of_(a, &all[k], i) != cmk_point_pointer_of_(b, &all[k], i)) return 0;
    return 1;
}

/* Returns two buffers of a name, all of them. */
static inline cmk_point_two_ cmk_point_two_of_(const void *grid, const cmk_point_member_ *m, char *first, char *second)
{
    const cmk_point_sizes_ s = cmk_point_sizes_of_(grid);
    const cmk_field f = cmk_point_exchanged_(grid, m, 0, 0);
    const size_t row = (size_t)f.row_pitch * m->size, plane = (size_t)f.plane_pitch * m->size;
    const size_t bytes = s.columns * m->size;
    const size_t word = ((size_t)first | (size_t)second | row | plane | bytes) % 4 == 0 ? 4 : 1;
    const cmk_point_two_ two = {first, second, row, plane, bytes / word, s.rows, s.planes, word};
    return two;
}

/* Launches what brings the newest levels to the buffers that the caller's grid has. Each two buffers that a turn
 * exchanges are exchanged once. */
CMK_IF_CALLED_ static inline cudaError_t cmk_point_turn_back_(const cmk_point_turns_ *t, const cmk_turns *turns,
                                                              cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (int k = 0; k < t->g.members; ++k) {
        const cmk_point_member_ *const m = &t->g.all[k];
        for (int i = 0; cmk_point_where_is_(m, i) != 0 && error == cudaSuccess; ++i) {
            char *const own = cmk_point_pointer_of_(t->kept, m, i), *const other = cmk_point_pointer_of_(t->once, m, i);
            const cmk_point_two_ two = cmk_point_two_of_(t->kept, m, own, other);
            const size_t rows = two.rows * two.planes;
            const unsigned blocks = (unsigned)(rows < 0x7fffffffu ? rows : 0x7fffffffu);
            if (own < other && rows > 0)
                error = CMK_LAUNCH(CMK_CALLED_(cmk_point_exchange_kernel_), blocks, 256, 0, stream, two, turns);
        }
    }
    return error;
}

/* Begins a turn. */
static inline void cmk_point_begin_turn_(cmk_point_turns_ *t)
{
    *t->engine = cmk_point_call_of_(&t->asked, 0, &t->engine->device, t->g);
}

/* Does to the grid what the launches of a turn do to it. */
static inline void cmk_point_skip_turn_(cmk_point_turns_ *t)
{
    cmk_point_begin_turn_(t);
    while (cmk_point_next_(t->engine, t->g)) continue;
}

/* Launches a turn; the context of a cmk_turn is a cmk_point_turns_. */
static inline cudaError_t cmk_point_launch_turn_(void *context, cudaStream_t stream)
{
    cmk_point_turns_ *const t = (cmk_point_turns_ *)context;
    cmk_point_begin_turn_(t);
    return t->launch(t->call, stream);
}

/* Skips two turns, so that what a turn does to a grid is known. Where buffers are not in their places behind two turns,
 * as of LEAPFROG fields behind an odd number of passes and of steps, turns get an even number of passes. */
static inline void cmk_point_skip_turns_(cmk_point_turns_ *t)
{
    for (t->asked.captured = 0; t->asked.captured < 2; ++t->asked.captured) {
        memcpy(t->g.caller, t->kept, t->g.bytes);
        cmk_point_skip_turn_(t);
        memcpy(t->once, t->g.caller, t->g.bytes);
        cmk_point_skip_turn_(t);
        if (cmk_point_same_places_(t->kept, t->g.caller, t->g.all, t->g.members)) break;
    }
    memcpy(t->g.caller, t->kept, t->g.bytes);
}

/* Repeats turns until the loop ends. Behind it the newest levels are in the buffers that the caller's grid has now. */
CMK_IF_CALLED_ static inline cudaError_t cmk_point_repeat_(cmk_point_turns_ *t, cmk_until until, cudaStream_t stream)
{
    const cmk_repeated_ repeated = {until, cmk_point_launch_turn_, t, cmk_point_turns_together_, t->asked.steps};
    cmk_point_sizes_ s = cmk_point_sizes_of_(t->g.caller);
    memcpy(t->kept, t->g.caller, t->g.bytes);
    cmk_point_skip_turns_(t);
    s.turns_ = (size_t)until.turns;
    cmk_point_set_sizes_(t->g.caller, s);
    const cudaError_t error = cmk_repeat_turns_(&repeated, stream);
    memcpy(t->g.caller, t->kept, t->g.bytes);
    return error == cudaSuccess ? cmk_point_turn_back_(t, until.turns, stream) : error;
}

/* Does so for a call that is planned for the first turn. A call that is refused returns its error, with nothing
 * launched. */
CMK_IF_CALLED_ static inline cudaError_t cmk_point_until_(void *call, cmk_point_call_ *engine, cmk_point_grids_ g,
                                                          cmk_turn launch, cmk_until until, cudaStream_t stream)
{
    const cmk_point_asked_ asked = {
        engine->passes.d, engine->passes.stages, engine->steps, 0, engine->begin_pass, NULL};
    cmk_point_turns_ turns = {call, launch, engine, g, asked, NULL, NULL};
    if (engine->error != cudaSuccess) return engine->error;
    turns.kept = (char *)malloc(2 * g.bytes);
    if (turns.kept == NULL) return cudaErrorMemoryAllocation;
    turns.once = turns.kept + g.bytes;
    const cudaError_t error = cmk_point_repeat_(&turns, until, stream);
    free(turns.kept);
    return error;
}

/* Returns the steps of a turn: `steps`, or for 0 as many as a pass has. */
static inline size_t cmk_point_turn_steps_(cmk_point_definition_ d, int stages, size_t steps)
{
    return steps > 0 ? steps : (size_t)cmk_point_passes_of_(d, stages, 1).steps;
}

#endif

#endif
