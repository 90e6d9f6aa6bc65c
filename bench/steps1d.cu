/* steps1d: times name_steps of stencils of lines, which read no other row; steps.h says how, and what a row is.
 *
 *   usage: steps1d [CSV [TEXT]]     prints the table; CSV is a file to append it to as well; of rows, those with
 *                                 TEXT in their name only */
#include <cuda_fp16.h>
#include "steps.h"

/* a pass is of so many steps that larger sums would overflow */
CMK_TABLE_VALUES(LITERAL, float, line_tap, [5], 0.4f, 0.3f, -0.1f, 0.05f, 0.05f);
#define LINE_TAP(k) CMK_TABLE_AT(line_tap, k)
#define LINE(name, T, R, LIST)                                                                                         \
    CMK_POINT_2D(name, LIST)                                                                                           \
    {                                                                                                                  \
        T sum = LINE_TAP(0) * U(0, 0);                                                                                 \
        CMK_UNROLL                                                                                                     \
        for (int k = 1; k <= R; ++k) sum += LINE_TAP(k) * (U(0, -k) + U(0, k));                                        \
        CMK_POINT_SET(u, sum);                                                                                         \
    }                                                                                                                  \
    CMK_DEFINE_STENCIL2D(name, LIST);
#define LINE_1(USES) USES(NEXT, float, u, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_ZERO)
#define LINE_4(USES) USES(NEXT, float, u, CMK_POINT_REACH(0, 0, 4), CMK_EDGE_ZERO)
#define LINE_DOUBLE(USES) USES(NEXT, double, u, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_ZERO)
LINE(line_1, float, 1, LINE_1)
LINE(line_4, float, 4, LINE_4)
LINE(line_double, double, 1, LINE_DOUBLE)

#define STRING(USES) USES(LEAPFROG, float, u, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_ZERO)
CMK_POINT_2D(string, STRING)
{
    const float around = U(0, -1) - 2.0f * U(0, 0) + U(0, 1);
    CMK_POINT_SET(u, 2.0f * U(0, 0) - CMK_POINT_BEFORE(u) + LINE_TAP(1) * around);
}
CMK_DEFINE_STENCIL2D(string, STRING);

#define LINE_HALF(USES) USES(NEXT, half, u, CMK_POINT_REACH(0, 0, 1), CMK_EDGE_ZERO)
CMK_POINT_2D(line_half, LINE_HALF)
{
    CMK_POINT_SET(u, (half)(0.5f * (float)U(0, 0) + 0.25f * ((float)U(0, -1) + (float)U(0, 1))));
}
CMK_DEFINE_STENCIL2D(line_half, LINE_HALF);

static void lines(shape s, const char *size)
{
    char name[64];
    copy_row(NAMED("copy"), elements_of(s) * 4);
    STEPS_ROW(line_1, float, PLANE_GRID, "line r=1", 1, 8, 8, 5, next, 0)
    STEPS_ROW(line_4, float, PLANE_GRID, "line r=4", 1, 8, 8, 17, next, 0)
    STEPS_ROW(line_double, double, PLANE_GRID, "line r=1, double", 1, 16, 16, 5, next, 0)
    STEPS_ROW(string, float, PLANE_GRID, "line, wave", 2, 12, 16, 8, leapfrog, 0)
    STEPS_ROW(line_half, half, PLANE_GRID, "line r=1, half", 1, 4, 4, 5, next, 0)
}

int main(int argc, char **argv)
{
    begin_steps(argc, argv);
    lines(dense(1, 1, 1 << 28), "2^28");
    lines(pitched(1, 16381, 16411), "16381 of 16411, pitched");
    lines(dense(1, 1, 1 << 24), "2^24");
    return end();
}
