/* expect c c++: cmk: CUDA's own headers come before cmk's, but no CUDA compiler is at work */
#define __VECTOR_TYPES_H__ /* as <cuda_runtime.h> does */
#include "cmk/cmk.h"
