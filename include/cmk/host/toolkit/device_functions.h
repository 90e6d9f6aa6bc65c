/* host/toolkit/device_functions.h: CUDA's runtime, of which this is a part */
#include "cuda_runtime.h"
