/* Nine 2D stencils as users write them, and of rows that begin anywhere, each against plain loops in double. */
#include <cmk/kernel/stencil2d.h>
#include <cmk/check.h>
#include <cmk/stencil.h>
#include "point/plain.h"

/* ---- Heat: one field, no flux through the sides */

#define HEAT(USES)                                                                                                     \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)                                                            \
    USES(VALUE, float, k)
#define U(dy, dx) CMK_POINT_AT(u, dy, dx)
CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(u, U(0, 0) + k * (U(-1, 0) + U(1, 0) + U(0, -1) + U(0, 1) - 4.0f * U(0, 0)));
}
CMK_DEFINE_STENCIL2D(heat, HEAT);

static double plain_laplace(const plain_field *f, int z, int y, int x)
{
    return plain_value(f, z, y - 1, x) + plain_value(f, z, y + 1, x) + plain_value(f, z, y, x - 1) +
           plain_value(f, z, y, x + 1) - 4 * plain_value(f, z, y, x);
}

static void test_heat(void)
{
    plain_field u = plain_make(1, 37, 45, CMK_EDGE_CLAMP, 0.0, 1.0);
    heat_grid grid = heat_domain(37, 45, 48);
    grid.u = (float *)plain_upload(&u, 4, 48);
    grid.u_next = (float *)plain_upload(&u, 4, 48);
    CMK_CHECK(heat_steps(&grid, 7, 0.2f, 0));
    for (int step = 0; step < 7; ++step) {
        PLAIN_EACH(u, z, y, x)
        plain_set(&u, z, y, x, plain_value(&u, z, y, x) + (double)0.2f * plain_laplace(&u, z, y, x));
        plain_advance(&u);
    }
    PLAIN_CHECK(float, grid.u, u, 48, 1e-6, "heat");
}

/* ---- A box of 9 points from a table, by a body of stencil.h: it goes round in one direction, between two walls */

#define TAPS 0.07f, 0.1f, 0.08f, 0.12f, 0.25f, 0.13f, 0.06f, 0.11f, 0.08f
CMK_TABLE(CONSTANT, float, taps, [3][3]);
#define BOX(USES)                                                                                                      \
    USES(NEXT, float, u, CMK_POINT_BOX(1), CMK_EDGE_AXES(CMK_EDGE_ZERO, CMK_EDGE_WRAP))                                \
    USES(TABLE, taps)
#define TAP(r, c) CMK_TABLE_AT(taps, r, c)
CMK_POINT_2D(box, BOX)
{
    float sum = 0.0f;
    CMK_STENCIL_2D_BOX(sum, 1, TAP, U);
    CMK_POINT_SET(u, sum);
}
CMK_DEFINE_STENCIL2D(box, BOX);

static void test_box(void)
{
    static const float weights[9] = {TAPS};
    plain_field u = plain_make(1, 21, 70, CMK_EDGE_WRAP, 0.0, 1.0);
    u.edges[1][0] = u.edges[1][1] = CMK_EDGE_ZERO, u.outside = 1.0;
    box_grid grid = box_domain(21, 70, 70);
    grid.u_outside = 1.0f;
    grid.u = (float *)plain_upload(&u, 4, 70);
    grid.u_next = (float *)plain_upload(&u, 4, 70);
    CMK_CHECK(CMK_TABLE_UPLOAD(taps, weights, 0, 9));
    CMK_CHECK(box_steps(&grid, 5, taps, 0));
    for (int step = 0; step < 5; ++step) {
        PLAIN_EACH(u, z, y, x)
        {
            double sum = 0.0;
            for (int k = 0; k < 9; ++k) sum += (double)weights[k] * plain_value(&u, z, y + k / 3 - 1, x + k % 3 - 1);
            plain_set(&u, z, y, x, sum);
        }
        plain_advance(&u);
    }
    PLAIN_CHECK(float, grid.u, u, 70, 1e-6, "box");
}

/* ---- Gray-Scott: two fields that react and diffuse, on a torus */

#define GRAY_SCOTT(USES)                                                                                               \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_WRAP)                                                             \
    USES(NEXT, float, v, CMK_POINT_STAR(1), CMK_EDGE_WRAP)                                                             \
    USES(VALUE, float, feed)                                                                                           \
    USES(VALUE, float, kill)
#define AT(f, dy, dx) CMK_POINT_AT(f, dy, dx)
#define LAPLACE(f) (AT(f, -1, 0) + AT(f, 1, 0) + AT(f, 0, -1) + AT(f, 0, 1) - 4.0f * AT(f, 0, 0))
CMK_POINT_2D(gray_scott, GRAY_SCOTT)
{
    const float a = AT(u, 0, 0), b = AT(v, 0, 0), reaction = a * b * b;
    CMK_POINT_SET(u, a + 0.2f * LAPLACE(u) - reaction + feed * (1.0f - a));
    CMK_POINT_SET(v, b + 0.1f * LAPLACE(v) + reaction - (feed + kill) * b);
}
CMK_DEFINE_STENCIL2D(gray_scott, GRAY_SCOTT);

