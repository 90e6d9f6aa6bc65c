/* Several steps in a pass against as many single ones along lines: 2D definitions of which no point reads another
 * row. The same bits, of every kind of field, edge, length and reach. */
#include "short_floats.h"
#include <cmk/kernel/stencil2d.h>
#include "point/steps.h"

/* Lines of a part of a warp, of one or of some, which then have parts that know no end; a part of them in one call of
 * three. Width is the columns of a warp, below 0 of lines that wrap, which have whole vectors. */
static void draw_call(call *c, int width, size_t most)
{
    const size_t lanes = 16 / c->size, all = (size_t)abs(width);
    c->planes = 1 + below(2);
    c->rows = 1 + below(5);
    c->columns = below(2) ? all / 8 + below((unsigned)all) : all * (1 + below(2)) - 8 + below(17);
    if (below(4) == 0) c->planes = c->rows = 1, c->columns += 2 * all + below((unsigned)all);
    if (width < 0) c->columns += lanes - c->columns % lanes;
    c->pitch = below(2) ? (c->columns + lanes - 1) / lanes * lanes + lanes * below(3) : c->columns + below(9);
    c->steps = below(4) > 0 ? 2 + below(8) : most + below((unsigned)most);
    c->first[0] = c->planes == 2 && c->rows % 2 == 0;
    c->end[0] = c->planes, c->end[1] = c->rows, c->end[2] = c->columns;
    if (below(3) > 0) return;
    c->first[1] = below(1 + c->rows / 4), c->first[2] = below(40);
    c->end[1] -= below(1 + c->rows / 4), c->end[2] -= below(20);
}

