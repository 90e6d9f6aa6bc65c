/* volumes [CASES]: filters of volumes on tensor cores against sums in double: samples and taps of all ranges, each
 * edge, aligned rows and others, regions of volumes. An output may be off by taps x epsilon x sum |w||x|, as a sum of
 * floats in order may; where its window has an infinity or no number, it is what such a sum is. Prints the largest
 * error of each definition in that measure without the number of taps, in 2^-24, beside that of sums of floats. What is
 * in order has the bits of these. CMK_TENSOR lets the CPU backend and small volumes take the way too. */
#if !defined(CMK_TENSOR)
#define CMK_TENSOR 1
#endif
#include <cmk/check.h>
#include <cmk/kernel/conv3d.h>
#include "edge_walk.h"
#include "tensor/drawn.h"
#include "tap.h"

enum { PLANES_MOST = 20, ROWS_MOST = 24, COLUMNS_MOST = 320, TAPS_MOST = 7 * 7 * 7 };

/* a product more, with one rounding, as a GPU and the CPU backend add it */
static float added(float tap, float sample, float sum)
{
    return fmaf(tap, sample, sum);
}

/* ---- The definitions */
typedef struct {
    size_t sizes[3], pitch, first[3], region[3];
    int samples, taps_kind;
    float taps[TAPS_MOST];
} drawn_case;

typedef struct {
    const char *name;
    int lengths[3], edge;
    cudaError_t (*run)(const float *in, float *out, const drawn_case *c);
} definition;

