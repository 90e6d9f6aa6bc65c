/* expect: cmk: CMK_DEFINE_SEPARABLE: RADIUS must be from 1 to 32 */
/* because: the sums of 2 RADIUS + 1 rows live in registers */
/* do: two filters one after the other; for a radius of 0 `CMK_DEFINE_CONV2D` */
#include <cmk/kernel/separable.h>

CMK_TABLE(CONSTANT, float, weights, [67]);

CMK_DEFINE_SEPARABLE(smooth, float, 33, weights, weights, CMK_EDGE_ZERO);
