#define SELF(which) (which)
#define SET(value) data[4] = value
#define SELF_2D(down, across) (10 * (down) + (across))

__global__ void outside(int *data)
{
    data[0] = (int)CMK_EDGE_SAMPLE(CMK_EDGE_ZERO, SELF, -3, 10);
    data[1] = (int)CMK_EDGE_SAMPLE(CMK_EDGE_CLAMP, SELF, 30, 10);
    data[2] = (int)CMK_EDGE_SAMPLE_2D(CMK_EDGE_CLAMP, SELF_2D, 4, -2, 3, 3);
    data[3] = (int)cmk_edge_index(CMK_EDGE_CLAMP, -3, 10);
    CMK_EDGE_SPLIT(CMK_EDGE_INSIDE(8, 2, 10), SET, 1, 2);
}

#if !defined(__CUDACC_RTC__)
int main(void)
{
    int *data, copy[5];
    if (cudaMalloc((void **)&data, sizeof copy) != cudaSuccess) return 1;
    if (CMK_LAUNCH(outside, 1, 1, 0, 0, data) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, data, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return copy[0] != 0 || copy[1] != 9 || copy[2] != 20 || copy[3] != 0 || copy[4] != 2;
}
#endif
