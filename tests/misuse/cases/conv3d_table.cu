/* expect: cmk: CMK_DEFINE_CONV3D: TABLE must have PLANES x ROWS x COLUMNS elements */
/* do: a table with SHAPE [PLANES][ROWS][COLUMNS] */
#include <cmk/kernel/conv3d.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

CMK_DEFINE_CONV3D(smooth, float, (3, 3, 3), ones, CMK_EDGE_ZERO);
