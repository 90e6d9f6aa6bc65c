/* expect: cmk: CMK_TABLE: COUNT must be at least 1 */
#include <cmk/table.h>

CMK_TABLE(float, weights, -1);
