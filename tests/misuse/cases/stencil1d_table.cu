/* expect: ones_element_ */
/* says: `'ones_element_' undeclared`, `identifier "ones_element_" is undefined` */
/* because: TABLE is no table of table.h */
/* do: `CMK_TABLE_VALUES(CONSTANT, float, ones, ...)` before the definition */
#include <cmk/kernel/stencil1d.h>

static const float ones[3] = {1, 1, 1};

CMK_DEFINE_STENCIL1D(smooth, float, 1, CMK_STENCIL_1D, ones, CMK_EDGE_ZERO);
