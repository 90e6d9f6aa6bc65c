/* expect c c++: cmk: CUDA's own headers come before cmk's, but no CUDA compiler is at work */
/* because: CUDA's types are defined, and cmk's CPU backend would define them again */
/* do: nvcc for this file, or no CUDA header in it */
#define __VECTOR_TYPES_H__ /* as <cuda_runtime.h> does */
#include "cmk/cmk.h"
