/* Updates that read outside of the SHAPE of their field, or beside the point what they set in place, and grids whose
 * buffers are too small, one a bug of outside.py: the CPU backend stops at each.
 *
 * usage: PROGRAM BUG        runs it; without a word the names of all */
#include <string.h>
#include <cmk/kernel/stencil2d.h>
#include <cmk/kernel/stencil3d.h>
#include <cmk/check.h>

enum { rows = 40, columns = 160, planes = 12, count = planes * rows * columns };

#define FLAT(USES)                                                                                                     \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)                                                            \
    USES(IN, float, speed)                                                                                             \
    USES(INS, float, wide, 2, CMK_POINT_REACH(0, 1, 3), CMK_EDGE_WRAP)                                                 \
    USES(VALUE, int, k)
#define TALL(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(VALUE, int, k)
#define DEEP(USES) USES(NEXT, float, u, CMK_POINT_REACH(0, 1, 1), CMK_EDGE_CLAMP) USES(VALUE, int, k)

#define FLAT_GRID(name)                                                                                                \
    name##_grid grid = name##_domain(rows, columns, columns);                                                          \
    grid.speed = memory;                                                                                               \
    grid.wide[0] = grid.wide[1] = memory
#define DEEP_GRID(name) name##_grid grid = name##_domain(planes, rows, columns, rows * columns, columns)
#define RUN(name, GRID)                                                                                                \
    static void name##_run(float *memory)                                                                              \
    {                                                                                                                  \
        GRID(name);                                                                                                    \
        grid.u = memory + count;                                                                                       \
        grid.u_next = memory + 2 * count;                                                                              \
        CMK_CHECK(name(&grid, 2, 0));                                                                                  \
    }

CMK_POINT_2D(diagonal, FLAT)
{
    CMK_POINT_SET(u, (float)k * CMK_POINT_AT(u, 1, -1)); /* BUG diagonal */
}
CMK_DEFINE_STENCIL2D(diagonal, FLAT);
RUN(diagonal, FLAT_GRID)

CMK_POINT_2D(too_far, FLAT)
{
    CMK_POINT_SET(u, CMK_POINT_AT(u, 0, k)); /* BUG too_far */
}
CMK_DEFINE_STENCIL2D(too_far, FLAT);
RUN(too_far, FLAT_GRID)

CMK_POINT_2D(no_shape, FLAT)
{
    CMK_POINT_SET(u, CMK_POINT_HERE(speed) + CMK_POINT_AT(speed, 1 - k, 0)); /* BUG no_shape */
}
CMK_DEFINE_STENCIL2D(no_shape, FLAT);
RUN(no_shape, FLAT_GRID)

CMK_POINT_2D(one_of_many, FLAT)
{
    CMK_POINT_SET(u, CMK_POINT_AT(wide[0], 1, 3) + CMK_POINT_AT(wide[1], -k, 3)); /* BUG one_of_many */
}
CMK_DEFINE_STENCIL2D(one_of_many, FLAT);
RUN(one_of_many, FLAT_GRID)

CMK_POINT_3D(planes_of_rows, DEEP)
{
    CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 1, 1) + CMK_POINT_AT(u, k - 1, 0, 0)); /* BUG planes_of_rows */
}
CMK_DEFINE_STENCIL3D(planes_of_rows, DEEP);
RUN(planes_of_rows, DEEP_GRID)

