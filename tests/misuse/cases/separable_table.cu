/* expect: cmk: CMK_DEFINE_SEPARABLE: DOWN and ACROSS must have 2 RADIUS + 1 elements */
/* do: tables with SHAPE [2 * RADIUS + 1] */
#include <cmk/kernel/separable.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);
CMK_TABLE_VALUES(LITERAL, float, twos, [5], 2, 2, 2, 2, 2);

CMK_DEFINE_SEPARABLE(smooth, float, 1, ones, twos, CMK_EDGE_ZERO);
