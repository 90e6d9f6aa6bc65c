/* expect: TEXTURE */
#include <cmk/table.h>

CMK_TABLE(TEXTURE, float, weights, [5]);
