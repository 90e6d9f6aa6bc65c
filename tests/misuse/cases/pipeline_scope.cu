/* expect c++: cmk: a cuda::pipeline is one of a thread or of a block on a CPU */
/* because: its threads wait on stacks of one OS thread, which are those of a block */
/* do: cuda::thread_scope_thread or cuda::thread_scope_block */
#include "cmk/host/toolkit/cuda/pipeline.h"
__global__ void k(void)
{
    cuda::pipeline<cuda::thread_scope_device> pipe;
    pipe.producer_acquire();
}
