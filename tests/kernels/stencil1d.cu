/* CMK_DEFINE_STENCIL1D against the plain loop in double: every body, edge, odd size and alignment; lines, and regions
 * of them. */
#include <math.h>
#include <cmk/cmk.h>
#include "edge_walk.h"
#include "random.h"
#include "tap.h"

enum { most = 5000, guard = 64, most_taps = 65 };

typedef enum { general, symmetric, antisymmetric } form;

static double weights[most_taps];
static float taps_float[most_taps];
static double taps_double[most_taps];
static int taps_int[most_taps];
static short taps_short[most_taps];

static double weight(int tap, int radius, form f)
{
    const int distance = tap < radius ? radius - tap : tap - radius;
    if (f == general) return weights[tap];
    if (f == symmetric) return weights[distance];
    return tap < radius ? -weights[distance] : tap > radius ? weights[distance] : 0.0;
}

/* the sum at i, and the sum of the absolute terms */
#define DEFINE_REFERENCE(T)                                                                                            \
    static double reference_##T(const T *in, cmk_i64 i, cmk_i64 count, int radius, form f, int edge, double *scale)    \
    {                                                                                                                  \
        double sum = 0.0;                                                                                              \
        *scale = 0.0;                                                                                                  \
        for (int tap = 0; tap <= 2 * radius; ++tap) {                                                                  \
            const cmk_i64 at = edge_walk(edge, i + tap - radius, count);                                               \
            const double sample = at < 0 ? 0.0 : (double)in[at];                                                       \
            sum += weight(tap, radius, f) * sample;                                                                    \
            *scale += fabs(weight(tap, radius, f) * sample);                                                           \
        }                                                                                                              \
        return sum;                                                                                                    \
    }

