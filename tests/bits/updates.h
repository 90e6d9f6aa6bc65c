/* updates.h: twelve updates as users write them. Each has divisions, roots, branches or products and sums that a
 * compiler could contract. */
#ifndef BITS_UPDATES_H
#define BITS_UPDATES_H

#include <math.h>
#include <cmk/kernel/stencil2d.h>
#include <cmk/kernel/stencil3d.h>
#include "bits/run.h"

#define NEXT_BUFFERS(DO, T, member, number) DO(T, member, number, 1) DO(T, member##_next, number, 0)
/* A pass does 2 or 3 steps, on every card. */
#define AT(field, dy, dx) CMK_POINT_AT(field, dy, dx)
#define LAPLACE(f) (AT(f, -1, 0) + AT(f, 1, 0) + AT(f, 0, -1) + AT(f, 0, 1) - 4.0f * AT(f, 0, 0))

/* ---- heat: 5 points */
#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(VALUE, float, k)
#define CMK_TUNED_heat (3)
CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(u, AT(u, 0, 0) + k * LAPLACE(u));
}
CMK_DEFINE_STENCIL2D(heat, HEAT);
#define heat_BUFFERS(DO) NEXT_BUFFERS(DO, float, u, 0)
#define heat_ARGUMENTS , 0.2f
#define heat_BIND(g)
UPDATE(heat, 1, 1, 0, 1, 35, 265)

/* ---- asked: the same, where the text asks for contracted products */
#define CMK_TUNED_asked (3)
CMK_POINT_2D(asked, HEAT)
{
    CMK_POINT_SET(u, CMK_FMA(k, CMK_FMA(-4.0f, AT(u, 0, 0), AT(u, -1, 0) + AT(u, 1, 0) + AT(u, 0, -1) + AT(u, 0, 1)),
                             AT(u, 0, 0)));
}
CMK_DEFINE_STENCIL2D(asked, HEAT);
#define asked_BUFFERS heat_BUFFERS
#define asked_ARGUMENTS heat_ARGUMENTS
#define asked_BIND(g)
UPDATE(asked, 1, 1, 0, 1, 35, 265)

/* ---- box: 9 points, taps of a table, a wall and a torus */
CMK_TABLE_VALUES(LITERAL, float, taps, [3][3], { 0.07f, 0.1f, 0.08f }, {0.12f, 0.25f, 0.13f}, {0.06f, 0.11f, 0.08f});
#define BOX(USES)                                                                                                      \
    USES(NEXT, float, u, CMK_POINT_BOX(1), CMK_EDGE_AXES(CMK_EDGE_ZERO, CMK_EDGE_REFLECT)) USES(TABLE, taps)
#define CMK_TUNED_box (3)
CMK_POINT_2D(box, BOX)
{
    float sum = 0.0f;
    CMK_UNROLL
    for (int r = 0; r < 3; ++r) CMK_UNROLL
    for (int c = 0; c < 3; ++c) sum += CMK_TABLE_AT(taps, r, c) * AT(u, r - 1, c - 1);
    CMK_POINT_SET(u, sum);
}
CMK_DEFINE_STENCIL2D(box, BOX);
#define box_BUFFERS(DO) NEXT_BUFFERS(DO, float, u, 0)
#define box_ARGUMENTS , taps
#define box_BIND(g) g->u_outside = 1.0f;
UPDATE(box, 1, 1, 0, 1, 35, 265)

/* ---- gray_scott: two fields on a torus */
#define GRAY_SCOTT(USES)                                                                                               \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_WRAP)                                                             \
    USES(NEXT, float, v, CMK_POINT_STAR(1), CMK_EDGE_WRAP) USES(VALUE, float, feed) USES(VALUE, float, kill)
#define CMK_TUNED_gray_scott (3)
CMK_POINT_2D(gray_scott, GRAY_SCOTT)
{
    const float a = AT(u, 0, 0), b = AT(v, 0, 0), reaction = 0.05f * a * b * b;
    CMK_POINT_SET(u, a + 0.2f * LAPLACE(u) - reaction + feed * (1.0f - a));
    CMK_POINT_SET(v, b + 0.1f * LAPLACE(v) + reaction - (feed + kill) * b);
}
CMK_DEFINE_STENCIL2D(gray_scott, GRAY_SCOTT);
#define gray_scott_BUFFERS(DO) NEXT_BUFFERS(DO, float, u, 0) NEXT_BUFFERS(DO, float, v, 1)
#define gray_scott_ARGUMENTS , 0.04f, 0.06f
#define gray_scott_BIND(g)
UPDATE(gray_scott, 1, 1, 1, 1, 32, 256)

