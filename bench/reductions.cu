/* reductions: times steps of kernel/stencil2d.h and stencil3d.h with sums and maxima of their points, each beside the
 * same step alone. The share that counts is the time alone in percent of the time with them. A sum is verified by one
 * of another part of the order: the two halves of the grid, added.
 *
 *   usage: reductions [CSV]     prints the table; CSV is a file to append it to as well */
#include "stencils.h"

#define PLAIN(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)
#define REDUCED(USES) PLAIN(USES) USES(SUM, double, energy) USES(MAX, float, courant)
#define SUMMED(USES) PLAIN(USES) USES(SUM, double, energy)
#define MAXED(USES) PLAIN(USES) USES(MAX, float, courant)
#define FIVE                                                                                                           \
    const float next = U(0, 0) + 0.2f * (U(-1, 0) + U(1, 0) + U(0, -1) + U(0, 1) - 4.0f * U(0, 0));                    \
    CMK_POINT_SET(u, next);
#define SEVEN                                                                                                          \
    const float next = V(0, 0, 0) + 0.1f * (V(-1, 0, 0) + V(1, 0, 0) + V(0, -1, 0) + V(0, 1, 0) + V(0, 0, -1) +        \
                                            V(0, 0, 1) - 6.0f * V(0, 0, 0));                                           \
    CMK_POINT_SET(u, next);
#define ENERGY CMK_POINT_ADD(energy, next *next);
#define COURANT CMK_POINT_MOST(courant, fabsf(next));
CMK_POINT_2D(five, PLAIN){FIVE} CMK_DEFINE_STENCIL2D(five, PLAIN);
CMK_POINT_2D(five_both, REDUCED){FIVE ENERGY COURANT} CMK_DEFINE_STENCIL2D(five_both, REDUCED);
CMK_POINT_2D(five_sum, SUMMED){FIVE ENERGY} CMK_DEFINE_STENCIL2D(five_sum, SUMMED);
CMK_POINT_2D(five_max, MAXED){FIVE COURANT} CMK_DEFINE_STENCIL2D(five_max, MAXED);
CMK_POINT_3D(seven, PLAIN){SEVEN} CMK_DEFINE_STENCIL3D(seven, PLAIN);
CMK_POINT_3D(seven_max, MAXED){SEVEN COURANT} CMK_DEFINE_STENCIL3D(seven_max, MAXED);
CMK_POINT_3D(seven_sum, SUMMED){SEVEN ENERGY} CMK_DEFINE_STENCIL3D(seven_sum, SUMMED);

#define GRAY(USES)                                                                                                     \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_WRAP) USES(NEXT, float, v, CMK_POINT_STAR(1), CMK_EDGE_WRAP)
#define GRAY_SUM(USES) GRAY(USES) USES(SUM, double, mass)
#define SUM_OF(f) (f(-1, 0) + f(1, 0) + f(0, -1) + f(0, 1) - 4.0f * f(0, 0))
#define W(dy, dx) CMK_POINT_AT(v, dy, dx)
#define REACTION                                                                                                       \
    const float a = U(0, 0), b = W(0, 0), rate = a * b * b;                                                            \
    const float next = b + 0.1f * SUM_OF(W) + rate - 0.1f * b;                                                         \
    CMK_POINT_SET(u, a + 0.2f * SUM_OF(U) - rate + 0.04f * (1.0f - a));                                                \
    CMK_POINT_SET(v, next);
CMK_POINT_2D(gray, GRAY){REACTION} CMK_DEFINE_STENCIL2D(gray, GRAY);
CMK_POINT_2D(gray_sum, GRAY_SUM)
{
    REACTION CMK_POINT_ADD(mass, next);
}
CMK_DEFINE_STENCIL2D(gray_sum, GRAY_SUM);

static void *results[2];

#define TWO(name, GRID)                                                                                                \
    name##_grid grid = GRID(name, s);                                                                                  \
    grid.u = (float *)now[0], grid.u_next = (float *)now[1];