static void test_gray_scott(void)
{
    const double feed = (double)0.04f, removed = (double)0.04f + (double)0.06f;
    plain_field u = plain_make(1, 33, 40, CMK_EDGE_WRAP, 0.5, 1.0), v = plain_make(1, 33, 40, CMK_EDGE_WRAP, 0.0, 0.4);
    gray_scott_grid grid = gray_scott_domain(33, 40, 40);
    grid.u = (float *)plain_upload(&u, 4, 40), grid.u_next = (float *)plain_upload(&u, 4, 40);
    grid.v = (float *)plain_upload(&v, 4, 40), grid.v_next = (float *)plain_upload(&v, 4, 40);
    CMK_CHECK(gray_scott_steps(&grid, 8, 0.04f, 0.06f, 0));
    for (int step = 0; step < 8; ++step) {
        PLAIN_EACH(u, z, y, x)
        {
            const double a = plain_value(&u, z, y, x), b = plain_value(&v, z, y, x);
            plain_set(&u, z, y, x, a + (double)0.2f * plain_laplace(&u, z, y, x) - a * b * b + feed * (1 - a));
            plain_set(&v, z, y, x, b + (double)0.1f * plain_laplace(&v, z, y, x) + a * b * b - removed * b);
        }
        plain_advance(&u);
        plain_advance(&v);
    }
    PLAIN_CHECK(float, grid.u, u, 40, 2e-6, "Gray-Scott: u");
    PLAIN_CHECK(float, grid.v, v, 40, 2e-6, "Gray-Scott: v");
}

/* ---- Waves, leapfrog: the speed from point to point, a source and a receiver in every step */

#define WAVE(USES)                                                                                                     \
    USES(LEAPFROG, float, u, CMK_POINT_STAR(1), CMK_EDGE_REFLECT)                                                      \
    USES(IN, float, courant)                                                                                           \
    USES(VALUE, const float *, signal)                                                                                 \
    USES(VALUE, float *, record)
CMK_POINT_2D(wave, WAVE)
{
    const float c = CMK_POINT_HERE(courant);
    float next = 2.0f * U(0, 0) - CMK_POINT_BEFORE(u) + c * c * LAPLACE(u);
    if (CMK_POINT_ROW == 3 && CMK_POINT_COLUMN == 4) next += CMK_LDG(&signal[CMK_POINT_STEP]);
    if (CMK_POINT_ROW == 20 && CMK_POINT_COLUMN == 30) CMK_STORE(&record[CMK_POINT_STEP], next);
    CMK_POINT_SET(u, next);
}
CMK_DEFINE_STENCIL2D(wave, WAVE);

static void test_wave(void)
{
    plain_field u = plain_make(1, 30, 35, CMK_EDGE_REFLECT, -1.0, 1.0), before = plain_make(1, 30, 35, 0, -1.0, 1.0);
    plain_field c = plain_make(1, 30, 35, 0, 0.1, 0.6), sound = plain_make(1, 1, 9, 0, -1.0, 1.0);
    plain_field heard = plain_make(1, 1, 9, 0, 0.0, 0.0);
    float *const signal = (float *)plain_upload(&sound, 4, 9), *const record = (float *)plain_upload(&heard, 4, 9);
    wave_grid grid = wave_domain(30, 35, 36);
    grid.u = (float *)plain_upload(&u, 4, 36);
    grid.u_before = (float *)plain_upload(&before, 4, 36);
    grid.courant = (const float *)plain_upload(&c, 4, 36);
    CMK_CHECK(wave_steps(&grid, 9, signal, record, 0));
    for (int step = 0; step < 9; ++step) {
        PLAIN_EACH(u, z, y, x)
        {
            const double s = plain_value(&c, z, y, x), source = y == 3 && x == 4 ? sound.now[step] : 0.0;
            plain_set(&u, z, y, x,
                      2 * plain_value(&u, z, y, x) - plain_value(&before, z, y, x) +
                          s * s * plain_laplace(&u, z, y, x) + source);
        }
        heard.now[step] = u.next[20 * 35 + 30];
        memcpy(before.now, u.now, plain_count(&u) * sizeof *u.now);
        plain_advance(&u);
    }
    PLAIN_CHECK(float, grid.u, u, 36, 1e-5, "wave");
    PLAIN_CHECK(float, grid.u_before, before, 36, 1e-5, "wave: the level before");
    PLAIN_CHECK(float, record, heard, 9, 1e-5, "wave: the receiver");
}

/* ---- Electromagnetic waves, TM, on Yee's grid: two stages in place; an array with a pitch of its own */

#define TM(USES)                                                                                                       \
    USES(SAME, float, ez, CMK_POINT_STAR(1), CMK_EDGE_ZERO)                                                            \
    USES(SAME, float, hx, CMK_POINT_REACH(0, 1, 0), CMK_EDGE_ZERO)                                                     \
    USES(SAME, float, hy, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_ZERO)                                                     \
    USES(IN, float, permittivity)                                                                                      \
    USES(VALUE, float, c)
