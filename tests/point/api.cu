/* What calls of stencil2d.h and stencil3d.h refuse and leave as it was, what they do with nothing to do, which pointers
 * change places, and into which blocks they divide wide grids. */
#include <cmk/kernel/stencil2d.h>
#include <cmk/kernel/stencil3d.h>
#include <cmk/check.h>
#include "tap.h"

enum { planes = 3, rows = 7, columns = 12, pitch = 16, plane = 160, count = planes * plane, fields = 8, more = 64 };

#define ALL(USES)                                                                                                      \
    USES(IN, float, a)                                                                                                 \
    USES(OUTS, double, b, 2)                                                                                           \
    USES(SAME, float, c)                                                                                               \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)                                                            \
    USES(LEAPFROG, float, w, CMK_POINT_STAR(0), CMK_EDGE_ZERO)                                                         \
    USES(VALUE, float, k)
#define UPDATE                                                                                                         \
    CMK_POINT_SET(b[0], (double)CMK_POINT_HERE(a));                                                                    \
    CMK_POINT_SET(b[1], 2.0);                                                                                          \
    CMK_POINT_SET(c, k + CMK_POINT_HERE(c));                                                                           \
    CMK_POINT_SET(u, k + CMK_POINT_HERE(u));                                                                           \
    CMK_POINT_SET(w, CMK_POINT_HERE(w) + CMK_POINT_BEFORE(w));
CMK_POINT_2D(flat, ALL){UPDATE} CMK_DEFINE_STENCIL2D(flat, ALL);
CMK_POINT_3D(deep, ALL){UPDATE} CMK_DEFINE_STENCIL3D(deep, ALL);

/* a buffer that no other is compared with */
#define LONE(USES) USES(SAME, float, u)
CMK_POINT_2D(lone, LONE)
{
    CMK_POINT_SET(u, 2.0f * CMK_POINT_HERE(u));
}
CMK_DEFINE_STENCIL2D(lone, LONE);

/* an axis shorter than the reach: an edge of two modes, and an odd reflection about its only point */
#define FAR(USES)                                                                                                      \
    USES(IN, double, u, CMK_POINT_REACH(0, 4, 0),                                                                      \
         CMK_EDGE_AXES(CMK_EDGE_SIDES(CMK_EDGE_MIRROR_ODD, CMK_EDGE_ZERO), CMK_EDGE_CLAMP))                            \
    USES(IN, double, w, CMK_POINT_REACH(0, 4, 0), CMK_EDGE_AXES(CMK_EDGE_REFLECT_ODD, CMK_EDGE_CLAMP))                 \
    USES(OUT, double, v)
CMK_POINT_2D(far_away, FAR)
{
    CMK_POINT_SET(v, CMK_POINT_AT(u, -4, 0) + CMK_POINT_AT(w, -3, 0));
}
CMK_DEFINE_STENCIL2D(far_away, FAR);

/* ---- One memory for the buffers of all fields, in floats: each may be of doubles, with `more` behind them */

enum { each = 2 * (count + more), total = fields * each };
static float *memory, before[total], after[total];

static void *buffer(int number)
{
    return memory + number * each;
}

/* all buffers hold 1, and what is between them too */
static void fill(void)
{
    for (int k = 0; k < total; ++k) before[k] = 1.0f;
    CMK_CHECK(cudaMemcpy(memory, before, sizeof before, cudaMemcpyHostToDevice));
}

static int is_as_filled(void)
{
    CMK_CHECK(cudaDeviceSynchronize());
    CMK_CHECK(cudaMemcpy(after, memory, sizeof after, cudaMemcpyDeviceToHost));
    return memcmp(before, after, sizeof before) == 0;
}

/* how many of the first elements of a buffer are not value */
static int wrong_of(const float *field, float value)
{
    static float held[count];
    int wrong = 0;
    CMK_CHECK(cudaMemcpy(held, field, sizeof held, cudaMemcpyDeviceToHost));
    for (int z = 0; z < planes; ++z)
        for (int y = 0; y < rows; ++y)
            for (int x = 0; x < columns; ++x) wrong += !(held[z * plane + y * pitch + x] == value);
    return wrong;
}