/* fields in place: one that the second stage reads beside the points that it sets, of several the last */
#define STAGED(USES)                                                                                                   \
    USES(SAMES, float, u, 2, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)                                                        \
    USES(SAME, float, v, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(VALUE, int, k)
#define STAGED_RUN(name, CALL)                                                                                         \
    static void name##_run(float *memory)                                                                              \
    {                                                                                                                  \
        name##_grid grid = name##_domain(rows, columns, columns);                                                      \
        grid.u[0] = memory, grid.u[1] = memory + count, grid.v = memory + 2 * count;                                   \
        CMK_CHECK(CALL);                                                                                               \
    }
CMK_POINT_2D_STAGES(beside, STAGED, 2)
{
    if (CMK_POINT_STAGE == 0) {
        CMK_POINT_SET(u[0], CMK_POINT_AT(u[1], 0, 1) + CMK_POINT_AT(v, 1, 0)); /* others may be read */
    } else {
        CMK_POINT_SET(u[1], CMK_POINT_AT(u[0], 0, k) + CMK_POINT_HERE(u[1]));
        if (CMK_POINT_ROW == 3 && CMK_POINT_COLUMN > 40) {
            CMK_POINT_SET(v, CMK_POINT_AT(v, 0, -1)); /* BUG beside */
        }
    }
}
CMK_DEFINE_STENCIL2D(beside, STAGED);
STAGED_RUN(beside, beside(&grid, 1, 0))

CMK_POINT_2D(beside_many, STAGED)
{
    CMK_POINT_SET(u[0], CMK_POINT_AT(v, 1, 0));
    CMK_POINT_SET(u[1], CMK_POINT_AT(u[1], k, 0)); /* BUG beside_many */
}
CMK_DEFINE_STENCIL2D(beside_many, STAGED);
STAGED_RUN(beside_many, beside_many_steps(&grid, 1, -1, 0))

/* right updates; of their buffers one begins too near to the end of the memory */
#define RIGHT(name, KIND, LIST, UPDATE, GRID, field, from)                                                             \
    CMK_POINT_##KIND(name, LIST)                                                                                       \
    {                                                                                                                  \
        CMK_POINT_SET(u, (float)k *UPDATE);                                                                            \
    }                                                                                                                  \
    CMK_DEFINE_STENCIL##KIND(name, LIST);                                                                              \
    static void name##_run(float *memory)                                                                              \
    {                                                                                                                  \
        GRID(name);                                                                                                    \
        grid.u = memory + count;                                                                                       \
        grid.u_next = memory + 2 * count;                                                                              \
        grid.field = memory + 4 * count - (from);                                                                      \
        CMK_CHECK(name(&grid, 2, 0));                                                                                  \
    }
RIGHT(small_in, 2D, FLAT, CMK_POINT_HERE(speed), FLAT_GRID, speed, columns)           /* BUG small_in */
RIGHT(small_many, 2D, FLAT, CMK_POINT_HERE(wide[1]), FLAT_GRID, wide[1], columns)     /* BUG small_many */
RIGHT(small_next, 2D, FLAT, CMK_POINT_HERE(u), FLAT_GRID, u_next, rows *columns - 4)  /* BUG small_next */
RIGHT(small_tiles, 3D, DEEP, CMK_POINT_AT(u, 0, 1, 0), DEEP_GRID, u, count - columns) /* BUG small_tiles */
RIGHT(small_ring, 3D, TALL, CMK_POINT_AT(u, 1, 0, 0), DEEP_GRID, u, count - columns)  /* BUG small_ring */

static const struct {
    const char *name;
    void (*run)(float *memory);
} bugs[] = {{"diagonal", diagonal_run},
            {"too_far", too_far_run},
            {"no_shape", no_shape_run},
            {"one_of_many", one_of_many_run},
            {"planes_of_rows", planes_of_rows_run},
            {"beside", beside_run},
            {"beside_many", beside_many_run},
            {"small_in", small_in_run},
            {"small_many", small_many_run},
            {"small_next", small_next_run},
            {"small_tiles", small_tiles_run},
            {"small_ring", small_ring_run}};

int main(int words, char **word)
{
    float *memory;
    CMK_CHECK(cudaMalloc((void **)&memory, 4 * count * sizeof *memory));
    CMK_CHECK(cudaMemset(memory, 0, 4 * count * sizeof *memory));
    for (size_t k = 0; k < sizeof bugs / sizeof *bugs; ++k) {
        if (words < 2) puts(bugs[k].name);
        if (words > 1 && strcmp(word[1], bugs[k].name) == 0) bugs[k].run(memory);
    }
    CMK_CHECK(cudaDeviceSynchronize());
    CMK_CHECK(cudaFree(memory));
    return 0;
}
