/* kernel/composed/plan.h: a call of several steps of a filter, on the host: the passes that it takes, and the border of
 * a pass, divided among blocks.
 *
 * In all functions here:
 *
 *   f      cmk_composed_filter_ (sizes.h), the constants of the definition. Axis 0 counts planes, 1 rows, 2 columns
 *   call   what the launcher was asked for. An array of fewer than three axes has a size of 1 along the others
 *   work   the call at work, with its pass at hand. Passes write `spare` and `out` in turns, the last one `out`
 *   pass   f.most steps at once, or what is left of them. Along an axis, steps * f.before points at the low end and
 *          steps * f.after at the high end are border, unless it wraps
 *   box    cmk_composed_box_ (sizes.h): a part of the border, and its tiles
 *
 * Of ../call/: A cmk_range_ (range.h) is three words, pointer, pitch, step, columns, channels, rows, count, size, of
 * what is read or written. The function cmk_range_why_ says why in or out is not right. Those of why.h, cmk_why_ and
 * cmk_why_above_, make the sentence by which a call is refused, or NULL. The quotient of cmk_image_over_(a, b) of
 * image.h is rounded up. */
#ifndef CMK_KERNEL_COMPOSED_PLAN_H
#define CMK_KERNEL_COMPOSED_PLAN_H

#include "../call/image.h"
#include "../call/range.h"
#include "../plan.h"
#include "sizes.h"

#if CMK_HAS_HOST_

typedef struct {
    const void *in;
    void *out, *spare;
    size_t in_pitch, in_step, out_pitch, out_step, size[3], steps;
} cmk_composed_call_;

/* A pass: a single step, by the definition's own kernels; several steps at once; or a copy, where there are no steps.
 */
enum { cmk_composed_single_, cmk_composed_several_, cmk_composed_no_step_ };

typedef struct {
    cudaError_t error;
    const char *why;
    cmk_composed_call_ call;
    cmk_composed_filter_ f;
    size_t passes, steps_left; /* passes that are left, with the one at hand; steps behind it */
    int most, way, shared; /* the most steps of a pass; what the pass at hand is; the most shared bytes of a block */
    const void *from;      /* of the pass at hand */
    void *to;
    size_t from_pitch, from_step;
    int makes, inside; /* whether its taps are to be composed first; whether it has points that are no border */
    cmk_composed_border_ border;
    unsigned blocks; /* of the border */
    size_t bytes;    /* of shared memory of such a block */
    unsigned tables; /* that are composed */
    size_t make_bytes;
} cmk_composed_work_;

/* Returns the passes of a number of steps. What is left behind whole passes goes by single steps where these take no
 * longer than one pass. */
static inline size_t cmk_composed_passes_(size_t steps, int most, int as_long)
{
    const size_t whole = steps / (size_t)most, rest = steps % (size_t)most;
    return whole + (rest <= (size_t)as_long ? rest : 1);
}

/* Returns the most points of a level along an axis, of all tiles of a box. Those of tiles far from an edge are the sum
 * of a tile and all that its steps reach; others have no more. */
static inline cmk_i64 cmk_composed_points_(cmk_composed_filter_ f, int axis, int steps, cmk_i64 size,
                                           cmk_composed_span_ box, cmk_i64 tile)
{
    const cmk_i64 tiles = cmk_image_over_(box.end - box.begin, tile);
    cmk_i64 most = 0;
    if (tiles > 4) return tile + (cmk_i64)steps * (f.before[axis] + f.after[axis]);
    for (cmk_i64 i = 0; i < tiles; ++i) {
        const cmk_i64 begin = box.begin + i * tile, end = begin + tile;
        const cmk_composed_span_ outputs = {begin, end < box.end ? end : box.end};
        const cmk_composed_span_ level = cmk_composed_span_of_(f, axis, outputs, steps, size);
        if (level.end - level.begin > most) most = level.end - level.begin;
    }
    return most;
}

/* The tiles of a box that are tried along an axis: their points, and those of their first level. */
enum { cmk_composed_sides_ = 8 };
typedef struct {
    int count;
    cmk_i64 tile[cmk_composed_sides_], points[cmk_composed_sides_];
} cmk_composed_tries_;

static inline cmk_composed_tries_ cmk_composed_tries_of_(cmk_composed_filter_ f, int axis, int steps, cmk_i64 size,
                                                         cmk_composed_span_ box)
{
    static const int sides[cmk_composed_sides_] = {4, 8, 16, 32, 64, 96, 128, 192};
    cmk_composed_tries_ tries = CMK_ZEROS_(cmk_composed_tries_);
    for (cmk_i64 side = 0; side < box.end - box.begin && tries.count < cmk_composed_sides_; ++tries.count) {
        side = sides[tries.count];
        const cmk_i64 tile = side < box.end - box.begin ? side : box.end - box.begin;
        tries.tile[tries.count] = tile;
        tries.points[tries.count] = cmk_composed_points_(f, axis, steps, size, box, tile);
    }
    return tries;
}

