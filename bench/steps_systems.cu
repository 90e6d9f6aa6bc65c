/* steps_systems: times name_steps of stencils of several fields in 2D; steps.h says how, and what a row is.
 *
 *   usage: steps_systems [CSV [TEXT]]     prints the table; CSV is a file to append it to as well; of rows, those with
 *                                       TEXT in their name only */
#include "steps.h"
#include "systems.h"

/* the buffers of their grids */
static const auto two_species = [](auto &grid, auto each) {
    each(grid.u), each(grid.v), each(grid.u_next), each(grid.v_next);
};
static const auto electric = [](auto &grid, auto each) {
    each(grid.ez), each(grid.hx), each(grid.hy), each(grid.ez_spare), each(grid.hx_spare), each(grid.hy_spare);
};
static const auto lattice = [](auto &grid, auto each) {
    for (int k = 0; k < 9; ++k) each(grid.f[k]);
    for (int k = 0; k < 9; ++k) each(grid.f_next[k]);
};

static void images(shape s, const char *size)
{
    char name[64];
    copy_row(NAMED("copy"), elements_of(s) * 4);
    STEPS_ROW(gray_scott, float, PLANE_GRID, "Gray-Scott", 2, 16, 16, 20, two_species, 0.04f, 0.06f, 0)
    STEPS_ROW(tm, float, PLANE_GRID, "FDTD TM", 3, 36, 24, 11, electric, 0.3f, 0)
    STEPS_ROW(lbm, float, PLANE_GRID, "lattice Boltzmann D2Q9", 9, 72, 72, 150, lattice, 0.7f, 0)
}

int main(int argc, char **argv)
{
    begin_steps(argc, argv);
    images(dense(1, 16384, 16384), "16384^2");
    images(pitched(1, 16381, 16411), "16381 x 16411 pitched");
    images(dense(1, 16381, 16411), "16381 x 16411");
    images(dense(1, 4096, 4096), "4096^2");
    return end();
}
