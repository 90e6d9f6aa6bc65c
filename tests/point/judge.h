/* judge.h: runs random calls of the definitions that draw.py writes, and judges each by plain loops in double.
 *
 * usage: PROGRAM [CALLS]                 so many calls of each definition
 *        PROGRAM 1 DEFINITION CALL       one call, as a failure names it
 *
 * What is outside of a field is found by edge_walk.h. Everything but the points of the part must stay as it was, to the
 * byte: what is around a buffer, between its rows and planes, and points outside of the part. Floats may be off by the
 * operations on the way to them x epsilon x the largest value; integers by nothing. Of reductions extremes are off by
 * nothing, and sums by what reduce.h says that they drop, and by their roundings.
 *
 * Some calls are loops of name_until. The plain loops come first: they say behind which turn it is to end, and a limit
 * so far from the values of all turns that no rounding decides. Where there is none, the most turns end it. */
#ifndef POINT_JUDGE_H
#define POINT_JUDGE_H

#include "short_floats.h"
#include <math.h>
#include <cmk/kernel/stencil2d.h>
#include <cmk/kernel/stencil3d.h>
#include <cmk/check.h>
#include "edge_walk.h"
#include "point/exact.h"
#include "random.h"
#include "tap.h"

typedef struct {
    float x, y;
} judge_pair;
typedef struct {
    float x, y, z;
} judge_triple;

enum { IN_KIND, OUT_KIND, SAME_KIND, NEXT_KIND, LEAPFROG_KIND, SUM_KIND, MAX_KIND, MIN_KIND };
enum { OF_float, OF_double, OF_half, OF_bfloat16, OF_int, OF_short, OF_uchar };
enum { most_components = 3, most_arrays = 9, most_reductions = 2, guard = 256, default_calls = 50 };

/* a line of a LIST; a pair is two components of OF_float */
typedef struct {
    const char *name;
    int kind, type, components, count;
    size_t size, alignment;
    int reach[3], edges[3][2]; /* of planes, rows and columns: low and high */
} judge_field;

/* one field, of one line or of its array; [1] of its buffers is field_next, field_before or, in place, field_spare; of
 * two levels [2] and [3] are field_spare and field_before_spare */
typedef struct {
    const judge_field *field;
    int number, own_pitches, buffers;
    size_t row_pitch, plane_pitch, shift, bytes; /* shift: from the start of an allocation to (0, 0, 0) */
    double outside[most_components], *now, *next, *before;
    char *memory[4], *initial[4], *result[4]; /* device, host; and the grid's pointers after the call */
} judge_array;

/* of a result of `type`; its values are given as floats or as doubles */
typedef struct {
    const char *name;
    int kind, type, given;
} judge_reduction;

/* what the points have said in the last step: a value, or that it is what an array has at a point behind the call */
typedef struct {
    double value;
    size_t index;
    int array;
} judge_said;

/* what a call reads and writes besides fields and results, on the host and on the device */
typedef struct {
    cmk_turns turns;
    cmk_i64 last; /* the first step that raises the flag */
    judge_pair gain;
    unsigned flag;
} judge_beside;

struct judge_definition;
typedef struct {
    const struct judge_definition *definition;
    judge_array arrays[most_arrays];
    double *results[most_reductions];
    judge_said *said[most_reductions];
    size_t sayings[most_reductions];
    int count, is_inner, by_steps, steps, has_spares;
    size_t sizes[3], first[3], end[3], row_pitch, plane_pitch;
    size_t first_step, last_step;
    cmk_i64 origin[3], global[3]; /* of the larger grid that an update sees */
    double gain;
    judge_beside beside, *device;
    int is_loop, ends_by;           /* of name_until: the reduction that ends it, or -1 for the flag */
    size_t turn_steps, each, turns; /* as name_until takes them; those of a turn; the turns to be done */
    cmk_until until;
} judge_call;

typedef struct {
    judge_call *call;
    int plane, row, column, planes, rows, columns, stage;
    long long step;
    size_t index;
} judge_point;

typedef struct judge_definition {
    int number;
    const char *title;
    int dims, stages, lanes, operations, fields, reach[3];
    const judge_field *list;
    int reductions;
    const judge_reduction *reduction;
    void (*update)(const judge_point *p);
    cudaError_t (*run)(judge_call *c); /* null: the compiler has not its types */
    int has_flag;
    size_t (*pass)(void); /* the steps of a pass; null: nothing of it can end a loop */
} judge_definition;

/* ---- Elements */

static double judge_epsilon(int type)
{
    static const double digits[] = {24, 53, 11, 8};
    return type <= OF_bfloat16 ? exp2(-digits[type]) : 0.0;
}

static size_t judge_size(int type)
{
    static const size_t sizes[] = {4, 8, 2, 2, 4, 2, 1};
    return sizes[type];
}

#define JUDGE_MOVE(T)                                                                                                  \
    if (is_store) {                                                                                                    \
        const T element = (T)(float)*value;                                                                            \
        memcpy(to, &element, sizeof element);                                                                          \
    } else {                                                                                                           \
        T element;                                                                                                     \
        memcpy((void *)&element, to, sizeof element);                                                                  \
        *value = (double)(float)element;                                                                               \
    }                                                                                                                  \
    break;