#define GIVE_BUFFERS(grid)                                                                                             \
    do {                                                                                                               \
        (grid).a = (const float *)buffer(0);                                                                           \
        (grid).b[0] = (double *)buffer(1), (grid).b[1] = (double *)buffer(2);                                          \
        (grid).c = (float *)buffer(3);                                                                                 \
        (grid).u = (float *)buffer(4), (grid).u_next = (float *)buffer(5);                                             \
        (grid).w = (float *)buffer(6), (grid).w_before = (float *)buffer(7);                                           \
    } while (0)

static flat_grid flat_whole(void)
{
    flat_grid grid = flat_domain(rows, columns, pitch);
    grid.planes = grid.end_plane = planes;
    grid.plane_pitch = plane;
    GIVE_BUFFERS(grid);
    return grid;
}

static deep_grid deep_whole(void)
{
    deep_grid grid = deep_domain(planes, rows, columns, plane, pitch);
    GIVE_BUFFERS(grid);
    return grid;
}

/* ---- What is refused */

/* a grid with one change: by a step and by steps of both dimensions, all return expected and leave all as it was */
#define STAYS(name, expected, what, change)                                                                            \
    do {                                                                                                               \
        name##_grid grid = name##_whole(), was;                                                                        \
        fill();                                                                                                        \
        change;                                                                                                        \
        was = grid;                                                                                                    \
        const int step = name(&grid, 2.0f, 0) == (expected), steps = name##_steps(&grid, 2, 2.0f, 0) == (expected);    \
        if ((expected) == cudaSuccess) was.first_step = grid.first_step;                                               \
        tap_check(step &&steps &&memcmp(&was, &grid, sizeof was) == 0 && is_as_filled(), "%s: %s: %s", #name, what,    \
                  (expected) == cudaSuccess ? "nothing to do" : "refused");                                            \
    } while (0)
#define REFUSED(what, change)                                                                                          \
    STAYS(flat, cudaErrorInvalidValue, what, change);                                                                  \
    STAYS(deep, cudaErrorInvalidValue, what, change)
#define EMPTY(what, change)                                                                                            \
    STAYS(flat, cudaSuccess, what, change);                                                                            \
    STAYS(deep, cudaSuccess, what, change)
#define MOVED(T, pointer, bytes) pointer = (T *)(void *)((char *)(size_t)(pointer) + (bytes))

static void refuse_pointers(void)
{
    tap_check(flat(NULL, 2.0f, 0) == cudaErrorInvalidValue && deep(NULL, 2.0f, 0) == cudaErrorInvalidValue,
              "no grid: refused");
    REFUSED("IN is null", grid.a = NULL);
    REFUSED("the second of OUTS is null", grid.b[1] = NULL);
    REFUSED("SAME is null", grid.c = NULL);
    REFUSED("NEXT is null", grid.u = NULL);
    REFUSED("the next of NEXT is null", grid.u_next = NULL);
    REFUSED("the level before is null", grid.w_before = NULL);
    REFUSED("IN is misaligned", MOVED(const float, grid.a, 2));
    REFUSED("the first of OUTS is misaligned", MOVED(double, grid.b[0], 4));
    REFUSED("SAME is misaligned", MOVED(float, grid.c, 1));
    REFUSED("the next of NEXT is misaligned", MOVED(float, grid.u_next, 3));
    REFUSED("LEAPFROG is misaligned", MOVED(float, grid.w, 2));
    lone_grid grid = lone_domain(rows, columns, pitch);
    grid.u = (float *)buffer(0);
    MOVED(float, grid.u, 2);
    tap_check(lone(&grid, 0) == cudaErrorInvalidValue, "lone: SAME is misaligned: refused");
}

static void refuse_overlaps(void)
{
    const size_t bytes = ((planes - 1) * plane + (rows - 1) * pitch + columns) * sizeof(float);
    REFUSED("NEXT is its own next", grid.u_next = grid.u);
    REFUSED("the next of NEXT begins in it", grid.u_next = grid.u + 1);
    REFUSED("the next of NEXT ends in it", grid.u_next = grid.u - 1);
    REFUSED("LEAPFROG begins with the last element of the level before", grid.w = grid.w_before;
            MOVED(float, grid.w, bytes - 4));
    REFUSED("SAME is IN", grid.c = (float *)buffer(0));
    REFUSED("OUTS are one", grid.b[1] = grid.b[0]);
    REFUSED("an OUT ends in IN", grid.b[0] = (double *)buffer(0) - 4);
    REFUSED("NEXT is SAME", grid.u = grid.c);
}

