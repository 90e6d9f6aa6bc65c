/* separable: times the filters of kernel/separable.h, and of two passes of conv2d.h, on random data, each verified at
 * every point before it is timed.
 *
 *   usage: separable [CSV]      prints the table; CSV is a file to append it to as well */
#include "convolution.h"

CMK_TABLE(CONSTANT, float, column, [17][1]);
CMK_TABLE(CONSTANT, float, line, [1][17]);
CMK_DEFINE_CONV2D(conv_column, float, 17, 1, column, CMK_EDGE_ZERO);
CMK_DEFINE_CONV2D(conv_line, float, 1, 17, line, CMK_EDGE_ZERO);

#define SEPARABLE(name, R, EDGE)                                                                                       \
    CMK_TABLE(CONSTANT, float, name##_down, [2 * R + 1]);                                                              \
    CMK_TABLE(CONSTANT, float, name##_across, [2 * R + 1]);                                                            \
    CMK_DEFINE_SEPARABLE(name, float, R, name##_down, name##_across, EDGE);                                            \
    static void name##_row(const char *text, array a)                                                                  \
    {                                                                                                                  \
        float weights[4 * R + 2];                                                                                      \
        weigh(weights, 4 * R + 2, false);                                                                              \
        CMK_CHECK(CMK_TABLE_UPLOAD(name##_down, weights, 0, 2 * R + 1));                                               \
        CMK_CHECK(CMK_TABLE_UPLOAD(name##_across, weights + 2 * R + 1, 0, 2 * R + 1));                                 \
        measure_ways<float, float>(                                                                                    \
            text, a, product(2, R, weights), 8 * R + 4, (EDGE) == CMK_EDGE_CLAMP ? CLAMPED : ZEROS,                    \
            [=] { return name(in, a.pitch, out, a.pitch, a.rows, a.columns, name##_down, name##_across, 0); },         \
            WAYS(name, float, float, a, 1, name##_down, name##_across));                                               \
    }
SEPARABLE(separable_1, 1, CMK_EDGE_ZERO)
SEPARABLE(separable_2, 2, CMK_EDGE_ZERO)
SEPARABLE(separable_4, 4, CMK_EDGE_ZERO)
SEPARABLE(separable_8, 8, CMK_EDGE_ZERO)
SEPARABLE(separable_16, 16, CMK_EDGE_ZERO)
SEPARABLE(separable_32, 32, CMK_EDGE_ZERO)
SEPARABLE(clamped_8, 8, CMK_EDGE_CLAMP)

static void two_passes_row(const char *name, array a)
{
    float weights[34], *between;
    weigh(weights, 34, false);
    CMK_CHECK(CMK_TABLE_UPLOAD(column, weights, 0, 17));
    CMK_CHECK(CMK_TABLE_UPLOAD(line, weights + 17, 0, 17));
    CMK_CHECK(cudaMalloc((void **)&between, a.step * sizeof(float)));
    measure<float, float>(name, a, product(2, 8, weights), 68, ZEROS, [=] {
        const cudaError_t error = conv_line(in, a.pitch, between, a.pitch, a.rows, a.columns, line, 0);
        if (error != cudaSuccess) return error;
        return conv_column(between, a.pitch, out, a.pitch, a.rows, a.columns, column, 0);
    });
    CMK_CHECK(cudaFree(between));
}

int main(int argc, char **argv)
{
    const array square = dense(1, 16384, 16384), quarter = dense(1, 8192, 8192), small = dense(1, 4096, 4096),
                odd = pitched(16381, 16411);
    begin_convolutions(argc, argv, odd, "separable convolutions of float, zeros outside, unless it says otherwise");
    fill<float>(square);
    separable_1_row("separable r=1, 16384^2", square);
    separable_2_row("separable r=2, 16384^2", square);
    separable_4_row("separable r=4, 16384^2", square);
    separable_8_row("separable r=8, 16384^2", square);
    separable_16_row("separable r=16, 16384^2", square);
    separable_32_row("separable r=32, 16384^2", square);
    two_passes_row("separable r=8 in two passes, 16384^2", square);
    clamped_8_row("separable r=8 clamped, 16384^2", square);
    fill<float>(quarter);
    separable_8_row("separable r=8, 8192^2", quarter);
    fill<float>(small);
    separable_8_row("separable r=8, 4096^2", small);
    clamped_8_row("separable r=8 clamped, 4096^2", small);
    fill<float>(odd);
    separable_8_row("separable r=8, 16381 x 16411 pitched", odd);
    return end();
}
