static __constant__ double kept_gauss[17] = {CMK_FILTER_GAUSS(8, 1.5)};
static __device__ const double kept_slope[9] = {CMK_FILTER_DERIVATIVE(1, 8, 0.5)};
static __constant__ int kept_edges[3][3] = {CMK_FILTER_SOBEL_ACROSS};

__global__ void taps(double *data)
{
    const double binomial[5] = {CMK_FILTER_BINOMIAL(2)}, box[3] = {CMK_FILTER_BOX(1)};
    double made[17], table[9];
    float narrow[1];
    cmk_filter_gauss(made, 8, 1.5);
    data[0] = made[8] - kept_gauss[8];
    cmk_filter_binomial(made, 2);
    data[1] = made[2] - binomial[2];
    cmk_filter_box(made, 1);
    data[2] = made[1] - box[1];
    cmk_filter_derivative(made, 4, 1, 0.5);
    cmk_filter_float(narrow, &made[5], 1);
    data[3] = (double)narrow[0] - (double)(float)kept_slope[5];
    cmk_filter_outer(table, box, 3, box, 3);
    data[4] = table[8] * 9 - 1 + (kept_edges[1][2] - 2);
}

#if !defined(__CUDACC_RTC__)
int main(void)
{
    double *data, copy[5];
    int far_off = 0;
    if (cudaMalloc((void **)&data, sizeof copy) != cudaSuccess) return 1;
    if (CMK_LAUNCH(taps, 1, 1, 0, 0, data) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, data, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    for (int which = 0; which < 5; ++which) far_off += !(copy[which] <= 1e-6 && copy[which] >= -1e-6);
    return far_off;
}
#endif