/* outputs are as far apart as samples are */
#define RUN(name, TAPS)                                                                                                \
    static cudaError_t name##_run(const float *in, float *out, const drawn_case *c)                                    \
    {                                                                                                                  \
        const cudaError_t error = CMK_TABLE_UPLOAD(name##_taps, c->taps, 0, TAPS);                                     \
        const size_t *const sizes = c->sizes, *const region = c->region, pitch = c->pitch, step = pitch * sizes[1];    \
        if (error != cudaSuccess) return error;                                                                        \
        return name##_region(in, pitch, step, out, pitch, step, sizes[0], sizes[1], sizes[2], c->first[0],             \
                             c->first[1], c->first[2], region[0], region[1], region[2], name##_taps, 0);               \
    }
#define DEFINITION(name, P, R, C, EDGE)                                                                                \
    CMK_TABLE(CONSTANT, float, name##_taps, [P][R][C]);                                                                \
    CMK_DEFINE_CONV3D(name, float, (P, R, C), name##_taps, EDGE);                                                      \
    RUN(name, (P) * (R) * (C))
#define DEFINITION_ROW(name, P, R, C, EDGE) {#P " x " #R " x " #C ", " #name, {P, R, C}, EDGE, name##_run},
#define MIRROR_WRAP_CLAMP CMK_EDGE_AXES_3D(CMK_EDGE_MIRROR, CMK_EDGE_WRAP, CMK_EDGE_CLAMP)

/* clang-format off */
#define DEFINITIONS(CASE) \
    CASE(cube, 5, 5, 5, CMK_EDGE_ZERO) \
    CASE(wide, 7, 7, 7, CMK_EDGE_CLAMP) \
    CASE(even, 4, 5, 6, MIRROR_WRAP_CLAMP) \
    CASE(flat, 3, 7, 3, CMK_EDGE_WRAP) \
    CASE(deep, 6, 6, 4, CMK_EDGE_ZERO)
/* clang-format on */
DEFINITIONS(DEFINITION)
static const definition definitions[] = {DEFINITIONS(DEFINITION_ROW)};

CMK_TABLE(CONSTANT, float, ordered_taps, [5][5][5]);
CMK_DEFINE_CONV3D_IN_ORDER(ordered, float, (5, 5, 5), ordered_taps, CMK_EDGE_ZERO);
RUN(ordered, 5 * 5 * 5)
static const definition in_order = {"5 x 5 x 5, in order", {5, 5, 5}, CMK_EDGE_ZERO, ordered_run};

/* ---- A case */

/* all of an axis, or a part of it, which begins at a multiple of unit */
static void draw_region(drawn_case *c, int axis, size_t unit)
{
    const size_t size = c->sizes[axis], first = below(3) ? below(size) / unit * unit : 0;
    c->first[axis] = first;
    c->region[axis] = below(2) ? size - first : 1 + below(size - first);
}

/* the kinds of samples and of taps go by the number of the case, so that few cases meet all */
static drawn_case draw(const definition *d, int number)
{
    static const int kinds[] = {PLAIN, SIGNED, WIDE, HUGE_AMONG_TINY, DENORMAL, FEW_ZERO, LARGE, SPECIAL};
    drawn_case c;
    c.sizes[0] = 1 + below(PLANES_MOST);
    c.sizes[1] = 1 + below(below(3) ? 12 : ROWS_MOST);
    c.sizes[2] = below(2) ? 4 * (1 + below(COLUMNS_MOST / 4)) : 1 + below(COLUMNS_MOST);
    c.pitch = below(2) ? (c.sizes[2] + 3) / 4 * 4 : c.sizes[2] + below(3);
    for (int axis = 0; axis < 3; ++axis) draw_region(&c, axis, axis == 2 && below(2) ? 4 : 1);
    c.samples = kinds[number % 8];
    c.taps_kind = (number + number / 8) % 4;
    for (int i = 0; i < d->lengths[0] * d->lengths[1] * d->lengths[2]; ++i) c.taps[i] = (float)tap_of(c.taps_kind);
    return c;
}

/* where a sample lies that an edge reads, -1 where that is zero */
static cmk_i64 place_of(const definition *d, const drawn_case *c, cmk_i64 z, cmk_i64 y, cmk_i64 x)
{
    const int edges[3] = {CMK_EDGE_PLANE(d->edge), CMK_EDGE_ROW(d->edge), CMK_EDGE_COLUMN(d->edge)};
    cmk_i64 at[3] = {z, y, x};
    for (int axis = 0; axis < 3; ++axis) {
        at[axis] = edge_walk(edges[axis], at[axis], (cmk_i64)c->sizes[axis]);
        if (at[axis] < 0) return -1;
    }
    return (at[0] * (cmk_i64)c->sizes[1] + at[1]) * (cmk_i64)c->pitch + at[2];
}

/* one output: the sum in double, of magnitudes, and of floats in order */
static void judge_one(const definition *d, const drawn_case *c, const float *in, const cmk_i64 *at, double got,
                      errors *found)
{
    const int *const lengths = d->lengths;
    const int taps = lengths[0] * lengths[1] * lengths[2];
    double sum = 0.0, size = 0.0;
    float plain = 0.0f;
    for (int i = 0; i < taps; ++i) {
        const int p = i / lengths[2] / lengths[1], r = i / lengths[2] % lengths[1], k = i % lengths[2];
        const cmk_i64 from =
            place_of(d, c, at[0] + p - lengths[0] / 2, at[1] + r - lengths[1] / 2, at[2] + k - lengths[2] / 2);
        const float sample = from < 0 ? 0.0f : in[from];
        sum += (double)c->taps[i] * (double)sample;
        size += fabs((double)c->taps[i] * (double)sample);
        plain = added(c->taps[i], sample, plain);
    }
    if (d != &in_order) {
        judge_sum(found, taps, sum, size, plain, got);
    } else {
        found->wrong += (size_t) !((float)got == plain || (isnan(got) && isnan(plain)));
        ++found->compared;
    }
}

static void run_case(const definition *d, int number, errors *found, float *in, float *out, float *device_in,
                     float *device_out)
{
    const drawn_case c = draw(d, number);
    const size_t count = c.sizes[0] * c.sizes[1] * c.pitch, before = found->wrong;
    for (size_t i = 0; i < count; ++i) in[i] = (float)sample_of(c.samples);
    CMK_CHECK(cudaMemcpy(device_in, in, count * sizeof(float), cudaMemcpyHostToDevice));
    CMK_CHECK(cudaMemset(device_out, 0xff, count * sizeof(float)));
    CMK_CHECK(d->run(device_in, device_out, &c));
    CMK_CHECK(cudaDeviceSynchronize());
    CMK_CHECK(cudaMemcpy(out, device_out, count * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < c.region[0] * c.region[1] * c.region[2]; ++i) {
        const size_t z = i / c.region[2] / c.region[1], y = i / c.region[2] % c.region[1], x = i % c.region[2];
        const cmk_i64 at[3] = {(cmk_i64)(c.first[0] + z), (cmk_i64)(c.first[1] + y), (cmk_i64)(c.first[2] + x)};
        judge_one(d, &c, in, at, (double)out[(z * c.sizes[1] + y) * c.pitch + x], found);
    }
    if (found->wrong > before)
        printf("# %zu wrong of %zu x %zu x %zu from %zu, %zu, %zu of %zu x %zu x %zu, pitch %zu, samples: %s, taps of "
               "kind %d\n",
               found->wrong - before, c.region[0], c.region[1], c.region[2], c.first[0], c.first[1], c.first[2],
               c.sizes[0], c.sizes[1], c.sizes[2], c.pitch, kind_names[c.samples], c.taps_kind);
}

static void run_cases(const definition *d, int cases, float *in, float *out, float *device_in, float *device_out)
{
    errors found = {0.0, 0.0, 0, 0};
    random_state = (size_t)d->lengths[0] * 64 + (size_t)d->lengths[2];
    for (int i = 0; i < cases && found.wrong == 0; ++i) run_case(d, i, &found, in, out, device_in, device_out);
    tap_check(found.wrong == 0 && found.compared > 0, "%s: %d volumes", d->name, cases);
    if (d != &in_order)
        printf("# largest error over sum |w||x|, in 2^-24: %.1f, of sums of floats %.1f; %zu outputs\n", found.here,
               found.floats, found.compared);
}

int main(int count, char **arguments)
{
    const size_t bytes = (size_t)PLANES_MOST * ROWS_MOST * (COLUMNS_MOST + 4) * sizeof(float);
    const int cases = count > 1 ? atoi(arguments[1]) : 12;
    float *const in = (float *)malloc(bytes), *const out = (float *)malloc(bytes);
    void *device_in, *device_out;
    tap_need_device();
    CMK_CHECK(cudaMalloc(&device_in, bytes));
    CMK_CHECK(cudaMalloc(&device_out, bytes));
    for (size_t k = 0; k < sizeof definitions / sizeof definitions[0]; ++k)
        run_cases(&definitions[k], cases, in, out, (float *)device_in, (float *)device_out);
    run_cases(&in_order, cases / 4 + 1, in, out, (float *)device_in, (float *)device_out);
    CMK_CHECK(cudaFree(device_in));
    CMK_CHECK(cudaFree(device_out));
    free(in);
    free(out);
    return tap_done();
}
