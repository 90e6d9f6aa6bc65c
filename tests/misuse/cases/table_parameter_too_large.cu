/* expect: cmk: CMK_TABLE: the table exceeds the 32,764 bytes of parameters (4,096 before CUDA 12.1 or sm_70) */
#include <cmk/table.h>

CMK_TABLE(PARAMETER, unsigned char, weights, [32765]);
