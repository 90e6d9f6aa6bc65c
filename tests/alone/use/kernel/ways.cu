CMK_DEFINITION_SIZES_(blur_filter_, cmk_filter_, cmk_filter_words_, sizeof(float), sizeof(float), sizeof(float), 0, 1,
                      CMK_EDGE_CLAMP, 0, 0, 9, 9, 4, 4, 0, 0, CMK_NUMBER_(float), 1, 0)

CMK_STATIC_ __global__ void tell(int *way)
{
    *way = CMK_WAYS_OF_(blur).way;
}

#if !defined(__CUDACC_RTC__)
int main(void)
{
    const cmk_ways_ ways = CMK_WAYS_OF_(blur);
    int *told, copy;
    if (cudaMalloc((void **)&told, sizeof copy) != cudaSuccess) return 1;
    if (CMK_LAUNCH(tell, 1, 1, 0, 0, told) != cudaSuccess) return 1;
    if (cudaMemcpy(&copy, told, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess || copy != ways.way) return 1;
    return ways.way != cmk_way_tensor_ || ways.fma.f.products != 81 || !cmk_ways_has_body_(&ways, 90, 1) ||
           cmk_ways_has_body_(&ways, 90, 0) || cmk_ways_has_body_(&ways, 100, 0);
}
#endif
