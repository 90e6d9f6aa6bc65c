CMK_STATIC_ __global__ void take(const float *in, float *out, cmk_volume_ volume)
{
    __shared__ __attribute__((aligned(128))) char memory[16384];
    const cmk_volume_definition_ box = {4, 1, 1, 1, 0, CMK_EDGE_ZERO, 1, 3};
    const cmk_volume_filter_ filter = cmk_volume_filter_of_(box);
    const cmk_volume_thread_ thread = cmk_volume_locate_(&volume, filter, memory);
    const cmk_volume_sources_ from = cmk_volume_find_sync_(&thread, filter, in);
    cmk_volume_fill_(&from, &thread, filter, 0);
    CMK_FILL_ARRIVED(ASYNC, 0);
    __syncthreads();
    if (thread.thread < 4)
        CMK_STORE(&out[thread.thread], CMK_LOAD((const float *)(memory + filter.ring) + thread.lane));
}

#if !defined(__CUDACC_RTC__)
int main(void)
{
    const cmk_volume_ volume = {4, 4, 4, 4, 1, 1, 4, 1, 1, 1, 1, 0};
    float *given, *taken, copy[4] = {1.0f, 2.0f, 3.0f, 4.0f};
    if (cudaMalloc((void **)&given, sizeof copy) != cudaSuccess) return 1;
    if (cudaMalloc((void **)&taken, sizeof copy) != cudaSuccess) return 1;
    if (cudaMemcpy(given, copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    if (CMK_LAUNCH(take, 1, dim3(32, 8), 0, 0, given, taken, volume) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, taken, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return copy[0] < 1.0f || copy[0] > 1.0f || copy[3] < 4.0f || copy[3] > 4.0f;
}
#endif