/* one component to or from memory; all values that are stored are exact in float */
static void judge_move(int type, void *to, double *value, int is_store)
{
    switch (type) {
    case OF_float:
        JUDGE_MOVE(float)
    case OF_int:
        JUDGE_MOVE(int)
    case OF_short:
        JUDGE_MOVE(short)
    case OF_uchar:
        JUDGE_MOVE(unsigned char)
#if TEST_HAS_half
    case OF_half:
        JUDGE_MOVE(test_half)
#endif
#if TEST_HAS_bfloat16
    case OF_bfloat16:
        JUDGE_MOVE(test_bfloat16)
#endif
    default:
        memcpy(is_store ? to : (void *)value, is_store ? (void *)value : to, sizeof *value);
    }
}

static void judge_put(const judge_array *a, void *to, const double *values)
{
    for (int c = 0; c < a->field->components; ++c) {
        double value = values[c];
        judge_move(a->field->type, (char *)to + (size_t)c * judge_size(a->field->type), &value, 1);
    }
}

/* ---- The reference */

/* a component of an array, dz, dy, dx beside the point */
static double judge_at(const judge_point *p, int array, int dz, int dy, int dx, int component)
{
    const judge_array *const a = &p->call->arrays[array];
    const int(*const edges)[2] = a->field->edges;
    int odd = 0;
    const long long plane = edge_walk_sides(edges[0], p->plane + dz, p->planes, &odd);
    const long long row = edge_walk_sides(edges[1], p->row + dy, p->rows, &odd);
    const long long column = edge_walk_sides(edges[2], p->column + dx, p->columns, &odd);
    const double outside = a->outside[component];
    if (plane < 0 || row < 0 || column < 0) return outside;
    const long long index = (plane * p->rows + row) * p->columns + column;
    const double value = a->now[index * a->field->components + component];
    return odd ? 2 * outside - value : value;
}

__attribute__((unused)) static double judge_before(const judge_point *p, int array, int component)
{
    const judge_array *const a = &p->call->arrays[array];
    return a->before[p->index * (size_t)a->field->components + (size_t)component];
}

static void judge_set(const judge_point *p, int array, int component, double value)
{
    const judge_array *const a = &p->call->arrays[array];
    a->next[p->index * (size_t)a->field->components + (size_t)component] = value;
}

static void judge_note(const judge_point *p, int reduction, judge_said said)
{
    p->call->said[reduction][p->call->sayings[reduction]++] = said;
}

__attribute__((unused)) static void judge_say(const judge_point *p, int reduction, double value)
{
    const judge_said said = {value, 0, -1};
    judge_note(p, reduction, said);
}

__attribute__((unused)) static void judge_say_set(const judge_point *p, int reduction, int array)
{
    const judge_said said = {0.0, p->index, array};
    judge_note(p, reduction, said);
}

/* what an update sees of its place: along an axis that wraps from 0 on, wherever the grid lies */
__attribute__((unused)) static int judge_place(const judge_point *p, int axis)
{
    const int at[3] = {p->plane, p->row, p->column};
    const cmk_i64 count = p->call->global[axis];
    return (int)((at[axis] + p->call->origin[axis] + count) % count);
}

/* the colour of the place, of which planes are a part in 3D only */
__attribute__((unused)) static int judge_colour(const judge_point *p)
{
    const int plane = p->call->definition->dims == 3 ? judge_place(p, 0) : 0;
    return (plane + judge_place(p, 1) + judge_place(p, 2)) % 2;
}

static size_t judge_points(const judge_call *c)
{
    return c->sizes[0] * c->sizes[1] * c->sizes[2];
}

static size_t judge_values(const judge_call *c, const judge_array *a)
{
    return judge_points(c) * (size_t)a->field->components;
}

static void judge_stage(judge_call *c, int stage, long long step)
{
    for (int k = 0; k < most_reductions && stage == 0; ++k) c->sayings[k] = 0;
    judge_point p = {c, 0, 0, 0, (int)c->sizes[0], (int)c->sizes[1], (int)c->sizes[2], stage, step, 0};
    for (p.plane = (int)c->first[0]; p.plane < (int)c->end[0]; ++p.plane)
        for (p.row = (int)c->first[1]; p.row < (int)c->end[1]; ++p.row)
            for (p.column = (int)c->first[2]; p.column < (int)c->end[2]; ++p.column) {
                p.index = ((size_t)p.plane * c->sizes[1] + (size_t)p.row) * c->sizes[2] + (size_t)p.column;
                c->definition->update(&p);
            }
}

/* what was set is the new level; what was not is in it already */
static void judge_advance(judge_call *c)
{
    for (int k = 0; k < c->count; ++k) {
        judge_array *const a = &c->arrays[k];
        double *const old = a->now;
        a->now = a->next;
        a->next = old;
        if (a->field->kind == LEAPFROG_KIND) {
            a->next = a->before;
            a->before = old;
        }
        memcpy(a->next, a->now, judge_values(c, a) * sizeof(double));
    }
}

