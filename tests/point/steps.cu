/* Several steps in a pass against as many single ones: the same bits, of every kind of field, edge and size in 2D. */
#define CMK_TUNED_two (2, 4)
#define CMK_TUNED_pair (2)
#define CMK_TUNED_many (16, 1)
#define CMK_TUNED_relayed (2)
#define CMK_TUNED_shorts (2) /* nvcc keeps each of the two in a register of its own */
#include "short_floats.h"
#include <cmk/kernel/stencil2d.h>
#include "point/steps.h"

/* of four calls two have two images, and one of these updates the second alone; half have the columns of a relay */
static void draw_call(call *c, int reach, size_t steps)
{
    static int calls = 0;
    const size_t lanes = 16 / c->size;
    ++calls;
    c->planes = 1 + (size_t)(calls % 2);
    c->rows = 4 * (steps + 2) * (size_t)(reach > 0 ? reach : 1) + 1 + below(50);
    c->columns = 32 * lanes * (below(2) ? 4 : 1) + below(4) * below(64);
    c->pitch = below(2) ? (c->columns + lanes - 1) / lanes * lanes + lanes * below(3) : c->columns + below(9);
    c->steps = steps * (1 + below(2)) + below(steps);
    c->first[0] = calls % 4 == 3;
    c->end[0] = c->planes, c->end[1] = c->rows, c->end[2] = c->columns;
    if (below(3) > 0) return;
    c->first[1] = below(9), c->first[2] = below(40);
    c->end[1] -= below(9), c->end[2] -= below(20);
}

#define DOMAIN_2D(c) (c)->rows, (c)->columns, (c)->pitch
#define STEPS_TEST(name, T, STAGES, REACH, BUFFERS, LIKE, BIND, SAME)                                                  \
    STEPS_TEST_OF(name, T, STAGES, REACH, BUFFERS, LIKE, BIND, SAME, 9, DOMAIN_2D)

/* ---- Definitions: sums with different weights, of which none is left out */
#define U(dy, dx) CMK_POINT_AT(u, dy, dx)
#define V(dy, dx) CMK_POINT_AT(v, dy, dx)
#define SUM(T, sum, F, SHAPE, R)                                                                                       \
    T sum = 0;                                                                                                         \
    CMK_UNROLL                                                                                                         \
    for (int y = -(R); y <= (R); ++y) CMK_UNROLL                                                                       \
    for (int x = -(R); x <= (R); ++x)                                                                                  \
        if ((SHAPE) < 0x1000 || x == 0 || y == 0) sum += F(y, x) * ((T)(7 + 3 * y - 2 * x) / 256);

