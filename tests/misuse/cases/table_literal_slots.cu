/* expect: cmk: CMK_TABLE_SLOTS: a LITERAL table has no slots: its values cannot be changed */
/* do: another source, or a table for each filter */
#include <cmk/table.h>

CMK_TABLE_SLOTS(LITERAL, float, weights, [5], 2);
