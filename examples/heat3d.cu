/* heat3d: heat in a block of stone, on one GPU or on many: each rank has some of its planes.
 *   usage: heat3d [SIDE [STEPS [OUT]]]     SIDE^3 points, from 8: 512, on the CPU 48; STEPS: 200; OUT: a picture of the
 *          slice through the middle. Ranks are the devices of this process, or, with MPI, the processes
 *   build: nvcc -O3 -arch=native -Iinclude -o heat3d examples/heat3d.cu
 *      or: gcc -O2 -Iinclude -x c examples/heat3d.cu -o heat3d -lm -lpthread
 *   MPI: -DUSE_MPI -lmpi, with NCCL -DUSE_NCCL -lnccl too, mpirun -n 2 heat3d; on the CPU CMK_HOST_DEVICES=3 heat3d */
#define CMK_STEPS_MOST 1 /* no passes of several steps, which take long to compile */
#include <cmk/cmk.h>
#include <cmk/halo.h>
#if defined(USE_MPI)
#include <cmk/halo/mpi.h>
#endif
#if defined(USE_NCCL)
#include <cmk/halo/nccl.h>
#endif

/* T_t = 1/8 (T_xx + T_yy + T_zz) in steps of time and space of 1; the first plane is held at 1, the last at 0, where
 * the block is, however its planes are shared out; all other sides are insulated. */
#define HEAT(USES) USES(NEXT, float, t, CMK_POINT_STAR(1), CMK_EDGE_CLAMP)
#define T(dz, dy, dx) CMK_POINT_AT(t, dz, dy, dx)
CMK_POINT_3D(heat, HEAT)
{
    const float around = ((T(-1, 0, 0) + T(1, 0, 0)) + (T(0, -1, 0) + T(0, 1, 0))) + (T(0, 0, -1) + T(0, 0, 1));
    float next = T(0, 0, 0) + 0.125f * (around - 6.0f * T(0, 0, 0));
    if (!CMK_POINT_INSIDE && CMK_POINT_PLANE == 0) next = 1.0f;
    if (!CMK_POINT_INSIDE && CMK_POINT_PLANE == CMK_POINT_PLANES - 1) next = 0.0f;
    CMK_POINT_SET(t, next);
}
CMK_DEFINE_STENCIL3D(heat, HEAT);
CMK_DEFINE_BORDERED(heat, HEAT);

enum { most = 64 }; /* ranks of a process */
static const int ghosts[3] = {1, 1, 1};

/* the ranks of this process: all, or with MPI one */
typedef struct {
    int count, first, all, side;
    cudaStream_t stream[most];
    cmk_grid split[most];
    heat_grid grid[most];
    cmk_point_border border[most];
    cmk_halo halo[most];
} ranks_here;

/* A step of all: its border is computed first, and travels while the rest is. */
static void step(ranks_here *r, cmk_i64 level)
{
    cudaStream_t messages[most];
    for (int i = 0; i < r->count; ++i) {
        CMK_CHECK(cudaSetDevice(r->halo[i].device));
        CMK_CHECK(cmk_halo_follow(&r->halo[i], r->stream[i]));
        CMK_CHECK(heat_bordered(&r->grid[i], &r->border[i], r->stream[i]));
        messages[i] = r->halo[i].stream;
        CMK_CHECK(cmk_stream_wait_value(messages[i], r->border[i].arrived, r->border[i].count));
    }
    CMK_CHECK(cmk_halo_begin_all(r->halo, r->count, level, messages));
    CMK_CHECK(cmk_halo_end_all(r->halo, r->count, r->stream));
}

#define STOP(...) (fprintf(stderr, "heat3d: " __VA_ARGS__), exit(EXIT_FAILURE))
static int read_number(const char *text) /* 0 if it is none */
{
    return text[strspn(text, "0123456789")] == '\0' && strlen(text) < 8 ? atoi(text) : 0;
}

/* warm and cold grains of the block: what it begins with, the same for every split */
#define GRAINS(USES) USES(SAME, float, t)
CMK_POINT_3D(grains, GRAINS)
{
    const int grain = (CMK_POINT_PLANE / 6 * 31 + CMK_POINT_ROW / 6) * 37 + CMK_POINT_COLUMN / 6;
    CMK_POINT_SET(t, (float)((unsigned)grain * 2654435761u >> 24) / 256.0f);
}
CMK_DEFINE_STENCIL3D(grains, GRAINS);

/* the planes of a rank, with what it begins with */
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
    if (r->first == 0) ncclGetUniqueId(&id);
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
        CMK_CHECK(cudaSetDevice((r->first + i) % devices));
        cmk_field fields[CMK_HALO_FIELDS];
        r->grid[i] = block_of(&r->split[i], r->first + i, r->all, r->side);
        const int count = heat_fields(&r->grid[i], fields);
        r->border[i] = cmk_point_border_of(&r->split[i], ghosts, NULL);
        CMK_CHECK(cudaMalloc((void **)&r->border[i].arrived, sizeof(unsigned)));
        CMK_CHECK(cudaMemset(r->border[i].arrived, 0, sizeof(unsigned)));
        CMK_CHECK(cudaStreamCreate(&r->stream[i]));
        if (cmk_halo_create(&r->halo[i], &r->split[i], transport_of(r), CMK_HALO_STAR, fields, count) != cudaSuccess)
            STOP("%s\n", r->halo[i].why);
    }
    if (cmk_halo_connect_all(r->halo, r->count) != cudaSuccess) STOP("%s\n", r->halo[0].why);
}

