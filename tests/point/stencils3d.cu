/* Three 3D stencils as users write them, each against plain loops in double. */
#include <cmk/kernel/stencil3d.h>
#include <cmk/check.h>
#include "point/plain.h"

/* ---- Heat, 7 different coefficients; the outermost points keep their values */

CMK_TABLE(PARAMETER, float, taps, [7]);
#define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO) USES(TABLE, taps)
#define U(dz, dy, dx) CMK_POINT_AT(u, dz, dy, dx)
#define TAP(k) CMK_TABLE_AT(taps, k)
CMK_POINT_3D(heat, HEAT)
{
    CMK_POINT_SET(u, TAP(0) * U(0, 0, 0) + TAP(1) * U(0, 0, -1) + TAP(2) * U(0, 0, 1) + TAP(3) * U(0, -1, 0) +
                         TAP(4) * U(0, 1, 0) + TAP(5) * U(-1, 0, 0) + TAP(6) * U(1, 0, 0));
}
CMK_DEFINE_STENCIL3D(heat, HEAT);

static void test_heat(void)
{
    static const float weights[7] = {0.31f, 0.11f, 0.12f, 0.1f, 0.13f, 0.09f, 0.14f};
    static const int to[7][3] = {{0, 0, 0}, {0, 0, -1}, {0, 0, 1}, {0, -1, 0}, {0, 1, 0}, {-1, 0, 0}, {1, 0, 0}};
    plain_field u = plain_make(11, 14, 35, CMK_EDGE_ZERO, 0.0, 1.0);
    heat_grid grid = heat_inner(11, 14, 35, 36 * 14, 36);
    grid.u = (float *)plain_upload(&u, 4, 36);
    grid.u_next = (float *)plain_upload(&u, 4, 36);
    CMK_CHECK(CMK_TABLE_UPLOAD(taps, weights, 0, 7));
    CMK_CHECK(heat_steps(&grid, 5, taps, 0));
    for (int step = 0; step < 5; ++step) {
        PLAIN_EACH(u, z, y, x)
        {
            double sum = 0.0;
            for (int k = 0; k < 7; ++k)
                sum += (double)weights[k] * plain_value(&u, z + to[k][0], y + to[k][1], x + to[k][2]);
            if (z > 0 && y > 0 && x > 0 && z < 10 && y < 13 && x < 34) plain_set(&u, z, y, x, sum);
        }
        plain_advance(&u);
    }
    PLAIN_CHECK(float, grid.u, u, 36, 1e-6, "heat in 3D");
}

/* ---- Acoustic waves, leapfrog, order 8 in space: a sponge, and a free surface on top about which p is odd */

#define ORDER_8 -205.0f / 72, 8.0f / 5, -1.0f / 5, 8.0f / 315, -1.0f / 560
CMK_TABLE_VALUES(LITERAL, float, order_8, [5], ORDER_8);
#define SURFACE CMK_EDGE_SIDES(CMK_EDGE_REFLECT_ODD, CMK_EDGE_ZERO)
#define ACOUSTIC(USES)                                                                                                 \
    USES(LEAPFROG, float, p, CMK_POINT_STAR(4), CMK_EDGE_AXES_3D(SURFACE, CMK_EDGE_ZERO, CMK_EDGE_ZERO))               \
    USES(IN, float, velocity)                                                                                          \
    USES(IN, float, damping)                                                                                           \
    USES(TABLE, order_8)
#define P(dz, dy, dx) CMK_POINT_AT(p, dz, dy, dx)
CMK_POINT_3D(acoustic, ACOUSTIC)
{
    const float d = CMK_POINT_HERE(damping), here = P(0, 0, 0);
    float sum = 3.0f * CMK_TABLE_AT(order_8, 0) * here;
    CMK_UNROLL
    for (int k = 1; k <= 4; ++k)
        sum +=
            CMK_TABLE_AT(order_8, k) * (P(0, 0, k) + P(0, 0, -k) + P(0, k, 0) + P(0, -k, 0) + P(k, 0, 0) + P(-k, 0, 0));
    sum = 2.0f * here - (1.0f - d) * CMK_POINT_BEFORE(p) + CMK_POINT_HERE(velocity) * sum;
    CMK_POINT_SET(p, sum / (1.0f + d));
}
CMK_DEFINE_STENCIL3D(acoustic, ACOUSTIC);

