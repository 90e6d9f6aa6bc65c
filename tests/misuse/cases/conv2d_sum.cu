/* expect: cmk: CMK_DEFINE_CONV2D: SUM must be float, double or int */
/* do: int for integers, float for all else of up to 4 bytes */
#include <cmk/kernel/conv2d.h>

CMK_TABLE_VALUES(CONSTANT, float, ones, [3][3], { 1, 1, 1 }, {1, 1, 1}, {1, 1, 1});

CMK_DEFINE_CONV2D_AS(blur, CORRELATION, (float, long, float, 1), (3, 3), (1, 1), ones, (CMK_EDGE_ZERO, 0));
