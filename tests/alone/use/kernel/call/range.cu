#if !defined(__CUDACC_RTC__)
int main(void)
{
    float given[8], *const taken = given + 6;
    const size_t covered = cmk_range_bytes_(4, 0, 2, 2, 1, sizeof(float));
    if (covered != 6 * sizeof(float) || cmk_range_bytes_(1, 0, 2, 2, 1, sizeof(float)) != 0) return 1;
    const cmk_range_ in = {"in", "in_pitch", "in_step", "columns", given, 4, 0, 2, 1, 2, 1, sizeof(float)};
    cmk_range_ out = {"out", "out_pitch", "out_step", "columns", taken, 2, 0, 2, 1, 1, 1, sizeof(float)};
    if (!cmk_range_apart_(given, covered, taken, 8) || cmk_range_why_(&in, &out) != NULL) return 1;
    out.start = taken - 1;
    return cmk_range_apart_(given, covered, taken - 1, 8) ||
           strcmp(cmk_range_why_(&in, &out), "in and out overlap") != 0;
}
#endif
