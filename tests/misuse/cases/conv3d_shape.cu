/* expect: cmk: CMK_DEFINE_CONV3D: SHAPE must be (PLANES, ROWS, COLUMNS) */
/* because: the group has a word too many or too few */
/* do: three sizes */
#include <cmk/kernel/conv3d.h>

CMK_TABLE_VALUES(CONSTANT, float, ones, [3][3], { 1, 1, 1 }, {1, 1, 1}, {1, 1, 1});

CMK_DEFINE_CONV3D(blur, float, (3, 3), ones, CMK_EDGE_ZERO);
