/* Steps of a stencil on several ranks of this process, with ghosts exchanged behind each step, beside the interior, and
 * so in a graph: bit for bit what one rank computes. By copies, or by NCCL (-DBY_NCCL). */
#include "local.h"
#include <tap.h>

enum { STEPS = 6 };
enum { AFTER, FIRST, GRAPH, WAYS };

typedef struct {
    cmk_i64 row_pitch, plane_pitch, count[3];
    int ends[3][2]; /* the grid ends there: what would be read outside is the point itself */
} layout;

typedef struct {
    cmk_grid grid;
    layout shape;
    float *memory[2], *u[2];
    cudaStream_t stream;
} part;

static const cmk_i64 global[3] = {17, 14, 40};
static part parts[RANKS];
static cmk_halo halos[RANKS];
static float *whole[2]; /* of one rank, and of several */

CMK_DEVICE_ float at(const float *u, layout s, const cmk_i64 point[3], int axis, int by)
{
    cmk_i64 p[3] = {point[0], point[1], point[2]};
    const int side = by > 0;
    if (!s.ends[axis][side] || p[axis] != (side ? s.count[axis] - 1 : 0)) p[axis] += by;
    return CMK_LOAD(&u[p[0] * s.plane_pitch + p[1] * s.row_pitch + p[2]]);
}

__global__ void heat(const float *u, float *v, layout s, cmk_box box)
{
    const cmk_i64 i = (cmk_i64)blockIdx.x * 64 + threadIdx.x, plane = box.count[1] * box.count[2];
    const cmk_i64 point[3] = {box.first[0] + i / plane, box.first[1] + i % plane / box.count[2],
                              box.first[2] + i % box.count[2]};
    if (i >= box.count[0] * plane) return;
    float sum = 0.0f;
    for (int a = 0; a < 3; ++a) sum += at(u, s, point, a, -1) + at(u, s, point, a, 1);
    const cmk_i64 own = point[0] * s.plane_pitch + point[1] * s.row_pitch + point[2];
    CMK_STORE(&v[own], 0.5f * CMK_LOAD(&u[own]) + 0.08f * sum);
}

static void compute(const part *p, int level, cmk_box box, cudaStream_t stream)
{
    const cmk_i64 points = box.count[0] * box.count[1] * box.count[2];
    if (points == 0) return;
    CMK_CHECK(CMK_LAUNCH(heat, (unsigned)((points + 63) / 64), 64, 0, stream, p->u[level % 2], p->u[1 - level % 2],
                         p->shape, box));
}

static void on(int rank)
{
    CMK_CHECK(cudaSetDevice(halos[rank].device));
}

static void step(int ranks, int level, int way, cudaStream_t *streams)
{
    const int width[3] = {2, 1, 3};
    cudaStream_t begins[RANKS] = {0};
    for (int r = 0; r < ranks; ++r) {
        cmk_box border[6];
        const int boxes = way == AFTER ? 0 : cmk_grid_border(&parts[r].grid, width, border);
        on(r);
        begins[r] = way == AFTER ? streams[r] : halos[r].stream;
        if (way == AFTER) compute(&parts[r], level, cmk_grid_owned(&parts[r].grid), streams[r]);
        if (way != AFTER) CMK_CHECK(cmk_halo_follow(&halos[r], streams[r]));
        for (int b = 0; b < boxes; ++b) compute(&parts[r], level, border[b], halos[r].stream);
    }
    CMK_CHECK(cmk_halo_begin_all(halos, ranks, level + 1, begins));
    for (int r = 0; r < ranks && way != AFTER; ++r) {
        on(r);
        compute(&parts[r], level, cmk_grid_interior(&parts[r].grid, width), streams[r]);
    }
    CMK_CHECK(cmk_halo_end_all(halos, ranks, streams));
}

/* two steps as graphs, which are launched one after the other without a wait */
static void replay(int ranks, cudaStream_t *streams)
{
    cudaGraphExec_t ready[RANKS];
    local_capture(halos, ranks, streams);
    step(ranks, 0, FIRST, streams);
    step(ranks, 1, FIRST, streams);
    CMK_CHECK(local_captured(halos, ranks, streams, ready));
    for (int n = 0; n < STEPS / 2; ++n) local_launch(halos, ranks, streams, ready);
    for (int r = 0; r < ranks; ++r) {
        on(r);
        CMK_CHECK(cudaStreamSynchronize(streams[r]));
    }
    local_drop(ranks, ready);
}

/* the owned points of a part, to the device or into the whole grid */
static void copy(const part *p, float *all, int back)
{
    const cmk_grid *const g = &p->grid;
    const size_t row = (size_t)g->count[2] * sizeof(float);
    for (cmk_i64 z = 0; z < g->count[0]; ++z) {
        float *const host = &all[((g->first[0] + z) * global[1] + g->first[1]) * global[2] + g->first[2]];
        float *const device = &p->u[0][z * p->shape.plane_pitch];
        const size_t there = (size_t)p->shape.row_pitch * sizeof(float), here = (size_t)global[2] * sizeof(float);
        CMK_CHECK(cudaMemcpy2D(back ? host : device, back ? here : there, back ? device : host, back ? there : here,
                               row, (size_t)g->count[1], cudaMemcpyDefault));
    }
}

