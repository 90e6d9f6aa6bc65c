/* filters2d.h: a filter of kernel/conv2d.h as a row of a program. */
#ifndef BENCH_FILTERS2D_H
#define BENCH_FILTERS2D_H

#include "convolution.h"

/* name: the kernel of N x N taps in a constant table, from IN to OUT; name_row: its row, for an array of in */
#define FILTER(name, IN, OUT, N, EDGE) FILTER_AS(name, CORRELATION, 0.0, IN, OUT, N, EDGE)
#define FAST(name, T, N) FILTER_AS(name, CORRELATION_FAST, 0x1p-12, T, T, N, CMK_EDGE_ZERO)
#define FILTER_AS(name, SENSE, ROUNDING, IN, OUT, N, EDGE)                                                             \
    CMK_TABLE(CONSTANT, float, name##_taps, [N][N]);                                                                   \
    CMK_DEFINE_CONV2D_AS(name, SENSE, (IN, float, OUT, 1), (N, N), (N / 2, N / 2), name##_taps, (EDGE, 0));            \
    FILTER_ROW(name, ROUNDING, IN, OUT, N, EDGE, CMK_CHECK(CMK_TABLE_UPLOAD(name##_taps, weights, 0, N *N)))

#define FILTER_ROW(name, ROUNDING, IN, OUT, N, EDGE, UPLOAD)                                                           \
    static void name##_row(const char *text, array a)                                                                  \
    {                                                                                                                  \
        float weights[N * N];                                                                                          \
        weigh(weights, N *N, sizeof(OUT) == 1);                                                                        \
        UPLOAD;                                                                                                        \
        filter f = box(1, N, N, weights);                                                                              \
        f.rounding = ROUNDING;                                                                                         \
        measure_ways<IN, OUT>(                                                                                         \
            text, a, f, 2 * N * N, (EDGE) == CMK_EDGE_CLAMP ? CLAMPED : ZEROS,                                         \
            [=] { return name((const IN *)in, a.pitch, (OUT *)out, a.pitch, a.rows, a.columns, name##_taps, 0); },     \
            WAYS(name, IN, OUT, a, 1, name##_taps));                                                                   \
    }

#endif
