/* CMK_DEFINE_TRANSFER2D and 3D against sums in double, by the places of points and cells on an axis: every edge, odd
 * and even sizes, pitches, steps and alignments. What is not written keeps its bytes. */
#include <math.h>
#include <cmk/kernel/transfer.h>
#include <cmk/check.h>
#include "edge_walk.h"
#include "random.h"
#include "tap.h"

enum { guard = 64 };
static int calls = 60;

/* One grid of a call: sizes of planes, rows and columns; all in elements; memory on the host, with a guard around. */
typedef struct {
    size_t sizes[3], pitch, step, shift, elements;
    char *now, *before, *device;
} grid;

/* a definition whose pointers forget the type */
typedef struct {
    const char *name;
    size_t size;
    int dims, points, edges[3][2]; /* of planes, rows and columns: low and high */
    cudaError_t (*restricts)(const void *in, const grid *from, void *out, const grid *to, const size_t *fine);
    cudaError_t (*prolongs)(const void *in, const grid *from, void *out, const grid *to, const size_t *fine);
} definition;

#define FORGET(name, T, DIMS, call)                                                                                    \
    static cudaError_t call##_##name(const void *in, const grid *from, void *out, const grid *to, const size_t *fine)  \
    {                                                                                                                  \
        return CALL_##DIMS(name##_##call, (const T *)in, (T *)out);                                                    \
    }
#define CALL_2(function, in, out)                                                                                      \
    fine[0] == 1                                                                                                       \
        ? function(in, from->pitch, out, to->pitch, fine[1], fine[2], 0)                                               \
        : function##_batch(in, from->pitch, from->step, out, to->pitch, to->step, fine[1], fine[2], fine[0], 0)
#define CALL_3(function, in, out)                                                                                      \
    function(in, from->pitch, from->step, out, to->pitch, to->step, fine[0], fine[1], fine[2], 0)
#define DEFINE(name, T, DIMS, AT, EDGE)                                                                                \
    CMK_DEFINE_TRANSFER##DIMS##D(name, T, AT, EDGE);                                                                   \
    FORGET(name, T, DIMS, restrict)                                                                                    \
    FORGET(name, T, DIMS, prolong)
