/* Drawn exchanges between the ranks of mpirun, by MPI: mpirun -n 4 ./mpi [EXCHANGES]. Rank 0 writes the results. */
#include "exchange.h"
#include <cmk/halo/mpi.h>

static int where;

static cmk_halo_transport transport_of(int rank, int ranks)
{
    (void)rank, (void)ranks;
    return cmk_halo_mpi(MPI_COMM_WORLD, where);
}

static cudaError_t allocate(void **memory, size_t bytes)
{
    return cudaMalloc(memory, bytes);
}

int main(int count, char **words)
{
    const int rounds = count > 1 ? atoi(words[1]) : 200;
    int rank, ranks, all[GROUPS];
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < rounds; ++i) {
        random_state = (unsigned long long)i;
        (void)below(1);
        where = below(2) ? CMK_HALO_STAGED : CMK_HALO_DEVICE; /* on the CPU backend every MPI knows device memory */
        const world w = {ranks, rank, 1, transport_of, where == CMK_HALO_STAGED, 0, allocate, cudaFree};
        run_case(&w);
    }
    MPI_Reduce(wrongs, all, GROUPS, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) judge_groups(all, "4 ranks by MPI");
    MPI_Finalize();
    return rank == 0 ? tap_done() : 0;
}
