/* name_steps of filter_steps.h against the plain loop in double, one step after another: lines, images and volumes, all
 * edges, even and odd sides, sizes from 1, and numbers of steps around those of a pass. The bytes around the outputs
 * stay. Then the passes of a call, and calls that are refused. */
#define CMK_SAY_WHY 0
#include <math.h>
#include <cmk/kernel/filter_steps.h>
#include <cmk/check.h>
#include "edge_walk.h"
#include "element.h"
#include "random.h"
#include "tap.h"

enum { guard = 16, poison = 0xA5 };

/* Two arrays, of inputs and of outputs: rows are in_pitch and `pitch` elements apart, planes in_step and `step`. */
typedef struct {
    size_t planes, rows, columns, in_pitch, in_step, pitch, step, steps;
} shape;

/* A definition whose pointers forget the type; its filter; the most steps of a pass; whether they are composed. */
typedef struct {
    const char *name;
    size_t size;
    int planes, rows, columns, edge, most;
    double (*tap)(int plane, int row, int column);
    cudaError_t (*launch)(const void *in, void *out, void *spare, shape s);
} definition;

#define LINE_5 0.125f, -0.25f, 0.375f, 0.125f, -0.125f
#define BOX_9 0.125f, -0.0625f, 0.125f, 0.0625f, 0.25f, -0.125f, 0.03125f, 0.0625f, -0.15625f
CMK_TABLE_VALUES(CONSTANT, float, binomial, [3], 0.25f, 0.5f, 0.25f);
CMK_TABLE_VALUES(PARAMETER, float, slope, [3], -0.5f, 0.125f, 0.375f);
CMK_TABLE_VALUES(LITERAL, float, line_5, [5], LINE_5);
CMK_TABLE_VALUES(CONSTANT, double, half_5, [3], 0.25, 0.25, -0.125);
CMK_TABLE_VALUES(GLOBAL, float, odd_3, [2], 9.0f, 0.5f);
CMK_TABLE_VALUES(CONSTANT, float, box_9, [9], BOX_9);
CMK_TABLE_VALUES(GLOBAL, double, box_6, [6], 0.25, -0.125, 0.25, 0.125, -0.0625, 0.1875);
static const float taps_3[] = {0.25f, 0.5f, 0.25f}, slopes_3[] = {-0.5f, 0.125f, 0.375f}, taps_5[] = {LINE_5};
static const float taps_9[] = {BOX_9};
static const double taps_6[] = {0.25, -0.125, 0.25, 0.125, -0.0625, 0.1875};

#define LINE(name, T, RADIUS, BODY, TABLE, EDGE)                                                                       \
    CMK_DEFINE_STENCIL1D_STEPS(name, T, RADIUS, BODY, TABLE, EDGE);                                                    \
    static cudaError_t launch_##name(const void *in, void *out, void *spare, shape s)                                  \
    {                                                                                                                  \
        return name##_steps((const T *)in, (T *)out, (T *)spare, s.columns, s.steps, TABLE, 0);                        \
    }
#define IMAGE(name, T, ...)                                                                                            \
    static cudaError_t launch_##name(const void *in, void *out, void *spare, shape s)                                  \
    {                                                                                                                  \
        return name##_steps((const T *)in, s.in_pitch, (T *)out, s.pitch, (T *)spare, s.rows, s.columns, s.steps,      \
                            __VA_ARGS__, 0);                                                                           \
    }
#define VOLUME(name, T, ...)                                                                                           \
    static cudaError_t launch_##name(const void *in, void *out, void *spare, shape s)                                  \
    {                                                                                                                  \
        return name##_steps((const T *)in, s.in_pitch, s.in_step, (T *)out, s.pitch, s.step, (T *)spare, s.planes,     \
                            s.rows, s.columns, s.steps, __VA_ARGS__, 0);                                               \
    }
