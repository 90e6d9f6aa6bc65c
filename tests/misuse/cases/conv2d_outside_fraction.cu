/* expect c++ cuda: cmk: CMK_DEFINE_CONV2D: OUTSIDE must be a value of IN */
/* because: 0.5 as a byte is 0 */
/* do: a whole number, or IN float */
#include <cmk/kernel/conv2d.h>

CMK_TABLE_VALUES(CONSTANT, float, ones, [3][3], 1, 1, 1, 1, 1, 1, 1, 1, 1);
CMK_DEFINE_CONV2D_AS(blur, CORRELATION, (unsigned char, float, float, 1), (3, 3), (1, 1), ones, (CMK_EDGE_ZERO, 0.5f));