CMK_POINT_2D_STAGES(tm, TM, 2)
{
    if (CMK_POINT_STAGE == 0) {
        CMK_POINT_SET(hx, AT(hx, 0, 0) - c * (AT(ez, 1, 0) - AT(ez, 0, 0)));
        CMK_POINT_SET(hy, AT(hy, 0, 0) + c * (AT(ez, 0, 1) - AT(ez, 0, 0)));
    } else {
        const float curl = AT(hy, 0, 0) - AT(hy, 0, -1) - AT(hx, 0, 0) + AT(hx, -1, 0);
        CMK_POINT_SET(ez, AT(ez, 0, 0) + c / CMK_POINT_HERE(permittivity) * curl);
    }
}
CMK_DEFINE_STENCIL2D(tm, TM);

static void plain_tm(plain_field *ez, plain_field *hx, plain_field *hy, const plain_field *e)
{
    PLAIN_EACH(*ez, z, y, x)
    {
        const double here = plain_value(ez, z, y, x);
        plain_set(hx, z, y, x, plain_value(hx, z, y, x) - 0.5 * (plain_value(ez, z, y + 1, x) - here));
        plain_set(hy, z, y, x, plain_value(hy, z, y, x) + 0.5 * (plain_value(ez, z, y, x + 1) - here));
    }
    plain_advance(hx);
    plain_advance(hy);
    PLAIN_EACH(*ez, z, y, x)
    {
        const double curl = plain_value(hy, z, y, x) - plain_value(hy, z, y, x - 1) - plain_value(hx, z, y, x) +
                            plain_value(hx, z, y - 1, x);
        plain_set(ez, z, y, x, plain_value(ez, z, y, x) + 0.5 / plain_value(e, z, y, x) * curl);
    }
    plain_advance(ez);
}

static void test_tm(void)
{
    plain_field ez = plain_make(1, 41, 39, CMK_EDGE_ZERO, -1.0, 1.0),
                hx = plain_make(1, 41, 39, CMK_EDGE_ZERO, -1.0, 1.0);
    plain_field hy = plain_make(1, 41, 39, CMK_EDGE_ZERO, -1.0, 1.0),
                e = plain_make(1, 41, 39, CMK_EDGE_ZERO, 1.0, 4.0);
    tm_grid grid = tm_domain(41, 39, 40);
    grid.hx_row_pitch = 44;
    grid.ez = (float *)plain_upload(&ez, 4, 40);
    grid.hx = (float *)plain_upload(&hx, 4, 44);
    grid.hy = (float *)plain_upload(&hy, 4, 40);
    grid.permittivity = (const float *)plain_upload(&e, 4, 40);
    CMK_CHECK(tm_steps(&grid, 6, 0.5f, 0));
    for (int step = 0; step < 6; ++step) plain_tm(&ez, &hx, &hy, &e);
    PLAIN_CHECK(float, grid.ez, ez, 40, 2e-6, "TM: ez");
    PLAIN_CHECK(float, grid.hx, hx, 44, 2e-6, "TM: hx");
    PLAIN_CHECK(float, grid.hy, hy, 40, 2e-6, "TM: hy");
}

/* ---- Horizontal diffusion of a weather model with its flux limiter: levels are images; the rim of 2 stays */

#define HDIFF(USES)                                                                                                    \
    USES(IN, double, field, CMK_POINT_BOX(2), CMK_EDGE_ZERO)                                                           \
    USES(IN, double, coefficient)                                                                                      \
    USES(OUT, double, result)
#define F(dy, dx) CMK_POINT_AT(field, dy, dx)
#define CURVATURE(dy, dx) (4.0 * F(dy, dx) - (F(dy + 1, dx) + F(dy, dx + 1) + F(dy - 1, dx) + F(dy, dx - 1)))
#define LIMITED(flux, slope) ((flux) * (slope) > 0.0 ? 0.0 : (flux))
#define FLUX_X(dx) LIMITED(CURVATURE(0, dx + 1) - CURVATURE(0, dx), F(0, dx + 1) - F(0, dx))
#define FLUX_Y(dy) LIMITED(CURVATURE(dy + 1, 0) - CURVATURE(dy, 0), F(dy + 1, 0) - F(dy, 0))
CMK_POINT_2D(hdiff, HDIFF)
{
    const double out = FLUX_X(0) - FLUX_X(-1) + FLUX_Y(0) - FLUX_Y(-1);
    CMK_POINT_SET(result, F(0, 0) - CMK_POINT_HERE(coefficient) * out);
}
CMK_DEFINE_STENCIL2D(hdiff, HDIFF);

static double plain_flux(const plain_field *f, int z, int y, int x, int dy, int dx)
{
    const double flux = plain_laplace(f, z, y, x) - plain_laplace(f, z, y + dy, x + dx);
    return flux * (plain_value(f, z, y + dy, x + dx) - plain_value(f, z, y, x)) > 0 ? 0 : flux;
}

