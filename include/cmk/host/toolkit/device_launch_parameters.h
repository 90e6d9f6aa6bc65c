/* host/toolkit/device_launch_parameters.h: CUDA's runtime, of which this is a part */
#include "cuda_runtime.h"
