/* expect: cmk: CMK_TABLE: SHAPE must have at least 1 element */
#include <cmk/table.h>

CMK_TABLE(CONSTANT, float, weights, [3][0]);
