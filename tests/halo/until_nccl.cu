/* until.cu by NCCL: a loop for each rank, which on GPUs has a device of its own. */
#define BY_NCCL
#include "until.cu"
