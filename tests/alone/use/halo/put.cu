#if !defined(__CUDACC_RTC__) && NCCL_VERSION_CODE >= 23000
int main(void)
{
    ncclComm_t comm = NULL;
    return cmk_halo_nccl_put(comm).start == NULL;
}
#endif
