/* heat3d: heat in a block of stone, on one GPU or on many: each rank has some of its planes.
 *   usage: heat3d [SIDE [STEPS [OUT]]]     SIDE^3 points, from 8: 512, on the CPU 48; STEPS: 200; OUT: a picture of the
 *          slice through the middle. Ranks are the devices of this process, or, with MPI, the processes
 *   build: nvcc -O3 -arch=native -Iinclude -o heat3d examples/heat3d.cu
 *      or: nvcc ... -DUSE_MPI -lmpi, and with NCCL: -DUSE_MPI -DUSE_NCCL -lmpi -lnccl;    mpirun -n 2 ./heat3d
 *      or: gcc -O2 -Iinclude -x c examples/heat3d.cu -o heat3d -lm -lpthread;    CMK_HOST_DEVICES=3 ./heat3d */
#include <cmk/cmk.h>
#include <cmk/halo.h>
#if defined(USE_MPI)
#include <cmk/halo/mpi.h>
#endif
#if defined(USE_NCCL)
#include <cmk/halo/nccl.h>
#endif

/* T_t = k (T_xx + T_yy + T_zz) in steps of time and space of 1; the first plane is held at 1, the last at 0, where the
 * block is, however its planes are shared out; all other sides are insulated. */
#define HEAT(USES) USES(NEXT, float, t, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(VALUE, float, k)
#define T(dz, dy, dx) CMK_POINT_AT(t, dz, dy, dx)

CMK_POINT_3D(heat, HEAT)
{
    const float around = ((T(-1, 0, 0) + T(1, 0, 0)) + (T(0, -1, 0) + T(0, 1, 0))) + (T(0, 0, -1) + T(0, 0, 1));
    float next = T(0, 0, 0) + k * (around - 6.0f * T(0, 0, 0));
    if (!CMK_POINT_INSIDE && CMK_POINT_PLANE == 0) next = 1.0f;
    if (!CMK_POINT_INSIDE && CMK_POINT_PLANE == CMK_POINT_PLANES - 1) next = 0.0f;
    CMK_POINT_SET(t, next);
}
CMK_DEFINE_STENCIL3D(heat, HEAT);
CMK_DEFINE_BORDERED(heat, HEAT);

enum { most = 64 }; /* ranks of a process */
static const float k = 0.125f;
static const int ghosts[3] = {1, 1, 1};

/* the ranks of this process: all, or with MPI one */
typedef struct {
    int count, first, all, side;
    cudaStream_t stream[most], messages[most];
    cmk_grid split[most];
    heat_grid grid[most];
    cmk_point_border border[most];
    cmk_halo halo[most];
} ranks_here;

/* A step of all: its border is computed first, and travels while the rest is. */
static void step(ranks_here *r, cmk_i64 level)
{
    for (int i = 0; i < r->count; ++i) {
        CMK_CHECK(cudaSetDevice(r->halo[i].device));
        CMK_CHECK(cmk_halo_follow(&r->halo[i], r->stream[i]));
        CMK_CHECK(heat_bordered(&r->grid[i], &r->border[i], k, r->stream[i]));
        CMK_CHECK(cmk_stream_wait_value(r->messages[i], r->border[i].arrived, r->border[i].count));
    }
    CMK_CHECK(cmk_halo_begin_all(r->halo, r->count, level, r->messages));
    CMK_CHECK(cmk_halo_end_all(r->halo, r->count, r->stream));
}

/* ---- the program */

#define STOP(...) (fprintf(stderr, "heat3d: " __VA_ARGS__), exit(EXIT_FAILURE))

/* warm and cold grains of the block: what it begins with, the same for every split */
#define GRAINS(USES) USES(SAME, float, t)
CMK_POINT_3D(grains, GRAINS)
{
    const int grain = (CMK_POINT_PLANE / 6 * 31 + CMK_POINT_ROW / 6) * 37 + CMK_POINT_COLUMN / 6;
    CMK_POINT_SET(t, (float)((unsigned)grain * 2654435761u >> 24) / 256.0f);
}
CMK_DEFINE_STENCIL3D(grains, GRAINS);

