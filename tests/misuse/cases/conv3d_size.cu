/* expect: cmk: CMK_DEFINE_CONV3D: PLANES, ROWS and COLUMNS must be from 1 to 7 */
/* because: all taps are unrolled, in one loop that fits the instruction cache */
/* do: `CMK_DEFINE_SEPARABLE3D`, or a kernel of your own */
#include <cmk/kernel/conv3d.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [8], 1, 1, 1, 1, 1, 1, 1, 1);

CMK_DEFINE_CONV3D(smooth, float, (1, 8, 1), ones, CMK_EDGE_ZERO);
