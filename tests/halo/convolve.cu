/* Convolutions and 1D stencils of several ranks: regions of what a rank holds, ghosts among it, have the bits of the
 * whole by one call. Exchanges behind each step, and beside the interior. */
#include <cmk/check.h>
#include <cmk/cmk.h>
#include <tap.h>
#include "local.h"

enum { STEPS = 4, AFTER = 0, BESIDE, WAYS };

/* of a box of a volume, in which it begins at a point, to where out is its first */
typedef cudaError_t launcher(const float *in, float *out, const size_t pitch[2], cmk_box all, cmk_box box,
                             cudaStream_t stream);

typedef struct {
    const char *name;
    launcher *run;
    cmk_i64 global[3];
    int reach[3], periodic[3];
} definition;

/* one rank: its points, with ghosts, in two buffers */
typedef struct {
    cmk_grid grid;
    cmk_box held;
    float *memory[2], *u[2];
    size_t pitch[2]; /* from row to row and from plane to plane */
    cudaStream_t stream;
} part;

static part parts[RANKS];
static cmk_halo halos[RANKS];

/* ---- The definitions */

#define WRAP_REFLECT_CLAMP CMK_EDGE_AXES_3D(CMK_EDGE_WRAP, CMK_EDGE_REFLECT, CMK_EDGE_CLAMP)
#define CLAMP_ZERO_WRAP CMK_EDGE_AXES_3D(CMK_EDGE_CLAMP, CMK_EDGE_ZERO, CMK_EDGE_WRAP)
CMK_TABLE_VALUES(CONSTANT, float, cube_taps, [3][3][3],
                 {
                     {.01f, .02f, .03f}, {.04f, .05f, .06f},
                     {
                         .07f, .08f, .09f
                     }
                 },
                 {{.02f, .01f, .03f}, {.05f, .04f, .06f}, {.08f, .07f, .09f}},
                 {{.03f, .02f, .01f}, {.06f, .05f, .04f}, {.09f, .08f, .07f}});
CMK_TABLE_VALUES(CONSTANT, float, even_taps, [4][1][2],
                 {
                     {
                         .1f, .2f
                     }
                 },
                 {{.3f, .1f}}, {{.05f, .15f}}, {{.02f, .06f}});
CMK_TABLE_VALUES(CONSTANT, float, five, [5], .1f, .25f, .3f, .2f, .15f);
CMK_TABLE_VALUES(CONSTANT, float, square_taps, [3][3], { .1f, .2f, .05f }, {.15f, .1f, .1f}, {.05f, .2f, .05f});
CMK_DEFINE_CONV3D_IN_ORDER(cube, float, (3, 3, 3), cube_taps, WRAP_REFLECT_CLAMP);
CMK_DEFINE_CONV3D(even, float, (4, 1, 2), even_taps, CLAMP_ZERO_WRAP);
CMK_DEFINE_SEPARABLE3D(apart, float, 2, (five, five, five), CLAMP_ZERO_WRAP);
CMK_DEFINE_CONV2D(square, float, 3, 3, square_taps, CMK_EDGE_AXES(CMK_EDGE_MIRROR, CMK_EDGE_WRAP));
CMK_DEFINE_SEPARABLE(flat, float, 2, five, five, CMK_EDGE_REFLECT);
CMK_DEFINE_STENCIL1D(line, float, 2, CMK_STENCIL_1D, five, CMK_EDGE_CLAMP);

#define SIZE(box, axis) ((size_t)(box).count[axis])
#define AT(axis) ((size_t)(box.first[axis] - all.first[axis]))
#define RUN(name, CALL)                                                                                                \
    static cudaError_t name##_run(const float *in, float *out, const size_t pitch[2], cmk_box all, cmk_box box,        \
                                  cudaStream_t stream)                                                                 \
    {                                                                                                                  \
        (void)pitch;                                                                                                   \
        return CALL;                                                                                                   \
    }
#define REGION_3D(name, ...)                                                                                           \
    RUN(name, name##_region(in, pitch[0], pitch[1], out, pitch[0], pitch[1], SIZE(all, 0), SIZE(all, 1), SIZE(all, 2), \
                            AT(0), AT(1), AT(2), SIZE(box, 0), SIZE(box, 1), SIZE(box, 2), __VA_ARGS__, stream))
#define REGION_2D(name, ...)                                                                                           \
    RUN(name, name##_region(in, pitch[0], out, pitch[0], SIZE(all, 1), SIZE(all, 2), AT(1), AT(2), SIZE(box, 1),       \
                            SIZE(box, 2), __VA_ARGS__, stream))