/* one field */
#define ONE(name, T, SHAPE, R)                                                                                         \
    CMK_POINT_2D(name, name##_LIST)                                                                                    \
    {                                                                                                                  \
        SUM(T, sum, U, SHAPE, R)                                                                                       \
        CMK_POINT_SET(u, sum);                                                                                         \
    }                                                                                                                  \
    CMK_DEFINE_STENCIL2D(name, name##_LIST);                                                                           \
    STEPS_TEST(name, T, 1, R, 2, (0, 0), ONE_BIND, ONE_SAME)
#define clamped_LIST(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)
#define odd_LIST(USES) USES(NEXT, float, u, CMK_POINT_BOX(1), CMK_EDGE_AXES(CMK_EDGE_MIRROR_ODD, CMK_EDGE_REFLECT_ODD))
#define sides_LIST(USES)                                                                                               \
    USES(NEXT, float, u, CMK_POINT_BOX(2),                                                                             \
         CMK_EDGE_AXES(CMK_EDGE_SIDES(CMK_EDGE_ZERO, CMK_EDGE_MIRROR),                                                 \
                       CMK_EDGE_SIDES(CMK_EDGE_REFLECT_ODD, CMK_EDGE_CLAMP)))
#define far_LIST(USES)                                                                                                 \
    USES(NEXT, float, u, CMK_POINT_STAR(4),                                                                            \
         CMK_EDGE_AXES(CMK_EDGE_SIDES(CMK_EDGE_REFLECT, CMK_EDGE_REFLECT_ODD),                                         \
                       CMK_EDGE_SIDES(CMK_EDGE_MIRROR_ODD, CMK_EDGE_REFLECT)))
#define doubles_LIST(USES) USES(NEXT, double, u, CMK_POINT_STAR(2), CMK_EDGE_SIDES(CMK_EDGE_ZERO, CMK_EDGE_REFLECT))
#define around_LIST(USES) USES(NEXT, float, u, CMK_POINT_BOX(1), CMK_EDGE_AXES(CMK_EDGE_WRAP, CMK_EDGE_CLAMP))
ONE(clamped, float, CMK_POINT_STAR(1), 1)
ONE(odd, float, CMK_POINT_BOX(1), 1)
ONE(sides, float, CMK_POINT_BOX(2), 2)
ONE(far, float, CMK_POINT_STAR(4), 4)
ONE(doubles, double, CMK_POINT_STAR(2), 2)
ONE(around, float, CMK_POINT_BOX(1), 1)
#define two_LIST clamped_LIST
#define pair_LIST doubles_LIST
ONE(two, float, CMK_POINT_STAR(1), 1)
ONE(pair, double, CMK_POINT_STAR(2), 2)
#if !defined(__CUDACC__) /* of which a GPU has not the registers */
#define many_LIST sides_LIST
ONE(many, float, CMK_POINT_BOX(2), 2)
#endif

/* relays: levels that hand their rows on, of fields that reach as far as a vector, and farther */
#define wide_LIST(USES)                                                                                                \
    USES(NEXT, float, u, CMK_POINT_BOX(3),                                                                             \
         CMK_EDGE_AXES(CMK_EDGE_SIDES(CMK_EDGE_CLAMP, CMK_EDGE_MIRROR_ODD),                                            \
                       CMK_EDGE_SIDES(CMK_EDGE_REFLECT_ODD, CMK_EDGE_ZERO)))
#define farther_LIST(USES)                                                                                             \
    USES(NEXT, double, u, CMK_POINT_STAR(3),                                                                           \
         CMK_EDGE_AXES(CMK_EDGE_SIDES(CMK_EDGE_ZERO, CMK_EDGE_REFLECT),                                                \
                       CMK_EDGE_SIDES(CMK_EDGE_MIRROR, CMK_EDGE_CLAMP)))
#define corners_LIST(USES)                                                                                             \
    USES(NEXT, double, u, CMK_POINT_REACH(0, 2, 3),                                                                    \
         CMK_EDGE_AXES(CMK_EDGE_SIDES(CMK_EDGE_MIRROR_ODD, CMK_EDGE_REFLECT_ODD),                                      \
                       CMK_EDGE_SIDES(CMK_EDGE_REFLECT_ODD, CMK_EDGE_MIRROR_ODD)))
#define ring_LIST(USES) USES(NEXT, double, u, CMK_POINT_STAR(3), CMK_EDGE_WRAP)
#define farthest_LIST(USES) USES(NEXT, float, u, CMK_POINT_STAR(8), CMK_EDGE_AXES(CMK_EDGE_REFLECT, CMK_EDGE_MIRROR))
ONE(wide, float, CMK_POINT_BOX(3), 3)
ONE(farther, double, CMK_POINT_STAR(3), 3)
ONE(ring, double, CMK_POINT_STAR(3), 3)
ONE(farthest, float, CMK_POINT_STAR(8), 8)
CMK_POINT_2D(corners, corners_LIST)
{
    double sum = 0;
    CMK_UNROLL
    for (int i = 0; i < 35; ++i) sum += U(i / 7 - 2, i % 7 - 3) * ((double)(7 + i % 13) / 512);
    CMK_POINT_SET(u, sum);
}
CMK_DEFINE_STENCIL2D(corners, corners_LIST);
STEPS_TEST(corners, double, 1, 3, 2, (0, 0), ONE_BIND, ONE_SAME)

/* a relay of two stages, one of which writes a field that is only written, and of a field that is only read */
#define relayed_LIST(USES)                                                                                             \
    USES(NEXT, double, u, CMK_POINT_STAR(3), CMK_EDGE_REFLECT)                                                         \
    USES(OUT, double, change) USES(IN, double, speed, CMK_POINT_BOX(1), CMK_EDGE_CLAMP)
CMK_POINT_2D_STAGES(relayed, relayed_LIST, 2)
{
    SUM(double, sum, U, CMK_POINT_STAR(3), 3)
    if (CMK_POINT_STAGE == 0 || CMK_POINT_ROW % 3 > 0)
        CMK_POINT_SET(u, sum + 0.25 * CMK_POINT_AT(speed, 1, -1) * (double)(CMK_POINT_COLUMN % 5));
    if (CMK_POINT_STAGE == 0 && ((int)CMK_POINT_STEP + CMK_POINT_ROW) % 2 == 0) CMK_POINT_SET(change, sum - U(0, 0));
}
CMK_DEFINE_STENCIL2D(relayed, relayed_LIST);
#define RELAYED_BIND(T, g, b)                                                                                          \
    g.u = (T *)(void *)b[0], g.u_next = (T *)(void *)b[1], g.change = (T *)(void *)b[2];                               \
    g.speed = (const T *)(const void *)b[3];
#define RELAYED_SAME(c) FIELD(u) FIELD(change)
STEPS_TEST(relayed, double, 2, 3, 4, (0, 0, 2, 3), RELAYED_BIND, RELAYED_SAME)

/* other types */
#define shorts_LIST(USES) USES(NEXT, numbers, u, CMK_POINT_STAR(2), CMK_EDGE_AXES(CMK_EDGE_REFLECT, CMK_EDGE_ZERO))
CMK_POINT_2D(shorts, shorts_LIST)
{
    NUMBERS_OF(U(0, 0), U(-2, 0), U(0, -1), U(0, 2))
    sum.x = (short)(sum.x - 9 * U(1, 0).y);
    CMK_POINT_SET(u, sum);
}
CMK_DEFINE_STENCIL2D(shorts, shorts_LIST);
STEPS_TEST(shorts, numbers, 1, 2, 2, (0, 0), OTHER_BIND, ONE_SAME)
#define bytes_LIST(USES) USES(NEXT, unsigned char, u, CMK_POINT_STAR(1), CMK_EDGE_AXES(CMK_EDGE_WRAP, CMK_EDGE_CLAMP))
CMK_POINT_2D(bytes, bytes_LIST)
{
    CMK_POINT_SET(u, (unsigned char)((3 * U(0, 0) + 5 * U(-1, 0) + U(1, 0) + 7 * U(0, -1) - U(0, 1)) & 255));
}
CMK_DEFINE_STENCIL2D(bytes, bytes_LIST);
STEPS_TEST(bytes, unsigned char, 1, 1, 2, (0, 0), OTHER_BIND, ONE_SAME)
#if TEST_HAS_half
#define halves_LIST(USES) USES(NEXT, test_half, u, CMK_POINT_STAR(1), CMK_EDGE_AXES(CMK_EDGE_CLAMP, CMK_EDGE_MIRROR))
CMK_POINT_2D(halves, halves_LIST)
{
    CMK_POINT_SET(u, HALF_OF(U(0, 0), U(-1, 0), U(0, -1), U(0, 1)));
}
CMK_DEFINE_STENCIL2D(halves, halves_LIST);
STEPS_TEST(halves, test_half, 1, 1, 2, (0, 0), OTHER_BIND, ONE_SAME)
#endif

/* two levels, a field in place that no shape has, and one that is read beside the point */
#define two_levels_LIST(USES)                                                                                          \
    USES(LEAPFROG, float, u, CMK_POINT_STAR(2), CMK_EDGE_AXES(CMK_EDGE_CLAMP, CMK_EDGE_MIRROR))                        \
    USES(SAME, float, total) USES(IN, float, speed, CMK_POINT_BOX(1), CMK_EDGE_REFLECT)
CMK_POINT_2D(two_levels, two_levels_LIST)
{
    SUM(float, sum, U, CMK_POINT_STAR(2), 2)
    CMK_POINT_SET(u,
                  sum - 0.5f * CMK_POINT_BEFORE(u) + 0.25f * CMK_POINT_AT(speed, 1, -1) * (float)(CMK_POINT_ROW % 5));
    if (CMK_POINT_COLUMN % 3 > 0) CMK_POINT_SET(total, 0.5f * CMK_POINT_HERE(total) + sum);
}
CMK_DEFINE_STENCIL2D(two_levels, two_levels_LIST);
#define TWO_LEVELS_BIND(T, g, b)                                                                                       \
    g.u = (T *)(void *)b[0], g.u_before = (T *)(void *)b[1], g.u_spare = (T *)(void *)b[2];                            \
    g.u_before_spare = (T *)(void *)b[3], g.total = (T *)(void *)b[4], g.total_spare = (T *)(void *)b[5];              \
    g.speed = (const T *)(const void *)b[6];
#define TWO_LEVELS_SAME(c) FIELD(u) FIELD(u_before) FIELD(total)
STEPS_TEST(two_levels, float, 1, 2, 7, (0, 0, 2, 3, 4, 5, 6), TWO_LEVELS_BIND, TWO_LEVELS_SAME)

/* two stages in place, each of which sets what the other reads beside the point */
#define staged_LIST(USES)                                                                                              \
    USES(SAME, float, u, CMK_POINT_REACH(0, 1, 1), CMK_EDGE_ZERO)                                                      \
    USES(SAME, float, v, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_CLAMP)
CMK_POINT_2D_STAGES(staged, staged_LIST, 2)
{
    if (CMK_POINT_STAGE == 0)
        CMK_POINT_SET(v, V(0, 0) + 0.25f * (U(1, 0) - U(0, 1)) + (float)CMK_POINT_STEP / 1024);
    else
        CMK_POINT_SET(u, U(0, 0) - 0.25f * (V(0, 1) - V(0, -1)));
}
CMK_DEFINE_STENCIL2D(staged, staged_LIST);
#define STAGED_BIND(T, g, b)                                                                                           \
    g.u = (T *)(void *)b[0], g.v = (T *)(void *)b[1], g.u_spare = (T *)(void *)b[2], g.v_spare = (T *)(void *)b[3];
#define STAGED_SAME(c) FIELD(u) FIELD(v)
STEPS_TEST(staged, float, 2, 1, 4, (0, 1, 2, 3), STAGED_BIND, STAGED_SAME)

/* two fields on a torus */
#define torus_LIST(USES)                                                                                               \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_WRAP)                                                             \
    USES(NEXT, float, v, CMK_POINT_STAR(1), CMK_EDGE_WRAP)
CMK_POINT_2D(torus, torus_LIST)
{
    SUM(float, a, U, CMK_POINT_STAR(1), 1)
    SUM(float, b, V, CMK_POINT_STAR(1), 1)
    CMK_POINT_SET(u, a + 0.5f * b);
    CMK_POINT_SET(v, b - 0.5f * a);
}
CMK_DEFINE_STENCIL2D(torus, torus_LIST);
#define TORUS_BIND(T, g, b)                                                                                            \
    g.u = (T *)(void *)b[0], g.u_next = (T *)(void *)b[1], g.v = (T *)(void *)b[2], g.v_next = (T *)(void *)b[3];
#define TORUS_SAME(c) FIELD(u) FIELD(v)
STEPS_TEST(torus, float, 1, 1, 4, (0, 0, 2, 2), TORUS_BIND, TORUS_SAME)

/* a field that is only written, by the first stage, and in each row by every second step: the last one's is left */
#define written_LIST(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_REFLECT) USES(OUT, float, change)
CMK_POINT_2D_STAGES(written, written_LIST, 2)
{
    SUM(float, sum, U, CMK_POINT_STAR(1), 1)
    CMK_POINT_SET(u, sum);
    if (CMK_POINT_STAGE == 0 && ((int)CMK_POINT_STEP + CMK_POINT_ROW) % 2 == 0) CMK_POINT_SET(change, sum - U(0, 0));
}
CMK_DEFINE_STENCIL2D(written, written_LIST);
#define WRITTEN_BIND(T, g, b) g.u = (T *)(void *)b[0], g.u_next = (T *)(void *)b[1], g.change = (T *)(void *)b[2];
#define WRITTEN_SAME(c) FIELD(u) FIELD(change)
STEPS_TEST(written, float, 2, 1, 3, (0, 0, 2), WRITTEN_BIND, WRITTEN_SAME)

/* ---- That passes are made, and where they cannot be single steps are */

/* after a pass, of any number of steps, the buffers have changed places once */
static void test_pass(void)
{
    const size_t most = (size_t)cmk_point_steps_(clamped_definition_(), 1);
    float *buffers[2];
    for (int k = 0; k < 2; ++k) {
        CMK_CHECK(cudaMalloc((void **)&buffers[k], 64 * 128 * sizeof(float)));
        CMK_CHECK(cudaMemset(buffers[k], 0, 64 * 128 * sizeof(float)));
    }
    clamped_grid grid = clamped_domain(64, 128, 128);
    grid.u = buffers[0], grid.u_next = buffers[1];
    CMK_CHECK(clamped_steps(&grid, 2 * most, 0));
    tap_check(grid.u == buffers[0] && grid.first_step == 2 * most, "two passes: the buffers change places twice");
    CMK_CHECK(clamped_steps(&grid, most + 1, 0));
    tap_check(grid.u == buffers[0], "a pass and a step: the buffers change places twice");
    CMK_CHECK(clamped_steps(&grid, most, 0));
    tap_check(grid.u == buffers[1], "a pass: the buffers change places once");
    grid.rows = grid.end_row = 5;
    CMK_CHECK(clamped_steps(&grid, 2 * most, 0));
    tap_check(grid.u == buffers[1] && grid.first_step == 6 * most + 1, "few rows: single steps");
    grid.u_next = NULL;
    tap_check(clamped_steps(&grid, most, 0) == cudaErrorInvalidValue && grid.first_step == 6 * most + 1,
              "a null pointer: an error, and no step");
    for (int k = 0; k < 2; ++k) CMK_CHECK(cudaFree(buffers[k]));
}

/* a relay makes passes where a row has its columns, and single steps where not */
static void test_relay(void)
{
    const size_t steps = (size_t)cmk_point_steps_(wide_definition_(), 1), columns = 32 * 4 * 4;
    float *buffers[2];
    for (int k = 0; k < 2; ++k) {
        CMK_CHECK(cudaMalloc((void **)&buffers[k], 128 * columns * sizeof(float)));
        CMK_CHECK(cudaMemset(buffers[k], 0, 128 * columns * sizeof(float)));
    }
    for (size_t fewer = 0; fewer < 2; ++fewer) {
        wide_grid grid = wide_domain(128, columns - fewer, columns);
        grid.u = buffers[0], grid.u_next = buffers[1];
        CMK_CHECK(wide_steps(&grid, steps, 0));
        tap_check(steps == 2 && grid.u == buffers[1 - fewer], "a relay: %s",
                  fewer ? "rows are too short, single steps" : "the buffers change places once");
    }
    for (int k = 0; k < 2; ++k) CMK_CHECK(cudaFree(buffers[k]));
}

/* spare buffers that begin with no vector, or lie in other buffers, are not taken */
static void test_spares(void)
{
    static const int like[] = {0, 1};
    const size_t count = 64 * 128;
    float *memory = NULL;
    CMK_CHECK(cudaMalloc((void **)&memory, 3 * count * sizeof *memory));
    CMK_CHECK(cudaMemset(memory, 0, 3 * count * sizeof *memory));
    for (int k = 0; k < 4; ++k) {
        static const char *const texts[] = {"one that begins with no vector", "one in another spare one",
                                            "one in a field", "right ones"};
        call c;
        memset(&c, 0, sizeof c);
        c.planes = 1, c.rows = 64, c.columns = c.pitch = 128, c.size = sizeof(float);
        c.steps = (size_t)cmk_point_steps_(staged_definition_(), 2);
        make_buffers(&c, 2, like);
        staged_grid a = staged_domain(64, 128, 128), b = a;
        a.u = (float *)(void *)c.single[0], a.v = (float *)(void *)c.single[1];
        b.u = (float *)(void *)c.fused[0], b.v = (float *)(void *)c.fused[1];
        b.v_spare = memory;
        b.u_spare = k == 2 ? b.v : memory + (k == 0 ? count + 1 : k == 1 ? count - 4 : count);
        CMK_CHECK(staged_steps(&a, c.steps, 0));
        CMK_CHECK(staged_steps(&b, c.steps, 0));
        int wrong = (b.u == (float *)(void *)c.fused[0]) == (k == 3);
        STAGED_SAME(c)
        tap_check(wrong == 0, "spare buffers: %s", texts[k]);
        free_buffers(&c);
    }
    CMK_CHECK(cudaFree(memory));
}

/* CMK_TUNED_name is what the definition has, as far as it can */
static void test_tuned(void)
{
    const cmk_point_definition_ two = two_definition_(), pair = pair_definition_();
    cmk_point_definition_ d = clamped_definition_();
    tap_check(cmk_point_steps_(two, 1) == 2 && cmk_point_strip_blocks_(two, 1) == 4, "tuned to (2, 4)");
    tap_check(cmk_point_steps_(pair, 1) == 2 && cmk_point_strip_blocks_(pair, 1) == 3,
              "tuned to (2): passes that the model has not, and its blocks");
    d.tuned_blocks = 2;
    tap_check(cmk_point_steps_(d, 1) == cmk_point_steps_(clamped_definition_(), 1),
              "tuned to (0, 2): steps of the model");
    d.tuned_steps = 16;
    tap_check(cmk_point_steps_(d, 1) == 16 && cmk_point_steps_(d, 4) == 4, "tuned to 16: not more than 16 levels");
    d = sides_definition_(), d.tuned_steps = 16;
    tap_check(cmk_point_steps_(d, 1) * cmk_point_step_words_(d, 1) <= 256 && cmk_point_steps_(d, 1) > 1,
              "tuned to 16: not more words than registers");
    d = far_definition_(), d.tuned_steps = 16, d.level_words = 1;
    tap_check(cmk_point_steps_(d, 1) == 8, "tuned to 16: half of a strip is left");
    d.wraps = 3;
    tap_check(cmk_point_steps_(d, 1) == 1, "tuned to 16, and cannot: single steps");
    d = farther_definition_(), d.tuned_steps = d.tuned_blocks = 16;
    tap_check(cmk_point_relays_(d) && cmk_point_pass_threads_(d, 1) <= 1024 &&
                  cmk_point_strip_blocks_(d, 1) * cmk_point_pass_threads_(d, 1) <= 2048 && cmk_point_steps_(d, 1) > 3,
              "a relay tuned to 16: not more threads than a block has, and not more blocks than an SM");
}

int main(int argc, char **argv)
{
    take_rounds(argc, argv);
    tap_need_device();
    test_clamped();
    test_odd();
    test_sides();
    test_far();
    test_doubles();
    test_around();
    test_two();
    test_pair();
    test_wide();
    test_farther();
    test_corners();
    test_ring();
    test_farthest();
    test_relayed();
#if !defined(__CUDACC__)
    test_many();
#endif
    test_two_levels();
    test_staged();
    test_torus();
    test_written();
    test_shorts();
    test_bytes();
#if TEST_HAS_half
    test_halves();
#endif
    if (tap_wanted("pass")) test_pass();
    if (tap_wanted("relay")) test_relay();
    if (tap_wanted("spares")) test_spares();
    if (tap_wanted("tuned")) test_tuned();
    return tap_done();
}
