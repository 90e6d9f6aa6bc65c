/* CMK_DEFINE_STENCIL1D against the plain loop in double: every body, edge, odd size and alignment. */
#include <math.h>
#include <cmk/cmk.h>
#include "edge_walk.h"
#include "tap.h"

enum { most = 5000, guard = 64, most_taps = 65 };

CMK_TABLE(CONSTANT, float, float_weights, [most_taps]);
CMK_TABLE(CONSTANT, double, double_weights, [most_taps]);
CMK_TABLE(CONSTANT, int, int_weights, [most_taps]);

typedef enum { general, symmetric, antisymmetric } form;

static double weights[most_taps];

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
            const cmk_i64 at = i + tap - radius;                                                                       \
            const int inside = at >= 0 && at < count;                                                                  \
            const double sample = inside || edge != CMK_EDGE_ZERO ? (double)in[edge_walk(edge, at, count)] : 0.0;      \
            sum += weight(tap, radius, f) * sample;                                                                    \
            *scale += fabs(weight(tap, radius, f) * sample);                                                           \
        }                                                                                                              \
        return sum;                                                                                                    \
    }

/* runs one size with in and out shifted by elements from a multiple of 16 bytes; 1 where all is right */
#define DEFINE_RUN(T, EPSILON)                                                                                         \
    DEFINE_REFERENCE(T)                                                                                                \
    typedef cudaError_t (*launcher_##T)(const T *, T *, size_t, T##_weights_table, cudaStream_t);                      \
    static T host_in_##T[most + 16], host_out_##T[most + 2 * guard + 16];                                              \
    static T *device_in_##T, *device_out_##T;                                                                          \
    static int right_##T(launcher_##T launch, int radius, form f, int edge, cmk_i64 count, int in_shift,               \
                         int out_shift)                                                                                \
    {                                                                                                                  \
        const unsigned char *bytes = (const unsigned char *)host_out_##T;                                              \
        const size_t begin = sizeof(T) * (size_t)(guard + out_shift), end = begin + sizeof(T) * (size_t)count;         \
        CMK_CHECK(cudaMemset(device_out_##T, 0xA5, sizeof host_out_##T));                                              \
        CMK_CHECK(                                                                                                     \
            launch(device_in_##T + in_shift, device_out_##T + guard + out_shift, (size_t)count, T##_weights, 0));      \
        CMK_CHECK(cudaMemcpy(host_out_##T, device_out_##T, sizeof host_out_##T, cudaMemcpyDeviceToHost));              \
        for (size_t b = 0; b < sizeof host_out_##T; ++b)                                                               \
            if ((b < begin || b >= end) && bytes[b] != 0xA5) return 0;                                                 \
        for (cmk_i64 i = 0; i < count; ++i) {                                                                          \
            double scale;                                                                                              \
            const double expected = reference_##T(host_in_##T + in_shift, i, count, radius, f, edge, &scale);          \
            const double difference = fabs((double)host_out_##T[guard + out_shift + i] - expected);                    \
            if (!(difference <= (2 * radius + 1) * (EPSILON)*scale)) return 0;                                         \
        }                                                                                                              \
        return 1;                                                                                                      \
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
        int failures = 0, runs = 0;                                                                                    \
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s)                                                    \
            for (int shift = 0; shift < 16; shift += s % 4 == 0 ? 1 : 5, ++runs)                                       \
                failures += !right_##T(launch, radius, f, edge, sizes[s], shift % 4, shift / 4);                       \
        tap_check(failures == 0, "%s: %d of %d sizes and alignments wrong", name, failures, runs);                     \
    }

DEFINE_RUN(float, 5.9604645e-8)
DEFINE_RUN(double, 2.2204461e-16)
DEFINE_RUN(int, 0.0)

/* clang-format off */
#define ALL(CASE) \
    CASE(float, 0, general, CMK_STENCIL_1D, float_weights, CMK_EDGE_ZERO) \
    CASE(float, 1, general, CMK_STENCIL_1D, float_weights, CMK_EDGE_ZERO) \
    CASE(float, 3, general, CMK_STENCIL_1D, float_weights, CMK_EDGE_CLAMP) \
    CASE(float, 4, general, CMK_STENCIL_1D, float_weights, CMK_EDGE_ZERO) \
    CASE(float, 5, general, CMK_STENCIL_1D, float_weights, CMK_EDGE_CLAMP) \
    CASE(float, 32, general, CMK_STENCIL_1D, float_weights, CMK_EDGE_ZERO) \
    CASE(float, 4, symmetric, CMK_STENCIL_1D_SYMMETRIC, float_weights, CMK_EDGE_CLAMP) \
    CASE(float, 8, symmetric, CMK_STENCIL_1D_SYMMETRIC, float_weights, CMK_EDGE_ZERO) \
    CASE(float, 4, antisymmetric, CMK_STENCIL_1D_ANTISYMMETRIC, float_weights, CMK_EDGE_ZERO) \
    CASE(float, 7, antisymmetric, CMK_STENCIL_1D_ANTISYMMETRIC, float_weights, CMK_EDGE_CLAMP) \
    CASE(double, 1, general, CMK_STENCIL_1D, double_weights, CMK_EDGE_CLAMP) \
    CASE(double, 4, antisymmetric, CMK_STENCIL_1D_ANTISYMMETRIC, double_weights, CMK_EDGE_ZERO) \
    CASE(double, 9, symmetric, CMK_STENCIL_1D_SYMMETRIC, double_weights, CMK_EDGE_CLAMP) \
    CASE(float, 6, general, CMK_STENCIL_1D, float_weights, CMK_EDGE_WRAP) \
    CASE(double, 5, general, CMK_STENCIL_1D, double_weights, CMK_EDGE_REFLECT) \
    CASE(int, 2, general, CMK_STENCIL_1D, int_weights, CMK_EDGE_ZERO) \
    CASE(int, 7, general, CMK_STENCIL_1D, int_weights, CMK_EDGE_MIRROR) \
    CASE(int, 8, general, CMK_STENCIL_1D, int_weights, CMK_EDGE_REFLECT) \
    CASE(int, 6, general, CMK_STENCIL_1D, int_weights, CMK_EDGE_CLAMP)
/* clang-format on */

#define DEFINE(T, RADIUS, FORM, BODY, TABLE, EDGE)                                                                     \
    CMK_DEFINE_STENCIL1D(stencil_##T##_##RADIUS##_##FORM##_##EDGE, T, RADIUS, BODY, TABLE, EDGE);
ALL(DEFINE)

#define RUN(T, RADIUS, FORM, BODY, TABLE, EDGE)                                                                        \
    sizes_##T(stencil_##T##_##RADIUS##_##FORM##_##EDGE, RADIUS, FORM, EDGE, #T " radius " #RADIUS " " #FORM " " #EDGE);

CMK_DEFINE_STENCIL1D(smooth, float, 1, CMK_STENCIL_1D, float_weights, CMK_EDGE_ZERO);

static void refuses_bad_input(void)
{
    float *x = device_in_float, *y = device_out_float;
    const float *const no_float = NULL;
    tap_check(smooth(no_float, y, 8, float_weights, 0) == cudaErrorInvalidValue, "a null input is refused");
    tap_check(smooth(x, NULL, 8, float_weights, 0) == cudaErrorInvalidValue, "a null output is refused");
    tap_check(smooth((float *)((char *)x + 1), y, 8, float_weights, 0) == cudaErrorInvalidValue,
              "a misaligned input is refused");
    tap_check(smooth(x, (float *)((char *)y + 2), 8, float_weights, 0) == cudaErrorInvalidValue,
              "a misaligned output is refused");
    tap_check(smooth(x, x, 8, float_weights, 0) == cudaErrorInvalidValue, "in place is refused");
    tap_check(smooth(x, x + 7, 8, float_weights, 0) == cudaErrorInvalidValue, "an overlap by one element is refused");
    tap_check(smooth(x + 7, x, 8, float_weights, 0) == cudaErrorInvalidValue, "an overlap from above is refused");
    tap_check(smooth(x, x + 8, 8, float_weights, 0) == cudaSuccess, "adjacent ranges are right");
    tap_check(smooth(x, y, (size_t)-1 / 4, float_weights, 0) == cudaErrorInvalidValue,
              "a count beyond the address space is refused");
    tap_check(smooth(NULL, NULL, 0, float_weights, 0) == cudaSuccess, "a count of 0 is right");
    tap_check(cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess, "no error is left behind");
}

int main(void)
{
    float f[most_taps];
    int w[most_taps];
    tap_need_device();
    for (int k = 0; k < most_taps; ++k) {
        w[k] = rand() % 19 - 9;
        weights[k] = w[k];
        f[k] = (float)w[k];
    }
    for (int i = 0; i < most + 16; ++i) {
        host_in_float[i] = (float)rand() / (float)RAND_MAX - 0.5f;
        host_in_double[i] = (double)rand() / RAND_MAX - 0.5;
        host_in_int[i] = rand() % 1000 - 500;
    }
    CMK_CHECK(CMK_TABLE_UPLOAD(float_weights, f, 0, most_taps));
    CMK_CHECK(CMK_TABLE_UPLOAD(double_weights, weights, 0, most_taps));
    CMK_CHECK(CMK_TABLE_UPLOAD(int_weights, w, 0, most_taps));
#define ALLOCATE(T)                                                                                                    \
    CMK_CHECK(cudaMalloc((void **)&device_in_##T, sizeof host_in_##T));                                                \
    CMK_CHECK(cudaMalloc((void **)&device_out_##T, sizeof host_out_##T));                                              \
    CMK_CHECK(cudaMemcpy(device_in_##T, host_in_##T, sizeof host_in_##T, cudaMemcpyHostToDevice))
    ALLOCATE(float);
    ALLOCATE(double);
    ALLOCATE(int);
    ALL(RUN)
    refuses_bad_input();
    return tap_done();
}
