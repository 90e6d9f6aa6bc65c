/* expect: cmk: CMK_DEFINE_CONV2D: EDGE must be an edge of edge.h */
/* because: a number of another meaning, or a part that is none */
/* do: a word of edge.h, `CMK_EDGE_SIDES` or `CMK_EDGE_AXES` of them */
#include <cmk/kernel/conv2d.h>

CMK_TABLE_VALUES(CONSTANT, float, ones, [3][3], { 1, 1, 1 }, {1, 1, 1}, {1, 1, 1});

CMK_DEFINE_CONV2D(blur, float, 3, 3, ones, 5);
