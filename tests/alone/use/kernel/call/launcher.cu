CMK_TABLE_VALUES(CONSTANT, int, taps, [2], 3, 5);

#if !defined(__CUDACC_RTC__)
typedef struct {
    cudaError_t error;
    const char *why;
    const void *in;
    void *out;
    int count, launches, way;
    dim3 grid, block;
    size_t bytes;
} plan_;

__attribute__((unused)) static plan_ plan_of(const void *in, void *out, size_t count)
{
    const plan_ plan = {cudaSuccess, NULL, in, out, (int)count, 1, 0, dim3(1), dim3((unsigned)count), 0};
    return plan;
}

__attribute__((unused)) static int next(plan_ *plan)
{
    return plan->launches-- > 0;
}

__global__ void scale_kernel(const int *in, int *out, int count CMK_DEFINITION_ONE_(CMK_DEFINITION_PARAMETER_, taps))
{
    const int i = (int)threadIdx.x;
    if (i < count) out[i] = in[i] * taps_get_ CMK_TABLE_OF_KERNEL_(1);
}

#define WAYS(VERB, name, ...) CMK_LAUNCHER_##VERB(name##_kernel, 0, int, int, count, __VA_ARGS__)
CMK_LAUNCHER_CALL_(scale, plan_, next(&call->engine_), WAYS, 3, CMK_DEFINITION_ONE_, taps)
CMK_LAUNCHER_(scale, scale, (const int *in, int *out, size_t count), (call->engine_ = plan_of(in, out, count)),
              CMK_DEFINITION_ONE_, taps)

int main(void)
{
    int *numbers, copy[2] = {7, 11};
    scale_call call;
    if (cudaMalloc((void **)&numbers, 2 * sizeof copy) != cudaSuccess) return 1;
    if (cudaMemcpy(numbers, copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    if (scale(numbers, numbers + 2, 2, taps, 0) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, numbers + 2, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    if (scale_plan(&call, NULL, numbers, numbers + 2, 2, taps) != cudaSuccess || !scale_next(&call)) return 1;
    if (call.plan.block[0] != 2 || call.plan.argument_count != 4 || scale_next(&call)) return 1;
    if (scale_why(numbers, numbers + 2, 2, taps) != NULL) return 1;
    return copy[0] != 35 || copy[1] != 55;
}
#endif
