/* expect: cmk: CMK_DEFINE_SEPARABLE: CHANNELS must be from 1 to 4 */
#include <cmk/kernel/separable.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

CMK_DEFINE_SEPARABLE_AS(smooth, (float, float, float, 5), 1, (ones, ones), (CMK_EDGE_ZERO, 0));
