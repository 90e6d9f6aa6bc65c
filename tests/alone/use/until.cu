__global__ void take_half(float *value)
{
    *value *= 0.5f;
}

#if !defined(__CUDACC_RTC__)
static cudaError_t half_turn(void *context, cudaStream_t stream)
{
    return CMK_LAUNCH(take_half, 1, 1, 0, stream, (float *)context);
}

int main(void)
{
    float *value, copy = 8.0f;
    unsigned *flag;
    cmk_turns *turns, done;
    if (cudaMalloc((void **)&value, sizeof copy) != cudaSuccess) return 1;
    if (cudaMalloc((void **)&flag, sizeof *flag) != cudaSuccess) return 1;
    if (cudaMalloc((void **)&turns, sizeof done) != cudaSuccess) return 1;
    if (cudaMemset(flag, 0, sizeof *flag) != cudaSuccess) return 1;
    if (cudaMemcpy(value, &copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    if (cmk_repeat(cmk_until_float(9, value, 1.0f, turns), half_turn, value, 0) != cudaSuccess) return 1;
    if (cudaMemcpy(&done, turns, sizeof done, cudaMemcpyDeviceToHost) != cudaSuccess || done.turns != 3) return 1;
    if (cmk_repeat(cmk_until_double(9, 0, 1.0, turns), half_turn, value, 0) != cudaErrorInvalidValue) return 1;
    if (cmk_repeat(cmk_until_flag(2, flag, turns), half_turn, value, 0) != cudaSuccess) return 1;
    if (cudaMemcpy(&copy, value, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return (int)(4.0f * copy) != 1;
}
#endif
