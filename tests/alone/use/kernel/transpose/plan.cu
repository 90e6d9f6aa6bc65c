#if !defined(__CUDACC_RTC__)
int main(void)
{
    const cmk_transpose_batch_ nothing = {4, 12, 3, 12, 3, 4, 0, sizeof(float)};
    cmk_transpose_plan_ plan = cmk_transpose_plan_batch_(NULL, NULL, nothing);
    if (cmk_transpose_next_(&plan) || plan.error != cudaSuccess) return 1;
    plan = cmk_transpose_plan_in_place_(NULL, 3, 3, sizeof(float));
    if (cmk_transpose_next_(&plan) || plan.error != cudaErrorInvalidValue) return 1;
    plan = cmk_transpose_plan_volume_(NULL, NULL, 1, 2, 3, CMK_TRANSPOSE_YZX, sizeof(float));
    return cmk_transpose_next_(&plan) || plan.error != cudaErrorInvalidValue;
}
#endif
