struct triple {
    float red, green, blue;
};

__global__ void copy_four(const float *given, float *taken)
{
    const struct triple *const colours = (const struct triple *)given;
    const float *const second = CMK_LOAD_ROW(given, 16, 1);
    float four[4], strided[2];
    CMK_LOAD_8(STREAMING, four, &given[0]);
    CMK_LOAD_16(READ_ONLY, four, &given[0]);
    CMK_LOAD_PART(EVICT_FIRST, 16, four, given, -1, 8);
    CMK_LOAD_PART(PLAIN, 8, four, given, CMK_LOAD_HEAD(given, 8), 8);
    CMK_LOAD_STRIDED(LAST_USE, strided, 2, given, 2);
    four[1] += CMK_LDG(&given[1]) + CMK_LOAD(&given[1]) + CMK_LOAD_AS(EVICT_LAST, second);
    four[2] += strided[1] + CMK_LDG(colours).blue;
    CMK_STORE_8(EVICT_FIRST, &taken[2], four);
    CMK_STORE_16(PLAIN, &taken[0], four);
    CMK_STORE_PART(STREAMING, 16, taken, 6, 8, four);
    CMK_STORE_AS(EVICT_LAST, &taken[4], four[2]);
    CMK_STORE(&taken[3], four[1]);
}

#if !defined(__CUDACC_RTC__)
int main(void)
{
    float *given, *taken, copy[8] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f};
    if (cudaMalloc((void **)&given, sizeof copy) != cudaSuccess) return 1;
    if (cudaMalloc((void **)&taken, sizeof copy) != cudaSuccess) return 1;
    if (cudaMemcpy(given, copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    if (CMK_LAUNCH(copy_four, 1, 1, 0, 0, given, taken) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, taken, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return copy[3] < 6.0f || copy[4] < 6.0f;
}
#endif