LINE(line, float, 1, CMK_STENCIL_1D, binomial, CMK_EDGE_CLAMP)
LINE(line_wide, float, 2, CMK_STENCIL_1D, line_5, CMK_EDGE_REFLECT)
LINE(line_even, double, 2, CMK_STENCIL_1D_SYMMETRIC, half_5, CMK_EDGE_MIRROR)
LINE(line_odd, float, 1, CMK_STENCIL_1D_ANTISYMMETRIC, odd_3, CMK_EDGE_SIDES(CMK_EDGE_ZERO, CMK_EDGE_CLAMP))
LINE(line_round, double, 2, CMK_STENCIL_1D, line_5, CMK_EDGE_WRAP)
CMK_DEFINE_SEPARABLE_STEPS(blur, float, 1, binomial, slope, CMK_EDGE_CLAMP);
IMAGE(blur, float, binomial, slope)
CMK_DEFINE_SEPARABLE_STEPS(tunnel, double, 2, line_5, line_5, CMK_EDGE_AXES(CMK_EDGE_WRAP, CMK_EDGE_ZERO));
IMAGE(tunnel, double, line_5, line_5)
CMK_DEFINE_SEPARABLE_STEPS(turn, float, 1, slope, binomial, CMK_EDGE_WRAP);
IMAGE(turn, float, slope, binomial)
CMK_DEFINE_CONV2D_STEPS(box, float, 3, 3, box_9, CMK_EDGE_AXES(CMK_EDGE_REFLECT, CMK_EDGE_MIRROR));
IMAGE(box, float, box_9)
CMK_DEFINE_CONV2D_STEPS(even, double, 2, 3, box_6, CMK_EDGE_CLAMP);
IMAGE(even, double, box_6)
CMK_DEFINE_SEPARABLE3D_STEPS(cloud, float, 1, (binomial, slope, binomial), CMK_EDGE_CLAMP);
VOLUME(cloud, float, binomial, slope, binomial)
CMK_DEFINE_SEPARABLE3D_STEPS(tube, double, 1, (slope, binomial, slope),
                             CMK_EDGE_AXES_3D(CMK_EDGE_ZERO, CMK_EDGE_REFLECT, CMK_EDGE_WRAP));
VOLUME(tube, double, slope, binomial, slope)

static double line_tap(int z, int y, int x)
{
    (void)z, (void)y;
    return taps_3[x];
}
static double wide_tap(int z, int y, int x)
{
    (void)z, (void)y;
    return taps_5[x];
}
static double even_line_tap(int z, int y, int x)
{
    (void)z, (void)y;
    return x == 2 ? 0.25 : x % 2 == 1 ? 0.25 : -0.125;
}
static double odd_tap(int z, int y, int x)
{
    (void)z, (void)y;
    return (x - 1) * 0.5;
}
static double blur_tap(int z, int y, int x)
{
    (void)z;
    return (double)taps_3[y] * slopes_3[x];
}
static double tunnel_tap(int z, int y, int x)
{
    (void)z;
    return (double)taps_5[y] * taps_5[x];
}
static double turn_tap(int z, int y, int x)
{
    return blur_tap(z, x, y);
}
static double box_tap(int z, int y, int x)
{
    (void)z;
    return taps_9[3 * y + x];
}
static double even_tap(int z, int y, int x)
{
    (void)z;
    return taps_6[3 * y + x];
}
static double cloud_tap(int z, int y, int x)
{
    return (double)taps_3[z] * slopes_3[y] * taps_3[x];
}
static double tube_tap(int z, int y, int x)
{
    return (double)slopes_3[z] * taps_3[y] * slopes_3[x];
}

#define ROW(name, T, PLANES, ROWS, COLUMNS, EDGE, TAP)                                                                 \
    {                                                                                                                  \
#name, sizeof(T), PLANES, ROWS, COLUMNS, EDGE, name##_most_, TAP, launch_##name                                \
    }
static const definition definitions[] = {
    ROW(line, float, 1, 1, 3, CMK_EDGE_CLAMP, line_tap),
    ROW(line_wide, float, 1, 1, 5, CMK_EDGE_REFLECT, wide_tap),
    ROW(line_even, double, 1, 1, 5, CMK_EDGE_MIRROR, even_line_tap),
    ROW(line_odd, float, 1, 1, 3, CMK_EDGE_SIDES(CMK_EDGE_ZERO, CMK_EDGE_CLAMP), odd_tap),
    ROW(line_round, double, 1, 1, 5, CMK_EDGE_WRAP, wide_tap),
    ROW(blur, float, 1, 3, 3, CMK_EDGE_CLAMP, blur_tap),
    ROW(tunnel, double, 1, 5, 5, CMK_EDGE_AXES(CMK_EDGE_WRAP, CMK_EDGE_ZERO), tunnel_tap),
    ROW(turn, float, 1, 3, 3, CMK_EDGE_WRAP, turn_tap),
    ROW(box, float, 1, 3, 3, CMK_EDGE_AXES(CMK_EDGE_REFLECT, CMK_EDGE_MIRROR), box_tap),
    ROW(even, double, 1, 2, 3, CMK_EDGE_CLAMP, even_tap),
    ROW(cloud, float, 3, 3, 3, CMK_EDGE_CLAMP, cloud_tap),
    ROW(tube, double, 3, 3, 3, CMK_EDGE_AXES_3D(CMK_EDGE_ZERO, CMK_EDGE_REFLECT, CMK_EDGE_WRAP), tube_tap),
};

