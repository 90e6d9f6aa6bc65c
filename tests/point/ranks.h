/* ranks.h: a grid that is split over ranks, all in one process, against the same grid in one piece: what the tests of
 * 2D and of 3D grids share. Ghosts are copied by plain loops on the host. */
#ifndef POINT_RANKS_H
#define POINT_RANKS_H

#include <cmk/check.h>
#include <cmk/stream.h>
#include "random.h"
#include "tap.h"

enum { most_ranks = 27, most_fields = 4, most_results = 3 };
enum { BY_CALLS, BY_STEPS, BY_DEEP_STEPS, BY_DEEP_BORDER, BY_BOXES, BY_BORDER, WAYS };

/* a run: its split, how many steps an exchange is good for, and how often one is made */
typedef struct {
    cmk_i64 global[3], cuts[3][4]; /* where parts begin, and the end */
    int parts[3], periodic[3], ghosts[3], width[3], ranks, every, rounds, way;
} run;

/* what is the same of all grids */
typedef struct {
    cmk_point_sizes_ s;
    char *field[most_fields];
} view;

static unsigned *arrived; /* a word of device memory, into which streams write */
static unsigned counted(void)
{
    unsigned word = 0;
    CMK_CHECK(cudaMemcpy(&word, arrived, sizeof word, cudaMemcpyDeviceToHost));
    return word;
}

/* the memory of results, of all ranks together and of the grid in one piece */
static double *results[2 * most_results];
static void make_results(void)
{
    for (int k = 0; k < 2 * most_results; ++k) {
        CMK_CHECK(cudaMallocManaged((void **)&results[k], CMK_POINT_RESULT_BYTES, cudaMemAttachGlobal));
        memset(results[k], 0, CMK_POINT_RESULT_BYTES);
    }
}

/* Forgets the results of the run before; what is behind them is zeros already. */
static void forget_results(void)
{
    for (int k = 0; k < 2 * most_results; ++k) results[k][0] = 0.0;
}

/* results that differ: where no point of a part is updated twice, so that the sum over all ranks is that of the grid */
static int results_differ(const run *r, int stages)
{
    const int counts_once = r->way == BY_BOXES || r->way == BY_DEEP_STEPS || r->way == BY_DEEP_BORDER;
    int found = 0;
    for (int k = 0; k < most_results && (counts_once || r->every * stages == 1); ++k)
        found += memcmp(results[k], results[most_results + k], sizeof(double)) != 0;
    if (found > 0)
        printf("# %d results differ, parts %d x %d x %d, way %d, %d times %d steps: %a, not %a\n", found, r->parts[0],
               r->parts[1], r->parts[2], r->way, r->rounds, r->every, results[0][0], results[most_results][0]);
    return found;
}

static size_t points_of(const cmk_i64 count[3])
{
    return (size_t)(count[0] * count[1] * count[2]);
}

/* parts of at least so many points where they have neighbours; along axes that wrap, ghosts at both ends or none */
static void draw_axis(run *r, int axis, int reach, int most, cmk_i64 least, cmk_i64 more, int wraps)
{
    const int parts = 1 + (int)below((size_t)most);
    r->parts[axis] = parts;
    r->ghosts[axis] = reach * r->every;
    r->periodic[axis] = wraps && (parts > 1 || below(2));
    r->cuts[axis][0] = 0;
    for (int k = 0; k < parts; ++k) {
        const cmk_i64 need = r->ghosts[axis] > least ? r->ghosts[axis] : least;
        r->cuts[axis][k + 1] = r->cuts[axis][k] + need + (cmk_i64)below((size_t)more + 1);
    }
    r->global[axis] = r->cuts[axis][parts];
    r->width[axis] = r->ghosts[axis] + (int)below(3);
}

static cmk_grid split_of(const run *r, int rank)
{
    cmk_grid split;
    if (!cmk_grid_split(&split, rank, r->ranks, r->global, r->parts, r->periodic)) {
        printf("Bail out! %s\n", split.why);
        exit(1);
    }
    for (int axis = 0; axis < 3; ++axis) {
        split.first[axis] = r->cuts[axis][split.place[axis]];
        split.count[axis] = r->cuts[axis][split.place[axis] + 1] - split.first[axis];
    }
    return split;
}

