#if !defined(__CUDACC_RTC__)
int main(void)
{
    cmk_halo halo;
    memset(&halo, 0, sizeof halo);
    return cmk_halo_fail_(&halo, cudaErrorUnknown, "%d fields", halo.fields) == cudaSuccess || halo.why[0] != 'r';
}
#endif
