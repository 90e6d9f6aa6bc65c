/* conv2d_narrow: times the filters of kernel/conv2d.h of half, bfloat16 and bytes on random data, each verified at
 * every point before it is timed.
 *
 *   usage: conv2d_narrow [CSV [TEXT]]      as conv2d */
#include "filters2d.h"

FILTER(half_3, half, half, 3, CMK_EDGE_ZERO)
FILTER(half_5, half, half, 5, CMK_EDGE_ZERO)
FILTER(half_9, half, half, 9, CMK_EDGE_ZERO)
FILTER(half_15, half, half, 15, CMK_EDGE_ZERO)
FILTER(half_33, half, half, 33, CMK_EDGE_ZERO)
FAST(half_fast_9, half, 9)
FAST(half_fast_15, half, 15)
FAST(half_fast_33, half, 33)
FILTER(bfloat16_3, __nv_bfloat16, __nv_bfloat16, 3, CMK_EDGE_ZERO)
FILTER(bfloat16_5, __nv_bfloat16, __nv_bfloat16, 5, CMK_EDGE_ZERO)
FILTER(byte_3, unsigned char, unsigned char, 3, CMK_EDGE_ZERO)
FILTER(byte_5, unsigned char, unsigned char, 5, CMK_EDGE_ZERO)
FILTER(byte_9, unsigned char, unsigned char, 9, CMK_EDGE_ZERO)
FILTER(byte_15, unsigned char, unsigned char, 15, CMK_EDGE_ZERO)
FAST(byte_fast_15, unsigned char, 15)

int main(int argc, char **argv)
{
    const array square = dense(1, 16384, 16384);
    begin_convolutions(argc, argv, square, "2D convolutions of half, bfloat16 and bytes, zeros outside");
    fill<half>(square);
    half_3_row("conv2d 3x3 half, 16384^2", square);
    half_5_row("conv2d 5x5 half, 16384^2", square);
    half_9_row("conv2d 9x9 half, 16384^2", square);
    half_15_row("conv2d 15x15 half, 16384^2", square);
    half_33_row("conv2d 33x33 half, 16384^2", square);
    half_fast_9_row("conv2d 9x9 half, one product, 16384^2", square);
    half_fast_15_row("conv2d 15x15 half, one product, 16384^2", square);
    half_fast_33_row("conv2d 33x33 half, one product, 16384^2", square);
    fill<__nv_bfloat16>(square);
    bfloat16_3_row("conv2d 3x3 bfloat16, 16384^2", square);
    bfloat16_5_row("conv2d 5x5 bfloat16, 16384^2", square);
    fill<unsigned char>(square);
    byte_3_row("conv2d 3x3 bytes, 16384^2", square);
    byte_5_row("conv2d 5x5 bytes, 16384^2", square);
    byte_9_row("conv2d 9x9 bytes, 16384^2", square);
    byte_15_row("conv2d 15x15 bytes, 16384^2", square);
    byte_fast_15_row("conv2d 15x15 bytes, one product, 16384^2", square);
    return end();
}
