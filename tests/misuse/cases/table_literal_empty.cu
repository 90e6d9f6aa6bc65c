/* expect: cmk: CMK_TABLE: a LITERAL table needs values: CMK_TABLE_VALUES */
/* do: the values behind SHAPE */
#include <cmk/table.h>

CMK_TABLE(LITERAL, float, weights, [5]);
