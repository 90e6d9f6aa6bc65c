/* kernel/point/call.h: on the host: the launches that a call of a stencil comes to, one after another.
 *
 * They are the stages of a step, or passes of several steps. The border may come first in the last stage of a step, or
 * in the only pass of a call. When the next launch is asked for, the one at hand has been launched; then the buffers of
 * the caller's grid change places.
 *
 * In all functions here, which the host calls:
 *
 *   c          a cmk_point_call_, below: the call, and its launch at hand. c->passes is a cmk_point_passes_ (passes.h):
 *              d, the constants of the definition, the stages of a step, and the steps of a pass
 *   g          a cmk_point_grids_ (members.h)
 *   task       a cmk_point_task_ (grid.h), the parameter of the kernel. across, down: the tiles of blocks, or strips.
 *              wide x teams threads are a block. start: the first column of the first block. aligned: 1 where rows
 *              begin at aligned vectors. rings: 1 where planes go through shared memory
 *   in         a cmk_point_inward_ (border.h), the parameter of a launch with a border: its chunks and tiles at the
 *              border
 *   blocks     the blocks of a launch, which stand in one row, 2^31 - 1 at most: cmk_point_why_blocks_ (refuse.h)
 *              refuses more. Smaller products of tiles and chunks fit an unsigned then
 *   why        the sentence of a call that is refused, else NULL; cmk_point_refused_ (refuse.h) makes its error
 *   cmk_point_plan_ (divide.h) checks a grid and divides it for a step. cmk_point_plan_pass_ (passes.h) does so for a
 *              pass, and returns 0 where there is none. cmk_point_ends_ and cmk_point_sides_ (border.h) set the chunks
 *              and the tiles of a border. cmk_point_columns_ and cmk_point_tile_rows_ (grid.h): those of a thread
 *   s          a cmk_point_sizes_ (grid.h), which cmk_point_sizes_of_ (members.h) reads from a grid: its part, first to
 *              end - 1 of each axis
 *   border     a cmk_point_border (border.h): low and high, the points of the border at both ends of each axis;
 *              arrived, the word in device memory; count, what the word comes to
 *   members.h  cmk_point_exchange_, cmk_point_exchange_all_: swap buffers behind a stage, behind a pass.
 *              cmk_point_aim_: a pass then stores to spare buffers. cmk_point_count_steps_: adds to the number of the
 *              next step. cmk_point_any_spares_: a field has spare buffers
 *   passes.h   cmk_point_pass_block_, cmk_point_pass_shared_: threads and bytes of shared memory of a block of a pass,
 *              as cmk_point_block_ (divide.h) of a step. cmk_point_widen_: widens the part of a grid with deep ghosts
 *   plan.h     cmk_plan_processors_ writes the SMs of a device. cmk_plan_device_of_ copies a device, or for NULL the
 *              current one. cmk_plan_show_sizes_ writes grid, block and bytes to a cmk_plan
 *   base.h     CMK_COLD_: compiled for size. CMK_ZEROS_(T): a T of zeros */
#ifndef CMK_KERNEL_POINT_CALL_H
#define CMK_KERNEL_POINT_CALL_H

#include "../../stream.h"
#include "border.h"

#if CMK_HAS_HOST_

/* The kernel of a launch: for aligned rows, for others, for passes; then the same three for a launch with a border, in
 * the same order, as cmk_point_set_stage_ adds cmk_point_by_border_vectors_. */
enum {
    cmk_point_by_vectors_,
    cmk_point_by_elements_,
    cmk_point_by_passes_,
    cmk_point_by_border_vectors_,
    cmk_point_by_border_elements_,
    cmk_point_by_border_passes_
};

/* A call, and its launch at hand: the one that name_next returns next, or has returned last. It is the member engine_
 * of a name_call. */
