CMK_TABLE_VALUES(LITERAL, float, halves, [3], 0.5f, 0.5f, 0.5f);
CMK_TABLE_VALUES(CONSTANT, float, ones, [3], 1.0f, 1.0f, 1.0f);
CMK_DEFINE_SEPARABLE(soften, float, 1, ones, halves, CMK_EDGE_CLAMP);
CMK_DEFINE_SEPARABLE_AS(spread, (short, double, signed char, 2), 1, (halves, halves), (CMK_EDGE_ZERO, 2));
CMK_DEFINE_SEPARABLE_IN_ORDER(blur, (unsigned char, float, short, 1), 1, (halves, ones), (CMK_EDGE_MIRROR, 0));

#if !defined(__CUDACC_RTC__)
int main(void)
{
    float *given, *taken, copy[12] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f, 9.0f, 1.0f, 1.0f, 1.0f};
    if (cudaMalloc((void **)&given, sizeof copy) != cudaSuccess) return 1;
    if (cudaMalloc((void **)&taken, sizeof copy) != cudaSuccess) return 1;
    if (cudaMemcpy(given, copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    if (spread((short *)given, 6, (signed char *)taken, 6, 4, 3, halves, halves, 0) != cudaSuccess) return 1;
    if (soften_batch(given, 3, 6, taken, 3, 6, 2, 3, 2, ones, halves, 0) != cudaSuccess) return 1;
    if (soften_region(given, 3, taken, 1, 4, 3, 1, 1, 2, 1, ones, halves, 0) != cudaSuccess) return 1;
    if (blur((unsigned char *)given, 3, (short *)taken + 12, 3, 4, 3, halves, ones, 0) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, taken, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return copy[0] < 22.5f || copy[0] > 22.5f || copy[1] < 21.0f || copy[1] > 21.0f || copy[5] < 21.0f ||
           copy[5] > 21.0f;
}
#endif
