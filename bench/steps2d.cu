/* steps2d: times name_steps of stencils of one field in 2D; steps.h says how, and what a row is.
 *
 *   usage: steps2d [CSV [TEXT]]     prints the table; CSV is a file to append it to as well; of rows, those with
 *                                 TEXT in their name only */
#include <cuda_fp16.h>
#include "steps.h"
#include "updates2d.h"

#define STAR_DOUBLE(USES) USES(NEXT, double, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)
#define STAR_3_DOUBLE(USES) USES(NEXT, double, u, CMK_POINT_STAR(3), CMK_EDGE_ZERO)
#define BOX_2(USES) USES(NEXT, float, u, CMK_POINT_BOX(2), CMK_EDGE_ZERO)
#define BOX_3(USES) USES(NEXT, float, u, CMK_POINT_BOX(3), CMK_EDGE_ZERO)
#define BOX_DOUBLE(USES) USES(NEXT, double, u, CMK_POINT_BOX(1), CMK_EDGE_ZERO)
#define BOX_2_DOUBLE(USES) USES(NEXT, double, u, CMK_POINT_BOX(2), CMK_EDGE_ZERO)
#define WAVE_2(USES) USES(LEAPFROG, float, u, CMK_POINT_STAR(2), CMK_EDGE_ZERO)
STAR(star_double, double, 1, STAR_DOUBLE)
STAR(star_3_double, double, 3, STAR_3_DOUBLE)
BOX(box_2, float, 2, BOX_2)
BOX(box_3, float, 3, BOX_3)
BOX(box_double, double, 1, BOX_DOUBLE)
BOX(box_2_double, double, 2, BOX_2_DOUBLE)
WAVE(wave_2, 2, WAVE_2)

/* half, summed in float, and bytes, rounded */
#define STAR_HALF(USES) USES(NEXT, half, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)
#define STAR_BYTES(USES) USES(NEXT, unsigned char, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)
CMK_POINT_2D(star_half, STAR_HALF)
{
    const float around = (float)U(-1, 0) + (float)U(1, 0) + (float)U(0, -1) + (float)U(0, 1);
    CMK_POINT_SET(u, (half)(0.5f * (float)U(0, 0) + 0.125f * around));
}
CMK_DEFINE_STENCIL2D(star_half, STAR_HALF);
CMK_POINT_2D(star_bytes, STAR_BYTES)
{
    CMK_POINT_SET(u, (unsigned char)((4 * U(0, 0) + U(-1, 0) + U(1, 0) + U(0, -1) + U(0, 1) + 4) >> 3));
}
CMK_DEFINE_STENCIL2D(star_bytes, STAR_BYTES);

static void images(shape s, const char *size)
{
    char name[64];
    copy_row(NAMED("copy"), elements_of(s) * 4);
    STEPS_ROW(star_1, float, PLANE_GRID, "2D star r=1", 1, 8, 8, 9, next, 0)
    STEPS_ROW(box_1, float, PLANE_GRID, "2D box r=1", 1, 8, 8, 18, next, 0)
    STEPS_ROW(box_2, float, PLANE_GRID, "2D box r=2", 1, 8, 8, 50, next, 0)
    STEPS_ROW(box_3, float, PLANE_GRID, "2D box r=3", 1, 8, 8, 98, next, 0)
    STEPS_ROW(star_2, float, PLANE_GRID, "2D star r=2", 1, 8, 8, 17, next, 0)
    STEPS_ROW(star_4, float, PLANE_GRID, "2D star r=4", 1, 8, 8, 33, next, 0)
    STEPS_ROW(star_double, double, PLANE_GRID, "2D star r=1, double", 1, 16, 16, 9, next, 0)
    STEPS_ROW(star_3_double, double, PLANE_GRID, "2D star r=3, double", 1, 16, 16, 25, next, 0)
    STEPS_ROW(box_double, double, PLANE_GRID, "2D box r=1, double", 1, 16, 16, 18, next, 0)
    STEPS_ROW(box_2_double, double, PLANE_GRID, "2D box r=2, double", 1, 16, 16, 50, next, 0)
    STEPS_ROW(wave_1, float, PLANE_GRID, "wave r=1", 2, 12, 16, 12, leapfrog, 0)
    STEPS_ROW(wave_2, float, PLANE_GRID, "wave r=2", 2, 12, 16, 20, leapfrog, 0)
    STEPS_ROW(star_half, half, PLANE_GRID, "2D star r=1, half", 1, 4, 4, 6, next, 0)
    STEPS_ROW(star_bytes, unsigned char, PLANE_GRID, "2D star r=1, bytes", 1, 2, 2, 7, next, 0)
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
