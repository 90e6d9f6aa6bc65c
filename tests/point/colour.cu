/* CMK_POINT_COLOUR: sweeps of red-black Gauss-Seidel against plain loops that go in place over the points of one colour
 * and then of the other, bit for bit: every edge, odd and even sizes, single steps and passes. All sums are exact. */
#include <cmk/kernel/stencil2d.h>
#include <cmk/kernel/stencil3d.h>
#include <cmk/check.h>
#include "random.h"
#include "point/plain.h"

#define FLAT(dy, dx) CMK_POINT_AT(u, dy, dx)
#define CUBE(dz, dy, dx) CMK_POINT_AT(u, dz, dy, dx)

/* A definition with one edge in 2D, or an edge for each axis in 3D, and what runs it; by_steps: in one call. */
#define RUN(name, DOMAIN)                                                                                              \
    static void run_##name(const plain_field *u, size_t pitch, size_t steps, int by_steps, float *now, float *next,    \
                           const float *right)                                                                         \
    {                                                                                                                  \
        name##_grid grid = DOMAIN;                                                                                     \
        grid.u = now, grid.u_next = next, grid.u_outside = (float)u->outside, grid.f = right;                          \
        for (size_t k = 0; !by_steps && k < steps; ++k) CMK_CHECK(name(&grid, 0));                                     \
        if (by_steps) CMK_CHECK(name##_steps(&grid, steps, 0));                                                        \
        if (grid.u != now) CMK_CHECK(cudaMemcpy(now, grid.u, elements_of(u, pitch), cudaMemcpyDeviceToDevice));        \
    }
#define LIST_OF(USES, EDGE) USES(NEXT, float, u, CMK_POINT_STAR(1), EDGE) USES(IN, float, f)
#define SWEEP_2D(name, EDGE)                                                                                           \
    CMK_POINT_2D_STAGES(name, name##_LIST, 2)                                                                          \
    {                                                                                                                  \
        const float sum = FLAT(-1, 0) + FLAT(1, 0) + FLAT(0, -1) + FLAT(0, 1);                                         \
        if (CMK_POINT_COLOUR == CMK_POINT_STAGE) CMK_POINT_SET(u, 0.25f * sum + CMK_POINT_HERE(f));                    \
    }                                                                                                                  \
    CMK_DEFINE_STENCIL2D(name, name##_LIST);                                                                           \
    RUN(name, name##_domain((size_t)u->rows, (size_t)u->columns, pitch))
#define SWEEP_3D(name)                                                                                                 \
    CMK_POINT_3D_STAGES(name, name##_LIST, 2)                                                                          \
    {                                                                                                                  \
        const float sum =                                                                                              \
            CUBE(-1, 0, 0) + CUBE(1, 0, 0) + CUBE(0, -1, 0) + CUBE(0, 1, 0) + CUBE(0, 0, -1) + CUBE(0, 0, 1);          \
        if (CMK_POINT_COLOUR == CMK_POINT_STAGE) CMK_POINT_SET(u, 0.25f * sum + CMK_POINT_HERE(f));                    \
    }                                                                                                                  \
    CMK_DEFINE_STENCIL3D(name, name##_LIST);                                                                           \
    RUN(name, name##_domain((size_t)u->planes, (size_t)u->rows, (size_t)u->columns, (size_t)u->rows *pitch, pitch))

static size_t elements_of(const plain_field *u, size_t pitch)
{
    return (size_t)u->planes * (size_t)u->rows * pitch * sizeof(float);
}

#define zero_LIST(USES) LIST_OF(USES, CMK_EDGE_ZERO)
#define clamp_LIST(USES) LIST_OF(USES, CMK_EDGE_CLAMP)
#define wrap_LIST(USES) LIST_OF(USES, CMK_EDGE_WRAP)
#define mirror_LIST(USES) LIST_OF(USES, CMK_EDGE_MIRROR)
#define reflect_LIST(USES) LIST_OF(USES, CMK_EDGE_REFLECT)
#define mirror_odd_LIST(USES) LIST_OF(USES, CMK_EDGE_MIRROR_ODD)
#define reflect_odd_LIST(USES) LIST_OF(USES, CMK_EDGE_REFLECT_ODD)
#define cube_odd_LIST(USES)                                                                                            \
    LIST_OF(USES, CMK_EDGE_AXES_3D(CMK_EDGE_MIRROR_ODD, CMK_EDGE_REFLECT_ODD,                                          \
                                   CMK_EDGE_SIDES(CMK_EDGE_ZERO, CMK_EDGE_CLAMP)))
#define cube_even_LIST(USES) LIST_OF(USES, CMK_EDGE_AXES_3D(CMK_EDGE_MIRROR, CMK_EDGE_WRAP, CMK_EDGE_REFLECT))
SWEEP_2D(zero, CMK_EDGE_ZERO)
SWEEP_2D(clamp, CMK_EDGE_CLAMP)
SWEEP_2D(wrap, CMK_EDGE_WRAP)
SWEEP_2D(mirror, CMK_EDGE_MIRROR)
SWEEP_2D(reflect, CMK_EDGE_REFLECT)
SWEEP_2D(mirror_odd, CMK_EDGE_MIRROR_ODD)
SWEEP_2D(reflect_odd, CMK_EDGE_REFLECT_ODD)
#define CMK_TUNED_cube_odd (2) /* passes, which the model makes none of */
#define CMK_TUNED_cube_even (2)
SWEEP_3D(cube_odd)
SWEEP_3D(cube_even)

typedef struct {
    const char *name;
    int dims, edges[3][2];
    void (*run)(const plain_field *u, size_t pitch, size_t steps, int by_steps, float *now, float *next,
                const float *right);
} sweep;
#define ALL(EDGE)                                                                                                      \
    {                                                                                                                  \
        {EDGE, EDGE}, {EDGE, EDGE},                                                                                    \
        {                                                                                                              \
            EDGE, EDGE                                                                                                 \
        }                                                                                                              \
    }
static const sweep sweeps[] = {
    {"zero", 2, ALL(CMK_EDGE_ZERO), run_zero},
    {"clamp", 2, ALL(CMK_EDGE_CLAMP), run_clamp},
    {"wrap", 2, ALL(CMK_EDGE_WRAP), run_wrap},
    {"mirror", 2, ALL(CMK_EDGE_MIRROR), run_mirror},
    {"reflect", 2, ALL(CMK_EDGE_REFLECT), run_reflect},
    {"mirror_odd", 2, ALL(CMK_EDGE_MIRROR_ODD), run_mirror_odd},
    {"reflect_odd", 2, ALL(CMK_EDGE_REFLECT_ODD), run_reflect_odd},
    {"cube_odd",
     3,
     {{CMK_EDGE_MIRROR_ODD, CMK_EDGE_MIRROR_ODD},
      {CMK_EDGE_REFLECT_ODD, CMK_EDGE_REFLECT_ODD},
      {CMK_EDGE_ZERO, CMK_EDGE_CLAMP}},
     run_cube_odd},
    {"cube_even",
     3,
     {{CMK_EDGE_MIRROR, CMK_EDGE_MIRROR}, {CMK_EDGE_WRAP, CMK_EDGE_WRAP}, {CMK_EDGE_REFLECT, CMK_EDGE_REFLECT}},
     run_cube_even},
};

/* a sweep in place, first over the points of colour 0 */
static void plain_sweep(const plain_field *u, const plain_field *f, int dims)
{
    for (int colour = 0; colour < 2; ++colour) PLAIN_EACH(*u, z, y, x)
        {
            if ((z + y + x) % 2 != colour) continue;
            double sum = plain_value(u, z, y - 1, x) + plain_value(u, z, y + 1, x) + plain_value(u, z, y, x - 1) +
                         plain_value(u, z, y, x + 1);
            if (dims == 3) sum += plain_value(u, z - 1, y, x) + plain_value(u, z + 1, y, x);
            u->now[plain_index(u, z, y, x)] = 0.25 * sum + f->now[plain_index(f, z, y, x)];
        }
}

/* Sizes, of which those that wrap are even; `large`: such that a pass is made. */
static plain_field draw_field(const sweep *s, int large)
{
    int sizes[3];
    for (int axis = 0; axis < 3; ++axis) {
        sizes[axis] = axis == 0 && s->dims == 2 ? 1 : 1 + (int)below(large ? 40 : 9);
        if (large) sizes[axis] += axis == 0 ? (s->dims == 3 ? 20 : 0) : s->dims == 3 ? 64 : axis == 1 ? 60 : 256;
        if (s->edges[axis][0] == CMK_EDGE_WRAP && sizes[axis] % 2 == 1) sizes[axis] += axis > 0 || s->dims == 3;
    }
    plain_field u = plain_make(sizes[0], sizes[1], sizes[2], 0, 0.0, 1.0);
    memcpy(u.edges, s->edges, sizeof u.edges);
    for (size_t k = 0; k < plain_count(&u); ++k) u.now[k] = (double)below(16) / 8 - 1.0;
    u.outside = 0.375;
    return u;
}

/* one call with these steps; whether all points have the bits of the loops */
static int right(const sweep *s, int large, size_t steps, int by_steps)
{
    const plain_field u = draw_field(s, large);
    plain_field f = draw_field(s, large);
    f.planes = u.planes, f.rows = u.rows, f.columns = u.columns;
    f.now = (double *)plain_hold(plain_count(&f) * sizeof *f.now);
    for (size_t k = 0; k < plain_count(&f); ++k) f.now[k] = (double)below(16) / 8 - 1.0;
    const size_t pitch = (size_t)u.columns + below(2) * below(9);
    float *const now = (float *)plain_upload(&u, sizeof(float), pitch);
    float *const next = (float *)plain_upload(&u, sizeof(float), pitch);
    s->run(&u, pitch, steps, by_steps, now, next, (const float *)plain_upload(&f, sizeof(float), pitch));
    for (size_t k = 0; k < steps; ++k) plain_sweep(&u, &f, s->dims);
    const double error = plain_error(&u, now, sizeof(float), pitch);
    if (error != 0.0)
        printf("# %s: %d x %d x %d, pitch %zu, %zu steps, by name_steps: %d, off by %g\n", s->name, u.planes, u.rows,
               u.columns, pitch, steps, by_steps, error);
    plain_end();
    return error == 0.0;
}

int main(void)
{
    tap_need_device();
    for (size_t k = 0; k < sizeof sweeps / sizeof sweeps[0]; ++k) {
        const sweep *const s = &sweeps[k];
        int wrong = 0;
        draw_as(s->name);
        for (int n = 0; n < 20; ++n) wrong += !right(s, 0, 1 + below(2), n % 2);
        tap_check(wrong == 0, "%s: %d of 20 small grids are wrong", s->name, wrong);
        tap_check(right(s, 1, 2, 0) && right(s, 1, 2, 1), "%s: two sweeps of a large grid, by one pass too", s->name);
    }
    tap_check(cmk_point_steps_(zero_definition_(), 2) > 1 && cmk_point_steps_(cube_odd_definition_(), 2) > 1,
              "there are passes");
    return tap_done();
}
