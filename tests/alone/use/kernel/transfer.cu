CMK_DEFINE_TRANSFER2D(flat, float, CELLS, CMK_EDGE_MIRROR);
CMK_DEFINE_TRANSFER3D(cube, double, POINTS, CMK_EDGE_ZERO);

#if !defined(__CUDACC_RTC__)
int main(void)
{
    float *fine, copy[20] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f};
    double *points, eight[9] = {8.0};
    if (cudaMalloc((void **)&fine, sizeof copy) != cudaSuccess) return 1;
    if (cudaMalloc((void **)&points, sizeof eight) != cudaSuccess) return 1;
    if (cudaMemcpy(fine, copy, sizeof copy, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    if (cudaMemcpy(points, eight, sizeof eight, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
    if (flat_restrict(fine, 4, fine + 8, 2, 2, 4, 0) != cudaSuccess) return 1;
    if (flat_prolong(fine + 8, 2, fine + 12, 4, 2, 4, 0) != cudaSuccess) return 1;
    if (cube_prolong(points, 1, 1, points + 1, 2, 4, 2, 2, 2, 0) != cudaSuccess) return 1;
    if (cudaMemcpy(copy, fine, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    if (cudaMemcpy(eight, points, sizeof eight, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    if (copy[8] < 3.5f || copy[8] > 3.5f || copy[13] < 4.0f || copy[13] > 4.0f) return 1;
    return eight[1] < 1.0 || eight[1] > 1.0 || eight[8] < 8.0 || eight[8] > 8.0;
}
#endif
