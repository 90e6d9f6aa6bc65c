/* Prints what every edge reads around every small domain, for edge.py to judge: lines of
 *   1 MODE RADIUS COUNT values...                    COUNT + 2 RADIUS of them
 *   2 MODE RADIUS ROWS COLUMNS values...             row by row
 * The domain holds 1, 2, 3 and so on; the value outside is -9 where the mode is zero. */
#include <cmk/cmk.h>

#define MOST 18 /* 2 RADIUS + 2 at radius 8 */

#define AT(i) CMK_LDG(&in[i])
#define AT_2D(row, column) CMK_LDG(&in[(row)*columns + (column)])

#define CASE(EDGE)                                                                                                     \
    case EDGE:                                                                                                         \
        CMK_STORE(&out[k], CMK_EDGE_SAMPLE_OR(EDGE, -9, AT, k - radius, count));                                       \
        break;
#define CASE_2D(EDGE)                                                                                                  \
    case EDGE:                                                                                                         \
        CMK_STORE(&out[k], CMK_EDGE_SAMPLE_2D_OR(EDGE, EDGE, -9, AT_2D, row, column, rows, columns));                  \
        break;

__global__ void pad(const int *in, int *out, int edge, int radius, int count)
{
    const int k = (int)threadIdx.x;
    switch (edge) {
        CASE(CMK_EDGE_ZERO)
        CASE(CMK_EDGE_CLAMP)
        CASE(CMK_EDGE_WRAP)
        CASE(CMK_EDGE_MIRROR)
        CASE(CMK_EDGE_REFLECT)
    }
}

__global__ void pad_2d(const int *in, int *out, int edge, int radius, int rows, int columns)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int row = (int)blockIdx.x - radius, column = (int)threadIdx.x - radius;
    switch (edge) {
        CASE_2D(CMK_EDGE_ZERO)
        CASE_2D(CMK_EDGE_CLAMP)
        CASE_2D(CMK_EDGE_WRAP)
        CASE_2D(CMK_EDGE_MIRROR)
        CASE_2D(CMK_EDGE_REFLECT)
    }
}

static void print(const int *device, int count)
{
    int host[(MOST + 16) * (MOST + 16)];
    CMK_CHECK(cudaMemcpy(host, device, (size_t)count * sizeof(int), cudaMemcpyDeviceToHost));
    for (int k = 0; k < count; ++k) printf(" %d", host[k]);
    putchar('\n');
}

int main(void)
{
    int host[MOST * MOST], *in, *out;
    for (int k = 0; k < MOST * MOST; ++k) host[k] = k + 1;
    CMK_CHECK(cudaMalloc((void **)&in, sizeof host));
    CMK_CHECK(cudaMalloc((void **)&out, (MOST + 16) * (MOST + 16) * sizeof(int)));
    CMK_CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    for (int edge = CMK_EDGE_ZERO; edge <= CMK_EDGE_REFLECT; ++edge)
        for (int radius = 1; radius <= 8; ++radius)
            for (int count = 1; count <= 2 * radius + 2; ++count) {
                const int columns = 1 + (count * 7 + radius) % (2 * radius + 2), width = columns + 2 * radius;
                CMK_CHECK(CMK_LAUNCH(pad, 1, count + 2 * radius, 0, 0, in, out, edge, radius, count));
                printf("1 %d %d %d", edge, radius, count);
                print(out, count + 2 * radius);
                CMK_CHECK(CMK_LAUNCH(pad_2d, count + 2 * radius, width, 0, 0, in, out, edge, radius, count, columns));
                printf("2 %d %d %d %d", edge, radius, count, columns);
                print(out, (count + 2 * radius) * width);
            }
    return 0;
}
