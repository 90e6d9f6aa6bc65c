/* expect: cmk: CMK_TABLE_SLOTS: SLOTS must be at least 1 */
#include <cmk/table.h>

CMK_TABLE_SLOTS(GLOBAL, float, weights, [5], 0);
