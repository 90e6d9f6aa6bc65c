/* stencils3d: times stencils of a user's own update, of kernel/stencil3d.h, on random data; a step of each is verified
 * at every point before it is timed.
 *
 *   usage: stencils3d [CSV]     prints the table; CSV is a file to append it to as well */
#include "updates3d.h"

/* ---- stars and boxes */
#define CUBE_3(USES) USES(NEXT, float, u, CMK_POINT_STAR(3), CMK_EDGE_ZERO)
#define CUBE_4(USES) USES(NEXT, float, u, CMK_POINT_STAR(4), CMK_EDGE_ZERO)
#define CUBE_CLAMP(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)
#define CUBE_WRAP(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_WRAP)
STAR_3D(cube_3, float, 3, CUBE_3)
STAR_3D(cube_4, float, 4, CUBE_4)
STAR_3D(cube_clamp, float, 1, CUBE_CLAMP)
STAR_3D(cube_wrap, float, 1, CUBE_WRAP)

#define CUBE_ROW(name, T, R, text, s)                                                                                  \
    {                                                                                                                  \
        refresh<T>(2, s);                                                                                              \
        name##_grid grid = CUBE_GRID(name, s);                                                                         \
        grid.u = (T *)now[0], grid.u_next = (T *)now[1];                                                               \
        CMK_CHECK(name(&grid, 0));                                                                                     \
        const around<T> u = old<T>(0, s);                                                                              \
        const float error = judge(text, grid.u, s, 1e-5f, [=] __device__(long long z, long long y, long long x) {      \
            double sum = exact[0] * u(z, y, x);                                                                        \
            for (int k = 1; k <= R; ++k)                                                                               \
                sum += exact[k] * (u(z - k, y, x) + u(z + k, y, x) + u(z, y - k, x) + u(z, y + k, x) +                 \
                                   u(z, y, x - k) + u(z, y, x + k));                                                   \
            return sum;                                                                                                \
        });                                                                                                            \
        time_row(text, s, 2 * sizeof(T), 12 * R + 1, error, [&] { return name(&grid, 0); });                           \
    }
#define CUBE_EDGE_ROW(name, text, s)                                                                                   \
    {                                                                                                                  \
        name##_grid grid = CUBE_GRID(name, s);                                                                         \
        grid.u = (float *)now[0], grid.u_next = (float *)now[1];                                                       \
        time_row(text, s, 8, 13, 0.0f, [&] { return name(&grid, 0); });                                                \
    }

static void box_27_row(const char *name, shape s)
{
    refresh<float>(2, s);
    box_27_grid grid = CUBE_GRID(box_27, s);
    grid.u = (float *)now[0], grid.u_next = (float *)now[1];
    CMK_CHECK(box_27(&grid, 0));
    const around<float> u = old<float>(0, s);
    const float error = judge(name, grid.u, s, 1e-5f, [=] __device__(long long z, long long y, long long x) {
        double sum = 0.0;
        for (int k = 0; k < 27; ++k) sum += (0.02 + 0.003 * k) * u(z + k / 9 - 1, y + k / 3 % 3 - 1, x + k % 3 - 1);
        return sum;
    });
    time_row(name, s, 8, 54, error, [&] { return box_27(&grid, 0); });
}

/* acoustic waves of 25 points, velocity and damping from point to point */
#define ACOUSTIC(USES)                                                                                                 \
    USES(LEAPFROG, float, u, CMK_POINT_STAR(4), CMK_EDGE_ZERO)                                                         \
    USES(IN, float, velocity) USES(IN, float, damping)
