/* expect: weights_is_a_table_ */
/* says: `'weights_is_a_table_' undeclared`, `identifier "weights_is_a_table_" is undefined` */
/* because: TABLE is no table of table.h */
/* do: `CMK_TABLE_VALUES(CONSTANT, float, weights, ...)` before the definition */
#include <cmk/kernel/conv3d.h>

CMK_TABLE_VALUES(LITERAL, float, ones, [3], 1, 1, 1);

CMK_DEFINE_CONV3D(smooth, float, (1, 3, 1), weights, CMK_EDGE_ZERO);
