/* expect: smooth_is_defined_ */
/* says: `redeclaration of enumerator 'smooth_is_defined_'`, `"smooth_is_defined_" has already been declared` */
/* because: two definitions have one name, which is that of their functions */
/* do: another name for one of them */
#include <cmk/kernel/conv2d.h>

CMK_TABLE_VALUES(LITERAL, float, weights, [3], 1, 2, 1);

CMK_DEFINE_CONV2D(smooth, float, 1, 3, weights, CMK_EDGE_ZERO);
CMK_DEFINE_CONV2D(smooth, float, 3, 1, weights, CMK_EDGE_ZERO);
