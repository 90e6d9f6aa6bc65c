__global__ void set_one(float *data)
{
    data[threadIdx.x] = 1.0f;
}

#if !defined(__CUDACC_RTC__)
int main(void)
{
    float *data, copy[2] = {0.0f, 0.0f}, milliseconds = -1.0f;
    CMK_CHECK(cudaMalloc((void **)&data, sizeof copy));
    CMK_CHECK_TIME(milliseconds, 3, CMK_LAUNCH(set_one, 1, 2, 0, 0, data));
    CMK_CHECK(cudaMemcpy(copy, data, sizeof copy, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaFree(data));
    const cudaError_t exact = cmk_check_exact(); /* by the flags */
    if (exact != cudaSuccess && exact != cudaErrorInvalidValue) return 1;
    return !(copy[0] + copy[1] >= 2.0f && milliseconds >= 0.0f);
}
#endif
