/* expect: cmk: CMK_TABLE_VALUES: the values must fill SHAPE */
#include <cmk/table.h>

CMK_TABLE_VALUES(PARAMETER, float, weights, [3][3], { 1, 2, 1 }, {2, 4, 2});
