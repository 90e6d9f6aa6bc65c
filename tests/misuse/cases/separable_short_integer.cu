/* expect: cmk: CMK_DEFINE_SEPARABLE: T must be float or double: CMK_DEFINE_SEPARABLE_AS has other types of in and out, and one for the sums */
#include <cmk/kernel/separable.h>

CMK_TABLE_VALUES(CONSTANT, float, ones, [3], 1, 1, 1);

CMK_DEFINE_SEPARABLE(blur, short, 1, ones, ones, CMK_EDGE_CLAMP);
