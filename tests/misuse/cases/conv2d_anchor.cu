/* expect: cmk: CMK_DEFINE_CONV2D: the anchor must be an element of the filter */
/* because: it counts from 0 */
/* do: ROW below ROWS, COLUMN below COLUMNS; a table with zeros for an anchor outside */
#include <cmk/kernel/conv2d.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

CMK_DEFINE_CONV2D_AS(smooth, CORRELATION, (float, float, float, 1), (1, 3), (0, 3), ones, (CMK_EDGE_ZERO, 0));
