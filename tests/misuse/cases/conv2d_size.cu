/* expect: cmk: CMK_DEFINE_CONV2D: ROWS and COLUMNS must be from 1 to 33 */
#include <cmk/kernel/conv2d.h>

CMK_TABLE(CONSTANT, float, weights, [34]);

CMK_DEFINE_CONV2D(smooth, float, 1, 34, weights, CMK_EDGE_ZERO);
