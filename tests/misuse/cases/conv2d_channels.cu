/* expect: cmk: CMK_DEFINE_CONV2D: CHANNELS must be from 1 to 4 */
#include <cmk/kernel/conv2d.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

CMK_DEFINE_CONV2D_AS(smooth, CORRELATION, (float, float, float, 5), (1, 3), (0, 1), ones, (CMK_EDGE_ZERO, 0));
