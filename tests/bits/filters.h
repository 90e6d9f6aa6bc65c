/* filters.h: the filters whose sums are in the order of the pixels, over types, sizes and edges. */
#ifndef BITS_FILTERS_H
#define BITS_FILTERS_H

#include <cmk/kernel/conv2d.h>
#include <cmk/kernel/conv3d.h>
#include <cmk/kernel/separable.h>
#include "bits/run.h"

typedef unsigned char byte;
enum { elements_most = 40 * 320, taps_most = 21 * 20 };
static double pixels[elements_most], weights[taps_most];

static void draw_pixels(const char *name, int bytes)
{
    draw_as(name);
    for (int k = 0; k < taps_most; ++k) weights[k] = (double)below(1 << 24) / (1 << 23) - 1.0;
    for (int k = 0; k < elements_most; ++k)
        pixels[k] = bytes ? (double)below(256) : (double)below(1 << 24) / (1 << 23) - 1.0;
}

/* name_test of elements IN to OUT: UPLOAD of tables, and CALL of the filter from `in` to `out` */
#define FILTER(name, IN, OUT, TAP, UPLOAD, CALL)                                                                       \
    static void name##_test(void)                                                                                      \
    {                                                                                                                  \
        static IN given[elements_most];                                                                                \
        static OUT taken[elements_most];                                                                               \
        TAP host[taps_most];                                                                                           \
        IN *in;                                                                                                        \
        OUT *out;                                                                                                      \
        draw_pixels(#name, sizeof(IN) < 4);                                                                            \
        for (int k = 0; k < taps_most; ++k) host[k] = (TAP)weights[k];                                                 \
        for (int k = 0; k < elements_most; ++k) given[k] = (IN)pixels[k];                                              \
        CMK_CHECK(cudaMalloc((void **)&in, sizeof given));                                                             \
        CMK_CHECK(cudaMalloc((void **)&out, sizeof taken));                                                            \
        CMK_CHECK(cudaMemcpy(in, given, sizeof given, cudaMemcpyHostToDevice));                                        \
        CMK_CHECK(cudaMemset(out, 0, sizeof taken));                                                                   \
        UPLOAD CMK_CHECK(CALL);                                                                                        \
        CMK_CHECK(cudaMemcpy(taken, out, sizeof taken, cudaMemcpyDeviceToHost));                                       \
        CMK_CHECK(cudaFree(in));                                                                                       \
        CMK_CHECK(cudaFree(out));                                                                                      \
        judge(#name, "one call", hash_more(hash_of_nothing, taken, sizeof taken));                                     \
    }
#define LOAD_TAPS(table, first, count) CMK_CHECK(CMK_TABLE_UPLOAD(table, host + (first), 0, count));

/* images of 39 rows, 320 elements apart */
#define CONV2D(name, HOW, IN, SUM, OUT, CHANNELS, R, C, EDGE)                                                          \
    CMK_TABLE(CONSTANT, SUM, name##_taps, [R][C]);                                                                     \
    CMK_DEFINE_CONV2D_AS(name, HOW, (IN, SUM, OUT, CHANNELS), (R, C), (R / 2, C / 2), name##_taps, (EDGE, 0));         \
    FILTER(name, IN, OUT, SUM, LOAD_TAPS(name##_taps, 0, R *C),                                                        \
           name(in, 320, out, 320, 39, 299 / CHANNELS, name##_taps, 0))
CONV2D(conv_3x3, CORRELATION_IN_ORDER, float, float, float, 1, 3, 3, CMK_EDGE_REFLECT)
CONV2D(conv_9x9, CORRELATION_IN_ORDER, float, float, float, 1, 9, 9, CMK_EDGE_CLAMP)
CONV2D(conv_21x20, CONVOLUTION_IN_ORDER, float, float, float, 1, 21, 20, CMK_EDGE_WRAP)
CONV2D(conv_double, CONVOLUTION_IN_ORDER, double, double, double, 1, 5, 5, CMK_EDGE_ZERO)
CONV2D(conv_bytes, CORRELATION_IN_ORDER, byte, float, byte, 3, 5, 4, CMK_EDGE_MIRROR)
CONV2D(conv_short, CORRELATION_IN_ORDER, short, float, float, 2, 7, 7, CMK_EDGE_CLAMP)

#define SEPARABLE(name, IN, SUM, OUT, RADIUS, EDGE)                                                                    \
    CMK_TABLE(CONSTANT, SUM, name##_down, [2 * RADIUS + 1]);                                                           \
    CMK_TABLE(CONSTANT, SUM, name##_across, [2 * RADIUS + 1]);                                                         \
    CMK_DEFINE_SEPARABLE_IN_ORDER(name, (IN, SUM, OUT, 1), RADIUS, (name##_down, name##_across), (EDGE, 0));           \
    FILTER(name, IN, OUT, SUM,                                                                                         \
           LOAD_TAPS(name##_down, 0, 2 * RADIUS + 1) LOAD_TAPS(name##_across, 2 * RADIUS + 1, 2 * RADIUS + 1),         \
           name(in, 320, out, 320, 39, 299, name##_down, name##_across, 0))
SEPARABLE(separable_2, float, float, float, 2, CMK_EDGE_REFLECT)
SEPARABLE(separable_16, float, float, float, 16, CMK_EDGE_CLAMP)
SEPARABLE(separable_double, double, double, double, 3, CMK_EDGE_ZERO)
SEPARABLE(separable_bytes, byte, float, byte, 8, CMK_EDGE_MIRROR)

/* volumes of 8 planes and 10 rows */
#define CONV3D(name, T, P, R, C, EDGE)                                                                                 \
    CMK_TABLE(CONSTANT, T, name##_taps, [P][R][C]);                                                                    \
    CMK_DEFINE_CONV3D_IN_ORDER(name, T, (P, R, C), name##_taps, EDGE);                                                 \
    FILTER(name, T, T, T, LOAD_TAPS(name##_taps, 0, P *R *C),                                                          \
           name(in, 160, 10 * 160, out, 160, 10 * 160, 8, 10, 157, name##_taps, 0))
CONV3D(volume_3, float, 3, 3, 3, CMK_EDGE_CLAMP)
CONV3D(volume_5, float, 5, 5, 5, CMK_EDGE_WRAP)
CONV3D(volume_double, double, 3, 3, 3, CMK_EDGE_REFLECT)

#endif