static char *element_of(const view *v, int field, cmk_i64 plane, cmk_i64 row, cmk_i64 column, size_t size)
{
    return v->field[field] + ((size_t)plane * v->s.plane_pitch + (size_t)row * v->s.row_pitch + (size_t)column) * size;
}

/* All points of the grid from the parts that own them, or, where `back` is, all ghosts of the parts from the grid; a
 * point is a ghost where it is not of the part that is updated. */
static void move_points(const run *r, const view *views, int field, size_t size, char *whole, int back)
{
    for (int rank = 0; rank < r->ranks; ++rank) {
        const view *const v = &views[rank];
        for (cmk_i64 z = 0; z < (cmk_i64)v->s.planes; ++z)
            for (cmk_i64 y = 0; y < (cmk_i64)v->s.rows; ++y)
                for (cmk_i64 x = 0; x < (cmk_i64)v->s.columns; ++x) {
                    const cmk_i64 at[3] = {(z + v->s.origin_plane + r->global[0]) % r->global[0],
                                           (y + v->s.origin_row + r->global[1]) % r->global[1],
                                           (x + v->s.origin_column + r->global[2]) % r->global[2]};
                    const int owned = z >= (cmk_i64)v->s.first_plane && z < (cmk_i64)v->s.end_plane &&
                                      y >= (cmk_i64)v->s.first_row && y < (cmk_i64)v->s.end_row &&
                                      x >= (cmk_i64)v->s.first_column && x < (cmk_i64)v->s.end_column;
                    char *const here = element_of(v, field, z, y, x, size);
                    char *const there = whole + (size_t)((at[0] * r->global[1] + at[1]) * r->global[2] + at[2]) * size;
                    if (owned != back) memcpy(back ? here : there, back ? there : here, size);
                }
    }
}

static void exchange(const run *r, const view *views, int fields, size_t size)
{
    char *const whole = (char *)malloc(points_of(r->global) * size);
    for (int field = 0; field < fields; ++field) {
        move_points(r, views, field, size, whole, 0);
        move_points(r, views, field, size, whole, 1);
    }
    free(whole);
}

/* the box of a part that is wider by `by` wherever the rank has neighbours; and, of that, the part again */
static cmk_box widened(const cmk_grid *split, const int by[3])
{
    cmk_box box;
    for (int axis = 0; axis < 3; ++axis) {
        const int low = cmk_point_beside_rank_(split, axis, -1, by), high = cmk_point_beside_rank_(split, axis, 1, by);
        box.first[axis] = -low;
        box.count[axis] = split->count[axis] + low + high;
    }
    return box;
}

static cmk_box narrowed(const cmk_grid *split, const int by[3])
{
    cmk_box box = widened(split, by);
    for (int axis = 0; axis < 3; ++axis) box.first[axis] = -box.first[axis], box.count[axis] = split->count[axis];
    return box;
}

/* points of the parts that are not those of the whole grid; the first is said */
static int differing(const run *r, const view *views, const view *one, int field, size_t size)
{
    const size_t count = points_of(r->global);
    char *const whole = (char *)malloc(count * size);
    int found = 0;
    move_points(r, views, field, size, whole, 0);
    for (size_t k = 0; k < count; ++k) {
        const cmk_i64 row = (cmk_i64)k / r->global[2], x = (cmk_i64)k % r->global[2];
        const char *const right = element_of(one, field, row / r->global[1], row % r->global[1], x, size);
        if (memcmp(whole + k * size, right, size) == 0 || found++ > 0) continue;
        printf(
            "# field %d differs at %lld, %lld, %lld of %lld x %lld x %lld, parts %d x %d x %d, periodic %d %d %d, way "
            "%d, %d times %d steps\n",
            field, row / r->global[1], row % r->global[1], x, r->global[0], r->global[1], r->global[2], r->parts[0],
            r->parts[1], r->parts[2], r->periodic[0], r->periodic[1], r->periodic[2], r->way, r->rounds, r->every);
    }
    free(whole);
    return found;
}

/* managed memory of random values, or poison */
static char *buffer_of(size_t count, size_t size, int is_random)
{
    char *memory = NULL;
    CMK_CHECK(cudaMallocManaged((void **)&memory, (count + 1) * size, cudaMemAttachGlobal));
    memset(memory, 0x7f, count * size);
    for (size_t k = 0; k < count && is_random; ++k) {
        const double wide = (double)below(4096) / 4096 - 0.5;
        const float narrow = (float)wide;
        memcpy(memory + k * size, size == 8 ? (const void *)&wide : (const void *)&narrow, size);
    }
    return memory;
}

