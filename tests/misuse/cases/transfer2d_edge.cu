/* expect: cmk: CMK_DEFINE_TRANSFER2D: EDGE must be an edge of edge.h */
/* because: a number of another meaning, or a part that is none */
/* do: a word of edge.h, `CMK_EDGE_SIDES` or `CMK_EDGE_AXES` of them */
#include <cmk/kernel/transfer.h>

CMK_DEFINE_TRANSFER2D(cells, float, CELLS, -1);