/* Chooses the tiles of a box: of those whose levels fit in shared memory, the ones with which it is sooner done. Blocks
 * work in waves. The first level has all points of a tile, the last its outputs, and others as many as lie between, so
 * that half of the sum is their mean. Returns the points of a level. */
static inline cmk_i64 cmk_composed_choose_(cmk_composed_box_ *box, cmk_composed_filter_ f, int steps,
                                           const cmk_i64 size[3], cmk_i64 room)
{
    cmk_composed_tries_ tries[3];
    double least = 0.0;
    cmk_i64 chosen = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const cmk_composed_span_ span = {box->begin[axis], box->end[axis]};
        tries[axis] = cmk_composed_tries_of_(f, axis, steps, size[axis], span);
    }
    for (int n = 0; n < tries[0].count * tries[1].count * tries[2].count; ++n) {
        const int at[3] = {n / tries[2].count / tries[1].count, n / tries[2].count % tries[1].count,
                           n % tries[2].count};
        cmk_i64 points = 1, tiles = 1;
        double work = 1.0;
        for (int axis = 0; axis < 3; ++axis) {
            const cmk_i64 along = tries[axis].points[at[axis]], tile = tries[axis].tile[at[axis]];
            points *= along;
            tiles *= cmk_image_over_(box->end[axis] - box->begin[axis], tile);
            work *= (double)(along + tile) / 2.0;
        }
        work *= (double)cmk_image_over_(tiles, cmk_composed_slots_);
        if (points > room || (chosen > 0 && work >= least)) continue;
        least = work;
        chosen = points;
        for (int axis = 0; axis < 3; ++axis) box->tile[axis] = (int)tries[axis].tile[at[axis]];
    }
    return chosen;
}

/* Adds the part of the border that has indices from `begin` to `end` along an axis, all along later ones, and what is
 * no border, from low to high, along earlier ones. */
static inline void cmk_composed_add_(cmk_composed_work_ *work, int axis, cmk_i64 begin, cmk_i64 end,
                                     const cmk_i64 low[3], const cmk_i64 high[3])
{
    cmk_composed_border_ *const border = &work->border;
    cmk_composed_box_ *const box = &border->box[border->boxes];
    const cmk_i64 room = (work->shared - cmk_composed_tile_bytes_) / work->f.size / 2;
    unsigned blocks = 1;
    for (int other = 0; other < 3; ++other) {
        box->begin[other] = other < axis ? low[other] : other == axis ? begin : 0;
        box->end[other] = other < axis ? high[other] : other == axis ? end : border->size[other];
        if (box->begin[other] >= box->end[other]) return;
    }
    const cmk_i64 points = cmk_composed_choose_(box, work->f, border->steps, border->size, room);
    if (points > border->room) border->room = (int)points;
    for (int other = 0; other < 3; ++other) {
        box->tiles[other] = (unsigned)cmk_image_over_(box->end[other] - box->begin[other], box->tile[other]);
        blocks *= box->tiles[other];
    }
    box->first = work->blocks;
    work->blocks += blocks;
    ++border->boxes;
}

/* Divides the border of passes of `steps` steps. */
static inline void cmk_composed_divide_(cmk_composed_work_ *work, int steps)
{
    const cmk_composed_filter_ f = work->f;
    cmk_i64 low[3], high[3];
    work->border.steps = steps;
    work->border.boxes = work->border.room = 0;
    work->blocks = 0;
    work->inside = 1;
    for (int axis = 0; axis < 3; ++axis) {
        const cmk_i64 size = work->border.size[axis], first = f.wraps[axis] ? 0 : (cmk_i64)steps * f.before[axis];
        const cmk_i64 end = f.wraps[axis] ? size : size - (cmk_i64)steps * f.after[axis];
        low[axis] = first < size ? first : size;
        high[axis] = end > low[axis] ? end : low[axis];
        work->inside = work->inside && high[axis] > low[axis];
    }
    for (int axis = 0; axis < 3; ++axis) {
        cmk_composed_add_(work, axis, 0, low[axis], low, high);
        cmk_composed_add_(work, axis, high[axis], work->border.size[axis], low, high);
    }
    work->bytes = (size_t)work->border.room * 2 * (size_t)f.size + cmk_composed_tile_bytes_;
}

/* Returns an array of a call, whose element (0, 0, 0) is at `start`. words: of the array, its pitch and its step. */
static inline cmk_range_ cmk_composed_range_(const cmk_composed_work_ *work, const char *const words[3],
                                             const void *start, size_t pitch, size_t step)
{
    const size_t *const size = work->call.size;
    const char *const columns = work->f.axes < 2 ? "count" : "columns";
    const cmk_range_ range = {words[0], words[1], words[2], columns, start,   pitch,
                              step,     size[2],  1,        size[1], size[0], (size_t)work->f.size};
    return range;
}

/* Returns why a call is refused, or NULL. The spare array is as out is, and is needed only where there is more than one
 * pass. An axis of an image or a volume has at most as many points as their definitions take. */
