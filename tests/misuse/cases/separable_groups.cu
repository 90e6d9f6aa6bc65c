/* expect: cmk: CMK_DEFINE_SEPARABLE: the groups must be (IN, SUM, OUT, CHANNELS), (DOWN, ACROSS) */
/* because: a group has a word too many or too few */
/* do: 4 words for the types, 2 tables: one that stands for both twice */
#include <cmk/kernel/separable.h>

CMK_TABLE_VALUES(CONSTANT, float, ones, [3], 1, 1, 1);

CMK_DEFINE_SEPARABLE_AS(blur, (float, float, float, 1), 1, (ones), (CMK_EDGE_ZERO, 0));