#define ROW(name, text, GRID, bytes, more, ...)                                                                        \
    {                                                                                                                  \
        refresh<float>(4, s);                                                                                          \
        TWO(name, GRID)                                                                                                \
        more;                                                                                                          \
        time_row(text, s, bytes, 9, 0.0f, [&] { return __VA_ARGS__; });                                                \
    }
#define ENERGY_OF grid.energy = (double *)results[0]
#define COURANT_OF grid.courant = (float *)results[1]
#define V_OF grid.v = (float *)now[2], grid.v_next = (float *)now[3]

/* A sum of a whole step, and the sums of its upper and its lower half: the same values in another order of blocks. */
static void verify(shape s)
{
    double whole, half[2];
    for (int part = 0; part < 3; ++part) {
        refresh<float>(2, s);
        TWO(five_sum, PLANE_GRID)
        ENERGY_OF;
        if (part == 1) grid.end_row = grid.rows / 3;
        if (part == 2) grid.first_row = grid.rows / 3;
        CMK_CHECK(five_sum(&grid, 0));
        CMK_CHECK(cudaMemcpy(part == 0 ? &whole : &half[part - 1], results[0], sizeof whole, cudaMemcpyDeviceToHost));
    }
    if (fabs(half[0] + half[1] - whole) <= 4e-16 * whole) return;
    fprintf(stderr, "bench: the sum is %.17g, but its parts are %.17g\n", whole, half[0] + half[1]);
    exit(EXIT_FAILURE);
}

static void rows_2d(shape s, const char *size)
{
    char name[64];
    verify(s);
    ROW(five, NAMED("5 points, alone"), PLANE_GRID, 8, , five(&grid, 0))
    ROW(five_sum, NAMED("5 points, SUM"), PLANE_GRID, 8, ENERGY_OF, five_sum(&grid, 0))
    ROW(five_max, NAMED("5 points, MAX"), PLANE_GRID, 8, COURANT_OF, five_max(&grid, 0))
    ROW(five_both, NAMED("5 points, SUM and MAX"), PLANE_GRID, 8, ENERGY_OF; COURANT_OF, five_both(&grid, 0))
    ROW(five, NAMED("5 points, 10 steps"), PLANE_GRID, 80, , five_steps(&grid, 10, 0))
    ROW(five_max, NAMED("5 points, MAX, 10 steps"), PLANE_GRID, 80, COURANT_OF, five_max_steps(&grid, 10, 0))
    ROW(gray, NAMED("Gray-Scott, alone"), PLANE_GRID, 16, V_OF, gray(&grid, 0))
    ROW(gray_sum, NAMED("Gray-Scott, SUM"), PLANE_GRID, 16, V_OF; grid.mass = (double *)results[0], gray_sum(&grid, 0))
}

static void rows_3d(shape s, const char *size)
{
    char name[64];
    ROW(seven, NAMED("7 points, alone"), CUBE_GRID, 8, , seven(&grid, 0))
    ROW(seven_max, NAMED("7 points, MAX"), CUBE_GRID, 8, COURANT_OF, seven_max(&grid, 0))
    ROW(seven_sum, NAMED("7 points, SUM"), CUBE_GRID, 8, ENERGY_OF, seven_sum(&grid, 0))
}

int main(int argc, char **argv)
{
    begin(argc, argv, 16384ull * 16384 * 4, "reductions");
    make_buffers();
    for (int i = 0; i < 2; ++i) {
        CMK_CHECK(cudaMalloc(&results[i], CMK_POINT_RESULT_BYTES));
        CMK_CHECK(cudaMemset(results[i], 0, CMK_POINT_RESULT_BYTES));
    }
    copy_row("copy", 16384ull * 16384 * 4);
    peak_row();
    rows_2d(dense(1, 16384, 16384), "16384 x 16384");
    rows_2d(dense(1, 4096, 4096), "4096 x 4096");
    rows_3d(dense(512, 512, 512), "512 x 512 x 512");
    rows_3d(dense(576, 576, 576), "576 x 576 x 576");
    return end();
}
