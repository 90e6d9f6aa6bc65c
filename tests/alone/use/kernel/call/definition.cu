CMK_TABLE_VALUES(LITERAL, int, pair, [2], 3, 5);
CMK_TABLE_VALUES(CONSTANT, int, triple, [3], 7, 11, 13);
CMK_DEFINITION_TAPS_(mixed, float, pair, triple, pair)

typedef struct {
    int taps, size;
} filter;

typedef struct {
    int bytes;
} sizes_;

CMK_FUNCTION CMK_CONSTEXPR_ sizes_ sizes_of_(filter of)
{
    const sizes_ made = {of.taps * of.size};
    return made;
}

CMK_DEFINITION_SIZES_(mixed_sizes_, sizes_, filter, CMK_DEFINITION_COUNT_(triple), sizeof(float))

CMK_STATIC_ __global__ void write_taps(float *out CMK_DEFINITION_THREE_(CMK_DEFINITION_PARAMETER_, pair, triple, pair))
{
    const void *const tables[] = {NULL CMK_DEFINITION_THREE_(CMK_DEFINITION_ADDRESS_, pair, triple, pair)};
    for (int number = 1; number <= 3; ++number) out[number - 1] = mixed_tap_(tables, number, 1);
    out[3] = (float)mixed_sizes_().bytes;
}

#if !defined(__CUDACC_RTC__)
int main(void)
{
    float *out, copy[4];
    if (cudaMalloc((void **)&out, sizeof copy) != cudaSuccess) return 1;
    if (CMK_LAUNCH(write_taps, 1, 1, 0, 0, out, pair, triple, pair) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, out, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return (int)copy[0] != 5 || (int)copy[1] != 11 || (int)copy[2] != 5 || (int)copy[3] != 12;
}
#endif
