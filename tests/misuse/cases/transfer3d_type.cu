/* expect: cmk: CMK_DEFINE_TRANSFER3D: T must be float or double */
#include <cmk/kernel/transfer.h>

CMK_DEFINE_TRANSFER3D(cells, int, CELLS, CMK_EDGE_MIRROR);