static void judge_step(judge_call *c, int step)
{
    for (int stage = 0; stage < c->definition->stages; ++stage) {
        judge_stage(c, stage, (long long)c->first_step + step);
        judge_advance(c);
    }
}

/* ---- A random call */

static size_t one_of(const size_t *values, size_t count)
{
    return values[below(count)];
}

static size_t one_of_5(size_t a, size_t b, size_t c, size_t d, size_t e)
{
    const size_t values[] = {a, b, c, d, e};
    return one_of(values, 5);
}

static size_t small_size(size_t reach)
{
    const size_t near_reach[] = {1, reach, reach + 1, 2 * reach, 2 * reach + 1};
    static const size_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    if (below(60) == 0) return 0;
    const size_t size = below(2) ? one_of(near_reach, 5) : one_of(primes, 12);
    return size > 0 ? size : 1;
}

/* columns, rows and planes of a kernel's tiles, and what they read beside them: of one, or of one between others */
static void tile_sizes(judge_call *c)
{
    const judge_definition *const d = c->definition;
    const size_t lanes = (size_t)d->lanes, beside = 2 * ((size_t)d->reach[2] + lanes);
    c->sizes[2] = 32 * lanes * (1 + below(2)) + beside + below(3 * lanes);
    c->sizes[1] = (d->dims == 3 ? 8 : 16) + 2 * (size_t)d->reach[1] + below(7);
    if (d->dims == 3) c->sizes[0] = 8 + 2 * (size_t)d->reach[0] + below(3);
}

/* near a whole number of tiles along one axis */
static void near_sizes(judge_call *c)
{
    const size_t by[3] = {8, c->definition->dims == 3 ? 8u : 16u, 32 * (size_t)c->definition->lanes};
    const int axis = below(2) ? 2 : c->definition->dims == 3 ? (int)below(2) : 1;
    c->sizes[axis] = by[axis] * (1 + below(2)) + below(3) - 1;
}

/* of one point REFLECT_ODD has no period */
static int has_reflect_odd(const judge_definition *d, int axis)
{
    int found = 0;
    for (int k = 0; k < d->fields; ++k)
        for (int side = 0; side < 2; ++side) found |= d->list[k].edges[axis][side] == CMK_EDGE_REFLECT_ODD;
    return found;
}

/* with vectors of at most four elements: such that several steps are done in a pass */
static int can_be_wide(const judge_definition *d)
{
    return d->lanes > 1 && d->lanes <= 4;
}

static void wide_sizes(judge_call *c)
{
    const size_t lanes = (size_t)c->definition->lanes;
    const int deep = c->definition->dims == 3;
    if (deep) c->sizes[0] = 17 + below(20);
    c->sizes[1] = (deep ? 64 : 60) + below(deep ? 30 : 50);
    c->sizes[2] = (deep ? 16 : 32) * lanes + lanes * below(9) + (below(2) ? below(60) : 0);
    c->steps = 1 + (int)below(deep ? 6 : 17);
    c->by_steps = 1;
}

static void draw_sizes(judge_call *c)
{
    const size_t way = below(10);
    for (int axis = 0; axis < 3; ++axis) c->sizes[axis] = small_size((size_t)c->definition->reach[axis]);
    if (c->definition->dims == 2) c->sizes[0] = below(3) == 0 ? below(4) : 1;
    if (way >= 7) tile_sizes(c);
    if (way >= 4 && way < 7) near_sizes(c);
    for (int axis = 0; axis < 3; ++axis)
        if (c->sizes[axis] == 1 && has_reflect_odd(c->definition, axis)) c->sizes[axis] = 2;
}

static void draw_part(judge_call *c)
{
    const size_t way = below(5);
    c->is_inner = way == 0;
    for (int axis = 0; axis < 3; ++axis) {
        const size_t size = c->sizes[axis],
                     reach = c->definition->dims == 2 && axis == 0 ? 0 : (size_t)c->definition->reach[axis];
        c->first[axis] = way == 1 && below(3) ? below(size + 1) : 0;
        c->end[axis] = way == 1 && below(3) ? c->first[axis] + below(size - c->first[axis] + 1) : size;
        if (!c->is_inner) continue;
        c->first[axis] = size > 2 * reach ? reach : 0;
        c->end[axis] = size > 2 * reach ? size - reach : 0;
    }
}

/* whether a field wraps along an axis */
static int wraps(const judge_definition *d, int axis)
{
    int some = 0;
    for (int k = 0; k < d->fields; ++k)
        some |= (d->dims == 3 || axis > 0) && d->list[k].reach[axis] > 0 &&
                (d->list[k].edges[axis][0] == CMK_EDGE_WRAP || d->list[k].edges[axis][1] == CMK_EDGE_WRAP);
    return some;
}

/* of half of the calls the grid is a part of a larger one, which the part that is updated does not leave, or leaves by
 * a period at most */
