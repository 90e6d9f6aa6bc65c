/* expect: cmk: CMK_DEFINE_TRANSFER2D: T must be float or double */
/* because: sums have this type too */
/* do: convert the grids */
#include <cmk/kernel/transfer.h>

CMK_DEFINE_TRANSFER2D(cells, int, CELLS, CMK_EDGE_MIRROR);
