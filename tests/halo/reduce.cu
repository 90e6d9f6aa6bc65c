/* Reductions over ranks: each rank has the results of the whole grid, with the bits that one rank has, and so in a
 * graph. By copies, by NCCL (-DBY_NCCL), or by MPI (-DBY_MPI), where a process has one rank, and no graph. */
#if defined(BY_MPI)
#include <cmk/halo/mpi.h>
#else
#include "local.h"
#endif
#include <math.h>
#include <cmk/halo/reduce.h>
#include <cmk/kernel/stencil2d.h>
#include <cmk/kernel/stencil3d.h>
#include <cmk/check.h>
#include "random.h"
#include "tap.h"

/* what the last step read is said, so that a value that is not finite is said by one point alone */
#define LIST(USES)                                                                                                     \
    USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)                                                            \
    USES(SUM, double, total) USES(MAX, float, most) USES(MIN, double, least) USES(SUM, float, pair)
#define SAY                                                                                                            \
    CMK_POINT_ADD(total, (double)CMK_POINT_HERE(u) / 3);                                                               \
    CMK_POINT_MOST(most, CMK_POINT_HERE(u));                                                                           \
    CMK_POINT_LEAST(least, CMK_POINT_HERE(u));                                                                         \
    if (CMK_POINT_COLUMN % 3 > 0) CMK_POINT_ADD(pair, CMK_POINT_HERE(u));
CMK_POINT_2D(flat, LIST)
{
    CMK_POINT_SET(u, 0.5f * CMK_POINT_HERE(u) + 0.25f * (CMK_POINT_AT(u, 1, 0) - CMK_POINT_AT(u, 0, -1)));
    SAY
}
CMK_DEFINE_STENCIL2D(flat, LIST);
CMK_POINT_3D(cube, LIST)
{
    CMK_POINT_SET(u, 0.5f * CMK_POINT_HERE(u) + 0.25f * (CMK_POINT_AT(u, 1, 0, 0) - CMK_POINT_AT(u, 0, 0, -1)));
    SAY
}
CMK_DEFINE_STENCIL3D(cube, LIST);

enum { most_ranks = 4, results = 4, rounds = 2, launches = 3 };
enum { FINITE, ONE_NAN, ONE_HIGH, ONE_LOW, BOTH, VALUES };
typedef struct {
    cmk_i64 global[3];
    int parts[3], steps, values;
} case_;

static double *words[most_ranks + 1][results]; /* the last are those of the grid in one piece */
static float *fields[most_ranks + 1][2], *whole;
static cmk_halo halos[most_ranks];
static cudaStream_t streams[most_ranks];
static int held, first, devices, all_ranks; /* the ranks of this process, the first of them, and all */

static cmk_halo_transport transport_of(int rank, int ranks)
{
#if defined(BY_MPI)
    (void)rank, (void)ranks;
    return cmk_halo_mpi(MPI_COMM_WORLD, CMK_HALO_ASK);
#else
    return local_transport(rank, ranks);
#endif
}

static void draw_values(const case_ *c)
{
    const size_t count = (size_t)(c->global[0] * c->global[1] * c->global[2]);
    for (size_t k = 0; k < count; ++k) whole[k] = (float)ldexp((double)below(4096) - 1700, (int)below(30) - 20);
    if (c->values == ONE_NAN) whole[count - 1] = (float)NAN;
    if (c->values == ONE_HIGH || c->values == BOTH) whole[count - 1] = (float)INFINITY;
    if (c->values == ONE_LOW || c->values == BOTH) whole[1] = -(float)INFINITY;
}

/* the points of a rank, or all, to its first buffer */
static void take(const case_ *c, const cmk_grid *split, const size_t at[3], size_t row_pitch, size_t plane_pitch, int k)
{
    for (cmk_i64 z = 0; z < split->count[0]; ++z) {
        const float *const from =
            &whole[((split->first[0] + z) * c->global[1] + split->first[1]) * c->global[2] + split->first[2]];
        CMK_CHECK(cudaMemcpy2D(fields[k][0] + (at[0] + (size_t)z) * plane_pitch + at[1] * row_pitch + at[2],
                               row_pitch * sizeof(float), from, (size_t)c->global[2] * sizeof(float),
                               (size_t)split->count[2] * sizeof(float), (size_t)split->count[1],
                               cudaMemcpyHostToDevice));
    }
}