/* The sum of a step at a point. Arrays here have no gaps between rows. */
static double sum_at(const definition *d, const double *from, shape s, const cmk_i64 at[3])
{
    const int count[3] = {d->planes, d->rows, d->columns};
    const int edges[3] = {CMK_EDGE_PLANE(d->edge), CMK_EDGE_ROW(d->edge), CMK_EDGE_COLUMN(d->edge)};
    const cmk_i64 sizes[3] = {(cmk_i64)s.planes, (cmk_i64)s.rows, (cmk_i64)s.columns};
    double sum = 0.0;
    for (int k = 0; k < d->planes * d->rows * d->columns; ++k) {
        const int tap[3] = {k / d->columns / d->rows, k / d->columns % d->rows, k % d->columns};
        cmk_i64 index[3];
        int outside = 0;
        for (int axis = 0; axis < 3; ++axis) {
            index[axis] = edge_walk(edges[axis], at[axis] + tap[axis] - count[axis] / 2, sizes[axis]);
            outside |= index[axis] < 0;
        }
        if (!outside)
            sum += d->tap(tap[0], tap[1], tap[2]) * from[(index[0] * sizes[1] + index[1]) * sizes[2] + index[2]];
    }
    return sum;
}

static void take_steps(const definition *d, double *now, double *next, shape s)
{
    const size_t count = s.planes * s.rows * s.columns;
    for (size_t step = 0; step < s.steps; ++step) {
        for (size_t k = 0; k < count; ++k) {
            const cmk_i64 at[3] = {(cmk_i64)(k / s.columns / s.rows), (cmk_i64)(k / s.columns % s.rows),
                                   (cmk_i64)(k % s.columns)};
            next[k] = sum_at(d, now, s, at);
        }
        memcpy(now, next, count * sizeof *now);
    }
}

/* The most by which an output may be off whose inputs are at most 1, where the taps of a step have magnitudes with a
 * sum of 1: of the composed taps and of each step, the bound of a sum in any order. No step is a copy. */
static double tolerance(const definition *d, shape s)
{
    const double taps = d->planes * d->rows * d->columns, most = d->most;
    const double composed = ((d->planes - 1) * most + 1) * ((d->rows - 1) * most + 1) * ((d->columns - 1) * most + 1);
    return s.steps == 0
               ? 0.0
               : (composed + (double)s.steps * taps) * (d->size == sizeof(float) ? ldexp(1.0, -24) : ldexp(1.0, -53));
}

/* Writes numbers from -1 to 1 to the inputs, and to `now`, whose rows have no gaps. */
static void draw_inputs(const definition *d, shape s, char *in, double *now)
{
    for (size_t k = 0; k < s.planes * s.rows * s.columns; ++k) {
        const size_t place = k / s.columns / s.rows * s.in_step + k / s.columns % s.rows * s.in_pitch + k % s.columns;
        const float value = (float)below(257) / 128.0f - 1.0f;
        now[k] = value;
        memcpy(in + place * d->size, d->size == sizeof value ? (const void *)&value : (const void *)&now[k], d->size);
    }
}

/* Returns the wrong outputs, and the bytes beside them that have been written. */
static int wrong_in(const definition *d, shape s, const char *text, size_t elements, const double *expected)
{
    int wrong = 0;
    for (size_t k = 0; k < elements; ++k) {
        const size_t at = k - guard, z = at / s.step, y = at % s.step / s.pitch, x = at % s.step % s.pitch;
        if (k >= guard && k < elements - guard && y < s.rows && x < s.columns) {
            const double value = element(text + k * d->size, d->size);
            wrong += !(fabs(value - expected[(z * s.rows + y) * s.columns + x]) <= tolerance(d, s));
        } else {
            for (size_t b = 0; b < d->size; ++b) wrong += (unsigned char)text[k * d->size + b] != poison;
        }
    }
    return wrong;
}

