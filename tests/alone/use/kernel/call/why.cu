#if !defined(__CUDACC_RTC__)
int main(void)
{
    static const char *const words[] = {"row", "region_rows", "rows"};
    float element;
    if (cmk_why_above_("rows", 7, 8) != NULL || cmk_why_outside_(words, 3, 5, 8) != NULL) return 1;
    if (cmk_why_pointer_("in", &element, sizeof element) != NULL) return 1;
    return strcmp(cmk_why_above_("rows", 9, 8), "rows 9 is above 8") != 0 ||
           strcmp(cmk_why_outside_(words, 4, 5, 8), "region_rows 5, from row 4 on, is not inside rows 8") != 0 ||
           strcmp(cmk_why_pointer_("in", NULL, 4), "in is NULL") != 0;
}
#endif
