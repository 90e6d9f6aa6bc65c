/* expect: cmk: CMK_TABLE_VALUES: the values must fill SHAPE */
/* because: values left out would be zeros */
/* do: all of them, with the braces of their rows or without any */
#include <cmk/table.h>

CMK_TABLE_VALUES(CONSTANT, float, weights, [5], 1, 2);