typedef struct cmk_point_call_ {
    cudaError_t error;
    const char *why; /* the sentence of a call that is refused */
    cmk_plan_device device;
    cmk_point_passes_ passes;
    size_t steps, made; /* the steps that are left, with those of the launch at hand; the passes so far */
    /* This begins a pass, in a call of several steps; it is NULL in others. */
    int (*begin_pass)(struct cmk_point_call_ *call, cmk_point_grids_ grids);
    int at_hand, shown;       /* whether there is a launch at hand; whether name_next has returned it */
    int way, stage;           /* the kernel of the launch at hand, and its stage */
    unsigned blocks;          /* the blocks of a stage */
    cmk_point_border *border; /* the border of a step, or of a pass where there are several steps; NULL for none */
    cmk_point_inward_ inward;
    unsigned counts; /* the blocks of the border, which count */
    cmk_point_task_ task;
    dim3 grid, block;
    size_t bytes; /* bytes of shared memory */
} cmk_point_call_;

/* Divides the launch at hand, the last stage of a step, anew for its border. It is divided for a step without one
 * already. Sets c->inward, *blocks, and c->counts, the blocks of the border. `wide` and `high` are the columns and the
 * rows of a block's tile, and `before` the columns from the first block's first to the part's: fewer than a thread has.
 * The border's left side has these too, where there is one. Rows of tiles begin up to `slack` columns further left, so
 * that a column of the part may be in the tile behind. */
static inline cudaError_t cmk_point_plan_border_(cmk_point_call_ *c, const void *grid, unsigned *blocks)
{
    const cmk_point_definition_ d = c->passes.d;
    const cmk_point_border *const border = c->border;
    cmk_point_task_ *const task = &c->task;
    cmk_point_inward_ *const in = &c->inward;
    const unsigned wide = (unsigned)(task->wide * cmk_point_columns_(d, task->aligned, task->rings));
    const unsigned high = (unsigned)(task->teams * cmk_point_tile_rows_(d, task->rings));
    int processors = 0;
    const cmk_point_sizes_ s = cmk_point_sizes_of_(grid);
    const size_t slack = cmk_point_slack_(d, task), before = s.first_column - (size_t)task->start + slack;
    memset((void *)in, 0, sizeof *in);
    in->arrived = border->arrived;
    const cudaError_t error = cmk_plan_processors_(&c->device, &processors);
    if (error != cudaSuccess) return error;
    if (d.dims == 3) cmk_point_ends_(&s, border, d, processors, task, in);
    if (d.dims == 2) in->chunks = (unsigned)(s.end_plane - s.first_plane);
    cmk_point_sides_(s.end_row - s.first_row, high, task->down, border->low[1], border->high[1], &in->above,
                     &in->below);
    cmk_point_sides_(s.end_column - s.first_column + before, wide, task->across,
                     border->low[2] > 0 ? border->low[2] + before : 0,
                     border->high[2] > 0 ? border->high[2] + slack : 0, &in->left, &in->right);
    const double tiles = (double)task->across * task->down;
    c->why = cmk_point_why_blocks_(tiles * in->chunks);
    if (c->why != NULL) return cmk_point_refused_(c->why);
    const unsigned inner = (task->across - in->left - in->right) * (task->down - in->above - in->below);
    *blocks = task->across * task->down * in->chunks;
    c->counts = *blocks - inner * (in->chunks - in->low - in->high);
    return cudaSuccess;
}

/* Returns whether the steps that are left are one pass along planes, and the border is of planes alone, and no field
 * has spare buffers. The chunks at both ends can then come first, and the pass is divided so. The axes 0 to 2 of a
 * border are planes, rows and columns. */
