/* peer.cu by NCCL from memory that is registered, which on GPUs has a rank a device. */
#define BY_REGISTERED
#define BY_NCCL
#include "peer.cu"