/* the values of a rank's points, which are those of the grid in one piece */
static void take_points(const run *r, const view *mine, const view *one, int field, size_t size)
{
    for (size_t z = mine->s.first_plane; z < mine->s.end_plane; ++z)
        for (size_t y = mine->s.first_row; y < mine->s.end_row; ++y)
            for (size_t x = mine->s.first_column; x < mine->s.end_column; ++x)
                memcpy(element_of(mine, field, (cmk_i64)z, (cmk_i64)y, (cmk_i64)x, size),
                       element_of(one, field, (cmk_i64)z + mine->s.origin_plane, (cmk_i64)y + mine->s.origin_row,
                                  (cmk_i64)x + mine->s.origin_column, size),
                       size);
    (void)r;
}

/* ---- A definition: POINTERS(DO) of all its buffers, those that are exchanged first, FIELDS of these. The parts of a
 * rank's grid are updated as the run says. */
#define RANKS_VIEW(name)                                                                                               \
    static view name##_view(const name##_grid *g)                                                                      \
    {                                                                                                                  \
        view v;                                                                                                        \
        int k = 0;                                                                                                     \
        memset(&v, 0, sizeof v);                                                                                       \
        memcpy(&v.s, g, sizeof v.s);                                                                                   \
        name##_POINTERS(RANKS_SEE) return v;                                                                           \
    }                                                                                                                  \
    static void name##_make(name##_grid *g, size_t size, int is_random)                                                \
    {                                                                                                                  \
        const size_t count = g->planes * (g->plane_pitch > 0 ? g->plane_pitch : g->rows * g->row_pitch);               \
        name##_POINTERS(RANKS_MAKE) name##_RESULTS(RANKS_RESULT)                                                       \
    }                                                                                                                  \
    static void name##_free(name##_grid *g)                                                                            \
    {                                                                                                                  \
        name##_POINTERS(RANKS_FREE)                                                                                    \
    }
#define RANKS_SEE(T, member) v.field[k++] = (char *)g->member;
#define RANKS_MAKE(T, member) g->member = (T *)(void *)buffer_of(count, size, is_random);
#define RANKS_RESULT(T, member, k) g->member = (T *)(void *)results[k + (is_random ? most_results : 0)];
#define RANKS_FREE(T, member) CMK_CHECK(cudaFree(g->member));

