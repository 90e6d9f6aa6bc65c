/* expect: cmk: CMK_TABLE: the table exceeds the 64 KB of constant memory */
#include <cmk/table.h>

CMK_TABLE(CONSTANT, double, weights, [8193]);
