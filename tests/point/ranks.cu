/* Grids split over ranks: every rank has its points and ghosts, and what they come to is that of the grid in one piece,
 * bit for bit, reductions too: one step between exchanges or several, in passes, by boxes, and with the border first.
 * All products are exact, so that a sum has the same bits with and without contraction. */
#include <cmk/kernel/bordered.h>
#include <cmk/kernel/stencil2d.h>
#include <cmk/kernel/stencil3d.h>
#include "point/ranks.h"

#define PLACE(dz) ((float)((3 * (dz) + 5 * CMK_POINT_ROW + 7 * CMK_POINT_COLUMN + (int)CMK_POINT_STEP) % 8) / 64)
#define NEXT_POINTERS(DO) DO(float, u) DO(float, u_next)
#define U2(dy, dx) CMK_POINT_AT(u, dy, dx)
#define U3(dz, dy, dx) CMK_POINT_AT(u, dz, dy, dx)

/* reductions, and what an update says of its points; a float and a double add up in one sum */
#define SAYS(USES) USES(SUM, double, total) USES(MAX, float, most) USES(MIN, double, least)
#define SAY(value)                                                                                                     \
    CMK_POINT_ADD(total, value);                                                                                       \
    CMK_POINT_MOST(most, (float)(value));                                                                              \
    CMK_POINT_LEAST(least, value);
#define SAID(DO) DO(double, total, 0) DO(float, most, 1) DO(double, least, 2)
#define NOTHING(DO)

/* the last point of the grid is held, and all see where they are */
#define FLAT(USES)                                                                                                     \
    USES(NEXT, float, u, CMK_POINT_STAR(1),                                                                            \
         CMK_EDGE_AXES(CMK_EDGE_SIDES(CMK_EDGE_CLAMP, CMK_EDGE_MIRROR), CMK_EDGE_ZERO))                                \
    SAYS(USES)
CMK_POINT_2D(flat, FLAT)
{
    if (CMK_POINT_ROW == CMK_POINT_ROWS - 1 && CMK_POINT_COLUMN == CMK_POINT_COLUMNS - 1) return;
    const float next = 0.5f * U2(0, 0) + 0.125f * (U2(-1, 0) + U2(0, 1)) - 0.0625f * (U2(1, 0) + U2(0, -1)) + PLACE(0);
    CMK_POINT_SET(u, next);
    SAY(next)
}
CMK_DEFINE_STENCIL2D(flat, FLAT);
CMK_DEFINE_BORDERED(flat, FLAT);
#define flat_RESULTS SAID
#define flat_POINTERS NEXT_POINTERS

#define TORUS(USES) USES(NEXT, float, u, CMK_POINT_BOX(1), CMK_EDGE_WRAP)
CMK_POINT_2D(torus, TORUS)
{
    CMK_POINT_SET(u, 0.5f * U2(0, 0) + 0.25f * U2(-1, 1) - 0.125f * (U2(1, 1) + U2(0, -1)) + PLACE(0));
}
CMK_DEFINE_STENCIL2D(torus, TORUS);
CMK_DEFINE_BORDERED(torus, TORUS);
#define torus_RESULTS NOTHING
#define torus_POINTERS NEXT_POINTERS

#define LEAP(USES) USES(LEAPFROG, double, u, CMK_POINT_STAR(2), CMK_EDGE_REFLECT_ODD)
CMK_POINT_2D(leap, LEAP)
{
    CMK_POINT_SET(u, 0.5 * U2(0, 0) - 0.25 * CMK_POINT_BEFORE(u) + 0.125 * (U2(-2, 0) + U2(0, 2)) - 0.0625 * U2(0, -1) +
                         (double)PLACE(0));
}
CMK_DEFINE_STENCIL2D(leap, LEAP);
CMK_DEFINE_BORDERED(leap, LEAP);
#define leap_RESULTS NOTHING
#define leap_POINTERS(DO) DO(double, u) DO(double, u_before) DO(double, u_spare) DO(double, u_before_spare)

#define TURNS(USES)                                                                                                    \
    USES(SAME, float, u, CMK_POINT_BOX(1), CMK_EDGE_AXES(CMK_EDGE_WRAP, CMK_EDGE_REFLECT))                             \
    USES(SAME, float, v, CMK_POINT_STAR(1), CMK_EDGE_AXES(CMK_EDGE_WRAP, CMK_EDGE_CLAMP)) SAYS(USES)
