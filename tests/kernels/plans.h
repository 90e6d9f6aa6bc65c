/* A definition of each kind, with tables from each source: what tests/kernels/plan.cu plans, and NVRTC compiles. */
#include <cmk/cmk.h>
#include <cmk/kernel/bordered.h>

CMK_TABLE_VALUES(CONSTANT, float, square, [3][3], { 1, 2, 1 }, {2, 4, 2}, {1, 2, 1});
CMK_TABLE_VALUES(PARAMETER, float, large, [11][11], { 1, 2, 1 }, {2, 4, 2}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0},
                 {1});
CMK_TABLE_VALUES(LITERAL, float, five, [5], 1, 4, 6, 4, 1);
CMK_TABLE_VALUES(PARAMETER, double, three, [3], 1, 2, 1);
CMK_TABLE_VALUES(GLOBAL, float, middle, [13], 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
CMK_TABLE(GLOBAL, float, cube, [5][5][5]);
CMK_TABLE_SLOTS(CONSTANT, float, wide, [65], 2);

CMK_DEFINE_CONV2D(small, float, 3, 3, square, CMK_EDGE_CLAMP);
CMK_DEFINE_CONV2D(smooth, float, 11, 11, large, CMK_EDGE_ZERO);
CMK_DEFINE_CONV2D_AS(bytes, CORRELATION, (unsigned char, float, unsigned char, 3), (3, 3), (1, 1), square,
                     (CMK_EDGE_CLAMP, 0));
CMK_DEFINE_SEPARABLE(across, float, 2, five, five, CMK_EDGE_WRAP);
CMK_DEFINE_SEPARABLE(far, float, 32, wide, wide, CMK_EDGE_ZERO);
CMK_DEFINE_CONV3D(volume, float, (5, 5, 5), cube, CMK_EDGE_CLAMP);
CMK_DEFINE_SEPARABLE3D(through, double, 1, (three, three, three), CMK_EDGE_ZERO);
CMK_DEFINE_STENCIL1D(line, float, 32, CMK_STENCIL_1D, wide, CMK_EDGE_CLAMP);
CMK_DEFINE_STENCIL1D(short_line, float, 12, CMK_STENCIL_1D_SYMMETRIC, middle, CMK_EDGE_ZERO);
CMK_DEFINE_TRANSPOSE(turn, float);

#define HEAT(USES)                                                                                                     \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)                                                            \
    USES(VALUE, float, k) USES(TABLE, three) USES(VALUE, short, code)
CMK_POINT_2D(heat, HEAT)
{
    CMK_POINT_SET(u, CMK_POINT_HERE(u) + k * (float)code * (float)CMK_TABLE_AT(three, 0) * CMK_POINT_AT(u, 0, 1));
}
CMK_DEFINE_STENCIL2D(heat, HEAT);
CMK_DEFINE_BORDERED(heat, HEAT);

#define WAVE(USES)                                                                                                     \
    USES(LEAPFROG, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(OUT, float, copy) USES(VALUE, double, k)
CMK_POINT_3D(wave, WAVE)
{
    CMK_POINT_SET(copy, CMK_POINT_HERE(u));
    CMK_POINT_SET(u, (float)k * CMK_POINT_AT(u, -1, 0, 0) + CMK_POINT_BEFORE(u));
}
CMK_DEFINE_STENCIL3D(wave, WAVE);
CMK_DEFINE_BORDERED(wave, WAVE);

#define DIFFUSE(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(VALUE, float, k)
CMK_POINT_3D(diffuse, DIFFUSE)
{
    CMK_POINT_SET(u, k * CMK_POINT_AT(u, 1, 0, 0) + CMK_POINT_AT(u, 0, 1, 0));
}
CMK_DEFINE_STENCIL3D(diffuse, DIFFUSE);
CMK_DEFINE_BORDERED(diffuse, DIFFUSE);
