/* expect: cmk: CMK_DEFINE_SEPARABLE: OUTSIDE must be a value of IN */
/* because: it is read where IN would be */
/* do: a value that IN can hold */
#include <cmk/kernel/separable.h>

CMK_TABLE_VALUES(CONSTANT, float, ones, [3], 1, 1, 1);

CMK_DEFINE_SEPARABLE_AS(blur, (unsigned char, float, short, 1), 1, (ones, ones), (CMK_EDGE_ZERO, -1));
