#if !defined(__CUDACC_RTC__)
int main(void)
{
    ncclComm_t comm = NULL;
    return cmk_halo_nccl(comm).start == NULL || cmk_halo_nccl_registered(comm).close == NULL;
}
#endif