static inline const char *cmk_composed_why_(const cmk_composed_work_ *work)
{
    static const char *const words[] = {"planes", "rows", "columns"};
    const cmk_composed_call_ *const call = &work->call;
    static const char *const from[] = {"in", "in_pitch", "in_step"}, *const to[] = {"out", "out_pitch", "out_step"};
    static const char *const between[] = {"spare", "out_pitch", "out_step"};
    const cmk_range_ in = cmk_composed_range_(work, from, call->in, call->in_pitch, call->in_step);
    const cmk_range_ out = cmk_composed_range_(work, to, call->out, call->out_pitch, call->out_step);
    const cmk_range_ spare = cmk_composed_range_(work, between, call->spare, call->out_pitch, call->out_step);
    const char *why = NULL;
    for (int axis = 0; axis < 3 && work->f.axes > 1 && why == NULL; ++axis)
        why = cmk_why_above_(words[axis], call->size[axis], 0x7fff0000);
    if (why == NULL) why = cmk_range_why_(&in, &out);
    if (why != NULL || work->passes < 2) return why;
    if (call->spare == NULL) return cmk_why_("spare is NULL, but %zu steps take %zu passes", call->steps, work->passes);
    why = cmk_range_why_(&in, &spare);
    return why != NULL ? why : cmk_range_why_(&spare, &out);
}

/* Sets the number of tables that are composed, and the bytes of shared memory in which they are (border.inc). */
static inline void cmk_composed_tables_of_(cmk_composed_work_ *work)
{
    const cmk_composed_table_ table = cmk_composed_table_of_(work->f, 0);
    work->tables = (unsigned)cmk_composed_tables_(work->f);
    work->make_bytes = (size_t)(table.rows * table.columns + 2 * (table.room + table.before)) * sizeof(double);
}

/* Begins a call. most: the most steps of its passes, f.most or 1. */
static inline cmk_composed_work_ cmk_composed_begin_(const cmk_composed_call_ *call, cmk_composed_filter_ f, int most)
{
    cmk_composed_work_ work = CMK_ZEROS_(cmk_composed_work_);
    work.call = *call;
    work.f = f;
    work.most = most;
    if (call->size[0] == 0 || call->size[1] == 0 || call->size[2] == 0) return work;
    work.passes = call->steps > 0 ? cmk_composed_passes_(call->steps, most, f.as_long) : 1;
    work.steps_left = call->steps;
    work.why = cmk_composed_why_(&work);
    work.error = work.why != NULL ? cudaErrorInvalidValue : cudaSuccess;
    work.to = (void *)call->in;
    if (cmk_plan_shared_bytes_(NULL, &work.shared) != cudaSuccess || work.shared > cmk_composed_shared_most_)
        work.shared = cmk_composed_shared_most_;
    cmk_composed_tables_of_(&work);
    for (int axis = 0; axis < 3; ++axis) work.border.size[axis] = (cmk_i64)call->size[axis];
    return work;
}

/* Goes to the next pass. Returns 0 where there is none. */
static inline int cmk_composed_next_(cmk_composed_work_ *work)
{
    const cmk_composed_call_ *const call = &work->call;
    const int first = work->steps_left == call->steps;
    if (work->error != cudaSuccess || work->passes == 0) return 0;
    const size_t rest = work->steps_left < (size_t)work->most ? work->steps_left : (size_t)work->most;
    const int several = rest > (size_t)work->f.as_long || (rest > 1 && rest == (size_t)work->most);
    const int steps = several ? (int)rest : 1;
    work->way = rest == 0 ? cmk_composed_no_step_ : several ? cmk_composed_several_ : cmk_composed_single_;
    work->from = work->to;
    work->from_pitch = first ? call->in_pitch : call->out_pitch;
    work->from_step = first ? call->in_step : call->out_step;
    work->to = work->passes % 2 == 1 ? call->out : call->spare;
    work->makes = several && steps != work->border.steps;
    work->border.in_pitch = (cmk_i64)work->from_pitch;
    work->border.in_step = (cmk_i64)work->from_step;
    work->border.out_pitch = (cmk_i64)call->out_pitch;
    work->border.out_step = (cmk_i64)call->out_step;
    if (work->makes) cmk_composed_divide_(work, steps);
    if (!several) {
        work->border.steps = work->inside = 0;
        work->blocks = 0;
    }
    work->steps_left -= rest > 0 ? (size_t)steps : 0;
    --work->passes;
    return 1;
}

/* Copies the array of a call of no steps. */
static inline cudaError_t cmk_composed_copy_(const cmk_composed_work_ *work, cudaStream_t stream)
{
    const cmk_composed_call_ *const call = &work->call;
    const size_t size = (size_t)work->f.size;
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < call->size[0] && error == cudaSuccess; ++z)
        error = cudaMemcpy2DAsync((char *)call->out + z * call->out_step * size, call->out_pitch * size,
                                  (const char *)call->in + z * call->in_step * size, call->in_pitch * size,
                                  call->size[2] * size, call->size[1], cudaMemcpyDeviceToDevice, stream);
    return error;
}

#endif

#endif
