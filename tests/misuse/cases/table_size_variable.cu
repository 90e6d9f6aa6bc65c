/* expect c: variably modified 'weights_array_' at file scope */
/* says: in C: `variably modified 'weights_array_' at file scope` */
/* because: a size is a variable, which is no constant in C, though it is const */
/* do: an `enum { size = 3 };` or a macro */
#include <cmk/table.h>

static const int size = 3;

CMK_TABLE_VALUES(LITERAL, float, weights, [size], 1, 2, 1);
