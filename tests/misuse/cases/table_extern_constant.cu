/* expect cuda: cmk: CMK_TABLE_EXTERN: one table for several files needs nvcc -rdc=true */
/* because: without it each file has a copy, and an upload in one does not reach the others */
/* do: `-rdc=true`, the source PARAMETER, or a `CMK_TABLE` and its upload in each file */
#include <cmk/table.h>

CMK_TABLE_EXTERN(CONSTANT, float, weights, [5]);
CMK_TABLE_DEFINE(CONSTANT, weights);
