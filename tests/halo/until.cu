/* Loops that end on the device, over ranks: a turn exchanges ghosts, does steps and reduces what they say, so that all
 * ranks end behind the same turn, that of one rank, and have its bits. By copies, where one loop has all ranks, or by
 * NCCL (-DBY_NCCL), where each rank has a loop, in a host thread of its own. */
#define IN_LOOPS
#include "local.h"
#include <math.h>
#include <pthread.h>
#include <cmk/halo/reduce.h>
#include <cmk/kernel/stencil2d.h>
#include <cmk/until.h>
#include "random.h"
#include "tap.h"

/* all products are exact, so that a sum has the same bits with and without contraction */
#define HEAT(USES)                                                                                                     \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(MAX, float, change) USES(SUM, double, total)
#define U(dy, dx) CMK_POINT_AT(u, dy, dx)
CMK_POINT_2D(heat, HEAT)
{
    const float next = 0.5f * U(0, 0) + 0.125f * (U(-1, 0) + U(1, 0) + U(0, -1) + U(0, 1));
    CMK_POINT_SET(u, next);
    CMK_POINT_MOST(change, fabsf(next - U(0, 0)));
    CMK_POINT_ADD(total, next);
}
CMK_DEFINE_STENCIL2D(heat, HEAT);

enum { rows = 37, columns = 45, points = rows * columns, most_ranks = 4, results = 2, turns_most = 60 };

typedef struct {
    int parts[3], is_nan;
    size_t most;
    float limit;
} case_;

/* What a loop has: the ranks from `first` on; error and why where it has failed. */
typedef struct {
    const case_ *c;
    int first, held, ranks, calls;
    cmk_halo halos[most_ranks];
    heat_grid grids[most_ranks];
    cmk_result results[most_ranks * CMK_HALO_RESULTS];
    cmk_turns *turns;
    float *fields[most_ranks][2];
    cudaStream_t streams[most_ranks];
    cudaError_t error;
    char why[400];
} loop;

/* what a loop leaves */
typedef struct {
    float u[points], change;
    double total;
    unsigned long long turns;
} end_;

static float whole[points];
static end_ expected, got[most_ranks];
static int devices;

/* ---- One rank, and a host that asks behind each turn */

static void fill(const case_ *c)
{
    for (int i = 0; i < points; ++i) whole[i] = (float)below(4096) / 16.0f;
    if (c->is_nan) whole[points - 1] = NAN;
}

static void allocate(void **memory, size_t bytes)
{
    CMK_CHECK(cudaMalloc(memory, bytes));
    CMK_CHECK(cudaMemset(*memory, 0, bytes));
}

