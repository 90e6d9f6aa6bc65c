/* steps3d: times name_steps of stencils in 3D; steps.h says how, and what a row is.
 *
 *   usage: steps3d [CSV [TEXT]]     prints the table; CSV is a file to append it to as well; of rows, those with
 *                                 TEXT in their name only */
#include <cuda_fp16.h>
#include "steps.h"
#include "updates3d.h"

#define SWELL(USES) USES(LEAPFROG, float, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO) USES(IN, float, velocity)
CMK_POINT_3D(swell, SWELL)
{
    const float around = V(-1, 0, 0) + V(1, 0, 0) + V(0, -1, 0) + V(0, 1, 0) + V(0, 0, -1) + V(0, 0, 1);
    const float sum = TAP(0) * V(0, 0, 0) + TAP(1) * around;
    CMK_POINT_SET(u, 2.0f * V(0, 0, 0) - CMK_POINT_BEFORE(u) + CMK_POINT_HERE(velocity) * sum);
}
CMK_DEFINE_STENCIL3D(swell, SWELL);

/* its buffers */
static const auto leapfrog_velocity = [](auto &grid, auto each) { leapfrog(grid, each), each(grid.velocity); };

/* half, summed in float */
#define CUBE_HALF(USES) USES(NEXT, half, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)
CMK_POINT_3D(cube_half, CUBE_HALF)
{
    const float around = (float)V(-1, 0, 0) + (float)V(1, 0, 0) + (float)V(0, -1, 0) + (float)V(0, 1, 0);
    CMK_POINT_SET(u, (half)(0.25f * (float)V(0, 0, 0) + 0.125f * (around + (float)V(0, 0, -1) + (float)V(0, 0, 1))));
}
CMK_DEFINE_STENCIL3D(cube_half, CUBE_HALF);

static void cubes(shape s, const char *size)
{
    char name[64];
    copy_row(NAMED("copy"), elements_of(s) * 4);
    STEPS_ROW(cube_1, float, CUBE_GRID, "3D star r=1", 1, 8, 8, 13, next, 0)
    STEPS_ROW(cube_2, float, CUBE_GRID, "3D star r=2", 1, 8, 8, 25, next, 0)
    STEPS_ROW(box_27, float, CUBE_GRID, "27 points", 1, 8, 8, 54, next, 0)
    STEPS_ROW(box_27_double, double, CUBE_GRID, "27 points, double", 1, 16, 16, 54, next, 0)
    STEPS_ROW(cube_double, double, CUBE_GRID, "3D star r=1, double", 1, 16, 16, 13, next, 0)
    STEPS_ROW(swell, float, CUBE_GRID, "3D wave r=1, velocity", 2, 16, 20, 17, leapfrog_velocity, 0)
    STEPS_ROW(cube_half, half, CUBE_GRID, "3D star r=1, half", 1, 4, 4, 8, next, 0)
}

int main(int argc, char **argv)
{
    begin_steps(argc, argv);
    cubes(dense(512, 512, 512), "512^3");
    cubes(pitched(509, 511, 513), "509 x 511 x 513 pitched");
    cubes(dense(509, 511, 513), "509 x 511 x 513");
    cubes(dense(256, 256, 256), "256^3");
    return end();
}