static void refuse_sizes(void)
{
    const size_t most = ((size_t)1 << 31) - 257;
    REFUSED("a row pitch below the width", grid.row_pitch = columns - 1);
    REFUSED("no row pitch", grid.row_pitch = 0);
    REFUSED("a field's row pitch below the width", grid.b_row_pitch = columns - 1);
    REFUSED("a plane pitch below the width", grid.plane_pitch = (rows - 1) * pitch + columns - 1);
    REFUSED("no plane pitch", grid.plane_pitch = 0);
    REFUSED("a field's plane pitch below the width", grid.w_plane_pitch = (rows - 1) * pitch);
    REFUSED("a row pitch beyond all memory", grid.row_pitch = (size_t)-1 / 64);
    REFUSED("a field's plane pitch beyond all memory", grid.c_plane_pitch = (size_t)-1 / 2);
    REFUSED("too many rows", grid.rows = most + 1; grid.end_row = 0);
    REFUSED("too many columns", grid.columns = most + 1; grid.end_column = 0);
    REFUSED("too many planes", grid.planes = most + 1; grid.end_plane = 0);
    REFUSED("2^63 rows", grid.rows = (size_t)1 << 63; grid.end_row = 0);
    EMPTY("as many rows as may be", grid.rows = most; grid.end_row = 0);
}

static void refuse_parts(void)
{
    REFUSED("a part that ends below the rows", grid.end_row = rows + 1);
    REFUSED("a part that ends beside the columns", grid.end_column = columns + 1);
    REFUSED("a part that ends behind the planes", grid.end_plane = planes + 1);
    REFUSED("a part that ends before it begins", grid.first_row = 3; grid.end_row = 2);
    REFUSED("a part that begins behind the columns", grid.first_column = grid.end_column = columns + 1);
    REFUSED("a part that begins at -1", grid.first_plane = (size_t)-1);
}

/* ---- What is right */

static void do_nothing(void)
{
    EMPTY("no rows", grid.rows = grid.end_row = 0);
    EMPTY("no columns", grid.columns = grid.end_column = 0);
    EMPTY("no planes", grid.planes = grid.end_plane = 0);
    EMPTY("a part of no rows", grid.first_row = grid.end_row);
    EMPTY("a part of no columns", grid.end_column = 0);
    EMPTY("a part of no planes", grid.first_plane = grid.end_plane = 1);
}

/* buffers that touch; fields that are only read may be one */
static void accept_neighbours(void)
{
    const size_t bytes = ((planes - 1) * plane + (rows - 1) * pitch + columns) * sizeof(float);
    flat_grid grid = flat_whole();
    fill();
    grid.u = grid.u_next;
    MOVED(float, grid.u, bytes);
    tap_check(flat(&grid, 2.0f, 0) == cudaSuccess && wrong_of(grid.u, 3.0f) == 0, "buffers that touch are right");
}

static void exchange(void)
{
    flat_grid grid = flat_whole(), was = grid;
    fill();
    int right = flat_steps(&grid, 0, 2.0f, 0) == cudaSuccess && memcmp(&was, &grid, sizeof was) == 0;
    tap_check(right, "no steps");
    right = flat(&grid, 2.0f, 0) == cudaSuccess;
    tap_check(right && grid.u == was.u_next && grid.u_next == was.u && grid.w == was.w_before && grid.w_before == was.w,
              "a step: the pointers of NEXT and LEAPFROG change places");
    tap_check(grid.a == was.a && grid.b[0] == was.b[0] && grid.b[1] == was.b[1] && grid.c == was.c,
              "a step: the others stay");
    tap_check(grid.first_step == was.first_step + 1, "a step: first_step is the next one");
    tap_check(wrong_of(grid.u, 3.0f) + wrong_of(grid.w, 2.0f) + wrong_of(grid.c, 3.0f) == 0, "a step: the new levels");
    tap_check(wrong_of(grid.u_next, 1.0f) + wrong_of(grid.w_before, 1.0f) == 0, "a step: the levels before");
    right = flat(&grid, 2.0f, 0) == cudaSuccess;
    tap_check(right && grid.u == was.u && wrong_of(grid.u, 5.0f) + wrong_of(grid.w, 3.0f) == 0, "another step");
    right = flat_steps(&grid, 3, 1.0f, 0) == cudaSuccess;
    tap_check(right && wrong_of(grid.u, 8.0f) + wrong_of(grid.w, 13.0f) + wrong_of(grid.w_before, 8.0f) == 0,
              "three steps more");
}