/* Runs a call, and returns what is wrong with it, 0 for nothing. */
static int wrong_of(const definition *d, shape s)
{
    const size_t count = s.planes * s.rows * s.columns;
    const size_t ends[2] = {(s.planes - 1) * s.in_step + (s.rows - 1) * s.in_pitch + s.columns,
                            (s.planes - 1) * s.step + (s.rows - 1) * s.pitch + s.columns};
    const size_t elements = ends[1] + 2 * guard, bytes = (ends[ends[0] > ends[1] ? 0 : 1] + 2 * guard) * d->size;
    double *const now = (double *)malloc((2 * count + 1) * sizeof *now);
    char *const text = (char *)malloc(bytes), *on_device[3];
    memset(text, 0xFF, bytes);
    draw_inputs(d, s, text + guard * d->size, now);
    for (int k = 0; k < 3; ++k) {
        CMK_CHECK(cudaMalloc((void **)&on_device[k], bytes));
        CMK_CHECK(cudaMemcpy(on_device[k], text, bytes, cudaMemcpyHostToDevice));
        memset(text, poison, bytes);
        on_device[k] += guard * d->size;
    }
    CMK_CHECK(d->launch(on_device[0], on_device[1], on_device[2], s));
    CMK_CHECK(cudaMemcpy(text, on_device[1] - guard * d->size, bytes, cudaMemcpyDeviceToHost));
    take_steps(d, now, now + count, s);
    const int wrong = wrong_in(d, s, text, elements, now);
    free(now);
    free(text);
    for (int k = 0; k < 3; ++k) CMK_CHECK(cudaFree(on_device[k] - guard * d->size));
    return wrong;
}

/* A side of an array: 1, about the reach of a step, of a pass, twice as far, or more. */
static size_t draw_side(int taps, int most)
{
    const size_t reach = taps > 1 ? (size_t)(taps - 1) * (size_t)most / 2 : 0;
    const size_t sides[] = {1 + below(3), (size_t)taps, reach + below(3), 2 * reach + below(3),
                            2 * reach + 20 + below(60)};
    const size_t side = sides[below(5)];
    return side > 0 ? side : 1;
}

static int calls = 15; /* of a definition */

static void test_definition(const definition *d)
{
    const size_t most = (size_t)d->most;
    draw_as(d->name);
    for (int n = 0; n < calls; ++n) {
        const size_t numbers[] = {n == 0 ? 0 : below(3), most - 1,           most, most + 1,
                                  below(2 * most) + 1,   2 * most + below(3)};
        shape s = {1, 1, draw_side(d->columns, d->most), 0, 0, 0, 0, numbers[n % 6]};
        if (d->rows > 1) s.rows = draw_side(d->rows, d->most);
        if (d->planes > 1) s.planes = draw_side(d->planes, d->most);
        s.in_pitch = s.columns + (d->rows > 1 ? below(5) : 0);
        s.pitch = s.columns + (d->rows > 1 ? below(5) : 0);
        s.in_step = s.rows * s.in_pitch + (d->planes > 1 ? below(5) : 0);
        s.step = s.rows * s.pitch + (d->planes > 1 ? below(5) : 0);
        const int wrong = wrong_of(d, s);
        tap_check(wrong == 0, "%s, %zu x %zu x %zu, %zu steps: %d wrong", d->name, s.planes, s.rows, s.columns, s.steps,
                  wrong);
    }
}

/* ---- The passes of a call: all; those of several steps; those ahead of which taps are composed. In passes of one call
 * each reads what the one before has written, the first one `in`, and the last one writes `out`. */
typedef struct {
    size_t all, several, makes;
} passes;
enum { rows = 8, columns = 16, pitch = 20, planes = 3, step = 200, room = 1024 };
static float *x, *y, *z; /* of `room` elements each, one behind another */

static passes passes_of(passes before, const cmk_composed_work_ *work, const void **last)
{
    const int chained = work->from == *last && work->to != work->from && (work->passes > 0 || work->to == y);
    *last = work->to;
    ++before.all;
    before.several += work->way == cmk_composed_several_;
    before.makes += work->makes != 0;
    if (!chained) before.all = room;
    return before;
}