static void test_hdiff(void)
{
    plain_field f = plain_make(3, 29, 37, CMK_EDGE_ZERO, 0.0, 1.0), c = plain_make(3, 29, 37, CMK_EDGE_ZERO, 0.0, 0.1);
    plain_field out = plain_make(3, 29, 37, CMK_EDGE_ZERO, 0.0, 1.0);
    hdiff_grid grid = hdiff_inner(29, 37, 37);
    grid.planes = grid.end_plane = 3, grid.plane_pitch = 37 * 29;
    grid.field = (const double *)plain_upload(&f, 8, 37);
    grid.coefficient = (const double *)plain_upload(&c, 8, 37);
    grid.result = (double *)plain_upload(&out, 8, 37);
    CMK_CHECK(hdiff(&grid, 0));
    PLAIN_EACH(f, z, y, x)
    if (y >= 2 && y < 27 && x >= 2 && x < 35)
        plain_set(&out, z, y, x,
                  plain_value(&f, z, y, x) -
                      plain_value(&c, z, y, x) * (plain_flux(&f, z, y, x, 0, 1) - plain_flux(&f, z, y, x - 1, 0, 1) +
                                                  plain_flux(&f, z, y, x, 1, 0) - plain_flux(&f, z, y - 1, x, 1, 0)));
    plain_advance(&out);
    PLAIN_CHECK(double, grid.result, out, 37, 1e-14, "hdiff");
}

/* ---- The game of life: bytes on a torus */

#define LIFE(USES) USES(NEXT, unsigned char, cell, CMK_POINT_BOX(1), CMK_EDGE_WRAP)
#define C(dy, dx) CMK_POINT_AT(cell, dy, dx)
CMK_POINT_2D(life, LIFE)
{
    const int alive = C(-1, -1) + C(-1, 0) + C(-1, 1) + C(0, -1) + C(0, 1) + C(1, -1) + C(1, 0) + C(1, 1);
    CMK_POINT_SET(cell, (alive | C(0, 0)) == 3);
}
CMK_DEFINE_STENCIL2D(life, LIFE);

static void test_life(void)
{
    plain_field cell = plain_make(1, 40, 51, CMK_EDGE_WRAP, 0.0, 1.0);
    for (int k = 0; k < 40 * 51; ++k) cell.now[k] = cell.now[k] < 0.4;
    life_grid grid = life_domain(40, 51, 51);
    grid.cell = (unsigned char *)plain_upload(&cell, 1, 51);
    grid.cell_next = (unsigned char *)plain_upload(&cell, 1, 51);
    CMK_CHECK(life_steps(&grid, 20, 0));
    for (int step = 0; step < 20; ++step) {
        PLAIN_EACH(cell, z, y, x)
        {
            int alive = -(int)plain_value(&cell, z, y, x);
            for (int k = 0; k < 9; ++k) alive += (int)plain_value(&cell, z, y + k / 3 - 1, x + k % 3 - 1);
            plain_set(&cell, z, y, x, alive == 3 || (alive == 2 && plain_value(&cell, z, y, x) > 0));
        }
        plain_advance(&cell);
    }
    PLAIN_CHECK(unsigned char, grid.cell, cell, 51, 0.0, "life");
}

/* ---- Lattice Boltzmann, D2Q9: each population is read from where it comes; bounce-back at solid points */

#define EAST 0, 1, 0, -1, 0, 1, -1, -1, 1
#define SOUTH 0, 0, 1, 0, -1, 1, 1, -1, -1
#define BACK 0, 3, 4, 1, 2, 7, 8, 5, 6
#define SHARES 16, 4, 4, 4, 4, 1, 1, 1, 1
CMK_TABLE_VALUES(LITERAL, int, to_x, [9], EAST);
CMK_TABLE_VALUES(LITERAL, int, to_y, [9], SOUTH);
CMK_TABLE_VALUES(LITERAL, int, opposite, [9], BACK);
CMK_TABLE_VALUES(LITERAL, float, share, [9], SHARES);
#define LBM(USES)                                                                                                      \
    USES(NEXTS, float, f, 9, CMK_POINT_BOX(1), CMK_EDGE_WRAP)                                                          \
    USES(IN, unsigned char, solid)                                                                                     \
    USES(VALUE, float, omega)
CMK_POINT_2D(lbm, LBM)
{
    float a[9], density = 0.0f, x = 0.0f, y = 0.0f;
    CMK_UNROLL
    for (int k = 0; k < 9; ++k) {
        a[k] = CMK_POINT_AT(f[k], -CMK_TABLE_AT(to_y, k), -CMK_TABLE_AT(to_x, k));
        density += a[k], x += (float)CMK_TABLE_AT(to_x, k) * a[k], y += (float)CMK_TABLE_AT(to_y, k) * a[k];
    }
    x /= density, y /= density;
    CMK_UNROLL
    for (int k = 0; k < 9; ++k) {
        const float along = (float)CMK_TABLE_AT(to_x, k) * x + (float)CMK_TABLE_AT(to_y, k) * y;
        const float bend = 1.0f + 3.0f * along + 4.5f * along * along - 1.5f * (x * x + y * y);
        const float balance = CMK_TABLE_AT(share, k) / 36.0f * density * bend;
        CMK_POINT_SET(f[k], CMK_POINT_HERE(solid) ? a[CMK_TABLE_AT(opposite, k)] : a[k] + omega * (balance - a[k]));
    }
}
CMK_DEFINE_STENCIL2D(lbm, LBM);

