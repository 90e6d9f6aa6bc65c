/* stencils2d: times stencils of a user's own update, of kernel/stencil2d.h, on random data; a step of each is verified
 * at every point before it is timed.
 *
 *   usage: stencils2d [CSV]     prints the table; CSV is a file to append it to as well */
#include "systems.h"
#include "updates2d.h"

/* ---- stars */
#define STAR_WRAP(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_WRAP)
#define STAR_CLAMP(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)
STAR(star_wrap, float, 1, STAR_WRAP)
STAR(star_clamp, float, 1, STAR_CLAMP)

#define STAR_ROW(name, R, text, s)                                                                                     \
    {                                                                                                                  \
        refresh<float>(2, s);                                                                                          \
        name##_grid grid = PLANE_GRID(name, s);                                                                        \
        grid.u = (float *)now[0], grid.u_next = (float *)now[1];                                                       \
        CMK_CHECK(name(&grid, 0));                                                                                     \
        const around<float> u = old<float>(0, s);                                                                      \
        const float error = judge(text, grid.u, s, 1e-5f, [=] __device__(long long z, long long y, long long x) {      \
            double sum = exact[0] * u(z, y, x);                                                                        \
            for (int k = 1; k <= R; ++k)                                                                               \
                sum += exact[k] * (u(z, y - k, x) + u(z, y + k, x) + u(z, y, x - k) + u(z, y, x + k));                 \
            return sum;                                                                                                \
        });                                                                                                            \
        time_row(text, s, 8, 8 * R + 1, error, [&] { return name(&grid, 0); });                                        \
    }
/* edges of their own: timed beside the zeros, judged by the tests */
#define EDGE_ROW(name, text, s)                                                                                        \
    {                                                                                                                  \
        name##_grid grid = PLANE_GRID(name, s);                                                                        \
        grid.u = (float *)now[0], grid.u_next = (float *)now[1];                                                       \
        time_row(text, s, 8, 9, 0.0f, [&] { return name(&grid, 0); });                                                 \
    }

/* ---- boxes */
#define BOX_2(USES) USES(NEXT, float, u, CMK_POINT_BOX(2), CMK_EDGE_ZERO)
BOX(box_2, 2, BOX_2)
#define BOX_ROW(name, R, text, s)                                                                                      \
    {                                                                                                                  \
        refresh<float>(2, s);                                                                                          \
        name##_grid grid = PLANE_GRID(name, s);                                                                        \
        grid.u = (float *)now[0], grid.u_next = (float *)now[1];                                                       \
        CMK_CHECK(name(&grid, 0));                                                                                     \
        const around<float> u = old<float>(0, s);                                                                      \
        const float error = judge(text, grid.u, s, 1e-5f, [=] __device__(long long z, long long y, long long x) {      \
            double sum = 0.0;                                                                                          \
            for (int r = -R; r <= R; ++r)                                                                              \
                for (int c = -R; c <= R; ++c) sum += (0.1 + 0.03 * r + 0.007 * c) * u(z, y + r, x + c);                \
            return sum;                                                                                                \
        });                                                                                                            \
        time_row(text, s, 8, 2 * (2 * R + 1) * (2 * R + 1), error, [&] { return name(&grid, 0); });                    \
    }

/* ---- Gray-Scott */
template <class T> static __device__ double laplace(around<T> u, long long z, long long y, long long x)
{
    return u(z, y - 1, x) + u(z, y + 1, x) + u(z, y, x - 1) + u(z, y, x + 1) - 4.0 * u(z, y, x);
}

static void gray_scott_row(const char *name, shape s)
{
    refresh<float>(4, s);
    gray_scott_grid grid = PLANE_GRID(gray_scott, s);
    grid.u = (float *)now[0], grid.u_next = (float *)now[1];
    grid.v = (float *)now[2], grid.v_next = (float *)now[3];
    CMK_CHECK(gray_scott(&grid, 0.04f, 0.06f, 0));
    const around<float> u = old<float>(0, s), v = old<float>(2, s);
    float error = judge(name, grid.u, s, 1e-5f, [=] __device__(long long z, long long y, long long x) {
        const double a = u(z, y, x), b = v(z, y, x);
        return a + 0.2 * laplace(u, z, y, x) - a * b * b + 0.04 * (1.0 - a);
    });
    error = fmaxf(error, judge(name, grid.v, s, 1e-5f, [=] __device__(long long z, long long y, long long x) {
                      const double a = u(z, y, x), b = v(z, y, x);
                      return b + 0.1 * laplace(v, z, y, x) + a * b * b - 0.1 * b;
                  }));
    time_row(name, s, 16, 20, error, [&] { return gray_scott(&grid, 0.04f, 0.06f, 0); });
}