/* counts the points of two grids that differ */
#define UNLIKE(USES) USES(SAME, float, a) USES(IN, float, b) USES(VALUE, unsigned *, wrong)
CMK_POINT_3D(unlike, UNLIKE)
{
    if (CMK_POINT_HERE(a) != CMK_POINT_HERE(b)) atomicAdd(wrong, 1u);
}
CMK_DEFINE_STENCIL3D(unlike, UNLIKE);

static int read_number(const char *text, int largest) /* 0 if it is none from 1 to largest */
{
    const long number = strlen(text) < 10 ? strtol(text, NULL, 10) : 0;
    return text[strspn(text, "0123456789")] == '\0' && number <= largest ? (int)number : 0;
}

/* the planes of a rank, and its grid */
static heat_grid block_of(cmk_grid *split, int rank, int ranks, int side)
{
    const cmk_i64 global[3] = {side, side, side};
    const int parts[3] = {ranks, 1, 1};
    if (!cmk_grid_split(split, rank, ranks, global, parts, NULL)) STOP("%s\n", split->why);
    heat_grid g = heat_of_rank(split, ghosts);
    grains_grid start = grains_of_rank(split, ghosts);
    CMK_CHECK(cudaMalloc((void **)&g.t, g.planes * g.plane_pitch * sizeof(float)));
    CMK_CHECK(cudaMalloc((void **)&g.t_next, g.planes * g.plane_pitch * sizeof(float)));
    start.t = g.t;
    CMK_CHECK(grains(&start, 0));
    CMK_CHECK(cudaDeviceSynchronize());
    return g;
}

static cmk_halo_transport transport_of(const ranks_here *r)
{
    (void)r;
#if defined(USE_NCCL)
    static ncclComm_t comm;
    ncclUniqueId id;
    if (r->first == 0 && ncclGetUniqueId(&id) != ncclSuccess) STOP("NCCL gives no id\n");
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (ncclCommInitRank(&comm, r->all, id, r->first) != ncclSuccess) STOP("NCCL makes no communicator\n");
    return cmk_halo_nccl(comm);
#elif defined(USE_MPI)
    return cmk_halo_mpi(MPI_COMM_WORLD, CMK_HALO_ASK);
#else
    return cmk_halo_peer();
#endif
}

static void make_ranks(ranks_here *r, int devices)
{
    for (int i = 0; i < r->count; ++i) {
        unsigned *word;
        CMK_CHECK(cudaSetDevice((r->first + i) % devices));
        const heat_grid g = r->grid[i] = block_of(&r->split[i], r->first + i, r->all, r->side);
        const size_t owned = g.first_plane * g.plane_pitch;
        const cmk_field t = {g.t + owned, g.t_next + owned, sizeof(float), (cmk_i64)g.row_pitch, (cmk_i64)g.plane_pitch,
                             {1, 1, 1}};
        CMK_CHECK(cudaMalloc((void **)&word, sizeof *word));
        CMK_CHECK(cudaMemset(word, 0, sizeof *word));
        CMK_CHECK(cudaStreamCreate(&r->stream[i]));
        r->border[i] = cmk_point_border_of(&r->split[i], ghosts, word);
        if (cmk_halo_create(&r->halo[i], &r->split[i], transport_of(r), CMK_HALO_STAR, &t, 1) != cudaSuccess)
            STOP("%s\n", r->halo[i].why);
        r->messages[i] = r->halo[i].stream;
    }
    if (cmk_halo_connect_all(r->halo, r->count) != cudaSuccess) STOP("%s\n", r->halo[0].why);
}

