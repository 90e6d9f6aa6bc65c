/* name_prepare and name_release: the spare buffers of a pass are there and gone again, and in the caller's own buffers
 * is what single steps leave there. */
#include <cmk/kernel/stencil2d.h>
#include <cmk/kernel/stencil3d.h>
#include <cmk/check.h>
#include "random.h"
#include "tap.h"

/* of two images, whose rows have 6 elements behind them, and a row between the two */
enum { planes = 2, rows = 64, columns = 130, pitch = 136, plane = (rows + 1) * pitch, count = planes * plane };
enum { buffers = 6 };

/* two waves, their energy, which no shape has, and a medium; factors are powers of 2, so that it is all the same
 * whether a product is rounded before it is added */
#define WAVES(USES)                                                                                                    \
    USES(LEAPFROGS, float, u, 2, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(SAME, float, energy) USES(IN, float, medium)
#define U(k, dy, dx) CMK_POINT_AT(u[k], dy, dx)
CMK_POINT_2D(waves, WAVES)
{
    const float a = U(0, 1, 0) + U(0, -1, 0) + U(0, 0, 1) - 4.0f * U(0, 0, 0), b = U(1, 0, -1) - U(1, 0, 0);
    CMK_POINT_SET(u[0], 2.0f * U(0, 0, 0) - CMK_POINT_BEFORE(u[0]) + 0.125f * a);
    CMK_POINT_SET(u[1], U(1, 0, 0) - 0.5f * CMK_POINT_BEFORE(u[1]) + 0.25f * a + 0.125f * b);
    if (CMK_POINT_ROW % 3 > 0) CMK_POINT_SET(energy, 0.5f * CMK_POINT_HERE(energy) + CMK_POINT_HERE(medium) - a + b);
}
CMK_DEFINE_STENCIL2D(waves, WAVES);

/* in place, of two stages */
#define SOUND(USES)                                                                                                    \
    USES(SAME, float, p, CMK_POINT_REACH(1, 1, 1), CMK_EDGE_ZERO)                                                      \
    USES(SAMES, float, v, 2, CMK_POINT_REACH(0, 1, 1), CMK_EDGE_CLAMP)
#define ADVANCE(P)                                                                                                     \
    if (CMK_POINT_STAGE == 0) {                                                                                        \
        CMK_POINT_SET(v[0], CMK_POINT_HERE(v[0]) + 0.25f * (P(0, 1) - P(0, 0)));                                       \
        CMK_POINT_SET(v[1], CMK_POINT_HERE(v[1]) + 0.25f * (P(1, 0) - P(0, 0)));                                       \
    } else {                                                                                                           \
        CMK_POINT_SET(p, P(0, 0) + 0.5f * (CMK_POINT_HERE(v[0]) + CMK_POINT_HERE(v[1])));                              \
    }
#define P_2D(dy, dx) CMK_POINT_AT(p, dy, dx)
#define P_3D(dy, dx) CMK_POINT_AT(p, 0, dy, dx)
CMK_POINT_2D_STAGES(sound, SOUND, 2){ADVANCE(P_2D)} CMK_DEFINE_STENCIL2D(sound, SOUND);
CMK_POINT_3D_STAGES(deep, SOUND, 2){ADVANCE(P_3D)} CMK_DEFINE_STENCIL3D(deep, SOUND);

/* one field in place */
#define MEAN(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(SAME, float, sum)
CMK_POINT_2D(mean, MEAN)
{
    CMK_POINT_SET(u, 0.5f * (CMK_POINT_AT(u, 1, 0) + CMK_POINT_AT(u, 0, 1)));
    CMK_POINT_SET(sum, CMK_POINT_HERE(sum) + CMK_POINT_HERE(u));
}
CMK_DEFINE_STENCIL2D(mean, MEAN);

/* no pass takes it, in place though it is */
#define BYTES(USES) USES(SAME, unsigned char, u, CMK_POINT_REACH(0, 1, 1), CMK_EDGE_ZERO)
CMK_POINT_2D_STAGES(bytes, BYTES, 2)
{
    if (CMK_POINT_STAGE == 1) CMK_POINT_SET(u, 1);
}
CMK_DEFINE_STENCIL2D(bytes, BYTES);

/* ---- Two sets of buffers: the first for single steps */

static float *memory[2][buffers], held[2][count];

/* random elements, the same in both sets, and 42 where no field is */
static void fill(void)
{
    random_state = 1;
    for (int b = 0; b < buffers; ++b) {
        for (int k = 0; k < count; ++k)
            held[0][k] = k % plane < rows * pitch && k % pitch < columns ? (float)below(4096) / 4096 - 0.5f : 42.0f;
        for (int set = 0; set < 2; ++set)
            CMK_CHECK(cudaMemcpy(memory[set][b], held[0], sizeof held[0], cudaMemcpyHostToDevice));
    }
}

/* 1 where any byte of two buffers is another, between the rows too */
static int differ(const float *a, const float *b)
{
    CMK_CHECK(cudaMemcpy(held[0], a, sizeof held[0], cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy(held[1], b, sizeof held[1], cudaMemcpyDeviceToHost));
    return memcmp(held[0], held[1], sizeof held[0]) != 0;
}

/* whether a pointer is one of these two of the second set */
static int is_own(const float *pointer, int first, int second)
{
    return pointer == memory[1][first] || pointer == memory[1][second];
}

/* bytes of memory that nobody has freed: known of the CPU backend */
static size_t allocated(void)
{
#if defined(__CUDACC__)
    return 0;
#else
    return cmk_host_allocated_;
#endif
}

static waves_grid waves_whole(int set)
{
    waves_grid grid = waves_domain(rows, columns, pitch);
    grid.planes = grid.end_plane = planes, grid.plane_pitch = plane;
    for (int k = 0; k < 2; ++k) grid.u[k] = memory[set][k], grid.u_before[k] = memory[set][2 + k];
    grid.energy = memory[set][4], grid.medium = memory[set][5];
    return grid;
}

#define SOUND_BUFFERS(grid, set) (grid).p = memory[set][0], (grid).v[0] = memory[set][1], (grid).v[1] = memory[set][2]

static sound_grid sound_whole(int set)
{
    sound_grid grid = sound_domain(rows, columns, pitch);
    grid.planes = grid.end_plane = planes, grid.plane_pitch = plane;
    SOUND_BUFFERS(grid, set);
    return grid;
}

static deep_grid deep_whole(int set)
{
    deep_grid grid = deep_domain(planes, rows, columns, plane, pitch);
    SOUND_BUFFERS(grid, set);
    return grid;
}

/* of one image */
static mean_grid mean_whole(int set)
{
    mean_grid grid = mean_domain(rows, columns, pitch);
    grid.plane_pitch = plane;
    grid.u = memory[set][0], grid.u_next = memory[set][1], grid.sum = memory[set][2];
    return grid;
}

/* ---- Passes and single steps by turns, as `passes` and `singles` say, and then a release */

static int is_waves_again(const waves_grid *single, const waves_grid *grid)
{
    int right = grid->energy == memory[1][4] && grid->energy_spare == NULL && !differ(single->energy, grid->energy);
    for (int k = 0; k < 2; ++k) {
        right &= is_own(grid->u[k], k, 2 + k) && is_own(grid->u_before[k], k, 2 + k) &&
                 grid->u[k] != grid->u_before[k] && grid->u_spare[k] == NULL && grid->u_before_spare[k] == NULL;
        right &= !differ(single->u[k], grid->u[k]) && !differ(single->u_before[k], grid->u_before[k]);
    }
    return right;
}

static void step_waves(size_t passes, size_t singles, size_t more)
{
    const size_t most = (size_t)cmk_point_steps_(waves_definition_(), waves_stages_), before = allocated();
    waves_grid single = waves_whole(0), grid = waves_whole(1);
    fill();
    CMK_CHECK(waves_prepare(&grid, 0));
    const float *const spare = grid.energy_spare;
    for (size_t step = 0; step < passes * most + singles + more * most; ++step) CMK_CHECK(waves(&single, 0));
    CMK_CHECK(waves_steps(&grid, passes * most + singles, 0));
    const int passed = grid.energy == (passes % 2 == 0 ? memory[1][4] : spare);
    CMK_CHECK(waves_steps(&grid, more * most, 0));
    CMK_CHECK(waves_release(&grid, 0));
    tap_check(most > 1 && passed && spare != NULL && is_waves_again(&single, &grid) && allocated() == before,
              "waves: %zu passes, %zu steps and %zu passes, a release", passes, singles, more);
}

/* the same of a definition in place */
#define STEP_SOUND(name, steps, text)                                                                                  \
    do {                                                                                                               \
        const size_t before = allocated();                                                                             \
        name##_grid single = name##_whole(0), grid = name##_whole(1), was;                                             \
        fill();                                                                                                        \
        CMK_CHECK(name##_prepare(&grid, 0));                                                                           \
        for (size_t step = 0; step < (steps); ++step) CMK_CHECK(name(&single, 0));                                     \
        CMK_CHECK(name##_steps(&grid, (steps), 0));                                                                    \
        CMK_CHECK(name##_release(&grid, 0));                                                                           \
        int right = !differ(single.p, grid.p) && grid.p == memory[1][0] && grid.p_spare == NULL;                       \
        for (int k = 0; k < 2; ++k)                                                                                    \
            right &= !differ(single.v[k], grid.v[k]) && grid.v[k] == memory[1][1 + k] && grid.v_spare[k] == NULL;      \
        was = grid;                                                                                                    \
        CMK_CHECK(name##_release(&grid, 0));                                                                           \
        right &= memcmp(&was, &grid, sizeof was) == 0 && allocated() == before;                                        \
        tap_check(right, #name ": %s, a release and another", text);                                                   \
    } while (0)

static void test_steps(void)
{
    const size_t most = (size_t)cmk_point_steps_(sound_definition_(), sound_stages_);
    step_waves(0, 1, 0);
    step_waves(1, 0, 0);
    step_waves(2, 0, 0);
    step_waves(1, 1, 0);
    step_waves(1, 1, 1);
    step_waves(3, 1, 2);
    STEP_SOUND(sound, most, "a pass");
    STEP_SOUND(sound, 3 * most + 1, "three passes and a step");
    STEP_SOUND(deep, (size_t)17, "17 steps");
}

/* ---- What a grid has then */

static void prepare_twice(void)
{
    const size_t before = allocated();
    sound_grid grid = sound_whole(1), was;
    CMK_CHECK(sound_release(&grid, 0));
    tap_check(allocated() == before, "a release of nothing");
    CMK_CHECK(sound_prepare(&grid, 0));
    const size_t between = (size_t)((char *)grid.v_spare[0] - (char *)grid.p_spare);
    tap_check((size_t)grid.p_spare % 256 == 0 &&
                  between == ((plane + (rows - 1) * pitch + columns) * 4 + 255) / 256 * 256,
              "spare buffers begin at multiples of 256 bytes");
    was = grid;
    tap_check(sound_prepare(&grid, 0) == cudaSuccess && memcmp(&was, &grid, sizeof was) == 0, "prepared twice: once");
    grid.p_spare = NULL;
    tap_check(sound_prepare(&grid, 0) == cudaErrorInvalidValue && grid.p_spare == NULL,
              "prepared, and a spare buffer is lost: refused");
    CMK_CHECK(sound_release(&grid, 0));
    tap_check(grid.v_spare[0] == NULL && allocated() == before, "its release");
}

/* a spare buffer of the caller's is kept, before and after */
static void keep_spares(void)
{
    const size_t most = (size_t)cmk_point_steps_(waves_definition_(), waves_stages_), before = allocated();
    waves_grid single = waves_whole(0), grid = waves_whole(1);
    float *own = NULL;
    fill();
    CMK_CHECK(cudaMalloc((void **)&own, sizeof held[0]));
    CMK_CHECK(cudaMemcpy(own, memory[1][0], sizeof held[0], cudaMemcpyDeviceToDevice));
    grid.u_spare[1] = own;
    CMK_CHECK(waves_prepare(&grid, 0));
    tap_check(grid.u_spare[1] == own && grid.u_before_spare[1] != NULL,
              "prepared: a spare buffer of the caller's stays");
    for (size_t step = 0; step < most + 1; ++step) CMK_CHECK(waves(&single, 0));
    CMK_CHECK(waves_steps(&grid, most + 1, 0));
    CMK_CHECK(waves_release(&grid, 0));
    const float *const four[4] = {grid.u[1], grid.u_before[1], grid.u_spare[1], grid.u_before_spare[1]};
    int found = 0;
    for (int k = 0; k < 4; ++k)
        found += four[k] == own            ? 1
                 : four[k] == memory[1][1] ? 4
                 : four[k] == memory[1][3] ? 16
                                           : 64 * (four[k] != NULL);
    tap_check(found == 21 && grid.u[1] != NULL && grid.u_before[1] != NULL, "released: the caller's three, each once");
    tap_check(!differ(single.u[1], grid.u[1]) && !differ(single.u_before[1], grid.u_before[1]),
              "released: and what single steps leave there");
    CMK_CHECK(cudaFree(own));
    tap_check(allocated() == before, "released: nothing else is freed, nor left");
}

/* nothing is allocated where no pass would be made */
static void need_nothing(void)
{
    const size_t before = allocated();
    bytes_grid narrow = bytes_domain(rows, columns, pitch);
    narrow.u = (unsigned char *)memory[1][0];
    tap_check(bytes_prepare(&narrow, 0) == cudaSuccess && narrow.u_spare == NULL, "a definition without passes");
    for (int k = 0; k < 4; ++k) {
        static const char *const texts[] = {"few rows", "an empty part", "few columns", "an image"};
        sound_grid grid = sound_whole(1), was;
        if (k == 0) grid.rows = grid.end_row = 8;
        if (k == 1) grid.end_column = 0;
        if (k == 2) grid.columns = grid.end_column = 100;
        if (k == 3) grid.end_plane = 1;
        was = grid;
        tap_check(sound_prepare(&grid, 0) == cudaSuccess && memcmp(&was, &grid, sizeof was) == 0 &&
                      allocated() == before,
                  "nothing is allocated for %s", texts[k]);
    }
}

/* a grid of more images than it was prepared for takes single steps; prepared memory that holds its data is refused */
static void grow(void)
{
    const size_t most = (size_t)cmk_point_steps_(mean_definition_(), mean_stages_);
    mean_grid single = mean_whole(0), grid = mean_whole(1), was;
    fill();
    CMK_CHECK(mean_prepare(&grid, 0));
    grid.planes = grid.end_plane = single.planes = single.end_plane = 2;
    for (size_t step = 0; step < most; ++step) CMK_CHECK(mean(&single, 0));
    CMK_CHECK(mean_steps(&grid, most, 0));
    tap_check(grid.sum == memory[1][2] && !differ(single.sum, grid.sum) && !differ(single.u, grid.u),
              "prepared for one image: single steps of two");
    grid.planes = grid.end_plane = 1;
    CMK_CHECK(mean_steps(&grid, most, 0));
    grid.planes = grid.end_plane = 2;
    was = grid;
    tap_check(grid.sum != memory[1][2] && mean(&grid, 0) == cudaErrorInvalidValue &&
                  mean_release(&grid, 0) == cudaErrorInvalidValue && memcmp(&was, &grid, sizeof was) == 0,
              "prepared for one image, which is in that memory: two are refused");
    grid.planes = grid.end_plane = 1;
    grid.sum_spare = NULL;
    was = grid;
    tap_check(mean_release(&grid, 0) == cudaErrorInvalidValue && memcmp(&was, &grid, sizeof was) == 0,
              "a release without the caller's buffer: refused");
    grid.sum_spare = memory[1][2];
    CMK_CHECK(mean_release(&grid, 0));
    tap_check(grid.sum == memory[1][2], "a release with it");
}

/* a grid whose axis was made empty after name_prepare: its memory is freed, and no pitch is compared */
static void empty(void)
{
    for (int k = 0; k < 3; ++k) {
        static const char *const texts[] = {"columns, pitches", "rows", "images"};
        const size_t before = allocated();
        sound_grid grid = sound_whole(1);
        CMK_CHECK(sound_prepare(&grid, 0));
        const int is_prepared = grid.p_spare != NULL;
        if (k == 0) grid.columns = grid.end_column = grid.row_pitch = grid.p_row_pitch = grid.v_row_pitch = 0;
        if (k == 1) grid.rows = grid.end_row = 0;
        if (k == 2) grid.planes = grid.end_plane = 0;
        tap_check(is_prepared && sound_release(&grid, 0) == cudaSuccess && grid.p_spare == NULL &&
                      allocated() == before,
                  "a release of no %s", texts[k]);
    }
}

/* ---- What is refused, and leaves all as it was */

#define REFUSED(expected, what, change)                                                                                \
    do {                                                                                                               \
        const size_t before = allocated();                                                                             \
        sound_grid grid = sound_whole(1), was;                                                                         \
        change;                                                                                                        \
        was = grid;                                                                                                    \
        tap_check(sound_prepare(&grid, 0) == (expected) && memcmp(&was, &grid, sizeof was) == 0 &&                     \
                      allocated() == before && cudaGetLastError() == cudaSuccess,                                      \
                  "prepare: %s: refused", what);                                                                       \
    } while (0)

/* one image of rows so far apart, and nobody's buffers in all of the address space */
static void spread(sound_grid *grid, size_t row_pitch)
{
    const size_t all = ((rows - 1) * row_pitch + columns) * sizeof(float), step = (all + 255) / 256 * 256;
    grid->planes = grid->end_plane = 1;
    grid->row_pitch = row_pitch;
    grid->p = (float *)256, grid->v[0] = (float *)(256 + step), grid->v[1] = (float *)(256 + 2 * step);
}

static void refuse(void)
{
    tap_check(sound_prepare(NULL, 0) == cudaErrorInvalidValue && sound_release(NULL, 0) == cudaErrorInvalidValue,
              "no grid: refused");
    REFUSED(cudaErrorInvalidValue, "a part that ends below the rows", grid.end_row = rows + 1);
    REFUSED(cudaErrorInvalidValue, "a pitch below the width", grid.row_pitch = columns - 2);
    REFUSED(cudaErrorInvalidValue, "a null pointer", grid.v[1] = NULL);
    REFUSED(cudaErrorInvalidValue, "a spare buffer in a field", grid.v_spare[1] = grid.p + 4);
    REFUSED(cudaErrorInvalidValue, "spare buffers that begin with no vector", grid.p_spare = memory[0][0];
            grid.v_spare[0] = memory[0][1]; grid.v_spare[1] = memory[0][2] + 1);
    REFUSED(cudaErrorInvalidValue, "more bytes than an address counts", spread(&grid, (size_t)23 << 50));
    REFUSED(cudaErrorMemoryAllocation, "more memory than there is", spread(&grid, (size_t)1 << 40));
}

#if defined(__CUDACC__)

static void refuse_captured(void)
{
    cudaGraph_t graph;
    cudaStream_t stream;
    sound_grid grid = sound_whole(1), none = grid;
    CMK_CHECK(sound_prepare(&grid, 0));
    CMK_CHECK(cudaStreamCreate(&stream));
    CMK_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    const int refused = sound_prepare(&none, stream) == cudaErrorInvalidValue && none.p_spare == NULL &&
                        sound_release(&grid, stream) == cudaErrorInvalidValue && grid.p_spare != NULL;
    tap_check(cudaStreamEndCapture(stream, &graph) == cudaSuccess && refused, "while a stream is captured: refused");
    CMK_CHECK(cudaGraphDestroy(graph));
    CMK_CHECK(sound_release(&grid, stream));
    CMK_CHECK(cudaStreamDestroy(stream));
}

#else

static void refuse_captured(void)
{
    tap_skip("while a stream is captured: refused", "the CPU backend has no graphs");
}

#endif

int main(void)
{
    tap_need_device();
    for (int k = 0; k < 2 * buffers; ++k)
        CMK_CHECK(cudaMalloc((void **)&memory[k / buffers][k % buffers], sizeof held[0]));
    test_steps();
    prepare_twice();
    keep_spares();
    need_nothing();
    grow();
    empty();
    refuse();
    refuse_captured();
    for (int k = 0; k < 2 * buffers; ++k) CMK_CHECK(cudaFree(memory[k / buffers][k % buffers]));
    return tap_done();
}