/* ---- wave: two levels */
#define WAVE(USES) USES(LEAPFROG, float, u, CMK_POINT_STAR(1), CMK_EDGE_MIRROR) USES(IN, float, speed)
#define CMK_TUNED_wave (3)
CMK_POINT_2D(wave, WAVE)
{
    CMK_POINT_SET(u, 2.0f * AT(u, 0, 0) - CMK_POINT_BEFORE(u) + 0.2f * CMK_POINT_HERE(speed) * LAPLACE(u));
}
CMK_DEFINE_STENCIL2D(wave, WAVE);
#define wave_BUFFERS(DO) DO(float, u, 0, 1) DO(float, u_before, 0, 1) DO(float, speed, 1, 0)
#define wave_ARGUMENTS
#define wave_BIND(g)
UPDATE(wave, 1, 1, 0, 1, 35, 265)

/* ---- cube: 7 points */
#define AT3(field, dz, dy, dx) CMK_POINT_AT(field, dz, dy, dx)
#define CUBE(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(VALUE, float, k)
#define CMK_TUNED_cube (2)
CMK_POINT_3D(cube, CUBE)
{
    const float here = AT3(u, 0, 0, 0);
    CMK_POINT_SET(u, here + k * (AT3(u, -1, 0, 0) + AT3(u, 1, 0, 0) + AT3(u, 0, -1, 0) + AT3(u, 0, 1, 0) +
                                 AT3(u, 0, 0, -1) + AT3(u, 0, 0, 1) - 6.0f * here));
}
CMK_DEFINE_STENCIL3D(cube, CUBE);
#define cube_BUFFERS(DO) NEXT_BUFFERS(DO, float, u, 0)
#define cube_ARGUMENTS , 0.1f
#define cube_BIND(g)
UPDATE(cube, 1, 1, 0, 18, 64, 67)

/* ---- star: 3D, radius 2, double */
#define STAR(USES) USES(NEXT, double, u, CMK_POINT_STAR(2), CMK_EDGE_REFLECT)
#define CMK_TUNED_star (2)
CMK_POINT_3D(star, STAR)
{
    double sum = 0.4 * AT3(u, 0, 0, 0);
    CMK_UNROLL
    for (int d = 1; d <= 2; ++d) {
        const double tap = d == 1 ? 0.13 : -0.03;
        sum += tap * (AT3(u, -d, 0, 0) + AT3(u, d, 0, 0)) + tap * (AT3(u, 0, -d, 0) + AT3(u, 0, d, 0)) +
               tap * (AT3(u, 0, 0, -d) + AT3(u, 0, 0, d));
    }
    CMK_POINT_SET(u, sum);
}
CMK_DEFINE_STENCIL3D(star, STAR);
#define star_BUFFERS(DO) NEXT_BUFFERS(DO, double, u, 0)
#define star_ARGUMENTS
#define star_BIND(g)
UPDATE(star, 1, 2, 0, 33, 64, 35)

/* ---- fdtd: an electric field and two magnetic ones in place, a step of two stages */
#define FDTD(USES)                                                                                                     \
    USES(SAME, float, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)                                                             \
    USES(SAME, float, x, CMK_POINT_STAR(1), CMK_EDGE_ZERO) USES(SAME, float, y, CMK_POINT_STAR(1), CMK_EDGE_ZERO)
#define CMK_TUNED_fdtd (2)
CMK_POINT_2D_STAGES(fdtd, FDTD, 2)
{
    if (CMK_POINT_STAGE == 0) {
        CMK_POINT_SET(x, AT(x, 0, 0) - 0.45f * (AT(u, 1, 0) - AT(u, 0, 0)));
        CMK_POINT_SET(y, AT(y, 0, 0) + 0.45f * (AT(u, 0, 1) - AT(u, 0, 0)));
    } else {
        CMK_POINT_SET(u, 0.99f * AT(u, 0, 0) + 0.55f * (AT(y, 0, 0) - AT(y, 0, -1)) -
                             0.55f * (AT(x, 0, 0) - AT(x, -1, 0)));
    }
}
CMK_DEFINE_STENCIL2D(fdtd, FDTD);
#define fdtd_BUFFERS(DO) DO(float, u, 0, 1) DO(float, x, 1, 1) DO(float, y, 2, 1)
#define fdtd_ARGUMENTS
#define fdtd_BIND(g)
UPDATE(fdtd, 2, 1, 0, 1, 35, 265)

