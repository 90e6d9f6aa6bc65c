/* Loops that end on the device: name_until of all kinds of fields, and cmk_repeat. Each update halves its values, which
 * is exact, so that the turn behind which the largest value has fallen to a limit is known, and what all buffers hold.
 */
#include <math.h>
#include <cmk/kernel/stencil2d.h>
#include <cmk/kernel/stencil3d.h>
#include <cmk/check.h>
#include "random.h"
#include "tap.h"

/* two buffers that change places, bytes beside them, and the number of the step */
#define FLAT(USES)                                                                                                     \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)                                                            \
    USES(NEXT, unsigned char, count) USES(OUT, int, when) USES(MAX, float, most)
CMK_POINT_2D(flat, FLAT)
{
    const float next = 0.5f * CMK_POINT_HERE(u) + 0.0f * CMK_POINT_AT(u, 1, 0);
    CMK_POINT_SET(u, next);
    CMK_POINT_SET(count, (unsigned char)(CMK_POINT_HERE(count) + 1));
    CMK_POINT_SET(when, (int)CMK_POINT_STEP);
    CMK_POINT_MOST(most, next);
}
CMK_DEFINE_STENCIL2D(flat, FLAT);

#define LINE(USES) USES(NEXT, float, u, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_CLAMP) USES(MAX, float, most)
CMK_POINT_2D(line, LINE)
{
    const float next = 0.5f * CMK_POINT_HERE(u) + 0.0f * CMK_POINT_AT(u, 0, 1);
    CMK_POINT_SET(u, next);
    CMK_POINT_MOST(most, next);
}
CMK_DEFINE_STENCIL2D(line, LINE);

/* a level is half of the one before: the level before the newest is twice as large */
#define LEAP(USES) USES(LEAPFROG, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(MAX, float, most)
#define CMK_TUNED_leap (3)
CMK_POINT_2D(leap, LEAP)
{
    const float next = 0.25f * CMK_POINT_BEFORE(u) + 0.0f * CMK_POINT_AT(u, 1, 0);
    CMK_POINT_SET(u, next);
    CMK_POINT_MOST(most, next);
}
CMK_DEFINE_STENCIL2D(leap, LEAP);

/* in place, by two stages, of which the first one does nothing to u */
#define PLACE(USES) USES(SAME, float, u, CMK_POINT_REACH(0, 1, 1), CMK_EDGE_WRAP) USES(MAX, float, most)
#define CMK_TUNED_place (2)
CMK_POINT_2D_STAGES(place, PLACE, 2)
{
    if (CMK_POINT_STAGE == 0) return;
    CMK_POINT_SET(u, 0.5f * CMK_POINT_HERE(u));
    CMK_POINT_MOST(most, 0.5f * CMK_POINT_HERE(u));
}
CMK_DEFINE_STENCIL2D(place, PLACE);

#define CUBE(USES)                                                                                                     \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO) USES(VALUE_OF, float, factor) USES(MAX, float, most)
CMK_POINT_3D(cube, CUBE)
{
    const float next = factor * CMK_POINT_HERE(u) + 0.0f * CMK_POINT_AT(u, 1, 0, 0);
    CMK_POINT_SET(u, next);
    CMK_POINT_MOST(most, next);
}
CMK_DEFINE_STENCIL3D(cube, CUBE);

enum { rows = 61, columns = 150, pitch = 152, room = rows * pitch, turns_most = 40 };
static float *device[4], *most, *factor, host[room], before[room];
static unsigned char *counts[2], host_counts[room];
static int *when, host_when[room];
static cmk_turns *turns;

/* Fills all buffers: the newest level, and as the level before twice its part. Returns the largest value of the part.
 */
static float fill(size_t first_row, size_t end_row)
{
    float largest = 0.0f;
    for (int i = 0; i < room; ++i) host[i] = (float)(1 + below(1000));
    for (size_t y = first_row; y < end_row; ++y)
        for (size_t x = 0; x < columns; ++x) largest = fmaxf(largest, host[y * pitch + x]);
    for (size_t i = 0; i < room; ++i)
        before[i] = i >= first_row * pitch && i < end_row * pitch ? 2.0f * host[i] : host[i];
    for (int b = 0; b < 4; ++b)
        CMK_CHECK(cudaMemcpy(device[b], b == 1 ? before : host, sizeof host, cudaMemcpyHostToDevice));
    for (int b = 0; b < 2; ++b) CMK_CHECK(cudaMemset(counts[b], 0, room));
    CMK_CHECK(cudaMemset(turns, 0xff, sizeof *turns));
    return largest;
}

