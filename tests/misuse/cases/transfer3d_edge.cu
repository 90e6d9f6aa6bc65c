/* expect: cmk: CMK_DEFINE_TRANSFER3D: EDGE must be an edge of edge.h */
#include <cmk/kernel/transfer.h>

CMK_DEFINE_TRANSFER3D(cells, float, CELLS, -1);