/* ---- basin: shallow water between walls, with divisions and roots */
typedef struct {
    float depth, along, across;
} water;
static __device__ inline float fastest(water w)
{
    return fabsf(w.along / w.depth) + sqrtf(9.81f * w.depth);
}
static __device__ inline water through(water low, water high)
{
    const float a = fastest(low), b = fastest(high), speed = a > b ? a : b;
    const float push_low = low.along * low.along / low.depth + 4.905f * low.depth * low.depth;
    const float push_high = high.along * high.along / high.depth + 4.905f * high.depth * high.depth;
    const float turn_low = low.along * low.across / low.depth, turn_high = high.along * high.across / high.depth;
    const water flow = {0.5f * (low.along + high.along - speed * (high.depth - low.depth)),
                        0.5f * (push_low + push_high - speed * (high.along - low.along)),
                        0.5f * (turn_low + turn_high - speed * (high.across - low.across))};
    return flow;
}
#define BASIN(USES)                                                                                                    \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_MIRROR)                                                           \
    USES(NEXT, float, right, CMK_POINT_STAR(1), CMK_EDGE_AXES(CMK_EDGE_MIRROR, CMK_EDGE_MIRROR_ODD))                   \
    USES(NEXT, float, down, CMK_POINT_STAR(1), CMK_EDGE_AXES(CMK_EDGE_MIRROR_ODD, CMK_EDGE_MIRROR))                    \
    USES(VALUE, float, ratio)
#define ACROSS(dx) AT(u, 0, dx), AT(right, 0, dx), AT(down, 0, dx)
#define DOWN(dy) AT(u, dy, 0), AT(down, dy, 0), AT(right, dy, 0)
#define CMK_TUNED_basin (3)
CMK_POINT_2D(basin, BASIN)
{
    const water left = {ACROSS(-1)}, here = {ACROSS(0)}, next = {ACROSS(1)};
    const water above = {DOWN(-1)}, turned = {DOWN(0)}, below = {DOWN(1)};
    const water from_left = through(left, here), to_right = through(here, next);
    const water from_above = through(above, turned), to_below = through(turned, below);
    CMK_POINT_SET(u, here.depth + ratio * (from_left.depth - to_right.depth + from_above.depth - to_below.depth));
    CMK_POINT_SET(right, here.along + ratio * (from_left.along - to_right.along + from_above.across - to_below.across));
    CMK_POINT_SET(down, here.across + ratio * (from_left.across - to_right.across + from_above.along - to_below.along));
}
CMK_DEFINE_STENCIL2D(basin, BASIN);
#define basin_BUFFERS(DO)                                                                                              \
    NEXT_BUFFERS(DO, float, u, 0) NEXT_BUFFERS(DO, float, right, 1) NEXT_BUFFERS(DO, float, down, 2)
#define basin_ARGUMENTS , 0.05f
#define basin_BIND(g)
UPDATE(basin, 1, 1, 0, 1, 35, 265)

/* ---- limiter: a wind carries u over a torus; the slope of a cell is van Leer's, by branches and a division */
static __device__ inline float slope(float low, float here, float high)
{
    const float before = here - low, behind = high - here, product = before * behind;
    return product > 0.0f ? 2.0f * product / (before + behind) : 0.0f;
}
#define LIMITER(USES) USES(NEXT, float, u, CMK_POINT_STAR(2), CMK_EDGE_WRAP) USES(VALUE, float, c)
#define FACE(a, b, c, wind) ((b) + 0.5f * (1.0f - (wind)) * slope(a, b, c))
#define CMK_TUNED_limiter (3)
CMK_POINT_2D(limiter, LIMITER)
{
    const float left = FACE(AT(u, 0, -2), AT(u, 0, -1), AT(u, 0, 0), c);
    const float right = FACE(AT(u, 0, -1), AT(u, 0, 0), AT(u, 0, 1), c);
    const float above = FACE(AT(u, -2, 0), AT(u, -1, 0), AT(u, 0, 0), 0.5f * c);
    const float below = FACE(AT(u, -1, 0), AT(u, 0, 0), AT(u, 1, 0), 0.5f * c);
    CMK_POINT_SET(u, AT(u, 0, 0) - c * (right - left) - 0.5f * c * (below - above));
}
CMK_DEFINE_STENCIL2D(limiter, LIMITER);
#define limiter_BUFFERS(DO) NEXT_BUFFERS(DO, float, u, 0)
#define limiter_ARGUMENTS , 0.4f
#define limiter_BIND(g)
UPDATE(limiter, 1, 2, 1, 1, 44, 256)

