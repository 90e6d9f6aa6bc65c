CMK_TABLE_VALUES(LITERAL, float, halves, [3], 0.5f, 0.5f, 0.5f);
CMK_TABLE_VALUES(CONSTANT, double, ones, [7], 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0);
CMK_DEFINE_CONV3D(soften, float, (1, 3, 1), halves, CMK_EDGE_CLAMP);
CMK_DEFINE_CONV3D(gather, double, (7, 1, 1), ones, CMK_EDGE_AXES_3D(CMK_EDGE_WRAP, CMK_EDGE_ZERO, CMK_EDGE_MIRROR));
CMK_DEFINE_CONV3D_IN_ORDER(plain, float, (1, 3, 1), halves, CMK_EDGE_CLAMP);
CMK_DEFINE_SEPARABLE3D(smooth, float, 1, (halves, halves, halves), CMK_EDGE_REFLECT);

#if !defined(__CUDACC_RTC__)
int main(void)
{
    float *given, *taken, copy[12] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f, 9.0f, 1.0f, 1.0f, 1.0f};
    if (cudaMalloc((void **)&given, sizeof copy) != cudaSuccess) return 1;
    if (cudaMalloc((void **)&taken, sizeof copy) != cudaSuccess) return 1;
    if (cudaMemcpy(given, copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    if (gather((double *)given, 1, 1, (double *)taken, 1, 1, 1, 1, 1, ones, 0) != cudaSuccess) return 1;
    if (smooth(given, 2, 6, taken, 2, 6, 2, 3, 2, halves, halves, halves, 0) != cudaSuccess) return 1;
    if (soften(given, 2, 6, taken, 2, 6, 2, 3, 2, halves, 0) != cudaSuccess) return 1;
    if (plain(given, 2, 6, taken, 2, 6, 2, 3, 2, halves, 0) != cudaSuccess) return 1;
    if (smooth_region(given, 2, 6, taken + 5, 2, 6, 2, 3, 2, 1, 1, 1, 1, 2, 1, halves, halves, halves, 0)) return 1;
    if (soften_region(given, 2, 6, taken, 2, 6, 2, 3, 2, 0, 0, 0, 1, 2, 1, halves, 0) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, taken, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return copy[0] < 2.5f || copy[0] > 2.5f || copy[2] < 4.5f || copy[2] > 4.5f;
}
#endif
