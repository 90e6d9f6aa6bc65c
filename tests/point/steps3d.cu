/* Several steps in a pass against as many single ones: the same bits, of every kind of field, edge and size in 3D. */
#include <cmk/kernel/stencil3d.h>
#include "point/steps.h"

static void draw_call(call *c, int reach, size_t steps)
{
    const size_t lanes = 16 / c->size;
    c->planes = 4 * (steps + 2) * (size_t)reach + 1 + below(12);
    c->rows = 64 + below(2) * 2 * below(12);
    c->columns = 16 * lanes + below(2) * below(40);
    c->pitch = below(2) ? (c->columns + lanes - 1) / lanes * lanes + lanes * below(3) : c->columns + below(9);
    c->steps = steps + below(steps);
    c->end[0] = c->planes, c->end[1] = c->rows, c->end[2] = c->columns;
    if (below(3) > 0) return;
    c->first[0] = below(5), c->first[1] = below(9), c->first[2] = below(20);
    c->end[0] -= below(5), c->end[1] -= below(9), c->end[2] -= below(10);
}

#define DOMAIN_3D(c) (c)->planes, (c)->rows, (c)->columns, (c)->rows *(c)->pitch, (c)->pitch
#define STEPS_TEST(name, T, STAGES, REACH, BUFFERS, LIKE, BIND, SAME)                                                  \
    STEPS_TEST_OF(name, T, STAGES, REACH, BUFFERS, LIKE, BIND, SAME, 4, DOMAIN_3D)

/* ---- Definitions: sums with different weights, of which none is left out. No two are the same, and a product is added
 * at a time: nvcc then contracts them alike in all kernels. */
#define U(dz, dy, dx) CMK_POINT_AT(u, dz, dy, dx)
#define V(dz, dy, dx) CMK_POINT_AT(v, dz, dy, dx)
#define SUM(T, sum, F, R)                                                                                              \
    T sum = F(0, 0, 0) * ((T)21 / 128);                                                                                \
    CMK_UNROLL                                                                                                         \
    for (int k = 1; k <= (R); ++k) {                                                                                   \
        sum += F(-k, 0, 0) * ((T)(25 + k) / 256);                                                                      \
        sum += F(k, 0, 0) * ((T)(19 - k) / 256);                                                                       \
        sum += F(0, -k, 0) * ((T)(30 + k) / 256);                                                                      \
        sum += F(0, k, 0) * ((T)(16 - k) / 256);                                                                       \
        sum += F(0, 0, -k) * ((T)(34 + k) / 256);                                                                      \
        sum -= F(0, 0, k) * ((T)(9 + k) / 256);                                                                        \
    }