static double plain_laplace(const plain_field *p, int z, int y, int x)
{
    static const float weights[5] = {ORDER_8};
    double sum = 3 * (double)weights[0] * plain_value(p, z, y, x);
    for (int k = -4; k <= 4; ++k)
        if (k != 0)
            sum += (double)weights[abs(k)] *
                   (plain_value(p, z, y, x + k) + plain_value(p, z, y + k, x) + plain_value(p, z + k, y, x));
    return sum;
}

/* Steps of a grid of this many columns. The fields beside p have no neighbours, and are read where vectors begin
 * anywhere, and where the end of a row cuts one. */
static void step_acoustic(int columns, int pitch, const char *name)
{
    const size_t row = (size_t)pitch;
    plain_field p = plain_make(11, 11, columns, CMK_EDGE_ZERO, -1.0, 1.0);
    plain_field before = plain_make(11, 11, columns, 0, -1.0, 1.0);
    plain_field c = plain_make(11, 11, columns, 0, 0.0, 0.2), damping = plain_make(11, 11, columns, 0, 0.0, 0.3);
    p.edges[0][0] = CMK_EDGE_REFLECT_ODD;
    acoustic_grid grid = acoustic_domain(11, 11, (size_t)columns, row * 11, row);
    grid.p = (float *)plain_upload(&p, 4, row);
    grid.p_before = (float *)plain_upload(&before, 4, row);
    grid.velocity = (const float *)plain_upload(&c, 4, row);
    grid.damping = (const float *)plain_upload(&damping, 4, row);
    CMK_CHECK(acoustic_steps(&grid, 6, order_8, 0));
    for (int step = 0; step < 6; ++step) {
        PLAIN_EACH(p, z, y, x)
        {
            const double d = plain_value(&damping, z, y, x);
            const double sum = 2 * plain_value(&p, z, y, x) - (1 - d) * plain_value(&before, z, y, x) +
                               plain_value(&c, z, y, x) * plain_laplace(&p, z, y, x);
            plain_set(&p, z, y, x, sum / (1 + d));
        }
        memcpy(before.now, p.now, plain_count(&p) * sizeof *p.now);
        plain_advance(&p);
    }
    PLAIN_CHECK(float, grid.p, p, row, 1e-5, name);
    PLAIN_CHECK(float, grid.p_before, before, row, 1e-5, "the level before");
}

static void test_acoustic(void)
{
    step_acoustic(34, 36, "acoustic, 34 columns of 36");
    plain_end();
    step_acoustic(34, 34, "acoustic, 34 columns");
    plain_end();
    step_acoustic(141, 144, "acoustic, 141 columns of 144");
    plain_end();
    step_acoustic(143, 143, "acoustic, 143 columns");
}

/* ---- Elastic waves on a staggered grid, order 4 in space: nine fields in place, two stages; x y z; xx yy zz xy xz yz
 */

#define ELASTIC(USES)                                                                                                  \
    USES(SAMES, float, v, 3, CMK_POINT_STAR(2), CMK_EDGE_ZERO)                                                         \
    USES(SAMES, float, s, 6, CMK_POINT_STAR(2), CMK_EDGE_ZERO)                                                         \
    USES(INS, float, medium, 4)
