/* expect: cmk: CMK_DEFINE_TRANSFER3D: AT must be CMK_TRANSFER_CELLS or CMK_TRANSFER_POINTS */
#include <cmk/kernel/transfer.h>

CMK_DEFINE_TRANSFER3D(cells, float, CMK_EDGE_MIRROR + 8, CMK_EDGE_MIRROR);
