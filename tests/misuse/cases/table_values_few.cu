/* expect: cmk: CMK_TABLE_VALUES: the values must fill SHAPE */
#include <cmk/table.h>

CMK_TABLE_VALUES(CONSTANT, float, weights, [5], 1, 2);