static void draw_origin(judge_call *c)
{
    const int is_part = (int)below(2);
    for (int axis = 0; axis < 3; ++axis) {
        const cmk_i64 first = (cmk_i64)c->first[axis], part = (cmk_i64)c->end[axis] - first;
        const int round = wraps(c->definition, axis);
        c->global[axis] = (cmk_i64)c->sizes[axis];
        if (!is_part || part < 1) continue;
        c->global[axis] = (round ? part : (cmk_i64)c->sizes[axis]) + (cmk_i64)below(20);
        const cmk_i64 room = round ? 3 * c->global[axis] - part : c->global[axis] - (cmk_i64)c->sizes[axis];
        c->origin[axis] = (cmk_i64)below((size_t)room + 1) - (round ? first + c->global[axis] : 0);
    }
}

static int is_empty(const judge_call *c)
{
    return c->first[0] >= c->end[0] || c->first[1] >= c->end[1] || c->first[2] >= c->end[2];
}

/* rows that begin with a vector or anywhere; planes that are rows apart, further, or as near as they may be */
static void draw_pitches(const judge_call *c, int is_whole, size_t *row_pitch, size_t *plane_pitch)
{
    const size_t up = (c->sizes[2] + 15) / 16 * 16, rows = c->sizes[1] > 0 ? c->sizes[1] : 1;
    *row_pitch = is_whole ? up + 16 * below(2) : c->sizes[2] + one_of_5(0, 1, 3, 13, up - c->sizes[2]);
    if (*row_pitch == 0) *row_pitch = 1;
    *plane_pitch = rows * *row_pitch + (is_whole ? 16 * below(2) : one_of_5(0, 0, 1, 1, 7));
    if (!is_whole && below(4) == 0) *plane_pitch = (rows - 1) * *row_pitch + (c->sizes[2] > 0 ? c->sizes[2] : 1);
}

static double any_value(const judge_field *f)
{
    if (f->type <= OF_bfloat16) return ((double)below(129) - 64) / 64;
    return (double)below(97) - (f->type != OF_uchar && below(2) ? 96 : 0);
}

static size_t offset_of(const judge_call *c, const judge_array *a, size_t index)
{
    const size_t row = index / c->sizes[2], plane = row / c->sizes[1];
    return a->shift +
           (plane * a->plane_pitch + row % c->sizes[1] * a->row_pitch + index % c->sizes[2]) * a->field->size;
}

static int in_part(const judge_call *c, size_t index)
{
    const size_t at[3] = {index / c->sizes[2] / c->sizes[1], index / c->sizes[2] % c->sizes[1], index % c->sizes[2]};
    int inside = 1;
    for (int axis = 0; axis < 3; ++axis) inside &= at[axis] >= c->first[axis] && at[axis] < c->end[axis];
    return inside;
}

static double *copy_of(const double *values, size_t count)
{
    double *const copy = (double *)malloc((count + 1) * sizeof *copy);
    memcpy(copy, values, count * sizeof *copy);
    return copy;
}

/* values; those of the level before are the same outside of the part */
static void draw_values(const judge_call *c, judge_array *a)
{
    const size_t count = judge_values(c, a), each = (size_t)a->field->components;
    a->now = (double *)malloc((count + 1) * sizeof(double));
    for (size_t k = 0; k < count; ++k) a->now[k] = any_value(a->field);
    a->next = copy_of(a->now, count);
    a->before = copy_of(a->now, count);
    for (size_t k = 0; k < count; ++k)
        if (in_part(c, k / each)) a->before[k] = any_value(a->field);
}

static int buffers_of(int kind, int has_spares)
{
    if (kind == SAME_KIND) return has_spares ? 2 : 1;
    if (kind == LEAPFROG_KIND) return has_spares ? 4 : 2;
    return kind == NEXT_KIND ? 2 : 1;
}

/* a buffer of the device, all poison but the values; of one that is only to be written, those that stay */
static void make_buffer(const judge_call *c, judge_array *a, int b)
{
    a->initial[b] = (char *)malloc(a->bytes);
    memset(a->initial[b], a->field->type <= OF_bfloat16 ? 0xFF : 0x5B, a->bytes);
    for (size_t k = 0; k < judge_points(c); ++k) {
        const int before = a->field->kind == LEAPFROG_KIND && b == 1;
        const double *const values = before ? a->before : a->now;
        if (b == 0 || before || !in_part(c, k))
            judge_put(a, a->initial[b] + offset_of(c, a, k), values + k * (size_t)a->field->components);
    }
    CMK_CHECK(cudaMalloc((void **)&a->memory[b], a->bytes));
    CMK_CHECK(cudaMemcpy(a->memory[b], a->initial[b], a->bytes, cudaMemcpyHostToDevice));
}

