/* expect cuda: cmk: CMK_TABLE_EXTERN: one table for several files needs nvcc -rdc=true */
#include <cmk/table.h>

CMK_TABLE_EXTERN(CONSTANT, float, weights, [5]);
CMK_TABLE_DEFINE(CONSTANT, weights);
