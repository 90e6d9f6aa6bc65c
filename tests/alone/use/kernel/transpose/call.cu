__global__ void move(const char *given, char *taken)
{
    char held[16];
    cmk_transpose_load_part_(held, given, 0, 4, 4, 1);
    cmk_transpose_load_part_(held, given, 1, 4, 4, 0);
    cmk_transpose_store_part_(taken, 0, 3, held, 4);
    cmk_transpose_get_(held, given, 8);
}

#if !defined(__CUDACC_RTC__)
int main(void)
{
    char *given, *taken;
    if (cudaMalloc((void **)&given, 16) != cudaSuccess || cudaMalloc((void **)&taken, 16) != cudaSuccess) return 1;
    if (cudaMemset(given, 1, 16) != cudaSuccess) return 1;
    return CMK_LAUNCH(move, 1, 1, 0, 0, given, taken) != cudaSuccess;
}
#endif
