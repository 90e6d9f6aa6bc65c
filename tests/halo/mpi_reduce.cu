/* reduce.cu by MPI: mpirun -n 4 ./mpi_reduce, or fewer ranks. Rank 0 writes the results. */
#define BY_MPI
#include "reduce.cu"
