/* lines [CASES]: 1D stencils that tensor cores sum, against sums in double: samples and taps of all ranges. An output
 * may be off by taps x epsilon x sum |w||x|, as a sum of floats in order may; where its window has an infinity or no
 * number, it is what such a sum is. Prints the largest error of each in that measure without the number of taps, in
 * 2^-24, beside that of sums of floats. CMK_TENSOR lets the CPU backend and short lines take the way too. */
#if !defined(CMK_TENSOR)
#define CMK_TENSOR 1
#endif
#include <cmk/check.h>
#include <cmk/kernel/stencil1d.h>
#include "edge_walk.h"
#include "tensor/drawn.h"
#include "tap.h"

enum { COUNT_MOST = 40000, TAPS_MOST = 65, SHIFT = 8 };

/* ---- A definition: taps to both sides, or to one, whose opposites are these times mirror */
typedef struct {
    const char *name;
    int radius, edge, mirror;
    cudaError_t (*run)(const float *in, float *out, size_t count, const float *taps);
} definition;

#define DEFINITION(name, RADIUS, BODY, TAPS, EDGE)                                                                     \
    CMK_TABLE(CONSTANT, float, name##_taps, [TAPS]);                                                                   \
    CMK_DEFINE_STENCIL1D(name, float, RADIUS, BODY, name##_taps, EDGE);                                                \
    static cudaError_t name##_run(const float *in, float *out, size_t count, const float *taps)                        \
    {                                                                                                                  \
        const cudaError_t error = CMK_TABLE_UPLOAD(name##_taps, taps, 0, TAPS);                                        \
        return error != cudaSuccess ? error : name(in, out, count, name##_taps, 0);                                    \
    }

/* a BODY by another name is the user's: FMAs in order */
#define IN_ORDER(sum, RADIUS, TAP, SAMPLE) CMK_STENCIL_1D(sum, RADIUS, TAP, SAMPLE)

DEFINITION(both_21, 21, CMK_STENCIL_1D, 43, CMK_EDGE_MIRROR)
DEFINITION(both_26, 26, CMK_STENCIL_1D, 53, CMK_EDGE_ZERO)
DEFINITION(even_24, 24, CMK_STENCIL_1D_SYMMETRIC, 25, CMK_EDGE_CLAMP)
DEFINITION(odd_29, 29, CMK_STENCIL_1D_ANTISYMMETRIC, 30, CMK_EDGE_WRAP)
DEFINITION(even_32, 32, CMK_STENCIL_1D_SYMMETRIC, 33, CMK_EDGE_ZERO)
DEFINITION(both_32, 32, CMK_STENCIL_1D, 65, CMK_EDGE_REFLECT)
DEFINITION(ordered_32, 32, IN_ORDER, 65, CMK_EDGE_REFLECT)

static const definition definitions[] = {
    {"radius 21, MIRROR", 21, CMK_EDGE_MIRROR, 0, both_21_run},
    {"radius 26, ZERO", 26, CMK_EDGE_ZERO, 0, both_26_run},
    {"radius 24, symmetric, CLAMP", 24, CMK_EDGE_CLAMP, 1, even_24_run},
    {"radius 29, antisymmetric, WRAP", 29, CMK_EDGE_WRAP, -1, odd_29_run},
    {"radius 32, symmetric, ZERO", 32, CMK_EDGE_ZERO, 1, even_32_run},
    {"radius 32, REFLECT", 32, CMK_EDGE_REFLECT, 0, both_32_run},
    {"radius 32, in order", 32, CMK_EDGE_REFLECT, 0, ordered_32_run},
};

/* ---- A case */
typedef struct {
    size_t count, in_shift, out_shift;
    int samples, taps_kind;
    float taps[TAPS_MOST], whole[TAPS_MOST]; /* as the table has them, and to both sides */
} drawn_case;

static drawn_case draw(const definition *d)
{
    drawn_case c;
    c.count = 1 + below(below(3) ? 3000 : COUNT_MOST);
    c.in_shift = below(2) ? 0 : below(SHIFT);
    c.out_shift = below(2) ? c.in_shift : below(SHIFT);
    c.samples = (int)below(SAMPLE_KINDS);
    c.taps_kind = (int)below(6);
    for (int i = 0; i < TAPS_MOST; ++i) c.taps[i] = (float)tap_of(c.taps_kind);
    for (int i = 0; i <= 2 * d->radius; ++i) {
        const int away = i - d->radius;
        c.whole[i] = d->mirror == 0 ? c.taps[i] : away < 0 ? (float)d->mirror * c.taps[-away] : c.taps[away];
        if (d->mirror < 0 && away == 0) c.whole[i] = 0.0f;
    }
    return c;
}

/* one output: the sum in double, of magnitudes, and of floats in order */
static void judge_one(const definition *d, const drawn_case *c, const float *in, cmk_i64 i, double got, errors *found)
{
    double sum = 0.0, size = 0.0;
    float plain = 0.0f;
    for (int k = 0; k <= 2 * d->radius; ++k) {
        const cmk_i64 at = edge_walk(d->edge, i + k - d->radius, (cmk_i64)c->count);
        const float sample = at < 0 ? 0.0f : in[at];
        if (d->mirror < 0 && k == d->radius) continue;
        sum += (double)c->whole[k] * (double)sample;
        size += fabs((double)c->whole[k] * (double)sample);
        plain = fmaf(c->whole[k], sample, plain);
    }
    judge_sum(found, 2 * d->radius + 1, sum, size, plain, got);
}

static void run_case(const definition *d, errors *found, float *in, float *out, float *device_in, float *device_out)
{
    const drawn_case c = draw(d);
    const size_t bytes = c.count * sizeof(float), before = found->wrong;
    for (size_t i = 0; i < c.count; ++i) in[i] = (float)sample_of(c.samples);
    CMK_CHECK(cudaMemcpy(device_in + c.in_shift, in, bytes, cudaMemcpyHostToDevice));
    CMK_CHECK(cudaMemset(device_out, 0xff, (COUNT_MOST + SHIFT) * sizeof(float)));
    CMK_CHECK(d->run(device_in + c.in_shift, device_out + c.out_shift, c.count, c.taps));
    CMK_CHECK(cudaMemcpy(out, device_out + c.out_shift, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < c.count; ++i) judge_one(d, &c, in, (cmk_i64)i, (double)out[i], found);
    if (found->wrong > before)
        printf("# %zu of %zu wrong, shifts %zu and %zu, samples: %s, taps of kind %d\n", found->wrong - before, c.count,
               c.in_shift, c.out_shift, kind_names[c.samples], c.taps_kind);
}

/* in order: the same bits as a body written out, which nothing is known of */
#define WRITTEN_OUT(sum, RADIUS, TAP, SAMPLE)                                                                          \
    CMK_UNROLL                                                                                                         \
    for (int k = 0; k <= 2 * (RADIUS); ++k) (sum) += TAP(k) * SAMPLE(k - (RADIUS))
DEFINITION(written_32, 32, WRITTEN_OUT, 65, CMK_EDGE_REFLECT)

static void judge_order(float *in, float *out, float *device_in, float *device_out)
{
    float taps[TAPS_MOST], *const expected = out + COUNT_MOST / 2;
    const size_t count = COUNT_MOST / 2, bytes = count * sizeof(float);
    size_t alike = 0;
    for (int i = 0; i < TAPS_MOST; ++i) taps[i] = (float)tap_of(0);
    for (size_t i = 0; i < count; ++i) in[i] = (float)sample_of(PLAIN);
    CMK_CHECK(cudaMemcpy(device_in, in, bytes, cudaMemcpyHostToDevice));
    CMK_CHECK(written_32_run(device_in, device_out, count, taps));
    CMK_CHECK(cudaMemcpy(expected, device_out, bytes, cudaMemcpyDeviceToHost));
    CMK_CHECK(ordered_32_run(device_in, device_out, count, taps));
    CMK_CHECK(cudaMemcpy(out, device_out, bytes, cudaMemcpyDeviceToHost));
    tap_check(memcmp(out, expected, bytes) == 0, "a BODY by another name: sums in order");
    CMK_CHECK(both_32_run(device_in, device_out, count, taps));
    CMK_CHECK(cudaMemcpy(out, device_out, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; ++i) alike += out[i] == expected[i];
    tap_check(alike < count / 2, "CMK_STENCIL_1D goes by tensor cores: %zu of %zu outputs as in order", alike, count);
}

int main(int count, char **arguments)
{
    const size_t bytes = (COUNT_MOST + SHIFT) * sizeof(float);
    const int cases = count > 1 ? atoi(arguments[1]) : 24;
    float *const in = (float *)malloc(bytes), *const out = (float *)malloc(bytes), *device_in, *device_out;
    tap_need_device();
    CMK_CHECK(cudaMalloc((void **)&device_in, bytes));
    CMK_CHECK(cudaMalloc((void **)&device_out, bytes));
    for (size_t k = 0; k < sizeof definitions / sizeof definitions[0]; ++k) {
        errors found = {0.0, 0.0, 0, 0};
        random_state = k;
        for (int i = 0; i < cases && found.wrong == 0; ++i)
            run_case(&definitions[k], &found, in, out, device_in, device_out);
        tap_check(found.wrong == 0 && found.compared > 0, "%s: %d lines", definitions[k].name, cases);
        printf("# largest error over sum |w||x|, in 2^-24: %.1f, of sums of floats %.1f; %zu outputs\n", found.here,
               found.floats, found.compared);
    }
    judge_order(in, out, device_in, device_out);
    CMK_CHECK(cudaFree(device_in));
    CMK_CHECK(cudaFree(device_out));
    free(in);
    free(out);
    return tap_done();
}
