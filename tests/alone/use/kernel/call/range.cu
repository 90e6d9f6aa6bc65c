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
    if (cmk_range_apart_(given, covered, taken - 1, 8)) return 1;
    const char *const why = "in and out overlap: in has 2 rows of in_pitch 4, and out is 20 bytes behind it";
    return strcmp(cmk_range_why_(&in, &out), why) != 0;
}
#endif