#define V2(dy, dx) CMK_POINT_AT(v, dy, dx)
CMK_POINT_2D_STAGES(turns, TURNS, 2)
{
    if (CMK_POINT_STAGE == 0) {
        const float next = 0.5f * U2(0, 0) + 0.25f * (V2(0, 1) - V2(1, 0)) + PLACE(0);
        CMK_POINT_SET(u, next);
        CMK_POINT_ADD(total, (double)next);
        CMK_POINT_MOST(most, next);
    } else {
        const float next = 0.5f * V2(0, 0) + 0.25f * (U2(-1, 1) - U2(1, 1)) + PLACE(0);
        CMK_POINT_SET(v, next);
        SAY(2.0f * next)
    }
}
CMK_DEFINE_STENCIL2D(turns, TURNS);
CMK_DEFINE_BORDERED(turns, TURNS);
#define turns_RESULTS SAID
#define turns_POINTERS(DO) DO(float, u) DO(float, v) DO(float, u_spare) DO(float, v_spare)

#define COLOURS(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_AXES(CMK_EDGE_WRAP, CMK_EDGE_MIRROR_ODD))
CMK_POINT_2D_STAGES(colours, COLOURS, 2)
{
    const float sum = U2(-1, 0) + U2(1, 0) + U2(0, -1) + U2(0, 1);
    if (CMK_POINT_COLOUR == CMK_POINT_STAGE) CMK_POINT_SET(u, 0.25f * sum + PLACE(0));
}
CMK_DEFINE_STENCIL2D(colours, COLOURS);
CMK_DEFINE_BORDERED(colours, COLOURS);
#define colours_POINTERS NEXT_POINTERS
#define colours_RESULTS NOTHING

#define CUBE(USES)                                                                                                     \
    USES(NEXT, float, u, CMK_POINT_STAR(1),                                                                            \
         CMK_EDGE_AXES_3D(CMK_EDGE_SIDES(CMK_EDGE_ZERO, CMK_EDGE_REFLECT), CMK_EDGE_CLAMP, CMK_EDGE_MIRROR))
CMK_POINT_3D(cube, CUBE)
{
    if (CMK_POINT_PLANE == CMK_POINT_PLANES - 1 && CMK_POINT_ROW == 0) return;
    CMK_POINT_SET(u, 0.5f * U3(0, 0, 0) + 0.25f * (U3(1, 0, 0) + U3(0, 0, 1)) -
                         0.125f * (U3(-1, 0, 0) + U3(0, 1, 0) + U3(0, -1, 0) + U3(0, 0, -1)) + PLACE(CMK_POINT_PLANE));
}
CMK_DEFINE_STENCIL3D(cube, CUBE);
CMK_DEFINE_BORDERED(cube, CUBE);
#define cube_RESULTS NOTHING
#define cube_POINTERS NEXT_POINTERS

#define AROUND(USES) USES(LEAPFROG, float, u, CMK_POINT_STAR(2), CMK_EDGE_WRAP) SAYS(USES)
CMK_POINT_3D(around, AROUND)
{
    const float next = 0.5f * U3(0, 0, 0) - 0.25f * CMK_POINT_BEFORE(u) + 0.125f * (U3(2, 0, 0) - U3(0, -2, 0)) +
                       0.0625f * (U3(0, 0, 2) - U3(-1, 0, 0)) + (float)((CMK_POINT_PLANE + 5 * CMK_POINT_ROW) % 8) / 64;
    CMK_POINT_SET(u, next);
    SAY(next)
}
CMK_DEFINE_STENCIL3D(around, AROUND);
CMK_DEFINE_BORDERED(around, AROUND);
#define around_RESULTS SAID
#define around_POINTERS(DO) DO(float, u) DO(float, u_before) DO(float, u_spare) DO(float, u_before_spare)

#define FAR(USES) USES(NEXT, float, u, CMK_POINT_STAR(4), CMK_EDGE_MIRROR_ODD)
CMK_POINT_3D(distant, FAR)
{
    CMK_POINT_SET(u, 0.5f * U3(0, 0, 0) + 0.125f * (U3(4, 0, 0) - U3(-4, 0, 0) + U3(0, 4, 0) - U3(0, -3, 0)) +
                         0.0625f * (U3(0, 0, 4) - U3(0, 0, -4)) + PLACE(CMK_POINT_PLANE));
}
CMK_DEFINE_STENCIL3D(distant, FAR);
CMK_DEFINE_BORDERED(distant, FAR);
#define distant_RESULTS NOTHING
#define distant_POINTERS NEXT_POINTERS

#define PAIR(USES)                                                                                                     \
    USES(SAME, double, u, CMK_POINT_BOX(1), CMK_EDGE_ZERO)                                                             \
    USES(SAME, double, v, CMK_POINT_BOX(1), CMK_EDGE_AXES_3D(CMK_EDGE_CLAMP, CMK_EDGE_REFLECT, CMK_EDGE_MIRROR))       \
    SAYS(USES)