static void plain_lbm(plain_field *f, const plain_field *solid, int row, int column)
{
    static const int east[9] = {EAST}, south[9] = {SOUTH}, back[9] = {BACK}, shares[9] = {SHARES};
    double a[9], density = 0, x = 0, y = 0;
    for (int k = 0; k < 9; ++k) {
        a[k] = plain_value(&f[k], 0, row - south[k], column - east[k]);
        density += a[k], x += east[k] * a[k], y += south[k] * a[k];
    }
    x /= density, y /= density;
    for (int k = 0; k < 9; ++k) {
        const double along = east[k] * x + south[k] * y;
        const double balance =
            shares[k] / 36.0 * density * (1 + 3 * along + 4.5 * along * along - 1.5 * (x * x + y * y));
        const int is_solid = plain_value(solid, 0, row, column) > 0;
        plain_set(&f[k], 0, row, column, is_solid ? a[back[k]] : a[k] + (double)1.2f * (balance - a[k]));
    }
}

static void test_lbm(void)
{
    plain_field f[9], solid = plain_make(1, 26, 41, CMK_EDGE_ZERO, 0.0, 1.0);
    lbm_grid grid = lbm_domain(26, 41, 44);
    for (int k = 0; k < 26 * 41; ++k) solid.now[k] = solid.now[k] < 0.1;
    grid.solid = (const unsigned char *)plain_upload(&solid, 1, 44);
    for (int k = 0; k < 9; ++k) {
        f[k] = plain_make(1, 26, 41, CMK_EDGE_WRAP, 0.05, 0.15);
        grid.f[k] = (float *)plain_upload(&f[k], 4, 44);
        grid.f_next[k] = (float *)plain_upload(&f[k], 4, 44);
    }
    CMK_CHECK(lbm_steps(&grid, 10, 1.2f, 0));
    for (int step = 0; step < 10; ++step) {
        PLAIN_EACH(solid, z, y, x) plain_lbm(f, &solid, y, x);
        for (int k = 0; k < 9; ++k) plain_advance(&f[k]);
    }
    double worst = 0.0;
    for (int k = 0; k < 9; ++k) worst = fmax(worst, plain_error(&f[k], grid.f[k], 4, 44));
    tap_check(worst <= 5e-6, "lattice Boltzmann: wrong by at most 5e-06 of the largest value: %.1e", worst);
}

/* ---- A boundary of the user's own: heat comes in through the first row, and a disc is kept cold */

typedef struct {
    int row, column, radius;
} disc;
#define PLATE(USES)                                                                                                    \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_AXES(CMK_EDGE_CLAMP, CMK_EDGE_MIRROR))                            \
    USES(VALUE, const float *, inflow)                                                                                 \
    USES(VALUE, disc, cold)
CMK_POINT_2D(plate, PLATE)
{
    const int y = CMK_POINT_ROW - cold.row, x = CMK_POINT_COLUMN - cold.column;
    float next = U(0, 0) + 0.2f * LAPLACE(u);
    if (!CMK_POINT_INSIDE && CMK_POINT_ROW == 0) next += CMK_LDG(&inflow[CMK_POINT_STEP]);
    CMK_POINT_SET(u, x * x + y * y < cold.radius * cold.radius ? 0.0f : next);
}
CMK_DEFINE_STENCIL2D(plate, PLATE);

static void test_plate(void)
{
    const disc cold = {20, 15, 6};
    plain_field u = plain_make(1, 37, 44, CMK_EDGE_CLAMP, 0.0, 1.0), heat = plain_make(1, 1, 8, 0, 0.0, 1.0);
    plate_grid grid = plate_domain(37, 44, 44);
    grid.u = (float *)plain_upload(&u, 4, 44);
    grid.u_next = (float *)plain_upload(&u, 4, 44);
    CMK_CHECK(plate_steps(&grid, 8, (const float *)plain_upload(&heat, 4, 8), cold, 0));
    for (int step = 0; step < 8; ++step) {
        PLAIN_EACH(u, z, y, x)
        {
            const int is_cold = (y - 20) * (y - 20) + (x - 15) * (x - 15) < 36;
            const double next = plain_value(&u, z, y, x) + (double)0.2f * plain_laplace(&u, z, y, x);
            plain_set(&u, z, y, x, is_cold ? 0.0 : next + (y == 0 ? heat.now[step] : 0.0));
        }
        plain_advance(&u);
    }
    PLAIN_CHECK(float, grid.u, u, 44, 1e-6, "plate");
}

/* ---- Dense rows of any width, in memory that begins anywhere: tiles of floats, of doubles beside floats, of lines,
 * and of bytes and of elements of 2 bytes, which go by rows */

#define ROWS_PLACE (7 * CMK_POINT_ROW + CMK_POINT_COLUMN)

#define LEANING(USES)                                                                                                  \
    USES(NEXT, float, u, CMK_POINT_STAR(3), CMK_EDGE_MIRROR)                                                           \
    USES(IN, float, c, CMK_POINT_BOX(1), CMK_EDGE_CLAMP)                                                               \
    USES(OUT, float, place)
#define K(dy, dx) CMK_POINT_AT(c, dy, dx)
CMK_POINT_2D(leaning, LEANING)
{
    const float beside = 0.17f * U(0, -3) + 0.19f * U(0, 1) + 0.05f * K(1, -1) - 0.07f * K(-1, 1);
    CMK_POINT_SET(u, 0.3f * U(0, 0) + 0.11f * U(-3, 0) + 0.13f * U(2, 0) + beside);
    CMK_POINT_SET(place, (float)ROWS_PLACE);
}
CMK_DEFINE_STENCIL2D(leaning, LEANING);