/* first is the first array of the same line, if this is another */
static void draw_array(const judge_call *c, judge_array *a, const judge_field *field, int number,
                       const judge_array *first, int is_whole)
{
    const size_t empty = judge_points(c) == 0;
    a->field = field;
    a->number = number;
    a->row_pitch = c->row_pitch;
    a->plane_pitch = c->plane_pitch;
    a->own_pitches = below(4) == 0;
    if (a->own_pitches) draw_pitches(c, is_whole, &a->row_pitch, &a->plane_pitch);
    for (int k = 0; k < field->components; ++k) a->outside[k] = below(3) ? any_value(field) : 0.0;
    if (first != NULL) {
        a->own_pitches = first->own_pitches;
        a->row_pitch = first->row_pitch;
        a->plane_pitch = first->plane_pitch;
        memcpy(a->outside, first->outside, sizeof a->outside);
    }
    a->shift = guard + (is_whole ? 0 : field->alignment * one_of_5(0, 0, 1, 1, 3));
    a->bytes = a->shift + guard;
    if (!empty)
        a->bytes += ((c->sizes[0] - 1) * a->plane_pitch + (c->sizes[1] - 1) * a->row_pitch + c->sizes[2]) * field->size;
    a->buffers = buffers_of(field->kind, c->has_spares);
    draw_values(c, a);
    for (int b = 0; b < a->buffers; ++b) make_buffer(c, a, b);
}

/* a loop that may end by any result or by the flag, of turns that are a pass or some steps; with CMK_TEST_NO_LOOPS in
 * the environment none is drawn, as compute-sanitizer fails where a graph has a loop */
static void draw_loop(judge_call *c)
{
    const judge_definition *const d = c->definition;
    c->beside.last = (cmk_i64)c->first_step + (cmk_i64)below(6);
    if (d->pass == NULL || is_empty(c) || below(4) > 0 || getenv("CMK_TEST_NO_LOOPS") != NULL) return;
    c->is_loop = 1;
    c->ends_by = (int)below((size_t)(d->reductions + d->has_flag)) - d->has_flag;
    c->turn_steps = below(4) == 0 ? 0 : 1 + below(judge_points(c) > 2000 ? 6 : 3);
    c->each = c->turn_steps > 0 ? c->turn_steps : d->pass();
    c->steps = 0;
}

static void draw_call(judge_call *c, const judge_definition *d, int number)
{
    memset(c, 0, sizeof *c);
    random_state = (unsigned long long)(1000 * d->number + number);
    for (int k = 0; k < 4; ++k) below(2);
    c->definition = d;
    draw_sizes(c);
    c->by_steps = below(2) > 0;
    c->steps = judge_points(c) > 20000 ? 1 : 1 + (int)below(3);
    const int is_wide = can_be_wide(d) && below(d->dims == 3 ? 36 : 12) == 0;
    if (is_wide) wide_sizes(c);
    c->has_spares = below(4) > 0;
    draw_part(c);
    const int is_whole = is_wide || below(3) > 0;
    draw_pitches(c, is_whole, &c->row_pitch, &c->plane_pitch);
    c->first_step = one_of_5(0, 0, 1, 1, 1000);
    draw_origin(c);
    c->gain = ((double)below(17) - 8) / 32;
    for (int k = 0; k < d->fields; ++k)
        for (int n = 0; n < d->list[k].count; ++n, ++c->count)
            draw_array(c, &c->arrays[c->count], &d->list[k], n, n > 0 ? &c->arrays[c->count - n] : NULL, is_whole);
    for (int k = 0; k < d->reductions; ++k) {
        CMK_CHECK(cudaMalloc((void **)&c->results[k], CMK_POINT_RESULT_BYTES));
        CMK_CHECK(cudaMemset(c->results[k], 0, CMK_POINT_RESULT_BYTES));
        c->said[k] = (judge_said *)malloc((judge_points(c) + 1) * sizeof *c->said[k]);
    }
    c->beside.gain.y = (float)c->gain;
    memset(&c->beside.turns, 0xff, sizeof c->beside.turns);
    CMK_CHECK(cudaMalloc((void **)&c->device, sizeof *c->device));
    draw_loop(c);
}

static void end_call(judge_call *c)
{
    for (int k = 0; k < c->count; ++k) {
        judge_array *const a = &c->arrays[k];
        for (int b = 0; b < a->buffers; ++b) {
            CMK_CHECK(cudaFree(a->memory[b]));
            free(a->initial[b]);
        }
        free(a->now);
        free(a->next);
        free(a->before);
    }
    for (int k = 0; k < c->definition->reductions; ++k) {
        CMK_CHECK(cudaFree(c->results[k]));
        free(c->said[k]);
    }
    CMK_CHECK(cudaFree(c->device));
}

/* ---- What the definitions' run functions say. `c` is the call, `grid` the definition's */

/* name_domain or name_inner of the call's sizes, and its part */
#define JUDGE_GRID_2D(name)                                                                                            \
    name##_grid grid = (c->is_inner ? name##_inner : name##_domain)(c->sizes[1], c->sizes[2], c->row_pitch);           \
    grid.planes = c->sizes[0], grid.end_plane = c->end[0], grid.first_plane = c->first[0];                             \
    grid.plane_pitch = c->plane_pitch;                                                                                 \
    JUDGE_PART_
#define JUDGE_GRID_3D(name)                                                                                            \
    name##_grid grid = (c->is_inner ? name##_inner : name##_domain)(c->sizes[0], c->sizes[1], c->sizes[2],             \
                                                                    c->plane_pitch, c->row_pitch);                     \
    JUDGE_PART_
