/* expect c: negative */
/* expect c++: negative */
/* expect cuda: the size of an array must be greater than zero */
#include <cmk/table.h>

CMK_TABLE(GLOBAL, float, weights, [-1]);
