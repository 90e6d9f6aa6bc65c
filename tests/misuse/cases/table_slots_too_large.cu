/* expect: cmk: CMK_TABLE: the table exceeds the 64 KB of constant memory */
#include <cmk/table.h>

CMK_TABLE_SLOTS(CONSTANT, float, weights, [33], 257); /* a slot takes 256 bytes */
