/* host/toolkit/sm_30_intrinsics.h: CUDA's runtime, of which this is a part */
#include "cuda_runtime.h"