#define DOMAIN_OF(c) (c)->rows, (c)->columns, (c)->pitch
#define LINES_TEST(name, T, STAGES, SIGN, BUFFERS, LIKE, BIND, SAME)                                                   \
    STEPS_TEST_OF(name, T, STAGES, SIGN cmk_point_line_width_(name##_definition_()), BUFFERS, LIKE, BIND, SAME, 12,    \
                  DOMAIN_OF)

/* ---- Definitions: sums with different weights, of which none is left out, of both sides */
#define U(dx) CMK_POINT_AT(u, 0, dx)
#define V(dx) CMK_POINT_AT(v, 0, dx)
#define SUM(T, sum, F, R)                                                                                              \
    T sum = 0;                                                                                                         \
    CMK_UNROLL                                                                                                         \
    for (int x = -(R); x <= (R); ++x) sum += F(x) * ((T)(17 - 3 * x) / 256);

/* one field */
#define ONE(name, T, R)                                                                                                \
    CMK_POINT_2D(name, name##_LIST)                                                                                    \
    {                                                                                                                  \
        SUM(T, sum, U, R)                                                                                              \
        CMK_POINT_SET(u, sum);                                                                                         \
    }                                                                                                                  \
    CMK_DEFINE_STENCIL2D(name, name##_LIST);                                                                           \
    LINES_TEST(name, T, 1, +, 2, (0, 0), ONE_BIND, ONE_SAME)
#define clamped_LIST(USES) USES(NEXT, float, u, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_CLAMP)
#define sides_LIST(USES)                                                                                               \
    USES(NEXT, float, u, CMK_POINT_REACH(0, 0, 2), CMK_EDGE_SIDES(CMK_EDGE_REFLECT_ODD, CMK_EDGE_MIRROR))
#define odd_LIST(USES)                                                                                                 \
    USES(NEXT, float, u, CMK_POINT_REACH(0, 0, 4), CMK_EDGE_SIDES(CMK_EDGE_ZERO, CMK_EDGE_MIRROR_ODD))
#define far_LIST(USES)                                                                                                 \
    USES(NEXT, float, u, CMK_POINT_REACH(0, 0, 8), CMK_EDGE_SIDES(CMK_EDGE_MIRROR, CMK_EDGE_REFLECT_ODD))
#define doubles_LIST(USES)                                                                                             \
    USES(NEXT, double, u, CMK_POINT_REACH(0, 0, 3), CMK_EDGE_SIDES(CMK_EDGE_REFLECT, CMK_EDGE_ZERO))
ONE(clamped, float, 1)
ONE(sides, float, 2)
ONE(odd, float, 4)
ONE(far, float, 8)
ONE(doubles, double, 3)

/* other types */
#define shorts_LIST(USES) USES(NEXT, numbers, u, CMK_POINT_REACH(0, 0, 2), CMK_EDGE_REFLECT)
CMK_POINT_2D(shorts, shorts_LIST)
{
    NUMBERS_OF(U(0), U(-2), U(-1), U(2))
    CMK_POINT_SET(u, sum);
}
CMK_DEFINE_STENCIL2D(shorts, shorts_LIST);
LINES_TEST(shorts, numbers, 1, +, 2, (0, 0), OTHER_BIND, ONE_SAME)
#define bytes_LIST(USES) USES(NEXT, unsigned char, u, CMK_POINT_REACH(0, 0, 3), CMK_EDGE_CLAMP)
CMK_POINT_2D(bytes, bytes_LIST)
{
    CMK_POINT_SET(u, (unsigned char)((U(-3) + 3 * U(0) + 5 * U(1) + 7 * U(3)) & 255));
}
CMK_DEFINE_STENCIL2D(bytes, bytes_LIST);
LINES_TEST(bytes, unsigned char, 1, +, 2, (0, 0), OTHER_BIND, ONE_SAME)
#if TEST_HAS_half
#define halves_LIST(USES) USES(NEXT, test_half, u, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_MIRROR)
CMK_POINT_2D(halves, halves_LIST)
{
    CMK_POINT_SET(u, HALF_OF(U(0), U(1), U(-1), U(0)));
}
CMK_DEFINE_STENCIL2D(halves, halves_LIST);
LINES_TEST(halves, test_half, 1, +, 2, (0, 0), OTHER_BIND, ONE_SAME)
#endif

/* two fields that wrap, and one that is only written, by each point in two of three steps */
#define ring_LIST(USES)                                                                                                \
    USES(NEXT, float, u, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_WRAP)                                                      \
    USES(NEXT, float, v, CMK_POINT_REACH(0, 0, 2), CMK_EDGE_WRAP) USES(OUT, float, change)
CMK_POINT_2D(ring, ring_LIST)
{
    SUM(float, a, U, 1)
    SUM(float, b, V, 2)
    CMK_POINT_SET(u, a + 0.5f * b);
    if (CMK_POINT_COLUMN % 3 > 0) CMK_POINT_SET(v, b - 0.5f * a);
    if ((CMK_POINT_STEP + CMK_POINT_COLUMN) % 3 > 0) CMK_POINT_SET(change, a - U(0));
}
CMK_DEFINE_STENCIL2D(ring, ring_LIST);
#define RING_BIND(T, g, b)                                                                                             \
    g.u = (T *)(void *)b[0], g.u_next = (T *)(void *)b[1], g.v = (T *)(void *)b[2], g.v_next = (T *)(void *)b[3];      \
    g.change = (T *)(void *)b[4];
#define RING_SAME(c) FIELD(u) FIELD(v) FIELD(change)
LINES_TEST(ring, float, 1, -, 5, (0, 0, 2, 2, 4), RING_BIND, RING_SAME)

/* two levels, and a field that is read at the point */
#define string_LIST(USES)                                                                                              \
    USES(LEAPFROG, float, u, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_SIDES(CMK_EDGE_CLAMP, CMK_EDGE_MIRROR))                \
    USES(IN, float, speed)
CMK_POINT_2D(string, string_LIST)
{
    SUM(float, sum, U, 1)
    CMK_POINT_SET(u, sum - 0.5f * CMK_POINT_BEFORE(u) + 0.25f * CMK_POINT_HERE(speed) * (float)(CMK_POINT_ROW % 5));
}
CMK_DEFINE_STENCIL2D(string, string_LIST);
#define STRING_BIND(T, g, b)                                                                                           \
    g.u = (T *)(void *)b[0], g.u_before = (T *)(void *)b[1], g.u_spare = (T *)(void *)b[2];                            \
    g.u_before_spare = (T *)(void *)b[3], g.speed = (const T *)(const void *)b[4];
#define STRING_SAME(c) FIELD(u) FIELD(u_before)
LINES_TEST(string, float, 1, +, 5, (0, 0, 2, 3, 4), STRING_BIND, STRING_SAME)

/* two stages in place, each of which sets what the other reads beside the point, and a field that one reads there */
#define staged_LIST(USES)                                                                                              \
    USES(SAME, float, u, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_ZERO)                                                      \
    USES(SAME, float, v, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_CLAMP)                                                     \
    USES(IN, float, speed, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_REFLECT)
CMK_POINT_2D_STAGES(staged, staged_LIST, 2)
{
    if (CMK_POINT_STAGE == 0)
        CMK_POINT_SET(v, V(0) + CMK_POINT_AT(speed, 0, -1) * (U(1) - U(0)) + (float)CMK_POINT_STEP / 1024);
    else
        CMK_POINT_SET(u, U(0) - 0.25f * (V(0) - V(-1)));
}
CMK_DEFINE_STENCIL2D(staged, staged_LIST);
#define STAGED_BIND(T, g, b)                                                                                           \
    g.u = (T *)(void *)b[0], g.v = (T *)(void *)b[1], g.u_spare = (T *)(void *)b[2], g.v_spare = (T *)(void *)b[3];    \
    g.speed = (const T *)(const void *)b[4];
#define STAGED_SAME(c) FIELD(u) FIELD(v)
LINES_TEST(staged, float, 2, +, 5, (0, 1, 2, 3, 4), STAGED_BIND, STAGED_SAME)

/* that passes are made: after one, of any number of steps, the buffers have changed places once; and where not */
static void test_pass(void)
{
    const size_t most = (size_t)cmk_point_steps_(clamped_definition_(), 1);
    float *buffers[2];
    for (int k = 0; k < 2; ++k) {
        CMK_CHECK(cudaMalloc((void **)&buffers[k], 4096 * sizeof(float)));
        CMK_CHECK(cudaMemset(buffers[k], 0, 4096 * sizeof(float)));
    }
    clamped_grid grid = clamped_domain(1, 4096, 4096);
    grid.u = buffers[0], grid.u_next = buffers[1];
    CMK_CHECK(clamped_steps(&grid, most, 0));
    tap_check(grid.u == buffers[1] && grid.first_step == most, "a line: a pass is made");
    CMK_CHECK(clamped_steps(&grid, most + 1, 0));
    tap_check(grid.u == buffers[1] && grid.first_step == 2 * most + 1, "a line: passes of as many steps each");
    grid.columns = grid.end_column = 64;
    CMK_CHECK(clamped_steps(&grid, 3, 0));
    tap_check(grid.u == buffers[0] && grid.first_step == 2 * most + 4, "a short line: single steps");
    for (int k = 0; k < 2; ++k) CMK_CHECK(cudaFree(buffers[k]));
}

int main(int argc, char **argv)
{
    take_rounds(argc, argv);
    tap_need_device();
    test_clamped();
    test_sides();
    test_odd();
    test_far();
    test_doubles();
    test_shorts();
    test_bytes();
#if TEST_HAS_half
    test_halves();
#endif
    test_ring();
    test_string();
    test_staged();
    if (tap_wanted("pass")) test_pass();
    return tap_done();
}
