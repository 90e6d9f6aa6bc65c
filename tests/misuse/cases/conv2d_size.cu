/* expect: cmk: CMK_DEFINE_CONV2D: ROWS and COLUMNS must be from 1 to 33 */
/* because: all taps are unrolled, and the sums of ROWS rows live in registers */
/* do: `CMK_DEFINE_SEPARABLE` where the filter is a product, or a kernel of your own */
#include <cmk/kernel/conv2d.h>

CMK_TABLE(CONSTANT, float, weights, [34]);

CMK_DEFINE_CONV2D(smooth, float, 1, 34, weights, CMK_EDGE_ZERO);