/* the parts of name_inner */
static void leave_inner(void)
{
    const flat_grid inner = flat_inner(9, 8, 8), small = flat_inner(2, 8, 8);
    const deep_grid deep_one = deep_inner(5, 3, 4, 12, 4);
    tap_check(inner.first_row == 1 && inner.end_row == 8 && inner.first_column == 1 && inner.end_column == 7 &&
                  inner.first_plane == 0 && inner.end_plane == 1,
              "name_inner: the part that reads inside");
    tap_check(small.first_row == small.end_row, "name_inner: of no rows where all read outside");
    tap_check(deep_one.first_plane == 1 && deep_one.end_plane == 4 && deep_one.end_row == 2 && deep_one.end_column == 3,
              "name_inner: in 3D");
}

/* a grid without memory, of planes of so many rows of 1 GB: the ring of planes is for planes of less than 4 */
static int is_short(size_t rows_of_1_gb)
{
    deep_grid grid;
    const cmk_point_member_ u = cmk_point_member_of_(
        cmk_point_constants_of_(sizeof(float), sizeof(float), 1, 0, 0, cmk_point_KIND_NEXT, 0, "u"),
        offsetof(deep_grid, u), offsetof(deep_grid, u_next), offsetof(deep_grid, u_row_pitch),
        offsetof(deep_grid, u_plane_pitch), 0, 0);
    memset((void *)&grid, 0, sizeof grid);
    grid.u_row_pitch = (size_t)1 << 28;
    return cmk_point_short_(&grid, &u, 1, rows_of_1_gb);
}

static void hold_offsets(void)
{
    tap_check(is_short(3) && !is_short(4), "planes of 4 GB go another way than by 32 bits of offset");
}

#define COUNTED(USES)                                                                                                  \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO) USES(IN, float, weight) USES(VALUE, unsigned *, found)
CMK_POINT_3D(counted, COUNTED)
{
    if (CMK_POINT_MINE) atomicAdd(found, 1u);
    if (CMK_POINT_PLANE >= 2 || CMK_POINT_ROW < 1 || CMK_POINT_ROW >= 6 || CMK_POINT_COLUMN < 2 ||
        CMK_POINT_COLUMN >= 11)
        atomicAdd(found + 1, 1u);
    CMK_POINT_SET(u, CMK_POINT_HERE(weight));
}
CMK_DEFINE_STENCIL3D(counted, COUNTED);

