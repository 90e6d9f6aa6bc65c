CMK_TABLE(int, primes, 4);

__global__ void copy_primes(int *data)
{
    data[threadIdx.x] = CMK_TABLE_AT(primes, 3 - threadIdx.x);
}

#if !defined(__CUDACC_RTC__)
int main(void)
{
    const int four[4] = {2, 3, 5, 7};
    int *data, copy[4] = {0};
    if (CMK_TABLE_UPLOAD(primes, four, 4) != cudaSuccess) return 1;
    if (cudaMalloc((void **)&data, sizeof copy) != cudaSuccess) return 1;
    if (CMK_LAUNCH(copy_primes, 1, 4, 0, 0, data) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, data, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return copy[0] != 7 || copy[3] != 2;
}
#endif
