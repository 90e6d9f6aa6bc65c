/* host/toolkit/cuda_runtime_api.h: CUDA's runtime, of which this is a part */
#include "cuda_runtime.h"
