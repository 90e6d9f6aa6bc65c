/* expect: cmk: CMK_TABLE_EXTERN: a LITERAL table is its values: put CMK_TABLE_VALUES into the header */
/* do: the line itself into the header, in place of CMK_TABLE_EXTERN */
#include <cmk/table.h>

CMK_TABLE_EXTERN(LITERAL, float, weights, [5]);
