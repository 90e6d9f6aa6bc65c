/* expect: cmk: CMK_DEFINE_SEPARABLE3D: RADIUS must be from 1 to 8 */
/* because: the sums of 2 RADIUS + 1 planes live in registers */
/* do: two filters one after the other */
#include <cmk/kernel/conv3d.h>

CMK_TABLE(CONSTANT, float, weights, [19]);

CMK_DEFINE_SEPARABLE3D(smooth, float, 9, (weights, weights, weights), CMK_EDGE_ZERO);