/* a part whose ends cut vectors and a thread's rows: which points an update sees, and which are written */
static void find_each_once(void)
{
    counted_grid grid = counted_domain(planes, rows, 11, plane, pitch);
    unsigned found[2] = {0, 0}, *const found_there = (unsigned *)buffer(3);
    float *const weight = before + 2 * each, *const expected = before + each;
    grid.u = (float *)buffer(0), grid.u_next = (float *)buffer(1), grid.weight = (float *)buffer(2);
    grid.end_plane = 2, grid.first_row = 1, grid.end_row = 6, grid.first_column = 2;
    fill();
    for (int k = 0; k < count; ++k) weight[k] = 2.0f + (float)k;
    CMK_CHECK(cudaMemcpy(buffer(2), weight, count * sizeof *weight, cudaMemcpyHostToDevice));
    CMK_CHECK(cudaMemcpy(found_there, found, sizeof found, cudaMemcpyHostToDevice));
    CMK_CHECK(counted(&grid, found_there, 0));
    CMK_CHECK(cudaMemcpy(found, found_there, sizeof found, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy(after, buffer(1), each * sizeof *after, cudaMemcpyDeviceToHost));
    for (int k = 0; k < count; ++k)
        if (k / plane < 2 && k % plane / pitch >= 1 && k % plane / pitch < 6 && k % pitch >= 2 && k % pitch < 11)
            expected[k] = weight[k];
    tap_check(found[0] == 2 * 5 * 9, "each point of a part is mine once: %u of 90", found[0]);
    tap_check(found[1] == 0, "an update sees no place outside of the part: %u", found[1]);
    tap_check(memcmp(after, expected, each * sizeof *after) == 0, "nothing is written beside the part");
}

/* ---- The blocks of wide grids: those of a star of reach 1 are wider, and have a warp more */
#define NEAR_STAR(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_ZERO)
#define FAR_STAR(USES) USES(NEXT, double, u, CMK_POINT_STAR(2), CMK_EDGE_CLAMP)
CMK_POINT_3D(near_star, NEAR_STAR)
{
    CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 0, 0) + 2.0f * CMK_POINT_AT(u, -1, 0, 0) + 4.0f * CMK_POINT_AT(u, 1, 0, 0) +
                         8.0f * CMK_POINT_AT(u, 0, -1, 0) + 16.0f * CMK_POINT_AT(u, 0, 1, 0) +
                         32.0f * CMK_POINT_AT(u, 0, 0, -1) + 64.0f * CMK_POINT_AT(u, 0, 0, 1));
}
CMK_DEFINE_STENCIL3D(near_star, NEAR_STAR);
CMK_POINT_3D(far_star, FAR_STAR)
{
    CMK_POINT_SET(u, CMK_POINT_AT(u, 0, 0, -2) + CMK_POINT_AT(u, 2, 0, 0));
}
CMK_DEFINE_STENCIL3D(far_star, FAR_STAR);

/* for how many widths of rows the blocks have too many threads, or too much shared memory */
static int crowded(cmk_point_definition_ d, int shape, int size)
{
    int found = 0;
    for (size_t width = 1; width < 3000; ++width) {
        const cmk_point_sizes_ s = cmk_point_domain_(509, 511, width, 511 * 3008, 3008);
        cmk_point_task_ task;
        unsigned blocks;
        const char *why;
        cmk_point_begin_task_(&s, &task);
        task.aligned = task.rings = 1;
        CMK_CHECK(cmk_point_divide_(&s, d, NULL, &task, &blocks, &why));
        const cmk_point_ring_ ring =
            cmk_point_ring_of_(shape, size, d.lanes, cmk_point_ring_rows_(d), task.wide, task.teams, 1);
        found += cmk_point_ring_memory_(ring, 1) > d.shared || task.wide * task.teams > cmk_point_threads_(d, 1);
    }
    return found;
}

/* the sample at plane z, row y, column x of rows of this width, 0 outside */
static float sample(const float *grid, int z, int y, int x, int width)
{
    const int inside = z >= 0 && z < planes && y >= 0 && y < rows && x >= 0 && x < width;
    return inside ? grid[(z * rows + y) * width + x] : 0.0f;
}

static float near_star_at(const float *u, int z, int y, int x, int width)
{
    return sample(u, z, y, x, width) + 2.0f * sample(u, z - 1, y, x, width) + 4.0f * sample(u, z + 1, y, x, width) +
           8.0f * sample(u, z, y - 1, x, width) + 16.0f * sample(u, z, y + 1, x, width) +
           32.0f * sample(u, z, y, x - 1, width) + 64.0f * sample(u, z, y, x + 1, width);
}

