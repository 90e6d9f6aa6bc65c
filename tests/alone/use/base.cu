CMK_STATIC_ASSERT(CMK_VERSION >= 100, "the version is a number");
CMK_STATIC_ASSERT(CMK_VERSION_MAJOR == CMK_VERSION / 10000, "of three");
CMK_STATIC_ASSERT(CMK_VERSION_MINOR == CMK_VERSION / 100 % 100, "of three");
CMK_STATIC_ASSERT(CMK_VERSION_PATCH == CMK_VERSION % 100, "of three");

CMK_FUNCTION cmk_i64 doubled(cmk_i64 given)
{
    return 2 * given;
}

__global__ void double_all(int *data)
{
    CMK_UNROLL
    for (int which = 0; which < 4; ++which)
        data[4 * threadIdx.x + (unsigned)which] = (int)CMK_FMA(0.5f, (float)doubled(which), (float)which);
}

#if !defined(__CUDACC_RTC__)
int main(void)
{
    int *data, copy[8] = {0};
    if (cudaMalloc((void **)&data, sizeof copy) != cudaSuccess) return 1;
    if (CMK_LAUNCH(double_all, 1, 2, 0, 0, data) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, data, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return copy[7] != 6;
}
#endif
