/* host/toolkit/cuda_pipeline.h: part of cuda_pipeline_primitives.h here */
#include "cuda_pipeline_primitives.h"
