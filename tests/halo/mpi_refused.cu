/* What MPI ranks say of an exchange that cannot be: mpirun -n 4 ./mpi_refused CASE. Every rank writes its sentence;
 * none hangs. */
#include <cmk/check.h>
#include <cmk/halo/mpi.h>
#include <cmk/halo/reduce.h>

static int rank;

static void say(cmk_halo *halo, const char *call, cudaError_t error)
{
    printf("%s: %s\n", call, error == cudaSuccess ? "no error" : halo->why);
    fflush(stdout);
}

/* ranks wait for no others any more, and what is under way is given up */
static void stop(void)
{
    const double begun = MPI_Wtime();
    while (MPI_Wtime() - begun < 3.0) continue;
    MPI_Abort(MPI_COMM_WORLD, 0);
}

int main(int count, char **words)
{
    cmk_i64 global[3] = {16, 8, 8};
    int where = CMK_HALO_ASK;
    const int parts[3] = {0, 1, 1}, periodic[3] = {1, 0, 0};
    const char *const which = count > 1 ? words[1] : "";
    cmk_field field = {NULL, NULL, 4, 8, 64, {1, 0, 0}, 0, NULL, {{0, 0, 0}, {0, 0, 0}}};
    cmk_grid grid;
    cmk_halo halo;
    int ranks;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int odd = rank == 1;
    if (strcmp(which, "unlike") == 0 && odd) field.reach[0] = 2;
    if (strcmp(which, "size") == 0) ranks -= odd;
    if (strcmp(which, "large") == 0) { /* planes of 4 GB, as they lie: nothing is allocated, or moved */
        global[1] = global[2] = field.row_pitch = 32768, field.plane_pitch = (cmk_i64)1 << 30;
        where = CMK_HALO_DEVICE;
    }
    if (!cmk_grid_split(&grid, rank % ranks, ranks, global, parts, periodic)) return puts(grid.why);
    CMK_CHECK(cudaMalloc(&field.data, 64 * 16 * sizeof(float)));
    CMK_CHECK(cudaMemset(field.data, 0, 64 * 16 * sizeof(float)));
    field.data = (float *)field.data + 64 * 4;
    CMK_CHECK(cmk_halo_create(&halo, &grid, cmk_halo_mpi(MPI_COMM_WORLD, where), CMK_HALO_STAR, &field, 1));
    halo.patience = 1;
    if (strcmp(which, "absent") == 0 && odd) stop();
    const cudaError_t error = cmk_halo_connect(&halo);
    if (odd || error != cudaSuccess || strcmp(which, "late")) say(&halo, "connect", error);
    if (strcmp(which, "late") == 0 && error == cudaSuccess) {
        if (odd) stop();
        CMK_CHECK(cmk_halo_begin(&halo, 0, 0));
        say(&halo, "end", cmk_halo_end(&halo, 0));
        stop();
    }
    if (strcmp(which, "reduce") == 0 && error == cudaSuccess) { /* the last rank comes when the others have given up */
        cmk_result result = {NULL};
        CMK_CHECK(cudaMalloc(&result.memory, CMK_POINT_RESULT_BYTES));
        CMK_CHECK(cudaMemset(result.memory, 0, CMK_POINT_RESULT_BYTES));
        const double begun = MPI_Wtime();
        while (odd && MPI_Wtime() - begun < 2.0) continue;
        say(&halo, "reduce", cmk_halo_reduce(&halo, &result, 1, 0));
    }
    if (strcmp(which, "absent") == 0) stop();
    CMK_CHECK(cmk_halo_destroy(&halo));
    MPI_Finalize();
    return 0;
}
