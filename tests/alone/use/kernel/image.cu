#define THIRD_HELD(of, rows_) 12
enum { third_light_ = 0, third_products_ = 9, third_bytes_ = 5 };
CMK_IMAGE_SIZES_(third, float, float, 1, 3, 3, 1, 1, CMK_IMAGE_LANES_(third, float, float, 3, 2),
                 CMK_IMAGE_STEP_(third, float, 3, THIRD_HELD), THIRD_HELD, 1);
CMK_IMAGE_CONVERT_(third, float, float, unsigned char)

__global__ void narrow(const third_chunk_ *given, unsigned char *taken)
{
    float sums[third_lanes_];
    third_widen_(sums, given);
    third_save_(taken, sums, 0, cmk_image_up_(1, third_lanes_), 0);
}

#if !defined(__CUDACC_RTC__)
int main(void)
{
    float *given, copy[4] = {1.5f, 2.5f, -1.0f, 300.0f};
    unsigned char *taken, narrowed[4];
    if (cudaMalloc((void **)&given, sizeof copy) != cudaSuccess) return 1;
    if (cudaMalloc((void **)&taken, sizeof narrowed) != cudaSuccess) return 1;
    if (cudaMemcpy(given, copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    if (CMK_LAUNCH(narrow, 1, 1, 0, 0, (const third_chunk_ *)(void *)given, taken) != cudaSuccess) return 1;
    if (cudaMemcpy(narrowed, taken, sizeof narrowed, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return narrowed[0] != 2 || narrowed[1] != 2 || narrowed[2] != 0 || narrowed[3] != 255;
}
#endif