/* ---- waves */
#define WAVE_4(USES) USES(LEAPFROG, float, u, CMK_POINT_STAR(4), CMK_EDGE_ZERO)
WAVE(wave_4, 4, WAVE_4)
#define WAVE_ROW(name, R, text, s)                                                                                     \
    {                                                                                                                  \
        refresh<float>(2, s);                                                                                          \
        name##_grid grid = PLANE_GRID(name, s);                                                                        \
        grid.u = (float *)now[0], grid.u_before = (float *)now[1];                                                     \
        CMK_CHECK(name(&grid, 0));                                                                                     \
        const around<float> u = old<float>(0, s), last = old<float>(1, s);                                             \
        const float error = judge(text, grid.u, s, 1e-5f, [=] __device__(long long z, long long y, long long x) {      \
            double sum = 2.0 * exact[0] * u(z, y, x);                                                                  \
            for (int k = 1; k <= R; ++k)                                                                               \
                sum += exact[k] * (u(z, y - k, x) + u(z, y + k, x) + u(z, y, x - k) + u(z, y, x + k));                 \
            return 2.0 * u(z, y, x) - last(z, y, x) + 0.1 * sum;                                                       \
        });                                                                                                            \
        time_row(text, s, 12, 8 * R + 4, error, [&] { return name(&grid, 0); });                                       \
    }

/* ---- FDTD TM */
static void tm_row(const char *name, shape s)
{
    refresh<float>(3, s);
    tm_grid grid = PLANE_GRID(tm, s);
    grid.ez = (float *)now[0], grid.hx = (float *)now[1], grid.hy = (float *)now[2];
    CMK_CHECK(tm(&grid, 0.3f, 0));
    const around<float> e = old<float>(0, s), hx = old<float>(1, s), hy = old<float>(2, s);
    const float error = judge(name, grid.ez, s, 1e-5f, [=] __device__(long long z, long long y, long long x) {
        const double c = 0.3f;
        const double here = hx(z, y, x) - c * (e(z, y + 1, x) - e(z, y, x));
        const double above = y > 0 ? hx(z, y - 1, x) - c * (e(z, y, x) - e(z, y - 1, x)) : 0.0;
        const double mine = hy(z, y, x) + c * (e(z, y, x + 1) - e(z, y, x));
        const double left = x > 0 ? hy(z, y, x - 1) + c * (e(z, y, x) - e(z, y, x - 1)) : 0.0;
        return e(z, y, x) + c * (mine - left - here + above);
    });
    time_row(name, s, 36, 11, error, [&] { return tm(&grid, 0.3f, 0); });
}

/* ---- the flux limiter of a horizontal diffusion, double */
#define HDIFF(USES)                                                                                                    \
    USES(IN, double, field, CMK_POINT_BOX(2), CMK_EDGE_ZERO) USES(IN, double, coefficient) USES(OUT, double, result)
#define F(dy, dx) CMK_POINT_AT(field, dy, dx)
#define LAP(dy, dx) (4.0 * F(dy, dx) - (F((dy) + 1, dx) + F(dy, (dx) + 1) + F((dy)-1, dx) + F(dy, (dx)-1)))
#define LIMITED(flux, slope) ((flux) * (slope) > 0.0 ? 0.0 : (flux))
#define FLUX_X(dx) LIMITED(LAP(0, (dx) + 1) - LAP(0, dx), F(0, (dx) + 1) - F(0, dx))
#define FLUX_Y(dy) LIMITED(LAP((dy) + 1, 0) - LAP(dy, 0), F((dy) + 1, 0) - F(dy, 0))
CMK_POINT_2D(hdiff, HDIFF)
{
    const double out = FLUX_X(0) - FLUX_X(-1) + FLUX_Y(0) - FLUX_Y(-1);
    CMK_POINT_SET(result, F(0, 0) - CMK_POINT_HERE(coefficient) * out);
}
CMK_DEFINE_STENCIL2D(hdiff, HDIFF);

struct limiter {
    around<double> f;
    __device__ double flux(long long y, long long x, int dy, int dx) const
    {
        const double change = laplace(f, 0, y, x) - laplace(f, 0, y + dy, x + dx);
        return change * (f(0, y + dy, x + dx) - f(0, y, x)) > 0.0 ? 0.0 : change;
    }
};

static void hdiff_row(const char *name, shape s)
{
    refresh<double>(2, s);
    hdiff_grid grid = PLANE_GRID(hdiff, s);
    grid.field = (double *)now[0], grid.coefficient = (double *)now[1], grid.result = (double *)now[2];
    CMK_CHECK(hdiff(&grid, 0));
    const limiter l = {old<double>(0, s)};
    const around<double> c = old<double>(1, s);
    const float error = judge(name, grid.result, s, 1e-13f, [=] __device__(long long z, long long y, long long x) {
        const double out = l.flux(y, x, 0, 1) - l.flux(y, x - 1, 0, 1) + l.flux(y, x, 1, 0) - l.flux(y - 1, x, 1, 0);
        return l.f(z, y, x) - c(z, y, x) * out;
    });
    time_row(name, s, 24, 40, error, [&] { return hdiff(&grid, 0); });
}

