CMK_STATIC_ASSERT(CMK_TABLE_DEVICES == 16, "unless it is set");

struct coefficient {
    float factor;
    int shift;
};

CMK_TABLE(CONSTANT, int, primes, [4]);
CMK_TABLE_VALUES(LITERAL, int, squares, [2][2], { 0, 1 }, {4, 9});
CMK_TABLE_VALUES(PARAMETER, struct coefficient, coefficients, [2], { 2.0f, 1 }, {4.0f, 3});
CMK_TABLE_VALUES(GLOBAL, unsigned char, octets, [2][1][2],
                 {
                     {
                         1, 2
                     }
                 },
                 {{3, 4}});
CMK_TABLE_SLOTS(GLOBAL, int, steps, [4], 2);
CMK_TABLE_EXTERN(PARAMETER, int, limits, [2]);
CMK_TABLE_DEFINE_VALUES(PARAMETER, limits, 1, 2);

__global__ void read_tables(int *data, CMK_TABLE_PARAMETER(coefficients), CMK_TABLE_PARAMETER(steps),
                            CMK_TABLE_PARAMETER(limits))
{
    const int id = (int)threadIdx.x;
    data[id] = CMK_TABLE_AT(primes, 3 - id) + 10 * CMK_TABLE_AT(squares, id / 2, id % 2) +
               100 * CMK_TABLE_AT(coefficients, id / 2).shift + 1000 * CMK_TABLE_AT(octets, id / 2, 0, id % 2) +
               10000 * CMK_TABLE_AT(steps, id) + 100000 * CMK_TABLE_AT(limits, id / 2);
}

#if !defined(__CUDACC_RTC__)
int main(void)
{
    const int four[4] = {2, 3, 5, 7}, want[4] = {121107, 132115, 253343, 274392};
    int *data, copy[4] = {0};
    steps_table slot;
    if (CMK_TABLE_UPLOAD(primes, four, 0, 2) != cudaSuccess) return 1;
    if (CMK_TABLE_UPLOAD_ASYNC(primes, four + 2, 2, 2, 0) != cudaSuccess) return 1;
    if (CMK_TABLE_DOWNLOAD(primes, copy, 0, 4) != cudaSuccess) return 1;
    if (CMK_TABLE_DOWNLOAD_ASYNC(limits, copy, 0, 1, 0) != cudaSuccess || copy[0] != 1 || copy[3] != 7) return 1;
    if (CMK_TABLE_TAKE(steps, slot, four, 0) != cudaSuccess) return 1;
    if (cudaMalloc((void **)&data, sizeof copy) != cudaSuccess) return 1;
    if (CMK_LAUNCH(read_tables, 1, 4, 0, 0, data, coefficients, slot, limits) != cudaSuccess) return 1;
    if (CMK_TABLE_RELEASE(steps, slot, 0) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, data, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return memcmp(copy, want, sizeof want) != 0;
}
#endif