/* runs a region of one size with in and out shifted by elements from a multiple of 16 bytes; 1 where all is right */
#define DEFINE_RUN(T, EPSILON)                                                                                         \
    DEFINE_REFERENCE(T)                                                                                                \
    typedef cudaError_t (*launcher_##T)(const T *, T *, size_t, size_t, size_t);                                       \
    static T host_in_##T[most + 16], host_out_##T[most + 2 * guard + 16];                                              \
    static T *device_in_##T, *device_out_##T;                                                                          \
    static int right_##T(launcher_##T launch, int radius, form f, int edge, cmk_i64 count, cmk_i64 first,              \
                         cmk_i64 region, int in_shift, int out_shift)                                                  \
    {                                                                                                                  \
        const unsigned char *bytes = (const unsigned char *)host_out_##T;                                              \
        const size_t begin = sizeof(T) * (size_t)(guard + out_shift), end = begin + sizeof(T) * (size_t)region;        \
        CMK_CHECK(cudaMemset(device_out_##T, 0xA5, sizeof host_out_##T));                                              \
        CMK_CHECK(launch(device_in_##T + in_shift, device_out_##T + guard + out_shift, (size_t)count, (size_t)first,   \
                         (size_t)region));                                                                             \
        CMK_CHECK(cudaMemcpy(host_out_##T, device_out_##T, sizeof host_out_##T, cudaMemcpyDeviceToHost));              \
        for (size_t b = 0; b < sizeof host_out_##T; ++b)                                                               \
            if ((b < begin || b >= end) && bytes[b] != 0xA5) return 0;                                                 \
        for (cmk_i64 i = 0; i < region; ++i) {                                                                         \
            double scale;                                                                                              \
            const double expected = reference_##T(host_in_##T + in_shift, first + i, count, radius, f, edge, &scale);  \
            const double difference = fabs((double)host_out_##T[guard + out_shift + i] - expected);                    \
            if (!(difference <= (2 * radius + 1) * (EPSILON)*scale)) return 0;                                         \
        }                                                                                                              \
        return 1;                                                                                                      \
    }                                                                                                                  \
    /* a line in three regions, and the whole: the same bits */                                                        \
    static int same_##T(launcher_##T launch, cmk_i64 count)                                                            \
    {                                                                                                                  \
        static T whole[most];                                                                                          \
        const size_t all = (size_t)count, one = below(all + 1), two = one + below(all - one + 1);                      \
        CMK_CHECK(cudaMemset(device_out_##T, 0xA5, sizeof(T) * all));                                                  \
        CMK_CHECK(launch(device_in_##T, device_out_##T, all, 0, all));                                                 \
        CMK_CHECK(cudaMemcpy(whole, device_out_##T, sizeof(T) * all, cudaMemcpyDeviceToHost));                         \
        CMK_CHECK(cudaMemset(device_out_##T, 0x5A, sizeof(T) * all));                                                  \
        CMK_CHECK(launch(device_in_##T, device_out_##T, all, 0, one));                                                 \
        CMK_CHECK(launch(device_in_##T, device_out_##T + one, all, one, two - one));                                   \
        CMK_CHECK(launch(device_in_##T, device_out_##T + two, all, two, all - two));                                   \
        CMK_CHECK(cudaMemcpy(host_out_##T, device_out_##T, sizeof(T) * all, cudaMemcpyDeviceToHost));                  \
        return memcmp(whole, host_out_##T, sizeof(T) * all) == 0;                                                      \
    }                                                                                                                  \
    static void sizes_##T(launcher_##T launch, int radius, form f, int edge, const char *name)                         \
    {                                                                                                                  \
        const int tile = 256 * 16 / (int)sizeof(T);                                                                    \
        const int sizes[] = {0,                                                                                        \
                             1,                                                                                        \
                             2,                                                                                        \
                             3,                                                                                        \
                             4,                                                                                        \
                             5,                                                                                        \
                             7,                                                                                        \
                             8,                                                                                        \
                             13,                                                                                       \
                             31,                                                                                       \
                             997,                                                                                      \
                             radius,                                                                                   \
                             radius + 1,                                                                               \
                             2 * radius,                                                                               \
                             2 * radius + 1,                                                                           \
                             tile - radius,                                                                            \
                             tile - 1,                                                                                 \
                             tile,                                                                                     \
                             tile + 1,                                                                                 \
                             tile + radius,                                                                            \
                             2 * tile,                                                                                 \
                             4093};                                                                                    \
        int failures = 0, region_failures = 0, unlike = 0, runs = 0;                                                   \
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {                                                  \
            for (int shift = 0; shift < 16; shift += s % 4 == 0 ? 1 : 5, ++runs) {                                     \
                const cmk_i64 first = (cmk_i64)below((size_t)sizes[s] + 1), left = sizes[s] - first;                   \
                const cmk_i64 region = below(2) ? left : (cmk_i64)below((size_t)left + 1);                             \
                failures += !right_##T(launch, radius, f, edge, sizes[s], 0, sizes[s], shift % 4, shift / 4);          \
                region_failures += !right_##T(launch, radius, f, edge, sizes[s], first, region, shift % 4, shift / 4); \
            }                                                                                                          \
            unlike += !same_##T(launch, sizes[s]);                                                                     \
        }                                                                                                              \
        tap_check(failures == 0, "%s: %d of %d sizes and alignments wrong", name, failures, runs);                     \
        tap_check(region_failures == 0, "%s: %d of %d regions wrong", name, region_failures, runs);                    \
        tap_check(unlike == 0, "%s: %d lines in three regions have other bits than the whole", name, unlike);          \
    }

DEFINE_RUN(float, 5.9604645e-8)
DEFINE_RUN(double, 2.2204461e-16)
DEFINE_RUN(int, 0.0)
DEFINE_RUN(short, 0.0)

/* clang-format off */
#define ALL(CASE) \
    CASE(float, 0, general, CMK_STENCIL_1D, CMK_EDGE_ZERO) \
    CASE(float, 1, general, CMK_STENCIL_1D, CMK_EDGE_ZERO) \
    CASE(float, 3, general, CMK_STENCIL_1D, CMK_EDGE_CLAMP) \
    CASE(float, 4, general, CMK_STENCIL_1D, CMK_EDGE_ZERO) \
    CASE(float, 5, general, CMK_STENCIL_1D, CMK_EDGE_CLAMP) \
    CASE(float, 32, general, CMK_STENCIL_1D, CMK_EDGE_ZERO) \
    CASE(float, 4, symmetric, CMK_STENCIL_1D_SYMMETRIC, CMK_EDGE_CLAMP) \
    CASE(float, 8, symmetric, CMK_STENCIL_1D_SYMMETRIC, CMK_EDGE_ZERO) \
    CASE(float, 4, antisymmetric, CMK_STENCIL_1D_ANTISYMMETRIC, CMK_EDGE_ZERO) \
    CASE(float, 7, antisymmetric, CMK_STENCIL_1D_ANTISYMMETRIC, CMK_EDGE_CLAMP) \
    CASE(double, 1, general, CMK_STENCIL_1D, CMK_EDGE_CLAMP) \
    CASE(double, 4, antisymmetric, CMK_STENCIL_1D_ANTISYMMETRIC, CMK_EDGE_ZERO) \
    CASE(double, 9, symmetric, CMK_STENCIL_1D_SYMMETRIC, CMK_EDGE_CLAMP) \
    CASE(float, 9, symmetric, CMK_STENCIL_1D_SYMMETRIC, CMK_EDGE_REFLECT) \
    CASE(float, 16, antisymmetric, CMK_STENCIL_1D_ANTISYMMETRIC, CMK_EDGE_WRAP) \
    CASE(float, 23, symmetric, CMK_STENCIL_1D_SYMMETRIC, CMK_EDGE_MIRROR) \
    CASE(double, 32, general, CMK_STENCIL_1D, CMK_EDGE_CLAMP) \
    CASE(int, 13, symmetric, CMK_STENCIL_1D_SYMMETRIC, CMK_EDGE_ZERO) \
    CASE(float, 6, general, CMK_STENCIL_1D, CMK_EDGE_WRAP) \
    CASE(double, 5, general, CMK_STENCIL_1D, CMK_EDGE_REFLECT) \
    CASE(int, 2, general, CMK_STENCIL_1D, CMK_EDGE_ZERO) \
    CASE(int, 7, general, CMK_STENCIL_1D, CMK_EDGE_MIRROR) \
    CASE(int, 8, general, CMK_STENCIL_1D, CMK_EDGE_REFLECT) \
    CASE(int, 6, general, CMK_STENCIL_1D, CMK_EDGE_CLAMP) \
    CASE(short, 8, antisymmetric, CMK_STENCIL_1D_ANTISYMMETRIC, CMK_EDGE_REFLECT) \
    CASE(short, 17, symmetric, CMK_STENCIL_1D_SYMMETRIC, CMK_EDGE_WRAP)
/* clang-format on */

#define TAPS_general(RADIUS) (2 * (RADIUS) + 1)
#define TAPS_symmetric(RADIUS) ((RADIUS) + 1)
#define TAPS_antisymmetric(RADIUS) ((RADIUS) + 1)
#define DEFINE(T, RADIUS, FORM, BODY, EDGE) DEFINE_ONE(T##_##RADIUS##_##FORM##_##EDGE, T, RADIUS, FORM, BODY, EDGE)
#define DEFINE_ONE(name, T, RADIUS, FORM, BODY, EDGE)                                                                  \
    CMK_TABLE(CONSTANT, T, taps_##name, [TAPS_##FORM(RADIUS)]);                                                        \
    CMK_DEFINE_STENCIL1D(stencil_##name, T, RADIUS, BODY, taps_##name, EDGE);                                          \
    static cudaError_t launch_##name(const T *in, T *out, size_t count, size_t first, size_t region)                   \
    {                                                                                                                  \
        return region == count ? stencil_##name(in, out, count, taps_##name, 0)                                        \
                               : stencil_##name##_region(in, out, count, first, region, taps_##name, 0);               \
    }
ALL(DEFINE)

#define RUN(T, RADIUS, FORM, BODY, EDGE)                                                                               \
    CMK_CHECK(CMK_TABLE_UPLOAD(taps_##T##_##RADIUS##_##FORM##_##EDGE, taps_##T, 0, TAPS_##FORM(RADIUS)));              \
    sizes_##T(launch_##T##_##RADIUS##_##FORM##_##EDGE, RADIUS, FORM, EDGE, #T " radius " #RADIUS " " #FORM " " #EDGE);

CMK_TABLE_VALUES(CONSTANT, float, thirds, [3], 1.0f / 3, 1.0f / 3, 1.0f / 3);
CMK_DEFINE_STENCIL1D(smooth, float, 1, CMK_STENCIL_1D, thirds, CMK_EDGE_ZERO);

/* a BODY of one's own may read any table, and decides itself how an integer is rounded */
#define DIFFERENCE(sum, RADIUS, COEFFICIENT, SAMPLE)                                                                   \
    ((sum) = (int)(COEFFICIENT(1) * (float)(SAMPLE(RADIUS) - SAMPLE(-(RADIUS))) + COEFFICIENT(0)))
CMK_TABLE_VALUES(CONSTANT, float, offset_and_scale, [2], 100.5f, 0.25f);
CMK_DEFINE_STENCIL1D(slope, int, 2, DIFFERENCE, offset_and_scale, CMK_EDGE_CLAMP);

static void takes_any_body(void)
{
    const int ramp[5] = {0, 10, 20, 30, 45};
    int found[5];
    CMK_CHECK(cudaMemcpy(device_in_int, ramp, sizeof ramp, cudaMemcpyHostToDevice));
    CMK_CHECK(slope(device_in_int, device_out_int, 5, offset_and_scale, 0));
    CMK_CHECK(cudaMemcpy(found, device_out_int, sizeof found, cudaMemcpyDeviceToHost));
    tap_check(found[0] == 105 && found[1] == 108 && found[2] == 111 && found[3] == 109 && found[4] == 106,
              "a BODY of the user's: %d %d %d %d %d", found[0], found[1], found[2], found[3], found[4]);
}

/* so many elements that a warp goes along several steps, also of a region */
static void goes_along(size_t first)
{
    const size_t region = 4 * 1056 * 1024 + 13, count = region + 3 * first, bytes = count * sizeof(float);
    float *const in = (float *)malloc(bytes), *const out = (float *)malloc(bytes), *device_in, *device_out;
    size_t wrong = 0;
    CMK_CHECK(cudaMalloc((void **)&device_in, bytes));
    CMK_CHECK(cudaMalloc((void **)&device_out, bytes));
    for (size_t i = 0; i < count; ++i) in[i] = (float)rand() / (float)RAND_MAX - 0.5f;
    CMK_CHECK(cudaMemcpy(device_in, in, bytes, cudaMemcpyHostToDevice));
    CMK_CHECK(cudaMemset(device_out, 0xA5, bytes));
    CMK_CHECK(launch_float_9_symmetric_CMK_EDGE_REFLECT(device_in, device_out, count, first, region));
    CMK_CHECK(cudaMemcpy(out, device_out, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < region; ++i) {
        double scale;
        const double expected =
            reference_float(in, (cmk_i64)(first + i), (cmk_i64)count, 9, symmetric, CMK_EDGE_REFLECT, &scale);
        wrong += !(fabs((double)out[i] - expected) <= 19 * 5.9604645e-8 * scale);
    }
    tap_check(wrong == 0, "a line of %zu elements, from %zu on: %zu wrong", count, first, wrong);
    CMK_CHECK(cudaFree(device_in));
    CMK_CHECK(cudaFree(device_out));
    free(in);
    free(out);
}

static void refuses_bad_input(void)
{
    float *x = device_in_float, *y = device_out_float;
    const float *const no_float = NULL;
    tap_check(smooth(no_float, y, 8, thirds, 0) == cudaErrorInvalidValue, "a null input is refused");
    tap_check(smooth(x, NULL, 8, thirds, 0) == cudaErrorInvalidValue, "a null output is refused");
    tap_check(smooth((float *)((char *)x + 1), y, 8, thirds, 0) == cudaErrorInvalidValue,
              "a misaligned input is refused");
    tap_check(smooth(x, (float *)((char *)y + 2), 8, thirds, 0) == cudaErrorInvalidValue,
              "a misaligned output is refused");
    tap_check(smooth(x, x, 8, thirds, 0) == cudaErrorInvalidValue, "in place is refused");
    tap_check(smooth(x, x + 7, 8, thirds, 0) == cudaErrorInvalidValue, "an overlap by one element is refused");
    tap_check(smooth(x + 7, x, 8, thirds, 0) == cudaErrorInvalidValue, "an overlap from above is refused");
    tap_check(smooth(x, x + 8, 8, thirds, 0) == cudaSuccess, "adjacent ranges are right");
    tap_check(smooth(x, y, (size_t)-1 / 4, thirds, 0) == cudaErrorInvalidValue,
              "a count beyond the address space is refused");
    tap_check(smooth(x, y + ((size_t)1 << 44), ((size_t)1 << 43) + 1, thirds, 0) == cudaErrorInvalidConfiguration,
              "more blocks than a grid has are refused");
    tap_check(smooth_region(x, y, 8, 1, 8, thirds, 0) == cudaErrorInvalidValue, "a region behind the end is refused");
    tap_check(smooth_region(x, y, 8, 9, (size_t)-1, thirds, 0) == cudaErrorInvalidValue,
              "a region of -1 elements is refused");
    tap_check(smooth_region(x, x + 7, 8, 0, 1, thirds, 0) == cudaErrorInvalidValue,
              "an output on the last sample of the line is refused");
    tap_check(smooth(NULL, NULL, 0, thirds, 0) == cudaSuccess, "a count of 0 is right");
    tap_check(smooth_region(x, y, 8, 8, 0, thirds, 0) == cudaSuccess, "a region of 0 is right");
    tap_check(cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess, "no error is left behind");
}

int main(void)
{
    tap_need_device();
    for (int k = 0; k < most_taps; ++k) {
        taps_int[k] = rand() % 19 - 9;
        taps_short[k] = (short)taps_int[k];
        weights[k] = taps_int[k];
        taps_double[k] = weights[k];
        taps_float[k] = (float)weights[k];
    }
    for (int i = 0; i < most + 16; ++i) {
        host_in_float[i] = (float)rand() / (float)RAND_MAX - 0.5f;
        host_in_double[i] = (double)rand() / RAND_MAX - 0.5;
        host_in_int[i] = rand() % 1000 - 500;
        host_in_short[i] = (short)(rand() % 100 - 50);
    }
#define ALLOCATE(T)                                                                                                    \
    CMK_CHECK(cudaMalloc((void **)&device_in_##T, sizeof host_in_##T));                                                \
    CMK_CHECK(cudaMalloc((void **)&device_out_##T, sizeof host_out_##T));                                              \
    CMK_CHECK(cudaMemcpy(device_in_##T, host_in_##T, sizeof host_in_##T, cudaMemcpyHostToDevice))
    ALLOCATE(float);
    ALLOCATE(double);
    ALLOCATE(int);
    ALLOCATE(short);
    ALL(RUN)
    takes_any_body();
    goes_along(0);
    goes_along(10001);
    refuses_bad_input();
    return tap_done();
}
