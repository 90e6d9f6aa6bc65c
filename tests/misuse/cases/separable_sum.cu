/* expect: cmk: CMK_DEFINE_SEPARABLE: SUM must be float, double or int */
/* do: int for integers, float for all else of up to 4 bytes */
#include <cmk/kernel/separable.h>

CMK_TABLE_VALUES(CONSTANT, float, ones, [3], 1, 1, 1);

CMK_DEFINE_SEPARABLE_AS(blur, (float, short, float, 1), 1, (ones, ones), (CMK_EDGE_ZERO, 0));