static void run_one(const case_ *c)
{
    heat_grid grid = heat_domain(rows, columns, columns);
    expected.turns = 0;
    allocate((void **)&grid.u, sizeof whole);
    allocate((void **)&grid.u_next, sizeof whole);
    allocate((void **)&grid.change, CMK_POINT_RESULT_BYTES);
    allocate((void **)&grid.total, CMK_POINT_RESULT_BYTES);
    CMK_CHECK(cudaMemcpy(grid.u, whole, sizeof whole, cudaMemcpyHostToDevice));
    do {
        for (int k = 0; k < 2; ++k) CMK_CHECK(heat(&grid, 0));
        CMK_CHECK(cudaMemcpy(&expected.change, grid.change, sizeof expected.change, cudaMemcpyDeviceToHost));
    } while (++expected.turns < c->most && expected.change > c->limit);
    CMK_CHECK(cudaMemcpy(&expected.total, grid.total, sizeof expected.total, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy(expected.u, grid.u, sizeof whole, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaFree(grid.u));
    CMK_CHECK(cudaFree(grid.u_next));
    CMK_CHECK(cudaFree(grid.change));
    CMK_CHECK(cudaFree(grid.total));
}

/* ---- Ranks */

static void make_rank(loop *l, int k, int device, cmk_halo_transport transport)
{
    const cmk_i64 global[3] = {1, rows, columns};
    const int reach[3] = {0, 1, 1};
    cmk_field exchanged[CMK_HALO_FIELDS];
    cmk_grid split;
    heat_grid *const g = &l->grids[k];
    CMK_CHECK(cudaSetDevice(device));
    if (k == 0) allocate((void **)&l->turns, sizeof *l->turns);
    CMK_CHECK(cudaStreamCreateWithFlags(&l->streams[k], cudaStreamNonBlocking));
    if (!cmk_grid_split(&split, l->first + k, l->ranks, global, l->c->parts, NULL)) exit(EXIT_FAILURE);
    *g = heat_of_rank(&split, reach);
    const size_t bytes = g->rows * g->row_pitch * sizeof(float);
    for (int b = 0; b < 2; ++b) allocate((void **)&l->fields[k][b], bytes);
    allocate((void **)&g->change, CMK_POINT_RESULT_BYTES);
    allocate((void **)&g->total, CMK_POINT_RESULT_BYTES);
    g->u = l->fields[k][0], g->u_next = l->fields[k][1];
    CMK_CHECK(cudaMemcpy2D(g->u + g->first_row * g->row_pitch + g->first_column, g->row_pitch * sizeof(float),
                           &whole[split.first[1] * columns + split.first[2]], columns * sizeof(float),
                           (size_t)split.count[2] * sizeof(float), (size_t)split.count[1], cudaMemcpyHostToDevice));
    const int count = heat_fields(g, exchanged);
    CMK_CHECK(cmk_halo_create(&l->halos[k], &split, transport, CMK_HALO_STAR, exchanged, count));
    if (heat_results(g, &l->results[k * results]) != results) exit(EXIT_FAILURE);
}

static void take_rank(const loop *l, int k)
{
    const heat_grid *const g = &l->grids[k];
    const cmk_grid *const split = &l->halos[k].grid;
    end_ *const end = &got[l->first + k];
    cmk_turns turns;
    CMK_CHECK(cudaMemcpy(&turns, l->turns, sizeof turns, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy(&end->change, g->change, sizeof end->change, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy(&end->total, g->total, sizeof end->total, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy2D(&end->u[split->first[1] * columns + split->first[2]], columns * sizeof(float),
                           g->u + g->first_row * g->row_pitch + g->first_column, g->row_pitch * sizeof(float),
                           (size_t)split->count[2] * sizeof(float), (size_t)split->count[1], cudaMemcpyDeviceToHost));
    end->turns = turns.turns;
}

static void clear_rank(loop *l, int k)
{
    for (int b = 0; b < 2; ++b) CMK_CHECK(cudaFree(l->fields[k][b]));
    CMK_CHECK(cudaFree(l->grids[k].change));
    CMK_CHECK(cudaFree(l->grids[k].total));
    CMK_CHECK(cudaStreamDestroy(l->streams[k]));
}

/* Two steps, each behind an exchange: all buffers are where they were. Of the second one the results are reduced. The
 * streams of all ranks but the first one begin behind that of the turn, and end before it. */
static cudaError_t turn(void *context, cudaStream_t stream)
{
    loop *const l = (loop *)context;
    cudaStream_t streams[most_ranks];
    heat_grid grids[most_ranks];
    cudaError_t error = cudaSuccess;
    ++l->calls;
    for (int k = 0; k < l->held && error == cudaSuccess; ++k) {
        grids[k] = l->grids[k], streams[k] = k == 0 ? stream : l->streams[k];
        if (k > 0) error = local_join(stream, l->halos[0].device, streams[k], l->halos[k].device);
    }
    for (int step = 0; step < 2 && error == cudaSuccess; ++step) {
        error = cmk_halo_begin_all(l->halos, l->held, step, streams);
        if (error == cudaSuccess) error = cmk_halo_end_all(l->halos, l->held, streams);
        for (int k = 0; k < l->held && error == cudaSuccess; ++k) {
            CMK_CHECK(cudaSetDevice(l->halos[k].device));
            grids[k].more_parts = step == 1;
            error = heat(&grids[k], streams[k]);
        }
    }
    if (error == cudaSuccess) error = cmk_halo_reduce_all(l->halos, l->held, l->results, results, streams);
    for (int k = 1; k < l->held && error == cudaSuccess; ++k)
        error = local_join(streams[k], l->halos[k].device, stream, l->halos[0].device);
    CMK_CHECK(cudaSetDevice(l->halos[0].device));
    return error;
}

/* connects the halos of a loop, repeats turns, and takes what they leave */
static void repeat(loop *l)
{
    const cmk_until until = cmk_until_float(l->c->most, l->grids[0].change, l->c->limit, l->turns);
    CMK_CHECK(cmk_halo_connect_all(l->halos, l->held));
    CMK_CHECK(cudaSetDevice(l->halos[0].device));
    l->error = cmk_repeat(until, turn, l, l->streams[0]);
    if (l->error == cudaSuccess) l->error = cmk_halo_wait(&l->halos[0], l->streams[0]);
    snprintf(l->why, sizeof l->why, "%s: %.300s", cudaGetErrorName(l->error), l->halos[0].why);
    if (l->error != cudaSuccess) return;
    for (int k = 0; k < l->held; ++k) take_rank(l, k);
    CMK_CHECK(cmk_halo_destroy_all(l->halos, l->held));
    for (int k = 0; k < l->held; ++k) clear_rank(l, k);
    CMK_CHECK(cudaFree(l->turns));
}

/* ---- Checks */

/* a turn is launched once where a graph has loops, and elsewhere each time */
static int is_called(const loop *l)
{
    int driver = 0;
    if (CMK_HAS_LOOPS_) CMK_CHECK(cudaDriverGetVersion(&driver));
    return driver >= 12040 ? l->calls == 1 : (unsigned long long)l->calls == expected.turns;
}

/* how many ranks do not have what one rank has */
static int differing(const loop *loops, int count)
{
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
        const loop *const l = &loops[i];
        for (int k = 0; k < l->held; ++k) {
            const cmk_grid *const split = &l->halos[k].grid;
            const end_ *const end = &got[l->first + k];
            int is_wrong = end->turns != expected.turns ||
                           memcmp(&end->change, &expected.change, sizeof end->change) != 0 ||
                           memcmp(&end->total, &expected.total, sizeof end->total) != 0;
            for (cmk_i64 y = 0; y < split->count[1]; ++y) {
                const cmk_i64 at = (split->first[1] + y) * columns + split->first[2];
                is_wrong |= memcmp(&end->u[at], &expected.u[at], (size_t)split->count[2] * sizeof(float)) != 0;
            }
            wrong += is_wrong;
        }
    }
    return wrong;
}

#if defined(BY_NCCL)
static ncclComm_t *comms;

static void *run_rank(void *what)
{
    loop *const l = (loop *)what;
    make_rank(l, 0, l->first % devices, cmk_halo_nccl(comms[l->first]));
    repeat(l);
    return NULL;
}
#endif

/* runs the loops of all ranks; value: their number */
static int run_loops(const case_ *c, loop *loops, int on_devices)
{
    const int ranks = c->parts[1] * c->parts[2];
    memset(loops, 0, most_ranks * sizeof *loops);
    memset(got, 0, sizeof got);
#if defined(BY_NCCL)
    pthread_t threads[most_ranks];
    (void)on_devices;
    for (int r = 0; r < ranks; ++r) {
        loops[r].c = c, loops[r].first = r, loops[r].held = 1, loops[r].ranks = ranks;
        if (pthread_create(&threads[r], NULL, run_rank, &loops[r]) != 0) exit(EXIT_FAILURE);
    }
    for (int r = 0; r < ranks; ++r)
        if (pthread_join(threads[r], NULL) != 0) exit(EXIT_FAILURE);
    return ranks;
#else
    loops[0].c = c, loops[0].held = loops[0].ranks = ranks;
    for (int r = 0; r < ranks; ++r) make_rank(&loops[0], r, r % on_devices, cmk_halo_peer());
    repeat(&loops[0]);
    return 1;
#endif
}

/* whether the loops have ended without an error; says which have not */
static int are_done(const loop *loops, int count)
{
    int done = 1;
    for (int i = 0; i < count; ++i) {
        if (loops[i].error == cudaSuccess) continue;
        printf("# ranks from %d on: %s\n", loops[i].first, loops[i].why);
        done = 0;
    }
    return done;
}

static void check(const char *text, int may_refuse, int on_devices, case_ c)
{
    static loop loops[most_ranks];
    int wrong = 0, called = 1;
    CMK_CHECK(cudaSetDevice(0));
    fill(&c);
    run_one(&c);
    const int count = run_loops(&c, loops, on_devices), done = are_done(loops, count);
    if (done) wrong = differing(loops, count);
    for (int i = 0; i < count; ++i) called &= may_refuse || is_called(&loops[i]);
    tap_check((done && wrong == 0 && called) || (!done && may_refuse),
              "%s, %d x %d, until %g, %s: %s, %llu turns of %llu, launched %d times, %d ranks are not like one", text,
              c.parts[1], c.parts[2], (double)c.limit, c.is_nan ? "NaN on one rank" : "finite values",
              done ? "done" : "refused", got[0].turns, expected.turns, loops[0].calls, wrong);
    fflush(stdout);
    if (!done && !may_refuse) exit(EXIT_FAILURE); /* what has failed is not waited for */
}

/* What a loop on a GPU cannot hold is refused, or it is right: copies between devices, and the events by which NCCL
 * mixes graphs with other work. */
static void check_others(void)
{
    const case_ c = {{1, 2, 1}, 0, turns_most, 4.0f};
    if (devices < 2) return;
#if !defined(BY_NCCL)
    check("a loop over devices", CMK_HAS_LOOPS_, devices, c);
#elif defined(__CUDACC__)
    static ncclComm_t mixing[2];
    if (ncclCommInitAll(mixing, 2, NULL) != ncclSuccess) exit(EXIT_FAILURE);
    comms = mixing;
    check("a communicator that mixes graphs", CMK_HAS_LOOPS_, 1, c);
#else
    (void)c;
#endif
}

int main(void)
{
    static const int splits[][3] = {{1, 1, 1}, {1, 2, 1}, {1, 1, 2}, {1, 4, 1}, {1, 2, 2}};
    tap_need_device();
    CMK_CHECK(cudaGetDeviceCount(&devices));
    random_state = 5;
    for (int s = 0; s < (int)(sizeof splits / sizeof *splits); ++s) {
        case_ c = {{1, splits[s][1], splits[s][2]}, 0, turns_most, 4.0f};
#if defined(BY_NCCL)
        const int ranks = c.parts[1] * c.parts[2];
        if (ranks > devices) continue; /* a host thread of another rank would wait for its device */
        local_begin(ranks);
        comms = local_comms[ranks];
#endif
        check("a loop", 0, 1, c);
        c.limit = 1.0f;
        check("a longer loop", 0, 1, c);
        c.most = 3;
        check("as many turns as are allowed", 0, 1, c);
        c.most = turns_most, c.is_nan = 1;
        check("NaN ends a loop", 0, 1, c);
    }
    check_others();
    return tap_done();
}
