#if !defined(__CUDACC_RTC__)
int main(void)
{
    return cmk_halo_mpi(MPI_COMM_WORLD, CMK_HALO_STAGED).start == NULL;
}
#endif