CMK_POINT_3D(acoustic, ACOUSTIC)
{
    const float d = 0.1f * CMK_POINT_HERE(damping);
    float sum = TAP(0) * V(0, 0, 0);
    CMK_UNROLL
    for (int k = 1; k <= 4; ++k)
        sum += TAP(k) * (V(-k, 0, 0) + V(k, 0, 0) + V(0, -k, 0) + V(0, k, 0) + V(0, 0, -k) + V(0, 0, k));
    CMK_POINT_SET(u,
                  (2.0f * V(0, 0, 0) - (1.0f - d) * CMK_POINT_BEFORE(u) + CMK_POINT_HERE(velocity) * sum) / (1.0f + d));
}
CMK_DEFINE_STENCIL3D(acoustic, ACOUSTIC);
static void acoustic_row(const char *name, shape s)
{
    refresh<float>(4, s);
    acoustic_grid grid = CUBE_GRID(acoustic, s);
    grid.u = (float *)now[0], grid.u_before = (float *)now[1];
    grid.velocity = (float *)now[2], grid.damping = (float *)now[3];
    CMK_CHECK(acoustic(&grid, 0));
    const around<float> u = old<float>(0, s), last = old<float>(1, s), v = old<float>(2, s), d = old<float>(3, s);
    const float error = judge(name, grid.u, s, 1e-5f, [=] __device__(long long z, long long y, long long x) {
        double sum = exact[0] * u(z, y, x);
        for (int k = 1; k <= 4; ++k)
            sum += exact[k] * (u(z - k, y, x) + u(z + k, y, x) + u(z, y - k, x) + u(z, y + k, x) + u(z, y, x - k) +
                               u(z, y, x + k));
        const double damped = 0.1 * d(z, y, x);
        return (2.0 * u(z, y, x) - (1.0 - damped) * last(z, y, x) + v(z, y, x) * sum) / (1.0 + damped);
    });
    time_row(name, s, 20, 45, error, [&] { return acoustic(&grid, 0); });
}

/* elastic waves on a staggered grid, order 4 in space: nine fields in place, two stages; x y z; xx yy zz xy xz yz */
#define ELASTIC(USES)                                                                                                  \
    USES(SAMES, float, v, 3, CMK_POINT_STAR(2), CMK_EDGE_ZERO)                                                         \
    USES(SAMES, float, s, 6, CMK_POINT_STAR(2), CMK_EDGE_ZERO)                                                         \
    USES(INS, float, medium, 4)
#define X(f, k) CMK_POINT_AT(f, 0, 0, k)
#define Y(f, k) CMK_POINT_AT(f, 0, k, 0)
#define Z(f, k) CMK_POINT_AT(f, k, 0, 0)
#define SLOPE(ALONG, f, h)                                                                                             \
    (1.125f * (ALONG(f, h) - ALONG(f, (h)-1)) - (ALONG(f, (h) + 1) - ALONG(f, (h)-2)) * (1.0f / 24))
#define ADD(f, change) CMK_POINT_SET(f, CMK_POINT_HERE(medium[3]) * (CMK_POINT_HERE(f) + (change)))
CMK_POINT_3D_STAGES(elastic, ELASTIC, 2)
{
    if (CMK_POINT_STAGE == 0) {
        ADD(v[0], CMK_POINT_HERE(medium[2]) * (SLOPE(X, s[0], 1) + SLOPE(Y, s[3], 0) + SLOPE(Z, s[4], 0)));
        ADD(v[1], CMK_POINT_HERE(medium[2]) * (SLOPE(X, s[3], 0) + SLOPE(Y, s[1], 1) + SLOPE(Z, s[5], 0)));
        ADD(v[2], CMK_POINT_HERE(medium[2]) * (SLOPE(X, s[4], 0) + SLOPE(Y, s[5], 0) + SLOPE(Z, s[2], 1)));
    } else {
        const float xx = SLOPE(X, v[0], 0), yy = SLOPE(Y, v[1], 0), zz = SLOPE(Z, v[2], 0);
        const float mu = CMK_POINT_HERE(medium[1]), all = CMK_POINT_HERE(medium[0]) * (xx + yy + zz);
        ADD(s[0], all + 2.0f * mu * xx);
        ADD(s[1], all + 2.0f * mu * yy);
        ADD(s[2], all + 2.0f * mu * zz);
        ADD(s[3], mu * (SLOPE(Y, v[0], 1) + SLOPE(X, v[1], 1)));
        ADD(s[4], mu * (SLOPE(Z, v[0], 1) + SLOPE(X, v[2], 1)));
        ADD(s[5], mu * (SLOPE(Z, v[1], 1) + SLOPE(Y, v[2], 1)));
    }
}
CMK_DEFINE_STENCIL3D(elastic, ELASTIC);