static void make(int r, int ranks, const int given[3], const int periodic[3], int devices)
{
    part *const p = &parts[r];
    CMK_CHECK(cudaSetDevice(r % devices));
    if (!cmk_grid_split(&p->grid, r, ranks, global, given, periodic)) exit(EXIT_FAILURE);
    p->shape.row_pitch = p->grid.count[2] + 5;
    p->shape.plane_pitch = p->shape.row_pitch * (p->grid.count[1] + 2);
    const cmk_i64 all = p->shape.plane_pitch * (p->grid.count[0] + 3);
    cmk_field field = {NULL,      NULL, sizeof(float), p->shape.row_pitch,    p->shape.plane_pitch,
                       {1, 1, 1}, 0,    NULL,          {{0, 0, 0}, {0, 0, 0}}};
    for (int a = 0; a < 3; ++a) {
        p->shape.count[a] = p->grid.count[a];
        for (int s = 0; s < 2; ++s)
            p->shape.ends[a][s] = cmk_grid_neighbour(&p->grid, a == 0 ? 2 * s - 1 : 0, a == 1 ? 2 * s - 1 : 0,
                                                     a == 2 ? 2 * s - 1 : 0) < 0;
    }
    for (int k = 0; k < 2; ++k) {
        CMK_CHECK(local_allocate((void **)&p->memory[k], (size_t)all * sizeof(float)));
        p->u[k] = p->memory[k] + p->shape.plane_pitch + p->shape.row_pitch + 2;
        *(k ? &field.next : &field.data) = p->u[k];
    }
    CMK_CHECK(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking));
    copy(p, whole[0], 0);
    CMK_CHECK(cmk_halo_create(&halos[r], &p->grid, local_transport(r, ranks), CMK_HALO_STAR, &field, 1));
}

static void clear(int ranks)
{
    CMK_CHECK(cmk_halo_destroy_all(halos, ranks));
    for (int r = 0; r < ranks; ++r) {
        part *const p = &parts[r];
        on(r);
        for (int k = 0; k < 2; ++k) CMK_CHECK(local_release(p->memory[k]));
        CMK_CHECK(cudaStreamDestroy(p->stream));
    }
}

/* what `all` holds, STEPS later */
static void run(float *all, int ranks, const int given[3], const int periodic[3], int way)
{
    cudaStream_t streams[RANKS];
    int devices = 1;
    CMK_CHECK(cudaGetDeviceCount(&devices));
    local_begin(ranks);
    for (int r = 0; r < ranks; ++r) {
        make(r, ranks, given, periodic, devices);
        streams[r] = parts[r].stream;
    }
    if (cmk_halo_connect_all(halos, ranks) != cudaSuccess) printf("# %s\n", halos[0].why), exit(EXIT_FAILURE);
    if (way == GRAPH) replay(ranks, streams);
    for (int n = 0; n < STEPS && way != GRAPH; ++n) step(ranks, n, way, streams);
    for (int r = 0; r < ranks; ++r) {
        on(r);
        if (cmk_halo_wait(&halos[r], streams[r]) != cudaSuccess) printf("# %s\n", halos[r].why), exit(EXIT_FAILURE);
        copy(&parts[r], all, 1);
    }
    clear(ranks);
}

static void check(int ranks, int planes, int rows, int columns, int around)
{
    static const char *const ways[WAYS] = {"behind each step", "beside the interior", "in a graph"};
    const int given[3] = {planes, rows, columns}, one[3] = {1, 1, 1};
    const int periodic[3] = {around & 1, around >> 1 & 1, around >> 2 & 1};
    const size_t points = (size_t)(global[0] * global[1] * global[2]);
    float *const expected = (float *)malloc(points * sizeof(float));
    if (ranks > local_most()) {
        free(expected);
        return;
    }
    for (int way = -1; way < WAYS; ++way) {
        for (size_t i = 0; i < points; ++i) whole[0][i] = (float)(i * 2654435761u % 1000003) / 1000003.0f;
        run(whole[1], way < 0 ? 1 : ranks, way < 0 ? one : given, periodic, way < 0 ? AFTER : way);
        if (way < 0) memcpy(expected, whole[1], points * sizeof(float));
        if (way >= 0)
            tap_check(memcmp(expected, whole[1], points * sizeof(float)) == 0,
                      "%d x %d x %d parts, periodic %d%d%d, exchanged %s: the bits of one", planes, rows, columns,
                      periodic[0], periodic[1], periodic[2], ways[way]);
    }
    free(expected);
}

int main(void)
{
    tap_need_device();
    for (int k = 0; k < 2; ++k) {
        whole[k] = (float *)malloc((size_t)(global[0] * global[1] * global[2]) * sizeof(float));
        if (!whole[k]) return EXIT_FAILURE;
    }
    check(1, 1, 1, 1, 5);
    check(2, 2, 1, 1, 0);
    check(2, 2, 1, 1, 7);
    check(2, 1, 1, 2, 4);
    check(3, 3, 1, 1, 1);
    check(4, 1, 2, 2, 6);
    check(6, 3, 2, 1, 0);
    check(8, 2, 2, 2, 7);
    return tap_done();
}