#define V3(dz, dy, dx) CMK_POINT_AT(v, dz, dy, dx)
CMK_POINT_3D_STAGES(pair, PAIR, 2)
{
    const double place = (double)PLACE(CMK_POINT_PLANE);
    if (CMK_POINT_STAGE == 0) {
        const double next = 0.5 * U3(0, 0, 0) + 0.25 * (V3(1, 1, 1) - V3(-1, 1, 0)) + place;
        CMK_POINT_SET(u, next);
        SAY(next)
    } else {
        CMK_POINT_SET(v, 0.5 * V3(0, 0, 0) + 0.25 * (U3(-1, -1, 1) - U3(1, 0, 1)) + place);
    }
}
CMK_DEFINE_STENCIL3D(pair, PAIR);
CMK_DEFINE_BORDERED(pair, PAIR);
#define pair_RESULTS SAID
#define pair_POINTERS(DO) DO(double, u) DO(double, v) DO(double, u_spare) DO(double, v_spare)

/* The sizes of most runs are small; every fourth is such that a pass of several steps is made. */
static int dims;

static run draw_run(int number, int stages, int reach, int around, int most_steps)
{
    const int wide = number % 4 == 3;
    run r;
    memset(&r, 0, sizeof r);
    r.way = (int)below(stages > 1 ? BY_BOXES : WAYS);
    if (wide) r.way = BY_STEPS + (int)below(3);
    if (stages > 1 && below(3) == 0) r.way = BY_BORDER;
    r.every = wide                ? most_steps + (int)(r.way != BY_DEEP_BORDER && below(2))
              : r.way == BY_BOXES ? 1
                                  : 1 + (int)below(3);
    r.rounds = 1 + (int)below(wide ? 2 : 3);
    const cmk_i64 least = wide ? (dims == 3 ? 64 : 130) : 2, more = wide ? 30 : 9;
    const int most = wide ? (dims == 3 && below(3) > 0 ? 1 : 2) : 3;
    if (dims == 3)
        draw_axis(&r, 0, CMK_POINT_PLANES_OF_(reach) * stages, wide ? 2 : 3, wide ? 50 : 2, wide ? 8 : more,
                  around & 1);
    else
        draw_axis(&r, 0, 0, 2, 1, 1, 0);
    draw_axis(&r, 1, CMK_POINT_ROWS_OF_(reach) * stages, most, least, more, around & 2);
    draw_axis(&r, 2, CMK_POINT_COLUMNS_OF_(reach) * stages, most, least, below(4) == 0 ? 150 : more, around & 4);
    r.ranks = r.parts[0] * r.parts[1] * r.parts[2];
    return r;
}

#define GLOBAL_2D(name) name##_domain((size_t)r->global[1], (size_t)r->global[2], (size_t)r->global[2] + 3)
#define GLOBAL_3D(name)                                                                                                \
    name##_domain((size_t)r->global[0], (size_t)r->global[1], (size_t)r->global[2],                                    \
                  (size_t)(r->global[1] * (r->global[2] + 3)), (size_t)r->global[2] + 3)
RANKS_TEST(flat, float, 1, 1, 24, GLOBAL_2D(flat))
RANKS_TEST(torus, float, 1, 1, 24, GLOBAL_2D(torus))
RANKS_TEST(leap, double, 1, 2, 24, GLOBAL_2D(leap))
RANKS_TEST(turns, float, 2, 2, 24, GLOBAL_2D(turns))
RANKS_TEST(colours, float, 2, 1, 24, GLOBAL_2D(colours))
RANKS_TEST(cube, float, 1, 1, 16, GLOBAL_3D(cube))
RANKS_TEST(around, float, 1, 2, 16, GLOBAL_3D(around))
RANKS_TEST(distant, float, 1, 1, 16, GLOBAL_3D(distant))
RANKS_TEST(pair, double, 2, 2, 16, GLOBAL_3D(pair))

int main(int argc, char **argv)
{
    if (argc > 1) quarters = atoi(argv[1]);
    if (argc > 2) tap_only = argv[2];
    tap_need_device();
    CMK_CHECK(cudaMalloc((void **)&arrived, sizeof *arrived));
    make_results();
    dims = 2;
    test_flat();
    test_torus();
    test_leap();
    test_turns();
    test_colours();
    dims = 3;
    test_cube();
    test_around();
    test_distant();
    test_pair();
    CMK_CHECK(cudaFree(arrived));
    for (int k = 0; k < 2 * most_results; ++k) CMK_CHECK(cudaFree(results[k]));
    return tap_done();
}
