#if !defined(__CUDACC_RTC__)
int main(void)
{
    const cmk_stencil1d_plan_ plan = cmk_stencil1d_plan_of_(NULL, NULL, 8, sizeof(float), 4);
    return plan.blocks != 0 || plan.error != cudaErrorInvalidValue;
}
#endif
