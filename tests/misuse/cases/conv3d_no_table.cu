/* expect: weights_table */
/* says: `'weights_table' undeclared`, `identifier "weights_table" is undefined` */
/* because: TABLE is no table of table.h */
/* do: `CMK_TABLE_VALUES(CONSTANT, float, weights, ...)` before the definition */
#include <cmk/kernel/conv3d.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

CMK_DEFINE_CONV3D(smooth, float, (1, 3, 1), weights, CMK_EDGE_ZERO);
