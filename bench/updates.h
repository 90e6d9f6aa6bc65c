/* updates.h: the updates that bench/stencils.cu and bench/steps.cu both time, each with its definition. Those of which
 * a program may want more are macros:
 *
 *   STAR(name, T, R, LIST)         u = tap 0 u + taps 1 to R of the neighbours along the axes
 *   BOX(name, R, LIST)             u = a sum of all around it, with different coefficients
 *   WAVE(name, R, LIST)            the star, in two levels of time
 *   STAR_3D(name, T, R, LIST) */
#ifndef BENCH_UPDATES_H
#define BENCH_UPDATES_H

#include <cmk/cmk.h>

#define TAPS 2.1f, 0.31f, -0.17f, 0.07f, -0.03f
CMK_TABLE_VALUES(LITERAL, float, tap, [5], TAPS);
#define TAP(k) CMK_TABLE_AT(tap, k)

/* ---- stars */
#define U(dy, dx) CMK_POINT_AT(u, dy, dx)
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
#define BOX(name, R, LIST)                                                                                             \
    CMK_POINT_2D(name, LIST)                                                                                           \
    {                                                                                                                  \
        float sum = 0.0f;                                                                                              \
        CMK_UNROLL                                                                                                     \
        for (int r = -R; r <= R; ++r) CMK_UNROLL                                                                       \
        for (int c = -R; c <= R; ++c) sum += (0.1f + 0.03f * (float)r + 0.007f * (float)c) * U(r, c);                  \
        CMK_POINT_SET(u, sum);                                                                                         \
    }                                                                                                                  \
    CMK_DEFINE_STENCIL2D(name, LIST);
#define BOX_1(USES) USES(NEXT, float, u, CMK_POINT_BOX(1), CMK_EDGE_ZERO)
BOX(box_1, 1, BOX_1)

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

/* ---- 3D */
#define V(dz, dy, dx) CMK_POINT_AT(u, dz, dy, dx)
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
