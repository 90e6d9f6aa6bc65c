/* Reductions: sums, the most and the least of what updates say. A sum must be the exact one, rounded once, whatever the
 * sizes, the part, the kernel and the number of steps of a pass are. */
#include <math.h>
#include <cmk/kernel/stencil2d.h>
#include <cmk/kernel/stencil3d.h>
#include <cmk/kernel/bordered.h>
#include <cmk/check.h>
#include "point/exact.h"
#include "random.h"
#include "tap.h"

/* the sum of u after the step, which is u of before times a half: products by powers of 2 are exact */
#define HALF(USES)                                                                                                     \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)                                                            \
    USES(SUM, double, total) USES(MAX, float, most) USES(MIN, double, least) USES(SUM, float, pair)
#define SAY(next)                                                                                                      \
    CMK_POINT_SET(u, next);                                                                                            \
    CMK_POINT_ADD(total, next);                                                                                        \
    CMK_POINT_MOST(most, next);                                                                                        \
    CMK_POINT_LEAST(least, next);                                                                                      \
    if (CMK_POINT_COLUMN % 3 > 0) CMK_POINT_ADD(pair, next);                                                           \
    if (CMK_POINT_COLUMN % 3 > 1) CMK_POINT_ADD(pair, 2.0f * next);
CMK_POINT_2D(flat, HALF)
{
    const float next = 0.5f * CMK_POINT_HERE(u) + 0.0f * CMK_POINT_AT(u, 1, 0);
    SAY(next)
}
CMK_DEFINE_STENCIL2D(flat, HALF);
CMK_DEFINE_BORDERED(flat, HALF);
CMK_POINT_3D(cube, HALF)
{
    const float next = 0.5f * CMK_POINT_HERE(u) + 0.0f * CMK_POINT_AT(u, 1, 0, 0);
    SAY(next)
}
CMK_DEFINE_STENCIL3D(cube, HALF);

#define ROW(USES)                                                                                                      \
    USES(NEXT, float, u, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_CLAMP)                                                     \
    USES(SUM, double, total) USES(MAX, float, most) USES(MIN, double, least) USES(SUM, float, pair)
CMK_POINT_2D(row, ROW)
{
    const float next = 0.5f * CMK_POINT_HERE(u) + 0.0f * CMK_POINT_AT(u, 0, 1);
    SAY(next)
}
CMK_DEFINE_STENCIL2D(row, ROW);

/* in place, of doubles and two stages: what all stages say is joined */
#define PLACE(USES)                                                                                                    \
    USES(SAME, double, u, CMK_POINT_REACH(0, 1, 1), CMK_EDGE_WRAP)                                                     \
    USES(SUM, double, total) USES(MAX, float, most) USES(MIN, double, least) USES(SUM, float, pair)
#define CMK_TUNED_place (2) /* passes, which the model makes none of */
CMK_POINT_2D_STAGES(place, PLACE, 2)
{
    const double next = CMK_POINT_STAGE == 0 ? 0.5 * CMK_POINT_HERE(u) : CMK_POINT_HERE(u);
    if (CMK_POINT_STAGE == 0) {
        CMK_POINT_SET(u, next);
        CMK_POINT_ADD(total, next);
        CMK_POINT_MOST(most, (float)next);
    } else {
        CMK_POINT_LEAST(least, next);
        if (CMK_POINT_COLUMN % 3 > 0) CMK_POINT_ADD(pair, (float)((CMK_POINT_COLUMN % 3 > 1 ? 3.0 : 1.0) * next));
    }
}
CMK_DEFINE_STENCIL2D(place, PLACE);

/* ---- Calls */
typedef struct {
    size_t sizes[3], first[3], end[3], row_pitch, plane_pitch;
    int steps, shift, kind; /* kind: how values are drawn */
} call_;
typedef struct {
    double total, least;
    float most, pair;
} results_;

enum { room = 1 << 20 };
static float *device[2];
static double *words[4];
static union {
    float singles[room];
    double doubles[room / 2];
} host;

static double draw(int kind)
{
    const double plain = (double)below(1 << 20) / (1 << 20) - 0.25;
    if (kind == 0) return (double)(float)plain;
    return (double)(float)ldexp(plain, kind == 1 ? (int)below(30) - 15 : (int)below(70) - 100);
}

