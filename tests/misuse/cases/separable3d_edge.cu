/* expect: cmk: CMK_DEFINE_SEPARABLE3D: EDGE must be an edge of edge.h, or CMK_EDGE_AXES_3D of three */
/* because: a number of another meaning, or a part that is none */
/* do: a word of edge.h, `CMK_EDGE_SIDES` or `CMK_EDGE_AXES_3D` of them */
#include <cmk/kernel/conv3d.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

CMK_DEFINE_SEPARABLE3D(smooth, float, 1, (ones, ones, ones), -1);