CMK_COLD_ static inline int cmk_point_plan_ends_(cmk_point_call_ *c, const cmk_point_grids_ *g, unsigned *blocks)
{
    const size_t *const low = c->border->low, *const high = c->border->high;
    const cmk_point_sizes_ s = cmk_point_sizes_of_(g->now);
    cmk_point_inward_ *const in = &c->inward;
    if (c->passes.d.dims != 3 || c->steps != (size_t)c->passes.steps || low[1] + low[2] + high[1] + high[2] > 0 ||
        cmk_point_any_spares_(g->all, g->members) ||
        !cmk_point_plan_pass_(g->now, g->all, g->members, c->steps, &c->device, &c->passes, &c->task, blocks))
        return 0;
    const unsigned tiles = c->task.across * c->task.down;
    memset((void *)in, 0, sizeof *in);
    in->arrived = c->border->arrived;
    in->chunks = *blocks / tiles;
    cmk_point_sides_(s.end_plane - s.first_plane, (unsigned)c->task.deep, in->chunks, low[0], high[0], &in->low,
                     &in->high);
    c->counts = tiles * (in->low + in->high);
    return 1;
}

/* Makes this the launch at hand. `bytes` are those of shared memory. */
static inline void cmk_point_set_launch_(cmk_point_call_ *c, int way, unsigned blocks, dim3 block, size_t bytes)
{
    c->way = way;
    c->grid = dim3(blocks);
    c->block = block;
    c->bytes = bytes;
    c->at_hand = 1;
}

/* Makes a pass, which is divided, the launch at hand. */
static inline void cmk_point_set_pass_(cmk_point_call_ *c, int way, unsigned blocks)
{
    cmk_point_set_launch_(c, way, blocks, cmk_point_pass_block_(&c->passes), cmk_point_pass_shared_(&c->passes));
}

/* Sets the launch of a stage, c->stage, whose step is divided. In a call of one step, whose begin_pass is NULL, the
 * last stage does the border first, if there is one. An error goes to c->error. */
static inline void cmk_point_set_stage_(cmk_point_call_ *c, const void *now)
{
    const int is_bordered = c->border != NULL && c->begin_pass == NULL && c->stage == c->passes.stages - 1;
    int way = c->task.aligned ? cmk_point_by_vectors_ : cmk_point_by_elements_;
    unsigned blocks = c->blocks;
    if (is_bordered) {
        way += cmk_point_by_border_vectors_;
        c->error = cmk_point_plan_border_(c, now, &blocks);
    }
    if (c->error == cudaSuccess)
        cmk_point_set_launch_(c, way, blocks, cmk_point_block_(&c->task), (size_t)c->task.shared);
}

/* Behind the last step of a call, makes the launch that writes the results at hand: that of name_kernel for a stage
 * behind the last, one warp for each result. There is none where the results are to have more parts. */
static inline void cmk_point_set_results_(cmk_point_call_ *c, const void *now)
{
    if (c->passes.d.results == 0 || c->steps > 0 || cmk_point_sizes_of_(now).more_parts != 0) return;
    c->stage = c->passes.stages;
    cmk_point_set_launch_(c, cmk_point_by_vectors_, (unsigned)c->passes.d.results, dim3(32), 0);
}

/* Ends a step: counts it in the caller's grid. In a call of one step the border's count grows by its blocks, and wraps
 * around as the word in device memory does. */
static inline void cmk_point_end_step_(cmk_point_call_ *c, cmk_point_grids_ g)
{
    cmk_point_count_steps_(g.caller, 1);
    if (c->border != NULL && c->begin_pass == NULL) c->border->count += c->counts;
    --c->steps;
    cmk_point_set_results_(c, g.now);
}

/* Returns whether a pass is the next launch, and sets it. Where all steps are one pass, its border may come first. If
 * it cannot, the call goes on without a border, with the passes and the grid as they were, and name_bordered_steps
 * counts up the word at its end. Only calls of several steps name this function, so that a program without them does
 * not compile it. */
