/* 1D and 2D stencils with every edge beside the same without one, for the code of the threads inside */
#include <cmk/cmk.h>

#define WRAP_THEN_ZERO CMK_EDGE_SIDES(CMK_EDGE_WRAP, CMK_EDGE_ZERO)
#define WEIGHT(k) CMK_TABLE_AT(weights, k)
#define WEIGHT_2D(r, c) CMK_TABLE_AT(weights_2d, r, c)
CMK_TABLE(CONSTANT, float, weights, [9]);
CMK_TABLE(CONSTANT, float, weights_2d, [3][3]);

#define AT(i) CMK_LDG(&in[i])
#define AT_2D(row, column) CMK_LDG(&in[(row)*width + (column)])
#define INTERIOR(d) AT(i + (d))
#define INTERIOR_2D(dy, dx) AT_2D(y + (dy), x + (dx))
#define BODY(SAMPLE) CMK_STENCIL_1D(sum, 4, WEIGHT, SAMPLE)
#define BODY_2D(SAMPLE) CMK_STENCIL_2D_BOX(sum, 1, WEIGHT_2D, SAMPLE)

#define LINE(name, ...)                                                                                                \
    extern "C" __global__ void name(const float *in, float *out, cmk_i64 count)                                        \
    {                                                                                                                  \
        const cmk_i64 i = (cmk_i64)blockIdx.x * 256 + threadIdx.x;                                                     \
        float sum = 0.0f;                                                                                              \
        if (i >= count) return;                                                                                        \
        __VA_ARGS__;                                                                                                   \
        CMK_STORE(&out[i], sum);                                                                                       \
    }
#define PLANE(name, ...)                                                                                               \
    extern "C" __global__ void name(const float *in, float *out, int height, int width)                                \
    {                                                                                                                  \
        const int x = (int)(blockIdx.x * 32 + threadIdx.x), y = (int)(blockIdx.y * 8 + threadIdx.y);                   \
        float sum = 0.0f;                                                                                              \
        if (x >= width || y >= height) return;                                                                         \
        __VA_ARGS__;                                                                                                   \
        CMK_STORE(&out[y * width + x], sum);                                                                           \
    }

LINE(line_plain, BODY(INTERIOR))
PLANE(plane_plain, BODY_2D(INTERIOR_2D))

#define BORDER(d) CMK_EDGE_SAMPLE(EDGE, AT, i + (d), count)
#define BORDER_2D(dy, dx) CMK_EDGE_SAMPLE_2D(EDGE, AT_2D, y + (dy), x + (dx), height, width)
LINE(line_edge, CMK_EDGE_SPLIT(CMK_EDGE_INSIDE(i, 4, count), BODY, INTERIOR, BORDER))
PLANE(plane_edge,
      CMK_EDGE_SPLIT(CMK_EDGE_INSIDE(x, 1, width) && CMK_EDGE_INSIDE(y, 1, height), BODY_2D, INTERIOR_2D, BORDER_2D))
