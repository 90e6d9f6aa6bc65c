/* expect: cmk: CMK_DEFINE_SEPARABLE: (EDGE, OUTSIDE) must be an edge and one value, which all channels have */
/* because: the group has more words than these two, as with `{0, 0, 255}`, or fewer */
/* do: one value; for a value of its own for each channel, a definition of one channel for each, over planes */
#include <cmk/kernel/separable.h>

CMK_TABLE_VALUES(CONSTANT, float, ones, [3], 1, 1, 1);

CMK_DEFINE_SEPARABLE_AS(blur, (unsigned char, float, unsigned char, 3), 1, (ones, ones), (CMK_EDGE_ZERO));
