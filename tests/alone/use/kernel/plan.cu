#if !defined(__CUDACC_RTC__)
int main(void)
{
    const cmk_plan_device device = {132, 232448, 5120, 90, 1, 0};
    int processors = 0, number = 7;
    void *arguments[1];
    size_t bytes[1];
    const int has_c_names = CMK_C_NAMES;
    const cmk_plan_argument_ all[] = {CMK_PLAN_ARGUMENT_(number)};
    cmk_plan plan;
    if (cmk_plan_processors_(&device, &processors) != cudaSuccess || processors != 132) return 1;
    if (cmk_plan_shared_bytes_(&device, &processors) != cudaSuccess || processors != 232448) return 1;
    cmk_plan_show_(&plan, CMK_PLAN_TEXT_(kernel), 0, all, sizeof all, arguments, bytes);
    cmk_plan_show_sizes_(&plan, dim3(2), dim3(32), 0);
    return has_c_names || plan.argument_count != 1 || plan.arguments[0] != &number ||
           plan.argument_bytes[0] != sizeof number || plan.grid[0] != 2 || strcmp(plan.kernel, "kernel") != 0 ||
           cmk_plan_is_given_(NULL);
}
#endif
