CMK_TABLE_VALUES(LITERAL, float, halves, [3], 0.5f, 0.5f, 0.5f);
CMK_DEFINE_STENCIL1D(smooth, float, 1, CMK_STENCIL_1D, halves, CMK_EDGE_CLAMP);

#if !defined(__CUDACC_RTC__)
int main(void)
{
    float *given, *taken, copy[5] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f};
    if (cudaMalloc((void **)&given, sizeof copy) != cudaSuccess) return 1;
    if (cudaMalloc((void **)&taken, sizeof copy) != cudaSuccess) return 1;
    if (cudaMemcpy(given, copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    if (smooth(given, taken, 4, halves, 0) != cudaSuccess) return 1;
    if (smooth_region(given, taken + 4, 5, 4, 1, halves, 0) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, taken, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return copy[0] < 2.0f || copy[4] < 7.0f || copy[4] > 7.0f;
}
#endif
