#define ONE(tap1) 1.0f
#define ONE_OF_BOX(row1, column1) 1.0f
#define SAMPLE_1D(distance) ((float)(distance) + 1.0f)
#define ONE_OF_CUBE(plane1, row1, column1) 1.0f
#define SAMPLE_3D(behind1, down, right1) ((float)(behind1) + (float)(down) + (float)(right1) + 1.0f)
#define SAMPLE_2D(down, right1) ((float)(down) + (float)(right1) + 1.0f)

__global__ void bodies(float *data)
{
    float total = 0.0f;
    CMK_STENCIL_1D(total, 2, ONE, SAMPLE_1D);
    CMK_STENCIL_1D_SYMMETRIC(total, 2, ONE, SAMPLE_1D);
    CMK_STENCIL_1D_ANTISYMMETRIC(total, 2, ONE, SAMPLE_1D);
    CMK_STENCIL_2D_BOX(total, 1, ONE_OF_BOX, SAMPLE_2D);
    CMK_STENCIL_2D_BOX_SYMMETRIC(total, 1, ONE_OF_BOX, SAMPLE_2D);
    CMK_STENCIL_2D_BOX_ANTISYMMETRIC(total, 1, ONE_OF_BOX, SAMPLE_2D);
    CMK_STENCIL_2D_STAR(total, 1, ONE_OF_BOX, SAMPLE_2D);
    CMK_STENCIL_2D_STAR_SYMMETRIC(total, 1, ONE_OF_BOX, SAMPLE_2D);
    CMK_STENCIL_3D_BOX(total, 1, ONE_OF_CUBE, SAMPLE_3D);
    CMK_STENCIL_3D_BOX_SYMMETRIC(total, 1, ONE_OF_CUBE, SAMPLE_3D);
    CMK_STENCIL_3D_BOX_ANTISYMMETRIC(total, 0, ONE_OF_CUBE, SAMPLE_3D);
    CMK_STENCIL_3D_STAR(total, 1, ONE_OF_BOX, SAMPLE_3D);
    CMK_STENCIL_3D_STAR_SYMMETRIC(total, 1, ONE_OF_BOX, SAMPLE_3D);
    CMK_STENCIL_QUEUE(float, queue, 1) = {0.0f};
    for (int k = 0; k < 3; ++k) CMK_STENCIL_QUEUE_PUSH(queue, 1, (float)k);
    data[0] = total + CMK_STENCIL_QUEUE_AT(queue, 1, -1) + CMK_STENCIL_QUEUE_AT(queue, 1, 1);
}

#if !defined(__CUDACC_RTC__)
int main(void)
{
    float *data, copy = 0.0f;
    if (cudaMalloc((void **)&data, sizeof copy) != cudaSuccess) return 1;
    if (CMK_LAUNCH(bodies, 1, 1, 0, 0, data) != cudaSuccess) return 1;
    if (cudaMemcpy(&copy, data, sizeof copy, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return copy < 106.0f || copy > 106.0f;
}
#endif
