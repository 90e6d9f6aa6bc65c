/* expect: cmk: CMK_TABLE_DEFINE: SOURCE is not that of CMK_TABLE_EXTERN */
/* do: the same word in both */
#include <cmk/table.h>

CMK_TABLE_EXTERN(CONSTANT, float, weights, [5]);
CMK_TABLE_DEFINE(GLOBAL, weights);