/* its fields, of which the velocities may be the new ones */
struct solid {
    around<float> v[3], s[6], medium[4];
    /* the derivative along an axis, x y z, half a cell before the point or behind it */
    __device__ static double slope(around<float> f, int axis, int behind, long long z, long long y, long long x)
    {
        double at[4];
        for (int k = 0; k < 4; ++k) {
            const int by = k - 2 + behind;
            at[k] = f(z + (axis == 2 ? by : 0), y + (axis == 1 ? by : 0), x + (axis == 0 ? by : 0));
        }
        return 1.125 * (at[2] - at[1]) - (at[3] - at[0]) / 24;
    }
    __host__ __device__ static int stress(int a, int b) /* which of six it is */
    {
        return a == b ? a : a + b + 2;
    }
    __device__ double velocity(int a, long long z, long long y, long long x) const
    {
        double force = 0.0;
        for (int b = 0; b < 3; ++b) force += slope(s[stress(a, b)], b, a == b, z, y, x);
        return medium[3](z, y, x) * (v[a](z, y, x) + medium[2](z, y, x) * force);
    }
    __device__ double strained(int a, int b, long long z, long long y, long long x) const
    {
        double change = medium[1](z, y, x) * (slope(v[a], b, a != b, z, y, x) + slope(v[b], a, a != b, z, y, x));
        for (int k = 0; k < 3 && a == b; ++k) change += medium[0](z, y, x) * slope(v[k], k, 0, z, y, x);
        return medium[3](z, y, x) * (s[stress(a, b)](z, y, x) + change);
    }
};

static void elastic_row(const char *name, shape s)
{
    solid before_step, between;
    float error = 0.0f;
    refresh<float>(13, s);
    elastic_grid grid = CUBE_GRID(elastic, s);
    for (int k = 0; k < 13; ++k) {
        (k < 3 ? before_step.v[k] : k < 9 ? before_step.s[k - 3] : before_step.medium[k - 9]) = old<float>(k, s);
        if (k < 9)
            (k < 3 ? grid.v[k] : grid.s[k - 3]) = (float *)now[k];
        else
            grid.medium[k - 9] = (float *)now[k];
    }
    between = before_step;
    for (int k = 0; k < 3; ++k) between.v[k] = {now[k], s};
    CMK_CHECK(elastic(&grid, 0));
    for (int a = 0; a < 3; ++a)
        error = fmaxf(error, judge(name, grid.v[a], s, 1e-5f, [=] __device__(long long z, long long y, long long x) {
                          return before_step.velocity(a, z, y, x);
                      }));
    for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b)
            error = fmaxf(error, judge(name, grid.s[solid::stress(a, b)], s, 1e-5f,
                                       [=] __device__(long long z, long long y, long long x) {
                                           return between.strained(a, b, z, y, x);
                                       }));
    time_row(name, s, 128, 165, error, [&] { return elastic(&grid, 0); });
}

static void cubes(shape s, const char *size)
{
    char name[64];
    copy_row(NAMED("copy"), (size_t)(s.planes * s.rows * s.pitch) * 4);
    CUBE_ROW(cube_1, float, 1, NAMED("3D star r=1"), s)
    CUBE_EDGE_ROW(cube_clamp, NAMED("3D star r=1 clamped"), s)
    CUBE_EDGE_ROW(cube_wrap, NAMED("3D star r=1 wrapped"), s)
    CUBE_ROW(cube_2, float, 2, NAMED("3D star r=2"), s)
    CUBE_ROW(cube_3, float, 3, NAMED("3D star r=3"), s)
    CUBE_ROW(cube_4, float, 4, NAMED("3D star r=4"), s)
    CUBE_ROW(cube_double, double, 1, NAMED("3D star r=1, double"), s)
    box_27_row(NAMED("27 points"), s);
    acoustic_row(NAMED("acoustic, 25 points"), s);
    elastic_row(NAMED("elastic, 9 fields in place"), s);
}

int main(int argc, char **argv)
{
    begin(argc, argv, field_most * 4, "stencils of a user's own update");
    make_buffers();
    peak_row();
    cubes(dense(512, 512, 512), "512^3");
    cubes(dense(509, 511, 513), "509 x 511 x 513");
    cubes(pitched(509, 511, 513), "509 x 511 x 513 pitched");
    cubes(dense(256, 256, 256), "256^3");
    return end();
}