/* ---- jacobi: 5 points, double, a right side */
#define JACOBI(USES) USES(NEXT, double, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO) USES(IN, double, f)
#define CMK_TUNED_jacobi (3)
CMK_POINT_2D(jacobi, JACOBI)
{
    const double around = AT(u, -1, 0) + AT(u, 1, 0) + 0.3 * AT(u, 0, -1) + 0.3 * AT(u, 0, 1);
    CMK_POINT_SET(u, (around - 0.01 * CMK_POINT_HERE(f)) / 2.6);
}
CMK_DEFINE_STENCIL2D(jacobi, JACOBI);
#define jacobi_BUFFERS(DO) NEXT_BUFFERS(DO, double, u, 0) DO(double, f, 1, 0)
#define jacobi_ARGUMENTS
#define jacobi_BIND(g)
UPDATE(jacobi, 1, 1, 0, 1, 35, 133)

/* ---- edges: another edge at each side, one of them odd, and a term of the place and the step */
#define EDGES(USES)                                                                                                    \
    USES(NEXT, float, u, CMK_POINT_BOX(1),                                                                             \
         CMK_EDGE_AXES(CMK_EDGE_SIDES(CMK_EDGE_CLAMP, CMK_EDGE_REFLECT_ODD),                                           \
                       CMK_EDGE_SIDES(CMK_EDGE_ZERO, CMK_EDGE_MIRROR)))
#define CMK_TUNED_edges (3)
CMK_POINT_2D(edges, EDGES)
{
    const float near = 0.1f * (AT(u, -1, -1) + AT(u, 1, 1)) + 0.15f * (AT(u, -1, 1) + AT(u, 1, -1));
    CMK_POINT_SET(u, near + 0.4f * AT(u, 0, 0) +
                         0.001f * (float)(CMK_POINT_ROW + CMK_POINT_COLUMN) / (float)(CMK_POINT_STEP + 1));
}
CMK_DEFINE_STENCIL2D(edges, EDGES);
#define edges_BUFFERS(DO) NEXT_BUFFERS(DO, float, u, 0)
#define edges_ARGUMENTS
#define edges_BIND(g) g->u_outside = 0.75f;
UPDATE(edges, 1, 1, 0, 1, 35, 265)

/* ---- sums: reductions of a step; the results of the grid in one piece have a row of their own */
#define SUMS(USES)                                                                                                     \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)                                                            \
    USES(SUM, double, total) USES(SUM, float, squares) USES(MAX, float, most) USES(MIN, double, least)
#define CMK_TUNED_sums (3)
CMK_POINT_2D(sums, SUMS)
{
    const float next = AT(u, 0, 0) + 0.23f * LAPLACE(u);
    CMK_POINT_SET(u, next);
    CMK_POINT_ADD(total, next);
    CMK_POINT_ADD(squares, next * next);
    CMK_POINT_MOST(most, next);
    CMK_POINT_LEAST(least, next);
}
CMK_DEFINE_STENCIL2D(sums, SUMS);
enum { results_count = 4 };
static char *results; /* of the rank that was opened last */
static void *result_of(int number)
{
    if (number == 0) {
        CMK_CHECK(cudaMalloc((void **)&results, results_count * CMK_POINT_RESULT_BYTES));
        CMK_CHECK(cudaMemset(results, 0, results_count * CMK_POINT_RESULT_BYTES));
    }
    return results + number * CMK_POINT_RESULT_BYTES;
}
#define sums_BUFFERS(DO) NEXT_BUFFERS(DO, float, u, 0)
#define sums_ARGUMENTS
#define sums_BIND(g)                                                                                                   \
    g->total = (double *)result_of(0), g->squares = (float *)result_of(1);                                             \
    g->most = (float *)result_of(2), g->least = (double *)result_of(3);
UPDATE(sums, 1, 1, 0, 1, 35, 265)

static void results_test(void)
{
    const cmk_i64 global[3] = {1, 35, 265};
    static const size_t sizes[results_count] = {8, 4, 4, 8};
    draw_fields("sums");
    for (int k = 0; k < 2; ++k) {
        const run r = run_of(1, runs[k].every, runs[k].how, global, 1, 0);
        hash h = hash_of_nothing;
        sums_run(&r);
        for (int i = 0; i < results_count; ++i) {
            char value[8];
            CMK_CHECK(cudaMemcpy(value, results + i * CMK_POINT_RESULT_BYTES, sizes[i], cudaMemcpyDeviceToHost));
            h = hash_more(h, value, sizes[i]);
        }
        judge("results", r.how, h);
    }
}

#endif