#define RANKS_STEPS(name, STAGES)                                                                                      \
    static void name##_advance(const run *r, const cmk_grid *split, name##_grid *g, cmk_point_border *border)          \
    {                                                                                                                  \
        const unsigned more = split->rank < r->ranks - 1;                                                              \
        int by[3];                                                                                                     \
        cmk_box boxes[6];                                                                                              \
        for (int axis = 0; axis < 3; ++axis) by[axis] = r->ghosts[axis] - r->ghosts[axis] / r->every / (STAGES);       \
        if (r->way == BY_BOXES) {                                                                                      \
            const int count = cmk_grid_border(split, r->width, boxes);                                                 \
            for (int k = 0; k <= count; ++k) {                                                                         \
                name##_grid part = name##_part(*g, k < count ? boxes[k] : cmk_grid_interior(split, r->width));         \
                part.more_parts = more || k < count;                                                                   \
                CMK_CHECK(name(&part, 0));                                                                             \
            }                                                                                                          \
            CMK_CHECK(name##_flip(g, 0));                                                                              \
            return;                                                                                                    \
        }                                                                                                              \
        g->more_parts = more;                                                                                          \
        g->deep_ghosts = r->way == BY_DEEP_STEPS || r->way == BY_DEEP_BORDER;                                          \
        if (g->deep_ghosts) {                                                                                          \
            CMK_CHECK(r->way == BY_DEEP_STEPS ? name##_steps(g, (size_t)r->every, 0)                                   \
                                              : name##_bordered_steps(g, border, (size_t)r->every, 0));                \
            return;                                                                                                    \
        }                                                                                                              \
        *g = name##_part(*g, widened(split, by));                                                                      \
        if (r->way == BY_STEPS) CMK_CHECK(name##_steps(g, (size_t)r->every, 0));                                       \
        for (int step = 0; step < r->every && r->way != BY_STEPS; ++step) {                                            \
            if (r->way == BY_BORDER) CMK_CHECK(name##_bordered(g, border, 0));                                         \
            if (r->way == BY_CALLS) CMK_CHECK(name(g, 0));                                                             \
        }                                                                                                              \
        *g = name##_part(*g, narrowed(split, by));                                                                     \
    }

#define RANKS_TEST(name, T, STAGES, FIELDS, CALLS, DOMAIN)                                                             \
    RANKS_VIEW(name)                                                                                                   \
    RANKS_STEPS(name, STAGES)                                                                                          \
    static int name##_run(const run *r)                                                                                \
    {                                                                                                                  \
        static name##_grid grids[most_ranks];                                                                          \
        static cmk_grid splits[most_ranks];                                                                            \
        static view views[most_ranks];                                                                                 \
        cmk_point_border border;                                                                                       \
        name##_grid one = DOMAIN;                                                                                      \
        int wrong = 0;                                                                                                 \
        one.planes = one.end_plane = (size_t)r->global[0];                                                             \
        one.plane_pitch = one.rows * one.row_pitch;                                                                    \
        forget_results();                                                                                              \
        name##_make(&one, sizeof(T), 1);                                                                               \
        const view start = name##_view(&one);                                                                          \
        CMK_CHECK(cudaMemset(arrived, 0, sizeof *arrived));                                                            \
        memset(&border, 0, sizeof border);                                                                             \
        for (int k = 0; k < r->ranks; ++k) {                                                                           \
            splits[k] = split_of(r, k);                                                                                \
            grids[k] = name##_of_rank(&splits[k], r->ghosts);                                                          \
            name##_make(&grids[k], sizeof(T), 0);                                                                      \
            views[k] = name##_view(&grids[k]);                                                                         \
            for (int f = 0; f < (FIELDS); ++f) take_points(r, &views[k], &start, f, sizeof(T));                        \
        }                                                                                                              \
        for (int round = 0; round < r->rounds; ++round) {                                                              \
            exchange(r, views, FIELDS, sizeof(T));                                                                     \
            for (int k = 0; k < r->ranks; ++k) {                                                                       \
                const unsigned count = border.count;                                                                   \
                border = cmk_point_border_of(&splits[k], r->width, arrived);                                           \
                border.count = count;                                                                                  \
                name##_advance(r, &splits[k], &grids[k], &border);                                                     \
            }                                                                                                          \
            CMK_CHECK(cudaDeviceSynchronize());                                                                        \
            wrong += counted() != border.count;                                                                        \
            for (int k = 0; k < r->ranks; ++k) views[k] = name##_view(&grids[k]);                                      \
        }                                                                                                              \
        for (int step = 0; step < r->rounds * r->every; ++step) CMK_CHECK(name(&one, 0));                              \
        CMK_CHECK(cudaDeviceSynchronize());                                                                            \
        const view end = name##_view(&one);                                                                            \
        for (int f = 0; f < (FIELDS); ++f) wrong += differing(r, views, &end, f, sizeof(T));                           \
        wrong += results_differ(r, STAGES);                                                                            \
        for (int k = 0; k < r->ranks; ++k) name##_free(&grids[k]);                                                     \
        name##_free(&one);                                                                                             \
        return wrong;                                                                                                  \
    }                                                                                                                  \
    static void test_##name(void)                                                                                      \
    {                                                                                                                  \
        int wrong = 0;                                                                                                 \
        if (!tap_wanted(#name)) return;                                                                                \
        draw_as(#name);                                                                                                \
        for (int k = 0; k < (CALLS)*quarters / 4 && wrong == 0; ++k) {                                                 \
            const run r = draw_run(k, STAGES, name##_definition_().reach, name##_definition_().around,                 \
                                   cmk_point_steps_(name##_definition_(), STAGES));                                    \
            wrong += name##_run(&r);                                                                                   \
        }                                                                                                              \
        tap_check(wrong == 0, #name ": %d differences from one rank", wrong);                                          \
    }

/* of the suite's runs: the first argument of the program; the second is the one test */
static int quarters = 4;

static run draw_run(int number, int stages, int reach, int around, int most_steps);

#endif
