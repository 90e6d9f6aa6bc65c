/* expect: cmk: CMK_DEFINE_SEPARABLE3D: RADIUS must be from 1 to 8 */
#include <cmk/kernel/conv3d.h>

CMK_TABLE(CONSTANT, float, weights, [19]);

CMK_DEFINE_SEPARABLE3D(smooth, float, 9, (weights, weights, weights), CMK_EDGE_ZERO);
