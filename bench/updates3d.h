/* updates3d.h: the updates in 3D that bench/stencils3d.cu and bench/steps3d.cu both time, each with its definition.
 *
 *   STAR_3D(name, T, R, LIST)      u = tap 0 u + taps 1 to R of the neighbours along the axes
 *   CUBE_27(name, T, LIST)         u = the 27 points around it, each with a tap of its own */
#ifndef BENCH_UPDATES3D_H
#define BENCH_UPDATES3D_H

#include "stencils.h"

#define STAR_3D(name, T, R, LIST)                                                                                      \
    CMK_POINT_3D(name, LIST)                                                                                           \
    {                                                                                                                  \
        T sum = TAP(0) * V(0, 0, 0);                                                                                   \
        CMK_UNROLL                                                                                                     \
        for (int k = 1; k <= R; ++k)                                                                                   \
            sum += TAP(k) * (V(-k, 0, 0) + V(k, 0, 0) + V(0, -k, 0) + V(0, k, 0) + V(0, 0, -k) + V(0, 0, k));          \
        CMK_POINT_SET(u, sum);                                                                                         \
    }                                                                                                                  \
    CMK_DEFINE_STENCIL3D(name, LIST);
#define CUBE_1(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)
#define CUBE_2(USES) USES(NEXT, float, u, CMK_POINT_STAR(2), CMK_EDGE_ZERO)
#define CUBE_DOUBLE(USES) USES(NEXT, double, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)
STAR_3D(cube_1, float, 1, CUBE_1)
STAR_3D(cube_2, float, 2, CUBE_2)
STAR_3D(cube_double, double, 1, CUBE_DOUBLE)

#define CUBE_27(name, T, LIST)                                                                                         \
    CMK_POINT_3D(name, LIST)                                                                                           \
    {                                                                                                                  \
        T sum = (T)0;                                                                                                  \
        CMK_UNROLL                                                                                                     \
        for (int k = 0; k < 27; ++k) sum += ((T)0.02 + (T)0.003 * (T)k) * V(k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1);      \
        CMK_POINT_SET(u, sum);                                                                                         \
    }                                                                                                                  \
    CMK_DEFINE_STENCIL3D(name, LIST);
#define BOX_27(USES) USES(NEXT, float, u, CMK_POINT_BOX(1), CMK_EDGE_ZERO)
#define BOX_27_DOUBLE(USES) USES(NEXT, double, u, CMK_POINT_BOX(1), CMK_EDGE_ZERO)
CUBE_27(box_27, float, BOX_27)
CUBE_27(box_27_double, double, BOX_27_DOUBLE)

#endif
