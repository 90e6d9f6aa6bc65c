/* host/toolkit/driver_types.h: CUDA's runtime, of which this is a part */
#include "cuda_runtime.h"