/* the points of a rank that are not those of the block in one piece, which its device computes alone */
static unsigned wrong_points(const ranks_here *r, int i, int steps)
{
    cmk_grid split;
    unsigned *wrong, count;
    CMK_CHECK(cudaSetDevice(r->halo[i].device));
    heat_grid one = block_of(&split, 0, 1, r->side);
    unlike_grid pair = unlike_of_rank(&r->split[i], ghosts);
    for (int n = 0; n < steps; ++n) CMK_CHECK(heat(&one, k, 0));
    CMK_CHECK(cudaMalloc((void **)&wrong, sizeof *wrong));
    CMK_CHECK(cudaMemset(wrong, 0, sizeof *wrong));
    pair.a = r->grid[i].t, pair.b = one.t + pair.origin_plane * (cmk_i64)pair.plane_pitch;
    CMK_CHECK(unlike(&pair, wrong, 0));
    CMK_CHECK(cudaMemcpy(&count, wrong, sizeof count, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaFree(one.t));
    CMK_CHECK(cudaFree(one.t_next));
    CMK_CHECK(cudaFree(wrong));
    return count;
}

/* the middle row of each plane, of all ranks */
static float *slice_of(const ranks_here *r)
{
    const size_t width = (size_t)r->side * sizeof(float);
    float *const slice = (float *)calloc((size_t)r->side, width);
    if (slice == NULL) STOP("no memory for a picture\n");
    for (int i = 0; i < r->count; ++i) {
        const heat_grid *const g = &r->grid[i];
        CMK_CHECK(cudaMemcpy2D(slice + r->split[i].first[0] * r->side, width,
                               g->t + g->first_plane * g->plane_pitch + g->rows / 2 * g->row_pitch,
                               g->plane_pitch * sizeof *slice, width, (size_t)r->split[i].count[0],
                               cudaMemcpyDeviceToHost));
    }
#if defined(USE_MPI)
    MPI_Allreduce(MPI_IN_PLACE, slice, r->side * r->side, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); /* zeros elsewhere */
#endif
    return slice;
}

static void save(const char *name, const float *slice, int side)
{
    FILE *const file = fopen(name, "wb");
    if (file == NULL) STOP("%s: cannot be written\n", name);
    fprintf(file, "P5\n%d %d\n255\n", side, side);
    for (int p = 0; p < side * side; ++p) fputc((int)(255.0f * slice[p]), file);
    if (fclose(file) != 0) STOP("%s: cannot be written to the end\n", name);
}

int main(int argc, char **argv)
{
    static ranks_here r;
    cudaDeviceProp gpu;
    int devices = 0;
    unsigned wrong = 0;
    CMK_CHECK(cudaGetDeviceCount(&devices));
    CMK_CHECK(cudaGetDeviceProperties(&gpu, 0));
    r.count = r.all = devices < most ? devices : most;
#if defined(USE_MPI)
    r.count = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r.first);
    MPI_Comm_size(MPI_COMM_WORLD, &r.all);
#endif
    r.side = argc > 1 ? read_number(argv[1], 2048) : strcmp(gpu.name, "cmk CPU backend") == 0 ? 48 : 512;
    const int steps = argc > 2 ? read_number(argv[2], 1000000) : 200;
    if (argc > 4 || r.side < 8 || steps == 0) STOP("usage: heat3d [SIDE [STEPS [OUT]]], from 8 to 2048, to 1000000\n");
    make_ranks(&r, devices);
    for (int n = 0; n < steps; ++n) {
        step(&r, n + 1);
        if ((n + 1) * 10 / steps == n * 10 / steps) continue;
        for (int i = 0; i < r.count; ++i)
            if (cmk_halo_wait(&r.halo[i], r.stream[i]) != cudaSuccess) STOP("%s\n", r.halo[i].why);
        if (r.first == 0) printf("step %5d of %d, %d ranks\n", n + 1, steps, r.all);
    }
    for (int i = 0; i < r.count; ++i) wrong += wrong_points(&r, i, steps);
    const float *const slice = slice_of(&r);
    if (argc > 3 && r.first == 0) save(argv[3], slice, r.side);
    for (int i = 0; i < r.count; ++i) CMK_CHECK(cmk_halo_destroy(&r.halo[i]));
#if defined(USE_MPI)
    MPI_Finalize();
#endif
    printf("ranks %d to %d of %d: %u points differ from one rank\n", r.first, r.first + r.count - 1, r.all, wrong);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
