/* expect: cmk: CMK_DEFINE_SEPARABLE3D: each table must have 2 RADIUS + 1 elements */
/* do: tables with SHAPE [2 * RADIUS + 1] */
#include <cmk/kernel/conv3d.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);
CMK_TABLE_VALUES(LITERAL, float, twos, [5], 2, 2, 2, 2, 2);

CMK_DEFINE_SEPARABLE3D(smooth, float, 1, (ones, twos, ones), CMK_EDGE_ZERO);
