__global__ void count_blocks(unsigned *word)
{
    if (threadIdx.x == 0) cmk_stream_arrive(word);
}

#if !defined(__CUDACC_RTC__)
int main(void)
{
    unsigned *word, copy = 7;
    if (cudaMalloc((void **)&word, sizeof copy) != cudaSuccess) return 1;
    if (cmk_stream_write_value(0, word, 5) != cudaSuccess) return 1;
    if (CMK_LAUNCH(count_blocks, 3, 32, 0, 0, word) != cudaSuccess) return 1;
    if (cmk_stream_wait_value(0, word, 8) != cudaSuccess) return 1;
    if (cmk_stream_wait_value(0, 0, 8) != cudaErrorInvalidValue) return 1;
    if (cudaMemcpy(&copy, word, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return copy != 8;
}
#endif