#define PAIRS(USES)                                                                                                    \
    USES(LEAPFROG, double, u, CMK_POINT_REACH(0, 2, 1), CMK_EDGE_WRAP)                                                 \
    USES(IN, float, c)                                                                                                 \
    USES(OUT, float, place)
CMK_POINT_2D(pairs, PAIRS)
{
    const double around = 0.3 * U(-2, 1) + 0.2 * U(1, -1) - 0.1 * U(2, 1);
    CMK_POINT_SET(u, 0.5 * U(0, 0) + around + 0.1 * CMK_POINT_HERE(c) - 0.2 * CMK_POINT_BEFORE(u));
    CMK_POINT_SET(place, (float)ROWS_PLACE);
}
CMK_DEFINE_STENCIL2D(pairs, PAIRS);

#define LINES(USES)                                                                                                    \
    USES(NEXT, float, u, CMK_POINT_REACH(0, 0, 2), CMK_EDGE_ZERO)                                                      \
    USES(IN, float, c)                                                                                                 \
    USES(OUT, float, place)
CMK_POINT_2D(lines, LINES)
{
    CMK_POINT_SET(u, 0.5f * U(0, 0) + 0.3f * U(0, -2) + 0.1f * U(0, 1) - 0.2f * CMK_POINT_HERE(c));
    CMK_POINT_SET(place, (float)ROWS_PLACE);
}
CMK_DEFINE_STENCIL2D(lines, LINES);

#define CELLS(T, USES)                                                                                                 \
    USES(NEXT, T, u, CMK_POINT_BOX(1), CMK_EDGE_REFLECT)                                                               \
    USES(IN, T, c, CMK_POINT_STAR(2), CMK_EDGE_CLAMP)                                                                  \
    USES(OUT, T, place)
#define CELLS_UPDATE(T)                                                                                                \
    {                                                                                                                  \
        const int around =                                                                                             \
            U(-1, -1) + 2 * U(0, 1) + U(1, 1) + U(0, 0) + CMK_POINT_AT(c, -2, 0) + CMK_POINT_AT(c, 0, 2);              \
        CMK_POINT_SET(u, (T)(around / 4));                                                                             \
        CMK_POINT_SET(place, (T)ROWS_PLACE);                                                                           \
    }
#define BYTES(USES) CELLS(unsigned char, USES)
CMK_POINT_2D(bytes, BYTES)
CELLS_UPDATE(unsigned char)
CMK_DEFINE_STENCIL2D(bytes, BYTES);
#define SHORTS(USES) CELLS(unsigned short, USES)
CMK_POINT_2D(shorts, SHORTS)
CELLS_UPDATE(unsigned short)
CMK_DEFINE_STENCIL2D(shorts, SHORTS);

static double plain_leaning(const plain_field *u, const plain_field *c, int z, int y, int x)
{
    return 0.3 * plain_value(u, z, y, x) + 0.11 * plain_value(u, z, y - 3, x) + 0.13 * plain_value(u, z, y + 2, x) +
           0.17 * plain_value(u, z, y, x - 3) + 0.19 * plain_value(u, z, y, x + 1) +
           0.05 * plain_value(c, z, y + 1, x - 1) - 0.07 * plain_value(c, z, y - 1, x + 1);
}

static double plain_pairs(const plain_field *u, const plain_field *c, int z, int y, int x)
{
    return 0.3 * plain_value(u, z, y, x) + 0.3 * plain_value(u, z, y - 2, x + 1) +
           0.2 * plain_value(u, z, y + 1, x - 1) - 0.1 * plain_value(u, z, y + 2, x + 1) +
           0.1 * plain_value(c, z, y, x); /* both levels are the same, so 0.5 - 0.2 is the point's weight */
}

static double plain_lines(const plain_field *u, const plain_field *c, int z, int y, int x)
{
    return 0.5 * plain_value(u, z, y, x) + 0.3 * plain_value(u, z, y, x - 2) + 0.1 * plain_value(u, z, y, x + 1) -
           0.2 * plain_value(c, z, y, x);
}

static double plain_cells(const plain_field *u, const plain_field *c, int z, int y, int x)
{
    const double around = plain_value(u, z, y - 1, x - 1) + 2.0 * plain_value(u, z, y, x + 1) +
                          plain_value(u, z, y + 1, x + 1) + plain_value(u, z, y, x) + plain_value(c, z, y - 2, x) +
                          plain_value(c, z, y, x + 2);
    return floor(around / 4.0);
}

/* Random values that elements of this size hold: real ones, or whole ones. */
static plain_field rows_make(int planes, int rows, int columns, int edge, size_t size)
{
    plain_field f = plain_make(planes, rows, columns, edge, 0.0, size < sizeof(float) ? 100.0 : 1.0);
    for (size_t k = 0; k < plain_count(&f) && size < sizeof(float); ++k) f.now[k] = floor(f.now[k]);
    memcpy(f.next, f.now, plain_count(&f) * sizeof *f.next);
    return f;
}