#define X(f, k) CMK_POINT_AT(f, 0, 0, k)
#define Y(f, k) CMK_POINT_AT(f, 0, k, 0)
#define Z(f, k) CMK_POINT_AT(f, k, 0, 0)
#define D(ALONG, f, h) (1.125f * (ALONG(f, h) - ALONG(f, (h)-1)) - (ALONG(f, (h) + 1) - ALONG(f, (h)-2)) * (1.0f / 24))
#define ADD(f, change) CMK_POINT_SET(f, CMK_POINT_HERE(medium[3]) * (CMK_POINT_HERE(f) + (change)))
CMK_POINT_3D_STAGES(elastic, ELASTIC, 2)
{
    if (CMK_POINT_STAGE == 0) {
        ADD(v[0], CMK_POINT_HERE(medium[2]) * (D(X, s[0], 1) + D(Y, s[3], 0) + D(Z, s[4], 0)));
        ADD(v[1], CMK_POINT_HERE(medium[2]) * (D(X, s[3], 0) + D(Y, s[1], 1) + D(Z, s[5], 0)));
        ADD(v[2], CMK_POINT_HERE(medium[2]) * (D(X, s[4], 0) + D(Y, s[5], 0) + D(Z, s[2], 1)));
    } else {
        const float xx = D(X, v[0], 0), yy = D(Y, v[1], 0), zz = D(Z, v[2], 0), mu = CMK_POINT_HERE(medium[1]);
        const float all = CMK_POINT_HERE(medium[0]) * (xx + yy + zz);
        ADD(s[0], all + 2.0f * mu * xx);
        ADD(s[1], all + 2.0f * mu * yy);
        ADD(s[2], all + 2.0f * mu * zz);
        ADD(s[3], mu * (D(Y, v[0], 1) + D(X, v[1], 1)));
        ADD(s[4], mu * (D(Z, v[0], 1) + D(X, v[2], 1)));
        ADD(s[5], mu * (D(Z, v[1], 1) + D(Y, v[2], 1)));
    }
}
CMK_DEFINE_STENCIL3D(elastic, ELASTIC);

/* the derivative along an axis, x y z, half a cell before the point or behind it */
static double along(const plain_field *f, int axis, int behind, int z, int y, int x)
{
    double at[4];
    for (int k = 0; k < 4; ++k) {
        const int by = k - 2 + behind;
        at[k] = plain_value(f, z + (axis == 2 ? by : 0), y + (axis == 1 ? by : 0), x + (axis == 0 ? by : 0));
    }
    return 1.125 * (at[2] - at[1]) - (at[3] - at[0]) / 24;
}

/* which of the stresses is that of two axes */
static int stress_of(int a, int b)
{
    return a == b ? a : a + b + 2;
}

static void plain_velocity(plain_field *v, const plain_field *s, const plain_field *medium, int z, int y, int x)
{
    for (int a = 0; a < 3; ++a) {
        double force = 0.0;
        for (int b = 0; b < 3; ++b) force += along(&s[stress_of(a, b)], b, a == b, z, y, x);
        plain_set(&v[a], z, y, x,
                  plain_value(&medium[3], z, y, x) *
                      (plain_value(&v[a], z, y, x) + plain_value(&medium[2], z, y, x) * force));
    }
}

static void plain_stress(const plain_field *v, plain_field *s, const plain_field *medium, int z, int y, int x)
{
    const double lambda = plain_value(&medium[0], z, y, x), mu = plain_value(&medium[1], z, y, x);
    double divergence = 0.0;
    for (int a = 0; a < 3; ++a) divergence += along(&v[a], a, 0, z, y, x);
    for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b) {
            const plain_field *const its = &s[stress_of(a, b)];
            const double change = a == b ? lambda * divergence + 2 * mu * along(&v[a], a, 0, z, y, x)
                                         : mu * (along(&v[a], b, 1, z, y, x) + along(&v[b], a, 1, z, y, x));
            plain_set(its, z, y, x, plain_value(&medium[3], z, y, x) * (plain_value(its, z, y, x) + change));
        }
}

