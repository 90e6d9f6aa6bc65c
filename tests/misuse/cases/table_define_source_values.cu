/* expect: cmk: CMK_TABLE_DEFINE: SOURCE is not that of CMK_TABLE_EXTERN */
#include <cmk/table.h>

CMK_TABLE_EXTERN(GLOBAL, float, weights, [2]);
CMK_TABLE_DEFINE_VALUES(CONSTANT, weights, 1.0f, 2.0f);