#define PASSES(name, ...)                                                                                              \
    static passes passes_of_##name(size_t steps)                                                                       \
    {                                                                                                                  \
        cmk_steps_##name##_call call;                                                                                  \
        const void *last = x;                                                                                          \
        passes found = {0, 0, 0};                                                                                      \
        CMK_CHECK(name##_steps_plan(&call, NULL, __VA_ARGS__));                                                        \
        while (cmk_steps_##name##_next(&call)) found = passes_of(found, &call.engine_, &last);                         \
        return found;                                                                                                  \
    }
PASSES(line, x, y, z, room, steps, binomial)
PASSES(blur, x, pitch, y, pitch, z, rows, columns, steps, binomial, slope)
PASSES(box, x, pitch, y, pitch, z, rows, columns, steps, box_9)
PASSES(cloud, x, pitch, step, y, pitch, step, z, planes, rows, columns, steps, binomial, slope, binomial)

/* as_long: as many single steps take no longer than a pass. */
static void test_passes(const char *name, passes (*passes_of_call)(size_t steps), int most_steps, int as_long_steps)
{
    const size_t most = (size_t)most_steps, as_long = (size_t)as_long_steps;
    const struct {
        size_t steps;
        passes expected;
    } calls[] = {{0, {1, 0, 0}},
                 {1, {1, 0, 0}},
                 {as_long, {as_long, 0, 0}},
                 {as_long + 1, {1, 1, 1}},
                 {most, {1, 1, 1}},
                 {most + as_long, {1 + as_long, 1, 1}},
                 {most + as_long + 1, {2, 2, 2}},
                 {2 * most, {2, 2, 1}},
                 {1001 * most, {1001, 1001, 1}}};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; ++k) {
        const passes e = calls[k].expected, found = passes_of_call(calls[k].steps);
        tap_check(found.all == e.all && found.several == e.several && found.makes == e.makes,
                  "%s: the passes of %zu steps: %zu, of them %zu composed, from %zu filters", name, calls[k].steps,
                  found.all, found.several, found.makes);
    }
}

/* ---- Calls that launch nothing */
static int is_untouched(void)
{
    static unsigned char bytes[3 * room * sizeof(float)];
    int wrong = 0;
    CMK_CHECK(cudaMemcpy(bytes, x, sizeof bytes, cudaMemcpyDeviceToHost));
    for (size_t k = 0; k < sizeof bytes; ++k) wrong += bytes[k] != poison;
    return wrong == 0;
}

/* Checks a call that returned `error`, by what name_why says and what it is to say, NULL for nothing. */
static void check(const char *name, cudaError_t error, const char *why, const char *sentence)
{
    const int same = sentence == NULL ? why == NULL : why != NULL && strcmp(why, sentence) == 0;
    const cudaError_t expected = sentence == NULL ? cudaSuccess : cudaErrorInvalidValue;
    tap_check(same && error == expected && is_untouched(), "%s launches nothing: %s", name,
              sentence != NULL ? sentence : "there is nothing to do");
    if (!same) printf("# it says: %s\n", why != NULL ? why : "nothing");
}
#define REFUSED(sentence, name, ...) check(#name, name##_steps(__VA_ARGS__, 0), name##_steps_why(__VA_ARGS__), sentence)
#define LINE_REFUSED(sentence, in, out, spare, count, steps)                                                           \
    REFUSED(sentence, line, in, out, spare, count, steps, binomial)
#define BLUR_REFUSED(sentence, in, in_pitch, out, out_pitch, spare, rows, steps)                                       \
    REFUSED(sentence, blur, in, in_pitch, out, out_pitch, spare, rows, columns, steps, binomial, slope)

static void test_refused(void)
{
    LINE_REFUSED("spare is NULL, but 64 steps take 2 passes", x, y, NULL, room, 64);
    LINE_REFUSED("in and out overlap", x, x + room - 1, z, room, 1);
    LINE_REFUSED("in and spare overlap", x, y, x + 1, room, 64);
    LINE_REFUSED("spare and out overlap", x, y, y, room, 64);
    LINE_REFUSED(NULL, x, y, NULL, 0, 64);
    BLUR_REFUSED("spare is NULL, but 33 steps take 2 passes", x, pitch, y, pitch, NULL, rows, 33);
    BLUR_REFUSED("in is NULL", NULL, pitch, y, pitch, z, rows, 1);
    BLUR_REFUSED("out is NULL", x, pitch, NULL, pitch, z, rows, 1);
    BLUR_REFUSED("in and out overlap", x, pitch, x + 4, pitch, z, rows, 0);
    BLUR_REFUSED("in and spare overlap", x, pitch, y, pitch, x + 4, rows, 64);
    BLUR_REFUSED("spare and out overlap", x, pitch, y, pitch, y - 4, rows, 64);
    BLUR_REFUSED("in_pitch 15 is smaller than columns 16", x, 15, y, pitch, z, rows, 1);
    BLUR_REFUSED("out_pitch 15 is smaller than columns 16", x, pitch, y, 15, z, rows, 1);
    BLUR_REFUSED("rows 2147483648 is above 2147418112", x, pitch, y, pitch, z, (size_t)1 << 31, 1);
    BLUR_REFUSED(NULL, NULL, 0, NULL, 0, NULL, 0, 64);
    REFUSED("spare is NULL, but 14 steps take 2 passes", box, x, pitch, y, pitch, NULL, rows, columns, 14, box_9);
    REFUSED("spare is NULL, but 2 steps take 2 passes", cloud, x, pitch, step, y, pitch, step, NULL, planes, rows,
            columns, 2, binomial, slope, binomial);
    REFUSED("out overlaps itself, by out_pitch 20 and out_step 100", cloud, x, pitch, step, y, pitch, 100, z, planes,
            rows, columns, 1, binomial, slope, binomial);
    REFUSED(NULL, cloud, x, pitch, step, y, pitch, step, NULL, 0, rows, columns, 8, binomial, slope, binomial);
}

static void test_no_spare(void)
{
    cmk_steps_blur_call call;
    CMK_CHECK(blur_steps_plan(&call, NULL, NULL, 0, NULL, 0, NULL, 0, columns, 64, binomial, slope));
    tap_check(cmk_steps_blur_next(&call) == 0, "an image of no rows takes no pass");
    CMK_CHECK(cudaMemset(x, 0, 3 * room * sizeof *x));
    tap_check(blur_steps(x, pitch, y, pitch, NULL, rows, columns, 32, binomial, slope, 0) == cudaSuccess,
              "one pass needs no spare array");
    CMK_CHECK(cudaDeviceSynchronize());
}

/* Behind a call of one pass the composed taps are those of its steps, and their filter gives the inside. */
static void test_composed(void)
{
    enum { side = 80, first = side / 2 * side + 33, last = side / 2 * side + side - 33, count = side * side };
    static float image[3][count];
    float *on_device[3];
    int wrong = 0;
    for (int k = 0; k < count; ++k) image[0][k] = (float)below(257) / 128.0f - 1.0f;
    for (int k = 0; k < 3; ++k) CMK_CHECK(cudaMalloc((void **)&on_device[k], sizeof image[k]));
    CMK_CHECK(cudaMemcpy(on_device[0], image[0], sizeof image[0], cudaMemcpyHostToDevice));
    CMK_CHECK(blur_steps(on_device[0], side, on_device[1], side, NULL, side, side, 32, binomial, slope, 0));
    CMK_CHECK(cmk_pass_blur(on_device[0], side, on_device[2], side, side, side, blur_first_, blur_second_, 0));
    for (int k = 1; k < 3; ++k) CMK_CHECK(cudaMemcpy(image[k], on_device[k], sizeof image[k], cudaMemcpyDeviceToHost));
    for (int k = first; k < last; ++k) wrong += memcmp(&image[1][k], &image[2][k], sizeof(float)) != 0;
    tap_check(wrong == 0, "the composed filter of 32 steps gives the inside: %d differ", wrong);
    for (int k = 0; k < 3; ++k) CMK_CHECK(cudaFree(on_device[k]));
}

int main(int count, char **arguments)
{
    tap_need_device();
    if (count > 1) calls = atoi(arguments[1]);
    for (size_t k = 0; k < sizeof definitions / sizeof *definitions; ++k) test_definition(&definitions[k]);
    CMK_CHECK(cudaMalloc((void **)&x, 3 * room * sizeof *x));
    CMK_CHECK(cudaMemset(x, poison, 3 * room * sizeof *x));
    y = x + room, z = y + room;
    test_passes("line", passes_of_line, line_most_, 1);
    test_passes("blur", passes_of_blur, blur_most_, 2);
    test_passes("box", passes_of_box, box_most_, 2);
    test_passes("cloud", passes_of_cloud, cloud_most_, 2);
    test_refused();
    test_no_spare();
    test_composed();
    CMK_CHECK(cudaFree(x));
    return tap_done();
}
