/* expect: cmk: CMK_DEFINE_CONV2D: SUM int needs a TABLE of integers: fractions would be lost */
/* because: 0.25 as an int is 0 */
/* do: SUM float, or a table of int */
#include <cmk/kernel/conv2d.h>

CMK_TABLE_VALUES(CONSTANT, float, ones, [3][3], { 1, 1, 1 }, {1, 1, 1}, {1, 1, 1});

CMK_DEFINE_CONV2D_AS(blur, CORRELATION, (short, int, short, 1), (3, 3), (1, 1), ones, (CMK_EDGE_ZERO, 0));