#define ALL(DO, NAME, ...)                                                                                             \
    DO(cells_##NAME, float, CELLS, __VA_ARGS__)                                                                        \
    DO(cells_double_##NAME, double, CELLS, __VA_ARGS__)                                                                \
    DO(points_##NAME, float, POINTS, __VA_ARGS__)                                                                      \
    DO(points_double_##NAME, double, POINTS, __VA_ARGS__)
#define FLAT(name, T, AT, EDGE) DEFINE(name, T, 2, AT, EDGE)
#define FLAT_ROW(name, T, AT, EDGE)                                                                                    \
    {#name, sizeof(T), 2, #AT[0] == 'P', {{0, 0}, {EDGE, EDGE}, {EDGE, EDGE}}, restrict_##name, prolong_##name},
#define FLATS(DO)                                                                                                      \
    ALL(DO, zero, CMK_EDGE_ZERO)                                                                                       \
    ALL(DO, clamp, CMK_EDGE_CLAMP)                                                                                     \
    ALL(DO, wrap, CMK_EDGE_WRAP)                                                                                       \
    ALL(DO, mirror, CMK_EDGE_MIRROR)                                                                                   \
    ALL(DO, reflect, CMK_EDGE_REFLECT)                                                                                 \
    ALL(DO, mirror_odd, CMK_EDGE_MIRROR_ODD)                                                                           \
    ALL(DO, reflect_odd, CMK_EDGE_REFLECT_ODD)
FLATS(FLAT)

/* in 3D an edge for each side */
#define CUBE(name, T, AT, A, B, C, D, E, F)                                                                            \
    DEFINE(name, T, 3, AT, CMK_EDGE_AXES_3D(SIDES(A, B), SIDES(C, D), SIDES(E, F)))
#define SIDES(LOW, HIGH) CMK_EDGE_SIDES(CMK_EDGE_##LOW, CMK_EDGE_##HIGH)
#define CUBE_ROW(name, T, AT, A, B, C, D, E, F)                                                                        \
    {#name,                                                                                                            \
     sizeof(T),                                                                                                        \
     3,                                                                                                                \
     #AT[0] == 'P',                                                                                                    \
     {{CMK_EDGE_##A, CMK_EDGE_##B}, {CMK_EDGE_##C, CMK_EDGE_##D}, {CMK_EDGE_##E, CMK_EDGE_##F}},                       \
     restrict_##name,                                                                                                  \
     prolong_##name},
#define CUBES(DO)                                                                                                      \
    ALL(DO, one, MIRROR_ODD, ZERO, WRAP, WRAP, CLAMP, REFLECT)                                                         \
    ALL(DO, two, REFLECT, CLAMP, ZERO, REFLECT_ODD, MIRROR_ODD, MIRROR_ODD)
CUBES(CUBE)

static const definition definitions[] = {FLATS(FLAT_ROW) CUBES(CUBE_ROW)};

/* ---- The mathematics: which elements of the grid that is read make an element, and their weights */
typedef struct {
    cmk_i64 at[3];
    double weights[3];
} terms;

/* of a coarse element of an axis: the fine ones */
static terms of_coarse(int points, cmk_i64 i)
{
    const terms cells = {{2 * i, 2 * i + 1, 0}, {0.5, 0.5, 0.0}},
                three = {{2 * i, 2 * i + 1, 2 * i + 2}, {0.25, 0.5, 0.25}};
    return points ? three : cells;
}

/* Of a fine element: the coarse ones. In units of fine elements, coarse cell k is at 2 k + 1/2, and coarse point k at
 * 2 k + 1. Interpolation is linear between the two on both sides. */
static terms of_fine(int points, cmk_i64 i)
{
    const double first = points ? 1.0 : 0.5, place = ((double)i - first) / 2.0, below_it = floor(place);
    const terms two = {{(cmk_i64)below_it, (cmk_i64)below_it + 1, 0},
                       {1.0 - (place - below_it), place - below_it, 0.0}};
    return two;
}

static double element(const grid *g, size_t size, const cmk_i64 *at, int before)
{
    const size_t index = guard + g->shift + (size_t)at[0] * g->step + (size_t)at[1] * g->pitch + (size_t)at[2];
    const char *const from = (before ? g->before : g->now) + index * size;
    float narrow;
    double wide;
    memcpy(&narrow, from, sizeof narrow);
    memcpy(&wide, from, size);
    return size == sizeof wide ? wide : (double)narrow;
}

/* the value of the grid that is read, at any place */
static double value(const definition *d, const grid *g, const cmk_i64 *at)
{
    int odd = 0;
    cmk_i64 inside[3] = {at[0], 0, 0};
    for (int axis = 3 - d->dims; axis < 3; ++axis) {
        inside[axis] = edge_walk_sides(d->edges[axis], at[axis], (cmk_i64)g->sizes[axis], &odd);
        if (inside[axis] < 0) return 0.0;
    }
    return (odd ? -1.0 : 1.0) * element(g, d->size, inside, 1);
}

static double expected(const definition *d, const grid *from, const cmk_i64 *at, int prolongs)
{
    terms t[3] = {{{at[0], 0, 0}, {1.0, 0.0, 0.0}}, {{0, 0, 0}, {0.0, 0.0, 0.0}}, {{0, 0, 0}, {0.0, 0.0, 0.0}}};
    double sum = 0.0;
    for (int axis = 3 - d->dims; axis < 3; ++axis)
        t[axis] = prolongs ? of_fine(d->points, at[axis]) : of_coarse(d->points, at[axis]);
    for (int k = 0; k < 27; ++k) {
        const cmk_i64 place[3] = {t[0].at[k / 9], t[1].at[k / 3 % 3], t[2].at[k % 3]};
        const double weight = t[0].weights[k / 9] * t[1].weights[k / 3 % 3] * t[2].weights[k % 3];
        if (weight > 0.0) sum += weight * value(d, from, place);
    }
    return sum;
}

/* ---- Calls */
static void *allocated(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory != NULL) return memory;
    puts("Bail out! no memory");
    exit(EXIT_FAILURE);
}

#define EACH(g, at)                                                                                                    \
    for (cmk_i64 at[3] = {0, 0, 0}; at[0] < (cmk_i64)(g)->sizes[0]; ++at[0])                                           \
        for (at[1] = 0; at[1] < (cmk_i64)(g)->sizes[1]; ++at[1])                                                       \
            for (at[2] = 0; at[2] < (cmk_i64)(g)->sizes[2]; ++at[2])

/* Random values; NaN in all gaps and guards. Of every second grid all rows begin at multiples of 16 bytes. */
static grid make_grid(const size_t *sizes, size_t size)
{
    const size_t unit = below(2) ? 16 / size : 1;
    grid g = {{sizes[0], sizes[1], sizes[2]}, 0, 0, 0, 0, NULL, NULL, NULL};
    g.pitch = (sizes[2] + below(2) * below(9) + unit - 1) / unit * unit;
    g.step = (sizes[1] * g.pitch + below(2) * below(30) + unit - 1) / unit * unit;
    g.shift = below(2) * below(5) * unit;
    g.elements = guard + g.shift + sizes[0] * g.step + guard;
    g.now = (char *)allocated(g.elements * size);
    g.before = (char *)allocated(g.elements * size);
    memset(g.before, 0xff, g.elements * size);
    EACH(&g, at)
    {
        const double wide = (double)below(1 << 20) / (1 << 19) - 1.0;
        const float narrow = (float)wide;
        const size_t index = guard + g.shift + (size_t)at[0] * g.step + (size_t)at[1] * g.pitch + (size_t)at[2];
        memcpy(g.before + index * size, size == 8 ? (const void *)&wide : (const void *)&narrow, size);
    }
    CMK_CHECK(cudaMalloc((void **)&g.device, g.elements * size));
    CMK_CHECK(cudaMemcpy(g.device, g.before, g.elements * size, cudaMemcpyHostToDevice));
    return g;
}

static void free_grid(grid *g)
{
    CMK_CHECK(cudaFree(g->device));
    free(g->now);
    free(g->before);
}

/* the elements that are not right, and bytes around that are not those of before */
static size_t wrong_in(const definition *d, const grid *from, grid *to, int prolongs)
{
    const double tolerance = 30.0 * (d->size == 8 ? 1.2e-16 : 6.0e-8) * 2.0; /* 27 terms and the element itself */
    size_t wrong = 0;
    CMK_CHECK(cudaMemcpy(to->now, to->device, to->elements * d->size, cudaMemcpyDeviceToHost));
    EACH(to, at)
    {
        const double right = expected(d, from, at, prolongs) + (prolongs ? element(to, d->size, at, 1) : 0.0);
        const size_t index = guard + to->shift + (size_t)at[0] * to->step + (size_t)at[1] * to->pitch + (size_t)at[2];
        wrong += !(fabs(element(to, d->size, at, 0) - right) <= tolerance);
        memcpy(to->now + index * d->size, to->before + index * d->size, d->size);
    }
    for (size_t b = 0; b < to->elements * d->size; ++b) wrong += to->now[b] != to->before[b];
    CMK_CHECK(cudaMemcpy(from->now, from->device, from->elements * d->size, cudaMemcpyDeviceToHost));
    return wrong + (size_t)(memcmp(from->now, from->before, from->elements * d->size) != 0);
}

static size_t any_size(int points, size_t most)
{
    const size_t half = below(5) == 0 ? 1 : 1 + below(most);
    return 2 * half + (points ? below(2) : 0);
}

static void check_definition(const definition *d)
{
    size_t wrong[2] = {0, 0};
    draw_as(d->name);
    for (int n = 0; n < calls; ++n) {
        const int prolongs = n % 2;
        size_t fine[3] = {1 + below(2) * below(4), any_size(d->points, 20), any_size(d->points, n % 5 == 0 ? 300 : 20)};
        if (d->dims == 3) fine[0] = any_size(d->points, 12);
        if (n < 2 && calls > 4) { /* so many layers that a thread goes along several */
            const int first = d->dims == 3 ? 0 : 1;
            for (int axis = 0; axis < 3; ++axis) fine[axis] = axis < first ? 1 + below(3) : any_size(d->points, 2);
            fine[first] = 4200 + any_size(d->points, 1000);
        }
        const size_t coarse[3] = {d->dims == 3 ? fine[0] / 2 : fine[0], fine[1] / 2, fine[2] / 2};
        grid from = make_grid(prolongs ? coarse : fine, d->size), to = make_grid(prolongs ? fine : coarse, d->size);
        CMK_CHECK((prolongs ? d->prolongs : d->restricts)(from.device + (guard + from.shift) * d->size, &from,
                                                          to.device + (guard + to.shift) * d->size, &to, fine));
        const size_t found = wrong_in(d, &from, &to, prolongs);
        if (found > 0 && wrong[prolongs]++ == 0)
            printf("# %s: %s of %zu x %zu x %zu, pitches %zu and %zu, shifts %zu and %zu: %zu are wrong\n", d->name,
                   prolongs ? "interpolation" : "restriction", fine[0], fine[1], fine[2], from.pitch, to.pitch,
                   from.shift, to.shift, found);
        free_grid(&from);
        free_grid(&to);
    }
    tap_check(wrong[0] == 0, "%s: %zu restrictions of %d are wrong", d->name, wrong[0], calls / 2);
    tap_check(wrong[1] == 0, "%s: %zu interpolations of %d are wrong", d->name, wrong[1], calls / 2);
}

/* ---- A linear function is interpolated without an error, but for the outermost elements. Restriction keeps it, at the
 * places of coarse elements. All numbers are exact. */
static double linear(int points, int is_coarse, const cmk_i64 *at)
{
    double place[3];
    for (int axis = 0; axis < 3; ++axis)
        place[axis] = is_coarse ? 2.0 * (double)at[axis] + (points ? 1.0 : 0.5) : (double)at[axis];
    return 3.0 * place[0] - 2.0 * place[1] + 0.5 * place[2];
}

static void check_linear(const definition *d)
{
    const size_t fine[3] = {10, 12, 14}, coarse[3] = {5, 6, 7};
    int wrong = 0;
    for (int prolongs = 0; prolongs < 2; ++prolongs) {
        grid from = make_grid(prolongs ? coarse : fine, d->size), to = make_grid(prolongs ? fine : coarse, d->size);
        double *const host = (double *)(void *)from.now, *const got = (double *)(void *)to.now;
        EACH(&from, at)
        host[guard + from.shift + (size_t)at[0] * from.step + (size_t)at[1] * from.pitch + (size_t)at[2]] =
            linear(d->points, prolongs, at);
        CMK_CHECK(cudaMemcpy(from.device, host, from.elements * d->size, cudaMemcpyHostToDevice));
        CMK_CHECK(cudaMemset(to.device, 0, to.elements * d->size));
        CMK_CHECK((prolongs ? d->prolongs : d->restricts)(from.device + (guard + from.shift) * d->size, &from,
                                                          to.device + (guard + to.shift) * d->size, &to, fine));
        CMK_CHECK(cudaMemcpy(got, to.device, to.elements * d->size, cudaMemcpyDeviceToHost));
        EACH(&to, at)
        {
            int outermost = 0;
            for (int axis = 0; axis < 3; ++axis) outermost += at[axis] == 0 || at[axis] + 1 == (cmk_i64)to.sizes[axis];
            wrong += !outermost && element(&to, d->size, at, 0) != linear(d->points, !prolongs, at);
        }
        free_grid(&from);
        free_grid(&to);
    }
    tap_check(wrong == 0, "%s: a linear function stays one: %d elements are wrong", d->name, wrong);
}

/* ---- What is refused, and what launches nothing */
static void check_refusals(void)
{
    double *x;
    CMK_CHECK(cudaMalloc((void **)&x, 1000 * sizeof *x));
    double *const y = x + 600;
#define REFUSED(text, ...)                                                                                             \
    tap_check(cells_double_zero_restrict(__VA_ARGS__, 0) == cudaErrorInvalidValue &&                                   \
                  strcmp(cells_double_zero_restrict_why(__VA_ARGS__), text) == 0,                                      \
              "refused: %s", text)
    REFUSED("in is NULL", NULL, 8, y, 4, 8, 8);
    REFUSED("out is NULL", x, 8, NULL, 4, 8, 8);
    REFUSED("rows 7 is odd: of cells a coarse one covers two along each axis", x, 8, y, 4, 7, 8);
    REFUSED("columns 9 is odd: of cells a coarse one covers two along each axis", x, 9, y, 4, 8, 9);
    REFUSED("in_pitch 7 is smaller than columns 8", x, 7, y, 4, 8, 8);
    REFUSED("out_pitch 3 is smaller than coarse columns 4", x, 8, y, 3, 8, 8);
    REFUSED("in and out overlap", x, 8, x + 63, 4, 8, 8);
    REFUSED("columns 2147418114 is above 2147418112", x, 8, y, 4, 8, 2147418114);
    tap_check(strcmp(cells_double_zero_prolong_why(x, 3, y, 8, 8, 8), "in_pitch 3 is smaller than coarse columns 4") ==
                  0,
              "interpolation reads the coarse grid");
    tap_check(strcmp(cells_double_one_restrict_why(x, 8, 64, y, 4, 16, 7, 8, 8),
                     "planes 7 is odd: of cells a coarse one covers two along each axis") == 0,
              "odd planes are refused");
    tap_check(strcmp(cells_double_one_prolong_why(x, 4, 16, y, 8, 63, 8, 8, 8),
                     "out overlaps itself, by out_pitch 8 and out_step 63") == 0,
              "planes that overlap are refused");
    tap_check(points_double_zero_restrict(NULL, 0, NULL, 0, 0, 9, 0) == cudaSuccess &&
                  points_double_zero_prolong(NULL, 0, NULL, 0, 9, 0, 0) == cudaSuccess &&
                  points_double_zero_restrict(x, 9, y, 4, 1, 9, 0) == cudaSuccess &&
                  points_double_one_prolong(x, 4, 16, y, 9, 81, 1, 9, 9, 0) == cudaSuccess &&
                  points_double_one_restrict(x, 9, 9, y, 4, 4, 8, 1, 9, 0) == cudaSuccess,
              "no elements, or one, launch nothing");
    CMK_CHECK(cudaFree(x));
}

int main(void)
{
    tap_need_device();
    if (getenv("CMK_HOST_ORDER") != NULL) calls = 4; /* hundreds of runs: see orders.py */
    for (size_t k = 0; k < sizeof definitions / sizeof definitions[0]; ++k) {
        check_definition(&definitions[k]);
        if (definitions[k].dims == 3 && definitions[k].size == 8) check_linear(&definitions[k]);
    }
    check_refusals();
    return tap_done();
}
