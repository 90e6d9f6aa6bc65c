CMK_DEFINE_TRANSPOSE(turn, float);

#if !defined(__CUDACC_RTC__)
int main(void)
{
    float *given, *taken, copy[12] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f};
    if (cudaMalloc((void **)&given, sizeof copy) != cudaSuccess) return 1;
    if (cudaMalloc((void **)&taken, sizeof copy) != cudaSuccess) return 1;
    if (cudaMemcpy(given, copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    if (turn(given, 3, taken, 2, 2, 3, 0) != cudaSuccess) return 1;
    if (turn_batch(given, 3, 3, taken + 6, 1, 3, 1, 3, 2, 0) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, taken, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    if (copy[1] < 4.0f || copy[1] > 4.0f || copy[9] < 4.0f || copy[9] > 4.0f) return 1;
    if (turn_volume(given, taken, 1, 2, 3, CMK_TRANSPOSE_XYZ, 0) != cudaSuccess) return 1;
    if (turn_in_place(taken, 2, 2, 0) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, taken, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return copy[1] < 2.0f || copy[1] > 2.0f || copy[5] < 6.0f || copy[5] > 6.0f;
}
#endif