/* one field */
#define ONE(name, T, R)                                                                                                \
    CMK_POINT_3D(name, name##_LIST)                                                                                    \
    {                                                                                                                  \
        SUM(T, sum, U, R)                                                                                              \
        CMK_POINT_SET(u, sum);                                                                                         \
    }                                                                                                                  \
    CMK_DEFINE_STENCIL3D(name, name##_LIST);                                                                           \
    STEPS_TEST(name, T, 1, R, 2, (0, 0), ONE_BIND, ONE_SAME)
#define clamped_LIST(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)
#define odd_LIST(USES)                                                                                                 \
    USES(NEXT, float, u, CMK_POINT_STAR(2),                                                                            \
         CMK_EDGE_AXES_3D(CMK_EDGE_MIRROR_ODD, CMK_EDGE_REFLECT_ODD, CMK_EDGE_REFLECT))
#define sides_LIST(USES)                                                                                               \
    USES(NEXT, float, u, CMK_POINT_STAR(2),                                                                            \
         CMK_EDGE_AXES_3D(CMK_EDGE_SIDES(CMK_EDGE_REFLECT, CMK_EDGE_ZERO),                                             \
                          CMK_EDGE_SIDES(CMK_EDGE_MIRROR, CMK_EDGE_REFLECT),                                           \
                          CMK_EDGE_SIDES(CMK_EDGE_REFLECT_ODD, CMK_EDGE_CLAMP)))
#define doubles_LIST(USES) USES(NEXT, double, u, CMK_POINT_STAR(1), CMK_EDGE_SIDES(CMK_EDGE_ZERO, CMK_EDGE_REFLECT))
#define around_LIST(USES)                                                                                              \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_AXES_3D(CMK_EDGE_WRAP, CMK_EDGE_CLAMP, CMK_EDGE_WRAP))
ONE(clamped, float, 1)
ONE(odd, float, 2)
ONE(sides, float, 2)
ONE(doubles, double, 1)
ONE(around, float, 1)

/* boxes: each sample has a weight of its own. The last two reach along two axes only. */
#define BOX(name, T, ROWS, COLUMNS)                                                                                    \
    CMK_POINT_3D(name, name##_LIST)                                                                                    \
    {                                                                                                                  \
        T sum = (T)CMK_POINT_STEP / 1024;                                                                              \
        CMK_UNROLL                                                                                                     \
        for (int z = -1; z <= 1; ++z) CMK_UNROLL                                                                       \
        for (int y = -(ROWS); y <= (ROWS); ++y) CMK_UNROLL                                                             \
        for (int x = -(COLUMNS); x <= (COLUMNS); ++x)                                                                  \
            sum += U(z, y, x) * ((T)(9 + 9 * z + 4 * y + 2 * x + x * y) / 256);                                        \
        CMK_POINT_SET(u, sum);                                                                                         \
    }                                                                                                                  \
    CMK_DEFINE_STENCIL3D(name, name##_LIST);                                                                           \
    STEPS_TEST(name, T, 1, 1, 2, (0, 0), ONE_BIND, ONE_SAME)
#define cube_LIST(USES) USES(NEXT, float, u, CMK_POINT_BOX(1), CMK_EDGE_CLAMP)
#define cube_sides_LIST(USES)                                                                                          \
    USES(NEXT, float, u, CMK_POINT_BOX(1),                                                                             \
         CMK_EDGE_AXES_3D(CMK_EDGE_SIDES(CMK_EDGE_REFLECT, CMK_EDGE_ZERO),                                             \
                          CMK_EDGE_SIDES(CMK_EDGE_ZERO, CMK_EDGE_MIRROR),                                              \
                          CMK_EDGE_SIDES(CMK_EDGE_CLAMP, CMK_EDGE_ZERO)))
#define cube_doubles_LIST(USES)                                                                                        \
    USES(NEXT, double, u, CMK_POINT_BOX(1), CMK_EDGE_AXES_3D(CMK_EDGE_MIRROR, CMK_EDGE_ZERO, CMK_EDGE_WRAP))
#define cube_torus_LIST(USES) USES(NEXT, float, u, CMK_POINT_BOX(1), CMK_EDGE_WRAP)
#define pillar_LIST(USES) USES(NEXT, float, u, CMK_POINT_REACH(1, 1, 0), CMK_EDGE_REFLECT)
#define ribbon_LIST(USES) USES(NEXT, float, u, CMK_POINT_REACH(1, 0, 1), CMK_EDGE_ZERO)
BOX(cube, float, 1, 1)
BOX(cube_sides, float, 1, 1)
BOX(cube_doubles, double, 1, 1)
BOX(cube_torus, float, 1, 1)
BOX(pillar, float, 1, 0)
BOX(ribbon, float, 0, 1)

/* of a structure */
#define shorts_LIST(USES) USES(NEXT, numbers, u, CMK_POINT_STAR(1), CMK_EDGE_REFLECT)
CMK_POINT_3D(shorts, shorts_LIST)
{
    NUMBERS_OF(U(0, 0, 0), U(0, -1, 0), U(0, 0, -1), U(0, 0, 1))
    sum.x = (short)(sum.x - 9 * U(1, 0, 0).y + 11 * U(0, 1, 0).x);
    sum.y = (short)(sum.y + 4 * U(-1, 0, 0).x);
    CMK_POINT_SET(u, sum);
}
CMK_DEFINE_STENCIL3D(shorts, shorts_LIST);
STEPS_TEST(shorts, numbers, 1, 1, 2, (0, 0), OTHER_BIND, ONE_SAME)

/* two levels, a field in place that no shape has, and one that is read beside the point */
#define two_levels_LIST(USES)                                                                                          \
    USES(LEAPFROG, float, u, CMK_POINT_STAR(1), CMK_EDGE_AXES_3D(CMK_EDGE_ZERO, CMK_EDGE_CLAMP, CMK_EDGE_MIRROR))      \
    USES(IN, float, speed, CMK_POINT_BOX(1), CMK_EDGE_REFLECT)
CMK_POINT_3D(two_levels, two_levels_LIST)
{
    SUM(float, sum, U, 1)
    CMK_POINT_SET(u, sum - 0.5f * CMK_POINT_BEFORE(u) +
                         0.25f * CMK_POINT_AT(speed, 1, -1, 1) *
                             (float)(CMK_POINT_PLANE % 3 + CMK_POINT_ROW % 5 - CMK_POINT_COLUMN % 2));
}
CMK_DEFINE_STENCIL3D(two_levels, two_levels_LIST);
#define TWO_LEVELS_BIND(T, g, b)                                                                                       \
    g.u = (T *)(void *)b[0], g.u_before = (T *)(void *)b[1], g.u_spare = (T *)(void *)b[2];                            \
    g.u_before_spare = (T *)(void *)b[3], g.speed = (const T *)(const void *)b[4];
#define TWO_LEVELS_SAME(c) FIELD(u) FIELD(u_before)
STEPS_TEST(two_levels, float, 1, 1, 5, (0, 0, 2, 3, 4), TWO_LEVELS_BIND, TWO_LEVELS_SAME)

/* two stages, of which the second sets some points only */
#define staged_LIST(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)
CMK_POINT_3D_STAGES(staged, staged_LIST, 2)
{
    SUM(float, sum, U, 1)
    if (CMK_POINT_STAGE == 0)
        CMK_POINT_SET(u, sum + (float)CMK_POINT_STEP / 1024);
    else if (CMK_POINT_COLUMN % 3 > 0)
        CMK_POINT_SET(u, 0.5f * U(0, 0, 0) - 0.25f * sum);
}
CMK_DEFINE_STENCIL3D(staged, staged_LIST);
STEPS_TEST(staged, float, 2, 1, 2, (0, 0), ONE_BIND, ONE_SAME)

/* fields in place: one that is read beside the point, one that is not */
#define in_place_LIST(USES)                                                                                            \
    USES(SAME, float, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)                                                             \
    USES(SAMES, float, total, 2)
CMK_POINT_3D_STAGES(in_place, in_place_LIST, 1)
{
    CMK_POINT_SET(total[0], 0.5f * CMK_POINT_HERE(total[0]) + U(1, 0, 0) - U(0, 0, 1) + U(0, -1, 0));
    if (CMK_POINT_ROW % 4 > 0) CMK_POINT_SET(total[1], 0.25f * CMK_POINT_HERE(total[0]) - CMK_POINT_HERE(total[1]));
}
CMK_DEFINE_STENCIL3D(in_place, in_place_LIST);
#define IN_PLACE_BIND(T, g, b)                                                                                         \
    g.u = (T *)(void *)b[0], g.u_spare = (T *)(void *)b[1];                                                            \
    for (int f = 0; f < 2; ++f) g.total[f] = (T *)(void *)b[2 + f], g.total_spare[f] = (T *)(void *)b[4 + f];
#define IN_PLACE_SAME(c) FIELD(u) FIELD(total[0]) FIELD(total[1])
STEPS_TEST(in_place, float, 1, 1, 6, (0, 1, 2, 3, 4, 5), IN_PLACE_BIND, IN_PLACE_SAME)

/* two fields on a torus */
#define torus_LIST(USES)                                                                                               \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_WRAP)                                                             \
    USES(NEXT, float, v, CMK_POINT_STAR(1), CMK_EDGE_WRAP)
CMK_POINT_3D(torus, torus_LIST)
{
    SUM(float, a, U, 1)
    SUM(float, b, V, 1)
    CMK_POINT_SET(u, a + 0.5f * b);
    CMK_POINT_SET(v, b - 0.5f * a);
}
CMK_DEFINE_STENCIL3D(torus, torus_LIST);
#define TORUS_BIND(T, g, b)                                                                                            \
    g.u = (T *)(void *)b[0], g.u_next = (T *)(void *)b[1], g.v = (T *)(void *)b[2], g.v_next = (T *)(void *)b[3];
#define TORUS_SAME(c) FIELD(u) FIELD(v)
STEPS_TEST(torus, float, 1, 1, 4, (0, 0, 2, 2), TORUS_BIND, TORUS_SAME)

/* a field that is only written, by each point in one of five steps: the last one's is left */
#define written_LIST(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_REFLECT) USES(OUT, float, change)
CMK_POINT_3D(written, written_LIST)
{
    const int sets = (CMK_POINT_STEP + CMK_POINT_ROW + CMK_POINT_COLUMN) % 5 == 0;
    SUM(float, sum, U, 1)
    CMK_POINT_SET(u, sum);
    if (sets) CMK_POINT_SET(change, sum - U(0, 0, 0));
}
CMK_DEFINE_STENCIL3D(written, written_LIST);
#define WRITTEN_BIND(T, g, b) g.u = (T *)(void *)b[0], g.u_next = (T *)(void *)b[1], g.change = (T *)(void *)b[2];
#define WRITTEN_SAME(c) FIELD(u) FIELD(change)
STEPS_TEST(written, float, 1, 1, 3, (0, 0, 2), WRITTEN_BIND, WRITTEN_SAME)

/* boxes that have no passes: with an odd edge, beside another field, and where a field that is only read reaches
 * farther */
#define turned_LIST(USES)                                                                                              \
    USES(NEXT, float, u, CMK_POINT_REACH(1, 0, 0), CMK_EDGE_AXES_3D(CMK_EDGE_MIRROR_ODD, CMK_EDGE_ZERO, CMK_EDGE_ZERO))
#define pair_LIST(USES)                                                                                                \
    USES(NEXT, float, u, CMK_POINT_REACH(1, 0, 0), CMK_EDGE_ZERO) USES(NEXT, float, v, CMK_POINT_STAR(1), CMK_EDGE_ZERO)
#define led_LIST(USES)                                                                                                 \
    USES(NEXT, float, u, CMK_POINT_REACH(1, 1, 0), CMK_EDGE_ZERO)                                                      \
    USES(IN, float, v, CMK_POINT_REACH(2, 0, 0), CMK_EDGE_ZERO)
#define CMK_TUNED_led (2)
#define LONE(name)                                                                                                     \
    CMK_POINT_3D(name, name##_LIST)                                                                                    \
    {                                                                                                                  \
        CMK_POINT_SET(u, U(1, 0, 0));                                                                                  \
    }                                                                                                                  \
    CMK_DEFINE_STENCIL3D(name, name##_LIST);
LONE(turned)
LONE(pair)
LONE(led)

static void test_lone(void)
{
    if (!tap_wanted("lone")) return;
    tap_check(cmk_point_steps_(turned_definition_(), 1) == 1, "lone: a box with an odd edge has no passes");
    tap_check(cmk_point_steps_(pair_definition_(), 1) == 1, "lone: a box beside another field has no passes");
    tap_check(cmk_point_steps_(led_definition_(), 1) == 1, "lone: a box has no passes where a field reaches farther");
}

int main(int argc, char **argv)
{
    take_rounds(argc, argv);
    tap_need_device();
    test_clamped();
    test_odd();
    test_sides();
    test_doubles();
    test_around();
    test_cube();
    test_cube_sides();
    test_cube_doubles();
    test_cube_torus();
    test_pillar();
    test_ribbon();
    test_shorts();
    test_two_levels();
    test_staged();
    test_in_place();
    test_torus();
    test_written();
    test_lone();
    return tap_done();
}
