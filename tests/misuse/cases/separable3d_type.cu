/* expect: cmk: CMK_DEFINE_SEPARABLE3D: T must be float or double */
/* because: T is the type of the sums too */
/* do: convert the volume */
#include <cmk/kernel/conv3d.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

CMK_DEFINE_SEPARABLE3D(smooth, long long, 1, (ones, ones, ones), CMK_EDGE_ZERO);
