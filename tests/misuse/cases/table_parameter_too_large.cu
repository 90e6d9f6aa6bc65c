/* expect: cmk: CMK_TABLE: the table exceeds the 32,764 bytes of parameters (4,096 before CUDA 12.1 or sm_70) */
/* because: a PARAMETER table is part of the kernel's arguments */
/* do: the source CONSTANT or GLOBAL */
#include <cmk/table.h>

CMK_TABLE(PARAMETER, unsigned char, weights, [32765]);