REGION_3D(cube, cube_taps)
REGION_3D(even, even_taps)
REGION_3D(apart, five, five, five)
REGION_2D(square, square_taps)
REGION_2D(flat, five, five)
RUN(line, line_region(in, out, SIZE(all, 2), AT(2), SIZE(box, 2), five, stream))

static const definition cubes = {"conv3d 3 x 3 x 3", cube_run, {13, 12, 50}, {1, 1, 1}, {1, 0, 0}};
static const definition evens = {"conv3d 4 x 1 x 2", even_run, {13, 12, 50}, {2, 0, 1}, {0, 0, 1}};
static const definition aparts = {"separable3d", apart_run, {12, 11, 50}, {2, 2, 2}, {0, 0, 1}};
static const definition squares = {"conv2d 3 x 3", square_run, {1, 40, 150}, {0, 1, 1}, {0, 0, 1}};
static const definition flats = {"separable", flat_run, {1, 40, 150}, {0, 2, 2}, {0, 0, 0}};
static const definition lines = {"stencil1d", line_run, {1, 1, 3000}, {0, 0, 2}, {0, 0, 0}};

/* ---- One rank, or all */

static size_t offset_of(const part *p, const cmk_i64 first[3])
{
    size_t at[3];
    for (int a = 0; a < 3; ++a) at[a] = (size_t)(first[a] - p->held.first[a]);
    return at[0] * p->pitch[1] + at[1] * p->pitch[0] + at[2];
}

static void compute(const definition *d, const part *p, int level, cmk_box box, cudaStream_t stream)
{
    float *const out = p->memory[1 - level % 2] + offset_of(p, box.first);
    CMK_CHECK(d->run(p->memory[level % 2], out, p->pitch, p->held, box, stream));
}

static void step(const definition *d, int ranks, int level, int way, cudaStream_t *streams)
{
    cudaStream_t begins[RANKS] = {0};
    for (int r = 0; r < ranks; ++r) {
        cmk_box border[6];
        const int boxes = way == AFTER ? 0 : cmk_grid_border(&parts[r].grid, d->reach, border);
        CMK_CHECK(cudaSetDevice(halos[r].device));
        begins[r] = way == AFTER ? streams[r] : halos[r].stream;
        if (way == AFTER) compute(d, &parts[r], level, cmk_grid_owned(&parts[r].grid), streams[r]);
        if (way == BESIDE) CMK_CHECK(cmk_halo_follow(&halos[r], streams[r]));
        for (int b = 0; b < boxes; ++b) compute(d, &parts[r], level, border[b], halos[r].stream);
    }
    CMK_CHECK(cmk_halo_begin_all(halos, ranks, level + 1, begins));
    for (int r = 0; r < ranks && way == BESIDE; ++r) {
        CMK_CHECK(cudaSetDevice(halos[r].device));
        compute(d, &parts[r], level, cmk_grid_interior(&parts[r].grid, d->reach), streams[r]);
    }
    CMK_CHECK(cmk_halo_end_all(halos, ranks, streams));
}

/* the owned points of a part, from the whole grid, or back */
static void copy(const definition *d, const part *p, float *whole, int back)
{
    const cmk_grid *const g = &p->grid;
    const cmk_i64 *const global = d->global;
    const size_t bytes = (size_t)g->count[2] * sizeof(float);
    for (cmk_i64 z = 0; z < g->count[0]; ++z)
        for (cmk_i64 y = 0; y < g->count[1]; ++y) {
            float *const host = &whole[((g->first[0] + z) * global[1] + g->first[1] + y) * global[2] + g->first[2]];
            float *const device = &p->u[0][(size_t)z * p->pitch[1] + (size_t)y * p->pitch[0]];
            CMK_CHECK(cudaMemcpy(back ? host : device, back ? device : host, bytes, cudaMemcpyDefault));
        }
}

static void make(const definition *d, int r, int ranks, const int given[3], float *whole)
{
    part *const p = &parts[r];
    const cmk_i64 none[3] = {0, 0, 0};
    if (!cmk_grid_split(&p->grid, r, ranks, d->global, given, d->periodic)) puts(p->grid.why), exit(EXIT_FAILURE);
    p->held = cmk_grid_held(&p->grid, d->reach);
    p->pitch[0] = (size_t)p->held.count[2] + 2;
    p->pitch[1] = p->pitch[0] * (size_t)p->held.count[1] + 3;
    const size_t bytes = p->pitch[1] * (size_t)p->held.count[0] * sizeof(float);
    for (int k = 0; k < 2; ++k) {
        CMK_CHECK(cudaMalloc((void **)&p->memory[k], bytes));
        CMK_CHECK(cudaMemset(p->memory[k], 0xff, bytes));
        p->u[k] = p->memory[k] + offset_of(p, none);
    }
    const cmk_field field = {p->u[0],
                             p->u[1],
                             sizeof(float),
                             (cmk_i64)p->pitch[0],
                             (cmk_i64)p->pitch[1],
                             {d->reach[0], d->reach[1], d->reach[2]},
                             0,
                             NULL,
                             {{0, 0, 0}, {0, 0, 0}}};
    CMK_CHECK(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking));
    copy(d, p, whole, 0);
    CMK_CHECK(cmk_halo_create(&halos[r], &p->grid, local_transport(r, ranks), CMK_HALO_BOX, &field, 1));
}