/* Fills the first buffer; a value that the padding has would spoil each result. */
static void fill(const call_ *c, int doubles)
{
    for (size_t i = 0; i < (doubles ? room / 2 : room); ++i)
        if (doubles)
            host.doubles[i] = 1e30;
        else
            host.singles[i] = 1e30f;
    for (size_t z = 0; z < c->sizes[0]; ++z)
        for (size_t y = 0; y < c->sizes[1]; ++y)
            for (size_t x = 0; x < c->sizes[2]; ++x) {
                const size_t at = (size_t)c->shift + z * c->plane_pitch + y * c->row_pitch + x;
                if (doubles)
                    host.doubles[at] = draw(c->kind);
                else
                    host.singles[at] = (float)draw(c->kind);
            }
    for (int b = 0; b < 2; ++b) CMK_CHECK(cudaMemcpy(device[b], &host, sizeof host, cudaMemcpyHostToDevice));
}

/* What a sum keeps of a value that is given as a float: three digits of 16 bits, by the first lines of reduce.h. */
static double kept(double x, double largest)
{
    double u = ldexp(1.0, 16 * 46 - 818), total = 0.0;
    while (ldexp(u, 15) <= largest) u = ldexp(u, 16);
    for (int k = 0; k < 3; ++k, u = ldexp(u, -16)) {
        const double digit = nearbyint(x / u) * u;
        total += digit, x -= digit;
    }
    return total;
}

static size_t place_of(const call_ *c, size_t z, size_t y, size_t x)
{
    return (size_t)c->shift + z * c->plane_pitch + y * c->row_pitch + x;
}
#define EACH_POINT(c, z, y, x)                                                                                         \
    for (size_t z = (c)->first[0]; z < (c)->end[0]; ++z)                                                               \
        for (size_t y = (c)->first[1]; y < (c)->end[1]; ++y)                                                           \
            for (size_t x = (c)->first[2]; x < (c)->end[2]; ++x)

static results_ reference(const call_ *c, int doubles)
{
    exact_sum total = {{0.0}, 0}, pair = {{0.0}, 0};
    results_ r = {0.0, INFINITY, -INFINITY, 0.0f};
    double largest[2] = {0.0, 0.0};
    EACH_POINT(c, z, y, x)
    {
        const size_t at = place_of(c, z, y, x);
        const double value = ldexp(doubles ? host.doubles[at] : (double)host.singles[at], -c->steps);
        largest[0] = fmax(largest[0], fabs(value));
        if (x % 3 > 0) largest[1] = fmax(largest[1], (double)fabsf((float)((x % 3 > 1 ? 3.0 : 1.0) * value)));
    }
    EACH_POINT(c, z, y, x)
    {
        const size_t at = place_of(c, z, y, x);
        const double value = ldexp(doubles ? host.doubles[at] : (double)host.singles[at], -c->steps);
        exact_add(&total, doubles ? value : kept(value, largest[0]));
        if (x % 3 > 0) exact_add(&pair, kept((double)(float)((x % 3 > 1 ? 3.0 : 1.0) * value), largest[1]));
        if (value < r.least) r.least = value;
        if ((float)value > r.most) r.most = (float)value;
    }
    r.total = exact_round(&total);
    r.pair = (float)exact_round(&pair);
    return r;
}