/* the points of a rank that are not those of the block in one piece, which its device computes alone */
static int wrong_points(const ranks_here *r, int i, int steps)
{
    cmk_grid split;
    int wrong = 0;
    CMK_CHECK(cudaSetDevice(r->halo[i].device));
    heat_grid one = block_of(&split, 0, 1, r->side);
    const size_t pitch = one.row_pitch, count = (size_t)r->split[i].count[0] * one.plane_pitch,
                 bytes = count * sizeof(float);
    float *const here = (float *)malloc(2 * bytes), *const right = here + count;
    if (here == NULL) STOP("no memory to check\n");
    for (int n = 0; n < steps; ++n) CMK_CHECK(heat(&one, 0));
    const float *const from = one.t + (size_t)r->split[i].first[0] * one.plane_pitch;
    CMK_CHECK(cudaMemcpy(right, from, bytes, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaMemcpy(here, r->grid[i].t + r->grid[i].first_plane * one.plane_pitch, bytes, cudaMemcpyDeviceToHost));
    for (size_t p = 0; p < count; ++p) wrong += p % pitch < one.columns && here[p] != right[p];
    return wrong;
}

/* the middle row of each plane, of all ranks: rank 0 writes it */
static void save_slice(const ranks_here *r, const char *name)
{
    const size_t width = (size_t)r->side * sizeof(float);
    float *const slice = (float *)calloc((size_t)r->side, width);
    for (int i = 0; i < r->count && slice != NULL; ++i) {
        const heat_grid *const g = &r->grid[i];
        const float *const from = g->t + g->first_plane * g->plane_pitch + g->rows / 2 * g->row_pitch;
        CMK_CHECK(cudaMemcpy2D(slice + r->split[i].first[0] * r->side, width, from, g->plane_pitch * sizeof *from,
                               width, (size_t)r->split[i].count[0], cudaMemcpyDeviceToHost));
    }
#if defined(USE_MPI)
    MPI_Allreduce(MPI_IN_PLACE, slice, r->side * r->side, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); /* zeros elsewhere */
#endif
    FILE *const file = name != NULL && r->first == 0 ? fopen(name, "wb") : NULL;
    if (slice == NULL || (name != NULL && r->first == 0 && file == NULL)) STOP("%s: cannot be written\n", name);
    if (file != NULL) fprintf(file, "P5\n%d %d\n255\n", r->side, r->side);
    for (int p = 0; p < r->side * r->side && file != NULL; ++p) fputc((int)(255.0f * slice[p]), file);
    if (file != NULL && fclose(file) != 0) STOP("%s: cannot be written to the end\n", name);
}

int main(int argc, char **argv)
{
    static ranks_here r;
    cudaDeviceProp gpu;
    int devices = 0, wrong = 0;
    CMK_CHECK(cudaGetDeviceCount(&devices));
    CMK_CHECK(cudaGetDeviceProperties(&gpu, 0));
    r.count = r.all = devices < most ? devices : most;
#if defined(USE_MPI)
    r.count = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r.first);
    MPI_Comm_size(MPI_COMM_WORLD, &r.all);
#endif
    r.side = argc > 1 ? read_number(argv[1]) : strcmp(gpu.name, "cmk CPU backend") == 0 ? 48 : 512;
    const int steps = argc > 2 ? read_number(argv[2]) : 200;
    if (argc > 4 || r.side < 8 || r.side > 2048 || steps < 1)
        STOP("usage: heat3d [SIDE [STEPS [OUT]]], from 8 to 2048, from 1\n");
    make_ranks(&r, devices);
    for (int n = 0; n < steps; ++n) {
        step(&r, n + 1);
        if ((n + 1) * 10 / steps == n * 10 / steps) continue;
        for (int i = 0; i < r.count; ++i)
            if (cmk_halo_wait(&r.halo[i], r.stream[i]) != cudaSuccess) STOP("%s\n", r.halo[i].why);
        if (r.first == 0) printf("step %5d of %d, %d ranks\n", n + 1, steps, r.all);
    }
    for (int i = 0; i < r.count; ++i) wrong += wrong_points(&r, i, steps);
    save_slice(&r, argc > 3 ? argv[3] : NULL);
    for (int i = 0; i < r.count; ++i) CMK_CHECK(cmk_halo_destroy(&r.halo[i]));
#if defined(USE_MPI)
    MPI_Finalize();
#endif
    printf("ranks %d to %d of %d: %d points differ from one rank\n", r.first, r.first + r.count - 1, r.all, wrong);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