/* what `whole` becomes, STEPS later */
static void run(const definition *d, float *whole, int ranks, const int given[3], int way)
{
    cudaStream_t streams[RANKS];
    int devices = 1;
    CMK_CHECK(cudaGetDeviceCount(&devices));
    local_begin(ranks);
    for (int r = 0; r < ranks; ++r) {
        CMK_CHECK(cudaSetDevice(r % devices));
        make(d, r, ranks, given, whole);
        streams[r] = parts[r].stream;
    }
    if (cmk_halo_connect_all(halos, ranks) != cudaSuccess) printf("# %s\n", halos[0].why), exit(EXIT_FAILURE);
    for (int n = 0; n < STEPS; ++n) step(d, ranks, n, way, streams);
    for (int r = 0; r < ranks; ++r) {
        if (cmk_halo_wait(&halos[r], streams[r]) != cudaSuccess) printf("# %s\n", halos[r].why), exit(EXIT_FAILURE);
        copy(d, &parts[r], whole, 1);
    }
    CMK_CHECK(cmk_halo_destroy_all(halos, ranks));
    for (int r = 0; r < ranks; ++r) {
        for (int k = 0; k < 2; ++k) CMK_CHECK(cudaFree(parts[r].memory[k]));
        CMK_CHECK(cudaStreamDestroy(parts[r].stream));
    }
}

/* the same by calls for all of a grid, without ghosts */
static void run_whole(const definition *d, float *whole, size_t points)
{
    const cmk_box all = {{0, 0, 0}, {d->global[0], d->global[1], d->global[2]}};
    const size_t pitch[2] = {(size_t)d->global[2], (size_t)(d->global[1] * d->global[2])};
    float *u[2];
    for (int k = 0; k < 2; ++k) CMK_CHECK(cudaMalloc((void **)&u[k], points * sizeof(float)));
    CMK_CHECK(cudaMemcpy(u[0], whole, points * sizeof(float), cudaMemcpyHostToDevice));
    for (int n = 0; n < STEPS; ++n) CMK_CHECK(d->run(u[n % 2], u[1 - n % 2], pitch, all, all, 0));
    CMK_CHECK(cudaMemcpy(whole, u[0], points * sizeof(float), cudaMemcpyDeviceToHost));
    for (int k = 0; k < 2; ++k) CMK_CHECK(cudaFree(u[k]));
}

static void check(const definition *d, int planes, int rows, int columns)
{
    static const char *const ways[WAYS] = {"behind each step", "beside the interior"};
    const int given[3] = {planes, rows, columns}, ranks = planes * rows * columns;
    const size_t points = (size_t)(d->global[0] * d->global[1] * d->global[2]), bytes = points * sizeof(float);
    float *const grids[2] = {(float *)malloc(bytes), (float *)malloc(bytes)};
    if (ranks > local_most() || !grids[0] || !grids[1]) exit(EXIT_FAILURE);
    for (int way = 0; way < WAYS; ++way) {
        for (size_t i = 0; i < points; ++i) grids[0][i] = grids[1][i] = (float)(i * 2654435761u % 1000003) / 1000003.0f;
        run_whole(d, grids[0], points);
        run(d, grids[1], ranks, given, way);
        tap_check(memcmp(grids[0], grids[1], bytes) == 0, "%s, %d x %d x %d parts, exchanged %s: the bits of one call",
                  d->name, planes, rows, columns, ways[way]);
    }
    free(grids[0]), free(grids[1]);
}

int main(void)
{
    tap_need_device();
    check(&cubes, 1, 1, 1);
    check(&cubes, 2, 1, 1);
    check(&cubes, 1, 2, 1);
    check(&cubes, 1, 1, 2);
    check(&cubes, 3, 1, 1);
    check(&cubes, 2, 2, 2);
    check(&evens, 2, 1, 1);
    check(&evens, 3, 1, 2);
    check(&aparts, 2, 1, 1);
    check(&aparts, 2, 2, 2);
    check(&squares, 1, 2, 2);
    check(&flats, 1, 3, 2);
    check(&lines, 1, 1, 4);
    return tap_done();
}