#define JUDGE_PART_                                                                                                    \
    grid.first_step = c->first_step;                                                                                   \
    grid.origin_plane = c->origin[0], grid.origin_row = c->origin[1], grid.origin_column = c->origin[2];               \
    grid.global_planes = (size_t)c->global[0], grid.global_rows = (size_t)c->global[1];                                \
    grid.global_columns = (size_t)c->global[2];                                                                        \
    if (!c->is_inner) {                                                                                                \
        grid.first_plane = c->first[0], grid.first_row = c->first[1], grid.first_column = c->first[2];                 \
        grid.end_plane = c->end[0], grid.end_row = c->end[1], grid.end_column = c->end[2];                             \
    }
/* what all arrays of a line share; of one array, the pointer to buffer b */
#define JUDGE_LINE(name, array)                                                                                        \
    judge_put(&c->arrays[array], &grid.name##_outside, c->arrays[array].outside);                                      \
    if (c->arrays[array].own_pitches) {                                                                                \
        grid.name##_row_pitch = c->arrays[array].row_pitch;                                                            \
        grid.name##_plane_pitch = c->arrays[array].plane_pitch;                                                        \
    }
#define JUDGE_POINTER(T, member, array, b)                                                                             \
    if (b < c->arrays[array].buffers) grid.member = (T *)(void *)(c->arrays[array].memory[b] + c->arrays[array].shift);
#define JUDGE_REDUCTION(T, member, k) grid.member = (T *)(void *)c->results[k];
#define JUDGE_RESULT(member, array, b) c->arrays[array].result[b] = (char *)(size_t)grid.member;
/* the steps, by name_steps or one by one, or a loop; the arguments are VALUES, TABLES and the stream */
#define JUDGE_STEPS(name, ...)                                                                                         \
    cudaError_t error = cudaSuccess;                                                                                   \
    JUDGE_EACH_(name, __VA_ARGS__)
#define JUDGE_TURNS_OR_STEPS(name, ...)                                                                                \
    cudaError_t error = c->is_loop ? name##_until(&grid, c->turn_steps, c->until, __VA_ARGS__) : cudaSuccess;          \
    JUDGE_EACH_(name, __VA_ARGS__)
#define JUDGE_EACH_(name, ...)                                                                                         \
    if (c->by_steps && !c->is_loop) error = name##_steps(&grid, (size_t)c->steps, __VA_ARGS__);                        \
    for (int step = 0; step < c->steps && !c->by_steps && !c->is_loop && error == cudaSuccess; ++step)                 \
        error = name(&grid, __VA_ARGS__);                                                                              \
    c->last_step = grid.first_step;

/* ---- Results, by what has been said */

static double slack_of(const judge_call *c)
{
    double largest = 1.0, epsilon = 0.0;
    for (int k = 0; k < c->count; ++k) {
        const judge_array *const a = &c->arrays[k];
        for (size_t i = 0; i < judge_values(c, a) && a->field->type <= OF_bfloat16; ++i)
            largest = fmax(largest, fabs(a->now[i]));
        if (a->field->kind != IN_KIND) epsilon = fmax(epsilon, judge_epsilon(a->field->type));
    }
    return epsilon * largest * c->steps * c->definition->stages * c->definition->operations;
}

/* Values that were set get their values from the plain loops; `slack` is by how much those may be off. */
static void take_plain(judge_call *c, int k, double *slack)
{
    for (size_t i = 0; i < c->sayings[k]; ++i) {
        judge_said *const said = &c->said[k][i];
        if (said->array >= 0) said->value = c->arrays[said->array].now[said->index];
    }
    *slack = c->sayings[k] > 0 && c->said[k][0].array >= 0 ? slack_of(c) : 0.0;
}

/* A result, and by how much it may be off: it is given how much each value may be. */
static double result_of(const judge_call *c, int k, double *slack)
{
    const judge_reduction *const r = &c->definition->reduction[k];
    const int is_float = r->type == OF_float || r->given == OF_float;
    exact_sum sum = {{0.0}, 0};
    double largest = 0.0, least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < c->sayings[k]; ++i) {
        const double value = c->said[k][i].value;
        exact_add(&sum, value);
        largest = fmax(largest, fabs(value));
        least = fmin(least, value), most = fmax(most, value);
    }
    if (r->kind != SUM_KIND) return r->kind == MAX_KIND ? most : least;
    const double right = exact_round(&sum);
    *slack = (double)c->sayings[k] * (*slack + ldexp(largest, is_float ? -33 : -65)) + ldexp(fabs(right), -53);
    if (r->type == OF_float) *slack += ldexp(fabs(right) + *slack, -24);
    return right;
}

/* ---- Loops */

/* Plain turns until a value is clearly below all before it, behind some turns at least; or as many as are affordable.
 * Returns whether the value is clearly below them, and sets a limit that is between, or below all of them. */
