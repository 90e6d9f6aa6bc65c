/* expect: cmk: CMK_DEFINE_SEPARABLE: SUM int needs tables of integers: fractions would be lost */
/* because: 0.25 as an int is 0 */
/* do: SUM float, or tables of int */
#include <cmk/kernel/separable.h>

CMK_TABLE_VALUES(CONSTANT, float, ones, [3], 1, 1, 1);

CMK_DEFINE_SEPARABLE_AS(blur, (short, int, short, 1), 1, (ones, ones), (CMK_EDGE_ZERO, 0));
