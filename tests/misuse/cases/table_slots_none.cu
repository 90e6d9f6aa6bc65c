/* expect: cmk: CMK_TABLE_SLOTS: SLOTS must be at least 1 */
/* do: as many as filters are in use at a time */
#include <cmk/table.h>

CMK_TABLE_SLOTS(GLOBAL, float, weights, [5], 0);