static int judge_turns(judge_call *c, double *limit)
{
    const size_t afford = 1 + 50000 / (judge_points(c) * c->each), most = afford < 5 ? afford : 5;
    const size_t fewest = 1 + below(4);
    double low = INFINITY, value = 0.0, margin = 0.0;
    int is_below = 0;
    do {
        for (size_t step = 0; step < c->each; ++step) judge_step(c, c->steps++);
        ++c->turns;
        low = fmin(low, c->turns > 1 ? value : INFINITY);
        if (c->ends_by < 0) continue;
        double slack;
        take_plain(c, c->ends_by, &slack);
        value = result_of(c, c->ends_by, &slack);
        if (isfinite(value)) margin = fmax(margin, 2 * slack + ldexp(fabs(value), -20) + 1e-30);
        is_below = low - value > 2 * margin;
    } while (c->turns < most && value > -INFINITY && (c->turns < fewest || (c->ends_by >= 0 && !is_below)));
    low = is_below ? low : fmin(low, value) - 4 * margin - 1.0;
    *limit = !is_below ? (isfinite(low) ? low : 0.0) : isfinite(low) ? (low + value) / 2 : value + margin;
    return is_below;
}

/* By the flag a loop ends behind the turn that has the last step, or, of some, with its most turns. */
static void judge_loop(judge_call *c)
{
    double limit = 0.0;
    const int is_below = judge_turns(c, &limit), is_flagged = c->ends_by < 0 && below(3) > 0;
    const size_t most = c->turns + (is_below || is_flagged ? below(3) : 0);
    void *const result = c->ends_by < 0 ? NULL : c->results[c->ends_by];
    cmk_turns *const turns = &c->device->turns;
    if (c->ends_by < 0) c->beside.last = (cmk_i64)(c->first_step + (c->turns - is_flagged) * c->each + below(c->each));
    if (c->ends_by < 0)
        c->until = cmk_until_flag(most, &c->device->flag, turns);
    else if (c->definition->reduction[c->ends_by].type == OF_float)
        c->until = cmk_until_float(most, (const float *)result, (float)limit, turns);
    else
        c->until = cmk_until_double(most, (const double *)result, limit, turns);
}

/* ---- A call judged: says what is wrong in `complaint` */

static char complaint[300];

/* which buffer the grid's pointer b points to; -1 for none */
static int buffer_of(const judge_array *a, int b)
{
    for (int k = 0; k < a->buffers; ++k)
        if (a->result[b] == a->memory[k] + a->shift) return k;
    return -1;
}

static int check_pointers(const judge_call *c)
{
    for (int k = 0; k < c->count; ++k) {
        const judge_array *const a = &c->arrays[k];
        int found = 0;
        for (int b = 0; b < a->buffers; ++b) found |= buffer_of(a, b) >= 0 ? 1 << buffer_of(a, b) : 0;
        for (int b = 0; b < a->buffers && c->is_loop; ++b) found &= buffer_of(a, b) == b ? found : 0;
        if (found == (1 << a->buffers) - 1) continue;
        snprintf(complaint, sizeof complaint, "the pointers of %s are not its buffers", a->field->name);
        return 0;
    }
    return 1;
}

/* a level of the device: every point of the part */
static int check_level(const judge_call *c, const judge_array *a, const char *held, const double *level, double slack)
{
    for (size_t k = 0; k < judge_values(c, a); ++k) {
        const size_t each = (size_t)a->field->components, index = k / each;
        double got = 0.0;
        if (!in_part(c, index)) continue;
        judge_move(a->field->type,
                   (void *)(size_t)(held + offset_of(c, a, index) + k % each * judge_size(a->field->type)), &got, 0);
        if (fabs(got - level[k]) <= slack) continue;
        snprintf(complaint, sizeof complaint, "%s[%d]%s at (%zu, %zu, %zu) is %.9g, not %.9g (%.1e allowed)",
                 a->field->name, a->number, level == a->before ? " before" : "", index / c->sizes[2] / c->sizes[1],
                 index / c->sizes[2] % c->sizes[1], index % c->sizes[2], got, level[k], slack);
        return 0;
    }
    return 1;
}

/* nothing but points of the part was written, and of an IN field nothing */
static int check_rest(const judge_call *c, const judge_array *a, int b, char *held)
{
    if (a->field->kind != IN_KIND)
        for (size_t k = 0; k < judge_points(c); ++k)
            if (in_part(c, k)) memcpy(held + offset_of(c, a, k), a->initial[b] + offset_of(c, a, k), a->field->size);
    for (size_t k = 0; k < a->bytes; ++k) {
        if (held[k] == a->initial[b][k]) continue;
        snprintf(complaint, sizeof complaint, "byte %lld of %s[%d], buffer %d, was written",
                 (long long)k - (long long)a->shift, a->field->name, a->number, b);
        return 0;
    }
    return 1;
}

static int check_array(const judge_call *c, const judge_array *a, double slack)
{
    char *const held = (char *)malloc(a->bytes);
    int right = 1;
    for (int b = 0; b < a->buffers && right; ++b) {
        CMK_CHECK(cudaMemcpy(held, a->memory[b], a->bytes, cudaMemcpyDeviceToHost));
        const int newest = buffer_of(a, 0) == b, exact = a->field->type > OF_bfloat16;
        if (newest) right = check_level(c, a, held, a->now, exact ? 0.0 : slack);
        if (a->field->kind == LEAPFROG_KIND && buffer_of(a, 1) == b)
            right = check_level(c, a, held, a->before, exact ? 0.0 : slack);
        right = right && check_rest(c, a, b, held);
    }
    free(held);
    return right;
}

