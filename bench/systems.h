/* systems.h: the updates of several fields in 2D that bench/stencils2d.cu and bench/steps_systems.cu both time, each
 * with its definition. */
#ifndef BENCH_SYSTEMS_H
#define BENCH_SYSTEMS_H

#include "stencils.h"

/* ---- Gray-Scott */
#define GRAY_SCOTT(USES)                                                                                               \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)                                                             \
    USES(NEXT, float, v, CMK_POINT_STAR(1), CMK_EDGE_ZERO)                                                             \
    USES(VALUE, float, feed) USES(VALUE, float, kill)
#define LAPLACE(f)                                                                                                     \
    (CMK_POINT_AT(f, -1, 0) + CMK_POINT_AT(f, 1, 0) + CMK_POINT_AT(f, 0, -1) + CMK_POINT_AT(f, 0, 1) -                 \
     4.0f * CMK_POINT_AT(f, 0, 0))
CMK_POINT_2D(gray_scott, GRAY_SCOTT)
{
    const float a = CMK_POINT_HERE(u), b = CMK_POINT_HERE(v), reaction = a * b * b;
    CMK_POINT_SET(u, a + 0.2f * LAPLACE(u) - reaction + feed * (1.0f - a));
    CMK_POINT_SET(v, b + 0.1f * LAPLACE(v) + reaction - (feed + kill) * b);
}
CMK_DEFINE_STENCIL2D(gray_scott, GRAY_SCOTT);

/* ---- FDTD TM: two stages */
#define TM(USES)                                                                                                       \
    USES(SAME, float, ez, CMK_POINT_REACH(0, 1, 1), CMK_EDGE_ZERO)                                                     \
    USES(SAME, float, hx, CMK_POINT_REACH(0, 1, 0), CMK_EDGE_ZERO)                                                     \
    USES(SAME, float, hy, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_ZERO)                                                     \
    USES(VALUE, float, c)
CMK_POINT_2D_STAGES(tm, TM, 2)
{
    const float e = CMK_POINT_HERE(ez);
    if (CMK_POINT_STAGE == 0) {
        CMK_POINT_SET(hx, CMK_POINT_HERE(hx) - c * (CMK_POINT_AT(ez, 1, 0) - e));
        CMK_POINT_SET(hy, CMK_POINT_HERE(hy) + c * (CMK_POINT_AT(ez, 0, 1) - e));
    } else {
        CMK_POINT_SET(
            ez, e + c * (CMK_POINT_HERE(hy) - CMK_POINT_AT(hy, 0, -1) - CMK_POINT_HERE(hx) + CMK_POINT_AT(hx, -1, 0)));
    }
}
CMK_DEFINE_STENCIL2D(tm, TM);

/* ---- lattice Boltzmann, D2Q9 */
#define TO_XS 0, 1, 0, -1, 0, 1, -1, -1, 1
#define TO_YS 0, 0, 1, 0, -1, 1, 1, -1, -1
#define SHARES 4.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36
CMK_TABLE_VALUES(LITERAL, int, to_x, [9], TO_XS);
CMK_TABLE_VALUES(LITERAL, int, to_y, [9], TO_YS);
CMK_TABLE_VALUES(LITERAL, float, part, [9], SHARES);
#define LBM(USES) USES(NEXTS, float, f, 9, CMK_POINT_BOX(1), CMK_EDGE_ZERO) USES(VALUE, float, omega)
#define TO_X(k) CMK_TABLE_AT(to_x, k)
#define TO_Y(k) CMK_TABLE_AT(to_y, k)
CMK_POINT_2D(lbm, LBM)
{
    float a[9], density = 1.0f, x = 0.0f, y = 0.0f;
    CMK_UNROLL
    for (int k = 0; k < 9; ++k) {
        a[k] = CMK_POINT_AT(f[k], -TO_Y(k), -TO_X(k));
        density += 0.1f * a[k];
        x += TO_X(k) * a[k];
        y += TO_Y(k) * a[k];
    }
    x /= density;
    y /= density;
    const float square = x * x + y * y;
    CMK_UNROLL
    for (int k = 0; k < 9; ++k) {
        const float along = TO_X(k) * x + TO_Y(k) * y;
        const float balance =
            CMK_TABLE_AT(part, k) * density * (1.0f + 3.0f * along + 4.5f * along * along - 1.5f * square);
        CMK_POINT_SET(f[k], a[k] + omega * (balance - a[k]));
    }
}
CMK_DEFINE_STENCIL2D(lbm, LBM);

#endif