static unsigned long long turns_done(void)
{
    cmk_turns done;
    CMK_CHECK(cudaMemcpy(&done, turns, sizeof done, cudaMemcpyDeviceToHost));
    return done.turns;
}

/* Returns how many values of a buffer are not `scale` times the old ones, or, outside the rows of the part, not those
 * of outside. */
static int wrong_values(const float *buffer, const float *old, float scale, const float *outside, size_t first_row,
                        size_t end_row)
{
    static float got[room];
    int wrong = 0;
    CMK_CHECK(cudaMemcpy(got, buffer, sizeof got, cudaMemcpyDeviceToHost));
    for (size_t y = 0; y < rows; ++y)
        for (size_t x = 0; x < columns; ++x) {
            const size_t i = y * pitch + x;
            wrong += !(got[i] == (y >= first_row && y < end_row ? scale * old[i] : outside[i]));
        }
    return wrong;
}

static int wrong_bytes(unsigned char expected, size_t first_row, size_t end_row)
{
    int wrong = 0;
    CMK_CHECK(cudaMemcpy(host_counts, counts[0], room, cudaMemcpyDeviceToHost));
    for (size_t y = 0; y < rows; ++y)
        for (size_t x = 0; x < columns; ++x)
            wrong += host_counts[y * pitch + x] != (y >= first_row && y < end_row ? expected : 0);
    return wrong;
}

static int wrong_steps(int expected, size_t first_row, size_t end_row)
{
    int wrong = 0;
    CMK_CHECK(cudaMemcpy(host_when, when, sizeof host_when, cudaMemcpyDeviceToHost));
    for (size_t y = first_row; y < end_row; ++y)
        for (size_t x = 0; x < columns; ++x) wrong += host_when[y * pitch + x] != expected;
    return wrong;
}

/* The turns until `largest` has fallen to a limit, of so many steps each. */
static int turns_of(float largest, float limit, int steps)
{
    int count = 1;
    while (count < turns_most && ldexpf(largest, -count * steps) > limit) ++count;
    return count;
}

/* One loop of each kind, of so many steps a turn, with a limit, over a part. Each buffer that the caller gave must hold
 * what it would hold if the pointers had stayed. */
#define LOOP(name, title, steps, each, limit, first, end, set, check, ...)                                             \
    {                                                                                                                  \
        const float largest = fill(first, end);                                                                        \
        name##_grid grid = name##_domain(rows, columns, pitch);                                                        \
        grid.u = device[0], grid.most = most, grid.first_row = first, grid.end_row = end;                              \
        set;                                                                                                           \
        const int count = turns_of(largest, limit, each);                                                              \
        const cudaError_t error = name##_until(&grid, steps, cmk_until_float(turns_most, most, limit, turns), 0);      \
        const int same = grid.u == device[0] && grid.first_step == 0;                                                  \
        CMK_CHECK(cudaDeviceSynchronize());                                                                            \
        const unsigned long long done = turns_done();                                                                  \
        const int wrong = wrong_values(device[0], host, ldexpf(1.0f, -count * (each)), host, first, end) + (check);    \
        __VA_ARGS__;                                                                                                   \
        tap_check(error == cudaSuccess && done == (unsigned)count && same && wrong == 0,                               \
                  title " until %g: %d steps a turn, rows %zu to %zu: %llu turns of %d, %d wrong", (double)(limit),    \
                  each, (size_t)(first), (size_t)(end), done, count, wrong);                                           \
    }

