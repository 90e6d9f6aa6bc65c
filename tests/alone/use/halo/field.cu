#if !defined(__CUDACC_RTC__)
int main(void)
{
    cmk_field field = {NULL, NULL, 4, 8, 64, {1, 0, 0}, 0, NULL, {{0, 0, 0}, {0, 0, 0}}};
    return field.reach[0] != 1 || CMK_HALO_FIELDS < 1;
}
#endif