static results_ read_results(void)
{
    results_ r;
    CMK_CHECK(cudaDeviceSynchronize());
    CMK_CHECK(cudaMemcpy(&r.total, words[0], sizeof r.total, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy(&r.most, words[1], sizeof r.most, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy(&r.least, words[2], sizeof r.least, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy(&r.pair, words[3], sizeof r.pair, cudaMemcpyDeviceToHost));
    return r;
}

static int same(const results_ *a, const results_ *b)
{
    return memcmp(&a->total, &b->total, 8) == 0 && a->least == b->least && a->most == b->most && a->pair == b->pair;
}

#define PART(grid, c)                                                                                                  \
    (grid).total = words[0], (grid).most = (float *)words[1], (grid).least = words[2],                                 \
    (grid).pair = (float *)words[3], (grid).first_plane = (c).first[0], (grid).end_plane = (c).end[0],                 \
    (grid).first_row = (c).first[1], (grid).end_row = (c).end[1], (grid).first_column = (c).first[2],                  \
    (grid).end_column = (c).end[2]
#define RUN_2D(name)                                                                                                   \
    static results_ run_##name(const call_ *c)                                                                         \
    {                                                                                                                  \
        name##_grid grid = name##_domain(c->sizes[1], c->sizes[2], c->row_pitch);                                      \
        grid.planes = c->sizes[0], grid.plane_pitch = c->plane_pitch;                                                  \
        grid.u = device[0] + c->shift, grid.u_next = device[1] + c->shift;                                             \
        PART(grid, *c);                                                                                                \
        CMK_CHECK(name##_steps(&grid, (size_t)c->steps, 0));                                                           \
        return read_results();                                                                                         \
    }
RUN_2D(flat)
RUN_2D(row)

static results_ run_cube(const call_ *c)
{
    cube_grid grid = cube_domain(c->sizes[0], c->sizes[1], c->sizes[2], c->plane_pitch, c->row_pitch);
    grid.u = device[0] + c->shift, grid.u_next = device[1] + c->shift;
    PART(grid, *c);
    CMK_CHECK(cube_steps(&grid, (size_t)c->steps, 0));
    return read_results();
}

static results_ run_place(const call_ *c)
{
    place_grid grid = place_domain(c->sizes[1], c->sizes[2], c->row_pitch);
    grid.planes = c->sizes[0], grid.plane_pitch = c->plane_pitch;
    grid.u = (double *)device[0] + c->shift;
    grid.u_spare = (double *)device[1];
    PART(grid, *c);
    CMK_CHECK(place_steps(&grid, (size_t)c->steps, 0));
    return read_results();
}

/* the same, with the border first */
static results_ run_bordered(const call_ *c)
{
    flat_grid grid = flat_domain(c->sizes[1], c->sizes[2], c->row_pitch);
    unsigned *arrived;
    CMK_CHECK(cudaMalloc((void **)&arrived, sizeof *arrived));
    CMK_CHECK(cudaMemset(arrived, 0, sizeof *arrived));
    cmk_point_border border = {{0, 1, 1}, {0, 1, 1}, arrived, 0};
    grid.planes = c->sizes[0], grid.plane_pitch = c->plane_pitch;
    grid.u = device[0] + c->shift, grid.u_next = device[1] + c->shift;
    PART(grid, *c);
    for (int i = 0; i < c->steps; ++i) CMK_CHECK(flat_bordered(&grid, &border, 0));
    const results_ r = read_results();
    CMK_CHECK(cudaFree(arrived));
    return r;
}

/* Draws sizes, also such as fit passes, and a part. */
static call_ draw_call(int dims, int large)
{
    static const int sizes[] = {1, 2, 3, 5, 7, 13, 16, 31, 33, 64, 97, 129, 130, 251};
    call_ c;
    memset(&c, 0, sizeof c);
    for (int axis = 0; axis < 3; ++axis) c.sizes[axis] = (size_t)sizes[below(axis == 0 ? 4 : 14)];
    if (dims == 3) c.sizes[0] = (size_t)sizes[below(9)], c.sizes[1] = (size_t)sizes[below(10)];
    if (large && dims == 2)
        c.sizes[0] = 1, c.sizes[1] = (size_t)(100 + below(60)), c.sizes[2] = (size_t)(256 + below(300));
    if (large && dims == 1)
        c.sizes[0] = 1, c.sizes[1] = (size_t)(1 + below(3)), c.sizes[2] = (size_t)(256 + below(9000));
    if (large && dims == 3)
        c.sizes[0] = (size_t)(48 + below(9)), c.sizes[1] = 64, c.sizes[2] = (size_t)(64 + below(80));
    c.row_pitch = below(2) ? c.sizes[2] : CMK_POINT_UP_(c.sizes[2], 4);
    c.plane_pitch = c.row_pitch * c.sizes[1];
    c.shift = below(3) == 0 ? (int)below(5) : 0;
    c.steps = large ? 1 + (int)below(9) : 1 + (int)below(2);
    c.kind = (int)below(3);
    for (int axis = 0; axis < 3; ++axis) {
        const size_t n = c.sizes[axis];
        c.end[axis] = n;
        if (below(3) == 0) c.first[axis] = below(n / 2 + 1), c.end[axis] = c.first[axis] + (n - c.first[axis] + 1) / 2;
    }
    if (dims < 3) c.first[0] = 0, c.end[0] = c.sizes[0];
    return c;
}

static void judge(const char *name, int dims, int doubles, int calls, results_ (*run)(const call_ *))
{
    int wrong = 0, done = 0;
    for (int i = 0; i < calls; ++i) {
        const call_ c = draw_call(dims, i % 3 == 2);
        if (c.sizes[0] * c.plane_pitch + 300 > (size_t)room / (doubles ? 2 : 1)) continue;
        fill(&c, doubles);
        const results_ r = reference(&c, doubles), got = run(&c);
        ++done;
        if (same(&r, &got)) continue;
        if (++wrong == 1)
            printf("# %s %d: %zu x %zu x %zu, pitch %zu, shift %d, %d steps, kind %d, part %zu-%zu %zu-%zu %zu-%zu: "
                   "total %a not "
                   "%a, least %g %g, most %g %g, pair %a %a\n",
                   name, i, c.sizes[0], c.sizes[1], c.sizes[2], c.row_pitch, c.shift, c.steps, c.kind, c.first[0],
                   c.end[0], c.first[1], c.end[1], c.first[2], c.end[2], got.total, r.total, got.least, r.least,
                   (double)got.most, (double)r.most, (double)got.pair, (double)r.pair);
    }
    tap_check(wrong == 0 && done > calls / 2, "%s: %d results of %d are wrong", name, wrong, done);
}

/* ---- Values that are not finite, and none */
static results_ run_values(const double *values, size_t count)
{
    call_ c;
    memset(&c, 0, sizeof c);
    c.sizes[0] = c.sizes[1] = c.end[0] = c.end[1] = 1, c.steps = 1, c.kind = 1;
    c.sizes[2] = c.row_pitch = c.plane_pitch = c.end[2] = count;
    CMK_CHECK(cudaMemcpy(device[0], values, count * sizeof *values, cudaMemcpyHostToDevice));
    return run_place(&c);
}

static void check_values(void)
{
    const double nan[3] = {1.0, NAN, 2.0}, high[3] = {1.0, INFINITY, 2.0}, low[2] = {-INFINITY, 3.0};
    const double both[4] = {INFINITY, INFINITY, -INFINITY, 1.0}, zeros[2] = {-0.0, -0.0}, huge[3] = {1e300, 1.0, 2.0};
    const double finite[3] = {ldexp(1.0, 973), -3.0, ldexp(1.0, 973)}, tiny[3] = {2e-300, 3.0, -3.0};
    results_ r = run_values(nan, 3);
    tap_check(r.total != r.total && r.most != r.most && r.least != r.least, "NaN is all results");
    r = run_values(finite + 1, 1);
    tap_check(r.total == -1.5 && r.most == -1.5f && r.least == -1.5 && r.pair == 0.0f, "a call behind a NaN is clean");
    r = run_values(high, 3);
    tap_check(r.total == INFINITY && r.most == INFINITY && r.least == 0.5, "infinity is a sum");
    r = run_values(low, 2);
    tap_check(r.total == -INFINITY && r.most == 1.5f && r.least == -INFINITY, "minus infinity is a sum");
    r = run_values(both, 4);
    tap_check(r.total != r.total && r.most == INFINITY && r.least == -INFINITY, "infinities of both signs are NaN");
    r = run_values(huge, 3);
    tap_check(r.total == INFINITY, "a value above 2^973 counts as infinite");
    r = run_values(finite, 3);
    tap_check(r.total == ldexp(1.0, 973), "one below is finite");
    r = run_values(zeros, 2);
    tap_check(r.total == 0.0 && !signbit(r.total) && !signbit(r.most) && !signbit(r.least), "a zero is +0");
    r = run_values(tiny, 3);
    tap_check(r.total == 0.0, "what is far below the largest value is dropped");
}

/* Values whose lowest bits are dropped: a row of them and a column must have one sum, also where they are in the middle
 * of two integers of the lowest bin. */
static void check_dropped(void)
{
    enum { count = 1000 };
    static double values[count];
    int differ = 0;
    for (int m = 60; m < 130; ++m) {
        for (int i = 0; i < count; ++i) values[i] = ldexp((double)(2 * below(1000) + 1), -m);
        values[7] = 1.0;
        const double row = run_values(values, count).total;
        call_ c;
        memset(&c, 0, sizeof c);
        c.sizes[0] = c.sizes[2] = c.end[0] = c.end[2] = c.row_pitch = 1, c.steps = 1, c.kind = 1;
        c.sizes[1] = c.end[1] = c.plane_pitch = count;
        CMK_CHECK(cudaMemcpy(device[0], values, sizeof values, cudaMemcpyHostToDevice));
        differ += row != run_place(&c).total;
    }
    tap_check(differ == 0, "a row and a column have one sum where bits are dropped: %d differ", differ);
}

/* Steps captured in a graph, passes among them: each replay leaves the results of its last step. */
static void check_graph(void)
{
    enum { replays = 3 };
    const unsigned long long state = random_state;
    results_ right[replays];
    call_ c;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec = NULL;
    int wrong = 0;
    memset(&c, 0, sizeof c);
    c.sizes[0] = c.end[0] = 1, c.sizes[1] = c.end[1] = 120, c.sizes[2] = c.end[2] = c.row_pitch = 260;
    c.plane_pitch = c.sizes[1] * c.row_pitch, c.steps = 18;
    fill(&c, 0);
    for (int k = 0; k < replays; ++k) {
        call_ all = c;
        all.steps = c.steps * (k + 1);
        right[k] = reference(&all, 0);
    }
    flat_grid grid = flat_domain(c.sizes[1], c.sizes[2], c.row_pitch);
    grid.u = device[0], grid.u_next = device[1];
    PART(grid, c);
    CMK_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CMK_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    CMK_CHECK(flat_steps(&grid, (size_t)c.steps, stream));
    CMK_CHECK(cudaStreamEndCapture(stream, &graph));
    CMK_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int k = 0; k < replays; ++k) {
        CMK_CHECK(cudaGraphLaunch(exec, stream));
        CMK_CHECK(cudaStreamSynchronize(stream));
        const results_ got = read_results();
        wrong += !same(&right[k], &got);
    }
    CMK_CHECK(cudaGraphExecDestroy(exec));
    CMK_CHECK(cudaGraphDestroy(graph));
    CMK_CHECK(cudaStreamDestroy(stream));
    random_state = state;
    tap_check(wrong == 0, "a graph replayed three times: %d results are wrong", wrong);
}

/* A grid in parts, of which one is empty, and the last is: results of all parts behind the call that has more_parts 0.
 * In a call of several steps the last one counts, whatever came before it. */
static void check_parts(void)
{
    const int cuts[] = {0, 7, 40, 40, 61, 61};
    const int parts = (int)(sizeof cuts / sizeof *cuts) - 1;
    call_ c;
    results_ got;
    memset(&c, 0, sizeof c);
    c.sizes[0] = c.end[0] = 1, c.sizes[1] = c.end[1] = 61, c.sizes[2] = c.end[2] = c.row_pitch = 45;
    c.plane_pitch = c.sizes[1] * c.row_pitch, c.steps = 1, c.kind = 1;
    fill(&c, 0);
    const results_ right = reference(&c, 0), none = {0.0, INFINITY, -INFINITY, 0.0f};
    for (int k = 0; k < parts; ++k) {
        flat_grid grid = flat_domain(c.sizes[1], c.sizes[2], c.row_pitch);
        grid.u = device[0], grid.u_next = device[1];
        PART(grid, c);
        grid.first_row = (size_t)cuts[k], grid.end_row = (size_t)cuts[k + 1];
        grid.more_parts = k < parts - 1;
        CMK_CHECK(flat(&grid, 0));
    }
    got = read_results();
    tap_check(same(&right, &got), "a grid in parts, the last of them empty");
    flat_grid grid = flat_domain(c.sizes[1], c.sizes[2], c.row_pitch);
    grid.u = device[0], grid.u_next = device[1];
    PART(grid, c);
    grid.end_row = 0;
    CMK_CHECK(flat_steps(&grid, 2, 0));
    got = read_results();
    tap_check(same(&none, &got), "results of no points");
}

static void check_refusals(void)
{
    flat_grid grid = flat_domain(4, 4, 4);
    grid.u = device[0], grid.u_next = device[1];
    grid.most = (float *)words[1], grid.least = words[2], grid.pair = (float *)words[3];
    const char *const why = flat_why(&grid);
    tap_check(why != NULL && strcmp(why, "total is NULL") == 0, "a result without memory is refused");
    grid.total = words[2];
    tap_check(flat_why(&grid) != NULL, "two results in one memory are refused");
    grid.total = words[0];
    tap_check(flat_why(&grid) == NULL, "results of their own are taken");
}

int main(int argc, char **argv)
{
    const int calls = argc > 1 ? atoi(argv[1]) : 60;
    tap_need_device();
    random_state = 1;
    for (int b = 0; b < 2; ++b) CMK_CHECK(cudaMalloc((void **)&device[b], sizeof host));
    for (int b = 0; b < 4; ++b) {
        CMK_CHECK(cudaMalloc((void **)&words[b], CMK_POINT_RESULT_BYTES));
        CMK_CHECK(cudaMemset(words[b], 0, CMK_POINT_RESULT_BYTES));
    }
    judge("2D", 2, 0, calls, run_flat);
    judge("lines", 1, 0, calls, run_row);
    judge("3D", 3, 0, calls, run_cube);
    judge("in place, two stages", 2, 1, calls, run_place);
    judge("border first", 2, 0, calls, run_bordered);
    check_values();
    check_dropped();
    check_graph();
    check_parts();
    check_refusals();
    return tap_done();
}
