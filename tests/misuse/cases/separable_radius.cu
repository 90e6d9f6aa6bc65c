/* expect: cmk: CMK_DEFINE_SEPARABLE: RADIUS must be from 1 to 32 */
#include <cmk/kernel/separable.h>

CMK_TABLE(CONSTANT, float, weights, [67]);

CMK_DEFINE_SEPARABLE(smooth, float, 33, weights, weights, CMK_EDGE_ZERO);
