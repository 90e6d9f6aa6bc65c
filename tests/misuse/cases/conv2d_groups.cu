/* expect: cmk: CMK_DEFINE_CONV2D: the groups must be (IN, SUM, OUT, CHANNELS), (ROWS, COLUMNS), (ROW, COLUMN) */
/* because: a group has a word too many or too few */
/* do: 4 words for the types, 2 for the size, 2 for the anchor */
#include <cmk/kernel/conv2d.h>

CMK_TABLE_VALUES(CONSTANT, float, ones, [3][3], { 1, 1, 1 }, {1, 1, 1}, {1, 1, 1});

CMK_DEFINE_CONV2D_AS(blur, CORRELATION, (float, float, float), (3, 3), (1, 1), ones, (CMK_EDGE_ZERO, 0));
