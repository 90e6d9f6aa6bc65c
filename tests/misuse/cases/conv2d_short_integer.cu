/* expect: cmk: CMK_DEFINE_CONV2D: T must be float or double: CMK_DEFINE_CONV2D_AS has other types of in and out, and one for the sums */
/* because: T is the type of the sums too, and taps of fractions would become 0 */
/* do: `CMK_DEFINE_CONV2D_AS` with (unsigned char, float, unsigned char, 1) */
#include <cmk/kernel/conv2d.h>

CMK_TABLE_VALUES(CONSTANT, float, ones, [3][3], { 1, 1, 1 }, {1, 1, 1}, {1, 1, 1});

CMK_DEFINE_CONV2D(blur, unsigned char, 3, 3, ones, CMK_EDGE_CLAMP);