/* ---- Life on bytes */
#define LIFE(USES) USES(NEXT, unsigned char, cell, CMK_POINT_BOX(1), CMK_EDGE_ZERO)
#define C(dy, dx) CMK_POINT_AT(cell, dy, dx)
CMK_POINT_2D(life, LIFE)
{
    const int alive = C(-1, -1) + C(-1, 0) + C(-1, 1) + C(0, -1) + C(0, 1) + C(1, -1) + C(1, 0) + C(1, 1);
    CMK_POINT_SET(cell, (alive | C(0, 0)) == 3);
}
CMK_DEFINE_STENCIL2D(life, LIFE);

__global__ void to_cells(unsigned char *cell, size_t count)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        cell[i] = cell[i] % 3 == 0;
}

static void life_row(const char *name, shape s)
{
    const size_t count = (size_t)(s.rows * s.pitch);
    refresh<unsigned char>(2, s);
    CMK_CHECK(CMK_LAUNCH(to_cells, 4096, 256, 0, 0, (unsigned char *)now[0], count));
    CMK_CHECK(cudaMemcpy(before[0], now[0], count, cudaMemcpyDeviceToDevice));
    life_grid grid = PLANE_GRID(life, s);
    grid.cell = (unsigned char *)now[0], grid.cell_next = (unsigned char *)now[1];
    CMK_CHECK(life(&grid, 0));
    const around<unsigned char> cell = old<unsigned char>(0, s);
    const float error = judge(name, grid.cell, s, 0.0f, [=] __device__(long long z, long long y, long long x) {
        double alive = -cell(z, y, x);
        for (int k = 0; k < 9; ++k) alive += cell(z, y + k / 3 - 1, x + k % 3 - 1);
        return alive == 3.0 || (alive == 2.0 && cell(z, y, x) == 1.0) ? 1.0 : 0.0;
    });
    time_row(name, s, 2, 0, error, [&] { return life(&grid, 0); });
}

/* ---- lattice Boltzmann, D2Q9 */
__device__ const int lattice_x[9] = {TO_XS}, lattice_y[9] = {TO_YS};
__device__ const double lattice_share[9] = {SHARES};
struct lattice {
    around<float> f[9];
};

static void lbm_row(const char *name, shape s)
{
    lattice l;
    float error = 0.0f;
    refresh<float>(18, s);
    lbm_grid grid = PLANE_GRID(lbm, s);
    for (int k = 0; k < 9; ++k) {
        grid.f[k] = (float *)now[k];
        grid.f_next[k] = (float *)now[9 + k];
        l.f[k] = old<float>(k, s);
    }
    CMK_CHECK(lbm(&grid, 0.7f, 0));
    for (int n = 0; n < 9; ++n) {
        const float most =
            judge(name, grid.f[n], s, 1e-4f, [=] __device__(long long z, long long row, long long column) {
                double density = 1.0, x = 0.0, y = 0.0, mine = 0.0;
                for (int k = 0; k < 9; ++k) {
                    const double a = l.f[k](z, row - lattice_y[k], column - lattice_x[k]);
                    density += 0.1 * a;
                    x += lattice_x[k] * a;
                    y += lattice_y[k] * a;
                    if (k == n) mine = a;
                }
                x /= density;
                y /= density;
                const double along = lattice_x[n] * x + lattice_y[n] * y;
                const double balance =
                    lattice_share[n] * density * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * (x * x + y * y));
                return mine + 0.7 * (balance - mine);
            });
        error = fmaxf(error, most);
    }
    time_row(name, s, 72, 150, error, [&] { return lbm(&grid, 0.7f, 0); });
}

static void images(shape s, const char *size)
{
    char name[64];
    copy_row(NAMED("copy"), (size_t)(s.rows * s.pitch) * 4);
    STAR_ROW(star_1, 1, NAMED("2D star r=1"), s)
    STAR_ROW(star_2, 2, NAMED("2D star r=2"), s)
    STAR_ROW(star_4, 4, NAMED("2D star r=4"), s)
    EDGE_ROW(star_clamp, NAMED("2D star r=1 clamped"), s)
    EDGE_ROW(star_wrap, NAMED("2D star r=1 wrapped"), s)
    BOX_ROW(box_1, 1, NAMED("2D box r=1"), s)
    BOX_ROW(box_2, 2, NAMED("2D box r=2"), s)
    gray_scott_row(NAMED("Gray-Scott"), s);
    WAVE_ROW(wave_1, 1, NAMED("wave r=1"), s)
    WAVE_ROW(wave_4, 4, NAMED("wave r=4"), s)
    tm_row(NAMED("FDTD TM"), s);
    hdiff_row(NAMED("flux limiter, double"), s);
    life_row(NAMED("Life, bytes"), s);
    lbm_row(NAMED("lattice Boltzmann D2Q9"), s);
}

int main(int argc, char **argv)
{
    begin(argc, argv, field_most * 4, "stencils of a user's own update");
    make_buffers();
    peak_row();
    images(dense(1, 16384, 16384), "16384^2");
    images(dense(1, 16381, 16411), "16381 x 16411");
    images(pitched(1, 16381, 16411), "16381 x 16411 pitched");
    images(dense(1, 4096, 4096), "4096^2");
    images(dense(1, 1080, 1920), "1080p");
    return end();
}
