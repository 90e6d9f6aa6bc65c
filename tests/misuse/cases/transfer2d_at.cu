/* expect: cmk: CMK_DEFINE_TRANSFER2D: AT must be CMK_TRANSFER_CELLS or CMK_TRANSFER_POINTS */
/* because: where the points of the coarse grid are decides the weights */
/* do: one of these words */
#include <cmk/kernel/transfer.h>

CMK_DEFINE_TRANSFER2D(cells, float, CMK_EDGE_MIRROR + 8, CMK_EDGE_MIRROR);
