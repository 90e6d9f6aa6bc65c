#if !defined(__CUDACC_RTC__)
int main(void)
{
    return cmk_halo_pack_(NULL, 0, 0, 0, 0) != cudaSuccess;
}
#endif