/* rows that begin with no vector, or with one, and are wider than a warp */
static void elastic_steps_of(int columns)
{
    plain_field f[13], *const v = f, *const s = f + 3, *const medium = f + 9;
    elastic_grid grid = elastic_domain(9, 10, (size_t)columns, (size_t)columns * 10, (size_t)columns);
    for (int k = 0; k < 13; ++k) {
        const double low = k < 9 ? -1.0 : k < 12 ? 0.1 : 0.9, high = k < 9 || k == 12 ? 1.0 : 0.3;
        f[k] = plain_make(9, 10, columns, CMK_EDGE_ZERO, low, high);
        float *const uploaded = (float *)plain_upload(&f[k], 4, (size_t)columns);
        if (k < 3)
            grid.v[k] = uploaded;
        else if (k < 9)
            grid.s[k - 3] = uploaded;
        else
            grid.medium[k - 9] = uploaded;
    }
    CMK_CHECK(elastic_steps(&grid, 4, 0));
    for (int step = 0; step < 4; ++step) {
        PLAIN_EACH(*v, z, y, x) plain_velocity(v, s, medium, z, y, x);
        for (int k = 0; k < 3; ++k) plain_advance(&v[k]);
        PLAIN_EACH(*v, z, y, x) plain_stress(v, s, medium, z, y, x);
        for (int k = 0; k < 6; ++k) plain_advance(&s[k]);
    }
    double worst = 0.0;
    for (int k = 0; k < 3; ++k) worst = fmax(worst, plain_error(&v[k], grid.v[k], 4, (size_t)columns));
    for (int k = 0; k < 6; ++k) worst = fmax(worst, plain_error(&s[k], grid.s[k], 4, (size_t)columns));
    tap_check(worst <= 3e-6, "elastic, %d columns: wrong by at most 3e-06 of the largest value: %.1e", columns, worst);
}

static void test_elastic(void)
{
    elastic_steps_of(33);
    elastic_steps_of(140);
}

/* ---- Fields of one byte beside one of eight: a row of a ring has few bytes of each, and any width of a block must fit
 * the shared memory that a launch asks for */
#define MIXED(USES)                                                                                                    \
    USES(NEXT, double, u, CMK_POINT_REACH(1, 0, 0), CMK_EDGE_CLAMP)                                                    \
    USES(INS, signed char, few, 12, CMK_POINT_REACH(1, 0, 0), CMK_EDGE_CLAMP)
CMK_POINT_3D(mixed, MIXED)
{
    double sum = CMK_POINT_AT(u, -1, 0, 0) + CMK_POINT_AT(u, 1, 0, 0);
    CMK_UNROLL
    for (int k = 0; k < 12; ++k) sum += CMK_POINT_AT(few[k], -1, 0, 0) + CMK_POINT_AT(few[k], 1, 0, 0);
    CMK_POINT_SET(u, sum);
}
CMK_DEFINE_STENCIL3D(mixed, MIXED);

static void test_mixed(void)
{
    enum { planes = 12, rows = 9, most = 256 };
    const size_t count = (size_t)planes * rows * most;
    double *u, *next, *host = (double *)malloc(count * sizeof *host);
    signed char *few;
    int wrong = 0;
    CMK_CHECK(cudaMalloc((void **)&u, count * sizeof *u));
    CMK_CHECK(cudaMalloc((void **)&next, count * sizeof *next));
    CMK_CHECK(cudaMalloc((void **)&few, 12 * count));
    CMK_CHECK(cudaMemset(few, 3, 12 * count));
    for (int columns = 32; columns <= most; columns += 7) {
        mixed_grid grid = mixed_domain(planes, rows, (size_t)columns, (size_t)rows * most, most);
        for (size_t k = 0; k < count; ++k) host[k] = (double)(k % most);
        CMK_CHECK(cudaMemcpy(u, host, count * sizeof *u, cudaMemcpyHostToDevice));
        grid.u = u, grid.u_next = next;
        for (int k = 0; k < 12; ++k) grid.few[k] = few + (size_t)k * count;
        CMK_CHECK(mixed(&grid, 0));
        CMK_CHECK(cudaMemcpy(host, grid.u, count * sizeof *u, cudaMemcpyDeviceToHost));
        for (size_t k = 0; k < count; ++k) {
            const double x = (double)(k % most), error = host[k] - (2.0 * x + 72.0);
            wrong += k % most < (size_t)columns && !(error <= 0.0 && error >= 0.0);
        }
    }
    CMK_CHECK(cudaFree(u));
    CMK_CHECK(cudaFree(next));
    CMK_CHECK(cudaFree(few));
    free(host);
    tap_check(wrong == 0, "fields of one byte beside one of eight, 32 to 256 columns: %d wrong", wrong);
}

int main(void)
{
    void (*const tests[])(void) = {test_heat, test_acoustic, test_elastic, test_mixed};
    tap_need_device();
    for (size_t k = 0; k < sizeof tests / sizeof *tests; ++k) {
        tests[k]();
        plain_end();
    }
    return tap_done();
}
