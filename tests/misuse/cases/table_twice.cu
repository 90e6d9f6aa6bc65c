/* expect: weights_is_a_table_ */
/* says: `redeclaration of enumerator 'weights_is_a_table_'`, `"weights_is_a_table_" has already been declared` */
/* because: two tables have one name */
/* do: another name for one of them; of a table of another file `CMK_TABLE_EXTERN`, once, then `CMK_TABLE_DEFINE` */
#include <cmk/table.h>

CMK_TABLE_VALUES(LITERAL, float, weights, [3], 1, 2, 1);
CMK_TABLE_VALUES(LITERAL, float, weights, [3], 1, 2, 1);