CMK_COLD_ static inline int cmk_point_begin_pass_(cmk_point_call_ *c, cmk_point_grids_ g)
{
    const cmk_point_passes_ passes = c->passes;
    unsigned blocks = 0;
    if (c->border != NULL && cmk_point_plan_ends_(c, &g, &blocks)) {
        memcpy(g.to, g.now, g.bytes);
        cmk_point_set_pass_(c, cmk_point_by_border_passes_, blocks);
        return 1;
    }
    if (c->border != NULL) {
        c->border = NULL;
        c->passes = passes;
        memcpy(g.now, g.caller, g.bytes);
    }
    if (!cmk_point_plan_pass_(g.now, g.all, g.members, c->steps, &c->device, &c->passes, &c->task, &blocks)) return 0;
    if (c->steps > (size_t)c->passes.steps) cmk_point_drop_results_(g.now, g.all, g.members);
    memcpy(g.to, g.now, g.bytes);
    cmk_point_aim_(g.to, g.all, g.members);
    cmk_point_set_pass_(c, cmk_point_by_passes_, blocks);
    return 1;
}

/* Sets the next launch: a pass, or the first stage of a step. With deep ghosts a step of several also updates what the
 * stages behind its first one need, of all steps that are left: hence the - 1. The kernel sees the part as it was, and
 * of a step behind which others follow no result. It is a call, as inlined all of a plan would be compiled twice. */
__attribute__((noinline, unused)) static void cmk_point_begin_launch_(cmk_point_call_ *c, cmk_point_grids_ g)
{
    memcpy(g.now, g.caller, g.bytes);
    const cmk_point_sizes_ s = cmk_point_sizes_of_(g.now);
    const size_t stages = c->begin_pass != NULL ? c->steps * (size_t)c->passes.stages : 1;
    c->why = s.deep_ghosts != 0 ? cmk_point_ghosts_why_(&s, c->passes.d, stages) : NULL;
    c->error = cmk_point_refused_(c->why);
    if (c->error != cudaSuccess || (c->begin_pass != NULL && c->begin_pass(c, g))) return;
    memcpy(g.now, g.caller, g.bytes);
    if (c->begin_pass != NULL) (void)cmk_point_widen_(g.now, c->passes.d, c->steps * (size_t)c->passes.stages - 1);
    c->stage = 0;
    c->error = cmk_point_plan_(g.now, g.all, g.members, c->passes.d, &c->device, &c->task, &c->blocks, &c->why);
    cmk_point_set_sizes_(g.now, s);
    if (c->steps > 1) cmk_point_drop_results_(g.now, g.all, g.members);
    if (c->error == cudaSuccess && c->blocks > 0)
        cmk_point_set_stage_(c, g.now);
    else if (c->error == cudaSuccess)
        cmk_point_end_step_(c, g);
}

/* Does to the grids what the launch at hand does to them, once it has been launched. Behind a stage that is not the
 * last the next stage is at hand then; else nothing is. */
static inline void cmk_point_end_launch_(cmk_point_call_ *c, cmk_point_grids_ g)
{
    c->at_hand = 0;
    if (c->way == cmk_point_by_vectors_ && c->stage == c->passes.stages) return;
    if (c->way == cmk_point_by_passes_ || c->way == cmk_point_by_border_passes_) {
        cmk_point_exchange_all_(g.caller, g.all, g.members, (unsigned)c->passes.steps);
        c->steps -= (size_t)c->passes.steps;
        ++c->made;
        if (c->way == cmk_point_by_border_passes_) c->border->count += c->counts;
        cmk_point_set_results_(c, g.now);
    } else {
        cmk_point_exchange_(g.now, g.caller, g.all, g.members);
        ++c->stage;
        if (c->stage < c->passes.stages) {
            cmk_point_set_stage_(c, g.now);
            return;
        }
        cmk_point_end_step_(c, g);
    }
}

/* What a call asks for: a number of steps of a definition. begin_pass is cmk_point_begin_pass_ for name_steps and
 * name_bordered_steps, else NULL. `border` is NULL for none, and counts as none if it has no word. */
