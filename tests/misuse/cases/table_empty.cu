/* expect: cmk: CMK_TABLE: SHAPE must have at least 1 element */
/* do: `[N]`, `[ROWS][COLUMNS]` or `[PLANES][ROWS][COLUMNS]` */
#include <cmk/table.h>

CMK_TABLE(CONSTANT, float, weights, [3][0]);
