#if !defined(__CUDACC_RTC__)
int main(void)
{
    return cmk_halo_peer().start == NULL;
}
#endif
