/* expect c c++: cmk: no HIP backend: hipcc would compile kernels for the CPU */
#define __HIPCC__ 1
#include "cmk/cmk.h"
