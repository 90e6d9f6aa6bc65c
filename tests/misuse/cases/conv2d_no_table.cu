/* expect: weights_is_a_table_ */
/* says: `'weights_is_a_table_' undeclared`, `identifier "weights_is_a_table_" is undefined` */
/* because: TABLE is no table of table.h: another array will not do */
/* do: `CMK_TABLE_VALUES(CONSTANT, float, weights, ...)` before the definition */
#include <cmk/kernel/conv2d.h>

static const float weights[] = {1, 2, 1};

CMK_DEFINE_CONV2D(smooth, float, 1, 3, weights, CMK_EDGE_ZERO);
