/* expect: cmk: CMK_DEFINE_SEPARABLE3D: TABLES must be (THROUGH, DOWN, ACROSS) */
/* because: the group has a word too many or too few */
/* do: three tables: one that stands for all three times */
#include <cmk/kernel/conv3d.h>

CMK_TABLE_VALUES(CONSTANT, float, ones, [3], 1, 1, 1);

CMK_DEFINE_SEPARABLE3D(blur, float, 1, (ones, ones), CMK_EDGE_ZERO);
