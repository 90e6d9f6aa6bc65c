#if !defined(__CUDACC_RTC__)
int main(void)
{
    cmk_halo halo;
    cmk_result result;
    memset(&halo, 0, sizeof halo);
    memset(&result, 0, sizeof result);
    if (cmk_halo_reduce_all(&halo, 1, &result, 1, &halo.stream) == cudaSuccess || halo.why[0] != 'r') return 1;
    return cmk_halo_reduce(&halo, &result, 1, 0) == cudaSuccess;
}
#endif
