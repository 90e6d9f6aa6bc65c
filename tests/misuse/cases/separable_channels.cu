/* expect: cmk: CMK_DEFINE_SEPARABLE: CHANNELS must be from 1 to 4 */
/* because: channels lie side by side in a pixel */
/* do: a plane for each channel: `name_batch` of 1 channel */
#include <cmk/kernel/separable.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

CMK_DEFINE_SEPARABLE_AS(smooth, (float, float, float, 5), 1, (ones, ones), (CMK_EDGE_ZERO, 0));
