/* expect: cmk: CMK_DEFINE_CONV2D: IN and OUT must be float, double, half, bfloat16 or an integer of 8 or 16 bits */
#include <cmk/kernel/conv2d.h>

CMK_TABLE_VALUES(CONSTANT, float, ones, [3][3], { 1, 1, 1 }, {1, 1, 1}, {1, 1, 1});

CMK_DEFINE_CONV2D_AS(copy, CORRELATION, (float, float, int, 1), (3, 3), (1, 1), ones, (CMK_EDGE_ZERO, 0));
