#if !defined(__CUDACC_RTC__)
int main(void)
{
    float given[8], *const taken = given + 6;
    const size_t covered = cmk_range_bytes_(4, 0, 2, 2, 1, sizeof(float));
    if (covered != 6 * sizeof(float) || cmk_range_bytes_(1, 0, 2, 2, 1, sizeof(float)) != 0) return 1;
    return cmk_range_apart_(given, covered, sizeof(float), taken, 8, sizeof(float)) == 1 &&
                   cmk_range_apart_(given, covered, sizeof(float), taken - 1, 8, sizeof(float)) == 0
               ? 0
               : 1;
}
#endif