typedef struct {
    cmk_point_definition_ d;
    int stages; /* of a step */
    size_t steps;
    int captured; /* whether its launches are captured in a graph */
    int (*begin_pass)(cmk_point_call_ *, cmk_point_grids_);
    cmk_point_border *border;
} cmk_point_asked_;

/* Returns a call whose first launch is at hand, if there is one. A step without points is ended at once. is_absent is 1
 * where a pointer to a value is NULL. */
static inline cmk_point_call_ cmk_point_call_of_(const cmk_point_asked_ *asked, int is_absent,
                                                 const cmk_plan_device *device, cmk_point_grids_ g)
{
    cmk_point_border *const border = asked->border;
    cmk_point_call_ c = CMK_ZEROS_(cmk_point_call_);
    c.passes = cmk_point_passes_of_(asked->d, asked->stages, asked->steps);
    if (asked->captured) cmk_point_even_passes_(&c.passes, asked->steps);
    c.steps = asked->steps;
    c.begin_pass = asked->begin_pass;
    c.border = border != NULL && border->arrived != NULL ? border : NULL;
    c.device = cmk_plan_device_of_(device);
    if (c.border != NULL) c.why = cmk_point_border_why_(border, asked->d.dims, g.all, g.members);
    if (is_absent) c.why = "the pointer to a VALUE_OF is NULL";
    if (g.caller == NULL && c.steps > 0) c.why = "grid is NULL";
    c.error = cmk_point_refused_(c.why);
    while (!c.at_hand && c.steps > 0 && c.error == cudaSuccess) cmk_point_begin_launch_(&c, g);
    return c;
}

/* Returns whether there is another launch, which then is at hand. name_next calls it. The launch that it returned
 * before counts as done. */
static inline int cmk_point_next_(cmk_point_call_ *c, cmk_point_grids_ g)
{
    if (c->error != cudaSuccess) return 0;
    if (c->shown) cmk_point_end_launch_(c, g);
    while (!c->at_hand && c->steps > 0 && c->error == cudaSuccess) cmk_point_begin_launch_(c, g);
    c->shown = c->at_hand;
    return c->at_hand;
}

/* Writes what a plan shows of a call and of its launch at hand (plan.h). Returns the error of the call. */
static inline cudaError_t cmk_point_show_call_(cmk_plan *plan, const cmk_point_call_ *c)
{
    plan->error = c->error;
    plan->why = c->why;
    cmk_plan_show_sizes_(plan, c->grid, c->block, c->bytes);
    return c->error;
}

/* Begins a call, as cmk_point_call_of_ does, and writes what a plan shows of it. */
static inline cudaError_t cmk_point_begin_call_(cmk_plan *plan, cmk_point_call_ *c, const cmk_point_asked_ *asked,
                                                int is_absent, const cmk_plan_device *device, cmk_point_grids_ g)
{
    *c = cmk_point_call_of_(asked, is_absent, device, g);
    return cmk_point_show_call_(plan, c);
}

/* Goes to the next launch, and writes what a plan shows of it. Returns whether there is one. */
static inline int cmk_point_show_next_(cmk_plan *plan, cmk_point_call_ *c, cmk_point_grids_ g)
{
    const int is_next = cmk_point_next_(c, g);
    (void)cmk_point_show_call_(plan, c);
    return is_next;
}

/* Ends a call of name_bordered_steps, whose launches have this error. Where no pass has counted up the border's word,
 * it is written behind the last step. Without a border, or a word, there is nothing to count. */
static inline cudaError_t cmk_point_count_last_(cudaError_t error, const cmk_point_call_ *c, cmk_point_border *border,
                                                cudaStream_t stream)
{
    const int is_counted = border == NULL || border->arrived == NULL || (c->border != NULL && c->made > 0);
    if (error != cudaSuccess || is_counted) return error;
    const cudaError_t written = cmk_stream_write_value(stream, border->arrived, border->count + 1);
    if (written == cudaSuccess) ++border->count;
    return written;
}

#endif

#endif
