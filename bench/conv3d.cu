/* conv3d: times the filters of kernel/conv3d.h on random data, each verified at every point before it is timed.
 *
 *   usage: conv3d [CSV]     prints the table; CSV is a file to append it to as well */
#include "convolution.h"

#define BOX(N)                                                                                                         \
    CMK_TABLE(CONSTANT, float, taps_##N, [N][N][N]);                                                                   \
    CMK_DEFINE_CONV3D(conv_##N, float, (N, N, N), taps_##N, CMK_EDGE_ZERO);                                            \
    static void conv_##N##_row(const char *name, array a)                                                              \
    {                                                                                                                  \
        float weights[N * N * N];                                                                                      \
        weigh(weights, N *N *N, false);                                                                                \
        CMK_CHECK(CMK_TABLE_UPLOAD(taps_##N, weights, 0, N *N *N));                                                    \
        measure<float, float>(name, a, box(N, N, N, weights), 2 * N * N * N, ZEROS, [=] {                              \
            return conv_##N(in, a.pitch, a.step, out, a.pitch, a.step, a.planes, a.rows, a.columns, taps_##N, 0);      \
        });                                                                                                            \
    }
BOX(3)
BOX(5)
BOX(7)

#define SEPARABLE(R)                                                                                                   \
    CMK_TABLE(CONSTANT, float, through_##R, [2 * R + 1]);                                                              \
    CMK_TABLE(CONSTANT, float, down_##R, [2 * R + 1]);                                                                 \
    CMK_TABLE(CONSTANT, float, across_##R, [2 * R + 1]);                                                               \
    CMK_DEFINE_SEPARABLE3D(separable_##R, float, R, (through_##R, down_##R, across_##R), CMK_EDGE_ZERO);               \
    static void separable_##R##_row(const char *name, array a)                                                         \
    {                                                                                                                  \
        float weights[3 * (2 * R + 1)];                                                                                \
        weigh(weights, 3 * (2 * R + 1), false);                                                                        \
        CMK_CHECK(CMK_TABLE_UPLOAD(through_##R, weights, 0, 2 * R + 1));                                               \
        CMK_CHECK(CMK_TABLE_UPLOAD(down_##R, weights + 2 * R + 1, 0, 2 * R + 1));                                      \
        CMK_CHECK(CMK_TABLE_UPLOAD(across_##R, weights + 4 * R + 2, 0, 2 * R + 1));                                    \
        measure<float, float>(name, a, product(3, R, weights), 6 * (2 * R + 1), ZEROS, [=] {                           \
            return separable_##R(in, a.pitch, a.step, out, a.pitch, a.step, a.planes, a.rows, a.columns, through_##R,  \
                                 down_##R, across_##R, 0);                                                             \
        });                                                                                                            \
    }
SEPARABLE(2)
SEPARABLE(4)

int main(int argc, char **argv)
{
    const array cube = dense(512, 512, 512), odd = dense(509, 511, 513);
    begin_convolutions(argc, argv, cube, "3D convolutions of float, zeros outside");
    fill<float>(cube);
    conv_3_row("conv3d 3x3x3, 512^3", cube);
    conv_5_row("conv3d 5x5x5, 512^3", cube);
    conv_7_row("conv3d 7x7x7, 512^3", cube);
    separable_2_row("separable3d r=2, 512^3", cube);
    separable_4_row("separable3d r=4, 512^3", cube);
    fill<float>(odd);
    conv_3_row("conv3d 3x3x3, 509 x 511 x 513", odd);
    conv_5_row("conv3d 5x5x5, 509 x 511 x 513", odd);
    separable_2_row("separable3d r=2, 509 x 511 x 513", odd);
    return end();
}