/* A field on the device: rows one after another, from element `lead` on of memory that begins at a multiple of 256
 * bytes. The bytes around them are 0xFF. */
enum { rows_beside = 16 };
typedef struct {
    size_t size, count;
    int lead;
    char *memory;
} rows_field;

static void *rows_upload(rows_field *f, const plain_field *plain, size_t size, int lead)
{
    const size_t count = plain_count(plain), bytes = (count + 2 * rows_beside) * size;
    char *const held = (char *)malloc(bytes);
    void *memory = NULL;
    f->size = size, f->count = count, f->lead = lead;
    memset(held, 0xFF, bytes);
    for (size_t k = 0; k < count; ++k) plain_put(held + ((size_t)lead + k) * size, plain->now[k], size);
    CMK_CHECK(cudaMalloc(&memory, bytes));
    CMK_CHECK(cudaMemcpy(memory, held, bytes, cudaMemcpyHostToDevice));
    free(held);
    f->memory = (char *)memory;
    return f->memory + (size_t)lead * size;
}

/* Frees the memory of a field. Returns whether the bytes around its rows are as they were. */
static int rows_end(const rows_field *f)
{
    const size_t before = (size_t)f->lead * f->size, behind = before + f->count * f->size;
    const size_t bytes = (f->count + 2 * rows_beside) * f->size;
    unsigned char *const held = (unsigned char *)malloc(bytes);
    int same = 1;
    CMK_CHECK(cudaMemcpy(held, f->memory, bytes, cudaMemcpyDeviceToHost));
    for (size_t k = 0; k < bytes; ++k) same &= (k >= before && k < behind) || held[k] == 0xFF;
    free(held);
    CMK_CHECK(cudaFree(f->memory));
    return same;
}

/* A case: images of rows of this many columns, and the part that is updated, which ends points before each side. The
 * field c begins one element further on where it is apart. */
typedef struct {
    int planes, rows, columns, lead, apart, cut_rows, cut_columns;
} rows_case;

/* Returns whether a launch goes by tiles of the skew that the rows have: by vectors where all rows begin equally far
 * behind one. Where rows of an image do, but not those of all images, and where a field is apart, tiles have no skew.
 */
static int rows_are_skewed(const cmk_point_task_ *task, const rows_case *at, int lanes, int are_lines)
{
    const int row = at->columns % lanes, plane = at->planes > 1 ? at->rows * at->columns % lanes : 0;
    if (!at->apart && row == 0 && plane == 0) return task->aligned;
    return !task->aligned && task->skew == (at->apart ? -1 : are_lines ? 0 : row == 0 ? -1 : row);
}

/* Returns whether a point is of the part. */
static int rows_has(const rows_case *at, int y, int x)
{
    return y >= at->cut_rows && y < at->rows - at->cut_rows && x >= at->cut_columns &&
           x < at->columns - at->cut_columns;
}

/* Runs a step of a definition over a case, and checks it. T is the type of u, `before` its second buffer, O the type of
 * the other fields. */
