/* updates2d.h: the updates of one field in 2D that bench/stencils2d.cu and bench/steps2d.cu both time, each with its
 * definition. Those of which a program may want more are macros:
 *
 *   STAR(name, T, R, LIST)         u = tap 0 u + taps 1 to R of the neighbours along the axes
 *   BOX(name, T, R, LIST)          u = a sum of all around it, with different coefficients
 *   WAVE(name, R, LIST)            the star, in two levels of time */
#ifndef BENCH_UPDATES2D_H
#define BENCH_UPDATES2D_H

#include "stencils.h"

/* ---- stars */
#define STAR(name, T, R, LIST)                                                                                         \
    CMK_POINT_2D(name, LIST)                                                                                           \
    {                                                                                                                  \
        T sum = TAP(0) * U(0, 0);                                                                                      \
        CMK_UNROLL                                                                                                     \
        for (int k = 1; k <= R; ++k) sum += TAP(k) * (U(-k, 0) + U(k, 0) + U(0, -k) + U(0, k));                        \
        CMK_POINT_SET(u, sum);                                                                                         \
    }                                                                                                                  \
    CMK_DEFINE_STENCIL2D(name, LIST);
#define STAR_1(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)
#define STAR_2(USES) USES(NEXT, float, u, CMK_POINT_STAR(2), CMK_EDGE_ZERO)
#define STAR_4(USES) USES(NEXT, float, u, CMK_POINT_STAR(4), CMK_EDGE_ZERO)
STAR(star_1, float, 1, STAR_1)
STAR(star_2, float, 2, STAR_2)
STAR(star_4, float, 4, STAR_4)

/* ---- boxes */
#define BOX(name, T, R, LIST)                                                                                          \
    CMK_POINT_2D(name, LIST)                                                                                           \
    {                                                                                                                  \
        T sum = 0;                                                                                                     \
        CMK_UNROLL                                                                                                     \
        for (int r = -R; r <= R; ++r) CMK_UNROLL                                                                       \
        for (int c = -R; c <= R; ++c) sum += ((T)0.1 + (T)0.03 * (T)r + (T)0.007 * (T)c) * U(r, c);                    \
        CMK_POINT_SET(u, sum);                                                                                         \
    }                                                                                                                  \
    CMK_DEFINE_STENCIL2D(name, LIST);
#define BOX_1(USES) USES(NEXT, float, u, CMK_POINT_BOX(1), CMK_EDGE_ZERO)
BOX(box_1, float, 1, BOX_1)

/* ---- waves, leapfrog */
#define WAVE(name, R, LIST)                                                                                            \
    CMK_POINT_2D(name, LIST)                                                                                           \
    {                                                                                                                  \
        float sum = 2.0f * TAP(0) * U(0, 0);                                                                           \
        CMK_UNROLL                                                                                                     \
        for (int k = 1; k <= R; ++k) sum += TAP(k) * (U(-k, 0) + U(k, 0) + U(0, -k) + U(0, k));                        \
        CMK_POINT_SET(u, 2.0f * U(0, 0) - CMK_POINT_BEFORE(u) + 0.1f * sum);                                           \
    }                                                                                                                  \
    CMK_DEFINE_STENCIL2D(name, LIST);
#define WAVE_1(USES) USES(LEAPFROG, float, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)
WAVE(wave_1, 1, WAVE_1)

#endif
