/* expect: cmk: CMK_DEFINE_CONV2D: TABLE must have ROWS x COLUMNS elements */
/* do: a table with SHAPE [ROWS][COLUMNS] */
#include <cmk/kernel/conv2d.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

CMK_DEFINE_CONV2D(smooth, float, 3, 3, ones, CMK_EDGE_ZERO);
