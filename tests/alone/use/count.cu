__global__ void twice(float *data)
{
    CMK_COUNT_OPERATIONS(1);
    data[threadIdx.x] *= 2.0f;
    for (int turn = 0; turn < 2; ++turn) {
        CMK_COUNT_TURN(turn);
        if (threadIdx.x % 2 == (unsigned)turn) data[threadIdx.x] += 1.0f;
    }
    CMK_COUNT_TURN(-1);
}

#if !defined(__CUDACC_RTC__)
int main(void)
{
    float *data;
    if (cudaMalloc((void **)&data, 128) != cudaSuccess) return 1;
    if (CMK_LAUNCH(twice, 1, 32, 0, 0, data) != cudaSuccess) return 1;
    const cmk_i64 operations = cmk_count("twice", CMK_COUNT_OPERATIONS_DONE);
    const int clean = cmk_count_clean("twice"), reported = cmk_count_report(stderr, NULL);
    cmk_count_clear();
    return !(operations == -1 || operations == 32) + (clean + reported > 2);
}
#endif
