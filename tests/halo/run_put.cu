/* run.cu by puts of NCCL, which on GPUs has a rank a device. */
#define BY_PUT
#define BY_NCCL
#include "run.cu"
