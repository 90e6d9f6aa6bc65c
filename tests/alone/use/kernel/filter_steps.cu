CMK_TABLE_VALUES(LITERAL, float, halves, [3], 0.5f, 0.5f, 0.5f);
CMK_TABLE_VALUES(CONSTANT, double, ones, [9], 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0);
CMK_DEFINE_STENCIL1D_STEPS(smooth, float, 1, CMK_STENCIL_1D, halves, CMK_EDGE_CLAMP);
CMK_DEFINE_CONV2D_STEPS(gather, double, 3, 3, ones, CMK_EDGE_AXES(CMK_EDGE_WRAP, CMK_EDGE_ZERO));
CMK_DEFINE_SEPARABLE_STEPS(soften, float, 1, halves, halves, CMK_EDGE_MIRROR);
CMK_DEFINE_SEPARABLE3D_STEPS(spread, float, 1, (halves, halves, halves), CMK_EDGE_REFLECT);

#if !defined(__CUDACC_RTC__)
int main(void)
{
    float *given, *taken, *spare, copy[12] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f, 9.0f, 1.0f, 1.0f, 1.0f};
    if (cudaMalloc((void **)&given, sizeof copy) != cudaSuccess) return 1;
    if (cudaMalloc((void **)&taken, sizeof copy) != cudaSuccess) return 1;
    if (cudaMalloc((void **)&spare, sizeof copy) != cudaSuccess) return 1;
    if (cudaMemcpy(given, copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    if (gather_steps((double *)given, 1, (double *)taken, 1, NULL, 1, 1, 1, ones, 0) != cudaSuccess) return 1;
    if (soften_steps(given, 3, taken, 3, spare, 4, 3, 40, halves, halves, 0) != cudaSuccess) return 1;
    if (spread_steps(given, 2, 6, taken, 2, 6, spare, 2, 3, 2, 3, halves, halves, halves, 0) != cudaSuccess) return 1;
    if (smooth_steps(given, taken, NULL, 12, 2, halves, 0) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, taken, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return copy[0] < 3.5f || copy[0] > 3.5f || copy[2] < 6.75f || copy[2] > 6.75f;
}
#endif
