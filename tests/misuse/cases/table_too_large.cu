/* expect: cmk: CMK_TABLE: the table exceeds the 64 KB of constant memory */
/* because: all constants of a module share 64 KB; a slot of CMK_TABLE_SLOTS takes a multiple of 128 bytes */
/* do: the source GLOBAL, or pieces uploaded in turn */
#include <cmk/table.h>

CMK_TABLE(CONSTANT, double, weights, [8193]);