static void loops(int steps, float limit, size_t first, size_t end)
{
    const int of_pass = cmk_point_passes_of_(flat_definition_(), 1, 1).steps, flat_each = steps ? steps : of_pass;
    const int of_line = cmk_point_passes_of_(line_definition_(), 1, 1).steps, line_each = steps ? steps : of_line;
    const int leap_each = steps ? steps : 3, place_each = steps ? steps : 2;
    LOOP(flat, "two buffers", (size_t)steps, flat_each, limit, first, end,
         (grid.u_next = device[2], grid.count = counts[0], grid.count_next = counts[1], grid.when = when),
         wrong_bytes((unsigned char)(count * flat_each), first, end) + wrong_steps(count * flat_each - 1, first, end), )
    LOOP(line, "lines", (size_t)steps, line_each, limit, first, end, grid.u_next = device[2], 0, )
    LOOP(leap, "two levels", (size_t)steps, leap_each, limit, first, end, grid.u_before = device[1],
         wrong_values(device[1], before, ldexpf(1.0f, -count * leap_each), host, first, end), )
    LOOP(leap, "two levels in passes", (size_t)steps, leap_each, limit, first, end,
         (grid.u_before = device[1], (void)leap_prepare(&grid, 0)),
         wrong_values(device[1], before, ldexpf(1.0f, -count * leap_each), host, first, end),
         CMK_CHECK(leap_release(&grid, 0)))
    LOOP(place, "in place", (size_t)steps, place_each, limit, first, end, , 0, )
    LOOP(place, "in place in passes", (size_t)steps, place_each, limit, first, end, (void)place_prepare(&grid, 0), 0,
         CMK_CHECK(place_release(&grid, 0)))
}

/* A loop of the user's own: a turn sets a factor from the turns before, and does two steps with it. The flag is set
 * where six turns are done. */
typedef struct {
    cube_grid grid;
    unsigned *flag;
    int calls;
} own_turn;

CMK_STATIC_ __global__ void choose(float *value, const cmk_turns *loop, unsigned *flag)
{
    *value = loop->turns % 2 == 0 ? 0.5f : 2.0f;
    *flag = loop->turns == 5;
}

static cudaError_t turn(void *context, cudaStream_t stream)
{
    own_turn *const t = (own_turn *)context;
    cube_grid grid = t->grid;
    ++t->calls;
    cudaError_t error = CMK_LAUNCH(choose, 1, 1, 0, stream, factor, turns, t->flag);
    for (int k = 0; k < 2 && error == cudaSuccess; ++k) error = cube(&grid, factor, stream);
    return error;
}

static cudaError_t refused_turn(void *context, cudaStream_t stream)
{
    (void)context, (void)stream;
    return cudaErrorInvalidPitchValue;
}

static void repeats(void)
{
    own_turn own;
    const float largest = fill(0, rows);
    float got;
    own.grid = cube_domain(1, rows, columns, room, pitch);
    own.grid.u = device[0], own.grid.u_next = device[2], own.grid.most = most, own.calls = 0;
    CMK_CHECK(cudaMalloc((void **)&own.flag, sizeof *own.flag));
    tap_check(cmk_repeat(cmk_until_flag(100, own.flag, turns), turn, &own, 0) == cudaSuccess && turns_done() == 6 &&
                  wrong_values(device[0], host, 1.0f, host, 0, rows) == 0,
              "a flag ends a loop of one's own behind turn 6, and a value is read anew in each");
    CMK_CHECK(cudaMemcpy(&got, most, sizeof got, cudaMemcpyDeviceToHost));
    tap_check(got == largest, "the result is that of the last step: %g", (double)got);
    tap_check(cmk_repeat(cmk_until_flag(3, own.flag, turns), turn, &own, 0) == cudaSuccess && turns_done() == 3,
              "as many turns as are allowed");
    const int calls = own.calls;
    tap_check(cmk_repeat(cmk_until_flag(0, own.flag, turns), turn, &own, 0) == cudaSuccess && turns_done() == 0 &&
                  own.calls == calls,
              "no turn where none is allowed");
    CMK_CHECK(cudaMemset(turns, 0xff, sizeof *turns));
    tap_check(cmk_repeat(cmk_until_flag(9, own.flag, turns), refused_turn, &own, 0) == cudaErrorInvalidPitchValue,
              "the error of a turn comes back");
    tap_check(cmk_repeat(cmk_until_flag(9, NULL, turns), turn, &own, 0) == cudaErrorInvalidValue &&
                  cmk_repeat(cmk_until_flag(9, own.flag, NULL), turn, &own, 0) == cudaErrorInvalidValue &&
                  cmk_repeat(cmk_until_flag(9, own.flag, turns), NULL, &own, 0) == cudaErrorInvalidValue &&
                  cmk_repeat(cmk_until_float(9, NULL, 0.0f, turns), turn, &own, 0) == cudaErrorInvalidValue &&
                  cmk_repeat(cmk_until_double(9, (const double *)(const void *)((const char *)most + 4), 0.0, turns),
                             turn, &own, 0) == cudaErrorInvalidValue &&
                  own.calls == calls,
              "null and misaligned pointers are refused, and nothing is launched");
    CMK_CHECK(cudaFree(own.flag));
}