/* how many points are wrong: integers, which are exact */
static int wrong_in_wide(int width)
{
    enum { most = planes * rows * 1200 };
    static float u[most], got[most];
    const size_t bytes = (size_t)(planes * rows * width) * sizeof *u;
    near_star_grid grid = near_star_domain(planes, rows, (size_t)width, (size_t)(rows * width), (size_t)width);
    int wrong = 0;
    for (int i = 0; i < most; ++i) u[i] = (float)(i * 37 % 101);
    CMK_CHECK(cudaMalloc((void **)&grid.u, bytes));
    CMK_CHECK(cudaMalloc((void **)&grid.u_next, bytes));
    CMK_CHECK(cudaMemcpy(grid.u, u, bytes, cudaMemcpyHostToDevice));
    CMK_CHECK(near_star(&grid, 0));
    CMK_CHECK(cudaMemcpy(got, grid.u, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < planes * rows * width; ++i)
        wrong += got[i] != near_star_at(u, i / width / rows, i / width % rows, i % width, width);
    CMK_CHECK(cudaFree(grid.u));
    CMK_CHECK(cudaFree(grid.u_next));
    return wrong;
}

static void hold_blocks(void)
{
    const int widths[] = {508, 512, 516, 544, 576, 640, 1028, 1152, 513, 577};
    int wrong = 0;
    tap_check(crowded(near_star_definition_(), CMK_POINT_STAR(1), 4) == 0, "reach 1: blocks hold their rings");
    tap_check(crowded(far_star_definition_(), CMK_POINT_STAR(2), 8) == 0, "reach 2: blocks hold their rings");
    for (size_t k = 0; k < sizeof widths / sizeof *widths; ++k) wrong += wrong_in_wide(widths[k]);
    tap_check(wrong == 0, "wide rows: %d points are wrong", wrong);
}

#if defined(__CUDACC__)

/* an even number of steps, captured once and replayed */
static void replay(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t replayed;
    cudaStream_t stream;
    flat_grid grid = flat_whole();
    CMK_CHECK(cudaStreamCreate(&stream));
    CMK_CHECK(flat_steps(&grid, 2, 0.0f, stream)); /* loads the module */
    CMK_CHECK(cudaStreamSynchronize(stream));
    fill();
    const flat_grid was = grid;
    CMK_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CMK_CHECK(flat_steps(&grid, 2, 2.0f, stream));
    CMK_CHECK(cudaStreamEndCapture(stream, &graph));
    CMK_CHECK(cudaGraphInstantiateWithFlags(&replayed, graph, 0));
    tap_check(grid.u == was.u && grid.w == was.w, "two captured steps: the pointers are as they were");
    for (int k = 0; k < 3; ++k) CMK_CHECK(cudaGraphLaunch(replayed, stream));
    CMK_CHECK(cudaStreamSynchronize(stream));
    tap_check(wrong_of(grid.u, 13.0f) + wrong_of(grid.w, 21.0f) == 0, "three replays are six steps");
    CMK_CHECK(cudaGraphExecDestroy(replayed));
    CMK_CHECK(cudaGraphDestroy(graph));
    CMK_CHECK(cudaStreamDestroy(stream));
}

#else

static void replay(void)
{
    tap_skip("captured steps", "the CPU backend has no graphs");
}

#endif

/* The mode of the side where a place is folds it until it is inside. Of 3 points u, 4 above the first, is reflected at
 * the low face, at the high one, and is the last: 30, where the zero of the high side would give 100. w, 3 above the
 * first, is reflected oddly at the first and at the last: the second, 20. Of 1 point u is reflected 4 times: 10, and w
 * is the point itself: 7. */
static void fold_by_one_side(void)
{
    const double given[3] = {10, 20, 30}, one = 7;
    double got = 0;
    for (int points = 3; points > 0; points -= 2) {
        far_away_grid grid = far_away_domain((size_t)points, 1, 1);
        double *v = (double *)buffer(2);
        grid.u = (const double *)buffer(0), grid.w = (const double *)buffer(1), grid.v = v;
        grid.u_outside = 100, grid.w_outside = 1000;
        CMK_CHECK(cudaMemcpy(buffer(0), given, sizeof given, cudaMemcpyHostToDevice));
        CMK_CHECK(cudaMemcpy(buffer(1), &one, sizeof one, cudaMemcpyHostToDevice));
        if (points == 3) CMK_CHECK(cudaMemcpy(buffer(1), given, sizeof given, cudaMemcpyHostToDevice));
        CMK_CHECK(far_away(&grid, 0));
        CMK_CHECK(cudaMemcpy(&got, v, sizeof got, cudaMemcpyDeviceToHost));
        tap_check(points == 3 ? got == 30 + 20 : got == 10 + 7, "%d points: an edge is folded by its own side", points);
    }
}

int main(void)
{
    tap_need_device();
    CMK_CHECK(cudaMalloc((void **)&memory, sizeof before));
    fold_by_one_side();
    refuse_pointers();
    refuse_overlaps();
    refuse_sizes();
    refuse_parts();
    do_nothing();
    accept_neighbours();
    exchange();
    leave_inner();
    hold_offsets();
    find_each_once();
    hold_blocks();
    replay();
    CMK_CHECK(cudaFree(memory));
    return tap_done();
}