static int differ(int k)
{
    int found = 0;
    for (int i = 0; i < results; ++i) {
        double right = 0.0, got = 1.0;
        CMK_CHECK(cudaMemcpy(&right, words[most_ranks][i], sizeof right, cudaMemcpyDeviceToHost));
        CMK_CHECK(cudaMemcpy(&got, words[k][i], sizeof got, cudaMemcpyDeviceToHost));
        found += memcmp(&right, &got, sizeof right) != 0;
    }
    return found;
}

#define POINT_TO(grid, k)                                                                                              \
    (grid).u = fields[k][0], (grid).u_next = fields[k][1], (grid).total = words[k][0],                                 \
    (grid).most = (float *)(void *)words[k][1], (grid).least = words[k][2],                                            \
    (grid).pair = (float *)(void *)words[k][3];
#define RUN(name)                                                                                                      \
    static name##_grid grids_##name[most_ranks + 1];                                                                   \
    /* the grids, with their values, and the halos of the ranks */                                                     \
    static int make_##name(const case_ *c, cmk_result *all)                                                            \
    {                                                                                                                  \
        cmk_field exchanged[CMK_HALO_FIELDS];                                                                          \
        const int ranks = c->parts[0] * c->parts[1] * c->parts[2], one[3] = {1, 1, 1};                                 \
        const int ghosts[3] = {c->global[0] > 1 ? c->steps : 0, c->steps, c->steps};                                   \
        int wrong = 0;                                                                                                 \
        draw_values(c);                                                                                                \
        for (int k = 0; k <= held; ++k) {                                                                              \
            const int is_one = k == held, place = is_one ? most_ranks : k;                                             \
            cmk_grid split;                                                                                            \
            CMK_CHECK(cudaSetDevice(is_one ? 0 : (first + k) % devices));                                              \
            wrong += !cmk_grid_split(&split, is_one ? 0 : first + k, is_one ? 1 : ranks, c->global,                    \
                                     is_one ? one : c->parts, NULL);                                                   \
            name##_grid *const g = &grids_##name[place];                                                               \
            *g = name##_of_rank(&split, ghosts);                                                                       \
            POINT_TO(*g, place)                                                                                        \
            g->deep_ghosts = 1, g->more_parts = !is_one;                                                               \
            const size_t at[3] = {g->first_plane, g->first_row, g->first_column};                                      \
            take(c, &split, at, g->row_pitch, g->plane_pitch, place);                                                  \
            if (is_one) continue;                                                                                      \
            const int count = name##_fields(g, exchanged);                                                             \
            CMK_CHECK(                                                                                                 \
                cmk_halo_create(&halos[k], &split, transport_of(first + k, ranks), CMK_HALO_BOX, exchanged, count));   \
            wrong += name##_results(g, &all[k * results]) != results;                                                  \
        }                                                                                                              \
        CMK_CHECK(cmk_halo_connect_all(halos, held));                                                                  \
        return wrong;                                                                                                  \
    }                                                                                                                  \
    static cudaError_t exchange_##name(void)                                                                           \
    {                                                                                                                  \
        const cudaError_t error = cmk_halo_begin_all(halos, held, grids_##name[0].u != fields[0][0], streams);         \
        return error == cudaSuccess ? cmk_halo_end_all(halos, held, streams) : error;                                  \
    }                                                                                                                  \
    static cudaError_t steps_##name(const case_ *c, const cmk_result *all)                                             \
    {                                                                                                                  \
        cudaError_t error = cudaSuccess;                                                                               \
        for (int k = 0; k < held && error == cudaSuccess; ++k) {                                                       \
            CMK_CHECK(cudaSetDevice(halos[k].device));                                                                 \
            error = name##_steps(&grids_##name[k], (size_t)c->steps, streams[k]);                                      \
        }                                                                                                              \
        return error == cudaSuccess ? cmk_halo_reduce_all(halos, held, all, results, streams) : error;                 \
    }                                                                                                                  \
    static int differ_##name(const case_ *c)                                                                           \
    {                                                                                                                  \
        int wrong = 0;                                                                                                 \
        for (int k = 0; k < held; ++k) CMK_CHECK(cmk_halo_wait(&halos[k], streams[k]));                                \
        CMK_CHECK(cudaSetDevice(0));                                                                                   \
        CMK_CHECK(name##_steps(&grids_##name[most_ranks], (size_t)c->steps, 0));                                       \
        CMK_CHECK(cudaDeviceSynchronize());                                                                            \
        for (int k = 0; k < held; ++k) wrong += differ(k);                                                             \
        return wrong;                                                                                                  \
    }                                                                                                                  \
    static int run_##name(const case_ *c)                                                                              \
    {                                                                                                                  \
        cmk_result all[most_ranks * CMK_HALO_RESULTS];                                                                 \
        int wrong = make_##name(c, all);                                                                               \
        for (int round = 0; round < rounds; ++round) {                                                                 \
            if (round > 0) CMK_CHECK(exchange_##name());                                                               \
            CMK_CHECK(steps_##name(c, all));                                                                           \
            wrong += differ_##name(c);                                                                                 \
        }                                                                                                              \
        CMK_CHECK(cmk_halo_destroy_all(halos, held));                                                                  \
        return wrong;                                                                                                  \
    }
RUN(flat)
RUN(cube)

#if !defined(BY_MPI)
#define CAPTURED(name)                                                                                                 \
    /* two rounds are captured, behind which all buffers are where they were */                                        \
    static int captured_##name(const case_ *c)                                                                         \
    {                                                                                                                  \
        cmk_result all[most_ranks * CMK_HALO_RESULTS];                                                                 \
        cudaGraphExec_t ready[most_ranks];                                                                             \
        cudaError_t error = cudaSuccess;                                                                               \
        int wrong = make_##name(c, all);                                                                               \
        local_capture(halos, held, streams);                                                                           \
        for (int round = 0; round < rounds && error == cudaSuccess; ++round) {                                         \
            error = exchange_##name();                                                                                 \
            if (error == cudaSuccess) error = steps_##name(c, all);                                                    \
        }                                                                                                              \
        const cudaError_t end = local_captured(halos, held, streams, ready);                                           \
        wrong += error != cudaSuccess || end != cudaSuccess;                                                           \
        if (wrong) printf("# captured: %s; %s\n", halos[0].why, cudaGetErrorName(end));                                \
        for (int launch = 0; launch < launches && wrong == 0; ++launch) {                                              \
            local_launch(halos, held, streams, ready);                                                                 \
            for (int k = 0; k < held; ++k) CMK_CHECK(cmk_halo_wait(&halos[k], streams[LOCAL_GRAPHS ? k : 0]));         \
            CMK_CHECK(cudaSetDevice(0));                                                                               \
            CMK_CHECK(name##_steps(&grids_##name[most_ranks], (size_t)c->steps, 0));                                   \
            wrong += differ_##name(c);                                                                                 \
        }                                                                                                              \
        local_drop(held, ready);                                                                                       \
        CMK_CHECK(cmk_halo_destroy_all(halos, held));                                                                  \
        return wrong;                                                                                                  \
    }
CAPTURED(flat)
CAPTURED(cube)
#endif

/* Words of so many points that 64 bits do not hold the sum of a bin: of each rank 8 copies with half of the most that
 * one holds. */
static int run_many(const case_ *c)
{
    const int ranks = c->parts[0] * c->parts[1] * c->parts[2], bin = 34, count = 8;
    static cmk_point_result_ memory;
    cmk_result all[most_ranks];
    int wrong = 0;
    memset(&memory, 0, sizeof memory);
    memory.copies[3].doubles[0] = (unsigned long long)(bin - cmk_point_bins_kept_);
    for (int k = 0; k < count; ++k) memory.copies[16 * k].doubles[bin] = 1ull << 62;
    for (int k = 0; k < held; ++k) {
        const int reach[3] = {0, 1, 0};
        cmk_grid split;
        CMK_CHECK(cudaSetDevice((first + k) % devices));
        wrong += !cmk_grid_split(&split, first + k, ranks, c->global, c->parts, NULL);
        flat_grid g = flat_of_rank(&split, reach);
        cmk_result its[CMK_HALO_RESULTS];
        cmk_field exchanged[CMK_HALO_FIELDS];
        POINT_TO(g, k)
        CMK_CHECK(cmk_halo_create(&halos[k], &split, transport_of(first + k, ranks), CMK_HALO_STAR, exchanged,
                                  flat_fields(&g, exchanged)));
        wrong += flat_results(&g, its) != results;
        all[k] = its[0];
        CMK_CHECK(cudaMemcpy(words[k][0], &memory, sizeof memory, cudaMemcpyHostToDevice));
    }
    CMK_CHECK(cmk_halo_connect_all(halos, held));
    CMK_CHECK(cmk_halo_reduce_all(halos, held, all, 1, streams));
    for (int k = 0; k < held; ++k) {
        double got = 0.0;
        CMK_CHECK(cmk_halo_wait(&halos[k], streams[k]));
        CMK_CHECK(cudaMemcpy(&got, words[k][0], sizeof got, cudaMemcpyDeviceToHost));
        wrong += got != ldexp((double)(count * ranks), 62 + 32 * bin - 1074);
    }
    CMK_CHECK(cmk_halo_destroy_all(halos, held));
    return wrong;
}

static void judge(const char *text, int (*run)(const case_ *), case_ c)
{
    static const char *const values[VALUES] = {"finite values", "NaN on one rank", "infinity on one rank",
                                               "minus infinity on one rank", "infinities of both signs on two ranks"};
    const int ranks = c.parts[0] * c.parts[1] * c.parts[2];
#if defined(BY_MPI)
    int mine = 0, wrong = 0;
    if (ranks != all_ranks) return;
    mine = run(&c);
    MPI_Allreduce(&mine, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (first > 0) return;
#else
    if (ranks > all_ranks) return;
    held = ranks;
    local_begin(ranks);
    const int wrong = run(&c);
#endif
    tap_check(wrong == 0, "%s, %d x %d x %d, %d steps, %s: %d results are not those of one rank", text, c.parts[0],
              c.parts[1], c.parts[2], c.steps, values[c.values], wrong);
}

static void test(void)
{
    static const int splits[][3] = {{2, 1, 1}, {1, 1, 1}, {1, 2, 1}, {1, 4, 1}, {1, 2, 2},
                                    {1, 1, 4}, {4, 1, 1}, {2, 1, 2}, {2, 2, 1}};
    random_state = 3;
    for (int s = 0; s < (int)(sizeof splits / sizeof *splits); ++s) {
        for (int values = FINITE; values < (s % 2 ? 1 : VALUES); ++values) {
            case_ c = {{1, 37, 61}, {splits[s][0], splits[s][1], splits[s][2]}, values == FINITE ? 3 : 1, values};
            if (c.parts[0] == 1) judge("2D", run_flat, c);
#if !defined(BY_MPI)
            if (c.parts[0] == 1 && values <= ONE_NAN) judge("2D, captured", captured_flat, c);
#endif
            c.global[0] = 19, c.global[1] = 17, c.global[2] = 23;
            judge("3D", run_cube, c);
#if !defined(BY_MPI)
            if (values == FINITE && c.parts[0] == 2 && c.parts[1] == 1) judge("3D, captured", captured_cube, c);
#endif
        }
    }
    const case_ wide = {{1, 300, 300}, {1, 2, 2}, 8, FINITE}, many = {{1, 8, 8}, {1, 4, 1}, 1, FINITE};
    judge("2D, passes", run_flat, wide);
    judge("words of very many points", run_many, many);
}

int main(int argc, char **argv)
{
    enum { points = 400 * 400 };
#if defined(BY_MPI)
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &first);
    MPI_Comm_size(MPI_COMM_WORLD, &all_ranks);
    held = 1;
#else
    (void)argc, (void)argv;
    tap_need_device();
    held = all_ranks = local_most() < most_ranks ? local_most() : most_ranks;
#endif
    CMK_CHECK(cudaGetDeviceCount(&devices));
    whole = (float *)malloc(points * sizeof *whole);
    for (int k = 0; k <= most_ranks; ++k) {
        CMK_CHECK(cudaSetDevice(k == most_ranks ? 0 : (first + k) % devices));
        for (int b = 0; b < 2; ++b) CMK_CHECK(cudaMalloc((void **)&fields[k][b], points * sizeof(float)));
        for (int i = 0; i < results; ++i) CMK_CHECK(cudaMalloc((void **)&words[k][i], CMK_POINT_RESULT_BYTES));
        for (int i = 0; i < results; ++i) CMK_CHECK(cudaMemset(words[k][i], 0, CMK_POINT_RESULT_BYTES));
        if (k < most_ranks) CMK_CHECK(cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking));
    }
    test();
#if defined(BY_MPI)
    MPI_Finalize();
    return first == 0 ? tap_done() : 0;
#else
    return tap_done();
#endif
}
