/* updates3d.h: the updates in 3D that bench/stencils3d.cu and bench/steps3d.cu both time, each with its definition.
 *
 *   STAR_3D(name, T, R, LIST)      u = tap 0 u + taps 1 to R of the neighbours along the axes */
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

#define BOX_27(USES) USES(NEXT, float, u, CMK_POINT_BOX(1), CMK_EDGE_ZERO)
CMK_POINT_3D(box_27, BOX_27)
{
    float sum = 0.0f;
    CMK_UNROLL
    for (int k = 0; k < 27; ++k) sum += (0.02f + 0.003f * (float)k) * V(k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1);
    CMK_POINT_SET(u, sum);
}
CMK_DEFINE_STENCIL3D(box_27, BOX_27);

#endif