/* What name_until refuses, NaN, and a loop of doubles. */
static void edges(void)
{
    const float none = NAN;
    cube_grid grid = cube_domain(1, rows, columns, room, pitch);
    (void)fill(0, rows);
    grid.u = device[0], grid.u_next = device[2], grid.most = most;
    const cmk_until until = cmk_until_float(9, most, 0.0f, turns);
    tap_check(cube_until(NULL, 1, until, factor, 0) == cudaErrorInvalidValue &&
                  cube_until(&grid, 1, until, NULL, 0) == cudaErrorInvalidValue && cube(&grid, NULL, 0) != cudaSuccess,
              "a grid or a pointer to a value that is NULL is refused");
    grid.end_row = rows + 1;
    tap_check(cube_until(&grid, 1, until, factor, 0) == cudaErrorInvalidValue && grid.end_row == rows + 1 &&
                  wrong_values(device[0], host, 1.0f, host, 0, rows) == 0,
              "a part that is not inside the grid is refused, and the grid stays");
    grid.end_row = rows;
    CMK_CHECK(cudaMemcpy(factor, &none, sizeof none, cudaMemcpyHostToDevice));
    tap_check(cube_until(&grid, 1, until, factor, 0) == cudaSuccess && turns_done() == 1, "NaN ends a loop");
}

/* A loop in a graph, which is launched twice; where there are no loops in graphs the call says so. */
static void captured(void)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready = NULL;
    const float half = 0.5f, largest = fill(0, rows);
    cube_grid grid = cube_domain(1, rows, columns, room, pitch);
    grid.u = device[0], grid.u_next = device[2], grid.most = most;
    CMK_CHECK(cudaMemcpy(factor, &half, sizeof half, cudaMemcpyHostToDevice));
    CMK_CHECK(cudaStreamCreate(&stream));
    CMK_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    const cudaError_t error = cube_until(&grid, 1, cmk_until_float(9, most, 0.2f * largest, turns), factor, stream);
    CMK_CHECK(cudaStreamEndCapture(stream, &graph));
    if (error == cudaSuccess) {
        CMK_CHECK(cudaGraphInstantiate(&ready, graph, 0));
        for (int k = 0; k < 2; ++k) CMK_CHECK(cudaGraphLaunch(ready, stream));
        CMK_CHECK(cudaStreamSynchronize(stream));
        tap_check(turns_done() == 1 && wrong_values(device[0], host, 0.0625f, host, 0, rows) == 0,
                  "a loop in a graph begins anew in each launch");
        CMK_CHECK(cudaGraphExecDestroy(ready));
    } else {
        tap_check(error == cudaErrorStreamCaptureUnsupported && wrong_values(device[0], host, 1.0f, host, 0, rows) == 0,
                  "a loop in a graph is refused where a graph cannot have one");
    }
    CMK_CHECK(cudaGraphDestroy(graph));
    CMK_CHECK(cudaStreamDestroy(stream));
}

int main(void)
{
    const int steps[] = {1, 3, 4, 0};
    tap_need_device();
    for (int b = 0; b < 4; ++b) CMK_CHECK(cudaMalloc((void **)&device[b], sizeof host));
    for (int b = 0; b < 2; ++b) CMK_CHECK(cudaMalloc((void **)&counts[b], room));
    CMK_CHECK(cudaMalloc((void **)&when, sizeof host_when));
    CMK_CHECK(cudaMalloc((void **)&turns, sizeof *turns));
    CMK_CHECK(cudaMalloc((void **)&factor, sizeof *factor));
    CMK_CHECK(cudaMalloc((void **)&most, CMK_POINT_RESULT_BYTES));
    CMK_CHECK(cudaMemset(most, 0, CMK_POINT_RESULT_BYTES));
    for (size_t k = 0; k < sizeof steps / sizeof *steps; ++k) {
        loops(steps[k], 100.0f, 0, rows);
        loops(steps[k], ldexpf(1.0f, -9 * (steps[k] > 0 ? steps[k] : 1)), 3, rows - 2);
    }
    loops(1, 0.0f, 0, rows);
    repeats();
    edges();
    captured();
    return tap_done();
}
