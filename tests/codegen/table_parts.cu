/* One convolution of 5x5 and one of 15x15, with coefficients from -DWHERE=LITERAL, CONSTANT, PARAMETER or GLOBAL.
 * table_hand.cu has the same by hand. */
#include <cmk/cmk.h>

/* a macro that stands for the source is expanded here, and pasted by cmk */
#define TABLE_VALUES(SOURCE, T, name, SHAPE, ...) CMK_TABLE_VALUES(SOURCE, T, name, SHAPE, __VA_ARGS__)

#define VALUE(r, c) 0.37f * (r) + 0.013f * (c) + 0.21f
#define FIVE(r, c) VALUE(r, c), VALUE(r, (c) + 1), VALUE(r, (c) + 2), VALUE(r, (c) + 3), VALUE(r, (c) + 4)
#define ROW_5(r)                                                                                                       \
    {                                                                                                                  \
        FIVE(r, 0)                                                                                                     \
    }
#define ROW_15(r)                                                                                                      \
    {                                                                                                                  \
        FIVE(r, 0), FIVE(r, 5), FIVE(r, 10)                                                                            \
    }
/* clang-format off */
#define FIVE_ROWS(ROW, r) ROW(r), ROW((r) + 1), ROW((r) + 2), ROW((r) + 3), ROW((r) + 4)
/* clang-format on */

TABLE_VALUES(WHERE, float, small_filter, [5][5], FIVE_ROWS(ROW_5, 0));
TABLE_VALUES(WHERE, float, large_filter, [15][15], FIVE_ROWS(ROW_15, 0), FIVE_ROWS(ROW_15, 5), FIVE_ROWS(ROW_15, 10));

#define SMALL(r, c) CMK_TABLE_AT(small_filter, r, c)
#define LARGE(r, c) CMK_TABLE_AT(large_filter, r, c)
#define SAMPLE(dy, dx) CMK_LDG(&in[(cmk_i64)(y + (dy)) * width + (x + (dx))])

extern "C" __global__ void conv_5(const float *in, float *out, int height, int width, CMK_TABLE_PARAMETER(small_filter))
{
    const int x = (int)(blockIdx.x * 32 + threadIdx.x), y = (int)(blockIdx.y * 8 + threadIdx.y);
    float sum = 0.0f;
    if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2) return;
    CMK_STENCIL_2D_BOX(sum, 2, SMALL, SAMPLE);
    CMK_STORE(&out[(cmk_i64)y * width + x], sum);
}

extern "C" __global__ void conv_15(const float *in, float *out, int height, int width,
                                   CMK_TABLE_PARAMETER(large_filter))
{
    const int x = (int)(blockIdx.x * 32 + threadIdx.x), y = (int)(blockIdx.y * 8 + threadIdx.y);
    float sum = 0.0f;
    if (x < 7 || y < 7 || x >= width - 7 || y >= height - 7) return;
    CMK_STENCIL_2D_BOX(sum, 7, LARGE, SAMPLE);
    CMK_STORE(&out[(cmk_i64)y * width + x], sum);
}
