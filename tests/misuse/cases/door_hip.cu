/* expect c c++: cmk: no HIP backend: hipcc would compile kernels for the CPU */
/* because: it would be slow and not on the GPU */
/* do: nvcc, or a C compiler */
#define __HIPCC__ 1
#include "cmk/cmk.h"