/* Values that were set get their values from memory, which are those of floats where a result or its values are. */
static void take_said(judge_call *c, int k)
{
    const judge_reduction *const r = &c->definition->reduction[k];
    const judge_array *const a = &c->arrays[c->sayings[k] > 0 && c->said[k][0].array >= 0 ? c->said[k][0].array : 0];
    char *const held = (char *)malloc(a->bytes);
    CMK_CHECK(cudaMemcpy(held, a->result[0] - a->shift, a->bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < c->sayings[k]; ++i) {
        judge_said *const said = &c->said[k][i];
        if (said->array >= 0) judge_move(a->field->type, held + offset_of(c, a, said->index), &said->value, 0);
        if (r->type == OF_float) said->value = (double)(float)said->value;
    }
    free(held);
}

static int check_reduction(judge_call *c, int k)
{
    const judge_reduction *const r = &c->definition->reduction[k];
    double got = 0.0, slack = 0.0;
    float single = 0.0f;
    take_said(c, k);
    const double right = result_of(c, k, &slack);
    CMK_CHECK(cudaMemcpy(&got, c->results[k], sizeof got, cudaMemcpyDeviceToHost));
    memcpy(&single, &got, sizeof single);
    if (r->type == OF_float) got = (double)single;
    if (got == right || fabs(got - right) <= slack) return 1;
    snprintf(complaint, sizeof complaint, "%s of %zu values is %.17g, not %.17g (%.1e allowed)", r->name, c->sayings[k],
             got, right, slack);
    return 0;
}

/* the number of the next step, the turns of a loop and the flag */
static int check_counts(const judge_call *c)
{
    judge_beside got;
    const size_t next = c->first_step + (c->is_loop ? 0 : (size_t)c->steps);
    const int raised = c->definition->has_flag && !is_empty(c) && c->beside.last < (cmk_i64)c->first_step + c->steps;
    CMK_CHECK(cudaMemcpy(&got, c->device, sizeof got, cudaMemcpyDeviceToHost));
    if (is_empty(c) ||
        (c->last_step == next && got.flag == (unsigned)raised && (!c->is_loop || got.turns.turns == c->turns)))
        return 1;
    snprintf(complaint, sizeof complaint, "first_step is %zu; %lld turns are done; the flag is %u, not %d",
             c->last_step, c->is_loop ? (long long)got.turns.turns : 0, got.flag, raised);
    return 0;
}

static int check_call(judge_call *c)
{
    for (int step = 0; step < c->steps && !is_empty(c); ++step) judge_step(c, step);
    if (c->is_loop) judge_loop(c);
    CMK_CHECK(cudaMemcpy(c->device, &c->beside, sizeof c->beside, cudaMemcpyHostToDevice));
    cudaError_t error = c->definition->run(c);
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        snprintf(complaint, sizeof complaint, "returned %d: %s", (int)error, cudaGetErrorString(error));
        return 0;
    }
    const double slack = slack_of(c);
    int right = check_counts(c) && check_pointers(c);
    for (int k = 0; k < c->count && right; ++k) right = check_array(c, &c->arrays[k], slack);
    for (int k = 0; k < c->definition->reductions && right; ++k) right = check_reduction(c, k);
    return right;
}

static void print_call(const judge_call *c, int number)
{
    printf("# call %d: %zu x %zu x %zu, row pitch %zu, plane pitch %zu, part %zu-%zu %zu-%zu %zu-%zu%s, %d steps%s, ",
           number, c->sizes[0], c->sizes[1], c->sizes[2], c->row_pitch, c->plane_pitch, c->first[0], c->end[0],
           c->first[1], c->end[1], c->first[2], c->end[2], c->is_inner ? " (inner)" : "", c->steps,
           c->by_steps || c->is_loop ? "" : " one by one");
    if (c->is_loop) printf("%zu turns of at most %zu, limit %.9g, ", c->turns, c->until.most, c->until.limit);
    printf("%s\n", complaint);
}

static void check_definition(const judge_definition *d, int first, int end)
{
    static judge_call call;
    int failed = 0;
    if (d->run == NULL) {
        tap_skip(d->title, "the compiler lacks a type");
        return;
    }
    for (int number = first; number < end; ++number) {
        draw_call(&call, d, number);
        if (!check_call(&call) && ++failed <= 4) print_call(&call, number);
        end_call(&call);
    }
    tap_check(failed == 0, "%d. %s: %d of %d calls fail", d->number, d->title, failed, end - first);
}

static int judge_main(const judge_definition *all, int definitions, int words, char **word)
{
    const int calls = words > 1 ? atoi(word[1]) : default_calls;
    tap_need_device();
    for (int k = 0; k < definitions; ++k) {
        const int is_one = words > 3, number = is_one ? atoi(word[3]) : 0;
        if (!is_one || atoi(word[2]) == all[k].number) check_definition(&all[k], number, is_one ? number + 1 : calls);
    }
    return tap_done();
}

#endif
