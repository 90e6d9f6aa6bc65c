/* expect: cmk: CMK_DEFINE_SEPARABLE: EDGE must be an edge of edge.h */
#include <cmk/kernel/separable.h>

CMK_TABLE_VALUES(CONSTANT, float, ones, [3], 1, 1, 1);

CMK_DEFINE_SEPARABLE(blur, float, 1, ones, ones, 6);
