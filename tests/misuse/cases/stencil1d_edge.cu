/* expect: cmk: CMK_DEFINE_STENCIL1D: EDGE must be an edge of one axis, of edge.h */
/* because: a number of another meaning, or an edge for each of several axes */
/* do: a word of edge.h, or `CMK_EDGE_SIDES` of two */
#include <cmk/kernel/stencil1d.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

CMK_DEFINE_STENCIL1D(smooth, float, 1, CMK_STENCIL_1D, ones, 5);