#define ROWS_RUN(name, plain, T, O, before, edge, lanes, are_lines, at, worst, right)                                  \
    do {                                                                                                               \
        plain_field u = rows_make((at).planes, (at).rows, (at).columns, edge, sizeof(T));                              \
        plain_field c = rows_make((at).planes, (at).rows, (at).columns, CMK_EDGE_CLAMP, sizeof(O));                    \
        plain_field place = rows_make((at).planes, (at).rows, (at).columns, CMK_EDGE_CLAMP, sizeof(O));                \
        rows_field held[4];                                                                                            \
        name##_call call;                                                                                              \
        name##_grid grid = name##_domain((size_t)(at).rows, (size_t)(at).columns, (size_t)(at).columns);               \
        grid.planes = grid.end_plane = (size_t)(at).planes;                                                            \
        grid.plane_pitch = (size_t)((at).rows * (at).columns);                                                         \
        grid.first_row = (size_t)(at).cut_rows, grid.end_row -= grid.first_row;                                        \
        grid.first_column = (size_t)(at).cut_columns, grid.end_column -= grid.first_column;                            \
        grid.u = (T *)rows_upload(&held[0], &u, sizeof(T), (at).lead);                                                 \
        grid.before = (T *)rows_upload(&held[1], &u, sizeof(T), (at).lead);                                            \
        grid.c = (const O *)rows_upload(&held[2], &c, sizeof(O), (at).lead + (at).apart);                              \
        grid.place = (O *)rows_upload(&held[3], &place, sizeof(O), (at).lead);                                         \
        CMK_CHECK(name##_plan(&call, NULL, &grid));                                                                    \
        (right) &= rows_are_skewed(&call.engine_.task, &(at), lanes, are_lines);                                       \
        CMK_CHECK(name(&grid, 0));                                                                                     \
        PLAIN_EACH(u, z, y, x)                                                                                         \
        {                                                                                                              \
            if (!rows_has(&(at), y, x)) continue;                                                                      \
            plain_set(&u, z, y, x, plain(&u, &c, z, y, x));                                                            \
            plain_set(&place, z, y, x, (O)(7 * y + x));                                                                \
        }                                                                                                              \
        plain_advance(&u);                                                                                             \
        plain_advance(&place);                                                                                         \
        (worst) = fmax(worst, plain_error(&u, grid.u, sizeof(T), (size_t)(at).columns));                               \
        (worst) = fmax(worst, plain_error(&place, grid.place, sizeof(O), (size_t)(at).columns));                       \
        for (int k = 0; k < 4; ++k) (right) &= rows_end(&held[k]);                                                     \
        plain_end();                                                                                                   \
    } while (0)

/* Widths of every remainder, about a whole number of blocks and shorter than one, and every place in a vector where
 * rows begin. The part begins at every second vector, or within one. */
#define ROWS_CHECK(name, plain, T, O, before, edge, lanes, are_lines, blocks)                                          \
    for (int i = 0; i < 8; ++i) {                                                                                      \
        const int columns = i < 4 ? (blocks)-2 + i : 5 + i, cut = i < 4 ? 16 : 3;                                      \
        double worst = 0.0;                                                                                            \
        int right = 1;                                                                                                 \
        for (int k = 0; k <= 2 * (lanes); ++k) {                                                                       \
            const int is_last = k == 2 * (lanes), is_cut = (i + k) % 3 == 0;                                           \
            const rows_case at = {1 + k % 2, 37, columns, k / 2 % (lanes), is_last, is_cut ? 3 : 0, is_cut ? cut : 0}; \
            ROWS_RUN(name, plain, T, O, before, edge, lanes, are_lines, at, worst, right);                             \
        }                                                                                                              \
        tap_check(right &&worst <= 1e-6, #name ", dense rows of %d: %sby at most 1e-06 of the largest value: %.1e",    \
                  columns, right ? "wrong " : "other tiles, or bytes beside the rows, wrong ", worst);                 \
    }

static void test_rows(void)
{
    ROWS_CHECK(leaning, plain_leaning, float, float, u_next, CMK_EDGE_MIRROR, 4, 0, 384)
    ROWS_CHECK(pairs, plain_pairs, double, float, u_before, CMK_EDGE_WRAP, 2, 0, 192)
    ROWS_CHECK(lines, plain_lines, float, float, u_next, CMK_EDGE_ZERO, 4, 1, 1024)
    ROWS_CHECK(bytes, plain_cells, unsigned char, unsigned char, u_next, CMK_EDGE_REFLECT, 16, 0, 1536)
    ROWS_CHECK(shorts, plain_cells, unsigned short, unsigned short, u_next, CMK_EDGE_REFLECT, 8, 0, 768)
}

/* ---- Elements of 8 bytes that are aligned to 4: no row begins at an element of a vector */

typedef struct {
    float x, y;
} couple;
#define COUPLES(USES) USES(NEXT, couple, u, CMK_POINT_STAR(1), CMK_EDGE_WRAP)
CMK_POINT_2D(couples, COUPLES)
{
    const couple above = U(-1, 0), behind = U(0, 1);
    const couple sum = {above.x + 2.0f * behind.x, above.y + 2.0f * behind.y};
    CMK_POINT_SET(u, sum);
}
CMK_DEFINE_STENCIL2D(couples, COUPLES);

static void test_couples(void)
{
    enum { rows = 21, columns = 201, count = rows * columns };
    const size_t bytes = count * sizeof(couple) + 16;
    float *const held = (float *)malloc(bytes);
    char *from = NULL, *to = NULL;
    couples_call call;
    couples_grid grid = couples_domain(rows, columns, columns);
    int wrong = 0;
    for (int k = 0; k < 2 * count + 4; ++k) held[k] = (float)(k % 1009);
    CMK_CHECK(cudaMalloc((void **)&from, bytes));
    CMK_CHECK(cudaMalloc((void **)&to, bytes));
    CMK_CHECK(cudaMemcpy(from, held, bytes, cudaMemcpyHostToDevice));
    grid.u = (couple *)(void *)(from + 4), grid.u_next = (couple *)(void *)(to + 4);
    CMK_CHECK(couples_plan(&call, NULL, &grid));
    tap_check(!call.engine_.task.aligned && call.engine_.task.skew < 0, "couples: tiles are not skewed");
    CMK_CHECK(couples(&grid, 0));
    CMK_CHECK(cudaMemcpy(held, to, bytes, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 2 * count; ++k) {
        const int y = k / 2 / columns, x = k / 2 % columns;
        const int above = ((y + rows - 1) % rows * columns + x) * 2 + k % 2;
        const int behind = (y * columns + (x + 1) % columns) * 2 + k % 2;
        wrong += held[1 + k] != (float)((above + 1) % 1009 + 2 * ((behind + 1) % 1009));
    }
    tap_check(wrong == 0, "couples: %d numbers are wrong", wrong);
    free(held);
    CMK_CHECK(cudaFree(from));
    CMK_CHECK(cudaFree(to));
}

int main(void)
{
    void (*const tests[])(void) = {test_heat, test_box, test_gray_scott, test_wave, test_tm,     test_hdiff,
                                   test_life, test_lbm, test_plate,      test_rows, test_couples};
    tap_need_device();
    for (size_t k = 0; k < sizeof tests / sizeof *tests; ++k) {
        tests[k]();
        plain_end();
    }
    return tap_done();
}
