__global__ void copy_four(const float *given, float *taken)
{
    float four[4];
    CMK_LDG_16(four, &given[0]);
    four[1] += CMK_LDG(&given[1]) + CMK_LOAD(&given[1]);
    CMK_STORE_16(&taken[0], four);
    CMK_STORE(&taken[3], four[1]);
}

#if !defined(__CUDACC_RTC__)
int main(void)
{
    float *given, *taken, copy[4] = {1.0f, 2.0f, 3.0f, 4.0f};
    if (cudaMalloc((void **)&given, sizeof copy) != cudaSuccess) return 1;
    if (cudaMalloc((void **)&taken, sizeof copy) != cudaSuccess) return 1;
    if (cudaMemcpy(given, copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    if (CMK_LAUNCH(copy_four, 1, 1, 0, 0, given, taken) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, taken, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return copy[2] < 3.0f || copy[3] < 6.0f;
}
#endif
