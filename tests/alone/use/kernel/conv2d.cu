CMK_STATIC_ASSERT(CMK_TENSOR_NOTE == 1, "unless it is set");
CMK_TABLE_VALUES(LITERAL, float, halves, [3], 0.5f, 0.5f, 0.5f);
CMK_TABLE_VALUES(CONSTANT, double, ones, [6], 1.0, 1.0, 1.0, 1.0, 1.0, 1.0);
CMK_DEFINE_CONV2D(soften, float, 1, 3, halves, CMK_EDGE_CLAMP);
CMK_DEFINE_CONV2D(gather, double, 6, 1, ones, CMK_EDGE_AXES(CMK_EDGE_WRAP, CMK_EDGE_MIRROR));
CMK_DEFINE_CONV2D_AS(trail, CONVOLUTION, (unsigned char, float, short, 3), (3, 1), (0, 0), halves, (CMK_EDGE_ZERO, 2));

#if !defined(__CUDACC_RTC__)
int main(void)
{
    float *given, *taken, copy[12] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f, 9.0f, 1.0f, 1.0f, 1.0f};
    if (cudaMalloc((void **)&given, sizeof copy) != cudaSuccess) return 1;
    if (cudaMalloc((void **)&taken, sizeof copy) != cudaSuccess) return 1;
    if (cudaMemcpy(given, copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    if (gather((double *)given, 1, (double *)taken, 1, 1, 1, ones, 0) != cudaSuccess) return 1;
    if (trail((unsigned char *)given, 6, (short *)taken, 6, 4, 2, halves, 0) != cudaSuccess) return 1;
    if (soften_batch(given, 3, 6, taken, 3, 6, 2, 3, 2, halves, 0) != cudaSuccess) return 1;
    if (soften_region(given, 3, taken, 1, 4, 3, 0, 1, 2, 1, halves, 0) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, taken, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return copy[0] < 3.0f || copy[0] > 3.0f || copy[1] < 7.5f || copy[1] > 7.5f || copy[5] < 8.5f || copy[5] > 8.5f;
}
#endif
